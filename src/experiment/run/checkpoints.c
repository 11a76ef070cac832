/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints of points: experiment/run/checkpoints.h. */
#include "experiment/run/checkpoints.h"
#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ik_status checkpoints_refuse(const runner *r, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint64_t i = 0; status == IK_OK && i < r->e->num_points; i++) {
        point p = experiment_point(r->e, i);
        ik_sim_config config = point_config(r->e, &p);
        status = sim_refuse_checkpoints(&config, r->env, err);
        if (!r->env->ranks)
            point_place(r->e, &p, status, err);
    }
    return status;
}

ik_status checkpoints_open(runner *r, const char *store_path, ik_error *err)
{
    static const char *const end = ".checkpoints";
    size_t size = strlen(store_path) + strlen(end) + 1;
    if (r->part->checkpoint_s <= 0 || !experiment_simulates(r->e))
        return IK_OK;
    ik_status status = checkpoints_refuse(r, err);
    if (status != IK_OK)
        return status;
    r->checkpoints = malloc(size);
    if (!r->checkpoints)
        return ik_fail_memory(err, size, "checkpoints");
    snprintf(r->checkpoints, size, "%s%s", store_path, end);
    struct stat info;
    r->made_checkpoints = mkdir(r->checkpoints, 0777) == 0;
    if (!r->made_checkpoints && errno != EEXIST)
        return ik_fail(err, IK_ERR_IO, "the folder '%.200s' of checkpoints cannot be made: %s",
                       r->checkpoints, strerror(errno));
    bool folder = stat(r->checkpoints, &info) == 0 && S_ISDIR(info.st_mode);
    if (folder && access(r->checkpoints, W_OK | X_OK) == 0)
        return IK_OK;
    return ik_fail(err, IK_ERR_IO, "'%.200s' is no folder where checkpoints can be written: %s",
                   r->checkpoints, strerror(folder ? errno : ENOTDIR));
}

/* A run that was killed after it had kept a result, and before it removed the files. */
static void checkpoints_remove_old(const runner *r)
{
    for (uint64_t i = 0; i < r->e->num_points; i++) {
        point p = experiment_point(r->e, i);
        bool several = load_search(experiment_variant(r->e, &p, SECTION_LOAD));
        point_checkpoints c = {0};
        if (r->finished[i] && checkpoints_of_point(r, &p, several, &c, NULL) == IK_OK) {
            sim_checkpoints_find(&c.at);
            sim_checkpoints_remove(&c.at);
        }
        checkpoints_free_point(&c);
    }
}

void checkpoints_close(runner *r, bool finished)
{
    /* where files are left, it stays; and where another run has the results, it is that one's */
    bool ours = r->checkpoints && (r->store || r->made_checkpoints),
         left = ours && rmdir(r->checkpoints) != 0;
    if (left && finished) {
        checkpoints_remove_old(r);
        left = rmdir(r->checkpoints) != 0;
    }
    if (left && finished && (errno == ENOTEMPTY || errno == EEXIST))
        tell_note(r, IK_WARNING,
                  "'%.200s' has checkpoints of points that this run did not have: remove them if "
                  "no other will",
                  r->checkpoints);
    free(r->checkpoints);
    r->checkpoints = NULL;
}

ik_status checkpoints_of_point(const runner *r, const point *p, bool several,
                               point_checkpoints *out, ik_error *err)
{
    *out = (point_checkpoints){0};
    if (!r->checkpoints)
        return IK_OK;
    ik_status status = point_params(r, p, &out->identity, err);
    if (status != IK_OK)
        return status;
    size_t size = strlen(r->checkpoints) + 32;
    out->path = malloc(size);
    if (!out->path) {
        checkpoints_free_point(out);
        return ik_fail_memory(err, size, "a checkpoint");
    }
    snprintf(out->path, size, "%s/%016" PRIx64 ".checkpoint", r->checkpoints,
             ik_hash_text(out->identity));
    out->at = (sim_checkpoints){.path = out->path,
                                .identity = out->identity,
                                .every_s = r->part->checkpoint_s,
                                .several = several};
    return IK_OK;
}

void checkpoints_free_point(point_checkpoints *c)
{
    free(c->path);
    free(c->identity);
    c->path = c->identity = NULL;
}

ik_status checkpoints_forget(const runner *r, const point_checkpoints *c, ik_error *err)
{
    if (!c->path)
        return IK_OK;
    if (c->at.failed)
        tell_note(r, IK_WARNING, "%s could not be written, the last one because: %s",
                  IK_COUNT(c->at.failed, "checkpoint"), c->at.why.text);
    ik_status status = c->at.written || c->at.continued ? store_flush(r->store, err) : IK_OK;
    if (status == IK_OK)
        sim_checkpoints_remove(&c->at);
    return status;
}

const char *checkpoints_text(const runner *r, char *text, size_t size)
{
    text[0] = '\0';
    if (r->with_checkpoint)
        snprintf(text, size, ", %s in '%.200s'",
                 IK_COUNT(r->with_checkpoint, "checkpoint of a point|checkpoints of points"),
                 r->checkpoints);
    return text;
}
