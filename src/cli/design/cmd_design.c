/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_design.c: `ikat design`: for a number of hosts and a switch, the member that each family
 * builds, what it does and what it costs.
 */
#include "design_show.h"
#include "scale.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------
 * choosing */

ik_status design_buy(const designs *d, design_row *row, ik_error *err)
{
    const ik_scale_point *p = &row->fit.point;
    const uint64_t *cables = row->floor ? row->floor->cables : NULL;
    ik_purchase what = {.rate_bps = d->rate_bps,
                        .radix = d->wish.radix,
                        .switches = d->rails * p->switches,
                        .adapters = d->rails * p->hosts,
                        .copper_cables = d->rails * p->hosts,
                        .optical_cables = d->rails * (p->links - p->hosts)};
    if (cables) {
        what.copper_cables = (double)cables[IK_CABLE_COPPER];
        what.optical_cables = (double)cables[IK_CABLE_OPTICAL];
    }
    return ik_prices_cost(d->prices, &what, &row->cost, err);
}

void design_take(const designs *d, design_row *row, const ik_fit *fit)
{
    row->fit = *fit;
    design_put_spec(d, &row->fit, 1, row->spec, sizeof row->spec);
    ik_fit whole = row->fit;
    if (d->rails > 1 &&
        ik_fit_rails(&row->fit, d->rails, whole.point.spec, sizeof whole.point.spec))
        design_put_spec(d, &whole, 1, row->whole, sizeof row->whole);
}

/* What a switch and an optical cable cost, if costs are the goal. */
static ik_status design_price_wish(designs *d, ik_error *err)
{
    ik_part_price sw, cable;
    if (strcmp(d->goal, "cost") != 0)
        return IK_OK;
    ik_status s = ik_prices_part(d->prices, IK_PART_SWITCH, d->rate_bps, d->wish.radix, &sw, err);
    if (s == IK_OK)
        s = ik_prices_part(d->prices, IK_PART_OPTICAL_CABLE, d->rate_bps, 0, &cable, err);
    if (s == IK_OK) {
        d->wish.switch_price = sw.price;
        d->wish.cable_price = cable.price;
    }
    return s;
}

static void design_set_fewest(design_row *row, const ik_fit *fewest)
{
    row->fewest_switches = fewest->point.switches;
    row->fewest_switches_hosts = fewest->point.hosts;
}

static void design_add_other(design_row *row, const ik_fit *fit)
{
    bool known = strcmp(fit->point.spec, row->fit.point.spec) == 0;
    for (unsigned i = 0; i < row->num_others; i++)
        known |= strcmp(fit->point.spec, row->others[i].point.spec) == 0;
    if (!known)
        row->others[row->num_others++] = *fit;
}

/* Members that a floor plan may show to be cheaper, since more of their cables are copper: the one
 * that would be the cheapest if all were, and the one with the fewest switches. Which members
 * fulfil a wish does not depend on prices, so there always is one. */
static ik_status design_add_others(const designs *d, design_row *row, ik_error *err)
{
    ik_part_price cable;
    ik_fit by_copper, fewest;
    ik_wish wish = d->wish;
    if (strcmp(d->goal, "cost") != 0)
        return IK_OK;
    wish.switch_price = wish.cable_price = 0;
    if (ik_series_fit(row->series, &wish, &fewest))
        design_set_fewest(row, &fewest);
    if (!d->has_floors)
        return IK_OK;
    ik_status s = ik_prices_part(d->prices, IK_PART_COPPER_CABLE, d->rate_bps, 0, &cable, err);
    if (s != IK_OK)
        return s;
    wish.switch_price = d->wish.switch_price;
    wish.cable_price = cable.price;
    if (ik_series_fit(row->series, &wish, &by_copper))
        design_add_other(row, &by_copper);
    if (row->fewest_switches > 0)
        design_add_other(row, &fewest);
    return IK_OK;
}

static ik_status design_cancelled(const design_row *row, ik_error *err)
{
    return ik_fail(err, IK_ERR_CANCELLED, "cancelled while looking for a member of %s",
                   row->series->name);
}

static ik_status design_fit(designs *d, design_row *row, ik_error *err)
{
    row->fits = ik_series_fit(row->series, &d->wish, &row->fit);
    if (!row->fits) {
        bool any = ik_series_nearest(row->series, &d->wish, &row->fit, &row->least_radix);
        if (ik_env_cancelled(&d->c->env))
            return design_cancelled(row, err);
        row->most_hosts = any ? row->fit.point.hosts : 0;
        if (any)
            design_put_spec(d, &row->fit, 1, row->spec, sizeof row->spec);
        design_set_reason(d, row);
        return IK_OK;
    }
    d->num_fits++;
    const ik_fit fit = row->fit;
    design_take(d, row, &fit);
    ik_status s = design_add_others(d, row, err);
    if (s == IK_OK && ik_env_cancelled(&d->c->env))
        s = design_cancelled(row, err);
    return s == IK_OK ? design_buy(d, row, err) : s;
}

double design_cost_per_host(const design_row *row)
{
    return row->cost.total / row->fit.point.hosts;
}

static int design_by_cost(const void *a, const void *b)
{
    const design_row *x = a, *y = b;
    if (x->fits != y->fits)
        return x->fits ? -1 : 1;
    if (x->fits && design_cost_per_host(x) != design_cost_per_host(y))
        return design_cost_per_host(x) < design_cost_per_host(y) ? -1 : 1;
    return strcmp(x->series->name, y->series->name);
}

/* No family fits: an error that names the one that comes nearest. A page shows all of them. */
static ik_status design_refuse_wish(const designs *d, ik_error *err)
{
    const design_row *nearest = &d->rows[0];
    for (size_t i = 1; i < d->num; i++)
        if (d->rows[i].most_hosts > nearest->most_hosts)
            nearest = &d->rows[i];
    ik_status status =
        ik_fail(err, IK_ERR_USAGE, "no family reaches %s hosts with %u-port switches",
                cli_count((uint64_t)d->wish.hosts), d->wish.radix);
    return ik_hint(err, status, "%s: %s", nearest->series->name, nearest->reason);
}

static ik_status design_choose(designs *d, ik_error *err)
{
    ik_status status = cli_check_series(d->c, true, err);
    size_t room = 0;
    if (status == IK_OK)
        status = design_price_wish(d, err);
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        for (const ik_series *s = (*t)->series; s && s->name; s++)
            room++;
    d->rows = calloc(room + 1, sizeof *d->rows);
    if (!d->rows)
        return ik_fail_memory(err, room * sizeof *d->rows, "the members of families");
    cli_stage(d->c, "choosing members");
    for (const ik_topology *const *t = ik_topologies(); status == IK_OK && *t; t++) {
        for (const ik_series *s = (*t)->series; status == IK_OK && s && s->name; s++) {
            if (!s->fit || !cli_wants_series(d->c, *t, s))
                continue;
            if (d->c->env.progress)
                d->c->env.progress(d->c->env.progress_ctx, "choosing members", d->num, room,
                                   "series");
            design_row *row = &d->rows[d->num++];
            row->topology = *t;
            row->series = s;
            status = design_fit(d, row, err);
        }
    }
    if (status == IK_OK)
        qsort(d->rows, d->num, sizeof *d->rows, design_by_cost);
    return status;
}

/* ------------------------------------------------------------------------------------------
 * the command */

static bool design_is_proved(const designs *d, const design_row *row)
{
    bool proved = row->proved;
    for (int k = 0; k < d->num_losses; k++)
        proved &= row->failures[k].proved;
    return proved;
}

static int design_show(const designs *d)
{
    int status = CLI_DONE;
    for (size_t i = 0; i < d->num_fits; i++)
        if (d->rows[i].built && !design_is_proved(d, &d->rows[i]))
            status = CLI_FAILED;
    int shown = d->c->json               ? designs_show_json(d)
                : cli_has(d->c, "--csv") ? designs_show_csv(d)
                                         : designs_show_table(d);
    return shown == CLI_DONE ? cli_finish(d->c, status) : shown;
}

/* Switches of so many rails that no rack holds them one above the other have no plan, unless it is
 * asked for. */
static ik_status design_read_floor(designs *d, ik_error *err)
{
    ik_status s = cli_floor_rules(d->c, &d->floor_rules, err);
    if (s == IK_OK && !cli_has(d->c, "--floor") &&
        (uint64_t)d->rails * d->floor_rules.switch_units > d->floor_rules.rack_units) {
        d->has_floors = false;
        d->no_floor = " (no rack holds the switches of all rails)";
        return designs_check_floor(d, err);
    }
    return s;
}

static int design_run(cli *c)
{
    designs d = {.c = c, .prices_file = cli_get(c, "--prices")};
    const char *page = cli_get(c, "--output");
    ik_output file = {0};
    ik_error err;
    int status = designs_read_wish(&d);
    if (status != CLI_DONE)
        return status;
    cli_use_cache(c);
    ik_status s = ik_prices_read(d.prices_file, &d.prices, &err);
    if (s == IK_OK)
        s = design_choose(&d, &err);
    if (s == IK_OK && d.has_floors)
        s = design_read_floor(&d, &err);
    if (s == IK_OK && d.from_spec)
        s = design_read_from(&d, &err);
    if (s == IK_OK && page)
        s = ik_output_open(&file, page, &err);
    for (size_t i = 0; s == IK_OK && i < d.num; i++)
        s = design_measure(&d, &d.rows[i], &err);
    if (s == IK_OK && d.has_floors) /* which says what cables cost */
        qsort(d.rows, d.num, sizeof *d.rows, design_by_cost);
    if (s == IK_OK && page)
        s = designs_write_page(&d, file.out, &err);
    if (file.out)
        s = ik_output_close(&file, s, &err);
    if (s == IK_OK && d.num_fits == 0)
        s = design_refuse_wish(&d, &err);
    cli_progress_end(c);
    status = s == IK_OK ? design_show(&d) : cli_error(c, &err);
    for (size_t i = 0; i < d.num; i++) {
        ik_distances_free(&d.rows[i].dist);
        ik_bisection_free(&d.rows[i].bisection);
        ik_floor_plan_free(d.rows[i].floor);
        ik_growth_free(&d.rows[i].growth);
    }
    free(d.rows);
    ik_fabric_free(d.from);
    ik_prices_free(d.prices);
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
