/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/claim_view.c: resolves claims: the address of a side must lead to the samples
 * of one value, or of one curve.
 */
#include "experiment/figures/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct claim_maker {
    axes *a;
    const claim *c;
    claim_view *v;
    name_list but;
    char owner[112];
} claim_maker;

static ik_status claim_view_list_side(claim_maker *k, const selection *s, claim_side *out,
                                      ik_error *err)
{
    out->entries = ik_arena_alloc(&k->a->arena, (s->num + 1) * sizeof *out->entries);
    if (!out->entries)
        return ik_fail_memory(err, s->num * sizeof *out->entries, "the points of a claim");
    for (size_t p = 0; p < k->a->num_points; p++)
        if (s->chosen[p]) {
            view_entry *e = &out->entries[out->num_entries++];
            e->point = p;
            e->key[KEY_X] = k->v->has_x ? axis_at(k->a, &k->v->x, p) : 0;
        }
    sort_entries(out->entries, out->num_entries);
    return IK_OK;
}

/* Values of the axis that the points of a side have, for a message: "uniform, shift". */
static void claim_view_list_values(const claim_maker *k, const claim_side *side, const char *name,
                                   char *out, size_t size)
{
    axis x;
    size_t used = 0;
    out[0] = '\0';
    if (axes_find(k->a, name, k->but.items, k->but.num, &x, NULL) != IK_OK)
        return;
    for (uint32_t i = 0; i < x.num && used < size; i++)
        for (size_t e = 0; e < side->num_entries; e++)
            if (axis_at(k->a, &x, side->entries[e].point) == i) {
                used += (size_t)snprintf(out + used, size - used, "%s%.40s", used ? ", " : "",
                                         axis_label(&x, i));
                break;
            }
}

/* Where the result is named. */
static const ytree *claim_view_result_place(const claim *c)
{
    bool y = c->measure != CLAIM_VALUE && ytree_get(c->node, "y");
    return figures_place(c->node, y ? "y" : "metric");
}

static ik_status claim_view_make_side(claim_maker *k, const matches *own, const char *key,
                                      claim_side *out, ik_error *err)
{
    selection s = {k->a, ik_calloc(k->a->num_points + 1, sizeof *s.chosen), k->a->num_points};
    char owner[160], name[160], values[160];
    size_t first, second;
    if (!s.chosen)
        return ik_fail_memory(err, k->a->num_points, "the points of a claim");
    snprintf(owner, sizeof owner, "%s, '%s'", k->owner, key);
    for (size_t p = 0; p < k->a->num_points; p++)
        s.chosen[p] = true;
    ik_status status = select_matching(&s, own, owner, err);
    if (status == IK_OK)
        status = select_matching(&s, &k->c->at, owner, err);
    if (status == IK_OK)
        status = claim_view_list_side(k, &s, out, err);
    free(s.chosen);
    if (status == IK_OK && !k->v->searched)
        status = check_available(k->a, out->entries, out->num_entries, &k->c->y,
                                 claim_view_result_place(k->c), owner, err);
    if (status != IK_OK || !find_mixed(k->a, out->entries, out->num_entries, &k->but, name,
                                       sizeof name, &first, &second))
        return status;
    claim_view_list_values(k, out, name, values, sizeof values);
    status = ytree_fail(own->place ? own->place : k->c->node, err,
                        "%s matches several %s: they differ in '%s' (%s)", owner,
                        k->v->has_x ? "curves" : "points", name, values);
    return ik_hint(err, status, "take one value: %s: {%s: …}", k->v->has_x ? key : "at", name);
}

/* What is compared with a place along x has its unit. */
static ik_status claim_view_check_unit(const claim_maker *k, const char *unit, ik_error *err)
{
    const claim *c = k->c;
    if (c->measure == CLAIM_PLATEAU || c->measure == CLAIM_PEAK || c->ratio || !c->value_unit[0] ||
        strcmp(c->value_unit, unit) == 0)
        return IK_OK;
    return ytree_fail(figures_place(c->node, "value"), err, "%s: the values of '%s' %s%s", k->owner,
                      c->x, unit[0] ? "are in " : "have no unit", unit);
}

/* Curves are along x: load for their saturation. A search for that needs no curve. */
static ik_status claim_view_find_curve_axis(claim_maker *k, ik_error *err)
{
    const claim *c = k->c;
    if (c->measure == CLAIM_VALUE || c->measure == CLAIM_ORDER || c->measure == CLAIM_TABLE)
        return IK_OK;
    k->v->searched = c->measure == CLAIM_SATURATION && axes_has(k->a, "load.find");
    if (k->v->searched)
        return claim_view_check_unit(k, "%", err);
    const ytree *place = figures_place(c->node, "x");
    k->v->has_x = true;
    return find_placed(k->a, c->x, &k->but, place, &k->v->x, err);
}

static void claim_view_mark_used(const claim_side *side, bool *used)
{
    for (size_t i = 0; i < side->num_entries; i++)
        if (side->entries[i].key[KEY_X] != IK_NONE)
            used[side->entries[i].key[KEY_X]] = true;
}

/* The places along x of the curves' points are numbers. */
static ik_status claim_view_check_numbers(const claim_maker *k, ik_error *err)
{
    claim_view *v = k->v;
    if (!v->has_x)
        return IK_OK;
    bool *used = ik_calloc(v->x.num + 1, sizeof *used);
    if (!used)
        return ik_fail_memory(err, v->x.num, "the axes of a sweep");
    for (size_t i = 0; i < k->c->num_of; i++)
        claim_view_mark_used(&v->of[i], used);
    claim_view_mark_used(&v->against, used);
    axis_find_numbers(&v->x, used);
    free(used);
    return v->x.numeric ? claim_view_check_unit(k, v->x.unit, err)
                        : ytree_fail(figures_place(k->c->node, "x"), err,
                                     "%s: the values of '%s' are not numbers along which a curve "
                                     "runs",
                                     k->owner, k->c->x);
}

ik_status claim_resolve(axes *a, const claim *c, const name_list *over, claim_view *out,
                        ik_error *err)
{
    claim_view v = {.c = c};
    claim_maker k = {.a = a, .c = c, .v = &v};
    snprintf(k.owner, sizeof k.owner, "claim '%.80s'", c->text);
    v.of = ik_arena_alloc(&a->arena, c->num_of * sizeof *v.of);
    if (!v.of)
        return ik_fail_memory(err, c->num_of * sizeof *v.of, "a claim");
    ik_status status =
        find_over(a, &c->over, figures_place(c->node, "over"), over, k.owner, &k.but, err);
    if (status == IK_OK)
        status = claim_view_find_curve_axis(&k, err);
    v.samples = k.but;
    for (size_t i = 0; i < c->num_of && status == IK_OK; i++)
        status = claim_view_make_side(&k, &c->of[i], "of", &v.of[i], err);
    v.has_against = c->against.place != NULL;
    if (status == IK_OK && v.has_against)
        status = claim_view_make_side(&k, &c->against, "against", &v.against, err);
    if (status == IK_OK)
        status = claim_view_check_numbers(&k, err);
    if (status == IK_OK)
        *out = v;
    return status;
}
