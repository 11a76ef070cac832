/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/stored.c: reads the experiment of a results file again.
 */
#include "experiment/stored.h"

#include "experiment/experiment_impl.h"

#include <string.h>

/* What was set, a line each, as the list that reading takes, with the scale; NULL: no memory. */
static const char **stored_list_overrides(const char *scale, const char *overrides, ik_arena *arena)
{
    size_t num = 0, used = 0;
    for (const char *at = overrides; *at; at++)
        num += *at == '\n';
    const char **list = ik_arena_alloc(arena, (num + 3) * sizeof *list);
    for (const char *at = overrides; list && *at;) {
        size_t length = strcspn(at, "\n");
        if (!(list[used++] = ik_arena_printf(arena, "%.*s", (int)length, at)))
            return NULL;
        at += length + (at[length] != '\0');
    }
    if (list &&
        !(list[used++] = ik_arena_printf(arena, "scale=%s", scale[0] ? scale : SCALE_DEFAULT)))
        return NULL;
    if (list)
        list[used] = NULL;
    return list;
}

ik_status stored_axes(const char *text, const char *scale, const char *overrides, axes *out,
                      ik_error *err)
{
    ik_arena arena = {0};
    ik_experiment *e = NULL;
    const char **list = stored_list_overrides(scale, overrides, &arena);
    ik_status status =
        list ? experiment_read_as(text, strlen(text), "stored experiment", list, false, &e, err)
             : ik_fail_memory(err, strlen(overrides), "an experiment");
    if (status == IK_OK)
        status = points_axes(e, out, err);
    ik_experiment_free(e);
    ik_arena_free(&arena);
    return status;
}
