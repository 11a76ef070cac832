/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/files.c: the files that a variant is made of. */
#include "base/file_list.h"
#include "experiment/experiment_impl.h"
#include "experiment/patterns.h"

#include <string.h>
#include <sys/stat.h>

/* ---- paths: relative to the experiment's folder, or, where nothing is found there, to the current
 * one */

bool experiment_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A file, or what stands for some: a folder or a pattern. */
static bool is_there(const char *path)
{
    char **files;
    uint32_t num;
    if (experiment_is_file(path))
        return true;
    ik_status status = ik_file_list(path, &files, &num, NULL);
    if (status == IK_OK)
        ik_file_list_free(files, num);
    return status == IK_OK || status == IK_ERR_MEMORY; /* which is said when it is listed */
}

const char *experiment_resolve_path(ik_experiment *e, const char *path)
{
    if (path[0] == '/' || !e->folder[0])
        return path;
    const char *beside = ik_arena_printf(&e->arena, "%s/%s", e->folder, path);
    return beside && (is_there(beside) || !is_there(path)) ? beside : path;
}

static ik_status add_file(ik_experiment *e, variant *v, const char *path, ik_error *err)
{
    const char **files = ik_arena_alloc(&e->arena, (v->num_files + 1) * sizeof *files),
               *copy = ik_arena_strdup(&e->arena, path);
    if (!files || !copy)
        return ik_fail_memory(err, strlen(path), "an experiment");
    if (v->num_files)
        memcpy(files, v->files, v->num_files * sizeof *files);
    files[v->num_files++] = copy;
    v->files = files;
    return IK_OK;
}

/* The files that a name stands for; itself where there are none: that is said before the run. */
static ik_status add_files(ik_experiment *e, variant *v, const char *path, ik_error *err)
{
    char **files;
    uint32_t num;
    ik_status status = ik_file_list(path, &files, &num, err);
    if (status != IK_OK)
        return status == IK_ERR_MEMORY ? status : add_file(e, v, path, err);
    for (uint32_t k = 0; k < num && status == IK_OK; k++)
        status = add_file(e, v, files[k], err);
    ik_file_list_free(files, num);
    return status;
}

ik_status experiment_resolve_files(ik_experiment *e, variant *v, const patterns *p,
                                   const char *owner, ik_error *err)
{
    ik_status status = patterns_write(e, v, p, PATTERNS_SPEC, owner, err);
    for (size_t i = 0; i < p->num && status == IK_OK; i++)
        for (size_t k = 0; k < p->found.items[i].num_files && status == IK_OK; k++)
            status = add_file(e, v, p->found.items[i].files[k], err);
    for (size_t i = 0; i < v->params.num && status == IK_OK; i++) {
        const ik_value *value = &v->params.values[i];
        if (v->params.decl[i].type != IK_PARAM_PATH || !value->has || value->word)
            continue;
        const char *path = experiment_resolve_path(e, value->text);
        status = path ? add_files(e, v, path, err) : ik_fail_memory(err, 1, "an experiment");
        v->params.source = value->source;
        if (status == IK_OK)
            status = ik_params_set(&v->params, owner, v->params.decl[i].name, path, value->line,
                                   value->column, err);
    }
    return status;
}
