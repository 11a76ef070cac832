/* SPDX-License-Identifier: Apache-2.0
 *
 * cab_cycles.c: two cables that are swapped, in a fabric of no recognised family.
 *
 * Swapped cables leave every switch its number of cables. But a cable within a group, or between a
 * switch and all the others that share its neighbours, is in many cycles of three and four cables,
 * and one that leads elsewhere by mistake is in few or none. A switch has as many cables of either
 * sort as most others that are like it (with hosts, without); a cable of few cycles between two
 * switches that both have fewer cables of many cycles than usual is odd. That is said only where
 * the two sorts are apart, odd ones are few, its ends have no other odd one, and there is another
 * with which it can be exchanged so that both are in many cycles: in a fabric cabled at random,
 * cables of few cycles are there by chance.
 * Cost O(links * degree^2 * log degree); nothing is done beyond MOST_STEPS.
 */
#include "topology/cabling/cab_findings.h"

#include <assert.h>
#include <stdlib.h>

enum { TEXT = 192, NAMED = 20, LEAST_ALIKE = 6, LEAST_CYCLES = 3, FEW = 20, MOST_ODD = 40 };
static const double MOST_STEPS = 5e7;

typedef struct cycles {
    const cab_graph *g;
    uint32_t *of;     /* [base[num]] cycles of three and four that a neighbour's cable is in */
    uint32_t *strong; /* [num] neighbours by cables of many cycles */
    uint32_t *count;  /* [max_degree + 1] scratch */
    bool *odd;        /* [num] fewer of them than usual, and no cable missing */
} cycles;

static uint32_t cab_cycles_count(const cab_graph *g, uint32_t a, uint32_t b)
{
    uint32_t num = 0;
    for (uint32_t i = g->base[a]; i < g->base[a + 1]; i++) {
        uint32_t x = g->to[i];
        if (x == b)
            continue;
        num += cab_graph_cables(g, x, b) > 0;
        for (uint32_t k = g->base[b]; k < g->base[b + 1]; k++)
            num += g->to[k] != a && g->to[k] != x && cab_graph_cables(g, x, g->to[k]) > 0;
    }
    return num;
}

static int cab_cycles_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The median, over the switches, of the most cycles that a cable of theirs is in. */
static uint32_t cab_cycles_usual_most(const cycles *c, uint32_t *most)
{
    assert(c->g->num > 0);
    const cab_graph *g = c->g;
    for (uint32_t sw = 0; sw < g->num; sw++) {
        most[sw] = 0;
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
            most[sw] = c->of[i] > most[sw] ? c->of[i] : most[sw];
    }
    qsort(most, g->num, sizeof *most, cab_cycles_compare);
    return most[g->num / 2];
}

/* The number that most of the switches alike have; 0: not three of four have one. */
static uint32_t cab_cycles_usual(const cycles *c, const uint32_t *value, bool hosts)
{
    uint32_t num = 0, usual = 0;
    for (uint32_t i = 0; i <= c->g->max_degree; i++)
        c->count[i] = 0;
    for (uint32_t sw = 0; sw < c->g->num; sw++)
        if (c->g->degree[sw] && (c->g->hosts[sw] > 0) == hosts) {
            assert(value[sw] <= c->g->max_degree);
            c->count[value[sw]]++;
            num++;
        }
    for (uint32_t i = 0; i <= c->g->max_degree; i++)
        usual = c->count[i] > c->count[usual] ? i : usual;
    return num >= LEAST_ALIKE && 4 * c->count[usual] >= 3 * num ? usual : 0;
}

static void cab_cycles_find_odd(cycles *c, uint32_t least)
{
    const cab_graph *g = c->g;
    for (uint32_t sw = 0; sw < g->num; sw++) {
        c->strong[sw] = 0;
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
            c->strong[sw] += 2 * c->of[i] >= least;
    }
    for (unsigned hosts = 0; hosts < 2; hosts++) {
        uint32_t degree = cab_cycles_usual(c, g->degree, hosts),
                 strong = cab_cycles_usual(c, c->strong, hosts);
        for (uint32_t sw = 0; sw < g->num && degree && strong; sw++)
            if (g->degree[sw] >= degree && (g->hosts[sw] > 0) == hosts)
                c->odd[sw] = c->strong[sw] < strong;
    }
}

static bool cab_cycles_is_odd(const cycles *c, uint32_t a, uint32_t i, uint32_t least)
{
    uint32_t b = c->g->to[i];
    return b > a && c->odd[a] && c->odd[b] && 2 * c->of[i] < least;
}

/* Is it the only odd cable of both its ends? A switch that lacks cables of many cycles for another
 * reason has several. */
static bool cab_cycles_is_alone(const cycles *c, uint32_t a, uint32_t b, uint32_t least)
{
    const cab_graph *g = c->g;
    uint32_t odd = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
            if (sw == a || sw == b || g->to[i] == a || g->to[i] == b)
                odd += cab_cycles_is_odd(c, sw, i, least);
    return odd == 1;
}

/* Is there another odd cable with which the one from a to b was swapped? */
static bool cab_cycles_has_partner(const cycles *c, uint32_t a, uint32_t b, uint32_t least)
{
    const cab_graph *g = c->g;
    for (uint32_t x = 0; x < g->num; x++)
        for (uint32_t i = g->base[x]; i < g->base[x + 1]; i++) {
            uint32_t y = g->to[i];
            if (!cab_cycles_is_odd(c, x, i, least) || x == a || x == b || y == a || y == b)
                continue;
            if ((2 * cab_cycles_count(g, a, x) >= least &&
                 2 * cab_cycles_count(g, b, y) >= least) ||
                (2 * cab_cycles_count(g, a, y) >= least && 2 * cab_cycles_count(g, b, x) >= least))
                return true;
        }
    return false;
}

/* Are most cables of many cycles in the usual number of them, and few odd? */
static bool cab_cycles_are_apart(const cycles *c, uint32_t least)
{
    const cab_graph *g = c->g;
    uint64_t strong = 0, usual = 0, odd = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++) {
            if (g->to[i] < sw)
                continue;
            strong += 2 * c->of[i] >= least;
            usual += c->of[i] == least;
            odd += cab_cycles_is_odd(c, sw, i, least);
        }
    return least >= LEAST_CYCLES && 5 * usual >= 3 * strong && FEW * odd <= g->links &&
           odd <= MOST_ODD;
}

static uint32_t cab_cycles_port(const ik_fabric *f, uint32_t a, uint32_t b)
{
    uint32_t port = f->port_base[a];
    while (port < f->port_base[a + 1] && ik_peer_node(f, port) != b)
        port++;
    assert(port < f->port_base[a + 1]); /* the graph is this fabric's */
    return port;
}

static ik_status cab_cycles_tell(const cycles *c, ik_cabling *out, const ik_fabric *f,
                                 uint32_t least, ik_error *err)
{
    const cab_graph *g = c->g;
    ik_status status = IK_OK;
    uint32_t shown = 0;
    for (uint32_t a = 0; a < g->num && status == IK_OK; a++)
        for (uint32_t i = g->base[a]; i < g->base[a + 1] && status == IK_OK; i++) {
            uint32_t b = g->to[i];
            char from[TEXT], to[TEXT];
            if (shown >= NAMED || !cab_cycles_is_odd(c, a, i, least) ||
                !cab_cycles_is_alone(c, a, b, least) || !cab_cycles_has_partner(c, a, b, least))
                continue;
            shown++;
            uint32_t port = cab_cycles_port(f, a, b);
            status = cab_finding(out, IK_WARNING, "odd-cable", port, a, err,
                                 "the cable from %s to %s does not join its ends as the other "
                                 "cables of such switches do: it may be swapped with another one",
                                 ik_port_describe(f, port, from, sizeof from),
                                 ik_port_describe(f, f->port_peer[port], to, sizeof to));
        }
    return status;
}

static ik_status cab_cycles_run(cycles *c, ik_cabling *out, const ik_fabric *f, ik_error *err)
{
    const cab_graph *g = c->g;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
            c->of[i] = cab_cycles_count(g, sw, g->to[i]);
    uint32_t least = cab_cycles_usual_most(c, c->strong);
    if (!least)
        return IK_OK;
    cab_cycles_find_odd(c, least);
    return cab_cycles_are_apart(c, least) ? cab_cycles_tell(c, out, f, least, err) : IK_OK;
}

ik_status cab_tell_cycles(ik_cabling *out, const ik_fabric *f, const cab_graph *g, ik_error *err)
{
    cycles c = {.g = g};
    if (!g->num || 2.0 * (double)g->links * g->max_degree * g->max_degree > MOST_STEPS)
        return IK_OK;
    c.of = ik_calloc((size_t)g->base[g->num] + 1, sizeof *c.of);
    c.strong = ik_calloc(g->num, sizeof *c.strong);
    c.count = ik_calloc((size_t)g->max_degree + 1, sizeof *c.count);
    c.odd = ik_calloc(g->num, sizeof *c.odd);
    ik_status status = c.of && c.strong && c.count && c.odd
                           ? cab_cycles_run(&c, out, f, err)
                           : ik_fail_memory(err, g->links * 8, "cycles of cables");
    free(c.of);
    free(c.strong);
    free(c.count);
    free(c.odd);
    return status;
}
