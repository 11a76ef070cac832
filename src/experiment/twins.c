/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/twins.c: the same variant twice in a section would be the same points twice.
 */
#include "experiment/experiment_impl.h"

#include <stdlib.h>
#include <string.h>

/* Equal ones as they stand in the list. */
static int by_bare(const void *a, const void *b)
{
    const variant *x = *(const variant *const *)a, *y = *(const variant *const *)b;
    int order = strcmp(x->bare, y->bare);
    return order ? order : (x > y) - (x < y);
}

static ik_status refuse_pair(section_id id, const variant *v, const variant *again, ik_error *err)
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
    qsort(sorted, list->num, sizeof *sorted, by_bare);
    ik_status status = IK_OK;
    for (size_t i = 1; i < list->num && status == IK_OK; i++)
        if (strcmp(sorted[i - 1]->bare, sorted[i]->bare) == 0)
            status = refuse_pair(id, sorted[i - 1], sorted[i], err);
    free(sorted);
    return status;
}
