/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c: see program.h. Set-up, places, communicators, tags, tasks. */
#include "base/array.h"
#include "traffic/program/program_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up */

ik_status program_new(const program_settings *s, program **out, ik_error *err)
{
    program *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a program");
    p->set = *s;
    p->b = (graph_builder){.num_hosts = s->num_hosts,
                           .source = s->name,
                           .settings = s->settings,
                           .memory_limit = s->memory_limit,
                           .overhead_ps = s->overhead_ps,
                           .gap_ps = s->gap_ps,
                           .local_latency_ps = s->local_latency_ps,
                           .local_bps = s->local_bps,
                           .eager = true,
                           .eager_bytes = s->rendezvous ? s->eager_bytes : UINT64_MAX,
                           .handshake = !s->ack_only,
                           .blocks = true,
                           .program = true,
                           .room_of_receives = true};
    p->path = s->name;
    p->free_request = IK_NONE;
    *out = p;
    return IK_OK;
}

void program_free(program *p)
{
    if (!p)
        return;
    for (size_t k = 0; k < p->num_comms; k++) {
        free(p->comms[k].ranks);
        free(p->comms[k].order);
    }
    program_free_collectives(p);
    ik_hash *tables[] = {&p->comm_by_ranks, &p->pair_by_key, &p->request_by_key};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        ik_hash_free(tables[k]);
    graph_builder_free(&p->b);
    free(p->comms);
    free(p->pairs);
    free(p->requests);
    free(p->ranks);
    free(p->rows);
    free(p->host_of);
    free(p->note);
    free(p);
}

static ik_status program_map_ranks(program *p, ik_error *err)
{
    const program_settings *s = &p->set;
    if (s->map)
        return s->map(s->ctx, p->num_ranks, p->host_of, err);
    for (uint32_t r = 0; r < p->num_ranks; r++)
        p->host_of[r] = r;
    return IK_OK;
}

ik_status program_begin(program *p, uint32_t num_ranks, ik_error *err)
{
    assert(!p->host_of);
    if (num_ranks == 0)
        return program_refuse(p, err, "a program of no rank");
    uint64_t most = p->set.most_ranks ? p->set.most_ranks : p->set.num_hosts;
    most = most < IK_NONE ? most : IK_NONE - 1;
    if (num_ranks > most) {
        program_refuse(p, err, "a program of %s on %u %s", IK_COUNT(num_ranks, "rank"),
                       p->set.num_hosts, p->set.num_hosts == 1 ? "host" : "hosts");
        return ik_hint(err, IK_ERR_INPUT, "they take %s; ranks_per_host says how many share a host",
                       IK_COUNT(most, "rank"));
    }
    p->num_ranks = num_ranks;
    p->host_of = ik_calloc(num_ranks, sizeof *p->host_of);
    p->rows = ik_calloc(num_ranks, sizeof *p->rows);
    p->ranks = ik_calloc(num_ranks, sizeof *p->ranks);
    if (!p->host_of || !p->rows || !p->ranks || !ik_hash_init(&p->comm_by_ranks) ||
        !ik_hash_init(&p->pair_by_key) || !ik_hash_init(&p->request_by_key))
        return ik_fail_memory(err, num_ranks * sizeof *p->ranks, "a program");
    for (uint32_t r = 0; r < num_ranks; r++) {
        p->ranks[r].last = IK_NONE;
        p->rows[r] = r;
    }
    ik_status status = program_map_ranks(p, err);
    p->b.rank_host = p->host_of;
    p->b.num_ranks = num_ranks;
    uint32_t all;
    if (status == IK_OK)
        status = program_comm(p, NULL, 0, 0, &all, err);
    assert(status != IK_OK || all == 0);
    return status;
}

ik_status program_close(program *p, ik_workload *w, ik_error *err)
{
    ik_status status = program_check_requests(p, err);
    if (status == IK_OK)
        status = program_check_collectives(p, err);
    for (uint32_t r = 0; r < p->num_ranks && status == IK_OK; r++)
        status = program_flush(p, r, err);
    if (!p->any_tag) { /* the graph's tags tell communicators apart */
        free(p->b.comm);
        p->b.comm = NULL;
        p->b.comm_now = 0;
    }
    p->b.tags = p->pairs;
    p->b.first_tag = FIRST_PAIR;
    p->b.num_tags = (uint32_t)p->num_pairs;
    p->pairs = NULL;
    if (status == IK_OK)
        status = graph_finish(&p->b, w, err);
    program_free(p);
    return status;
}

uint32_t program_ranks(const program *p)
{
    return p->num_ranks;
}

const char *program_note_text(const program *p)
{
    return p->note;
}

ik_status program_note(program *p, ik_error *err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t before = p->note ? strlen(p->note) : 0, room = before + strlen(text) + 3;
    char *note = realloc(p->note, room);
    if (!note)
        return ik_fail_memory(err, room, "a note");
    snprintf(note + before, room - before, "%s%s", before ? "; " : "", text);
    p->note = note;
    return IK_OK;
}

uint64_t program_empty(const program *p)
{
    return p->empty;
}

graph_builder *program_graph(program *p)
{
    return &p->b;
}

const uint32_t *program_rows(const program *p)
{
    return p->rows;
}

const program_settings *program_get_settings(const program *p)
{
    return &p->set;
}

void program_count_empty(program *p, uint64_t num)
{
    p->empty += num;
}

/* ---- places and errors */

void program_place(program *p, const char *path, unsigned line)
{
    p->line = graph_place(&p->b, path, line);
    p->path = path;
    p->file_line = line;
}

ik_status program_refuse(program *p, ik_error *err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ik_fail_at(err, IK_ERR_INPUT, p->path, p->file_line, 0, "%s", text);
}

ik_status program_no_memory(const program *p, ik_error *err)
{
    return ik_fail_memory(err, p->b.num_ops * sizeof *p->b.ops, "a program");
}

ik_status program_check_rank(program *p, uint32_t rank, ik_error *err)
{
    if (rank < p->num_ranks)
        return IK_OK;
    program_refuse(p, err, "there is no rank %u", rank);
    return ik_hint(err, IK_ERR_INPUT, "the program has the ranks 0 to %u", p->num_ranks - 1);
}

ik_status program_check_comm(program *p, uint32_t comm, ik_error *err)
{
    return comm < p->num_comms ? IK_OK
                               : program_refuse(p, err, "there is no communicator %u", comm);
}

/* ---- communicators */

static uint32_t program_list_tag(const uint32_t *ranks, uint32_t num, uint64_t instance)
{
    uint64_t key = instance * UINT64_C(0x9E3779B97F4A7C15) + num;
    for (uint32_t k = 0; ranks && k < num; k++)
        key = (key ^ ranks[k]) * UINT64_C(0x100000001b3);
    return ik_hash_tag2(key, ranks != NULL);
}

static uint32_t program_find_comm(const program *p, const uint32_t *ranks, uint32_t num,
                                  uint64_t instance, uint32_t tag)
{
    const ik_hash *h = &p->comm_by_ranks;
    uint32_t id;
    for (size_t at = ik_hash_first(h, tag); (id = ik_hash_find(h, tag, &at)) != IK_NONE; at++) {
        const communicator *c = &p->comms[id];
        if (c->instance == instance && !c->ranks == !ranks && c->num == num &&
            (!ranks || memcmp(c->ranks, ranks, num * sizeof *ranks) == 0))
            break;
    }
    return id;
}

typedef struct rank_place {
    uint32_t rank, place;
} rank_place;

static int program_by_rank(const void *a, const void *b)
{
    const rank_place *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sets ranks and order of a communicator that is no list of all. */
static ik_status program_list_ranks(program *p, communicator *c, const uint32_t *ranks,
                                    ik_error *err)
{
    uint32_t num = c->num;
    rank_place *sorted = ik_calloc((size_t)num + 1, sizeof *sorted);
    c->ranks = ik_calloc((size_t)num + 1, sizeof *c->ranks);
    c->order = ik_calloc((size_t)num + 1, sizeof *c->order);
    ik_status status = sorted && c->ranks && c->order ? IK_OK : program_no_memory(p, err);
    for (uint32_t k = 0; k < num && status == IK_OK; k++) {
        sorted[k] = (rank_place){ranks[k], k};
        status = program_check_rank(p, ranks[k], err);
    }
    if (status == IK_OK) {
        memcpy(c->ranks, ranks, num * sizeof *ranks);
        qsort(sorted, num, sizeof *sorted, program_by_rank);
    }
    for (uint32_t k = 0; k < num && status == IK_OK; k++) {
        c->order[k] = sorted[k].place;
        if (k && sorted[k].rank == sorted[k - 1].rank)
            status =
                program_refuse(p, err, "rank %u appears twice in a communicator", sorted[k].rank);
    }
    free(sorted);
    return status;
}

ik_status program_comm(program *p, const uint32_t *ranks, uint32_t num, uint64_t instance,
                       uint32_t *comm, ik_error *err)
{
    uint32_t same = 0;
    while (ranks && same < num && ranks[same] == same)
        same++;
    if (same == p->num_ranks && same == num)
        ranks = NULL; /* all, as they are: nothing is searched */
    num = ranks ? num : p->num_ranks;
    if (num == 0)
        return program_refuse(p, err, "a communicator of no rank");
    uint32_t tag = program_list_tag(ranks, num, instance),
             id = program_find_comm(p, ranks, num, instance, tag);
    if (id != IK_NONE) {
        *comm = id;
        return IK_OK;
    }
    communicator c = {.num = num, .instance = instance};
    ik_status status = ranks ? program_list_ranks(p, &c, ranks, err) : IK_OK;
    id = (uint32_t)p->num_comms;
    if (status == IK_OK && (!IK_ARRAY_ROOM(p->comms, p->room_comms, p->num_comms + 1) ||
                            !ik_hash_add(&p->comm_by_ranks, tag, id)))
        status = program_no_memory(p, err);
    if (status != IK_OK) {
        free(c.ranks);
        free(c.order);
        return status;
    }
    p->comms[p->num_comms++] = c;
    *comm = id;
    return IK_OK;
}

uint32_t program_comm_size(const program *p, uint32_t comm)
{
    assert(comm < p->num_comms);
    return p->comms[comm].num;
}

uint32_t program_member(const program *p, uint32_t comm, uint32_t place)
{
    assert(comm < p->num_comms && place < p->comms[comm].num);
    return p->comms[comm].ranks ? p->comms[comm].ranks[place] : place;
}

uint32_t program_place_in(const communicator *c, uint32_t rank)
{
    assert(c->num > 0);
    if (!c->ranks)
        return rank < c->num ? rank : IK_NONE;
    uint32_t low = 0, high = c->num;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (c->ranks[c->order[middle]] <= rank)
            low = middle;
        else
            high = middle;
    }
    return c->ranks[c->order[low]] == rank ? c->order[low] : IK_NONE;
}

uint32_t program_place_of(const program *p, uint32_t comm, uint32_t rank)
{
    assert(comm < p->num_comms);
    return program_place_in(&p->comms[comm], rank);
}

/* ---- tags */

ik_status program_tag(program *p, uint32_t comm, uint32_t tag, uint32_t *out, ik_error *err)
{
    assert(comm < p->num_comms); /* program_check_comm */
    ik_hash *h = &p->pair_by_key;
    uint32_t key = ik_hash_tag((uint64_t)comm << 32 | tag), id;
    p->b.comm_now = 2 * comm + (tag == IK_NONE);
    if (comm == 0 && tag < FIRST_PAIR) {
        *out = tag;
        return IK_OK;
    }
    for (size_t at = ik_hash_first(h, key); (id = ik_hash_find(h, key, &at)) != IK_NONE; at++)
        if (p->pairs[id].comm == comm && p->pairs[id].tag == tag)
            break;
    if (id == IK_NONE) {
        id = (uint32_t)p->num_pairs;
        if (FIRST_PAIR + (uint64_t)id >= GRAPH_ACK)
            return program_refuse(p, err, "more than 2^31 tags");
        if (!IK_ARRAY_ROOM(p->pairs, p->room_pairs, p->num_pairs + 1) || !ik_hash_add(h, key, id))
            return program_no_memory(p, err);
        p->pairs[p->num_pairs++] = (ik_graph_tag){comm, tag};
    }
    *out = FIRST_PAIR + id;
    return IK_OK;
}

/* ---- tasks */

void program_class_messages(program *p)
{
    if (!p->class_messages)
        p->class_messages = 1 + graph_class(&p->b, "messages");
    p->b.class_now = (uint16_t)(p->class_messages - 1);
}

static ik_status program_add(program *p, uint32_t rank, ik_op_kind kind, uint64_t amount,
                             uint32_t peer, uint32_t tag, program_task *out, ik_error *err)
{
    if (kind != IK_OP_CALC || !p->b.num_classes)
        program_class_messages(p);
    uint32_t op = graph_add(&p->b, rank, kind, amount, peer, tag, p->line);
    if (out)
        *out = (program_task){op, op};
    /* too many operations are said by graph_finish */
    return p->b.no_memory ? program_no_memory(p, err) : IK_OK;
}

ik_status program_calc_on(program *p, uint32_t rank, unsigned cpu, uint64_t ps, program_task *out,
                          ik_error *err)
{
    ik_status status = program_check_rank(p, rank, err);
    assert(cpu <= IK_NO_CPU);
    if (status == IK_OK && ps > PROGRAM_MOST_PS)
        return program_refuse(p, err, "a computation of more than 11 days");
    return status == IK_OK ? program_add(p, rank, IK_OP_CALC,
                                         graph_scaled(ps, p->set.compute_scale), cpu, 0, out, err)
                           : status;
}

ik_status program_calc(program *p, uint32_t rank, uint64_t ps, program_task *out, ik_error *err)
{
    return program_calc_on(p, rank, 0, ps, out, err);
}

static ik_status program_check_message(program *p, uint32_t rank, uint32_t peer, uint32_t comm,
                                       uint32_t tag, uint64_t bytes, ik_error *err)
{
    ik_status status = program_check_rank(p, rank, err);
    if (status == IK_OK && peer != PROGRAM_ANY)
        status = program_check_rank(p, peer, err);
    if (status == IK_OK)
        status = program_check_comm(p, comm, err);
    if (status == IK_OK && bytes > PROGRAM_MOST)
        return program_refuse(p, err, "a message of more than 10^15 B");
    if (status == IK_OK && tag != PROGRAM_ANY && tag > PROGRAM_MOST_TAG)
        return program_refuse(p, err, "tag %u: the largest is %u", tag, PROGRAM_MOST_TAG);
    for (unsigned k = 0; k < 2 && status == IK_OK; k++) {
        uint32_t who = k ? peer : rank;
        if (who != PROGRAM_ANY && program_place_in(&p->comms[comm], who) == IK_NONE)
            return program_refuse(p, err, "rank %u is not in communicator %u", who, comm);
    }
    return status;
}

ik_status program_send(program *p, uint32_t rank, uint32_t to, uint32_t comm, uint32_t tag,
                       uint64_t bytes, program_task *out, ik_error *err)
{
    ik_status status = IK_OK;
    if (to == PROGRAM_ANY || tag == PROGRAM_ANY)
        return program_refuse(p, err, "a send needs a destination and a tag");
    status = program_check_message(p, rank, to, comm, tag, bytes, err);
    if (status == IK_OK)
        status = program_tag(p, comm, tag, &tag, err);
    if (status != IK_OK)
        return status;
    bytes = graph_scaled(bytes, p->set.size_scale);
    p->empty += bytes == 0;
    return program_add(p, rank, IK_OP_SEND, bytes ? bytes : 1, to, tag, out, err);
}

ik_status program_recv(program *p, uint32_t rank, uint32_t from, uint32_t comm, uint32_t tag,
                       uint64_t bytes, program_task *out, ik_error *err)
{
    ik_status status = program_check_message(p, rank, from, comm, tag, bytes, err);
    if (status == IK_OK && tag != PROGRAM_ANY)
        status = program_tag(p, comm, tag, &tag, err);
    if (status != IK_OK)
        return status;
    p->b.comm_now = 2 * comm;
    p->any_tag |= tag == PROGRAM_ANY;
    if (bytes < PROGRAM_MOST)
        bytes = graph_scaled(bytes, p->set.size_scale);
    return program_add(p, rank, IK_OP_RECV, bytes ? bytes : 1,
                       from == PROGRAM_ANY ? GRAPH_ANY : from, tag == PROGRAM_ANY ? GRAPH_ANY : tag,
                       out, err);
}

void program_after(program *p, program_task task, program_task before, bool on_start)
{
    graph_wait(&p->b, task.begin, on_start ? before.begin : before.end, on_start);
}
