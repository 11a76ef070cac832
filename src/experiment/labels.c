/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/labels.c: names that an experiment gives its patterns, for figures and claims.
 *
 * A label is a parameter of section traffic alone: it is part of what is stored of a point, so that
 * `traffic.label` is an axis like any other, and no part of the spec that a pattern is made of.
 */
#include "experiment/experiment_impl.h"

#include <string.h>

/* SIZE_MAX: what this is has no labels, or was given none. */
static size_t find_label(const variant *v)
{
    for (size_t i = 0; i < v->params.num; i++)
        if (strcmp(v->params.decl[i].name, TRAFFIC_LABEL) == 0 && v->params.values[i].has)
            return i;
    return SIZE_MAX;
}

const char *label_of_variant(const variant *v)
{
    size_t i = find_label(v);
    return i == SIZE_MAX ? NULL : v->params.values[i].text;
}

ik_status label_check(const variants *list, const variant *v, ik_error *err)
{
    const char *label = label_of_variant(v), *other;
    if (!label)
        return IK_OK;
    if (!label[0] || strpbrk(label, ",:;=+&|"))
        return ytree_fail(v->place, err,
                          "a label is a name without ',', ':', ';', '=', '+', '&' and '|', found "
                          "'%.60s'",
                          label);
    for (size_t i = 0; i < list->num; i++)
        if ((other = label_of_variant(&list->items[i])) && strcmp(other, label) == 0)
            return ytree_fail(v->place, err, "two patterns have the label '%.60s'", label);
    return IK_OK;
}

const char *label_print_without(variant *v)
{
    size_t i = find_label(v);
    if (i == SIZE_MAX)
        return ik_params_print(&v->params, false);
    v->params.values[i].has = false;
    const char *text = ik_params_print(&v->params, false);
    v->params.values[i].has = true;
    return text;
}
