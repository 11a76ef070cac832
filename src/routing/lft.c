/* SPDX-License-Identifier: Apache-2.0
 *
 * lft.c: linear forwarding tables: one local output port for every switch and destination host. */
#include "routing/routing.h"

#include <stdlib.h>
#include <string.h>

uint16_t *lft_new(const ik_fabric *f)
{
    size_t entries = (size_t)f->num_switches * f->num_hosts;
    uint16_t *lft = entries <= SIZE_MAX / sizeof *lft ? malloc(entries * sizeof *lft) : NULL;
    if (lft)
        memset(lft, 0xFF, entries * sizeof *lft);
    return lft;
}

ik_status lft_alloc(ik_routing *r, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    uint32_t radix = ik_max_radix(f);
    if (radix >= LFT_NONE)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "forwarding tables number ports with 16 bits, and a switch has %u ports", radix);
    r->lft = lft_new(f);
    if (!r->lft)
        return ik_fail_memory(err, (size_t)f->num_switches * f->num_hosts * sizeof *r->lft, "forwarding tables");
    return IK_OK;
}

uint32_t ik_lft_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk, uint32_t *out, uint32_t *preferred)
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

static ik_status compile_row(void *ctx, size_t index, unsigned thread, ik_error *err)
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
        ik_fail(err, IK_ERR_UNSUPPORTED, "routing '%s' has no forwarding table: its output depends on more than the destination",
                r->spec);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "deterministic routings by destination have one, for example 'dmodk' and 'updown'");
    }
    compile_ctx c = {.r = r, .max_radix = ik_max_radix(f)};
    if (c.max_radix >= LFT_NONE)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "forwarding tables number ports with 16 bits, and a switch has %u ports",
                       c.max_radix);
    size_t bytes = (size_t)f->num_switches * f->num_hosts * sizeof *c.lft;
    c.lft = lft_new(f);
    if (!c.lft)
        return ik_fail_memory(err, bytes, "forwarding tables");
    if (r->lft) {
        memcpy(c.lft, r->lft, bytes);
        *lft = c.lft;
        return IK_OK;
    }
    c.scratch = ik_calloc((size_t)ik_env_threads(env) * (c.max_radix + 1), sizeof *c.scratch);
    ik_status status = c.scratch ? ik_parallel_for(env, "forwarding tables", f->num_switches, compile_row, &c, err)
                                 : ik_fail_memory(err, c.max_radix * sizeof *c.scratch, "forwarding tables");
    free(c.scratch);
    if (status != IK_OK) {
        free(c.lft);
        return status;
    }
    *lft = c.lft;
    return IK_OK;
}
