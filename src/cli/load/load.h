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
    double epsilon;       /* of the bound */
    ik_flow_bound bound;
    bool has_bound, has_contention, has_means, has_permutations, has_queues, has_phases;
    bool has_channels; /* JSON has the load of each */
    ik_phases phases;  /* of a workload */
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

/* --bound with other than one routing on one fabric, or as CSV: each saturation beside the
 * bound of its fabric. */
int loads_bound(cli *c);
/* Reads --epsilon: CLI_DONE or CLI_USAGE (message printed). */
int loads_read_epsilon(const cli *c, double *epsilon);
/* The two ends of a bound for a text, in a buffer of its own: "0.83", "between 0.82 and 0.83". */
typedef struct loads_range {
    char text[80];
} loads_range;
loads_range loads_range_of(double low, double high);
/* What a rate is of a bound that lies between two ends; NAN where a rate is not predicted. */
double loads_share_low(double rate, const ik_flow_bound *b);
double loads_share_high(double rate, const ik_flow_bound *b);
/* Its members, into the open object. */
void loads_put_bound(ik_json *j, const ik_flow_bound *b);
/* The saturation of a routing that delivers all flows that the fabric connects, else NAN. */
double loads_predicted(const ik_load *load, uint64_t unconnected, const ik_routing *r);

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
