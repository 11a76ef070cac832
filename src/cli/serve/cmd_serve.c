/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_serve.c: `ikat serve RESULTS.db`: the report in a browser, while the run goes on.
 */
#include "serve.h"

#include "ikat/json.h"
#include "ikat/topology.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where it is, before the first request. */
static int serve_announce(const cli *c, const serve_http *h)
{
    ik_json j;
    if (c->json) {
        cli_json_begin(&j);
        ik_json_text(&j, "address", serve_http_address(h));
        ik_json_uint(&j, "port", serve_http_port(h));
        return cli_json_end(c, &j);
    }
    printf("%s\n", serve_http_address(h));
    bool there = cli_has(c, "--routing"); /* what is shown need not be a file */
    for (int i = 0; i < c->num_args; i++)
        there |= access(c->args[i], F_OK) == 0;
    if (!c->quiet)
        printf("Open this address in a browser on this machine: it shows %s%s%s. Whoever knows it "
               "can read the results and stop their run. Ctrl-C ends the server.\n",
               cli_line(c->args[0]), c->num_args > 1 ? " and the others" : "",
               there ? "" : ", which is not there, as soon as a run makes it");
    return cli_finish(c, CLI_DONE);
}

/* Until a signal comes, or the time is over. */
static void serve_wait(const cli *c, serve_http *h, double seconds)
{
    double until = ik_clock_s(CLOCK_MONOTONIC) + seconds;
    while (!ik_env_cancelled(&c->env)) {
        double left = fmin(until - ik_clock_s(CLOCK_MONOTONIC), 0.2);
        if (left <= 0)
            break;
        nanosleep(&(struct timespec){0, (long)(left * 1e9)}, NULL);
        serve_http_sweep(h);
    }
}

static int serve_results_of(cli *c, serve_results *results, uint16_t port, double seconds)
{
    serve_http *h = NULL;
    ik_error err;
    serve_whatif *whatif = serve_whatif_open(c, results);
    if (!whatif)
        return cli_usage(c, "out of memory");
    ik_status checked = serve_results_check(results, &err);
    if (checked != IK_OK && err.kind == IK_ERROR_FOREIGN_FILE)
        ik_hint(&err, checked, "results are written by 'ikat run'; a fabric takes --routing SPEC");
    int status = checked == IK_OK && serve_http_start(results, whatif, port, &h, &err) == IK_OK
                     ? serve_announce(c, h)
                     : cli_error(c, &err);
    if (h && status == CLI_DONE)
        serve_wait(c, h, seconds);
    serve_http_end(h);
    serve_whatif_close(whatif);
    return status;
}

static int serve_names(cli *c, const char *const *names, size_t num, uint16_t port, double seconds)
{
    serve_results *results = serve_results_open(names, num);
    if (!results)
        return cli_usage(c, "out of memory");
    int status = serve_results_of(c, results, port, seconds);
    serve_results_close(results);
    return status;
}

/* A fabric and its routing, as results of an experiment that simulates nothing. */
static int serve_fabric(cli *c, const char *routing, uint16_t port, double seconds)
{
    serve_folder folder;
    char store[SERVE_FOLDER + 24];
    const char *const names[] = {store};
    ik_error err;
    if (c->num_args > 1)
        return cli_usage(c, "with --routing one fabric is served, not %d", c->num_args);
    if (serve_folder_make(&folder, &err) != IK_OK)
        return cli_error(c, &err);
    snprintf(store, sizeof store, "%s/fabric.db", folder.path);
    int status = serve_whatif_make(c, c->args[0], routing, folder.path, store, &err) == IK_OK
                     ? serve_names(c, names, 1, port, seconds)
                     : cli_error(c, &err);
    serve_folder_remove(&folder);
    return status;
}

/* Whether it names no file, but a topology: "karytree:k=4,n=2". */
static bool serve_is_spec(const char *name)
{
    char family[64];
    struct stat info;
    const ik_shorthand *shorthand;
    snprintf(family, sizeof family, "%.*s", (int)strcspn(name, ":"), name);
    return stat(name, &info) != 0 && ik_topology_find(family, &shorthand);
}

static int serve_run(cli *c)
{
    uint64_t port = 0;
    double seconds = INFINITY;
    const char *time = cli_get(c, "--for");
    if (!cli_get_uint(c, "--port", 0, 65535, 0, &port))
        return CLI_USAGE;
    if (time && !ik_parse_seconds(time, &seconds))
        return cli_usage(c, "--for takes a time such as 90 s, 30 min, 2 h or 1 d, not '%s'", time);
    if (cli_has(c, "--seed"))
        return cli_usage(c, "--seed has no effect here: results have their seeds, and a fabric "
                            "whose failures are drawn takes fail_seed=");
    const char *routing = cli_get(c, "--routing");
    if (!routing && serve_is_spec(c->args[0]))
        return cli_usage(c, "'%s' is a fabric: --routing SPEC shows it with a routing", c->args[0]);
    serve_folder_clean();
    return routing ? serve_fabric(c, routing, (uint16_t)port, seconds)
                   : serve_names(c, (const char *const *)c->args, (size_t)c->num_args,
                                 (uint16_t)port, seconds);
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "show a fabric with this routing instead of results", false,
     "<routings>"},
    {"--port", 0, "N", "port of 127.0.0.1 (default: 0, any that is free)", false},
    {"--for", 0, "TIME", "end after this time (default: when Ctrl-C is pressed)", false},
    {0},
};

static const char *const examples[] = {
    "ikat run experiments/quickstart.yaml -o quickstart.db", "ikat serve quickstart.db --for 1s",
    "ikat serve data/cluster96.ibnetdiscover -r updown --for 1s", NULL};

const ik_command ik_command_serve = {
    .name = "serve",
    .synopsis = "RESULTS.db… | FOLDER [--port N] | SPEC|FILE --routing SPEC [--port N]",
    .summary = "show the report in a browser while the run goes on",
    .details =
        "Prints an address to be opened in a browser on this machine. It shows the page of 'ikat "
        "report', with a bar that tells how far the run is; the page takes up new points "
        "by itself and keeps the reader's place. The files are those that 'ikat status' takes: one "
        "results file, the shards of a sweep, or a folder with them. They may be made later.\n"
        "With --routing it takes a fabric, such as the dump of a cluster, and shows that.\n"
        "In the picture of the fabric, 'What if' takes links and switches away, or makes links "
        "slower, and shows what 'ikat check', 'ikat load' and a short simulation say of it: before "
        "and after, with the command lines that repeat it. VC scheme, switch, adapters and "
        "measurement are those of the point that is shown.\n"
        "The bar can stop runs on this machine as Ctrl-C does: finished points are "
        "kept, and the same 'ikat run' goes on.\n"
        "The server listens at 127.0.0.1 only. The address has a random token that is drawn "
        "for each start; who does not know it gets nothing, and nothing but the results can be "
        "read. From another machine, 'ssh -L PORT:127.0.0.1:PORT HOST' leads to it. "
        "The page needs the server for what is new only; to pass results on, send the file "
        "that 'ikat report' makes.\n"
        "Exit status 0 when it is ended. It needs the library libmicrohttpd.",
    .json = "address:t'with the token' port:n",
    .takes = "<file db>|<folder>|<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = -1,
    .run = serve_run,
};
