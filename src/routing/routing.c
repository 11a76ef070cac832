/* SPDX-License-Identifier: Apache-2.0
 *
 * routing.c: the family of routings: finding members, building one from its spec. */
#include "routing/routing.h"
#include "base/spec_print.h"
#include "ikat/vc.h"
#include "registry/registry.h"
#include "routing/rails.h"

#include "ikat_routings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const ik_routing_family *const *ik_routings(void)
{
    return routings_all();
}

const ik_routing_family *ik_routing_find(const char *name)
{
    return routings_find(name);
}

static uint64_t routing_seed_of(const ik_params *params, const ik_env *env)
{
    for (size_t i = 0; i < params->num; i++)
        if (strcmp(params->decl[i].name, "seed") == 0 && params->values[i].has)
            return params->values[i].u;
    return env ? env->seed : 0;
}

/* The names of VC schemes are engines of subnet managers: lash. */
static ik_status unknown_routing(const char *name, ik_error *err)
{
    ik_status status = routings_unknown("routing", name, err);
    return ik_vc_find(name)
               ? ik_hint(err, status, "'%s' is a VC scheme: --routing shortest --vc %s", name, name)
               : status;
}

/* What a plug-in wrote into a table is looked at once, since everything that follows it takes the
 * ports for ports with cables: where there is none, there is no route. The built-in routings have
 * tests for that. */
static ik_status routing_check_table(const ik_routing *r, ik_error *err)
{
    assert(r->lft);
    const ik_fabric *f = r->fabric;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t host = 0; host < f->num_hosts; host++) {
            uint16_t *entry = &r->lft[(size_t)sw * f->num_hosts + host], port = *entry;
            if (port < ik_radix(f, sw) && f->port_peer[f->port_base[sw] + port] == IK_NONE)
                *entry = LFT_NONE;
            if (port == LFT_NONE || port < ik_radix(f, sw))
                continue;
            char name[64];
            ik_fail(err, IK_ERR_INPUT,
                    "routing '%s': its table has port %u at %s for host %u, and the switch has "
                    "ports 0 to %u",
                    r->family->name, port, ik_node_name(f, sw, name, sizeof name), host,
                    ik_radix(f, sw) - 1);
            return ik_hint(err, IK_ERR_INPUT,
                           "a table has local ports, counted from 0, and 65535 where there is no "
                           "route");
        }
    return IK_OK;
}

static ik_status routing_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                ik_error *err)
{
    const ik_routing_family *family = r->family;
    registry_clear(err);
    ik_status status = ik_fabric_has_rails(r->fabric) ? rails_create(r, params, env, err)
                                                      : family->create(r, params, env, err);
    const ik_routing *made = r->rails && r->rails->inner ? r->rails->inner : r;
    if (status != IK_OK || !registry_plugin_of(family))
        return registry_status(family, family->name, status, err);
    if (made->lft)
        return routing_check_table(made, err);
    return family->next == ik_lft_next
               ? ik_fail(err, IK_ERR_INPUT,
                         "routing '%s' has no table: its create() did not call ik_lft_new()",
                         family->name)
               : IK_OK;
}

ik_status ik_routing_from_params(const ik_fabric *f, const char *name, const ik_params *params,
                                 const ik_env *env, ik_routing **out, ik_error *err)
{
    const ik_routing_family *family = ik_routing_find(name);
    if (!family)
        return unknown_routing(name, err);
    if (f->num_hosts == 0)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "there is nothing to route: the fabric has no hosts");
    ik_routing *r = ik_calloc(1, sizeof *r);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "a routing");
    r->family = family;
    r->fabric = f;
    r->seed = routing_seed_of(params, env);
    r->kind = family->kind;
    r->claims = family->claims;
    r->traits = family->traits;
    /* Printing caches text inside params, which is why it is not const there; the values stay as
     * they are. */
    r->spec = spec_print(name, (ik_params *)params);
    ik_status status = r->spec ? routing_create(r, params, env, err)
                               : ik_fail_memory(err, strlen(name), "a routing's name");
    if (status != IK_OK) {
        ik_routing_free(r);
        return status;
    }
    *out = r;
    return IK_OK;
}

ik_status ik_routing_from_spec(const ik_fabric *f, const char *text, const ik_env *env,
                               ik_routing **out, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_params params;
    ik_status status = ik_spec_parse(text, &arena, &spec, err);
    if (status == IK_OK) {
        const ik_routing_family *family = ik_routing_find(spec.name);
        status = family ? ik_params_from_spec(&params, "routing", &spec, family->params, NULL, err)
                        : unknown_routing(spec.name, err);
    }
    if (status == IK_OK) {
        status = ik_routing_from_params(f, spec.name, &params, env, out, err);
        ik_params_free(&params);
    }
    ik_arena_free(&arena);
    return status;
}

void ik_routing_free(ik_routing *r)
{
    if (!r)
        return;
    if (r->family->destroy)
        r->family->destroy(r);
    rails_free(r->rails);
    free(r->lft);
    free(r->spec);
    free(r->note);
    free(r);
}
