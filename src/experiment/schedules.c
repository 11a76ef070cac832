/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/schedules.c: reading schedules. */
#include "experiment/schedules.h"
#include "experiment/members.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys_of_entries[] = {"until", "traffic", "load", "name", NULL};

static const ik_param until_row = {
    "until", IK_PARAM_TIME, "", 0, 1e15, NULL, "when the next entry begins"};
static const ik_param load_row = {"load", IK_PARAM_FRACTION,          "", 1e-6, 1,
                                  NULL,   "offered load of the entry"};

/* ---- one entry */

static ik_status schedules_place_value(ik_status status, const ytree *node, ik_error *err)
{
    if (status != IK_OK)
        ik_error_at(err, node->file, node->line, node->column);
    return status;
}

static ik_status schedules_read_untils(ik_experiment *e, const ytree *entry, sweep *out,
                                       ik_error *err)
{
    const ytree *node = ytree_get(entry, "until");
    if (!node)
        return sweep_add(out, NULL, entry, &e->arena, err);
    ik_status status = sweep_expand(node, &until_row, &e->arena, out, err);
    for (size_t i = 0; i < out->num && status == IK_OK; i++) {
        uint64_t ps;
        status = schedules_place_value(ik_parse_quantity(out->text[i], IK_DIM_TIME, &ps, err),
                                       out->place[i], err);
        if (status == IK_OK && ps == 0)
            status = ytree_fail(out->place[i], err, "'until' is 0: the entry would be empty");
    }
    return status;
}

/* In percent, however they were written: that is how a schedule's text knows them from times. */
static ik_status schedules_read_loads(ik_experiment *e, const ytree *entry, sweep *out,
                                      ik_error *err)
{
    const ytree *node = ytree_get(entry, "load");
    if (!node)
        return sweep_add(out, NULL, entry, &e->arena, err);
    ik_status status = sweep_expand(node, &load_row, &e->arena, out, err);
    for (size_t i = 0; i < out->num && status == IK_OK; i++) {
        double load = 0;
        status = schedules_place_value(ik_parse_real(out->text[i], IK_DIM_FRACTION, &load, err),
                                       out->place[i], err);
        if (status == IK_OK && !(load >= load_row.min && load <= load_row.max))
            status = ytree_fail(out->place[i], err, "'load' is %.40s, outside [0.0001%%, 100%%]",
                                out->text[i]);
        out->text[i] = ik_arena_printf(&e->arena, "%.12g%%", 100 * load);
        if (status == IK_OK && !out->text[i])
            status = ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

static ik_status schedules_read_traffic(ik_experiment *e, const ytree *entry, sweep *out,
                                        ik_error *err)
{
    const ytree *node = ytree_get(entry, "traffic");
    if (!node)
        return ytree_fail(entry, err,
                          "an entry of a schedule has the key 'traffic', and may have 'until', "
                          "'load' and 'name'");
    ik_status status = members_read_traffic(e, node, out, err);
    for (size_t i = 0; i < out->num && status == IK_OK; i++) {
        ik_spec spec;
        status = ik_spec_parse(out->text[i], &e->arena, &spec, err);
        const ik_traffic_family *family = status == IK_OK ? ik_traffic_find(spec.name) : NULL;
        if (!family || (!family->ends && strcmp(family->name, "schedule") != 0))
            continue;
        status = ytree_fail(out->place[i], err,
                            family->ends ? "traffic '%.60s' ends, and an entry of a schedule does "
                                           "not"
                                         : "'%.60s' is a schedule: list its entries instead",
                            out->text[i]);
        ik_hint(err, status,
                "entries are patterns that go on; workloads one after the other are 'jobs' with a "
                "start");
    }
    return status;
}

/* Texts of an entry: one for every combination of its times, loads and patterns. */
static ik_status schedules_combine(ik_experiment *e, const ytree *entry, const sweep *untils,
                                   const sweep *loads, const sweep *found, sweep *out,
                                   ik_error *err)
{
    const ytree *name = ytree_get(entry, "name");
    ik_status status = IK_OK;
    size_t all = untils->num * loads->num * found->num;
    for (size_t i = 0; i < all && status == IK_OK; i++) {
        const char *until = untils->text[i / found->num / loads->num],
                   *load = loads->text[i / found->num % loads->num], *numbers = until;
        if (load)
            numbers = until ? ik_arena_printf(&e->arena, "%s@%s", until, load) : load;
        const ik_spec_member m = {numbers, name ? name->text : NULL, found->text[i % found->num]};
        const char *text =
            numbers || !load ? ik_spec_members_print(IK_PARAM_SCHEDULE, &m, 1, &e->arena) : NULL;
        ytree *parts = members_parts(YTREE_MAP, entry, 4, &e->arena);
        const ytree *until_at = until ? untils->place[i / found->num / loads->num] : NULL,
                    *load_at = load ? loads->place[i / found->num % loads->num] : NULL;
        bool made = text && parts && members_part(parts, "until", until_at, &e->arena) &&
                    members_part(parts, "load", load_at, &e->arena) &&
                    members_part(parts, "name", name, &e->arena) &&
                    members_part(parts, "traffic", found->place[i % found->num], &e->arena);
        status = made ? sweep_add(out, text, parts, &e->arena, err)
                      : ik_fail_memory(err, 1, "an experiment");
    }
    return status;
}

static ik_status schedules_read_entry(ik_experiment *e, const ytree *entry, sweep *out,
                                      ik_error *err)
{
    if (entry->kind != YTREE_MAP)
        return ytree_fail(entry, err, "an entry of a schedule is a mapping, found %s",
                          ytree_kind_name(entry->kind));
    sweep untils = {0}, loads = {0}, found = {0};
    const ytree *name = ytree_get(entry, "name");
    ik_status status =
        members_check_keys(entry, "key of an entry of a schedule", keys_of_entries, err);
    if (status == IK_OK && name)
        status = members_check_name(name, "an entry", "&|@", err);
    if (status == IK_OK)
        status = schedules_read_untils(e, entry, &untils, err);
    if (status == IK_OK)
        status = schedules_read_loads(e, entry, &loads, err);
    if (status == IK_OK)
        status = schedules_read_traffic(e, entry, &found, err);
    return status == IK_OK ? schedules_combine(e, entry, &untils, &loads, &found, out, err)
                           : status;
}

/* ---- the list */

static ik_status schedules_check_borders(const ytree *list, ik_error *err)
{
    for (size_t i = 0; i < list->num; i++) {
        const ytree *until =
            list->items[i]->kind == YTREE_MAP ? ytree_get(list->items[i], "until") : NULL;
        bool last = i + 1 == list->num;
        if (last && until) {
            ytree_fail(until, err, "'until' of the last entry: it lasts to the end of the run");
            return ik_hint(err, IK_ERR_INPUT, "leave it out, or add the entry that follows");
        }
        if (!last && !until && list->items[i]->kind == YTREE_MAP) {
            ytree_fail(list->items[i], err, "entry %zu of %zu has no 'until'", i + 1, list->num);
            return ik_hint(err, IK_ERR_INPUT, "every entry but the last one has: until: 100 us");
        }
    }
    return IK_OK;
}

static uint64_t schedules_until_of(const ik_spec_member *m)
{
    char text[64];
    uint64_t ps = UINT64_MAX;
    size_t length = m->share ? strcspn(m->share, "@") : 0;
    if (length && length < sizeof text) {
        memcpy(text, m->share, length);
        text[length] = '\0';
        if (ik_parse_quantity(text, IK_DIM_TIME, &ps, NULL) != IK_OK)
            ps = UINT64_MAX;
    }
    return ps;
}

/* Of one combination of the entries' values. */
static ik_status schedules_check_times(ik_experiment *e, const ytree *parts, const char *text,
                                       ik_error *err)
{
    ik_spec_member *members;
    size_t num;
    ik_status status =
        ik_spec_members_parse(IK_PARAM_SCHEDULE, text, &e->arena, &members, &num, err);
    for (size_t i = 1; status == IK_OK && i + 1 < num; i++) {
        if (schedules_until_of(&members[i]) > schedules_until_of(&members[i - 1]))
            continue;
        ytree_fail(ytree_get(parts->items[i], "until"), err,
                   "'until' (%.40s) is no later than that of the entry before (%.40s)",
                   members[i].share, members[i - 1].share);
        return ik_hint(err, IK_ERR_INPUT, "times grow from entry to entry");
    }
    return status;
}

ik_status schedule_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                          ik_error *err)
{
    if (node->kind == YTREE_MAP)
        return ytree_fail(node, err, "a schedule is a list of mappings, found one mapping");
    if (node->kind != YTREE_LIST || node->num == 0 || node->items[0]->kind == YTREE_SCALAR)
        return sweep_expand(node, p, &e->arena, out, err);
    size_t before = out->num;
    ik_status status = IK_OK;
    if (node->items[0]->kind == YTREE_MAP) {
        status = schedules_check_borders(node, err);
        if (status == IK_OK)
            status = members_combine(e, node, schedules_read_entry, '&', out, err);
        for (size_t i = before; i < out->num && status == IK_OK; i++)
            status = schedules_check_times(e, out->place[i], out->text[i], err);
        return status;
    }
    for (size_t i = 0; i < node->num && status == IK_OK; i++)
        status = schedule_expand(e, node->items[i], p, out, err);
    return status;
}

ik_status schedule_as_traffic(ik_experiment *e, ytree *root, ik_error *err)
{
    ytree *list = ytree_get(root, "schedule");
    if (!list)
        return IK_OK;
    const char *other = ytree_get(root, "traffic") ? "traffic" : "jobs";
    if (ytree_get(root, other)) {
        ytree_fail(list, err, "'schedule' and '%s' both say who sends: give only one of them",
                   other);
        return ik_hint(err, IK_ERR_INPUT, "each entry of a schedule has its own traffic");
    }
    ytree *map = ytree_new(YTREE_MAP, list->file, list->line, list->column, &e->arena),
          *family = ytree_new(YTREE_SCALAR, list->file, list->line, list->column, &e->arena);
    if (!map || !family)
        return ik_fail_memory(err, sizeof *map, "an experiment");
    family->text = "schedule";
    ik_status status = ytree_set(map, "family", family, &e->arena, err);
    if (status == IK_OK)
        status = ytree_set(map, "entries", list, &e->arena, err);
    return status == IK_OK ? ytree_set(root, "traffic", map, &e->arena, err) : status;
}

/* ---- what entries say */

static bool schedules_load_of(const ik_spec_member *m, double *load)
{
    const char *at = m->share;
    while (at && at[strcspn(at, "@%")] == '@')
        at += strcspn(at, "@") + 1;
    return at && strchr(at, '%') && ik_parse_real(at, IK_DIM_FRACTION, load, NULL) == IK_OK;
}

static bool is_schedule(const variant *v)
{
    return strcmp(v->name, "schedule") == 0 && v->params.num > 0;
}

const ik_value *schedule_value(const variant *v)
{
    return is_schedule(v) ? &v->params.values[0] : NULL;
}

ik_status schedule_each(const variant *v, schedule_fn fn, void *ctx, ik_error *err)
{
    if (!is_schedule(v))
        return IK_OK;
    const ik_spec_member *list = v->params.values[0].members;
    uint64_t start = 0;
    ik_status status = IK_OK;
    for (size_t i = 0; i < v->params.values[0].num_members && status == IK_OK; i++) {
        schedule_entry entry = {list[i].spec, start, 0, false};
        entry.has_load = schedules_load_of(&list[i], &entry.load);
        status = fn(ctx, &entry, err);
        start = schedules_until_of(&list[i]);
    }
    return status;
}

static ik_status schedules_note_open(void *ctx, const schedule_entry *entry, ik_error *err)
{
    (void)err;
    *(bool *)ctx |= !entry->has_load;
    return IK_OK;
}

bool schedule_has_own_loads(const variant *v)
{
    bool open = false;
    return is_schedule(v) && schedule_each(v, schedules_note_open, &open, NULL) == IK_OK && !open;
}
