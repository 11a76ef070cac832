/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_submit.c: `ikat submit FILE --tasks N`: a sweep as an array job of Slurm, and a job that
 * merges what its tasks made.
 *
 * A task runs one shard on the disk of its node. Once a minute, when it is told to end, and at its
 * end it copies what is finished to the folder of the shards, under another name that is then
 * renamed: what lies there is always whole. A task that begins takes what lies there and goes on.
 * Which points are whose is written beside the scripts, once, so that all tasks agree.
 */
#include "estimate.h"
#include "running.h"
#include "submit_points.h"

#include "ikat/record.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SUBMIT_PATH = 4096, SUBMIT_ANSWER = 256 };

typedef struct submission {
    cli *c;
    uint64_t tasks, points;
    char program[SUBMIT_PATH], experiment[SUBMIT_PATH]; /* absolute */
    char results[SUBMIT_PATH], folder[SUBMIT_PATH];     /* absolute; the folder of the shards */
    char name[64];                                      /* of the jobs */
    char array_job[SUBMIT_ANSWER], merge_job[SUBMIT_ANSWER];
    ik_experiment *e;
    ik_run_part part;
    task_limits limits;
    submit_points of;
} submission;

/* ---- the scripts */

/* A path from the root, of a file that need not be there. */
static bool submit_absolute(const char *path, char *out)
{
    char here[SUBMIT_PATH] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return false;
    return snprintf(out, SUBMIT_PATH, "%s%s%s", here, path[0] == '/' ? "" : "/", path) <
           SUBMIT_PATH;
}

/* Options that are handed on. */
static void submit_put_options(FILE *out, const cli *c)
{
    static const char *const names[] = {"--set",    "--scale",        "--seed",      "--only",
                                        "--plugin", "--memory-limit", "--checkpoint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value;
        for (int k = 0; (value = cli_get_nth(c, names[i], k)); k++) {
            char path[SUBMIT_PATH]; /* jobs begin in another folder */
            bool file = strcmp(names[i], "--plugin") == 0 && submit_absolute(value, path);
            fprintf(out, " %s ", names[i]);
            cli_shell_word(out, file ? path : value);
        }
    }
}

static const struct {
    const char *option, *slurm;
    bool merge; /* the merge wants it, too */
} submit_limits[] = {{"--time", "time", false},
                     {"--mem", "mem", true},
                     {"--partition", "partition", true},
                     {"--account", "account", true},
                     {"--jobs", "cpus-per-task", false}};
enum { NUM_LIMITS = sizeof submit_limits / sizeof *submit_limits };

static void submit_put_head(FILE *out, const submission *s, bool merge)
{
    fprintf(out, "#!/bin/bash\n#SBATCH --job-name=%s%s\n", s->name, merge ? "-merge" : "");
    if (merge)
        fputs("#SBATCH --output=merge.log\n", out);
    else
        fprintf(out,
                "#SBATCH --array=1-%llu\n#SBATCH --output=task-%%a.log\n"
                "#SBATCH --signal=B:TERM@60\n",
                (unsigned long long)s->tasks);
    fputs("#SBATCH --open-mode=append\n#SBATCH --requeue\n", out);
    for (size_t i = 0; i < NUM_LIMITS; i++) {
        const char *value = cli_get(s->c, submit_limits[i].option);
        if (value && (!merge || submit_limits[i].merge))
            fprintf(out, "#SBATCH --%s=%s\n", submit_limits[i].slurm, value);
    }
}

/* With --checkpoint. */
static const char submit_continuing[] =
    "# The state of running simulations, where the task finds it on any node.\n"
    "mkdir -p \"$part.checkpoints\" &&\n"
    "  ln -s \"$part.checkpoints\" \"$local/part.db.checkpoints\" || exit 2\n";

static void submit_put_task(FILE *out, const submission *s)
{
    static const char copying[] =
        "local=$(mktemp -d \"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/ikat.XXXXXXXX\") || exit 2\n"
        "trap 'rm -rf \"$local\"' EXIT\n"
        "\n"
        "# A whole copy of what is finished, under another name until it is on the disk.\n"
        "copy_back() {\n"
        "  [ -s \"$local/part.db\" ] || return 0\n"
        "  if [ -e \"$part\" ] && [ ! \"$local/part.db\" -nt \"$local/copied\" ]; then\n"
        "    touch \"$part\"  # 'ikat status' sees that the task runs\n"
        "    return\n"
        "  fi\n"
        "  touch \"$local/copying\"\n"
        "  rm -f \"$local/copy.db\"\n"
        "  \"$ikat\" merge \"$local/part.db\" -o \"$local/copy.db\" -q &&\n"
        "    cp \"$local/copy.db\" \"$part.$HOSTNAME\" && sync \"$part.$HOSTNAME\" &&\n"
        "    mv -f \"$part.$HOSTNAME\" \"$part\" &&\n"
        "    mv -f \"$local/copying\" \"$local/copied\"\n"
        "}\n"
        "\n"
        "if [ -e \"$part\" ]; then\n"
        "  cp \"$part\" \"$local/part.db\" || exit 2\n"
        "fi\n";
    static const char waiting[] =
        "run=$!\n"
        "pause=60\n"
        "# Slurm says a minute ahead that the time is over; with a preemption it may be less.\n"
        "trap 'pause=1; kill -TERM \"$run\" 2>/dev/null' TERM\n"
        "while kill -0 \"$run\" 2>/dev/null; do\n"
        "  sleep \"$pause\" &\n"
        "  wait -n \"$run\" $!\n"
        "  kill $! 2>/dev/null\n"
        "  copy_back\n"
        "done\n"
        "wait \"$run\"\n"
        "status=$?\n"
        "copy_back || exit 2\n"
        "%s[ \"$status\" -le 1 ] && exit 0  # 1: results, with a failed proof or a deadlock\n"
        "exit \"$status\"\n";
    submit_put_head(out, s, false);
    fputs("# Runs one shard of a sweep on the disk of its node. Made by 'ikat submit'.\nikat=",
          out);
    cli_shell_word(out, s->program);
    fputs("\npart=", out);
    cli_shell_word(out, s->folder);
    fprintf(out, "/$SLURM_ARRAY_TASK_ID-of-%llu.db\nassignment=", (unsigned long long)s->tasks);
    cli_shell_word(out, s->of.path);
    bool continues = cli_get(s->c, "--checkpoint");
    fprintf(out, "\n%s%s\"$ikat\" run ", copying, continues ? submit_continuing : "");
    cli_shell_word(out, s->experiment);
    submit_put_options(out, s->c);
    fprintf(out,
            " \\\n  --shard \"$SLURM_ARRAY_TASK_ID/%llu\" --assignment \"$assignment\" \\\n"
            "  --jobs \"${SLURM_CPUS_PER_TASK:-1}\" -o \"$local/part.db\" &\n",
            (unsigned long long)s->tasks);
    fprintf(out, waiting, continues ? "rmdir \"$part.checkpoints\" 2>/dev/null\n" : "");
}

static void submit_put_merge(FILE *out, const submission *s)
{
    submit_put_head(out, s, true);
    fputs("# Makes one results file of the shards. Made by 'ikat submit'.\nexec ", out);
    cli_shell_word(out, s->program);
    fputs(" merge ", out);
    cli_shell_word(out, s->folder);
    fprintf(out, "/*-of-%llu.db -o ", (unsigned long long)s->tasks);
    cli_shell_word(out, s->results);
    fputs(" --complete\n", out);
}

/* ---- what was asked for */

/* Values that stand in a line of the scripts as they are. */
static int submit_check_limits(const cli *c, task_limits *limits)
{
    for (size_t i = 0; i < NUM_LIMITS; i++) {
        const char *value = cli_get(c, submit_limits[i].option);
        static const char fit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "_.,:+-";
        if (value && (!*value || value[strspn(value, fit)]))
            return cli_usage(c, "%s: '%s' is nothing that Slurm takes there",
                             submit_limits[i].option, value);
    }
    *limits = (task_limits){.seconds = INFINITY,
                            .bytes = INFINITY,
                            .time = cli_get(c, "--time"),
                            .mem = cli_get(c, "--mem"),
                            .jobs = cli_has(c, "--jobs") && c->jobs ? c->jobs : 1};
    if (limits->time && !estimate_read_time(limits->time, &limits->seconds))
        return cli_usage(c, "--time takes minutes, hours:minutes:seconds or days-hours, not '%s'",
                         limits->time);
    if (limits->mem && !estimate_read_memory(limits->mem, &limits->bytes))
        return cli_usage(c, "--mem takes megabytes, or a whole number with K, M, G or T, not '%s'",
                         limits->mem);
    return CLI_DONE;
}

/* "ikat-quickstart" of the path of quickstart.yaml, without what a name of a job cannot have. */
static void submit_name_jobs(submission *s)
{
    const char *slash = strrchr(s->results, '/'), *from = slash + 1;
    size_t used = (size_t)snprintf(s->name, sizeof s->name, "ikat-");
    for (; *from && *from != '.' && used + 1 < sizeof s->name; from++)
        s->name[used++] = isalnum((unsigned char)*from) ? *from : '_';
    s->name[used] = '\0';
}

/* The files that the jobs are about. */
static int submit_name_files(submission *s)
{
    const cli *c = s->c;
    const char *given = cli_get(c, "--output");
    char *made = given ? NULL : cli_beside(c->args[0], ".db");
    if (!given && !made)
        return cli_usage(c, "out of memory");
    ssize_t size = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    s->program[size > 0 ? size : 0] = '\0';
    bool named = size > 0 && submit_absolute(c->args[0], s->experiment) &&
                 submit_absolute(given ? given : made, s->results);
    free(made);
    if (!named)
        return cli_usage(c, "the names of the files are too long");
    size_t stem = strlen(s->results);
    if (stem > 3 && strcmp(s->results + stem - 3, ".db") == 0)
        stem -= 3;
    if (snprintf(s->folder, sizeof s->folder, "%.*s.shards", (int)stem, s->results) >= SUBMIT_PATH)
        return cli_usage(c, "the names of the files are too long");
    submit_name_jobs(s);
    struct stat info;
    if (lstat(s->results, &info) == 0)
        return cli_usage(c, "'%s' exists already: name another file for the merged results with -o",
                         s->results);
    return CLI_DONE;
}

static int submit_read(submission *s)
{
    cli *c = s->c;
    if (!cli_has(c, "--tasks"))
        return cli_usage(c, "--tasks N is required: how many tasks share the points");
    if (!cli_get_uint(c, "--tasks", 1, 1000000, 1, &s->tasks))
        return CLI_USAGE;
    int status = submit_check_limits(c, &s->limits);
    if (status == CLI_DONE && strcmp(c->args[0], "-") == 0)
        status = cli_usage(c, "the experiment must be a file: every task reads it");
    if (status == CLI_DONE)
        status = cli_read_part(c, &s->part);
    if (status == CLI_DONE)
        status = cli_read_experiment(c, &s->e);
    if (status != CLI_DONE)
        return status;
    s->points = ik_experiment_num_points(s->e);
    if (s->tasks > s->points)
        return cli_usage(c, "%s cannot share %s", IK_COUNT(s->tasks, "task"),
                         IK_COUNT(s->points, "point"));
    return submit_name_files(s);
}

/* How the points are divided among the tasks. */
static int submit_plan(submission *s)
{
    ik_error err;
    cli_stage(s->c, "estimating");
    ik_status status =
        submit_points_find(s->c, s->e, &s->part, s->folder, (unsigned)s->tasks, &s->of, &err);
    cli_progress_end(s->c);
    return status == IK_OK ? CLI_DONE : cli_error(s->c, &err);
}

static void submit_print_estimate(const submission *s, const char *prefix)
{
    estimate_print(stdout, prefix, s->e, s->of.estimate, s->of.tasks, (unsigned)s->tasks,
                   &s->limits);
    if (s->of.kept)
        printf("%sThe points are divided among the tasks as they were in '%s'.\n", prefix,
               cli_line(s->of.path));
}

/* ---- submitting */

/* In the child: jobs begin in the folder where they are submitted, and their logs go there. */
static void submit_become(const submission *s, const char *const *command, int unused, int answer)
{
    close(unused);
    if (chdir(s->folder) == 0 && dup2(answer, STDOUT_FILENO) >= 0)
        execv(command[0], (char *const *)(uintptr_t)command);
    fprintf(stderr, "ikat: cannot run '%s': %s\n", command[0], strerror(errno));
    _exit(127);
}

/* Runs sbatch, which says why it refuses a job, and takes the job's number; job is "" if it
 * refused, and else what it answered. */
static bool submit_ask(const submission *s, const char *const *command, char *job)
{
    int ends[2], state = 0;
    size_t used = 0;
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        submit_become(s, command, ends[0], ends[1]);
    close(ends[1]);
    for (ssize_t got = 1; child > 0 && got != 0;) {
        char rest[SUBMIT_ANSWER]; /* is read, too: sbatch must come to its end */
        bool full = used + 1 == SUBMIT_ANSWER;
        got =
            read(ends[0], full ? rest : job + used, full ? sizeof rest : SUBMIT_ANSWER - 1 - used);
        if (got < 0 && errno != EINTR)
            break;
        used += got > 0 && !full ? (size_t)got : 0;
    }
    close(ends[0]);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    bool taken = child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    job[taken ? used : 0] = '\0';
    job[strcspn(job, ";\n")] = '\0'; /* "123;cluster" */
    return job[0] && !job[strspn(job, "0123456789")];
}

static ik_status submit_write(const submission *s, const char *name,
                              void (*put)(FILE *out, const submission *s), ik_error *err)
{
    char path[SUBMIT_PATH + 16];
    ik_output o;
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    ik_status status = ik_output_open(&o, path, err);
    if (status != IK_OK)
        return status;
    put(o.out, s);
    return ik_output_close(&o, IK_OK, err);
}

/* What no job will use. Results of an earlier submission stay. */
static void submit_take_back(const submission *s)
{
    char path[SUBMIT_PATH + 16];
    snprintf(path, sizeof path, "%s/task.sh", s->folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/merge.sh", s->folder);
    unlink(path);
    if (!s->of.kept)
        unlink(s->of.path);
    rmdir(s->folder);
}

static int submit_jobs(submission *s, const char *sbatch)
{
    const char *array[] = {sbatch, "--parsable", "task.sh", NULL};
    char after[SUBMIT_ANSWER + 32];
    const char *merge[] = {sbatch,     "--parsable", after, "--kill-on-invalid-dep=yes",
                           "merge.sh", NULL};
    if (!submit_ask(s, array, s->array_job)) {
        submit_take_back(s);
        if (s->array_job[0])
            return cli_usage(s->c,
                             "sbatch answered '%s', which is not the number of a job: 'squeue' "
                             "shows whether it took the array job",
                             s->array_job);
        return cli_usage(s->c, "sbatch did not take the array job; nothing was submitted");
    }
    snprintf(after, sizeof after, "--dependency=afterok:%s", s->array_job);
    if (!submit_ask(s, merge, s->merge_job))
        return cli_usage(s->c,
                         "the array job %s was submitted, but sbatch did not take the job that "
                         "merges its results: submit '%s/merge.sh' when it has ended, or cancel it "
                         "with 'scancel %s'",
                         s->array_job, s->folder, s->array_job);
    return CLI_DONE;
}

static int submit_all(submission *s)
{
    ik_error err;
    char *sbatch = NULL;
    if (ik_record_program("sbatch", &sbatch, &err) != IK_OK) {
        ik_fail(&err, IK_ERR_USAGE, "there is no program 'sbatch': this is no machine of Slurm");
        ik_hint(&err, IK_ERR_USAGE,
                "--dry-run prints the scripts that are submitted; 'ikat run --shard' runs shards "
                "without Slurm");
        return cli_error(s->c, &err);
    }
    ik_status status = IK_OK;
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        status =
            ik_fail(&err, IK_ERR_IO, "cannot make the folder '%s': %s", s->folder, strerror(errno));
    if (status == IK_OK && !s->of.kept)
        status = ik_assignment_write(s->of.path, s->of.estimate, (unsigned)s->tasks, s->of.task_of,
                                     &err);
    if (status == IK_OK)
        status = submit_write(s, "task.sh", submit_put_task, &err);
    if (status == IK_OK)
        status = submit_write(s, "merge.sh", submit_put_merge, &err);
    int ended = CLI_DONE;
    if (status != IK_OK) {
        submit_take_back(s);
        ended = cli_error(s->c, &err);
    } else {
        ended = submit_jobs(s, sbatch);
    }
    free(sbatch);
    return ended;
}

static int submit_show(const submission *s)
{
    const cli *c = s->c;
    if (c->json) {
        ik_json j;
        cli_json_begin(&j);
        ik_json_text(&j, "array_job", s->array_job);
        ik_json_text(&j, "merge_job", s->merge_job);
        ik_json_uint(&j, "tasks", s->tasks);
        ik_json_uint(&j, "points", s->points);
        ik_json_text(&j, "shards", s->folder);
        ik_json_text(&j, "results", s->results);
        return cli_json_end(c, &j);
    }
    printf("Submitted: array job %s (%s for %s) and job %s, which merges their results.\n",
           s->array_job, cli_counted(s->tasks, "task"), cli_counted(s->points, "point"),
           s->merge_job);
    if (!c->quiet)
        submit_print_estimate(s, "");
    if (!c->quiet)
        printf("Status: ikat status %s\nResults: %s\n", cli_line(s->folder), cli_line(s->results));
    return cli_finish(c, CLI_DONE);
}

static int submit_run(cli *c)
{
    submission *s = calloc(1, sizeof *s);
    if (!s)
        return cli_usage(c, "out of memory");
    s->c = c;
    int status = cli_not_with(c, "--json", "--dry-run");
    if (status == CLI_DONE)
        status = submit_read(s);
    if (status == CLI_DONE)
        status = submit_plan(s);
    if (status == CLI_DONE && cli_has(c, "--dry-run")) {
        submit_print_estimate(s, "# ");
        putchar('\n');
        submit_put_task(stdout, s);
        putchar('\n');
        submit_put_merge(stdout, s);
        status = cli_finish(c, CLI_DONE);
    } else if (status == CLI_DONE) {
        status = submit_all(s);
        if (status == CLI_DONE)
            status = submit_show(s);
    }
    submit_points_free(&s->of);
    ik_experiment_free(s->e);
    free(s);
    return status;
}

static const cli_option options[] = {
    {"--tasks", 0, "N", "number of tasks, each of which runs a shard of the points", false},
    {"--output", 'o', "RESULTS.db",
     "file for the merged results, which must not exist yet (default: the experiment's name with "
     ".db, in the current folder); the shards lie beside it, in RESULTS.shards",
     false},
    {"--time", 0, "TIME", "time limit of a task, as Slurm writes it (2:00:00)", false},
    {"--mem", 0, "SIZE", "memory of a task, as Slurm writes it (4G)", false},
    {"--partition", 0, "NAME", "partition of Slurm", false},
    {"--account", 0, "NAME", "account that is charged", false},
    {"--dry-run", 0, NULL,
     "print how long the points will take and both scripts, and write and submit nothing", false},
    CLI_EXPERIMENT_OPTIONS,
    {"--checkpoint", 0, "TIME",
     "write the state of running simulations beside the shards every TIME, and before a task's "
     "time "
     "is over: the next task goes on with it",
     false},
    {"--only", 0, "NAME=VALUE",
     "run only the points of this swept value (load=50%); several of one name: any of them", true},
    {0},
};

static const char *const examples[] = {
    "ikat submit experiments/quickstart.yaml --tasks 8 --time 2:00:00 -o sweep.db --dry-run", NULL};

const ik_command ik_command_submit = {
    .name = "submit",
    .synopsis = "FILE --tasks N [--time TIME] [--mem SIZE] [--partition NAME] [--dry-run]",
    .summary = "run a sweep on a cluster: an array job of Slurm and a job that merges its results",
    .details =
        "FILE is an experiment, which all nodes can read, as they can ikat itself and the folder "
        "of "
        "the results. Do not edit it before the jobs have ended.\nEach task runs a shard, as 'ikat "
        "run --shard' does, on the disk of its node ($SLURM_TMPDIR, $TMPDIR or /tmp), on one "
        "processor, or on N with --jobs N. Once a minute and at its end it copies what is finished "
        "to the folder of the shards, as a whole file. A task that is preempted, requeued or out "
        "of "
        "time loses the points that were not copied; a minute before its time is over all are. It "
        "goes on with what lies there.\nThe points are divided so that the tasks end together: "
        "each is "
        "estimated first, from its packet-hops and from what the finished points took, and the "
        "file "
        "assignment-of-N.txt beside the scripts keeps who has which. Points that take more than "
        "--time or --mem are named, with what would do.\nWhen all tasks have ended well, the last "
        "job merges the "
        "shards. If some have not, because their time was too short, the same command submits all "
        "again: finished tasks end at once, the others go on.\n'ikat status FOLDER' shows how far "
        "the tasks are. The scripts, with the logs, lie beside the shards.",
    .json = "array_job:t merge_job:t tasks:n points:n shards:t'the folder' results:t",
    .takes = "<file yaml yml>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .runs_others = true,
    .run = submit_run,
};
