/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/patterns.h: parameters that list traffic patterns (IK_PARAM_PATTERNS): reading them
 * from YAML, and taking the patterns themselves as members of their family, with canonical texts
 * and files.
 */
#ifndef IKAT_EXPERIMENT_PATTERNS_H
#define IKAT_EXPERIMENT_PATTERNS_H

#include "experiment/experiment_impl.h"
#include "experiment/yaml/sweep.h"

/* Values of `node` for parameter `p`: a text, or a list of mappings with the keys pattern, share
 * and name (and texts among them), which is one value for every combination of what its members
 * sweep over; a list of texts, or of such lists, is several. */
ik_status patterns_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                          ik_error *err);

/* The patterns that a variant's parameter lists. */
typedef struct patterns {
    size_t param; /* index of the parameter; SIZE_MAX: the variant has none with a value */
    const ik_spec_member *list;
    size_t num;
    variants found; /* [num] each pattern as a variant of its own */
} patterns;
ik_status patterns_read(ik_experiment *e, const variant *v, patterns *out, ik_error *err);
typedef enum { PATTERNS_LABEL, PATTERNS_FULL, PATTERNS_SPEC } patterns_text;
/* Sets the parameter to one of the texts of its patterns (see variant). */
ik_status patterns_write(ik_experiment *e, variant *v, const patterns *p, patterns_text which,
                         const char *owner, ik_error *err);
void patterns_free(patterns *p);

/* A path that an experiment says: in its folder or, where nothing is there, in the current
 * one. NULL: no memory. */
const char *experiment_resolve_path(ik_experiment *e, const char *path);
bool experiment_is_file(const char *path);
/* Sets the paths of a variant, its patterns among them (p, may be without any), to where
 * their files are, and notes these (variant.files). Files are read from their resolved paths; the
 * label keeps each path as written, so that results do not depend on where the folder stands. */
ik_status experiment_resolve_files(ik_experiment *e, variant *v, const patterns *p,
                                   const char *owner, ik_error *err);

#endif
