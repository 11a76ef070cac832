/* SPDX-License-Identifier: Apache-2.0
 *
 * design_show.h: what `ikat design` found, how it is measured and the ways in which it is shown.
 */
#ifndef IKAT_CLI_DESIGN_SHOW_H
#define IKAT_CLI_DESIGN_SHOW_H

#include "floor.h"

enum { DESIGN_PATTERNS = 32, DESIGN_WORKLOADS = 16, DESIGN_LOSSES = 32 };
enum { DESIGN_DRAWS = 3, DESIGN_MOST_RAILS = 64 };
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
    double saturation[DESIGN_PATTERNS]; /* < 0: not predicted */
    ik_design_time times[DESIGN_WORKLOADS];
    const char *reroute, *fallback; /* routings of the damaged fabrics */
    ik_design_failure failures[DESIGN_LOSSES];
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
    cli *c;
    ik_wish wish;
    const char *goal; /* "cost", "switches" */
    uint64_t rate_bps;
    uint32_t rails; /* networks that each host has a cable to */
    ik_prices *prices;
    const char *prices_file; /* NULL: the built-in list */
    const char *patterns[DESIGN_PATTERNS];
    int num_patterns;
    const char *workloads[DESIGN_WORKLOADS];
    int num_workloads;
    ik_loss losses[DESIGN_LOSSES]; /* what fails */
    int num_losses;
    bool has_floors; /* networks that are built get floor plans, by these rules */
    ik_floor_rules floor_rules;
    const char *no_floor;  /* why they do not, in parentheses behind a blank; "" */
    const char *from_spec; /* of --from; NULL: not asked for */
    ik_fabric *from;
    design_row *rows; /* those that fit first, the cheapest of them first */
    size_t num, num_fits;
} designs;

/* Sets row->reason of one without a member. */
void design_set_reason(const designs *d, design_row *row);
/* design_wish.c: what the command line asks for; an exit status. */
int designs_read_wish(designs *d);
/* The most hosts that a member may have. */
double designs_most_hosts(const designs *d);
/* Refuses failures of racks and trays where there are no floor plans. */
ik_status designs_check_floor(const designs *d, ik_error *err);
/* The spec of a fit with the rate of so many rails together, unless that is the default one. */
void design_put_spec(const designs *d, const ik_fit *fit, uint32_t rails, char *spec, size_t size);
/* cmd_design.c: makes this the member of the row, with its specs. */
void design_take(const designs *d, design_row *row, const ik_fit *fit);
double design_cost_per_host(const design_row *row);
/* The costs of all rails: of the cables of the floor plan, or without one with copper
 * cables for hosts and optical ones elsewhere. */
ik_status design_buy(const designs *d, design_row *row, ik_error *err);
/* design_measure.c: builds, proves and predicts. */
ik_status design_measure(designs *d, design_row *row, ik_error *err);
/* design_times.c: row->times of a member that is built. */
ik_status design_time_workloads(designs *d, const ik_fabric *f, const ik_plan *plan,
                                design_row *row, ik_error *err);
/* design_growth.c: the fabric of --from, if it can grow to the wish; row->growth; a table, and what
 * it means. */
ik_status design_read_from(designs *d, ik_error *err);
ik_status design_grow(designs *d, const ik_fabric *f, design_row *row, ik_error *err);
void design_print_growth(const designs *d);
void design_note_growth(const designs *d);
void design_print_paragraph(const char *text);
/* Whether hosts may lose their cables. */
bool designs_lose_hosts(const designs *d);
/* design_page.c: all of it, or one row that fits, as the library takes it. */
void design_make_member(const design_row *row, ik_design_member *out);
ik_status designs_make(const designs *d, ik_designs *out, ik_error *err);
void designs_free(ik_designs *made);
/* Whether --output names what can be written; an exit status. */
int designs_check_page(const designs *d);
/* The page of --output, into a file that was opened with ik_output_open. */
ik_status designs_write_page(const designs *d, FILE *out, ik_error *err);
/* The numbers of a member: those of the library, with what the table makes of them. */
typedef struct design_number {
    ik_design_number of;
    const char *header; /* of the table's column; NULL: there is none */
    int decimals;       /* in the table; -1: a whole number */
} design_number;
void design_numbers(const designs *d, const design_row *row, design_number out[IK_DESIGN_NUMBERS]);
/* Whether another member has fewer switches (per host). */
bool design_has_fewer(const design_row *row);
/* Of the k-th pattern; NAN: not predicted. */
double design_saturation(const design_row *row, int k);
/* All print to standard output and return the exit status. */
int designs_show_table(const designs *d);
int designs_show_csv(const designs *d);
int designs_show_json(const designs *d);

#endif
