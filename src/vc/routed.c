/* SPDX-License-Identifier: Apache-2.0
 *
 * routed.c: see routed.h.
 */
#include "vc/routed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct routed {
    layer_vcs vcs;
    routed_layer_fn layer;
} routed;

ik_status routed_check(const ik_vc *v, ik_error *err)
{
    const char *scheme = v->family->name, *routing = v->routing->family->name;
    if (strcmp(routing, scheme) == 0)
        return IK_OK;
    ik_fail(err, IK_ERR_UNSUPPORTED, "VC scheme '%s' belongs to routing %s, the routing is '%s'",
            scheme, scheme, routing);
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "dfsssp, lash and acro layer the paths of other routings");
}

ik_status routed_make(ik_vc *v, const routed_layers *layers, ik_error *err)
{
    assert(layers->num > 0);
    routed *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "a VC scheme");
    ik_status status = layer_vcs_settle(v, layers->num, layers->load, &t->vcs, err);
    if (status != IK_OK) {
        free(t);
        return status;
    }
    t->layer = layers->layer;
    v->both_ways = layers->both;
    v->impl = t;
    return IK_OK;
}

void routed_inject(const ik_vc *v, ik_packet *pk)
{
    const routed *t = v->impl;
    assert(pk->src < v->fabric->num_hosts && pk->dst < v->fabric->num_hosts);
    unsigned layer = t->layer(v->routing, pk->src, pk->dst),
             width = t->vcs.base[layer + 1] - t->vcs.base[layer];
    uint32_t turn = pk->src;
    if (v->both_ways && width > 1)
        turn = ik_host_switch(v->fabric, pk->src) + ik_host_switch(v->fabric, pk->dst);
    pk->vc = pk->layer = (uint8_t)(t->vcs.base[layer] + turn % width);
}

double routed_share(const ik_vc *v, unsigned vc)
{
    return layer_vcs_share(&((const routed *)v->impl)->vcs, vc);
}
