/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/design_from.c: the fabric that stands already, and what has to be done to make each
 * design of it.
 */
#include "ikat/table.h"
#include "report/design/designing.h"

/* A design is of the wished rate: nothing of another one could stay. Single slow cables are to be
 * mended, and count as the others. */
static ik_status design_check_rates(const designs *d, ik_error *err)
{
    const ik_fabric *f = d->from;
    uint64_t others = 0, all = 0, rate = 0;
    char other_rate[40], wished[40];
    for (uint32_t p = 0; p < f->num_ports; p++) {
        bool cabled = f->port_peer[p] != IK_NONE && f->port_peer[p] > p;
        bool other = cabled && ik_port_rate_bps(f, p) != d->rate_bps;
        all += cabled;
        others += other;
        rate = other ? ik_port_rate_bps(f, p) : rate;
    }
    if (2 * others > all) {
        ik_fail(err, IK_ERR_USAGE, "--from %.200s has cables of %s, and all designs are of %s",
                d->ask->from, ik_format_rate(other_rate, sizeof other_rate, rate),
                ik_format_rate(wished, sizeof wished, d->rate_bps));
        return ik_hint(err, IK_ERR_USAGE, "--rate says which rate they have");
    }
    if (others)
        design_note(d, "--from %s: counted as if all had %s: %s of another rate", d->ask->from,
                    ik_format_rate(wished, sizeof wished, d->rate_bps), IK_COUNT(others, "cable"));
    return IK_OK;
}

ik_status design_read_from(designs *d, ik_error *err)
{
    ik_status s = ik_fabric_from_spec(d->ask->from, d->env, &d->from, err);
    if (s != IK_OK)
        return s;
    if (d->from->num_hosts > d->wish.hosts) {
        ik_fail(err, IK_ERR_USAGE, "--from %.200s has %s hosts, more than the %s of --hosts",
                d->ask->from, IK_WHOLE(d->from->num_hosts), IK_WHOLE((uint64_t)d->wish.hosts));
        return d->from->num_hosts > d->wish.hosts_max
                   ? IK_ERR_USAGE
                   : ik_hint(err, IK_ERR_USAGE, "--hosts %u..%.0f begins with them",
                             d->from->num_hosts, d->wish.hosts_max);
    }
    if (ik_max_radix(d->from) > d->wish.radix)
        return ik_fail(err, IK_ERR_USAGE,
                       "--from %.200s has a switch with %u ports, more than the %u of --radix",
                       d->ask->from, ik_max_radix(d->from), d->wish.radix);
    if (ik_fabric_has_rails(d->from)) {
        ik_fail(err, IK_ERR_USAGE, "--from %.200s has hosts with several cables", d->ask->from);
        return ik_hint(err, IK_ERR_USAGE, "give the fabric of one rail, and --rails N");
    }
    return design_check_rates(d, err);
}

ik_status design_grow(designs *d, const ik_fabric *f, design_row *row, ik_error *err)
{
    design_stage(d, "growing %s to %s", d->ask->from, row->spec);
    ik_status s = ik_growth_measure(d->from, f, d->env, &row->growth, err);
    row->grown = s == IK_OK;
    return s;
}
