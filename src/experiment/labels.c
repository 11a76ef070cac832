/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/labels.c: names that an experiment gives its patterns, for figures and claims.
 *
 * A label is a parameter of section traffic alone: it is part of what is stored of a point, so that
 * `traffic.label` is an axis like any other, and no part of the spec that a pattern is made of.
 */
#include "experiment/experiment_impl.h"

#include <stdlib.h>
#include <string.h>

/* SIZE_MAX: what this is has no labels, or was given none. */
static size_t labels_find_label(const variant *v)
{
    for (size_t i = 0; i < v->params.num; i++)
        if (strcmp(v->params.decl[i].name, TRAFFIC_LABEL) == 0 && v->params.values[i].has)
            return i;
    return SIZE_MAX;
}

const char *label_of_variant(const variant *v)
{
    size_t i = labels_find_label(v);
    return i == SIZE_MAX ? NULL : v->params.values[i].text;
}

/* Characters that are seen, and no "-", which stands for no label. */
static bool labels_is_name(const char *label)
{
    bool seen = false;
    for (const unsigned char *c = (const unsigned char *)label; *c; c++) {
        if (*c < ' ' || *c == 0x7f)
            return false;
        seen |= *c != ' ' && !(*c == '-' && !label[1]);
    }
    return seen && !strpbrk(label, ",:;=+&|");
}

ik_status label_check(const variants *list, const variant *v, ik_error *err)
{
    const char *label = label_of_variant(v), *other;
    ik_status status = IK_OK;
    if (label && !labels_is_name(label))
        status = ik_fail(err, IK_ERR_INPUT,
                         "a label is a name without ',', ':', ';', '=', '+', '&' and '|' and not "
                         "'-' alone, found '%.60s'",
                         label);
    for (size_t i = 0; label && i < list->num && status == IK_OK; i++)
        if ((other = label_of_variant(&list->items[i])) && strcmp(other, label) == 0)
            status = ik_fail(err, IK_ERR_INPUT, "two patterns have the label '%.60s'", label);
    if (status != IK_OK) {
        ik_about(err, status, TRAFFIC_LABEL);
        place_in_variant(v, SECTION_TRAFFIC, err);
    }
    return status;
}

const char *label_print_without(variant *v, bool all)
{
    size_t i = labels_find_label(v);
    if (i == SIZE_MAX)
        return ik_params_print(&v->params, all);
    v->params.values[i].has = false;
    const char *text = ik_params_print(&v->params, all);
    v->params.values[i].has = true;
    return text;
}

/* ---- the same variant twice in a section would be the same points twice */

/* Equal ones as they stand in the list. */
static int labels_by_bare(const void *a, const void *b)
{
    const variant *x = *(const variant *const *)a, *y = *(const variant *const *)b;
    int order = strcmp(x->bare, y->bare);
    return order ? order : (x > y) - (x < y);
}

static ik_status labels_refuse_pair(section_id id, const variant *v, const variant *again,
                                    ik_error *err)
{
    const char *name = schema_section(id)->name, *one = label_of_variant(v),
               *other = label_of_variant(again);
    if (!one && !other)
        return ytree_fail(again->place, err, "'%s' has the value '%.100s' twice", name,
                          again->label[0] ? again->label : "defaults");
    ik_status status = ytree_fail(again->place, err,
                                  "'%s' has the same pattern twice, with label '%.60s' and with "
                                  "%s%.60s%s",
                                  name, one ? one : other, one && other ? "label '" : "none",
                                  one && other ? other : "", one && other ? "'" : "");
    return ik_hint(err, status, "a pattern runs once, and has one label");
}

ik_status twins_refuse(section_id id, const variants *list, ik_error *err)
{
    const variant **sorted = ik_calloc(list->num, sizeof *sorted);
    if (!sorted)
        return ik_fail_memory(err, list->num * sizeof *sorted, "an experiment");
    for (size_t i = 0; i < list->num; i++)
        sorted[i] = &list->items[i];
    qsort(sorted, list->num, sizeof *sorted, labels_by_bare);
    ik_status status = IK_OK;
    for (size_t i = 1; i < list->num && status == IK_OK; i++)
        if (strcmp(sorted[i - 1]->bare, sorted[i]->bare) == 0)
            status = labels_refuse_pair(id, sorted[i - 1], sorted[i], err);
    free(sorted);
    return status;
}
