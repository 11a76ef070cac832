/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_deploy.c: `ikat deploy`: a routing as a folder of files for OpenSM, proved as written.
 */
#include "cli.h"

static int deploy_report(const cli *c, const ik_deployment *d)
{
    int status = d->num_left_out ? CLI_FAILED : CLI_DONE;
    if (c->json) {
        ik_json j;
        cli_json_begin(&j);
        ik_deployment_json(d, &j);
        int written = cli_json_end(c, &j);
        return written == CLI_DONE ? status : written;
    }
    ik_deployment_print(d, stdout);
    return cli_finish(c, status);
}

/* The fabric without what has failed. */
static ik_status deploy_take_failed(const cli *c, ik_fabric **f, ik_error *err)
{
    ik_fabric *left = NULL;
    ik_status status = ik_failed_read(*f, cli_get(c, "--failed"), &c->env, &left, NULL, err);
    if (status != IK_OK)
        return status;
    ik_fabric_free(*f);
    *f = left;
    return IK_OK;
}

static int deploy_run(cli *c)
{
    uint64_t vls = 0;
    ik_deploy_config config = {.routing = cli_get(c, "--routing"),
                               .vc = cli_get(c, "--vc"),
                               .query_lane = cli_has(c, "--query-lane"),
                               .unproved = cli_has(c, "--unproved"),
                               .force = cli_has(c, "--force"),
                               .dry_run = cli_has(c, "--dry-run"),
                               .lane_curve = cli_has(c, "--lane-curve"),
                               .fabric = c->args[0],
                               .from = cli_get(c, "--from")};
    const char *folder = cli_get(c, "--output");
    if (cli_only_with(c, "--vc", "--routing") != CLI_DONE)
        return CLI_USAGE;
    if (!folder && !config.dry_run)
        return cli_usage(c, "--output DIR is required, or --dry-run, which writes nothing");
    if (!cli_get_uint(c, "--vls", 1, IK_DEPLOYABLE_VCS, IK_DEPLOY_VLS, &vls))
        return CLI_USAGE;
    config.max_vls = (unsigned)vls;
    if (config.routing && !config.vc && ik_deploy_takes_vc(config.routing))
        cli_note(c, "'%s' is a VC scheme: taken as --routing shortest --vc %s",
                 cli_line(config.routing), cli_line(config.routing));
    ik_fabric *f = NULL;
    ik_deployment d;
    ik_error err;
    ik_status status = ik_fabric_from_spec(c->args[0], &c->env, &f, &err);
    if (status == IK_OK && cli_has(c, "--failed"))
        status = deploy_take_failed(c, &f, &err);
    if (status == IK_OK)
        status = ik_deploy(f, &config, folder, &c->env, &d, &err);
    cli_progress_end(c);
    int exit_status = CLI_DONE;
    if (status == IK_OK) {
        if (!d.proved)
            cli_note(c, "UNPROVED: %s", d.why_not);
        exit_status = deploy_report(c, &d);
        ik_deployment_free(&d);
    } else {
        exit_status = cli_error(c, &err);
    }
    ik_fabric_free(f);
    return exit_status;
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "the routing (default: the best of several for this fabric)", false,
     "<routings>"},
    {"--vc", 0, "SPEC", "the VC scheme (default: the routing's default scheme)", false, "<vcs>"},
    {"--vls", 0, "N", "most virtual lanes for data that may be used, 1 to 15 (default 8)", false},
    {"--lane-curve", 0, NULL,
     "also show the largest load that 1, 2, ... lanes allow, up to --vls, and the least that any "
     "tables can have",
     false},
    {"--query-lane", 0, NULL, "use one more lane, only for performance queries, if they need it",
     false},
    {"--output", 'o', "DIR", "the folder to write", false},
    {"--force", 0, NULL,
     "accept a folder that has files: those of an earlier deployment are replaced", false},
    {"--dry-run", 0, NULL,
     "make, prove and report everything, but write nothing; -o may be left out", false},
    {"--from", 0, "DIR|LFTS",
     "what is installed now: change as few entries as possible, and report how many", false,
     "<folder>|<file>"},
    {"--failed", 0, "FILE",
     "file with the nodes and ports that have failed, one per line: NAME or GUID, for a port "
     "followed by [PORT]",
     false},
    {"--unproved", 0, NULL, "also write a routing that cannot be proved, and say so in the summary",
     false},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat deploy karytree:k=2,n=3 -o new-routing",
                                       "ikat deploy ring:n=5,p=2 -r dfsssp --vls 4 -o two-lanes",
                                       "ikat deploy torus:dims=4:4,p=1 --lane-curve --dry-run",
                                       NULL};

const ik_command ik_command_deploy = {
    .name = "deploy",
    .synopsis = "SPEC|FILE [--routing SPEC] [--vls N] [--from DIR|LFTS] [--failed FILE] -o DIR",
    .summary = "write a proved routing for OpenSM to install: tables, service levels, commands",
    .details =
        "The folder has lfts (tables with an entry for every LID, including those of switches), "
        "root_guids, commands.txt (how to install, check and revert), summary.txt and "
        "summary.json; if several virtual lanes are needed, also qos-policy.conf and opensm.conf "
        "(SL i uses VL i). The files are read back and examined before the folder appears: every "
        "pair must be delivered without credit loops, also when replies take the service level of "
        "their request. A routing for which this is not proved is refused (exit status 1), unless "
        "--unproved is given.\nWithout --routing, several routings are proved and compared by "
        "throughput and largest load when all hosts send evenly, as 'ikat audit' does, and the "
        "best one is written. With --from, nothing is written if none is better than what is "
        "installed (exit status 1).\nVC schemes lash, dfsssp and nue are used with pairs=both; "
        "schemes "
        "that change lanes along a path are refused. --routing lash means shortest with --vc lash; "
        "routing frugal needs the fewest lanes. Hosts that cannot be reached from the others are "
        "left out and listed, with exit status 1.\ndocs/deploying.md explains what it prints.",
    .json = "fabric:t folder:~t'null: a dry run' routing:t compared:[{routing:t vc:t state:t "
            "chosen:b better:b "
            "one_manager_free:~b lanes:n max_load:~r saturation:~r why:~t}] vc:t switches:n "
            "hosts:n endpoints:n "
            "lids:n lids_assigned:n entries:n unsafe_destinations:n lanes:n pairs_on_sl0:n "
            "policy:~{rules:n source_groups:n destination_groups:n bytes:n} proved:b "
            "not_proved:~t verdict:{pairs:n delivered:n undelivered:n unconnected:n "
            "switches_unreached:n missing_entries:n dead_entries:n deadlock_free:~b "
            "management_free:~b one_manager_free:~b vls_used:n dependencies:n max_hops:n "
            "mean_hops:r max_paths:n paths_per_gbps:r own_paths_per_gbps:r'before old entries were "
            "kept' minhop_paths_per_gbps:~r'with the engine minhop of OpenSM, null where "
            "ports have several LIDs' credit_loop:[{channel:t vl:n sl:n reply:b query:b source:t "
            "destination:t}]} lane_trade:~{lanes:n max_paths:n longer_pairs:n balanced_lanes:~n "
            "balanced_max_paths:~n}'of routing frugal' "
            "lane_curve:~{least_load:r best:[~n]'of 1, 2, ... lanes: an index into its compared' "
            "compared:[{routing:t vc:t state:t chosen:b better:b one_manager_free:~b lanes:n "
            "max_load:~r saturation:~r why:~t}]}'with --lane-curve' roots:[t] left_out:[t] "
            "update:~{switches_without_tables:n not_compared:b lane_assumed:b same_routing:b "
            "repaired:b kept:n changed:n added:n removed:n switches:n levels_kept:~n "
            "levels_changed:~n mixing:t order:[t] "
            "batches:[n]}",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = deploy_run,
};
