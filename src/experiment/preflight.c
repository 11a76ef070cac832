/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/preflight.c: looks at every fabric of an experiment, and at all files that points
 * read, before the first point runs and before anything is written.
 */
#include "experiment/run.h"

/* Refuses a fabric that leaves hosts unconnected, unless the experiment allows that. */
static ik_status check_reach(const runner *r, const variant *v, const ik_fabric *f, ik_error *err)
{
    ik_reach reach;
    char text[512];
    ik_status status = ik_reach_measure(f, &reach, err);
    if (status != IK_OK || ik_reach_whole(&reach))
        return status;
    ik_reach_describe(f, &reach, text, sizeof text);
    if (experiment_option(r->e, OPTION_ALLOW_UNREACHABLE)->u) {
        tell_note(r, IK_WARNING, "%s: %s", v->label, text);
        return IK_OK;
    }
    status = ik_fail_at(err, IK_ERR_INPUT, v->place->file, v->place->line, v->place->column,
                        "%s: %s", v->label, text);
    return ik_hint(
        err, status,
        "allow_unreachable: true in the experiment (or --set allow_unreachable=true) accepts that");
}

/* Reads the traffic files of an experiment as its points on this fabric will. */
static ik_status check_traffic_files(const runner *r, const ik_fabric *f, bool tell, ik_error *err)
{
    const variants *list = &r->e->sections[SECTION_TRAFFIC];
    ik_env env = *r->env;
    ik_status status = IK_OK;
    env.seed = setup_seed(r->e);
    for (size_t i = 0; i < list->num && status == IK_OK; i++) {
        const variant *v = &list->items[i];
        ik_traffic *t = NULL;
        if (!v->num_files)
            continue;
        status = ik_traffic_from_spec(f, v->spec, &env, &t, err);
        if (status != IK_OK)
            ik_error_at(err, v->place->file, v->place->line, v->place->column);
        else if (t->note && tell)
            tell_note(r, IK_NOTE, "%s", t->note);
        ik_traffic_free(t);
    }
    return status;
}

/* Likewise the tables. A routing that does not fit the fabric is no plan, and is told of in its
 * turn. */
static ik_status check_routing_files(const runner *r, const ik_fabric *f, ik_error *err)
{
    const variants *list = &r->e->sections[SECTION_ROUTING];
    ik_env env = *r->env;
    env.seed = setup_seed(r->e);
    for (size_t i = 0; i < list->num; i++) {
        const variant *v = &list->items[i];
        ik_routing *routing = NULL;
        ik_status status =
            v->num_files ? ik_routing_from_spec(f, v->spec, &env, &routing, err) : IK_OK;
        ik_routing_free(routing);
        if (status != IK_OK && status != IK_ERR_UNSUPPORTED) {
            ik_error_at(err, v->place->file, v->place->line, v->place->column);
            return status;
        }
    }
    return IK_OK;
}

ik_status preflight(runner *r, ik_error *err)
{
    const variants *list = &r->e->sections[SECTION_FABRIC];
    ik_status status = IK_OK;
    for (size_t i = 0; i < list->num && status == IK_OK; i++) {
        ik_fabric *f = NULL;
        status = fabric_build(r, &list->items[i], &f, err);
        if (status == IK_OK)
            status = check_reach(r, &list->items[i], f, err);
        if (status == IK_OK)
            status = check_traffic_files(r, f, i == 0, err);
        if (status == IK_OK)
            status = check_routing_files(r, f, err);
        if (status == IK_OK && list->num == 1)
            r->built = f;
        else
            ik_fabric_free(f);
    }
    return status;
}
