/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_number.c: numbers hosts by their positions in a tree, such that damage moves as few of them
 * as possible.
 *
 * A generated tree: the position in the complete tree, from the host's switch and port.
 *
 * Any other tree: a *part* at level l is what hangs together through switches of levels up to l;
 * losing a cable rarely parts it. A part consists of parts of the level below, and each of these
 * has a *slot* in it:
 *   by ports: the port by which the switches of level l lead to it, if they all agree (parallel
 *   cables counted out). A lost
 * cable, switch or host then leaves every other slot as it is; by identity: its rank by the lowest
 * GUID of its leaf switches, where ports tell nothing. A lost cable changes nothing. The number of
 * a host is the mixed radix number of its slots, the highest level first. One walk over the tree
 * from some switch would be simpler, but one lost cable beside the first leaf switch would then
 * renumber all hosts.
 */
#include "routing/tree/tree_number.h"

#include "ikat/topology.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HIGHEST_NUMBER = 0x7FFFFFFF };
#define NO_LEAF UINT64_MAX

/* A part seen from the part around it, or a leaf switch seen from its part. */
typedef struct member {
    uint32_t whole; /* the part around it: the switch that stands for it */
    uint32_t size;  /* leaf switches in it; 0 where that does not matter */
    uint64_t key;   /* what decides the order */
    uint32_t who;
} member;

typedef struct numbering {
    const ik_fabric *f;
    const attach *at;
    bool by_ports;
    uint32_t *part; /* [S] union-find over the levels so far */
    /* [S] the part at the level below, by the switch that stands for it */
    uint32_t *child;
    /* [S] of a child: lowest identity of its leaf switches, NO_LEAF = has none */
    uint64_t *lowest;
    uint32_t *num_leaves;          /* [S] of a child */
    uint32_t *slot;                /* [S] of a child */
    uint32_t *last_sw, *last_port; /* [S] of a child: scratch of the search for parallel cables */
    uint32_t num_slots;            /* at this level */
    uint64_t *number;              /* [leaves] inside its part */
    uint64_t weight;               /* above every number */
    member *members;               /* [max(S, hosts)] scratch */
} numbering;

static uint32_t tree_number_part_of(uint32_t *part, uint32_t x)
{
    while (part[x] != x)
        x = part[x] = part[part[x]];
    return x;
}

static int tree_number_compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->whole != y->whole)
        return x->whole < y->whole ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->who < y->who ? -1 : x->who > y->who;
}

/* The switches that a switch of this level is joined to below it. */
static bool tree_number_leads_down(const ik_fabric *f, uint32_t sw, uint32_t port, uint32_t *to)
{
    *to = ik_peer_node(f, port);
    return *to != IK_NONE && ik_is_switch(f, *to) && f->switch_level[*to] < f->switch_level[sw];
}

/* ---- parts */

static void describe_children(numbering *n)
{
    const attach *at = n->at;
    for (uint32_t sw = 0; sw < n->f->num_switches; sw++) {
        n->child[sw] = tree_number_part_of(n->part, sw);
        n->lowest[sw] = NO_LEAF;
        n->num_leaves[sw] = 0;
        n->slot[sw] = n->last_sw[sw] = IK_NONE;
    }
    for (uint32_t i = 0; i < at->num_leaves; i++) {
        uint32_t child = n->child[at->leaf[i]];
        uint64_t id = tree_number_tree_uuid(n->f, at->leaf[i]);
        n->lowest[child] = id < n->lowest[child] ? id : n->lowest[child];
        n->num_leaves[child]++;
    }
}

static void tree_number_join_level(numbering *n, uint32_t level)
{
    const ik_fabric *f = n->f;
    uint32_t to;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t port = f->port_base[sw];
             f->switch_level[sw] == level && port < f->port_base[sw + 1]; port++)
            if (tree_number_leads_down(f, sw, port, &to))
                n->part[tree_number_part_of(n->part, sw)] = tree_number_part_of(n->part, to);
}

/* Lists the children with leaf switches, part by part in the order of their identities; returns
 * their number, and in *most how many the largest part has. */
static uint32_t tree_number_list_children(numbering *n, uint32_t *most)
{
    uint32_t num = 0, run = 0;
    for (uint32_t sw = 0; sw < n->f->num_switches; sw++)
        if (n->child[sw] == sw && n->lowest[sw] != NO_LEAF)
            n->members[num++] = (member){
                .whole = tree_number_part_of(n->part, sw), .key = n->lowest[sw], .who = sw};
    qsort(n->members, num, sizeof *n->members, tree_number_compare_members);
    *most = 0;
    for (uint32_t i = 0; i < num; i++) {
        run = i && n->members[i].whole == n->members[i - 1].whole ? run + 1 : 1;
        *most = run > *most ? run : *most;
    }
    return num;
}

/* ---- slots */

static void slots_by_identity(numbering *n, uint32_t num, uint32_t most)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < num; i++) {
        rank = i && n->members[i].whole == n->members[i - 1].whole ? rank + 1 : 0;
        n->slot[n->members[i].who] = rank;
    }
    n->num_slots = most ? most : 1;
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* How a level numbers its ports: cable k to child c is port c + stride * k, or c * cables + k
 * (stride 1), or there are no parallel cables (stride 0). */
typedef struct port_rule {
    uint32_t stride, cables;
} port_rule;

static port_rule tree_number_find_rule(numbering *n, uint32_t level)
{
    const ik_fabric *f = n->f;
    port_rule rule = {0, 1};
    uint32_t to;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t port = f->port_base[sw];
             f->switch_level[sw] == level && port < f->port_base[sw + 1]; port++) {
            if (!tree_number_leads_down(f, sw, port, &to))
                continue;
            uint32_t child = n->child[to];
            if (n->last_sw[child] == sw) {
                rule.stride = greatest_divisor(rule.stride, port - n->last_port[child]);
                n->slot[child]++;
            } else {
                n->slot[child] = 1; /* counts the cables of this switch to it */
            }
            rule.cables = n->slot[child] > rule.cables ? n->slot[child] : rule.cables;
            n->last_sw[child] = sw;
            n->last_port[child] = port;
        }
    return rule;
}

/* Do all switches of the level agree on the slot of each child? */
static bool tree_number_agree_on_slots(numbering *n, uint32_t level, port_rule rule)
{
    const ik_fabric *f = n->f;
    uint32_t to;
    n->num_slots = rule.stride > 1 ? rule.stride : 1;
    memset(n->slot, 0xFF, f->num_switches * sizeof *n->slot);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t port = f->port_base[sw];
             f->switch_level[sw] == level && port < f->port_base[sw + 1]; port++) {
            if (!tree_number_leads_down(f, sw, port, &to) || n->lowest[n->child[to]] == NO_LEAF)
                continue;
            uint32_t child = n->child[to], local = ik_port_local(f, port);
            uint32_t slot = rule.stride > 1 ? local % rule.stride : local / rule.cables;
            if (n->slot[child] != IK_NONE && n->slot[child] != slot)
                return false;
            n->slot[child] = slot;
            n->num_slots = slot >= n->num_slots ? slot + 1 : n->num_slots;
        }
    return true;
}

/* Slots that stay empty in every part would make the spreading uneven: at most a quarter may. */
static bool tree_number_dense(uint32_t used, uint32_t slots)
{
    return (uint64_t)used * 4 >= (uint64_t)slots * 3;
}

static bool tree_number_slots_by_ports(numbering *n, uint32_t level, uint32_t num, uint32_t most)
{
    if (!n->by_ports || !tree_number_agree_on_slots(n, level, tree_number_find_rule(n, level)) ||
        !tree_number_dense(most, n->num_slots))
        return false;
    for (uint32_t i = 0; i < num; i++) {
        bool alone = (i == 0 || n->members[i - 1].whole != n->members[i].whole) &&
                     (i + 1 == num || n->members[i + 1].whole != n->members[i].whole);
        uint32_t *slot = &n->slot[n->members[i].who];
        if (*slot == IK_NONE && !alone) /* a leaf switch beside parts that it leads to */
            return false;
        *slot = *slot == IK_NONE ? 0 : *slot;
    }
    return true;
}

/* ---- numbers of leaf switches */

/* Numbers inside each part without gaps, in the same order: only where they would grow too
 * large. */
static void tree_number_close_gaps(numbering *n)
{
    const attach *at = n->at;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < at->num_leaves; i++)
        n->members[i] = (member){
            .whole = tree_number_part_of(n->part, at->leaf[i]), .key = n->number[i], .who = i};
    qsort(n->members, at->num_leaves, sizeof *n->members, tree_number_compare_members);
    n->weight = 1;
    for (uint32_t i = 0; i < at->num_leaves; i++) {
        rank = i && n->members[i].whole == n->members[i - 1].whole ? rank + 1 : 0;
        n->number[n->members[i].who] = rank;
        n->weight = rank + 1u > n->weight ? rank + 1u : n->weight;
    }
}

static void tree_number_take_slots(numbering *n)
{
    const attach *at = n->at;
    for (uint32_t i = 0; i < at->num_leaves; i++)
        n->number[i] += n->weight * n->slot[n->child[at->leaf[i]]];
    n->weight *= n->num_slots; /* both below 2^32 */
    if (n->weight > HIGHEST_NUMBER)
        tree_number_close_gaps(n);
}

/* Parts that no level joins: the largest first, so that what breaks away moves nothing. */
static void number_separate_parts(numbering *n)
{
    uint32_t num = 0;
    describe_children(n);
    for (uint32_t sw = 0; sw < n->f->num_switches; sw++)
        if (n->child[sw] == sw && n->lowest[sw] != NO_LEAF)
            n->members[num++] =
                (member){.size = n->num_leaves[sw], .key = n->lowest[sw], .who = sw};
    qsort(n->members, num, sizeof *n->members, tree_number_compare_members);
    slots_by_identity(n, num, num);
    tree_number_take_slots(n);
}

static void number_leaves(numbering *n)
{
    memset(n->number, 0, n->at->num_leaves * sizeof *n->number);
    n->weight = 1;
    for (uint32_t sw = 0; sw < n->f->num_switches; sw++)
        n->part[sw] = sw;
    for (uint32_t level = 1; level <= n->f->num_levels; level++) {
        uint32_t most;
        describe_children(n);
        tree_number_join_level(n, level);
        uint32_t num = tree_number_list_children(n, &most);
        if (!tree_number_slots_by_ports(n, level, num, most))
            slots_by_identity(n, num, most);
        tree_number_take_slots(n);
    }
    number_separate_parts(n);
}

/* ---- numbers of hosts */

/* Slots of hosts on their switch: the ports, or the order of the ports where few of them lead to
 * hosts. */
static bool host_slots_are_ports(const attach *at, uint32_t *num_slots)
{
    uint32_t most = 0, span = 0;
    for (uint32_t i = 0; i < at->num_leaves; i++) {
        uint32_t first = at->base[at->leaf[i]], end = at->base[at->leaf[i] + 1];
        most = end - first > most ? end - first : most;
        span = at->port[end - 1] >= span ? at->port[end - 1] + 1u : span;
    }
    *num_slots = tree_number_dense(most, span) ? span : most;
    return tree_number_dense(most, span);
}

/* In the order of `key` (no two are alike, or the caller sees it): false if two hosts have one
 * number. */
static bool tree_number_settle_hosts(numbering *n, uint32_t num, uint32_t *number)
{
    bool distinct = true, small = true;
    qsort(n->members, num, sizeof *n->members, tree_number_compare_members);
    for (uint32_t i = 0; i < num; i++) {
        distinct = distinct && (i == 0 || n->members[i].key != n->members[i - 1].key);
        small = small && n->members[i].key < HIGHEST_NUMBER;
    }
    for (uint32_t i = 0; i < num; i++)
        number[n->members[i].who] = small ? (uint32_t)n->members[i].key : i;
    return distinct;
}

/* A host on several switches takes its number from the first of them. */
static bool number_hosts(numbering *n, uint32_t *number)
{
    const attach *at = n->at;
    uint32_t num_slots, num = 0;
    bool ports = host_slots_are_ports(at, &num_slots);
    memset(number, 0xFF, n->f->num_hosts * sizeof *number);
    for (uint32_t leaf = 0; leaf < at->num_leaves; leaf++)
        for (uint32_t i = at->base[at->leaf[leaf]]; i < at->base[at->leaf[leaf] + 1]; i++) {
            uint32_t slot = ports ? at->port[i] : i - at->base[at->leaf[leaf]];
            if (number[at->host[i]] == IK_NONE)
                n->members[num++] =
                    (member){.key = n->number[leaf] * num_slots + slot, .who = at->host[i]};
            number[at->host[i]] = 0;
        }
    memset(number, 0, n->f->num_hosts * sizeof *number);
    return tree_number_settle_hosts(n, num, number);
}

static void numbering_free(numbering *n)
{
    free(n->part);
    free(n->child);
    free(n->lowest);
    free(n->num_leaves);
    free(n->slot);
    free(n->last_sw);
    free(n->last_port);
    free(n->number);
    free(n->members);
}

static bool numbering_alloc(numbering *n)
{
    size_t switches = n->f->num_switches,
           most = switches > n->f->num_hosts ? switches : n->f->num_hosts;
    n->part = ik_calloc(switches, sizeof *n->part);
    n->child = ik_calloc(switches, sizeof *n->child);
    n->lowest = ik_calloc(switches, sizeof *n->lowest);
    n->num_leaves = ik_calloc(switches, sizeof *n->num_leaves);
    n->slot = ik_calloc(switches, sizeof *n->slot);
    n->last_sw = ik_calloc(switches, sizeof *n->last_sw);
    n->last_port = ik_calloc(switches, sizeof *n->last_port);
    n->number = ik_calloc((size_t)n->at->num_leaves + 1, sizeof *n->number);
    n->members = ik_calloc(most, sizeof *n->members);
    return n->part && n->child && n->lowest && n->num_leaves && n->slot && n->last_sw &&
           n->last_port && n->number && n->members;
}

/* Generated: the leaf switches below the same first digit of a host stand together, w[0] of
 * them. */
static void number_by_position(const ik_fabric *f, const ik_xgft *tree, const attach *at,
                               uint32_t *number)
{
    memset(number, 0, f->num_hosts * sizeof *number);
    for (uint32_t leaf = 0; leaf < at->num_leaves; leaf++) {
        uint32_t sw = at->leaf[leaf], group = (sw - tree->level_base[1]) / tree->w[0];
        for (uint32_t i = at->base[sw]; i < at->base[sw + 1]; i++)
            number[at->host[i]] = group * tree->m[0] + at->port[i] % tree->m[0];
    }
}

ik_status tree_number_hosts(const ik_fabric *f, const attach *at, uint32_t *number, ik_error *err)
{
    assert(f->num_levels && f->switch_level);
    const ik_xgft *tree = ik_fabric_xgft(f);
    if (tree) {
        number_by_position(f, tree, at, number);
        return IK_OK;
    }
    numbering n = {.f = f, .at = at, .by_ports = true};
    ik_status status = IK_OK;
    if (!numbering_alloc(&n)) {
        status = ik_fail_memory(err, (size_t)f->num_switches * 40 + (size_t)f->num_hosts * 24,
                                "the numbers of hosts");
    } else {
        number_leaves(&n);
        if (!number_hosts(&n, number)) { /* ports gave two hosts one number */
            n.by_ports = false;
            number_leaves(&n);
            number_hosts(&n, number);
        }
    }
    numbering_free(&n);
    return status;
}
