/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model.h: a result store, read and summed up: what tables, CSV, JSON and the HTML report
 * all show.
 */
#ifndef IKAT_REPORT_MODEL_H
#define IKAT_REPORT_MODEL_H

#include "experiment/figures/metrics.h"
#include "experiment/store_row.h"
#include "report/shape.h"

/* Mean over seeds, and half the width of its 95 % confidence interval (NAN with a single seed). */
typedef struct estimate {
    double mean, ci95;
} estimate;

/* One direction between two levels (groups) of a fabric: "level 1 to level 2". */
typedef struct tier {
    char name[64];
    uint32_t channels;
} tier;

typedef struct slow_link {
    uint32_t channel, opposite;
    const char *text; /* the finding */
    uint64_t rate_bps, common_rate_bps;
    char name[200]; /* "leaf (GUID) port 11 and spine port 11" */
} slow_link;

typedef struct report_fabric {
    int64_t id;
    const char *spec, *digest;
    json_t *summary, *drawing;
    uint32_t num_switches, num_hosts, num_channels;
    uint64_t *rate_bps;     /* [num_channels], 0 = unconnected */
    uint16_t *channel_tier; /* [num_channels] */
    uint32_t *channel_peer;
    uint32_t *channel_link; /* index in the drawing's links */
    uint64_t *host_bps;     /* [num_hosts] summed rate of each host's links */
    tier *tiers;
    size_t num_tiers;
    slow_link *slow;
    size_t num_slow;
    const char *label; /* short and different from the other fabrics' */
    bool sample;       /* only one of the samples of a curve that another fabric stands for */
} report_fabric;

typedef struct report_plan {
    int64_t id;
    size_t fabric; /* index */
    const char *routing, *vc, *selection;
    json_t *proof;
    unsigned vcs;
    bool failed;
    /* routing, with vc / vcs / selection / flow where other plans differ in them, and what is not
     * proved */
    const char *label;
    bool sample; /* as of a fabric */
} report_plan;

typedef struct report_row {
    int64_t id;
    bool simulated;      /* false: it was measured; the load is 0, times too */
    size_t fabric, plan; /* indices */
    /* classes: JSON or "" */
    const char *traffic, *variant, *params, *checksum, *deadlock, *classes;
    ik_steady_verdict steady;
    const char *steady_reason; /* in words; "" where nothing was judged */
    const char *missing;       /* of a workload that did not end; else "" */
    json_t *jobs;              /* what each job took; NULL where there are none */
    json_t *watch;             /* the lives of watched packets; NULL where none are */
    json_t *probes;            /* of a search for its load; NULL where it was none */
    double load;               /* 0: a finite workload */
    uint64_t seed, window_ps, end_ps;
    double value[NUM_METRICS];
} report_row;

/* Utilisation of one tier's channels, seeds averaged. */
typedef struct tier_use {
    double mean, max;
} tier_use;

/* The time series of one point; num = 0 if it has none. */
typedef struct report_series {
    uint64_t period_ps;
    size_t num;
    double *throughput, *latency_ns; /* [num] */
    /* [num][switches] share of the switch's buffers in use at the end of the period */
    double *filled;
    /* [num] with in-order delivery, else NULL: mean bytes of a reorder buffer, packets that came
     * out of order, mean share of time that adapters were throttled */
    double *reorder_bytes, *out_of_order, *throttled;
    double *outstanding; /* [num] with replies, else NULL: mean of a host's requests without one */
} report_series;

/* One load of a curve: its points differ in the seed only. */
typedef struct report_step {
    double load;
    bool searched; /* every seed found a load of its own; load is their mean */
    /* points that have results, and behind them those of infeasible plans, which stand beside
     * simulations; where nothing is simulated both are among the first */
    size_t *rows;
    size_t num_rows, num_infeasible, room;
    estimate value[NUM_METRICS];
    double *use;     /* [num_channels] fraction of its rate that each channel carried */
    tier_use *tiers; /* [num_tiers] */
    /* throughput of the host that received least and most, seeds averaged, fraction of its rate */
    double host_min, host_max;
    report_series series; /* of the first seed, like the JSON texts below; "" = none */
    const char *congestion, *classes, *congestion_series, *workload;
    bool deadlock;
    /* The verdict on its points: of several seeds the worst, with the reason of the first that has
     * it. Points that count (metric_counts); the mean over them of the throughput, NAN where none
     * counts. */
    ik_steady_verdict steady;
    const char *steady_reason;
    size_t num_counted;
    double counted_throughput;
    metric_acceptance accepts; /* what most of its points say of the load */
} report_step;

typedef struct report_curve {
    size_t fabric, plan; /* of its first point: with samples it stands for the others */
    const char *traffic, *variant, *label;
    /* the labels of fabric and plan without what samples differ in */
    const char *fabric_label, *plan_label;
    const char *key;    /* what its points have in common */
    report_step *steps; /* ascending load */
    size_t num_steps, room;
    /* Of points that count alone the largest accepted throughput over the loads, NAN without any.
     * As metric_saturation has it, the lowest load that is not accepted, of a search the highest
     * that is, NAN if there is none: where it is the lowest of all loads, saturation is below it;
     * the highest load that is accepted, 0 = none. */
    double peak_throughput, saturation_load, accepted_load;
    /* loads below this one, which is not accepted, cannot be told: saturation_load is then the
     * highest that is accepted, 0 = none; else NAN */
    double saturation_most;
} report_curve;

/* What a slow link does under one curve. */
typedef struct slow_cost {
    size_t fabric, link, curve;
    /* lowest of the loads that were tried at which it carries at least 95 % of its rate, NAN = none
     */
    double full_load;
    double use,
        /* utilisation at the highest load (or at full_load): its own, and the mean of the tier's
         * sound channels */
        siblings;
    double at_load;
    /* saturation throughput of the same curve on the same fabric without slow links, NAN if not
     * simulated, or no point of it is steady */
    double repaired;
    bool compared; /* that was simulated */
    /* Whether the throughputs are only known to be accepted, as no load beyond saturation was
     * steady: more may be. */
    bool least, repaired_least;
    double loss; /* share of the repaired throughput that the link costs, NAN = cannot be told */
    const char *loss_bound; /* "at least", "at most" that; else "" */
    char text[640];         /* one sentence */
} slow_cost;

typedef struct report_model {
    ik_arena arena;
    store *store;
    struct figure_book *book; /* figures and claims, made when they are first asked for */
    const char *version, *title, *description, *file, *experiment, *overrides;
    const char *scale;     /* chosen, "default", or "" of an experiment without scales */
    uint64_t num_points;   /* of the sweep; rows are those that are finished */
    uint64_t num_left_out; /* that no run can finish: their routing does not fit, for example */
    json_t *left_out;      /* which, and why: points, what, why; NULL = none */
    report_fabric *fabrics;
    report_plan *plans;
    report_row *rows;
    report_curve *curves;
    /* of points without simulation, and what is measured beside one; each with one step, which
     * curves of simulations share */
    report_curve *statics;
    const char **over;      /* [num_over] axes that are samples, besides seeds */
    bool used[NUM_METRICS]; /* some point has a value */
    bool plain;             /* see model_read_plain */
    bool designs;           /* some point is of a design, which its variant begins with */
    bool drawn_plans;       /* seeds have plans of their own, which are one curve */
    slow_cost *costs;
    size_t num_fabrics, num_plans, num_rows, num_curves, num_costs, num_statics, num_over;
} report_model;

/* A job of a step: means over its seeds. */
typedef struct report_job {
    const char *name;
    estimate completion_ns, alone_ns, slowdown; /* NAN where a run was not completed */
    estimate load, throughput, latency_ns;      /* of jobs that never end, else NAN */
} report_job;

/* Reads everything but channel loads of single points; each step holds its mean channel loads. */
ik_status model_read(const char *store_path, report_model **out, ik_error *err);
/* The same for texts, which do not show the drawings of fabrics: without those of sound fabrics on
 * which nothing was simulated, as no channel is named or counted there. */
ik_status model_read_plain(const char *store_path, report_model **out, ik_error *err);
void model_free(report_model *m);

/* ---- parts */
ik_status model_read_fabrics(report_model *m, ik_error *err); /* model_fabric.c */
ik_status model_find_slow_links(report_model *m, report_fabric *f, ik_error *err);
/* "leaf-0 port 3 to spine-1 port 0", in the direction of the channel; "" if there is none. */
void model_name_channel(const report_fabric *f, uint32_t channel, char *text, size_t size);
ik_status model_make_curves(report_model *m, ik_error *err); /* model_curves.c */
ik_status model_find_costs(report_model *m, ik_error *err);  /* model_costs.c */
/* m->book, empty at first; and away with it and all that was made of it. */
ik_status figures_new(report_model *m, ik_error *err);
void figures_free(report_model *m);
/* figure/book.c: whether what the store says of figures and claims can be read: every form of a
 * report refuses a damaged one alike. */
ik_status figures_check_stored(const report_model *m, ik_error *err);
/* model_arrays.c: what channels and hosts of a step carried, and the details of its first point. */
ik_status model_read_arrays(report_model *m, const report_curve *c, report_step *s, ik_error *err);
/* A list of a point (result_lists), in the arena; num 0: it has none. */
ik_status model_read_list(const report_model *m, size_t row, const char *name, ik_arena *arena,
                          value_list *out, ik_error *err);
/* The series of a row of the model, in the arena; num = 0 if it has none. */
ik_status model_read_series(const report_model *m, size_t row, ik_arena *arena, report_series *out,
                            ik_error *err);
/* Reads a row of the store that is called `what` and has this id. */
store_row model_row(report_model *m, sqlite3_stmt *statement, const char *what, int64_t id,
                    ik_error *err);
/* A column's JSON text ("" is none, if that is allowed) is parsed, and its shape checked. *out: the
 * value, to be json_decref'ed, or NULL; out NULL: it is not kept. */
void model_json(store_row *r, int column, const char *text, bool or_none, const shape *s,
                json_t **out);
/* A host's name, as its fabric gives it; "?" where there is none. */
const char *model_host_name(const report_fabric *f, uint64_t host);
/* What became of a point's workload, in column `column` of the row: its text; "" of endless
 * traffic. */
const char *model_workload(const report_fabric *f, store_row *r, int column);
/* Whether the seed of a point drew what lasts for its whole run, so that a longer one would not
 * show what other seeds give: the pattern, the tables, or the phases of periodic sources. */
bool model_run_draws(const report_model *m, const report_row *r);
/* Parses a text that model_json accepted; *out NULL: there is none. */
ik_status model_stored(const char *text, json_t **out, ik_error *err);
/* model_keys.c: what a point has in common with the others of its curve: its parameters without the
 * load, the seeds and the axes that are samples; in the arena, NULL without memory. */
const char *model_row_key(report_model *m, const report_row *r);
/* A spec ("lrt:N=64,seed=3") without the parameters of this section that are samples. */
const char *model_without_samples(report_model *m, const char *section, const char *spec);
/* Whether point rows[i] of these [num] is no sample of its own: it says of an exact metric what the
 * one before it says already (the same machine, with another seed that changes nothing of it), or
 * another seed gave the same run before, bit for bit. */
bool model_is_repeat(const report_model *m, const size_t *rows, size_t num, size_t i,
                     metric_id metric);
/* Values of a metric in a step, ascending, without those that have none; free with free(). */
ik_status model_samples(const report_model *m, const report_step *s, metric_id metric,
                        double **values, size_t *num, ik_error *err);
/* Of n values in ascending order: the standard deviation (NAN with fewer than two), and a quantile,
 * between two values interpolated (as ik_box_of). */
double model_deviation(const double *values, size_t n);
double model_quantile(const double *values, size_t n, double share);
/* From the mean of n values and the sum of their squared distances from it. */
estimate model_estimate(double mean, double squares, size_t n);
/* "3769 ± 120": the interval with two digits, the mean with as many places. An interval that is
 * smaller than the rounding of the mean is 0; one that is unknown (NAN) is left out. Returns
 * text. */
const char *model_estimate_text(estimate e, char *text, size_t size);
/* The jobs of a step, in order, in the arena; *num 0: there are none. */
ik_status model_jobs(report_model *m, const report_step *s, report_job **out, size_t *num,
                     ik_error *err);
/* Points of a step whose plan is feasible, and all of them. */
size_t model_count_feasible(const report_model *m, const report_step *s, size_t *all);
/* Whether it is known what a point that was searched found: files of earlier builds have loads of
 * runs that were too short to tell. */
bool model_search_told(const report_row *r);
/* Whether this result of a step would be the same in a longer run, with every seed. */
bool model_lasts(const report_step *s, metric_id id);
/* "30 %", "> 70 %", "below 10 %", "10 to 30 %", "at most 30 %", "-": at which load a curve
 * saturates; returns text. */
const char *model_saturation_text(const report_curve *c, char *text, size_t size);
/* Room for one more in an array that grows in the arena; NULL when out of memory. */
void *model_grow(report_model *m, void *items, size_t num, size_t item_bytes);

#endif
