/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_load.c: `ikat load`: what a pattern does to the channels under a routing, without simulating.
 */
#include "load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------
 * measuring */

static ik_status load_measure_queues(loads *l, ik_error *err)
{
    size_t num;
    ik_status s = ik_queues_measure(l->plan, l->t, &l->c->env, &l->queues, err);
    if (s == IK_OK)
        s = ik_queue_groups(l->plan->fabric, &l->queues, false, &l->queue_flows,
                            &l->num_queue_groups, err);
    if (s == IK_OK)
        s = ik_queue_groups(l->plan->fabric, &l->queues, true, &l->queue_destinations, &num, err);
    return s;
}

static ik_status load_measure_more(loads *l, uint64_t patterns, uint64_t samples, ik_error *err)
{
    const ik_env *env = &l->c->env;
    ik_status s = IK_OK;
    if (cli_has(l->c, "--contention") ||
        (double)l->load.flows <= loads_few_flows * (double)l->f->num_hosts) {
        s = ik_contention_measure(l->r, l->t, env, &l->contention, err);
        l->has_contention = s == IK_OK;
        bool by_channel = l->table && strcmp(l->table, "queues") != 0;
        if (l->has_contention && by_channel && l->contention.split == 0)
            s = ik_contention_channels(l->r, l->t, env, &l->c_of, err);
    }
    if (s == IK_OK && l->has_queues)
        s = load_measure_queues(l, err);
    if (s == IK_OK && l->t->workload) {
        double most = cli_has(l->c, "--contention") ? INFINITY : loads_few_flows;
        s = ik_phases_measure(l->r, l->t, most, env, &l->phases, err);
        l->has_phases = s == IK_OK;
    }
    if (s == IK_OK && patterns) {
        s = ik_pattern_means_measure(l->r, l->t->spec, patterns, env, &l->means, err);
        l->has_means = s == IK_OK;
    }
    if (s == IK_OK && cli_has(l->c, "--permutations")) {
        s = ik_permutations_measure(l->r, samples, env, &l->permutations, err);
        l->has_permutations = s == IK_OK;
    }
    return s;
}

/* The traffic as a program. */
static ik_status load_write_goal(const loads *l, const char *path, ik_error *err)
{
    ik_output file;
    if (!l->t->workload) {
        ik_fail(err, IK_ERR_USAGE, "--goal: traffic '%.80s' never ends", l->t->spec);
        return ik_hint(err, IK_ERR_USAGE,
                       "traffic 'exchange' sends the messages of a pattern once");
    }
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = ik_output_close(&file, ik_workload_write_goal(l->t->workload, file.out, err), err);
    return status;
}

/* Its accesses to disks as a trace. */
static ik_status load_write_trace(const loads *l, const char *path, ik_error *err)
{
    ik_output file;
    if (!l->t->family->write_trace)
        return ik_traffic_write_trace(l->t, NULL, err);
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = ik_output_close(&file, ik_traffic_write_trace(l->t, file.out, err), err);
    return status;
}

/* Routings made for a pattern are made for the traffic, unless they name another one. */
static ik_status load_make_routing(loads *l, const char *spec, ik_error *err)
{
    ik_env env = l->c->env;
    env.traffic = l->t;
    if (!l->has_queues) {
        ik_status s = ik_routing_from_spec(l->f, spec, &env, &l->r, err);
        if (s != IK_OK)
            return s;
    } else {
        ik_status s = ik_plan_from_specs(l->f, spec, cli_get(l->c, "--vc"), NULL, l->num_vcs, &env,
                                         &l->plan, err);
        if (s != IK_OK)
            return s;
        l->r = l->plan->routing;
    }
    if (l->r->note)
        cli_note(l->c, "%s", l->r->note);
    return IK_OK;
}

/* The fabric and the traffic. */
static ik_status load_build(loads *l, ik_error *err)
{
    const ik_env *env = &l->c->env;
    const char *traffic = cli_get(l->c, "--traffic");
    ik_status s = ik_fabric_from_spec(l->c->args[0], env, &l->f, err);
    if (s == IK_OK)
        s = cli_reach(l->c, l->f, &l->refused, err);
    if (s == IK_OK)
        s = ik_traffic_from_spec(l->f, traffic ? traffic : "uniform", env, &l->t, err);
    return s;
}

static ik_status cmd_load_measure(loads *l, uint64_t patterns, uint64_t samples, ik_error *err)
{
    const ik_env *env = &l->c->env;
    ik_status s = load_make_routing(l, cli_get(l->c, "--routing"), err);
    if (s == IK_OK) {
        if (l->t->note)
            cli_note(l->c, "note: %s", l->t->note);
        if (cli_has(l->c, "--goal"))
            s = load_write_goal(l, cli_get(l->c, "--goal"), err);
        if (s == IK_OK && cli_has(l->c, "--trace"))
            s = load_write_trace(l, cli_get(l->c, "--trace"), err);
    }
    if (s == IK_OK)
        s = ik_load_measure(l->r, l->t, env, &l->load, err);
    if (s == IK_OK)
        s = ik_load_band_measure(l->r, l->t, &l->load, env, &l->band, err);
    if (s == IK_OK)
        s = ik_flows_unconnected(l->t, &l->unconnected, err);
    if (s == IK_OK && cli_has(l->c, "--bound")) {
        s = ik_flow_bound_measure(l->t, l->epsilon, env, &l->bound, err);
        l->has_bound = s == IK_OK;
    }
    if (s == IK_OK)
        s = ik_load_groups(l->f, l->load.load, &l->groups, &l->num_groups, err);
    return s == IK_OK ? load_measure_more(l, patterns, samples, err) : s;
}

uint64_t loads_undelivered(const loads *l)
{
    return l->load.undelivered - l->unconnected;
}

/* ------------------------------------------------------------------------------------------ the
 * command */

static bool load_is_table(const char *name)
{
    const char *const *table = loads_tables;
    while (*table && strcmp(*table, name) != 0)
        table++;
    return *table;
}

/* What --csv prints, or --json besides, and what has no effect on that. */
static int load_read_table(loads *l)
{
    cli *c = l->c;
    const char *name = cli_get(c, "--table");
    static const char *const others[] = {"--histogram", "--patterns", "--permutations"};
    if (!c->json && cli_only_with(c, "--table", "--csv") != CLI_DONE)
        return CLI_USAGE;
    if (c->json && cli_has(c, "--csv"))
        return cli_usage(c, "--csv and --json both write to the output: give only one of them");
    if (name && !load_is_table(name))
        return cli_usage(c, "--table %s: it prints channels, queues, nca or phases",
                         cli_line(name));
    if (c->json && name && strcmp(name, "channels") != 0)
        return cli_usage(c, "--table %s: JSON has channels, and the others without asking",
                         cli_line(name));
    l->has_channels = c->json && name;
    if (!cli_has(c, "--csv"))
        return CLI_DONE;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_not_with(c, others[i], "--csv") != CLI_DONE)
            return CLI_USAGE;
    l->table = name ? name : loads_tables[0];
    bool queues = strcmp(l->table, "queues") == 0;
    if (l->has_queues && !queues)
        return cli_usage(c,
                         "--vc, --vcs and --queues have no effect on table %s: it has --table "
                         "queues",
                         l->table);
    if (queues && cli_has(c, "--contention"))
        return cli_usage(c, "--contention has no effect on table queues");
    l->has_queues = queues;
    return CLI_DONE;
}

static int load_read_options(loads *l, uint64_t *patterns, uint64_t *samples)
{
    cli *c = l->c;
    uint64_t num_vcs;
    if (!cli_has(c, "--routing"))
        return cli_usage(c, "--routing SPEC is required; 'ikat list routings' shows all routings");
    if (!cli_get_uint(c, "--patterns", 0, 100000000, 0, patterns) ||
        !cli_get_uint(c, "--vcs", 0, IK_MAX_VCS, 0, &num_vcs))
        return CLI_USAGE;
    const char *wanted = cli_get(c, "--permutations");
    *samples = 0;
    if ((!wanted || strcmp(wanted, "all") != 0) &&
        !cli_get_uint(c, "--permutations", 1, 1000000000000, 1, samples))
        return CLI_USAGE;
    if (loads_read_epsilon(c, &l->epsilon) != CLI_DONE)
        return CLI_USAGE;
    l->num_vcs = (unsigned)num_vcs;
    l->has_queues = cli_has(c, "--queues") || cli_has(c, "--vc") || cli_has(c, "--vcs");
    return load_read_table(l);
}

static int load_exit_of(const loads *l)
{
    return loads_undelivered(l) || l->refused ? CLI_FAILED : CLI_DONE;
}

static int load_show(const loads *l)
{
    int failed = load_exit_of(l);
    cli_progress_end(l->c);
    if (l->c->json) {
        int status = loads_show_json(l);
        return status == CLI_DONE ? failed : status;
    }
    if (l->table) {
        int status = loads_show_csv(l, l->table);
        return status == CLI_DONE ? cli_finish(l->c, failed) : status;
    }
    loads_show_text(l);
    return cli_finish(l->c, failed);
}

/* All but fabric and traffic. */
static void load_measures_free(loads *l)
{
    ik_load_groups_free(l->queue_flows, l->num_queue_groups);
    ik_load_groups_free(l->queue_destinations, l->num_queue_groups);
    ik_queues_free(&l->queues);
    free(l->c_of);
    ik_phases_free(&l->phases);
    ik_load_groups_free(l->groups, l->num_groups);
    ik_load_free(&l->load);
    ik_permutations_free(&l->permutations);
    if (l->plan)
        ik_plan_free(l->plan);
    else
        ik_routing_free(l->r);
}

/* ---- a schedule: each entry's pattern by itself */

static int load_show_entries(const loads *whole, const loads *each, unsigned num)
{
    cli *c = whole->c;
    int failed = CLI_DONE, status = CLI_DONE;
    cli_progress_end(c);
    for (unsigned k = 0; k < num; k++)
        failed = load_exit_of(&each[k]) == CLI_DONE ? failed : CLI_FAILED;
    if (c->json) {
        ik_json j;
        cli_json_begin(&j);
        ik_json_text(&j, "traffic", whole->t->spec);
        ik_json_array(&j, "entries");
        for (unsigned k = 0; k < num; k++) {
            ik_json_object(&j, NULL);
            loads_put_json(&j, &each[k]);
            ik_json_close(&j);
        }
        ik_json_close(&j);
        status = cli_json_end(c, &j);
        return status == CLI_DONE ? failed : status;
    }
    for (unsigned k = 0; k < num && status == CLI_DONE; k++) {
        if (whole->table) {
            status = loads_show_csv(&each[k], whole->table);
            continue;
        }
        cli_heading(c, each[k].entry->name);
        loads_show_text(&each[k]);
    }
    return status == CLI_DONE ? cli_finish(c, failed) : status;
}

static int load_run_entries(const loads *whole, uint64_t patterns, uint64_t samples)
{
    const ik_schedule *list = whole->t->schedule;
    ik_error err;
    ik_status s = IK_OK;
    loads *each = calloc(list->num, sizeof *each);
    if (!each) {
        ik_fail_memory(&err, list->num * sizeof *each, "the entries of a schedule");
        return cli_error(whole->c, &err);
    }
    for (unsigned k = 0; k < list->num && s == IK_OK; k++) {
        each[k] = *whole;
        each[k].t = list->entries[k].traffic;
        each[k].entry = &list->entries[k];
        each[k].first = k == 0;
        s = cmd_load_measure(&each[k], patterns, samples, &err);
    }
    int status = s == IK_OK ? load_show_entries(whole, each, list->num) : cli_error(whole->c, &err);
    for (unsigned k = 0; k < list->num; k++)
        load_measures_free(&each[k]);
    free(each);
    return status;
}

static int load_run(cli *c)
{
    loads l = {.c = c};
    ik_error err;
    uint64_t patterns, samples;
    if (cli_only_with(c, "--epsilon", "--bound") != CLI_DONE)
        return CLI_USAGE;
    bool several = c->num_args > 1 || cli_get_nth(c, "--routing", 1) || cli_has(c, "--seeds");
    if (cli_has(c, "--bound") && (several || !cli_has(c, "--routing") || cli_has(c, "--csv")))
        return loads_bound(c);
    if (several)
        return loads_compare(c);
    if (load_read_options(&l, &patterns, &samples) != CLI_DONE)
        return CLI_USAGE;
    int status;
    if (load_build(&l, &err) != IK_OK)
        status = cli_error(c, &err);
    else if (l.t->schedule)
        status = load_run_entries(&l, patterns, samples);
    else
        status = cmd_load_measure(&l, patterns, samples, &err) == IK_OK ? load_show(&l)
                                                                        : cli_error(c, &err);
    load_measures_free(&l);
    ik_traffic_free(l.t);
    ik_fabric_free(l.f);
    return status;
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "the routing; several are compared", true, "<routings>"},
    {"--traffic", 't', "SPEC", "the pattern (default: uniform)", false, "<traffic>"},
    {"--seeds", 0, "N|A..B",
     "distribution of the slowdown over N seeds of routing and traffic, beginning with --seed, or "
     "over the seeds A to B",
     false},
    {"--bound", 0, NULL,
     "also compute what the best routing of all could carry, and each saturation as a share of "
     "that",
     false},
    {"--epsilon", 0, "P",
     "how close the two ends of the bound are to be: a fraction such as 0.1% (default: 1%)", false},
    {"--histogram", 0, NULL, "print a histogram of channel loads", false},
    {"--contention", 0, NULL, "compute contention measures also for patterns with many flows",
     false},
    {"--patterns", 0, "N",
     "compute the mean effective bandwidth and efficiency over N random patterns", false},
    {"--permutations", 0, "N|all",
     "count N random permutations, or all permutations, by their contention", false},
    {"--queues", 0, NULL, "show the flows and destinations of every queue (a VC of a channel)",
     false},
    {"--vc", 0, "SPEC", "the VC scheme (default: the routing's default scheme); implies --queues",
     false, "<vcs>"},
    {"--vcs", 0, "N", "number of VCs (default: 0, as many as the scheme needs); implies --queues",
     false},
    {"--goal", 0, "FILE",
     "also write the traffic, which must be a finite workload, as a GOAL program", false},
    {"--trace", 0, "FILE",
     "also write the accesses of traffic 'storage' as a trace of block I/O, in ikat's own format",
     false},
    {"--csv", 0, NULL, "instead of text, print CSV with one line per channel", false},
    {"--table", 0, "NAME",
     "with --csv: channels (default), queues, nca (the switches of a tree where routes turn), "
     "phases; when several are compared: summary (default), samples; with --json: channels, each "
     "with its load",
     false, "channels|queues|nca|phases|summary|samples"},
    CLI_ALLOW_UNREACHABLE,
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {
    "ikat load karytree:k=4,n=3 --routing dmodk",
    "ikat load xgft:m=16:16,w=1:10 --routing dmodk --traffic cg:processes=128 --json",
    "ikat load karytree:k=4,n=3 --routing dmodk --vc vftree --vcs 4",
    "ikat load karytree:k=4,n=2 --routing dmodk --traffic exchange:pattern=shift,bytes=1MB",
    "ikat load xgft:m=16:16,w=1:16 xgft:m=16:16,w=1:8 -r dmodk -r random --seeds 10 "
    "-t exchange:pattern=wrf",
    "ikat load karytree:k=4,n=2 --routing dmodk --traffic exchange --goal alltoall.goal",
    "ikat load karytree:k=4,n=2 --routing dmodk --traffic "
    "'schedule:entries=@10 us=uniform&shift:by=4'",
    "ikat load karytree:k=4,n=3 --routing dmodk --vc dbbm --csv --table queues",
    "ikat load slimfly:q=5 --traffic worst --bound -r minimal -r valiant",
    NULL};

const ik_command ik_command_load = {
    .name = "load",
    .synopsis = "SPEC|FILE… --routing SPEC… [--seeds N] [--traffic SPEC] [--vc SPEC] [--bound] "
                "[--csv [--table NAME]] | SPEC|FILE… --bound [--epsilon P] [--routing SPEC…] "
                "[--traffic SPEC] [--csv]",
    .summary =
        "compute channel loads and contention of a pattern under a routing, without simulation",
    .details =
        "Use it to see quickly where a pattern overloads a fabric. Loads are given in units of one "
        "host's rate when every host sends at its full rate; the predicted saturation is the "
        "offered load at which the tightest channel (the one with the highest ratio of load to "
        "rate) is full. Adaptive routings are assumed to spread evenly over their allowed "
        "ports, and the most that any division carries is printed beside that. Of routings that "
        "choose between minimal paths and detours by queue lengths (ugal_l) no saturation is "
        "predicted, only a band, and no contention.\n--bound adds the largest rate at which any "
        "routing whatsoever could carry the pattern, each flow divided over any paths (the maximum "
        "concurrent multicommodity flow): some division carries the lower end, none more than the "
        "upper one. With several routings or fabrics, none, or --csv, there is one row per fabric "
        "and routing.\nExit status 1: flows are not delivered, or "
        "(without "
        "--allow-unreachable) the "
        "fabric does not connect all hosts that have a cable.\nWith --json: version, topology, "
        "routing, "
        "traffic, hosts, switches, flows, undelivered, unconnected "
        "(flows between hosts that the\n"
        "fabric does not connect, not counted as undelivered), max_load, mean_load, min_load,\n"
        "load_denominator (null: rounded), max_flows, mean_hops, saturation (null: not predicted), "
        "saturation_band (null, or even, minimal, valiant, "
        "split_minimal, split, low, high), max_channel, "
        "tightest_channel, groups (direction, level,\n"
        "channels, min, mean, max, histogram), with --table channels: channels (lists of channel, "
        "rate_bps, load, flows, in the order of the fabric's), turns_by_level, contention "
        "(split_flows: flows with "
        "several paths, which are counted by their shares; divided_evenly: the routing is adaptive "
        "and may divide them otherwise, so that slowdown_bound is null; c, c_up, c_down: null if "
        "there are such flows; the rest: null if not predicted; c_load, max_flows, "
        "endpoint_degree, slowdown_bound,\n"
        "fluid_time, fluid_slowdown, effective_bandwidth, mean_efficiency and both for flows that "
        "leave their switch,\n"
        "..._leaving; worst_channel), patterns, permutations (exhaustive, total, mean, "
        "by_contention), queues (vc, num_vcs, flows and destinations: groups whose channels are "
        "queues in use).\nFor a schedule, the pattern of each entry is measured by itself: "
        "traffic, entries (name, until_ns, load, and all of the above); CSV has a further first "
        "column, entry.\nFor a workload also: workload (divided_evenly, messages, bytes, bound_ns, "
        "crossbar_bound_ns, fluid_ns, "
        "crossbar_ns, "
        "slowdown, phases).\n"
        "With several fabrics or routings, or with --seeds, the slowdown of each against an ideal "
        "crossbar is computed over the seeds; --json: traffic, seeds,\n"
        "first_seed, rows (topology, routing, hosts, switches, divided_evenly, slowdown (min, "
        "lower_quartile, "
        "median, "
        "upper_quartile, max, mean),\n"
        "samples (seed, slowdown, time_ns, crossbar_ns, c)).\n"
        "With --bound also: bound (lower, upper, hosts: what the hosts' own channels allow, "
        "epsilon, end: close, memory (the limit left no room for more paths) or stalled, flows, "
        "passes, "
        "share_low, share_high: the saturation as a share of the bound, null if it is not "
        "predicted); of several fabrics or routings, or none: traffic, rows (topology, hosts, "
        "switches, bound, routings (routing, undelivered, saturation, share_low, share_high)).\n"
        "Columns of --csv: channel, from, from_port, to, direction, level, rate_bps, then load, "
        "flows and contention (empty if not measured), or per queue vc, load, flows and "
        "destinations (hosts whose packets may wait there); nca: switch, level, number of routes "
        "that turn there, and the largest contention of a channel that enters the switch from "
        "below and of one that leaves it downwards.",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = -1,
    .run = load_run,
};
