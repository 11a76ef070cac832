/* SPDX-License-Identifier: Apache-2.0
 *
 * fluid.c: how long an exchange takes if rates are max-min fair at every instant.
 *
 * A flow of rate x puts x times its share on each of its channels: all of it where it has one path.
 * Progressive filling (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2) gives the rates:
 * the channel that allows its unfrozen flows the smallest rate, what is left divided by the sum of
 * their shares, freezes them, and so on. Then time runs to the next completion and rates are filled
 * anew. Flows that end within a relative 1e-9 of each other end together, so that exchanges with
 * few distinct rates take few rounds. A binary heap finds the smallest share. What a channel allows
 * hardly ever becomes less while rates are filled (only by rounding), so the heap holds a lower
 * bound of each, which is brought up to date when it comes to the top: O(path steps + channels *
 * log channels) a round, and one more log for each of those corrections.
 */
#include "routing/fluid.h"

#include "base/array.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The least sum of shares of the open flows of a channel, whatever rounding has taken from it. */
#define LEAST_WEIGHT 1e-12

typedef struct fluid {
    const fluid_flows *p;
    channel_flows by;
    const double *capacity;
    uint32_t *used; /* channels with flows */
    uint32_t num_used;
    double *left;        /* [num_ports] capacity not given away yet in this round */
    uint32_t *open;      /* [num_ports] unfrozen flows */
    double *weight;      /* [num_ports] the sum of their shares */
    uint64_t *bound;     /* [num_ports] the least key of the channel in the heap */
    ik_heap heap;        /* channels; key: at most what a flow of it may still have per share */
    double *rate, *size; /* [flows] */
    bool *done;          /* [flows] */
    double *done_at;     /* [flows] the caller's, or NULL */
} fluid;

ik_status channel_flows_of(const fluid_flows *p, channel_flows *out, ik_error *err)
{
    size_t channels = p->num_channels, steps = p->num ? p->base[p->num] : 0;
    channel_flows c = {ik_calloc(channels + 2, sizeof *c.base),
                       ik_calloc(steps + 1, sizeof *c.flow),
                       p->share ? ik_calloc(steps + 1, sizeof *c.share) : NULL};
    if (!c.base || !c.flow || (p->share && !c.share)) {
        channel_flows_free(&c);
        return ik_fail_memory(err, channels * sizeof *c.base + steps * sizeof *c.flow,
                              "flows by channel");
    }
    for (size_t i = 0; i < steps; i++) /* counting sort: channel c is counted at c + 2 */
        c.base[p->channel[i] + 2]++;
    for (size_t i = 2; i <= channels + 1; i++)
        c.base[i] += c.base[i - 1];
    for (uint32_t f = 0; f < p->num; f++) {
        for (size_t i = p->base[f]; i < p->base[f + 1]; i++) {
            size_t at = c.base[p->channel[i] + 1]++;
            c.flow[at] = f;
            if (p->share)
                c.share[at] = p->share[i];
        }
    }
    *out = c;
    return IK_OK;
}

void channel_flows_free(channel_flows *c)
{
    free(c->base);
    free(c->flow);
    free(c->share);
    *c = (channel_flows){0};
}

static bool fluid_counts(const fluid *x, uint32_t channel)
{
    assert(channel < x->p->num_channels);
    return x->capacity[channel] < INFINITY;
}

/* What a flow of the channel may still have per share. */
static uint64_t fluid_key_of(const fluid *x, uint32_t channel)
{
    assert(x->open[channel] > 0 && x->weight[channel] > 0);
    return ik_heap_key(x->left[channel] / x->weight[channel]);
}

static bool fluid_push(fluid *x, uint32_t channel, uint64_t key)
{
    x->bound[channel] = key;
    return ik_heap_push(&x->heap, (ik_heap_item){key, channel, 0});
}

static void fluid_open_channels(fluid *x)
{
    x->heap.num = 0;
    for (uint32_t i = 0; i < x->num_used; i++) {
        uint32_t c = x->used[i], open = 0;
        double weight = 0;
        for (size_t k = x->by.base[c]; k < x->by.base[c + 1]; k++) {
            if (!x->done[x->by.flow[k]]) {
                open++;
                weight += fluid_channel_share(&x->by, k);
            }
        }
        x->open[c] = open;
        x->weight[c] = weight;
        x->left[c] = x->capacity[c];
    }
}

/* Gives the flow its rate and takes it off its channels. */
static bool fluid_freeze(fluid *x, uint32_t flow, double rate)
{
    assert(!x->done[flow] && x->rate[flow] < 0 && rate >= 0);
    x->rate[flow] = rate;
    for (size_t i = x->p->base[flow]; i < x->p->base[flow + 1]; i++) {
        uint32_t c = x->p->channel[i];
        if (fluid_counts(x, c)) {
            double share = fluid_share(x->p, i);
            double left = x->left[c] - rate * share, weight = x->weight[c] - share;
            x->left[c] = left > 0 ? left : 0;
            x->weight[c] = weight > LEAST_WEIGHT ? weight : LEAST_WEIGHT;
            x->open[c]--;
            uint64_t key = x->open[c] ? fluid_key_of(x, c) : UINT64_MAX;
            if (key < x->bound[c] && !fluid_push(x, c, key))
                return false;
        }
    }
    return true;
}

/* Max-min fair rates of all flows that are not done. */
static bool fluid_fill_rates(fluid *x)
{
    fluid_open_channels(x);
    for (uint32_t i = 0; i < x->num_used; i++)
        if (x->open[x->used[i]] && !fluid_push(x, x->used[i], fluid_key_of(x, x->used[i])))
            return false;
    for (uint32_t f = 0; f < x->p->num; f++)
        x->rate[f] = -1;
    while (x->heap.num > 0) {
        ik_heap_item top = ik_heap_pop(&x->heap);
        if (top.key != x->bound[top.id] || x->open[top.id] == 0)
            continue;
        uint64_t key = fluid_key_of(x, top.id);
        if (key > top.key) {
            if (!fluid_push(x, top.id, key))
                return false;
            continue;
        }
        for (size_t k = x->by.base[top.id]; k < x->by.base[top.id + 1]; k++) {
            uint32_t f = x->by.flow[k];
            if (!x->done[f] && x->rate[f] < 0 && !fluid_freeze(x, f, ik_heap_number(top.key)))
                return false;
        }
    }
    return true;
}

/* Runs to the next completion. */
static void fluid_advance(fluid *x, double *now, uint32_t *left)
{
    double step = INFINITY;
    for (uint32_t f = 0; f < x->p->num; f++) {
        if (!x->done[f]) {
            assert(x->rate[f] > 0);
            double time = x->size[f] / x->rate[f];
            step = time < step ? time : step;
        }
    }
    *now += step;
    for (uint32_t f = 0; f < x->p->num; f++) {
        if (!x->done[f]) {
            x->size[f] -= step * x->rate[f];
            if (x->size[f] < 1e-9) {
                x->done[f] = true;
                --*left;
                if (x->done_at)
                    x->done_at[f] = *now;
            }
        }
    }
}

static void fluid_free(fluid *x)
{
    channel_flows_free(&x->by);
    ik_heap_free(&x->heap);
    void *all[] = {x->used, x->left, x->open, x->weight, x->bound, x->rate, x->size, x->done};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static ik_status fluid_init(fluid *x, ik_error *err)
{
    size_t ports = (size_t)x->p->num_channels + 1, flows = (size_t)x->p->num + 1;
    ik_status s = channel_flows_of(x->p, &x->by, err);
    if (s != IK_OK)
        return s;
    x->used = ik_calloc(ports, sizeof *x->used);
    x->left = ik_calloc(ports, sizeof *x->left);
    x->open = ik_calloc(ports, sizeof *x->open);
    x->weight = ik_calloc(ports, sizeof *x->weight);
    x->bound = ik_calloc(ports, sizeof *x->bound);
    x->rate = ik_calloc(flows, sizeof *x->rate);
    x->size = ik_calloc(flows, sizeof *x->size);
    x->done = ik_calloc(flows, sizeof *x->done);
    if (!x->used || !x->left || !x->open || !x->weight || !x->bound || !x->rate || !x->size ||
        !x->done)
        return ik_fail_memory(err, ports * 32 + flows * 17, "a fluid model");
    for (uint32_t c = 0; c < x->p->num_channels; c++)
        if (x->by.base[c + 1] > x->by.base[c] && fluid_counts(x, c))
            x->used[x->num_used++] = c;
    for (uint32_t f = 0; f < x->p->num; f++)
        x->size[f] = x->p->size ? x->p->size[f] : 1;
    return IK_OK;
}

void fluid_capacities(const ik_fabric *f, const fluid_flows *flows, double *capacity)
{
    uint64_t reference = 0;
    for (uint32_t i = 0; i < flows->num; i++) {
        uint64_t rate = ik_port_rate_bps(f, flows->channel[flows->base[i]]);
        reference = rate > reference ? rate : reference;
    }
    for (uint32_t c = 0; c < f->num_ports; c++) {
        capacity[c] = f->port_peer[c] == IK_NONE || !reference
                          ? 0
                          : (double)ik_port_rate_bps(f, c) / (double)reference;
    }
}

ik_status fluid_complete(const fluid_flows *flows, const double *capacity, double max_steps,
                         double *done, fluid_result *out, ik_error *err)
{
    fluid x = {.p = flows, .capacity = capacity, .done_at = done};
    fluid_result result = {0, 0};
    uint32_t left = flows->num;
    ik_status s = fluid_init(&x, err);
    while (s == IK_OK && left) {
        result.steps += (double)flows->base[flows->num];
        if (result.steps > max_steps) {
            result.time = NAN;
            break;
        }
        if (!fluid_fill_rates(&x)) {
            s = ik_fail_memory(err, x.heap.cap * 2 * sizeof *x.heap.items, "a fluid model");
            break;
        }
        fluid_advance(&x, &result.time, &left);
    }
    fluid_free(&x);
    if (s == IK_OK)
        *out = result;
    return s;
}
