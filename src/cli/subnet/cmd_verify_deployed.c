/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_verify_deployed.c: `ikat verify-deployed`: what a subnet holds beside what `ikat deploy`
 * wrote.
 */
#include "cli.h"

enum { MOST_SHOWN = 20 };

static const char *verify_deployed_port_text(uint8_t port, char *buffer, size_t size)
{
    if (port == IK_PORT_NONE)
        return "none";
    snprintf(buffer, size, "%u", port);
    return buffer;
}

static void print_differences(const ik_deploy_check *k)
{
    char sw[256], dst[256], wanted[8], found[8];
    for (uint32_t i = 0; i < k->num_tables && i < MOST_SHOWN; i++) {
        const ik_table_difference *d = &k->tables[i];
        const ik_lid *lid = &k->lids.of[d->lid];
        printf("  %s: LID %u (%s): wanted port %s, found %s\n",
               ik_node_describe(k->lids.fabric, d->sw, sw, sizeof sw), lid->lid,
               ik_node_describe(k->lids.fabric, lid->node, dst, sizeof dst),
               verify_deployed_port_text(d->wanted, wanted, sizeof wanted),
               verify_deployed_port_text(d->found, found, sizeof found));
    }
    for (uint32_t i = 0; i < k->num_vls && i < MOST_SHOWN; i++) {
        const ik_vl_difference *d = &k->vls[i];
        const ik_fabric *f = k->lids.fabric;
        if (d->sw == IK_NONE)
            printf("  %s: SL %u: wanted VL %u, found %u\n",
                   ik_port_describe(f, d->port, sw, sizeof sw), d->sl, d->wanted, d->found);
        else
            printf("  %s from port %u: SL %u: wanted VL %u, found %u\n",
                   ik_port_describe(f, f->port_base[d->sw] + d->out, sw, sizeof sw),
                   d->in == IK_NONE ? 0 : ik_port_number(f, f->port_base[d->sw] + d->in), d->sl,
                   d->wanted, d->found);
    }
}

static void verify_deployed_print_check(const ik_deploy_check *k)
{
    printf("%s wanted: %s equal, %s with another port, %s missing; %s not wanted\n",
           cli_counted(k->entries, "entry|entries"), cli_count(k->equal), cli_count(k->different),
           cli_count(k->missing), cli_count(k->extra));
    if (k->unprinted)
        printf("%s not in the file: dump_fts leaves it out if it is a "
               "multiple of 64\n",
               cli_counted(k->unprinted, "entry for the top LID is|entries for the top LID are"));
    if (k->gone)
        printf("%s for switches or ports that the fabric does not have\n",
               cli_counted(k->gone, "wanted entry is|wanted entries are"));
    if (k->has_vls)
        printf("%s of service levels compared: %s different; %s not in the "
               "file\n",
               cli_counted(k->vls_compared, "VL"), cli_count(k->vls_different),
               cli_counted(k->vl_holes, "pair of ports is|pairs of ports are"));
    print_differences(k);
    uint64_t all = k->different + k->missing + k->extra + k->vls_different;
    if (k->num_tables > MOST_SHOWN || k->num_vls > MOST_SHOWN)
        printf("  and more: %s differences in all; --json lists up to %d of each kind\n",
               cli_count(all), IK_DEPLOY_LISTED);
    puts(ik_deploy_check_equal(k) ? "what is installed is what was deployed"
                                  : "what is installed is NOT what was deployed");
}

static int verify_deployed_print_json(const cli *c, const ik_deploy_check *k)
{
    ik_json j;
    cli_json_begin(&j);
    ik_deploy_check_json(k, &j);
    return cli_json_end(c, &j);
}

static int verify_deployed_report(const cli *c, const ik_deploy_check *k)
{
    int status = ik_deploy_check_equal(k) ? CLI_DONE : CLI_FAILED;
    if (k->note)
        cli_note(c, "%s", k->note);
    if (c->json) {
        int written = verify_deployed_print_json(c, k);
        return written == CLI_DONE ? status : written;
    }
    verify_deployed_print_check(k);
    return cli_finish(c, status);
}

static int verify_deployed_run(cli *c)
{
    const char *lfts = cli_get(c, "--lfts"), *spec = cli_get(c, "--fabric");
    if (!lfts)
        return cli_usage(c, "--lfts FILE is required: the tables, as dumped by OpenSM or dump_fts");
    ik_fabric *f = NULL;
    ik_deploy_check k;
    ik_error err;
    ik_status status = spec ? ik_fabric_from_spec(spec, &c->env, &f, &err) : IK_OK;
    if (status == IK_OK)
        status = ik_deploy_verify(c->args[0], lfts, cli_get(c, "--sl2vl"), f, &c->env, &k, &err);
    cli_progress_end(c);
    int exit_status = CLI_DONE;
    if (status == IK_OK) {
        exit_status = verify_deployed_report(c, &k);
        ik_deploy_check_free(&k);
    } else {
        exit_status = cli_error(c, &err);
    }
    ik_fabric_free(f);
    return exit_status;
}

static const cli_option options[] = {
    {"--lfts", 0, "FILE",
     "the tables of the switches: OpenSM's dump, or output of dump_fts or ibroute", false},
    {"--sl2vl", 0, "FILE", "the SL-to-VL maps of the ports: opensm-sl2vl.dump or ibdiagnet2.slvl",
     false},
    {"--fabric", 0, "SPEC|FILE", "the fabric as it is now (default: the one of the deployment)",
     false, "<topologies>|<file>"},
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {
    "ikat deploy karytree:k=2,n=3 -r updown -o updown-routing",
    "ikat verify-deployed updown-routing --lfts updown-routing/lfts", NULL};

const ik_command ik_command_verify_deployed = {
    .name = "verify-deployed",
    .synopsis = "DIR --lfts FILE [--sl2vl FILE] [--fabric SPEC|FILE]",
    .summary = "compare the tables of a subnet with those that `ikat deploy` wrote, entry by entry",
    .details =
        "Use it after installing a deployment, or later, to see whether the subnet still has the "
        "tables. DIR is a folder that `ikat deploy` wrote. Switches are matched by GUID, "
        "destinations by port GUID or, if a line has no known GUID, by LID. Differences are listed "
        "with switch, LID, wanted port and found port.\nExit status 0: equal; 1: different; 2: "
        "wrong input.",
    .json = "equal:b entries:n entries_equal:n entries_different:n entries_missing:n "
            "entries_extra:n entries_unprinted:n entries_gone:n vls_compared:~n vls_different:~n "
            "vl_holes:~n differences:[{switch:t lid:n destination:t wanted:~n found:~n}] "
            "vl_differences:[{port:t in:~n sl:n wanted:n found:n}]",
    .takes = "<folder>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = verify_deployed_run,
};
