/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.h: packets walked through a routing without VCs.
 */
#ifndef IK_WALK_H
#define IK_WALK_H

#include "ikat/routing.h"

/* One thread's room for the answers of next(). */
typedef struct walker {
    const ik_routing *r;
    uint32_t *ports; /* [max radix] */
} walker;

ik_status walker_init(walker *w, const ik_routing *r, ik_error *err);
void walker_free(walker *w);
/* The port by which a host's packets leave: the first that leads to a switch; IK_NONE if none
 * does. */
uint32_t walk_injection(const ik_fabric *f, uint32_t host);
uint32_t walk_num_starts(const ik_routing *r, uint32_t src, uint32_t dst);
void walk_start(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n, ik_packet *pk);
/* Allowed ports at sw into w->ports; returns their number. Deterministic routings: the preferred
 * one alone. */
uint32_t walk_next(const walker *w, uint32_t sw, uint32_t in_port, ik_packet *pk);
/* The preferred one alone, IK_NONE = no route. */
uint32_t walk_preferred(const walker *w, uint32_t sw, uint32_t in_port, ik_packet *pk);
/* Counts the hop if port joins two switches. */
void walk_advance(const ik_fabric *f, uint32_t port, ik_packet *pk);
/* Preferred path from initial state n: channels injection … ejection; 0 if not delivered within max
 * channels. */
uint32_t walk_path(const walker *w, uint32_t src, uint32_t dst, uint32_t n, uint32_t *channels,
                   uint32_t max);
/* More channels than any sensible path has. */
#define WALK_MAX 4096

#endif
