/* SPDX-License-Identifier: Apache-2.0
 *
 * layers.h: what the layering VC schemes share: the routing's paths as lists of links, and how
 * spare VCs are handed out.
 *
 * Hosts that a routing cannot tell apart are merged into classes: destinations by switch where the
 * routing says so, sources by switch where routes depend on the destination alone.
 */
#ifndef IKAT_VC_LAYERS_H
#define IKAT_VC_LAYERS_H

#include "routing/graph/linkdag.h"
#include "vc/lanes.h"

#include <assert.h>

typedef struct layer_class {
    uint32_t host;  /* a member */
    uint32_t sw;    /* its switch */
    uint32_t hosts; /* members */
} layer_class;

typedef struct layer_paths {
    const ik_routing *r;
    links g;
    layer_class *source, *dest; /* [num_sources], [num_dests] */
    uint32_t num_sources, num_dests;
    uint32_t *source_of, *dest_of; /* [hosts] class, IK_NONE for hosts without a switch */
    /* [dest][switch] link, IK_NONE at the end: destination-based routings; else NULL */
    uint32_t *next;
    uint32_t max_length; /* most links of a path */
    uint32_t room; /* entries that layer_path() may write: a path, and the ports of a switch */
} layer_paths;

/* symmetric: number sources and destinations alike, so that (d, s) is the way back of (s, d).
 * IK_ERR_UNSUPPORTED for routings that give a pair several paths, with what would do as hint. */
ik_status layer_paths_build(const ik_vc *v, bool symmetric, const ik_env *env, layer_paths *out,
                            ik_error *err);
void layer_paths_free(layer_paths *p);
/* Links of the path between two classes into out[room]; their number, 0 if none is crossed or the
 * pair is unconnected. */
uint32_t layer_path(const layer_paths *p, uint32_t source, uint32_t dest, uint32_t *out);
/* Host pairs between two classes. */
static inline uint64_t layer_weight(const layer_paths *p, uint32_t source, uint32_t dest)
{
    assert(source < p->num_sources && dest < p->num_dests);
    return (uint64_t)p->source[source].hosts * p->dest[dest].hosts;
}

/* Pairs of classes as one number, source * num_dests + dest. */
typedef enum layer_order { LAYER_LEX, LAYER_DST, LAYER_SHORT, LAYER_LONG } layer_order;
#define LAYER_ORDERS "lex|dst|short|long"
#define LAYER_ORDER_HELP                                                                           \
    "order in which pairs are assigned: by source, by destination, or shortest or longest paths "  \
    "first"
/* The numbers of all pairs in that order: [num_sources * num_dests], free with free(). */
ik_status layer_pairs(const layer_paths *p, layer_order order, const ik_env *env, uint32_t **out,
                      ik_error *err);

/* What is layered as one: each pair by itself, or all pairs between two groups, both directions. */
typedef enum layer_unit_kind {
    LAYER_UNIT_PAIR,
    LAYER_UNIT_CLASSES, /* both directions of two classes, which are numbered alike */
    LAYER_UNIT_SWITCHES /* both directions of all classes of two switches */
} layer_unit_kind;
typedef struct layer_units {
    uint32_t num;
    uint32_t *first; /* [num + 1] where a unit's pairs begin; NULL: unit u is pair u alone */
    uint32_t *pairs; /* [pairs] the pairs of unit after unit; NULL likewise */
    uint32_t most;   /* most pairs of a unit */
} layer_units;
ik_status layer_units_make(const layer_paths *p, layer_unit_kind kind, const ik_env *env,
                           layer_units *out, ik_error *err);
void layer_units_free(layer_units *units);
static inline uint32_t layer_unit_size(const layer_units *units, uint32_t unit)
{
    assert(unit < units->num);
    return units->first ? units->first[unit + 1] - units->first[unit] : 1;
}
static inline uint32_t layer_unit_pair(const layer_units *units, uint32_t unit, uint32_t i)
{
    assert(i < layer_unit_size(units, unit));
    return units->first ? units->pairs[units->first[unit] + i] : unit;
}

/* Layers become runs of VCs: layer l owns VCs base[l] … base[l + 1] - 1. */
typedef struct layer_vcs {
    unsigned num_layers;
    unsigned base[IK_MAX_VCS + 1];
    double share[IK_MAX_VCS]; /* of the switch-to-switch hops of uniform traffic, per layer */
} layer_vcs;
/* Settles v->num_vcs and gives spare VCs to the layers with most hops per VC. load: [num_layers]
 * hops. */
ik_status layer_vcs_settle(ik_vc *v, unsigned num_layers, const uint64_t *load, layer_vcs *out,
                           ik_error *err);

/* Share of those hops on one VC: a layer's VCs carry equal parts. */
double layer_vcs_share(const layer_vcs *vcs, unsigned vc);

/* A scheme with one lane a pair of classes: lash, dfsssp. */
typedef struct layer_lanes {
    uint32_t *source_of, *dest_of;
    uint32_t num_dests;
    uint8_t *lane; /* [source][dest] */
    layer_vcs vcs;
} layer_lanes;
/* Makes v->impl from the layer of every pair (taken over, also on failure); spare VCs split the
 * heaviest layers, units undivided. */
ik_status layer_lanes_make(ik_vc *v, layer_paths *p, const layer_units *units, uint8_t *layer,
                           unsigned num_layers, ik_error *err);
void layer_lanes_destroy(ik_vc *v);
void layer_lanes_inject(const ik_vc *v, ik_packet *pk);
double layer_lanes_share(const ik_vc *v, unsigned vc);

#endif
