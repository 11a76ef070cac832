/* SPDX-License-Identifier: Apache-2.0
 *
 * rails.h: routings between hosts with several cables.
 *
 * Two ways. Most routings are made for the split fabric and need not know: each port of a host is a
 * host to them, and rails.c says which pairs of ports messages take. Routings that compute with the
 * labels of a tree are made for the whole fabric, and an outer routing on the split one translates:
 * packets name ports, the inner routing sees hosts, and the last hop goes to the port.
 */
#ifndef IKAT_ROUTING_RAILS_H
#define IKAT_ROUTING_RAILS_H

#include "ikat/routing.h"

typedef struct ik_rails {
    ik_fabric *split; /* owned */
    /* owned; on the whole fabric; NULL: the routing itself is made for the split one */
    ik_routing *inner;
    ik_routing_family family; /* of the outer routing, where there is an inner one */
    uint32_t num_ports;       /* of every host, where there is an inner one */
    uint8_t *distance;        /* [num_switches][num_switches], where there is none;
                                 with the trait EVERY_PORT 0 for all that are connected */
} ik_rails;

/* Makes r, a routing of r->family whose fabric is the whole one, for hosts with several cables.
 * `create` makes an inner routing or, after r->fabric was changed to the split one, r itself. */
ik_status rails_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err);
void rails_free(struct ik_rails *rails);

/* The same for a selection function: it is made for the whole fabric and sees hosts. */
ik_status rails_wrap_selection(ik_selection **selection, const ik_fabric *split, ik_error *err);

#endif
