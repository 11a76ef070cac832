/* SPDX-License-Identifier: Apache-2.0
 *
 * load_text.c: what `ikat load` prints on a terminal.
 */
#include "load.h"

#include <math.h>
#include <stdarg.h>

static const char by_detours[] = "not predicted: what goes minimally depends on queues";

static void load_text_row(const char *name, const char *format, ...) IK_PRINTF(2, 3);
static void load_text_row(const char *name, const char *format, ...)
{
    va_list args;
    printf("  %-22s ", name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static void load_text_print_groups(const loads *l)
{
    static const char *const headers[] = {"channels", "level>", "number>",          "min load>",
                                          "mean>",    "max>",   "distinct values>", NULL};
    cli_heading(l->c, "Loads by kind of channel, in units of a host's rate");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < l->num_groups; i++) {
        const ik_load_group *g = &l->groups[i];
        bool exact = g->bins[0].low == g->bins[0].high;
        cli_table_cell(t, "%s", ik_direction_name(g->direction));
        cli_table_cell(t, "%.0u", g->level); /* nothing for 0 */
        cli_table_cell(t, "%s", cli_count(g->channels));
        cli_table_cell(t, "%.6g", g->min);
        cli_table_cell(t, "%.6g", g->mean);
        cli_table_cell(t, "%.6g", g->max);
        cli_table_cell(t, exact ? "%zu" : "more than %zu", g->num_bins);
    }
    cli_table_print(t, stdout, l->c->colour_out);
}

static void load_text_print_bins(cli_table *t, const ik_load_group *g)
{
    for (size_t b = 0; b < g->num_bins; b++) {
        const ik_load_bin *bin = &g->bins[b];
        cli_table_cell(t, "%s", b ? "" : ik_direction_name(g->direction));
        cli_table_cell(t, "%.0u", b ? 0 : g->level);
        cli_table_cell(t, bin->low == bin->high ? "%.6g" : "%.6g to %.6g", bin->low, bin->high);
        cli_table_cell(t, "%s", cli_count(bin->channels));
    }
}

static void load_text_print_histogram(const loads *l)
{
    static const char *const headers[] = {"channels", "level>", "load>", "number>", NULL};
    cli_heading(l->c, "Histogram");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < l->num_groups; i++)
        load_text_print_bins(t, &l->groups[i]);
    cli_table_print(t, stdout, l->c->colour_out);
}

static void load_text_print_queues(const loads *l)
{
    static const char *const headers[] = {"channels", "level>", "queues used>",  "fewest flows>",
                                          "mean>",    "most>",  "fewest hosts>", "mean>",
                                          "most>",    NULL};
    char heading[200];
    snprintf(heading, sizeof heading,
             "Flows and different destination hosts per queue, scheme %.80s, %s",
             cli_line(l->plan->vc->spec), IK_COUNT(l->queues.num_vcs, "VC"));
    cli_heading(l->c, heading);
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < l->num_queue_groups; i++) {
        const ik_load_group *flows = &l->queue_flows[i], *hosts = &l->queue_destinations[i];
        cli_table_cell(t, "%s", ik_direction_name(flows->direction));
        cli_table_cell(t, "%.0u", flows->level);
        cli_table_cell(t, "%s", cli_count(flows->channels));
        cli_table_cell(t, "%.6g", flows->min);
        cli_table_cell(t, "%.6g", flows->mean);
        cli_table_cell(t, "%.6g", flows->max);
        cli_table_cell(t, "%.6g", hosts->min);
        cli_table_cell(t, "%.6g", hosts->mean);
        cli_table_cell(t, "%.6g", hosts->max);
    }
    cli_table_print(t, stdout, l->c->colour_out);
}

static void print_queue_histogram(const loads *l)
{
    static const char *const headers[] = {"channels", "level>", "destination hosts>", "queues>",
                                          NULL};
    cli_heading(l->c, "Histogram of the destinations of queues");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < l->num_queue_groups; i++)
        load_text_print_bins(t, &l->queue_destinations[i]);
    cli_table_print(t, stdout, l->c->colour_out);
}

static void load_text_print_turns(const loads *l)
{
    static const char *const headers[] = {"level>", "switches>", "fewest routes>",
                                          "mean>",  "most>",     NULL};
    cli_heading(l->c, "Routes that turn at a switch (their nearest common ancestor)");
    cli_table *t = cli_table_new(headers);
    for (uint32_t level = 1; level <= l->f->num_levels; level++) {
        double low = INFINITY, high = 0, sum = 0;
        uint64_t n = 0;
        for (uint32_t sw = 0; sw < l->f->num_switches; sw++) {
            if (l->f->switch_level[sw] == level) {
                double x = l->load.turns[sw];
                low = x < low ? x : low;
                high = x > high ? x : high;
                sum += x;
                n++;
            }
        }
        cli_table_cell(t, "%u", level);
        cli_table_cell(t, "%s", cli_count(n));
        cli_table_cell(t, "%.6g", n ? low : 0);
        cli_table_cell(t, "%.6g", n ? sum / (double)n : 0);
        cli_table_cell(t, "%.6g", high);
    }
    cli_table_print(t, stdout, l->c->colour_out);
}

static void load_text_print_bound(const ik_contention *x)
{
    const char *plural = x->max_flows == 1 ? "" : "s";
    unsigned long long ends = x->endpoint_degree;
    if (isnan(x->slowdown_bound.value))
        load_text_row("slowdown at least",
                      "no bound: queues may divide flows better than evenly (evenly: %.6g flow%s "
                      "on a channel, %llu at an end)",
                      x->max_flows, plural, ends);
    else
        load_text_row("slowdown at least", "%.6g (%.6g flow%s on a channel, %llu at an end)",
                      x->slowdown_bound.value, x->max_flows, plural, ends);
}

static void print_contention(const loads *l)
{
    const ik_contention *x = &l->contention;
    cli_heading(l->c, l->has_phases && l->phases.num > 1
                          ? "Contention inside the network, if all phases were one"
                          : "Contention inside the network");
    if (x->split) {
        load_text_row("C (largest matching)",
                      "none: it counts whole flows, and %s of %s are divided over several paths",
                      cli_count(x->split), cli_count(x->flows));
    } else {
        load_text_row("C (largest matching)", "%llu", (unsigned long long)x->c);
    }
    if (l->f->num_levels && !x->split)
        load_text_row("C up, down", "%llu, %llu", (unsigned long long)x->c_up,
                      (unsigned long long)x->c_down);
    if (isnan(x->max_flows)) {
        load_text_row("slowdown", "%s", by_detours);
        return;
    }
    load_text_row("C by load", "%.6g", x->c_load.value);
    load_text_print_bound(x);
    load_text_row("fluid slowdown", "%.6g (%.6g %s time, crossbar %.6g)%s", x->fluid_slowdown,
                  x->fluid_time, x->fluid_time == 1 ? "message's" : "messages'",
                  x->fluid_crossbar_time,
                  isnan(x->slowdown_bound.value) ? ", if choices are divided evenly" : "");
    load_text_row("effective bandwidth", "%.6g (of flows that leave their switch %.6g)",
                  x->effective_bandwidth, x->effective_bandwidth_leaving);
    load_text_row("mean efficiency", "%.6g (of flows that leave their switch %.6g)",
                  x->mean_efficiency, x->mean_efficiency_leaving);
}

/* A number that may be unknown. */
static void load_text_cell_known(cli_table *t, bool known, double x)
{
    if (known && x == x)
        cli_table_cell(t, "%.6g", x);
    else
        cli_table_cell(t, "-");
}

enum { MOST_PHASES = 40 };

/* Of all phases. Adaptive routings divide otherwise than evenly, so that even shares bound nothing.
 */
static void load_text_print_sums(const ik_phases *all, const ik_load_band *b)
{
    const char *how = b->predicted ? "" : ", if choices are divided evenly";
    if (isnan(all->slowdown)) {
        load_text_row("slowdown", "%s", by_detours);
        return;
    }
    load_text_row(b->predicted ? "sum of the bounds" : "sum of the times",
                  "%.6g us, crossbar %.6g us%s", all->bound_ns / 1e3, all->crossbar_bound_ns / 1e3,
                  how);
    if (all->has_contention)
        load_text_row("sum of fluid times", "%.6g us, crossbar %.6g us%s", all->fluid_ns / 1e3,
                      all->crossbar_ns / 1e3, how);
    if (all->has_contention)
        load_text_row("slowdown", "%.6g%s", all->slowdown, how);
    else
        load_text_row("slowdown",
                      "%.6g or more%s (by the most loaded channels; --contention for "
                      "the rest)",
                      all->slowdown, how);
}

static void load_text_print_phases(const loads *l)
{
    const char *const headers[] = {"phase",
                                   "messages>",
                                   "bytes>",
                                   "C>",
                                   l->band.predicted ? "bound, us>" : "evenly, us>",
                                   "fluid, us>",
                                   "crossbar, us>",
                                   "slowdown>",
                                   NULL};
    const ik_phases *all = &l->phases;
    cli_heading(l->c, "Phases: all messages of a class at once, counting only bytes");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < all->num && i < MOST_PHASES; i++) {
        const ik_phase *p = &all->phases[i];
        cli_table_cell(t, "%s", p->name ? cli_line(p->name) : "all");
        cli_table_cell(t, "%s", cli_count(p->messages));
        cli_table_cell(t, "%s", cli_count(p->bytes));
        load_text_cell_known(t, p->has_contention && !p->contention.split, (double)p->contention.c);
        load_text_cell_known(t, true, p->bound_ns / 1e3);
        load_text_cell_known(t, p->has_contention, p->fluid_ns / 1e3);
        load_text_cell_known(t, p->has_contention, p->crossbar_ns / 1e3);
        load_text_cell_known(t, p->has_contention,
                             p->crossbar_ns > 0 ? p->fluid_ns / p->crossbar_ns : 1);
    }
    cli_table_print(t, stdout, l->c->colour_out);
    if (all->num > MOST_PHASES)
        printf("  and %s (--csv --table phases)\n",
               cli_counted(all->num - MOST_PHASES, "more phase"));
    load_text_print_sums(all, &l->band);
}

static void load_text_print_means(const ik_pattern_means *m)
{
    if (isnan(m->effective_bandwidth)) {
        load_text_row("effective bandwidth", "%s", by_detours);
        return;
    }
    load_text_row("effective bandwidth",
                  "%.6g +- %.2g (of flows that leave their switch %.6g +- %.2g)",
                  m->effective_bandwidth, m->effective_bandwidth_error,
                  m->effective_bandwidth_leaving, m->effective_bandwidth_leaving_error);
    load_text_row("mean efficiency", "%.6g +- %.2g (of flows that leave their switch %.6g +- %.2g)",
                  m->mean_efficiency, m->mean_efficiency_error, m->mean_efficiency_leaving,
                  m->mean_efficiency_leaving_error);
}

static void load_text_print_extras(const loads *l)
{
    if (l->has_means) {
        cli_heading(l->c, "Random patterns");
        load_text_row("patterns", "%s", cli_count(l->means.patterns));
        load_text_print_means(&l->means);
    }
    if (l->has_permutations) {
        cli_heading(l->c, l->permutations.exhaustive ? "All permutations by contention"
                                                     : "Random permutations by contention");
        for (size_t c = 0; c < l->permutations.num; c++)
            printf("  %4zu  %s\n", c, cli_count(l->permutations.count[c]));
        load_text_row("mean", "%.6g", l->permutations.mean);
    }
}

static void print_saturation(const loads *l)
{
    const ik_load_band *b = &l->band;
    char high[32];
    if (!b->chooses_detours) {
        bool divided = !b->predicted && b->high < INFINITY;
        load_text_row("predicted saturation", "%.4g of the hosts' rate%s", l->load.saturation,
                      b->predicted ? "" : ", if choices are divided evenly");
        if (divided)
            load_text_row("however divided", "at most %s",
                          ik_format_bound(high, sizeof high, b->high, true));
        return;
    }
    load_text_row("saturation", "%s", by_detours);
    load_text_row("all minimally", "%.4g of the hosts' rate", b->minimal);
    load_text_row("all by detours", "%.4g", b->valiant);
    if (b->split < INFINITY)
        load_text_row("one share for all pairs",
                      "at best %.4g, with %.3g %% of every flow going minimally", b->split,
                      100 * b->split_minimal);
    if (b->high < INFINITY)
        load_text_row("however divided", "at most %s",
                      ik_format_bound(high, sizeof high, b->high, true));
}

/* What no routing exceeds, and what the predicted saturation is of that. */
static void load_text_print_best(const loads *l)
{
    static const char *const why[] = {[IK_FLOW_CLOSE] = "",
                                      [IK_FLOW_MEMORY] =
                                          " (the memory limit leaves no room for closer bounds)",
                                      [IK_FLOW_STALLED] = " (the bounds came no closer)"};
    const ik_flow_bound *b = &l->bound;
    double rate = loads_predicted(&l->load, l->unconnected, l->r);
    load_text_row("best of all routings", "%s of the hosts' rate%s",
                  loads_range_of(b->lower, b->upper).text, why[b->end]);
    if (rate == rate)
        load_text_row(
            "share of the best", "%s %%",
            loads_range_of(100 * loads_share_low(rate, b), 100 * loads_share_high(rate, b)).text);
}

void loads_show_text(const loads *l)
{
    const ik_load *x = &l->load;
    char where[256];
    printf("%s, routing %s, traffic %s\n", cli_line(l->f->spec ? l->f->spec : l->c->args[0]),
           cli_line(l->r->spec), cli_line(l->t->spec));
    load_text_row("flows", "%s", cli_count(x->flows));
    if (loads_undelivered(l))
        load_text_row("not delivered", "%s", cli_count(loads_undelivered(l)));
    if (l->unconnected)
        load_text_row("unconnected", "%s that the fabric does not connect",
                      cli_counted(l->unconnected, "flow"));
    load_text_row("largest load", "%.6g of a host's rate%s", x->max_load,
                  l->band.chooses_detours ? ", if all ways are taken alike (as in the loads below)"
                                          : "");
    if (x->max_channel != IK_NONE)
        load_text_row("on", "%s", ik_port_describe(l->f, x->max_channel, where, sizeof where));
    load_text_row("mean load", "%.6g", x->mean_load);
    load_text_row("most flows", "%.6g on a channel", x->max_crossing);
    load_text_row("mean hops", "%.6g", x->mean_hops);
    print_saturation(l);
    if (l->has_bound)
        load_text_print_best(l);
    if (x->saturation < 1 && !l->band.chooses_detours && x->tightest != IK_NONE) {
        load_text_row("limited by", "%s (%s)",
                      ik_port_describe(l->f, x->tightest, where, sizeof where),
                      cli_quantity(ik_port_rate_bps(l->f, x->tightest), IK_DIM_RATE));
    }
    load_text_print_groups(l);
    if (cli_has(l->c, "--histogram"))
        load_text_print_histogram(l);
    if (x->turns)
        load_text_print_turns(l);
    if (l->has_queues)
        load_text_print_queues(l);
    if (l->has_queues && cli_has(l->c, "--histogram"))
        print_queue_histogram(l);
    if (l->has_contention)
        print_contention(l);
    if (l->has_phases)
        load_text_print_phases(l);
    load_text_print_extras(l);
}
