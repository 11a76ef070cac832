/* SPDX-License-Identifier: Apache-2.0
 *
 * design_show.c: what `ikat design` found as tables.
 */
#include "design_show.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------
 * the numbers of a member */

/* A number with what the table makes of it. */
typedef struct design_number {
    ik_design_number of;
    const char *header; /* of the table's column; NULL: there is none */
    int decimals;       /* in the table; -1: a whole number */
} design_number;

static void design_numbers(const cli *c, const ik_designs *d, const ik_design_member *m,
                           design_number out[IK_DESIGN_NUMBERS])
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
    ik_design_number numbers[IK_DESIGN_NUMBERS];
    ik_design_numbers(d, m, numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++) {
        bool hidden =
            strcmp(numbers[i].name, "bisection_per_host") == 0 && !cli_has(c, "--bisection");
        out[i] = (design_number){numbers[i], hidden ? NULL : shown[i].header, shown[i].decimals};
    }
}

double design_saturation(const ik_design_member *m, size_t k)
{
    return m->built && m->saturation[k] >= 0 ? m->saturation[k] : NAN;
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

static void design_print_row(const cli *c, const ik_designs *d, const ik_design_member *m,
                             cli_table *t)
{
    design_number numbers[IK_DESIGN_NUMBERS];
    design_numbers(c, d, m, numbers);
    cli_table_cell(t, "%s", m->series);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        if (numbers[i].header)
            design_print_number(t, numbers[i].decimals, numbers[i].of.value);
    for (size_t k = 0; k < d->num_patterns; k++)
        design_print_number(t, 3, design_saturation(m, k));
    cli_table_cell(t, "%s%s", m->fit->routing, m->built && !m->proved ? " (NOT PROVED)" : "");
    cli_table_cell(t, "%s", m->spec);
}

static void design_print_rows(const cli *c, const ik_designs *d)
{
    const char *headers[IK_DESIGN_NUMBERS + IK_DESIGN_PATTERNS + 4] = {"family"};
    char names[IK_DESIGN_PATTERNS][64];
    design_number numbers[IK_DESIGN_NUMBERS];
    size_t n = 1;
    design_numbers(c, d, &d->members[0], numbers);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        if (numbers[i].header)
            headers[n++] = numbers[i].header;
    for (size_t k = 0; k < d->num_patterns; k++) {
        snprintf(names[k], sizeof names[k], "%.60s>", d->patterns[k]);
        headers[n++] = names[k];
    }
    headers[n++] = "routing";
    headers[n] = "fabric";
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_members; i++)
        design_print_row(c, d, &d->members[i], t);
    cli_table_print(t, stdout, c->colour_out);
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

static void design_print_times(const cli *c, const ik_designs *d)
{
    const char *const headers[] = {"workload",   "family",     "at least>",
                                   "by phases>", "simulated>", NULL};
    cli_heading(c, "Completion times of workloads");
    cli_table *t = cli_table_new(headers);
    for (size_t k = 0; k < d->num_workloads; k++) {
        for (size_t i = 0; i < d->num_members; i++) {
            const ik_design_member *m = &d->members[i];
            const ik_design_time *time = &m->times[k];
            if (!m->built)
                continue;
            cli_table_cell(t, "%s", cli_line(d->workloads[k]));
            cli_table_cell(t, "%s", m->series);
            design_print_time(t, time->least_ns);
            design_print_time(t, time->phases_ns);
            design_print_time(t, time->simulated_ns);
        }
    }
    cli_table_print(t, stdout, c->colour_out);
}

/* ---- failures */

bool designs_lose_hosts(const ik_designs *d)
{
    for (size_t k = 0; k < d->num_losses; k++)
        if (d->losses[k].kind != IK_LOSS_CABLES)
            return true;
    return false;
}

static void design_print_damage(const ik_design_member *m, const ik_design_failure *x, bool hosts,
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
    cli_table_cell(t, "%s%s%s%s", m->reroute, x->fell_back ? ", " : "",
                   x->fell_back ? m->fallback : "",
                   x->refused   ? " (REFUSED)"
                   : !x->proved ? " (NOT PROVED)"
                                : "");
}

static void design_print_damages(const cli *c, const ik_designs *d)
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
    cli_heading(c, hosts ? "Random failures" : "Random failures of cables between switches");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_members; i++) {
        const ik_design_member *m = &d->members[i];
        for (size_t k = 0; m->built && k < d->num_losses; k++) {
            cli_table_cell(t, "%s", m->series);
            cli_table_cell(t, "%s", ik_loss_text(&d->losses[k], loss, sizeof loss));
            design_print_damage(m, &m->failures[k], hosts, t);
        }
    }
    cli_table_print(t, stdout, c->colour_out);
}

/* ---- floor plans */

static void design_print_floors(const cli *c, const ik_designs *d)
{
    const char *const headers[] = {"family",   "racks>",  "rows>",    "copper cables>", "metres>",
                                   "optical>", "metres>", "longest>", "searched>",      NULL};
    cli_heading(c, "Floor plans");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_members; i++) {
        const ik_floor_plan *p = d->members[i].floor;
        if (!p)
            continue;
        cli_table_cell(t, "%s", d->members[i].series);
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
    cli_table_print(t, stdout, c->colour_out);
}

/* ---- notes */

void design_print_paragraph(const char *text)
{
    putchar('\n');
    cli_print_text(text);
}

static void design_note_prices(const ik_designs *d)
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
             ik_designs_most_hosts(&d->wish) > IK_DESIGN_MOST_BUILT
                 ? "Networks of so many hosts are not built: the empty columns are not computed."
                 : "Columns of traffic: predicted saturation under the routing that is shown, as "
                   "a fraction of the hosts' rate; empty where the pattern does not fit.");
    design_print_paragraph(text);
}

/* "126", or of a range "126 for 1,008 hosts". */
static void design_put_switches(const ik_designs *d, double switches, double hosts, char *text,
                                size_t size)
{
    if (d->wish.hosts_max == 0)
        snprintf(text, size, "%.0f", d->rails * switches);
    else
        snprintf(text, size, "%.0f for %s", d->rails * switches,
                 cli_counted((uint64_t)hosts, "host"));
}

/* Where the cheapest member is not the one with the fewest switches. */
static void design_note_goal(const ik_designs *d)
{
    char text[1600];
    size_t used = 0;
    for (size_t i = 0; i < d->num_members && used < sizeof text / 2; i++) {
        const ik_design_member *m = &d->members[i];
        char few[64], now[64];
        if (!ik_design_has_fewer(m))
            continue;
        design_put_switches(d, m->fewest_switches, m->fewest_switches_hosts, few, sizeof few);
        design_put_switches(d, m->fit->point.switches, m->fit->point.hosts, now, sizeof now);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.60s %s in place of %s",
                                 used ? ","
                                 : d->wish.hosts_max == 0
                                     ? "Members were chosen by cost. --choose switches gives fewer "
                                       "switches:"
                                     : "Members were chosen by cost. --choose switches gives fewer "
                                       "switches per host:",
                                 m->series, few, now);
    }
    if (used == 0)
        return;
    snprintf(text + used, sizeof text - used, ".");
    design_print_paragraph(text);
}

static void design_note_range(const ik_designs *d)
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

static void design_note_rails(const ik_designs *d)
{
    char text[640];
    snprintf(text, sizeof text,
             "Each host has %u adapters, together %s, each on a network of its own: the fabric "
             "that is shown is one of %u equal ones. Switches, ports, cables, watts and costs are "
             "of all of them; hops, VCs, bisection, saturations and failures are of one.",
             d->rails, cli_quantity(d->rails * d->rate_bps, IK_DIM_RATE), d->rails);
    design_print_paragraph(text);
}

static void design_note_more(const ik_designs *d, bool built)
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

static bool design_is_any_built(const ik_designs *d)
{
    for (size_t i = 0; i < d->num_members; i++)
        if (d->members[i].built)
            return true;
    return false;
}

int designs_show_table(const cli *c, const ik_designs *d)
{
    const bool built = design_is_any_built(d);
    design_print_rows(c, d);
    if (built && d->num_workloads)
        design_print_times(c, d);
    if (built && d->num_losses)
        design_print_damages(c, d);
    if (built && d->has_floors)
        design_print_floors(c, d);
    if (built && d->from)
        design_print_growth(c, d);
    if (d->num_misfits)
        printf("\nFamilies that do not fit:\n");
    for (size_t i = 0; i < d->num_misfits; i++) {
        char name[64];
        snprintf(name, sizeof name, "  %.50s", d->misfits[i].series);
        cli_print_item(name, 22, d->misfits[i].reason);
    }
    if (d->wish.hosts_max > 0)
        design_note_range(d);
    design_note_prices(d);
    design_note_goal(d);
    design_note_more(d, built);
    return CLI_DONE;
}
