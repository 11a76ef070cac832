/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/design.h: networks of several families for one wish, with what they do and cost: computed
 * (ik_designs_find), as JSON, and as a page that compares them. docs/designing.md says how.
 *
 * Pointers within the structures belong to the one who made them: of what ik_designs_find made, to
 * it. A caller may fill them itself for ik_designs_json and ik_designs_print_page.
 */
#ifndef IKAT_DESIGN_H
#define IKAT_DESIGN_H

#include "ikat/failures.h"
#include "ikat/floor_plan.h"
#include "ikat/growth.h"
#include "ikat/json.h"
#include "ikat/prices.h"
#include "ikat/topology.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* How long a workload takes, with its bytes divided evenly over all rails. NAN: not known. */
typedef struct ik_design_time {
    double least_ns;     /* ik_phases.least_ns: a bound from below */
    double phases_ns;    /* bytes of phase after phase, and a way's latency in each */
    double simulated_ns; /* until the last byte is delivered */
} ik_design_time;

/* Several random draws of one loss. Of draws that are refused, saturation and lanes are not known.
 */
typedef struct ik_design_failure {
    double failed;                     /* cables between switches: mean */
    double lost_hosts;                 /* hosts that have lost all their cables: mean */
    double connected, least_connected; /* shares of the pairs of other hosts: mean, least */
    double mean_hops;
    double saturation, least_saturation; /* of uniform traffic: mean, least; NAN: not known */
    unsigned lanes;                      /* VCs, the most of any draw */
    unsigned fell_back, refused;         /* draws that the fallback, or nothing, routes */
    bool proved;                         /* of every draw that is not refused */
} ik_design_failure;

/* The member of one series that fulfils the wish. */
typedef struct ik_design_member {
    const char *family, *series; /* "xgft", "2-level fat tree" */
    const char *spec;            /* of the network of one rail */
    const char *whole_spec;      /* of the fabric of all rails; NULL: one rail, or there is none */
    const ik_fit *fit;
    /* of a member of the series that fulfils the wish too, for one rail; 0: not known, it is what
     * the member was chosen for, or that one cannot be built or does not fit on the floor. Of a
     * range of hosts: the fewest per host, and for how many hosts they are */
    double fewest_switches, fewest_switches_hosts;
    const ik_cost *cost; /* of all rails */
    bool built;          /* else nothing that follows is known */
    const char *vc;      /* spec of the VC scheme */
    unsigned num_vcs;
    bool proved;                          /* every pair of hosts, without loops and deadlocks */
    uint32_t diameter;                    /* between switches with hosts */
    double mean_hops, bisection_per_host; /* NAN: not known */
    const double *saturation;             /* [num_patterns], predicted; < 0: not */
    const ik_design_time *times;          /* [num_workloads] */
    const ik_design_failure *failures;    /* [num_losses] */
    const char *reroute, *fallback;       /* routings of the damaged networks */
    /* of all rails, which then says in `cost` which cables are copper; NULL: there is none */
    const ik_floor_plan *floor;
    const ik_growth *growth; /* of one rail, from ik_designs.from; NULL: not known */
} ik_design_member;

/* A series without a member that fulfils the wish. */
typedef struct ik_design_misfit {
    const char *family, *series;
    const char *reason;   /* a sentence without its end */
    const char *nearest;  /* spec of the member with the most hosts; NULL: there is none */
    double most_hosts;    /* of that member; 0 without one */
    uint32_t least_radix; /* ports of a switch that the wished hosts need; 0: not known */
} ik_design_misfit;

typedef struct ik_designs {
    ik_wish wish;
    const char *goal;  /* what the members were chosen for: "cost" or "switches" */
    uint64_t rate_bps; /* of a port */
    uint32_t rails;    /* equal networks that share nothing but the hosts; at least 1 */
    const ik_prices *prices;
    const char *prices_file;     /* NULL: the built-in list alone */
    const char *const *command;  /* [num_words] what gives all this, for a person to read */
    size_t num_words;            /* 0: not known */
    const char *const *patterns; /* [num_patterns] specs of traffic */
    size_t num_patterns;
    const char *const *workloads; /* [num_workloads] specs of traffic that ends */
    size_t num_workloads;
    const ik_loss *losses; /* [num_losses] what fails */
    size_t num_losses;
    unsigned draws;       /* of each loss */
    const char *from;     /* spec of a fabric that stands already; NULL: there is none */
    bool has_floors;      /* members that are built have floor plans */
    const char *no_floor; /* why not, in parentheses behind a blank; NULL, "": not known */
    const ik_design_member *members; /* [num_members] in the order in which they are shown */
    size_t num_members;
    const ik_design_misfit *misfits; /* [num_misfits] */
    size_t num_misfits;
} ik_designs;

/* Most of each that may be asked for; and the hosts beyond which networks are not built: then only
 * sizes and costs are known. */
enum {
    IK_DESIGN_PATTERNS = 32, /* uniform and worst included */
    IK_DESIGN_WORKLOADS = 16,
    IK_DESIGN_LOSSES = 32,
    IK_DESIGN_RAILS = 64,
    IK_DESIGN_MOST_BUILT = 300000
};

/* What is asked for, as the options of `ikat design` say it. NULL, 0, false: what holds without the
 * option. All is borrowed for the call. */
typedef struct ik_design_config {
    const char *hosts; /* "400", or a range: "900..1100" */
    uint32_t radix;    /* most ports of a switch */
    uint32_t rails;
    const char *oversubscription, *choose, *rate, *prices, *floor, *from;
    const char *const *families; /* [num_families] names of families or series; none: all */
    size_t num_families;
    const char *const *patterns; /* [num_patterns] of traffic, beside uniform and worst */
    size_t num_patterns;
    const char *const *workloads; /* [num_workloads] */
    size_t num_workloads;
    const char *const *losses; /* [num_losses] as ik_loss_read takes them */
    size_t num_losses;
    bool bisection, simulate;
    /* a member that needs more than env's memory limit is not built, and a note says so; else that
     * is IK_ERR_MEMORY */
    bool leaves_out_large;
    const char *const *command; /* [num_words] for ik_designs.command */
    size_t num_words;
    void (*stage)(void *ctx, const char *text); /* what is computed now; NULL: not called */
    /* what the user should know; NULL: not called */
    void (*note)(void *ctx, ik_severity severity, const char *text);
    void *ctx;
} ik_design_config;
/* The member of each family, built, proved and measured; families without one are misfits. *out is
 * to be freed. Messages name what is asked for as the options do (--hosts). IK_ERR_USAGE, errors of
 * the files that are named, IK_ERR_CANCELLED, IK_ERR_MEMORY. Cost: that of building, proving and
 * loading a network of each family; with `simulate` some minutes per workload and network. */
ik_status ik_designs_find(const ik_design_config *config, const ik_env *env, ik_designs **out,
                          ik_error *err);
/* Of what ik_designs_find made; NULL is allowed. */
void ik_designs_free(ik_designs *d);
/* IK_ERR_USAGE where no family fits; the message names the one that comes nearest. */
ik_status ik_designs_fit(const ik_designs *d, ik_error *err);
/* Whether every routing was proved, on the networks that were built and on the damaged ones. */
bool ik_designs_are_proved(const ik_designs *d);
/* The most hosts that a member may have. */
double ik_designs_most_hosts(const ik_wish *wish);

/* Whether another member of the series has fewer switches (per host). */
bool ik_design_has_fewer(const ik_design_member *m);

/* A number of a member. */
typedef struct ik_design_number {
    const char *name; /* in CSV and JSON, static */
    bool whole;       /* without a fraction */
    double value;     /* NAN: not known */
} ik_design_number;
enum { IK_DESIGN_NUMBERS = 20 };

/* The numbers that all members have, in an order that is always the same: costs, sizes, distances.
 * Sizes, costs and watts are of all rails, the others of one. */
void ik_design_numbers(const ik_designs *d, const ik_design_member *m,
                       ik_design_number out[IK_DESIGN_NUMBERS]);
/* "switches_added" and so on, all whole: of so many equal networks that all grow alike. */
enum { IK_GROWTH_NUMBERS = 8 };
void ik_growth_numbers(const ik_growth *g, uint32_t rails, ik_design_number out[IK_GROWTH_NUMBERS]);
/* Writes the members of what `ikat design --json` prints, behind its version, into the object that
 * is open; real numbers with 12 digits. Errors are kept in j. */
void ik_designs_json(const ik_designs *d, ik_json *j);
/* A page of HTML with all of it that loads nothing from elsewhere: which designs no other beats,
 * the trade-off of cost and performance, tables, a comparison of chosen designs, and where each
 * figure comes from. Texts are escaped. IK_ERR_INPUT: d->prices lack a part of this rate;
 * IK_ERR_MEMORY. */
ik_status ik_designs_print_page(const ik_designs *d, FILE *out, ik_error *err);

IK_END_DECLS
#endif
