/* SPDX-License-Identifier: Apache-2.0
 *
 * failures_cut.c: which hosts a failure cuts off. Only the failure of a bridge or an articulation
 * point (R. Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J. Comput. 1972) changes
 * which of the other switches are joined; for these the parts are found anew. Hosts pass no packets
 * on, so they are no nodes of this graph.
 */
#include "subnet/failures/failures_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct cut_scan {
    const ik_fabric *f;
    uint32_t *order, *low; /* [num_switches] order: 0 = not seen yet */
    uint32_t *via;         /* [num_switches] port by which the search came, IK_NONE: a root */
    uint32_t *next;        /* [num_switches] the next port to look at */
    uint32_t *stack;       /* [num_switches] */
    bool *bridge;          /* [num_ports of switches] */
    bool *joint;           /* [num_switches] */
    uint32_t *part;        /* [num_switches] IK_NONE: failed */
    uint32_t *hosts;       /* [num_switches] hosts of each part */
    uint32_t num_parts, most, count;
} cut_scan;

static void cut_scan_free(cut_scan *s)
{
    free(s->order);
    free(s->bridge);
    free(s->joint);
}

static ik_status cut_scan_new(cut_scan *s, const ik_fabric *f, ik_error *err)
{
    size_t n = (size_t)f->num_switches + 1;
    *s = (cut_scan){.f = f,
                    .order = ik_calloc(n, 7 * sizeof *s->order),
                    .bridge = ik_calloc((size_t)f->num_ports + 1, sizeof *s->bridge),
                    .joint = ik_calloc(n, sizeof *s->joint)};
    if (!s->order || !s->bridge || !s->joint)
        return ik_fail_memory(err, n * 7 * sizeof *s->order, "a search for bridges");
    uint32_t **const arrays[] = {&s->low, &s->via, &s->next, &s->stack, &s->part, &s->hosts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = s->order + (i + 1) * n;
    return IK_OK;
}

/* ---- bridges and articulation points */

static void cut_enter(cut_scan *s, uint32_t sw, uint32_t via, uint32_t *depth)
{
    s->order[sw] = s->low[sw] = ++s->count;
    s->via[sw] = via;
    s->next[sw] = s->f->port_base[sw];
    s->stack[(*depth)++] = sw;
}

/* Back from sw to the switch that it was found from. */
static void cut_leave(cut_scan *s, uint32_t sw)
{
    uint32_t from = s->f->port_peer[s->via[sw]], parent = s->f->port_node[from];
    if (s->low[sw] < s->low[parent])
        s->low[parent] = s->low[sw];
    if (s->low[sw] > s->order[parent])
        s->bridge[from] = s->bridge[s->via[sw]] = true;
    if (s->low[sw] >= s->order[parent] && s->via[parent] != IK_NONE)
        s->joint[parent] = true;
}

static void cut_search(cut_scan *s, uint32_t root)
{
    uint32_t depth = 0, branches = 0;
    cut_enter(s, root, IK_NONE, &depth);
    while (depth) {
        uint32_t sw = s->stack[depth - 1];
        if (s->next[sw] == s->f->port_base[sw + 1]) {
            depth--;
            if (sw != root)
                cut_leave(s, sw);
            continue;
        }
        uint32_t port = s->next[sw]++, to = ik_peer_node(s->f, port);
        if (to == IK_NONE || !ik_is_switch(s->f, to) || port == s->via[sw])
            continue;
        if (s->order[to]) {
            s->low[sw] = s->order[to] < s->low[sw] ? s->order[to] : s->low[sw];
            continue;
        }
        branches += sw == root;
        cut_enter(s, to, s->f->port_peer[port], &depth);
    }
    s->joint[root] = branches > 1;
}

/* ---- parts */

static void cut_fill(cut_scan *s, uint32_t start, uint32_t without_port)
{
    const ik_fabric *f = s->f;
    uint32_t depth = 0, part = s->num_parts++;
    s->hosts[part] = 0;
    s->part[start] = part;
    for (s->stack[depth++] = start; depth;) {
        uint32_t sw = s->stack[--depth];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t to = ik_peer_node(f, port);
            if (to == IK_NONE || !ik_is_switch(f, to) || port == without_port ||
                f->port_peer[port] == without_port || s->part[to] != IK_NONE)
                continue;
            s->part[to] = part;
            s->stack[depth++] = to;
        }
    }
}

/* The part that a port of a host hangs on, IK_NONE = on none. */
static uint32_t cut_part_of(const cut_scan *s, uint32_t port)
{
    uint32_t to = ik_peer_node(s->f, port);
    return to == IK_NONE || !ik_is_switch(s->f, to) ? IK_NONE : s->part[to];
}

/* Does an earlier port of the host hang on the same part? */
static bool cut_counted(const cut_scan *s, uint32_t first, uint32_t port)
{
    for (uint32_t p = first; p < port; p++)
        if (cut_part_of(s, p) == cut_part_of(s, port))
            return true;
    return false;
}

static void cut_find_parts(cut_scan *s, uint32_t without_port, uint32_t without_switch)
{
    const ik_fabric *f = s->f;
    s->num_parts = s->most = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        s->part[sw] = IK_NONE;
    if (without_switch != IK_NONE)
        s->part[without_switch] = 0; /* not to be entered */
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (s->part[sw] == IK_NONE)
            cut_fill(s, sw, without_port);
    if (without_switch != IK_NONE)
        s->part[without_switch] = IK_NONE;
    for (uint32_t node = f->num_switches; node < ik_num_nodes(f); node++)
        for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
            if (cut_part_of(s, p) != IK_NONE && !cut_counted(s, f->port_base[node], p))
                s->hosts[cut_part_of(s, p)]++;
    for (uint32_t part = 0; part < s->num_parts; part++)
        s->most = s->hosts[part] > s->most ? s->hosts[part] : s->most;
}

/* ---- hosts that lose their part although all other switches stay joined */

/* Hosts of `sw` that have no cable to another switch, of its part or (any) of any. A host with
 * several cables to sw is counted at the first. */
static uint32_t cut_own_hosts(const cut_scan *s, uint32_t sw, bool any)
{
    const ik_fabric *f = s->f;
    uint32_t own = 0;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t host = ik_peer_node(f, port), first = IK_NONE;
        bool other = false;
        if (host == IK_NONE || ik_is_switch(f, host))
            continue;
        for (uint32_t p = f->port_base[host]; p < f->port_base[host + 1]; p++) {
            uint32_t to = ik_peer_node(f, p);
            if (to == sw && first == IK_NONE)
                first = p;
            other |= to != sw && cut_part_of(s, p) != IK_NONE &&
                     (any || cut_part_of(s, p) == s->part[sw]);
        }
        own += !other && f->port_peer[port] == first;
    }
    return own;
}

/* How much smaller the largest part is when `part` has lost so many hosts. */
static uint32_t cut_shrinks(const cut_scan *s, uint32_t part, uint32_t lost)
{
    uint32_t left = s->hosts[part] - lost, most = 0;
    for (uint32_t i = 0; i < s->num_parts; i++) {
        uint32_t hosts = i == part ? left : s->hosts[i];
        most = hosts > most ? hosts : most;
    }
    return s->most - most;
}

static void cut_host_cable(const cut_scan *s, ik_failure *x)
{
    const ik_fabric *f = s->f;
    uint32_t port = f->port_node[x->port] < f->num_switches ? f->port_peer[x->port] : x->port;
    uint32_t host = f->port_node[port];
    bool part = false, any = false;
    for (uint32_t p = f->port_base[host]; p < f->port_base[host + 1]; p++)
        if (p != port && cut_part_of(s, p) != IK_NONE) {
            any = true;
            part |= cut_part_of(s, p) == cut_part_of(s, port);
        }
    x->hosts_own = !any;
    x->hosts_cut = part ? 0 : cut_shrinks(s, cut_part_of(s, port), 1);
}

static void cut_simple(const cut_scan *s, ik_failure *x)
{
    if (x->kind == IK_FAILURE_HOST_CABLE) {
        cut_host_cable(s, x);
    } else if (x->kind == IK_FAILURE_SWITCH) {
        x->hosts_own = cut_own_hosts(s, x->sw, true);
        x->hosts_cut = cut_shrinks(s, s->part[x->sw], cut_own_hosts(s, x->sw, false));
    }
}

static bool cut_parts_change(const cut_scan *s, const ik_failure *x)
{
    return x->kind == IK_FAILURE_CABLE    ? s->bridge[x->port]
           : x->kind == IK_FAILURE_SWITCH ? s->joint[x->sw]
                                          : false;
}

ik_status failures_cut(const ik_fabric *f, const ik_env *env, ik_failure *all, uint32_t num,
                       ik_error *err)
{
    cut_scan s;
    ik_status status = cut_scan_new(&s, f, err);
    for (uint32_t sw = 0; sw < f->num_switches && status == IK_OK; sw++)
        if (!s.order[sw])
            cut_search(&s, sw);
    if (status == IK_OK)
        cut_find_parts(&s, IK_NONE, IK_NONE);
    for (uint32_t i = 0; i < num && status == IK_OK; i++)
        cut_simple(&s, &all[i]);
    uint32_t before = s.most;
    for (uint32_t i = 0; i < num && status == IK_OK; i++) {
        if (!cut_parts_change(&s, &all[i]))
            continue;
        if (ik_env_cancelled(env)) {
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
            break;
        }
        cut_find_parts(&s, all[i].port, all[i].sw);
        all[i].hosts_cut = before - s.most;
    }
    cut_scan_free(&s);
    return status;
}
