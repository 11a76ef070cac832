/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/available.c: results that only some points have. What no point of a figure or
 * claim can have is refused before the run.
 */
#include "experiment/figures/view.h"

/* From first to last: what a point needs to have these results. */
static const struct {
    metric_id first, last;
    const char *axis, *value; /* NULL: any */
    const char *hint;
} needs[] = {
    {METRIC_BLOCKED, METRIC_TREE, "measure.series", NULL, "measure: {series: 5 us}"},
    {METRIC_ARRIVAL, METRIC_THROTTLED_MAX, "adapter.in_order", "true", "adapter: {in_order: true}"},
    {METRIC_ROUND_TRIP, METRIC_OUTSTANDING, "adapter.reply", NULL, "adapter: {reply: 64 B}"},
    {METRIC_COMPLETION, METRIC_EFFECTIVE, "measure.until", "delivered",
     "finite workloads have it, and measure: {until: delivered, at_most: 10 ms}"},
    {METRIC_SATURATION_LOAD, METRIC_SATURATION_LOAD, "load.find", NULL,
     "load: {find: saturation}; of a sweep over loads a claim can ask metric: saturation"}};

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
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (id < needs[i].first || id > needs[i].last ||
            available_can_have(a, entries, num, needs[i].axis, needs[i].value))
            continue;
        ik_status status = ytree_fail(place, err, "%s: none of its points has the result '%s'",
                                      owner, metrics[id].name);
        return ik_hint(err, status, "%s", needs[i].hint);
    }
    return IK_OK;
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
