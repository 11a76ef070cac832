/* SPDX-License-Identifier: Apache-2.0
 *
 * load_parts.c: goals in slices and parts, lost flows, memory limits: what the engines of load.h
 * share.
 */
#include "analysis/load.h"

#include <stdlib.h>

/* Goals of one part in one slice: few enough that progress is reported often. */
enum { GOALS_AT_ONCE = 32 };

ik_status load_note_lost(load_job *job, uint32_t row, uint32_t goal, ik_error *err)
{
    uint8_t **lost = &job->lost[goal];
    if (!*lost) /* few as a rule, so that most goals need no room for them */
        *lost = ik_calloc((size_t)job->d->num_rows / 8 + 1, 1);
    if (!*lost)
        return ik_fail_memory(err, job->d->num_rows / 8, "flows that do not arrive");
    (*lost)[row / 8] |= (uint8_t)(1 << row % 8);
    return IK_OK;
}

typedef struct slice {
    uint32_t first, end;
    size_t parts;
    load_goals_fn fn;
    void *ctx;
} slice;

static ik_status load_parts_run_part(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    const slice *s = ctx;
    uint64_t width = s->end - s->first;
    uint32_t first = s->first + (uint32_t)(width * index / s->parts),
             end = s->first + (uint32_t)(width * (index + 1) / s->parts);
    return first < end ? s->fn(s->ctx, index, thread, first, end, err) : IK_OK;
}

ik_status load_each_goal(const load_job *job, const ik_env *env, uint32_t first, uint32_t end,
                         uint32_t total, load_goals_fn fn, void *ctx, ik_error *err)
{
    ik_env quiet = env ? *env : (ik_env){0};
    uint32_t step = (uint32_t)job->num_parts * GOALS_AT_ONCE;
    ik_status status = IK_OK;
    quiet.progress = NULL;
    for (uint32_t at = first; at < end && status == IK_OK; at += step) {
        slice s = {at, end - at < step ? end : at + step, job->num_parts, fn, ctx};
        status = ik_parallel_for(&quiet, NULL, job->num_parts, load_parts_run_part, &s, err);
        if (status == IK_OK && env && env->progress)
            env->progress(env->progress_ctx, "channel loads", s.end, total, "destinations");
        if (end - at <= step)
            break;
    }
    return status;
}
