/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_exchange.c: every message of a pattern once, then it is over.
 *
 * An all-to-all is computed, whatever its size; other patterns have few destinations a host and
 * become a dependency graph, one operation at each end of a message. Repetitions are chained host
 * by host: a calculation of no time joins all that a host sends and receives in one of them. */
#include "traffic/exchange_order.h"
#include "traffic/graph_builder.h"
#include "traffic/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_RANDOM, ASK_SHIFT, ASK_XOR, ASK_PAIRWISE, ASK_NEAREST };

static const ik_param params[] = {
    {"pattern", IK_PARAM_PATTERNS, "alltoall", 0, 0, NULL,
     "traffic pattern whose flows are the messages, ';' for ',' inside it (neighbour:dims=4:4); "
     "weights are numbers of messages"},
    {"bytes", IK_PARAM_SIZE, "7680 B", 1, 1e15, NULL, "size of a message"},
    {"visits", IK_PARAM_UINT, "1", 1, 4294967295.0, NULL,
     "packets that are sent to a destination before the next one's turn"},
    {"order", IK_PARAM_ENUM, "random", 0, 0, "random|shift|xor|pairwise|nearest_first",
     "how host s visits its destinations: drawn for each host; s+1, s+2, … modulo the hosts; s^1, "
     "s^2, …; xor where the hosts are a power of two, else s-1, s-2, …; by hops, ties by number"},
    {"repeat", IK_PARAM_UINT, "1", 1, 10000, NULL,
     "so many times; a host begins again once it has sent and received all of the time before"},
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL, "seed of random orders (default: the experiment's)",
     "order=random", "the other orders draw nothing"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct exchange {
    ik_traffic *pattern; /* whose messages they are */
    ik_workload work;
    ik_visit_order order;
    uint64_t seed, bytes;
} exchange;

static void destroy(ik_traffic *t)
{
    exchange *x = t->impl;
    ik_traffic_free(x->pattern);
    ik_workload_clear(&x->work);
    free(x);
    t->impl = NULL;
}

/* ---- what the parameters say */

static ik_status refuse_pattern(const char *spec, const char *why, ik_error *err)
{
    ik_fail(err, IK_ERR_USAGE, "traffic 'exchange', pattern '%.80s': %s", spec, why);
    return ik_hint(err, IK_ERR_USAGE,
                   "alltoall, neighbour, permutation, shift, file, wrf, bt and other patterns with "
                   "fixed destinations can be exchanged");
}

static ik_status open_pattern(ik_traffic *t, exchange *x, const char *text, const ik_env *env,
                              ik_error *err)
{
    ik_arena arena = {0};
    ik_spec_member *list = NULL;
    size_t num = 0;
    ik_status status = ik_spec_list_parse(text, &arena, &list, &num, err);
    if (status == IK_OK && (num != 1 || list[0].share || list[0].name))
        status = refuse_pattern(text, "one pattern, without a share or a name, is exchanged", err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(t->fabric, list[0].spec, env, &x->pattern, err);
    if (status == IK_OK && x->pattern->workload)
        status = refuse_pattern(list[0].spec, "it is a workload that ends already", err);
    else if (status == IK_OK && !x->pattern->family->listed && !x->pattern->family->permutation)
        status =
            refuse_pattern(list[0].spec, "its destinations are drawn, there is no end to it", err);
    else if (status == IK_OK && strcmp(x->pattern->family->name, "alltoall") == 0 &&
             strchr(list[0].spec, ':'))
        status = refuse_pattern(list[0].spec,
                                "order and visits are parameters of the exchange itself", err);
    ik_arena_free(&arena);
    return status;
}

static ik_status find_order(const ik_traffic *t, exchange *x, const ik_params *p, ik_error *err)
{
    bool power = t->num_hosts && (t->num_hosts & (t->num_hosts - 1)) == 0;
    switch (ik_params_enum(p, "order")) {
    case ASK_SHIFT:
        x->order = IK_ORDER_SHIFT;
        break;
    case ASK_PAIRWISE:
        x->order = power ? IK_ORDER_XOR : IK_ORDER_BACK;
        break;
    case ASK_NEAREST:
        x->order = IK_ORDER_NEAREST;
        break;
    case ASK_XOR:
        x->order = IK_ORDER_XOR;
        if (power)
            break;
        ik_fail(err, IK_ERR_USAGE,
                "traffic 'exchange', order = xor: %u hosts are not a power of two", t->num_hosts);
        return ik_hint(err, IK_ERR_USAGE, "order = pairwise takes any number of hosts");
    default:
        x->order = IK_ORDER_RANDOM;
    }
    return IK_OK;
}

/* ---- all-to-all */

static ik_status find_nearest(const ik_fabric *f, ik_alltoall *a, ik_error *err)
{
    ik_status status = order_nearest(f, &a->nearest, err);
    a->row = ik_calloc((size_t)f->num_hosts + 1, sizeof *a->row);
    a->own_place = ik_calloc((size_t)f->num_hosts + 1, sizeof *a->own_place);
    if (status == IK_OK && (!a->row || !a->own_place))
        status = ik_fail_memory(err, 2 * f->num_hosts * sizeof *a->row, "hosts by distance");
    for (uint32_t host = 0; status == IK_OK && host < f->num_hosts; host++) {
        uint32_t sw = ik_host_switch(f, host), place = 0;
        a->row[host] = sw == IK_NONE ? 0 : sw;
        while (a->nearest[(size_t)a->row[host] * f->num_hosts + place] != host)
            place++;
        a->own_place[host] = place;
    }
    return status;
}

static ik_status make_alltoall(const ik_traffic *t, exchange *x, ik_error *err)
{
    uint64_t others = t->num_hosts ? t->num_hosts - 1 : 0;
    ik_alltoall *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "traffic 'exchange'");
    x->work.alltoall = a;
    *a = (ik_alltoall){.order = x->order, .seed = x->seed, .bytes = x->bytes};
    a->root = (uint32_t)ceil(sqrt((double)others));
    x->work.num_messages = t->num_hosts * others * x->work.repeat;
    x->work.bytes = x->work.num_messages * x->bytes;
    x->work.largest = x->bytes;
    x->work.uniform = true;
    if (x->work.num_messages && x->bytes > (UINT64_C(1) << 60) / x->work.num_messages)
        return ik_fail(err, IK_ERR_USAGE,
                       "traffic 'exchange': %llu messages of %llu B are more than 2^60 B",
                       (unsigned long long)x->work.num_messages, (unsigned long long)x->bytes);
    return x->order == IK_ORDER_NEAREST ? find_nearest(t->fabric, a, err) : IK_OK;
}

/* ---- other patterns */

typedef struct collector {
    order_key *list;
    size_t num, room;
    bool no_memory;
} collector;

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    collector *c = ctx;
    (void)scale;
    if (src == dst)
        return;
    if (c->num == c->room) {
        size_t room = c->room ? 2 * c->room : 64;
        order_key *list = realloc(c->list, room * sizeof *list);
        if (!list) {
            c->no_memory = true;
            return;
        }
        c->list = list;
        c->room = room;
    }
    c->list[c->num++] = (order_key){.dst = dst, .weight = weight};
}

enum { MOST_COPIES = 1000000 }; /* messages between one pair */

/* The messages of one host, each with its two ends; join: what they wait for, IK_NONE = nothing. */
static ik_status add_messages(graph_builder *b, const exchange *x, uint32_t src,
                              const order_key *list, size_t num, uint32_t join, ik_error *err)
{
    for (size_t k = 0; k < num; k++) {
        if (list[k].weight > MOST_COPIES)
            return ik_fail(err, IK_ERR_USAGE,
                           "traffic 'exchange': host %u has %llu messages for host %u, at most %d "
                           "are taken",
                           src, (unsigned long long)list[k].weight, list[k].dst, MOST_COPIES);
        for (uint64_t copy = 0; copy < list[k].weight && !b->no_memory; copy++) {
            uint32_t send = graph_message(b, src, list[k].dst, x->bytes, NULL);
            if (join != IK_NONE)
                graph_wait(b, send, join, false);
        }
    }
    return IK_OK;
}

typedef struct lists_of_hosts {
    order_key *all;
    size_t *first; /* [num_hosts + 1] */
} lists_of_hosts;

/* The destinations of every host, in order. */
static ik_status read_lists(const ik_traffic *t, const exchange *x, lists_of_hosts *l,
                            ik_error *err)
{
    collector c = {0};
    uint32_t *nearest = NULL, *places = NULL;
    ik_status status = IK_OK;
    l->first = ik_calloc((size_t)t->num_hosts + 1, sizeof *l->first);
    places = ik_calloc((size_t)t->num_hosts + 1, sizeof *places);
    if (!l->first || !places)
        status = ik_fail_memory(err, t->num_hosts * sizeof *l->first, "traffic 'exchange'");
    if (status == IK_OK && x->order == IK_ORDER_NEAREST)
        status = order_nearest(t->fabric, &nearest, err);
    for (uint32_t src = 0; status == IK_OK && src < t->num_hosts; src++) {
        size_t before = c.num;
        x->pattern->family->flows(x->pattern, src, add_flow, &c);
        if (c.no_memory) {
            status = ik_fail_memory(err, c.num * sizeof *c.list, "traffic 'exchange'");
            break;
        }
        uint32_t sw = ik_host_switch(t->fabric, src);
        for (uint32_t at = 0; nearest && sw != IK_NONE && at < t->num_hosts; at++)
            places[nearest[(size_t)sw * t->num_hosts + at]] = at;
        if (c.num > before)
            order_sort(x->order, x->seed, t->num_hosts, src, places, c.list + before,
                       c.num - before);
        l->first[src + 1] = c.num;
    }
    free(nearest);
    free(places);
    l->all = c.list;
    return status;
}

static ik_status make_graph(const ik_traffic *t, exchange *x, ik_error *err)
{
    lists_of_hosts l = {0};
    graph_builder b = {.num_hosts = t->num_hosts, .source = "traffic 'exchange'"};
    uint64_t repeat = x->work.repeat, visits = x->work.visits;
    ik_status status = read_lists(t, x, &l, err);
    uint32_t *joins = ik_calloc((size_t)t->num_hosts + 1, sizeof *joins);
    if (status == IK_OK && !joins)
        status = ik_fail_memory(err, t->num_hosts * sizeof *joins, "traffic 'exchange'");
    for (uint64_t r = 0; status == IK_OK && r < repeat && !b.no_memory; r++) {
        size_t from = b.num_ops;
        for (uint32_t src = 0; status == IK_OK && src < t->num_hosts; src++)
            status = add_messages(&b, x, src, l.all + l.first[src], l.first[src + 1] - l.first[src],
                                  r ? joins[src] : IK_NONE, err);
        if (status == IK_OK && r + 1 < repeat)
            graph_join_hosts(&b, from, joins);
    }
    free(l.all);
    free(l.first);
    free(joins);
    if (status == IK_OK)
        status = graph_finish(&b, &x->work, err);
    else
        graph_builder_free(&b);
    x->work.visits = visits;
    return status;
}

/* ---- the family */

static bool is_alltoall(const exchange *x)
{
    return strcmp(x->pattern->family->name, "alltoall") == 0;
}

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    exchange *x = ik_calloc(1, sizeof *x);
    if (!x)
        return ik_fail_memory(err, sizeof *x, "traffic 'exchange'");
    t->impl = x;
    x->bytes = ik_params_uint(p, "bytes");
    x->seed = pattern_seed(t, p);
    x->work = (ik_workload){.num_hosts = t->num_hosts,
                            .num_classes = 1,
                            .visits = ik_params_uint(p, "visits"),
                            .repeat = ik_params_uint(p, "repeat")};
    ik_status status = open_pattern(t, x, ik_params_text(p, "pattern"), env, err);
    if (status == IK_OK)
        status = find_order(t, x, p, err);
    if (status == IK_OK)
        status = is_alltoall(x) ? make_alltoall(t, x, err) : make_graph(t, x, err);
    if (status == IK_OK)
        status = workload_check_hosts(t, &x->work, err);
    if (status == IK_OK && x->work.num_messages == 0)
        status =
            ik_fail(err, IK_ERR_USAGE,
                    "traffic 'exchange': the pattern has no message among %u hosts", t->num_hosts);
    t->workload = &x->work;
    return status;
}

/* As a pattern: what share of a host's bytes goes where. */

static uint32_t dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const ik_traffic *of = ((const exchange *)t->impl)->pattern;
    return of->family->dest(of, src, n);
}

static void flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const ik_traffic *of = ((const exchange *)t->impl)->pattern;
    of->family->flows(of, src, fn, ctx);
}

static bool even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    const ik_traffic *of = ((const exchange *)t->impl)->pattern;
    return of->family->even && of->family->even(of, weight, scale);
}

const ik_traffic_family ik_traffic_exchange = {
    .name = "exchange",
    .summary = "all messages of a pattern once, until they are delivered",
    .source = "S. Kumar, Y. Sabharwal, R. Garg, P. Heidelberger, Optimization of All-to-all "
              "Communication on the Blue Gene/L Supercomputer, ICPP 2008; used by G. Kathareios et "
              "al., SC 2015, section 4",
    .details =
        "A workload that ends: `measure: {until: delivered, at_most: 10 ms}` goes with it, and "
        "neither load nor warm-up. All messages are there from the start. A host visits its "
        "destinations in an order, sends `visits` packets of each message in its turn, and goes "
        "round until all are sent. The pattern names the messages: of each flow as many as its "
        "weight. docs/workloads.md.",
    .params = params,
    .create = create,
    .destroy = destroy,
    .dest = dest,
    .flows = flows,
    .even = even,
    .ends = true,
};
