/* SPDX-License-Identifier: Apache-2.0
 *
 * legs.c: see legs.h: when it can be done, what both legs need, and their order.
 */
#include "vc/legs_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Starts that are compared with start_nth(): all of a small fabric's. */
#define CHECKED_STARTS 4e6

static bool legs_one_cable_each(const ik_fabric *f)
{
    for (uint32_t host = 0; host < f->num_hosts; host++)
        if (ik_host_cables(f, host) > 1)
            return false;
    return true;
}

bool legs_fit(const ik_plan *plan)
{
    if (plan->routing->rails) {
        /* not every pair of ports of hosts is used, and which are depends on the hosts */
        return false;
    }
    const ik_routing *r = plan->routing;
    unsigned legs_need = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH;
    unsigned scheme_needs = IK_VC_IGNORES_SRC | IK_VC_BY_SWITCH | IK_VC_BY_LANE;
    bool by_destination = (r->traits & IK_ROUTE_DEST_BASED) && !r->family->num_starts;
    return (by_destination || (r->family->legs && (r->traits & legs_need) == legs_need)) &&
           (plan->vc->family->ignores & scheme_needs) == scheme_needs &&
           legs_one_cable_each(plan->fabric);
}

ik_status legs_count_bytes(legs_job *job, size_t bytes, ik_error *err)
{
    uint64_t sum = atomic_fetch_add(&job->bytes, bytes) + bytes;
    return ik_env_refuse_bytes(job->env, (double)sum, "the ways of all pairs", err);
}

void legs_show(const legs_job *job, unsigned thread, const leg_walk *w, uint32_t id,
               uint32_t dst_group, const uint64_t *dst_groups)
{
    assert(id < w->num_states && (dst_group == IK_NONE || dst_group < job->groups->num));
    const leg_state *s = &w->states[id];
    if (job->visitor->state) {
        legs_state shown = {.sw = s->sw,
                            .vc = s->pk.vc,
                            .phase = s->phase,
                            .in_ports = legwalk_leg_in_ports(w, id),
                            .edges = w->edges + s->first_edge,
                            .num_edges = s->num_edges,
                            .dst_group = dst_group,
                            .dst_groups = dst_groups};
        job->visitor->state(job->visitor->ctx, thread, &shown);
    }
}

/* Which switches are connected: component[sw] is the lowest switch of sw's. */
static ik_status legs_find_components(legs_job *job, ik_error *err)
{
    const ik_fabric *f = job->plan->fabric;
    uint32_t *queue = ik_calloc((size_t)f->num_switches + 1, sizeof *queue);
    job->component = ik_calloc((size_t)f->num_switches + 1, sizeof *job->component);
    if (!queue || !job->component) {
        free(queue);
        return ik_fail_memory(err, (size_t)f->num_switches * 8, "the components of a fabric");
    }
    memset(job->component, 0xFF, f->num_switches * sizeof *job->component);
    for (uint32_t first = 0; first < f->num_switches; first++) {
        uint32_t head = 0, tail = 0;
        if (job->component[first] == IK_NONE) {
            job->component[first] = first;
            queue[tail++] = first;
        }
        while (head < tail) {
            uint32_t sw = queue[head++];
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
                uint32_t peer = ik_peer_node(f, port);
                if (peer != IK_NONE && ik_is_switch(f, peer) && job->component[peer] == IK_NONE) {
                    job->component[peer] = first;
                    queue[tail++] = peer;
                }
            }
        }
    }
    free(queue);
    return IK_OK;
}

static ik_status legs_job_make(legs_job *job, ik_error *err)
{
    size_t groups = job->groups->num;
    job->words = (groups + 63) / 64;
    job->num_headings = job->legs ? job->legs->num_headings(job->plan->routing) : 0;
    job->row_words = ((size_t)job->num_headings + 63) / 64;
    job->num_blocks = (uint32_t)job->row_words;
    double checked = (double)groups * (double)groups * (job->num_headings + 1.0) / CHECKED_STARTS;
    job->check_stride = checked < 1 ? 1 : checked > 1e9 ? 1000000000u : (uint32_t)checked + 1;
    ik_status status = legs_find_components(job, err);
    if (status == IK_OK && job->num_headings > SIZE_MAX / sizeof *job->ways / (groups + 1))
        status = ik_fail(err, IK_ERR_MEMORY, "%u headings are too many", job->num_headings);
    size_t bytes = groups * job->num_headings * sizeof *job->ways;
    if (status == IK_OK)
        status = legs_count_bytes(job, bytes, err);
    if (status == IK_OK) {
        job->ways = ik_calloc(groups * job->num_headings + 1, sizeof *job->ways);
        job->blocks = ik_calloc((size_t)job->num_blocks + 1, sizeof *job->blocks);
        status = job->ways && job->blocks
                     ? IK_OK
                     : ik_fail_memory(err, bytes, "the first legs of all ways");
    }
    return status;
}

static void legs_job_free(legs_job *job)
{
    for (uint32_t b = 0; job->blocks && b < job->num_blocks; b++) {
        free(job->blocks[b].turns);
        free(job->blocks[b].ins);
        free(job->blocks[b].sets);
    }
    free(job->component);
    free(job->ways);
    free(job->bytes_of_ways);
    free(job->blocks);
}

/* The bytes of one way. A heading without a place at this source leaves flaws that nobody adds
 * up. */
static void legs_write_bytes(const legs_job *job, uint32_t g, uint32_t heading)
{
    assert(g < job->groups->num && heading < job->num_headings && job->one_place);
    const legs_way *way = &job->ways[(size_t)g * job->num_headings + heading];
    legs_bytes bytes = legs_bytes_of(job, g);
    bytes.preferred[heading] = way->preferred;
    bytes.longest[heading] = way->turning;
    bytes.flaws[heading] = way->flaws | (way->place == IK_NONE ? LEGS_NO_TURN : 0);
}

static ik_status legs_write_all_bytes(legs_job *job, ik_error *err)
{
    size_t bytes = (size_t)job->groups->num * 3 * job->row_words * LEGS_BLOCK;
    ik_status status = legs_count_bytes(job, bytes, err);
    if (status != IK_OK)
        return status;
    job->bytes_of_ways = ik_calloc(bytes + 1, 1);
    if (!job->bytes_of_ways)
        return ik_fail_memory(err, bytes, "the first legs of all ways");
    for (uint32_t g = 0; g < job->groups->num; g++)
        for (uint32_t h = 0; h < job->num_headings; h++)
            legs_write_bytes(job, g, h);
    return IK_OK;
}

/* Places are numbered within their headings so far. */
static ik_status legs_number_places(legs_job *job, ik_error *err)
{
    job->one_place = true;
    for (uint32_t h = 0; h < job->num_headings; h++)
        job->one_place &= job->blocks[h / LEGS_BLOCK].num_places[h % LEGS_BLOCK] <= 1;
    for (uint32_t b = 0; b < job->num_blocks; b++) {
        legs_block *block = &job->blocks[b];
        size_t t = 0;
        for (uint32_t h = b * LEGS_BLOCK; h < job->num_headings && h < (b + 1) * LEGS_BLOCK; h++) {
            for (uint32_t g = 0; g < job->groups->num; g++) {
                legs_way *way = &job->ways[(size_t)g * job->num_headings + h];
                way->place += way->place == IK_NONE ? 0 : job->num_places;
            }
            for (; t < block->num_turns && block->turns[t].heading == h; t++)
                block->turns[t].place += job->num_places;
            job->num_places += job->one_place ? 1 : block->num_places[h % LEGS_BLOCK];
        }
    }
    return job->one_place ? legs_write_all_bytes(job, err) : IK_OK;
}

ik_status legs_walk(const ik_plan *plan, const walk_groups *groups, const legs_visitor *visitor,
                    const ik_env *env, bool *fits, ik_error *err)
{
    legs_job job = {.plan = plan, .groups = groups, .visitor = visitor, .env = env};
    job.legs = plan->routing->family->num_starts ? plan->routing->family->legs : NULL;
    ik_status status = legs_job_make(&job, err);
    if (status == IK_OK && job.legs)
        status = legs_walk_first(&job, err);
    if (status == IK_OK && !atomic_load(&job.misfit))
        status = legs_number_places(&job, err);
    if (status == IK_OK && !atomic_load(&job.misfit))
        status = legs_walk_second(&job, err);
    if (status == IK_OK)
        *fits = !atomic_load(&job.misfit);
    legs_job_free(&job);
    return status;
}
