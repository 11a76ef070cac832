/* SPDX-License-Identifier: Apache-2.0
 *
 * core/schedule.c: see schedule.h.
 */
#include "sim/core/schedule.h"

#include "traffic/schedule.h"

#include <assert.h>
#include <stdlib.h>

uint64_t sim_schedule_bytes(const ik_traffic *t, uint32_t num_sources)
{
    if (!t || !t->schedule)
        return 0;
    return sizeof(sim_schedule) + (uint64_t)num_sources * t->schedule->num *
                                      (sizeof(sim_rhythm) + sizeof(sim_gaps) + sizeof(uint64_t));
}

ik_status sim_schedule_check(const ik_schedule *list, uint64_t end_ps, ik_error *err)
{
    unsigned last = list->num - 1;
    if (schedule_start(list, last) < end_ps)
        return IK_OK;
    char start[40], end[40];
    ik_format_quantity(start, sizeof start, schedule_start(list, last), IK_DIM_TIME);
    ik_format_quantity(end, sizeof end, end_ps, IK_DIM_TIME);
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "traffic 'schedule': entry '%s' begins at %s, when the run is over (%s)",
                     list->entries[last].name, start, end),
             "measure.duration");
    return ik_hint(err, IK_ERR_USAGE, "a longer measure.duration, or earlier entries");
}

/* Time of message n of the source, the `local`-th of entry k. */
static uint64_t schedule_time_in(const sim_schedule *c, const sim_rhythm *r, unsigned k,
                                 uint64_t local, uint64_t before)
{
    uint64_t start = schedule_start(c->list, k),
             t = sim_rhythm_time(r, local, local ? before - start : 0);
    return t < SIM_NEVER - start ? start + t : SIM_NEVER;
}

uint64_t sim_schedule_time(const sim_schedule *c, uint32_t source, uint64_t n, uint64_t before)
{
    assert(source < c->num_sources);
    unsigned k = schedule_entry_of(c->list, source, n);
    size_t at = (size_t)source * c->list->num;
    return schedule_time_in(c, &c->rhythms[at + k], k, n - c->list->first[at + k], before);
}

/* Counts the messages of every entry of a source; of those behind the run's end there are none. */
static void schedule_count_entries(const sim_schedule *c, uint32_t source, uint64_t end_ps)
{
    size_t at = (size_t)source * c->list->num;
    uint64_t *first = c->list->first + at, n = 0;
    for (unsigned k = 0; k + 1 < c->list->num; k++) {
        uint64_t until =
                     c->list->entries[k].until_ps < end_ps ? c->list->entries[k].until_ps : end_ps,
                 local = 0, t = schedule_time_in(c, &c->rhythms[at + k], k, 0, 0);
        first[k] = n;
        while (t < until)
            t = schedule_time_in(c, &c->rhythms[at + k], k, ++local, t);
        n += local;
    }
    first[c->list->num - 1] = n;
}

static void schedule_make_rhythm(sim_schedule *c, const sim_schedule_setup *s, uint32_t source,
                                 unsigned k)
{
    const ik_schedule_entry *e = &c->list->entries[k];
    size_t at = (size_t)source * c->list->num + k;
    sim_rhythm *r = &c->rhythms[at];
    double load = ik_schedule_load(e, s->load);
    /* the first entry draws as a run of its pattern alone */
    *r = (sim_rhythm){.seed = k ? ik_random_u64(s->seed, IK_RNG_TRAFFIC_SETUP, UINT64_C(1) << 41, k)
                                : s->seed,
                      .source = source,
                      .gaps = &c->gaps[at]};
    if (ik_traffic_is_silent(e->traffic, source) ||
        !s->rhythm_of(s->ctx, source, k, load, r, &c->gaps[at]))
        r->kind = INJECT_NEVER;
    else
        r->phase_ps = sim_rhythm_phase(r);
}

ik_status sim_schedule_new(const sim_schedule_setup *setup, sim_schedule **out, ik_error *err)
{
    const ik_schedule *list = setup->traffic->schedule;
    size_t cells = (size_t)setup->num_sources * list->num;
    assert(list->first);
    sim_schedule *c = ik_calloc(1, sizeof *c);
    if (c) {
        c->list = list;
        c->num_sources = setup->num_sources;
        c->rhythms = ik_calloc(cells ? cells : 1, sizeof *c->rhythms);
        c->gaps = ik_calloc(cells ? cells : 1, sizeof *c->gaps);
    }
    if (!c || !c->rhythms || !c->gaps) {
        sim_schedule_free(c);
        return ik_fail_memory(err, cells * (sizeof *c->rhythms + sizeof *c->gaps), "a schedule");
    }
    for (uint32_t source = 0; source < setup->num_sources; source++) {
        for (unsigned k = 0; k < list->num; k++)
            schedule_make_rhythm(c, setup, source, k);
        schedule_count_entries(c, source, setup->end_ps);
    }
    *out = c;
    return IK_OK;
}

void sim_schedule_free(sim_schedule *c)
{
    if (!c)
        return;
    free(c->rhythms);
    free(c->gaps);
    free(c);
}
