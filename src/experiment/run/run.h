/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/run.h: what the parts of a run share.
 */
#ifndef IKAT_EXPERIMENT_RUN_H
#define IKAT_EXPERIMENT_RUN_H

#include "base/output/temporary.h"
#include "experiment/experiment_impl.h"
#include "experiment/store.h"
#include "ikat/json.h"
#include "topology/topology.h"

#include <time.h>

/* One run of an experiment. */
typedef struct runner {
    ik_experiment *e;
    store *store;
    const ik_env *env;
    const ik_run_observer *observer;
    unsigned num_jobs;
    const ik_run_part *part;
    double begun;           /* s of CLOCK_MONOTONIC; what the part's budget counts from */
    bool spent;             /* the budget: points were not begun */
    bool *finished;         /* [num_points] the store has it */
    bool *elsewhere;        /* [num_points] another shard's, or not asked for; NULL = none */
    uint64_t mine;          /* points that are not elsewhere */
    uint64_t done, skipped; /* of them */
    ik_json left_out;       /* list of what was skipped, and why */
    /* points with a verdict whether they last; those that are not steady; the first of these */
    uint64_t with_verdict, unsteady, first_number;
    char first_unsteady[640];
    /* points that accept far less than their routing can carry; the first of these (hints.c) */
    uint64_t low, first_low_number;
    char first_low[640];
    char *checkpoints;             /* the folder of them (checkpoints.h); NULL = there are none */
    bool made_checkpoints;         /* the folder was not there */
    uint64_t with_checkpoint;      /* points of which a cancelled run leaves one */
    bool failed;                   /* a proof failed, a deadlock, or a workload that did not end */
    struct references *references; /* what workloads take on an ideal crossbar */
    struct traffics *traffics;     /* workloads that several look at */
    floors *floors;                /* that several fabrics stand on; NULL = each has its own */
    struct bounds *bounds;         /* of loads */
    /* [num_plans] fabrics that were examined, at the first plan on each; whoever opens one takes
     * it */
    ik_fabric **built;
    /* [num_plans] plans on fabrics that are in `built`, which were tried; whoever opens one takes
     * it */
    ik_plan **tried;
    uint64_t tried_entries; /* of all their tables, about */
    struct judged *judged;  /* misfits.c */
    bool *misfit;           /* [num_points] the simulator refuses it: it is left out */
    bool *drawn;            /* [num_plans] the first fabric of its kind: its drawing is kept */
    /* among ranks: the folder of this one's own results file; no name = it is rank 0's */
    temporary replica;
    unsigned usable_plans; /* or made elsewhere */
    ik_error unusable;     /* why the last unusable plan was none */
} runner;

/* What a proof of freedom from deadlock is judged for: any flow control (plans without an escape
 * layer), or that of the points. */
typedef enum plan_flow { FLOW_ANY, FLOW_CUT_THROUGH, FLOW_SETTLED, NUM_FLOWS } plan_flow;

/* A plan of one fabric: routing, VC scheme, number of VCs, selection function. */
typedef struct plan_slot {
    size_t number;               /* of the plan */
    point at;                    /* its sections */
    ik_plan *plan;               /* NULL = nothing to run with it, or unusable */
    int64_t id[NUM_FLOWS];       /* its rows in the store, 0 = none; see plan_id() */
    bool proved_free[NUM_FLOWS]; /* of deadlock, over all pairs; see plan_is_proved_free() */
    bool elsewhere;              /* none of its points is this run's: it is not made */
    bool unusable;
    bool infeasible;     /* unusable for lack of a limit that another value keeps (t_max, vcs) */
    const ik_error *why; /* it is, in the experiment's arena */
    uint64_t first, num; /* its points: numbers first … first+num-1 of the sweep */
} plan_slot;

/* ---- run.c */

/* Is point `number` this run's to simulate? */
static inline bool run_is_to_do(const runner *r, uint64_t number)
{
    return !r->finished[number] && !r->misfit[number] && !(r->elsewhere && r->elsewhere[number]);
}
/* Is any of points first … first + num - 1 this run's, finished or not? */
static inline bool run_has_any(const runner *r, uint64_t first, uint64_t num)
{
    for (uint64_t i = first; i < first + num; i++)
        if (!r->elsewhere || !r->elsewhere[i])
            return true;
    return false;
}
/* Whether a point that takes so many seconds would end after the budget. */
bool budget_is_spent(const runner *r, double seconds);

/* Number of plans, from this one on, on the same fabric of the same design. */
size_t plans_on_fabric(const ik_experiment *e, size_t first);
/* Counts and keeps the points of a plan that cannot be run, with r->unusable. */
void note_left_out(runner *r, const plan_slot *slot);
/* The same of points first … first + num - 1 with this routing. */
void note_points_left_out(runner *r, uint64_t first, uint64_t num, const point *at,
                          const char *why);
void note_left_out_as(runner *r, uint64_t first, uint64_t num, const char *what, const char *why);

/* ---- sync.c: the store learns of the experiment, and says what is finished */

/* Before everything else here: what the files hold that the experiment names. */
ik_status sync_digests(runner *r, ik_error *err);
/* Hashes of the parameters of all points together, and of each: [num_points], or NULL. */
ik_status sync_hash_sweep(const runner *r, uint64_t *key, uint64_t *hashes, ik_error *err);
/* r->elsewhere and r->mine, as r->part says; before the store is opened, after sync_digests(). */
ik_status sync_find_elsewhere(runner *r, ik_error *err);
ik_status sync_store(runner *r, ik_error *err);
/* At the end of a run: the store learns which points were left out (text: a JSON list). */
ik_status sync_left_out(runner *r, const char *text, ik_error *err);
/* The complete parameters of a point as canonical JSON; free with free(). */
ik_status point_params(const runner *r, const point *p, char **json, ik_error *err);
/* The same for a fabric with its plan. */
ik_status plan_key(const runner *r, const point *p, char **json, ik_error *err);
/* The seed that fabrics, which all points share, are drawn with: the first. */
uint64_t setup_seed(const ik_experiment *e);
/* The seed that the plan of a point is drawn with: the point's own if each seed has a plan. */
uint64_t plan_seed(const ik_experiment *e, const point *p);
/* Short text of the design and of the settings of switch, adapter and measurement that the sweep
 * varies; free with free(). */
ik_status point_variant(const ik_experiment *e, const point *p, char **text, ik_error *err);

/* ---- costs.c: what points took */

typedef struct cost_meter {
    clockid_t clock;
    unsigned share; /* points that the clock is of */
    double begun;
} cost_meter;
/* Of a point that `threads` work on, beside side - 1 others of its kind. */
void cost_begin(cost_meter *m, unsigned threads, unsigned side);
/* Seconds of processors; in the thread that called cost_begin(). */
double cost_end(const cost_meter *m);
/* Keeps what a stored point took; within a transaction. Among ranks, nothing. */
ik_status cost_keep(const runner *r, uint64_t number, double seconds, ik_error *err);
ik_status cost_forget(store *s, ik_error *err);

/* ---- replica.c: among ranks, which all do the same, rank 0 has the results file, and each other
 * one a copy of what it holds at the start */

/* Without ranks, IK_OK. Refuses what they cannot do, and ranks with other points than rank 0. */
ik_status replica_check(const runner *r, ik_error *err);
/* As store_create. */
ik_status replica_open(runner *r, const char *path, ik_error *err);
void replica_remove(temporary *folder); /* nothing without one */

/* ---- traffics.c: workloads that are made once */

ik_status traffics_new(struct traffics **out, ik_error *err);
void traffics_free(struct traffics *s); /* nobody uses any */
/* The traffic of a point on f with env's seed, perhaps another one's as well: nobody changes it.
 * Give it back with traffics_give_back (which takes NULL). Threads may call both. */
ik_status traffics_take(struct traffics *s, const ik_fabric *f, const variant *v, const ik_env *env,
                        ik_traffic **out, ik_error *err);
void traffics_give_back(struct traffics *s, ik_traffic *t);
/* Away with those on f, which nobody uses: before it goes. */
void traffics_forget(struct traffics *s, const ik_fabric *f);

/* ---- bounds.c: what is known of loads before they are simulated */

ik_status bounds_new(struct bounds **out, ik_error *err);
void bounds_free(struct bounds *b); /* nobody looks for any; takes NULL */
/* The bound of the point's load, with its plan and traffic. Threads may call it. Cost: once for all
 * loads, that of ik_sim_bound_measure(), as long as no more than 256 seeds of a pattern that is
 * drawn lie between them; else a look through the latest. */
ik_status bounds_find(struct bounds *b, const ik_experiment *e, const ik_plan *plan,
                      const ik_traffic *traffic, const point *p, const ik_env *env,
                      ik_sim_bound *out, ik_error *err);

/* ---- preflight.c: what is refused before anything is written */

ik_status preflight(runner *r, ik_error *err);
void preflight_free(runner *r);
/* Takes a plan that was tried; NULL = it was not, or is not kept. */
ik_plan *tried_take(runner *r, size_t plan);
/* Away with those of plans first … first + num - 1 that nobody took: before their fabric goes. */
void tried_free(runner *r, size_t first, size_t num);

/* ---- misfits.c: routings that do not fit a fabric at all */

/* The first: whether a limit (t_max, vcs) is what refused a plan: another fabric may keep it. */
/* Refuses a routing of plans first … first + num - 1, on fabric f, that works with none of its
 * settings there, unless the experiment skips misfits or what is missing is a limit that other
 * fabrics of the sweep may keep. */
bool misfit_is_limit(const ik_error *why);
ik_status misfits_check(runner *r, const ik_fabric *f, size_t first, size_t num, ik_error *err);
/* The same once all plans of the sweep's only fabric were made. */
ik_status misfits_refuse(const runner *r, const ik_fabric *f, const plan_slot *slots, size_t num,
                         ik_error *err);
void misfits_free(runner *r);
/* Looks at all points of these plans on f that are to be run: one that the simulator refuses is
 * left out, with a note, if the experiment skips misfits; else it is the error. */
ik_status misfits_points(runner *r, const ik_fabric *f, const plan_slot *slots, size_t num,
                         ik_error *err);
/* The same of all fabrics that are kept, before the first point, where a misfit is an error. */
ik_status misfits_ahead(runner *r, ik_error *err);

/* ---- plans.c: builds what points run on */

ik_env setup_env(const runner *r);
/* The same with the seed of a point's plan. */
ik_env plan_env(const runner *r, const point *p);
/* Frees a fabric and what is kept for it; f may be NULL. */
void fabric_drop(const runner *r, ik_fabric *f);
/* The row of a point of this flow. */
int64_t plan_id(const plan_slot *slot, plan_flow flow);
/* Whether a deadlock in a simulation of such a flow contradicts the plan's proof. */
bool plan_is_proved_free(const plan_slot *slot, plan_flow flow);

/* Makes the plan of a point on its fabric. */
ik_status plan_make_for(const runner *r, const ik_fabric *f, const point *p, ik_plan **plan,
                        ik_error *err);
ik_status plan_open(runner *r, const ik_fabric *f, int64_t fabric, plan_slot *slot, ik_error *err);
/* Says which plans on a fabric are left out: values of a sweep whose routing works with others are
 * a note, a routing that does not work at all is an error. */
void plans_tell_left_out(runner *r, const plan_slot *slots, size_t num);
/* left_out.c, at the end of a run: adds to r->left_out what the store says of points that are
 * another run's. */
ik_status left_out_keep(runner *r, ik_error *err);
/* Finds out which fabrics are drawn, whichever of them this run takes: r->drawn. */
ik_status plans_find_drawn(runner *r, ik_error *err);
/* Builds the fabric of a variant of section fabric. */
ik_status fabric_build(const runner *r, const variant *v, ik_fabric **f, ik_error *err);
/* That of plan number `first`. */
ik_status fabric_open(runner *r, size_t first, ik_fabric **f, int64_t *id, ik_error *err);
/* The row of a fabric that is made, that of plan number `first`; its drawing is left out if it is a
 * sample of one that has one. */
ik_status fabric_keep(runner *r, size_t first, const ik_fabric *f, int64_t *id, ik_error *err);

/* ---- proofs.c: proves plans and stores the proofs */

/* Of the points with this variant of section switch. */
plan_flow flow_of_switch(const variant *sw);
/* Fills slot->id with the rows that hold the proofs that the experiment asks for. *known: those of
 * all these flows (bits) are there; *failed: one of them failed. */
ik_status plan_look_up(const runner *r, const char *key, unsigned flows, plan_slot *slot,
                       bool *known, bool *failed, ik_error *err);
/* Proves slot->plan for a flow and keeps that in slot->id[flow]'s row. */
ik_status plan_prove(runner *r, const ik_fabric *f, int64_t fabric, const char *key, plan_flow flow,
                     plan_slot *slot, ik_error *err);

/* Keeps a proof (NULL = none is asked for) of slot->plan (NULL = it could not be made) so. */
ik_status plan_keep_proof(runner *r, const ik_fabric *f, int64_t fabric, const char *key,
                          plan_flow flow, const ik_proof *proof, plan_slot *slot, ik_error *err);
void plan_tell_proof(const runner *r, const plan_slot *slot, plan_flow flow, const ik_proof *proof);

/* only.c: adds the points that are not asked for to r->elsewhere, which is there. */
ik_status only_find(runner *r, ik_error *err);

/* "full", "sampled 10000", "off": what the experiment asks for. */
void proof_asked_text(const ik_experiment *e, char *text, size_t size);

/* ---- beside.c: what is measured of points that are simulated */

/* Keeps the points of a plan that is infeasible. */
ik_status beside_keep_infeasible(runner *r, const ik_fabric *f, int64_t fabric, plan_slot *slot,
                                 ik_error *err);
/* Measures what the store lacks of the points of these plans on a fabric; all of them are stored,
 * but those of plans that do not fit. */
ik_status beside_run(runner *r, const ik_fabric *f, const plan_slot *slots, size_t num,
                     ik_error *err);
/* ---- machines.c: points that are measured, many machines at a time */

ik_status machines_run(runner *r, ik_error *err);

/* ---- pool.c: runs the unfinished points of some plans */

/* At the end of a run: how many of its points are not steady, and why the first is not. */
void pool_tell_unsteady(const runner *r);
/* What a point is simulated with. */
ik_sim_config point_config(const ik_experiment *e, const point *p);
/* Where a refusal of the simulator comes from: settings that it names; else the fabric, whose links
 * it cannot take, or sizes of the adapter or the switch that do not fit together. */
void point_place(const ik_experiment *e, const point *p, ik_status status, ik_error *err);
ik_status pool_run(runner *r, const ik_fabric *f, int64_t fabric, const plan_slot *slots,
                   size_t num_slots, ik_error *err);

/* ---- hints.c: points that accept far less than their routing can carry */

enum { HINT_CHARS = 320 };
/* How much of their rates the channels between switches carried, on average and at most; NAN:
 * there are none. */
void hint_use_links(const ik_fabric *f, const ik_sim_result *r, double *mean, double *most);
/* If the run accepts less than half of what the routing can carry of the traffic: how much both
 * are, and what to try, or how full the busiest link is; else "". Costs ik_load_measure if it
 * accepts less than half of what is offered. */
void hint_find(const runner *r, const point *p, const ik_fabric *f, const ik_plan *plan,
               const ik_traffic *traffic, const ik_sim_result *result, const ik_env *env,
               char text[HINT_CHARS]);
/* Counts a point with a hint, and keeps what is to be said of the first. */
void hint_note(runner *r, const point *p, uint64_t number, const char *hint);
/* At the end of a run: how many they are, and what to try. */
void hints_tell(const runner *r);

/* ---- reference.c: what slowdowns are measured by */

ik_status references_new(struct references **out, ik_error *err);
void references_free(struct references *r);
/* Simulates that of point p, or waits for another thread that does, or remembers it. workload,
 * config and env: those of the point. *out stays valid until references_free. Thread-safe. */
ik_status reference_find(struct references *r, const ik_traffic *workload, const ik_experiment *e,
                         const point *p, const ik_sim_config *config, const ik_env *env,
                         const reference **out, ik_error *err);

/* The same for one job of a point (traffic: its spec) alone on the point's own fabric, with its
 * plan and switch. */
ik_status reference_alone(struct references *r, const ik_plan *plan, const char *traffic,
                          const ik_experiment *e, const point *p, const ik_sim_config *config,
                          const ik_env *env, const reference **out, ik_error *err);

/* ---- jobs_measure.c */

/* What the jobs of a point took, as a JSON text (NULL = it has none), and the runs of each alone;
 * both to be free()d. */
ik_status jobs_measure(runner *r, const plan_slot *slot, const ik_traffic *traffic, const point *p,
                       const ik_sim_config *config, const ik_env *env, const ik_sim_result *result,
                       char **text, const reference ***alone, size_t *num, ik_error *err);

/* ---- telling the observer */
void tell_stage(const runner *r, const char *format, ...) IK_PRINTF(2, 3);
void tell_note(const runner *r, ik_severity severity, const char *format, ...) IK_PRINTF(3, 4);
void tell_point(const runner *r, bool reused);

#endif
