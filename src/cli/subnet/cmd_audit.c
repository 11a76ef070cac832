/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_audit.c: `ikat audit`: what is wrong with a fabric's cabling and with the routing that is
 * installed in it.
 */
#include "audit_show.h"
#include "ikat/subnet_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static ik_status audit_write_page(const cli *c, const ik_audit *a, ik_error *err)
{
    ik_output file;
    const char *path = cli_get(c, "--page");
    ik_status status = path ? ik_output_open(&file, path, err) : IK_OK;
    if (status != IK_OK || !path)
        return status;
    return ik_output_close(&file, ik_audit_print_page(a, c->args[0], file.out, err), err);
}

static int audit_put_json(const cli *c, const ik_audit *a)
{
    ik_json j;
    cli_json_begin(&j);
    ik_audit_json(a, c->args[0], &j);
    return cli_json_end(c, &j);
}

static int cmd_audit_show(const cli *c, const ik_audit *a)
{
    int verdict = a->counts[IK_ERROR] ? CLI_FAILED : CLI_DONE;
    cli_progress_end(c);
    if (cli_has(c, "--nagios"))
        return audit_nagios(a);
    if (c->json) {
        int status = audit_put_json(c, a);
        return status == CLI_DONE ? verdict : status;
    }
    ik_error err;
    ik_audit_view view = {.name = c->args[0],
                          .all = cli_has(c, "--all"),
                          .baseline = cli_has(c, "--baseline"),
                          .width = cli_width(),
                          .colour = c->colour_out};
    return cli_written(c, ik_audit_print(a, &view, stdout, &err), &err, verdict);
}

/* --interval, in seconds; 0 without it. */
static ik_status audit_get_interval(const cli *c, double *interval_s, ik_error *err)
{
    const char *text = cli_get(c, "--interval");
    uint64_t ps = 0;
    ik_status status = text ? ik_parse_quantity(text, IK_DIM_TIME, &ps, err) : IK_OK;
    if (status == IK_OK && text && ps == 0)
        status = ik_fail(err, IK_ERR_INPUT, "--interval must be above 0");
    *interval_s = (double)ps * 1e-12;
    return status;
}

/* Names and LIDs from other files; what was judged before is judged again with them. */
static ik_status audit_apply_files(const cli *c, ik_fabric *f, ik_error *err)
{
    const char *names = cli_get(c, "--names"), *lids = cli_get(c, "--guid2lid");
    ik_guids_matched m[2];
    ik_status status = ik_names_and_lids_apply(f, names, lids, c->args[0], &c->env, m, err);
    if (status == IK_OK && m[0].unknown)
        cli_note(c, "%s: %s not in the fabric, the first is 0x%016" PRIx64, names,
                 cli_counted(m[0].unknown, "GUID is|GUIDs are"), m[0].first_unknown);
    if (status == IK_OK && (m[1].unknown || m[1].missing))
        cli_note(c, "%s: %s not in the fabric, %u of its ports have no LID there", lids,
                 cli_counted(m[1].unknown, "GUID is|GUIDs are"), m[1].missing);
    return status;
}

static ik_status audit_fabric(cli *c, ik_fabric **f, ik_fabric **plan, ik_audit *a, ik_error *err)
{
    ik_audit_config config = {.tables = cli_get(c, "--lfts"),
                              .lid_matrix = cli_get(c, "--lid-matrix"),
                              .multicast = cli_get(c, "--mcfdbs"),
                              .sl2vl = cli_get(c, "--sl2vl"),
                              .policy = cli_get(c, "--policy"),
                              .path_records = cli_get(c, "--path-records"),
                              .counters = cli_get(c, "--counters"),
                              .counters_later = cli_get(c, "--counters-later"),
                              .engine = cli_get(c, "--engine"),
                              .routing = cli_get(c, "--routing"),
                              .vc = cli_get(c, "--vc"),
                              .baseline = cli_get(c, "--baseline")};
    ik_status status = audit_get_interval(c, &config.interval_s, err);
    if (status == IK_OK)
        status = ik_fabric_from_spec(c->args[0], &c->env, f, err);
    if (status == IK_OK)
        status = audit_apply_files(c, *f, err);
    if (status == IK_OK && cli_has(c, "--plan"))
        status = ik_fabric_from_spec(cli_get(c, "--plan"), &c->env, plan, err);
    config.plan = *plan;
    if (status == IK_OK) {
        cli_stage(c, "auditing %s", c->args[0]);
        status = ik_audit_run(*f, &config, &c->env, a, err);
    }
    return status == IK_OK ? audit_write_page(c, a, err) : status;
}

static int audit_check_options(const cli *c)
{
    static const char *const of_tables[] = {"--sl2vl", "--policy", "--path-records", "--engine"};
    for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables; i++)
        if (cli_only_with(c, of_tables[i], "--lfts") != CLI_DONE)
            return CLI_USAGE;
    if (cli_only_with(c, "--vc", "--routing") != CLI_DONE ||
        cli_only_with(c, "--counters-later", "--counters") != CLI_DONE ||
        cli_only_with(c, "--interval", "--counters-later") != CLI_DONE ||
        cli_not_with(c, "--path-records", "--policy") != CLI_DONE ||
        cli_not_with(c, "--all", "--nagios") != CLI_DONE)
        return CLI_USAGE;
    return c->json && cli_has(c, "--nagios")
               ? cli_usage(c, "--nagios and --json exclude each other: --nagios prints one line")
               : CLI_DONE;
}

static int cmd_audit_run(cli *c)
{
    bool nagios = cli_has(c, "--nagios");
    int exit_status = audit_check_options(c);
    if (exit_status != CLI_DONE)
        return nagios ? cli_monitor_unknown(NULL) : exit_status;
    ik_fabric *f = NULL, *plan = NULL;
    ik_audit a = {0};
    ik_error err;
    char why[CLI_ERROR];
    ik_status status = audit_fabric(c, &f, &plan, &a, &err);
    exit_status = status == IK_OK ? cmd_audit_show(c, &a) : cli_error(c, &err);
    if (status != IK_OK && nagios)
        exit_status = cli_monitor_unknown(cli_error_text(&err, why, sizeof why));
    ik_audit_free(&a);
    ik_fabric_free(plan);
    ik_fabric_free(f);
    return exit_status;
}

static const cli_option options[] = {
    {"--lfts", 0, "FILE",
     "the installed forwarding tables: opensm-lfts.dump, output of dump_fts, opensm.fdbs, or "
     "ibdiagnet2.fdbs",
     false},
    {"--mcfdbs", 0, "FILE",
     "the installed multicast forwarding tables: output of dump_fts -M, opensm.mcfdbs, or "
     "ibdiagnet2.mcfdbs",
     false},
    {"--sl2vl", 0, "FILE",
     "the installed SL-to-VL maps: opensm-sl2vl.dump, ibdiagnet2.slvl, or an opensm.conf", false},
    {"--policy", 0, "FILE", "the QoS policy from which path records get their service levels",
     false},
    {"--path-records", 0, "FILE",
     "the service levels that the subnet manager assigns: output of 'saquery PR'", false},
    {"--engine", 0, "NAME", "the routing engine that supposedly made the tables", false,
     "minhop|updn|dnup|ftree|dor|torus-2QoS|lash|sssp|dfsssp|nue"},
    {"--plan", 0, "SPEC|FILE", "what the fabric should be (default: the family is recognised)",
     false, "<topologies>|<file>"},
    {"--routing", 'r', "SPEC",
     "routing to compare with (default: the best of several, if it is better than what is "
     "installed; none: no comparison)",
     false, "<routings>|none"},
    {"--vc", 0, "SPEC", "VC scheme of this routing (default: the routing's default scheme)", false,
     "<vcs>"},
    {"--counters", 0, "FILE",
     "counters of the ports: output of ibqueryerrors (with its option --counters or --data) or of "
     "perfquery, ibdiagnet2.db_csv or ibdiagnet2.pm",
     false},
    {"--counters-later", 0, "FILE",
     "the same some time later, to find errors that increase and to measure loads", false},
    {"--interval", 0, "TIME",
     "time between the two, e.g. 10s (default: from the times of the files)", false},
    {"--names", 0, "FILE", "a node-name map: names of nodes by GUID", false},
    {"--guid2lid", 0, "FILE",
     "OpenSM's guid2lid file: the LIDs of ports, which replace those of the dump", false},
    {"--lid-matrix", 0, "FILE",
     "the subnet manager's numbers of hops, which are compared with those of the dump: "
     "opensm-lid-matrix.dump",
     false},
    {"--baseline", 0, "FILE",
     "what --json printed earlier: only findings that it has not are shown and count", false},
    {"--all", 0, NULL, "show all findings, not the first eight of each code", false},
    {"--page", 0, "FILE", "also write a report page in HTML", false},
    {"--nagios", 0, NULL,
     "print one line with performance data for a monitoring system, and end with its statuses: 0 "
     "OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN",
     false},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat audit data/cluster96.ibnetdiscover",
                                       "ikat audit torus:dims=4:4 --routing nue --json", NULL};

const ik_command ik_command_audit = {
    .name = "audit",
    .synopsis = "FABRIC [--lfts FILE] [--sl2vl FILE] [--policy FILE] [--plan SPEC|FILE] "
                "[--routing SPEC] [--page FILE]",
    .summary = "find what is wrong with a subnet's cabling and with the routing installed in it",
    .details =
        "Use it to check a running InfiniBand cluster from its dumps. FABRIC is a dump of the "
        "subnet (of ibnetdiscover, ibdiagnet or another tool, see 'ikat list formats'). The "
        "forwarding tables "
        "are examined as they are, for every pair of host ports and LIDs, with the service levels "
        "and virtual lanes that packets take, including replies on the service level of the "
        "request; they are compared with what ikat would install. Multicast tables are followed "
        "from every member of every group. Every finding has a severity, a "
        "code, a place in the names of the dump, evidence, and a remedy; docs/auditing.md lists "
        "them all.\nExit status 0: no finding is an error; 1: a finding is an error; 2: wrong "
        "input. With --baseline, findings that an earlier report has do not count: 'ikat audit "
        "today.net --baseline yesterday.json --json > today.json' every day.\nWith --nagios, "
        "as plug-ins of Nagios, Icinga and others end: 0 (OK): only notes; 1 (WARNING); 2 "
        "(CRITICAL): a finding is an error; 3 (UNKNOWN): wrong options or input, too little "
        "memory. Performance data: errors, warnings, notes, and with tables lost_pairs and "
        "max_load (the largest load when all hosts send evenly).",
    .json =
        "spec:t hosts:n endpoints:n switches:n levels:~n lids:n lids_missing:n'ports without "
        "a LID' max_lmc:n errors:n warnings:n notes:n known:n'findings of the baseline' "
        "gone:n'findings of the baseline that are no more' partial:b'the files do not "
        "describe the whole subnet' findings:[{severity:t code:t text:t known:b place:~t "
        "evidence:~t remedy:~t port:~n guid:~t}] cabling:{known:b family:~t summary:~t "
        "exact:b by_ports:b missing:n wrong:n missing_switches:n unknown_switches:n "
        "changes:[{work:t stays:~t from:~t to:~t other:~t blocked:b}]} tables:~{format:t "
        "entries:n by_guid:n by_lid:n guid_disagrees:n unknown_entries:n unknown_lids:n "
        "switches:n unknown_switches:n missing_switches:n unnamed_hosts:n zero_lids:n "
        "missing_last_lid:n} engine:~{name:~t evidence:t entries:n'all that follow count "
        "entries' minimal:n minhop:n updn:~n up_down:~b together:n apart:n} "
        "installed:~{pairs:n delivered:n no_entry:n dead_port:n loops:n wrong_port:n "
        "dropped:n unconnected:n switch_undelivered:n switches_unreached:n dead_entries:n "
        "missing_entries:n vls_used:n dependencies:n max_hops:n mean_hops:r "
        "first_lost_source_lid:~n first_lost_destination_lid:~n deadlock_free:~b "
        "management_free:~b one_manager_free:~b credit_loop:[{from:t to:t vl:n sl:n reply:b "
        "query:b source_lid:~n destination_lid:~n source:~t destination:~t}] max_load:r "
        "mean_load:r max_channel:~t saturation:r tightest_channel:~t worst_flows:n "
        "worst_channel:~t channels:n idle_channels:n balance:[{direction:t level:n "
        "channels:n min:r mean:r max:r}]} proposed:~{routing:t vc:t lanes:n pairs:n "
        "delivered:n no_entry:n dead_port:n loops:n wrong_port:n dropped:n unconnected:n "
        "switch_undelivered:n switches_unreached:n dead_entries:n missing_entries:n "
        "vls_used:n dependencies:n max_hops:n mean_hops:r first_lost_source_lid:~n "
        "first_lost_destination_lid:~n deadlock_free:~b management_free:~b "
        "one_manager_free:~b credit_loop:[{from:t to:t vl:n sl:n reply:b query:b "
        "source_lid:~n destination_lid:~n source:~t destination:~t}] max_load:r mean_load:r "
        "max_channel:~t saturation:r tightest_channel:~t worst_flows:n worst_channel:~t "
        "channels:n idle_channels:n balance:[{direction:t level:n channels:n min:r mean:r "
        "max:r}]} multicast:~{groups:n members:n pairs:n'a member that sends, and another one of "
        "its group' missing:n looping:n'groups of which copies go round for ever' repeating:n'"
        "others of which a member gets several copies of a packet'} keeps_installed:b "
        "compared:[{routing:t vc:t state:t chosen:b better:b "
        "one_manager_free:~b lanes:n max_load:~r saturation:~r why:~t}] counters:~{interval_s:~r "
        "ports_restarted:n ports_at_limit:n measured_channels:n mean_used:~r "
        "busiest_channel:~t busiest_used:~r likeness:~r channels:[{port:~t used:r "
        "predicted:~r waited:~r}]}",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = cmd_audit_run,
};
