/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/experiment_impl.h: what a checked experiment holds: for each section the variants that
 * its sweep stands for.
 */
#ifndef IKAT_EXPERIMENT_IMPL_H
#define IKAT_EXPERIMENT_IMPL_H

#include "experiment/schema.h"
#include "experiment/yaml/ytree.h"

/* One variant of one section. */
typedef struct variant {
    const char *name;  /* member of the family; section name otherwise */
    const char *label; /* shortest canonical text: what differs from the defaults */
    const char *full;  /* with every default: what provenance stores and resuming compares */
    const char *spec;  /* the label with paths as they are opened */
    ik_params params;
    const char **files; /* [num_files] that it reads, as they are opened */
    size_t num_files;
    bool is_auto; /* vc and selection: left to the routing */
    const ytree *place;
} variant;

typedef struct variants {
    variant *items;
    size_t num, room;
} variants;

struct ik_experiment {
    ik_arena arena;
    const char *file;      /* as given */
    const char *folder;    /* of the file, "" = current: where relative paths start */
    const char *text;      /* the file's own text */
    const char *overrides; /* "--set" texts, one per line, "" if none */
    const char *title, *description;
    variants sections[NUM_SECTIONS];
    ik_params options[NUM_OPTIONS]; /* one value each */
    uint64_t num_points;
};

/* One point of the sweep: an index into the variants of every section. */
typedef struct point {
    size_t index[NUM_SECTIONS];
} point;

point experiment_point(const ik_experiment *e, uint64_t number);
static inline const variant *experiment_variant(const ik_experiment *e, const point *p,
                                                section_id id)
{
    return &e->sections[id].items[p->index[id]];
}
static inline const ik_value *experiment_option(const ik_experiment *e, option_id id)
{
    return &e->options[id].values[0];
}
/* 0 with a workload that ends: it has none. */
double experiment_load(const ik_experiment *e, const point *p);
uint64_t experiment_seed(const ik_experiment *e, const point *p);

/* places.c: puts a place into an error that has none: that of the first of its settings that was
 * written in one of these sections' variants, or else of the first section that was written. */
void place_in_sections(const ik_experiment *e, const point *p, const section_id *sections,
                       size_t num, ik_error *err);
/* The same for one variant of a section. */
void place_in_variant(const variant *v, section_id id, ik_error *err);

/* effects.c: refuses what was written and has no effect beside another section. After num_points is
 * known. */
ik_status effects_check(const ik_experiment *e, ik_error *err);

/* sections.c: adds what the node of a family's section, or of a pattern in a list, stands for to
 * the list. After a failure the list holds what was added before. */
ik_status section_read_family(ik_experiment *e, section_id id, variants *list, const ytree *node,
                              ik_error *err);
/* Reads the node of one section (NULL = absent) into its variants. */
ik_status section_read(ik_experiment *e, section_id id, const ytree *node, ik_error *err);

#endif
