/* SPDX-License-Identifier: Apache-2.0
 *
 * indirect.c: see indirect.h. Intermediates are kept as sorted lists, so that the n-th eligible one
 * of a pair, its own two switches left out, is found without a table of pairs.
 */
#include "routing/direct/indirect.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void indirect_free(indirect *t)
{
    minpaths_free(&t->m);
    free(t->list);
    free(t->list_at);
    free(t->component);
    free(t->comp_at);
    free(t->position);
    free(t->group);
    free(t->masks);
    *t = (indirect){0};
}

static ik_status indirect_find_components(indirect *t, uint32_t *num, ik_error *err)
{
    uint32_t n = t->m.g.num_switches;
    t->component = ik_calloc((size_t)n + 1, sizeof *t->component);
    if (!t->component)
        return ik_fail_memory(err, n * sizeof *t->component, "the components of a fabric");
    *num = t->sparse;
    for (uint32_t s = 0; s < n; s++)
        t->component[s] = t->sparse ? 0 : IK_NONE;
    for (uint32_t s = 0; s < n; s++) {
        if (t->component[s] != IK_NONE)
            continue;
        for (uint32_t v = s; v < n; v++)
            if (t->m.dist[(size_t)s * n + v] != LINKS_FAR)
                t->component[v] = *num;
        ++*num;
    }
    return IK_OK;
}

static ik_status indirect_make_masks(indirect *t, uint32_t num_components, ik_error *err)
{
    t->mask_words = ((size_t)t->m.g.num_switches + 63) / 64;
    t->masks = ik_calloc((size_t)num_components + 1, (t->mask_words + 1) * sizeof *t->masks);
    if (!t->masks)
        return ik_fail_memory(err, num_components * t->mask_words * sizeof *t->masks,
                              "the intermediate switches");
    for (uint32_t c = 0; c < num_components; c++)
        for (uint32_t i = t->comp_at[c]; i < t->comp_at[c + 1]; i++)
            t->masks[c * t->mask_words + t->list[i] / 64] |= (uint64_t)1 << t->list[i] % 64;
    return IK_OK;
}

/* All eligible switches, component by component, ascending. */
static ik_status indirect_list_switches(indirect *t, bool with_hosts_only, ik_error *err)
{
    const links *g = &t->m.g;
    uint32_t n = g->num_switches, num = 0;
    ik_status status = indirect_find_components(t, &num, err);
    if (status != IK_OK)
        return status;
    t->list = ik_calloc((size_t)n + 1, sizeof *t->list);
    t->comp_at = ik_calloc((size_t)num + 1, sizeof *t->comp_at);
    t->position = ik_calloc((size_t)n + 1, sizeof *t->position);
    bool *eligible = ik_calloc((size_t)n + 1, sizeof *eligible);
    if (!t->list || !t->comp_at || !t->position || !eligible) {
        free(eligible);
        return ik_fail_memory(err, n * 13, "the intermediate switches");
    }
    for (uint32_t s = 0; s < n; s++)
        eligible[s] = !with_hosts_only;
    for (uint32_t h = 0; h < g->num_hosts; h++)
        if (g->host_sw[h] != IK_NONE)
            eligible[g->host_sw[h]] = true;
    for (uint32_t s = 0; s < n; s++)
        t->comp_at[t->component[s] + 1] += eligible[s];
    for (uint32_t c = 0; c < num; c++)
        t->comp_at[c + 1] += t->comp_at[c];
    uint32_t filled = 0;
    for (uint32_t c = 0; c < num; c++) /* few components: one pass each */
        for (uint32_t s = 0; s < n && filled < t->comp_at[c + 1]; s++)
            if (t->component[s] == c && eligible[s])
                t->list[filled++] = s;
    for (uint32_t s = 0; s < n; s++)
        t->position[s] = IK_NONE;
    for (uint32_t i = 0; i < filled; i++)
        t->position[t->list[i]] = i;
    free(eligible);
    return indirect_make_masks(t, num, err);
}

/* For every source switch, the switches of each other group that are nearest to it, group by group:
 * Valiant's choice of a random group, entered the shortest way. */
static ik_status list_group_entries(indirect *t, const ik_fabric *f, ik_error *err)
{
    uint32_t n = t->m.g.num_switches, groups = 0;
    if (!f->switch_place) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "the switches of '%s' form no groups",
                f->family ? f->family : "this fabric");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "intermediate=hosts works on every fabric");
    }
    t->group = ik_calloc((size_t)n + 1, sizeof *t->group);
    t->list_at = ik_calloc((size_t)n + 2, sizeof *t->list_at);
    if (!t->group || !t->list_at)
        return ik_fail_memory(err, n * 8, "the groups of a fabric");
    for (uint32_t s = 0; s < n; s++) {
        t->group[s] = f->switch_place[s].group;
        groups = t->group[s] >= groups ? t->group[s] + 1 : groups;
    }
    uint8_t *nearest = ik_calloc(groups + 1, 1);
    if (!nearest)
        return ik_fail_memory(err, groups, "the groups of a fabric");
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        uint32_t filled = 0;
        for (uint32_t s = 0; s < n; s++) {
            const uint8_t *dist = t->m.dist + (size_t)s * n;
            memset(nearest, LINKS_FAR, groups);
            for (uint32_t v = 0; v < n; v++)
                nearest[t->group[v]] =
                    dist[v] < nearest[t->group[v]] ? dist[v] : nearest[t->group[v]];
            t->list_at[s] = filled;
            for (uint32_t v = 0; v < n; v++)
                if (dist[v] == nearest[t->group[v]] && dist[v] != LINKS_FAR &&
                    t->group[v] != t->group[s]) {
                    if (pass)
                        t->list[filled] = v;
                    filled++;
                }
        }
        t->list_at[n] = filled;
        if (!pass && !(t->list = ik_calloc((size_t)filled + 1, sizeof *t->list))) {
            free(nearest);
            return ik_fail_memory(err, filled * sizeof *t->list, "the intermediate switches");
        }
    }
    free(nearest);
    return IK_OK;
}

const char *const indirect_examples[] = {"slimfly:q=5",
                                         "mlfm:h=3",
                                         "oft:k=4",
                                         "hyperx:dims=3:4",
                                         "dragonfly:p=2,a=4,h=2",
                                         "polarfly:q=3",
                                         "torus:dims=4:4",
                                         "jellyfish:N=20,d=4,p=2",
                                         NULL};

ik_status indirect_create(ik_routing *r, const ik_params *params, const ik_env *env, indirect *out,
                          ik_error *err)
{
    const ik_fabric *f = r->fabric;
    indirect t = {.one = ik_params_enum(params, "paths") == 1, .seed = r->seed};
    indirect_choice choice = (indirect_choice)ik_params_enum(params, "intermediate");
    if (choice == INDIRECT_AUTO)
        choice =
            f->family && strncmp(f->family, "dragonfly", 9) == 0 ? INDIRECT_GROUP : INDIRECT_HOSTS;
    if (f->num_switches >= INDIRECT_NONE || ik_max_radix(f) > INDIRECT_MAX_PORT)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "'%s' routes up to %u switches of up to %u ports; this fabric has %u and %u",
                       r->family->name, INDIRECT_NONE - 1, INDIRECT_MAX_PORT, f->num_switches,
                       ik_max_radix(f));
    ik_status status = minpaths_build(f, params, env, &t.m, err);
    if (status != IK_OK)
        return status;
    t.sparse = t.m.group && !f->intact;
    status = choice == INDIRECT_GROUP ? list_group_entries(&t, f, err)
                                      : indirect_list_switches(&t, choice == INDIRECT_HOSTS, err);
    if (status != IK_OK) {
        indirect_free(&t);
        return status;
    }
    /* each half goes up, over and down */
    bool trees = choice == INDIRECT_HOSTS && hierarchy_of_trees(f);
    t.split = t.m.group && !trees;
    t.after = t.split && choice != INDIRECT_GROUP ? 2 : 1;
    /* With all switches of a dragonflyplus, spines are left down and up again in one phase. */
    bool by_phase = t.m.group ? f->intact && !(choice == INDIRECT_ALL && hierarchy_of_trees(f))
                              : minpaths_up_down(f) && choice == INDIRECT_HOSTS;
    r->natural_vc = by_phase ? "phase" : "hopclass";
    r->claims = minpaths_claims(&t.m, r->claims);
    r->natural_selection = "random";
    r->traits |= IK_ROUTE_MARKS;
    *out = t;
    return IK_OK;
}

static bool indirect_far_apart(const indirect *t, uint32_t a, uint32_t b)
{
    return t->m.dist[(size_t)a * t->m.g.num_switches + b] == LINKS_FAR;
}

/* Where not all switches have paths to each other: the intermediates that have both halves. */
static uint32_t count_both_halves(const indirect *t, uint32_t rs, uint32_t rd, uint32_t n,
                                  uint32_t *nth)
{
    uint32_t count = 0;
    for (uint32_t i = t->comp_at[0]; i < t->comp_at[1]; i++) {
        uint32_t mid = t->list[i];
        if (mid == rs || mid == rd || indirect_far_apart(t, rs, mid) ||
            indirect_far_apart(t, mid, rd))
            continue;
        if (count == n && nth)
            *nth = mid;
        count++;
    }
    return count;
}

/* Group mode: the runs of the two switches' groups are left out; a source's own group is not listed
 * at all. Lists are ascending in the switch, and groups of dragonflies are runs of switches, but
 * nothing here needs that: entries are tested one by one. */
static uint32_t indirect_count_by_group(const indirect *t, uint32_t rs, uint32_t rd, uint32_t n,
                                        uint32_t *nth)
{
    uint32_t count = 0;
    for (uint32_t i = t->list_at[rs]; i < t->list_at[rs + 1]; i++) {
        if (t->group[t->list[i]] == t->group[rd] || indirect_far_apart(t, t->list[i], rd))
            continue;
        if (count == n && nth)
            *nth = t->list[i];
        count++;
    }
    return count;
}

/* Whether a switch of the source's list has both halves, where not all switches have paths to each
 * other. */
static bool indirect_has_halves(const indirect *t, uint32_t rs, uint32_t mid, uint32_t rd)
{
    return !(t->group || t->sparse) ||
           (!indirect_far_apart(t, rs, mid) && !indirect_far_apart(t, mid, rd));
}

uint32_t indirect_count(const indirect *t, uint32_t rs, uint32_t rd)
{
    if (rs == rd || rs == IK_NONE || rd == IK_NONE ||
        (!t->m.group && indirect_far_apart(t, rs, rd)))
        return 0;
    if (t->group)
        return indirect_count_by_group(t, rs, rd, 0, NULL);
    if (t->sparse)
        return count_both_halves(t, rs, rd, 0, NULL);
    uint32_t c = t->component[rs];
    return t->comp_at[c + 1] - t->comp_at[c] - (t->position[rs] != IK_NONE) -
           (t->position[rd] != IK_NONE);
}

uint32_t indirect_nth(const indirect *t, uint32_t rs, uint32_t rd, uint32_t n)
{
    uint32_t mid = IK_NONE;
    if (t->group) {
        indirect_count_by_group(t, rs, rd, n, &mid);
        return mid;
    }
    if (t->sparse) {
        count_both_halves(t, rs, rd, n, &mid);
        return mid;
    }
    uint32_t a = t->position[rs], b = t->position[rd], at = t->comp_at[t->component[rs]] + n;
    /* IK_NONE sorts last and is never reached */
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    at += at >= low;
    at += at >= high;
    return t->list[at];
}

void indirect_set_of(const indirect *t, uint32_t rs, uint32_t rd, uint64_t *set)
{
    if (indirect_count(t, rs, rd) == 0)
        return;
    if (t->group) {
        for (uint32_t i = t->list_at[rs]; i < t->list_at[rs + 1]; i++)
            if (t->group[t->list[i]] != t->group[rd] && indirect_has_halves(t, rs, t->list[i], rd))
                set[t->list[i] / 64] |= (uint64_t)1 << t->list[i] % 64;
        return;
    }
    memcpy(set, t->masks + t->component[rs] * t->mask_words, t->mask_words * sizeof *set);
    set[rs / 64] &= ~((uint64_t)1 << rs % 64);
    set[rd / 64] &= ~((uint64_t)1 << rd % 64);
    for (uint32_t i = t->comp_at[0]; t->sparse && i < t->comp_at[1]; i++)
        if (!indirect_has_halves(t, rs, t->list[i], rd))
            set[t->list[i] / 64] &= ~((uint64_t)1 << t->list[i] % 64);
}

uint32_t indirect_num_headings(const ik_routing *r)
{
    return r->fabric->num_switches;
}

void indirect_start(const ik_routing *r, uint32_t heading, ik_packet *pk)
{
    (void)r;
    indirect_set(pk, heading, IK_NONE);
}

bool indirect_turns(const ik_routing *r, uint32_t heading, uint32_t sw)
{
    (void)r;
    return sw == heading;
}

void indirect_set(ik_packet *pk, uint32_t mid, uint32_t port)
{
    pk->via = (mid == IK_NONE ? INDIRECT_NONE : mid) | (port == IK_NONE ? 0 : port + 1) << 20;
    pk->phase = 0;
}

/* Of a packet at sw on its way to mid, INDIRECT_NONE: to rd. */
static void indirect_set_phase(const indirect *t, uint32_t sw, uint32_t mid, uint32_t rd,
                               ik_packet *pk)
{
    const uint32_t *group = t->m.group;
    if (mid != INDIRECT_NONE)
        pk->phase = t->after > 1 && group[sw] == group[mid];
    else if (group[sw] == group[rd])
        pk->phase = (uint8_t)(t->after + 1);
}

/* Where a packet at sw goes now: the switch that it heads for, IK_NONE = no way. *bound: the local
 * port that was chosen with its route and that it must take here, IK_NONE = none. */
static uint32_t indirect_heading(const ik_fabric *f, const indirect *t, uint32_t sw,
                                 uint32_t in_port, ik_packet *pk, uint32_t *bound)
{
    uint32_t rd = links_nearest(&t->m.g, t->m.dist, sw, pk->dst), mid = pk->via & INDIRECT_NONE,
             chosen = pk->via >> 20;
    *bound = IK_NONE;
    if (rd == IK_NONE)
        return IK_NONE;
    if (mid == sw) {
        /* forgotten once reached, so that packets of all intermediate switches are alike from here
         * on */
        pk->phase = t->after;
        pk->via = mid = INDIRECT_NONE;
        chosen = 0;
    }
    if (t->split)
        indirect_set_phase(t, sw, mid, rd, pk);
    uint32_t goal = mid == INDIRECT_NONE ? rd : mid;
    if (chosen && goal != sw) {
        uint32_t peer = ik_peer_node(f, in_port);
        if (peer != IK_NONE && !ik_is_switch(f, peer)) /* the first switch */
            *bound = chosen - 1;
    }
    return goal;
}

uint32_t indirect_next(const ik_routing *r, const indirect *t, uint32_t sw, uint32_t in_port,
                       ik_packet *pk, uint32_t *out, uint32_t *preferred)
{
    const ik_fabric *f = r->fabric;
    uint32_t bound, goal = indirect_heading(f, t, sw, in_port, pk, &bound);
    *preferred = 0;
    if (goal == IK_NONE)
        return 0;
    if (goal == sw)
        return links_last_ports(&t->m.g, sw, pk->dst, out);
    if (bound != IK_NONE) {
        out[0] = f->port_base[sw] + bound;
        return 1;
    }
    if (t->one) {
        out[0] = minpaths_one(&t->m, sw, goal, t->seed, goal);
        return out[0] != IK_NONE;
    }
    uint32_t n = minpaths_ports(&t->m, sw, goal, out);
    if (n > 1)
        *preferred = goal % n;
    return n;
}

uint32_t indirect_next_mask(const ik_routing *r, const indirect *t, uint32_t sw, uint32_t in_port,
                            ik_packet *pk, uint64_t *set, uint32_t *preferred)
{
    const ik_fabric *f = r->fabric;
    uint32_t bound, goal = indirect_heading(f, t, sw, in_port, pk, &bound);
    if (goal == IK_NONE)
        return 0;
    if (goal == sw)
        return links_last_mask(&t->m.g, sw, pk->dst, set, preferred);
    if (bound == IK_NONE && !t->one)
        return minpaths_mask(&t->m, sw, goal, goal, set, preferred);
    if (bound == IK_NONE) {
        uint32_t port = minpaths_one(&t->m, sw, goal, t->seed, goal);
        if (port == IK_NONE)
            return 0;
        bound = port - f->port_base[sw];
    }
    *preferred = bound;
    port_set_add(set, bound);
    return 1;
}

uint32_t indirect_leg(const indirect *t, uint32_t sw, uint32_t goal, uint32_t *out)
{
    if (!t->one)
        return minpaths_ports(&t->m, sw, goal, out);
    out[0] = minpaths_one(&t->m, sw, goal, t->seed, goal);
    return out[0] != IK_NONE;
}

uint32_t indirect_middles(const indirect *t, uint32_t src, uint32_t dst, uint32_t *out)
{
    uint32_t rs = t->m.g.host_sw[src], rd = indirect_goal(t, src, dst),
             count = indirect_count(t, rs, rd), n = 0;
    if (count == 0)
        return 0;
    uint32_t first = t->group ? t->list_at[rs] : t->comp_at[t->component[rs]];
    uint32_t end = t->group ? t->list_at[rs + 1] : t->comp_at[t->component[rs] + 1];
    for (uint32_t i = first; i < end; i++) {
        uint32_t mid = t->list[i];
        if ((t->group ? t->group[mid] != t->group[rd] : mid != rs && mid != rd) &&
            indirect_has_halves(t, rs, mid, rd))
            out[n++] = mid;
    }
    assert(n == count);
    return n;
}
