/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_design.c: `ikat design`: for a number of hosts and a switch, the member that each family
 * builds, what it does and what it costs.
 */
#include "design_show.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what is asked for */

/* Options that change what is printed, and not what is found. */
static bool design_only_shows(const char *option)
{
    static const char *const names[] = {"--output",  "--csv",   "--json",  "--jobs",
                                        "--verbose", "--quiet", "--color", "--no-cache"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* words: room for two of each option, those of the arguments, and two more. */
static size_t design_put_command(const cli *c, const char **words)
{
    size_t n = 0;
    words[n++] = "ikat";
    words[n++] = c->command->name;
    for (int i = 0; i < c->num_options; i++) {
        if (design_only_shows(c->options[i].name))
            continue;
        words[n++] = c->options[i].name;
        if (c->options[i].value[0])
            words[n++] = c->options[i].value;
    }
    for (int i = 0; i < c->num_args; i++)
        words[n++] = c->args[i];
    return n;
}

/* Whether --output names what can be written; an exit status. */
static int design_check_page(const cli *c)
{
    const char *prices = cli_get(c, "--prices");
    const char *path = cli_get(c, "--output"), *dot = path ? strrchr(path, '.') : NULL;
    if (!path)
        return CLI_DONE;
    if (dot && (strcasecmp(dot, ".csv") == 0 || strcasecmp(dot, ".json") == 0))
        return cli_usage(c, "the page is no %s file: leave -o out, and send what --%s prints to it",
                         dot + 1, strcasecmp(dot, ".csv") == 0 ? "csv" : "json");
    if (!dot || (strcasecmp(dot, ".html") != 0 && strcasecmp(dot, ".htm") != 0))
        return cli_usage(c, "-o writes a page of HTML, whose name ends with .html, not '%.200s'",
                         cli_line(path));
    if (prices && cli_same_file(path, prices))
        return cli_usage(c, "the page '%.200s' would overwrite the list of prices", cli_line(path));
    const char *rules = cli_get(c, "--floor");
    if (rules && cli_same_file(path, rules))
        return cli_usage(c, "the page '%.200s' would overwrite the rules of the floor",
                         cli_line(path));
    return CLI_DONE;
}

/* Values of an option that may be given several times; room for as many as there are options. */
static size_t design_read_list(const cli *c, const char *option, const char **out)
{
    const char *value;
    size_t num = 0;
    while ((value = cli_get_nth(c, option, (int)num)))
        out[num++] = value;
    return num;
}

static void cmd_design_stage(void *ctx, const char *text)
{
    cli_stage(ctx, "%s", text);
}

static void cmd_design_note(void *ctx, ik_severity severity, const char *text)
{
    (void)severity;
    cli_note(ctx, "%s", text);
}

/* An exit status. */
static int cmd_design_read_switch(const cli *c, ik_design_config *ask)
{
    uint64_t radix = 0, rails = 1;
    if (!cli_has(c, "--hosts") || !cli_has(c, "--radix"))
        return cli_usage(c, "--hosts N and --radix R are required: how many hosts, and how many "
                            "ports a switch has");
    if (!cli_get_uint(c, "--radix", 2, IK_WISH_RADIX_MAX, 0, &radix) ||
        !cli_get_uint(c, "--rails", 1, IK_DESIGN_RAILS, 1, &rails))
        return CLI_USAGE;
    if (c->json && cli_has(c, "--csv"))
        return cli_usage(c, "--csv and --json both write to the output: give only one of them");
    ask->radix = (uint32_t)radix;
    ask->rails = (uint32_t)rails;
    return design_check_page(c);
}

/* ---- the command */

static int design_show(const cli *c, const ik_designs *d)
{
    int shown = c->json               ? designs_show_json(c, d)
                : cli_has(c, "--csv") ? designs_show_csv(d)
                                      : designs_show_table(c, d);
    return shown == CLI_DONE ? cli_finish(c, ik_designs_are_proved(d) ? CLI_DONE : CLI_FAILED)
                             : shown;
}

/* With the page of --output, which shows what comes nearest where no family fits. */
static int cmd_design_find(cli *c, const ik_design_config *ask)
{
    const char *page = cli_get(c, "--output");
    ik_output file = {0};
    ik_designs *found = NULL;
    ik_error err;
    ik_status s = page ? ik_output_open(&file, page, &err) : IK_OK;
    if (s == IK_OK)
        s = ik_designs_find(ask, &c->env, &found, &err);
    if (s == IK_OK && page)
        s = ik_designs_print_page(found, file.out, &err);
    if (file.out)
        s = ik_output_close(&file, s, &err);
    if (s == IK_OK)
        s = ik_designs_fit(found, &err);
    cli_progress_end(c);
    int status = s == IK_OK ? design_show(c, found) : cli_usage_error(c, &err);
    ik_designs_free(found);
    return status;
}

/* words: room for three lists and the command. */
static int design_ask(cli *c, ik_design_config *ask, const char **words)
{
    const size_t num = (size_t)c->num_options;
    ask->patterns = words;
    ask->num_patterns = design_read_list(c, "--traffic", words);
    ask->workloads = words + num;
    ask->num_workloads = design_read_list(c, "--workload", words + num);
    ask->losses = words + 2 * num;
    ask->num_losses = design_read_list(c, "--fail", words + 2 * num);
    ask->command = words + 3 * num;
    ask->num_words = design_put_command(c, words + 3 * num);
    cli_use_cache(c);
    return cmd_design_find(c, ask);
}

static int design_run(cli *c)
{
    ik_design_config ask = {.hosts = cli_get(c, "--hosts"),
                            .oversubscription = cli_get(c, "--oversubscription"),
                            .choose = cli_get(c, "--choose"),
                            .rate = cli_get(c, "--rate"),
                            .prices = cli_get(c, "--prices"),
                            .floor = cli_get(c, "--floor"),
                            .from = cli_get(c, "--from"),
                            .families = c->args,
                            .num_families = (size_t)c->num_args,
                            .bisection = cli_has(c, "--bisection"),
                            .simulate = cli_has(c, "--simulate"),
                            .leaves_out_large = cli_has(c, "--memory-limit"),
                            .stage = cmd_design_stage,
                            .note = cmd_design_note,
                            .ctx = c};
    int status = cmd_design_read_switch(c, &ask);
    if (status != CLI_DONE)
        return status;
    const size_t room = 2 + 5 * (size_t)c->num_options + (size_t)c->num_args;
    const char **words = calloc(room, sizeof *words);
    ik_error err;
    if (!words)
        ik_fail_memory(&err, room * sizeof *words, "what is asked for");
    status = words ? design_ask(c, &ask, words) : cli_error(c, &err);
    free(words);
    return status;
}

static const cli_option options[] = {
    {"--hosts", 0, "N[..M]",
     "this many hosts, or whatever number from N to M costs least per host in its family "
     "(required)",
     false},
    {"--radix", 0, "R", "switches with at most R ports (required)", false},
    {"--oversubscription", 0, "X",
     "at most X hosts per uplink of a leaf switch, and in families without uplinks at most X times "
     "the hosts of the balanced member (default: 1)",
     false},
    {"--choose", 0, "WHAT",
     "which member of a family is shown: the one that costs least ('cost', the default), or the "
     "one with the fewest 'switches'",
     false},
    {"--rate", 0, "RATE", "the rate of all ports and cables (default: 100 Gb/s)", false},
    {"--rails", 0, "N",
     "hosts have N ports, each to a network of its own (default: 1); all N are bought", false},
    {"--traffic", 't', "SPEC", "also predict the saturation load for this pattern", true,
     "<traffic>"},
    {"--bisection", 'b', NULL, "also compute the bisection", false},
    {"--workload", 'w', "SPEC",
     "also say how long this workload takes at least, its bytes divided over all rails, as in "
     "collective:operation=allreduce,bytes=1GB",
     true, "<traffic>"},
    {"--simulate", 0, NULL,
     "also simulate the workloads, where their packets make at most 200 million hops", false},
    {"--fail", 0, "LOSS",
     "also say what is left when so much fails: a share of the cables between switches (2%) or of "
     "the switches (switches=2%), a number or a share of the racks or cable trays of the floor "
     "plan (racks=1, racks=5%, trays=1): three random draws, rerouted",
     true},
    {"--prices", 0, "FILE",
     "a list of prices, of which every key replaces that of the built-in one", false,
     "<file yaml yml>"},
    {"--floor", 0, "FILE",
     "stand the networks on this floor, whose rules are in YAML, instead of on that of 'default': "
     "racks, lengths of cables, and which are copper, for the costs too; 'none': no floor plans, "
     "which is faster",
     false, "<file yaml yml>"},
    {"--from", 0, "FABRIC",
     "also say what has to be done to make each network of this one, which stands already: new "
     "switches and cables, and cables and hosts that are moved",
     false, "<topologies>|<file>"},
    {"--csv", 0, NULL, "instead of the table, print CSV", false},
    {"--output", 'o', "FILE.html",
     "also write a page that compares the designs: one file that loads nothing else", false,
     "<file html htm>"},
    CLI_NO_CACHE,
    {NULL, 0, NULL, NULL, false},
};

static const char *const examples[] = {
    "ikat design --hosts 400 --radix 24",
    "ikat design --hosts 400 --rails 4 --radix 24 --rate 400Gb/s --workload "
    "collective:operation=allreduce,bytes=1GB --fail 2%",
    "ikat design --hosts 1024 --radix 32 --oversubscription 2 fattree2 dragonfly -t reversal "
    "--floor none",
    "ikat design --hosts 900..1100 --radix 32 --floor none",
    "ikat design --hosts 300 --radix 24 --from pgft:m=12:12,w=1:12,p=1:1",
    "ikat design --hosts 128 --radix 16 --workload collective:operation=allreduce,bytes=1GB -o "
    "designs.html",
    NULL};

const ik_command ik_command_design = {
    .name = "design",
    .synopsis =
        "--hosts N[..M] --radix R [--rails N] [--oversubscription X] [--workload SPEC] [--fail "
        "LOSS] [--prices FILE] [FAMILY …]",
    .summary = "for a number of hosts and a switch: the network of each family, and its price",
    .details =
        "For every family, or those that are named, takes the member that costs least (or, with "
        "--choose switches, has the fewest switches, and of these the fewest cables) and has ports "
        "for all hosts: partly filled, with "
        "fewer pods or groups, and with parallel cables where that uses ports that are there. "
        "Each gets the routing that suits its family and the VCs that this needs; "
        "that it delivers every pair without loops and deadlocks is proved. The table is sorted by "
        "cost per host; below it stands which families do not fit, and why.\n"
        "With --hosts N..M every family has a number of hosts of its own from N to M: the one that "
        "costs least per host (or, with --choose switches, has the fewest switches per host); of "
        "equal ones the least. A family whose members all have fewer than N hosts does not fit. "
        "Times and costs that are not per host are then of networks of different sizes.\n"
        "Predicted are the "
        "saturation loads of uniform traffic, of an adversarial permutation (worst), and of the "
        "given patterns, under the routing that is shown. For more than 300,000 hosts, and for "
        "members that need more than --memory-limit, only sizes and costs are computed.\n"
        "With --rails N a host has N adapters, each on one of N equal networks (planes) that share "
        "nothing else. Numbers of switches, ports and cables, watts and costs are of all of them; "
        "what is proved, predicted and simulated is that of one, and the whole has N times the "
        "rate per host.\n"
        "A workload takes at least the time in which its fullest channel sends its bytes (host "
        "channels alone where the routing is adaptive; of a batch, those from hosts). Beside that "
        "stands what its phases take "
        "one after the other: the fullest channel of each, and the latency of the cables on a "
        "way. Neither counts headers, waiting in switches or computation. --simulate adds the "
        "simulated time, with packets of 4 KiB and the defaults of 'ikat list sections'.\n"
        "Failures are drawn three times, with the seeds --seed, --seed + 1 and --seed + 2. A rack "
        "takes its switches and the cables of its hosts with it, a tray all cables that lie in it; "
        "hosts without a cable are counted, and not among the pairs. The "
        "damaged network is routed by dmodc if it is a tree, else by the routing that is shown, "
        "or, where that refuses it or does not deliver all, by updown in trees and "
        "dfsssp elsewhere, and proved again. Pairs of hosts that are not "
        "connected send nothing in the saturation "
        "that is predicted.\n"
        "Prices and watts are round numbers that ikat's authors assumed, from no source: replace "
        "them by quotes with --prices. Each network is stood on a floor, from racks to lengths of "
        "cables: copper as far as that reaches, optical beyond. Without a plan (--floor none, "
        "networks that are not built, more rails than a rack holds switches) cables of hosts count "
        "as copper, and all others as optical. docs/designing.md describes members, prices and "
        "floor plans.\n"
        "--from takes a specification or a file of a fabric that stands already, with at most as "
        "many hosts and ports per switch. Its switches take the places of those of each network "
        "so that many cables stay, which a search finds; how few can be moved at best is bounded "
        "from below.\n"
        "--output also writes a page in HTML: cost against performance with the designs that no "
        "other one beats, all figures and how each was obtained, designs next to each other. Where "
        "no family fits, it shows which come nearest, and the exit status is 2.\n"
        "Exit status 1: a routing was not proved, on the network or on a damaged one.",
    .json =
        "wish:{hosts:n hosts_max:n'hosts without a range' radix:n oversubscription:r rate_bps:n "
        "rails:n goal:t'cost or switches' "
        "from:~t'a fabric that stands "
        "already'} currency:t prices:~t'the "
        "file; "
        "null: the built-in list' members:[{family:t series:t spec:t routing:t vc:~t "
        "proved:~b'null: not built, only sizes' cost_per_host:r watts_per_host:r hosts:n "
        "switches:n ports_in_use:n'of switches' spare_host_ports:n cables:n "
        "switch_cables:n'cables between switches' diameter:~n mean_hops:~r vcs:~n "
        "bisection_per_host:~r'null without --bisection' cost_switches:r cost_adapters:r "
        "cost_copper_cables:r cost_optical_cables:r cost:r watts:r fewest_switches:~n'of any "
        "member of its family that fulfils the wish; null with --choose switches, and where that "
        "member does not fit on the floor' fewest_switches_hosts:~n'for how many hosts these are' "
        "saturation:[{pattern:t "
        "load:~r}] whole_spec:~t'the fabric of all rails; null: one rail, or its family has no "
        "such fabric: then spec is that of each' host_rate_bps:n'of all rails' "
        "workloads:[{traffic:t at_least_ns:~r phases_ns:~r'one after the other' "
        "simulated_ns:~r'null without --simulate, and where it is too large'}] "
        "failures:[{what:t'cables, switches, racks or trays' share:~r'null: a number' number:~n "
        "routing:t fallback:t'where that refuses, or is not "
        "proved' draws:n failed_cables:r'between switches, mean' "
        "lost_hosts:r'without any cable, mean' connected:r'mean share of "
        "the pairs of other hosts' connected_least:r mean_hops:~r saturation:~r "
        "saturation_least:~r vcs:n'most of all draws' fell_back:n'draws that the "
        "fallback routed' refused:n'draws that none routed' proved:b'all others'}] "
        "floor:~{rows:n row_racks:n racks:n copper_cables:n optical_cables:n inside_racks:n "
        "copper_m:r optical_m:r longest_m:r before_search_m:r'of one rail' after_search_m:r}'of "
        "all rails; null: there is none' growth:~{switches_added:n switches_removed:n "
        "cables_pulled:n cables_moved:n'or removed' cables_moved_least:n'no matching needs less' "
        "cables_staying:n hosts_moved:n'to another switch' hosts_moved_least:n "
        "moved_hosts:[n]'first and last number of each range'}'of all rails; null without "
        "--from'}] "
        "infeasible:[{family:t series:t reason:t nearest:~t'the member with the "
        "most hosts' most_hosts:n radix_needed:~n'for the wished hosts'}]",
    .takes = "<topologies>",
    .examples = examples,
    .options = options,
    .min_args = 0,
    .max_args = -1,
    .run = design_run,
};
