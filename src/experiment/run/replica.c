/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/replica.c: an experiment among ranks (ikat/ranks.h). All ranks run the same
 * experiment and come to the same decisions; what they decide by is the same on all: the points,
 * which are compared, and the results that are there already, which rank 0 sends to the others. */
#include "base/sha256.h"
#include "experiment/run/run.h"
#include "ikat/ranks.h"
#include "sim/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is compared */

static ik_status replica_refuse_only(ik_experiment *e, const ik_run_part *part, ik_error *err)
{
    runner r = {.e = e, .part = part, .mine = e->num_points};
    r.elsewhere = ik_calloc(e->num_points, sizeof *r.elsewhere);
    ik_status status =
        r.elsewhere ? only_find(&r, err) : ik_fail_memory(err, e->num_points, "an experiment");
    free(r.elsewhere);
    return status;
}

ik_status ik_experiment_refuse_ranks(ik_experiment *e, const ik_run_part *part, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint64_t i = 0; experiment_simulates(e) && i < e->num_points && status == IK_OK; i++) {
        point p = experiment_point(e, i);
        ik_sim_config config = point_config(e, &p);
        status = sim_refuse_ranks(&config, err);
        point_place(e, &p, status, err);
    }
    bool asks = part && part->only && part->only[0];
    return status == IK_OK && asks ? replica_refuse_only(e, part, err) : status;
}

static ik_status replica_digest(const runner *r, uint8_t digest[SHA256_BYTES], ik_error *err)
{
    sha256 of;
    ik_status status = IK_OK;
    sha256_begin(&of);
    sha256_add_text(&of, r->e->text);
    sha256_add_text(&of, r->e->overrides);
    sha256_add_text(&of, r->e->scale);
    for (const char *const *only = r->part->only; only && *only; only++)
        sha256_add_text(&of, *only);
    for (uint64_t i = 0; i < r->e->num_points && status == IK_OK; i++) {
        point p = experiment_point(r->e, i);
        char *params = NULL;
        status = point_params(r, &p, &params, err);
        if (status == IK_OK)
            sha256_add_text(&of, params);
        free(params);
    }
    sha256_end(&of, digest);
    return status;
}

ik_status replica_check(const runner *r, ik_error *err)
{
    uint8_t digest[SHA256_BYTES];
    if (!r->env->ranks)
        return IK_OK;
    if (r->part->budget_s > 0)
        return ik_fail(err, IK_ERR_USAGE,
                       "a budget of time does not go with ranks, whose clocks differ");
    ik_status status = ik_experiment_refuse_ranks(r->e, NULL, err);
    if (status == IK_OK)
        status = replica_digest(r, digest, err);
    if (status != IK_OK)
        return status;
    status = ik_ranks_compare(r->env->ranks, "the experiment", digest, sizeof digest, err);
    return status == IK_ERR_INPUT
               ? ik_hint(err, status,
                         "all ranks need the same options, and the same files that it names")
               : status;
}

/* ---- results that are there */

static ik_status replica_send(runner *r, const char *path, ik_error *err)
{
    sqlite3_stmt *any = NULL;
    sqlite3_int64 size = 0;
    void *bytes = NULL;
    ik_status status = store_create(path, &r->store, err);
    if (status != IK_OK)
        return status;
    status = store_prepare(r->store, "SELECT 1", NULL, &any, err);
    if (status == IK_OK && !(bytes = sqlite3_serialize(sqlite3_db_handle(any), "main", &size, 0)))
        status = ik_fail_memory(err, (size_t)size, "results for the other ranks");
    size_t num = (size_t)size;
    if (status == IK_OK)
        status = ik_ranks_share(r->env->ranks, &bytes, &num, err);
    sqlite3_free(bytes);
    sqlite3_finalize(any);
    if (status != IK_OK)
        store_close(r->store);
    return status;
}

static char *replica_file(const char *folder)
{
    const char *name = "/results.db";
    size_t size = strlen(folder) + strlen(name) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", folder, name);
    return path;
}

static ik_status replica_write(const char *path, const void *bytes, size_t size, ik_error *err)
{
    FILE *out = fopen(path, "wb");
    bool written = out && fwrite(bytes, 1, size, out) == size;
    if (out && fclose(out) != 0)
        written = false;
    return written ? IK_OK
                   : ik_fail(err, IK_ERR_IO, "cannot write '%.200s': %s", path, strerror(errno));
}

/* What it holds, if this user made it. */
static void replica_remove_files(const char *folder)
{
    static const char *const files[] = {"results.db", "results.db-journal", "results.db-wal",
                                        "results.db-shm"};
    struct stat info;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return;
    bool own = fstat(at, &info) == 0 && info.st_uid == geteuid();
    for (size_t k = 0; own && k < sizeof files / sizeof *files; k++)
        unlinkat(at, files[k], 0);
    close(at);
    if (own)
        rmdir(folder);
}

/* Those of killed processes are removed. */
static bool replica_make_folder(temporary *folder)
{
    const char *base = getenv("TMPDIR"), *name = "/ikat-rank";
    base = base && *base ? base : "/tmp";
    size_t size = strlen(base) + strlen(name) + 1;
    char *target = malloc(size);
    if (!target)
        return false;
    snprintf(target, size, "%s%s", base, name);
    bool made = temporary_folder(target, replica_remove_files, folder);
    int why = errno;
    free(target);
    if (made)
        (void)fchmod(folder->file, S_IRWXU);
    errno = why;
    return made;
}

static ik_status replica_receive(runner *r, ik_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    ik_status status = ik_ranks_share(r->env->ranks, &bytes, &size, err);
    if (status != IK_OK)
        return status;
    bool made = replica_make_folder(&r->replica);
    char *path = made ? replica_file(r->replica.name) : NULL;
    status =
        path ? replica_write(path, bytes, size, err)
             : ik_fail(err, IK_ERR_IO, "there is no room for temporary files: %s", strerror(errno));
    free(bytes);
    if (status == IK_OK)
        status = store_create(path, &r->store, err);
    free(path);
    if (status != IK_OK)
        replica_remove(&r->replica);
    return status;
}

ik_status replica_open(runner *r, const char *path, ik_error *err)
{
    return ik_ranks_number(r->env->ranks) == 0 ? replica_send(r, path, err)
                                               : replica_receive(r, err);
}

void replica_remove(temporary *folder)
{
    if (folder->name)
        replica_remove_files(folder->name);
    temporary_end(folder);
}
