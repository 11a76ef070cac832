/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_record.c: `ikat record -o FILE -- mpirun -n 64 ./app`: runs an MPI program and records its
 * communication; with --show and --calls, what a recording has.
 */
#include "cli.h"

#include "ikat/json.h"
#include "ikat/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void record_put_json(ik_json *j, const char *path, const ik_recording_summary *s)
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

/* *code: of the program that was recorded, -1 = none was. */
static int record_summarise(cli *c, const char *path, int code)
{
    ik_recording_summary s;
    ik_error err;
    ik_json j;
    if (ik_recording_summarise(path, &s, &err) != IK_OK)
        return cli_error(c, &err);
    if (!c->json) {
        if (!c->quiet || code < 0)
            record_print_summary(path, &s);
        return CLI_DONE;
    }
    cli_json_begin(&j);
    record_put_json(&j, path, &s);
    if (code >= 0)
        ik_json_uint(&j, "exit_status", (uint64_t)code);
    return cli_json_end(c, &j);
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
        return record_summarise(c, path, -1);
    if (c->json)
        return cli_usage(c, "--calls prints lines of text: it has no --json");
    if (!cli_get_uint(c, "--rank", 0, IK_NONE - 1, 0, &rank))
        return CLI_USAGE;
    ik_status status =
        ik_recording_print(path, cli_has(c, "--rank") ? (uint32_t)rank : IK_NONE, stdout, &err);
    return cli_written(c, status, &err, CLI_DONE);
}

/* ---- recording */

/* Makes a folder beside the output; NULL (message printed): it cannot. Free it. */
static char *record_make_folder(cli *c, const char *path)
{
    size_t room = strlen(path) + 32;
    char *full = malloc(room), *real = NULL;
    if (full) {
        snprintf(full, room, "%s.ranks-XXXXXX", path);
        if (mkdtemp(full))
            real = realpath(full, NULL);
        else
            cli_usage(c, "%s: cannot make a folder for the ranks beside it: %s", cli_line(path),
                      strerror(errno));
    }
    free(full);
    return real;
}

/* *keep: the folder still has what could not be written. */
static int record_collect(cli *c, ik_output *out, const char *path, const char *folder, int code,
                          bool *keep)
{
    ik_error err;
    ik_status status = ik_record_collect(folder, out->out, &err);
    status = ik_output_close(out, status, &err);
    *keep = status != IK_OK && status != IK_ERR_FAILED;
    if (status != IK_OK) {
        cli_error(c, &err);
        if (*keep)
            fprintf(stderr,
                    "what the ranks recorded is kept in %s\n"
                    "make one file of it: ikat record --merge %s -o FILE\n",
                    cli_line(folder), cli_line(folder));
        return code ? code : CLI_FAILED;
    }
    int told = record_summarise(c, path, code);
    char problem[300];
    if (told == CLI_DONE && ik_record_problem(folder, problem, sizeof problem)) {
        ik_fail(&err, IK_ERR_FAILED, "%s: not everything was recorded: %s", path, problem);
        told = cli_error(c, &err);
    }
    return code ? code : told != CLI_DONE ? CLI_FAILED : CLI_DONE;
}

static int record_into(cli *c, const char *recorder, const char *path)
{
    ik_output out;
    ik_error err;
    int code = 0;
    if (ik_output_open(&out, path, &err) != IK_OK)
        return cli_error(c, &err);
    char *folder = record_make_folder(c, path);
    if (!folder) {
        ik_output_close(&out, IK_ERR_IO, NULL);
        return CLI_USAGE;
    }
    ik_status status = ik_record_run((const char *const *)c->args, recorder, folder, &code, &err);
    int result;
    bool keep = false;
    if (status == IK_OK) {
        result = record_collect(c, &out, path, folder, code, &keep);
    } else {
        ik_output_close(&out, status, &err);
        result = cli_error(c, &err);
    }
    if (!keep)
        ik_record_remove(folder);
    free(folder);
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
    return status == IK_OK ? record_summarise(c, path, -1) : cli_error(c, &err);
}

/* A process that a launcher started beside others would record itself alone. */
static int record_check_launched(cli *c, const char *path)
{
    const char *variable = NULL;
    unsigned long num = ik_record_launched(&variable);
    ik_error err;
    if (num == 1)
        return CLI_DONE;
    ik_fail(&err, IK_ERR_USAGE,
            "%s=%lu: a launcher started this process together with others; each of them would "
            "record only its own rank",
            variable, num);
    ik_hint(&err, IK_ERR_USAGE,
            "mpirun comes after '--': ikat record -o %.200s -- mpirun -n %lu %.200s; or unset %s "
            "if the command starts all ranks itself",
            path, num, c->args[0], variable);
    return cli_error(c, &err);
}

static bool find_recorder(cli *c, char **recorder)
{
    const char *name = cli_get(c, "--mpi");
    unsigned wanted = name ? 0 : IK_RECORDER_AUTO;
    ik_error err;
    while (name && ik_recorder_name(wanted) && strcmp(ik_recorder_name(wanted), name) != 0)
        wanted++;
    if (name && !ik_recorder_name(wanted)) {
        cli_usage(c, "--mpi is openmpi or mpich, not '%s'", name);
        return false;
    }
    if (ik_recorder_find((ik_recorder)wanted, (const char *const *)c->args, recorder, &err) !=
        IK_OK) {
        cli_error(c, &err);
        return false;
    }
    return true;
}

static int record_run(cli *c)
{
    const char *path = cli_get(c, "--output");
    char *recorder = NULL;
    struct stat info;
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
    status = record_check_launched(c, path);
    if (status != CLI_DONE)
        return status;
    char *program = NULL;
    ik_error err;
    if (ik_record_program(c->args[0], &program, &err) != IK_OK)
        return cli_error(c, &err);
    free(program);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return cli_usage(c, "%s is not a file: a recording is read again when it is made",
                         cli_line(path));
    if (!find_recorder(c, &recorder))
        return CLI_USAGE;
    status = record_into(c, recorder, path);
    free(recorder);
    return status;
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
