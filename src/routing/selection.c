/* SPDX-License-Identifier: Apache-2.0
 *
 * selection.c: the family of selection functions: finding members, building one from its spec. */
#include "base/spec_print.h"
#include "registry/registry.h"
#include "routing/routing.h"

#include "ikat_selections.h"

#include <stdlib.h>
#include <string.h>

const ik_param ik_selection_common_params[] = {
    {"skip_busy", IK_PARAM_BOOL, "", 0, 0, NULL,
     "prefer outputs that are not transmitting (none given: true in the models without output "
     "buffers, false in model ioq, where a packet waits for the link in the output buffer)"},
    {0},
};

const ik_selection_family *const *ik_selections(void)
{
    return selections_all();
}

const ik_selection_family *ik_selection_find(const char *name)
{
    return selections_find(name);
}

static ik_status selection_from_params(const ik_fabric *f, const ik_selection_family *family,
                                       ik_params *params, const ik_env *env, ik_selection **out,
                                       ik_error *err)
{
    ik_selection *s = ik_calloc(1, sizeof *s);
    if (!s)
        return ik_fail_memory(err, sizeof *s, "a selection function");
    s->family = family;
    s->fabric = f;
    s->traits = family->traits;
    s->rule = family->rule;
    if (ik_params_has(params, "skip_busy"))
        s->skip_busy = ik_params_bool(params, "skip_busy") ? IK_SKIP_ALWAYS : IK_SKIP_NEVER;
    s->spec = spec_print(family->name, params);
    ik_status status =
        s->spec ? IK_OK : ik_fail_memory(err, strlen(family->name), "a selection function's name");
    if (status == IK_OK && family->create) {
        registry_clear(err);
        status = registry_status(family, family->name, family->create(s, params, env, err), err);
    }
    if (status != IK_OK) {
        ik_selection_free(s);
        return status;
    }
    *out = s;
    return IK_OK;
}

ik_status ik_selection_from_spec(const ik_fabric *f, const char *text, const ik_env *env,
                                 ik_selection **out, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_params params;
    const ik_selection_family *family = NULL;
    ik_status status = ik_spec_parse(text, &arena, &spec, err);
    if (status == IK_OK) {
        family = ik_selection_find(spec.name);
        status = family ? ik_params_from_spec(&params, "selection function", &spec, family->params,
                                              ik_selection_common_params, err)
                        : selections_unknown("selection function", spec.name, err);
    }
    if (status == IK_OK) {
        status = selection_from_params(f, family, &params, env, out, err);
        ik_params_free(&params);
    }
    ik_arena_free(&arena);
    return status;
}

void ik_selection_free(ik_selection *s)
{
    if (!s)
        return;
    if (s->family->destroy)
        s->family->destroy(s);
    ik_selection_free(s->in_model[0]);
    ik_selection_free(s->in_model[1]);
    free(s->spec);
    free(s);
}
