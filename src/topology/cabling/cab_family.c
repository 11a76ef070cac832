/* SPDX-License-Identifier: Apache-2.0
 *
 * Which family a fabric belongs to: specifications that fit its counts are generated and compared
 * switch by switch and cable by cable; the one with fewest differences is it.
 */
#include "topology/cabling/cab_family.h"

#include "base/array.h"
#include "ikat/topology.h"
#include "topology/cabling/cab_chance.h"
#include "topology/cabling/cab_mend.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tries to match: of trees, whose switches of a level are alike; of other families, in which the
 * directions may be mistaken for each other. */
enum { TRIES_TREE = 4, TRIES_OTHER = 96 };
/* Times that switches of a tree are moved to the levels on which the family lacks some. */
enum { LEVELLED = 8 };
/* Switches with another number of cables than their partners that are looked at in pairs. */
enum { UNEVEN = 32 };
/* Fabrics cabled at random that a small one is compared with. Large ones come near to no family. */
enum { SAMPLES = 8, SMALL = 128 };
/* Switches of a family without levels that may be down, and so in no dump. */
enum { MOST_DOWN = 2 };

bool cab_specs_add(cab_specs *s, const char *format, ...)
{
    va_list args;
    if (!IK_ARRAY_ROOM(s->spec, s->cap, s->num + 1))
        return false;
    va_start(args, format);
    vsnprintf(s->spec[s->num], CAB_SPEC, format, args);
    va_end(args);
    size_t earlier = 0;
    while (strcmp(s->spec[earlier], s->spec[s->num]) != 0)
        earlier++;
    s->num += earlier == s->num;
    return true;
}

static int cab_family_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t cab_commonest(uint32_t *values, size_t num)
{
    uint32_t best = 0;
    size_t most = 0;
    qsort(values, num, sizeof *values, cab_family_compare_u32);
    for (size_t i = 0, next; i < num; i = next) {
        for (next = i + 1; next < num && values[next] == values[i];)
            next++;
        if (next - i >= most) {
            most = next - i;
            best = values[i];
        }
    }
    return best;
}

ik_status cab_plan_graph(const ik_fabric *plan, bool levels, cab_graph *out, ik_error *err)
{
    ik_status status = cab_graph_make(plan, out, err);
    for (uint32_t sw = 0; status == IK_OK && levels && plan->switch_level && sw < out->num; sw++)
        out->kind[sw] = plan->switch_level[sw];
    return status;
}

void cab_family_free(cab_family *family)
{
    ik_fabric_free(family->plan);
    cab_graph_free(&family->planned);
    cab_match_free(&family->match);
    free(family->kind);
    *family = (cab_family){.work = family->work};
}

/* Cables and switches that only one of the two has. A cable at a wrong place counts twice: what is
 * down explains what is missing. A switch counts as much as a cable that was moved, and its cables
 * not at all: so a swap is not taken for a switch that is down, nor the other way round. */
static uint64_t cab_family_differences(const cab_match *m, const cab_graph *g, const cab_graph *p)
{
    assert(m->agree <= g->links && m->agree <= m->planned);
    uint64_t alone = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        alone += m->plan_of[sw] == IK_NONE;
    for (uint32_t sw = 0; sw < p->num; sw++)
        alone += m->fabric_of[sw] == IK_NONE;
    return 2 * (g->links - m->agree) + m->planned - m->agree + 3 * alone;
}

/* Places for hosts that the plan has and the fabric has not, or the other way round. */
static uint64_t cab_family_unequal_hosts(const cab_graph *g, const cab_graph *p)
{
    uint64_t here = 0, planned = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        here += g->hosts[sw];
    for (uint32_t sw = 0; sw < p->num; sw++)
        planned += p->hosts[sw];
    return here > planned ? here - planned : planned - here;
}

/* Of as many differences, the one that has about as many hosts: a tree whose top switches have as
 * few cables as its leaf switches resembles another with more of these. */
static bool cab_family_is_nearer(const cab_graph *g, const cab_family *a, const cab_family *b)
{
    uint64_t here = cab_family_differences(&a->match, g, &a->planned);
    uint64_t there = cab_family_differences(&b->match, g, &b->planned);
    return here < there || (here == there && cab_family_unequal_hosts(g, &a->planned) <
                                                 cab_family_unequal_hosts(g, &b->planned));
}

/* In a small tree, two of the few cables that each switch has may be swapped. */
static bool cab_family_convincing(const cab_match *m, const cab_graph *g, const cab_graph *p)
{
    uint64_t wrong = g->links - m->agree, missing = p->links - m->agree;
    bool swapped = p->kind[0] && wrong <= 2 && missing == wrong;
    bool explained = cab_match_is_near(g, m) && m->agree + 2 + m->planned / 64 >= m->planned;
    if (!p->kind[0] && p->num > g->num && !explained)
        return false; /* that switches are down must explain nearly all */
    return (m->agree || !g->links) && (10 * wrong <= g->links + 10 || swapped) &&
           4 * missing <= p->links;
}

/* How many cables of a graph can agree with another's at most: between two switches no more than
 * the other has between any two. */
static uint64_t cab_family_most_agreeing(const cab_graph *of, const cab_graph *other)
{
    uint64_t sum = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < other->base[other->num]; i++)
        most = other->cables[i] > most ? other->cables[i] : most;
    for (uint32_t i = 0; i < of->base[of->num]; i++)
        sum += of->cables[i] < most ? of->cables[i] : most;
    return sum / 2;
}

/* Whether a comparison may convince: tells apart quickly what has other numbers of parallel cables.
 */
static bool cab_family_may_convince(const cab_graph *g, const cab_graph *p)
{
    uint64_t a = cab_family_most_agreeing(g, p), b = cab_family_most_agreeing(p, g);
    const cab_match best = {.agree = a < b ? a : b};
    return cab_family_convincing(&best, g, p);
}

/* All switches of a complete graph are alike; those without ports have no place in it. */
static ik_status cab_family_match_complete(const cab_graph *g, cab_match *out, ik_error *err)
{
    cab_match m = {.plan_of = ik_calloc((size_t)g->num + 1, sizeof *m.plan_of),
                   .fabric_of = ik_calloc((size_t)g->num + 1, sizeof *m.fabric_of)};
    if (!m.plan_of || !m.fabric_of) {
        cab_match_free(&m);
        return ik_fail_memory(err, g->num * 8, "matching");
    }
    for (uint32_t sw = 0; sw < g->num; sw++)
        m.plan_of[sw] = m.fabric_of[sw] = g->ports[sw] ? sw : IK_NONE;
    *out = m;
    return IK_OK;
}

static void cab_family_count_complete(const cab_graph *g, const cab_graph *p, cab_match *m)
{
    assert(g->num == p->num);
    m->laid = g->links;
    m->planned = p->links;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++) {
            uint32_t there = cab_graph_cables(p, sw, g->to[i]);
            m->agree += there < g->cables[i] ? there : g->cables[i];
        }
    m->agree /= 2;
}

/* The switch of the plan that has no partner and that most cables of u speak for. IK_NONE: none. */
static uint32_t cab_family_place(const cab_mend *m, uint32_t u)
{
    uint32_t best = IK_NONE, most = 0;
    for (uint32_t v = 0; v < m->p->num; v++) {
        uint32_t agree = m->fabric_of[v] == IK_NONE ? cab_mend_agreement(m, u, v) : 0;
        if (agree > most) {
            most = agree;
            best = v;
        }
    }
    return best;
}

/* Takes the partners from switches fewer than half of whose cables agree. */
static void cab_family_part(const cab_mend *m)
{
    for (uint32_t u = 0; u < m->f->num; u++) {
        uint32_t v = m->plan_of[u];
        if (v != IK_NONE && 2 * cab_mend_agreement(m, u, v) < m->f->degree[u])
            m->plan_of[u] = m->fabric_of[v] = IK_NONE;
    }
}

/* Moves switches without a partner to the level of the place that their cables speak for, and to
 * those that these speak for then. Is there one? A single cable that leads to another level
 * misleads who counts levels. */
static bool cab_family_level_again(const cab_mend *m, uint8_t *kind)
{
    bool moved = false, placed = true;
    cab_family_part(m);
    for (unsigned round = 0; placed && round < LEVELLED; round++) {
        placed = false;
        for (uint32_t u = 0; u < m->f->num; u++) {
            bool alone = m->plan_of[u] == IK_NONE && m->f->degree[u];
            uint32_t v = alone ? cab_family_place(m, u) : IK_NONE;
            if (v == IK_NONE)
                continue;
            m->plan_of[u] = v;
            m->fabric_of[v] = u;
            placed = true;
            moved |= m->p->kind[v] != kind[u];
            kind[u] = m->p->kind[v];
        }
    }
    return moved;
}

/* One more try, with other levels. *better: fewer differences. kind: [switches] of the fabric;
 * partner: [switches of both] scratch. */
static ik_status cab_family_try_levels(const cab_graph *g, cab_family *now, uint8_t *kind,
                                       uint32_t *partner, bool *better, ik_error *err)
{
    const cab_graph *p = &now->planned;
    cab_graph levelled = *g;
    cab_match again = {0};
    const cab_mend places = {.f = g, .p = p, .plan_of = partner, .fabric_of = partner + g->num};
    *better = false;
    levelled.kind = kind;
    memcpy(kind, now->kind, g->num);
    memcpy(partner, now->match.plan_of, g->num * sizeof *partner);
    memcpy(partner + g->num, now->match.fabric_of, p->num * sizeof *partner);
    if (!cab_family_level_again(&places, kind))
        return IK_OK;
    ik_status status = cab_match_make(&levelled, p, NULL, TRIES_TREE, 0, &again, err);
    now->work += again.work;
    *better = status == IK_OK &&
              cab_family_differences(&again, g, p) < cab_family_differences(&now->match, g, p);
    if (*better) {
        cab_match_free(&now->match);
        now->match = again;
        memcpy(now->kind, kind, g->num);
    } else {
        cab_match_free(&again);
    }
    return status;
}

/* Exchanges the partners, and so the levels, of two switches that have as many cables as each
 * other's partners, but not as their own, if no fewer cables agree then. */
static void cab_family_exchange_uneven(const cab_mend *m, cab_family *now, uint32_t u, uint32_t w)
{
    uint32_t v = m->plan_of[u], x = m->plan_of[w];
    if (m->f->degree[u] == m->p->degree[v] || m->f->degree[u] != m->p->degree[x] ||
        m->f->degree[w] != m->p->degree[v])
        return;
    uint32_t before = cab_mend_agreement(m, u, v) + cab_mend_agreement(m, w, x);
    m->plan_of[u] = x;
    m->plan_of[w] = v;
    uint32_t after = cab_mend_agreement(m, u, x) + cab_mend_agreement(m, w, v);
    if (after < before) {
        m->plan_of[u] = v;
        m->plan_of[w] = x;
        return;
    }
    m->fabric_of[x] = u;
    m->fabric_of[v] = w;
    now->kind[u] = m->p->kind[x];
    now->kind[w] = m->p->kind[v];
    now->match.agree += after - before;
}

/* Two cables that were swapped between four levels look like two that one switch would have to give
 * to another where these two are at each other's level: as many differences, but a switch with
 * another number of cables than its partner. Of the first such switches, all pairs are tried. */
static void cab_family_even_out(const cab_graph *g, cab_family *now)
{
    const cab_graph *p = &now->planned;
    const cab_mend m = {
        .f = g, .p = p, .plan_of = now->match.plan_of, .fabric_of = now->match.fabric_of};
    uint32_t uneven[UNEVEN], num = 0;
    for (uint32_t u = 0; u < g->num && num < UNEVEN; u++)
        if (m.plan_of[u] != IK_NONE && g->degree[u] != p->degree[m.plan_of[u]])
            uneven[num++] = u;
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t k = i + 1; k < num; k++)
            cab_family_exchange_uneven(&m, now, uneven[i], uneven[k]);
}

/* A tree whose levels may have been counted wrongly. */
static ik_status cab_family_match_tree(const cab_graph *g, cab_family *now, ik_error *err)
{
    ik_status status = cab_match_make(g, &now->planned, NULL, TRIES_TREE, 0, &now->match, err);
    now->work += now->match.work;
    if (status != IK_OK || 2 * now->match.agree < g->links)
        return status;
    uint8_t *kind = ik_calloc((size_t)g->num + 1, sizeof *kind);
    uint32_t *partner = ik_calloc((size_t)g->num + now->planned.num + 1, sizeof *partner);
    now->kind = ik_calloc((size_t)g->num + 1, sizeof *now->kind);
    bool better = kind && partner && now->kind;
    if (!better)
        status = ik_fail_memory(err, 10 * g->num, "levels of switches");
    else
        memcpy(now->kind, g->kind, g->num);
    for (unsigned i = 0; i < LEVELLED && better && status == IK_OK; i++)
        status = cab_family_try_levels(g, now, kind, partner, &better, err);
    if (status == IK_OK)
        cab_family_even_out(g, now);
    free(kind);
    free(partner);
    return status;
}

static ik_status cab_family_compare(const cab_graph *g, const char *spec, bool tree, double looks,
                                    const ik_env *env, cab_family *now, ik_error *err)
{
    snprintf(now->spec, sizeof now->spec, "%s", spec);
    ik_status status = ik_fabric_from_spec(spec, env, &now->plan, err);
    if (status != IK_OK)
        return status;
    status = cab_plan_graph(now->plan, tree, &now->planned, err);
    if (status == IK_OK && !cab_family_may_convince(g, &now->planned))
        return ik_fail(err, IK_ERR_UNSUPPORTED, "%s has other cables", spec);
    if (status == IK_OK && strncmp(spec, "fullmesh", 8) == 0) {
        status = cab_family_match_complete(g, &now->match, err);
        if (status == IK_OK)
            cab_family_count_complete(g, &now->planned, &now->match);
    } else if (status == IK_OK && tree) {
        status = cab_family_match_tree(g, now, err);
    } else if (status == IK_OK) {
        status = cab_match_make(g, &now->planned, NULL, TRIES_OTHER, looks, &now->match, err);
        now->work += now->match.work;
    }
    return status;
}

/* The best of the specifications and of what there is; those that cannot be built or are too large
 * are none. looks: from landmarks, for all of them. */
static ik_status cab_family_try_all(const cab_graph *g, const cab_specs *specs, bool tree,
                                    double looks, const ik_env *env, cab_family *out, ik_error *err)
{
    double each = looks / (double)(specs->num ? specs->num : 1);
    for (size_t i = 0; i < specs->num; i++) {
        cab_family now = {0};
        ik_error why = {0};
        ik_status status = cab_family_compare(g, specs->spec[i], tree, each, env, &now, &why);
        out->work += now.work;
        if (status == IK_ERR_MEMORY) {
            cab_family_free(&now);
            *err = why;
            return status;
        }
        if (status != IK_OK || !cab_family_convincing(&now.match, g, &now.planned) ||
            (out->spec[0] && !cab_family_is_nearer(g, &now, out))) {
            cab_family_free(&now);
            continue;
        }
        cab_family_free(out);
        now.work = out->work;
        *out = now;
        if (cab_family_differences(&out->match, g, &out->planned) == 0)
            break;
    }
    return IK_OK;
}

/* Cables that are somewhere else. Of no family: all. */
static uint64_t cab_family_wrong(const cab_graph *g, const cab_family *family)
{
    return g->links - (family->spec[0] ? family->match.agree : 0);
}

/* The best of the specifications with the fabric's number of switches; if cables are at wrong
 * places then, those with more switches, of which some are down, too. Landmarks are looked for only
 * where none comes near without. */
static ik_status cab_family_best_of(const cab_graph *g, const cab_specs specs[2], double looks,
                                    const ik_env *env, cab_family *out, ik_error *err)
{
    static const double some[] = {0, 0, 1, 0.25};
    ik_status status = IK_OK;
    for (unsigned i = 0; i < 4 && status == IK_OK; i++) {
        bool near = out->spec[0] && cab_match_is_near(g, &out->match);
        bool down = out->spec[0] && out->planned.num > g->num;
        uint64_t wrong = cab_family_wrong(g, out);
        if (i == 0 || (i == 1 && wrong) || (i > 1 && !near) || (i == 3 && down && wrong))
            status = cab_family_try_all(g, &specs[i % 2], false, some[i] * looks, env, out, err);
    }
    return status;
}

/* Does a family say anything of a fabric that has cables it does not have? Not if one of those
 * cabled at random comes near to one of the same families but for twice as many. */
static ik_status cab_family_doubt(const cab_graph *g, const cab_specs specs[2], const ik_env *env,
                                  cab_family *out, ik_error *err)
{
    uint64_t wrong = out->spec[0] ? cab_family_wrong(g, out) : 0;
    ik_status status = IK_OK;
    for (unsigned i = 0;
         wrong && g->num <= SMALL && i < SAMPLES && !out->by_chance && status == IK_OK; i++) {
        cab_graph random = {0};
        cab_family near = {0};
        status = cab_chance_shuffled(g, i, &random, err);
        if (status == IK_OK)
            status = cab_family_best_of(&random, specs, CAB_MOST_LOOKS / 16, env, &near, err);
        if (near.spec[0] && cab_family_wrong(g, &near) <= 2 * wrong)
            out->by_chance = true;
        out->work += near.work;
        cab_family_free(&near);
        cab_graph_free(&random);
    }
    return status;
}

static ik_status cab_family_find_grid(cab_graph *g, const ik_env *env, cab_family *out,
                                      ik_error *err)
{
    cab_specs specs[2] = {{0}, {0}};
    ik_status status = IK_OK;
    memset(g->kind, 0, g->num);
    out->levels = false;
    if (g->num == 1)
        status = cab_specs_add(specs, "crossbar:n=%u", g->max_hosts)
                     ? IK_OK
                     : ik_fail_memory(err, CAB_SPEC, "families");
    for (uint32_t down = 0; down <= MOST_DOWN && g->num > 1 && status == IK_OK; down++)
        status = cab_grids(g, down, &specs[down > 0], err);
    if (status == IK_OK)
        status = cab_family_best_of(g, specs, CAB_MOST_LOOKS, env, out, err);
    if (status == IK_OK)
        status = cab_family_doubt(g, specs, env, out, err);
    free(specs[0].spec);
    free(specs[1].spec);
    return status;
}

/* The best of the trees that the levels in g->kind suggest, and of what there is. */
static ik_status cab_family_find_levelled(const ik_fabric *f, const cab_graph *g, uint32_t levels,
                                          uint64_t crossing, const ik_env *env, cab_family *out,
                                          ik_error *err)
{
    cab_specs specs = {0};
    if (levels < 2 || 5 * crossing > g->links)
        return IK_OK;
    ik_status status = cab_trees(f, g, levels, &specs, err);
    if (status == IK_OK)
        status = cab_family_try_all(g, &specs, true, 0, env, out, err);
    free(specs.spec);
    return status;
}

/* Where cables are at wrong places, leaf switches without hosts and switches at the top cannot
 * always be told apart by counting: then trees of the other kind are tried, too. counted:
 * [switches] levels of the first kind, which g has again afterwards. */
static ik_status cab_family_find_other_tree(const ik_fabric *f, cab_graph *g, uint8_t *counted,
                                            const ik_env *env, cab_family *out, ik_error *err)
{
    uint64_t crossing;
    memcpy(counted, g->kind, g->num);
    uint32_t levels = cab_graph_levels(g, false, &crossing);
    ik_status status = memcmp(counted, g->kind, g->num) == 0
                           ? IK_OK
                           : cab_family_find_levelled(f, g, levels, crossing, env, out, err);
    memcpy(g->kind, counted, g->num);
    return status;
}

static ik_status cab_family_find_tree(const ik_fabric *f, cab_graph *g, const ik_env *env,
                                      cab_family *out, ik_error *err)
{
    uint64_t crossing;
    uint32_t levels = cab_graph_levels(g, true, &crossing);
    ik_status status = cab_family_find_levelled(f, g, levels, crossing, env, out, err);
    if (status == IK_OK &&
        !(out->spec[0] && cab_family_differences(&out->match, g, &out->planned) == 0)) {
        uint8_t *counted = ik_calloc(g->num, sizeof *counted);
        status = counted ? cab_family_find_other_tree(f, g, counted, env, out, err)
                         : ik_fail_memory(err, g->num, "levels of switches");
        free(counted);
    }
    if (status == IK_OK && out->kind)
        memcpy(g->kind, out->kind, g->num);
    out->levels = cab_graph_crossing(g) == 0;
    return status;
}

ik_status cab_family_find(const ik_fabric *f, cab_graph *g, const ik_env *env, cab_family *out,
                          ik_error *err)
{
    *out = (cab_family){0};
    if (g->num == 0 || (g->num == 1 && !g->max_hosts))
        return IK_OK;
    ik_status status = g->num > 1 ? cab_family_find_tree(f, g, env, out, err) : IK_OK;
    if (status == IK_OK && !out->spec[0])
        status = cab_family_find_grid(g, env, out, err);
    if (status != IK_OK)
        cab_family_free(out);
    return status;
}
