/* SPDX-License-Identifier: Apache-2.0
 *
 * indirect.h: what Valiant's and UGAL's routing share: the eligible intermediate switches of a
 * pair, and minimal next hops towards the intermediate and then the destination.
 *
 * Route state: pk->via bits 0-19 the intermediate switch (INDIRECT_NONE = go minimally), bits 20-31
 * the local port that the first switch must take, plus one (0 = any); pk->phase 0 on the way to the
 * intermediate, 1 after it.
 *
 * Hierarchical halves (hierarchy.h) have phases of their own: 0 on the way to the intermediate's
 * group, `after` on the way from it, one more in the destination's group, whether there was an
 * intermediate or not. If packets may move inside the intermediate's group (it is not the switch by
 * which they enter) that is phase 1, and `after` is 2. Within a phase no local hop follows a global
 * one.
 */
#ifndef IKAT_ROUTING_INDIRECT_H
#define IKAT_ROUTING_INDIRECT_H

#include "routing/direct/minpaths.h"

#include <assert.h>

#define INDIRECT_NONE     0xFFFFFU
#define INDIRECT_MAX_PORT 0xFFEU

typedef enum indirect_choice {
    INDIRECT_AUTO,
    INDIRECT_HOSTS,
    INDIRECT_ALL,
    INDIRECT_GROUP
} indirect_choice;
#define INDIRECT_CHOICES "auto|hosts|all|group"
/* clang-format off */
#define INDIRECT_HELP \
    "eligible intermediate switches: those with hosts, all, or the nearest ones of every other " \
    "group (auto: group on dragonflies, hosts elsewhere)"
/* The parameters that both routings have, and the fabrics of their conformance tests. */
#define INDIRECT_PARAMS \
    {"intermediate", IK_PARAM_ENUM, "auto", 0, 0, INDIRECT_CHOICES, INDIRECT_HELP}, \
    {"paths", IK_PARAM_ENUM, "all", 0, 0, "all|one", \
     "in each half, every minimal path, or one path drawn by seed"}, \
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL, "seed of the draw (paths=one)", "paths=one", NULL}, \
    HIERARCHY_PARAM
/* clang-format on */
extern const char *const indirect_examples[];

typedef struct indirect {
    minpaths m;
    bool one;   /* a single minimal path a half, drawn by seed */
    bool split; /* phases by group */
    /* not all switches may have paths to each other: intermediates are looked for one by one, as
     * one component */
    bool sparse;
    uint8_t after; /* phase in which packets leave the intermediate */
    uint64_t seed;
    /* eligible switches by component; or, by group, those of every source switch */
    uint32_t *list;
    uint32_t *list_at;             /* [S + 1] group mode: range in list of a source switch */
    uint32_t *component, *comp_at; /* [S], [components + 1] range in list of a component */
    uint32_t *position;            /* [S] position of a switch in list, IK_NONE */
    uint32_t *group;               /* [S] group mode: group of a switch */
    /* [components][mask_words] otherwise: the eligible switches of a component as a set */
    uint64_t *masks;
    size_t mask_words;
} indirect;

/* Reads the parameters `intermediate` and `paths`. Sets r->natural_vc and r->natural_selection. */
ik_status indirect_create(ik_routing *r, const ik_params *params, const ik_env *env, indirect *out,
                          ik_error *err);
void indirect_free(indirect *t);
/* The switch that packets of a pair leave by: the destination's one nearest to the source's. */
static inline uint32_t indirect_goal(const indirect *t, uint32_t src, uint32_t dst)
{
    assert(src < t->m.g.num_hosts && dst < t->m.g.num_hosts);
    uint32_t rs = t->m.g.host_sw[src];
    return rs == IK_NONE ? IK_NONE : links_nearest(&t->m.g, t->m.dist, rs, dst);
}
/* Whether there is a path without an intermediate. */
static inline bool indirect_minimal(const indirect *t, uint32_t rs, uint32_t rd)
{
    return rs == IK_NONE || rd == IK_NONE ||
           t->m.dist[(size_t)rs * t->m.g.num_switches + rd] != LINKS_FAR;
}
/* Number of eligible intermediates of two switches; 0 if they are the same, unconnected, or there
 * is none. */
uint32_t indirect_count(const indirect *t, uint32_t rs, uint32_t rd);
uint32_t indirect_nth(const indirect *t, uint32_t rs, uint32_t rd, uint32_t n);
/* Sets the bits of them all. */
void indirect_set_of(const indirect *t, uint32_t rs, uint32_t rd, uint64_t *set);
/* Route state of a packet; port: local port of the first switch, IK_NONE = any. */
void indirect_set(ik_packet *pk, uint32_t mid, uint32_t port);
/* What the legs of both routings share: a heading is an intermediate switch, where packets turn. */
void indirect_start(const ik_routing *r, uint32_t heading, ik_packet *pk);
uint32_t indirect_num_headings(const ik_routing *r);
bool indirect_turns(const ik_routing *r, uint32_t heading, uint32_t sw);
/* next() and next_mask() of both routings. */
uint32_t indirect_next(const ik_routing *r, const indirect *t, uint32_t sw, uint32_t in_port,
                       ik_packet *pk, uint32_t *out, uint32_t *preferred);
uint32_t indirect_next_mask(const ik_routing *r, const indirect *t, uint32_t sw, uint32_t in_port,
                            ik_packet *pk, uint64_t *set, uint32_t *preferred);
/* leg() and middles() of both routings, see ik_routing_family. */
uint32_t indirect_leg(const indirect *t, uint32_t sw, uint32_t goal, uint32_t *out);
uint32_t indirect_middles(const indirect *t, uint32_t src, uint32_t dst, uint32_t *out);

#endif
