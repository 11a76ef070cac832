/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/topology_data.h: what a generated fabric remembers of its family (ik_fabric.family_data), so
 * that routings compute instead of look up, and the port layouts that they may rely on while
 * ik_fabric.intact is true.
 *
 * Common to every family here unless it says otherwise:
 *  - host h hangs on the host switch number h / p (host switches come first among the switches), at
 *    its local port h % p, by the host's only port 0; so the hosts of a switch are consecutive and
 *    its ports 0 … p-1 lead to them;
 *  - the network ports follow from local port p on.
 * `ik_fabric_data(f, "torus")` gives the struct or NULL for another family, so no cast can go
 * wrong.
 */
#ifndef IKAT_TOPOLOGY_DATA_H
#define IKAT_TOPOLOGY_DATA_H

#include "ikat/fabric.h"

#include <string.h>

IK_BEGIN_DECLS

static inline const void *ik_fabric_data(const ik_fabric *f, const char *family)
{
    return f->family && f->family_data && strcmp(f->family, family) == 0 ? f->family_data : NULL;
}

#define IK_MAX_DIMS 24

/* Families "torus" (also `ring`) and "mesh". Switch id = x_0 + dims_0*(x_1 + dims_1*(x_2 + …)):
 * dimension 0 fastest. A dimension of size 1 has no ports; of size 2 one (port_plus = port_minus:
 * there is one cable); of 3 and more two. In a mesh the outward ports of border switches exist and
 * are unconnected. All switches have the same layout. */
typedef struct ik_grid {
    uint32_t wrap; /* 1 torus, 0 mesh */
    uint32_t num_dims;
    uint32_t dims[IK_MAX_DIMS];
    /* product of the dims before: switch id = sum x_d * stride[d] */
    uint32_t stride[IK_MAX_DIMS];
    /* local port towards x_d + 1; IK_NONE in a dimension of size 1 */
    uint32_t port_plus[IK_MAX_DIMS];
    uint32_t port_minus[IK_MAX_DIMS]; /* local port towards x_d - 1 */
    uint32_t p;                       /* hosts per switch */
} ik_grid;

/* Families "hyperx", "hypercube" (every dims = 2) and "fullmesh" (one dimension). Switch ids as in
 * ik_grid. In dimension d the switch with coordinate x reaches the one with coordinate y != x by
 * the ports port_base[d] + (y < x ? y : y - 1) * cables[d] + cable, cable in [0, cables[d]). */
typedef struct ik_hyperx {
    uint32_t num_dims;
    uint32_t dims[IK_MAX_DIMS];
    uint32_t stride[IK_MAX_DIMS];
    uint32_t cables[IK_MAX_DIMS];    /* parallel cables between neighbours of dimension d */
    uint32_t port_base[IK_MAX_DIMS]; /* first local port of dimension d */
    uint32_t p;
} ik_hyperx;

/* Family "dragonfly": g groups of a switches, p hosts and h global ports per switch. Switch id =
 * group*a + s. Local ports: p + (t < s ? t : t - 1) leads to switch t of the group; p + a-1 + j is
 * global port j, which is number x = s*h + j of its group; where x leads is ik_dragonfly_peer. */
typedef enum ik_arrangement {
    IK_ARRANGE_ABSOLUTE,
    IK_ARRANGE_RELATIVE,
    IK_ARRANGE_PALMTREE
} ik_arrangement;
typedef struct ik_global_links { /* the global wiring, shared with dragonfly+ */
    uint32_t groups;
    uint32_t ports;       /* global ports a group, numbered 0 … ports-1 */
    uint32_t arrangement; /* ik_arrangement */
} ik_global_links;
typedef struct ik_dragonfly {
    uint32_t p, a, h, g;
    ik_global_links global;
} ik_dragonfly;
/* The far end of global port x of `group`: false if the port is unconnected (a leftover that pairs
 * with none). */
bool ik_global_peer(const ik_global_links *links, uint32_t group, uint32_t x, uint32_t *peer_group,
                    uint32_t *peer_x);
/* Global ports of `group` that lead to `target` (another group): writes up to `max` port numbers
 * ascending, returns how many exist. */
uint32_t ik_global_ports_to(const ik_global_links *links, uint32_t group, uint32_t target,
                            uint32_t *x, uint32_t max);

/* Family "dragonflyplus": g groups, each a complete bipartite graph of `leaves` leaf switches (p
 * hosts each) and `spines` spine switches (h global ports each). Leaf i of group j has id j*leaves
 * + i, spine i has id g*leaves + j*spines + i. Leaf ports: p + i leads to spine i. Spine ports: i
 * leads to leaf i, leaves + j is global port x = i*h + j of the group. */
typedef struct ik_dragonflyplus {
    uint32_t p, leaves, spines, h, g;
    ik_global_links global;
} ik_dragonflyplus;

/* Family "slimfly": router (i, x, y) = subgraph, column, position has id i*q*q + x*q + y; field
 * elements are 0 … q-1, digits base the characteristic. Ports: p + t, t < degree, lead inside the
 * column to y + X_t (subgraph 0) or y + X'_t (subgraph 1), X in the paper's order; p + degree + m
 * leads to column m of the other subgraph. */
typedef struct ik_slimfly {
    uint32_t q;
    int32_t delta;
    uint32_t xi;     /* the primitive element */
    uint32_t degree; /* |X| = |X'| = (q - delta) / 2 */
    uint32_t p;
} ik_slimfly;

/* Family "mlfm" (h, l, p): local router (layer, column) has id layer*(h+1) + column, column in [0,
 * h]; global router {a < b} has id l*(h+1) + number of the pair in lexicographic order
 * (ik_mlfm_global). Local ports: p + (b < a ? b : b-1) leads from column a to global router {a, b}.
 * Global ports: 2*layer leads to column a, 2*layer + 1 to column b (a < b). Local routers are level
 * 1, global routers level 2. */
typedef struct ik_mlfm {
    uint32_t h, l, p;
} ik_mlfm;
static inline uint32_t ik_mlfm_global(const ik_mlfm *m, uint32_t a, uint32_t b)
{
    uint32_t lo = a < b ? a : b, hi = a < b ? b : a;
    return m->l * (m->h + 1) + lo * m->h - lo * (lo + 1) / 2 + hi - 1;
}

/* Family "oft" (k, p): RL = k*k - k + 1; router i of level 0 has id i, of level 2 id RL + i, of
 * level 1 id 2*RL + i; levels 0 and 2 have hosts. Host router ports: p + t leads to level-1 router
 * ML3B[i][t]. Level-1 router ports: 0 … k-1 lead to level 0, k … 2k-1 to level 2, each in ascending
 * i. switch_level: 1 for levels 0 and 2, 2 for level 1. */
typedef struct ik_oft {
    uint32_t k, p, rl;
} ik_oft;

/* Family "sspt" (r1, r2, copies, p): first-level router i of copy c has id c*R1 + i, second-level
 * router j id copies*R1 + j. First-level ports: p + t leads to the t-th block that holds point i
 * (ascending). Second-level ports: c*r2 + t leads to the t-th point of the block (ascending) in
 * copy c. */
typedef struct ik_sspt {
    uint32_t r1, r2, copies, p, num_points, num_blocks; /* R1, R2 */
} ik_sspt;

/* Family "polarfly": switches are the points of PG(2, q), normalised so that the first non-zero
 * coordinate is 1: (1,y,z) has id y*q+z, (0,1,z) id q*q+z, (0,0,1) id q*q+q. Network ports p … p+q
 * lead to the neighbours in ascending id; a quadric (self-orthogonal point) has only q and its last
 * port is unconnected. */
typedef struct ik_polarfly {
    uint32_t q, p;
} ik_polarfly;

/* Families "lrt" and "jellyfish": random d-regular graphs; network ports p … p+d-1 lead to the
 * neighbours in ascending id. width, height: the floor of lrt, switch i stands at (i % width, i /
 * width); 0 for jellyfish. range: longest link. */
typedef struct ik_random_regular {
    uint32_t n, d, p, range, width, height;
    uint64_t seed;
} ik_random_regular;

/* Family "crossbar": one switch with n hosts, host h on port h. */
typedef struct ik_crossbar {
    uint32_t n;
} ik_crossbar;

IK_END_DECLS
#endif
