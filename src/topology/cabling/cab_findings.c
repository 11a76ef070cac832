/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of a fabric's cabling: each finding names both ends, and what would mend it.
 */
#include "topology/cabling/cab_findings.h"

#include "base/array.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cases of one kind named one by one; more are counted. */
enum { NAMED = 100, TEXT = 192, LONG_TEXT = 1200 };

ik_status cab_finding(ik_cabling *c, ik_severity severity, const char *code, uint32_t port,
                      uint32_t node, ik_error *err, const char *format, ...)
{
    assert(*code && strlen(code) < sizeof(((ik_finding *)0)->code));
    char text[LONG_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ik_finding n = {.severity = severity, .port = port, .node = node};
    snprintf(n.code, sizeof n.code, "%s", code);
    n.text = ik_arena_strdup(&c->arena, text);
    if (!n.text || !IK_ARRAY_ROOM(c->findings, c->finding_cap, c->num_findings + 1))
        return ik_fail_memory(err, sizeof text, "findings");
    c->findings[c->num_findings++] = n;
    return IK_OK;
}

/* ---- changes */

typedef struct ends {
    char stays[TEXT], from[TEXT], to[TEXT], other[TEXT];
} ends;

static void cab_findings_describe(const ik_fabric *f, uint32_t port, bool node_only,
                                  char text[TEXT])
{
    text[0] = '\0';
    if (port != IK_NONE && node_only)
        ik_node_describe(f, f->port_node[port], text, TEXT);
    else if (port != IK_NONE)
        ik_port_describe(f, port, text, TEXT);
}

static ik_status cab_findings_tell_move(ik_cabling *c, const ik_fabric *f, const ik_cable_change *m,
                                        const ends *e, const char *by, ik_error *err)
{
    assert(m->work == IK_CABLE_MOVE);
    bool same = f->port_node[m->from] == f->port_node[m->to];
    uint32_t node = f->port_node[m->stays];
    if (m->blocked)
        return cab_finding(c, IK_ERROR, "miscabled", m->stays, node, err,
                           "the cable from %s ends at %s; by %s it belongs to %s, which has no "
                           "free port for it",
                           e->stays, e->from, by, e->to);
    return cab_finding(c, same ? IK_WARNING : IK_ERROR, same ? "other-port" : "miscabled", m->stays,
                       node, err,
                       "the cable from %s ends at %s, by %s it belongs to %s: move the cable at %s "
                       "from %s to %s",
                       e->stays, e->from, by, e->to, e->stays, e->from, e->to);
}

static ik_status cab_findings_tell_swap(ik_cabling *c, const ik_fabric *f, const ik_cable_change *m,
                                        const ends *e, const char *by, ik_error *err)
{
    assert(m->work == IK_CABLE_SWAP);
    uint32_t far = f->port_node[m->from], node = f->port_node[m->stays];
    bool same = far == f->port_node[m->to] || node == f->port_node[m->other];
    return cab_finding(c, same ? IK_WARNING : IK_ERROR, same ? "other-port" : "miscabled", m->stays,
                       node, err,
                       "two cables are swapped: %s is cabled to %s and %s to %s, by %s it is the "
                       "other way round: exchange the ends at %s and %s",
                       e->stays, e->from, e->other, e->to, by, e->from, e->to);
}

static ik_status cab_findings_tell_change(ik_cabling *c, const ik_fabric *f,
                                          const ik_cable_change *m, const char *by, ik_error *err)
{
    ends e;
    bool vague = m->blocked || (m->work == IK_CABLE_ADD && !c->by_ports);
    cab_findings_describe(f, m->stays, m->work == IK_CABLE_ADD && vague, e.stays);
    cab_findings_describe(f, m->from, false, e.from);
    cab_findings_describe(f, m->to, vague, e.to);
    cab_findings_describe(f, m->other, false, e.other);
    switch (m->work) {
    case IK_CABLE_MOVE:
        return cab_findings_tell_move(c, f, m, &e, by, err);
    case IK_CABLE_SWAP:
        return cab_findings_tell_swap(c, f, m, &e, by, err);
    case IK_CABLE_ADD:
        return cab_finding(c, IK_WARNING, "missing-cable", m->blocked ? IK_NONE : m->stays,
                           f->port_node[m->stays], err,
                           "a cable from %s to %s is missing, which %s has: add it%s", e.stays,
                           e.to, by, m->blocked ? "; one of them has no free port" : "");
    case IK_CABLE_REMOVE:
        break;
    }
    return cab_finding(c, IK_WARNING, "extra-cable", m->stays, f->port_node[m->stays], err,
                       "the cable from %s to %s is none that %s has: remove it", e.stays, e.from,
                       by);
}

ik_status cab_tell_changes(ik_cabling *c, const ik_fabric *f, const char *by, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < c->num_changes && i < NAMED && status == IK_OK; i++)
        status = cab_findings_tell_change(c, f, &c->changes[i], by, err);
    bool wrong = false;
    for (size_t i = NAMED; i < c->num_changes; i++)
        wrong |= c->changes[i].work != IK_CABLE_ADD;
    if (status == IK_OK && c->num_changes > NAMED)
        status = cab_finding(c, wrong ? IK_ERROR : IK_WARNING,
                             wrong ? "miscabled" : "missing-cable", IK_NONE, IK_NONE, err,
                             "%zu cables differ from %s in all, the first %d are named",
                             c->num_changes, by, NAMED);
    return status;
}

ik_status cab_tell_resemblance(ik_cabling *c, const ik_fabric *f, ik_error *err)
{
    char text[LONG_TEXT];
    if (c->num_changes != 1)
        return IK_OK;
    ik_status status = cab_findings_tell_change(c, f, &c->changes[0], c->family, err);
    if (status != IK_OK)
        return status;
    ik_finding *n = &c->findings[c->num_findings - 1];
    snprintf(text, sizeof text,
             "if the fabric is meant to be %s: %.900s; other changes may make it "
             "that, too",
             c->family, n->text);
    n->severity = IK_NOTE;
    snprintf(n->code, sizeof n->code, "near-family");
    n->text = ik_arena_strdup(&c->arena, text);
    return n->text ? IK_OK : ik_fail_memory(err, sizeof text, "findings");
}

/* ---- the rest */

ik_status cab_tell_judged(ik_cabling *c, const ik_fabric *f, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < f->num_findings && status == IK_OK; i++) {
        const ik_finding *n = &f->findings[i];
        if (c->known && strcmp(n->code, "missing-cable") == 0)
            continue;
        status = cab_finding(c, n->severity, n->code, n->port, n->node, err, "%s", n->text);
    }
    return status;
}

ik_status cab_tell_unused(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err)
{
    ik_status status = IK_OK;
    for (unsigned kind = 0; kind <= 255 && status == IK_OK; kind++) {
        uint64_t unused = 0, ports = 0, switches = 0;
        char level[32] = "";
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            uint64_t before = unused;
            if (g->kind[sw] != kind)
                continue;
            for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++)
                unused += f->port_peer[p] == IK_NONE;
            ports += ik_radix(f, sw);
            switches += unused > before;
        }
        if (!unused)
            continue;
        if (kind)
            snprintf(level, sizeof level, " of level %u", kind);
        status = cab_finding(
            c, IK_NOTE, "unused-ports", IK_NONE, IK_NONE, err,
            "%" PRIu64 " of %s of switches%s have no cable, on %" PRIu64 " switch%s", unused,
            IK_COUNT(ports, "port"), level, switches, switches == 1 ? "" : "es");
    }
    return status;
}

static bool cab_findings_has_cable(const ik_fabric *f, uint32_t node)
{
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        if (f->port_peer[port] != IK_NONE)
            return true;
    return false;
}

typedef struct sort {
    bool switches;
    ik_severity severity;
    const char *code, *text;
} sort;

/* Nodes without a partner in the other fabric. */
static ik_status cab_findings_tell_lonely(ik_cabling *c, const ik_fabric *in,
                                          const uint32_t *partner, const sort *k, bool of_plan,
                                          ik_error *err)
{
    ik_status status = IK_OK;
    uint64_t shown = 0;
    char name[TEXT];
    uint32_t first = k->switches ? 0 : in->num_switches;
    uint32_t end = k->switches ? in->num_switches : ik_num_nodes(in);
    for (uint32_t node = first; node < end && status == IK_OK; node++)
        if (partner[node] == IK_NONE && shown++ < NAMED)
            status =
                cab_finding(c, k->severity, k->code, IK_NONE, of_plan ? IK_NONE : node, err,
                            k->switches ? "switch %s %s" : "host %s %s",
                            ik_node_describe(in, node, name, sizeof name),
                            cab_findings_has_cable(in, node) || of_plan ? k->text : "has no cable");
    if (shown > NAMED && status == IK_OK)
        status = cab_finding(c, k->severity, k->code, IK_NONE, IK_NONE, err,
                             "%" PRIu64 " %s in all, the first %d are named", shown,
                             k->switches ? "switches" : "hosts", NAMED);
    return status;
}

/* Switches of a family have no names: they are counted. */
static ik_status cab_findings_tell_unnamed(ik_cabling *c, const ik_fabric *plan,
                                           const uint32_t *fabric_of, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint32_t level = 0; level <= plan->num_levels && status == IK_OK; level++) {
        uint32_t num = 0;
        char text[32] = "";
        for (uint32_t sw = 0; sw < plan->num_switches; sw++)
            num += fabric_of[sw] == IK_NONE &&
                   (plan->switch_level ? plan->switch_level[sw] : 0) == level;
        if (level)
            snprintf(text, sizeof text, " on level %" PRIu32, level);
        if (num)
            status = cab_finding(c, IK_WARNING, "missing-switch", IK_NONE, IK_NONE, err,
                                 "%" PRIu32 " switch%s%s %s not there, or without any cable", num,
                                 num == 1 ? "" : "es", text, num == 1 ? "is" : "are");
    }
    return status;
}

ik_status cab_tell_nodes(ik_cabling *c, const ik_fabric *f, const ik_fabric *plan,
                         const uint32_t *plan_of, const uint32_t *fabric_of, bool named,
                         ik_error *err)
{
    static const sort unknown_switch = {true, IK_WARNING, "unknown-switch",
                                        "has no place in it: its cables are not judged"},
                      unknown_host = {false, IK_NOTE, "unknown-host", "is not in the plan"},
                      missing_switch = {true, IK_ERROR, "missing-switch", "of the plan is missing"},
                      missing_host = {false, IK_WARNING, "missing-host", "of the plan is missing"};
    ik_status status = cab_findings_tell_lonely(c, f, plan_of, &unknown_switch, false, err);
    if (status != IK_OK || !named)
        return status == IK_OK ? cab_findings_tell_unnamed(c, plan, fabric_of, err) : status;
    status = cab_findings_tell_lonely(c, plan, fabric_of, &missing_switch, true, err);
    if (status == IK_OK)
        status = cab_findings_tell_lonely(c, f, plan_of, &unknown_host, false, err);
    return status == IK_OK ? cab_findings_tell_lonely(c, plan, fabric_of, &missing_host, true, err)
                           : status;
}

ik_status cab_tell_crossing(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err)
{
    ik_status status = IK_OK;
    uint32_t shown = 0;
    for (uint32_t port = 0; port < f->port_base[f->num_switches] && status == IK_OK; port++) {
        uint32_t sw = f->port_node[port], far = ik_peer_node(f, port);
        if (far == IK_NONE || !ik_is_switch(f, far) || f->port_peer[port] < port)
            continue;
        int apart = g->kind[sw] - g->kind[far];
        char a[TEXT], b[TEXT];
        if (apart == 1 || apart == -1 || shown++ >= NAMED)
            continue;
        status = cab_finding(c, IK_WARNING, "miscabled", port, sw, err,
                             "the cable from %s (level %u) to %s (level %u) does not join adjacent "
                             "levels, as most others do",
                             ik_port_describe(f, port, a, sizeof a), g->kind[sw],
                             ik_port_describe(f, f->port_peer[port], b, sizeof b), g->kind[far]);
    }
    return status;
}

ik_status cab_tell_high_hosts(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err)
{
    ik_status status = IK_OK;
    uint32_t shown = 0;
    for (uint32_t port = 0; port < f->port_base[f->num_switches] && status == IK_OK; port++) {
        uint32_t sw = f->port_node[port], far = ik_peer_node(f, port);
        char a[TEXT], b[TEXT];
        if (far == IK_NONE || ik_is_switch(f, far) || g->kind[sw] < 2 || shown++ >= NAMED)
            continue;
        status = cab_finding(c, IK_NOTE, "upper-host", port, sw, err,
                             "host %s is cabled to %s of level %u; most others are cabled to leaf "
                             "switches",
                             ik_node_describe(f, far, a, sizeof a),
                             ik_port_describe(f, port, b, sizeof b), g->kind[sw]);
    }
    return status;
}
