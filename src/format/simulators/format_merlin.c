/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `merlin`: the network of a Python script for SST with its network library Merlin.
 *
 *     topo = topoHyperX()
 *     topo.shape = "4x4"
 *
 * The script is not run. Read are its assignments of literal values to attributes and entries
 * ("dragonfly.num_groups"), and entries of dictionaries; of a setting that is given twice, the last
 * one counts, and two values of which one may be that of a branch are refused. Networks are as
 * Merlin's scripts build them (topology/pymerlin-*), by the family of ikat that is the same graph,
 * or link by link. O(size + links).
 */
#include "format/json_read.h"
#include "format/scan.h"
#include "format/simulators/sim_net.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MERLIN_MAX = 1000000, MERLIN_MAX_LITERAL = 256 };

typedef struct merlin_reader {
    sim_net net;
    scan s;
    sim_net_setting topology; /* the class: topoDragonFly */
    bool several;             /* others too: which one is built is not known */
    name_map interfaces;      /* variables that are network interfaces of hosts */
    bool in_interface;        /* entries of a dictionary are those of one */
} merlin_reader;

/* ---- the script */

static bool merlin_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *merlin_path_end(const scan *s)
{
    const char *end = s->at;
    while (end < s->end && (merlin_is_name(*end) || *end == '.'))
        end++;
    return end;
}

/* Passes over a text in triple quotes, over lines; the end of the script ends it too. */
static void merlin_skip_text(scan *s)
{
    char quote = *s->at;
    s->at += 3;
    while (s->end - s->at < 3 || s->at[0] != quote || s->at[1] != quote || s->at[2] != quote)
        if (s->at < s->end)
            s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
        else if (!scan_line(s))
            return;
    s->at += 3;
}

/* The text between quotes, which end the token; false if none stands there. */
static bool merlin_quoted(scan *s, slice *text)
{
    if (s->at == s->end || (*s->at != '"' && *s->at != '\''))
        return false;
    const char *close = s->at + 1;
    while (close < s->end && *close != *s->at)
        close += *close == '\\' ? 2 : 1;
    if (close >= s->end)
        return false;
    *text = (slice){s->at + 1, (size_t)(close - s->at - 1)};
    s->at = close + 1;
    return true;
}

/* A class topoNAME, the end of a name that is called or of a text: sst.merlin.topoMesh. */
static void merlin_take_class(merlin_reader *r, slice name)
{
    size_t first = name.length;
    while (first && merlin_is_name(name.at[first - 1]))
        first--;
    slice last = {name.at + first, name.length - first};
    if (last.length < 5 || memcmp(last.at, "topo", 4) != 0 || last.at[4] < 'A' || last.at[4] > 'Z')
        return;
    slice before = r->topology.value;
    r->net.repeated |= before.length > 0;
    r->several |= before.length &&
                  (before.length != last.length || memcmp(before.at, last.at, last.length) != 0);
    r->topology = (sim_net_setting){
        .value = last, .line = r->s.line, .column = (unsigned)(last.at - r->s.line_start) + 1};
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

/* What stands behind '=' or ':', up to one of `ends`: a literal, or not. */
static void merlin_value(scan *s, sim_net_setting *set, const char *ends)
{
    scan_blanks(s);
    set->line = s->line;
    set->column = (unsigned)(s->at - s->line_start) + 1;
    scan after = *s;
    if (merlin_quoted(&after, &set->value)) {
        scan_blanks(&after);
        set->computed |= after.at < after.end && !strchr(ends, *after.at);
    } else {
        while (after.at < after.end && !strchr(ends, *after.at) &&
               after.at - s->at < MERLIN_MAX_LITERAL)
            after.at++;
        set->computed |= after.at - s->at == MERLIN_MAX_LITERAL;
        set->value = raw_trimmed((slice){s->at, (size_t)(after.at - s->at)});
        for (size_t i = 0; i < set->value.length; i++)
            set->computed |= !strchr(i ? "0123456789." : "0123456789-", set->value.at[i]);
        return; /* what is called here may be a topology */
    }
    s->at = after.at;
}

/* object: none of an entry of a dictionary. */
static ik_status merlin_keep(merlin_reader *r, sim_net_setting *set, slice name, slice object)
{
    set->name = merlin_without_topology(name);
    bool interface =
        object.length ? name_map_find(&r->interfaces, object) != IK_NONE : r->in_interface;
    if (interface && slice_is(set->name, "link_bw"))
        set->name = slice_of("interface.link_bw");
    set->indented = object.length && object.at != r->s.line_start;
    return sim_net_add(&r->net, set);
}

/* A name that begins here, and what follows: NAME(, OBJECT.NAME = VALUE, OBJECT["NAME"] = VALUE. */
static ik_status merlin_name(merlin_reader *r)
{
    scan *s = &r->s;
    sim_net_setting set = {0};
    slice path = {s->at, 0}, name = {0};
    bool is_new;
    s->at = merlin_path_end(s);
    path.length = (size_t)(s->at - path.at);
    if (s->at < s->end && *s->at == '(')
        merlin_take_class(r, path);
    scan after = *s;
    if (scan_char(&after, '[') && (!merlin_quoted(&after, &name) || !scan_char(&after, ']')))
        return IK_OK;
    scan_blanks(&after);
    while (after.at < after.end && strchr("+-*/%", *after.at)) {
        after.at++;
        set.computed = true; /* += */
    }
    if (!scan_char(&after, '=') || (after.at < after.end && *after.at == '='))
        return IK_OK;
    size_t dot = path.length;
    while (!name.length && dot && path.at[dot - 1] != '.')
        dot--;
    if (!name.length && !dot) { /* a variable */
        scan_blanks(&after);
        const char *end = merlin_path_end(&after);
        if (end < after.end && *end == '(' && end - after.at > 10 &&
            memcmp(end - 11, "LinkControl", 11) == 0 &&
            name_map_add(&r->interfaces, path, &is_new) == IK_NONE)
            return ik_fail_memory(r->net.err, 24, "variables");
        return IK_OK;
    }
    slice object = {path.at, name.length || !dot ? path.length : dot - 1};
    if (!name.length)
        name = (slice){path.at + dot, path.length - dot};
    *s = after;
    merlin_value(s, &set, ";#");
    return name.length ? merlin_keep(r, &set, name, object) : IK_OK;
}

/* What stands next in the line; of a text, "NAME" : VALUE too. */
static ik_status merlin_token(merlin_reader *r)
{
    scan *s = &r->s;
    slice text;
    sim_net_setting set = {0};
    if (s->end - s->at > 2 && (*s->at == '"' || *s->at == '\'') && s->at[1] == *s->at &&
        s->at[2] == *s->at)
        merlin_skip_text(s);
    else if (merlin_quoted(s, &text)) {
        merlin_take_class(r, text);
        scan_blanks(s);
        if (!scan_char(s, ':'))
            return IK_OK;
        merlin_value(s, &set, ",})#");
        /* if __name__ == "__main__": has none */
        return set.value.length ? merlin_keep(r, &set, text, (slice){0}) : IK_OK;
    } else if (merlin_is_name(*s->at))
        return merlin_name(r);
    else if (strchr("#\"'", *s->at)) /* a comment, or a text without an end */
        s->at = s->end;
    else
        s->at++;
    return IK_OK;
}

static ik_status merlin_line(merlin_reader *r)
{
    size_t left = (size_t)(r->s.end - r->s.at);
    ik_status status = IK_OK;
    if (json_mentions(r->s.at, left, "addParamSet("))
        r->in_interface = json_mentions(r->s.at, left, "network_interface");
    while (status == IK_OK && r->s.at < r->s.end)
        status = merlin_token(r);
    return status;
}

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
    if (status == IK_OK)
        status = merlin_find(&r, &t);
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
