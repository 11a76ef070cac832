/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_replay.c: `ikat replay TRACE`: a recorded program on one or several fabrics. The options are
 * written as an experiment, which runs as any other.
 */
#include "running.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OVERRIDES = 256 };

/* Options that are parameters of traffic 'program'. */
static const struct {
    const char *option, *parameter;
} parameters[] = {
    {"--format", "format"},
    {"--matching", "matching"},
    {"--mapping", "mapping"},
    {"--hosts", "hosts"},
    {"--ranks-per-host", "ranks_per_host"},
    {"--eager", "eager"},
    {"--overhead", "overhead"},
    {"--gap", "gap"},
    {"--clock", "clock"},
    {"--compute-scale", "compute_scale"},
    {"--size-scale", "size_scale"},
};
enum { NUM_PARAMETERS = sizeof parameters / sizeof *parameters };

/* ---- the experiment */

/* One value, or a list of several, which sweeps. */
static void replay_put_values(cli *c, ik_json *j, const char *key, const char *option)
{
    if (!cli_get_nth(c, option, 1)) {
        ik_json_text(j, key, cli_get(c, option));
        return;
    }
    ik_json_array(j, key);
    for (int n = 0; cli_get_nth(c, option, n); n++)
        ik_json_text(j, NULL, cli_get_nth(c, option, n));
    ik_json_close(j);
}

/* The words of parameter 'operation' of traffic 'collective'. */
static const char *replay_operation_names(void)
{
    const ik_param *p = ik_traffic_find("collective")->params;
    while (strcmp(p->name, "operation") != 0)
        p++;
    return p->choices;
}

static bool replay_is_operation(const char *name)
{
    size_t length = strlen(name), here;
    for (const char *at = replay_operation_names();; at += here + 1) {
        here = strcspn(at, "|");
        if (here == length && memcmp(at, name, length) == 0)
            return true;
        if (!at[here])
            return false;
    }
}

static int refuse_operation(cli *c, const char *name)
{
    ik_error err;
    ik_arena arena = {0};
    const char *nearest = ik_nearest_word(name, replay_operation_names(), &arena);
    ik_fail(&err, IK_ERR_USAGE, "--collective: there is no collective operation '%s'", name);
    ik_hint(&err, IK_ERR_USAGE, "operations are %s", replay_operation_names());
    ik_meant(&err, IK_ERR_USAGE, nearest);
    ik_arena_free(&arena);
    return cli_error(c, &err);
}

/* The algorithms that are given for the operation of option n, which sweep if there are several;
 * nothing if an option before n did that. */
static void put_algorithms_of(cli *c, ik_json *j, int n, const char *operation)
{
    size_t length = strlen(operation) + 1; /* with '=' */
    const char *own = cli_get_nth(c, "--collective", n), *text;
    int num = 0;
    for (int k = 0; (text = cli_get_nth(c, "--collective", k)); k++) {
        bool same = strncmp(text, own, length) == 0;
        if (same && k < n)
            return;
        num += same;
    }
    if (num == 1) {
        ik_json_text(j, operation, own + length);
        return;
    }
    ik_json_array(j, operation);
    for (int k = n; (text = cli_get_nth(c, "--collective", k)); k++)
        if (strncmp(text, own, length) == 0)
            ik_json_text(j, NULL, text + length);
    ik_json_close(j);
}

/* --collective allreduce=ring */
static int replay_put_algorithms(cli *c, ik_json *j)
{
    const char *text;
    for (int n = 0; (text = cli_get_nth(c, "--collective", n)); n++) {
        char operation[40];
        size_t length = strcspn(text, "=");
        if (!text[length] || !length || length >= sizeof operation)
            return cli_usage(c,
                             "--collective takes an operation and its algorithm, such as "
                             "allreduce=ring, not '%s'",
                             cli_line(text));
        snprintf(operation, sizeof operation, "%.*s", (int)length, text);
        if (!replay_is_operation(operation))
            return refuse_operation(c, operation);
        put_algorithms_of(c, j, n, operation);
    }
    return CLI_DONE;
}

static int replay_put_traffic(cli *c, ik_json *j)
{
    ik_json_object(j, "traffic");
    ik_json_text(j, "family", "program");
    ik_json_text(j, "trace", c->args[0]);
    for (unsigned k = 0; k < NUM_PARAMETERS; k++)
        if (cli_has(c, parameters[k].option))
            replay_put_values(c, j, parameters[k].parameter, parameters[k].option);
    int status = replay_put_algorithms(c, j);
    ik_json_close(j);
    return status;
}

/* The experiment as a document, NULL with the message printed; free. */
static char *write_experiment(cli *c, int *status)
{
    ik_json j;
    ik_error err;
    char *text = NULL;
    const char *at_most = cli_get(c, "--at-most");
    ik_json_to_text(&j, IK_JSON_ROWS);
    ik_json_object(&j, NULL);
    replay_put_values(c, &j, "fabric", "--fabric");
    replay_put_values(c, &j, "routing", "--routing");
    *status = replay_put_traffic(c, &j);
    if (cli_has(c, "--reference")) {
        ik_json_object(&j, "reference");
        replay_put_values(c, &j, "links", "--reference");
        ik_json_close(&j);
    }
    ik_json_object(&j, "measure");
    ik_json_text(&j, "until", "delivered");
    ik_json_text(&j, "at_most", at_most ? at_most : "1000 s");
    ik_json_close(&j);
    ik_json_close(&j);
    if (ik_json_end_text(&j, &text, NULL, &err) != IK_OK)
        *status = cli_error(c, &err);
    if (*status != CLI_DONE) {
        free(text);
        return NULL;
    }
    return text;
}

static int replay_read_experiment(cli *c, ik_experiment **e)
{
    const char *overrides[MAX_OVERRIDES + 2] = {NULL};
    char seed[48];
    ik_error err;
    int n = 0, status;
    for (const char *text; (text = cli_get_nth(c, "--set", n)); n++) {
        if (n == MAX_OVERRIDES)
            return cli_usage(c, "--set is given more than %d times", MAX_OVERRIDES);
        overrides[n] = text;
    }
    if (cli_has(c, "--seed")) {
        snprintf(seed, sizeof seed, "seeds=[%llu]", (unsigned long long)c->seed);
        overrides[n] = seed;
    }
    char *text = write_experiment(c, &status);
    if (!text)
        return status;
    /* no name: errors have no place in a file that the user has not written */
    if (ik_experiment_read_memory(text, strlen(text), "", overrides, e, &err) != IK_OK)
        status = cli_error(c, &err);
    free(text);
    return status;
}

/* ---- the program, written */

/* Its ranks as they are; what is no part of a program is not said. */
static ik_status replay_write_goal(cli *c, const char *path, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_traffic *t = NULL;
    ik_output file;
    const char *format = cli_get(c, "--format"), *ranks = cli_get(c, "--ranks-per-host");
    char spec[4400];
    snprintf(spec, sizeof spec, "program:trace=%.4200s,format=%.60s,ranks_per_host=%.40s",
             c->args[0], format ? format : "auto", ranks ? ranks : "1");
    ik_status s = ik_fabric_from_spec(cli_get(c, "--fabric"), &c->env, &f, err);
    if (s == IK_OK)
        s = ik_traffic_from_spec(f, spec, &c->env, &t, err);
    if (s == IK_OK)
        s = ik_output_open(&file, path, err);
    if (s == IK_OK)
        s = ik_output_close(&file, ik_workload_write_goal(t->workload, file.out, err), err);
    ik_traffic_free(t);
    ik_fabric_free(f);
    return s;
}

/* ---- the command */

static char *replay_default_store(const char *trace)
{
    size_t length = strlen(trace);
    bool named = length && trace[length - 1] != '/' && !strpbrk(trace, "*?[");
    return cli_beside(named ? trace : "replay", ".db");
}

static int replay_run_it(cli *c, const ik_run_part *part)
{
    ik_experiment *e = NULL;
    ik_error err;
    int status = replay_read_experiment(c, &e);
    if (status != CLI_DONE)
        return status;
    const char *given = cli_get(c, "--output"), *goal = cli_get(c, "--goal");
    char *made = given ? NULL : replay_default_store(c->args[0]);
    if (!given && !made)
        status = cli_usage(c, "out of memory");
    else if (cli_same_file(given ? given : made, c->args[0]))
        status = cli_usage(c, "the results '%s' would overwrite the trace from which they are made",
                           cli_line(given ? given : made));
    else if (goal && cli_speaks(c) && replay_write_goal(c, goal, &err) != IK_OK)
        status = cli_error(c, &err);
    else
        status = cli_run_experiment(c, e, part, given ? given : made);
    free(made);
    ik_experiment_free(e);
    return status;
}

static int replay_here(cli *c)
{
    ik_run_part part = {0};
    if (!cli_has(c, "--fabric"))
        return cli_usage(c,
                         "--fabric SPEC is required; 'ikat list topologies' shows all topologies");
    if (!cli_has(c, "--routing"))
        return cli_usage(c, "--routing SPEC is required; 'ikat list routings' shows all routings");
    int refused = cli_read_part(c, &part);
    if (refused != CLI_DONE)
        return refused;
    cli_use_cache(c);
    return replay_run_it(c, &part);
}

static int replay_run(cli *c)
{
    int refused = cli_join_ranks(c, NULL);
    return cli_leave_ranks(c, refused == CLI_DONE ? replay_here(c) : refused);
}

static const cli_option options[] = {
    {"--fabric", 'f', "SPEC|FILE", "the fabric; several are compared", true, "<topologies>|<file>"},
    {"--routing", 'r', "SPEC", "the routing; several are compared", true, "<routings>"},
    {"--format", 0, "NAME",
     "format of the trace (default: recognised by its first bytes and its name)", false,
     "goal|goalbin|liballprof|dimemas|chakra|otf2|recording|csv"},
    {"--mapping", 'm', "RULE|FILE",
     "which host runs which rank: linear, random, by_leaf, by_pod, or a file with one host per "
     "line",
     true, "linear|random|by_leaf|by_pod|<file>"},
    {"--hosts", 0, "SET", "hosts that run ranks, such as 0..63:70 (default: all)", false},
    {"--ranks-per-host", 0, "N", "number of consecutive ranks that share a host", true},
    {"--matching", 0, "recorded|mpi",
     "what receives from any source match: the message of the recording, or messages as they "
     "arrive, by the rules of MPI",
     false},
    {"--eager", 0, "SIZE",
     "sends larger than SIZE wait for their receive: request, answer, data (default: none do)",
     true},
    {"--overhead", 0, "TIME", "processor time of each send and receive (LogGP: o)", true},
    {"--gap", 0, "TIME", "time between two messages at a host's adapter (LogGP: g)", true},
    {"--clock", 0, "CLOCK",
     "of recordings: what computations last: wall (time by the clock), cpu (how much of it the "
     "rank's thread had a processor core), or auto (default: cpu where ranks shared cores)",
     true, "auto|wall|cpu"},
    {"--compute-scale", 0, "X", "factor by which the times of computations are multiplied", true},
    {"--size-scale", 0, "X", "factor by which the sizes of messages are multiplied", true},
    {"--collective", 0, "OPERATION=ALGORITHM",
     "algorithm of a collective operation, e.g. allreduce=ring (default: by size); several for one "
     "operation are swept",
     true,
     "barrier=|broadcast=|reduce=|allreduce=|allgather=|reduce_scatter=|alltoall=|alltoallv=|"
     "gather=|scatter=|scan="},
    {"--at-most", 0, "TIME", "simulated time at which a replay is stopped (default: 1000 s)",
     false},
    {"--reference", 0, "hosts|unlimited",
     "slowdowns are relative to a crossbar with links of the hosts' rate, or (unlimited) with "
     "latency only",
     true},
    {"--goal", 0, "FILE", "also write the program in the text form of GOAL", false},
    {"--set", 's', "KEY=VALUE",
     "set any other value of the experiment, e.g. --set switch.model=ideal", true, "<settings>"},
    {"--output", 'o', "RESULTS.db",
     "file for the results (default: the trace's name with .db, in the current folder)", false},
    CLI_PART_OPTIONS,
    CLI_NO_CACHE,
    {0},
};

static const char *const examples[] = {
    "ikat replay experiments/halo.dim --fabric karytree:k=4,n=2 --fabric torus:dims=4:4 --routing "
    "dfsssp -o halo.db",
    "ikat replay experiments/taskfarm.goal --fabric karytree:k=4,n=2 --routing dmodk --mapping "
    "random --compute-scale 0.5 -o faster.db",
    NULL};

const ik_command ik_command_replay = {
    .name = "replay",
    .synopsis = "TRACE --fabric SPEC --routing SPEC [--mapping RULE|FILE] [-o RESULTS.db]",
    .summary = "simulate a recorded parallel program on fabrics",
    .details =
        "Use it to find out how an application would run on another network. TRACE is a file, a "
        "folder, or a quoted pattern of files ('run/trace.*.txt', one per rank) in one of the "
        "formats of --format ('ikat help program' lists them); text may be packed with gzip.\nEach "
        "rank does one thing after the other: it computes for as long as the trace says "
        "(multiplied by --compute-scale), and its messages use the simulated network. Collective "
        "operations become the messages of an algorithm. Sends are eager, that is, they complete "
        "when the adapter has the message, except synchronous sends and those larger than "
        "--eager.\nThe options make an experiment with traffic 'program', which runs as with 'ikat "
        "run': results are stored, the same command continues a run that was stopped, and mpirun "
        "-n N ikat replay TRACE simulates on N processes together. Exit status 1 means that a "
        "replay could not finish; the summary then says what waits for what. "
        "Slowdowns are relative to a crossbar with the same number of hosts or, with --reference "
        "unlimited, to a network that has only latency. The summary says where the ranks spent "
        "their time, which fabric was best, and why; the report draws the timelines of the ranks "
        "and the matrix of messages. See docs/workloads.md and docs/recording.md.",
    .takes = "<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = replay_run,
};
