/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/available.c: results that only some points have. What no point of a figure or
 * claim can have is refused before the run.
 */
#include "experiment/figures/view.h"

static bool available_can_have(axes *a, const view_entry *entries, size_t num, const char *name,
                               const char *value)
{
    axis x;
    if (!axes_has(a, name) || axes_find(a, name, NULL, 0, &x, NULL) != IK_OK)
        return false;
    for (size_t i = 0; i < num; i++) {
        uint32_t at = axis_at(a, &x, entries[i].point);
        if (at != IK_NONE && (!value || axis_matches(&x, at, value)))
            return true;
    }
    return false;
}

static ik_status available_check_metric(axes *a, const view_entry *entries, size_t num,
                                        metric_id id, const ytree *place, const char *owner,
                                        ik_error *err)
{
    const metric_group_row *group = &metric_groups[metrics[id].of];
    if (!group->axis || available_can_have(a, entries, num, group->axis, group->value))
        return IK_OK;
    ik_status status = ytree_fail(place, err, "%s: none of its points has the result '%s'", owner,
                                  metrics[id].name);
    return ik_hint(err, status, "%s", group->hint);
}

ik_status check_available(axes *a, const view_entry *entries, size_t num, const result_expr *e,
                          const ytree *place, const char *owner, ik_error *err)
{
    if (a->partial || !e->text)
        return IK_OK;
    ik_status status = available_check_metric(a, entries, num, e->first, place, owner, err);
    return status == IK_OK && e->op
               ? available_check_metric(a, entries, num, e->second, place, owner, err)
               : status;
}
