/* SPDX-License-Identifier: Apache-2.0
 *
 * Which family a fabric belongs to.
 */
#ifndef IKAT_CAB_FAMILY_H
#define IKAT_CAB_FAMILY_H

#include "topology/cabling/cab_match.h"

enum { CAB_SPEC = 256 };

/* What a fabric was recognised as. */
typedef struct cab_family {
    char spec[CAB_SPEC]; /* "" = nothing */
    ik_fabric *plan;     /* as generated */
    cab_graph planned;
    cab_match match;
    uint8_t *kind;  /* [switches of the fabric] the levels that the family says, NULL: as counted */
    bool levels;    /* a tree, and all cables join adjacent levels */
    uint64_t work;  /* of all comparisons, those with other families included */
    bool by_chance; /* fabrics cabled at random with as many cables are about as near to a family */
} cab_family;

/* Specifications that a fabric with this graph may have, most likely first. */
typedef struct cab_specs {
    char (*spec)[CAB_SPEC];
    size_t num, cap;
} cab_specs;

/* Adds one, built from a format, if it is not there; false = out of memory. */
bool cab_specs_add(cab_specs *s, const char *format, ...) IK_PRINTF(2, 3);
/* Fat trees; g->kind holds the levels. */
ik_status cab_trees(const ik_fabric *f, const cab_graph *g, uint32_t levels, cab_specs *out,
                    ik_error *err);
/* Families of switches that all have hosts, of which so many are in no dump. */
ik_status cab_grids(const cab_graph *g, uint32_t down, cab_specs *out, ik_error *err);
/* The commonest of num values, the larger of two equally common; sorts them. 0 if there are none.
 */
uint32_t cab_commonest(uint32_t *values, size_t num);

/* Recognises the fabric of the graph g (whose kinds are set here): the specification with fewest
 * differences, if at most a tenth of the cables is in the wrong place and a quarter missing. Free
 * with cab_family_free. */
ik_status cab_family_find(const ik_fabric *f, cab_graph *g, const ik_env *env, cab_family *out,
                          ik_error *err);
/* The graph of a plan, its kinds set to go with those of a fabric's graph. */
ik_status cab_plan_graph(const ik_fabric *plan, bool levels, cab_graph *out, ik_error *err);
void cab_family_free(cab_family *family);

#endif
