/* SPDX-License-Identifier: Apache-2.0
 *
 * cab_symmetry.c: what a fabric of no recognised family tells of itself: most of its switches have
 * the same number of cables, and their names number rows.
 *
 * A switch that is down is not in a dump, and its hosts are not. But where most switches have one
 * number of cables to others, those that lead to it have one less, together as many as a switch
 * has; and where names differ in one number alone, a number is left out. Both are evidence, no
 * proof. Two cables that are swapped: cab_cycles.c.
 */
#include "topology/cabling/cab_findings.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 192, NAMED = 20, LEAST_ALIKE = 6, LEAST_ROW = 5, MOST_NUMBER = 100000 };

/* ---- numbers of cables */

/* Switches with hosts, or those without: what is usual among them. */
typedef struct alike {
    bool hosts;
    uint32_t num, usual, holders, radix; /* the most ports that one of them has */
    uint64_t lacking;                    /* cables */
    uint32_t switches;                   /* that lack one or more */
    uint32_t holes;                      /* of these, with an empty port before one with a cable */
} alike;

static bool cab_symmetry_is_alike(const cab_graph *g, const alike *k, uint32_t sw)
{
    return g->degree[sw] && (g->hosts[sw] > 0) == k->hosts;
}

/* Does a switch lack cables, and has it an empty port before one with a cable? */
typedef enum lack { LACKS_NONE, WITHOUT_HOLE, WITH_HOLE } lack;

/* What switches of one radix that have hosts have. */
typedef struct hosted {
    bool *at; /* [radix + 1] ports that lead to a host at one of them */
    bool
        *network; /* [radix + 1] ports that lead to a switch at one of them, or one without hosts */
    bool *degrees; /* [max_degree + 1] numbers of cables */
} hosted;

static void cab_symmetry_see_hosts(const ik_fabric *f, const cab_graph *g, uint32_t radix,
                                   const hosted *h)
{
    for (uint32_t sw = 0; sw < g->num; sw++) {
        if (g->ports[sw] != radix)
            continue;
        h->degrees[g->degree[sw]] |= g->hosts[sw] > 0;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port), at = port - f->port_base[sw];
            h->at[at] |= peer != IK_NONE && !ik_is_switch(f, peer);
            h->network[at] |= peer != IK_NONE && ik_is_switch(f, peer);
        }
    }
}

/* Fewer cables than usual, and ports for the others. One without hosts may be one of those that
 * have hosts elsewhere: then it has as many cables as some of these. */
static bool cab_symmetry_lacks(const cab_graph *g, const alike *k, const hosted *h, uint32_t sw)
{
    return cab_symmetry_is_alike(g, k, sw) && g->degree[sw] < k->usual &&
           g->ports[sw] == k->radix && (k->hosts || !h->degrees[g->degree[sw]]);
}

/* A cable that is gone leaves its port empty, and mostly others behind it are not; switches that
 * were built with fewer cables have them in the first ports. Ports for hosts may be empty, and
 * those that lead to a switch nowhere are such. */
static bool cab_symmetry_has_hole(const ik_fabric *f, const alike *k, const hosted *h, uint32_t sw)
{
    bool for_hosts = k->hosts || h->degrees[k->usual];
    bool empty = false, hole = false;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        hole |= empty && f->port_peer[port] != IK_NONE;
        uint32_t at = port - f->port_base[sw];
        empty |= f->port_peer[port] == IK_NONE && h->network[at] && !(for_hosts && h->at[at]);
    }
    return hole;
}

static ik_status cab_symmetry_find_lacking(const ik_fabric *f, const cab_graph *g, alike *k,
                                           lack *lacks, ik_error *err)
{
    size_t ports = (size_t)k->radix + 1, size = 2 * ports + g->max_degree + 1;
    bool *seen = ik_calloc(size, 1);
    if (!seen)
        return ik_fail_memory(err, size, "ports with hosts");
    const hosted h = {seen, seen + ports, seen + 2 * ports};
    cab_symmetry_see_hosts(f, g, k->radix, &h);
    for (uint32_t sw = 0; sw < g->num; sw++) {
        if (!cab_symmetry_lacks(g, k, &h, sw))
            continue;
        bool hole = cab_symmetry_has_hole(f, k, &h, sw);
        lacks[sw] = hole ? WITH_HOLE : WITHOUT_HOLE;
        k->lacking += k->usual - g->degree[sw];
        k->switches++;
        k->holes += hole;
    }
    free(seen);
    return IK_OK;
}

static ik_status cab_symmetry_find_usual(const ik_fabric *f, const cab_graph *g, alike *k,
                                         lack *lacks, ik_error *err)
{
    uint32_t *count = ik_calloc((size_t)g->max_degree + 1, sizeof *count);
    if (!count)
        return ik_fail_memory(err, g->max_degree * sizeof *count, "numbers of cables");
    for (uint32_t sw = 0; sw < g->num; sw++)
        if (cab_symmetry_is_alike(g, k, sw)) {
            k->num++;
            k->radix = g->ports[sw] > k->radix ? g->ports[sw] : k->radix;
            count[g->degree[sw]]++;
        }
    for (uint32_t degree = 1; degree <= g->max_degree; degree++)
        if (count[degree] >= k->holders) {
            k->holders = count[degree];
            k->usual = degree;
        }
    free(count);
    return cab_symmetry_find_lacking(f, g, k, lacks, err);
}

/* Do half of those alike have the usual number? */
static bool cab_symmetry_is_usual(const alike *k)
{
    return k->num >= LEAST_ALIKE && 2 * k->holders >= k->num;
}

/* Unless all of them are told: where few have a hole, the others were built with fewer cables. */
static ik_status cab_symmetry_tell_lacking(ik_cabling *c, const ik_fabric *f, const cab_graph *g,
                                           const alike *k, const lack *lacks, bool all,
                                           ik_error *err)
{
    ik_status status = IK_OK;
    uint32_t shown = 0;
    for (uint32_t sw = 0; sw < g->num && status == IK_OK; sw++) {
        char name[TEXT];
        bool built_so = lacks[sw] == WITHOUT_HOLE && !all && 2 * k->holes < k->switches;
        if (!lacks[sw] || built_so || !cab_symmetry_is_alike(g, k, sw) || shown++ >= NAMED)
            continue;
        status = cab_finding(
            c, IK_WARNING, "missing-cable", IK_NONE, sw, err,
            "switch %s has %s to other switches, %" PRIu32 " of the %s %s hosts have %" PRIu32,
            ik_node_describe(f, sw, name, sizeof name), IK_COUNT(g->degree[sw], "cable"),
            k->holders, IK_COUNT(k->num, "switch"), k->hosts ? "with" : "without", k->usual);
    }
    return status;
}

/* As many cables missing, each at another switch, as a switch of some kind has. */
static bool cab_symmetry_one_missing(const alike kinds[2], uint64_t *lacking)
{
    uint64_t switches = 0;
    *lacking = 0;
    for (unsigned i = 0; i < 2; i++)
        if (cab_symmetry_is_usual(&kinds[i])) {
            *lacking += kinds[i].lacking;
            switches += kinds[i].switches;
        }
    for (unsigned i = 0; i < 2; i++)
        if (switches > 1 && *lacking % switches == 0 && cab_symmetry_is_usual(&kinds[i]) &&
            *lacking == kinds[i].usual)
            return true;
    return false;
}

static ik_status cab_symmetry_cables_of(ik_cabling *c, const ik_fabric *f, const cab_graph *g,
                                        lack *lacks, ik_error *err)
{
    alike kinds[2] = {{.hosts = true}, {.hosts = false}};
    uint64_t lacking;
    ik_status status = IK_OK;
    for (unsigned i = 0; i < 2 && status == IK_OK; i++)
        status = cab_symmetry_find_usual(f, g, &kinds[i], lacks, err);
    if (status != IK_OK || !(kinds[0].holes || kinds[1].holes))
        return status;
    bool one = cab_symmetry_one_missing(kinds, &lacking);
    if (one)
        status = cab_finding(c, IK_WARNING, "missing-switch", IK_NONE, IK_NONE, err,
                             "%" PRIu64 " cables between switches are missing, as many as a switch "
                             "has, each at another one: a switch may be down with all its hosts",
                             lacking);
    for (unsigned i = 0; i < 2 && status == IK_OK; i++)
        if (cab_symmetry_is_usual(&kinds[i]) && (one || 4 * kinds[i].holders >= 3 * kinds[i].num))
            status = cab_symmetry_tell_lacking(c, f, g, &kinds[i], lacks, one, err);
    return status;
}

static ik_status cab_symmetry_cables(ik_cabling *c, const ik_fabric *f, const cab_graph *g,
                                     ik_error *err)
{
    lack *lacks = ik_calloc((size_t)g->num + 1, sizeof *lacks);
    ik_status status = lacks ? cab_symmetry_cables_of(c, f, g, lacks, err)
                             : ik_fail_memory(err, g->num, "switches that lack cables");
    free(lacks);
    return status;
}

/* ---- names that number rows */

/* A name seen as its text before one of its numbers, the number, and the text behind it. */
typedef struct numbered {
    const char *name;
    size_t at, digits; /* of the number */
    uint32_t number;
} numbered;

static int cab_symmetry_compare_row(const numbered *x, const numbered *y)
{
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    int order = strncmp(x->name, y->name, x->at);
    return order ? order : strcmp(x->name + x->at + x->digits, y->name + y->at + y->digits);
}

static int cab_symmetry_compare(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    int order = cab_symmetry_compare_row(x, y);
    if (order)
        return order;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* All numbers of all names of switches; NULL: only counts them. */
static size_t cab_symmetry_list(const ik_fabric *f, numbered *list)
{
    size_t num = 0;
    for (uint32_t sw = 0; f->node_name && sw < f->num_switches; sw++) {
        const char *name = f->node_name[sw];
        for (size_t at = 0; name && name[at];) {
            size_t digits = strspn(name + at, "0123456789");
            if (digits && digits < 6) {
                if (list)
                    list[num] =
                        (numbered){name, at, digits, (uint32_t)strtoul(name + at, NULL, 10)};
                num++;
            }
            at += digits ? digits : 1;
        }
    }
    return num;
}

/* One row: numbers that are left out between its first and its last one. */
static ik_status cab_symmetry_tell_row(ik_cabling *c, const numbered *row, size_t num,
                                       ik_error *err)
{
    assert(num > 0 && row[0].number <= row[num - 1].number);
    uint32_t span = row[num - 1].number - row[0].number + 1, gaps = 0;
    char text[TEXT] = "";
    if (num < LEAST_ROW || span <= num || (span - num > 1 && (span - num) * 10 > num))
        return IK_OK;
    for (size_t i = 1; i < num; i++)
        for (uint32_t n = row[i - 1].number + 1; n < row[i].number && gaps < 4; n++, gaps++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%.*s%0*" PRIu32 "%.40s", used ? ", " : "",
                     (int)(row->at < 60 ? row->at : 60), row->name, (int)row->digits, n,
                     row->name + row->at + row->digits);
        }
    return cab_finding(c, IK_WARNING, "name-gap", IK_NONE, IK_NONE, err,
                       "%zu switches are numbered from %.80s to %.80s, without %s: it may be down",
                       num, row[0].name, row[num - 1].name, text);
}

static ik_status cab_symmetry_names(ik_cabling *c, const ik_fabric *f, ik_error *err)
{
    size_t num = cab_symmetry_list(f, NULL);
    numbered *list = ik_calloc(num + 1, sizeof *list);
    ik_status status = list ? IK_OK : ik_fail_memory(err, num * sizeof *list, "names of switches");
    if (status == IK_OK) {
        cab_symmetry_list(f, list);
        qsort(list, num, sizeof *list, cab_symmetry_compare);
    }
    for (size_t i = 0, next; i < num && status == IK_OK; i = next) {
        for (next = i + 1; next < num && cab_symmetry_compare_row(&list[i], &list[next]) == 0;)
            next++;
        status = cab_symmetry_tell_row(c, list + i, next - i, err);
    }
    free(list);
    return status;
}

/* ---- levels */

/* Of switches of one level: the usual number of cables to the level above, or below. One that has
 * as many in all lacks none: leaf switches without hosts pass for upper ones. */
static ik_status cab_symmetry_level_usual(const ik_fabric *f, const cab_graph *g, uint32_t level,
                                          bool up, uint32_t *cables, alike *k, ik_error *err)
{
    assert(f->switch_level);
    uint32_t *count = ik_calloc((size_t)g->max_degree + 1, sizeof *count);
    if (!count)
        return ik_fail_memory(err, g->max_degree * sizeof *count, "numbers of cables");
    uint32_t all = 0;
    *k = (alike){0};
    for (uint32_t sw = 0; sw < g->num; sw++) {
        cables[sw] = 0;
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
            if ((f->switch_level[g->to[i]] > level) == up)
                cables[sw] += g->cables[i];
        if (f->switch_level[sw] != level || !g->degree[sw])
            continue;
        k->num++;
        assert(cables[sw] <= g->max_degree);
        count[cables[sw]]++;
    }
    for (uint32_t i = 1; i <= g->max_degree; i++)
        if (count[i] >= k->holders && count[i]) {
            k->holders = count[i];
            k->usual = i;
        }
    for (uint32_t i = 0; i <= g->max_degree; i++)
        count[i] = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        count[g->degree[sw]] += f->switch_level[sw] == level;
    for (uint32_t i = 1; i <= g->max_degree; i++)
        all = count[i] >= count[all] ? i : all;
    free(count);
    for (uint32_t sw = 0; sw < g->num; sw++)
        if (f->switch_level[sw] == level && g->degree[sw] && cables[sw] < k->usual &&
            g->degree[sw] < all) {
            k->lacking += k->usual - cables[sw];
            k->switches++;
        }
    return IK_OK;
}

/* A leaf switch that is down is missed by those above it. */
static ik_status cab_symmetry_leaves(ik_cabling *c, const ik_fabric *f, const cab_graph *g,
                                     ik_error *err)
{
    uint32_t *cables = ik_calloc((size_t)g->num + 1, sizeof *cables);
    alike above, leaves;
    ik_status status = cables ? IK_OK : ik_fail_memory(err, g->num * 4, "numbers of cables");
    if (status == IK_OK)
        status = cab_symmetry_level_usual(f, g, 1, true, cables, &leaves, err);
    if (status == IK_OK)
        status = cab_symmetry_level_usual(f, g, 2, false, cables, &above, err);
    free(cables);
    if (status != IK_OK || !cab_symmetry_is_usual(&above) || !cab_symmetry_is_usual(&leaves) ||
        above.lacking < leaves.usual || above.switches < 2)
        return status;
    return cab_finding(c, IK_WARNING, "missing-switch", IK_NONE, IK_NONE, err,
                       "%" PRIu32 " switches of level 2 lack %s to leaf switches, "
                       "of which each has %" PRIu32 ": %.3g leaf switches may be down with their "
                       "hosts, or were never there",
                       above.switches, IK_COUNT(above.lacking, "cable"), leaves.usual,
                       (double)(above.lacking / leaves.usual));
}

ik_status cab_tell_symmetry(ik_cabling *c, const ik_fabric *f, const cab_graph *g, ik_error *err)
{
    /* where all switches of a family are there, a number that is left out was never given */
    bool all = c->known && !c->missing_switches;
    ik_status status = all ? IK_OK : cab_symmetry_names(c, f, err);
    if (status == IK_OK && !c->known && f->num_levels < 2)
        status = cab_symmetry_cables(c, f, g, err);
    else if (status == IK_OK && !c->known)
        status = cab_symmetry_leaves(c, f, g, err);
    return status == IK_OK && !c->known ? cab_tell_cycles(c, f, g, err) : status;
}
