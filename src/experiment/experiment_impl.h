/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/experiment_impl.h: what a checked experiment holds: for each section the variants that
 * its sweep stands for, and the list of its plans, each with the points that run on it.
 */
#ifndef IKAT_EXPERIMENT_IMPL_H
#define IKAT_EXPERIMENT_IMPL_H

#include "base/yaml/ytree.h"
#include "experiment/figures/check.h"
#include "experiment/figures/scales.h"
#include "experiment/schema.h"

enum { DIGEST_CHARS = 17 };

/* One variant of one section. */
typedef struct variant {
    const char *name;  /* member of the family; section name otherwise */
    const char *label; /* shortest canonical text: what differs from the defaults */
    const char *full;  /* with every default: what provenance stores and resuming compares */
    const char *bare;  /* `full` without the name that a pattern was given (labels.c) */
    const char *spec;  /* the label with paths as they are opened */
    ik_params params;
    const char **files; /* [num_files] that it reads, as they are opened */
    size_t num_files;
    bool is_auto; /* vc and selection: left to the routing */
    /* of the bytes of the files that it reads, found when it is run; "" if it reads none */
    char digest[DIGEST_CHARS];
    const ytree *place;
    /* of a parameter that lists traffic, what its value was made of, with places (members.h); NULL
     * = nothing of the kind was written */
    const ytree *parts;
} variant;

typedef struct variants {
    variant *items;
    size_t num, room;
} variants;

/* One of `designs`, or the only one of an experiment without them. */
typedef struct sweep_design {
    const char *name; /* "" without designs */
    /* sections of its own; num 0: the experiment's */
    variants own[NUM_SECTIONS];
    const ytree *place; /* NULL without designs */
} sweep_design;

/* One point of the sweep: a design, and an index into its variants of every section. */
typedef struct point {
    size_t design;
    size_t index[NUM_SECTIONS];
} point;
/* Index into section selection of a plan whose routing leaves no choice: automatic, whatever the
 * section says. */
#define NO_SELECTION SIZE_MAX

/* What points have in common up to section selection; also the seed, if the plan is drawn. */
typedef struct plan_block {
    point at;            /* its first point */
    bool per_seed;       /* every seed draws another one: all points have the seed of `at` */
    uint64_t first, num; /* its points: numbers first … first + num - 1 of the sweep */
} plan_block;

struct ik_experiment {
    ik_arena arena;
    const char *file;      /* as given */
    const char *folder;    /* of the file, "" = current: where relative paths start */
    const char *text;      /* the file's own text */
    const char *overrides; /* "--set" texts, one per line, "" if none */
    bool with_plugins;     /* those that it names are loaded */
    const char *title, *description;
    figures_declared drawn;            /* sections that say what is made of the results */
    const ik_experiment_scale *scales; /* [num_scales] */
    size_t num_scales;
    const char *scale; /* the chosen one, SCALE_DEFAULT, or "" of an experiment without scales */
    ik_experiment_about about;
    variants sections[NUM_SECTIONS]; /* empty where designs have their own */
    sweep_design *designs;           /* [num_designs], at least one once it is read */
    size_t num_designs;
    plan_block *plans; /* [num_plans] ascending; plans on one fabric of one design stand together */
    size_t num_plans;
    ik_params options[NUM_OPTIONS]; /* one value each */
    unsigned measures;              /* 1 << measure_id */
    const char *measured;           /* their names, "proof,mean_hops" */
    /* what asks for each: a word of `measures`, the metric of a figure or claim; NULL = nobody */
    const ytree *measure_place[NUM_MEASURES];
    const char **over; /* [num_over] axes that are samples, besides seeds */
    size_t num_over;
    uint64_t num_points;
};

static inline bool experiment_measures(const ik_experiment *e, measure_id id)
{
    return e->measures >> id & 1;
}
/* Whether permutations are measured of as many random ones as `patterns` says, not of all. */
bool experiment_draws_permutations(const ik_experiment *e);
/* Whether anything that is measured depends on `patterns`. */
bool experiment_counts_patterns(const ik_experiment *e);
/* Whether anything that is measured looks at the traffic. */
bool experiment_measures_traffic(const ik_experiment *e);
/* Whether a traffic is another one with another seed; whether a routing is. */
bool traffic_draws(const variant *traffic);
bool routing_draws(const variant *routing);
/* Whether points differ in this section, or could: those that are measured have less of them. */
bool experiment_uses(const ik_experiment *e, section_id id);

/* The variants of a section that points of a design have. */
static inline const variants *experiment_list(const ik_experiment *e, size_t design, section_id id)
{
    const variants *own = &e->designs[design].own[id];
    return own->num ? own : &e->sections[id];
}
/* points.c. O(log plans). */
point experiment_point(const ik_experiment *e, uint64_t number);
const variant *experiment_variant(const ik_experiment *e, const point *p, section_id id);
/* Makes the list of plans and counts the points. Refuses more than SWEEP_LIMIT. */
ik_status points_list(ik_experiment *e, ik_error *err);
/* Whether the plan is made for the traffic of its points, a workload: its routing is made for a
 * pattern and names none. The experiment then has one traffic (preflight()). */
bool plan_takes_traffic(const ik_experiment *e, const point *p);
/* Whether each of several seeds has a plan of its own. */
bool plan_is_per_seed(const ik_experiment *e, const point *p);
/* Writes down the points (e: an experiment) for figures: every section by its full text, and the
 * design. */
ik_status points_axes(const void *e, struct axes *a, ik_error *err);
/* The next variants of a section that no design before uses: *design and *id start at 0 and -1.
 * NULL at the end. */
variants *experiment_next_list(ik_experiment *e, size_t *design, int *id);

/* Whether a selection function has nothing to select with this routing. */
bool routing_leaves_no_choice(const variant *routing);

/* experiment.c: as ik_experiment_read_memory; with_plugins false: the plug-ins that it names are
 * not loaded, since a results file must not decide what code runs. Members that are not there for
 * other reasons are then unknown (IK_ERR_INPUT). */
ik_status experiment_read_as(const char *text, size_t size, const char *file,
                             const char *const *overrides, bool with_plugins, ik_experiment **out,
                             ik_error *err);

/* scales.c: reads section `scales` and replaces the sections of the one that is chosen; NULL = none
 * is. Sets e->scales and e->scale. */
ik_status scale_apply(ik_experiment *e, ytree *root, const char *scale, ik_error *err);
/* Every claim that waits for a scale is judged at one that the experiment has. */
ik_status scales_check_claims(ik_experiment *e, ik_error *err);
/* about.c: loads the plug-ins of section plugins (NULL = absent). */
ik_status plugins_load(ik_experiment *e, const ytree *node, ik_error *err);
/* Last: what the experiment says of itself. */
ik_status about_read(ik_experiment *e, const ytree *root, ik_error *err);

/* measures.c: reads section measures of an experiment whose options are read, and what figures and
 * claims are about; refuses what would have no effect beside it. The second after all sections are
 * read. */
ik_status measures_read(ik_experiment *e, const ytree *root, ik_error *err);
ik_status measures_check(const ik_experiment *e, ik_error *err);
/* over.c: reads section over, after the points are listed. */
ik_status over_read(ik_experiment *e, const ytree *node, ik_error *err);

/* designs.c: reads section designs (NULL = absent) and refuses top-level keys of `root` that a
 * design gives. */
ik_status designs_read(ik_experiment *e, const ytree *root, const ytree *node, ik_error *err);
/* Whether designs give the section, and the experiment does not. */
bool designs_give(const ik_experiment *e, section_id id);

static inline const ik_value *experiment_option(const ik_experiment *e, option_id id)
{
    return &e->options[id].values[0];
}
/* false: points are measured alone. */
static inline bool experiment_simulates(const ik_experiment *e)
{
    return experiment_option(e, OPTION_SIMULATE)->u != 0;
}
/* The precision of a search for the load; NULL: the variant of section load is a load. */
const ik_value *load_search(const variant *load);
/* Its load; of a search the highest that may be tried. */
double load_most(const variant *load);
/* 0 with a finite workload: it has none. That of a search: load_most(). */
double experiment_load(const ik_experiment *e, const point *p);
uint64_t experiment_seed(const ik_experiment *e, const point *p);

/* places.c: puts a place into an error that has none: that of the first of its settings that was
 * written in one of these sections' variants, or else of the first section that was written. */
void place_in_sections(const ik_experiment *e, const point *p, const section_id *sections,
                       size_t num, ik_error *err);
/* The same for one variant of a section. */
void place_in_variant(const variant *v, section_id id, ik_error *err);
/* The place where a variant, or a part of it, names this file. Returns the words that may stand
 * there instead of a file, "linear|random"; NULL = none. */
const char *place_file(const variant *v, const char *path, ik_error *err);

/* effects.c: refuses what was written and has no effect beside another section. After num_points is
 * known. */
ik_status effects_check(const ik_experiment *e, ik_error *err);

/* labels.c: the name of a pattern of section traffic, NULL if it was given none; refuses one that
 * cannot stand in texts of key=value or that another variant of the list has; the parameters of
 * the spec that the pattern is made of, in the variant's arena. */
const char *label_of_variant(const variant *v);
ik_status label_check(const variants *list, const variant *v, ik_error *err);
const char *label_print_without(variant *v, bool all);

/* labels.c: refuses a section with the same value twice, or the same pattern with two labels. */
ik_status twins_refuse(section_id id, const variants *list, ik_error *err);

/* sections.c: adds what the node of a family's section, or of a pattern in a list, stands for to
 * the list. After a failure the list holds what was added before. */
ik_status section_read_family(ik_experiment *e, section_id id, variants *list, const ytree *node,
                              ik_error *err);
/* Reads the node of one section (NULL = absent) into an empty list of variants. `at`: where an
 * absent section is missed, NULL = the experiment. */
ik_status section_read(ik_experiment *e, section_id id, variants *list, const ytree *node,
                       const ytree *at, ik_error *err);

#endif
