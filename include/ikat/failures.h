/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/failures.h: what the failure of any single cable or switch would do to a fabric and its
 * routing.
 */
#ifndef IKAT_FAILURES_H
#define IKAT_FAILURES_H

#include "ikat/fabric.h"
#include "ikat/floor_plan.h"

IK_BEGIN_DECLS

typedef enum ik_failure_kind {
    IK_FAILURE_CABLE, /* between two switches */
    IK_FAILURE_SWITCH,
    IK_FAILURE_HOST_CABLE, /* of a host that has several */
    IK_FAILURE_KINDS
} ik_failure_kind;

/* What the routing does on the fabric without the part that failed, from the best to the worst. */
typedef enum ik_reroute {
    IK_REROUTE_UNKNOWN,  /* not judged */
    IK_REROUTE_PROVED,   /* all connected pairs are delivered without deadlocks */
    IK_REROUTE_LANES,    /* it needs more virtual lanes than the fabric has now */
    IK_REROUTE_REFUSED,  /* it does not route the damaged fabric */
    IK_REROUTE_DEADLOCK, /* with any number of lanes */
    IK_REROUTE_LOST,     /* connected pairs are not delivered */
    IK_REROUTES
} ik_reroute;

/* One failure. `like` is an index of ik_failures.all. */
typedef struct ik_failure {
    ik_failure_kind kind;
    uint32_t port; /* of cables: the lower one of the two; IK_NONE of switches */
    uint32_t sw;   /* of switches; IK_NONE of cables */
    uint32_t like; /* the first failure of its group; itself if it is that */
    /* hosts that then hang no more on the part of the fabric with most hosts, and how many of them
     * are cabled to nothing but the failed switch or cable */
    uint32_t hosts_cut, hosts_own;
    /* pairs of hosts whose packets pass there now (expected number where pairs have several
     * ways); NAN without a routing */
    double pairs_lost;
    /* after the reroute */
    ik_reroute reroute;
    unsigned lanes;       /* virtual lanes that it takes; 0 = not known */
    uint64_t undelivered; /* connected pairs */
    double max_load;      /* between switches, in units of a host's rate; NAN = not known */
    double saturation;    /* NAN = not known */
    char *why;            /* of IK_REROUTE_REFUSED and _LANES: what it said; else NULL */
} ik_failure;

/* Failures that neither the graph (colour refinement of hosts and switches with the rates of links
 * and the numbers of paths over every channel) nor what is known of each of them tells apart. That
 * is necessary for a symmetry of the fabric, not sufficient: only what was judged is certain. */
typedef struct ik_failure_group {
    ik_failure_kind kind;
    uint32_t first; /* of its members in ik_failures.all */
    uint32_t members, judged;
    bool agree;     /* all that were judged have the same result */
    uint32_t worst; /* of those that were judged, else `first` */
} ik_failure_group;

typedef struct ik_failures {
    ik_failure *all; /* [num] cables, switches, cables of hosts, each ascending */
    uint32_t num;
    ik_failure_group *groups; /* [num_groups] the worst first */
    uint32_t num_groups;
    /* members by kind: all, hosts are cut off that are not hosts_own, and by the reroute: their
     * own, or of their group's worst where they were not judged */
    uint32_t count[IK_FAILURE_KINDS], cutting[IK_FAILURE_KINDS];
    uint32_t rerouted[IK_FAILURE_KINDS][IK_REROUTES];
    /* of the fabric as it is; NAN and 0 without a routing */
    double max_load, saturation, worst_max_load;
    unsigned lanes;
    char *routing, *vc;    /* specs; NULL = no reroute was asked for */
    bool partial;          /* some were not judged: they stand for others of their group */
    uint32_t num_disagree; /* groups whose judged members differ */
} ik_failures;

typedef struct ik_failures_config {
    /* specs of the routing that reroutes and its VC scheme (NULL: the default); NULL: no reroute */
    const char *routing, *vc;
    /* file with the installed tables: what is lost until a reroute. NULL: the routing's own */
    const char *tables;
    unsigned num_vcs; /* that there are; 0 = as many as the routing takes on the whole fabric */
    bool all;         /* judge every failure, not some of each group */
} ik_failures_config;

/* Judges every single failure. Hosts that are cut off and pairs that are lost are exact for each;
 * reroutes are judged for four members of each group, and for up to 16 where these differ. All
 * hosts send evenly to all others. Errors: those of routings and loads on the whole fabric;
 * IK_ERR_MEMORY, IK_ERR_CANCELLED. Cost: O(ports) for each bridge and articulation point, and one
 * routing, proof (ik_verify) and load (ik_load_measure) for each failure that is judged. Free with
 * ik_failures_free. */
ik_status ik_failures_measure(const ik_fabric *f, const ik_failures_config *config,
                              const ik_env *env, ik_failures *out, ik_error *err);
void ik_failures_free(ik_failures *x);
/* Is this failure, or what stands for it, to be mended: are other hosts than hosts_own cut off, or
 * does the routing not deal with it? */
bool ik_failure_breaks(const ik_failure *x);
const char *ik_failure_kind_name(ik_failure_kind kind); /* "cable", "switch", "host cable" */
const char *ik_reroute_name(ik_reroute reroute);        /* "proved", "refused", … */
/* "leaf3 port 11 to spine1 port 4", with GUIDs; the switch's name. Returns text. */
char *ik_failure_describe(const ik_fabric *f, const ik_failure *x, char *text, size_t size);

/* ---- random failures of many cables, switches, racks or trays at once */

typedef enum ik_loss_kind {
    IK_LOSS_CABLES,   /* between switches */
    IK_LOSS_SWITCHES, /* each with all its cables */
    IK_LOSS_RACKS,    /* of a floor plan: with their switches, and the cables of their hosts */
    IK_LOSS_TRAYS,    /* of a floor plan that have cables: with all of these */
    IK_NUM_LOSS_KINDS
} ik_loss_kind;
/* How much of a fabric fails at once. */
typedef struct ik_loss {
    ik_loss_kind kind;
    bool counted;  /* amount is a whole number, of racks or trays; else a share */
    double amount; /* of a share: 0 to 1 */
} ik_loss;
/* "cables", "switches", "racks", "trays" */
const char *ik_loss_kind_name(ik_loss_kind kind);
/* Reads "2%" and "cables=2%", "switches=2%", "racks=1", "racks=5%", "trays=1"; IK_ERR_USAGE says
 * what was expected. */
ik_status ik_loss_read(const char *text, ik_loss *out, ik_error *err);
/* "2 %" of cables, "2 % of switches", "1 rack", "3 trays". Returns text (48 bytes do). */
char *ik_loss_text(const ik_loss *loss, char *text, size_t size);

typedef struct ik_resilience_config {
    const ik_loss *losses; /* [num_losses] */
    size_t num_losses;
    unsigned seeds; /* draws per loss, at least 1: with env->seed, env->seed + 1, … */
    /* specs of the one that reroutes, with its default VC scheme, and of one for fabrics that it
     * refuses, or on which it is not proved; NULL = there is none */
    const char *routing, *fallback;
    const ik_floor_plan *floor; /* of this fabric; NULL: no racks and no trays fail */
} ik_resilience_config;

/* One loss with one seed. round(share * parts) parts fail, drawn as `fail=`, `fail_switches=`,
 * `fail_racks=` and `fail_trays=` of a fabric do: of one seed, those of a smaller share are among
 * those of a larger one. */
typedef struct ik_resilience_point {
    ik_loss loss;
    uint64_t seed;
    uint32_t failed;     /* cables between switches */
    uint32_t lost_hosts; /* that have lost all their cables */
    /* share of the ordered pairs of different hosts that have not lost all their cables; where
     * there is none, 0 if hosts are lost, else 1 */
    double connected;
    /* on the shortest ways between switches, over the connected pairs; NAN where there are none */
    double mean_hops;
    /* all connected pairs are delivered, without loops and without deadlocks */
    bool proved;
    bool fell_back; /* what follows is of `fallback`, which is proved where `routing` is not */
    bool refused;   /* no routing routes this fabric: nothing below is known */
    unsigned lanes; /* VCs that its scheme needs */
    /* predicted for uniform traffic, of which pairs that are not connected send nothing; an even
     * division if the routing is adaptive; NAN = not known */
    double saturation;
} ik_resilience_point;

/* What random failures do: points[num_losses * seeds], by loss, then by seed. Points are computed
 * in parallel; the results do not depend on the number of threads. Errors: IK_ERR_USAGE (a share
 * that is none, more racks or trays than there are, no floor plan for them, no seed), those of
 * routings on such fabrics that are no refusals (IK_ERR_MEMORY, …), IK_ERR_CANCELLED; points is
 * then unspecified. Cost of each point: a copy of the fabric, and ik_distances_measure, a routing,
 * ik_verify and ik_load_measure on it. */
ik_status ik_resilience_measure(const ik_fabric *f, const ik_resilience_config *config,
                                const ik_env *env, ik_resilience_point *points, ik_error *err);

IK_END_DECLS
#endif
