/* SPDX-License-Identifier: Apache-2.0
 *
 * What VC schemes share: the number of VCs, keeping a lane, positions of hosts in the fabric.
 */
#ifndef IKAT_VC_LANES_H
#define IKAT_VC_LANES_H

#include "ikat/vc.h"

#include <assert.h>

/* Queues that the schemes against head-of-line blocking get when nobody says how many: the number
 * that their comparison in fat trees used (Rocher-Gonzalez et al.). One would make them all the
 * same. */
#define LANES_DEFAULT_QUEUES 3

/* Settles v->num_vcs: `usual` if none was asked for; refuses fewer than `needed`. `why` ends the
 * message ("paths of up to 4 hops"). */
ik_status lanes_settle(ik_vc *v, unsigned needed, unsigned usual, const char *why, ik_error *err);

/* VCs of class `number` of v->vcs_needed classes: each has an equal share of the VCs, what does not
 * divide is left over. */
static inline void lanes_class(const ik_vc *v, unsigned number, uint8_t *vc_first, uint8_t *vc_last)
{
    assert(v->vcs_needed > 0 && v->num_vcs >= v->vcs_needed); /* lanes_settle */
    unsigned share = v->num_vcs / v->vcs_needed;
    number = number < v->vcs_needed ? number : v->vcs_needed - 1;
    *vc_first = (uint8_t)(number * share);
    *vc_last = (uint8_t)(number * share + share - 1);
}
static inline unsigned lanes_class_of(const ik_vc *v, unsigned vc)
{
    assert(vc < v->num_vcs && v->num_vcs >= v->vcs_needed);
    return vc / (v->num_vcs / v->vcs_needed);
}

/* inject() of schemes whose packets start on VC 0. */
void lanes_inject_first(const ik_vc *v, ik_packet *pk);
/* destroy() of schemes whose impl is one free()-able block. */
void lanes_free_impl(ik_vc *v);
/* next() of every scheme that keeps the VC of the injection. */
void lanes_keep(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last);

/* Does this channel lead to a host? */
static inline bool lanes_ejects(const ik_fabric *f, uint32_t out_port)
{
    assert(out_port < f->num_ports);
    uint32_t node = ik_peer_node(f, out_port);
    return node == IK_NONE || !ik_is_switch(f, node);
}

/* Where each host sits, counted in the fabric as designed: a generated tree with empty host ports
 * keeps the numbers of the full tree. */
typedef struct lanes_positions {
    uint32_t num_hosts, num_leaves; /* of the full fabric */
    uint32_t *host;                 /* [fabric hosts] position of the host among all places */
    /* [fabric hosts] position of its leaf switch among all leaf switches */
    uint32_t *leaf;
} lanes_positions;
ik_status lanes_positions_make(const ik_fabric *f, lanes_positions *out, ik_error *err);
void lanes_positions_free(lanes_positions *positions);

/* A scheme whose impl is a lanes_positions and a form. */
typedef struct lanes_map {
    lanes_positions at;
    unsigned form;
} lanes_map;
/* Makes v->impl and settles the number of queues. */
ik_status lanes_map_create(ik_vc *v, unsigned form, ik_error *err);
void lanes_map_destroy(ik_vc *v);

#endif
