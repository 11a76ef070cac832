/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder_job.c: what is checked and made before a command is recorded, and what becomes of the
 * files of its ranks when it has ended.
 */
#include "ikat/json.h"
#include "ikat/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- before */

/* A process that a launcher started beside others would record itself alone. */
static ik_status recorder_job_check_launched(const char *const *command, const char *path,
                                             ik_error *err)
{
    const char *variable = NULL;
    unsigned long num = ik_record_launched(&variable);
    if (num == 1)
        return IK_OK;
    ik_fail(err, IK_ERR_USAGE,
            "%s=%lu: a launcher started this process together with others; each of them would "
            "record only its own rank",
            variable, num);
    return ik_hint(err, IK_ERR_USAGE,
                   "mpirun comes after '--': ikat record -o %.200s -- mpirun -n %lu %.200s; or "
                   "unset %s if the command starts all ranks itself",
                   path, num, command[0], variable);
}

static ik_status recorder_job_check(const char *const *command, const char *path, ik_error *err)
{
    struct stat info;
    char *program = NULL;
    ik_status status = recorder_job_check_launched(command, path, err);
    if (status == IK_OK)
        status = ik_record_program(command[0], &program, err);
    free(program);
    if (status == IK_OK && stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        status = ik_fail(err, IK_ERR_USAGE,
                         "%s is not a file: a recording is read again when it is made", path);
        ik_hint(err, status, "name a file that is made or replaced: recording.ikrec");
    }
    return status;
}

static ik_status recorder_job_find(const char *mpi, const char *const *command, char **recorder,
                                   ik_error *err)
{
    unsigned wanted = mpi ? 0 : IK_RECORDER_AUTO;
    while (mpi && ik_recorder_name(wanted) && strcmp(ik_recorder_name(wanted), mpi) != 0)
        wanted++;
    if (mpi && !ik_recorder_name(wanted)) {
        ik_fail(err, IK_ERR_USAGE, "the MPI library is openmpi or mpich, not '%.60s'", mpi);
        return ik_hint(err, IK_ERR_USAGE,
                       "without a name, it is the one that the program is linked with");
    }
    return ik_recorder_find((ik_recorder)wanted, command, recorder, err);
}

/* A folder beside the output. */
static ik_status recorder_job_make_folder(const char *path, char **folder, ik_error *err)
{
    size_t room = strlen(path) + 32;
    char *full = ik_calloc(room, 1);
    if (!full)
        return ik_fail_memory(err, room, "a file name");
    snprintf(full, room, "%s.ranks-XXXXXX", path);
    ik_status status = IK_OK;
    if (!mkdtemp(full)) {
        status = ik_fail(err, IK_ERR_IO, "%s: cannot make a folder for the ranks beside it: %s",
                         path, strerror(errno));
    } else if (!(*folder = realpath(full, NULL))) {
        status = ik_fail(err, IK_ERR_IO, "%s: %s", full, strerror(errno));
        rmdir(full);
    }
    free(full);
    return status;
}

ik_status ik_record_begin(const char *const *command, const char *mpi, const char *path,
                          ik_record_job *out, ik_error *err)
{
    ik_record_job job = {.path = path};
    ik_status status = recorder_job_check(command, path, err);
    if (status == IK_OK)
        status = recorder_job_find(mpi, command, &job.recorder, err);
    if (status == IK_OK)
        status = ik_output_open(&job.file, path, err);
    if (status == IK_OK) {
        status = recorder_job_make_folder(path, &job.folder, err);
        if (status != IK_OK)
            ik_output_close(&job.file, status, NULL);
    }
    if (status == IK_OK)
        *out = job;
    else
        free(job.recorder);
    return status;
}

/* ---- afterwards */

static ik_status recorder_job_summarise(const ik_record_job *job, ik_recorded *made, ik_error *err)
{
    char problem[300];
    ik_status status = ik_recording_summarise(job->path, &made->summary, err);
    made->is_written = status == IK_OK;
    if (status == IK_OK && ik_record_problem(job->folder, problem, sizeof problem))
        status =
            ik_fail(err, IK_ERR_FAILED, "%s: not everything was recorded: %s", job->path, problem);
    return status;
}

ik_status ik_record_end(ik_record_job *job, bool has_run, ik_recorded *out, ik_error *err)
{
    ik_recorded made = {.is_written = false};
    ik_status status = IK_OK;
    if (!has_run) {
        ik_output_close(&job->file, IK_ERR_CANCELLED, NULL);
    } else {
        status = ik_record_collect(job->folder, job->file.out, err);
        status = ik_output_close(&job->file, status, err);
        if (status == IK_OK)
            status = recorder_job_summarise(job, &made, err);
        made.is_kept = status != IK_OK && status != IK_ERR_FAILED;
    }
    if (!made.is_kept)
        ik_record_remove(job->folder);
    *out = made;
    return status;
}

void ik_record_free(ik_record_job *job)
{
    free(job->recorder);
    free(job->folder);
    *job = (ik_record_job){0};
}

/* ---- what a recording has */

void ik_recording_json(const ik_recording_summary *s, const char *path, ik_json *j)
{
    ik_json_text(j, "recording", path);
    ik_json_uint(j, "ranks", s->num_ranks);
    ik_json_uint(j, "ranks_cut", s->ranks_cut);
    ik_json_uint(j, "calls", s->calls);
    ik_json_uint(j, "polls", s->polls);
    ik_json_uint(j, "messages", s->messages);
    ik_json_uint(j, "bytes", s->bytes);
    ik_json_uint(j, "collectives", s->collectives);
    ik_json_uint(j, "onesided", s->onesided);
    ik_json_uint(j, "onesided_bytes", s->onesided_bytes);
    ik_json_uint(j, "failed_calls", s->failed);
    ik_json_uint(j, "spawn_calls", s->spawned);
    ik_json_uint(j, "intercomm_collectives", s->intercomms);
    ik_json_bool(j, "threads_overlapped", s->overlapped);
    ik_json_uint(j, "duration_ns", s->longest_ns);
    ik_json_uint(j, "mpi_ns", s->in_mpi_ns);
    ik_json_uint(j, "total_ns", s->total_ns);
    ik_json_uint(j, "compute_ns", s->compute_ns);
    if (s->has_ran)
        ik_json_uint(j, "compute_cpu_ns", s->ran_ns);
    ik_json_uint(j, "shared_ranks", s->shared_ranks);
    ik_json_uint(j, "shared_cores", s->shared_cores);
    ik_json_uint(j, "outside", s->outside);
    ik_json_text(j, "library", s->library);
}
