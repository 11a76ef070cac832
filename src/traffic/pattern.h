/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.h: what traffic patterns share: fixed maps, weighted destination lists, draws of "any
 * other host".
 */
#ifndef IK_PATTERN_H
#define IK_PATTERN_H

#include "ikat/traffic.h"

/* Draws that one message may need; the draws of message n stand at counters n * PATTERN_DRAWS … */
#define PATTERN_DRAWS       4
#define PATTERN_DRAW_MEMBER 3 /* of a mix; its members never use this one */

/* The pattern's own `seed` parameter if it was given, else the experiment's. */
uint64_t pattern_seed(const ik_traffic *t, const ik_params *params);

/* ---- a map: every host has at most one destination; impl is uint32_t [num_hosts], IK_NONE or the
 * host itself = silent */
ik_status pattern_map_new(ik_traffic *t, uint32_t **to, ik_error *err);
/* The map of a function of the host's number and one constant. */
typedef uint32_t (*pattern_map_fn)(const ik_traffic *t, uint32_t src, unsigned constant);
ik_status pattern_map_make(ik_traffic *t, pattern_map_fn fn, unsigned constant, ik_error *err);
/* The same for patterns on the bits of an address: the constant is their number (see
 * pattern_bits). */
ik_status pattern_map_bits(ik_traffic *t, pattern_map_fn fn, ik_error *err);
uint32_t pattern_map_dest(const ik_traffic *t, uint32_t src, uint64_t n);
void pattern_map_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx);

/* ---- lists: every host has a list of destinations with integer weights. Equal weights are served
 * in turn (message n goes to entry n modulo the list's length), unequal ones are drawn. */
typedef struct pattern_lists {
    size_t *base; /* [num_hosts + 1] */
    /* ascending within a host's list; repeated entries allowed before pattern_lists_finish merges
     * them */
    uint32_t *dst;
    uint64_t *weight; /* of an entry */
    uint64_t *upto;   /* running sum of weights within the host's list */
    bool *equal;      /* [num_hosts] all weights equal */
} pattern_lists;
/* Builds the lists from `count` triples (any order; equal pairs are merged, their weights added;
 * src == dst is dropped) and makes them t->impl. The triples are reordered. */
typedef ik_traffic_flow pattern_flow;
ik_status pattern_lists_new(ik_traffic *t, pattern_flow *flows, size_t count, ik_error *err);
uint32_t pattern_lists_dest(const ik_traffic *t, uint32_t src, uint64_t n);
/* ik_traffic_family.round of the pattern's family, 0 without one. */
uint64_t pattern_round(const ik_traffic *t, uint32_t src);
uint64_t pattern_lists_round(const ik_traffic *t, uint32_t src);
void pattern_lists_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx);
void pattern_lists_destroy(ik_traffic *t);

/* ---- lists of patterns: the names of their classes. A pattern without one has that of its family,
 * with a number if there is another one. owner: "traffic 'mix'". IK_ERR_USAGE: a name twice, or
 * with more characters than fit. */
enum { PATTERN_NAME_CHARS = 40, PATTERN_NAME_ROOM = PATTERN_NAME_CHARS + 8 };
typedef char pattern_name[PATTERN_NAME_ROOM];
ik_status pattern_name_members(const char *owner, const ik_spec_member *list, unsigned num,
                               pattern_name *names, ik_error *err);
/* The notes of all patterns as the note of t. */
ik_status pattern_join_notes(ik_traffic *t, ik_traffic *const *members, unsigned num,
                             ik_error *err);

/* impl is one free()-able block. */
void pattern_free_impl(ik_traffic *t);

/* ---- draws and numbers */
/* A host other than src, uniformly; IK_NONE if there is none. `draw` < PATTERN_DRAWS. */
uint32_t pattern_other(const ik_traffic *t, uint32_t src, uint64_t n, unsigned draw);
/* The fraction with the smallest denominator (at most 10^6) nearest to value in [0, 1]: 0.1 ->
 * 1/10. */
void pattern_rational(double value, uint64_t *num, uint64_t *den);
/* Reads the grid of `dims`: given, or the most even factorisation of num_hosts into `wanted`
 * factors. IK_ERR_USAGE if the given grid does not fit the hosts. dims has room for
 * PATTERN_MAX_DIMS. */
#define PATTERN_MAX_DIMS 8
ik_status pattern_grid(const ik_traffic *t, const ik_params *params, unsigned wanted,
                       uint32_t *dims, unsigned *num_dims, ik_error *err);
/* log2(num_hosts) if it is a power of two, else IK_ERR_UNSUPPORTED. */
ik_status pattern_bits(const ik_traffic *t, unsigned *bits, ik_error *err);

#endif
