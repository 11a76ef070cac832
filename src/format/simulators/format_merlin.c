/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `merlin`: the network of a Python script for SST with its network library Merlin.
 *
 *     topo = topoHyperX()
 *     topo.shape = "4x4"
 *
 * The script is read by merlin_script.c. Networks are as Merlin's scripts build them
 * (topology/pymerlin-*), by the family of ikat that is the same graph, or link by link.
 * O(size + links).
 */
#include "format/json_read.h"
#include "format/simulators/merlin_script.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MERLIN_MAX = 1000000 };

/* ---- networks */

typedef struct merlin_grid {
    uint64_t dims[SIM_NET_MAX_DIMS], width[SIM_NET_MAX_DIMS], per, switches;
    size_t num;
    bool plain;                                           /* one cable between neighbours */
    char shape[SIM_NET_PRINTED], cables[SIM_NET_PRINTED]; /* in the words of a spec */
} merlin_grid;

static void merlin_read_grid(merlin_reader *r, merlin_grid *g)
{
    sim_net *n = &r->net;
    g->switches = sim_net_dims(n, "shape", g->dims, &g->num);
    for (size_t d = 0; d < SIM_NET_MAX_DIMS; d++)
        g->width[d] = 1;
    size_t num = g->num;
    if (sim_net_find(n, "width"))
        num = sim_net_list(n, "width", 1024, g->width, SIM_NET_MAX_DIMS);
    g->per = sim_net_uint(n, "local_ports", 1, 65535, SIM_NET_NEEDED);
    g->plain = true;
    for (size_t d = 0; d < num; d++) {
        g->plain &= g->width[d] == 1;
        if (n->status == IK_OK && (num != g->num || !g->width[d]))
            sim_net_refuse(n, sim_net_find(n, "width"),
                           "expected one width per dimension, from 1 on",
                           "shape has %zu numbers, and width %zu", g->num, num);
    }
    sim_net_print(g->shape, g->dims, g->num);
    sim_net_print(g->cables, g->width, g->num);
}

/* Cables towards x + 1, around the edge too if `wrap`; in a ring of two there are two of them. */
static ik_status merlin_link_grid(merlin_reader *r, const merlin_grid *g, bool wrap)
{
    double links = 0;
    for (size_t d = 0; d < g->num; d++)
        links += (double)g->switches * (double)g->width[d];
    bool go = sim_net_begin(&r->net, &r->topology, (double)g->switches,
                            (double)g->switches * (double)g->per, links);
    if (go)
        sim_net_hosts_add(&r->net, 1, 1, g->per);
    for (uint64_t at = 0; go && at < g->switches; at++)
        for (size_t d = 0, stride = 1; d < g->num; stride *= g->dims[d++]) {
            uint64_t x = at / stride % g->dims[d], far = (x + 1) % g->dims[d];
            bool joined = g->dims[d] > 1 && (far || wrap);
            for (uint64_t cable = 0; joined && cable < g->width[d]; cable++)
                sim_net_cable_add(&r->net, (uint32_t)at, (uint32_t)(at - x * stride + far * stride),
                                  SIM_NET_LOCAL);
        }
    return sim_net_end(&r->net);
}

static ik_status merlin_mesh(merlin_reader *r)
{
    merlin_grid g;
    merlin_read_grid(r, &g);
    return g.plain
               ? sim_net_member(&r->net, &r->topology, "mesh:dims=%s,p=%" PRIu64, g.shape, g.per)
               : merlin_link_grid(r, &g, false);
}

static ik_status merlin_torus(merlin_reader *r)
{
    merlin_grid g;
    merlin_read_grid(r, &g);
    for (size_t d = 0; d < g.num; d++)
        g.plain &= g.dims[d] != 2;
    return g.plain
               ? sim_net_member(&r->net, &r->topology, "torus:dims=%s,p=%" PRIu64, g.shape, g.per)
               : merlin_link_grid(r, &g, true);
}

static ik_status merlin_hyperx(merlin_reader *r)
{
    merlin_grid g;
    merlin_read_grid(r, &g);
    return sim_net_member(&r->net, &r->topology, "hyperx:dims=%s,p=%" PRIu64 ",k=%s", g.shape,
                          g.per, g.cables);
}

/* shape DOWN,UP:DOWN,UP:DOWN from the hosts: a switch has DOWN children and UP parents. */
static ik_status merlin_fattree(merlin_reader *r)
{
    uint64_t both[2 * SIM_NET_MAX_DIMS], m[SIM_NET_MAX_DIMS], w[SIM_NET_MAX_DIMS] = {1};
    char children[SIM_NET_PRINTED], parents[SIM_NET_PRINTED];
    size_t num = sim_net_list(&r->net, "shape", 65535, both, 2 * SIM_NET_MAX_DIMS - 1);
    if (r->net.status == IK_OK && num % 2 == 0)
        sim_net_refuse(&r->net, sim_net_find(&r->net, "shape"),
                       "expected DOWN,UP:DOWN,UP:DOWN from the hosts to the top",
                       "the shape has %zu numbers", num);
    if (r->net.status != IK_OK)
        return r->net.status;
    for (size_t i = 0; i < num; i++)
        *(i % 2 ? &w[i / 2 + 1] : &m[i / 2]) = both[i];
    sim_net_print(children, m, num / 2 + 1);
    sim_net_print(parents, w, num / 2 + 1);
    return sim_net_member(&r->net, &r->topology, "xgft:m=%s,w=%s", children, parents);
}

static ik_status merlin_single(merlin_reader *r)
{
    return sim_net_member(&r->net, &r->topology, "crossbar:n=%" PRIu64,
                          sim_net_uint(&r->net, "num_ports", 1, 65535, SIM_NET_NEEDED));
}

static ik_status merlin_polarfly(merlin_reader *r)
{
    sim_net *n = &r->net;
    const sim_net_setting *routers = sim_net_find(n, "N");
    if (routers && !sim_net_find(n, "q"))
        return sim_net_refuse(n, routers, "topoPolarFly(q=9) is read: give the prime power",
                              "a PolarFly of about N routers is not read");
    uint64_t q = sim_net_uint(n, "q", 2, 255, SIM_NET_NEEDED),
             per = sim_net_uint(n, "hosts_per_router", 1, 65535, (q + 1) / 2);
    const sim_net_setting *failed = sim_net_find(n, "failed_links");
    if (n->status == IK_OK && failed)
        sim_net_refuse(n, failed, "the fabric takes fail=", "a list of failed links is not read");
    return n->status != IK_OK
               ? n->status
               : sim_net_member(n, &r->topology, "polarfly:q=%" PRIu64 ",p=%" PRIu64, q, per);
}

typedef struct merlin_groups {
    uint64_t per, routers, inside, between, num;
    bool relative;
    uint64_t full, ports; /* routers that use all of their ports to other groups; these ports */
} merlin_groups;

static void merlin_read_groups(merlin_reader *r, merlin_groups *g)
{
    sim_net *n = &r->net;
    g->per = sim_net_uint(n, "hosts_per_router", 1, 65535, SIM_NET_NEEDED);
    g->routers = sim_net_uint(n, "routers_per_group", 1, 65535, SIM_NET_NEEDED);
    g->between = sim_net_uint(n, "intergroup_links", 1, 65535, SIM_NET_NEEDED);
    g->inside = sim_net_uint(n, "intragroup_links", 1, 65535, 1);
    g->num = sim_net_uint(n, "num_groups", 1, MERLIN_MAX, SIM_NET_NEEDED);
    g->relative = slice_is(sim_net_text(n, "global_routes"), "relative");
    const sim_net_setting *map = sim_net_find(n, "global_link_map");
    const sim_net_setting *failed = sim_net_find(n, "failed_links");
    if (n->status == IK_OK && (map || failed))
        sim_net_refuse(n, map ? map : failed,
                       "without it, Merlin's own order of links is read; the fabric takes fail=",
                       "a %s is not read", map ? "global_link_map" : "list of failed links");
}

/* Which router of a group has its link number `raw` to other groups. */
static uint32_t merlin_router_of(const merlin_groups *g, uint64_t raw)
{
    uint64_t before = g->full * g->ports;
    return (uint32_t)(raw < before ? raw / g->ports : g->full + (raw - before) / (g->ports - 1));
}

static ik_status merlin_dragonfly(merlin_reader *r)
{
    merlin_groups g = {0};
    sim_net *n = &r->net;
    merlin_read_groups(r, &g);
    uint64_t others = g.num - 1, links = others * g.between;
    double routers = (double)g.num * (double)g.routers;
    g.ports = (links + g.routers - 1) / g.routers;
    g.full = g.routers - (g.ports * g.routers - links);
    bool go = sim_net_begin(n, &r->topology, routers, routers * (double)g.per,
                            routers * (double)(g.routers - 1) / 2 * (double)g.inside +
                                (double)g.num * (double)links / 2);
    if (go)
        sim_net_hosts_add(n, 1, 1, g.per);
    for (uint64_t at = 0; go && at < g.num * g.routers; at++)
        for (uint64_t far = at + 1; far % g.routers > at % g.routers; far++)
            for (uint64_t cable = 0; cable < g.inside; cable++)
                sim_net_cable_add(n, (uint32_t)at, (uint32_t)far, SIM_NET_LOCAL);
    for (uint64_t a = 0; go && a < g.num; a++)
        for (uint64_t c = a + 1; c < g.num; c++)
            for (uint64_t cable = 0; cable < g.between; cable++) {
                uint64_t here = cable * others + (g.relative ? c - a - 1 : c - 1);
                uint64_t there = cable * others + (g.relative ? g.num + a - c - 1 : a);
                sim_net_cable_add(n, (uint32_t)(a * g.routers) + merlin_router_of(&g, here),
                                  (uint32_t)(c * g.routers) + merlin_router_of(&g, there),
                                  SIM_NET_GLOBAL);
            }
    return sim_net_end(n);
}

/* ---- the whole file */

static const struct merlin_topology {
    const char *name;
    ik_status (*build)(merlin_reader *r);
} merlin_topologies[] = {{"topoTorus", merlin_torus},         {"topoMesh", merlin_mesh},
                         {"topoHyperX", merlin_hyperx},       {"topoFatTree", merlin_fattree},
                         {"topoDragonFly", merlin_dragonfly}, {"topoDragonFly2", merlin_dragonfly},
                         {"topoSingle", merlin_single},       {"topoPolarFly", merlin_polarfly}};

static ik_status merlin_find(merlin_reader *r, const struct merlin_topology **t)
{
    slice name = r->topology.value;
    if (r->several)
        return sim_net_refuse(
            &r->net, &r->topology,
            "the script is not run: leave topo = topoNAME() of one of them in a copy of it",
            "the script names several topologies, or gives one another name: %.*s is the last",
            (int)(name.length < 60 ? name.length : 60), name.at);
    sim_net_find(&r->net, "router"); /* objects, whose settings count */
    sim_net_find(&r->net, "network_interface");
    for (size_t i = 0; i < sizeof merlin_topologies / sizeof *merlin_topologies; i++)
        if (slice_is(name, merlin_topologies[i].name)) {
            *t = &merlin_topologies[i];
            return IK_OK;
        }
    return sim_net_refuse(
        &r->net, r->topology.line ? &r->topology : NULL,
        "topoTorus, topoMesh, topoHyperX, topoFatTree, topoDragonFly, topoPolarFly and topoSingle "
        "are read; a platform's file is read instead of the script that loads it; "
        "of others the JSON that 'sst --output-json' writes",
        r->topology.line ? "the topology %.*s is not read" : "the script names no topology%.*s",
        (int)(name.length < 60 ? name.length : 60), name.at ? name.at : "");
}

static void merlin_read_links(merlin_reader *r)
{
    /* of several names the first that is given */
    static const char *const names[SIM_NET_KINDS][4] = {
        {"link_bw.group", "link_bw:group", "link_bw"},
        {"link_bw.global", "link_bw:global", "link_bw"},
        {"link_bw.host", "link_bw:host", "interface.link_bw", "link_bw"}};
    uint64_t rate[SIM_NET_KINDS] = {0}, latency = UINT64_MAX;
    for (int kind = 0; kind < SIM_NET_KINDS; kind++)
        for (int i = 0; !rate[kind] && i < 4 && names[kind][i]; i++)
            rate[kind] = sim_net_rate(&r->net, names[kind][i], 0);
    sim_net_time(&r->net, "link_lat", &latency);
    sim_net_time(&r->net, "link_latency", &latency);
    uint64_t to_host = latency;
    sim_net_time(&r->net, "host_link_latency", &to_host);
    sim_net_links(&r->net, rate, latency == UINT64_MAX ? NULL : &latency,
                  to_host == UINT64_MAX ? NULL : &to_host);
}

static ik_status merlin_read(const char *text, size_t size, const char *file, ik_builder *b,
                             ik_error *err)
{
    merlin_reader r = {.net = {.file = file, .b = b, .err = err}, .s = scan_text(text, size, file)};
    const struct merlin_topology *t = NULL;
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&r.s))
        status = merlin_line(&r);
    if (status == IK_OK) {
        merlin_resolve(&r, text, size);
        status = merlin_find(&r, &t);
    }
    if (status == IK_OK) {
        merlin_read_links(&r);
        status = t->build(&r);
    }
    if (status == IK_OK)
        status = sim_net_note_ignored(
            &r.net, "the script is not run; what they are called in ikat: docs/simulators.md");
    name_map_free(&r.interfaces);
    sim_net_free(&r.net);
    return status;
}

static unsigned merlin_probe(const char *text, size_t size)
{
    return json_mentions(text, size, "sst") && json_mentions(text, size, "merlin") &&
                   (json_mentions(text, size, "import ") || json_mentions(text, size, "_params"))
               ? 80
               : 0;
}

static const char *const extensions[] = {"py", NULL};

const ik_format ik_format_merlin = {
    .name = "merlin",
    .summary = "a Python script for SST with Merlin: the network that its literal values describe",
    .source = "SST, https://github.com/sstsimulator/sst-elements, merlin, July 2026",
    .extensions = extensions,
    .probe = merlin_probe,
    .read = merlin_read,
};
