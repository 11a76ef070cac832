/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/designing.h: members of families for a wish: how they are chosen and measured.
 */
#ifndef IKAT_REPORT_DESIGNING_H
#define IKAT_REPORT_DESIGNING_H

#include "ikat/analysis.h"
#include "ikat/design.h"
#include "ikat/routing.h"
#include "ikat/traffic.h"
#include "ikat/verify.h"

enum { DESIGN_DRAWS = 3 };
/* Packets' hops of a workload beyond which it is not simulated: one or two minutes. */
static const double design_most_hops = 2e8;

/* The member of one series, or why there is none. */
typedef struct design_row {
    const ik_topology *topology;
    const ik_series *series;
    bool fits;
    char spec[160]; /* of the member, or of the nearest one */
    ik_fit fit;
    ik_fit others[2]; /* [num_others] that may be cheaper once they have a floor plan */
    unsigned num_others;
    double fewest_switches, fewest_switches_hosts; /* of a member, where costs are the goal */
    ik_cost cost;
    bool built; /* what follows was measured */
    char vc[64];
    unsigned num_vcs;
    bool proved; /* every pair arrives, without loops and deadlocks */
    ik_distances dist;
    bool has_bisection;
    ik_bisection bisection;
    double saturation[IK_DESIGN_PATTERNS]; /* < 0: not predicted */
    ik_design_time times[IK_DESIGN_WORKLOADS];
    const char *reroute, *fallback; /* routings of the damaged fabrics */
    ik_design_failure failures[IK_DESIGN_LOSSES];
    ik_floor_plan *floor; /* of all rails; NULL: there is none */
    char whole[200];      /* spec of the fabric of all rails; "": its family has none */
    bool grown;           /* growth is known: of one rail */
    ik_growth growth;
    /* it does not fit: the most hosts for the wished switches, and the ports of switches that the
     * wished hosts need; 0: none */
    double most_hosts;
    uint32_t least_radix;
    char reason[400]; /* a sentence without its end */
} design_row;

typedef struct designs {
    ik_designs made; /* what the caller has; the first member, so that it is freed by this */
    ik_arena arena;  /* texts of what was asked for */
    const ik_design_config *ask;
    const ik_env *env;
    ik_wish wish;
    const char *goal; /* "cost", "switches" */
    uint64_t rate_bps;
    uint32_t rails; /* networks that each host has a cable to */
    ik_prices *prices;
    const char *patterns[IK_DESIGN_PATTERNS];
    int num_patterns;
    const char *workloads[IK_DESIGN_WORKLOADS];
    int num_workloads;
    ik_loss losses[IK_DESIGN_LOSSES]; /* what fails */
    int num_losses;
    bool has_floors; /* networks that are built get floor plans, by these rules */
    ik_floor_rules floor_rules;
    const char *no_floor; /* why they do not; "" */
    ik_fabric *from;      /* NULL: not asked for */
    design_row *rows;     /* those that fit first, the cheapest of them first */
    size_t num, num_fits;
} designs;

/* What is computed now, and what the user should know: to the functions of the configuration. */
void design_stage(const designs *d, const char *format, ...) IK_PRINTF(2, 3);
void design_note(const designs *d, const char *format, ...) IK_PRINTF(2, 3);
/* design_wish.c: what is asked for, checked. */
ik_status designs_read_wish(designs *d, ik_error *err);
/* Refuses failures of racks and trays where there are no floor plans. */
ik_status designs_check_floor(const designs *d, ik_error *err);
/* The spec of a fit with the rate of so many rails together, unless that is the default one. */
void design_put_spec(const designs *d, const ik_fit *fit, uint32_t rails, char *spec, size_t size);
/* design_choose.c: a row for each series that is wanted, by cost. */
ik_status designs_choose(designs *d, ik_error *err);
void designs_sort(designs *d);
/* Makes this the member of the row, with its specs. */
void design_take(const designs *d, design_row *row, const ik_fit *fit);
double design_cost_per_host(const design_row *row);
/* The costs of all rails: of the cables of the floor plan, or without one with copper
 * cables for hosts and optical ones elsewhere. */
ik_status design_buy(const designs *d, design_row *row, ik_error *err);
/* design_make.c: one row that fits, as the library's caller gets it. */
void design_make_member(const design_row *row, ik_design_member *out);
/* design_measure.c: builds, proves and predicts. */
ik_status design_measure(designs *d, design_row *row, ik_error *err);
/* design_times.c: row->times of a member that is built. */
ik_status design_time_workloads(designs *d, const ik_fabric *f, const ik_plan *plan,
                                design_row *row, ik_error *err);
/* design_from.c: the fabric that stands already, if it can grow to the wish; row->growth. */
ik_status design_read_from(designs *d, ik_error *err);
ik_status design_grow(designs *d, const ik_fabric *f, design_row *row, ik_error *err);

#endif
