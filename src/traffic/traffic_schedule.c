/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_schedule.c: one pattern after the other: A until 100 us, then B.
 *
 * Which pattern a message follows depends on when it is made, and that depends on its source's
 * rate: a run counts once for every source and entry which message is the first (core/schedule.c),
 * and from then on everything about a message is again a function of its source and number.
 *
 * All entries draw from the same seed, so that two entries of one pattern at different loads are
 * that pattern; messages have different numbers and so different draws.
 */
#include "registry/registry.h"
#include "traffic/blend.h"
#include "traffic/pattern.h"
#include "traffic/schedule.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWNER "traffic 'schedule'"

static const ik_param params[] = {
    {"entries", IK_PARAM_SCHEDULE, NULL, 0, 0, NULL,
     "[NAME][@UNTIL][@LOAD]=PATTERN joined by '&', a pattern with parameters in parentheses "
     "(\"@2 us@20%=uniform&@50%=(shift:3)\"); UNTIL: when the next entry begins (not for the "
     "last one); LOAD in %: the load of the point if not given; NAME: name of the entry's class in "
     "statistics"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct schedule {
    ik_schedule list;
    ik_schedule_entry entries[SCHEDULE_MAX];
    ik_traffic *members[SCHEDULE_MAX]; /* owned, unless it is bound */
    pattern_name name[SCHEDULE_MAX];
    const char *names[SCHEDULE_MAX + 1];
    blend_part parts[SCHEDULE_MAX];
    bool bound; /* a copy for a run */
} schedule;

static void schedule_destroy(ik_traffic *t)
{
    schedule *x = t->impl;
    for (unsigned k = 0; k < x->list.num && !x->bound; k++)
        ik_traffic_free(x->members[k]);
    free(x->list.first);
    free(x);
    t->impl = NULL;
}

/* ---- times and loads */

/* A member of a list, for messages. */
typedef struct numbered_entry {
    const ik_spec_member *m;
    unsigned number;
} numbered_entry;

static ik_status schedule_refuse(const numbered_entry *of, const char *text, const char *why,
                                 ik_error *err)
{
    ik_about(
        err,
        ik_fail(err, IK_ERR_USAGE, OWNER ", entry '%.60s': '%.40s' %s", of->m->spec, text, why),
        "entries/%u/%s", of->number, strchr(text, '%') ? "load" : "until");
    return ik_hint(err, IK_ERR_USAGE, "@100 us@20%%=uniform&@50%%=shift:by=3");
}

static ik_status schedule_read_load(const numbered_entry *of, const char *text,
                                    ik_schedule_entry *e, ik_error *err)
{
    if (!isnan(e->load))
        return schedule_refuse(of, text, "is a second load", err);
    if (ik_parse_real(text, IK_DIM_FRACTION, &e->load, NULL) != IK_OK)
        return schedule_refuse(of, text, "is not a load", err);
    return e->load >= 1e-6 && e->load <= 1
               ? IK_OK
               : schedule_refuse(of, text, "is outside [0.0001%, 100%]", err);
}

static ik_status schedule_read_until(const numbered_entry *of, const char *text,
                                     ik_schedule_entry *e, ik_error *err)
{
    enum { LONGEST_S = 1000 };
    if (e->until_ps != UINT64_MAX)
        return schedule_refuse(of, text, "is a second time", err);
    if (ik_parse_quantity(text, IK_DIM_TIME, &e->until_ps, NULL) != IK_OK)
        return schedule_refuse(of, text, "is neither a time (100 us) nor a load (20%)", err);
    return e->until_ps > 0 && e->until_ps <= LONGEST_S * UINT64_C(1000000000000)
               ? IK_OK
               : schedule_refuse(of, text, "is not a time above 0 and up to 1000 s", err);
}

/* What stands before '=': "100 us@20%". */
static ik_status schedule_read_numbers(const numbered_entry *of, ik_schedule_entry *e,
                                       ik_error *err)
{
    char text[64];
    e->until_ps = UINT64_MAX;
    e->load = NAN;
    if (!of->m->share)
        return IK_OK;
    for (const char *at = of->m->share;;) {
        size_t length = strcspn(at, "@");
        if (length == 0 || length >= sizeof text)
            return schedule_refuse(of, of->m->share, "is neither a time (100 us) nor a load (20%)",
                                   err);
        memcpy(text, at, length);
        text[length] = '\0';
        ik_status s =
            (strchr(text, '%') ? schedule_read_load : schedule_read_until)(of, text, e, err);
        if (s != IK_OK || !at[length])
            return s;
        at += length + 1;
    }
}

static ik_status schedule_check_order(const schedule *x, ik_error *err)
{
    for (unsigned k = 0; k < x->list.num; k++) {
        bool last = k + 1 == x->list.num;
        if (last != (x->entries[k].until_ps == UINT64_MAX)) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             last ? OWNER
                                 ": entry '%s' is the last one and has a time until which it lasts"
                                  : OWNER ": entry '%s' does not say until when it lasts",
                             x->names[k]),
                     "entries/%u/until", k);
            return ik_hint(err, IK_ERR_USAGE,
                           "every entry but the last one has such a time: "
                           "@100 us=uniform&shift:by=3");
        }
        if (!last && x->entries[k].until_ps <= schedule_start(&x->list, k)) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             OWNER
                             ": entry '%s' ends at %llu ps, when it has not begun: it begins at "
                             "%llu ps",
                             x->names[k], (unsigned long long)x->entries[k].until_ps,
                             (unsigned long long)schedule_start(&x->list, k)),
                     "entries/%u/until", k);
            return ik_hint(err, IK_ERR_USAGE, "times grow from entry to entry");
        }
    }
    return IK_OK;
}

/* ---- making */

/* The pattern's own error, with the entry's name. */
static ik_status schedule_name_entry(const char *name, unsigned k, ik_status status, ik_error *err)
{
    if (!err)
        return status;
    ik_error inner = *err;
    ik_fail(err, status, OWNER ", entry '%.60s': %s", name, inner.text);
    ik_about_within(err, ik_about(err, status, "%s", inner.settings), "entries/%u/traffic", k);
    ik_error_at(err, inner.file, inner.line, inner.column);
    registry_keep(err, &inner);
    return status;
}

static ik_status schedule_make_entry(ik_traffic *t, schedule *x, unsigned k,
                                     const ik_spec_member *m, const ik_env *env, ik_error *err)
{
    ik_env own = env ? *env : (ik_env){0};
    own.seed = t->seed;
    ik_status s = schedule_read_numbers(&(numbered_entry){m, k}, &x->entries[k], err);
    if (s != IK_OK)
        return s;
    s = ik_traffic_from_spec(t->fabric, m->spec, &own, &x->members[k], err);
    if (s != IK_OK)
        return schedule_name_entry(x->names[k], k, s, err);
    ik_traffic *made = x->members[k];
    if (made->workload) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, OWNER ": entry '%s' is traffic '%.60s', which ends",
                         x->names[k], made->spec),
                 "entries/%u/traffic", k);
        return ik_hint(err, IK_ERR_USAGE,
                       "entries are patterns that go on; workloads one after the other are jobs "
                       "with a start");
    }
    if (made->schedule) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, OWNER ": entry '%s' is a schedule itself", x->names[k]),
                 "entries/%u/traffic", k);
        return ik_hint(err, IK_ERR_USAGE, "list its entries instead");
    }
    x->entries[k].traffic = made;
    x->entries[k].name = x->names[k];
    x->parts[k] = (blend_part){made, 1, x->list.num};
    t->of_fabric |= made->of_fabric;
    return IK_OK;
}

static ik_status schedule_make_entries(ik_traffic *t, schedule *x, const ik_spec_member *list,
                                       const ik_env *env, ik_error *err)
{
    ik_status s = pattern_name_members(OWNER, list, x->list.num, x->name, err);
    for (unsigned k = 0; k < x->list.num; k++)
        x->names[k] = x->name[k];
    for (unsigned k = 0; k < x->list.num && s == IK_OK; k++)
        s = schedule_make_entry(t, x, k, &list[k], env, err);
    if (s == IK_OK)
        s = schedule_check_order(x, err);
    return s == IK_OK ? pattern_join_notes(t, x->members, x->list.num, err) : s;
}

static ik_status schedule_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                 ik_error *err)
{
    size_t num;
    const ik_spec_member *list = ik_params_members(p, "entries", &num);
    if (num > SCHEDULE_MAX)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, OWNER ": %s, %d is the maximum",
                                IK_COUNT(num, "entry"), SCHEDULE_MAX),
                        "entries");
    schedule *x = ik_calloc(1, sizeof *x);
    if (!x)
        return ik_fail_memory(err, sizeof *x, OWNER);
    t->impl = x;
    x->list = (ik_schedule){.num = (unsigned)num, .entries = x->entries};
    t->schedule = &x->list;
    t->classes = x->names;
    t->gaps = true; /* a host may be silent for a time */
    return schedule_make_entries(t, x, list, env, err);
}

ik_status schedule_bind(const ik_traffic *t, ik_traffic **out, ik_error *err)
{
    const schedule *of = t->impl;
    size_t cells = (size_t)t->num_hosts * of->list.num;
    ik_traffic *made = ik_calloc(1, sizeof *made);
    schedule *x = ik_calloc(1, sizeof *x);
    uint64_t *first = ik_calloc(cells ? cells : 1, sizeof *first);
    char *spec = strdup(t->spec);
    if (!made || !x || !first || !spec) {
        free(made);
        free(x);
        free(first);
        free(spec);
        return ik_fail_memory(err, cells * sizeof *first, "the messages of a schedule");
    }
    *x = *of;
    x->bound = true;
    x->list = (ik_schedule){of->list.num, x->entries, first};
    for (unsigned k = 0; k < x->list.num; k++)
        x->names[k] = x->entries[k].name = x->name[k];
    *made = *t;
    made->impl = x;
    made->spec = spec;
    made->portable = made->note = NULL;
    made->classes = x->names;
    made->schedule = &x->list;
    *out = made;
    return IK_OK;
}

/* ---- messages */

unsigned schedule_entry_of(const ik_schedule *s, uint32_t src, uint64_t n)
{
    assert(s->num > 0);
    if (!s->first)
        return (unsigned)(n % s->num);
    const uint64_t *first = s->first + (size_t)src * s->num;
    unsigned k = s->num - 1;
    while (k && first[k] > n)
        k--;
    return k;
}

double ik_schedule_load(const ik_schedule_entry *entry, double load)
{
    return isnan(entry->load) ? load : entry->load;
}

static unsigned schedule_class_of(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    return schedule_entry_of(t->schedule, src, n);
}

static double schedule_class_share(const ik_traffic *t, uint32_t src, unsigned class)
{
    (void)src;
    (void)class;
    return 1.0 / t->schedule->num;
}

static uint32_t schedule_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const ik_schedule *s = t->schedule;
    const ik_traffic *entry = s->entries[schedule_entry_of(s, src, n)].traffic;
    return entry->family->dest(entry, src, s->first ? n : n / s->num);
}

static bool schedule_silent(const ik_traffic *t, uint32_t src)
{
    for (unsigned k = 0; k < t->schedule->num; k++)
        if (!ik_traffic_is_silent(t->schedule->entries[k].traffic, src))
            return false;
    return true;
}

static void schedule_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const schedule *x = t->impl;
    blend_flows(x->parts, x->list.num, src, fn, ctx);
}

const ik_traffic_family ik_traffic_schedule = {
    .name = "schedule",
    .summary = "one pattern after the other, each until a given time, with its own load and class "
               "in the statistics",
    .source = "ikat",
    .details = "Each entry gives the pattern of the messages that are generated from the end of "
               "the entry before it until its own time; the last entry goes on to the end of the "
               "run. At the beginning of an entry the sources start as at the beginning of a run, "
               "with the entry's load. In an experiment, section `schedule` is a list of mappings "
               "with the keys `until`, `traffic`, `load` and `name`. Entries are classes of "
               "messages, so results are reported for each. All entries draw from one seed: the "
               "same pattern twice has the same destinations (permutations can be given their own "
               "seed). 'ikat load' reports static measures of each entry.",
    .params = params,
    .create = schedule_create,
    .destroy = schedule_destroy,
    .dest = schedule_dest,
    .silent = schedule_silent,
    .flows = schedule_flows,
    .class_of = schedule_class_of,
    .class_share = schedule_class_share,
};
