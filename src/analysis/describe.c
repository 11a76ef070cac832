/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.c: a fabric in numbers: what stands there and what it costs.
 */
#include "ikat/analysis.h"

#include <stdlib.h>
#include <string.h>

/* Ports, links and degree of one switch. */
static void describe_count_switch(const ik_fabric *f, uint32_t sw, ik_description *d)
{
    uint32_t radix = ik_radix(f, sw), degree = 0, hosts = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t node = ik_peer_node(f, p);
        if (node == IK_NONE) {
            d->unconnected_ports++;
            continue;
        }
        bool to_switch = ik_is_switch(f, node);
        degree += to_switch;
        hosts += !to_switch;
        if (!to_switch || p < f->port_peer[p]) {
            ik_link_count *c = &d->link_counts[f->port_class[p]];
            ++*(to_switch ? &c->switch_links : &c->host_links);
        }
    }
    d->ports += radix;
    d->radix = radix > d->radix ? radix : d->radix;
    d->min_radix = sw == 0 || radix < d->min_radix ? radix : d->min_radix;
    d->max_degree = degree > d->max_degree ? degree : d->max_degree;
    d->min_degree = sw == 0 || degree < d->min_degree ? degree : d->min_degree;
    if (hosts) {
        d->min_hosts_per_switch =
            !d->leaf_switches || hosts < d->min_hosts_per_switch ? hosts : d->min_hosts_per_switch;
        d->max_hosts_per_switch = hosts > d->max_hosts_per_switch ? hosts : d->max_hosts_per_switch;
        d->leaf_switches++;
    }
}

static int describe_compare_links(const void *a, const void *b)
{
    const ik_link_count *x = a, *y = b;
    if (x->rate_bps != y->rate_bps)
        return x->rate_bps > y->rate_bps ? -1 : 1;
    return x->latency_ps < y->latency_ps ? -1 : x->latency_ps > y->latency_ps;
}

/* Sums the classes up, drops the unused ones, sorts the rest. */
static void describe_sum_links(ik_description *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->num_link_counts; i++) {
        ik_link_count c = d->link_counts[i];
        d->switch_links += c.switch_links;
        d->host_links += c.host_links;
        if (c.switch_links + c.host_links)
            d->link_counts[kept++] = c;
    }
    d->links = d->switch_links + d->host_links;
    d->num_link_counts = kept;
    if (kept)
        qsort(d->link_counts, kept, sizeof *d->link_counts, describe_compare_links);
}

ik_status ik_fabric_describe(const ik_fabric *f, ik_description *out, ik_error *err)
{
    ik_description d = {
        .hosts = f->num_hosts, .switches = f->num_switches, .levels = f->num_levels};
    d.link_counts = ik_calloc((size_t)f->num_classes + 1, sizeof *d.link_counts);
    d.level_switches = ik_calloc((size_t)f->num_levels + 1, sizeof *d.level_switches);
    if (!d.link_counts || !d.level_switches) {
        ik_description_free(&d);
        return ik_fail_memory(err, (size_t)f->num_classes * sizeof *d.link_counts,
                              "a fabric's description");
    }
    d.num_link_counts = f->num_classes;
    for (uint32_t c = 0; c < f->num_classes; c++) {
        d.link_counts[c].rate_bps = f->classes[c].rate_bps;
        d.link_counts[c].latency_ps = f->classes[c].latency_ps;
        d.link_counts[c].name = f->classes[c].name;
    }
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        describe_count_switch(f, sw, &d);
        if (f->num_levels && f->switch_level[sw] >= 1 && f->switch_level[sw] <= f->num_levels)
            d.level_switches[f->switch_level[sw] - 1]++;
    }
    describe_sum_links(&d);
    if (d.hosts) {
        d.ports_per_host = (double)d.ports / (double)d.hosts;
        d.links_per_host = (double)d.links / (double)d.hosts;
    }
    *out = d;
    return IK_OK;
}

void ik_description_free(ik_description *d)
{
    free(d->link_counts);
    free(d->level_switches);
    memset(d, 0, sizeof *d);
}
