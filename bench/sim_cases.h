/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_cases.h: the runs that bench_sim measures. Texts of parameters are
 * "name=value;name=value". */
#ifndef IKAT_BENCH_SIM_CASES_H
#define IKAT_BENCH_SIM_CASES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_case {
    const char *name, *fabric, *vc, *packet, *buffer, *link;
    unsigned vcs, threads;
    bool voq;
    double load;
    uint64_t duration_ps;
    const char *routing, *selection; /* NULL: dmodk; the plan's own */
    const char *sw, *adapter, *measure;
    const char *against; /* multiples: the name of another case; NULL = the first one */
} bench_case;

#define TREE256   "karytree:k=16,n=2"
#define RLFT11664 "rlft:ports=36,levels=3"
#define USUAL     "4 KiB", "192 KiB", "100 Gb/s"

/* The tests of instructions know these by number. */
static const bench_case standard[] = {
    {"tree 256", TREE256, "1q", USUAL, 1, 1, true, 0.3, 2000000000, .sw = ""},
    {"tree 256", TREE256, "1q", USUAL, 1, 1, true, 1.0, 1000000000, .sw = ""},
    {"tree 256", TREE256, "1q", USUAL, 1, 1, false, 0.3, 2000000000, .sw = ""},
    {"tree 256", TREE256, "1q", USUAL, 1, 1, false, 1.0, 1000000000, .sw = ""},
    {"RLFT 11,664", RLFT11664, "1q", USUAL, 1, 1, true, 0.3, 100000000, .sw = ""},
    {"RLFT 11,664", RLFT11664, "1q", USUAL, 1, 1, true, 1.0, 60000000, .sw = ""},
    {"RLFT 11,664", RLFT11664, "1q", USUAL, 1, 1, false, 0.3, 100000000, .sw = ""},
    {"RLFT 11,664", RLFT11664, "1q", USUAL, 1, 1, false, 1.0, 60000000, .sw = ""},
    {"RLFT 11,664", RLFT11664, "dbbm", USUAL, 3, 1, true, 1.0, 60000000, .sw = ""},
    {"RLFT 11,664", RLFT11664, "1q", USUAL, 1, 2, true, 1.0, 60000000, .sw = ""},
    {"tree 256, one-flit packets", "karytree:k=4,n=4", "dbbm", "64 B", "2048 B", "512 Gb/s", 4, 1,
     true, 0.5, 100000000, .sw = ""},
    {"tree 256, general kernel", TREE256, "1q", USUAL, 1, 1, true, 1.0, 1000000000,
     .sw = "arbiter=round_robin"},
    {"tree 256, output buffers", TREE256, "1q", USUAL, 1, 1, true, 1.0, 1000000000,
     .sw = "model=ioq"},
    {"tree 256, pipelined", "karytree:k=4,n=4", "any", "125 B", "4000 B", "100 Gb/s", 4, 1, false,
     0.5, 100000000, .sw = "model=pipelined;flit=125 B;iterations=1"},
    {0},
};
static const bench_case large[] = {
    {"RLFT 209,952", "rlft:ports=36,levels=4", "1q", USUAL, 1, 1, true, 1.0, 5000000},
    {0},
};

#define US(n)     ((uint64_t)(n)*1000000)
#define RLFT(vcs) RLFT11664, (vcs) == 1 ? "1q" : "dbbm", USUAL, vcs, 1, true
#define SLIMFLY   "slimfly:q=13", "hopclass", USUAL
#define IN_ORDER  "in_order=true"
#define FLITS     "model=pipelined;flit=125 B;iterations=1"
/* What experiments of published scale cost, as multiples of the first one. */
static const bench_case multiples[] = {
    {"dmodk", RLFT(1), 1.0, US(20)},
    {"dmodk", RLFT(1), 0.5, US(40)},
    {"dmodk, 3 VCs", RLFT(3), 1.0, US(20)},
    {"adaptive_tree", RLFT(1), 1.0, US(20), "adaptive_tree"},
    {"adaptive_tree", RLFT(1), 0.5, US(40), "adaptive_tree"},
    {"adaptive_tree, 4 VCs", RLFT(4), 1.0, US(20), "adaptive_tree"},
    {"adaptive_tree, 4 VCs", RLFT(4), 0.5, US(40), "adaptive_tree"},
    {"adaptive_tree, most_credits", RLFT(1), 1.0, US(20), "adaptive_tree", "most_credits"},
    {"adaptive_tree:delta=9", RLFT(1), 1.0, US(20), "adaptive_tree:delta=9"},
    {"adaptive_tree:delta=9", RLFT(1), 0.5, US(40), "adaptive_tree:delta=9"},
    {"adaptive_tree:delta=9, 4 VCs", RLFT(4), 1.0, US(20), "adaptive_tree:delta=9"},
    {"ioq, dmodk", RLFT(1), 1.0, US(20), .sw = "model=ioq"},
    {"ioq, adaptive_tree", RLFT(1), 1.0, US(20), "adaptive_tree", "least_queued",
     .sw = "model=ioq"},
    {"damq, dmodk", RLFT(1), 1.0, US(20), .sw = "queues=damq"},
    {"slimfly q=13, ugal_l", SLIMFLY, 4, 1, true, 1.0, US(40), "ugal_l"},
    {"slimfly q=13, ugal_l", SLIMFLY, 4, 1, true, 0.5, US(40), "ugal_l"},
    {"slimfly q=13, minimal", SLIMFLY, 2, 1, true, 1.0, US(40), "minimal"},
    {"slimfly q=13, minimal", SLIMFLY, 2, 1, true, 0.5, US(40), "minimal"},
    {"slimfly q=13, valiant", SLIMFLY, 4, 1, true, 0.5, US(40), "valiant"},
    {"oft k=12, minimal", "oft:k=12", "1q", USUAL, 1, 1, true, 1.0, US(40), "minimal"},
    {"oft k=12, valiant", "oft:k=12", "phase", USUAL, 2, 1, true, 1.0, US(40), "valiant"},
    {"oft k=12, valiant", "oft:k=12", "phase", USUAL, 2, 1, true, 0.5, US(40), "valiant"},
    {"mlfm h=15, valiant", "mlfm:h=15", "phase", USUAL, 2, 1, true, 1.0, US(40), "valiant"},
    {"messages of 64 KiB", RLFT(1), 1.0, US(20), .adapter = "message=64 KiB"},
    {"with a time series", RLFT(1), 1.0, US(20), .measure = "series=2 us"},
    {"in order", RLFT(1), 1.0, US(20), "adaptive_tree", .adapter = IN_ORDER,
     .against = "adaptive_tree"},
    {"in order, 1 MiB per host", RLFT(1), 1.0, US(20), "adaptive_tree",
     .adapter = IN_ORDER ";reorder_buffer=1 MiB", .against = "adaptive_tree"},
    {"in order, 64 KiB per flow", RLFT(1), 1.0, US(20), "adaptive_tree",
     .adapter = IN_ORDER ";reorder_buffer=64 KiB;reorder_scope=flow", .against = "adaptive_tree"},
    {"in order, 0 B", RLFT(1), 1.0, US(20), "adaptive_tree",
     .adapter = IN_ORDER ";reorder_buffer=0 B", .against = "adaptive_tree"},
    {"two threads", RLFT11664, "1q", USUAL, 1, 2, true, 1.0, US(40)},
    {"one-flit packets, 256 hosts", "karytree:k=4,n=4", "dbbm", "64 B", "2048 B", "512 Gb/s", 4, 1,
     true, 0.5, US(40)},
    {"the same, vc: any", "karytree:k=4,n=4", "any", "64 B", "2048 B", "512 Gb/s", 4, 1, true, 0.5,
     US(20)},
    {"flit router, 256 hosts", "karytree:k=4,n=4", "any", "125 B", "4000 B", "100 Gb/s", 4, 1,
     false, 0.3, US(100), .sw = FLITS},
    {"flit router, 4,096 hosts", "karytree:k=16,n=3", "any", "125 B", "4000 B", "100 Gb/s", 4, 1,
     false, 0.3, US(10), .sw = FLITS, .against = "flit router, 256 hosts"},
    {"ioq, slimfly q=13, ugal_l", SLIMFLY, 4, 1, true, 1.0, US(40), "ugal_l", .sw = "model=ioq"},
    {"ioq, adaptive_tree, first_free", RLFT(1), 1.0, US(20), "adaptive_tree", "first_free",
     .sw = "model=ioq"},
    {"ioq, adaptive_tree, sadp", RLFT(1), 1.0, US(20), "adaptive_tree", "sadp", .sw = "model=ioq"},
    {"adaptive_tree, sadp", RLFT(1), 1.0, US(20), "adaptive_tree", "sadp"},
    {0},
};

#endif
