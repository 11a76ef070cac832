/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds_merge.c: the findings of a round beside those of the round before. Both are sorted by what
 * tells them apart, so that one walk finds which opened, which closed and which stay; of several
 * that are alike the first is the first. A finding that closed is remembered for a day: one that
 * comes and goes is then reported with how often.
 */
#include "base/array.h"
#include "subnet/rounds/rounds_impl.h"

#include <string.h>

enum { MOST_GROWTH = 2, REMEMBERED_S = 86400, MOST_REMEMBERED = 10000 };

bool rounds_is_own(const char *code)
{
    return strcmp(code, "cannot-read") == 0 || strcmp(code, "cannot-write") == 0 ||
           strcmp(code, "command-warned") == 0;
}

ik_status rounds_changes_add(rounds_changes *c, const ik_round_change *change, ik_error *err)
{
    if (!IK_ARRAY_ROOM(c->list, c->cap, c->num + 1))
        return ik_fail_memory(err, (c->num + 1) * sizeof *change, "the changes of a round");
    c->list[c->num++] = *change;
    return IK_OK;
}

typedef struct rounds_merger {
    rounds_state *next;
    rounds_changes *changes;
    double time_s;
    size_t remembered;
    ik_error *err;
} rounds_merger;

/* Hands a finding on, and reports it; event IK_ROUND_EVENTS: nothing is to be reported. */
static ik_status rounds_merge_hand_on(rounds_merger *m, const ik_round_finding *f,
                                      ik_round_event event)
{
    ik_status status = rounds_state_add(m->next, f, m->err);
    if (status != IK_OK || event == IK_ROUND_EVENTS)
        return status;
    ik_round_finding *kept = ik_arena_alloc(m->changes->arena, sizeof *kept);
    if (!kept)
        return ik_fail_memory(m->err, sizeof *kept, "the changes of a round");
    *kept = m->next->findings[m->next->num - 1];
    const ik_round_change change = {event,       kept->severity, kept->code,
                                    kept->place, kept->text,     kept};
    return rounds_changes_add(m->changes, &change, m->err);
}

static ik_status rounds_merge_open(rounds_merger *m, const ik_round_finding *now,
                                   const ik_round_finding *before)
{
    ik_round_finding f = *now;
    f.opened_s = m->time_s;
    f.first_s = before ? before->first_s : m->time_s;
    f.times = before && before->times < UINT32_MAX ? before->times + 1 : 1;
    return rounds_merge_hand_on(m, &f, IK_ROUND_OPENED);
}

static ik_status rounds_merge_stay(rounds_merger *m, const ik_round_finding *now,
                                   const ik_round_finding *before)
{
    ik_round_finding f = *now;
    bool grew = now->count > MOST_GROWTH * before->count || now->severity > before->severity;
    f.count = grew ? now->count : before->count;
    f.first_s = before->first_s;
    f.opened_s = before->opened_s;
    f.times = before->times;
    return rounds_merge_hand_on(m, &f, grew ? IK_ROUND_GREW : IK_ROUND_EVENTS);
}

/* One that is not there now. */
static ik_status rounds_merge_gone(rounds_merger *m, const ik_round_finding *before, bool good)
{
    ik_round_finding f = *before;
    if (f.closed_s > 0)
        return f.closed_s + REMEMBERED_S < m->time_s || m->remembered++ >= MOST_REMEMBERED
                   ? IK_OK
                   : rounds_merge_hand_on(m, &f, IK_ROUND_EVENTS);
    if (!good && !rounds_is_own(f.code))
        return rounds_merge_hand_on(m, &f, IK_ROUND_EVENTS);
    f.closed_s = m->time_s;
    return rounds_merge_hand_on(m, &f, IK_ROUND_CLOSED);
}

ik_status rounds_merge(const rounds_state *before, const ik_round_finding *now, size_t num_now,
                       bool good, double time_s, rounds_state *next, rounds_changes *c,
                       ik_error *err)
{
    rounds_merger m = {next, c, time_s, 0, err};
    size_t b = 0, n = 0;
    ik_status status = IK_OK;
    while (status == IK_OK && (b < before->num || n < num_now)) {
        const ik_round_finding *old = b < before->num ? &before->findings[b] : NULL,
                               *new = n < num_now ? &now[n] : NULL;
        int order = !old ? 1 : !new ? -1 : rounds_state_compare(old, new);
        b += order <= 0;
        n += order >= 0;
        if (order < 0)
            status = rounds_merge_gone(&m, old, good);
        else if (order > 0 || old->closed_s > 0)
            status = rounds_merge_open(&m, new, order == 0 ? old : NULL);
        else
            status = rounds_merge_stay(&m, new, old);
    }
    rounds_state_sort(next->findings, next->num);
    return status;
}
