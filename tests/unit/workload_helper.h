/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end, for their tests: times on an ideal crossbar, what a process can know, what is
 * refused. */
#ifndef WORKLOAD_HELPER_H
#define WORKLOAD_HELPER_H

#include "sim_helper.h"

/* When all is done on an ideal crossbar, where a message of n bytes takes 80 n + 20,000 ps. */
static inline uint64_t completion(const char *traffic, uint32_t hosts)
{
    char fabric[80];
    snprintf(fabric, sizeof fabric, "crossbar:n=%u,latency=10 ns,link_rate=100 Gb/s", hosts);
    ik_sim_result r = simulate((scenario){.fabric = fabric,
                                          .routing = "minimal",
                                          .traffic = traffic,
                                          .sw = "model=ideal",
                                          .adapter = "packet=256 B",
                                          .measure = "until=delivered;at_most=50 ms;paranoid=true",
                                          .load = 1});
    assert_true(r.completed);
    uint64_t ps = r.completion_ps;
    sim_result_clear(&r);
    return ps;
}

/* Whose contributions each operation knows: of what it waits for, and of a message's sender; bit h:
 * those of host h. */
static inline void spread_knowledge(const ik_graph *g, uint64_t *known)
{
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
            known[op] = (uint64_t)1 << host;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t op = 0; op < g->num_ops; op++) {
            uint32_t end = g->after_first[op + 1];
            for (uint32_t k = g->after_first[op]; k <= end; k++) {
                uint32_t to = k < end                     ? g->after[k] & ~IK_AFTER_START
                              : g->kind[op] == IK_OP_SEND ? g->ops[op].match
                                                          : op;
                changed |= (known[to] | known[op]) != known[to];
                known[to] |= known[op];
            }
        }
    }
}

typedef struct refusal {
    const char *spec, *words; /* that the error has */
} refusal;

/* Each is refused on this fabric with its words, and leaves nothing. */
static inline void check_refusals(const char *fabric, const refusal *cases, size_t num)
{
    ik_fabric *f = fabric_of(fabric);
    for (size_t k = 0; k < num; k++) {
        ik_error err = {0};
        ik_traffic *t = NULL;
        assert_int_not_equal(ik_traffic_from_spec(f, cases[k].spec, NULL, &t, &err), IK_OK);
        assert_null(t);
        if (!strstr(err.text, cases[k].words))
            fail_msg("%s: %s", cases[k].spec, err.text);
    }
    ik_fabric_free(f);
}

/* It would take more memory than that. */
static inline void check_too_large(const char *fabric, const char *spec, uint64_t limit_bytes)
{
    ik_fabric *f = fabric_of(fabric);
    ik_env small = {.memory_limit_bytes = limit_bytes};
    ik_error err = {0};
    ik_traffic *t = NULL;
    assert_int_equal(ik_traffic_from_spec(f, spec, &small, &t, &err), IK_ERR_MEMORY);
    assert_null(t);
    ik_fabric_free(f);
}

#endif
