/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_record.c: `ikat record -o FILE -- mpirun -n 64 ./app`: runs an MPI program and records its
 * communication; with --show and --calls, what a recording has.
 */
#include "cli.h"

#include "ikat/json.h"
#include "ikat/record.h"

#include <string.h>
#include <sys/stat.h>

static void record_print_limits(const ik_recording_summary *s)
{
    if (s->onesided)
        printf("  %s (%s) %s only counted: replays leave them out\n",
               cli_counted(s->onesided, "one-sided operation"),
               cli_quantity(s->onesided_bytes, IK_DIM_SIZE), s->onesided == 1 ? "is" : "are");
    if (s->ranks_cut)
        printf("  %s did not reach MPI_Finalize: recorded up to where a rank stopped\n",
               cli_counted(s->ranks_cut, "rank"));
    if (s->failed)
        printf("  %s returned an error: a replay leaves out what failed\n",
               cli_counted(s->failed, "call"));
    if (s->overlapped)
        puts("  calls of several threads of a rank overlapped: the recording cannot be replayed");
    if (s->spawned)
        printf(
            "  processes of other programs were started or joined: they are not in the recording, "
            "and replays send nothing in the %s with them\n",
            cli_counted(s->outside, "call"));
    if (s->shared_ranks)
        printf("  %s shared %s: between its calls a rank had a core for %s on "
               "average, and %s passed by the clock; replays use the former (clock=cpu)\n",
               cli_counted(s->shared_ranks, "rank"), cli_counted(s->shared_cores, "processor core"),
               cli_quantity(s->ran_ns / s->num_ranks * 1000, IK_DIM_TIME),
               cli_quantity(s->compute_ns / s->num_ranks * 1000, IK_DIM_TIME));
    if (s->intercomms)
        printf("  %s between two groups: the recording cannot be replayed\n",
               cli_counted(s->intercomms, "collective operation"));
}

static void record_print_summary(const char *path, const ik_recording_summary *s)
{
    printf("%s: %s, %s, %s of %s, %s of collective operations\n", cli_line(path),
           cli_counted(s->num_ranks, "rank"), cli_counted(s->calls, "call"),
           cli_counted(s->messages, "message"), cli_quantity(s->bytes, IK_DIM_SIZE),
           cli_counted(s->collectives, "call"));
    printf("  %s from MPI_Init to the end; %.1f %% of the ranks' time in MPI; %s\n",
           cli_quantity(s->longest_ns * 1000, IK_DIM_TIME),
           s->total_ns ? 100.0 * (double)s->in_mpi_ns / (double)s->total_ns : 0.0,
           cli_line(s->library));
    record_print_limits(s);
}

/* code: of the program that was recorded, -1 = none was. */
static int record_put_summary(cli *c, const char *path, const ik_recording_summary *s, int code)
{
    ik_json j;
    if (!c->json) {
        if (!c->quiet || code < 0)
            record_print_summary(path, s);
        return CLI_DONE;
    }
    cli_json_begin(&j);
    ik_recording_json(s, path, &j);
    if (code >= 0)
        ik_json_uint(&j, "exit_status", (uint64_t)code);
    return cli_json_end(c, &j);
}

static int record_summarise(cli *c, const char *path)
{
    ik_recording_summary s;
    ik_error err;
    if (ik_recording_summarise(path, &s, &err) != IK_OK)
        return cli_error(c, &err);
    return record_put_summary(c, path, &s, -1);
}

static int record_show(cli *c, const char *path, bool calls)
{
    uint64_t rank;
    ik_error err;
    if (c->num_args)
        return cli_usage(c, "%s reads a recording: there is nothing to run",
                         calls ? "--calls" : "--show");
    if (cli_has(c, "--output") || cli_has(c, "--mpi"))
        return cli_usage(c, "--output and --mpi have no effect with %s",
                         calls ? "--calls" : "--show");
    if (!calls)
        return record_summarise(c, path);
    if (c->json)
        return cli_usage(c, "--calls prints lines of text: it has no --json");
    if (!cli_get_uint(c, "--rank", 0, IK_NONE - 1, 0, &rank))
        return CLI_USAGE;
    ik_status status =
        ik_recording_print(path, cli_has(c, "--rank") ? (uint32_t)rank : IK_NONE, stdout, &err);
    return cli_written(c, status, &err, CLI_DONE);
}

/* ---- recording */

/* Of a command that ended with this status. */
static int record_collect(cli *c, ik_record_job *job, int code)
{
    ik_error err;
    ik_recorded made;
    ik_status status = ik_record_end(job, true, &made, &err);
    int told = made.is_written ? record_put_summary(c, job->path, &made.summary, code) : CLI_DONE;
    if (status != IK_OK)
        told = cli_error(c, &err);
    if (made.is_kept)
        fprintf(stderr,
                "what the ranks recorded is kept in %s\n"
                "make one file of it: ikat record --merge %s -o FILE\n",
                cli_line(job->folder), cli_line(job->folder));
    return code ? code : told != CLI_DONE ? CLI_FAILED : CLI_DONE;
}

static int record_command(cli *c, const char *path)
{
    const char *const *command = (const char *const *)c->args;
    ik_record_job job;
    ik_recorded none;
    ik_error err;
    int code = 0, result;
    if (ik_record_begin(command, cli_get(c, "--mpi"), path, &job, &err) != IK_OK)
        return cli_error(c, &err);
    if (ik_record_run(command, job.recorder, job.folder, &code, &err) == IK_OK) {
        result = record_collect(c, &job, code);
    } else {
        ik_record_end(&job, false, &none, NULL);
        result = cli_error(c, &err);
    }
    ik_record_free(&job);
    return result;
}

/* Of a folder that was kept. */
static int record_merge(cli *c, const char *folder, const char *path)
{
    ik_output out;
    ik_error err;
    struct stat info;
    if (c->num_args)
        return cli_usage(c, "--merge takes what was recorded: there is nothing to run");
    if (cli_has(c, "--mpi"))
        return cli_usage(c, "--mpi has no effect with --merge");
    if (!path)
        return cli_usage(c, "-o FILE is required: the file for the recording");
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return cli_usage(c, "%s is not a folder", cli_line(folder));
    ik_status status = ik_output_open(&out, path, &err);
    if (status == IK_OK)
        status = ik_output_close(&out, ik_record_collect(folder, out.out, &err), &err);
    return status == IK_OK ? record_summarise(c, path) : cli_error(c, &err);
}

static int record_run(cli *c)
{
    const char *path = cli_get(c, "--output");
    if (cli_has(c, "--show") + cli_has(c, "--calls") + cli_has(c, "--merge") > 1)
        return cli_usage(c, "give only one of --show, --calls and --merge");
    if (cli_has(c, "--show") || cli_has(c, "--calls")) {
        int status = cli_only_with(c, "--rank", "--calls");
        bool calls = cli_has(c, "--calls");
        return status != CLI_DONE ? status
                                  : record_show(c, cli_get(c, calls ? "--calls" : "--show"), calls);
    }
    int status = cli_only_with(c, "--rank", "--calls");
    if (status != CLI_DONE)
        return status;
    if (cli_has(c, "--merge"))
        return record_merge(c, cli_get(c, "--merge"), path);
    if (!path)
        return cli_usage(c, "-o FILE is required: the file for the recording");
    if (c->num_args == 0)
        return cli_usage(c, "there is no command to record: give it after '--'");
    if (!c->separated)
        return cli_usage(c, "put '--' before the command: ikat record -o %s -- %s …",
                         cli_line(path), cli_line(c->args[0]));
    return record_command(c, path);
}

static const cli_option options[] = {
    {"--output", 'o', "FILE", "file for the recording; an existing file is replaced", false},
    {"--mpi", 0, "LIBRARY",
     "openmpi or mpich, for programs that load an MPI library themselves, such as Python programs "
     "(default: the library that the program is linked with)",
     false, "openmpi|mpich"},
    {"--show", 0, "FILE", "record nothing: print a summary of a recording", false},
    {"--calls", 0, "FILE", "record nothing: print the calls of a recording, one per line", false},
    {"--merge", 0, "FOLDER",
     "record nothing: make FILE from the files of the ranks in a folder, which is kept if FILE "
     "could not be written",
     false},
    {"--rank", 0, "N", "with --calls: print only the calls of this rank", false},
    {0},
};

static const char *const examples[] = {"ikat record --help", NULL};

const ik_command ik_command_record = {
    .name = "record",
    .synopsis =
        "-o FILE -- COMMAND [ARGUMENT…] | --show FILE | --calls FILE | --merge FOLDER -o FILE",
    .summary = "record the communication of an MPI program, to replay it on fabrics",
    .details =
        "Runs the command (mpirun -n 64 ./app) with a library that is preloaded into its "
        "processes. The library records the MPI calls of every rank and the time between them: "
        "point-to-point messages of every kind, waits and tests with what they completed, "
        "collective operations, and communicators. One-sided operations are only counted. Programs "
        "in C and Fortran that use a shared Open MPI or MPICH can be recorded; the headers of that "
        "MPI library must be there when ikat is built (libopenmpi-dev, libmpich-dev). 'ikat "
        "replay' simulates the recording.\n"
        "\n"
        "The exit status is that of the command (128 + N if signal N ended it). If that is 0, the "
        "exit status is 1 if nothing, or not everything, could be recorded, for example because "
        "mpirun belongs to another MPI library than the program. 2: wrong usage, and nothing was "
        "run. A program that is killed is recorded up to that moment. If FILE cannot be written at "
        "the end, the files of the ranks are kept, and --merge makes FILE from them.\n"
        "\n"
        "Ranks on other nodes: FILE must lie in a folder that all nodes share, under the same "
        "path, and so must ikat. Open MPI passes the environment to other nodes only if asked to: "
        "mpirun -x LD_PRELOAD -x IKAT_RECORD_FOLDER "
        "…; MPICH's mpirun passes it by itself.\n"
        "\n"
        "--json prints version, recording, ranks, ranks_cut (that did not reach MPI_Finalize), "
        "calls, polls "
        "(unsuccessful tests and probes), messages,\n"
        "bytes, collectives, onesided, onesided_bytes, failed_calls, spawn_calls, "
        "intercomm_collectives, threads_overlapped, duration_ns,\n"
        "mpi_ns and total_ns (of all ranks), compute_ns (between calls, by the clock), "
        "compute_cpu_ns "
        "(of that, while the rank's thread had a core),\n"
        "shared_ranks and shared_cores (0 where ranks had cores of their own), outside (calls with "
        "processes of other programs),\n"
        "library, exit_status. --calls prints rank, number, time since the call "
        "before and duration in ns, the call, and 'ran' with\n"
        "how long the thread had a core, where that is less than the time since the call before.",
    .takes = "<program>",
    .examples = examples,
    .options = options,
    .min_args = 0,
    .max_args = -1,
    .runs_others = true,
    .run = record_run,
};
