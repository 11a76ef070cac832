/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `merlin`: the network of a Python script for SST with its network library Merlin.
 *
 *     topo = topoHyperX()
 *     topo.shape = "4x4"
 *
 * The script is not run. Read are its assignments of literal values to attributes and entries
 * ("dragonfly.num_groups"), line by line, and entries of dictionaries; of a setting that is given
 * twice, the last one counts. Networks are as Merlin's scripts build them (topology/pymerlin-*),
 * by the family of ikat that is the same graph, or link by link. O(size + links).
 */
#include "format/json_read.h"
#include "format/scan.h"
#include "format/simulators/sim_net.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MERLIN_MAX = 1000000 };

typedef struct merlin_reader {
    sim_net net;
    scan s;
    sim_net_setting topology; /* the class: topoDragonFly */
    bool several;             /* others too: which one is built is not known */
    name_map interfaces;      /* variables that are network interfaces of hosts */
    bool in_interface;        /* entries of a dictionary are those of one */
    uint64_t hosts;
} merlin_reader;

/* ---- the script */

static bool merlin_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Ends the line before a comment. */
static void merlin_cut_comment(scan *s)
{
    char quote = 0;
    for (const char *at = s->at; at < s->end; at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '#' && !quote) {
            s->end = at;
            return;
        }
    }
}

/* The text between quotes, which end the token; false if none stands there. */
static bool merlin_quoted(scan *s, slice *text)
{
    if (s->at == s->end || (*s->at != '"' && *s->at != '\''))
        return false;
    const char *close = memchr(s->at + 1, *s->at, (size_t)(s->end - s->at - 1));
    if (!close)
        return false;
    *text = (slice){s->at + 1, (size_t)(close - s->at - 1)};
    s->at = close + 1;
    return true;
}

/* A class topoNAME that is named in the line, as a call or in quotes. */
static void merlin_find_class(merlin_reader *r)
{
    const scan *s = &r->s;
    for (const char *at = s->at; s->end - at > 5; at++) {
        if (memcmp(at, "topo", 4) != 0 || at[4] < 'A' || at[4] > 'Z' ||
            (at > s->at && merlin_is_name(at[-1])))
            continue;
        const char *end = at + 4;
        while (end < s->end && merlin_is_name(*end))
            end++;
        slice name = {at, (size_t)(end - at)};
        if (end == s->end || !strchr("(\"'", *end))
            continue;
        bool same = r->topology.value.length == name.length &&
                    memcmp(r->topology.value.at, name.at, name.length) == 0;
        r->several |= r->topology.line && !same;
        r->topology = (sim_net_setting){
            .value = name, .line = s->line, .column = (unsigned)(at - s->line_start) + 1};
    }
}

/* Names of entries have the topology before them: "dragonfly.num_groups", "fattree:shape". */
static slice merlin_without_topology(slice name)
{
    static const char *const before[] = {"merlin", "dragonfly", "fattree",     "torus",
                                         "mesh",   "hyperx",    "singlerouter"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t length = strlen(before[i]);
        if (name.length > length + 1 && memcmp(name.at, before[i], length) == 0 &&
            (name.at[length] == '.' || name.at[length] == ':'))
            name = (slice){name.at + length + 1, name.length - length - 1};
    }
    return name;
}

/* What stands behind '=' or ':': a literal, or not. */
static void merlin_value(scan *s, sim_net_setting *set)
{
    scan_blanks(s);
    set->line = s->line;
    set->column = (unsigned)(s->at - s->line_start) + 1;
    if (!merlin_quoted(s, &set->value)) {
        set->value = raw_trimmed((slice){s->at, (size_t)(s->end - s->at)});
        while (set->value.length && strchr(",})", set->value.at[set->value.length - 1]))
            set->value.length--;
        for (size_t i = 0; i < set->value.length; i++)
            set->computed |= !strchr("0123456789.", set->value.at[i]);
    } else
        set->computed = !(scan_blanks(s), s->at == s->end || strchr(",;})", *s->at));
}

static slice merlin_path(scan *s)
{
    slice path = {s->at, 0};
    while (s->at < s->end && (merlin_is_name(*s->at) || *s->at == '.'))
        s->at++;
    path.length = (size_t)(s->at - path.at);
    return path;
}

static ik_status merlin_keep(merlin_reader *r, sim_net_setting *set, slice name, bool interface)
{
    static const char *const known[] = {"link_bw", "interface.link_bw"};
    set->name = merlin_without_topology(name);
    if (interface && slice_is(set->name, known[0]))
        set->name = slice_of(known[1]);
    return sim_net_add(&r->net, set);
}

/* VARIABLE.NAME = VALUE, VARIABLE["NAME"] = VALUE, "NAME" : VALUE; other lines are left. */
static ik_status merlin_line(merlin_reader *r)
{
    scan *s = &r->s;
    sim_net_setting set = {0};
    slice name = {0};
    bool is_new;
    merlin_cut_comment(s);
    merlin_find_class(r);
    scan_blanks(s);
    if (json_mentions(s->at, (size_t)(s->end - s->at), "addParamSet("))
        r->in_interface = json_mentions(s->at, (size_t)(s->end - s->at), "network_interface");
    if (merlin_quoted(s, &name)) {
        scan_blanks(s);
        if (!scan_char(s, ':'))
            return IK_OK;
        merlin_value(s, &set);
        return merlin_keep(r, &set, name, r->in_interface);
    }
    slice path = merlin_path(s);
    bool entry = path.length && scan_char(s, '[');
    if (entry && (!merlin_quoted(s, &name) || !scan_char(s, ']')))
        return IK_OK;
    scan_blanks(s);
    if (!path.length || !scan_char(s, '=') || (s->at < s->end && *s->at == '='))
        return IK_OK;
    const char *dot = path.at + path.length;
    while (dot > path.at && dot[-1] != '.')
        dot--;
    if (!entry && dot == path.at) { /* a variable */
        if (json_mentions(s->at, (size_t)(s->end - s->at), "LinkControl(") &&
            name_map_add(&r->interfaces, path, &is_new) == IK_NONE)
            return ik_fail_memory(r->net.err, 24, "variables");
        return IK_OK;
    }
    if (!entry)
        name = (slice){dot, (size_t)(path.at + path.length - dot)};
    slice variable = {path.at, dot > path.at ? (size_t)(dot - path.at - 1) : 0};
    merlin_value(s, &set);
    return name.length
               ? merlin_keep(r, &set, name, name_map_find(&r->interfaces, variable) != IK_NONE)
               : IK_OK;
}

/* ---- networks */

typedef struct merlin_grid {
    uint64_t dims[SIM_NET_MAX_DIMS], width[SIM_NET_MAX_DIMS], per, switches;
    size_t num;
    bool plain;                   /* one cable between neighbours */
    char shape[400], cables[400]; /* in the words of a spec */
} merlin_grid;

static void merlin_print(char text[400], const uint64_t *values, size_t num)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < num; i++)
        used += (size_t)snprintf(text + used, 400 - used, i ? ":%" PRIu64 : "%" PRIu64, values[i]);
}

static ik_status merlin_read_grid(merlin_reader *r, merlin_grid *g)
{
    size_t num = 0;
    sim_net *n = &r->net;
    ik_status status = sim_net_list(n, "shape", MERLIN_MAX, g->dims, SIM_NET_MAX_DIMS, &g->num);
    if (status == IK_OK && sim_net_find(n, "width"))
        status = sim_net_list(n, "width", 1024, g->width, SIM_NET_MAX_DIMS, &num);
    else
        for (; status == IK_OK && num < g->num; num++)
            g->width[num] = 1;
    if (status == IK_OK)
        status = sim_net_uint(n, "local_ports", 1, 65535, SIM_NET_NEEDED, &g->per);
    if (status == IK_OK && num != g->num)
        return sim_net_refuse(n, sim_net_find(n, "width"), "expected one width per dimension",
                              "shape has %zu numbers, and width %zu", g->num, num);
    g->switches = 1;
    g->plain = true;
    for (size_t d = 0; d < g->num && status == IK_OK; d++) {
        if (!g->dims[d] || !g->width[d] || g->switches > UINT32_MAX / g->dims[d])
            return sim_net_refuse(n, sim_net_find(n, "shape"), "numbers are from 1 on",
                                  "the shape is impossible, or too large");
        g->switches *= g->dims[d];
        g->plain &= g->width[d] == 1;
    }
    merlin_print(g->shape, g->dims, g->num);
    merlin_print(g->cables, g->width, g->num);
    r->hosts = g->switches * g->per;
    return status;
}

/* Cables towards x + 1, around the edge too if `wrap`; in a ring of two there are two of them. */
static ik_status merlin_link_grid(merlin_reader *r, const merlin_grid *g, bool wrap)
{
    double links = 0;
    for (size_t d = 0; d < g->num; d++)
        links += (double)g->switches * (double)g->width[d];
    ik_status status = sim_net_begin(&r->net, &r->topology, (double)g->switches,
                                     (double)g->switches * (double)g->per, links);
    for (uint32_t h = 0; status == IK_OK && h < r->hosts; h++)
        sim_net_cable_add(&r->net, h / (uint32_t)g->per, h, SIM_NET_HOST);
    for (uint64_t at = 0; status == IK_OK && at < g->switches; at++)
        for (size_t d = 0, stride = 1; d < g->num; stride *= g->dims[d++]) {
            uint64_t x = at / stride % g->dims[d], far = (x + 1) % g->dims[d];
            bool joined = g->dims[d] > 1 && (far || wrap);
            for (uint64_t cable = 0; joined && cable < g->width[d]; cable++)
                sim_net_cable_add(&r->net, (uint32_t)at, (uint32_t)(at - x * stride + far * stride),
                                  SIM_NET_LOCAL);
        }
    return status == IK_OK ? sim_net_end(&r->net) : status;
}

static ik_status merlin_mesh(merlin_reader *r)
{
    merlin_grid g = {0};
    ik_status status = merlin_read_grid(r, &g);
    if (status != IK_OK)
        return status;
    return g.plain
               ? sim_net_member(&r->net, &r->topology, "mesh:dims=%s,p=%" PRIu64, g.shape, g.per)
               : merlin_link_grid(r, &g, false);
}

static ik_status merlin_torus(merlin_reader *r)
{
    merlin_grid g = {0};
    ik_status status = merlin_read_grid(r, &g);
    if (status != IK_OK)
        return status;
    for (size_t d = 0; d < g.num; d++)
        g.plain &= g.dims[d] != 2;
    return g.plain
               ? sim_net_member(&r->net, &r->topology, "torus:dims=%s,p=%" PRIu64, g.shape, g.per)
               : merlin_link_grid(r, &g, true);
}

static ik_status merlin_hyperx(merlin_reader *r)
{
    merlin_grid g = {0};
    ik_status status = merlin_read_grid(r, &g);
    return status == IK_OK
               ? sim_net_member(&r->net, &r->topology, "hyperx:dims=%s,p=%" PRIu64 ",k=%s", g.shape,
                                g.per, g.cables)
               : status;
}

/* shape DOWN,UP:DOWN,UP:DOWN from the hosts: a switch has DOWN children and UP parents. */
static ik_status merlin_fattree(merlin_reader *r)
{
    uint64_t both[2 * SIM_NET_MAX_DIMS], m[SIM_NET_MAX_DIMS], w[SIM_NET_MAX_DIMS] = {1};
    size_t num = 0;
    char children[400], parents[400];
    ik_status status = sim_net_list(&r->net, "shape", 65535, both, 2 * SIM_NET_MAX_DIMS - 1, &num);
    if (status == IK_OK && num % 2 == 0)
        return sim_net_refuse(&r->net, sim_net_find(&r->net, "shape"),
                              "expected DOWN,UP:DOWN,UP:DOWN from the hosts to the top",
                              "the shape has %zu numbers", num);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; i < num; i++)
        if (i % 2)
            w[i / 2 + 1] = both[i];
        else
            m[i / 2] = both[i];
    merlin_print(children, m, num / 2 + 1);
    merlin_print(parents, w, num / 2 + 1);
    return sim_net_member(&r->net, &r->topology, "xgft:m=%s,w=%s", children, parents);
}

static ik_status merlin_single(merlin_reader *r)
{
    uint64_t ports = 0;
    ik_status status = sim_net_uint(&r->net, "num_ports", 1, 65535, SIM_NET_NEEDED, &ports);
    return status == IK_OK ? sim_net_member(&r->net, &r->topology, "crossbar:n=%" PRIu64, ports)
                           : status;
}

typedef struct merlin_groups {
    uint64_t per, routers, inside, between, num;
    bool relative;
    uint64_t full, ports; /* routers that use all of their ports to other groups; these ports */
} merlin_groups;

static ik_status merlin_read_groups(merlin_reader *r, merlin_groups *g)
{
    sim_net *n = &r->net;
    slice routes = {0};
    ik_status status = sim_net_uint(n, "hosts_per_router", 1, 65535, SIM_NET_NEEDED, &g->per);
    if (status == IK_OK)
        status = sim_net_uint(n, "routers_per_group", 1, 65535, SIM_NET_NEEDED, &g->routers);
    if (status == IK_OK)
        status = sim_net_uint(n, "intergroup_links", 1, 65535, SIM_NET_NEEDED, &g->between);
    if (status == IK_OK)
        status = sim_net_uint(n, "intragroup_links", 1, 65535, 1, &g->inside);
    if (status == IK_OK)
        status = sim_net_uint(n, "num_groups", 1, MERLIN_MAX, SIM_NET_NEEDED, &g->num);
    if (status == IK_OK)
        status = sim_net_text(n, "global_routes", &routes);
    g->relative = slice_is(routes, "relative");
    const sim_net_setting *map = sim_net_find(n, "global_link_map");
    const sim_net_setting *failed = sim_net_find(n, "failed_links");
    if (status == IK_OK && (map || failed))
        return sim_net_refuse(
            n, map ? map : failed,
            "without it, Merlin's own order of links is read; the fabric takes fail=",
            "a %s is not read", map ? "global_link_map" : "list of failed links");
    return status;
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
    ik_status status = merlin_read_groups(r, &g);
    if (status != IK_OK)
        return status;
    uint64_t others = g.num - 1, links = others * g.between;
    double routers = (double)g.num * (double)g.routers;
    g.ports = (links + g.routers - 1) / g.routers;
    g.full = g.routers - (g.ports * g.routers - links);
    r->hosts = g.num * g.routers * g.per;
    status = sim_net_begin(&r->net, &r->topology, routers, routers * (double)g.per,
                           routers * (double)(g.routers - 1) / 2 * (double)g.inside +
                               (double)g.num * (double)links / 2);
    for (uint32_t h = 0; status == IK_OK && h < r->hosts; h++)
        sim_net_cable_add(&r->net, h / (uint32_t)g.per, h, SIM_NET_HOST);
    for (uint64_t at = 0; status == IK_OK && at < g.num * g.routers; at++)
        for (uint64_t far = at + 1; far % g.routers > at % g.routers; far++)
            for (uint64_t cable = 0; cable < g.inside; cable++)
                sim_net_cable_add(&r->net, (uint32_t)at, (uint32_t)far, SIM_NET_LOCAL);
    for (uint64_t a = 0; status == IK_OK && a < g.num; a++)
        for (uint64_t c = a + 1; c < g.num; c++)
            for (uint64_t cable = 0; cable < g.between; cable++) {
                uint64_t here = g.relative ? c - a - 1 : c - 1;
                uint64_t there = g.relative ? g.num + a - c - 1 : a;
                sim_net_cable_add(
                    &r->net,
                    (uint32_t)(a * g.routers) + merlin_router_of(&g, cable * others + here),
                    (uint32_t)(c * g.routers) + merlin_router_of(&g, cable * others + there),
                    SIM_NET_GLOBAL);
            }
    return status == IK_OK ? sim_net_end(&r->net) : status;
}

/* ---- the whole file */

static const struct merlin_topology {
    const char *name;
    ik_status (*build)(merlin_reader *r);
} merlin_topologies[] = {{"topoTorus", merlin_torus},         {"topoMesh", merlin_mesh},
                         {"topoHyperX", merlin_hyperx},       {"topoFatTree", merlin_fattree},
                         {"topoDragonFly", merlin_dragonfly}, {"topoDragonFly2", merlin_dragonfly},
                         {"topoSingle", merlin_single}};

static ik_status merlin_find(merlin_reader *r, const struct merlin_topology **t)
{
    slice name = r->topology.value;
    if (r->several)
        return sim_net_refuse(&r->net, &r->topology,
                              "the script is not run: take the others out of a copy of it",
                              "the script names several topologies, of which %.*s is the last",
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
        "topoTorus, topoMesh, topoHyperX, topoFatTree, topoDragonFly and topoSingle "
        "are read; a platform's file is read instead of the script that loads it; "
        "the links of others as format edges",
        r->topology.line ? "the topology %.*s is not read" : "the script names no topology%.*s",
        (int)(name.length < 60 ? name.length : 60), name.at ? name.at : "");
}

/* Of several names the first that is given. */
static ik_status merlin_rate(merlin_reader *r, const char *const names[4], uint64_t *rate)
{
    ik_status status = IK_OK;
    *rate = 0;
    for (int i = 0; status == IK_OK && !*rate && i < 4 && names[i]; i++)
        status = sim_net_rate(&r->net, names[i], 0, rate);
    return status;
}

static ik_status merlin_read_links(merlin_reader *r)
{
    static const char *const names[SIM_NET_KINDS][4] = {
        {"link_bw.group", "link_bw:group", "link_bw"},
        {"link_bw.global", "link_bw:global", "link_bw"},
        {"link_bw.host", "link_bw:host", "interface.link_bw", "link_bw"}};
    uint64_t rate[SIM_NET_KINDS] = {0}, latency = UINT64_MAX, to_host = UINT64_MAX;
    ik_status status = IK_OK;
    for (int kind = 0; status == IK_OK && kind < SIM_NET_KINDS; kind++)
        status = merlin_rate(r, names[kind], &rate[kind]);
    if (status == IK_OK)
        status = sim_net_time(&r->net, "link_lat", &latency);
    if (status == IK_OK)
        status = sim_net_time(&r->net, "link_latency", &latency);
    if (status == IK_OK)
        status = sim_net_time(&r->net, "host_link_latency", &to_host);
    if (to_host == UINT64_MAX)
        to_host = latency;
    if (status == IK_OK)
        sim_net_links(&r->net, rate, latency == UINT64_MAX ? NULL : &latency,
                      to_host == UINT64_MAX ? NULL : &to_host);
    return status;
}

static ik_status merlin_read(const char *text, size_t size, const char *file, ik_builder *b,
                             ik_error *err)
{
    merlin_reader r = {.net = {.file = file, .b = b, .err = err}, .s = scan_text(text, size, file)};
    const struct merlin_topology *t = NULL;
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&r.s))
        status = merlin_line(&r);
    if (status == IK_OK)
        status = merlin_find(&r, &t);
    if (status == IK_OK)
        status = merlin_read_links(&r);
    if (status == IK_OK)
        status = t->build(&r);
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
