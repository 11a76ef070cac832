/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end (workload/finite.h): their state, made and freed. */
#include "sim/core/memory.h"
#include "sim/workload/finite_state.h"
#include <assert.h>
#include <stdlib.h>

static bool finite_new_allocate_graph(const sim *s, finite *f, sim_memory *m)
{
    const ik_graph *g = f->w->graph;
    size_t hosts = s->f->num_hosts, queues = hosts * s->adapter.num_queues;
    return sim_get(m, &f->ops, g->num_ops + (size_t)1, sizeof *f->ops) &&
           sim_get(m, &f->first_packet, g->num_ops + (size_t)1, sizeof *f->first_packet) &&
           sim_get(m, &f->last_found, hosts, sizeof *f->last_found) &&
           sim_get(m, &f->turns, queues, sizeof *f->turns) &&
           sim_get(m, &f->behind, queues, sizeof *f->behind) &&
           sim_get(m, &f->due, hosts, sizeof *f->due) &&
           sim_get(m, &f->cpu_free, (size_t)g->num_ranks * g->num_cpus, 8) &&
           sim_get(m, &f->ops_left, hosts, 8) && sim_get(m, &f->sent_ps, hosts, 8) &&
           sim_get(m, &f->in_turn, queues, 8) &&
           (!s->reorder.on || sim_get(m, &f->order_ps, g->num_ops + (size_t)1, 8)) &&
           (!(g->overhead_ps || g->gap_ps) ||
            sim_get(m, &f->handed_ps, g->num_ops + (size_t)1, 8)) &&
           (!g->gap_ps || (sim_get(m, &f->gap_free, hosts, 8) &&
                           sim_get(m, &f->gapped_ps, g->num_ops + (size_t)1, 8)));
}

static ik_status finite_new_graph(const sim *s, finite *f, ik_error *err)
{
    const ik_graph *g = f->w->graph;
    sim_memory m = {0};
    if (!finite_new_allocate_graph(s, f, &m))
        return ik_fail_memory(err, m.bytes, "the state of a workload");
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        uint64_t packets = 0;
        f->last_found[host] = g->host_first[host];
        f->ops_left[host] = g->host_first[host + 1] - g->host_first[host];
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            f->ops[op] = (op_state){
                .left = g->kind[op] == IK_OP_CALC ? 0 : g->ops[op].amount,
                .done_ps = UINT64_MAX,
                /* its message is no wait here: it may begin before */
                .waits = g->waits[op] - (g->kind[op] == IK_OP_RECV && g->ops[op].match != IK_NONE),
                .next = IK_NONE,
                .cause = IK_NONE};
            f->first_packet[op] = (uint32_t)packets;
            packets += g->kind[op] == IK_OP_SEND ? finite_packets(s, g->ops[op].amount) : 0;
        }
        assert(packets <= UINT32_MAX); /* sim_finite_check */
    }
    return sim_any_new(f, err);
}

ik_status sim_finite_check_hosts(const sim *s, ik_error *err)
{
    const ik_workload *w = s->traffic->workload;
    const ik_fabric *fabric = s->f;
    for (uint32_t host = 0; !w->batch && host < fabric->num_hosts; host++)
        if (ik_host_port(fabric, host) == IK_NONE &&
            (w->alltoall ? ik_alltoall_has(w->alltoall, host)
                         : w->graph->host_first[host] < w->graph->host_first[host + 1]))
            return ik_about(
                err,
                ik_fail(err, IK_ERR_USAGE,
                        "traffic '%.60s': host %u has no cable, but takes part in the workload",
                        s->traffic->spec, host),
                "traffic.hosts traffic.mapping traffic.path");
    return IK_OK;
}

ik_status sim_finite_new(sim *s, ik_error *err)
{
    const ik_workload *w = s->traffic->workload;
    const ik_fabric *fabric = s->f;
    ik_status status = sim_finite_check_hosts(s, err);
    if (status != IK_OK)
        return status;
    finite *f = s->workload.finite = ik_calloc(1, sizeof *f);
    if (!f)
        return ik_fail_memory(err, sizeof *f, "the state of a workload");
    f->w = w;
    s->workload.has_graph = w->graph;
    s->workload.phased = w->graph && s->plan->routing->family->of_phase;
    f->finish_ps = ik_calloc((size_t)fabric->num_hosts + 1, sizeof *f->finish_ps);
    if (!f->finish_ps)
        return ik_fail_memory(err, fabric->num_hosts * 8, "the state of a workload");
    if (w->batch)
        return sim_batch_new(s, f, err);
    status = w->graph ? finite_new_graph(s, f, err) : sim_visits_new(s, f, err);
    return status == IK_OK && w->num_endless ? sim_endless_new(s, f, err) : status;
}

void sim_finite_carry(sim *s, sim_carrier *c)
{
    finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    size_t hosts = s->f->num_hosts, queues = hosts * s->adapter.num_queues,
           ops = g ? g->num_ops : 0, ranks = g ? g->num_ranks : 0;
    struct {
        void *array;
        size_t count, size;
    } arrays[] = {{f->finish_ps, hosts, 8},
                  {f->repetition, hosts, 4},
                  {f->states, f->w->batch ? hosts : hosts * f->w->repeat, sizeof *f->states},
                  {f->begun_ps, hosts, 8},
                  {f->replied_ps, hosts, 8},
                  {f->answered, hosts, 8},
                  {f->wanted, hosts, 8},
                  {f->ops, ops, sizeof *f->ops},
                  {f->last_found, hosts, 4},
                  {f->turns, queues, sizeof *f->turns},
                  {f->behind, queues, sizeof *f->behind},
                  {f->cpu_free, g ? ranks * g->num_cpus : 0, 8},
                  {f->ops_left, hosts, 8},
                  {f->sent_ps, hosts, 8},
                  {f->handed_ps, ops, 8},
                  {f->gap_free, hosts, 8},
                  {f->gapped_ps, ops, 8},
                  {f->order_ps, ops, 8},
                  {f->in_turn, queues, 8},
                  {f->any, f->any ? f->any_first[ranks] : 0, sizeof *f->any},
                  {f->begun, ranks, sizeof *f->begun},
                  {f->unreceived, ranks, sizeof *f->unreceived},
                  {f->mate, ops, 4}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        sim_carry_array(c, arrays[k].array, arrays[k].count, arrays[k].size);
    for (uint32_t host = 0; f->due && host < hosts; host++)
        sim_carry_heap(c, &f->due[host]);
}

void sim_finite_free(sim *s)
{
    finite *f = s->workload.finite;
    if (!f)
        return;
    for (uint32_t host = 0; f->due && host < s->f->num_hosts; host++)
        ik_heap_free(&f->due[host]);
    void *blocks[] = {f->finish_ps, f->keys,      f->repetition, f->states,       f->ops,
                      f->turns,     f->behind,    f->due,        f->first_packet, f->cpu_free,
                      f->ops_left,  f->sent_ps,   f->in_turn,    f->handed_ps,    f->begun_ps,
                      f->order_ps,  f->answered,  f->wanted,     f->replied_ps,   f->endless,
                      f->gap_free,  f->gapped_ps, f->last_found};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    sim_any_free(f);
    free(f);
    s->workload.finite = NULL;
}

uint64_t sim_finite_bytes(const sim *s)
{
    const ik_workload *w = s->traffic ? s->traffic->workload : NULL;
    uint64_t hosts = s->f->num_hosts;
    if (!w)
        return 0;
    if (w->batch)
        return hosts * (44 + sizeof(round_state));
    if (w->alltoall)
        return hosts * (20 + w->repeat * sizeof(round_state));
    return sim_any_bytes(s) + 8ull * w->graph->num_ranks * w->graph->num_cpus +
           w->graph->num_ops *
               (sizeof(op_state) + (w->graph->overhead_ps || w->graph->gap_ps ? 12ull : 4ull) +
                (w->graph->gap_ps ? 8ull : 0) + (s->reorder.on ? 8ull : 0)) +
           hosts * (28 + (w->num_endless ? sizeof(ik_job *) : 0) + sizeof(ik_heap) +
                    s->adapter.num_queues * (2 * sizeof(op_list) + 8));
}
