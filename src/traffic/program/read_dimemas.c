/* SPDX-License-Identifier: Apache-2.0
 *
 * read_dimemas.c: text traces of Dimemas (.dim), as Extrae and prv2dim make them:
 *
 *     #DIMEMAS:"name":0:2(1,1),1              tasks, threads of each, communicators
 *     d:1:1:2:0:1                             communicator 1 has the tasks 0 and 1
 *     1:0:0:0.000001500                       task 0 computes for 1.5 us
 *     2:0:0:1:4096:7:1:0                      it sends 4096 B to task 1, tag 7, communicator 1
 *     3:1:0:0:4096:7:1:0                      task 1 receives them
 *     10:0:0:11:1:0:0:8:8                     allreduce
 *
 * J. Labarta, S. Girona, V. Pillet, T. Cortes, L. Gregoris, DiP: A Parallel Program Development
 * Environment, Euro-Par 1996; records as of bsc-performance-tools/dimemas. */
#include "base/array.h"
#include "base/hash.h"
#include "traffic/program/trace_scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of receives; bits of sends. */
enum { RECV, IRECV, WAIT, WAITALL, RECV_KINDS };
enum { SEND_SYNCHRONOUS = 1, SEND_IMMEDIATE = 2, SEND_KINDS = 4 };
enum { SECONDS_DIGITS = 12 };

/* A receive that was begun. Of those that a wait cannot tell apart the first is in the table, and
 * the others follow it in the order in which they were begun. */
typedef struct open_receive {
    uint32_t task, peer, tag, comm;
    uint64_t bytes, request;
    uint32_t next; /* like this one; of a free place, the next free one; IK_NONE = none */
    uint32_t last; /* of the first one: the last that is like it */
} open_receive;

typedef struct dim_reader {
    program *p;
    scan s;
    uint64_t ranks;
    uint32_t *comms; /* [num_comms] of a number in the trace, IK_NONE = not defined */
    size_t num_comms, room_comms;
    open_receive *open;
    size_t num_open, room_open; /* places, free ones too */
    uint32_t free_open;         /* the first free place, IK_NONE = none */
    ik_hash first_open;
    uint64_t requests;
} dim_reader;

static ik_status dimemas_no_memory(ik_error *err)
{
    return ik_fail_memory(err, 1 << 16, "a trace");
}

/* ---- fields */

static ik_status dimemas_field(dim_reader *r, const char *what, uint64_t most, uint64_t *value,
                               ik_error *err)
{
    if (!scan_char(&r->s, ':'))
        return scan_fail(&r->s, err, "expected ':' and %s", what);
    return trace_uint(&r->s, what, most, value, err);
}

/* A number, or -1 for any. */
static ik_status dimemas_any_field(dim_reader *r, const char *what, uint64_t most, uint32_t *value,
                                   ik_error *err)
{
    uint64_t number = 0;
    const char *at = r->s.at;
    if (r->s.end - at >= 3 && memcmp(at, ":-1", 3) == 0 && (at + 3 == r->s.end || at[3] == ':')) {
        r->s.at += 3;
        *value = PROGRAM_ANY;
        return IK_OK;
    }
    ik_status status = dimemas_field(r, what, most, &number, err);
    *value = (uint32_t)number;
    return status;
}

static ik_status dimemas_end_of_line(dim_reader *r, ik_error *err)
{
    return scan_at_end(&r->s) ? IK_OK : scan_fail(&r->s, err, "expected the end of the line");
}

static unsigned dimemas_fields_left(const scan *s)
{
    unsigned num = 0;
    for (const char *at = s->at; at < s->end; at++)
        num += *at == ':';
    return num;
}

static ik_status dimemas_refuse_threads(dim_reader *r, ik_error *err)
{
    scan_fail(&r->s, err, "expected thread 0");
    return ik_hint(err, IK_ERR_INPUT, "tasks with several threads are not replayed");
}

static ik_status dimemas_task_fields(dim_reader *r, uint64_t *task, ik_error *err)
{
    uint64_t thread = 0;
    ik_status status = dimemas_field(r, "a task", r->ranks - 1, task, err);
    const char *at = r->s.at;
    if (status == IK_OK)
        status = dimemas_field(r, "a thread", UINT32_MAX, &thread, err);
    if (status != IK_OK || !thread)
        return status;
    r->s.at = at + 1;
    return dimemas_refuse_threads(r, err);
}

/* ---- communicators */

static ik_status dimemas_find_comm(dim_reader *r, uint32_t *comm, ik_error *err)
{
    uint64_t number = 0;
    const char *at = r->s.at;
    ik_status status = dimemas_field(r, "a communicator", UINT32_MAX, &number, err);
    if (status != IK_OK)
        return status;
    *comm = number < r->num_comms ? r->comms[number] : IK_NONE;
    if (*comm == IK_NONE && number == 0)
        *comm = 0; /* messages without one */
    if (*comm != IK_NONE)
        return IK_OK;
    r->s.at = at + 1;
    scan_fail(&r->s, err, "expected a communicator that was defined");
    return ik_hint(err, IK_ERR_INPUT, "communicators are lines d:1:NUMBER:TASKS:TASK:TASK…");
}

static ik_status dimemas_set_comm(dim_reader *r, uint64_t number, const uint32_t *ranks,
                                  uint64_t num, ik_error *err)
{
    enum { MOST_COMMS = 1 << 24 };
    if (number >= MOST_COMMS)
        return program_refuse(r->p, err, "communicator %" PRIu64 ": the largest is %d", number,
                              MOST_COMMS - 1);
    if (!IK_ARRAY_ROOM(r->comms, r->room_comms, (size_t)number + 1))
        return dimemas_no_memory(err);
    while (r->num_comms <= number)
        r->comms[r->num_comms++] = IK_NONE;
    if (r->comms[number] != IK_NONE)
        return program_refuse(r->p, err, "communicator %" PRIu64 " is defined twice", number);
    return program_comm(r->p, ranks, (uint32_t)num, number + 1, &r->comms[number], err);
}

static ik_status dimemas_read_comm(dim_reader *r, ik_error *err)
{
    uint64_t kind = 0, number = 0, num = 0, rank = 0;
    ik_status status = dimemas_field(r, "1", 1, &kind, err);
    if (status == IK_OK)
        status = dimemas_field(r, "a communicator", UINT32_MAX, &number, err);
    if (status == IK_OK)
        status = dimemas_field(r, "a number of tasks", r->ranks, &num, err);
    uint32_t *ranks = status == IK_OK ? ik_calloc((size_t)num + 1, sizeof *ranks) : NULL;
    if (status == IK_OK && !ranks)
        return dimemas_no_memory(err);
    for (uint64_t k = 0; k < num && status == IK_OK; k++) {
        status = dimemas_field(r, "a task", r->ranks - 1, &rank, err);
        ranks[k] = (uint32_t)rank;
    }
    if (status == IK_OK)
        status = dimemas_end_of_line(r, err);
    if (status == IK_OK)
        status = dimemas_set_comm(r, number, ranks, num, err);
    free(ranks);
    return status;
}

/* ---- records */

static ik_status dimemas_read_burst(dim_reader *r, ik_error *err)
{
    uint64_t task = 0, ps = 0;
    ik_status status = dimemas_task_fields(r, &task, err);
    if (status == IK_OK && !scan_char(&r->s, ':'))
        return scan_fail(&r->s, err, "expected ':' and a time in seconds");
    if (status == IK_OK)
        status =
            trace_decimal(&r->s, "a time in seconds", SECONDS_DIGITS, PROGRAM_MOST_PS, &ps, err);
    if (status == IK_OK)
        status = dimemas_end_of_line(r, err);
    return status == IK_OK ? call_compute(r->p, (uint32_t)task, ps, err) : status;
}

/* What is behind the task: peer, its thread (which old traces leave out), size, tag, communicator
 * and kind. */
static ik_status dimemas_read_message(dim_reader *r, bool sends, call_message *m, uint64_t *kind,
                                      ik_error *err)
{
    uint64_t peer = 0, thread = 0;
    bool threads = dimemas_fields_left(&r->s) >= 6;
    *m = (call_message){
        .seen_peer = PROGRAM_ANY, .seen_tag = PROGRAM_ANY, .request = PROGRAM_BLOCKING};
    ik_status status = sends ? dimemas_field(r, "a task", r->ranks - 1, &peer, err)
                             : dimemas_any_field(r, "a task", r->ranks - 1, &m->peer, err);
    m->peer = sends ? (uint32_t)peer : m->peer;
    const char *at = r->s.at;
    if (status == IK_OK && threads && r->s.end - at >= 3 && memcmp(at, ":-1", 3) == 0)
        r->s.at += 3; /* of any task */
    else if (status == IK_OK && threads)
        status = dimemas_field(r, "a thread", UINT32_MAX, &thread, err);
    if (status == IK_OK && thread) {
        r->s.at = at + 1;
        return dimemas_refuse_threads(r, err);
    }
    if (status == IK_OK)
        status = dimemas_field(r, "a size", PROGRAM_MOST, &m->bytes, err);
    uint64_t tag = 0;
    if (status == IK_OK)
        status = sends ? dimemas_field(r, "a tag", PROGRAM_MOST_TAG, &tag, err)
                       : dimemas_any_field(r, "a tag", PROGRAM_MOST_TAG, &m->tag, err);
    m->tag = sends ? (uint32_t)tag : m->tag;
    if (status == IK_OK)
        status = dimemas_find_comm(r, &m->comm, err);
    if (status == IK_OK)
        status =
            dimemas_field(r, "what kind it is", sends ? SEND_KINDS - 1 : RECV_KINDS - 1, kind, err);
    return status == IK_OK ? dimemas_end_of_line(r, err) : status;
}

/* Immediate sends are never waited for. */
static ik_status dimemas_read_send(dim_reader *r, ik_error *err)
{
    call_message m;
    uint64_t task = 0, kind = 0;
    ik_status status = dimemas_task_fields(r, &task, err);
    if (status == IK_OK)
        status = dimemas_read_message(r, true, &m, &kind, err);
    m.synchronous = kind & SEND_SYNCHRONOUS;
    if (status == IK_OK && (kind & SEND_IMMEDIATE))
        m.request = r->requests++;
    if (status == IK_OK)
        status = call_send(r->p, (uint32_t)task, &m, err);
    if (status == IK_OK && m.request != PROGRAM_BLOCKING)
        status = call_forget(r->p, (uint32_t)task, m.request, err);
    return status;
}

static uint32_t dimemas_receive_tag(const open_receive *of)
{
    return ik_hash_tag2((uint64_t)of->task << 32 | of->peer,
                        ((uint64_t)of->tag << 32 | of->comm) ^ of->bytes << 17);
}

/* The first receive that is open and like this one, IK_NONE: there is none. */
static uint32_t dimemas_find_receive(const dim_reader *r, const open_receive *like)
{
    uint32_t tag = dimemas_receive_tag(like), id;
    for (size_t at = ik_hash_first(&r->first_open, tag);
         (id = ik_hash_find(&r->first_open, tag, &at)) != IK_NONE; at++) {
        const open_receive *of = &r->open[id];
        if (of->task == like->task && of->peer == like->peer && of->tag == like->tag &&
            of->comm == like->comm && of->bytes == like->bytes)
            break;
    }
    return id;
}

static bool dimemas_keep_receive(dim_reader *r, open_receive of)
{
    uint32_t first = dimemas_find_receive(r, &of), id = r->free_open;
    if (id == IK_NONE) {
        if (r->num_open >= IK_NONE || !IK_ARRAY_ROOM(r->open, r->room_open, r->num_open + 1))
            return false;
        id = (uint32_t)r->num_open++;
    } else {
        r->free_open = r->open[id].next;
    }
    of.next = IK_NONE;
    of.last = id;
    r->open[id] = of;
    if (first == IK_NONE)
        return ik_hash_add(&r->first_open, dimemas_receive_tag(&of), id);
    r->open[r->open[first].last].next = id;
    r->open[first].last = id;
    return true;
}

/* Takes the first of its kind out. */
static bool dimemas_drop_receive(dim_reader *r, uint32_t first)
{
    uint32_t tag = dimemas_receive_tag(&r->open[first]), next = r->open[first].next;
    ik_hash_remove(&r->first_open, tag, first);
    if (next != IK_NONE)
        r->open[next].last = r->open[first].last;
    r->open[first].next = r->free_open;
    r->free_open = first;
    return next == IK_NONE || ik_hash_add(&r->first_open, tag, next);
}

static ik_status dimemas_begin_receive(dim_reader *r, uint32_t task, call_message *m, ik_error *err)
{
    m->request = r->requests++;
    if (!dimemas_keep_receive(
            r, (open_receive){task, m->peer, m->tag, m->comm, m->bytes, m->request, 0, 0}))
        return dimemas_no_memory(err);
    return call_recv(r->p, task, m, err);
}

/* A wait says what it waits for: the first that was begun. */
static ik_status dimemas_wait_for(dim_reader *r, uint32_t task, const call_message *m,
                                  ik_error *err)
{
    const open_receive like = {task, m->peer, m->tag, m->comm, m->bytes, 0, 0, 0};
    uint32_t id = dimemas_find_receive(r, &like);
    if (id != IK_NONE) {
        uint64_t request = r->open[id].request;
        return dimemas_drop_receive(r, id) ? call_wait(r->p, task, &request, 1, err)
                                           : dimemas_no_memory(err);
    }
    program_refuse(r->p, err, "task %u waits for a receive that it has not begun", task);
    return ik_hint(err, IK_ERR_INPUT,
                   "a wait has the task, the tag, the communicator and the size of its receive");
}

static ik_status dimemas_read_receive(dim_reader *r, ik_error *err)
{
    call_message m;
    uint64_t task = 0, kind = 0;
    ik_status status = dimemas_task_fields(r, &task, err);
    if (status == IK_OK)
        status = dimemas_read_message(r, false, &m, &kind, err);
    if (status != IK_OK)
        return status;
    if (kind == RECV)
        return call_recv(r->p, (uint32_t)task, &m, err);
    return kind == IRECV ? dimemas_begin_receive(r, (uint32_t)task, &m, err)
                         : dimemas_wait_for(r, (uint32_t)task, &m, err);
}

static uint64_t dimemas_share(uint64_t bytes, uint32_t num)
{
    assert(num > 0);
    return bytes / num + (bytes % num != 0);
}

/* Of what the record says: bytes that the task sends, and that it receives. counts: [ranks]. */
static bool dimemas_set_operation(program_collective_call *c, uint64_t op, uint64_t sent,
                                  uint64_t received, uint32_t num, uint64_t *counts)
{
    static const struct {
        collective_operation operation;
        bool varies;
    } operations[] = {{COLLECTIVE_BARRIER, false},
                      {COLLECTIVE_BROADCAST, false},
                      {COLLECTIVE_GATHER, false},
                      {COLLECTIVE_GATHER, true},
                      {COLLECTIVE_SCATTER, false},
                      {COLLECTIVE_SCATTER, true},
                      {COLLECTIVE_ALLGATHER, false},
                      {COLLECTIVE_ALLGATHER, false},
                      {COLLECTIVE_ALLTOALL, false},
                      {COLLECTIVE_ALLTOALLV, false},
                      {COLLECTIVE_REDUCE, false},
                      {COLLECTIVE_ALLREDUCE, false},
                      {COLLECTIVE_REDUCE_SCATTER, false},
                      {COLLECTIVE_OPERATIONS, false},
                      {COLLECTIVE_SCAN, false}};
    enum { SCATTERV = 5, ALLGATHERV = 7 };
    if (op >= sizeof operations / sizeof *operations ||
        operations[op].operation == COLLECTIVE_OPERATIONS)
        return false;
    c->operation = operations[op].operation;
    c->varies = operations[op].varies;
    switch (c->operation) {
    case COLLECTIVE_GATHER:
    case COLLECTIVE_ALLTOALL:
        c->bytes = sent;
        break;
    case COLLECTIVE_ALLGATHER:
        c->bytes = op == ALLGATHERV ? dimemas_share(received, num) : sent;
        break;
    case COLLECTIVE_SCATTER:
        c->bytes = op == SCATTERV ? dimemas_share(sent, num) : received;
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        c->bytes = dimemas_share(sent, num);
        break;
    case COLLECTIVE_ALLTOALLV:
        for (uint32_t k = 0; k < num; k++)
            counts[k] = dimemas_share(sent, num);
        c->send_counts = counts;
        break;
    default:
        c->bytes = sent > received ? sent : received;
        break;
    }
    return true;
}

static ik_status dimemas_read_collective(dim_reader *r, ik_error *err)
{
    program_collective_call c = {0};
    uint64_t task = 0, op = 0, root = 0, thread = 0, sent = 0, received = 0, sync = 0;
    ik_status status = dimemas_task_fields(r, &task, err);
    const char *at = r->s.at;
    if (status == IK_OK)
        status = dimemas_field(r, "an operation", UINT32_MAX, &op, err);
    if (status == IK_OK)
        status = dimemas_find_comm(r, &c.comm, err);
    if (status == IK_OK)
        status = dimemas_field(r, "a root", UINT32_MAX, &root, err);
    if (status == IK_OK)
        status = dimemas_field(r, "the root's thread", UINT32_MAX, &thread, err);
    if (status == IK_OK)
        status = dimemas_field(r, "bytes sent", PROGRAM_MOST, &sent, err);
    if (status == IK_OK)
        status = dimemas_field(r, "bytes received", PROGRAM_MOST, &received, err);
    if (status == IK_OK && !scan_at_end(&r->s))
        status = dimemas_field(r, "whether it synchronises", UINT32_MAX, &sync, err);
    if (status == IK_OK)
        status = dimemas_end_of_line(r, err);
    if (status != IK_OK)
        return status;
    uint32_t num = program_comm_size(r->p, c.comm);
    uint64_t *counts = ik_calloc(num, sizeof *counts);
    if (!counts)
        return dimemas_no_memory(err);
    if (!dimemas_set_operation(&c, op, sent, received, num, counts)) {
        r->s.at = at + 1;
        scan_fail(&r->s, err, "expected a collective operation, 0 to 12 or 14");
        status = IK_ERR_INPUT;
    }
    bool rooted = c.operation == COLLECTIVE_BROADCAST || c.operation == COLLECTIVE_REDUCE ||
                  c.operation == COLLECTIVE_GATHER || c.operation == COLLECTIVE_SCATTER;
    c.root = rooted ? (uint32_t)root : 0;
    if (status == IK_OK)
        status = call_collective(r->p, (uint32_t)task, &c, PROGRAM_BLOCKING, err);
    free(counts);
    return status;
}

/* ---- the file */

static ik_status dimemas_read_record(dim_reader *r, ik_error *err)
{
    uint64_t kind = 0;
    if (scan_char(&r->s, 'd'))
        return dimemas_read_comm(r, err);
    if (r->s.at < r->s.end && (*r->s.at == 's' || *r->s.at == '#'))
        return IK_OK; /* offsets of tasks; remarks */
    if (!scan_uint(&r->s, 1000, &kind))
        return scan_fail(&r->s, err, "expected a record: 0, 1, 2, 3, 10, 20, d or s");
    switch (kind) {
    case 0: /* nothing */
    case 20:
        return IK_OK; /* events of the user */
    case 1:
        return dimemas_read_burst(r, err);
    case 2:
        return dimemas_read_send(r, err);
    case 3:
        return dimemas_read_receive(r, err);
    case 10:
        return dimemas_read_collective(r, err);
    default:
        r->s.at = r->s.line_start;
        return scan_fail(&r->s, err, "expected a record: 0, 1, 2, 3, 10, 20, d or s");
    }
}

/* #DIMEMAS:"name":1,offset:2(1,1),1 */
static ik_status dimemas_read_head(dim_reader *r, ik_error *err)
{
    scan *s = &r->s;
    uint64_t threads = 0, ignored = 0;
    static const char mark[] = "#DIMEMAS:\"";
    if ((size_t)(s->end - s->at) < sizeof mark - 1 || memcmp(s->at, mark, sizeof mark - 1) != 0)
        return scan_fail(s, err, "expected %s", mark);
    s->at += sizeof mark - 1;
    const char *quote = memchr(s->at, '"', (size_t)(s->end - s->at));
    s->at = quote ? quote + 1 : s->end;
    ik_status status = dimemas_field(r, "0, or 1 and an offset", 1, &ignored, err);
    if (status == IK_OK && scan_char(s, ','))
        status = trace_uint(s, "an offset", UINT64_MAX, &ignored, err);
    if (status == IK_OK)
        status = dimemas_field(r, "a number of tasks", IK_NONE - 1, &r->ranks, err);
    if (status == IK_OK && !scan_char(s, '('))
        return scan_fail(s, err, "expected '(' and the threads of each task");
    program_place(r->p, s->file, s->line);
    if (status == IK_OK)
        status = program_begin(r->p, (uint32_t)r->ranks, err);
    for (uint64_t k = 0; k < r->ranks && status == IK_OK; k++) {
        if (k && !scan_char(s, ','))
            return scan_fail(s, err, "expected the threads of %" PRIu64 " tasks", r->ranks);
        const char *at = s->at;
        status = trace_uint(s, "a number of threads", UINT32_MAX, &threads, err);
        if (status == IK_OK && threads != 1) {
            s->at = at;
            scan_fail(s, err, "expected one thread");
            return ik_hint(err, IK_ERR_INPUT, "tasks with several threads are not replayed");
        }
    }
    if (status == IK_OK && !scan_char(s, ')'))
        return scan_fail(s, err, "expected ')'");
    return status; /* numbers of communicators follow, which define themselves */
}

static ik_status dimemas_read_lines(dim_reader *r, ik_text_lines *l, ik_error *err)
{
    bool more = true, head = false;
    ik_status status = IK_OK;
    while (status == IK_OK) {
        status = trace_next(l, &r->s, &more, err);
        if (status != IK_OK || !more)
            break;
        if (scan_at_end(&r->s))
            continue;
        program_place(r->p, r->s.file, r->s.line);
        status = head ? dimemas_read_record(r, err) : dimemas_read_head(r, err);
        head = true;
        if (status == IK_OK && r->s.cut) {
            r->s.at = r->s.end;
            return scan_fail(&r->s, err, "expected the end of the last line");
        }
    }
    if (status == IK_OK && !head)
        return ik_fail_at(err, IK_ERR_INPUT, l->path, 1, 1, "the file is empty");
    return status;
}

static ik_status read_dimemas(program *p, const program_source *s, const ik_env *env, ik_error *err)
{
    dim_reader r = {.p = p, .free_open = IK_NONE};
    ik_text_lines l = {0};
    ik_status status = trace_one_file(s, "dimemas", err);
    if (status == IK_OK && !ik_hash_init(&r.first_open))
        status = dimemas_no_memory(err);
    if (status == IK_OK)
        status = ik_text_lines_open(&l, s->files[0], env, err);
    if (status == IK_OK)
        status = dimemas_read_lines(&r, &l, err);
    ik_text_lines_close(&l);
    free(r.comms);
    free(r.open);
    ik_hash_free(&r.first_open);
    return status;
}

static unsigned dimemas_probe(const program_source *s)
{
    return strncmp(s->head, "#DIMEMAS:", 9) == 0 ? 100 : 0;
}

const program_reader program_reader_dimemas = {
    .name = "dimemas",
    .summary = "text traces of Dimemas (.dim), as prv2dim makes them of Paraver's",
    .source = "J. Labarta, S. Girona, V. Pillet, T. Cortes, L. Gregoris, Euro-Par 1996",
    .probe = dimemas_probe,
    .read = read_dimemas,
};
