/* SPDX-License-Identifier: Apache-2.0
 *
 * base/yaml/ytree.h: a YAML document as a tree whose every node knows its place in the file.
 */
#ifndef IKAT_BASE_YTREE_H
#define IKAT_BASE_YTREE_H

#include "ikat/base.h"

typedef enum ytree_kind { YTREE_SCALAR, YTREE_LIST, YTREE_MAP } ytree_kind;

typedef struct ytree {
    ytree_kind kind;
    const char *file; /* for messages */
    unsigned line, column;
    const char *text; /* scalar */
    bool plain;       /* scalar without quotes */
    /* false while its end was not read yet: an alias to it would be a cycle */
    bool complete;
    struct ytree **keys;  /* map: [num] scalars */
    struct ytree **items; /* list and map: [num] */
    size_t num, room;
    uint64_t weight; /* nodes below and with it, aliases counted each time they stand there */
} ytree;

/* Parses one document. Aliases share the node of their anchor; "<<" merges mappings. Refused with
 * line and column: syntax errors, tabs as indentation, more than one document, duplicate keys, keys
 * that are not plain text, aliases inside their own anchor, nesting or expansion beyond limits,
 * more than 1024 keys of a mapping or anchors. An empty document gives an empty mapping. The tree
 * lives in `arena`. */
ik_status ytree_parse(const char *text, size_t size, const char *file, ik_arena *arena, ytree **out,
                      ik_error *err);
/* Value of a key of a mapping, NULL if it is not there. */
ytree *ytree_get(const ytree *map, const char *key);
/* Sets or replaces; `value`'s place is the key's. */
ik_status ytree_set(ytree *map, const char *key, ytree *value, ik_arena *arena, ik_error *err);
ytree *ytree_new(ytree_kind kind, const char *file, unsigned line, unsigned column,
                 ik_arena *arena);
/* ik_fail_at with the node's place. */
ik_status ytree_fail(const ytree *node, ik_error *err, const char *format, ...) IK_PRINTF(3, 4);
/* "a list", "a mapping", "text". */
const char *ytree_kind_name(ytree_kind kind);

#endif
