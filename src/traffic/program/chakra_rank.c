/* SPDX-License-Identifier: Apache-2.0
 *
 * chakra_rank.c: the nodes of one rank's trace, checked one by one as they are read. */
#define _GNU_SOURCE /* memmem */
#include "traffic/program/chakra_rank.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes */

static ik_status chakra_rank_refuse(const chakra_rank *r, unsigned record, ik_error *err,
                                    const char *what)
{
    return ik_fail_at(err, IK_ERR_INPUT, r->path, record, 0, "node %llu: %s",
                      (unsigned long long)r->node.id, what);
}

/* A number from 0 to most; IK_OK and left alone where the node does not have it. */
static ik_status chakra_rank_take(const chakra_rank *r, unsigned record, const char *name,
                                  const chakra_value *v, int64_t most, uint64_t *out, ik_error *err)
{
    if (!v->is)
        return IK_OK;
    if (v->number < 0 || v->number > most)
        return ik_fail_at(
            err, IK_ERR_INPUT, r->path, record, 0, "node %llu: %s is %lld, and goes from 0 to %lld",
            (unsigned long long)r->node.id, name, (long long)v->number, (long long)most);
    *out = (uint64_t)v->number;
    return IK_OK;
}

enum { RANK_MOST = INT32_MAX - 1 };
#define BYTES_MOST INT64_C(1000000000000000)

static ik_status chakra_rank_take_message(chakra_rank *r, chakra_op *op, ik_error *err)
{
    const chakra_node *n = &r->node;
    bool send = n->type == CHAKRA_SEND;
    const chakra_value *own = send ? &n->comm_src : &n->comm_dst,
                       *peer = send ? &n->comm_dst : &n->comm_src;
    uint64_t self = r->rank, other = 0, tag = 0;
    if (!peer->is) {
        chakra_rank_refuse(r, op->record, err,
                           send ? "a send without comm_dst" : "a receive without comm_src");
        return ik_hint(err, IK_ERR_INPUT,
                       "the peer is an attribute of the node; converters that leave it out make "
                       "traces that only the cluster itself can run again");
    }
    if (!n->comm_size.is)
        return chakra_rank_refuse(r, op->record, err, "a message without comm_size");
    ik_status status =
        chakra_rank_take(r, op->record, "comm_size", &n->comm_size, BYTES_MOST, &op->amount, err);
    if (status == IK_OK)
        status = chakra_rank_take(r, op->record, send ? "comm_dst" : "comm_src", peer, RANK_MOST,
                                  &other, err);
    if (status == IK_OK)
        status = chakra_rank_take(r, op->record, send ? "comm_src" : "comm_dst", own, RANK_MOST,
                                  &self, err);
    if (status == IK_OK)
        status = chakra_rank_take(r, op->record, "comm_tag", &n->comm_tag, RANK_MOST, &tag, err);
    if (status == IK_OK && self != r->rank)
        status = ik_fail_at(err, IK_ERR_INPUT, r->path, op->record, 0,
                            "node %llu: %s of rank %llu in the file of rank %u",
                            (unsigned long long)n->id, send ? "a send" : "a receive",
                            (unsigned long long)self, r->rank);
    op->peer = (uint32_t)other;
    op->tag = (uint32_t)tag;
    return status;
}

static ik_status chakra_rank_take_collective(chakra_rank *r, chakra_op *op, chakra_groups *g,
                                             ik_error *err)
{
    const chakra_node *n = &r->node;
    uint64_t type = 0, root = IK_NONE;
    if (!n->comm_type.is)
        return chakra_rank_refuse(r, op->record, err, "a collective without comm_type");
    ik_status status = chakra_rank_take(r, op->record, "comm_type", &n->comm_type,
                                        CHAKRA_COLLECTIVES - 1, &type, err);
    if (status == IK_OK)
        status = chakra_rank_take(r, op->record, "comm_size", &n->comm_size, BYTES_MOST,
                                  &op->amount, err);
    bool spreads = type == CHAKRA_BROADCAST || type == CHAKRA_SCATTER,
         gathers = type == CHAKRA_REDUCE || type == CHAKRA_GATHER;
    if (status == IK_OK && (spreads || gathers))
        status = chakra_rank_take(r, op->record, spreads ? "comm_src" : "comm_dst",
                                  spreads ? &n->comm_src : &n->comm_dst, RANK_MOST, &root, err);
    if (status != IK_OK)
        return status;
    if (type != CHAKRA_BARRIER && !op->amount)
        return chakra_rank_refuse(r, op->record, err, "a collective without comm_size");
    if (n->some_dims) {
        chakra_rank_refuse(r, op->record, err,
                           "a collective over some dimensions of a network (involved_dim)");
        return ik_hint(err, IK_ERR_INPUT,
                       "ikat takes the ranks of a collective from its group, pg_name");
    }
    op->collective = (uint8_t)type;
    op->peer = (uint32_t)root;
    op->group =
        chakra_groups_find(g, (const char *)n->group.at, (size_t)(n->group.end - n->group.at));
    return op->group == IK_NONE ? ik_fail_memory(err, 64, "a process group") : IK_OK;
}

/* 11 days, as every computation of a program */
#define MICROSECONDS_MOST UINT64_C(1000000000000)

static ik_status chakra_rank_take_time(chakra_rank *r, chakra_op *op, ik_error *err)
{
    const chakra_node *n = &r->node;
    if (n->duration_us > MICROSECONDS_MOST)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, op->record, 0,
                          "node %llu: duration_micros is %llu, and at most %llu",
                          (unsigned long long)n->id, (unsigned long long)n->duration_us,
                          (unsigned long long)MICROSECONDS_MOST);
    if (op->type == CHAKRA_COMPUTE && !n->duration_us && n->num_ops.is && n->num_ops.number > 0 &&
        !r->untimed) {
        chakra_rank_refuse(r, op->record, err, "computes (num_ops) and has no duration_micros");
        return ik_hint(err, IK_ERR_INPUT,
                       "ikat has no model of an accelerator: it takes times from the trace; with a "
                       "compute scale of 0 computation takes no time");
    }
    op->amount = n->duration_us;
    return IK_OK;
}

/* Other metadata have other inputs. */
static bool chakra_rank_lists_groups(wire inputs)
{
    size_t size = (size_t)(inputs.end - inputs.at);
    return size && memmem(inputs.at, size, "\"pg_name\"", 9) != NULL;
}

static ik_status chakra_rank_take_node(chakra_rank *r, chakra_op *op, chakra_groups *g,
                                       ik_error *err)
{
    const chakra_node *n = &r->node;
    switch (op->type) {
    case CHAKRA_SEND:
    case CHAKRA_RECV:
        return chakra_rank_take_message(r, op, err);
    case CHAKRA_COLLECTIVE:
        return chakra_rank_take_collective(r, op, g, err);
    case CHAKRA_LOAD:
    case CHAKRA_STORE:
    case CHAKRA_COMPUTE:
        return chakra_rank_take_time(r, op, err);
    case CHAKRA_METADATA:
        if (!chakra_rank_lists_groups(n->inputs))
            return IK_OK;
        return chakra_groups_declare(g, (const char *)n->inputs.at,
                                     (size_t)(n->inputs.end - n->inputs.at), r->path, op->record,
                                     err);
    default:
        return IK_OK;
    }
}

/* ---- files */

static ik_status chakra_rank_add_node(chakra_rank *r, unsigned record, chakra_groups *g,
                                      ik_error *err)
{
    const chakra_node *n = &r->node;
    if (n->type >= CHAKRA_TYPES)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, record, 0,
                          "node %llu: there is no node type %llu", (unsigned long long)n->id,
                          (unsigned long long)n->type);
    if (r->num_ops >= IK_NONE - 1 || !IK_ARRAY_ROOM(r->ops, r->room_ops, r->num_ops + 1))
        return ik_fail_memory(err, (r->num_ops + 1) * sizeof *r->ops, "the nodes of a trace");
    if (!IK_ARRAY_ROOM(r->deps, r->room_deps, r->num_deps + n->num_deps))
        return ik_fail_memory(err, (r->num_deps + n->num_deps) * sizeof *r->deps,
                              "the dependences of a trace");
    chakra_op *op = &r->ops[r->num_ops];
    *op = (chakra_op){.id = n->id,
                      .record = record,
                      .peer = IK_NONE,
                      .group = IK_NONE,
                      .type = (uint8_t)n->type,
                      .cpu = n->cpu_op.is && n->cpu_op.number};
    ik_status status = chakra_rank_take_node(r, op, g, err);
    if (status != IK_OK)
        return status;
    for (size_t k = 0; k < n->num_deps; k++)
        r->deps[r->num_deps++] = n->deps[k];
    op->deps_end = r->num_deps;
    r->num_ops++;
    return IK_OK;
}

ik_status chakra_rank_read(chakra_rank *r, wire_stream *s, chakra_groups *g, ik_error *err)
{
    wire message;
    bool more = false;
    const char *why = NULL;
    r->num_ops = r->num_deps = 0;
    free(r->order);
    r->order = NULL;
    ik_status status = wire_next_message(s, &message, &more, err);
    if (status == IK_OK && !more)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, 0, 0, "the file is empty");
    for (wire_field f; status == IK_OK && wire_next_field(&message, &f);)
        ; /* the global metadata: nothing of them is needed, but they must be what they are */
    if (status == IK_OK && message.broken)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, 1, 0,
                          "this is not a Chakra execution trace: it does not begin with metadata");
    while (status == IK_OK && (status = wire_next_message(s, &message, &more, err)) == IK_OK &&
           more) {
        status = chakra_node_read(&r->node, message, &why);
        if (status == IK_ERR_MEMORY)
            return ik_fail_memory(err, (r->node.num_deps + 1) * sizeof(uint64_t),
                                  "the dependences of a node");
        status = status == IK_OK ? chakra_rank_add_node(r, s->number, g, err)
                                 : chakra_rank_refuse(r, s->number, err, why);
    }
    return status;
}

void chakra_rank_free(chakra_rank *r)
{
    free(r->ops);
    free(r->deps);
    free(r->order);
    free(r->node.deps);
    *r = (chakra_rank){0};
}
