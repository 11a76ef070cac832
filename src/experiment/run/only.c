/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/only.c: which points a run takes that is asked for those with some values alone.
 */
#include "experiment/figures/axes.h"
#include "experiment/run/run.h"

#include <string.h>

/* "design=D-mod-K", divided. */
typedef struct asked {
    const char *name, *value;
    axis axis;
} asked;

static ik_status only_read(const ik_experiment *e, axes *a, const char *text, asked *out,
                           ik_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        ik_status status = ik_fail(err, IK_ERR_USAGE, "'%.80s' selects no points", text);
        return ik_hint(err, status, "write it like design=D-mod-K or load=50%%");
    }
    out->name = ik_arena_printf(&a->arena, "%.*s", (int)(equals - text), text);
    out->value = equals + 1;
    if (!out->name)
        return ik_fail_memory(err, strlen(text), "an experiment");
    ik_status status = axes_find(a, out->name, e->over, e->num_over, &out->axis, err);
    for (uint32_t i = 0; status == IK_OK && i < out->axis.num; i++)
        if (axis_matches(&out->axis, i, out->value))
            return IK_OK;
    return status == IK_OK ? axis_fail_unknown(&out->axis, out->value, err) : status;
}

/* Each axis that is named has one of the values that are named of it. */
static bool only_takes(const axes *a, const asked *list, size_t num, uint64_t number)
{
    for (size_t i = 0; i < num; i++) {
        bool any = false;
        for (size_t k = 0; k < num && !any; k++) {
            uint32_t value = axis_at(a, &list[k].axis, number);
            any = strcmp(list[k].name, list[i].name) == 0 && value != IK_NONE &&
                  axis_matches(&list[k].axis, value, list[k].value);
        }
        if (!any)
            return false;
    }
    return true;
}

ik_status only_find(runner *r, ik_error *err)
{
    const char *const *texts = r->part->only;
    size_t num = 0;
    axes a = {0};
    while (texts[num])
        num++;
    ik_status status = points_axes(r->e, &a, err);
    asked *list = status == IK_OK ? ik_arena_alloc(&a.arena, num * sizeof *list) : NULL;
    if (status == IK_OK && !list)
        status = ik_fail_memory(err, num * sizeof *list, "an experiment");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = only_read(r->e, &a, texts[i], &list[i], err);
    for (uint64_t i = 0; i < r->e->num_points && status == IK_OK; i++)
        if (!r->elsewhere[i] && !only_takes(&a, list, num, i)) {
            r->elsewhere[i] = true;
            r->mine--;
        }
    if (status == IK_OK && r->mine == 0 && r->part->num_shards < 2)
        status = ik_fail(err, IK_ERR_USAGE, "no point has all of the values that are asked for");
    axes_free(&a);
    return status;
}
