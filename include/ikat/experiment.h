/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/experiment.h: the experiment file: fabric, routing, VC scheme, switch, traffic, measurement,
 * seeds; sweeps; the result store.
 */
#ifndef IKAT_EXPERIMENT_H
#define IKAT_EXPERIMENT_H

#include "ikat/sim.h"
#include "ikat/verify.h"

IK_BEGIN_DECLS

/* ------------------------------------------------------------------------------------------ the
 * file's schema */

typedef enum ik_section_kind {
    /* a spec "xgft:m=16:16,w=1:10", or a mapping { family: xgft, m: [16, 16], w: [1, 10] }, or a
     * list of them */
    IK_SECTION_FAMILY,
    IK_SECTION_PARAMS, /* a mapping of declared parameters, or a list of such mappings */
    IK_SECTION_VALUE,  /* one declared value, a list or a range of it */
    IK_SECTION_OPTION, /* one declared value for the whole experiment: not swept */
    IK_SECTION_JOBS,   /* a list of mappings, instead of traffic */
    /* a list of mappings with a name and sections of their own, instead of the experiment's */
    IK_SECTION_DESIGNS,
    IK_SECTION_WORDS, /* a list of words for the whole experiment */
    IK_SECTION_LIST,  /* a list of mappings of declared parameters: no part of the sweep */
    IK_SECTION_MAP,   /* one such mapping */
    /* a mapping of names to mappings of sections, which replace the experiment's own */
    IK_SECTION_SCALES,
    IK_SECTION_TEXT /* free text */
} ik_section_kind;

/* One top-level key of an experiment file. But for options and texts, every value in it may be a
 * list or a range ("10%..90% step 10%", "1..5", "512 B..8 KiB times 2"); the product of all of them
 * is run. */
typedef struct ik_experiment_section {
    const char *name;
    ik_section_kind kind;
    const ik_param *params; /* PARAMS: the rows; VALUE, OPTION: the one row; NULL otherwise */
    const char *def;        /* what an absent section means; NULL = required */
    const char *help;       /* one line */
} ik_experiment_section;

/* Section `reference`: what slowdowns of workloads that end are measured by. */
extern const ik_param ik_reference_params[];

/* Section `load` as a mapping: the load is searched for. */
extern const ik_param ik_load_search_params[];

/* Sections `figures` (what is drawn of the results) and `expect` (what they are asked about). */
extern const ik_param ik_figure_params[], ik_claim_params[];

/* Section `reproduction`: what of a paper the experiment reproduces, and what that costs. */
extern const ik_param ik_reproduction_params[];

/* All sections, ending with a name of NULL: reading, messages, help and documentation come from
 * them. */
const ik_experiment_section *ik_experiment_sections(void);

/* ------------------------------------------------------------------------------------------
 * experiments */

typedef struct ik_experiment ik_experiment; /* a parsed, checked, not yet expanded experiment */

/* Reads and checks a YAML experiment, at all of its scales. Every error has file, line and column.
 * `overrides`: "key.path=value" texts (NULL-terminated or NULL), applied as if written in the file;
 * "scale=NAME" chooses a scale of section `scales`, "scale=default" the file as it is written; the
 * others are not checked then. The plug-ins that it names are loaded (ik_plugin_load). */
ik_status ik_experiment_read(const char *path, const char *const *overrides, ik_experiment **out,
                             ik_error *err);
ik_status ik_experiment_read_memory(const char *text, size_t size, const char *file,
                                    const char *const *overrides, ik_experiment **out,
                                    ik_error *err);
void ik_experiment_free(ik_experiment *e);
/* Number of points after sweep expansion: for each design the product of fabrics, routings, … and
 * seeds, where selections multiply only routings that leave a choice. */
uint64_t ik_experiment_num_points(const ik_experiment *e);

/* What the results of a claim are compared with: what a publication says, another computation of
 * ikat (a prediction beside a simulation), or the results of another program. */
typedef enum ik_claim_basis {
    IK_BASIS_PUBLICATION,
    IK_BASIS_TWIN,
    IK_BASIS_PROGRAM,
    IK_NUM_BASES
} ik_claim_basis;
/* "publication", "twin" or "program", as an experiment writes it. */
const char *ik_claim_basis_name(ik_claim_basis basis);
/* A figure that an experiment declares, and the number of claims that belong to it. */
typedef struct ik_experiment_figure {
    const char *name, *title;
    size_t num_claims;
} ik_experiment_figure;

/* A size in which a paper is reproduced. */
typedef struct ik_scale {
    const char *name, *help;
} ik_scale;
/* All of them, the smallest first: "quick" is an experiment's file as it is written. num: may be
 * NULL. */
const ik_scale *ik_scales(size_t *num);
/* A scale that an experiment declares. */
typedef struct ik_experiment_scale {
    const char *name;
    const char *like; /* the scale whose sections it begins with; "" = those of the file */
    const char *why;  /* what it keeps, or why it is like the other; "" = not said */
    bool same;        /* it replaces nothing more: its points are those of `like` */
    double seconds;   /* processor time; 0 = not said */
} ik_experiment_scale;
/* "90 s", "30 min", "2 h", "1.5 d"; false: not such a time. */
bool ik_parse_seconds(const char *text, double *seconds);

/* What an experiment says of itself; "" where it says nothing. Belongs to the experiment. */
typedef struct ik_experiment_about {
    const char *title, *description;
    const char *scale; /* whose points it has; "quick" = the file as it is written, "" = none */
    const ik_experiment_scale *scales; /* [num_scales] that it declares */
    size_t num_scales;
    const ik_experiment_figure *figures; /* [num_figures] */
    size_t num_figures, num_claims;
    /* section reproduction: the paper, what is our choice */
    const char *paper, *settings;
} ik_experiment_about;
const ik_experiment_about *ik_experiment_get_about(const ik_experiment *e);

/* How the unfinished points on one fabric share the processors. */
typedef struct ik_run_share {
    uint64_t points;       /* to be simulated */
    uint64_t fabrics;      /* of the experiment; 0 = it is not known */
    unsigned side;         /* so many at a time … */
    unsigned threads;      /* … each on so many threads, or fewer if it has too little to do */
    unsigned last;         /* of these points, so many are done together at the end … */
    unsigned last_threads; /* … each on so many threads; 0 and 0 if none */
    uint64_t point_bytes;  /* estimate of the memory that the largest needs; 0 = unknown */
    unsigned ranks;        /* so many processes simulate each point together; 0 = this one alone */
    char why[240];
} ik_run_share;
/* "5 points: 2 in parallel on 1 thread each, the last 1 on 2 threads"; of several fabrics "3
 * fabrics one after the other, 5 points of this one: …". Returns buffer. */
char *ik_run_share_text(const ik_run_share *share, char *buffer, size_t size);

/* Which points a run takes; all zero: every one. */
typedef struct ik_run_part {
    /* Shard `shard` of `num_shards`, from 1: the points whose parameters have a hash of shard - 1
     * modulo num_shards. The same points whatever runs where, and files that ik_results_merge()
     * makes one of. 0 of 0: all points. */
    unsigned shard, num_shards;
    /* A file of ik_assignment_write: it says which points are of the shard. NULL = their hash. */
    const char *assignment;
    /* "load=50%", "design=A", NULL-terminated: only points that have one of the values that are
     * named of each swept value; NULL = all. The sweep is the same: the others are missing. */
    const char *const *only;
    /* Seconds after which no point starts; nor does one that would not end in time if it took as
     * long as the longest before it. 0: no end. */
    double budget_s;
    /* Seconds between two checkpoints of a point that is simulated, which a run that is cancelled
     * writes, too: the same run, started again, continues from them to the same results. They are
     * files in the folder STORE.checkpoints, until the point is stored. Points with the pipelined
     * router or watched packets, and ranks, have none: IK_ERR_UNSUPPORTED. A file that is damaged,
     * or of another build of ikat: IK_ERR_INPUT. 0: no checkpoints. */
    double checkpoint_s;
} ik_run_part;

/* Told about a run as it goes; called from the thread that called ik_experiment_run. All may be
 * NULL. */
typedef struct ik_run_observer {
    void *ctx;
    /* "routing fabric 1 of 1 with dmodc" */
    void (*stage)(void *ctx, const char *text);
    void (*point)(void *ctx, uint64_t done, uint64_t total, bool reused); /* after each point */
    /* before the points of a fabric start */
    void (*share)(void *ctx, const ik_run_share *share);
    /* warnings: failed proof that is simulated anyway … */
    void (*note)(void *ctx, ik_severity severity, const char *text);
} ik_run_observer;

/* What ik_experiment_run would refuse on every rank (ikat/ranks.h) alike: IK_ERR_UNSUPPORTED, with
 * the place in the experiment, if a point needs what ranks cannot simulate together; IK_ERR_USAGE
 * if no point has what part->only asks for. part: borrowed, NULL = all points. Cost: its points. */
ik_status ik_experiment_refuse_ranks(ik_experiment *e, const ik_run_part *part, ik_error *err);

/* Fabrics that do not connect all hosts that have a cable are refused before anything is written,
 * unless the experiment says allow_unreachable.
 * Runs every point that `store_path` does not hold yet on num_jobs processors, in parallel or
 * several threads per point as is reported to the observer, one transaction per point.
 * IK_ERR_CANCELLED keeps what is finished. *failed is set if a proof failed or a deadlock was
 * found (exit status 1). Store contents do not depend on num_jobs. part: NULL = every point; of a
 * part, the observer hears of its points alone, and a budget that ends is no failure: the store
 * has fewer points. */
ik_status ik_experiment_run(ik_experiment *e, const char *store_path, unsigned num_jobs,
                            const ik_env *env, const ik_run_part *part,
                            const ik_run_observer *observer, bool *failed, ik_error *err);

/* ---- what a sweep will take */

typedef struct ik_point_cost {
    double seconds; /* of one processor, by the model; NAN = cannot be said, 0 = it is left out */
    uint64_t bytes; /* of a process that runs it alone; 0 = cannot be said */
    bool elsewhere; /* it is not asked for */
    size_t file;    /* the first of the results files that has it, from 1; 0 = it is not finished */
} ik_point_cost;

typedef struct ik_sweep_estimate {
    uint64_t num_points;
    uint64_t finished;  /* of those that are asked for */
    uint64_t to_do;     /* that are asked for and not finished: the others below are of these */
    uint64_t measured;  /* finished points that are known to have taken some time */
    uint64_t unknown;   /* points that are not finished and cannot be estimated */
    uint64_t not_built; /* fabrics that are too large to be built for this: by their size alone */
    uint64_t key;       /* hash of the parameters of all points */
    ik_point_cost *points; /* [num_points] */
    double seconds;        /* of all that can */
    double plan_seconds;   /* that making and proving all plans may take, for whoever needs all */
    uint64_t longest, widest; /* with the most seconds and bytes; UINT64_MAX = none */
} ik_sweep_estimate;

/* Estimates the points of a part (NULL = all; its budget is no matter) that none of these results
 * files has, by what those took that they have: files of this experiment, or of one that has points
 * of it. Fabrics of up to a million ports are built, and
 * plans of up to 16 million table entries in all are made. Free with ik_sweep_estimate_free. */
ik_status ik_experiment_estimate(ik_experiment *e, const ik_run_part *part,
                                 const char *const *results, size_t num, const ik_env *env,
                                 ik_sweep_estimate **out, ik_error *err);
void ik_sweep_estimate_free(ik_sweep_estimate *s);
/* "point 12: dmodk with uniform at load 0.5, seed 1, on karytree:k=4,n=2". Returns buffer. */
char *ik_experiment_point_text(const ik_experiment *e, uint64_t number, char *buffer, size_t size);

/* What one of several tasks has to do: points that are not finished, and asked for. */
typedef struct ik_task_cost {
    uint64_t points;
    double seconds; /* of one processor */
    uint64_t bytes; /* of the point that needs most */
} ik_task_cost;
/* Divides all points among tasks so that they end together: the longest point first, each to the
 * task that has least to do (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM Journal
 * on Applied Mathematics 17(2), 1969: at most 4/3 of the best). Points that are not asked for come
 * last, those that cannot be estimated count as the mean. A finished point stays with the task of
 * its file: task_of_file[ik_point_cost.file - 1], or NULL = any. task_of: [num_points] from 0;
 * tasks: [num]. O(points * log tasks). IK_ERR_MEMORY. */
ik_status ik_sweep_assign(const ik_sweep_estimate *s, unsigned num, const uint32_t *task_of_file,
                          uint32_t *task_of, ik_task_cost *tasks, ik_error *err);
/* What the tasks of an assignment that was made before have to do now. */
void ik_sweep_assigned(const ik_sweep_estimate *s, unsigned num, const uint32_t *task_of,
                       ik_task_cost *tasks);
/* The file that ik_run_part.assignment names. */
ik_status ik_assignment_write(const char *path, const ik_sweep_estimate *s, unsigned num,
                              const uint32_t *task_of, ik_error *err);
/* task_of: [num_points]. IK_ERR_INPUT: it is of another number of tasks, or of other points (key),
 * or damaged. */
ik_status ik_assignment_read(const char *path, uint64_t key, uint64_t num_points, unsigned num,
                             uint32_t *task_of, ik_error *err);

/* What a merge made. */
typedef struct ik_merged {
    uint64_t points, num_points; /* finished, of the whole sweep */
    uint64_t doubles;            /* points that several files had */
} ik_merged;

/* Writes the results file `path` of the points of several files of the same experiment, of any
 * shards. If they have all points, it is byte for byte the file of a run of all. IK_ERR_INPUT, with
 * nothing written: another experiment, version or format; files that contradict each other; `path`
 * exists. Cost: each file is read twice. */
ik_status ik_results_merge(const char *const *paths, size_t num, const char *path, ik_merged *out,
                           ik_error *err);

IK_END_DECLS
#endif
