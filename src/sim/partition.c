/* SPDX-License-Identifier: Apache-2.0
 *
 * Partitions: which partition owns which node, and what a partition needs. A host goes with its
 * switch. */
#include "sim/host/host.h"
#include "sim/measure/classes.h"
#include "sim/run.h"
#include "sim/state/route.h"
#include <stdlib.h>

/* ---- the cut */

/* What happens in one partition reaches another no sooner than over the shortest link between them.
 * A partition alone pauses now and then to see whether the run was cancelled. */
static uint64_t find_step(const sim *s)
{
    const ik_fabric *f = s->f;
    uint64_t least = 64 * s->lookahead;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && s->node_partition[peer] != s->node_partition[f->port_node[port]] &&
            ik_port_latency_ps(f, port) < least)
            least = ik_port_latency_ps(f, port);
    }
    return least / s->lookahead;
}

/* ---- what a partition needs */

static bool init_scratch(partition *p)
{
    const sim *s = p->sim;
    size_t words = s->max_words, inputs = s->max_inputs;
    uint64_t *block = ik_calloc(words * 10 + inputs * words, sizeof *block);
    if (!block)
        return false;
    p->scratch = block;
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
    p->granted = block + 10 * words;
    p->view = sim_view(p);
    p->choices = ik_calloc(s->max_radix, sizeof *p->choices);
    p->choices_ahead = ik_calloc(s->max_radix, sizeof *p->choices);
    p->ports = ik_calloc(s->max_radix, sizeof *p->ports);
    p->own_vc = ik_calloc(s->max_radix, sizeof *p->own_vc);
    return p->choices && p->choices_ahead && p->ports && p->own_vc;
}

static bool init_series(partition *p)
{
    size_t n = p->sim->num_series;
    if (sim_classes_new(p->sim->traffic, n, &p->classes, NULL) != IK_OK)
        return false;
    if (n == 0)
        return true;
    p->series_bytes = ik_calloc(n * 3, sizeof *p->series_bytes);
    p->series_count = p->series_bytes + n;
    p->series_sum = p->series_bytes + 2 * n;
    return p->series_bytes;
}

static bool init_partition(sim *s, unsigned id)
{
    partition *p = &s->partitions[id];
    uint32_t nodes = 0;
    p->free_packet = IK_NONE;
    p->out_first = UINT64_MAX;
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++)
        nodes += s->node_partition[node] == id;
    p->local_cap = 256;
    p->local = malloc(p->local_cap * sizeof *p->local);
    p->active = malloc((nodes + 1) * sizeof *p->active);
    return p->local && p->active && s->engine->set_up_partition(p) &&
           sim_endpoint_init(&p->endpoint, id, s->num_partitions) && sim_histo_init(&p->latency) &&
           sim_histo_init(&p->network) && init_series(p) && init_scratch(p) &&
           (!s->dest_rings || sim_dest_init(p)) && sim_wheel_init(&p->wheel, s->num_slots) == IK_OK;
}

static void free_partition(partition *p)
{
    sim_endpoint_free(&p->endpoint);
    void *blocks[] = {
        p->pool,        p->local,   p->active,        p->scratch,         p->own_vc,
        p->ports,       p->choices, p->choices_ahead, p->latency.buckets, p->network.buckets,
        p->series_bytes};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    sim_dest_free(p);
    p->sim->engine->free_partition(p);
    sim_classes_free(p->classes);
    sim_wheel_free(&p->wheel);
}

uint64_t sim_partition_bytes(const partition *p)
{
    uint64_t bytes =
        (uint64_t)p->pool_cap * sizeof(packet) + (uint64_t)p->wheel.cap_chunks * 64 * sizeof(event);
    bytes += (uint64_t)p->wheel.num_slots * sizeof(slot) +
             (uint64_t)p->wheel.far_cap * sizeof(far_event);
    bytes += (uint64_t)p->local_cap * sizeof(event) + sim_dest_bytes(p) +
             p->sim->engine->partition_bytes(p);
    return bytes + sim_endpoint_bytes(&p->endpoint);
}

/* ---- */

ik_status sim_setup_partitions(sim *s, ik_error *err)
{
    s->num_partitions = ik_env_threads(s->env);
    if (s->num_partitions > s->f->num_switches)
        s->num_partitions = s->f->num_switches ? s->f->num_switches : 1;
    if (s->num_partitions > UINT16_MAX)
        s->num_partitions = UINT16_MAX;
    s->partitions = ik_calloc(s->num_partitions, sizeof *s->partitions);
    if (!s->partitions)
        return ik_fail_memory(err, s->num_partitions * sizeof *s->partitions, "partitions");
    for (unsigned id = 0; id < s->num_partitions; id++) /* each is freed, set up or not */
        s->partitions[id] = (partition){.sim = s, .id = id};
    ik_status status =
        sim_cut_nodes(s->plan, s->traffic, s->num_partitions, s->node_partition, &s->cut, err);
    for (unsigned id = 0; status == IK_OK && id < s->num_partitions; id++)
        if (!init_partition(s, id))
            status = ik_fail_memory(err, sizeof(partition), "a partition");
    if (status == IK_OK)
        s->step_windows = find_step(s);
    if (status == IK_OK && s->num_partitions > 1 &&
        !(s->exchange = s->threads = sim_threads_exchange(s->num_partitions)))
        status = ik_fail_memory(err, 256, "the exchange between threads");
    return status;
}

void sim_free_partitions(sim *s)
{
    for (unsigned id = 0; s->partitions && id < s->num_partitions; id++)
        free_partition(&s->partitions[id]);
    free(s->partitions);
    sim_threads_exchange_free(s->threads);
}
