/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting the destinations of each channel of a routing that goes in legs: a set of destination
 * groups a channel.
 */
#include "verify/destinations.h"

#include "verify/cdg.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct marks {
    const ik_fabric *f;
    size_t words;
    uint64_t *sets;     /* [num_ports][words] groups of the packets that cross the channel */
    atomic_bool strays; /* packets go to hosts that are not their destination */
} marks;

static void destinations_legs_mark_state(void *ctx, unsigned thread, const legs_state *s)
{
    (void)thread;
    marks *m = ctx;
    for (uint32_t e = 0; e < s->num_edges; e++) {
        uint64_t *set = m->sets + s->edges[e].out_port * m->words;
        if (s->edges[e].to == IK_NONE && !s->edges[e].delivers)
            atomic_store(&m->strays, true);
        for (size_t word = 0; word < m->words && s->dst_groups; word++)
            cdg_or(&set[word], s->dst_groups[word]);
        if (s->dst_group != IK_NONE)
            cdg_or(&set[s->dst_group / 64], (uint64_t)1 << s->dst_group % 64);
    }
}

static uint32_t destinations_legs_count_hosts(const walk_groups *groups, const uint64_t *set,
                                              size_t words)
{
    uint32_t hosts = 0;
    for (size_t word = 0; word < words; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1)
            hosts += groups->group[word * 64 + (size_t)__builtin_ctzll(bits)].size;
    return hosts;
}

/* The hosts of a group are reached alike: each by its own channel if the first is by its. */
static void destinations_legs_count_ejections(const marks *m, const walk_groups *groups,
                                              uint32_t *destinations)
{
    const ik_fabric *f = m->f;
    for (uint32_t g = 0; g < groups->num; g++) {
        const walk_group *group = &groups->group[g];
        uint32_t port = f->port_peer[ik_host_port(f, group->first)];
        bool reached = m->sets[port * m->words + g / 64] >> g % 64 & 1;
        for (uint32_t out = f->port_base[group->sw]; out < f->port_base[group->sw + 1] && reached;
             out++) {
            uint32_t peer = ik_peer_node(f, out);
            destinations[out] = peer != IK_NONE && !ik_is_switch(f, peer) ? 1 : destinations[out];
        }
    }
}

static void destinations_legs_count_all(const marks *m, const walk_groups *groups,
                                        uint32_t *destinations)
{
    const ik_fabric *f = m->f;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        bool joins_switches =
            ik_is_switch(f, f->port_node[port]) && peer != IK_NONE && ik_is_switch(f, peer);
        destinations[port] =
            joins_switches
                ? destinations_legs_count_hosts(groups, m->sets + port * m->words, m->words)
                : 0;
    }
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = ik_host_port(f, host);
        if (port != IK_NONE)
            destinations[port] = f->num_hosts - 1;
    }
    destinations_legs_count_ejections(m, groups, destinations);
}

static ik_status destinations_legs_mark_all(const ik_plan *plan, const walk_groups *groups,
                                            const ik_env *env, uint32_t *destinations, bool *fits,
                                            ik_error *err)
{
    marks m = {.f = plan->fabric, .words = ((size_t)groups->num + 63) / 64};
    double bytes = 8.0 * (double)m.words * plan->fabric->num_ports;
    if (ik_env_refuse_bytes(env, bytes, "the destinations of channels", err) != IK_OK)
        return IK_ERR_MEMORY;
    m.sets = ik_calloc((size_t)plan->fabric->num_ports + 1, (m.words + 1) * sizeof *m.sets);
    legs_visitor visitor = {.ctx = &m,
                            .what = "destinations",
                            .unconnected_too = true,
                            .state = destinations_legs_mark_state};
    ik_status status = m.sets ? legs_walk(plan, groups, &visitor, env, fits, err)
                              : ik_fail_memory(err, (size_t)bytes, "the destinations of channels");
    *fits = *fits && !atomic_load(&m.strays);
    if (status == IK_OK && *fits)
        destinations_legs_count_all(&m, groups, destinations);
    free(m.sets);
    return status;
}

ik_status destinations_by_legs(const ik_plan *plan, const ik_env *env, uint32_t *destinations,
                               bool *fits, ik_error *err)
{
    /* One lane for all: VCs do not bear on where packets go. */
    ik_vc lane = {.family = ik_vc_find("1q"),
                  .fabric = plan->fabric,
                  .routing = plan->routing,
                  .num_vcs = 1,
                  .vcs_needed = 1};
    ik_plan alone = {.fabric = plan->fabric,
                     .routing = plan->routing,
                     .vc = &lane,
                     .num_vcs = 1,
                     .max_radix = plan->max_radix};
    *fits = legs_fit(&alone);
    if (!*fits)
        return IK_OK;
    walk_groups groups;
    ik_status status =
        walk_groups_make(plan->fabric, plan->routing->traits & IK_ROUTE_PER_SWITCH, &groups, err);
    if (status == IK_OK) {
        status = destinations_legs_mark_all(&alone, &groups, env, destinations, fits, err);
        walk_groups_free(&groups);
    }
    return status;
}
