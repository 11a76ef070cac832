/* SPDX-License-Identifier: Apache-2.0
 *
 * load.h: what `ikat load` has measured, and the ways in which it is shown.
 */
#ifndef IKAT_CLI_LOAD_H
#define IKAT_CLI_LOAD_H

#include "cli.h"

typedef struct loads {
    cli *c;
    ik_fabric *f;
    ik_plan *plan; /* owns r; NULL: no queues are asked for */
    ik_routing *r;
    ik_traffic *t;
    unsigned num_vcs;  /* as asked for, 0 = as many as the scheme takes */
    const char *table; /* that --csv prints, NULL = none */
    ik_load load;
    ik_load_band band;
    ik_load_group *groups;
    size_t num_groups;
    uint64_t unconnected; /* flows that the fabric does not connect */
    bool refused;         /* hosts are not connected, and that was not allowed */
    bool has_contention, has_means, has_permutations, has_queues, has_phases;
    ik_phases phases; /* of a workload */
    ik_contention contention;
    ik_pattern_means means;
    ik_permutations permutations;
    uint32_t *c_of; /* contention by channel, NULL = not measured */
    ik_queues queues;
    ik_load_group *queue_flows, *queue_destinations; /* [num_queue_groups] */
    size_t num_queue_groups;
    const ik_schedule_entry *entry; /* of a schedule, whose pattern t is; NULL = it is none */
    bool first;                     /* of its entries */
} loads;

/* Contention needs every path in memory: a default for patterns with at most this many flows per
 * host on average. */
static const double loads_few_flows = 64;

/* Several fabrics, routings or seeds: the slowdown of each. */
int loads_compare(cli *c);

/* Flows that the routing does not deliver although the fabric connects them. */
uint64_t loads_undelivered(const loads *l);
/* All three return the exit status or, text, nothing. */
int loads_show_json(const loads *l);
/* The same inside an object that is open. */
void loads_put_json(ik_json *j, const loads *l);
void loads_show_text(const loads *l);
int loads_show_csv(const loads *l, const char *table);
/* Names of the tables that loads_show_csv prints, ending with NULL. */
extern const char *const loads_tables[];

#endif
