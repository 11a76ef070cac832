/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/reference.c: resolves normalise_by: which points are divided by.
 *
 * The points of the reference are those that have the values of normalise_by, and those of `where`
 * as far as the reference has any (select_like). Where normalise_by gives values of the figure's
 * own axes, the reference is one of its curves; else it is no part of the figure (a crossbar, of
 * which a curve over the parents of a tree has no point). A point is divided by the reference with
 * the same values of the figure's axes. An axis in which the reference has one value alone stands
 * for all values, if normalise_by is about it: it is named; or it is a parameter that the
 * reference lacks; or a whole design (a routing) is named, and the axis is of a section that
 * designs have (of the VCs or the selection that the routing has).
 */
#include "experiment/figures/view.h"

#include <stdlib.h>
#include <string.h>

static bool reference_has_axis(const figure_view *v, const char *name)
{
    for (int i = 0; i < VIEW_KEYS; i++)
        if (v->has[i] && strcmp(v->key[i].name, name) == 0)
            return true;
    return false;
}

/* Sections that go with a value of `design`, or of `routing`. */
static bool reference_goes_with(const char *name, const char *key)
{
    static const char *const sections[] = {"vc",     "vcs",     "selection", /* of a routing */
                                           "fabric", "routing", "switch",    "adapter"};
    size_t num = strcmp(name, "design") == 0 ? 7 : strcmp(name, "routing") == 0 ? 3 : 0;
    for (size_t i = 0; i < num; i++)
        if (strcmp(sections[i], key) == 0)
            return true;
    return false;
}

/* Is normalise_by about an axis: by its name, as a parameter of what is named or the whole of it,
 * or as what goes with it? */
static bool reference_is_named(const axes *a, const matches *m, const axis *x)
{
    const char *key = a->keys[x->key].name;
    size_t length = strlen(key);
    for (size_t i = 0; i < m->num; i++) {
        const char *name = m->items[i].axis;
        bool same_key = strncmp(name, key, length) == 0 && (!name[length] || name[length] == '.');
        if (strcmp(name, x->name) == 0 || (same_key && (!x->param || !name[length])) ||
            reference_goes_with(name, key))
            return true;
    }
    return false;
}

/* Leaves the points of the reference that one item of `where` allows. If none is left because
 * normalise_by is about the axis, or because the reference has nothing of it, all stay. */
static ik_status reference_select_like(selection *s, const figure *f, const axis_match *item,
                                       const char *owner, ik_error *err)
{
    size_t num = s->a->num_points;
    bool *before = ik_calloc(num + 1, sizeof *before), lacks = true;
    if (!before)
        return ik_fail_memory(err, num, "the points of a figure");
    memcpy(before, s->chosen, num * sizeof *before);
    axis x;
    ik_status status = find_placed(s->a, item->axis, NULL, item->place, &x, err);
    if (status == IK_OK)
        status = select_matching(s, &(matches){.items = (axis_match *)item, .num = 1}, owner, err);
    for (size_t p = 0; status == IK_OK && p < num; p++)
        lacks &= !before[p] || axis_at(s->a, &x, p) == IK_NONE;
    bool idle =
        status == IK_OK && s->num == 0 && (lacks || reference_is_named(s->a, &f->normalise_by, &x));
    if (idle)
        memcpy(s->chosen, before, num * sizeof *before);
    free(before);
    if (status != IK_OK || s->num || idle)
        return status;
    status = ytree_fail(f->normalise_by.place, err,
                        "%s: no point of the sweep has all of these values", owner);
    return ik_hint(err, status, "'where' also applies to normalise_by, and says '%.60s: %.60s'",
                   item->axis, item->values[0]);
}

/* The points of normalise_by, and of these what `where` says beside it. */
static ik_status select_reference(selection *s, const figure *f, const char *owner, ik_error *err)
{
    ik_status status = select_matching(s, &f->normalise_by, owner, err);
    for (size_t i = 0; i < f->where.num && status == IK_OK; i++) {
        bool otherwise = false;
        for (size_t k = 0; k < f->normalise_by.num; k++)
            otherwise |= strcmp(f->where.items[i].axis, f->normalise_by.items[k].axis) == 0;
        if (!otherwise)
            status = reference_select_like(s, f, &f->where.items[i], owner, err);
    }
    return status;
}

ik_status reference_choose(axes *a, const figure_view *v, bool *chosen, bool **by,
                           const char *owner, ik_error *err)
{
    const matches *m = &v->f->normalise_by;
    bool own = true, any = false;
    *by = ik_calloc(a->num_points + 1, sizeof **by);
    if (!*by)
        return ik_fail_memory(err, a->num_points, "the points of a figure");
    for (size_t i = 0; i < m->num; i++) {
        own &= reference_has_axis(v, m->items[i].axis);
        if (m->items[i].num != 1)
            return ytree_fail(m->items[i].node, err, "%s: normalise_by takes one value of '%s'",
                              owner, m->items[i].axis);
    }
    for (size_t p = 0; p < a->num_points; p++)
        (*by)[p] = true;
    selection s = {a, *by, a->num_points};
    ik_status status = select_reference(&s, v->f, owner, err);
    if (status != IK_OK)
        return status;
    for (size_t p = 0; p < a->num_points; p++) {
        chosen[p] = chosen[p] && (own || !(*by)[p]);
        any |= chosen[p];
    }
    return any ? IK_OK
               : ytree_fail(m->place, err, "%s: normalise_by leaves no other point to be drawn",
                            owner);
}

/* Slots that stand for every value. */
static void reference_free_slots(const axes *a, figure_view *v)
{
    for (int i = 0; i < VIEW_KEYS; i++) {
        bool single = v->has[i] && v->num_by > 0;
        for (size_t k = 1; k < v->num_by && single; k++)
            single = v->by[k].key[i] == v->by[0].key[i];
        v->by_any[i] = single && (v->by[0].key[i] == IK_NONE ||
                                  reference_is_named(a, &v->f->normalise_by, &v->key[i]));
        for (size_t k = 0; k < v->num_by && v->by_any[i]; k++)
            v->by[k].key[i] = 0;
    }
    sort_entries(v->by, v->num_by);
}

static ik_status reference_check_each(const figure_view *v, const char *owner, ik_error *err)
{
    for (size_t i = 0; i < v->num_entries; i++) {
        view_entry like = v->entries[i];
        for (int k = 0; k < VIEW_KEYS; k++)
            like.key[k] = v->by_any[k] ? 0 : like.key[k];
        if (find_entry(v->by, v->num_by, &like))
            continue;
        bool x = v->has[KEY_X] && !v->by_any[KEY_X];
        ik_status status =
            ytree_fail(v->f->normalise_by.place, err,
                       x ? "%s: there is nothing to divide by at %s = %s"
                         : "%s: there is nothing to divide by for some of its points",
                       owner, x ? v->key[KEY_X].name : "",
                       x ? axis_label(&v->key[KEY_X], like.key[KEY_X]) : "");
        return ik_hint(err, status,
                       "its points have the same x, series and panel, but where normalise_by says "
                       "which, or names a design");
    }
    return IK_OK;
}

ik_status reference_resolve(axes *a, figure_view *v, const bool *by, const name_list *but,
                            const char *owner, ik_error *err)
{
    const ytree *place = v->f->normalise_by.place;
    char name[160];
    size_t first, second;
    ik_status status = list_chosen(a, v, by, &v->by, &v->num_by, err);
    if (status != IK_OK)
        return status;
    reference_free_slots(a, v);
    if (!find_mixed(a, v->by, v->num_by, but, name, sizeof name, &first, &second))
        return a->partial ? IK_OK : reference_check_each(v, owner, err);
    status = ytree_fail(place, err,
                        "%s: normalise_by has several points for one of the figure: "
                        "they differ in '%s'",
                        owner, name);
    return ik_hint(err, status, "take one of them: normalise_by: {%s: …}", name);
}
