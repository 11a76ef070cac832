/* SPDX-License-Identifier: Apache-2.0
 *
 * design_show.c: what `ikat design` found as tables.
 */
#include "design_show.h"
#include "scale.h"

#include <math.h>
#include <string.h>

void design_set_reason(const designs *d, design_row *row)
{
    char *text = row->reason;
    const size_t size = sizeof row->reason;
    int used = row->most_hosts > 0
                   ? snprintf(text, size, "at most %s hosts with %u-port switches (%s)",
                              cli_count((uint64_t)row->most_hosts), d->wish.radix, row->spec)
                   : snprintf(text, size, "no member with %u-port switches", d->wish.radix);
    snprintf(text + used, size - (size_t)used, "; %s %s switches of %s%u ports",
             cli_count((uint64_t)d->wish.hosts), d->wish.hosts == 1 ? "host needs" : "hosts need",
             row->least_radix ? "" : "more than ",
             row->least_radix ? row->least_radix : IK_WISH_RADIX_MAX);
}

/* ------------------------------------------------------------------------------------------
 * the numbers of a member */

void design_numbers(const designs *d, const design_row *row, design_number out[IK_DESIGN_NUMBERS])
{
    static const struct {
        const char *header;
        int decimals;
    } shown[IK_DESIGN_NUMBERS] = {
        {"cost per host>", 0}, {"watts per host>", 1},
        {"hosts>", -1},        {"switches>", -1},
        {"ports in use>", -1}, {"spare host ports>", -1},
        {"cables>", -1},       {NULL, -1},
        {"diameter>", -1},     {"mean hops>", 2},
        {"VCs>", -1},          {"bisection per host>", 3},
    };
    const ik_designs all = {.rails = d->rails};
    ik_design_number numbers[IK_DESIGN_NUMBERS];
    ik_design_member member;
    design_make_member(row, &member);
    ik_design_numbers(&all, &member, numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++) {
        bool hidden =
            strcmp(numbers[i].name, "bisection_per_host") == 0 && !cli_has(d->c, "--bisection");
        out[i] = (design_number){numbers[i], hidden ? NULL : shown[i].header, shown[i].decimals};
        if (!row->fits)
            out[i].of.value = NAN;
    }
}

double design_saturation(const design_row *row, int k)
{
    return row->built && row->saturation[k] >= 0 ? row->saturation[k] : NAN;
}

/* ------------------------------------------------------------------------------------------
 * table */

static void design_print_number(cli_table *t, int decimals, double value)
{
    if (isnan(value))
        cli_table_cell(t, "%s", "");
    else if (decimals > 0)
        cli_table_cell(t, "%.*f", decimals, value);
    else
        cli_table_cell(t, "%s", cli_count((uint64_t)llround(value)));
}

static void design_print_row(const designs *d, const design_row *row, cli_table *t)
{
    design_number numbers[IK_DESIGN_NUMBERS];
    design_numbers(d, row, numbers);
    cli_table_cell(t, "%s", row->series->name);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        if (numbers[i].header)
            design_print_number(t, numbers[i].decimals, numbers[i].of.value);
    for (int k = 0; k < d->num_patterns; k++)
        design_print_number(t, 3, design_saturation(row, k));
    cli_table_cell(t, "%s%s", row->fit.routing, row->built && !row->proved ? " (NOT PROVED)" : "");
    cli_table_cell(t, "%s", row->spec);
}

static void design_print_rows(const designs *d)
{
    const char *headers[IK_DESIGN_NUMBERS + DESIGN_PATTERNS + 4] = {"family"};
    char names[DESIGN_PATTERNS][64];
    design_number numbers[IK_DESIGN_NUMBERS];
    size_t n = 1;
    design_numbers(d, &d->rows[0], numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        if (numbers[i].header)
            headers[n++] = numbers[i].header;
    for (int k = 0; k < d->num_patterns; k++) {
        snprintf(names[k], sizeof names[k], "%.60s>", d->patterns[k]);
        headers[n++] = names[k];
    }
    headers[n++] = "routing";
    headers[n] = "fabric";
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_fits; i++)
        design_print_row(d, &d->rows[i], t);
    cli_table_print(t, stdout, d->c->colour_out);
}

/* ---- workloads */

/* In four digits. */
static void design_print_time(cli_table *t, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 1000 && unit < 3; unit++)
        ns /= 1000;
    if (isnan(ns))
        cli_table_cell(t, "%s", "");
    else
        cli_table_cell(t, "%.4g %s", ns, units[unit]);
}

static void design_print_times(const designs *d)
{
    const char *const headers[] = {"workload",   "family",     "at least>",
                                   "by phases>", "simulated>", NULL};
    cli_heading(d->c, "Completion times of workloads");
    cli_table *t = cli_table_new(headers);
    for (int k = 0; k < d->num_workloads; k++) {
        for (size_t i = 0; i < d->num_fits; i++) {
            const design_row *row = &d->rows[i];
            const ik_design_time *time = &row->times[k];
            if (!row->built)
                continue;
            cli_table_cell(t, "%s", cli_line(d->workloads[k]));
            cli_table_cell(t, "%s", row->series->name);
            design_print_time(t, time->least_ns);
            design_print_time(t, time->phases_ns);
            design_print_time(t, time->simulated_ns);
        }
    }
    cli_table_print(t, stdout, d->c->colour_out);
}

/* ---- failures */

bool designs_lose_hosts(const designs *d)
{
    for (int k = 0; k < d->num_losses; k++)
        if (d->losses[k].kind != IK_LOSS_CABLES)
            return true;
    return false;
}

static void design_print_damage(const design_row *row, const ik_design_failure *x, bool hosts,
                                cli_table *t)
{
    design_print_number(t, -1, x->failed);
    if (hosts)
        design_print_number(t, 1, x->lost_hosts);
    cli_table_cell(t, "%.4f %%", 100 * x->connected);
    cli_table_cell(t, "%.4f %%", 100 * x->least_connected);
    design_print_number(t, 2, x->mean_hops);
    design_print_number(t, 3, x->saturation);
    design_print_number(t, 3, x->least_saturation);
    design_print_number(t, -1, x->lanes ? x->lanes : NAN);
    cli_table_cell(t, "%s%s%s%s", row->reroute, x->fell_back ? ", " : "",
                   x->fell_back ? row->fallback : "",
                   x->refused   ? " (REFUSED)"
                   : !x->proved ? " (NOT PROVED)"
                                : "");
}

static void design_print_damages(const designs *d)
{
    static const char *const after[] = {"pairs connected>", "least>", "mean hops>", "uniform>",
                                        "least>",           "VCs>",   "routing"};
    const bool hosts = designs_lose_hosts(d);
    const char *headers[12] = {"family", "failed>", "cables>"};
    size_t n = 3;
    char loss[48];
    if (hosts)
        headers[n++] = "hosts lost>";
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        headers[n++] = after[i];
    cli_heading(d->c, hosts ? "Random failures" : "Random failures of cables between switches");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_fits; i++) {
        const design_row *row = &d->rows[i];
        for (int k = 0; row->built && k < d->num_losses; k++) {
            cli_table_cell(t, "%s", row->series->name);
            cli_table_cell(t, "%s", ik_loss_text(&d->losses[k], loss, sizeof loss));
            design_print_damage(row, &row->failures[k], hosts, t);
        }
    }
    cli_table_print(t, stdout, d->c->colour_out);
}

/* ---- floor plans */

static void design_print_floors(const designs *d)
{
    const char *const headers[] = {"family",   "racks>",  "rows>",    "copper cables>", "metres>",
                                   "optical>", "metres>", "longest>", "searched>",      NULL};
    cli_heading(d->c, "Floor plans");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_fits; i++) {
        const ik_floor_plan *p = d->rows[i].floor;
        if (!p)
            continue;
        cli_table_cell(t, "%s", d->rows[i].series->name);
        cli_table_cell(t, "%s", cli_count(p->num_racks));
        cli_table_cell(t, "%s", cli_count(p->rows));
        for (int k = 0; k < IK_NUM_CABLE_KINDS; k++) {
            cli_table_cell(t, "%s", cli_count(p->cables[k]));
            design_print_number(t, 1, (double)p->length_mm[k] / 1000);
        }
        cli_table_cell(t, "%.1f m", (double)p->longest_mm / 1000);
        cli_table_cell(t, "%.1f %%",
                       p->first_mm ? 100.0 * (double)p->found_mm / (double)p->first_mm : 100.0);
    }
    cli_table_print(t, stdout, d->c->colour_out);
}

/* ---- notes */

void design_print_paragraph(const char *text)
{
    putchar('\n');
    cli_print_text(text);
}

static void design_note_prices(const designs *d)
{
    char text[800], floor[160];
    snprintf(floor, sizeof floor,
             "Without a floor plan%s, cables of hosts count as copper and all others as optical.",
             d->no_floor);
    snprintf(text, sizeof text, "Costs in %.64s, prices and watts: %.200s%s. %s %s",
             cli_line(ik_prices_currency(d->prices)),
             d->prices_file ? cli_line(d->prices_file) : "assumed round numbers",
             d->prices_file ? ", and ikat's assumptions for the keys that it lacks"
                            : " (--prices FILE replaces them)",
             d->has_floors ? "Which cables are copper, the floor plan says; 'searched': the length "
                             "of all cables after the local search, of that before it."
                           : floor,
             designs_most_hosts(d) > CLI_MOST_BUILT
                 ? "Networks of so many hosts are not built: the empty columns are not computed."
                 : "Columns of traffic: predicted saturation under the routing that is shown, as "
                   "a fraction of the hosts' rate; empty where the pattern does not fit.");
    design_print_paragraph(text);
}

bool design_has_fewer(const design_row *row)
{
    const ik_scale_point *p = &row->fit.point;
    return row->fewest_switches > 0 &&
           row->fewest_switches * p->hosts < p->switches * row->fewest_switches_hosts;
}

/* "126", or of a range "126 for 1,008 hosts". */
static void design_put_switches(const designs *d, double switches, double hosts, char *text,
                                size_t size)
{
    if (d->wish.hosts_max == 0)
        snprintf(text, size, "%.0f", d->rails * switches);
    else
        snprintf(text, size, "%.0f for %s", d->rails * switches,
                 cli_counted((uint64_t)hosts, "host"));
}

/* Where the cheapest member is not the one with the fewest switches. */
static void design_note_goal(const designs *d)
{
    char text[1600];
    size_t used = 0;
    for (size_t i = 0; i < d->num_fits && used < sizeof text / 2; i++) {
        const design_row *row = &d->rows[i];
        char few[64], now[64];
        if (!design_has_fewer(row))
            continue;
        design_put_switches(d, row->fewest_switches, row->fewest_switches_hosts, few, sizeof few);
        design_put_switches(d, row->fit.point.switches, row->fit.point.hosts, now, sizeof now);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.60s %s in place of %s",
                                 used ? ","
                                 : d->wish.hosts_max == 0
                                     ? "Members were chosen by cost. --choose switches gives fewer "
                                       "switches:"
                                     : "Members were chosen by cost. --choose switches gives fewer "
                                       "switches per host:",
                                 row->series->name, few, now);
    }
    if (used == 0)
        return;
    snprintf(text + used, sizeof text - used, ".");
    design_print_paragraph(text);
}

static void design_note_range(const designs *d)
{
    char text[400], least[32], most[32];
    snprintf(least, sizeof least, "%s", cli_count((uint64_t)d->wish.hosts));
    snprintf(most, sizeof most, "%s", cli_count((uint64_t)d->wish.hosts_max));
    snprintf(text, sizeof text,
             "Of each family the number of hosts from %s to %s with the %s per host is shown. Rows "
             "have different numbers of hosts: compare what is per host%s.",
             least, most, strcmp(d->goal, "cost") == 0 ? "least cost" : "fewest switches",
             d->num_workloads ? ", and remember that a workload is of all hosts" : "");
    design_print_paragraph(text);
}

static void design_note_rails(const designs *d)
{
    char text[640];
    snprintf(text, sizeof text,
             "Each host has %u adapters, together %s, each on a network of its own: the fabric "
             "that is shown is one of %u equal ones. Switches, ports, cables, watts and costs are "
             "of all of them; hops, VCs, bisection, saturations and failures are of one.",
             d->rails, cli_quantity(d->rails * d->rate_bps, IK_DIM_RATE), d->rails);
    design_print_paragraph(text);
}

static void design_note_more(const designs *d, bool built)
{
    if (d->rails > 1)
        design_note_rails(d);
    if (built && d->num_workloads)
        design_print_paragraph(
            "Times: 'at least' is how long the fullest channel sends (where the routing is "
            "adaptive, the fullest channel of a host); 'by phases' adds up the fullest channel of "
            "each phase and the latency of the cables on a way. Both count bytes alone, without "
            "headers, waiting and computation.");
    if (built && d->from)
        design_note_growth(d);
    if (built && designs_lose_hosts(d))
        design_print_paragraph("Hosts lost have no cable left, and are in no pair; with a switch, "
                               "a rack or a tray the cables in it fail.");
    if (built && d->num_losses)
        design_print_paragraph(
            "Failures: mean and least of three random draws; hops are shortest distances; the "
            "saturation of uniform traffic is predicted with the routing made again for the "
            "damaged network, on which it was proved.");
}

static bool design_is_any_built(const designs *d)
{
    for (size_t i = 0; i < d->num_fits; i++)
        if (d->rows[i].built)
            return true;
    return false;
}

int designs_show_table(const designs *d)
{
    const bool built = design_is_any_built(d);
    design_print_rows(d);
    if (built && d->num_workloads)
        design_print_times(d);
    if (built && d->num_losses)
        design_print_damages(d);
    if (built && d->has_floors)
        design_print_floors(d);
    if (built && d->from)
        design_print_growth(d);
    if (d->num_fits < d->num)
        printf("\nFamilies that do not fit:\n");
    for (size_t i = d->num_fits; i < d->num; i++) {
        char name[64];
        snprintf(name, sizeof name, "  %.50s", d->rows[i].series->name);
        cli_print_item(name, 22, d->rows[i].reason);
    }
    if (d->wish.hosts_max > 0)
        design_note_range(d);
    design_note_prices(d);
    design_note_goal(d);
    design_note_more(d, built);
    return CLI_DONE;
}
