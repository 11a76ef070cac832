/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_builder.c: see graph_builder.h.
 *
 * Operations are sorted by host (counting sort, stable), messages are matched in order among those
 * of one source, destination and tag (sorted), waits become compressed rows, and Kahn's algorithm
 * over waits and messages finds whether anything waits for itself. */
#include "traffic/graph_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct built_op {
    uint64_t amount;
    uint32_t host, peer, tag;
    unsigned line;
    uint8_t kind;
    uint16_t of_class;
} built_op;

typedef struct built_wait {
    uint32_t op, before;
    bool on_start;
} built_wait;

enum { MOST_OPS = 0x7ffffff0 };

/* ---- building */

static bool grow(graph_builder *b, void **array, size_t size, size_t num, size_t *room)
{
    if (num < *room)
        return true;
    size_t more = *room ? *room + *room / 2 : 256;
    void *grown = realloc(*array, more * size);
    if (!grown) {
        b->no_memory = true;
        return false;
    }
    *array = grown;
    *room = more;
    return true;
}

uint16_t graph_class(graph_builder *b, const char *name)
{
    assert(b->num_classes || !b->num_ops);
    size_t at = 0;
    while (at < b->num_classes && strcmp(b->classes[at], name) != 0)
        at++;
    if (at == b->num_classes) {
        void *classes = b->classes;
        b->many_classes |= at == IK_CLASSES_MAX;
        /* one more for the NULL behind them */
        bool fits =
            at < IK_CLASSES_MAX && grow(b, &classes, sizeof *b->classes, at + 1, &b->room_classes);
        b->classes = classes;
        if (!fits)
            return b->class_now;
        b->classes[at] = strndup(name, 80);
        b->classes[at + 1] = NULL;
        b->no_memory |= !b->classes[at];
        b->num_classes += b->classes[at] != NULL;
    }
    return b->class_now = (uint16_t)at;
}

uint32_t graph_add(graph_builder *b, uint32_t host, ik_op_kind kind, uint64_t amount, uint32_t peer,
                   uint32_t tag, unsigned line)
{
    void *ops = b->ops;
    bool fits = b->num_ops < MOST_OPS && grow(b, &ops, sizeof *b->ops, b->num_ops, &b->room_ops);
    b->ops = ops;
    if (!fits)
        return IK_NONE;
    b->ops[b->num_ops] = (built_op){amount, host, peer, tag, line, (uint8_t)kind, b->class_now};
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
    void *waits = b->waits;
    bool fits = op != IK_NONE && before != IK_NONE && b->num_waits < UINT32_MAX &&
                grow(b, &waits, sizeof *b->waits, b->num_waits, &b->room_waits);
    b->waits = waits;
    if (fits)
        b->waits[b->num_waits++] = (built_wait){op, before, on_start};
}

void graph_join_hosts(graph_builder *b, size_t from, uint32_t *joins)
{
    size_t end = b->num_ops;
    for (uint32_t host = 0; host < b->num_hosts; host++)
        joins[host] = graph_add(b, host, IK_OP_CALC, 0, 0, 0, 0);
    for (size_t op = from; op < end && !b->no_memory; op++)
        graph_wait(b, joins[b->ops[op].host], (uint32_t)op, false);
}

void graph_builder_free(graph_builder *b)
{
    free(b->ops);
    free(b->waits);
    for (size_t k = 0; k < b->num_classes; k++)
        free(b->classes[k]);
    free(b->classes);
    b->ops = NULL;
    b->waits = NULL;
    b->classes = NULL;
    b->num_classes = 0;
}

/* ---- finishing */

typedef struct finish {
    graph_builder *b;
    ik_graph *g;
    uint32_t *place;  /* [num_ops] of the builder's operation in the graph */
    uint32_t *origin; /* the inverse */
} finish;

static ik_status fail_op(const graph_builder *b, uint32_t op, ik_error *err, const char *what)
{
    const built_op *o = &b->ops[op];
    const char *kind = o->kind == IK_OP_SEND   ? "send"
                       : o->kind == IK_OP_RECV ? "receive"
                                               : "calculation";
    if (o->kind == IK_OP_CALC)
        ik_fail(err, IK_ERR_INPUT, "%s: a %s of host %u %s", b->source, kind, o->host, what);
    else
        ik_fail(err, IK_ERR_INPUT, "%s: the %s of %llu B of host %u %s host %u, tag %u, %s",
                b->source, kind, (unsigned long long)o->amount, o->host,
                o->kind == IK_OP_SEND ? "to" : "from", o->peer, o->tag, what);
    if (o->line)
        ik_error_at(err, b->source, o->line, 1);
    return IK_ERR_INPUT;
}

static void sort_by_host(finish *f)
{
    const graph_builder *b = f->b;
    ik_graph *g = f->g;
    uint32_t cpus = 1;
    for (size_t k = 0; k < b->num_ops; k++)
        g->host_first[b->ops[k].host + 1]++;
    for (uint32_t h = 0; h < g->num_hosts; h++)
        g->host_first[h + 1] += g->host_first[h];
    for (uint32_t k = 0; k < g->num_ops; k++) {
        const built_op *o = &b->ops[k];
        uint32_t at = g->host_first[o->host]++;
        f->place[k] = at;
        f->origin[at] = k;
        g->ops[at] = (ik_op){o->amount, o->peer, IK_NONE};
        g->kind[at] = o->kind;
        g->op_class[at] = o->of_class;
        g->waits[at] = o->kind == IK_OP_RECV;
        if (o->kind == IK_OP_CALC && o->peer >= cpus)
            cpus = o->peer + 1;
    }
    for (uint32_t h = g->num_hosts; h > 0; h--)
        g->host_first[h] = g->host_first[h - 1];
    g->host_first[0] = 0;
    g->num_cpus = cpus;
}

/* ---- matching */

typedef struct end_of_message {
    uint32_t src, dst, tag, op; /* op: of the builder */
} end_of_message;

static int by_message(const void *a, const void *b)
{
    const end_of_message *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static bool same_key(const end_of_message *x, const end_of_message *y)
{
    return x->src == y->src && x->dst == y->dst && x->tag == y->tag;
}

static size_t collect(const graph_builder *b, ik_op_kind kind, end_of_message *out)
{
    size_t n = 0;
    for (size_t k = 0; k < b->num_ops; k++) {
        const built_op *o = &b->ops[k];
        if (o->kind != kind)
            continue;
        bool sends = kind == IK_OP_SEND;
        out[n++] = (end_of_message){sends ? o->host : o->peer, sends ? o->peer : o->host, o->tag,
                                    (uint32_t)k};
    }
    qsort(out, n, sizeof *out, by_message);
    return n;
}

static ik_status pair_up(finish *f, const end_of_message *sends, size_t num_sends,
                         const end_of_message *recvs, size_t num_recvs, ik_error *err)
{
    for (size_t k = 0; k < num_sends || k < num_recvs; k++) {
        bool fits = k < num_sends && k < num_recvs && same_key(&sends[k], &recvs[k]);
        if (!fits) {
            bool no_recv =
                k >= num_recvs || (k < num_sends && by_message(&sends[k], &recvs[k]) < 0 &&
                                   !same_key(&sends[k], &recvs[k]));
            return no_recv ? fail_op(f->b, sends[k].op, err, "is received by nobody")
                           : fail_op(f->b, recvs[k].op, err, "is sent by nobody");
        }
        uint32_t send = f->place[sends[k].op], recv = f->place[recvs[k].op];
        if (f->g->ops[send].amount != f->g->ops[recv].amount)
            return fail_op(f->b, recvs[k].op, err, "has another size than what is sent");
        f->g->ops[send].match = recv;
        f->g->ops[recv].match = send;
        f->g->op_class[recv] = f->g->op_class[send];
    }
    return IK_OK;
}

static ik_status match_messages(finish *f, ik_error *err)
{
    size_t n = f->b->num_ops ? f->b->num_ops : 1;
    end_of_message *sends = malloc(n * sizeof *sends), *recvs = malloc(n * sizeof *recvs);
    ik_status status =
        sends && recvs ? IK_OK : ik_fail_memory(err, 2 * n * sizeof *sends, "a workload");
    if (status == IK_OK) {
        size_t s = collect(f->b, IK_OP_SEND, sends), r = collect(f->b, IK_OP_RECV, recvs);
        status = pair_up(f, sends, s, recvs, r, err);
    }
    free(sends);
    free(recvs);
    return status;
}

/* ---- waits */

static ik_status link_waits(finish *f, ik_error *err)
{
    const graph_builder *b = f->b;
    ik_graph *g = f->g;
    g->after = ik_calloc(b->num_waits ? b->num_waits : 1, sizeof *g->after);
    if (!g->after)
        return ik_fail_memory(err, b->num_waits * sizeof *g->after, "a workload");
    for (size_t k = 0; k < b->num_waits; k++)
        g->after_first[f->place[b->waits[k].before] + 1]++;
    for (uint32_t op = 0; op < g->num_ops; op++)
        g->after_first[op + 1] += g->after_first[op];
    for (size_t k = 0; k < b->num_waits; k++) {
        const built_wait *w = &b->waits[k];
        uint32_t op = f->place[w->op];
        g->after[g->after_first[f->place[w->before]]++] = op | (w->on_start ? IK_AFTER_START : 0);
        g->waits[op]++;
    }
    for (uint32_t op = g->num_ops; op > 0; op--)
        g->after_first[op] = g->after_first[op - 1];
    g->after_first[0] = 0;
    return IK_OK;
}

/* Kahn: what can be done is taken off; what is left waits for itself. */
static ik_status refuse_cycles(const finish *f, ik_error *err)
{
    const ik_graph *g = f->g;
    uint32_t *left = malloc((g->num_ops + (size_t)1) * sizeof *left),
             *ready = malloc((g->num_ops + (size_t)1) * sizeof *ready), num = 0, done = 0;
    ik_status status =
        left && ready ? IK_OK : ik_fail_memory(err, 2 * g->num_ops * sizeof *left, "a workload");
    for (uint32_t op = 0; status == IK_OK && op < g->num_ops; op++) {
        left[op] = g->waits[op];
        if (!left[op])
            ready[num++] = op;
    }
    while (status == IK_OK && done < num) {
        uint32_t op = ready[done++];
        for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++) {
            uint32_t next = g->after[k] & ~IK_AFTER_START;
            if (--left[next] == 0)
                ready[num++] = next;
        }
        if (g->kind[op] == IK_OP_SEND && --left[g->ops[op].match] == 0)
            ready[num++] = g->ops[op].match;
    }
    for (uint32_t op = 0; status == IK_OK && num < g->num_ops && op < g->num_ops; op++)
        if (left[op])
            status = fail_op(f->b, f->origin[op], err, "waits for itself: a cycle of dependences");
    free(left);
    free(ready);
    return status;
}

static void sum_up(ik_workload *w)
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
static void take_classes(graph_builder *b, ik_workload *w)
{
    if (!b->num_classes)
        return;
    w->classes = b->classes;
    w->num_classes = (uint32_t)b->num_classes;
    b->classes = NULL;
    b->num_classes = 0;
}

static ik_status check_sizes(const graph_builder *b, ik_error *err)
{
    uint64_t bytes = 0;
    if (b->no_memory)
        return ik_fail_memory(err, b->num_ops * sizeof *b->ops + b->num_waits * sizeof *b->waits,
                              "a workload");
    if (b->num_ops >= MOST_OPS || b->num_waits >= UINT32_MAX)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "%s: more than %d operations or 4294967294 dependences", b->source,
                       MOST_OPS);
    if (b->many_classes)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "%s: more than %d classes of messages", b->source,
                       IK_CLASSES_MAX);
    for (size_t k = 0; k < b->num_ops; k++) {
        const built_op *o = &b->ops[k];
        if (o->kind == IK_OP_SEND && (bytes += o->amount) > UINT64_C(1) << 60)
            return fail_op(b, (uint32_t)k, err, "brings the sum of all messages above 2^60 B");
    }
    return IK_OK;
}

ik_status graph_finish(graph_builder *b, ik_workload *w, ik_error *err)
{
    ik_status status = check_sizes(b, err);
    ik_graph *g = status == IK_OK ? ik_calloc(1, sizeof *g) : NULL;
    finish f = {.b = b, .g = g};
    size_t n = b->num_ops + 1;
    *w = (ik_workload){.num_hosts = b->num_hosts, .repeat = 1, .graph = g, .num_classes = 1};
    if (g) {
        g->num_hosts = b->num_hosts;
        g->num_ops = (uint32_t)b->num_ops;
        g->host_first = ik_calloc((size_t)b->num_hosts + 2, sizeof *g->host_first);
        g->ops = ik_calloc(n, sizeof *g->ops);
        g->kind = ik_calloc(n, 1);
        g->op_class = ik_calloc(n, sizeof *g->op_class);
        g->after_first = ik_calloc(n + 1, sizeof *g->after_first);
        g->waits = ik_calloc(n, sizeof *g->waits);
        f.place = ik_calloc(n, sizeof *f.place);
        f.origin = ik_calloc(n, sizeof *f.origin);
    }
    if (status == IK_OK && (!g || !g->host_first || !g->ops || !g->kind || !g->op_class ||
                            !g->after_first || !g->waits || !f.place || !f.origin))
        status = ik_fail_memory(err, n * (sizeof *g->ops + 19), "a workload");
    if (status == IK_OK) {
        sort_by_host(&f);
        status = match_messages(&f, err);
    }
    if (status == IK_OK)
        status = link_waits(&f, err);
    if (status == IK_OK)
        status = refuse_cycles(&f, err);
    if (status == IK_OK) {
        sum_up(w);
        take_classes(b, w);
    }
    free(f.place);
    free(f.origin);
    graph_builder_free(b);
    if (status != IK_OK)
        ik_workload_clear(w);
    return status;
}
