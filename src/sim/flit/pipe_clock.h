/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_clock.h: cycles of the pipelined model, which follow from flits and rates of links alone. */
#ifndef IKAT_SIM_PIPE_CLOCK_H
#define IKAT_SIM_PIPE_CLOCK_H

#include "ikat/fabric.h"

/* Of the links that are connected; 0: there is none. A cycle is the time of a flit on it,
 * ik_transmit_ps(flit_bytes, pipe_fastest_bps(f)). */
static inline uint64_t pipe_fastest_bps(const ik_fabric *f)
{
    uint64_t fastest = 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && ik_port_rate_bps(f, port) > fastest)
            fastest = ik_port_rate_bps(f, port);
    return fastest;
}

static inline uint64_t pipe_cycles_of(uint64_t ps, uint64_t clock_ps)
{
    return ps / clock_ps + (ps % clock_ps != 0);
}

/* Cycles of a flit on a link of that rate: its ticks, of which a cycle has `speedup`, fit into 16
 * bits, so that a link is not slower than that. */
static inline uint64_t pipe_flit_cycles(uint64_t flit_bytes, uint64_t rate_bps, uint64_t clock_ps,
                                        unsigned speedup)
{
    uint64_t cycles = pipe_cycles_of(ik_transmit_ps(flit_bytes, rate_bps), clock_ps);
    return cycles > UINT16_MAX / speedup ? UINT16_MAX / speedup : cycles;
}

#endif
