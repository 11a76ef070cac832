/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/misfits.c: combinations of a sweep whose routing does not fit its fabric, whatever
 * its settings. They are refused before the first point: a product was written where designs were
 * meant. Trying costs as much as making, so what was made is kept for its turn; where all of it
 * would be too much, routings are tried on the first fabric of each family.
 */
#include "experiment/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pair of families that was tried. */
struct judged {
    struct judged *next;
    const char *fabric, *routing;
};

static const char *routing_name(const ik_experiment *e, const point *at)
{
    return experiment_variant(e, at, SECTION_ROUTING)->name;
}

/* Whether there is room for one more plan on a fabric. */
static bool may_keep(const runner *r, const ik_fabric *f)
{
    static const uint64_t most = 1 << 24; /* entries of all tables */
    return r->tried_entries + (uint64_t)f->num_switches * f->num_hosts <= most;
}

/* Whether a routing is to be tried on a fabric; remembered. */
static bool to_be_tried(runner *r, const ik_fabric *f, const point *at)
{
    static const uint64_t small = 1 << 16; /* entries of all tables */
    const char *fabric = experiment_variant(r->e, at, SECTION_FABRIC)->name,
               *routing = routing_name(r->e, at);
    for (const struct judged *k = r->judged; k; k = k->next)
        if (strcmp(k->fabric, fabric) == 0 && strcmp(k->routing, routing) == 0)
            return experiment_simulates(r->e) &&
                   ((uint64_t)f->num_switches * f->num_hosts <= small || may_keep(r, f));
    struct judged *made = ik_calloc(1, sizeof *made);
    if (made) { /* without memory it is tried again */
        *made = (struct judged){r->judged, fabric, routing};
        r->judged = made;
    }
    return true;
}

void misfits_free(runner *r)
{
    while (r->judged) {
        struct judged *next = r->judged->next;
        free(r->judged);
        r->judged = next;
    }
}

bool misfit_is_limit(const ik_error *why)
{
    static const char *const limits[] = {"t_max", "vcs"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *at = strstr(why->settings, limits[i]);
        size_t length = strlen(limits[i]);
        if (at && (at == why->settings || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    }
    return false;
}

static ik_status refuse(const runner *r, const point *at, const ik_error *why, ik_error *err)
{
    const ik_experiment *e = r->e;
    const variant *fabric = experiment_variant(e, at, SECTION_FABRIC);
    if (!err)
        return why->status;
    *err = *why;
    snprintf(err->text, sizeof err->text, "%.60s does not fit %.100s: %.300s", routing_name(e, at),
             fabric->label, why->text);
    return ik_hint(err, why->status,
                   "%.300s%sskip_misfits: true runs the others; 'designs' names the fabrics and "
                   "routings that belong together",
                   why->hint, why->hint[0] ? "; " : "");
}

static void keep_tried(runner *r, const ik_fabric *f, size_t number, ik_plan *plan)
{
    if (may_keep(r, f)) {
        r->tried[number] = plan;
        r->tried_entries += (uint64_t)f->num_switches * f->num_hosts;
    } else {
        ik_plan_free(plan);
    }
}

/* The plans among these whose routing is of plan k's family. */
static ik_status try_family(runner *r, const ik_fabric *f, const plan_block *plans, size_t num,
                            size_t k, ik_error *err)
{
    ik_error why = {0}, first = {0};
    for (size_t i = k; i < num; i++) {
        ik_plan *plan = NULL;
        if (strcmp(routing_name(r->e, &plans[i].at), routing_name(r->e, &plans[k].at)) != 0)
            continue;
        ik_status status = plan_make_for(r, f, &plans[i].at, &plan, &why);
        if (status == IK_OK)
            keep_tried(r, f, (size_t)(&plans[i] - r->e->plans), plan);
        if (status == IK_OK || (status == IK_ERR_UNSUPPORTED && misfit_is_limit(&why)))
            return IK_OK;
        if (status != IK_ERR_UNSUPPORTED) {
            if (err)
                *err = why;
            return status;
        }
        if (first.status == IK_OK)
            first = why;
    }
    return refuse(r, &plans[k].at, &first, err);
}

/* Whether plan k is the first of its routing's family. */
static bool is_first(const runner *r, const plan_block *plans, size_t k)
{
    size_t i = 0;
    while (strcmp(routing_name(r->e, &plans[i].at), routing_name(r->e, &plans[k].at)) != 0)
        i++;
    return i == k;
}

ik_status misfits_check(runner *r, const ik_fabric *f, size_t first, size_t num, ik_error *err)
{
    const plan_block *plans = r->e->plans + first;
    ik_status status = IK_OK;
    if (experiment_option(r->e, OPTION_SKIP_MISFITS)->u)
        return IK_OK;
    for (size_t k = 0; k < num && status == IK_OK; k++)
        if (is_first(r, plans, k) && to_be_tried(r, f, &plans[k].at))
            status = try_family(r, f, plans, num, k, err);
    return status;
}

ik_status misfits_refuse(const runner *r, const plan_slot *slots, size_t num, ik_error *err)
{
    if (num == 1 || experiment_option(r->e, OPTION_SKIP_MISFITS)->u)
        return IK_OK; /* the only plan of all: the run ends with its error */
    for (size_t k = 0; k < num; k++) {
        bool fits = !slots[k].unusable || misfit_is_limit(slots[k].why);
        for (size_t i = 0; i < num && !fits; i++)
            fits =
                strcmp(routing_name(r->e, &slots[i].at), routing_name(r->e, &slots[k].at)) == 0 &&
                (!slots[i].unusable || misfit_is_limit(slots[i].why));
        if (!fits)
            return refuse(r, &slots[k].at, slots[k].why, err);
    }
    return IK_OK;
}
