/* SPDX-License-Identifier: Apache-2.0
 *
 * Which hosts a fabric connects. A part is a set of switches that links join; hosts pass no packets
 * on. A host with several cables may hang on several parts, and two hosts are connected if they
 * share one.
 */
#include "fabric/fabric_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_HOSTS = 4 };

/* ---- parts */

static void fabric_reach_mark_switches(const ik_fabric *f, uint32_t start, uint32_t mark,
                                       uint32_t *part_of, uint32_t *stack)
{
    assert(start < f->num_switches && part_of[start] == IK_NONE);
    uint32_t depth = 0;
    part_of[start] = mark;
    stack[depth++] = start;
    while (depth) {
        uint32_t sw = stack[--depth];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer != IK_NONE && ik_is_switch(f, peer) && part_of[peer] == IK_NONE) {
                assert(depth < f->num_switches); /* each is pushed once */
                part_of[peer] = mark;
                stack[depth++] = peer;
            }
        }
    }
}

static void fabric_reach_add_part(ik_parts *p, uint32_t first, uint32_t part)
{
    assert(part < p->num_parts && first <= p->base[p->num_hosts]);
    uint32_t at = p->base[p->num_hosts];
    for (uint32_t i = first; i < at; i++)
        if (p->part[i] == part)
            return;
    for (; at > first && p->part[at - 1] > part; at--)
        p->part[at] = p->part[at - 1];
    p->part[at] = part;
    p->base[p->num_hosts]++;
}

/* base[num_hosts] counts what is entered so far. */
static void fabric_reach_list_hosts(const ik_fabric *f, const uint32_t *part_of, ik_parts *p)
{
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t node = ik_host_node(f, host), first = p->base[host] = p->base[p->num_hosts];
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer != IK_NONE && ik_is_switch(f, peer))
                fabric_reach_add_part(p, first, part_of[peer]);
        }
    }
}

ik_status ik_parts_find(const ik_fabric *f, ik_parts *out, ik_error *err)
{
    size_t host_ports = f->num_ports - f->port_base[f->num_switches];
    ik_parts p = {.num_hosts = f->num_hosts,
                  .base = ik_calloc((size_t)f->num_hosts + 1, sizeof *p.base),
                  .part = ik_calloc(host_ports + 1, sizeof *p.part)};
    uint32_t *part_of = ik_calloc((size_t)f->num_switches + 1, sizeof *part_of);
    uint32_t *stack = ik_calloc((size_t)f->num_switches + 1, sizeof *stack);
    ik_status status = IK_OK;
    if (p.base && p.part && part_of && stack) {
        memset(part_of, 0xFF, f->num_switches * sizeof *part_of);
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            if (part_of[sw] == IK_NONE)
                fabric_reach_mark_switches(f, sw, p.num_parts++, part_of, stack);
        fabric_reach_list_hosts(f, part_of, &p);
    } else {
        status = ik_fail_memory(err, 8 * (size_t)ik_num_nodes(f), "the parts of a fabric");
    }
    free(part_of);
    free(stack);
    if (status == IK_OK)
        *out = p;
    else
        ik_parts_free(&p);
    return status;
}

void ik_parts_free(ik_parts *p)
{
    free(p->base);
    free(p->part);
    *p = (ik_parts){0};
}

bool ik_parts_join(const ik_parts *p, uint32_t a, uint32_t b)
{
    assert(a < p->num_hosts && b < p->num_hosts);
    uint32_t i = p->base[a], k = p->base[b];
    while (i < p->base[a + 1] && k < p->base[b + 1]) {
        if (p->part[i] == p->part[k])
            return true;
        if (p->part[i] < p->part[k])
            i++;
        else
            k++;
    }
    return false;
}

/* ---- counting pairs */

static uint32_t fabric_reach_parts_of(const ik_parts *p, uint32_t host)
{
    assert(host < p->num_hosts && p->base[host] <= p->base[host + 1]);
    return p->base[host + 1] - p->base[host];
}

/* Ordered pairs that a part joins, where no host hangs on several: hosts of a part times the others
 * of it. */
static ik_status fabric_reach_count_by_part(const ik_parts *p, uint64_t *pairs, ik_error *err)
{
    uint64_t *hosts = ik_calloc((size_t)p->num_parts + 1, sizeof *hosts);
    if (!hosts)
        return ik_fail_memory(err, p->num_parts * sizeof *hosts, "the parts of a fabric");
    uint64_t sum = 0;
    for (uint32_t host = 0; host < p->num_hosts; host++)
        if (fabric_reach_parts_of(p, host)) {
            assert(fabric_reach_parts_of(p, host) == 1);
            sum += 2 * hosts[p->part[p->base[host]]]++;
        }
    free(hosts);
    *pairs = sum;
    return IK_OK;
}

static uint64_t fabric_reach_count_by_pair(const ik_parts *p)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < p->num_hosts; a++)
        for (uint32_t b = 0; b < a; b++)
            sum += 2 * ik_parts_join(p, a, b);
    return sum;
}

/* The usual case of several cables per host: every host with a cable hangs on the same parts. */
static bool fabric_reach_all_alike(const ik_parts *p)
{
    uint32_t first = IK_NONE;
    for (uint32_t host = 0; host < p->num_hosts; host++) {
        if (!fabric_reach_parts_of(p, host))
            continue;
        first = first == IK_NONE ? host : first;
        if (fabric_reach_parts_of(p, host) != fabric_reach_parts_of(p, first) ||
            memcmp(p->part + p->base[host], p->part + p->base[first],
                   fabric_reach_parts_of(p, host) * sizeof *p->part) != 0)
            return false;
    }
    return true;
}

static ik_status fabric_reach_count_joined(const ik_parts *p, uint64_t wired, uint64_t *pairs,
                                           ik_error *err)
{
    bool several = false;
    for (uint32_t host = 0; host < p->num_hosts; host++)
        several |= fabric_reach_parts_of(p, host) > 1;
    if (fabric_reach_all_alike(p))
        *pairs = wired > 0 ? wired * (wired - 1) : 0;
    else if (several)
        *pairs = fabric_reach_count_by_pair(p);
    else
        return fabric_reach_count_by_part(p, pairs, err);
    return IK_OK;
}

/* The first pair of hosts with a cable that nothing joins; there is one. */
static void fabric_reach_find_first(const ik_fabric *f, const ik_parts *p, ik_reach *out)
{
    for (uint32_t a = 0; a < p->num_hosts; a++)
        for (uint32_t b = 0; b < p->num_hosts && ik_host_cables(f, a); b++)
            if (a != b && ik_host_cables(f, b) && !ik_parts_join(p, a, b)) {
                out->first_src = a;
                out->first_dst = b;
                return;
            }
}

ik_status ik_reach_measure(const ik_fabric *f, ik_reach *out, ik_error *err)
{
    ik_parts p;
    ik_reach r = {.first_uncabled = IK_NONE, .first_src = IK_NONE, .first_dst = IK_NONE};
    ik_status status = ik_parts_find(f, &p, err);
    if (status != IK_OK)
        return status;
    uint64_t wired = 0; /* to a switch: a cable between two hosts leads nowhere else */
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        wired += fabric_reach_parts_of(&p, host) > 0;
        if (ik_host_cables(f, host) > 0)
            continue;
        r.first_uncabled = r.uncabled ? r.first_uncabled : host;
        r.uncabled++;
    }
    status = fabric_reach_count_joined(&p, wired, &r.connected, err);
    uint64_t cabled = f->num_hosts - r.uncabled;
    assert(status != IK_OK || r.connected <= (cabled > 0 ? cabled * (cabled - 1) : 0));
    r.unconnected = (cabled > 0 ? cabled * (cabled - 1) : 0) - r.connected;
    if (status == IK_OK && r.unconnected)
        fabric_reach_find_first(f, &p, &r);
    assert(status != IK_OK || !r.unconnected || r.first_src != IK_NONE);
    ik_parts_free(&p);
    if (status == IK_OK)
        *out = r;
    return status;
}

bool ik_reach_whole(const ik_reach *reach)
{
    return reach->unconnected == 0 && (reach->connected > 0 || reach->uncabled == 0);
}

char *ik_reach_describe(const ik_fabric *f, const ik_reach *r, char *text, size_t size)
{
    char src[160], dst[160];
    if (r->unconnected)
        snprintf(text, size,
                 "%" PRIu64 " of %" PRIu64
                 " pairs of hosts are not connected, the first from %s to %s",
                 r->unconnected, r->unconnected + r->connected,
                 ik_node_describe(f, ik_host_node(f, r->first_src), src, sizeof src),
                 ik_node_describe(f, ik_host_node(f, r->first_dst), dst, sizeof dst));
    else if (!ik_reach_whole(r))
        snprintf(text, size, "no two hosts are connected: %" PRIu32 " of %" PRIu32 " have no cable",
                 r->uncabled, f->num_hosts);
    else
        snprintf(text, size, "all hosts with a cable are connected");
    return text;
}

/* ---- hosts without a cable */

static void fabric_reach_drop_findings(ik_fabric *f, const char *code)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->num_findings; i++)
        if (strcmp(f->findings[i].code, code) != 0)
            f->findings[kept++] = f->findings[i];
    f->num_findings = kept;
}

ik_status fabric_find_uncabled(ik_fabric *f, ik_error *err)
{
    uint32_t count = 0;
    ik_status status = IK_OK;
    fabric_reach_drop_findings(f, "no-cable");
    for (uint32_t host = 0; host < f->num_hosts && status == IK_OK; host++) {
        char name[160];
        uint32_t node = ik_host_node(f, host);
        if (ik_host_cables(f, host) == 0 && count++ < NAMED_HOSTS)
            status = fabric_add_finding(f, IK_WARNING, "no-cable", IK_NONE, node, err,
                                        "host %s has no cable",
                                        ik_node_describe(f, node, name, sizeof name));
    }
    if (status == IK_OK && count > NAMED_HOSTS)
        status = fabric_add_finding(f, IK_WARNING, "no-cable", IK_NONE, IK_NONE, err,
                                    "%" PRIu32 " hosts have no cable, the first %d are named",
                                    count, NAMED_HOSTS);
    return status;
}
