/* SPDX-License-Identifier: Apache-2.0
 *
 * failures_group.c: which failures look alike. Hosts and switches are coloured; a node's next
 * colour is its colour with what its ports lead to: colour of the neighbour, class of the link,
 * paths over the channel in both directions. This is repeated until there are no more colours than
 * before (B. Weisfeiler, A. Leman, 1968; one dimension). Colours are 64-bit hashes. Nodes that a
 * symmetry exchanges have the same colour; the reverse need not hold, so whoever uses the groups
 * judges several members.
 */
#include "subnet/failures/failures_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct group_work {
    const ik_fabric *f;
    const double *crossing;
    uint64_t *colour, *next, *sorted; /* [num_nodes] */
} group_work;

static uint64_t group_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

/* A number of paths; what rounding adds to an expected number makes no other value of it. */
static uint64_t group_number(double value)
{
    return isfinite(value) ? (uint64_t)llround(value * 1024) : UINT64_MAX;
}

/* What a port adds to the colour of its node, or of its cable. */
static uint64_t group_port(const group_work *w, uint32_t port)
{
    const ik_fabric *f = w->f;
    uint32_t peer = f->port_peer[port];
    uint64_t hash = group_mix(0, f->classes[f->port_class[port]].rate_bps);
    hash = group_mix(hash, f->classes[f->port_class[port]].latency_ps);
    hash = group_mix(hash, w->colour[f->port_node[peer]]);
    if (w->crossing) {
        hash = group_mix(hash, group_number(w->crossing[port]));
        hash = group_mix(hash, group_number(w->crossing[peer]));
    }
    return hash;
}

static void group_refine(group_work *w)
{
    const ik_fabric *f = w->f;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        uint64_t sum = 0;
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
            if (f->port_peer[port] != IK_NONE)
                sum += group_port(w, port);
        w->next[node] = group_mix(w->colour[node], sum);
    }
    uint64_t *old = w->colour;
    w->colour = w->next;
    w->next = old;
}

static int group_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t group_num_colours(const group_work *w)
{
    uint32_t nodes = ik_num_nodes(w->f), num = 0;
    memcpy(w->sorted, w->colour, nodes * sizeof *w->sorted);
    qsort(w->sorted, nodes, sizeof *w->sorted, group_order);
    for (uint32_t i = 0; i < nodes; i++)
        num += i == 0 || w->sorted[i] != w->sorted[i - 1];
    return num;
}

static ik_status group_colour(group_work *w, const ik_env *env, ik_error *err)
{
    const ik_fabric *f = w->f;
    uint32_t num = 0, more;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        w->colour[node] = group_mix(!ik_is_switch(f, node), ik_is_switch(f, node) && f->switch_level
                                                                ? f->switch_level[node]
                                                                : ik_is_silent(f, node));
    for (; (more = group_num_colours(w)) > num; num = more) {
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        group_refine(w);
    }
    return IK_OK;
}

/* ---- keys of failures */

static uint32_t group_parallel(const ik_fabric *f, uint32_t port)
{
    uint32_t node = f->port_node[port], num = 0;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
        num += ik_peer_node(f, p) == ik_peer_node(f, port);
    return num;
}

static uint64_t group_key(const group_work *w, const ik_failure *x)
{
    uint64_t key = group_mix(x->kind, x->hosts_cut);
    key = group_mix(key, x->hosts_own);
    key = group_mix(key, group_number(x->pairs_lost));
    if (x->kind == IK_FAILURE_SWITCH)
        return group_mix(key, w->colour[x->sw]);
    uint64_t there = group_port(w, x->port), back = group_port(w, w->f->port_peer[x->port]);
    return group_mix(group_mix(key, there + back), group_parallel(w->f, x->port));
}

typedef struct group_member {
    uint64_t key;
    uint32_t failure;
} group_member;

static int group_member_order(const void *a, const void *b)
{
    const group_member *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->failure > y->failure) - (x->failure < y->failure);
}

static int group_first_order(const void *a, const void *b)
{
    const ik_failure_group *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static ik_status group_sort(ik_failures *out, group_member *members, ik_error *err)
{
    uint32_t num = 0;
    qsort(members, out->num, sizeof *members, group_member_order);
    for (uint32_t i = 0; i < out->num; i++)
        num += i == 0 || members[i].key != members[i - 1].key;
    out->groups = ik_calloc((size_t)num + 1, sizeof *out->groups);
    if (!out->groups)
        return ik_fail_memory(err, num * sizeof *out->groups, "groups of failures");
    for (uint32_t i = 0; i < out->num; i++) {
        uint32_t x = members[i].failure;
        if (i == 0 || members[i].key != members[i - 1].key)
            out->groups[out->num_groups++] =
                (ik_failure_group){.kind = out->all[x].kind, .first = x, .worst = x, .agree = true};
        out->groups[out->num_groups - 1].members++;
    }
    /* hashes are no order for people */
    for (uint32_t g = 0, i = 0; g < num; i += out->groups[g].members, g++)
        for (uint32_t k = 0; k < out->groups[g].members; k++)
            out->all[members[i + k].failure].like = out->groups[g].first;
    qsort(out->groups, num, sizeof *out->groups, group_first_order);
    return IK_OK;
}

ik_status failures_group(const ik_fabric *f, const double *crossing, const ik_env *env,
                         ik_failures *out, ik_error *err)
{
    size_t nodes = (size_t)ik_num_nodes(f) + 1;
    uint64_t *colours = ik_calloc(nodes, 3 * sizeof *colours);
    group_member *members = ik_calloc((size_t)out->num + 1, sizeof *members);
    group_work w = {f, crossing, colours, NULL, NULL};
    ik_status status = colours && members
                           ? IK_OK
                           : ik_fail_memory(err, nodes * 3 * sizeof *colours, "colours of nodes");
    if (status == IK_OK) {
        w.next = colours + nodes;
        w.sorted = colours + 2 * nodes;
        status = group_colour(&w, env, err);
    }
    if (status == IK_OK) {
        for (uint32_t i = 0; i < out->num; i++)
            members[i] = (group_member){group_key(&w, &out->all[i]), i};
        status = group_sort(out, members, err);
    }
    free(members);
    free(colours);
    return status;
}
