/* SPDX-License-Identifier: Apache-2.0
 *
 * The family of VC schemes: finding members by name and making one from its spec.
 */
#include "ikat/vc.h"

#include "ikat_vcs.h"

#include <stdlib.h>
#include <string.h>

const ik_vc_family *const *ik_vcs(void)
{
    return vcs_table;
}

const ik_vc_family *ik_vc_find(const char *name)
{
    for (const ik_vc_family *const *member = vcs_table; *member; member++) {
        if (strcmp((*member)->name, name) == 0) {
            return *member;
        }
    }
    return NULL;
}

static ik_status unknown_scheme(const char *name, ik_error *err)
{
    const char *names[sizeof vcs_table / sizeof vcs_table[0]];
    size_t num = 0;
    while (vcs_table[num]) {
        names[num] = vcs_table[num]->name;
        num++;
    }
    names[num] = NULL;
    return ik_fail_unknown(err, "VC scheme", name, names);
}

/* "dbbm" or "vftree:form=matrix": only what differs from the defaults. */
static char *canonical_spec(const ik_vc_family *family, ik_params *params)
{
    const char *values = ik_params_print(params, false);
    if (!values) {
        return NULL;
    }
    size_t size = strlen(family->name) + strlen(values) + 2;
    char *spec = malloc(size);
    if (spec) {
        strcpy(spec, family->name);
        if (*values) {
            strcat(strcat(spec, ":"), values);
        }
    }
    return spec;
}

/* `request` holds what the scheme is made for: fabric, routing, number of VCs, in_escape. */
static ik_status make_scheme(const ik_vc *request, const ik_vc_family *family, ik_params *params,
                             const ik_env *env, ik_vc **out, ik_error *err)
{
    ik_vc *v = calloc(1, sizeof *v);
    char *spec = v ? canonical_spec(family, params) : NULL;
    if (!spec) {
        free(v);
        return ik_fail_memory(err, sizeof *v, "a VC scheme");
    }
    *v = *request;
    v->family = family;
    v->spec = spec;
    ik_status status = family->create(v, params, env, err);
    if (status != IK_OK) {
        free(v->spec);
        free(v);
        return status;
    }
    *out = v;
    return IK_OK;
}

static ik_status from_parsed_spec(const ik_vc *request, const ik_spec *spec, const ik_env *env,
                                  ik_vc **out, ik_error *err)
{
    const ik_vc_family *family = ik_vc_find(spec->name);
    if (!family) {
        return unknown_scheme(spec->name, err);
    }
    ik_params params;
    ik_status status = ik_params_from_spec(&params, "VC scheme", spec, family->params, NULL, err);
    if (status != IK_OK) {
        return status;
    }
    status = make_scheme(request, family, &params, env, out, err);
    ik_params_free(&params);
    return status;
}

static ik_status from_text(const ik_vc *request, const char *spec, const ik_env *env, ik_vc **out,
                           ik_error *err)
{
    if (request->num_vcs > IK_MAX_VCS) {
        return ik_fail(err, IK_ERR_USAGE, "%u VCs asked for, %u is the most", request->num_vcs,
                       IK_MAX_VCS);
    }
    ik_arena arena = {0};
    ik_spec parsed;
    ik_status status = ik_spec_parse(spec, &arena, &parsed, err);
    if (status == IK_OK) {
        status = from_parsed_spec(request, &parsed, env, out, err);
    }
    ik_arena_free(&arena);
    return status;
}

ik_status ik_vc_from_spec(const ik_fabric *f, const ik_routing *routing, const char *spec,
                          unsigned num_vcs, const ik_env *env, ik_vc **out, ik_error *err)
{
    ik_vc request = {.fabric = f, .routing = routing, .num_vcs = num_vcs};
    return from_text(&request, spec, env, out, err);
}

ik_status ik_vc_in_escape(const ik_fabric *f, const ik_routing *routing, const char *spec,
                          const ik_env *env, ik_vc **out, ik_error *err)
{
    ik_vc request = {.fabric = f, .routing = routing, .in_escape = true};
    return from_text(&request, spec, env, out, err);
}

void ik_vc_free(ik_vc *v)
{
    if (!v) {
        return;
    }
    if (v->family->destroy) {
        v->family->destroy(v);
    }
    free(v->spec);
    free(v);
}
