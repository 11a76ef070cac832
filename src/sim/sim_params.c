/* SPDX-License-Identifier: Apache-2.0
 *
 * The declared parameters of switches, host adapters and measurements. */
#include "ikat/sim.h"

const ik_param ik_switch_params[] = {
    {"model", IK_PARAM_ENUM, "iq", 0, 0, "iq|ioq|ideal",
     "switch architecture: input-queued, input-and-output-queued, or an ideal switch that never blocks inside"},
    {"buffer", IK_PARAM_SIZE, "192 KiB", 1, 1e12, NULL, "input buffer of a port, split evenly among its virtual channels"},
    {"output_buffer", IK_PARAM_SIZE, "100 KiB", 1, 1e12, NULL,
     "output buffer of a port (model ioq), split evenly among its virtual channels"},
    {"voq", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "virtual output queues inside each virtual channel; otherwise one FIFO a virtual channel"},
    {"arbiter", IK_PARAM_ENUM, "islip", 0, 0, "islip|round_robin|oldest_first|random", "how inputs and outputs are matched"},
    {"iterations", IK_PARAM_UINT, "3", 1, 64, NULL, "iterations of the matching"},
    {"input_speedup", IK_PARAM_UINT, "1", 1, 16, NULL,
     "packets that one input port may read at a time, from different virtual channels"},
    {"speedup", IK_PARAM_REAL, "1", 1, 64, NULL, "speed of the crossbar relative to the link (model ioq)"},
    {"switching", IK_PARAM_ENUM, "vct", 0, 0, "vct|saf", "virtual cut-through, or store-and-forward"},
    {"routing_delay", IK_PARAM_TIME, "0 ns", 0, 1e12, NULL, "from a packet's arrival to its first request of an output"},
    {"traversal_delay", IK_PARAM_TIME, "0 ns", 0, 1e12, NULL, "from leaving the input buffer to the start of the link"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

const ik_param ik_adapter_params[] = {
    {"packet", IK_PARAM_SIZE, "4 KiB", 1, 16777215, NULL, "largest packet"},
    {"message", IK_PARAM_SIZE, "", 1, 1e15, NULL, "message, cut into packets (default: one packet)"},
    {"injection", IK_PARAM_ENUM, "periodic", 0, 0, "periodic|poisson|bernoulli",
     "message arrivals: evenly spaced with a random phase, exponential gaps, or a coin a packet time"},
    {"interleave", IK_PARAM_ENUM, "round_robin", 0, 0, "round_robin|fifo",
     "messages of one queue: one packet of each in turn, or one message after the other"},
    {"active", IK_PARAM_UINT, "16", 1, 4096, NULL, "messages of one queue that are interleaved at a time"},
    {"buffer", IK_PARAM_SIZE, "", 1, 1e12, NULL, "receive buffer of a host (default: as a switch port)"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

const ik_param ik_measure_params[] = {
    {"warmup", IK_PARAM_TIME, "50 us", 0, 1e15, NULL, "time before anything is counted"},
    {"duration", IK_PARAM_TIME, "100 us", 1, 1e15, NULL, "time that is measured"},
    {"series", IK_PARAM_TIME, "", 1, 1e15, NULL, "period of the time series (default: none)"},
    {"paranoid", IK_PARAM_BOOL, "false", 0, 0, NULL, "check that packets, bytes and credits are conserved while it runs"},
    {"watchdog", IK_PARAM_TIME, "20 us", 0, 1e15, NULL, "look for a deadlock when nothing has moved for so long; 0 ns = never"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};
