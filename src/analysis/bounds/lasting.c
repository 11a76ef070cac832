/* SPDX-License-Identifier: Apache-2.0
 *
 * What sources that are first in, first out can have accepted for ever.
 *
 * Such a source sends its flows in fixed proportions: it is as slow as its slowest flow. Each port
 * of a host is a source of its own, since a message waits only behind those that take the same
 * port; on a split fabric, whose hosts are ports, a port offers what its host sends through it. All
 * rates are raised together; where a channel becomes full, the hosts that use it are its group, and
 * stay behind (progressive filling: D. Bertsekas, R. Gallager, Data Networks, 1992, section 6.5). A
 * network need not divide a channel like that, but whatever it does, the rates r_h of a channel's
 * group meet sum of r_h w_h <= capacity, w_h being the share of host h's traffic on that channel,
 * and r_h is at most what h offers. The largest sum of rates under these two is that in which hosts
 * with the smallest shares have all they want (a knapsack whose pieces can be cut). The sum of
 * these bounds over all groups, and what the other hosts offer, is a bound. Where all hosts of a
 * group are alike it is tight.
 *
 * Cost: the paths of all flows in memory, and O(channels + hosts) for each group. */
#include "analysis/bounds/lasting.h"
#include "routing/by_port.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct filling {
    const ik_fabric *f;
    const ik_adapter_rates *limits;
    uint32_t num_hosts;
    double *rate; /* [hosts] bit/s that a host offers at full load */
    double all;   /* bit/s: the same of all hosts, also of those that the traffic leaves idle */
    size_t *base; /* [hosts + 1] into the rows */
    uint32_t *channel; /* by host, ascending: what it uses */
    double *amount;    /* and with how many bit/s at its full rate */
    double *left;      /* [ports] capacity less what hosts of groups take */
    double *wanted;    /* [ports] bit/s of the hosts that are in no group, at their full rate */
    bool *held;        /* [hosts] is in a group */
    ik_lasting found;
    size_t num_found; /* hosts in groups */
} filling;

static ik_status lasting_filling_init(filling *fill, const path_set *paths,
                                      const ik_adapter_rates *limits, ik_error *err)
{
    const ik_fabric *f = paths->f;
    /* flows of hosts to themselves are no paths, but take two channels */
    size_t steps = (paths->num ? paths->base[paths->num] : 0) + 2 * (size_t)paths->f->num_hosts;
    *fill = (filling){.f = f, .limits = limits, .num_hosts = f->num_hosts};
    fill->rate = ik_calloc(f->num_hosts + 1, sizeof *fill->rate);
    fill->base = ik_calloc(f->num_hosts + 2, sizeof *fill->base);
    fill->channel = ik_calloc(steps + 1, sizeof *fill->channel);
    fill->amount = ik_calloc(steps + 1, sizeof *fill->amount);
    fill->left = ik_calloc(f->num_ports + 1, sizeof *fill->left);
    fill->wanted = ik_calloc(f->num_ports + 1, sizeof *fill->wanted);
    fill->held = ik_calloc(f->num_hosts + 1, sizeof *fill->held);
    if (fill->rate && fill->base && fill->channel && fill->amount && fill->left && fill->wanted &&
        fill->held)
        return IK_OK;
    return ik_fail_memory(err, steps * sizeof *fill->amount, "the flows of hosts");
}

static void lasting_filling_free(filling *fill)
{
    free(fill->rate);
    free(fill->base);
    free(fill->channel);
    free(fill->amount);
    free(fill->left);
    free(fill->wanted);
    free(fill->held);
}

static int compare_channels(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* What the channel of a port carries; at a host, what the adapter sends or takes at most. */
static double lasting_capacity(const filling *fill, uint32_t port)
{
    const ik_fabric *f = fill->f;
    const ik_adapter_rates *limits = fill->limits;
    uint32_t peer = f->port_peer[port];
    if (peer == IK_NONE)
        return 0;
    double rate = (double)ik_port_rate_bps(f, port);
    if (!ik_is_switch(f, f->port_node[port]))
        rate = fmin(rate * limits->injection_fraction, limits->injection_bps);
    if (!ik_is_switch(f, f->port_node[peer]))
        rate = fmin(rate * limits->ejection_fraction, limits->ejection_bps);
    return rate;
}

/* Adds what the host sends through a channel to `sums` [ports] and the channel to its row, which
 * ends at `to`. */
static void lasting_add_use(filling *fill, uint32_t port, double bps, double *sums, size_t *to)
{
    if (sums[port] == 0)
        fill->channel[(*to)++] = port;
    sums[port] += bps;
}

/* Sums up the flows from number `flow` on that the host sends, and own_bps to itself, through its
 * switch, by channel, with `sums`, all zero, as scratch. Returns the first flow of another host. */
static uint32_t lasting_add_host(filling *fill, const path_set *paths, uint32_t host, uint32_t flow,
                                 double unit_bps, double own_bps, double *sums)
{
    size_t from = fill->base[host], to = from;
    uint32_t out = ik_host_port(fill->f, host);
    for (; flow < paths->num && paths->src[flow] == host; flow++)
        for (size_t step = paths->base[flow]; step < paths->base[flow + 1]; step++)
            lasting_add_use(fill, paths->channel[step],
                            paths->size[flow] * paths_path_share(paths, step) * unit_bps, sums,
                            &to);
    if (own_bps > 0) {
        lasting_add_use(fill, out, own_bps, sums, &to);
        lasting_add_use(fill, fill->f->port_peer[out], own_bps, sums, &to);
    }
    qsort(fill->channel + from, to - from, sizeof *fill->channel, compare_channels);
    for (size_t at = from; at < to; at++) {
        fill->amount[at] = sums[fill->channel[at]];
        fill->wanted[fill->channel[at]] += fill->amount[at];
        sums[fill->channel[at]] = 0;
        if (fill->channel[at] == out)
            fill->rate[host] = fill->amount[at];
    }
    assert(to == from || fill->rate[host] > 0);
    fill->base[host + 1] = to;
    return flow;
}

/* Parts of what a host offers that it sends to itself, summed. */
static void lasting_add_own_part(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                 uint64_t scale)
{
    if (src == dst)
        *(double *)ctx += (double)weight / (double)scale;
}

/* Is it the first, or only, port of its host? */
static bool lasting_is_first_port(const ik_fabric *f, uint32_t host)
{
    return !f->split || f->split->first[f->split->host_of[host]] == host;
}

/* The flows of a host stand together, in the order of hosts. */
static ik_status lasting_add_hosts(filling *fill, const path_set *paths, const ik_traffic *t,
                                   ik_error *err)
{
    double *sums = ik_calloc(fill->f->num_ports + 1, sizeof *sums);
    if (!sums)
        return ik_fail_memory(err, fill->f->num_ports * sizeof *sums, "loads of channels");
    uint32_t flow = 0;
    for (uint32_t host = 0; host < fill->num_hosts; host++) {
        double of_links = (double)by_port_rate_bps(fill->f, host), own = 0,
               limited = by_port_limited_bps(fill->f, host, fill->limits->injection_fraction,
                                             fill->limits->injection_bps);
        if (lasting_is_first_port(fill->f, host))
            fill->all += limited;
        assert(flow == paths->num || paths->src[flow] >= host);
        if (host < t->num_hosts && ik_host_switch(fill->f, host) != IK_NONE)
            t->family->flows(t, host, lasting_add_own_part, &own);
        flow = lasting_add_host(fill, paths, host, flow, paths->largest_bps * limited / of_links,
                                own * limited, sums);
    }
    for (uint32_t port = 0; port < fill->f->num_ports; port++)
        fill->left[port] = lasting_capacity(fill, port);
    free(sums);
    return IK_OK;
}

/* The channel that becomes full first; IK_NONE = none does before all hosts offer their rate. */
static uint32_t lasting_next_full(const filling *fill, double *level)
{
    uint32_t found = IK_NONE;
    *level = 1;
    for (uint32_t port = 0; port < fill->f->num_ports; port++) {
        if (fill->wanted[port] <= 1e-9 * lasting_capacity(fill, port))
            continue;
        double full = fmax(fill->left[port], 0) / fill->wanted[port];
        if (full < *level) {
            *level = full;
            found = port;
        }
    }
    return found;
}

/* Where the host's use of a channel stands; its end = it does not use it. */
static size_t lasting_find_use(const filling *fill, uint32_t host, uint32_t port)
{
    size_t num = fill->base[host + 1] - fill->base[host];
    const uint32_t *found = bsearch(&port, fill->channel + fill->base[host], num,
                                    sizeof *fill->channel, compare_channels);
    return found ? (size_t)(found - fill->channel) : fill->base[host + 1];
}

static int compare_shares(const void *a, const void *b)
{
    const ik_lasting_host *one = a, *other = b;
    double left = one->used * other->rate, right = other->used * one->rate;
    return (left > right) - (left < right);
}

/* The hosts that use the channel and are in no group yet stay behind at that level. */
static void lasting_take_group(filling *fill, uint32_t port, double level)
{
    ik_lasting_group group = {level, lasting_capacity(fill, port) / fill->all, fill->num_found, 0};
    for (uint32_t host = 0; host < fill->num_hosts; host++) {
        size_t use = lasting_find_use(fill, host, port);
        if (fill->held[host] || use == fill->base[host + 1])
            continue;
        fill->held[host] = true;
        fill->found.hosts[group.first + group.num++] =
            (ik_lasting_host){fill->rate[host] / fill->all, fill->amount[use] / fill->all};
        for (size_t at = fill->base[host]; at < fill->base[host + 1]; at++) {
            fill->left[fill->channel[at]] -= level * fill->amount[at];
            fill->wanted[fill->channel[at]] -= fill->amount[at];
        }
    }
    fill->wanted[port] = 0;
    fill->num_found += group.num;
    qsort(fill->found.hosts + group.first, group.num, sizeof *fill->found.hosts, compare_shares);
    if (group.num)
        fill->found.groups[fill->found.num_groups++] = group;
}

/* Groups in the order in which their channels become full. */
static ik_status lasting_fill_groups(filling *fill, const ik_env *env, ik_error *err)
{
    double level, free_bps = 0;
    fill->found.groups = ik_calloc(fill->num_hosts + 1, sizeof *fill->found.groups);
    fill->found.hosts = ik_calloc(fill->num_hosts + 1, sizeof *fill->found.hosts);
    if (!fill->found.groups || !fill->found.hosts)
        return ik_fail_memory(err, fill->num_hosts * sizeof *fill->found.groups, "groups of hosts");
    for (uint32_t port; (port = lasting_next_full(fill, &level)) != IK_NONE;) {
        lasting_take_group(fill, port, level);
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    for (uint32_t host = 0; host < fill->num_hosts; host++)
        free_bps += fill->held[host] ? 0 : fill->rate[host];
    fill->found.free = fill->all > 0 ? free_bps / fill->all : 0;
    fill->found.known = fill->all > 0;
    return IK_OK;
}

ik_status lasting_of_flows(const fixed_flows *flows, const ik_adapter_rates *limits,
                           const ik_env *env, ik_lasting *out, ik_error *err)
{
    static const ik_adapter_rates none = {INFINITY, 1, INFINITY, 1};
    filling fill;
    *out = (ik_lasting){0};
    if (!flows->known)
        return IK_OK;
    ik_status status = lasting_filling_init(&fill, &flows->paths, limits ? limits : &none, err);
    if (status == IK_OK)
        status = lasting_add_hosts(&fill, &flows->paths, flows->by_port, err);
    if (status == IK_OK)
        status = lasting_fill_groups(&fill, env, err);
    if (status == IK_OK)
        *out = fill.found;
    else
        ik_lasting_free(&fill.found);
    lasting_filling_free(&fill);
    return status;
}

ik_status ik_lasting_measure(const ik_routing *r, const ik_traffic *t,
                             const ik_adapter_rates *limits, const ik_env *env, ik_lasting *out,
                             ik_error *err)
{
    fixed_flows flows;
    *out = (ik_lasting){0};
    ik_status status = fixed_flows_make(r, t, env, &flows, err);
    if (status == IK_OK)
        status = lasting_of_flows(&flows, limits, env, out, err);
    fixed_flows_free(&flows);
    return status;
}

/* Most that the hosts of a group have accepted together at that load. */
static double lasting_group_at(const ik_lasting *l, const ik_lasting_group *group, double load)
{
    double sum = 0, left = group->capacity;
    for (size_t k = group->first; k < group->first + group->num; k++) {
        const ik_lasting_host *host = &l->hosts[k];
        if (load * host->used > left)
            return sum + fmax(left, 0) * host->rate / host->used;
        sum += load * host->rate;
        left -= load * host->used;
    }
    return sum;
}

double ik_lasting_at(const ik_lasting *l, double load)
{
    double sum = 0;
    if (!l->known)
        return 0;
    for (size_t k = 0; k < l->num_groups; k++)
        sum += lasting_group_at(l, &l->groups[k], load);
    return fmin(sum + load * l->free, load);
}

void ik_lasting_free(ik_lasting *l)
{
    free(l->groups);
    free(l->hosts);
    *l = (ik_lasting){0};
}
