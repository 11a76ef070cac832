/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/stored.c: reads the experiment of a results file again, and whether files are of one
 * sweep.
 */
#include "experiment/stored.h"

#include "experiment/experiment_impl.h"

#include <stdlib.h>
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

/* ---- files of one sweep */

/* What must be the same in all files; `file`, the experiment's name, and left_out need not. */
static const char *const same_meta[STORED_SAME] = {
    "version", "experiment", "overrides", "scale", "figures", "expect", "over", "num_points"};

static ik_status stored_refuse_other(const stored_sweep *sweep, const char *path, const char *key,
                                     const char *value, ik_error *err)
{
    if (strcmp(key, "version") == 0) {
        ik_fail(err, IK_ERR_INPUT, "'%.150s' was written by %s%.40s", path,
                value[0] ? "ikat " : "an ikat that is not named", value);
        return ik_hint(err, IK_ERR_INPUT, "results of two versions are not mixed; this is ikat %s",
                       ik_version());
    }
    ik_fail(err, IK_ERR_INPUT, "'%.150s' and '%.150s' are of different experiments: %s", path,
            sweep->first,
            strcmp(key, "experiment") == 0  ? "the file of the experiment is not the same"
            : strcmp(key, "overrides") == 0 ? "the values set with --set are not the same"
            : strcmp(key, "scale") == 0     ? "the scale is not the same"
                                            : "they differ in what was asked for");
    return ik_hint(err, IK_ERR_INPUT,
                   "'ikat merge' joins what 'ikat run FILE --shard' made of one "
                   "file; results of several files stay apart");
}

ik_status stored_same_sweep(stored_sweep *sweep, const store *s, ik_error *err)
{
    ik_status status = IK_OK;
    if (!sweep->first && !(sweep->first = ik_arena_strdup(&sweep->arena, store_path(s))))
        return ik_fail_memory(err, strlen(store_path(s)), "a sweep");
    for (size_t i = 0; i < STORED_SAME && status == IK_OK; i++) {
        const char *value = "";
        status = store_get_meta(s, same_meta[i], &sweep->arena, &value, err);
        if (status != IK_OK)
            break;
        if (!sweep->meta[i])
            sweep->meta[i] = i ? value : ik_version();
        if (strcmp(value, sweep->meta[i]) != 0)
            status = stored_refuse_other(sweep, store_path(s), same_meta[i], value, err);
    }
    return status;
}

uint64_t stored_num_points(const stored_sweep *sweep)
{
    return strtoull(sweep->meta[STORED_SAME - 1], NULL, 10);
}

void stored_sweep_free(stored_sweep *sweep)
{
    ik_arena_free(&sweep->arena);
}
