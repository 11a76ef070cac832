/* SPDX-License-Identifier: Apache-2.0
 *
 * design_growth.c: --from of `ikat design`: the fabric that stands already, and what has to be done
 * to make each design of it.
 */
#include "design_show.h"
#include "scale.h"

#include <math.h>

/* A design is of the wished rate: nothing of another one could stay. Single slow cables are to be
 * mended, and count as the others. */
static ik_status design_check_rates(const designs *d, ik_error *err)
{
    const ik_fabric *f = d->from;
    uint64_t others = 0, all = 0, rate = 0;
    for (uint32_t p = 0; p < f->num_ports; p++) {
        bool cabled = f->port_peer[p] != IK_NONE && f->port_peer[p] > p;
        bool other = cabled && ik_port_rate_bps(f, p) != d->rate_bps;
        all += cabled;
        others += other;
        rate = other ? ik_port_rate_bps(f, p) : rate;
    }
    if (2 * others > all) {
        ik_fail(err, IK_ERR_USAGE, "--from %.200s has cables of %s, and all designs are of %s",
                d->from_spec, cli_quantity(rate, IK_DIM_RATE),
                cli_quantity(d->rate_bps, IK_DIM_RATE));
        return ik_hint(err, IK_ERR_USAGE, "--rate says which rate they have");
    }
    if (others)
        cli_note(d->c, "--from %s: counted as if all had %s: %s of another rate",
                 cli_line(d->from_spec), cli_quantity(d->rate_bps, IK_DIM_RATE),
                 cli_counted(others, "cable"));
    return IK_OK;
}

ik_status design_read_from(designs *d, ik_error *err)
{
    ik_status s = ik_fabric_from_spec(d->from_spec, &d->c->env, &d->from, err);
    if (s != IK_OK)
        return s;
    if (d->from->num_hosts > d->wish.hosts) {
        ik_fail(err, IK_ERR_USAGE, "--from %.200s has %s hosts, more than the %s of --hosts",
                d->from_spec, cli_count(d->from->num_hosts), cli_count((uint64_t)d->wish.hosts));
        return d->from->num_hosts > d->wish.hosts_max
                   ? IK_ERR_USAGE
                   : ik_hint(err, IK_ERR_USAGE, "--hosts %u..%.0f begins with them",
                             d->from->num_hosts, d->wish.hosts_max);
    }
    if (ik_max_radix(d->from) > d->wish.radix)
        return ik_fail(err, IK_ERR_USAGE,
                       "--from %.200s has a switch with %u ports, more than the %u of --radix",
                       d->from_spec, ik_max_radix(d->from), d->wish.radix);
    if (ik_fabric_has_rails(d->from)) {
        ik_fail(err, IK_ERR_USAGE, "--from %.200s has hosts with several cables", d->from_spec);
        return ik_hint(err, IK_ERR_USAGE, "give the fabric of one rail, and --rails N");
    }
    return design_check_rates(d, err);
}

ik_status design_grow(designs *d, const ik_fabric *f, design_row *row, ik_error *err)
{
    cli_stage(d->c, "growing %s to %s", cli_line(d->from_spec), row->spec);
    ik_status s = ik_growth_measure(d->from, f, &d->c->env, &row->growth, err);
    row->grown = s == IK_OK;
    return s;
}

void design_print_growth(const designs *d)
{
    const char *headers[IK_GROWTH_NUMBERS + 2] = {
        "family",    "switches more>", "fewer>",       "new cables>", "moved>",
        "at least>", "staying>",       "hosts moved>", "at least>",   NULL};
    cli_heading(d->c, "Growth");
    cli_table *t = cli_table_new(headers);
    for (size_t i = 0; i < d->num_fits; i++) {
        ik_design_number numbers[IK_GROWTH_NUMBERS];
        if (!d->rows[i].grown)
            continue;
        ik_growth_numbers(&d->rows[i].growth, d->rails, numbers);
        cli_table_cell(t, "%s", d->rows[i].series->name);
        for (size_t k = 0; k < IK_GROWTH_NUMBERS; k++)
            cli_table_cell(t, "%s", cli_count((uint64_t)llround(numbers[k].value)));
    }
    cli_table_print(t, stdout, d->c->colour_out);
}

void design_note_growth(const designs *d)
{
    char text[900];
    snprintf(text, sizeof text,
             "Growth from %.200s: switches, cables between switches, and hosts that change their "
             "switch, if its switches take the places of those of the design so that many cables "
             "stay. 'moved' are existing cables that are moved or removed: what a search found, "
             "and what no matching can avoid. Its switches are taken to have %u ports.%s",
             cli_line(d->from_spec), d->wish.radix,
             d->rails > 1 ? " It is one of equal networks, and the numbers are of all rails." : "");
    design_print_paragraph(text);
}
