/* SPDX-License-Identifier: Apache-2.0
 *
 * program_collective.c: collective operations in programs, one rank's part at a time.
 *
 * The algorithms (workload/collective.h) give moves of all processes. They are run once for every
 * operation, algorithm and number of processes, from process 0 as root, and kept as a list of parts
 * per process: to or from whom, which blocks, in which step. Another root is the same turned round.
 * So a rank's part is added when its own call is read, with the sizes that this call says. What a
 * rank sends or posts in a step waits for all of its part of the steps before.
 *
 * The n-th collective of a communicator must be the same one for all of its ranks: of each is kept
 * what the first rank said, and compared with what the others say. */
#include "base/array.h"
#include "traffic/program/program_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENDS = 6 };
#define SENDS      UINT32_C(0x80000000) /* in part.step */
#define MOST_TOTAL (UINT64_C(1) << 60)  /* bytes of one rank in one call */

/* What a process sends or receives: blocks first … first + num - 1, modulo all. */
typedef struct part {
    uint32_t step, peer, first, num;
} part;

struct collective_template {
    collective_operation operation;
    collective_algorithm algorithm;
    uint32_t num;    /* processes */
    uint64_t blocks; /* as collective_blocks says */
    part *parts;     /* by process */
    size_t *first;   /* [num + 1] */
};

/* What the first rank said of a collective of a communicator. */
struct agreed_collective {
    collective_operation operation;
    uint32_t rank, op, joined; /* op: one with its place */
    uint32_t root;
    bool varies;
    uint64_t bytes;
};

/* Word `index` of "a|b|c". */
static const char *program_collective_word_of(const char *list, unsigned index, char *text,
                                              size_t size)
{
    while (index--)
        list += strcspn(list, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(list, "|"), list);
    return text;
}

static const char *program_collective_operation_name(collective_operation operation, char *text,
                                                     size_t size)
{
    return program_collective_word_of(COLLECTIVE_OPERATION_NAMES, operation, text, size);
}

/* ---- templates */

typedef struct template_maker {
    collective_template *t;
    uint32_t step;
    bool counts;  /* parts are counted, in first[process + 1]; else filled in at first[process] */
    part open;    /* the message that is being put together; num 0 = none */
    uint32_t src; /* of it; peer is its destination */
} template_maker;

static void program_collective_end_message(template_maker *m)
{
    uint32_t ends[] = {m->src, m->open.peer};
    for (unsigned k = 0; k < 2 && m->open.num; k++) {
        size_t *first = m->t->first;
        if (m->counts) {
            first[ends[k] + 1]++;
            continue;
        }
        part of = m->open;
        of.step = m->step | (k ? 0 : SENDS);
        of.peer = ends[!k];
        m->t->parts[first[ends[k]]++] = of;
    }
    m->open.num = 0;
}

static void program_collective_take_phase(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
}

static void program_collective_take_move(void *ctx, const collective_move *v)
{
    template_maker *m = ctx;
    if (m->open.num && (m->src != v->src || m->open.peer != v->dst))
        program_collective_end_message(m);
    if (!m->open.num)
        m->open.first = (uint32_t)v->first; /* of pairs it is the peer that counts */
    m->src = v->src;
    m->open.peer = v->dst;
    m->open.num += (uint32_t)v->num;
}

static void program_collective_take_next(void *ctx)
{
    template_maker *m = ctx;
    program_collective_end_message(m);
    m->step++;
}

static ik_status program_collective_run_moves(collective_template *t, bool counts, ik_error *err)
{
    template_maker m = {.t = t, .counts = counts};
    const collective c = {.operation = t->operation,
                          .algorithm = t->algorithm,
                          .num = t->num,
                          .phase = program_collective_take_phase,
                          .move = program_collective_take_move,
                          .next = program_collective_take_next,
                          .ctx = &m};
    t->blocks = collective_blocks(&c);
    return collective_run(&c, err);
}

static ik_status program_collective_make_template(program *p, collective_template *t, ik_error *err)
{
    t->first = ik_calloc((size_t)t->num + 2, sizeof *t->first);
    if (!t->first)
        return program_no_memory(p, err);
    ik_status status = program_collective_run_moves(t, true, err);
    if (status != IK_OK)
        return status;
    for (uint32_t i = 0; i < t->num; i++)
        t->first[i + 1] += t->first[i];
    t->parts = ik_calloc(t->first[t->num] + 1, sizeof *t->parts);
    if (!t->parts)
        return program_no_memory(p, err);
    status = program_collective_run_moves(t, false, err);
    /* each has moved to where the next one begins */
    for (uint32_t i = t->num; i > 0; i--)
        t->first[i] = t->first[i - 1];
    t->first[0] = 0;
    return status;
}

static void program_collective_free_template(collective_template *t)
{
    free(t->parts);
    free(t->first);
}

static ik_status program_collective_refuse_algorithm(program *p, const collective_template *t,
                                                     uint32_t comm, ik_error *err)
{
    char name[32], algorithm[32];
    program_collective_operation_name(t->operation, name, sizeof name);
    program_collective_word_of(COLLECTIVE_ALGORITHM_NAMES, t->algorithm, algorithm,
                               sizeof algorithm);
    program_refuse(p, err, "%s by %s takes a power of two of ranks, communicator %u has %u", name,
                   algorithm, comm, t->num);
    ik_about(err, IK_ERR_INPUT, "%s", name);
    return ik_hint(err, IK_ERR_INPUT, "other algorithms take any number: auto chooses one");
}

static ik_status program_collective_find_template(program *p, const collective_template *like,
                                                  uint32_t comm, const collective_template **out,
                                                  ik_error *err)
{
    for (size_t k = 0; k < p->num_templates; k++) {
        const collective_template *t = &p->templates[k];
        if (t->operation == like->operation && t->algorithm == like->algorithm &&
            t->num == like->num) {
            *out = t;
            return IK_OK;
        }
    }
    if (!IK_ARRAY_ROOM(p->templates, p->room_templates, p->num_templates + 1))
        return program_no_memory(p, err);
    collective_template made = *like;
    ik_status status = program_collective_make_template(p, &made, err);
    if (status != IK_OK) {
        program_collective_free_template(&made);
        return status == IK_ERR_USAGE ? program_collective_refuse_algorithm(p, like, comm, err)
                                      : status;
    }
    p->templates[p->num_templates] = made;
    *out = &p->templates[p->num_templates++];
    return IK_OK;
}

/* ---- what ranks agree on */

static ik_status refuse_difference(program *p, uint32_t rank, const program_collective_call *c,
                                   uint32_t number, const agreed_collective *a, ik_error *err)
{
    char own[32], other[32];
    const char *path;
    unsigned line = graph_line(&p->b, a->op, &path);
    program_collective_operation_name(c->operation, own, sizeof own);
    program_collective_operation_name(a->operation, other, sizeof other);
    if (c->operation != a->operation)
        program_refuse(p, err, "collective %u of communicator %u: %s of rank %u, %s of rank %u",
                       number, c->comm, own, rank, other, a->rank);
    else if (c->root != a->root)
        program_refuse(p, err,
                       "collective %u of communicator %u, %s: root %u of rank %u, %u of "
                       "rank %u",
                       number, c->comm, own, c->root, rank, a->root, a->rank);
    else
        program_refuse(p, err,
                       "collective %u of communicator %u, %s: %" PRIu64 " B of rank %u, %" PRIu64
                       " B of rank %u",
                       number, c->comm, own, c->bytes, rank, a->bytes, a->rank);
    return ik_hint(err, IK_ERR_INPUT, "that of rank %u is in %s, line %u", a->rank, path, line);
}

/* Counts the rank in. op: of the rank, with its place. */
static ik_status program_collective_agree(program *p, uint32_t rank, uint32_t place,
                                          const program_collective_call *c, uint32_t op,
                                          ik_error *err)
{
    communicator *of = &p->comms[c->comm];
    if (!of->next && !(of->next = ik_calloc(of->num, sizeof *of->next)))
        return program_no_memory(p, err);
    uint32_t number = of->next[place]++;
    if (number == of->num_agreed) {
        if (!IK_ARRAY_ROOM(of->agreed, of->room_agreed, of->num_agreed + 1))
            return program_no_memory(p, err);
        of->agreed[of->num_agreed++] = (agreed_collective){.operation = c->operation,
                                                           .rank = rank,
                                                           .op = op,
                                                           .root = c->root,
                                                           .varies = c->varies,
                                                           .bytes = c->bytes};
    }
    agreed_collective *a = &of->agreed[number];
    a->joined++;
    bool equal = c->varies || a->varies || c->bytes == a->bytes;
    return a->operation == c->operation && a->root == c->root && equal
               ? IK_OK
               : refuse_difference(p, rank, c, number, a, err);
}

static ik_status program_collective_refuse_missing(program *p, uint32_t comm, uint32_t number,
                                                   ik_error *err)
{
    const communicator *of = &p->comms[comm];
    const agreed_collective *a = &of->agreed[number];
    char name[32];
    const char *path;
    unsigned line = graph_line(&p->b, a->op, &path);
    uint32_t place = 0;
    while (of->next[place] > number)
        place++;
    ik_fail_at(err, IK_ERR_INPUT, path, line, 0,
               "collective %u of communicator %u, %s: rank %u has none", number, comm,
               program_collective_operation_name(a->operation, name, sizeof name),
               program_member(p, comm, place));
    return ik_hint(err, IK_ERR_INPUT,
                   "%u of %u ranks take part; the trace of the others seems to be "
                   "cut off",
                   a->joined, of->num);
}

ik_status program_check_collectives(program *p, ik_error *err)
{
    for (uint32_t comm = 0; comm < p->num_comms; comm++)
        for (uint32_t k = 0; k < p->comms[comm].num_agreed; k++)
            if (p->comms[comm].agreed[k].joined < p->comms[comm].num)
                return program_collective_refuse_missing(p, comm, k, err);
    return IK_OK;
}

void program_free_collectives(program *p)
{
    for (size_t k = 0; k < p->num_templates; k++)
        program_collective_free_template(&p->templates[k]);
    for (size_t k = 0; k < p->num_comms; k++) {
        free(p->comms[k].agreed);
        free(p->comms[k].next);
    }
    free(p->templates);
    free(p->sums);
}

/* ---- sizes */

/* A part of a call being added. */
typedef struct adder {
    program *p;
    const program_collective_call *c;
    const collective_template *t;
    uint32_t rank, tag;
    uint64_t bytes;  /* scaled */
    bool sums;       /* p->sums has the bytes before every block */
    program_task in; /* what all waits for, or is last to end */
    uint32_t ends[MOST_ENDS];
    unsigned num_ends;
} adder;

static uint64_t program_collective_scaled(const program *p, uint64_t bytes)
{
    uint64_t size = graph_scaled(bytes, p->set.size_scale);
    return size || !bytes ? size : 1;
}

static uint64_t program_collective_bytes_before(uint64_t bytes, uint64_t blocks, uint64_t block)
{
    assert(blocks > 0 && block <= blocks);
    return bytes / blocks * block + bytes % blocks * block / blocks;
}

/* Bytes before each block, p->sums[num + 1]; block b is that of process root + b. */
static ik_status program_collective_sum_counts(adder *a, const uint64_t *counts, ik_error *err)
{
    program *p = a->p;
    uint32_t num = a->t->num;
    if (!IK_ARRAY_ROOM(p->sums, p->room_sums, (size_t)num + 1))
        return program_no_memory(p, err);
    p->sums[0] = 0;
    for (uint32_t b = 0; b < num; b++)
        p->sums[b + 1] =
            p->sums[b] + program_collective_scaled(p, counts[((uint64_t)a->c->root + b) % num]);
    a->sums = true;
    return IK_OK;
}

static uint64_t program_collective_sum_blocks(const adder *a, const part *of)
{
    const uint64_t *sums = a->p->sums;
    uint64_t end = (uint64_t)of->first + of->num, all = a->t->num;
    return end <= all ? sums[end] - sums[of->first] : sums[all] - sums[of->first] + sums[end - all];
}

/* Bytes of a part; *is_there: whether the message is. peer: as a place in the communicator. */
static uint64_t program_collective_size_of(const adder *a, const part *of, uint32_t peer,
                                           bool *is_there)
{
    const program_collective_call *c = a->c;
    bool sends = of->step & SENDS;
    uint64_t size;
    *is_there = true;
    switch (c->operation) {
    case COLLECTIVE_BARRIER:
        return 1;
    case COLLECTIVE_ALLTOALLV:
        if (!c->recv_counts) /* nobody knows who gets nothing */
            return sends ? program_collective_scaled(a->p, c->send_counts[peer]) : PROGRAM_MOST;
        size = program_collective_scaled(a->p, (sends ? c->send_counts : c->recv_counts)[peer]);
        break;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_SCATTER:
        if (c->varies) {
            bool listed = sends && c->operation == COLLECTIVE_SCATTER && c->send_counts;
            return !sends   ? PROGRAM_MOST
                   : listed ? program_collective_scaled(a->p, c->send_counts[peer])
                            : a->bytes;
        }
        size = a->bytes * of->num;
        break;
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_ALLREDUCE:
        size =
            program_collective_bytes_before(a->bytes, a->t->blocks, (uint64_t)of->first + of->num) -
            program_collective_bytes_before(a->bytes, a->t->blocks, of->first);
        break;
    default:
        size = a->sums ? program_collective_sum_blocks(a, of) : a->bytes * of->num;
        break;
    }
    *is_there = size > 0;
    return size;
}

/* ---- operations */

static uint32_t program_collective_join(adder *a)
{
    uint32_t op = graph_add(&a->p->b, a->rank, IK_OP_CALC, 0, 0, 0, a->p->line);
    for (unsigned k = 0; k < a->num_ends; k++)
        graph_wait(&a->p->b, op, a->ends[k], false);
    a->num_ends = 0;
    return op;
}

static void program_collective_add_end(adder *a, uint32_t op)
{
    if (a->num_ends == MOST_ENDS) {
        uint32_t joined = program_collective_join(a);
        a->ends[a->num_ends++] = joined;
    }
    a->ends[a->num_ends++] = op;
}

/* The parts of one step, which wait for `before`; their ends are in a->ends then. */
static void program_collective_add_step(adder *a, const part *parts, size_t num,
                                        const uint32_t *before, unsigned num_before)
{
    program *p = a->p;
    const communicator *of = &p->comms[a->c->comm];
    a->num_ends = 0;
    for (size_t k = 0; k < num; k++) {
        uint32_t place = (uint32_t)(((uint64_t)parts[k].peer + a->c->root) % a->t->num);
        bool is_there, sends = parts[k].step & SENDS;
        uint64_t size = program_collective_size_of(a, &parts[k], place, &is_there);
        uint32_t peer = of->ranks ? of->ranks[place] : place;
        if (!is_there)
            continue;
        p->empty += sends && !size;
        uint32_t op = graph_add(&p->b, a->rank, sends ? IK_OP_SEND : IK_OP_RECV, size ? size : 1,
                                peer, a->tag, p->line);
        for (unsigned i = 0; i < num_before; i++)
            graph_wait(&p->b, op, before[i], false);
        program_collective_add_end(a, op);
    }
    if (!a->num_ends) { /* nothing was there */
        memcpy(a->ends, before, num_before * sizeof *before);
        a->num_ends = num_before;
    }
}

static program_task program_collective_add_parts(adder *a, uint32_t place)
{
    const collective_template *t = a->t;
    uint32_t before[MOST_ENDS] = {program_collective_join(a)};
    unsigned num_before = 1;
    program_task task = {before[0], before[0]};
    /* processes are counted from the root */
    uint32_t own = (place + t->num - a->c->root) % t->num;
    for (size_t k = t->first[own], end; k < t->first[own + 1]; k = end) {
        for (end = k + 1; end < t->first[own + 1]; end++)
            if ((t->parts[end].step ^ t->parts[k].step) & ~SENDS)
                break;
        program_collective_add_step(a, &t->parts[k], end - k, before, num_before);
        memcpy(before, a->ends, a->num_ends * sizeof *before);
        num_before = a->num_ends;
    }
    a->num_ends = num_before;
    task.end = num_before == 1 ? before[0] : program_collective_join(a);
    return task;
}

/* ---- one call of one rank */

static ik_status program_collective_check_call(program *p, uint32_t rank,
                                               const program_collective_call *c, uint32_t *place,
                                               ik_error *err)
{
    ik_status status = program_check_rank(p, rank, err);
    if (status == IK_OK)
        status = program_check_comm(p, c->comm, err);
    if (status != IK_OK)
        return status;
    const communicator *of = &p->comms[c->comm];
    uint64_t total = 0;
    *place = program_place_in(of, rank);
    if (*place == IK_NONE)
        return program_refuse(p, err, "rank %u is not in communicator %u", rank, c->comm);
    if (c->root >= of->num)
        return program_refuse(p, err, "root %u of a communicator of %s", c->root,
                              IK_COUNT(of->num, "rank"));
    for (uint32_t k = 0; k < of->num; k++)
        for (unsigned i = 0; i < 2; i++) {
            const uint64_t *counts = i ? c->recv_counts : c->send_counts;
            uint64_t size = counts ? counts[k] : c->bytes;
            total = size < MOST_TOTAL && total < MOST_TOTAL ? total + size : MOST_TOTAL;
        }
    if (total >= MOST_TOTAL || program_collective_scaled(p, total) >= MOST_TOTAL)
        return program_refuse(p, err, "a collective operation of more than 2^60 B of one rank");
    bool lists = c->operation == COLLECTIVE_ALLTOALLV ? c->send_counts != NULL
                 : c->operation == COLLECTIVE_ALLGATHER || c->operation == COLLECTIVE_REDUCE_SCATTER
                     ? !c->varies || c->recv_counts != NULL
                     : true;
    assert(lists);
    return lists ? IK_OK : program_refuse(p, err, "a collective operation without its counts");
}

static collective_algorithm
program_collective_choose(const program *p, const program_collective_call *c, uint32_t num)
{
    assert(num > 0);
    uint64_t bytes = program_collective_scaled(p, c->bytes);
    if (c->varies && (c->operation == COLLECTIVE_GATHER || c->operation == COLLECTIVE_SCATTER))
        return COLLECTIVE_LINEAR; /* nobody between knows the sizes */
    if (c->varies && c->recv_counts && c->operation != COLLECTIVE_ALLTOALLV) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < num; k++)
            sum += program_collective_scaled(p, c->recv_counts[k]);
        bytes = sum / num;
    }
    return collective_choose(c->operation, p->set.algorithm[c->operation], num, bytes);
}

static ik_status program_collective_set_class(program *p, collective_operation operation,
                                              ik_error *err)
{
    char name[32];
    if (!p->class_of[operation]) {
        p->class_of[operation] =
            1 + graph_class(&p->b, program_collective_operation_name(operation, name, sizeof name));
        if (p->b.no_memory)
            return program_no_memory(p, err);
    }
    p->b.class_now = (uint16_t)(p->class_of[operation] - 1);
    return IK_OK;
}

ik_status program_begin_collective(program *p, const program_collective_call *c, ik_error *err)
{
    return (unsigned)c->operation < COLLECTIVE_OPERATIONS
               ? program_collective_set_class(p, c->operation, err)
               : program_refuse(p, err, "there is no such collective operation");
}

ik_status program_collective(program *p, uint32_t rank, const program_collective_call *c,
                             program_task *out, ik_error *err)
{
    uint32_t place = 0;
    adder a = {.p = p, .c = c, .rank = rank};
    ik_status status = program_begin_collective(p, c, err);
    if (status == IK_OK)
        status = program_collective_check_call(p, rank, c, &place, err);
    if (status != IK_OK)
        return status;
    uint32_t num = p->comms[c->comm].num;
    collective_template like = {
        .operation = c->operation, .algorithm = program_collective_choose(p, c, num), .num = num};
    a.bytes = program_collective_scaled(p, c->bytes);
    status = program_collective_find_template(p, &like, c->comm, &a.t, err);
    if (status == IK_OK)
        status = program_tag(p, c->comm, IK_NONE, &a.tag, err);
    if (status == IK_OK && c->varies && c->recv_counts &&
        (c->operation == COLLECTIVE_ALLGATHER || c->operation == COLLECTIVE_REDUCE_SCATTER))
        status = program_collective_sum_counts(&a, c->recv_counts, err);
    if (status != IK_OK)
        return status;
    program_task task = program_collective_add_parts(&a, place);
    status = p->b.no_memory ? program_no_memory(p, err)
                            : program_collective_agree(p, rank, place, c, task.begin, err);
    if (status == IK_OK && out)
        *out = task;
    return status;
}
