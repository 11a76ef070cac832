/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/preflight.c: looks at every fabric of an experiment before the first point runs and before anything is written.
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
    status = ik_fail_at(err, IK_ERR_INPUT, v->place->file, v->place->line, v->place->column, "%s: %s", v->label, text);
    return ik_hint(err, status, "allow_unreachable: true in the experiment (or --set allow_unreachable=true) accepts that");
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
        if (status == IK_OK && list->num == 1)
            r->built = f;
        else
            ik_fabric_free(f);
    }
    return status;
}
