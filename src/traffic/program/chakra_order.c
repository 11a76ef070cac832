/* SPDX-License-Identifier: Apache-2.0
 *
 * chakra_order.c: the dependences of one rank's trace.
 *
 * Ids that count up by one, which most writers give, need no table. Where a node stands before one
 * that it waits for, the order is Kahn's (A. B. Kahn, Topological sorting of large networks, CACM
 * 5(11), 1962), of the nodes that are free the first in the file first: collectives of a group then
 * come in the order of the file as far as dependences let them. */
#include "traffic/program/chakra_rank.h"

#include "base/array.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

/* ---- ids to indices */

typedef struct index_of {
    const chakra_rank *r;
    bool dense; /* ids are first, first + 1, … */
    uint64_t first;
    ik_hash table;
} index_of;

static uint32_t chakra_order_find(const index_of *x, uint64_t id)
{
    const chakra_rank *r = x->r;
    if (x->dense)
        return id >= x->first && id - x->first < r->num_ops ? (uint32_t)(id - x->first) : IK_NONE;
    uint32_t tag = ik_hash_tag(id), at;
    for (size_t place = ik_hash_first(&x->table, tag);
         (at = ik_hash_find(&x->table, tag, &place)) != IK_NONE; place++)
        if (r->ops[at].id == id)
            return at;
    return IK_NONE;
}

static ik_status chakra_order_make_index(index_of *x, ik_error *err)
{
    const chakra_rank *r = x->r;
    x->dense = true;
    x->first = r->num_ops ? r->ops[0].id : 0;
    for (size_t k = 0; k < r->num_ops && x->dense; k++)
        x->dense = r->ops[k].id - x->first == k;
    if (x->dense)
        return IK_OK;
    bool room = ik_hash_init(&x->table);
    for (uint32_t k = 0; room && k < r->num_ops; k++) {
        uint32_t same = chakra_order_find(x, r->ops[k].id);
        if (same != IK_NONE)
            return ik_fail_at(err, IK_ERR_INPUT, r->path, r->ops[k].record, 0,
                              "node %llu: record %u has this id, too",
                              (unsigned long long)r->ops[k].id, r->ops[same].record);
        room = ik_hash_add(&x->table, ik_hash_tag(r->ops[k].id), k);
    }
    return room ? IK_OK : ik_fail_memory(err, r->num_ops * 16, "the ids of a trace");
}

/* *sorted: every node stands behind those that it waits for. */
static ik_status chakra_order_resolve(chakra_rank *r, const index_of *x, bool *sorted,
                                      ik_error *err)
{
    size_t d = 0;
    *sorted = true;
    for (uint32_t k = 0; k < r->num_ops; k++)
        for (; d < r->ops[k].deps_end; d++) {
            uint32_t before = chakra_order_find(x, r->deps[d]);
            if (before == IK_NONE)
                return ik_fail_at(err, IK_ERR_INPUT, r->path, r->ops[k].record, 0,
                                  "node %llu waits for node %llu, which is not in this file",
                                  (unsigned long long)r->ops[k].id, (unsigned long long)r->deps[d]);
            *sorted = *sorted && before < k;
            r->deps[d] = before;
        }
    return IK_OK;
}

/* ---- the order */

typedef struct sorter {
    chakra_rank *r;
    uint32_t *missing;      /* [num_ops] dependences that have not come out */
    uint32_t *after, *list; /* [num_ops + 1], [num_deps] who waits for a node */
    ik_heap ready;
} sorter;

static size_t chakra_order_deps_of(const chakra_rank *r, uint32_t k)
{
    assert(k < r->num_ops);
    return k ? r->ops[k - 1].deps_end : 0;
}

static void chakra_order_invert(sorter *s)
{
    const chakra_rank *r = s->r;
    for (size_t d = 0; d < r->num_deps; d++)
        s->after[r->deps[d] + 1]++;
    for (size_t k = 0; k < r->num_ops; k++)
        s->after[k + 1] += s->after[k];
    for (uint32_t k = 0; k < r->num_ops; k++)
        for (size_t d = chakra_order_deps_of(r, k); d < r->ops[k].deps_end; d++) {
            s->list[s->after[r->deps[d]]++] = k;
            s->missing[k]++;
        }
    for (size_t k = r->num_ops; k > 0; k--)
        s->after[k] = s->after[k - 1];
    s->after[0] = 0;
}

/* A node that is left and for which k, which is left as well, waits. */
static uint32_t chakra_order_left_before(const sorter *s, uint32_t k)
{
    const chakra_rank *r = s->r;
    size_t d = chakra_order_deps_of(r, k);
    while (!s->missing[r->deps[d]])
        d++;
    assert(d < r->ops[k].deps_end);
    return (uint32_t)r->deps[d];
}

/* From a node that is left back to nodes that are left: after as many steps as there are nodes it
 * is one of a cycle. */
static ik_status chakra_order_refuse_cycle(sorter *s, ik_error *err)
{
    const chakra_rank *r = s->r;
    uint32_t at = 0;
    while (!s->missing[at])
        at++;
    for (size_t steps = 0; steps < r->num_ops; steps++)
        at = chakra_order_left_before(s, at);
    unsigned long long id = r->ops[at].id, before = r->ops[chakra_order_left_before(s, at)].id;
    if (id == before)
        return ik_fail_at(err, IK_ERR_INPUT, r->path, r->ops[at].record, 0,
                          "node %llu waits for itself", id);
    return ik_fail_at(err, IK_ERR_INPUT, r->path, r->ops[at].record, 0,
                      "node %llu waits for node %llu, which in the end waits for it, too", id,
                      before);
}

static bool chakra_order_take_out(sorter *s, uint32_t num)
{
    uint32_t k = ik_heap_pop(&s->ready).id;
    s->r->order[num] = k;
    for (uint32_t a = s->after[k]; a < s->after[k + 1]; a++)
        if (--s->missing[s->list[a]] == 0 &&
            !ik_heap_push(&s->ready, (ik_heap_item){.key = s->list[a], .id = s->list[a]}))
            return false;
    return true;
}

static ik_status chakra_order_sort(sorter *s, ik_error *err)
{
    chakra_rank *r = s->r;
    bool room = true;
    uint32_t num = 0;
    chakra_order_invert(s);
    for (uint32_t k = 0; k < r->num_ops && room; k++)
        if (!s->missing[k])
            room = ik_heap_push(&s->ready, (ik_heap_item){.key = k, .id = k});
    while (room && s->ready.num)
        room = chakra_order_take_out(s, num++);
    if (!room)
        return ik_fail_memory(err, r->num_ops * sizeof(ik_heap_item), "the order of a trace");
    return num == r->num_ops ? IK_OK : chakra_order_refuse_cycle(s, err);
}

static ik_status chakra_order_put_in_order(chakra_rank *r, ik_error *err)
{
    sorter s = {.r = r};
    ik_status status = IK_OK;
    r->order = ik_calloc(r->num_ops, sizeof *r->order);
    s.missing = ik_calloc(r->num_ops, sizeof *s.missing);
    s.after = ik_calloc(r->num_ops + 1, sizeof *s.after);
    s.list = ik_calloc(r->num_deps, sizeof *s.list);
    if (r->num_deps >= IK_NONE || !r->order || !s.missing || !s.after || !s.list)
        status = ik_fail_memory(err, r->num_ops * 16 + r->num_deps * 4, "the order of a trace");
    else
        status = chakra_order_sort(&s, err);
    free(s.missing);
    free(s.after);
    free(s.list);
    ik_heap_free(&s.ready);
    return status;
}

ik_status chakra_rank_order(chakra_rank *r, ik_error *err)
{
    index_of x = {.r = r};
    bool sorted = true;
    ik_status status = chakra_order_make_index(&x, err);
    if (status == IK_OK)
        status = chakra_order_resolve(r, &x, &sorted, err);
    ik_hash_free(&x.table);
    return status == IK_OK && !sorted ? chakra_order_put_in_order(r, err) : status;
}
