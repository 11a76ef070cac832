/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining the ranks that a launcher started: which MPI library it is of, and that library's
 * module. */
#include "base/ranks/module_file.h"
#include "base/ranks/ranks.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* A launcher says in the environment how many processes it started; srun with PMIx says so for a
 * step. */
static const struct launcher {
    const char *variable, *also; /* also: that must be there, too */
    const char *rank;            /* which process this is */
    const char *modules[2];      /* that fit, the first that is there */
    const char *package;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", NULL, "OMPI_COMM_WORLD_RANK", {"openmpi"}, "libopenmpi-dev"},
    {"PMI_SIZE", NULL, "PMI_RANK", {"mpich"}, "libmpich-dev"},
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", "PMIX_RANK", {"openmpi", "mpich"}, "libopenmpi-dev"},
};

static const struct launcher *ranks_join_launcher(unsigned *num)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
        const char *text = getenv(launchers[k].variable);
        unsigned long started = text ? strtoul(text, NULL, 10) : 0;
        if (started > 1 && started < UINT16_MAX &&
            (!launchers[k].also || getenv(launchers[k].also))) {
            *num = (unsigned)started;
            return &launchers[k];
        }
    }
    return NULL;
}

unsigned ik_ranks_launched(unsigned *rank)
{
    unsigned num = 1;
    const struct launcher *by = ranks_join_launcher(&num);
    const char *text = by ? getenv(by->rank) : NULL;
    if (rank)
        *rank = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    return num;
}

/* In which a launcher passes on what was printed, before it hears that all is to end. */
enum { TOLD_MS = 200 };

static ik_status ranks_join_exchange(ik_ranks *ranks, ranks_kind kind, const ranks_bytes *out,
                                     ranks_bytes *in, ik_error *err)
{
    const char *why = ranks->module->exchange(kind, out, in);
    (void)err;
    if (!why)
        return IK_OK;
    FILE *errors = ranks->errors ? ranks->errors : stderr;
    fprintf(errors, "ikat: rank %u: %s\n", ranks->rank, why);
    fflush(errors);
    poll(NULL, 0, TOLD_MS);
    ranks->module->end(2);
    return IK_ERR_IO;
}

static ik_status ranks_join_find(const struct launcher *by, unsigned num, char **path,
                                 ik_error *err)
{
    ik_status status = IK_OK;
    *path = NULL;
    for (size_t k = 0; k < 2 && by->modules[k] && !*path && status == IK_OK; k++) {
        char name[60];
        snprintf(name, sizeof name, "libikat_ranks_%s.so", by->modules[k]);
        status = module_file_find("ranks", name, path, err);
    }
    if (status != IK_OK || *path)
        return status;
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "%u processes were started together (%s), and this ikat has no module for that MPI "
            "library",
            num, by->variable);
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "install %s and build ikat again; or start one process, or one per --shard",
                   by->package);
}

static ik_status ranks_join_load(const char *path, const ranks_module **module, ik_error *err)
{
    /* Open MPI loads parts of itself, which look for its symbols */
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    *module = handle ? dlsym(handle, "ikat_ranks_module") : NULL;
    if (!*module)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "'%.200s' cannot be loaded: %.300s", path,
                       dlerror());
    if ((*module)->version != RANKS_MODULE_VERSION)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "'%.200s' is of another version of ikat", path);
    return IK_OK;
}

/* A launcher of another MPI library starts processes that do not find each other. */
static ik_status ranks_join_start(ik_ranks *ranks, unsigned launched, const char *path,
                                  ik_error *err)
{
    const char *why = ranks->module->join(&ranks->rank, &ranks->num);
    if (why)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "%s", why);
    if (ranks->num != launched) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "the launcher started %u processes, and %u of them found each other through "
                "'%.200s'",
                launched, ranks->num, path);
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "is the launcher that of another MPI library, or of another version?");
    }
    return ranks_init(ranks) ? IK_OK : ik_fail_memory(err, sizeof *ranks, "ranks");
}

ik_status ik_ranks_join(ik_ranks **out, const int *cancel, ik_error *err)
{
    unsigned num = 1;
    char *path = NULL;
    const struct launcher *by = ranks_join_launcher(&num);
    *out = NULL;
    if (!by)
        return IK_OK;
    ik_ranks *ranks = ik_calloc(1, sizeof *ranks);
    if (!ranks)
        return ik_fail_memory(err, sizeof *ranks, "ranks");
    ranks->exchange = ranks_join_exchange;
    ranks->cancel = cancel;
    int errors = dup(STDERR_FILENO); /* which may be led elsewhere later */
    ranks->errors = errors >= 0 ? fdopen(errors, "w") : NULL;
    ik_status status = ranks_join_find(by, num, &path, err);
    if (status == IK_OK)
        status = ranks_join_load(path, &ranks->module, err);
    if (status == IK_OK)
        status = ranks_join_start(ranks, num, path, err);
    free(path);
    if (status == IK_OK) {
        *out = ranks;
        return IK_OK;
    }
    ranks_clear(ranks);
    free(ranks);
    return status;
}
