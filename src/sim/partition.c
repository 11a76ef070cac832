/* SPDX-License-Identifier: Apache-2.0
 *
 * Partitions: which partition owns which node, and what a partition needs. A host goes with its
 * switch. */
#include "sim/adapter/host.h"
#include "sim/measure/classes.h"
#include "sim/measure/edges.h"
#include "sim/run.h"
#include "sim/state/route.h"
#include "sim/workload/replies.h"
#include <stdlib.h>

/* ---- the cut */

/* What happens in one partition reaches another no sooner than over the shortest link between them,
 * or by a message about reorder space.
 * A partition alone pauses now and then to see whether the run was cancelled. */
static uint64_t partition_find_step(const sim *s)
{
    const ik_fabric *f = s->f;
    uint64_t least = 64 * s->window.lookahead;
    if (s->reorder.on && s->reorder.ask_ps < least)
        least = s->reorder.ask_ps; /* of messages about reorder space, from anywhere to anywhere */
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE &&
            s->parallel.node_partition[peer] != s->parallel.node_partition[f->port_node[port]] &&
            ik_port_latency_ps(f, port) < least)
            least = ik_port_latency_ps(f, port);
    }
    return least / s->window.lookahead;
}

/* ---- what a partition needs */

enum { FIRST_EVENTS = 256, SCRATCH_SETS = 10 }; /* sets: of a switch's inputs or outputs */

static bool partition_allocate(const sim *s, partition *p, uint32_t nodes, batch **batches,
                               sim_memory *m)
{
    size_t sets = SCRATCH_SETS + s->net.max_inputs, series = s->measure.num_series;
    return sim_get(m, &p->local, FIRST_EVENTS, sizeof *p->local) &&
           sim_get(m, &p->active, nodes + 1, sizeof *p->active) &&
           sim_get(m, &p->scratch, sets * s->net.max_words, sizeof *p->scratch) &&
           sim_get(m, &p->entered, s->net.max_radix, sizeof *p->entered) &&
           sim_get(m, &p->choices, s->net.max_radix, sizeof *p->choices) &&
           sim_get(m, &p->choices_ahead, s->net.max_radix, sizeof *p->choices) &&
           sim_get(m, &p->ports, s->net.max_radix, sizeof *p->ports) &&
           sim_get(m, &p->own_vc, s->net.max_radix, sizeof *p->own_vc) &&
           (!series || sim_get(m, &p->series_bytes, series * 2, sizeof *p->series_bytes)) &&
           (!series || sim_get(m, &p->series_sum, series, sizeof *p->series_sum)) &&
           (!s->measure.judged || sim_get(m, batches, s->measure.window.most, sizeof **batches));
}

/* Of one that owns so many nodes, without what its engine has. */
static uint64_t partition_count_partition(const sim *s, uint32_t nodes)
{
    partition none;
    batch *batches;
    sim_memory m = {.only_count = true};
    partition_allocate(s, &none, nodes, &batches, &m);
    return m.bytes + 2 * HISTO_BUCKETS * sizeof(uint64_t) + sim_wheel_bytes(s->window.num_slots) +
           sim_endpoint_first_bytes(s->parallel.num_partitions) +
           sim_classes_bytes(s->traffic, s->measure.num_series) +
           (s->adapter.queues == ADAPTER_DESTINATION ? sim_dest_first_bytes() : 0) +
           sim_reorder_first_bytes(s) + sim_replies_first_bytes(s);
}

uint64_t sim_partitions_bytes(const sim *s)
{
    uint64_t each = sizeof(partition) + s->engine.ops->bytes_each(s);
    return s->parallel.num_partitions * each + partition_count_partition(s, ik_num_nodes(s->f)) +
           (s->parallel.num_partitions - 1) * partition_count_partition(s, 0);
}

static void partition_init_scratch(partition *p)
{
    const sim *s = p->sim;
    size_t words = s->net.max_words, n = s->measure.num_series;
    uint64_t *block = p->scratch;
    p->dirty_out = block;
    p->dirty_in = block + words;
    p->granted_any = block + 2 * words;
    p->ready = block + 3 * words;
    p->open = block + 4 * words;
    p->dirty_link = block + 5 * words;
    p->outputs = block + 6 * words;
    p->candidates = block + 7 * words;
    p->idle = block + 8 * words;
    p->gathered = block + 9 * words;
    p->granted = block + SCRATCH_SETS * words;
    p->view = sim_view(p);
    p->local_cap = FIRST_EVENTS;
    p->series_count = n ? p->series_bytes + n : NULL;
}

static bool init_partition(sim *s, unsigned id)
{
    partition *p = &s->parallel.partitions[id];
    uint32_t nodes = 0;
    p->free_packet = IK_NONE;
    p->out_first = UINT64_MAX;
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++)
        nodes += s->parallel.node_partition[node] == id;
    batch *batches = NULL;
    bool enough = partition_allocate(s, p, nodes, &batches, &(sim_memory){0});
    batch_cursor_set(&p->batches, s->counted.stationary, batches);
    if (!enough)
        return false;
    partition_init_scratch(p);
    return s->engine.ops->set_up_partition(p) &&
           sim_endpoint_init(&p->endpoint, id, s->parallel.num_partitions) &&
           sim_histo_init(&p->latency) && sim_histo_init(&p->network) &&
           sim_classes_new(s->traffic, s->measure.num_series, &p->classes, NULL) == IK_OK &&
           (!s->measure.paranoid || (p->edges = sim_edges_new(s->plan))) &&
           (!s->host.dest_rings || sim_dest_init(p)) && (!s->reorder.on || sim_reorder_init(p)) &&
           (!s->reply.on || sim_replies_init(p)) &&
           sim_wheel_init(&p->wheel, s->window.num_slots) == IK_OK;
}

static void partition_free_partition(partition *p)
{
    sim_endpoint_free(&p->endpoint);
    free(p->sequence);
    void *blocks[] = {p->pool,          p->local,           p->active,          p->scratch,
                      p->own_vc,        p->entered,         p->ports,           p->choices,
                      p->choices_ahead, p->latency.buckets, p->network.buckets, p->series_bytes,
                      p->series_sum,    p->batches.batches};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    sim_dest_free(p);
    sim_reorder_free(p);
    sim_replies_free(p);
    p->sim->engine.ops->free_partition(p);
    sim_classes_free(p->classes);
    sim_edges_free(p->edges);
    sim_wheel_free(&p->wheel);
}

uint64_t sim_partition_bytes(const partition *p)
{
    if (!sim_has_partition(p->sim, p->id))
        return p->far_bytes;
    uint64_t bytes =
        (uint64_t)p->pool_cap * sizeof(packet) + (uint64_t)p->wheel.cap_chunks * 64 * sizeof(event);
    bytes += (uint64_t)p->wheel.far_cap * sizeof(far_event) +
             (uint64_t)(p->local_cap - FIRST_EVENTS) * sizeof(event);
    return bytes + sim_edges_bytes(p->edges) + sim_dest_bytes(p) + sim_reorder_bytes(p) +
           sim_replies_bytes(p) + p->sim->engine.ops->partition_bytes(p) +
           sim_endpoint_bytes(&p->endpoint);
}

/* ---- */

/* Of a network with fewer switches than there are ranks, all of them simulate the whole. */
unsigned sim_count_partitions(const sim *s)
{
    const ik_ranks *ranks = s->env ? s->env->ranks : NULL;
    if (ranks)
        return ranks->num <= s->f->num_switches ? ranks->num : 1;
    unsigned num = ik_env_threads(s->env);
    if (num > s->f->num_switches)
        num = s->f->num_switches ? s->f->num_switches : 1;
    return num < UINT16_MAX ? num : UINT16_MAX;
}

static ik_status partition_make_exchange(sim *s, ik_error *err)
{
    ik_ranks *ranks = s->env->ranks;
    if (ranks)
        s->parallel.exchange = s->parallel.ranks = sim_ranks_exchange(ranks);
    else
        s->parallel.exchange = s->parallel.threads =
            sim_threads_exchange(s->parallel.num_partitions);
    s->parallel.here = ranks ? ranks->rank : 0;
    return s->parallel.exchange ? IK_OK
                                : ik_fail_memory(err, 256, "the exchange between partitions");
}

ik_status sim_setup_partitions(sim *s, ik_error *err)
{
    s->parallel.partitions = ik_calloc(s->parallel.num_partitions, sizeof *s->parallel.partitions);
    if (!s->parallel.partitions)
        return ik_fail_memory(err, s->parallel.num_partitions * sizeof *s->parallel.partitions,
                              "partitions");
    for (unsigned id = 0; id < s->parallel.num_partitions; id++) /* each is freed, set up or not */
        s->parallel.partitions[id] = (partition){.sim = s, .id = id};
    ik_status status = sim_cut_nodes(s->plan, s->traffic, s->parallel.num_partitions,
                                     s->parallel.node_partition, &s->parallel.cut, err);
    for (unsigned id = 0; status == IK_OK && id < s->parallel.num_partitions; id++)
        if (!init_partition(s, id))
            status = ik_fail_memory(err, sizeof(partition), "a partition");
    if (status == IK_OK)
        s->parallel.step_windows = partition_find_step(s);
    return status == IK_OK && s->parallel.num_partitions > 1 ? partition_make_exchange(s, err)
                                                             : status;
}

void sim_free_partitions(sim *s)
{
    for (unsigned id = 0; s->parallel.partitions && id < s->parallel.num_partitions; id++)
        partition_free_partition(&s->parallel.partitions[id]);
    free(s->parallel.partitions);
    sim_threads_exchange_free(s->parallel.threads);
    sim_ranks_exchange_free(s->parallel.ranks);
}
