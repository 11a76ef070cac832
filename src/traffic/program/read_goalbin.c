/* SPDX-License-Identifier: Apache-2.0
 *
 * read_goalbin.c: GOAL's binary form, as LogGOPSim's compiler of schedules (txt2bin) writes it.
 * Little-endian, nothing is padded:
 *
 *   u64 mark 4223; u32 ranks; u8 largest processor, u8 largest adapter
 *   per rank: u64 begin, u64 end of its schedule, counted from behind the mark
 *   per rank, one behind the other, a schedule:
 *     u32 operations; u32 free ones (that wait for nothing); u32 each of these
 *     per operation, 39 bytes: u32 number of operations that it waits for; u8 type (1 send, 2
 *       receive, 3 calculation); u32 peer; u64 bytes or ns; u32 tag; u8 processor; u8 adapter;
 *       u32 how many wait for its end, u32 where they begin in the list; the same of its start
 *     u32 of the list: operations of the same rank
 *
 * The layout is that of LogGOPSim and of ATLAHS, which took it over. LogGOPSim2 writes another one
 * (104 bytes per operation) under the same mark, which is refused. A file is read in one go: lists
 * stand in the order of the operations that they belong to, so that 12 bytes per operation of one
 * rank are held. T. Hoefler, T. Schneider, A. Lumsdaine, LogGOPSim, HPDC 2010. */
#include "traffic/program/reader.h"
#include "traffic/workload/goal_classes.h"

#include "base/array.h"
#include "base/file_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MARK = 4223, MARK_USED = 2342, OP_SIZE = 39, PIECE = 1 << 18 };
enum { SEND = 1, RECV = 2, CALC = 3 };
#define MOST_BYTES UINT64_C(1000000000000000)
#define MOST_NS    UINT64_C(1000000000000000)

typedef struct schedule_op {
    uint32_t waits, on_end, on_start; /* how many it waits for; how many wait for it */
} schedule_op;

typedef struct goal_binary {
    program *p;
    const ik_env *env;
    const char *path;
    gzFile in;
    uint8_t piece[PIECE];
    size_t at, used;
    uint64_t offset; /* of piece[at], from behind the mark */
    uint32_t num_ranks, rank;
    uint64_t (*span)[2]; /* [num_ranks] begin and end */
    schedule_op *ops;    /* of the rank */
    size_t room_ops;
    uint64_t empty;
    goal_classes classes;
} goal_binary;

/* ---- bytes */

static ik_status goalbin_fail(const goal_binary *g, ik_error *err, const char *what)
{
    ik_fail_at(err, IK_ERR_INPUT, g->path, 0, 0, "rank %u: %s", g->rank, what);
    return ik_hint(
        err, IK_ERR_INPUT,
        "this reader takes what txt2bin of LogGOPSim and ATLAHS writes; LogGOPSim2 has another "
        "layout, whose text form ikat reads");
}

static ik_status goalbin_fill(goal_binary *g, ik_error *err)
{
    int why = Z_OK;
    if (ik_env_cancelled(g->env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled while reading %s", g->path);
    memmove(g->piece, g->piece + g->at, g->used - g->at);
    g->used -= g->at;
    g->at = 0;
    int got = gzread(g->in, g->piece + g->used, (unsigned)(PIECE - g->used));
    const char *text = gzerror(g->in, &why);
    if (why == Z_MEM_ERROR)
        return ik_fail_memory(err, PIECE, "reading a trace");
    if (got < 0 || (why != Z_OK && why != Z_STREAM_END))
        return ik_fail_at(err, why == Z_ERRNO ? IK_ERR_IO : IK_ERR_INPUT, g->path, 0, 0,
                          "cannot be read: %s", why == Z_ERRNO ? strerror(errno) : text);
    g->used += (size_t)got;
    return IK_OK;
}

/* `size` bytes, at most PIECE, valid until the next call. */
static ik_status goalbin_take(goal_binary *g, size_t size, const uint8_t **bytes, ik_error *err)
{
    ik_status status = g->used - g->at < size ? goalbin_fill(g, err) : IK_OK;
    if (status != IK_OK)
        return status;
    if (g->used - g->at < size)
        return goalbin_fail(g, err, "the file ends within its schedule");
    *bytes = g->piece + g->at;
    g->at += size;
    g->offset += size;
    return IK_OK;
}

static uint32_t goalbin_u32(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t goalbin_u64(const uint8_t *b)
{
    return (uint64_t)goalbin_u32(b + 4) << 32 | goalbin_u32(b);
}

/* ---- the head */

static ik_status goalbin_read_mark(goal_binary *g, ik_error *err)
{
    const uint8_t *b = NULL;
    ik_status status = goalbin_take(g, 8, &b, err);
    if (status != IK_OK)
        return status;
    g->offset = 0;
    if (goalbin_u64(b) == MARK_USED)
        return ik_fail_at(err, IK_ERR_INPUT, g->path, 0, 0,
                          "LogGOPSim has used up this schedule: a run that saves memory overwrites "
                          "it");
    if (goalbin_u64(b) != MARK)
        return ik_fail_at(err, IK_ERR_INPUT, g->path, 0, 0,
                          "this is not a schedule in GOAL's binary form");
    return IK_OK;
}

static ik_status goalbin_read_spans(goal_binary *g, ik_error *err)
{
    const uint8_t *b = NULL;
    ik_status status = goalbin_take(g, 6, &b, err);
    size_t room = 0;
    if (status != IK_OK)
        return status;
    g->num_ranks = goalbin_u32(b);
    if (b[5])
        return ik_fail_at(err, IK_ERR_UNSUPPORTED, g->path, 0, 0,
                          "the schedule uses %u adapters of a host; hosts have one", b[5] + 1u);
    uint64_t before = 6 + 16 * (uint64_t)g->num_ranks;
    for (g->rank = 0; g->rank < g->num_ranks; g->rank++) {
        status = goalbin_take(g, 16, &b, err);
        if (status != IK_OK)
            return status;
        if (!IK_ARRAY_ROOM(g->span, room, g->rank + (size_t)1))
            return ik_fail_memory(err, (g->rank + (size_t)1) * 16, "the schedules of a trace");
        g->span[g->rank][0] = goalbin_u64(b);
        g->span[g->rank][1] = goalbin_u64(b + 8);
        if (goalbin_u64(b) != before || goalbin_u64(b + 8) < before + 8)
            return goalbin_fail(g, err, "its schedule is not behind that of the rank before it");
        before = goalbin_u64(b + 8);
    }
    return IK_OK;
}

/* ---- operations */

static ik_status goalbin_memory(const goal_binary *g, ik_error *err)
{
    const graph_builder *b = program_graph(g->p);
    return b->no_memory ? ik_fail_memory(err, b->asked_ops * sizeof *b->ops, "a program") : IK_OK;
}

static ik_status goalbin_add_message(goal_binary *g, bool sends, const uint8_t *b, ik_error *err)
{
    graph_builder *to = program_graph(g->p);
    uint32_t peer = goalbin_u32(b + 5), tag = goalbin_u32(b + 17);
    uint64_t bytes = goalbin_u64(b + 9);
    bool any = peer == UINT32_MAX && !sends;
    if (peer >= g->num_ranks && !any)
        return goalbin_fail(g, err, "a message with a rank that does not exist");
    if (tag == GRAPH_ANY ? sends : tag >= GRAPH_ASK)
        return goalbin_fail(g, err, "a message with a tag that does not exist");
    if (bytes > MOST_BYTES)
        return goalbin_fail(g, err, "a message of more than 1000 TB");
    bytes = graph_scaled(bytes, program_get_settings(g->p)->size_scale);
    g->empty += bytes == 0 && sends;
    to->cpu_now = b[21];
    if (tag != GRAPH_ANY)
        to->class_now = goal_class(&g->classes, tag);
    graph_add(to, program_rows(g->p)[g->rank], sends ? IK_OP_SEND : IK_OP_RECV, bytes ? bytes : 1,
              any ? GRAPH_ANY : program_rows(g->p)[peer], tag, 0);
    return goalbin_memory(g, err);
}

static ik_status goalbin_add_op(goal_binary *g, const uint8_t *b, ik_error *err)
{
    if (b[21] >= IK_NO_CPU || b[22])
        return goalbin_fail(g, err,
                            b[22] ? "an operation of another adapter than 0"
                                  : "an operation of processor 255");
    if (b[4] == SEND || b[4] == RECV)
        return goalbin_add_message(g, b[4] == SEND, b, err);
    if (b[4] != CALC)
        return goalbin_fail(g, err, "an operation that is not a send, receive or calculation");
    if (goalbin_u64(b + 9) > MOST_NS)
        return goalbin_fail(g, err, "a calculation of more than 11 days");
    graph_add(program_graph(g->p), program_rows(g->p)[g->rank], IK_OP_CALC,
              graph_scaled(goalbin_u64(b + 9) * 1000, program_get_settings(g->p)->compute_scale),
              b[21], 0, 0);
    return goalbin_memory(g, err);
}

/* Operation `k`; *listed: how far the list has come. */
static ik_status goalbin_read_op(goal_binary *g, uint32_t k, uint64_t *listed, ik_error *err)
{
    const uint8_t *b = NULL;
    ik_status status = goalbin_take(g, OP_SIZE, &b, err);
    if (status != IK_OK)
        return status;
    if (!IK_ARRAY_ROOM(g->ops, g->room_ops, k + (size_t)1))
        return ik_fail_memory(err, (k + (size_t)1) * sizeof *g->ops, "the operations of a rank");
    schedule_op *op = &g->ops[k];
    *op = (schedule_op){goalbin_u32(b), goalbin_u32(b + 23), goalbin_u32(b + 31)};
    if (op->on_end && goalbin_u32(b + 27) != *listed)
        return goalbin_fail(g, err,
                            "the lists of what waits are not in the order of the operations");
    *listed += op->on_end;
    if (op->on_start && goalbin_u32(b + 35) != *listed)
        return goalbin_fail(g, err,
                            "the lists of what waits are not in the order of the operations");
    *listed += op->on_start;
    return goalbin_add_op(g, b, err);
}

static ik_status goalbin_read_list(goal_binary *g, uint32_t num, uint32_t before, bool on_start,
                                   uint32_t num_ops, size_t first, ik_error *err)
{
    const uint8_t *b = NULL;
    ik_status status = IK_OK;
    for (uint32_t k = 0; k < num && status == IK_OK; k++) {
        status = goalbin_take(g, 4, &b, err);
        if (status != IK_OK)
            return status;
        uint32_t op = goalbin_u32(b);
        if (op >= num_ops || g->ops[op].waits == 0 || op == before)
            return goalbin_fail(g, err, "the list of what waits does not fit the operations");
        g->ops[op].waits--;
        graph_wait(program_graph(g->p), (uint32_t)(first + op), (uint32_t)(first + before),
                   on_start);
    }
    return status;
}

static ik_status goalbin_read_schedule(goal_binary *g, ik_error *err)
{
    const uint8_t *b = NULL;
    ik_status status = goalbin_take(g, 8, &b, err);
    if (status != IK_OK)
        return status;
    uint32_t num_ops = goalbin_u32(b), num_free = goalbin_u32(b + 4), seen = 0;
    size_t first = program_graph(g->p)->num_ops;
    uint64_t listed = 0;
    for (uint32_t k = 0; k < num_free && status == IK_OK; k++)
        status = goalbin_take(g, 4, &b, err);
    for (uint32_t k = 0; k < num_ops && status == IK_OK; k++)
        if ((status = goalbin_read_op(g, k, &listed, err)) == IK_OK)
            seen += g->ops[k].waits == 0;
    if (status == IK_OK && seen != num_free)
        return goalbin_fail(g, err,
                            "the number of operations that wait for nothing is another one");
    if (status == IK_OK && g->offset + 4 * listed != g->span[g->rank][1])
        return goalbin_fail(g, err, "its schedule does not end where the table says");
    for (uint32_t k = 0; k < num_ops && status == IK_OK; k++) {
        status = goalbin_read_list(g, g->ops[k].on_end, k, false, num_ops, first, err);
        if (status == IK_OK)
            status = goalbin_read_list(g, g->ops[k].on_start, k, true, num_ops, first, err);
    }
    for (uint32_t k = 0; k < num_ops && status == IK_OK; k++)
        if (g->ops[k].waits)
            status = goalbin_fail(g, err, "an operation waits for others than the lists say");
    return status;
}

/* ---- the reader */

static ik_status goalbin_read_all(goal_binary *g, ik_error *err)
{
    ik_status status = goalbin_read_mark(g, err);
    if (status == IK_OK)
        status = goalbin_read_spans(g, err);
    program_place(g->p, g->path, 0);
    if (status == IK_OK)
        status = program_begin(g->p, g->num_ranks, err);
    for (g->rank = 0; g->rank < g->num_ranks && status == IK_OK; g->rank++)
        status = goalbin_read_schedule(g, err);
    if (status == IK_OK && g->at == g->used)
        status = goalbin_fill(g, err);
    if (status == IK_OK && g->at < g->used)
        return ik_fail_at(err, IK_ERR_INPUT, g->path, 0, 0,
                          "the file goes on behind the schedule of the last rank");
    program_count_empty(g->p, g->empty);
    if (status == IK_OK)
        goal_name_classes(&g->classes, program_graph(g->p));
    return status;
}

static ik_status read_goalbin(program *p, const program_source *s, const ik_env *env, ik_error *err)
{
    if (s->num_files > 1)
        return ik_fail(err, IK_ERR_INPUT, "%s: %u files, a program in GOAL's binary form is one",
                       s->path, s->num_files);
    goal_binary *g = calloc(1, sizeof *g);
    if (!g)
        return ik_fail_memory(err, sizeof *g, "reading a trace");
    g->p = p;
    g->env = env;
    g->path = s->files[0];
    errno = 0;
    g->in = gzopen(g->path, "rb");
    ik_status status = g->in   ? goalbin_read_all(g, err)
                       : errno ? ik_fail_open(err, g->path)
                               : ik_fail_memory(err, sizeof *g, "reading a trace");
    if (g->in)
        gzclose(g->in);
    free(g->span);
    free(g->ops);
    free(g);
    return status;
}

static unsigned goalbin_probe(const program_source *s)
{
    const uint8_t *b = (const uint8_t *)s->head;
    return s->head_size >= 8 && (goalbin_u64(b) == MARK || goalbin_u64(b) == MARK_USED) ? 100 : 0;
}

const program_reader program_reader_goalbin = {
    .name = "goalbin",
    .summary = "GOAL's binary form, as LogGOPSim's compiler of schedules (txt2bin) writes it",
    .source = "T. Hoefler, T. Schneider, A. Lumsdaine, LogGOPSim: simulating large-scale "
              "applications in the LogGOPS model, HPDC 2010",
    .probe = goalbin_probe,
    .read = read_goalbin,
};
