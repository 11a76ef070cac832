/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_setup.c: the state of the pipelined model, allocated or only counted.
 */
#include "sim/flit/flit.h"
#include "sim/flit/pipe.h"
#include "sim/flit/pipe_fetch.h"
#include "sim/measure/classes.h"
#include "sim/measure/congest.h"
#include "sim/params/parameters.h"

#include <stdlib.h>

enum { MAX_SIDES = 65535 };

/* ---- state */

typedef struct sizes {
    size_t words, out_words, pointers, policy;
    uint32_t max_words, max_port_words;
} sizes;

static uint32_t pipe_setup_words_of(size_t bits)
{
    return (uint32_t)((bits + 63) / 64);
}

static sizes pipe_setup_measure(pipe *p)
{
    sizes z = {0};
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        uint32_t radix = ik_radix(p->f, sw);
        const pipe_sizes one = pipe_sizes_of(p, sw);
        z.words += one.sets;
        z.out_words += one.outs;
        z.pointers += one.pointers;
        z.policy += one.route_state + one.select_state;
        p->max_radix = radix > p->max_radix ? radix : p->max_radix;
    }
    z.max_words = pipe_setup_words_of((size_t)p->max_radix * p->vcs);
    z.max_port_words = pipe_setup_words_of(p->max_radix);
    return z;
}

static bool pipe_setup_allocate(pipe *p, const sizes *z)
{
    const ik_fabric *f = p->f;
    size_t ports = f->num_ports, in_vcs = (size_t)p->switch_ports * p->vcs,
           host_vcs = ports * p->vcs - in_vcs;
    return sim_get(&p->memory, &p->ports, ports, sizeof *p->ports) &&
           sim_get(&p->memory, &p->links, f->num_classes, sizeof *p->links) &&
           sim_get(&p->memory, &p->credits, ports * p->vcs, sizeof *p->credits) &&
           sim_get(&p->memory, &p->host_holders, host_vcs, sizeof *p->host_holders) &&
           sim_get(&p->memory, &p->in, in_vcs, sizeof *p->in) &&
           sim_get(&p->memory, &p->rings, in_vcs << p->ring_shift, sizeof *p->rings) &&
           sim_get(&p->memory, &p->routers, f->num_switches, sizeof *p->routers) &&
           sim_get(&p->memory, &p->hosts, f->num_hosts, sizeof *p->hosts) &&
           sim_get(&p->memory, &p->bits, z->words, sizeof *p->bits) &&
           sim_get(&p->memory, &p->outs, z->out_words, sizeof *p->outs) &&
           sim_get(&p->memory, &p->pointers, z->pointers, sizeof *p->pointers) &&
           sim_get(&p->memory, &p->policy, z->policy, 1) &&
           sim_get(&p->memory, &p->port_of_bit, (size_t)p->max_radix * p->vcs + 1,
                   sizeof *p->port_of_bit) &&
           sim_get(&p->memory, &p->crossbar_in, (size_t)p->max_radix * p->vcs + 1,
                   sizeof *p->crossbar_in) &&
           (p->speedup == 1 || sim_get(&p->memory, &p->credit_at, ports, sizeof *p->credit_at)) &&
           (p->speedup == 1 || p->input_speedup == 1 ||
            sim_get(&p->memory, &p->credit_ticks, ports, sizeof *p->credit_ticks)) &&
           sim_get(&p->memory, &p->partitions, p->num_partitions, sizeof *p->partitions) &&
           sim_get(&p->memory, &p->node_partition, ik_num_nodes(f), sizeof *p->node_partition) &&
           (p->num_partitions == 1 ||
            sim_get(&p->memory, &p->arriving, ports * p->vcs, sizeof *p->arriving)) &&
           sim_get(&p->memory, &p->channel_bytes, ports, sizeof *p->channel_bytes) &&
           sim_get(&p->memory, &p->host_bytes, f->num_hosts, sizeof *p->host_bytes) &&
           sim_get(&p->memory, &p->host_sent_bytes, f->num_hosts, sizeof *p->host_sent_bytes) &&
           sim_get(&p->memory, &p->series_blocked, p->num_series * f->num_switches,
                   sizeof *p->series_blocked) &&
           (!p->paranoid || sim_get(&p->memory, &p->order, f->num_hosts, sizeof *p->order));
}

/* Requests that an allocator of lists may get: every head for every VC of its output, every port of
 * the crossbar for every output. */
static size_t pipe_setup_most_requests(const pipe *p)
{
    return (size_t)p->max_radix * p->vcs * p->vcs +
           (size_t)p->max_radix * p->max_radix * p->input_speedup;
}

static uint32_t pipe_setup_most_sides(const pipe *p)
{
    return p->max_radix * (p->vcs > p->output_speedup ? p->vcs : p->output_speedup);
}

static bool pipe_setup_takes_lists(const pipe *p)
{
    return match_takes_list(p->vc_kind) || p->list_switch;
}

/* What belongs to a partition. */
typedef struct ownership {
    uint32_t switches, hosts;
    uint64_t ports;
} ownership;

static ownership pipe_setup_ownership_of(const pipe *p, unsigned id)
{
    ownership e = {0};
    for (uint32_t node = 0; node < ik_num_nodes(p->f); node++) {
        if (p->node_partition && p->node_partition[node] != id)
            continue;
        e.switches += ik_is_switch(p->f, node);
        e.hosts += !ik_is_switch(p->f, node);
        e.ports += p->f->port_base[node + 1] - p->f->port_base[node];
    }
    return e;
}

/* A packet that a partition knows stands with a flit in a buffer of its nodes or in transmission
 * to one, holds an empty buffer, or has been begun by a host. */
static uint32_t pipe_setup_most_chunks(const pipe *p, const ownership *e)
{
    uint64_t packets = e->ports * p->vcs * p->depth + e->hosts;
    return (uint32_t)((packets < UINT64_C(1) << 30 ? packets : (UINT64_C(1) << 30) - 1) /
                      PIPE_CHUNK) +
           1;
}

static bool pipe_setup_allocate_partition(pipe *p, pipe_partition *q, const ownership *e,
                                          const sizes *z)
{
    size_t requests = pipe_setup_takes_lists(p) ? pipe_setup_most_requests(p) : 1;
    uint32_t best = p->max_radix > p->vcs ? p->max_radix : p->vcs;
    q->p = p;
    q->free_packet = IK_NONE;
    q->first_chunk = p->max_chunks;
    q->max_chunks = pipe_setup_most_chunks(p, e);
    p->max_chunks += q->max_chunks;
    return sim_get(&p->memory, &q->slots, p->wheel_mask + 1, sizeof *q->slots) &&
           sim_get(&p->memory, &q->list, e->switches, sizeof *q->list) &&
           sim_get(&p->memory, &q->turns, p->f->num_switches, sizeof *q->turns) &&
           sim_get(&p->memory, &q->ready_hosts, e->hosts, sizeof *q->ready_hosts) &&
           sim_get(&p->memory, &q->next_hosts, e->hosts, sizeof *q->next_hosts) &&
           sim_get(&p->memory, &q->requests, requests, sizeof *q->requests) &&
           sim_get(&p->memory, &q->grants, requests, sizeof *q->grants) &&
           sim_get(&p->memory, &q->ports, p->max_radix, sizeof *q->ports) &&
           sim_get(&p->memory, &q->best, best, sizeof *q->best) &&
           sim_get(&p->memory, &q->ready, z->max_words, sizeof *q->ready) &&
           sim_get(&p->memory, &q->busy, z->max_words, sizeof *q->busy) &&
           sim_get(&p->memory, &q->offered, z->max_port_words, sizeof *q->offered) &&
           sim_get(&p->memory, &q->given, z->max_port_words, sizeof *q->given) &&
           sim_get(&p->memory, &q->freed, z->max_words, sizeof *q->freed) &&
           sim_get(&p->memory, &q->rivals, (size_t)p->vcs * z->max_words, sizeof *q->rivals) &&
           sim_get(&p->memory, &q->series_bytes, p->num_series, sizeof *q->series_bytes) &&
           sim_get(&p->memory, &q->series_count, p->num_series, sizeof *q->series_count) &&
           sim_get(&p->memory, &q->series_sum, p->num_series, sizeof *q->series_sum) &&
           (!p->window.most ||
            sim_get(&p->memory, &q->batches.batches, p->window.most, sizeof(batch)));
}

/* ---- */

/* A routing that is a function of switch and destination, and leaves packets as they are, is asked
 * once for all where its table is small. */
static uint64_t pipe_setup_table_entries(const pipe *p)
{
    enum { MOST_ENTRIES = 1 << 20, ASKED = IK_ROUTE_DEST_BASED | IK_ROUTE_MARKS };
    const ik_routing *r = p->plan->routing;
    uint64_t entries = (uint64_t)p->f->num_switches * p->f->num_hosts;
    bool fits = entries <= MOST_ENTRIES && p->max_radix <= INT16_MAX,
         whole = r->kind == IK_ROUTE_DETERMINISTIC && (r->traits & ASKED) == IK_ROUTE_DEST_BASED;
    return whole && fits ? entries : 0;
}

/* Of one partition: what stands beside pipe_setup_allocate_partition(). */
static uint64_t pipe_setup_partition_bytes(const pipe *p)
{
    bool lists = pipe_setup_takes_lists(p);
    return 2 * HISTO_BUCKETS * sizeof(uint64_t) + sim_endpoint_first_bytes(p->num_partitions) +
           sim_classes_bytes(p->traffic, p->num_series) +
           match_room_bytes(lists ? pipe_setup_most_sides(p) : 1,
                            lists ? pipe_setup_most_requests(p) : 1);
}

/* What a run in so many threads allocates before the first packet. */
static uint64_t pipe_setup_count_state(const pipe *p, unsigned threads, const sizes *z)
{
    pipe counted = *p;
    pipe_partition q = {0};
    const ownership all = pipe_setup_ownership_of(p, 0), none = {0};
    counted.memory = (sim_memory){.only_count = true};
    counted.num_partitions = threads;
    counted.max_chunks = 0;
    pipe_setup_allocate(&counted, z);
    for (unsigned id = 0; id < threads; id++)
        pipe_setup_allocate_partition(&counted, &q, id ? &none : &all, z);
    sim_get(&counted.memory, &counted.chunks, counted.max_chunks, sizeof *counted.chunks);
    return counted.memory.bytes + sizeof *p + sim_schedule_bytes(p->traffic, p->f->num_hosts) +
           threads * pipe_setup_partition_bytes(&counted) +
           pipe_setup_table_entries(p) * sizeof *p->table + pipe_congest_bytes(p);
}

static ik_status pipe_setup_check_sides(const pipe *p, ik_error *err)
{
    if ((uint64_t)p->max_radix * p->vcs > MAX_SIDES)
        return ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "%s at a switch of %s: model = pipelined takes %d pairs of port and VC",
                    IK_COUNT(p->vcs, "VC"), IK_COUNT(p->max_radix, "port"), MAX_SIDES),
            "switch.model vcs");
    if ((uint64_t)p->max_radix * p->output_speedup > MAX_SIDES)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "a switch of %u ports with output_speedup = %u: the crossbar has "
                                "at most %d outputs",
                                p->max_radix, p->output_speedup, MAX_SIDES),
                        "switch.output_speedup");
    return IK_OK;
}

static ik_status pipe_setup_check_size(const pipe *p, const sizes *z, ik_error *err)
{
    ik_status status = pipe_setup_check_sides(p, err);
    if (status != IK_OK)
        return status;
    uint64_t bytes = pipe_setup_count_state(p, p->num_partitions, z),
             limit = p->env ? p->env->memory_limit_bytes : 0;
    if (limit && bytes > limit)
        return ik_fail(
            err, IK_ERR_MEMORY,
            "the simulation's state needs %.1f MB before the first packet, %.1f MB are allowed",
            (double)bytes / 1e6, (double)limit / 1e6);
    return IK_OK;
}

static void choose_partitions(pipe *p)
{
    p->num_partitions = ik_env_threads(p->env);
    if (p->num_partitions > p->f->num_switches)
        p->num_partitions = p->f->num_switches ? p->f->num_switches : 1;
    if (p->num_partitions >= UINT16_MAX)
        p->num_partitions = UINT16_MAX - 1;
}

static ik_status pipe_setup_make_partitions(pipe *p, const sizes *z, ik_error *err)
{
    uint32_t sides = pipe_setup_takes_lists(p) ? pipe_setup_most_sides(p) : 1,
             requests = pipe_setup_takes_lists(p) ? (uint32_t)pipe_setup_most_requests(p) : 1;
    ik_status status =
        sim_cut_nodes(p->plan, p->traffic, p->num_partitions, p->node_partition, &p->cut, err);
    for (unsigned id = 0; status == IK_OK && id < p->num_partitions; id++) {
        pipe_partition *q = &p->partitions[id];
        const ownership own = pipe_setup_ownership_of(p, id);
        q->id = id;
        bool enough = pipe_setup_allocate_partition(p, q, &own, z);
        batch_cursor_set(&q->batches, p->stationary, q->batches.batches);
        if (!enough || !sim_endpoint_init(&q->endpoint, id, p->num_partitions) ||
            !sim_histo_init(&q->latency) || !sim_histo_init(&q->network))
            return ik_fail_memory(err, p->memory.bytes, "the simulation");
        for (uint32_t sw = 0; sw < p->f->num_switches; sw++)
            q->turns[sw] = (pipe_turn){IK_NONE, false};
        if (p->paranoid && !(q->edges = sim_edges_new(p->plan)))
            return ik_fail_memory(err, p->memory.bytes, "the paranoid checks");
        status = sim_classes_new(p->traffic, p->num_series, &q->classes, err);
        if (status == IK_OK)
            status = match_room_init(&q->room, sides, sides, requests, err);
    }
    if (status != IK_OK)
        return status;
    if (!sim_get(&p->memory, &p->chunks, p->max_chunks, sizeof *p->chunks))
        return ik_fail_memory(err, p->max_chunks * sizeof *p->chunks, "packets");
    if (p->num_partitions > 1 &&
        !(p->exchange = p->threads = sim_threads_exchange(p->num_partitions)))
        return ik_fail_memory(err, 256, "the exchange between threads");
    return IK_OK;
}

static ik_status pipe_setup_make_state(pipe *p, ik_error *err)
{
    sizes z = pipe_setup_measure(p);
    choose_partitions(p);
    ik_status status = pipe_setup_check_size(p, &z, err);
    if (status != IK_OK)
        return status;
    if (!pipe_setup_allocate(p, &z))
        return ik_fail_memory(err, p->memory.bytes, "the simulation");
    return pipe_setup_make_partitions(p, &z, err);
}

static ik_status pipe_setup_make_table(pipe *p, ik_error *err)
{
    const ik_routing *r = p->plan->routing;
    uint64_t entries = pipe_setup_table_entries(p);
    if (!entries)
        return IK_OK;
    p->memory.bytes += entries * sizeof *p->table;
    ik_env quiet = {.seed = p->seed,
                    .num_threads = 1,
                    .memory_limit_bytes = p->env ? p->env->memory_limit_bytes : 0};
    return ik_lft_compile(r, &quiet, &p->table, err);
}

/* A coin a cycle makes one message at most, and the ports of a host together may want to send
 * more. */
static ik_status pipe_setup_refuse_coin(const pipe *p, ik_error *err)
{
    bool bursty = p->injection == INJECT_BURSTY, coin = bursty || p->injection == INJECT_BERNOULLI;
    for (uint32_t host = 0; p->f->split && coin && host < p->f->num_hosts; host++) {
        double rate = pipe_most_rate(p, host);
        if (rate <= 1)
            continue;
        ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "injection = %s makes one message per cycle at most, and a host with several "
                    "cables would make %g",
                    bursty ? "bursty" : "bernoulli", rate),
            "adapter.injection adapter.message");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "injection: poisson or periodic, or messages of more flits");
    }
    return IK_OK;
}

ik_status pipe_setup(pipe *p, const ik_plan *plan, const ik_traffic *traffic,
                     const ik_sim_config *config, const ik_env *env, ik_error *err)
{
    p->traffic = traffic;
    p->env = env;
    p->seed = env ? env->seed : 0;
    ik_status status = pipe_resolve(p, plan, config, err);
    if (status == IK_OK && p->window.most)
        status = stationary_new(&p->window, &p->stationary, err);
    if (status == IK_OK)
        status = pipe_setup_make_state(p, err);
    if (status == IK_OK)
        status = pipe_setup_make_table(p, err);
    if (status == IK_OK)
        status = pipe_congest_new(p, err);
    p->memory.bytes += pipe_congest_bytes(p) + sim_schedule_bytes(traffic, p->f->num_hosts);
    if (status != IK_OK)
        return status;
    pipe_init(p);
    p->plain = p->routing == 1 && p->vc_alloc == 1 && p->speedup == 1 && !p->look_at_links &&
               !p->list_switch && p->vc_kind == MATCH_ISLIP && p->sw_kind == MATCH_ISLIP &&
               p->iterations == 1;
    p->staged = p->memory.bytes > PIPE_FETCH_BYTES;
    p->notes_deliveries = p->order;
    status = pipe_setup_refuse_coin(p, err);
    return status == IK_OK ? pipe_make_schedule(p, err) : status;
}

ik_status sim_check_pipelined(const ik_plan *plan, const ik_traffic *traffic,
                              const ik_sim_config *config, ik_error *err)
{
    pipe p = {.traffic = traffic};
    ik_status status = pipe_resolve(&p, plan, config, err);
    if (status == IK_OK) {
        pipe_setup_measure(&p);
        status = pipe_setup_check_sides(&p, err);
    }
    if (status == IK_OK)
        status = pipe_setup_refuse_coin(&p, err);
    sim_sizes_free(p.sizes);
    return status;
}

/* ---- estimates */

/* A thread pays for a barrier with others what some ten flit-hops cost, and where cycles are short
 * it has no more to do. */
enum { HOPS_A_THREAD = 256, HOPS_A_FLIT = 4 };

/* Flits that hosts can send in a cycle. */
static double pipe_setup_flits_a_cycle(const pipe *p)
{
    double flits = 0;
    for (uint32_t host = 0; host < p->f->num_hosts; host++) {
        uint32_t port = ik_host_port(p->f, host);
        if (port != IK_NONE)
            flits += (double)p->speedup / (double)pipe_class_period(p, p->f->port_class[port]);
    }
    return flits * (p->load < 1 ? p->load : 1);
}

/* Between two barriers, if the shortest channel between switches lies between two partitions. */
static uint64_t pipe_setup_shortest_step(const pipe *p)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t port = 0; port < p->switch_ports; port++) {
        uint32_t peer = ik_peer_node(p->f, port);
        uint64_t latency = peer == IK_NONE || !ik_is_switch(p->f, peer)
                               ? least
                               : pipe_class_latency(p, p->f->port_class[port]);
        least = latency < least ? latency : least;
    }
    return least == UINT64_MAX ? 1 : least / p->speedup + 1;
}

/* Packets while a quarter of the buffers is full; slots of the wheel when every channel is as busy
 * as those of the hosts. */
static uint64_t pipe_setup_bytes_in_flight(const pipe *p)
{
    uint64_t ports = p->f->num_ports, first = 32,
             in_slot = (uint64_t)((double)ports * (p->load < 1 ? p->load : 1));
    uint64_t packets = ports * p->vcs * p->depth / 4 / p->packet_flits + p->f->num_hosts;
    in_slot = in_slot > first ? in_slot : first;
    return (packets / PIPE_CHUNK + 1) * sizeof(pipe_chunk) +
           (p->wheel_mask + UINT64_C(1)) * in_slot * (sizeof(pipe_event) + 2 * sizeof(uint32_t));
}

uint64_t pipe_estimate_bytes(const ik_plan *plan, const ik_sim_config *config)
{
    pipe p = {0};
    bool ok = pipe_resolve(&p, plan, config, NULL) == IK_OK;
    sim_sizes_free(p.sizes);
    if (!ok)
        return 0;
    sizes z = pipe_setup_measure(&p);
    return pipe_setup_count_state(&p, 1, &z);
}

void pipe_estimate(const ik_plan *plan, const ik_sim_config *config, ik_sim_estimate *out)
{
    pipe p = {0};
    bool ok = pipe_resolve(&p, plan, config, NULL) == IK_OK;
    sim_sizes_free(p.sizes);
    if (!ok)
        return;
    sizes z = pipe_setup_measure(&p);
    uint64_t one = pipe_setup_count_state(&p, 1, &z);
    out->bytes = one + pipe_setup_bytes_in_flight(&p);
    out->thread_bytes = pipe_setup_count_state(&p, 2, &z) - one;
    out->flits = true;
    uint64_t likely = p.window.most ? stationary_likely_ps(&p.window) / p.clock_ps : p.end;
    if (!config->measure_params || ik_params_enum(config->measure_params, "until") == 0)
        out->packets = pipe_setup_flits_a_cycle(&p) * (double)likely / p.packet_flits;
    out->open_end = p.window.auto_end;
    out->packet_flits = p.packet_flits;
    out->packet_bytes = p.most_bytes;
    out->most_hops = p.window.most_hops;
    out->hops_per_window =
        HOPS_A_FLIT * pipe_setup_flits_a_cycle(&p) * (double)pipe_setup_shortest_step(&p);
    double threads = out->hops_per_window / HOPS_A_THREAD;
    out->useful_threads = threads < 1                            ? 1
                          : threads < plan->fabric->num_switches ? (unsigned)threads
                                                                 : plan->fabric->num_switches;
}

/* ---- */

static void pipe_setup_free_partition(pipe_partition *q, uint32_t num_slots)
{
    for (uint32_t k = 0; q->slots && k < num_slots; k++) {
        free(q->slots[k].flits);
        free(q->slots[k].credits);
        free(q->slots[k].hosts);
    }
    match_room_free(&q->room);
    sim_endpoint_free(&q->endpoint);
    sim_classes_free(q->classes);
    sim_edges_free(q->edges);
    void *blocks[] = {q->slots,           q->list,
                      q->ready_hosts,     q->next_hosts,
                      q->requests,        q->grants,
                      q->ports,           q->best,
                      q->ready,           q->busy,
                      q->offered,         q->given,
                      q->freed,           q->rivals,
                      q->series_bytes,    q->series_count,
                      q->series_sum,      q->batches.batches,
                      q->arrivals,        q->latency.buckets,
                      q->network.buckets, q->turns};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}

void pipe_free(pipe *p)
{
    for (unsigned k = 0; p->partitions && k < p->num_partitions; k++)
        pipe_setup_free_partition(&p->partitions[k], p->wheel_mask + 1);
    for (uint32_t k = 0; p->chunks && k < p->max_chunks; k++)
        free(p->chunks[k]);
    if (p->order)
        sim_order_free(p->order, p->f->num_hosts);
    congest_free(p->congest);
    stationary_free(p->stationary);
    sim_sizes_free(p->sizes);
    sim_schedule_free(p->schedule);
    sim_threads_exchange_free(p->threads);
    void *blocks[] = {p->ports,
                      p->links,
                      p->credits,
                      p->host_holders,
                      p->outs,
                      p->credit_at,
                      p->in,
                      p->rings,
                      p->routers,
                      p->hosts,
                      p->bits,
                      p->pointers,
                      p->policy,
                      p->chunks,
                      p->port_of_bit,
                      p->partitions,
                      p->channel_bytes,
                      p->host_bytes,
                      p->host_sent_bytes,
                      p->series_blocked,
                      p->deadlock_text,
                      p->table,
                      p->node_partition,
                      p->arriving,
                      p->crossbar_in,
                      p->credit_ticks};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}
