/* SPDX-License-Identifier: Apache-2.0
 *
 * offers.c: a pattern destination by destination.
 */
#include "analysis/offers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of sorted flows, and of a block of the matrix, where the memory limit does not ask for
 * less. */
#define LIST_BYTES  ((uint64_t)192 << 20)
#define BLOCK_BYTES ((uint64_t)256 << 20)
enum { FLOW_BYTES = sizeof(uint32_t) + sizeof(double), CELL_BYTES = 2 * sizeof(double) };

static uint64_t offers_within_limit(const ik_env *env, uint64_t bytes)
{
    uint64_t quarter = env ? env->memory_limit_bytes / 4 : 0;
    return quarter && quarter < bytes ? quarter : bytes;
}

/* The goal of a flow, IK_NONE = it is none of these. */
static uint32_t offers_goal_of(const offers *o, uint32_t src, uint32_t dst)
{
    const demand *d = o->d;
    if (src == dst || d->row_of[dst] == IK_NONE || d->row_of[src] == IK_NONE)
        return IK_NONE;
    if (!o->grouped)
        return dst;
    return d->row_of[src] == d->row_of[dst] ? IK_NONE : d->row_of[dst];
}

/* ------------------------------------------------------------------------------------------ few
 * flows */

static void offers_count_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
{
    offers *o = ctx;
    uint32_t goal = offers_goal_of(o, src, dst);
    (void)weight;
    (void)scale;
    if (goal != IK_NONE)
        o->base[goal + 1]++;
}

/* base[goal] runs through the goal's range and ends as the start of the next one. */
static void offers_place_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
{
    offers *o = ctx;
    uint32_t goal = offers_goal_of(o, src, dst);
    if (goal != IK_NONE) {
        size_t at = o->base[goal]++;
        o->row[at] = o->d->row_of[src];
        o->flow[at] = demand_amount(o->d, src, weight, scale);
    }
}

static void offers_each_flow(offers *o, ik_flow_fn fn)
{
    const ik_traffic *t = o->d->t;
    for (uint32_t src = 0; src < t->num_hosts; src++)
        t->family->flows(t, src, fn, o);
}

static ik_status offers_sort_flows(offers *o, ik_error *err)
{
    o->base = ik_calloc((size_t)o->num_goals + 2, sizeof *o->base);
    o->row = ik_calloc((size_t)o->d->flows + 1, sizeof *o->row);
    o->flow = ik_calloc((size_t)o->d->flows + 1, sizeof *o->flow);
    if (!o->base || !o->row || !o->flow)
        return ik_fail_memory(err, (size_t)o->d->flows * FLOW_BYTES, "the flows of a pattern");
    offers_each_flow(o, offers_count_flow);
    for (uint32_t g = 0; g < o->num_goals; g++)
        o->base[g + 1] += o->base[g];
    offers_each_flow(o, offers_place_flow);
    memmove(o->base + 1, o->base, o->num_goals * sizeof *o->base);
    o->base[0] = 0;
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ all to
 * all alike */

static ik_status offers_sum_rows(offers *o, ik_error *err)
{
    const demand *d = o->d;
    o->of_row = ik_calloc((size_t)d->num_rows + 1, sizeof *o->of_row);
    if (!o->of_row)
        return ik_fail_memory(err, d->num_rows * sizeof *o->of_row, "offers of switches");
    for (uint32_t row = 0; row < d->num_rows; row++)
        for (uint32_t i = d->row_base[row]; i < d->row_base[row + 1]; i++)
            o->of_row[row] += demand_amount(d, d->row_host[i], d->even_weight, d->even_scale);
    return IK_OK;
}

static void offers_even_to(const offers *o, uint32_t goal, offer_list *l)
{
    const demand *d = o->d;
    uint32_t own = o->grouped ? goal : d->row_of[goal];
    double times = o->grouped ? d->row_base[goal + 1] - d->row_base[goal] : 1;
    for (uint32_t row = 0; row < d->num_rows; row++) {
        double amount = o->of_row[row] * times,
               count = (d->row_base[row + 1] - d->row_base[row]) * times;
        if (row == own && o->grouped)
            continue;
        if (row == own) {
            amount -= demand_amount(d, goal, d->even_weight, d->even_scale);
            count -= 1;
        }
        if (count > 0) {
            l->rows[l->num++] = row;
            l->amount[row] = amount;
            l->count[row] = count;
        }
    }
}

/* ------------------------------------------------------------------------------------------ the
 * matrix */

typedef struct filling_row {
    const offers *o;
    double *amount, *count;
} filling_row;

static void offers_fill_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    filling_row *row = ctx;
    uint32_t goal = offers_goal_of(row->o, src, dst);
    if (goal != IK_NONE && goal >= row->o->first && goal < row->o->end) {
        row->amount[goal - row->o->first] += demand_amount(row->o->d, src, weight, scale);
        row->count[goal - row->o->first] += 1;
    }
}

static ik_status offers_fill_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    const offers *o = ctx;
    const demand *d = o->d;
    filling_row row = {o, o->amount + index * o->width, o->count + index * o->width};
    (void)thread;
    (void)err;
    memset(row.amount, 0, o->width * sizeof *row.amount);
    memset(row.count, 0, o->width * sizeof *row.count);
    for (uint32_t i = d->row_base[index]; i < d->row_base[index + 1]; i++)
        d->t->family->flows(d->t, d->row_host[i], offers_fill_flow, &row);
    return IK_OK;
}

static ik_status offers_new_matrix(offers *o, const ik_env *env, ik_error *err)
{
    size_t rows = o->d->num_rows;
    uint64_t width = offers_within_limit(env, BLOCK_BYTES) / (rows * CELL_BYTES) + 1;
    o->width = width < o->num_goals ? (uint32_t)width : o->num_goals;
    o->amount = ik_calloc(rows * o->width, sizeof *o->amount);
    o->count = ik_calloc(rows * o->width, sizeof *o->count);
    return o->amount && o->count
               ? IK_OK
               : ik_fail_memory(err, rows * o->width * CELL_BYTES, "a traffic matrix");
}

ik_status offers_block(offers *o, uint32_t first, uint32_t end, const ik_env *env, ik_error *err)
{
    assert(first < end && end <= o->num_goals && end - first <= o->width);
    o->first = first;
    o->end = end;
    return o->amount
               ? ik_parallel_for(env, "traffic matrix", o->d->num_rows, offers_fill_row, o, err)
               : IK_OK;
}

/* ------------------------------------------------------------------------------------------ all
 * three */

ik_status offers_open(offers *o, const demand *d, bool grouped, const ik_env *env, ik_error *err)
{
    *o = (offers){.d = d, .grouped = grouped, .num_goals = grouped ? d->num_rows : d->t->num_hosts};
    o->width = o->num_goals;
    ik_status s = IK_OK;
    if (d->even_scale)
        s = offers_sum_rows(o, err);
    else if (d->flows <= offers_within_limit(env, LIST_BYTES) / FLOW_BYTES)
        s = offers_sort_flows(o, err);
    else if (d->num_rows)
        s = offers_new_matrix(o, env, err);
    if (s != IK_OK)
        offers_close(o);
    return s;
}

void offers_close(offers *o)
{
    void *all[] = {o->of_row, o->base, o->row, o->flow, o->amount, o->count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *o = (offers){0};
}

ik_status offer_list_init(offer_list *l, const demand *d, ik_error *err)
{
    size_t rows = (size_t)d->num_rows + 1;
    *l = (offer_list){0, ik_calloc(rows, sizeof *l->rows), ik_calloc(rows, sizeof *l->amount),
                      ik_calloc(rows, sizeof *l->count)};
    return l->rows && l->amount && l->count
               ? IK_OK
               : ik_fail_memory(err, rows * 20, "offers to a destination");
}

void offer_list_free(offer_list *l)
{
    free(l->rows);
    free(l->amount);
    free(l->count);
}

static void offers_listed_to(const offers *o, uint32_t goal, offer_list *l)
{
    for (size_t i = o->base[goal]; i < o->base[goal + 1]; i++) {
        uint32_t row = o->row[i];
        if (l->count[row] == 0) {
            l->rows[l->num++] = row;
            l->amount[row] = 0;
        }
        l->amount[row] += o->flow[i];
        l->count[row] += 1;
    }
}

static void offers_matrix_to(const offers *o, uint32_t goal, offer_list *l)
{
    for (uint32_t row = 0; row < o->d->num_rows; row++) {
        size_t cell = (size_t)row * o->width + goal - o->first;
        if (o->count[cell] > 0) {
            l->rows[l->num++] = row;
            l->amount[row] = o->amount[cell];
            l->count[row] = o->count[cell];
        }
    }
}

void offers_to(const offers *o, uint32_t goal, offer_list *l)
{
    assert(goal >= o->first && goal < o->end);
    for (uint32_t i = 0; i < l->num; i++)
        l->count[l->rows[i]] = 0;
    l->num = 0;
    if (!o->grouped && o->d->row_of[goal] == IK_NONE)
        return;
    if (o->of_row)
        offers_even_to(o, goal, l);
    else if (o->base)
        offers_listed_to(o, goal, l);
    else
        offers_matrix_to(o, goal, l);
}
