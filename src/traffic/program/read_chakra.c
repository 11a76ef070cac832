/* SPDX-License-Identifier: Apache-2.0
 *
 * read_chakra.c: Chakra execution traces, NAME.<rank>.et per rank.
 *
 * A file is read into a table (program/chakra_rank.h), its nodes become tasks of the rank, and the
 * table is used again for the next file. What a node means:
 *
 *   compute          time of the accelerator, or with is_cpu_op of the processor; each of the two
 *                    does one thing at a time
 *   memory           time in which neither is busy
 *   send, receive    a message, matched by rank and tag
 *   collective       of a process group, by the algorithm that the settings say. Those of one
 *                    group run one after the other, as the streams of collective libraries have it;
 *                    the n-th of a rank meets the n-th of the others
 *   metadata, none   nothing but a point that others wait for */
#include "traffic/program/chakra_rank.h"
#include "traffic/program/reader.h"

#include "base/array.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- files of ranks */

static bool chakra_ends_with(const char *path, const char *end)
{
    size_t size = strlen(path), n = strlen(end);
    return size >= n && strcmp(path + size - n, end) == 0;
}

/* The rank in NAME.<rank>.et, IK_NONE if there is none. */
static uint32_t chakra_rank_in(const char *path)
{
    if (!chakra_ends_with(path, ".et"))
        return IK_NONE;
    const char *end = path + strlen(path) - 3, *at = end;
    while (at > path && isdigit((unsigned char)at[-1]))
        at--;
    if (at == end || at == path || at[-1] != '.' || end - at > 9)
        return IK_NONE;
    return (uint32_t)strtoul(at, NULL, 10);
}

typedef struct chakra_files {
    const char **of; /* [num] the file of a rank */
    uint32_t num;
} chakra_files;

static uint32_t chakra_count_ranks(const program_source *s)
{
    uint32_t num = 0;
    for (uint32_t k = 0; k < s->num_files; k++)
        num += chakra_rank_in(s->files[k]) != IK_NONE;
    return num;
}

static ik_status chakra_place_file(chakra_files *f, const program_source *s, const char *path,
                                   ik_error *err)
{
    uint32_t rank = chakra_rank_in(path);
    if (rank < f->num && f->of[rank]) {
        ik_fail(err, IK_ERR_INPUT, "%s: two files of rank %u, %s among them", s->path, rank, path);
        return ik_hint(err, IK_ERR_INPUT, "the pattern \"%s/NAME.*.et\" takes those of one trace",
                       s->is_folder ? s->path : "FOLDER");
    }
    if (rank < f->num)
        f->of[rank] = path;
    return IK_OK;
}

/* Exactly one file for each rank from 0. */
static ik_status chakra_list_ranks(chakra_files *f, const program_source *s, ik_error *err)
{
    f->num = chakra_count_ranks(s);
    if (!f->num) {
        ik_fail_at(err, IK_ERR_INPUT, s->files[0], 0, 0, "this file is not named NAME.<rank>.et");
        return ik_hint(err, IK_ERR_INPUT,
                       "a Chakra trace is one such file per rank; a folder, or "
                       "the pattern \"NAME.*.et\", names them all");
    }
    f->of = ik_calloc(f->num, sizeof *f->of);
    if (!f->of)
        return ik_fail_memory(err, f->num * sizeof *f->of, "the files of a trace");
    ik_status status = IK_OK;
    for (uint32_t k = 0; k < s->num_files && status == IK_OK; k++)
        if (chakra_rank_in(s->files[k]) != IK_NONE)
            status = chakra_place_file(f, s, s->files[k], err);
    for (uint32_t rank = 0; rank < f->num && status == IK_OK; rank++)
        if (!f->of[rank])
            status = ik_fail(err, IK_ERR_INPUT, "%s: %u files of ranks, but none of rank %u",
                             s->path, f->num, rank);
    return status;
}

/* ---- what nodes mean */

typedef struct chakra_reader {
    program *p;
    chakra_files files;
    chakra_groups groups;
    chakra_rank r;
    program_task *tasks; /* [r.num_ops] by index of the node */
    size_t room_tasks;
} chakra_reader;

static ik_status chakra_refuse(const chakra_reader *c, const chakra_op *op, ik_error *err,
                               const char *what, const char *name)
{
    return program_refuse(c->p, err, "node %llu: %s '%.60s'", (unsigned long long)op->id, what,
                          name);
}

/* The communicator of a group; without a name it is that of all ranks, and so is "0" where no
 * file declares it. */
static ik_status chakra_make_comm(chakra_reader *c, const chakra_op *op, chakra_group *g,
                                  ik_error *err)
{
    bool all = !*g->name || (!g->declared && strcmp(g->name, "0") == 0);
    if (!all && !g->declared) {
        chakra_refuse(c, op, err, "nothing says which ranks are in process group", g->name);
        return ik_hint(err, IK_ERR_INPUT,
                       "groups are listed in a metadata node of the trace, or in a file NAME.json "
                       "beside it: {\"%.40s\": [0, 1], …}",
                       g->name);
    }
    uint64_t instance = (uint64_t)(g - c->groups.of) + 1;
    if (g->declared) /* what is wrong with its ranks is wrong there */
        program_place(c->p, g->path, g->record);
    ik_status status =
        program_comm(c->p, g->num ? g->ranks : NULL, g->num, instance, &g->comm, err);
    program_place(c->p, c->r.path, op->record);
    return status == IK_OK ? IK_OK : ik_hint(err, status, "process group '%.60s'", g->name);
}

static ik_status chakra_place_in(chakra_reader *c, const chakra_op *op, const chakra_group *g,
                                 uint32_t rank, uint32_t *place, ik_error *err)
{
    *place = program_place_of(c->p, g->comm, rank);
    if (*place != IK_NONE)
        return IK_OK;
    return program_refuse(c->p, err, "node %llu: rank %u is not in process group '%.60s'",
                          (unsigned long long)op->id, rank, g->name);
}

static const collective_operation operations[CHAKRA_COLLECTIVES] = {
    [CHAKRA_ALL_REDUCE] = COLLECTIVE_ALLREDUCE,
    [CHAKRA_REDUCE] = COLLECTIVE_REDUCE,
    [CHAKRA_ALL_GATHER] = COLLECTIVE_ALLGATHER,
    [CHAKRA_GATHER] = COLLECTIVE_GATHER,
    [CHAKRA_SCATTER] = COLLECTIVE_SCATTER,
    [CHAKRA_BROADCAST] = COLLECTIVE_BROADCAST,
    [CHAKRA_ALL_TO_ALL] = COLLECTIVE_ALLTOALL,
    [CHAKRA_REDUCE_SCATTER] = COLLECTIVE_REDUCE_SCATTER,
    [CHAKRA_REDUCE_SCATTER_BLOCK] = COLLECTIVE_REDUCE_SCATTER,
    [CHAKRA_BARRIER] = COLLECTIVE_BARRIER,
};

/* comm_size is what one rank puts in; what the operation wants is a block of it where each rank
 * gets another one, rounded up to whole bytes. */
static uint64_t chakra_bytes_of(const chakra_op *op, uint32_t ranks)
{
    assert(ranks > 0);
    switch (op->collective) {
    case CHAKRA_BARRIER:
        return 8;
    case CHAKRA_SCATTER:
    case CHAKRA_ALL_TO_ALL:
    case CHAKRA_REDUCE_SCATTER:
    case CHAKRA_REDUCE_SCATTER_BLOCK:
        return op->amount / ranks + (op->amount % ranks > 0);
    default:
        return op->amount;
    }
}

static ik_status chakra_add_collective(chakra_reader *c, uint32_t at, ik_error *err)
{
    const chakra_op *op = &c->r.ops[at];
    chakra_group *g = &c->groups.of[op->group];
    ik_status status = g->comm == IK_NONE ? chakra_make_comm(c, op, g, err) : IK_OK;
    program_collective_call call = {.operation = operations[op->collective]};
    if (status == IK_OK && g->place == IK_NONE)
        status = chakra_place_in(c, op, g, c->r.rank, &g->place, err);
    if (status == IK_OK && op->peer != IK_NONE)
        status = chakra_place_in(c, op, g, op->peer, &call.root, err);
    if (status != IK_OK)
        return status;
    call.comm = g->comm;
    call.bytes = chakra_bytes_of(op, program_comm_size(c->p, g->comm));
    status = program_collective(c->p, c->r.rank, &call, &c->tasks[at], err);
    if (status == IK_OK && g->last != IK_NONE)
        program_after(c->p, c->tasks[at], c->tasks[g->last], false);
    g->last = at;
    return status;
}

#define PS_PER_US 1000000

enum { ACCELERATOR, PROCESSOR };

static ik_status chakra_add_task(chakra_reader *c, uint32_t at, ik_error *err)
{
    const chakra_op *op = &c->r.ops[at];
    program_task *out = &c->tasks[at];
    uint32_t rank = c->r.rank;
    switch (op->type) {
    case CHAKRA_COMPUTE:
        return program_calc_on(c->p, rank, op->cpu ? PROCESSOR : ACCELERATOR,
                               op->amount * PS_PER_US, out, err);
    case CHAKRA_SEND:
        return program_send(c->p, rank, op->peer, 0, op->tag, op->amount, out, err);
    case CHAKRA_RECV:
        return program_recv(c->p, rank, op->peer, 0, op->tag, op->amount, out, err);
    case CHAKRA_COLLECTIVE:
        return chakra_add_collective(c, at, err);
    default:
        return program_calc_on(c->p, rank, IK_NO_CPU, op->amount * PS_PER_US, out, err);
    }
}

/* ---- reading */

static ik_status chakra_add_rank(chakra_reader *c, ik_error *err)
{
    const chakra_rank *r = &c->r;
    ik_status status = IK_OK;
    if (!IK_ARRAY_ROOM(c->tasks, c->room_tasks, r->num_ops))
        return ik_fail_memory(err, r->num_ops * sizeof *c->tasks, "the tasks of a rank");
    for (size_t g = 0; g < c->groups.num; g++)
        c->groups.of[g].place = c->groups.of[g].last = IK_NONE;
    for (size_t k = 0; k < r->num_ops && status == IK_OK; k++) {
        uint32_t at = r->order ? r->order[k] : (uint32_t)k;
        program_place(c->p, r->path, r->ops[at].record);
        status = chakra_add_task(c, at, err);
        for (size_t d = at ? r->ops[at - 1].deps_end : 0;
             d < r->ops[at].deps_end && status == IK_OK; d++)
            program_after(c->p, c->tasks[at], c->tasks[r->deps[d]], false);
    }
    return status;
}

static ik_status chakra_read_rank(chakra_reader *c, uint32_t rank, const ik_env *env, ik_error *err)
{
    wire_stream s;
    c->r.rank = rank;
    c->r.path = c->files.of[rank];
    ik_status status = wire_open(&s, c->r.path, env, err);
    if (status == IK_OK)
        status = chakra_rank_read(&c->r, &s, &c->groups, err);
    wire_close(&s);
    if (status == IK_OK)
        status = chakra_rank_order(&c->r, err);
    return status == IK_OK ? chakra_add_rank(c, err) : status;
}

/* Files of groups that stand beside those of the ranks. */
static ik_status chakra_read_groups(chakra_reader *c, const program_source *s, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint32_t k = 0; k < s->num_files && status == IK_OK; k++) {
        char *text = NULL;
        size_t size = 0;
        if (!chakra_ends_with(s->files[k], ".json"))
            continue;
        status = ik_text_read(s->files[k], 0, &text, &size, err);
        if (status == IK_OK)
            status = chakra_groups_declare(&c->groups, text, size, s->files[k], 0, err);
        free(text);
    }
    return status;
}

static ik_status read_chakra(program *p, const program_source *s, const ik_env *env, ik_error *err)
{
    chakra_reader c = {.p = p};
    c.r.untimed = program_get_settings(p)->compute_scale < 0;
    ik_status status = chakra_list_ranks(&c.files, s, err);
    if (status == IK_OK)
        status = program_begin(p, c.files.num, err);
    if (status == IK_OK)
        status = chakra_read_groups(&c, s, err);
    for (uint32_t rank = 0; rank < c.files.num && status == IK_OK; rank++)
        status = chakra_read_rank(&c, rank, env, err);
    chakra_groups_free(&c.groups);
    chakra_rank_free(&c.r);
    free(c.files.of);
    free(c.tasks);
    return status;
}

/* The name says it; the content, that the first message has the fields of metadata alone. */
static unsigned chakra_probe(const program_source *s)
{
    unsigned named = 0;
    for (uint32_t k = 0; k < s->num_files && !named; k++)
        named = chakra_rank_in(s->files[k]) != IK_NONE;
    return named ? 90 : chakra_ends_with(s->files[0], ".et") ? 50 : 0;
}

const program_reader program_reader_chakra = {
    .name = "chakra",
    .summary = "Chakra execution traces (NAME.<rank>.et): compute, memory, messages, collectives",
    .source = "S. Sridharan et al., Chakra: Advancing Performance Benchmarking and Co-design using "
              "Standardized Execution Traces, arXiv:2305.14516, 2023; MLCommons Chakra",
    .probe = chakra_probe,
    .read = read_chakra,
};
