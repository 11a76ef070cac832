/* SPDX-License-Identifier: Apache-2.0
 *
 * lft.c: linear forwarding tables: one local output port for every switch and destination host. */
#include "routing/graph/links.h"
#include "routing/routing.h"

#include <stdlib.h>
#include <string.h>

ik_status lft_new(const ik_fabric *f, const ik_env *env, uint16_t **lft, ik_error *err)
{
    uint32_t radix = ik_max_radix(f);
    double bytes = (double)f->num_switches * f->num_hosts * sizeof **lft;
    if (radix >= LFT_NONE)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "forwarding tables number ports with 16 bits, and a switch has %s",
                       IK_COUNT(radix, "port"));
    ik_status status = ik_env_refuse_bytes(env, bytes, "forwarding tables", err);
    if (status != IK_OK)
        return ik_hint(err, status,
                       "routings that compute, such as 'dmodk' on trees, need no tables");
    size_t size = (size_t)f->num_switches * f->num_hosts * sizeof **lft;
    uint16_t *made = malloc(size ? size : 1);
    if (!made)
        return ik_fail_memory(err, size, "forwarding tables");
    memset(made, 0xFF, size);
    *lft = made;
    return IK_OK;
}

ik_status ik_lft_new(ik_routing *r, const ik_env *env, ik_error *err)
{
    return lft_new(r->fabric, env, &r->lft, err);
}

uint32_t ik_lft_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                     uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const ik_fabric *f = r->fabric;
    uint16_t port = r->lft[(size_t)sw * f->num_hosts + pk->dst];
    *preferred = 0;
    if (port == LFT_NONE)
        return 0;
    out[0] = f->port_base[sw] + port;
    return 1;
}

/* ---- compiling: one row a switch */

typedef struct compile_ctx {
    const ik_routing *r;
    uint16_t *lft;
    uint32_t *scratch; /* [threads][max radix] */
    uint32_t max_radix;
} compile_ctx;

static ik_status lft_compile_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    compile_ctx *c = ctx;
    const ik_fabric *f = c->r->fabric;
    uint32_t sw = (uint32_t)index, base = f->port_base[sw];
    uint16_t *row = c->lft + (size_t)sw * f->num_hosts;
    uint32_t *out = c->scratch + (size_t)thread * c->max_radix;
    if (ik_radix(f, sw) == 0)
        return IK_OK;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        ik_packet pk = {.src = host ? 0 : f->num_hosts - 1, .dst = host, .via = IK_NONE};
        uint32_t preferred = 0;
        uint32_t n = c->r->family->next(c->r, sw, base, &pk, out, &preferred);
        if (n)
            row[host] = (uint16_t)(out[preferred] - base);
    }
    return IK_OK;
}

ik_status ik_lft_compile(const ik_routing *r, const ik_env *env, uint16_t **lft, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    if (r->kind != IK_ROUTE_DETERMINISTIC || !(r->traits & IK_ROUTE_DEST_BASED)) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "routing '%s' has no forwarding table: %s", r->spec,
                r->kind == IK_ROUTE_ADAPTIVE ? "its switches choose among several ports"
                                             : "its output depends on more than the destination");
        return ik_hint(
            err, IK_ERR_UNSUPPORTED,
            "deterministic routings by destination have one, for example 'dmodk' and 'updown'");
    }
    compile_ctx c = {.r = r, .max_radix = ik_max_radix(f)};
    size_t bytes = (size_t)f->num_switches * f->num_hosts * sizeof *c.lft;
    ik_status status = lft_new(f, env, &c.lft, err);
    if (status != IK_OK)
        return status;
    if (r->lft) {
        memcpy(c.lft, r->lft, bytes);
        *lft = c.lft;
        return IK_OK;
    }
    c.scratch = ik_calloc((size_t)ik_env_threads(env) * (c.max_radix + 1), sizeof *c.scratch);
    status = c.scratch ? ik_parallel_for(env, "forwarding tables", f->num_switches, lft_compile_row,
                                         &c, err)
                       : ik_fail_memory(err, c.max_radix * sizeof *c.scratch, "forwarding tables");
    free(c.scratch);
    if (status != IK_OK) {
        free(c.lft);
        return status;
    }
    *lft = c.lft;
    return IK_OK;
}
