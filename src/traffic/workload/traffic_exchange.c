/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_exchange.c: every message of a pattern once, then it is over.
 *
 * An all-to-all is computed, whatever its size; other patterns have few destinations a host and
 * become a dependency graph, one operation at each end of a message. Repetitions are chained host
 * by host: a calculation of no time joins all that a host sends and receives in one of them. */
#include "ikat/topology.h"
#include "traffic/nas_partners.h"
#include "traffic/pattern.h"
#include "traffic/workload/exchange_order.h"
#include "traffic/workload/exchange_phases.h"
#include "traffic/workload/graph_builder.h"
#include "traffic/workload/mapping.h"
#include "traffic/workload/nas.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES_NONE, PHASES_HOST, PHASES_BARRIER };
enum { ASK_RANDOM, ASK_SHIFT, ASK_XOR, ASK_PAIRWISE, ASK_NEAREST };

static const ik_param params[] = {
    {"pattern", IK_PARAM_PATTERNS, "alltoall", 0, 0, NULL,
     "traffic pattern whose flows are the messages, in parentheses if it has parameters: "
     "(neighbour:dims=4:4); weights are numbers of messages"},
    {"bytes", IK_PARAM_SIZE, "7680 B", 1, 1e15, NULL, "size of a message"},
    {"visits", IK_PARAM_UINT, "1", 1, 4294967295.0, NULL,
     "packets that are sent to a destination before the next one has its turn", "phases=none",
     "in a phase a host has one message to send"},
    {"phases", IK_PARAM_ENUM, "none", 0, 0, "none|host|barrier",
     "none: all messages are there at the start; host: phase i consists of the i-th message of "
     "every host, and a host begins a phase when it has sent and received its messages of the "
     "phases before; barrier: a phase begins when all hosts have, which a barrier of messages of 8 "
     "B establishes"},
    {"order", IK_PARAM_ENUM, "random", 0, 0, "random|shift|xor|pairwise|nearest_first",
     "order in which host s visits its destinations: drawn for each host; s+1, s+2, … modulo the "
     "number of hosts; s^1, s^2, …; pairwise: xor if the number of hosts is a power of two, "
     "otherwise s-1, s-2, …; by number of hops, then by number"},
    {"repeat", IK_PARAM_UINT, "1", 1, 10000, NULL,
     "number of times that the exchange is made; a host begins again when it has sent and received "
     "everything of the time before"},
    PROCESSES_PARAM,
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of random orders and mappings (default: the experiment's seed)",
     "order=random or mapping=random", "the other orders and mappings draw nothing"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

#define OWNER    "traffic 'exchange'"
#define SIZED_BY "bytes repeat pattern"

typedef struct exchange {
    mapping map;
    /* what the pattern takes for its fabric where processes are elsewhere than on all hosts in
     * order: a crossbar of as many hosts as there are processes; else NULL */
    ik_fabric *processes;
    ik_traffic *pattern; /* whose messages they are, in numbers of processes */
    /* the same in numbers of hosts, where they differ and it is a graph, or of several phases */
    ik_traffic lists;
    ik_workload work;
    ik_visit_order order;
    uint64_t seed, bytes;
} exchange;

static void exchange_destroy(ik_traffic *t)
{
    exchange *x = t->impl;
    ik_traffic_free(x->pattern);
    ik_fabric_free(x->processes);
    if (x->lists.impl)
        pattern_lists_destroy(&x->lists);
    mapping_free(&x->map);
    ik_workload_clear(&x->work);
    free(x);
    t->impl = NULL;
}

/* ---- what the parameters say */

static ik_status exchange_refuse_pattern(const char *spec, const char *why, ik_error *err)
{
    ik_about(err, ik_fail(err, IK_ERR_USAGE, "traffic 'exchange', pattern '%.80s': %s", spec, why),
             "pattern");
    return ik_hint(err, IK_ERR_USAGE,
                   "alltoall, neighbour, permutation, shift, file, wrf, bt and other patterns with "
                   "fixed destinations can be exchanged");
}

/* *family: NULL = there is none of that name. */
static ik_status exchange_find_family(const char *text, ik_arena *arena,
                                      const ik_traffic_family **family, ik_error *err)
{
    ik_spec spec;
    ik_status status = ik_spec_parse(text, arena, &spec, err);
    if (status == IK_OK)
        *family = ik_traffic_find(spec.name);
    return status;
}

static ik_status exchange_open_pattern(ik_traffic *t, exchange *x, const ik_params *p,
                                       const ik_env *env, ik_error *err)
{
    ik_arena arena = {0};
    size_t num;
    const ik_spec_member *list = ik_params_members(p, "pattern", &num);
    ik_status status = IK_OK;
    if (num != 1 || list[0].share || list[0].name)
        status =
            exchange_refuse_pattern(ik_params_text(p, "pattern"),
                                    "one pattern, without a share or a name, is exchanged", err);
    const ik_traffic_family *family = NULL;
    if (status == IK_OK)
        status = exchange_find_family(list[0].spec, &arena, &family, err);
    if (status == IK_OK && x->processes && family && family->of_fabric)
        status = exchange_refuse_pattern(
            list[0].spec, "it is made for the fabric, not for processes on some of its hosts", err);
    if (status == IK_OK) {
        status = ik_traffic_from_spec(x->processes ? x->processes : t->fabric, list[0].spec, env,
                                      &x->pattern, err);
        if (status != IK_OK)
            ik_about_within(err, status, "pattern/0/pattern");
    }
    t->of_fabric = status == IK_OK && x->pattern->family->of_fabric;
    if (status == IK_OK && x->pattern->workload)
        status = exchange_refuse_pattern(list[0].spec, "it is itself a finite workload", err);
    else if (status == IK_OK && !x->pattern->family->listed && !x->pattern->family->permutation)
        status = exchange_refuse_pattern(list[0].spec,
                                         "its destinations are drawn, there is no end to it", err);
    else if (status == IK_OK && strcmp(x->pattern->family->name, "alltoall") == 0 &&
             strchr(list[0].spec, ':'))
        status = exchange_refuse_pattern(
            list[0].spec, "order and visits are parameters of the exchange itself", err);
    ik_arena_free(&arena);
    return status == IK_OK ? pattern_join_notes(t, &x->pattern, 1, err) : status;
}

static ik_status exchange_find_hosts(ik_traffic *t, exchange *x, const ik_params *p,
                                     const ik_env *env, ik_error *err)
{
    uint64_t processes = ik_params_has(p, "processes") ? ik_params_uint(p, "processes") : 0;
    ik_status status = mapping_make(t->fabric, OWNER, p, processes, x->seed, env, &x->map, err);
    if (status == IK_OK)
        status = mapping_portable(t, p, &x->map, &t->portable, err);
    if (status != IK_OK || x->map.identity)
        return status;
    char crossbar[40];
    snprintf(crossbar, sizeof crossbar, "crossbar:n=%u", x->map.num);
    return ik_fabric_from_spec(crossbar, env, &x->processes, err);
}

static ik_status exchange_find_order(exchange *x, const ik_params *p, ik_error *err)
{
    bool power = (x->map.num & (x->map.num - 1)) == 0;
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
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, OWNER ", order = xor: %u %s are not a power of two",
                         x->map.num, x->processes ? "processes" : "hosts"),
                 "order");
        return ik_hint(err, IK_ERR_USAGE, "order = pairwise takes any number of hosts");
    default:
        x->order = IK_ORDER_RANDOM;
    }
    return IK_OK;
}

/* ---- all-to-all */

/* Makes rows of hosts rows of the processes on them, in place. */
static void exchange_keep_processes(const ik_fabric *f, ik_alltoall *a)
{
    size_t kept = 0;
    for (size_t k = 0; a->process && k < (size_t)f->num_switches * f->num_hosts; k++)
        if (a->process[a->nearest[k]] != IK_NONE)
            a->nearest[kept++] = a->process[a->nearest[k]];
}

static ik_status exchange_find_nearest(const ik_fabric *f, ik_alltoall *a, ik_error *err)
{
    ik_status status = order_nearest(f, &a->nearest, err);
    a->row = ik_calloc((size_t)a->num + 1, sizeof *a->row);
    a->own_place = ik_calloc((size_t)a->num + 1, sizeof *a->own_place);
    if (status == IK_OK && (!a->row || !a->own_place))
        status = ik_fail_memory(err, 2 * a->num * sizeof *a->row, "hosts by distance");
    if (status == IK_OK)
        exchange_keep_processes(f, a);
    for (uint32_t i = 0; status == IK_OK && i < a->num; i++) {
        uint32_t sw = ik_host_switch(f, a->host ? a->host[i] : i), place = 0;
        a->row[i] = sw == IK_NONE ? 0 : sw;
        while (a->nearest[(size_t)a->row[i] * a->num + place] != i)
            place++;
        a->own_place[i] = place;
    }
    return status;
}

static ik_status exchange_make_alltoall(const ik_traffic *t, exchange *x, ik_error *err)
{
    uint64_t others = x->map.num - 1;
    ik_alltoall *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "traffic 'exchange'");
    x->work.alltoall = a;
    *a = (ik_alltoall){.num = x->map.num, .order = x->order, .seed = x->seed, .bytes = x->bytes};
    if (x->processes) {
        ik_status status = mapping_inverse(&x->map, t->num_hosts, &a->process, err);
        if (status != IK_OK)
            return status;
        a->host = x->map.host; /* moves */
        x->map.host = NULL;
    }
    a->root = (uint32_t)ceil(sqrt((double)others));
    x->work.num_messages = x->map.num * others * x->work.repeat;
    x->work.bytes = x->work.num_messages * x->bytes;
    x->work.largest = x->bytes;
    x->work.uniform = true;
    x->work.num_classes = 1;
    if (x->work.num_messages && x->bytes > (UINT64_C(1) << 60) / x->work.num_messages)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "traffic 'exchange': %llu messages of %llu B are more than 2^60 B",
                                (unsigned long long)x->work.num_messages,
                                (unsigned long long)x->bytes),
                        "bytes repeat");
    return x->order == IK_ORDER_NEAREST ? exchange_find_nearest(t->fabric, a, err) : IK_OK;
}

/* ---- other patterns */

typedef struct collector {
    order_key *list;
    size_t num, room;
    bool no_memory;
} collector;

static void exchange_add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
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

/* The messages of one process, each with its two ends; join: what they wait for, IK_NONE =
 * nothing. */
static ik_status exchange_add_messages(graph_builder *b, const exchange *x, uint32_t src,
                                       const order_key *list, size_t num, uint32_t join,
                                       ik_error *err)
{
    for (size_t k = 0; k < num; k++) {
        if (list[k].weight > MOST_COPIES)
            return ik_about(
                err,
                ik_fail(err, IK_ERR_USAGE,
                        OWNER ": process %u has %llu messages for process %u, at most %d are "
                              "taken",
                        src, (unsigned long long)list[k].weight, list[k].dst, MOST_COPIES),
                "pattern");
        for (uint64_t copy = 0; copy < list[k].weight && !b->no_memory; copy++) {
            uint32_t send =
                graph_message(b, x->map.host[src], x->map.host[list[k].dst], x->bytes, NULL);
            if (join != IK_NONE)
                graph_wait(b, send, join, false);
        }
    }
    return IK_OK;
}

typedef struct lists_of_processes {
    order_key *all;
    size_t *first; /* [processes + 1] */
} lists_of_processes;

/* Where each process stands among the hosts by distance from that of src. of: process of a host. */
static void exchange_set_places(const ik_traffic *t, const exchange *x, uint32_t src,
                                const uint32_t *nearest, const uint32_t *of, uint32_t *places)
{
    uint32_t sw = ik_host_switch(t->fabric, x->map.host[src]);
    const uint32_t *row = nearest + (size_t)(sw == IK_NONE ? 0 : sw) * t->num_hosts;
    for (uint32_t at = 0; at < t->num_hosts; at++)
        if (of[row[at]] != IK_NONE)
            places[of[row[at]]] = at;
}

/* The destinations of every process, in order. */
static ik_status exchange_read_lists(const ik_traffic *t, const exchange *x, lists_of_processes *l,
                                     ik_error *err)
{
    const uint32_t num = x->map.num;
    collector c = {0};
    uint32_t *nearest = NULL, *places = NULL, *of = NULL;
    ik_status status = IK_OK;
    l->first = ik_calloc((size_t)num + 1, sizeof *l->first);
    places = ik_calloc((size_t)t->num_hosts + 1, sizeof *places);
    if (!l->first || !places)
        status = ik_fail_memory(err, t->num_hosts * sizeof *l->first, OWNER);
    if (status == IK_OK && x->order == IK_ORDER_NEAREST)
        status = order_nearest(t->fabric, &nearest, err);
    if (status == IK_OK && nearest)
        status = mapping_inverse(&x->map, t->num_hosts, &of, err);
    for (uint32_t src = 0; status == IK_OK && src < num; src++) {
        size_t before = c.num;
        x->pattern->family->flows(x->pattern, src, exchange_add_flow, &c);
        if (c.no_memory) {
            status = ik_fail_memory(err, c.num * sizeof *c.list, "traffic 'exchange'");
            break;
        }
        if (nearest && c.num > before)
            exchange_set_places(t, x, src, nearest, of, places);
        if (c.num > before)
            order_sort(x->order, x->seed, num, src, places, c.list + before, c.num - before);
        l->first[src + 1] = c.num;
    }
    free(nearest);
    free(places);
    free(of);
    l->all = c.list;
    return status;
}

static ik_status exchange_make_graph(const ik_traffic *t, exchange *x, ik_error *err)
{
    lists_of_processes l = {0};
    graph_builder b = {.num_hosts = t->num_hosts, .source = OWNER, .settings = SIZED_BY};
    uint64_t repeat = x->work.repeat, visits = x->work.visits;
    ik_status status = exchange_read_lists(t, x, &l, err);
    uint32_t *joins = ik_calloc((size_t)t->num_hosts + 1, sizeof *joins);
    if (status == IK_OK && !joins)
        status = ik_fail_memory(err, t->num_hosts * sizeof *joins, "traffic 'exchange'");
    for (uint64_t r = 0; status == IK_OK && r < repeat && !b.no_memory; r++) {
        size_t from = b.num_ops;
        for (uint32_t src = 0; status == IK_OK && src < x->map.num; src++)
            status = exchange_add_messages(&b, x, src, l.all + l.first[src],
                                           l.first[src + 1] - l.first[src],
                                           r ? joins[x->map.host[src]] : IK_NONE, err);
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
    x->lists = (ik_traffic){.num_hosts = t->num_hosts, .seed = x->seed};
    if (status == IK_OK && x->processes)
        status = workload_pattern(x->work.graph, &x->lists, err);
    return status;
}

/* ---- phases in turn */

/* What says nothing where a process has one message at a time. */
static ik_status exchange_refuse_turns(const ik_params *p, ik_error *err)
{
    static const char *const names[] = {"order", "visits", "phases"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (ik_params_given(p, names[k])) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             OWNER
                             ", '%s': it has no effect on the phases of cg, in each of which a "
                             "process has one message",
                             names[k]),
                     "%s", names[k]);
            return ik_hint(err, IK_ERR_USAGE, "leave it out");
        }
    return IK_OK;
}

/* All phases of cg: a process begins the next one once it has sent and received its messages of the
 * one before. */
static ik_status exchange_make_phases(const ik_traffic *t, exchange *x, uint32_t processes,
                                      ik_error *err)
{
    steps s;
    nas n = {.benchmark = NAS_CG, .processes = processes, .bytes = x->bytes};
    uint64_t repeat = x->work.repeat;
    ik_status status = steps_open(&s, OWNER, SIZED_BY, t->num_hosts, &x->map, err);
    if (status != IK_OK)
        return status;
    for (uint64_t r = 0; r < repeat && !s.b.no_memory; r++)
        nas_run(&n, &s);
    status = steps_finish(&s, &x->work, err);
    x->lists = (ik_traffic){.num_hosts = t->num_hosts, .seed = x->seed};
    return status == IK_OK ? workload_pattern(x->work.graph, &x->lists, err) : status;
}

/* ---- phases in the order of every process */

static bool exchange_is_alltoall(const exchange *x)
{
    return strcmp(x->pattern->family->name, "alltoall") == 0;
}

static ik_status exchange_make_in_phases(const ik_traffic *t, exchange *x, bool barriers,
                                         ik_error *err)
{
    lists_of_processes l = {0};
    steps s;
    uint64_t num = x->map.num;
    ik_status status = exchange_is_alltoall(x) ? phases_refuse(num * (num - 1), err) : IK_OK;
    if (status == IK_OK)
        status = exchange_read_lists(t, x, &l, err);
    phases_of_processes of = {l.all, l.first, x->map.num, x->bytes, x->work.repeat, barriers};
    if (status == IK_OK)
        status = phases_count(&of, err);
    if (status == IK_OK)
        status = steps_open(&s, OWNER, SIZED_BY, t->num_hosts, &x->map, err);
    if (status == IK_OK) {
        phases_add(&of, &s);
        status = steps_finish(&s, &x->work, err);
        x->work.visits = 1; /* as every exchange says itself how messages take turns */
    }
    free(l.all);
    free(l.first);
    x->lists = (ik_traffic){.num_hosts = t->num_hosts, .seed = x->seed};
    return status == IK_OK ? workload_pattern(x->work.graph, &x->lists, err) : status;
}

/* ---- the family */

static ik_status exchange_make_messages(const ik_traffic *t, exchange *x, const ik_params *p,
                                        ik_error *err)
{
    bool cg = strcmp(x->pattern->family->name, "cg") == 0;
    uint32_t phases_of = cg ? cg_all_phases(x->pattern) : 0;
    unsigned phases = ik_params_enum(p, "phases");
    if (phases != PHASES_NONE && !phases_of)
        return exchange_make_in_phases(t, x, phases == PHASES_BARRIER, err);
    if (exchange_is_alltoall(x))
        return exchange_make_alltoall(t, x, err);
    if (!phases_of)
        return exchange_make_graph(t, x, err);
    ik_status status = exchange_refuse_turns(p, err);
    return status == IK_OK ? exchange_make_phases(t, x, phases_of, err) : status;
}

static ik_status exchange_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                 ik_error *err)
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
    ik_status status = exchange_find_hosts(t, x, p, env, err);
    if (status == IK_OK)
        status = exchange_open_pattern(t, x, p, env, err);
    if (status == IK_OK)
        status = exchange_find_order(x, p, err);
    if (status == IK_OK)
        status = exchange_make_messages(t, x, p, err);
    if (status == IK_OK)
        status = workload_check_hosts(t, &x->work, err);
    if (status == IK_OK && x->work.num_messages == 0)
        status = ik_about(err,
                          ik_fail(err, IK_ERR_USAGE, OWNER ": the pattern has no message among %s",
                                  IK_COUNT(x->map.num, x->processes ? "process" : "host")),
                          "pattern");
    t->workload = &x->work;
    return status;
}

/* As a pattern: what share of a host's bytes goes where. */

static uint32_t exchange_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const exchange *x = t->impl;
    const ik_alltoall *a = x->work.alltoall;
    if (x->lists.impl)
        return pattern_lists_dest(&x->lists, src, n);
    if (!x->processes)
        return x->pattern->family->dest(x->pattern, src, n);
    uint32_t to = ik_alltoall_has(a, src) ? x->pattern->family->dest(x->pattern, a->process[src], n)
                                          : IK_NONE;
    return to == IK_NONE ? IK_NONE : a->host[to];
}

static void exchange_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const exchange *x = t->impl;
    const ik_alltoall *a = x->work.alltoall;
    if (x->lists.impl)
        pattern_lists_flows(&x->lists, src, fn, ctx);
    else if (!x->processes)
        x->pattern->family->flows(x->pattern, src, fn, ctx);
    for (uint32_t d = 0; x->processes && a && ik_alltoall_has(a, src) && d < t->num_hosts; d++)
        if (d != src && ik_alltoall_has(a, d))
            fn(ctx, src, d, 1, a->num - 1);
}

static bool exchange_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    const exchange *x = t->impl;
    const ik_traffic *of = x->pattern;
    return !x->processes && !x->lists.impl && of->family->even &&
           of->family->even(of, weight, scale);
}

const ik_traffic_family ik_traffic_exchange = {
    .name = "exchange",
    .summary = "every message of a pattern once; the run ends when all are delivered",
    .source = "S. Kumar, Y. Sabharwal, R. Garg, P. Heidelberger, Optimization of All-to-all "
              "Communication on the Blue Gene/L Supercomputer, ICPP 2008; used by G. Kathareios et "
              "al., SC 2015, section 4",
    .details = "This is a finite workload: use it with `measure: {until: delivered, at_most: 10 "
               "ms}`, without load and warm-up. All messages are there from the start. A host "
               "visits its destinations in the given order, sends `visits` packets of each message "
               "in turn, and repeats this until all are sent; with `phases`, each host sends one "
               "message at a time. The pattern gives the messages: each flow has as many messages "
               "as its weight; cg without a phase gives all phases, one after the other in each "
               "process. The pattern is one of processes, which run on all hosts in order unless "
               "`processes`, `hosts` or `mapping` say otherwise. See docs/workloads.md.",
    .params = params,
    .create = exchange_create,
    .destroy = exchange_destroy,
    .dest = exchange_dest,
    .flows = exchange_flows,
    .even = exchange_even,
    .ends = true,
};
