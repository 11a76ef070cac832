/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/declared.h: what figures and claims are read with.
 */
#ifndef IKAT_EXPERIMENT_DECLARED_H
#define IKAT_EXPERIMENT_DECLARED_H

#include "experiment/figures/figures.h"

/* Is the node a list with something in it? */
ik_status declared_list(const ytree *list, const char *section, ik_error *err);
/* The declared values of a mapping, checked; keys that are mappings themselves are left to
 * declared_mapping. Free *params with ik_params_free, after a failure too. */
ik_status declared_read(const ytree *node, const ik_param *rows, const char *owner, ik_arena *arena,
                        ik_params *params, ik_error *err);
/* A mapping of swept values, and that of a key; *out stays empty where the key was not written. */
ik_status declared_matches(const ytree *map, const char *key, ik_arena *arena, matches *out,
                           ik_error *err);
ik_status declared_mapping(const ytree *node, const char *key, ik_arena *arena, matches *out,
                           ik_error *err);
/* claim_table.c: of, num_of and cells of a claim about a table. */
ik_status claim_table_read(const ytree *node, const char *columns, ik_arena *arena, claim *c,
                           ik_error *err);
const ik_value *declared_value(const ik_params *p, const char *name);
/* The text of a value, in the arena; "" if it has none, NULL without memory. */
const char *declared_text(const ik_params *p, const char *name, ik_arena *arena);
/* The same without the line's end that a folded text of YAML has. */
const char *declared_paragraph(const ik_params *p, const char *name, ik_arena *arena);
/* axis_number with a sign, which differences have and quantities do not; of two it is no number. */
double declared_number(const char *text, const char **unit);
/* The names in a value of type TEXTS. */
ik_status declared_names(const ik_value *v, ik_arena *arena, name_list *out, ik_error *err);

#endif
