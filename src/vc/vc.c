/* SPDX-License-Identifier: Apache-2.0
 *
 * The family of VC schemes: finding members by name and making one from its spec.
 */
#include "ikat/vc.h"
#include "base/spec_print.h"
#include "registry/registry.h"

#include "ikat_vcs.h"

#include <stdlib.h>
#include <string.h>

const ik_vc_family *const *ik_vcs(void)
{
    return vcs_all();
}

const ik_vc_family *ik_vc_find(const char *name)
{
    return vcs_find(name);
}

/* `request` holds what the scheme is made for: fabric, routing, number of VCs, in_escape. */
static ik_status vc_make_scheme(const ik_vc *request, const ik_vc_family *family, ik_params *params,
                                const ik_env *env, ik_vc **out, ik_error *err)
{
    ik_vc *v = calloc(1, sizeof *v);
    char *spec = v ? spec_print(family->name, params) : NULL;
    if (!spec) {
        free(v);
        return ik_fail_memory(err, sizeof *v, "a VC scheme");
    }
    *v = *request;
    v->family = family;
    v->spec = spec;
    registry_clear(err);
    ik_status status =
        registry_status(family, family->name, family->create(v, params, env, err), err);
    if (status != IK_OK) {
        free(v->spec);
        free(v);
        return status;
    }
    v->both_ways = v->both_ways || (family->static_lane && v->num_vcs == 1);
    *out = v;
    return IK_OK;
}

static ik_status from_parsed_spec(const ik_vc *request, const ik_spec *spec, const ik_env *env,
                                  ik_vc **out, ik_error *err)
{
    const ik_vc_family *family = ik_vc_find(spec->name);
    if (!family)
        return vcs_unknown("VC scheme", spec->name, err);
    ik_params params;
    ik_status status = ik_params_from_spec(&params, "VC scheme", spec, family->params, NULL, err);
    if (status != IK_OK)
        return status;
    status = vc_make_scheme(request, family, &params, env, out, err);
    ik_params_free(&params);
    return status;
}

static ik_status vc_from_text(const ik_vc *request, const char *spec, const ik_env *env,
                              ik_vc **out, ik_error *err)
{
    if (request->num_vcs > IK_MAX_VCS) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "%s asked for, %u is the maximum",
                                IK_COUNT(request->num_vcs, "VC"), IK_MAX_VCS),
                        "vcs");
    }
    ik_arena arena = {0};
    ik_spec parsed;
    ik_status status = ik_spec_parse(spec, &arena, &parsed, err);
    if (status == IK_OK)
        status = from_parsed_spec(request, &parsed, env, out, err);
    ik_arena_free(&arena);
    return status;
}

ik_status ik_vc_from_spec(const ik_fabric *f, const ik_routing *routing, const char *spec,
                          unsigned num_vcs, const ik_env *env, ik_vc **out, ik_error *err)
{
    ik_vc request = {.fabric = f, .routing = routing, .num_vcs = num_vcs};
    return vc_from_text(&request, spec, env, out, err);
}

ik_status ik_vc_in_escape(const ik_fabric *f, const ik_routing *routing, const char *spec,
                          const ik_env *env, ik_vc **out, ik_error *err)
{
    ik_vc request = {.fabric = f, .routing = routing, .in_escape = true};
    return vc_from_text(&request, spec, env, out, err);
}

void ik_vc_free(ik_vc *v)
{
    if (!v)
        return;
    if (v->family->destroy)
        v->family->destroy(v);
    free(v->spec);
    free(v);
}

ik_status ik_vc_deployable(const ik_vc *v, ik_error *err)
{
    const char *name = v->family->name;
    if (!v->family->static_lane && v->num_vcs > 1) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "VC scheme '%s' cannot be deployed: its packets change lanes on the way, and a "
                "service level is one lane for the whole path",
                name);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "dfsssp:pairs=both and lash:pairs=both give every connection one lane");
    }
    if (v->num_vcs > IK_DEPLOYABLE_VCS) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "VC scheme '%s' cannot be deployed with %s: a subnet has at most %d "
                         "lanes for data",
                         name, IK_COUNT(v->num_vcs, "VC"), IK_DEPLOYABLE_VCS),
                 "vcs");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "a routing that needs fewer lanes, up to %d",
                       IK_DEPLOYABLE_VCS);
    }
    return IK_OK;
}
