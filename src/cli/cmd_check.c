/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_check.c: `ikat check`: proves a routing with its VC scheme on a fabric, or shows where it
 * fails.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct check {
    cli *c;
    ik_fabric *f;
    ik_plan *plan;
    ik_proof proof;
    bool by_lid;        /* the cycle is of pairs of ports that packets do not take in ikat */
    uint64_t certified; /* pairs of hosts with which the certificate was checked, 0: not asked */
    bool refused;       /* hosts are not connected, and that was not allowed */
} check;

static const char *check_verdict_text(ik_verdict v)
{
    return v == IK_YES ? "yes" : v == IK_NO ? "NO" : "unknown";
}

/* In the order of ik_flow and ik_condition. */
static const char *const flows[] = {"any", "cut_through", "settled"};
static const char *const conditions[] = {"acyclic", "extended", "direct"};

/* Tables from a file, `lft` or `ar`: a subnet routes every LID with them. */
static bool check_is_from_file(const char *routing)
{
    size_t length = strcspn(routing, ":");
    return (length == 3 && strncmp(routing, "lft", 3) == 0) ||
           (length == 2 && strncmp(routing, "ar", 2) == 0);
}

/* Such tables have no service levels and lanes: judged without a VC scheme. */
static bool check_one_lane(const check *k)
{
    return check_is_from_file(k->plan->routing->family->name) && k->plan->num_vcs == 1;
}

static bool check_failed(const ik_proof *p)
{
    return p->delivered == IK_NO || p->loop_free == IK_NO || p->deadlock_free == IK_NO ||
           p->ordered == IK_NO;
}

/* ------------------------------------------------------------------------------------------
 * JSON */

static void check_put_node(ik_json *j, const char *key, const ik_fabric *f, uint32_t node)
{
    char name[256];
    ik_json_text(j, key, ik_node_describe(f, node, name, sizeof name));
}

static void check_put_port(ik_json *j, const char *key, const ik_fabric *f, uint32_t port)
{
    char name[256];
    ik_json_text(j, key, ik_port_describe(f, port, name, sizeof name));
}

static void check_put_witness(ik_json *j, const check *k)
{
    const ik_fabric *f = k->f;
    ik_json_array(j, "witness");
    for (size_t i = 0; i < k->proof.witness_length; i++) {
        const ik_dependency *d = &k->proof.witness[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "switch", f->port_node[d->channel]);
        ik_json_uint(j, "port", ik_port_local(f, d->channel));
        ik_json_uint(j, "to_switch", ik_peer_node(f, d->channel));
        ik_json_uint(j, "vc", d->vc);
        ik_json_bool(j, "through", d->through);
        check_put_port(j, "from", f, d->channel);
        check_put_port(j, "to", f, f->port_peer[d->channel]);
        ik_json_uint(j, "source", d->src);
        ik_json_uint(j, "destination", d->dst);
        check_put_node(j, "source_name", f, ik_host_node(f, d->src));
        check_put_node(j, "destination_name", f, ik_host_node(f, d->dst));
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void check_put_counts(ik_json *j, const ik_proof *p)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"pairs", p->pairs},
        {"sampled_pairs", p->sampled_pairs},
        {"undelivered", p->undelivered},
        {"loops", p->loops},
        {"unconnected", p->unconnected},
        {"not_minimal", p->not_minimal},
        {"max_hops", p->max_hops},
        {"channels", p->channels},
        {"dependencies", p->dependencies},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ik_json_uint(j, counts[i].key, counts[i].value);
    ik_json_real(j, "mean_hops", p->mean_hops, CLI_DIGITS);
    cli_json_uints(j, "path_lengths", p->path_lengths, p->num_path_lengths);
}

static void check_put_lost_path(ik_json *j, const check *k)
{
    ik_json_array(j, "lost_path");
    for (size_t i = 0; i < k->proof.lost_path_length; i++)
        check_put_port(j, NULL, k->f, k->proof.lost_path[i]);
    ik_json_close(j);
}

/* Where no channel of the escape layer is allowed: the pair, and the switch with the port that
 * the packet came by. */
static void check_put_gap(ik_json *j, const check *k)
{
    const ik_proof *p = &k->proof;
    if (p->gap_src == IK_NONE) {
        ik_json_null(j, "escape_gap");
        return;
    }
    ik_json_object(j, "escape_gap");
    ik_json_uint(j, "source", p->gap_src);
    ik_json_uint(j, "destination", p->gap_dst);
    ik_json_uint(j, "switch", k->f->port_node[p->gap_port]);
    check_put_port(j, "at", k->f, p->gap_port);
    ik_json_close(j);
}

static void check_put_verdicts(ik_json *j, const check *k)
{
    const ik_proof *p = &k->proof;
    ik_json_verdict(j, "delivered", p->delivered);
    ik_json_verdict(j, "loop_free", p->loop_free);
    ik_json_verdict(j, "minimal", p->minimal);
    ik_json_verdict(j, "livelock_order", p->ordered);
    ik_json_verdict(j, "deadlock_free", p->deadlock_free);
    ik_json_text(j, "flow", flows[p->flow]);
    ik_json_text(j, "condition", conditions[p->condition]);
    ik_json_text(j, "deadlock_reason", p->deadlock_reason);
    ik_json_bool(j, "one_lane", check_one_lane(k));
}

static void put_first_undelivered(ik_json *j, const ik_proof *p)
{
    ik_json_array(j, "first_undelivered");
    ik_json_uint(j, NULL, p->first_undelivered_src);
    ik_json_uint(j, NULL, p->first_undelivered_dst);
    ik_json_close(j);
}

static int check_show_json(const check *k)
{
    const ik_proof *p = &k->proof;
    ik_json j;
    cli_json_begin(&j);
    ik_json_text(&j, "spec", k->f->spec ? k->f->spec : k->c->args[0]);
    ik_json_uint(&j, "hosts", k->f->num_hosts - k->f->num_silent);
    ik_json_uint(&j, "endpoints", k->f->num_silent);
    ik_json_uint(&j, "switches", k->f->num_switches);
    ik_json_text(&j, "routing", cli_line(k->plan->routing->spec));
    cli_json_note(&j, k->plan->routing->note);
    ik_json_text(&j, "vc", k->plan->vc->spec);
    ik_json_uint(&j, "vcs", k->plan->num_vcs);
    ik_json_uint(&j, "vcs_needed", k->plan->vc->vcs_needed);
    ik_json_uint(&j, "vcs_used", p->vcs_used);
    check_put_verdicts(&j, k);
    check_put_counts(&j, p);
    if (p->first_undelivered_src != IK_NONE)
        put_first_undelivered(&j, p);
    if (p->lost_path)
        check_put_lost_path(&j, k);
    check_put_gap(&j, k);
    if (p->witness)
        check_put_witness(&j, k);
    else
        ik_json_null(&j, "witness");
    ik_json_known(&j, "certified_pairs", cli_has(k->c, "--certificate"), k->certified);
    return cli_json_end(k->c, &j);
}

/* ------------------------------------------------------------------------------------------
 * text */

static void check_print_verdict(const cli *c, const char *what, ik_verdict v, const char *more)
{
    const char *colour = v == IK_NO ? cli_severity_colour(c, IK_ERROR) : "";
    printf("  %-15s %s%s%s%s%s\n", what, colour, check_verdict_text(v), *colour ? cli_reset(c) : "",
           *more ? ": " : "", more);
}

static void check_print_delivery(const check *k)
{
    const ik_proof *p = &k->proof;
    char text[640] = "", src[256], dst[256];
    if (p->undelivered) {
        snprintf(
            text, sizeof text, "%s without a complete path, the first from %.200s to %.200s",
            cli_counted(p->undelivered, "pair"),
            ik_node_describe(k->f, ik_host_node(k->f, p->first_undelivered_src), src, sizeof src),
            ik_node_describe(k->f, ik_host_node(k->f, p->first_undelivered_dst), dst, sizeof dst));
    } else if (p->unconnected) {
        snprintf(text, sizeof text, "the %s that the fabric connects",
                 cli_counted(p->pairs - p->unconnected, "pair"));
    }
    check_print_verdict(k->c, "delivered", p->delivered, text);
    if (p->unconnected)
        printf("  %-15s %s\n", "unconnected", cli_counted(p->unconnected, "pair"));
    snprintf(text, sizeof text, p->loops ? "%s can enter a loop" : "%.0s",
             cli_counted(p->loops, "pair"));
    check_print_verdict(k->c, "loop-free", p->loop_free, text);
    if (p->ordered != IK_UNKNOWN)
        check_print_verdict(k->c, "livelock order", p->ordered, "falls at every hop");
    snprintf(text, sizeof text, p->not_minimal ? "%s a path longer than the shortest" : "%.0s",
             cli_counted(p->not_minimal, "pair has|pairs have"));
    check_print_verdict(k->c, "minimal", p->minimal, text);
}

static void check_print_lengths(const check *k)
{
    static const char *const headers[] = {"hops>", "paths>", "share>", NULL};
    const ik_proof *p = &k->proof;
    uint64_t paths = 0;
    for (size_t i = 0; i < p->num_path_lengths; i++)
        paths += p->path_lengths[i];
    cli_heading(k->c, "Path lengths");
    printf("  %.4f hops between switches on average%s, %u at most\n", p->mean_hops,
           paths > p->pairs ? " of all paths (a pair with several counts once for each)" : "",
           p->max_hops);
    cli_table *table = cli_table_new(headers);
    for (size_t i = 0; i < p->num_path_lengths; i++) {
        cli_table_cell(table, "%zu", i);
        cli_table_cell(table, "%s", cli_count(p->path_lengths[i]));
        cli_table_cell(table, "%.2f %%",
                       paths ? 100.0 * (double)p->path_lengths[i] / (double)paths : 0.0);
    }
    cli_table_print(table, stdout, k->c->colour_out);
}

/* Of an escape layer, if the proof has its cycle and not that of all channels. */
static void check_print_witness(const check *k)
{
    static const char *const headers[] = {"a packet on the channel from",   "to",      "VC>",
                                          "waits for the next, going from", "to host", NULL};
    static const char *const escape_headers[] = {
        "a packet on the channel from",   "to",      "VC>", "the channel is",
        "waits for the next, going from", "to host", NULL};
    const ik_fabric *f = k->f;
    char name[256];
    bool escape = k->proof.condition != IK_CONDITION_ACYCLIC && k->proof.gap_src == IK_NONE;
    cli_heading(k->c, escape ? "A shortest cycle of dependencies of the escape layer"
                             : "A shortest cycle of dependencies");
    cli_table *table = cli_table_new(escape ? escape_headers : headers);
    for (size_t i = 0; i < k->proof.witness_length; i++) {
        const ik_dependency *d = &k->proof.witness[i];
        cli_table_cell(table, "%s", ik_port_describe(f, d->channel, name, sizeof name));
        cli_table_cell(table, "%s",
                       ik_port_describe(f, f->port_peer[d->channel], name, sizeof name));
        cli_table_cell(table, "%u", d->vc);
        if (escape)
            cli_table_cell(table, "%s", d->through ? "adaptive, held" : "escape");
        cli_table_cell(table, "%s",
                       ik_node_describe(f, ik_host_node(f, d->src), name, sizeof name));
        cli_table_cell(table, "%s",
                       ik_node_describe(f, ik_host_node(f, d->dst), name, sizeof name));
    }
    cli_table_print(table, stdout, k->c->colour_out);
    printf("  and the last waits for the first\n");
    if (escape) {
        printf("  a packet holds an escape channel with the adaptive ones below it, and waits for "
               "the next escape channel\n");
    }
}

static void check_print_lost_path(const check *k)
{
    char name[256];
    cli_heading(k->c, "A path that does not arrive");
    for (size_t i = 0; i < k->proof.lost_path_length; i++) {
        uint32_t channel = k->proof.lost_path[i];
        printf("  %s", ik_port_describe(k->f, channel, name, sizeof name));
        uint32_t to = k->f->port_peer[channel];
        printf(" -> %s\n",
               to == IK_NONE ? "nothing" : ik_port_describe(k->f, to, name, sizeof name));
    }
    const ik_proof *p = &k->proof;
    bool again = false;
    for (size_t i = 0; i + 1 < p->lost_path_length; i++)
        again |= p->lost_path[i] == p->lost_path[p->lost_path_length - 1];
    printf("  %s\n", again ? "and round again" : "and no route leads on from there");
}

static void check_print_gap(const check *k)
{
    const ik_proof *p = &k->proof;
    char src[256], dst[256], at[256];
    printf("  %-15s a packet from %s to %s that came to %s may not use any channel of the escape "
           "layer there\n",
           "", ik_node_describe(k->f, ik_host_node(k->f, p->gap_src), src, sizeof src),
           ik_node_describe(k->f, ik_host_node(k->f, p->gap_dst), dst, sizeof dst),
           ik_port_describe(k->f, p->gap_port, at, sizeof at));
}

static void check_print_text(const check *k)
{
    const ik_proof *p = &k->proof;
    printf("%s\n", cli_line(k->f->spec ? k->f->spec : k->c->args[0]));
    printf("  %-15s %s\n", "routing", cli_line(k->plan->routing->spec));
    printf("  %-15s %s, %u of %s used\n", "VC scheme", cli_line(k->plan->vc->spec), p->vcs_used,
           cli_counted(k->plan->num_vcs, "VC"));
    printf("  %-15s %s%s\n", "host pairs", cli_count(p->pairs),
           p->sampled_pairs ? ", a sample of all" : "");
    check_print_delivery(k);
    check_print_verdict(k->c, "deadlock-free", p->deadlock_free, p->deadlock_reason);
    printf("  %-15s %s, %s\n", "", cli_counted(p->channels, "channel and VC|channels and VCs"),
           cli_counted(p->dependencies, "dependency"));
    if (cli_has(k->c, "--certificate"))
        printf("  %-15s %s; checked with %s\n", "certificate",
               cli_line(cli_get(k->c, "--certificate")), cli_counted(k->certified, "host pair"));
    if (check_one_lane(k))
        printf("  %-15s for one lane: the tables have no service levels and virtual lanes\n", "");
    if (k->by_lid)
        printf("  %-15s packets in ikat do not take these pairs of ports; a subnet routes every "
               "LID\n",
               "");
    if (p->gap_src != IK_NONE)
        check_print_gap(k);
    if (p->lost_path)
        check_print_lost_path(k);
    check_print_lengths(k);
    if (p->witness)
        check_print_witness(k);
}

/* ------------------------------------------------------------------------------------------ the
 * command */

/* The judge's cycle as that of the proof. */
static ik_status check_take_loop(check *k, const ik_lids *lids, const ik_subnet_verdict *v,
                                 ik_error *err)
{
    ik_dependency *cycle = calloc(v->loop_length, sizeof *cycle);
    if (!cycle)
        return ik_fail_memory(err, v->loop_length * sizeof *cycle, "a cycle");
    for (size_t i = 0; i < v->loop_length; i++) {
        const ik_subnet_loop *step = &v->loop[i];
        cycle[i] = (ik_dependency){.channel = step->channel,
                                   .vc = step->vl,
                                   .src = ik_node_host(k->f, lids->of[step->src].node),
                                   .dst = ik_node_host(k->f, lids->of[step->dst].node)};
    }
    k->proof.witness = cycle;
    k->proof.witness_length = v->loop_length;
    k->proof.deadlock_free = IK_NO;
    k->proof.deadlock_reason = "credit loop between LIDs of hosts' other ports";
    k->by_lid = true;
    k->certified = 0; /* of other packets */
    return IK_OK;
}

/* A subnet routes every LID: where hosts have several cables, tables are judged for all pairs of
 * ports, as by 'ikat audit', and not only for those that packets take in ikat. Proofs of `ar` are
 * of all pairs. */
static ik_status check_judge_lids(check *k, ik_error *err)
{
    const cli *c = k->c;
    ik_lids lids = {0};
    ik_lid_tables tables = {0};
    ik_subnet_verdict v = {0};
    if (!check_one_lane(k) || !k->plan->routing->rails || k->proof.sampled_pairs ||
        k->plan->routing->kind == IK_ROUTE_ADAPTIVE)
        return IK_OK;
    ik_status status = ik_lids_make(k->f, &lids, err);
    if (status == IK_OK)
        status = ik_lid_tables_of(k->plan->routing, &lids, &c->env, &tables, err);
    if (status == IK_OK)
        status = ik_subnet_judge(&tables, NULL, NULL, NULL, &c->env, &v, err);
    if (status == IK_OK) {
        k->proof.dependencies = v.dependencies;
        k->proof.channels = 0;
        for (uint32_t port = 0; port < k->f->num_ports; port++)
            k->proof.channels += v.paths_over[port] && ik_is_switch(k->f, k->f->port_node[port]) &&
                                 ik_is_switch(k->f, ik_peer_node(k->f, port));
        if (v.deadlock_free == IK_NO && k->proof.deadlock_free == IK_YES)
            status = check_take_loop(k, &lids, &v, err);
    }
    ik_subnet_verdict_free(&v);
    ik_lid_tables_free(&tables);
    ik_lids_free(&lids);
    return status;
}

/* Proves and judges; with a file, writes the certificate, which is checked with every pair. */
static ik_status check_certify(check *k, const ik_verify_config *config, const char *path,
                               ik_error *err)
{
    ik_certificate certificate = {0};
    ik_output file;
    const ik_env *env = &k->c->env;
    ik_status status = path
                           ? ik_verify_certified(k->plan, config, env, &k->proof, &certificate, err)
                           : ik_verify_cached(k->plan, config, env, &k->proof, NULL, err);
    if (status == IK_OK && path)
        status = ik_certificate_check(k->plan, &k->proof, &certificate, 0, env, &k->certified, err);
    if (status == IK_OK)
        status = check_judge_lids(k, err);
    if (status == IK_OK && path)
        status = ik_output_open(&file, path, err);
    if (status == IK_OK && path) {
        status = ik_certificate_print(k->plan, &k->proof, &certificate, file.out, err);
        status = ik_output_close(&file, status, err);
    }
    ik_certificate_free(&certificate);
    return status;
}

static ik_status check_prove(check *k, unsigned num_vcs, const ik_verify_config *config,
                             ik_error *err)
{
    const cli *c = k->c;
    const char *routing = cli_get(c, "--routing");
    ik_status status = ik_fabric_from_spec(c->args[0], &c->env, &k->f, err);
    if (status == IK_OK && check_is_from_file(routing))
        status = cli_every_lid(&k->f, err);
    if (status == IK_OK)
        status = cli_reach(c, k->f, &k->refused, err);
    if (status == IK_OK) {
        status = ik_plan_from_specs(k->f, cli_get(c, "--routing"), cli_get(c, "--vc"), NULL,
                                    num_vcs, &c->env, &k->plan, err);
    }
    if (status == IK_OK) {
        cli_stage(k->c, "proving %s", k->plan->routing->spec);
        status = check_certify(k, config, cli_get(c, "--certificate"), err);
    }
    return status;
}

static int check_show(const check *k)
{
    int verdict = check_failed(&k->proof) || k->refused ? CLI_FAILED : CLI_DONE;
    cli_progress_end(k->c);
    if (k->plan->routing->note)
        cli_note(k->c, "%s", k->plan->routing->note);
    if (k->c->json) {
        int status = check_show_json(k);
        return status == CLI_DONE ? verdict : status;
    }
    check_print_text(k);
    return cli_finish(k->c, verdict);
}

/* Option --flow. */
static bool check_read_flow(const cli *c, ik_flow *flow)
{
    const char *text = cli_has(c, "--flow") ? cli_get(c, "--flow") : flows[IK_FLOW_ANY];
    *flow = strcmp(text, flows[IK_FLOW_CUT_THROUGH]) == 0 ? IK_FLOW_CUT_THROUGH : IK_FLOW_ANY;
    if (strcmp(text, flows[*flow]) == 0)
        return true;
    cli_usage(c, "--flow takes any or cut_through, not '%s'", text);
    return false;
}

static int check_run(cli *c)
{
    uint64_t num_vcs = 0;
    ik_verify_config config = {0};
    if (!cli_has(c, "--routing"))
        return cli_usage(c, "--routing SPEC is required; 'ikat list routings' shows all routings");
    if (!cli_get_uint(c, "--vcs", 0, IK_MAX_VCS, 0, &num_vcs) ||
        (cli_has(c, "--sample") &&
         !cli_get_uint(c, "--sample", 1, 1000000000000, 1, &config.sample_pairs)))
        return CLI_USAGE;
    if (!check_read_flow(c, &config.flow) ||
        cli_not_with(c, "--certificate", "--sample") != CLI_DONE)
        return CLI_USAGE;
    if (cli_has(c, "--certificate") && cli_same_file(cli_get(c, "--certificate"), c->args[0]))
        return cli_usage(c, "the certificate in '%s' would overwrite the fabric that it is about",
                         cli_get(c, "--certificate"));
    cli_use_cache(c);
    check k = {.c = c};
    ik_error err;
    ik_status status = check_prove(&k, (unsigned)num_vcs, &config, &err);
    int exit_status = status == IK_OK ? check_show(&k) : cli_error(c, &err);
    ik_proof_free(&k.proof);
    ik_plan_free(k.plan);
    ik_fabric_free(k.f);
    return exit_status;
}

static const cli_option options[] = {
    {"--routing", 'r', "SPEC", "the routing to prove, e.g. dmodk or valiant", false, "<routings>"},
    {"--vc", 0, "SPEC", "the VC scheme (default: the routing's default scheme)", false, "<vcs>"},
    {"--vcs", 0, "N", "number of VCs (default: 0, as many as the scheme needs)", false},
    {"--flow", 0, "any|cut_through",
     "examine an escape layer for every flow control (the default), or for switches whose buffers "
     "hold whole packets",
     false},
    {"--sample", 0, "N",
     "examine only N pairs of hosts, drawn at random: this can find faults but not prove that "
     "there are none",
     false},
    {"--certificate", 0, "FILE",
     "write why there is no deadlock, or the cycle, so that another program can check it; ikat "
     "checks it with every pair, without the code of the proof",
     false, "<file>"},
    CLI_ALLOW_UNREACHABLE,
    CLI_NO_CACHE,
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {"ikat check karytree:k=4,n=3 --routing dmodk",
                                       "ikat check torus:dims=4:4 --routing updown --json", NULL};

const ik_command ik_command_check = {
    .name = "check",
    .synopsis = "SPEC|FILE --routing SPEC [--vc SPEC] [--vcs N] [--flow any|cut_through]",
    .summary = "prove that a routing delivers every pair without loops and deadlocks",
    .details =
        "Follows every choice that the routing allows for every pair of hosts, and searches the "
        "graph of dependencies between (channel, VC) pairs for cycles. If there is a cycle, a "
        "shortest one is printed, with a pair of hosts for each of its steps. The number of hops "
        "is the number of channels between switches.\nIf there is a cycle and the VC scheme has an "
        "escape layer, the escape layer is examined: by default so that the verdict holds for "
        "every flow control, with --flow cut_through for switches whose buffers hold whole "
        "packets.\nExit status 1: a pair is not delivered or can loop, packets can deadlock, or "
        "(without --allow-unreachable) the fabric does not connect all hosts that have a "
        "cable.\nTables from a file ('lft', 'ar') are judged for every LID of hosts: 'lft' as by "
        "'ikat audit'.",
    .json = "spec:t hosts:n endpoints:n switches:n routing:t note?:t'what is to be known of "
            "tables from a file' vc:t vcs:n vcs_needed:n vcs_used:n delivered:~b loop_free:~b "
            "minimal:~b livelock_order:~b'null if there is none' deadlock_free:~b flow:t "
            "condition:t'acyclic, extended, direct: the basis of deadlock_free' "
            "deadlock_reason:t one_lane:b'tables from a file, without a VC scheme' pairs:n "
            "sampled_pairs:n'0: all' undelivered:n loops:n unconnected:n not_minimal:n "
            "max_hops:n channels:n dependencies:n mean_hops:r path_lengths:[n]'initial states by "
            "hops' first_undelivered?:[n]'source, destination' lost_path?:[t] "
            "escape_gap:~{source:n destination:n switch:n at:t} witness:~[{switch:n port:n "
            "to_switch:n vc:n through:b from:t to:t source:n destination:n source_name:t "
            "destination_name:t}] certified_pairs:~n'null without --certificate'",
    .takes = "<topologies>|<file>",
    .examples = examples,
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = check_run,
};
