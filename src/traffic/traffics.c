/* SPDX-License-Identifier: Apache-2.0
 *
 * traffics.c: the family of traffic patterns: look-up by name, making one from its spec.
 */
#include "base/spec_print.h"
#include "ikat/traffic.h"
#include "registry/registry.h"

#include "ikat_traffics.h"

#include <stdlib.h>
#include <string.h>

const ik_traffic_family *const *ik_traffics(void)
{
    return traffics_all();
}

const ik_traffic_family *ik_traffic_find(const char *name)
{
    return traffics_find(name);
}

static ik_status traffics_create(ik_traffic *t, ik_params *params, const ik_env *env, ik_error *err)
{
    t->spec = spec_print(t->family->name, params);
    if (!t->spec)
        return ik_fail_memory(err, 64, "a traffic spec");
    registry_clear(err);
    ik_status status = t->family->create ? t->family->create(t, params, env, err) : IK_OK;
    if (status == IK_OK && t->family->dest == ik_traffic_flows_dest && !t->impl)
        return ik_fail(err, IK_ERR_INPUT,
                       "traffic '%s' has no flows: its create() did not call "
                       "ik_traffic_set_flows()",
                       t->family->name);
    return registry_status(t->family, t->family->name, status, err);
}

ik_status ik_traffic_from_spec(const ik_fabric *f, const char *text, const ik_env *env,
                               ik_traffic **out, ik_error *err)
{
    ik_arena arena = {0};
    ik_params params = {0};
    ik_spec spec;
    ik_traffic *t = NULL;
    ik_status s = ik_spec_parse(text, &arena, &spec, err);
    if (s != IK_OK)
        goto free_arena;
    const ik_traffic_family *family = ik_traffic_find(spec.name);
    s = family ? ik_params_from_spec(&params, "traffic pattern", &spec, family->params, NULL, err)
               : traffics_unknown("traffic pattern", spec.name, err);
    if (s != IK_OK)
        goto free_arena;
    t = ik_calloc(1, sizeof *t);
    if (!t) {
        s = ik_fail_memory(err, sizeof *t, "a traffic pattern");
        goto free_params;
    }
    t->family = family;
    t->fabric = f;
    t->num_hosts = f->num_hosts;
    t->seed = env ? env->seed : 0;
    s = traffics_create(t, &params, env, err);
    if (s == IK_OK)
        *out = t;
    else
        ik_traffic_free(t);
free_params:
    ik_params_free(&params);
free_arena:
    ik_arena_free(&arena);
    return s;
}

void ik_traffic_free(ik_traffic *t)
{
    if (t) {
        if (t->family->destroy && t->impl)
            t->family->destroy(t);
        free(t->spec);
        free(t->portable);
        free(t->note);
        free(t);
    }
}

bool ik_traffic_is_silent(const ik_traffic *t, uint32_t src)
{
    return t->gaps ? t->family->silent(t, src) : t->family->dest(t, src, 0) == IK_NONE;
}

ik_status ik_traffic_write_trace(const ik_traffic *t, FILE *out, ik_error *err)
{
    if (t->family->write_trace)
        return t->family->write_trace(t, out, err);
    ik_fail(err, IK_ERR_UNSUPPORTED, "traffic '%s' has no accesses to disks", t->family->name);
    return ik_hint(err, IK_ERR_UNSUPPORTED, "traffic 'storage' has");
}
