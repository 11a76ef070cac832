/* SPDX-License-Identifier: Apache-2.0
 *
 * fabric_rates.c: links that are slower than others of their kind: between switches, and to hosts.
 *
 * A cable that came up slowly is alone. Adapters that are slower, those of older storage on a newer
 * fabric, come in numbers and are named alike: as many links to hosts of the same name but for its
 * numbers, most of them at the same rate, or a twentieth of all links to hosts where none of that
 * name has the common rate, are one note. Links of a single lane are none: that is what bad
 * cables come up with.
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases of one kind named one by one; more are counted. */
enum { NAMED = 100, TEXT = 192, FEW = 4, MANY = 8 };

static bool fabric_rates_to_host(const ik_fabric *f, uint32_t port)
{
    assert(f->port_peer[port] != IK_NONE);
    return !ik_is_switch(f, f->port_node[port]) || !ik_is_switch(f, ik_peer_node(f, port));
}

/* The class with the commonest rate among host links, or among links between switches; IK_NONE if
 * there are none. */
static ik_status fabric_rates_common(const ik_fabric *f, bool hosts, uint32_t *common,
                                     ik_error *err)
{
    uint64_t *count = ik_calloc((size_t)f->num_classes + 1, sizeof *count), best = 0;
    if (!count)
        return ik_fail_memory(err, f->num_classes * sizeof *count, "rates of links");
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && fabric_rates_to_host(f, port) == hosts)
            count[f->port_class[port]]++;
    /* equal rates share the count of their first class */
    for (uint32_t i = f->num_classes; i-- > 1;)
        for (uint32_t k = 0; k < i; k++)
            if (f->classes[k].rate_bps == f->classes[i].rate_bps) {
                count[k] += count[i];
                count[i] = 0;
                break;
            }
    *common = IK_NONE;
    for (uint32_t i = 0; i < f->num_classes; i++)
        if (count[i] > best || (count[i] && count[i] == best &&
                                f->classes[i].rate_bps > f->classes[*common].rate_bps)) {
            best = count[i];
            *common = i;
        }
    free(count);
    return IK_OK;
}

/* ---- adapters that are slower */

/* A slow link to a host, or one at the common rate. */
typedef struct host_link {
    uint64_t name; /* hash of the host's name without its numbers, 0: it has none */
    uint64_t rate;
    uint32_t port;
} host_link;

static uint64_t fabric_rates_hash_name(const char *name)
{
    uint64_t hash = 1469598103934665603u;
    for (; name && *name; name++) {
        if (isdigit((unsigned char)*name))
            continue;
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    }
    return hash;
}

static int fabric_rates_compare(const void *a, const void *b)
{
    const host_link *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->rate != y->rate)
        return x->rate < y->rate ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* Lanes of a link as its class says ("4xEDR"), 0: it does not. */
static unsigned long fabric_rates_width(const ik_link_class *c)
{
    char *end = NULL;
    unsigned long width = isdigit((unsigned char)c->name[0]) ? strtoul(c->name, &end, 10) : 0;
    return end && *end == 'x' ? width : 0;
}

/* One lane where common links have more? Two are those of ports that are split, as HDR100. */
static bool fabric_rates_is_narrow(const ik_fabric *f, uint32_t port, const ik_link_class *common)
{
    return fabric_rates_width(&f->classes[f->port_class[port]]) == 1 &&
           fabric_rates_width(common) > 1;
}

/* Links that may be of slower adapters, and those that tell of their kinds. */
static uint32_t fabric_rates_list(const ik_fabric *f, uint32_t common, host_link *links)
{
    assert(common < f->num_classes);
    uint32_t num = 0;
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++) {
        uint32_t node = f->port_node[port];
        if (f->port_peer[port] == IK_NONE || fabric_rates_is_narrow(f, port, &f->classes[common]))
            continue;
        const char *name = f->node_name ? f->node_name[node] : NULL;
        links[num++] = (host_link){name && *name ? fabric_rates_hash_name(name) : 0,
                                   ik_port_rate_bps(f, port), port};
    }
    qsort(links, num, sizeof *links, fabric_rates_compare);
    return num;
}

static ik_status fabric_rates_tell_slower(ik_fabric *f, const host_link *of, uint32_t num,
                                          const ik_link_class *common, ik_error *err)
{
    char name[TEXT], rate[32], usual[32];
    return fabric_add_finding(f, IK_NOTE, "slower-adapters", of->port, IK_NONE, err,
                              "%s of one kind run at %s, the common rate is %s: these adapters "
                              "are taken to be slower ones; the first is %s",
                              IK_COUNT(num, "link to hosts|links to hosts"),
                              ik_format_rate(rate, sizeof rate, of->rate),
                              ik_format_rate(usual, sizeof usual, common->rate_bps),
                              ik_port_describe(f, of->port, name, sizeof name));
}

/* Marks the ports of adapters that are slower, and tells of each kind once. */
static ik_status fabric_rates_find_slower(ik_fabric *f, uint32_t common, bool *slower,
                                          ik_error *err)
{
    host_link *links = ik_calloc((size_t)f->num_ports + 1, sizeof *links);
    if (!links)
        return ik_fail_memory(err, f->num_ports * sizeof *links, "links to hosts");
    uint32_t num = fabric_rates_list(f, common, links), kind_end = 0, kind_begin = 0;
    ik_status status = IK_OK;
    for (uint32_t i = 0, next; i < num && status == IK_OK; i = next) {
        for (kind_begin = i < kind_end ? kind_begin : i;
             kind_end <= i || (kind_end < num && links[kind_end].name == links[i].name);)
            kind_end++;
        for (next = i + 1; next < kind_end && links[next].rate == links[i].rate;)
            next++;
        uint32_t alike = next - i, kind = kind_end - kind_begin;
        uint64_t usual = f->classes[common].rate_bps;
        bool many = alike >= MANY && 20 * alike >= num && links[kind_end - 1].rate < usual;
        if (links[i].rate >= usual || !links[i].name ||
            !((alike >= FEW && 2 * alike > kind) || many))
            continue;
        assert(kind_begin <= i && next <= kind_end && kind_end <= num);
        for (uint32_t k = i; k < next; k++)
            slower[links[k].port] = slower[f->port_peer[links[k].port]] = true;
        status = fabric_rates_tell_slower(f, &links[i], alike, &f->classes[common], err);
    }
    free(links);
    return status;
}

/* ---- slow links */

static ik_status fabric_rates_tell_slow(ik_fabric *f, uint32_t port, const ik_link_class *common,
                                        ik_error *err)
{
    char a[TEXT], b[TEXT], rate[32], usual[32];
    const ik_link_class *slow = &f->classes[f->port_class[port]];
    return fabric_add_finding(
        f, IK_WARNING, "slow-link", port, IK_NONE, err,
        "link from %s to %s runs at %.15s (%s); the common rate is %.15s (%s)",
        ik_port_describe(f, port, a, sizeof a),
        ik_port_describe(f, f->port_peer[port], b, sizeof b), slow->name,
        ik_format_rate(rate, sizeof rate, slow->rate_bps), common->name,
        ik_format_rate(usual, sizeof usual, common->rate_bps));
}

static ik_status fabric_rates_judge(ik_fabric *f, bool hosts, bool *slower, ik_error *err)
{
    uint32_t common = IK_NONE;
    uint64_t shown = 0;
    ik_status status = fabric_rates_common(f, hosts, &common, err);
    if (status == IK_OK && hosts && common != IK_NONE)
        status = fabric_rates_find_slower(f, common, slower, err);
    for (uint32_t port = 0; port < f->num_ports && status == IK_OK && common != IK_NONE; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE || peer < port || fabric_rates_to_host(f, port) != hosts ||
            ik_port_rate_bps(f, port) >= f->classes[common].rate_bps || slower[port] ||
            shown++ >= NAMED)
            continue;
        status = fabric_rates_tell_slow(f, port, &f->classes[common], err);
    }
    if (status != IK_OK || shown <= NAMED)
        return status;
    return fabric_add_finding(f, IK_WARNING, "slow-link", IK_NONE, IK_NONE, err,
                              "%" PRIu64 " links are below the common rate in all, the first %d "
                              "are named",
                              shown, NAMED);
}

ik_status fabric_judge_rates(ik_fabric *f, ik_error *err)
{
    if (f->priv->rates_meant)
        return IK_OK;
    bool *slower = ik_calloc((size_t)f->num_ports + 1, sizeof *slower);
    if (!slower)
        return ik_fail_memory(err, f->num_ports, "links to hosts");
    ik_status status = fabric_rates_judge(f, false, slower, err);
    if (status == IK_OK)
        status = fabric_rates_judge(f, true, slower, err);
    free(slower);
    return status;
}

/* ---- repairing */

static ik_status fabric_rates_repair(ik_fabric *f, bool hosts, ik_error *err)
{
    uint32_t common = IK_NONE;
    ik_status status = fabric_rates_common(f, hosts, &common, err);
    for (uint32_t port = 0; port < f->num_ports && status == IK_OK && common != IK_NONE; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE || peer < port || fabric_rates_to_host(f, port) != hosts ||
            ik_port_rate_bps(f, port) >= f->classes[common].rate_bps)
            continue;
        char a[TEXT], b[TEXT];
        status = fabric_add_finding(
            f, IK_NOTE, "repaired-link", port, IK_NONE, err,
            "link from %s to %s is treated as repaired: %.15s instead of %.15s",
            ik_port_describe(f, port, a, sizeof a), ik_port_describe(f, peer, b, sizeof b),
            f->classes[common].name, f->classes[f->port_class[port]].name);
        f->port_class[port] = f->port_class[peer] = (uint16_t)common;
    }
    return status;
}

ik_status ik_fabric_repair_rates(ik_fabric *f, ik_error *err)
{
    ik_status status = fabric_rates_repair(f, false, err);
    return status == IK_OK ? fabric_rates_repair(f, true, err) : status;
}
