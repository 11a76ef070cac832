/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/left_out.c: says once for each routing on a fabric which of its plans could not be
 * made. A sweep may well begin where a routing does not work yet: that is a note with the number of
 * those that are infeasible. A routing of which no plan fits the fabric is an error. And what
 * earlier runs left out of points that are not this run's.
 */
#include "experiment/run/run.h"

#include <stdio.h>
#include <string.h>

static const char *left_out_family_of(const runner *r, const plan_slot *slot)
{
    return experiment_variant(r->e, &slot->at, SECTION_ROUTING)->name;
}

/* Appends the value of a section if the sweep has several. */
static size_t left_out_append_value(const runner *r, const plan_slot *slot, section_id id,
                                    char *out, size_t room, size_t used)
{
    if (experiment_list(r->e, slot->at.design, id)->num == 1 || used >= room)
        return used;
    return used + (size_t)snprintf(out + used, room - used, " %s=%s", schema_section(id)->name,
                                   experiment_variant(r->e, &slot->at, id)->label);
}

/* "cowen:t_max=1 vcs=2" */
static void left_out_print_plan(const runner *r, const plan_slot *slot, char *out, size_t room)
{
    const variant *routing = experiment_variant(r->e, &slot->at, SECTION_ROUTING);
    size_t used = (size_t)snprintf(out, room, "%s", routing->label);
    used = left_out_append_value(r, slot, SECTION_VC, out, room, used);
    used = left_out_append_value(r, slot, SECTION_VCS, out, room, used);
    left_out_append_value(r, slot, SECTION_SELECTION, out, room, used);
}

/* The plans of a family that are infeasible, or else left out, the last of them with its reason. */
static void left_out_tell_family(runner *r, const plan_slot *slots, size_t num, const char *family,
                                 bool infeasible)
{
    enum { LISTED = 6 };
    size_t all = 0, left_out = 0, used = 0;
    const ik_error *why = NULL;
    char list[600] = "", plan[160];
    for (size_t i = 0; i < num; i++) {
        if (strcmp(left_out_family_of(r, &slots[i]), family) != 0)
            continue;
        all++;
        if (!slots[i].unusable || slots[i].infeasible != infeasible)
            continue;
        why = slots[i].why;
        left_out_print_plan(r, &slots[i], plan, sizeof plan);
        if (left_out++ < LISTED && used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", plan);
    }
    const char *more = left_out > LISTED ? ", …" : "";
    const char *more_why = why->hint[0] ? "; " : "";
    bool skip = infeasible || experiment_option(r->e, OPTION_SKIP_MISFITS)->u;
    const char *what = infeasible ? "infeasible" : left_out == all && skip ? "skipped" : "left out";
    if (left_out < all)
        tell_note(r, IK_NOTE, "%zu of %zu plans with %s are %s (%s%s): %s%s%s", left_out, all,
                  family, what, list, more, why->text, more_why, why->hint);
    else
        tell_note(r, skip ? IK_NOTE : IK_ERROR, "%s%s %s %s: %s%s%s", list, more,
                  all > 1 ? "are" : "is", what, why->text, more_why, why->hint);
    r->failed |= left_out == all && !skip;
}

/* Of each family the plans that are infeasible, or else left out. */
static void left_out_tell_families(runner *r, const plan_slot *slots, size_t num, bool infeasible)
{
    enum { MOST_FAMILIES = 64 };
    const char *shown[MOST_FAMILIES];
    size_t num_shown = 0;
    for (size_t i = 0; i < num && num_shown < MOST_FAMILIES; i++) {
        const char *family = left_out_family_of(r, &slots[i]);
        bool told = !slots[i].unusable || slots[i].infeasible != infeasible;
        for (size_t k = 0; k < num_shown; k++)
            told |= strcmp(shown[k], family) == 0;
        if (told)
            continue;
        shown[num_shown++] = family;
        left_out_tell_family(r, slots, num, family, infeasible);
    }
}

void plans_tell_left_out(runner *r, const plan_slot *slots, size_t num)
{
    if (num == 1 && r->e->num_plans == 1)
        return; /* the only plan of all: the run ends with its error */
    left_out_tell_families(r, slots, num, false);
    if (r->e->num_over == 0) /* of samples the report says how many are feasible */
        left_out_tell_families(r, slots, num, true);
}

/* ---- of other points */

/* Keeps points first … end - 1 that are neither this run's nor finished. */
static void left_out_keep_others(runner *r, uint64_t first, uint64_t end, const char *what,
                                 const char *why)
{
    for (uint64_t i = first, next; i < end; i = next + 1) {
        for (next = i; next < end && r->elsewhere[next] && !r->finished[next];)
            next++;
        if (next > i)
            note_left_out_as(r, i, next - i, what, why);
    }
}

ik_status left_out_keep(runner *r, ik_error *err)
{
    static const char sql[] =
        "SELECT value ->> 'first', value ->> 'points', value ->> 'what', value ->> 'why' FROM "
        "json_each((SELECT value FROM meta WHERE key = 'left_out' AND json_valid(value))) WHERE "
        "type = 'object'";
    sqlite3_stmt *statement = NULL;
    bool row = true;
    if (!r->elsewhere)
        return IK_OK;
    ik_status status = store_prepare(r->store, sql, NULL, &statement, err);
    while (status == IK_OK && (status = store_step(r->store, statement, &row, err)) == IK_OK &&
           row) {
        const char *what = "", *why = "";
        int64_t first = sqlite3_column_int64(statement, 0);
        int64_t num = sqlite3_column_int64(statement, 1);
        status = store_text(statement, 2, &what, err);
        if (status == IK_OK)
            status = store_text(statement, 3, &why, err);
        if (status == IK_OK && first >= 0 && (uint64_t)first < r->e->num_points && num > 0) {
            uint64_t rest = r->e->num_points - (uint64_t)first;
            uint64_t here = (uint64_t)num < rest ? (uint64_t)num : rest;
            left_out_keep_others(r, (uint64_t)first, (uint64_t)first + here, what, why);
        }
    }
    sqlite3_finalize(statement);
    return status;
}
