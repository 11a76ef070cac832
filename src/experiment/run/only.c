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
    bool *takes; /* [axis.num] values that are asked for; NULL: one before has the same name */
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

/* The values of each axis that are asked for, with the first that names it. O(asked * values). */
static ik_status only_mark_values(axes *a, asked *list, size_t num, ik_error *err)
{
    for (size_t i = 0; i < num; i++) {
        size_t first = 0;
        while (strcmp(list[first].name, list[i].name) != 0)
            first++;
        asked *of = &list[first];
        size_t size = of->axis.num + 1;
        if (first == i) {
            of->takes = ik_arena_alloc(&a->arena, size);
            if (!of->takes)
                return ik_fail_memory(err, size, "an experiment");
            memset(of->takes, 0, size);
        }
        for (uint32_t value = 0; value < of->axis.num; value++)
            of->takes[value] |= axis_matches(&of->axis, value, list[i].value);
    }
    return IK_OK;
}

/* Each axis that is named has one of the values that are named of it. */
static bool only_takes(const axes *a, const asked *list, size_t num, uint64_t number)
{
    for (size_t i = 0; i < num; i++) {
        uint32_t value = list[i].takes ? axis_at(a, &list[i].axis, number) : 0;
        if (list[i].takes && (value == IK_NONE || !list[i].takes[value]))
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
    if (status == IK_OK)
        status = only_mark_values(&a, list, num, err);
    bool none = true; /* in all shards */
    for (uint64_t i = 0; i < r->e->num_points && status == IK_OK; i++) {
        bool takes = only_takes(&a, list, num, i);
        none = none && !takes;
        if (!r->elsewhere[i] && !takes) {
            r->elsewhere[i] = true;
            r->mine--;
        }
    }
    if (status == IK_OK && (none || (r->mine == 0 && r->part->num_shards < 2)))
        status = ik_fail(err, IK_ERR_USAGE,
                         "no point has all of the values that are asked for (only %s%s)", texts[0],
                         num > 1 ? " and others" : "");
    axes_free(&a);
    return status;
}
