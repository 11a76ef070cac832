/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks that a file describes by what a generator takes (format/generated.h).
 */
#include "format/generated.h"
#include "base/spec_print.h"
#include "fabric/builder_private.h"
#include "ikat/topology.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A few bytes of a file must not take all memory: some 15 million ports. Larger networks are built
 * by a spec. */
#define GENERATED_BYTES (UINT64_C(1) << 29)

/* Sets a common parameter to a number unless that is what it stands for anyway. */
static ik_status generated_set(ik_params *params, const char *name, uint64_t usual, uint64_t value,
                               const char *unit, ik_error *err)
{
    char text[40];
    if (value == usual)
        return IK_OK;
    snprintf(text, sizeof text, "%" PRIu64 " %s", value, unit);
    return ik_params_set(params, "topology", name, text, 0, 0, err);
}

/* What the links of the builder are in the words of a spec. */
static ik_status generated_links(ik_params *params, const ik_link_class *link,
                                 const ik_link_class *host_link, ik_error *err)
{
    uint64_t rate = ik_params_uint(params, "link_rate"),
             latency = ik_params_uint(params, "latency");
    ik_status status = generated_set(params, "link_rate", rate, link->rate_bps, "b/s", err);
    if (status == IK_OK)
        status =
            generated_set(params, "host_rate", link->rate_bps, host_link->rate_bps, "b/s", err);
    if (status == IK_OK)
        status = generated_set(params, "latency", latency, link->latency_ps, "ps", err);
    if (status == IK_OK)
        status = generated_set(params, "host_latency", link->latency_ps, host_link->latency_ps,
                               "ps", err);
    return status;
}

/* The family has refused the size: that is the file's fault, and no limit of the command's. */
static ik_status generated_too_large(ik_error *err)
{
    if (err)
        err->status = IK_ERR_USAGE;
    return ik_hint(err, IK_ERR_USAGE,
                   "a file may describe less; larger networks are built by a spec (see 'ikat list "
                   "topologies')");
}

static ik_status generated_member(const ik_topology *t, ik_params *params, ik_builder *b,
                                  ik_error *err)
{
    const ik_env limit = {.memory_limit_bytes = GENERATED_BYTES};
    ik_topo_ctx ctx = {.env = &limit,
                       .link = ik_builder_default_link(b, false),
                       .host_link = ik_builder_default_link(b, true)};
    ik_link_class link = ik_builder_class_of(b, ctx.link),
                  host_link = ik_builder_class_of(b, ctx.host_link);
    ik_status status = generated_links(params, &link, &host_link, err);
    if (status == IK_OK)
        status = t->build(params, &ctx, b, err);
    if (status == IK_ERR_MEMORY && ik_builder_status(b, NULL) == IK_OK)
        return generated_too_large(err);
    if (status != IK_OK)
        return status;
    char *spec = spec_print(t->name, params);
    if (!spec)
        return ik_fail_memory(err, 1, "the specification of a fabric");
    ik_builder_family(b, t->name, spec, NULL, 0);
    free(spec);
    return ik_builder_status(b, err);
}

ik_status generated_build(const char *text, ik_builder *b, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec spec = {0};
    ik_params params;
    ik_status status = ik_spec_parse(text, &arena, &spec, err);
    if (status == IK_OK) {
        const ik_topology *t = ik_topology_find(spec.name, NULL);
        assert(t && !t->imported);
        status = ik_params_from_spec(&params, "topology", &spec, t->params,
                                     ik_topology_common_params, err);
        if (status == IK_OK) {
            status = generated_member(t, &params, b, err);
            ik_params_free(&params);
        }
    }
    ik_arena_free(&arena);
    return status;
}
