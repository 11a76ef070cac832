/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a fabric cabled as it should be? The whole of it: find what it should be, find which switch is
 * which, find what differs, say it.
 */
#include "ikat/cabling.h"

#include "topology/cabling/cab_diff.h"
#include "topology/cabling/cab_family.h"
#include "topology/cabling/cab_findings.h"
#include "topology/cabling/cab_names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beginnings that are tried where switches of a plan are found by structure. */
enum { TRIES = 24, SUMMARY = 512 };
/* Levels that are counted from less than this part of the switches are a guess. */
enum { LEAST_LEAVES = 6 };

typedef struct audit {
    const ik_fabric *f, *plan;
    const ik_env *env;
    cab_graph g;
    cab_family family;
    uint32_t *plan_of, *fabric_of; /* nodes */
    ik_cabling out;
    ik_error *err;
} audit;

void ik_cabling_free(ik_cabling *c)
{
    free(c->changes);
    free(c->findings);
    ik_arena_free(&c->arena);
    *c = (ik_cabling){0};
}

static ik_status cabling_room_for_nodes(audit *a, const ik_fabric *plan)
{
    assert(!a->plan_of && !a->fabric_of);
    size_t num_f = (size_t)ik_num_nodes(a->f) + 1, num_p = (size_t)ik_num_nodes(plan) + 1;
    a->plan_of = ik_calloc(num_f, sizeof *a->plan_of);
    a->fabric_of = ik_calloc(num_p, sizeof *a->fabric_of);
    if (!a->plan_of || !a->fabric_of)
        return ik_fail_memory(a->err, 4 * (num_f + num_p), "nodes of a plan");
    memset(a->plan_of, 0xff, num_f * sizeof *a->plan_of);
    memset(a->fabric_of, 0xff, num_p * sizeof *a->fabric_of);
    return IK_OK;
}

static void cabling_keep_match(audit *a, const cab_match *m, const ik_fabric *plan)
{
    assert(a->plan_of && a->fabric_of); /* cabling_room_for_nodes */
    memcpy(a->plan_of, m->plan_of, a->f->num_switches * sizeof *a->plan_of);
    memcpy(a->fabric_of, m->fabric_of, plan->num_switches * sizeof *a->fabric_of);
}

static void cabling_count_switches(audit *a, const ik_fabric *plan)
{
    for (uint32_t sw = 0; sw < a->f->num_switches; sw++)
        a->out.unknown_switches += a->plan_of[sw] == IK_NONE && (a->g.degree[sw] || a->g.hosts[sw]);
    for (uint32_t sw = 0; sw < plan->num_switches; sw++)
        a->out.missing_switches += a->fabric_of[sw] == IK_NONE;
}

/* ---- against a family */

/* Cables of a switch that the family has, too. */
static uint32_t cabling_in_place(const cab_graph *g, const cab_graph *p, const cab_match *m,
                                 uint32_t sw)
{
    assert(m->plan_of[sw] != IK_NONE);
    uint32_t in_place = 0;
    for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++) {
        uint32_t to = m->plan_of[g->to[i]];
        uint32_t planned = to == IK_NONE ? 0 : cab_graph_cables(p, m->plan_of[sw], to);
        in_place += planned < g->cables[i] ? planned : g->cables[i];
    }
    return in_place;
}

/* A switch most of whose cables would be wrong is none of the family (that of a management group),
 * and its cables are not. */
static void cabling_drop_odd(audit *a)
{
    cab_match *m = &a->family.match;
    for (uint32_t sw = 0; sw < a->g.num; sw++) {
        if (m->plan_of[sw] == IK_NONE ||
            2 * cabling_in_place(&a->g, &a->family.planned, m, sw) >= a->g.degree[sw])
            continue;
        m->fabric_of[m->plan_of[sw]] = IK_NONE;
        m->plan_of[sw] = IK_NONE;
    }
}

/* A family that was recognised, but that random fabrics fit about as well, or that more than one
 * cable of 12 does not fit. In a tree that is no doubt if all join adjacent levels. */
static bool cabling_doubtful(const audit *a)
{
    return a->out.wrong &&
           (a->family.by_chance || (12 * a->out.wrong > a->g.links && !a->family.levels));
}

/* It is of no family then: what differs from one says nothing of its cables. */
static ik_status cabling_forget_family(audit *a)
{
    ik_cabling *c = &a->out;
    char text[SUMMARY];
    snprintf(text, sizeof text,
             "the fabric is of no family that is recognised; it resembles %s, but %" PRIu64
             " of %" PRIu64 " cables are in other places, which irregular fabrics can come to by "
             "chance: a plan would decide this",
             c->family, c->wrong, a->g.links);
    ik_status status = cab_tell_resemblance(c, a->f, a->err);
    free(c->changes);
    c->summary = ik_arena_strdup(&c->arena, text);
    c->changes = NULL;
    c->num_changes = c->change_cap = 0;
    c->family = NULL;
    c->known = false;
    c->missing = c->wrong = 0;
    c->missing_switches = c->unknown_switches = 0;
    cab_family_free(&a->family);
    memset(a->g.kind, 0, a->g.num);
    return status != IK_OK || c->summary ? status
                                         : ik_fail_memory(a->err, sizeof text, "a summary");
}

static ik_status cabling_against_family(audit *a)
{
    ik_status status = cab_family_find(a->f, &a->g, a->env, &a->family, a->err);
    if (status != IK_OK || !a->family.spec[0])
        return status;
    a->out.known = true;
    a->out.family = ik_arena_strdup(&a->out.arena, a->family.spec);
    if (!a->out.family)
        return ik_fail_memory(a->err, CAB_SPEC, "a family");
    status = cabling_room_for_nodes(a, a->family.plan);
    if (status != IK_OK)
        return status;
    cabling_drop_odd(a);
    cabling_keep_match(a, &a->family.match, a->family.plan);
    cabling_count_switches(a, a->family.plan);
    status = cab_diff_switches(a->f, &a->g, &a->family.planned, &a->family.match, &a->out, a->err);
    return status == IK_OK && cabling_doubtful(a) ? cabling_forget_family(a) : status;
}

/* ---- against a plan */

/* Levels as kinds if both are trees of as many levels. */
static ik_status cabling_plan_graph(audit *a, cab_graph *p)
{
    uint64_t crossing;
    uint32_t levels = a->plan->switch_level ? cab_graph_levels(&a->g, true, &crossing) : 0;
    bool trees = levels && levels == a->plan->num_levels;
    if (!trees)
        memset(a->g.kind, 0, a->g.num);
    return cab_plan_graph(a->plan, trees, p, a->err);
}

static bool cabling_some_left(const uint32_t *partner, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        if (partner[i] == IK_NONE)
            return true;
    return false;
}

/* Switches that have other names than in the plan, or none, by their place. */
static ik_status cabling_match_places(audit *a, bool named, cab_graph *p, cab_match *m)
{
    ik_status status = cabling_plan_graph(a, p);
    if (status != IK_OK)
        return status;
    status = cab_match_make(&a->g, p, named ? a->plan_of : NULL, TRIES, CAB_MOST_LOOKS, m, a->err);
    if (status == IK_OK)
        cabling_keep_match(a, m, a->plan);
    return status;
}

static ik_status cabling_against_plan(audit *a)
{
    cab_graph p = {0};
    cab_match m = {0};
    uint32_t found = 0;
    a->out.known = true;
    ik_status status = cabling_room_for_nodes(a, a->plan);
    if (status == IK_OK)
        status = cab_names_match(a->f, a->plan, a->plan_of, a->fabric_of, &found, a->err);
    if (status != IK_OK)
        return status;
    bool named = found && 2 * found >= a->f->num_switches;
    a->out.by_ports = named;
    if (!named) {
        memset(a->plan_of, 0xff, ik_num_nodes(a->f) * sizeof *a->plan_of);
        memset(a->fabric_of, 0xff, ik_num_nodes(a->plan) * sizeof *a->fabric_of);
    }
    if (!named || (cabling_some_left(a->plan_of, a->f->num_switches) &&
                   cabling_some_left(a->fabric_of, a->plan->num_switches)))
        status = cabling_match_places(a, named, &p, &m);
    if (status == IK_OK) {
        cabling_count_switches(a, a->plan);
        status = named ? cab_diff_ports(a->f, a->plan, a->plan_of, a->fabric_of, &a->out, a->err)
                       : cab_diff_switches(a->f, &a->g, &p, &m, &a->out, a->err);
    }
    cab_graph_free(&p);
    cab_match_free(&m);
    return status;
}

/* ---- what is said */

static void cabling_append(char *text, size_t size, bool *any, uint64_t num, const char *what)
{
    size_t used = strlen(text);
    if (!num)
        return;
    snprintf(text + used, size - used, "%s%" PRIu64 " %s", *any ? ", " : " with ", num, what);
    *any = true;
}

/* Of trees that more than one cable of 12 does not fit, what is at a wrong place is no error. */
static void cabling_lower_findings(audit *a)
{
    ik_cabling *c = &a->out;
    for (size_t i = 0; c->family && 12 * c->wrong > a->g.links && i < c->num_findings; i++)
        if (c->findings[i].severity == IK_ERROR)
            c->findings[i].severity = IK_WARNING;
}

static ik_status cabling_summarise(audit *a)
{
    char text[SUMMARY] = "the fabric is of no family that is recognised";
    ik_cabling *c = &a->out;
    bool any = false;
    c->exact = c->known && !c->missing && !c->wrong && !c->missing_switches && !c->unknown_switches;
    if (c->known)
        snprintf(text, sizeof text, "the fabric is cabled %s%s", c->exact ? "as " : "like ",
                 c->family ? c->family : "the plan");
    cabling_append(text, sizeof text, &any, c->missing,
                   c->missing == 1 ? "cable missing" : "cables missing");
    cabling_append(text, sizeof text, &any, c->wrong,
                   c->wrong == 1 ? "cable in a wrong place" : "cables in wrong places");
    cabling_append(text, sizeof text, &any, c->missing_switches,
                   c->missing_switches == 1 ? "switch missing" : "switches missing");
    cabling_append(text, sizeof text, &any, c->unknown_switches,
                   c->unknown_switches == 1 ? "switch too many" : "switches too many");
    c->summary = c->summary ? c->summary : ik_arena_strdup(&c->arena, text);
    if (!c->summary)
        return ik_fail_memory(a->err, sizeof text, "a summary");
    return cab_finding(c, c->known && !c->exact ? IK_WARNING : IK_NOTE, "family", IK_NONE, IK_NONE,
                       a->err, "%s", c->summary);
}

/* Nothing recognised: what at least the levels tell. */
static ik_status cabling_tell_levels(audit *a)
{
    uint64_t crossing = 0;
    uint32_t levels = cab_graph_levels(&a->g, true, &crossing), leaves = 0;
    for (uint32_t sw = 0; sw < a->g.num; sw++)
        leaves += a->g.kind[sw] == 1;
    if (levels < 2 || 20 * crossing > a->g.links || LEAST_LEAVES * leaves < a->g.num) {
        memset(a->g.kind, 0, a->g.num);
        return IK_OK;
    }
    return cab_tell_crossing(&a->out, a->f, &a->g, a->err);
}

static ik_status cabling_tell(audit *a)
{
    const ik_fabric *plan = a->plan ? a->plan : a->family.plan;
    ik_cabling *c = &a->out;
    ik_status status = cabling_summarise(a);
    if (status == IK_OK && plan)
        status = cab_tell_nodes(c, a->f, plan, a->plan_of, a->fabric_of, c->by_ports, a->err);
    if (status == IK_OK)
        status = cab_tell_changes(c, a->f, a->plan ? "the plan" : a->family.spec, a->err);
    cabling_lower_findings(a);
    if (status == IK_OK && !c->known)
        status = cabling_tell_levels(a);
    if (status == IK_OK && !a->plan && !c->exact)
        status = cab_tell_symmetry(c, a->f, &a->g, a->err);
    if (status == IK_OK && !c->by_ports)
        status = cab_tell_high_hosts(c, a->f, &a->g, a->err);
    if (status == IK_OK && !c->by_ports) /* a plan with ports says it */
        status = cab_tell_rails(c, a->f, a->err);
    if (status == IK_OK)
        status = cab_tell_judged(c, a->f, a->err);
    return status == IK_OK ? cab_tell_unused(c, a->f, &a->g, a->err) : status;
}

ik_status ik_cabling_audit(const ik_fabric *f, const ik_fabric *plan, const ik_env *env,
                           ik_cabling *out, ik_error *err)
{
    assert(f && out && !f->split);
    audit a = {.f = f, .plan = plan, .env = env, .err = err};
    ik_status status = cab_graph_make(f, &a.g, err);
    if (status == IK_OK)
        status = plan ? cabling_against_plan(&a) : cabling_against_family(&a);
    if (status == IK_OK)
        status = cabling_tell(&a);
    cab_graph_free(&a.g);
    cab_family_free(&a.family);
    free(a.plan_of);
    free(a.fabric_of);
    if (status != IK_OK)
        ik_cabling_free(&a.out);
    else
        *out = a.out;
    return status;
}

/* ---- making the changes */

static void cabling_unplug(ik_fabric *f, uint32_t port)
{
    uint32_t peer = port == IK_NONE ? IK_NONE : f->port_peer[port];
    if (peer != IK_NONE)
        f->port_peer[peer] = f->port_peer[port] = IK_NONE;
}

static ik_status cabling_plug(ik_fabric *f, uint32_t a, uint32_t b, uint16_t link, ik_error *err)
{
    char text[192];
    uint32_t busy = f->port_peer[a] != IK_NONE ? a : b;
    if (a == b || f->port_peer[busy] != IK_NONE)
        return ik_fail(err, IK_ERR_USAGE, "%s would have two cables",
                       ik_port_describe(f, busy, text, sizeof text));
    f->port_peer[a] = b;
    f->port_peer[b] = a;
    f->port_class[a] = f->port_class[b] = link;
    return IK_OK;
}

static ik_status cabling_make(const ik_fabric *f, const ik_cable_change *m, ik_fabric *changed,
                              ik_error *err)
{
    assert(m->stays < f->num_ports);
    uint16_t link = m->from == IK_NONE ? 0 : f->port_class[m->stays];
    if (m->blocked || m->work == IK_CABLE_REMOVE)
        return IK_OK;
    ik_status status = cabling_plug(changed, m->stays, m->to, link, err);
    if (status == IK_OK && m->work == IK_CABLE_SWAP)
        status = cabling_plug(changed, m->other, m->from, f->port_class[m->other], err);
    return status;
}

/* A fabric without any cable has no class of links for the first one. */
static ik_status cabling_need_class(ik_fabric *f, ik_error *err)
{
    static const ik_link_class usual = {UINT64_C(100000000000), 6000, "100 Gb/s"};
    if (f->num_classes)
        return IK_OK;
    ik_link_class *classes = ik_calloc(1, sizeof *classes);
    if (!classes)
        return ik_fail_memory(err, sizeof *classes, "a class of links");
    free(f->classes);
    classes[0] = usual;
    f->classes = classes;
    f->num_classes = 1;
    return IK_OK;
}

ik_status ik_cabling_apply(const ik_fabric *f, const ik_cable_change *changes, size_t num,
                           ik_fabric **out, ik_error *err)
{
    ik_fabric *changed = NULL;
    ik_status status = ik_fabric_degrade(f, NULL, 0, NULL, 0, &changed, err);
    if (status == IK_OK && num)
        status = cabling_need_class(changed, err);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        if (changes[i].blocked)
            continue;
        cabling_unplug(changed, changes[i].from);
        if (changes[i].work == IK_CABLE_SWAP)
            cabling_unplug(changed, changes[i].other);
    }
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = cabling_make(f, &changes[i], changed, err);
    if (status == IK_OK)
        status = ik_fabric_find_levels(changed, err);
    if (status == IK_OK)
        status = ik_fabric_judge(changed, err);
    if (status != IK_OK) {
        ik_fabric_free(changed);
        return status;
    }
    *out = changed;
    return IK_OK;
}
