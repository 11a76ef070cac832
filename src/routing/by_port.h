/* SPDX-License-Identifier: Apache-2.0
 *
 * by_port.h: a pattern between hosts as one between their ports.
 *
 * What offers a port makes: the messages of its host that take it. Weights stay fractions of all
 * that the host offers, so that those of one port sum to less than its scale, and message n of a
 * port is message n of the host or left out. */
#ifndef IK_BY_PORT_H
#define IK_BY_PORT_H

#include "ikat/routing.h"
#include "ikat/traffic.h"

typedef enum by_port_mode {
    BY_PORT_SHARES, /* a flow whose messages take several pairs of ports is split among them */
    BY_PORT_ONE     /* it takes one of them, drawn by `seed` */
} by_port_mode;

/* *out = t where no host of r has several cables, else a pattern on r's split fabric that borrows t
 * and r. Free with by_port_free(*out, t). */
ik_status by_port_make(const ik_traffic *t, const ik_routing *r, by_port_mode mode, uint64_t seed,
                       const ik_traffic **out, ik_error *err);
void by_port_free(const ik_traffic *by_port, const ik_traffic *t);

/* What a host of f may send: the rates of all ports that its host has, where f is a split fabric.
 * 0: no cable. */
uint64_t by_port_rate_bps(const ik_fabric *f, uint32_t host);

/* The same where each port sends at most that fraction of its link's rate, and at most most_bps;
 * also of a fabric that is not split. */
double by_port_limited_bps(const ik_fabric *f, uint32_t host, double fraction, double most_bps);

#endif
