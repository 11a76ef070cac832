/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_builder.c: see graph_builder.h.
 *
 * Operations are kept as the graph's own arrays, so that a graph that is built host by host is
 * never copied; another one is sorted by host and rank (counting sort, stable), array by array.
 * Messages are matched and cycles found in graph_check.c; waits become compressed rows. */
#include "base/array.h"
#include "traffic/workload/graph_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- building */

static bool graph_builder_fits_memory(graph_builder *b)
{
    size_t op = sizeof *b->ops + sizeof *b->kind + sizeof *b->cpu + sizeof *b->op_class +
                sizeof *b->host + sizeof *b->line + (b->comm ? sizeof *b->comm : 0) +
                (b->call ? sizeof *b->call : 0);
    uint64_t bytes = b->room_ops * op + b->room_waits * sizeof *b->waits;
    if (b->memory_limit && bytes > b->memory_limit)
        b->no_memory = true;
    return !b->no_memory;
}

/* A larger array in place of *array; it grows by half. */
static bool graph_builder_grow(graph_builder *b, void **array, size_t size, size_t room)
{
    void *grown = room <= SIZE_MAX / 2 / size ? realloc(*array, room * size) : NULL;
    if (!grown)
        b->no_memory = true;
    else
        *array = grown;
    return grown;
}

static bool graph_builder_grow_ops(graph_builder *b)
{
    size_t room = b->room_ops ? b->room_ops + b->room_ops / 2 : 256;
    struct {
        void *array;
        size_t size;
    } all[] = {{b->ops, sizeof *b->ops},
               {b->kind, 1},
               {b->cpu, 1},
               {b->op_class, sizeof *b->op_class},
               {b->host, sizeof *b->host},
               {b->line, sizeof *b->line},
               {b->comm, sizeof *b->comm},
               {b->call, 1}};
    bool fits = !b->no_memory;
    for (unsigned k = 0; k < 8 && fits; k++)
        fits = (k >= 6 && !all[k].array) || graph_builder_grow(b, &all[k].array, all[k].size, room);
    b->ops = all[0].array;
    b->kind = all[1].array;
    b->cpu = all[2].array;
    b->op_class = all[3].array;
    b->host = all[4].array;
    b->line = all[5].array;
    b->comm = all[6].array;
    b->call = all[7].array;
    b->room_ops = fits ? room : b->room_ops;
    return fits && graph_builder_fits_memory(b);
}

uint16_t graph_class(graph_builder *b, const char *name)
{
    assert(b->num_classes || !b->num_ops);
    size_t at = 0;
    while (at < b->num_classes && strcmp(b->classes[at], name) != 0)
        at++;
    if (at == b->num_classes) {
        b->many_classes |= at == IK_CLASSES_MAX;
        /* one more for the NULL behind them */
        bool fits = at < IK_CLASSES_MAX && IK_ARRAY_ROOM(b->classes, b->room_classes, at + 2);
        b->no_memory |= at < IK_CLASSES_MAX && !fits;
        if (!fits)
            return b->class_now;
        b->classes[at] = strndup(name, 80);
        b->classes[at + 1] = NULL;
        b->no_memory |= !b->classes[at];
        b->num_classes += b->classes[at] != NULL;
    }
    return b->class_now = (uint16_t)at;
}

void graph_name_classes(graph_builder *b, const char *kind, const uint32_t *numbers, size_t num)
{
    assert(!b->num_classes);
    if (!num && b->num_ops)
        memset(b->op_class, 0, b->num_ops * sizeof *b->op_class);
    b->classes = num ? ik_calloc(num + 1, sizeof *b->classes) : NULL;
    b->no_memory |= num && !b->classes;
    for (; b->num_classes < num && !b->no_memory; b->num_classes++) {
        char name[80];
        snprintf(name, sizeof name, "%.60s %u", kind, numbers[b->num_classes]);
        b->classes[b->num_classes] = strdup(name);
        b->no_memory |= !b->classes[b->num_classes];
    }
}

/* Those of whoever adds operations: ranks, or hosts. */
static uint32_t graph_builder_num_rows(const graph_builder *b)
{
    return b->rank_host ? b->num_ranks : b->num_hosts;
}

/* The first operation of another communicator than 0: all before it were of that one. */
static bool graph_builder_begin_comms(graph_builder *b)
{
    b->comm = ik_calloc(b->room_ops, sizeof *b->comm);
    b->no_memory |= !b->comm;
    return b->comm;
}

uint32_t graph_add(graph_builder *b, uint32_t host, ik_op_kind kind, uint64_t amount, uint32_t peer,
                   uint32_t tag, unsigned line)
{
    b->asked_ops++;
    assert(host < graph_builder_num_rows(b));
    size_t at = b->num_ops;
    if (b->no_memory || at >= GRAPH_MOST_OPS || (at == b->room_ops && !graph_builder_grow_ops(b)) ||
        (b->comm_now && !b->comm && !graph_builder_begin_comms(b)))
        return IK_NONE;
    if (b->comm)
        b->comm[at] = b->comm_now;
    if (b->call)
        b->call[at] = IK_CALL_NONE;
    b->ops[at] = (ik_op){amount, peer, tag};
    b->kind[at] = (uint8_t)kind | (kind == IK_OP_SEND && b->sync_now ? GRAPH_SYNC : 0);
    b->cpu[at] = kind == IK_OP_CALC ? (uint8_t)peer : b->cpu_now;
    b->op_class[at] = b->class_now;
    b->host[at] = host;
    b->line[at] = line;
    b->has_lines |= line != 0;
    return (uint32_t)b->num_ops++;
}

uint32_t graph_message(graph_builder *b, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t *recv)
{
    uint32_t send = graph_add(b, src, IK_OP_SEND, bytes, dst, 0, 0),
             at = graph_add(b, dst, IK_OP_RECV, bytes, src, 0, 0);
    if (recv)
        *recv = at;
    return at == IK_NONE ? IK_NONE : send;
}

void graph_wait(graph_builder *b, uint32_t op, uint32_t before, bool on_start)
{
    if (op == IK_NONE || before == IK_NONE || b->num_waits == UINT32_MAX || b->no_memory)
        return;
    assert(op < b->num_ops && before < b->num_ops && b->host[op] == b->host[before]);
    if (b->num_waits == b->room_waits) {
        size_t room = b->room_waits ? b->room_waits + b->room_waits / 2 : 256;
        void *waits = b->waits;
        bool fits = graph_builder_grow(b, &waits, sizeof *b->waits, room);
        b->waits = waits;
        b->room_waits = fits ? room : b->room_waits;
        if (!fits || !graph_builder_fits_memory(b))
            return;
    }
    b->waits[b->num_waits++] = (built_wait){op, before | (on_start ? IK_AFTER_START : 0)};
}

void graph_call(graph_builder *b, uint32_t op, ik_call_kind kind)
{
    if (op == IK_NONE || b->no_memory)
        return;
    assert(op < b->num_ops);
    if (!b->call)
        b->call = ik_calloc(b->room_ops, 1);
    b->no_memory |= !b->call;
    if (b->call)
        b->call[op] = (uint8_t)kind;
}

void graph_join_hosts(graph_builder *b, size_t from, uint32_t *joins)
{
    size_t end = b->num_ops;
    for (uint32_t host = 0; host < graph_builder_num_rows(b); host++)
        joins[host] = graph_add(b, host, IK_OP_CALC, 0, 0, 0, 0);
    for (size_t op = from; op < end && !b->no_memory; op++)
        graph_wait(b, joins[b->host[op]], (uint32_t)op, false);
}

void graph_builder_free(graph_builder *b)
{
    void *blocks[] = {b->ops,  b->kind, b->cpu,  b->op_class, b->host,
                      b->line, b->comm, b->call, b->waits,    b->tags};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    for (size_t k = 0; k < b->num_classes; k++)
        free(b->classes[k]);
    free(b->classes);
    graph_places_free(&b->places);
    b->ops = NULL;
    b->kind = b->cpu = b->call = NULL;
    b->op_class = NULL;
    b->host = b->line = b->comm = NULL;
    b->waits = NULL;
    b->tags = NULL;
    b->classes = NULL;
    b->num_ops = b->room_ops = b->num_waits = b->room_waits = b->num_classes = 0;
}

/* ---- finishing */

static bool graph_builder_is_sorted(const graph_builder *b)
{
    for (size_t k = 1; k < b->num_ops; k++)
        if (b->host[k] < b->host[k - 1])
            return false;
    return true;
}

/* *array[place[k]] = what stood at k. */
static bool graph_builder_permute(void **array, size_t size, const uint32_t *place, size_t num)
{
    char *moved = ik_calloc(num + 1, size), *old = *array;
    if (!moved)
        return false;
    for (size_t k = 0; k < num; k++)
        memcpy(moved + place[k] * size, old + k * size, size);
    free(old);
    *array = moved;
    return true;
}

/* Where operations go; a request to send right before its send, in whose place it begins. */
static void place_operations(const graph_builder *b, const uint32_t *ack, uint32_t *next,
                             uint32_t *place)
{
    memset(place, 0xff, b->num_ops * sizeof *place);
    for (size_t k = 0; k < b->num_ops; k++) {
        if (b->handshake && ack && ack[k] != IK_NONE && b->kind[k] == IK_OP_SEND)
            place[graph_request(ack[k])] = next[b->host[k]]++;
        if (place[k] == IK_NONE)
            place[k] = next[b->host[k]]++;
    }
}

/* Operations by rank; *ack as well. row_first: [ranks] the first of each. */
static ik_status graph_builder_sort_by_rank(graph_builder *b, const uint32_t *row_first,
                                            uint32_t **ack, ik_error *err)
{
    size_t num = b->num_ops;
    uint32_t *place = ik_calloc(num + 1, sizeof *place),
             *next = ik_calloc((size_t)graph_builder_num_rows(b) + 1, sizeof *next);
    bool fits = place && next;
    if (fits)
        memcpy(next, row_first, graph_builder_num_rows(b) * sizeof *next);
    if (fits)
        place_operations(b, *ack, next, place);
    for (size_t k = 0; k < num && fits && *ack; k++)
        if ((*ack)[k] != IK_NONE)
            (*ack)[k] = place[(*ack)[k]];
    void *ops = b->ops, *kind = b->kind, *cpu = b->cpu, *class = b->op_class, *line = b->line,
         *comm = b->comm, *call = b->call, *acks = *ack;
    fits = fits && graph_builder_permute(&ops, sizeof *b->ops, place, num) &&
           graph_builder_permute(&kind, 1, place, num) &&
           graph_builder_permute(&cpu, 1, place, num) &&
           graph_builder_permute(&class, sizeof *b->op_class, place, num) &&
           graph_builder_permute(&line, sizeof *b->line, place, num) &&
           (!call || graph_builder_permute(&call, 1, place, num)) &&
           (!comm || graph_builder_permute(&comm, sizeof *b->comm, place, num)) &&
           (!acks || graph_builder_permute(&acks, sizeof **ack, place, num));
    b->ops = ops;
    b->kind = kind;
    b->cpu = cpu;
    b->op_class = class;
    b->line = line;
    b->comm = comm;
    b->call = call;
    *ack = acks;
    for (size_t k = 0; k < b->num_waits && fits; k++) {
        built_wait *w = &b->waits[k];
        w->op = place[w->op];
        w->before = place[w->before & ~IK_AFTER_START] | (w->before & IK_AFTER_START);
    }
    free(place);
    free(next);
    return fits ? IK_OK : ik_fail_memory(err, num * (sizeof *b->ops + 4), "a workload");
}

/* ---- ranks */

/* Ranks by host, on one host by number: fills what g says of them; place[rank]: where it is. */
static void graph_builder_order_ranks(const graph_builder *b, ik_graph *g, uint32_t *place)
{
    for (uint32_t rank = 0; rank < b->num_ranks; rank++) {
        assert(b->rank_host[rank] < b->num_hosts);
        g->host_rank[b->rank_host[rank] + 1]++;
    }
    for (uint32_t host = 0; host < b->num_hosts; host++)
        g->host_rank[host + 1] += g->host_rank[host];
    for (uint32_t rank = 0; rank < b->num_ranks; rank++) {
        uint32_t host = b->rank_host[rank], at = g->host_rank[host]++;
        place[rank] = at;
        g->rank_number[at] = rank;
        g->rank_host[at] = host;
    }
    for (uint32_t host = b->num_hosts; host > 0; host--)
        g->host_rank[host] = g->host_rank[host - 1];
    g->host_rank[0] = 0;
}

/* From now on `host` and `peer` are places in the order of ranks. */
static ik_status graph_builder_place_ranks(graph_builder *b, ik_graph *g, ik_error *err)
{
    size_t ranks = (size_t)b->num_ranks + 2;
    g->rank_first = ik_calloc(ranks, sizeof *g->rank_first);
    g->rank_number = ik_calloc(ranks, sizeof *g->rank_number);
    g->rank_host = ik_calloc(ranks, sizeof *g->rank_host);
    g->host_rank = ik_calloc((size_t)b->num_hosts + 2, sizeof *g->host_rank);
    uint32_t *place = ik_calloc(ranks, sizeof *place);
    bool fits = g->rank_first && g->rank_number && g->rank_host && g->host_rank && place;
    if (fits)
        graph_builder_order_ranks(b, g, place);
    for (size_t k = 0; fits && k < b->num_ops; k++) {
        b->host[k] = place[b->host[k]];
        if (b->kind[k] != IK_OP_CALC && b->ops[k].peer != GRAPH_ANY)
            b->ops[k].peer = place[b->ops[k].peer];
    }
    free(place);
    g->num_ranks = b->num_ranks;
    return fits ? IK_OK : ik_fail_memory(err, 4 * ranks * sizeof *place, "a workload");
}

/* What is said in ranks is said in hosts, too. */
static ik_status graph_builder_place_hosts(const graph_builder *b, ik_graph *g, ik_error *err)
{
    bool shared = false;
    for (uint32_t host = 0; host < g->num_hosts; host++) {
        g->host_first[host] = g->rank_first[g->host_rank[host]];
        shared |= g->host_rank[host + 1] - g->host_rank[host] > 1;
    }
    g->host_first[g->num_hosts] = g->num_ops;
    if (shared && !(g->peer_rank = ik_calloc((size_t)g->num_ops + 1, sizeof *g->peer_rank)))
        return ik_fail_memory(err, 4 * (size_t)b->num_ops, "a workload");
    for (uint32_t op = 0; op < g->num_ops; op++) {
        uint32_t peer = g->ops[op].peer;
        if (g->kind[op] == IK_OP_CALC)
            continue;
        if (shared)
            g->peer_rank[op] = peer;
        if (peer != GRAPH_ANY)
            g->ops[op].peer = g->rank_host[peer];
    }
    return IK_OK;
}

/* ---- */

/* How many operations each rank has, and with that where they stand. */
static void graph_builder_count_rows(const graph_builder *b, uint32_t *row_first)
{
    for (size_t k = 0; k < b->num_ops; k++)
        row_first[b->host[k] + 1]++;
    for (uint32_t row = 0; row < graph_builder_num_rows(b); row++)
        row_first[row + 1] += row_first[row];
}

/* Moves the builder's arrays into g. */
static ik_status graph_builder_take_arrays(graph_builder *b, ik_graph *g, ik_error *err)
{
    uint32_t *ack = NULL;
    ik_status status = b->rank_host ? graph_builder_place_ranks(b, g, err) : IK_OK;
    if (status == IK_OK)
        status = graph_answer(b, &ack, err);
    g->num_ops = (uint32_t)b->num_ops;
    g->host_first = ik_calloc((size_t)b->num_hosts + 2, sizeof *g->host_first);
    if (status == IK_OK && (b->no_memory || !g->host_first))
        status = ik_fail_memory(err, b->num_ops * sizeof *b->ops, "a workload");
    uint32_t *row_first = b->rank_host ? g->rank_first : g->host_first;
    if (status == IK_OK)
        graph_builder_count_rows(b, row_first);
    /* a request stands before its send, wherever both were added */
    if (status == IK_OK && (!graph_builder_is_sorted(b) || (b->handshake && ack)))
        status = graph_builder_sort_by_rank(b, row_first, &ack, err);
    free(b->host);
    if (!b->has_lines) {
        free(b->line);
        b->line = NULL;
    }
    g->ops = b->ops;
    g->kind = b->kind;
    g->cpu = b->cpu;
    g->op_class = b->op_class;
    g->line = b->line;
    g->comm = b->comm;
    g->call = b->call;
    g->program = b->program || b->call;
    g->tags = b->tags;
    g->num_tags = b->num_tags;
    g->first_tag = b->first_tag;
    g->ack = ack;
    b->tags = NULL;
    b->ops = NULL;
    b->kind = b->cpu = b->call = NULL;
    b->op_class = NULL;
    b->host = b->line = b->comm = NULL;
    return status;
}

static ik_status graph_builder_link_waits(const graph_builder *b, ik_graph *g, ik_error *err)
{
    size_t n = (size_t)g->num_ops + 2;
    g->after_first = ik_calloc(n, sizeof *g->after_first);
    g->waits = ik_calloc(n, sizeof *g->waits);
    g->after = ik_calloc(b->num_waits + 1, sizeof *g->after);
    if (!g->after || !g->after_first || !g->waits)
        return ik_fail_memory(err, (b->num_waits + 2 * n) * sizeof *g->after, "a workload");
    for (size_t k = 0; k < b->num_waits; k++)
        g->after_first[(b->waits[k].before & ~IK_AFTER_START) + 1]++;
    for (uint32_t op = 0; op < g->num_ops; op++) {
        g->after_first[op + 1] += g->after_first[op];
        g->waits[op] = g->kind[op] == IK_OP_RECV && g->ops[op].match != IK_NONE;
        if (g->cpu[op] != IK_NO_CPU && g->cpu[op] >= g->num_cpus)
            g->num_cpus = g->cpu[op] + 1u;
    }
    for (size_t k = 0; k < b->num_waits; k++) {
        const built_wait *w = &b->waits[k];
        uint32_t start = w->before & IK_AFTER_START;
        g->after[g->after_first[w->before & ~IK_AFTER_START]++] = w->op | start;
        g->waits[w->op]++;
    }
    for (uint32_t op = g->num_ops; op > 0; op--)
        g->after_first[op] = g->after_first[op - 1];
    g->after_first[0] = 0;
    for (uint32_t op = 0; op < g->num_ops && g->ack; op++)
        if (g->kind[op] == IK_OP_SEND && g->ack[op] != IK_NONE)
            g->waits[g->ack[op]]++;
    return IK_OK;
}

static void graph_builder_sum_up(ik_workload *w)
{
    const ik_graph *g = w->graph;
    uint64_t least = UINT64_MAX;
    for (uint32_t op = 0; op < g->num_ops; op++) {
        if (g->kind[op] != IK_OP_SEND)
            continue;
        w->num_messages++;
        w->bytes += g->ops[op].amount;
        w->largest = g->ops[op].amount > w->largest ? g->ops[op].amount : w->largest;
        least = g->ops[op].amount < least ? g->ops[op].amount : least;
    }
    w->uniform = least == w->largest;
}

/* The names become the workload's. */
static void graph_builder_take_classes(graph_builder *b, ik_workload *w)
{
    if (!b->num_classes)
        return;
    w->classes = b->classes;
    w->num_classes = (uint32_t)b->num_classes;
    b->classes = NULL;
    b->num_classes = 0;
}

static ik_status graph_builder_too_large(const graph_builder *b, const char *why, ik_error *err)
{
    return ik_about(err, ik_fail(err, IK_ERR_UNSUPPORTED, "%s: %s", b->source, why), "%s",
                    b->settings ? b->settings : "");
}

static ik_status graph_builder_sum_too_large(const graph_builder *b, size_t op, ik_error *err)
{
    static const char why[] = "the sum of all messages is above 2^60 B";
    const char *path;
    unsigned line = graph_line(b, (uint32_t)op, &path);
    return line ? ik_fail_at(err, IK_ERR_INPUT, path, line, 0, "%s", why)
                : graph_builder_too_large(b, why, err);
}

static ik_status graph_builder_check_sizes(const graph_builder *b, ik_error *err)
{
    uint64_t bytes = 0;
    if (b->no_memory)
        return ik_fail_memory(err, b->num_ops * sizeof *b->ops + b->num_waits * sizeof *b->waits,
                              "a workload");
    if (b->num_ops >= GRAPH_MOST_OPS || b->num_waits >= UINT32_MAX)
        return graph_builder_too_large(
            b, "more than 2147483632 operations or 4294967294 dependences", err);
    if (b->many_classes)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "%s: more than %d classes of messages", b->source,
                       IK_CLASSES_MAX);
    for (size_t k = 0; k < b->num_ops; k++)
        if ((b->kind[k] & ~GRAPH_SYNC) == IK_OP_SEND && (bytes += b->ops[k].amount) > UINT64_C(1)
                                                                                          << 60)
            return graph_builder_sum_too_large(b, k, err);
    return IK_OK;
}

static ik_status graph_builder_make_graph(graph_builder *b, ik_graph *g, ik_error *err)
{
    *g = (ik_graph){.num_hosts = b->num_hosts,
                    .num_ranks = b->num_hosts,
                    .num_cpus = 1,
                    .local_latency_ps = b->local_latency_ps,
                    .local_bps = b->local_bps,
                    .gap_ps = b->gap_ps,
                    .overhead_ps = b->overhead_ps,
                    .eager = b->eager,
                    .handshake = b->handshake,
                    .eager_bytes = b->eager_bytes};
    ik_status status = graph_builder_take_arrays(b, g, err);
    if (status == IK_OK && b->has_lines && !(g->source = strdup(b->source)))
        status = ik_fail_memory(err, strlen(b->source), "a workload");
    graph_places_take(&b->places, g);
    if (status == IK_OK)
        status = graph_match(g, b->source, b->room_of_receives, err);
    if (status == IK_OK)
        status = graph_builder_link_waits(b, g, err);
    if (status == IK_OK)
        status = graph_refuse_cycles(g, b->source, b->blocks, err);
    return status == IK_OK && b->rank_host ? graph_builder_place_hosts(b, g, err) : status;
}

ik_status graph_finish(graph_builder *b, ik_workload *w, ik_error *err)
{
    ik_status status = graph_builder_check_sizes(b, err);
    ik_graph *g = status == IK_OK ? ik_calloc(1, sizeof *g) : NULL;
    *w = (ik_workload){.num_hosts = b->num_hosts, .repeat = 1, .graph = g, .num_classes = 1};
    if (status == IK_OK && !g)
        status = ik_fail_memory(err, sizeof *g, "a workload");
    if (status == IK_OK)
        status = graph_builder_make_graph(b, g, err);
    if (status == IK_OK) {
        graph_builder_sum_up(w);
        graph_builder_take_classes(b, w);
    }
    graph_builder_free(b);
    if (status != IK_OK)
        ik_workload_clear(w);
    return status;
}
