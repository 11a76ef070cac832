/* SPDX-License-Identifier: Apache-2.0
 *
 * Random experiments are drawn here. Of eight cases four are adaptive routings on trees of odd
 * shapes and two routings of any fabric, whose packets change their VC, with settings that the
 * specialised engine mostly takes; one is a ring or torus that may deadlock, with small buffers;
 * one is anything. */
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include "sim_helper.h"

enum { MOST_SETTINGS = 8, MOST_HOSTS = 40 };

static const char *const fabrics[] = {"karytree:k=2,n=3",
                                      "karytree:k=4,n=2",
                                      "slimtree:k=4,w=2,n=2",
                                      "rlft:ports=4,levels=3",
                                      "xgft:m=3:4,w=1:2",
                                      "xgft:m=2:2:3,w=1:2:2",
                                      "xgft:m=3:2,w=2:2",
                                      "pgft:m=4:3,w=1:2,p=1:2",
                                      "fattree2:ports=6",
                                      "slimfly:q=5,p=1",
                                      "mlfm:h=3",
                                      "oft:k=3",
                                      "hyperx:dims=3:3,p=2",
                                      "jellyfish:N=10,d=3,p=2,seed=3",
                                      "torus:dims=3:4,p=2",
                                      "ring:n=5,p=3",
                                      "mesh:dims=3:3,p=2",
                                      "hypercube:n=3,p=2",
                                      "dragonfly:h=1",
                                      "dragonfly:a=3,h=1,p=2,g=4",
                                      "dragonflyplus:h=2",
                                      "polarfly:q=3,p=1",
                                      "fullmesh:n=5,p=3",
                                      "crossbar:n=9",
                                      "karytree:k=3,n=2,latency=250 ns",
                                      "karytree:k=3,n=2,link_rate=25 Gb/s",
                                      "torus:dims=3:3,p=2,fail=10%,fail_seed=2",
                                      "karytree:k=3,n=2,level_latency=40 ns",
                                      "crossbar:n=3"};

static const char *const patterns[] = {"uniform",
                                       "uniform",
                                       "permutation",
                                       "shift:by=1",
                                       "hotspot:nodes=0,fraction=30%",
                                       "tornado",
                                       "complement",
                                       "alltoall",
                                       "mix:60%*uniform+40%*in=hotspot:nodes=1"};

static const char *const vcs[] = {NULL,  NULL,       NULL,      "1q",     "dbbm",
                                  "any", "hopclass", "flow2sl", "voqnet", "escape:routing=updown"};

/* In-order delivery: what goes together is one setting. */
#define ORDERED                                                                                    \
    "adapter.in_order=true", "adapter.in_order=true;reorder_buffer=0 B",                           \
        "adapter.in_order=true;reorder_buffer=8 KiB;control_delay=ideal",                          \
        "adapter.in_order=true;reorder_buffer=20 KiB;throttle=strict",                             \
        "adapter.in_order=true;reorder_buffer=9000 B;reorder_scope=flow",                          \
        "adapter.in_order=true;reorder_buffer=6 KiB;reorder_scope=flow;throttle=strict;"           \
        "control_delay=1 us"

/* Sources that are on and off; some loads are more than they can make. */
#define BURSTS                                                                                     \
    "adapter.injection=bursty;burst_beta=20%;burst_rate=100%",                                     \
        "adapter.injection=bursty;burst_alpha=5%;burst_beta=2%"

/* Requests and replies, in the same way. */
#define ANSWERED                                                                                   \
    "adapter.reply=64 B", "adapter.reply=9 KiB;max_outstanding=2",                                 \
        "adapter.reply=700 B;service_time=300 ns;max_outstanding=30"

/* Messages of different sizes. */
#define SIZES                                                                                      \
    "adapter.message_sizes=64 B:70%,5000 B:30%", "adapter.message_sizes=1 B..9000 B",              \
        "adapter.message_sizes=in=20 KiB/300 B..4 KiB"

/* section.key=value; what one model refuses is taken out again */
static const char *const settings[] = {"switch.model=ioq",
                                       "switch.model=ioq",
                                       "switch.model=ideal",
                                       "switch.model=pipelined",
                                       "switch.model=pipelined",
                                       "switch.buffer=4 KiB",
                                       "switch.buffer=16 KiB",
                                       "switch.buffer=20000 B",
                                       "switch.queues=fifo",
                                       "switch.queues=voqsw",
                                       "switch.queues=damq",
                                       "switch.queues=voqnet",
                                       "switch.damq_bounds=output",
                                       "switch.queue_min=4 KiB",
                                       "switch.queue_max=6 KiB",
                                       "switch.adaptive_choice=at_arrival",
                                       "switch.output_buffer=8 KiB",
                                       "switch.output_sharing=shared",
                                       "switch.arbiter=oldest_first",
                                       "switch.arbiter=oldest_first;age=injected",
                                       "switch.arbiter=class_first;class_priority=0:1",
                                       "switch.arbiter=round_robin",
                                       "switch.arbiter=random",
                                       "switch.iterations=3",
                                       "switch.input_speedup=2",
                                       "switch.output_speedup=2",
                                       "switch.speedup=2",
                                       "switch.speedup=1.5",
                                       "switch.switching=saf",
                                       "switch.routing_delay=13 ns",
                                       "switch.traversal_delay=7 ns",
                                       "switch.routing_delay=100 ns",
                                       "switch.flit=64 B",
                                       "switch.vc_allocator=wavefront",
                                       "switch.sw_allocator=wavefront",
                                       "switch.vc_alloc_cycles=2",
                                       "switch.hold_switch_for_packet=true",
                                       "adapter.packet=64 B",
                                       "adapter.packet=512 B",
                                       "adapter.packet=1500 B",
                                       SIZES,
                                       "adapter.message=5000 B",
                                       "adapter.message=3 KiB",
                                       "adapter.message=20 KiB",
                                       "adapter.injection=poisson",
                                       "adapter.injection=bernoulli",
                                       BURSTS,
                                       "adapter.interleave=fifo",
                                       "adapter.active=1",
                                       "adapter.active=3",
                                       "adapter.queues=one",
                                       "adapter.queues=destination",
                                       "adapter.injection_rate=40 Gb/s",
                                       "adapter.ejection_fraction=60%",
                                       "adapter.buffer=8 KiB",
                                       ORDERED,
                                       ANSWERED,
                                       "measure.series=2 us",
                                       "measure.series=900 ns",
                                       "measure.warmup=1 us"};

static const double loads[] = {0.1, 0.3, 0.6, 0.9, 1.0};

/* ---- trees */

static const char *const tree_links[] = {"",
                                         "",
                                         "",
                                         ",latency=2 ns",
                                         ",latency=40 ns",
                                         ",latency=3 ns,host_latency=50 ns",
                                         ",link_rate=25 Gb/s",
                                         ",host_rate=40 Gb/s",
                                         ",link_rate=400 Gb/s,host_rate=200 Gb/s",
                                         ",latency=171 ns,link_rate=33 Gb/s"};

/* Routings of undamaged trees that choose; the first ones take restrictions. */
static const char *const tree_routings[] = {
    "adaptive_tree",    "adaptive_tree",     "adaptive_tree", "adaptive_tree", "adaptive_tree",
    "adaptive_tree",    "adaptive_tree",     "adaptive_tree", "adaptive_tree", "adaptive_tree",
    "ir:mode=adaptive", "fir:mode=adaptive", "dmodk",         "dmodk",         "dmodk"};
static const char *const filters[] = {"", ",filter=destination", ",filter=port"};
static const char *const restrictions[] = {"",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           ",stages=1",
                                           ",stages=2",
                                           ",triggering=none",
                                           ",triggering=th,low=30%",
                                           ",triggering=2th,low=20%,high=60%"};

static const char *const tree_vcs[] = {NULL, NULL, "dbbm", "dbbm", "dbbm", "1q", "flow2sl"};

static const char *const tree_selections[] = {"first_free",
                                              "first_free",
                                              "first_free",
                                              "first_free:skip_busy=true",
                                              "most_credits",
                                              "most_credits",
                                              "most_credits:tie=lowest",
                                              "most_credits:skip_busy=true",
                                              "least_queued",
                                              "least_queued:tie=lowest",
                                              "first_free:skip_busy=false"};

static const char *const tree_patterns[] = {"uniform",
                                            "uniform",
                                            "permutation",
                                            "shift:by=1",
                                            "shift:by=3",
                                            "hotspot:nodes=0,fraction=30%",
                                            "complement",
                                            "tornado",
                                            "hotspot:nodes=1,fraction=90%",
                                            "alltoall",
                                            "mix:60%*uniform+40%*in=hotspot:nodes=1"};

static const char *const tree_settings[] = {
    "switch.buffer=4 KiB",
    "switch.buffer=8 KiB",
    "switch.buffer=9000 B",
    "switch.buffer=64 KiB",
    "switch.iterations=1",
    "switch.iterations=2",
    "switch.iterations=4",
    "switch.switching=saf",
    "switch.routing_delay=13 ns",
    "switch.routing_delay=100 ns",
    "switch.traversal_delay=7 ns",
    "adapter.packet=64 B",
    "adapter.packet=512 B",
    "adapter.packet=1500 B",
    "adapter.packet=1 KiB",
    "adapter.injection=poisson",
    "adapter.injection=bernoulli",
    BURSTS,
    "adapter.interleave=fifo",
    "adapter.queues=one",
    "adapter.queues=destination",
    "adapter.buffer=8 KiB",
    SIZES,
    "adapter.message=3 KiB",
    "adapter.message=8 KiB",
    "adapter.message=20 KiB",
    "adapter.message=32 KiB",
    "adapter.active=1",
    "adapter.active=3",
    "measure.series=2 us",
    "measure.series=700 ns",
    "measure.warmup=1 us",
    "adapter.in_order=true",
    "adapter.in_order=true;reorder_buffer=8 KiB;control_delay=ideal"};

static const double tree_loads[] = {0.3, 0.6, 0.8, 0.9, 1.0, 1.0};

/* ---- any fabric, minimal or through an intermediate */

static const char *const direct_fabrics[] = {
    "slimfly:q=5,p=1",
    "oft:k=3",
    "oft:k=2",
    "mlfm:h=3",
    "mlfm:h=2",
    "hyperx:dims=3:3,p=2",
    "torus:dims=3:4,p=2",
    "ring:n=5,p=3",
    "hypercube:n=3,p=2",
    "dragonfly:h=1",
    "dragonfly:a=3,h=1,p=2,g=4",
    "dragonflyplus:h=2",
    "polarfly:q=3,p=1",
    "fullmesh:n=5,p=3",
    "jellyfish:N=10,d=3,p=2,seed=3",
    "karytree:k=3,n=2",
    "karytree:k=2,n=3",
    "oft:k=3,latency=2 ns",
    "mlfm:h=3,latency=40 ns",
    "slimfly:q=5,p=1,link_rate=400 Gb/s",
    "hyperx:dims=3:3,p=2,link_rate=25 Gb/s",
    "hyperx:dims=3:3,p=2,link_rate=400 Gb/s,host_rate=200 Gb/s",
    "torus:dims=3:3,p=2,fail=10%,fail_seed=2"};
static const char *const direct_routings[] = {"valiant",
                                              "valiant",
                                              "valiant",
                                              "valiant:intermediate=all",
                                              "valiant:paths=one",
                                              "minimal",
                                              "minimal",
                                              "minimal:paths=one",
                                              "ugal_l",
                                              "ugal_l",
                                              "ugal_l:first=any",
                                              "ugal_l:tie=lowest",
                                              "ugal_l:occupancy=vc",
                                              "ugal_l:t=20%"};
static const char *const direct_vcs[] = {NULL,       NULL,   "hopclass", "hopclass", "phase",
                                         "dateline", "dbbm", "any",      "1q"};
static const char *const direct_selections[] = {NULL,         NULL,     NULL,
                                                "first_free", "random", "most_credits"};
static const char *const direct_settings[] = {
    "switch.queues=fifo",          "switch.queues=voqsw",         "switch.buffer=16 KiB",
    "switch.buffer=24 KiB",        "switch.buffer=64 KiB",        "switch.iterations=1",
    "switch.iterations=2",         "switch.switching=saf",        "switch.routing_delay=13 ns",
    "switch.routing_delay=100 ns", "switch.traversal_delay=7 ns", "adapter.packet=64 B",
    "adapter.packet=512 B",        "adapter.packet=1500 B",       "adapter.packet=1 KiB",
    "adapter.injection=poisson",   "adapter.injection=bernoulli", "adapter.message=16 KiB",
    "adapter.queues=one",          "adapter.queues=destination",  "adapter.buffer=32 KiB",
    "measure.series=2 us",         "measure.warmup=1 us",         "adapter.in_order=true",
    "adapter.in_order=true"};

/* ---- rings */

static const char *const ring_fabrics[] = {"ring:n=5,p=3",       "ring:n=4,p=1",
                                           "ring:n=7,p=2",       "torus:dims=4:4,p=1",
                                           "torus:dims=5:2,p=2", "ring:n=6,p=2,latency=1 ns"};
static const char *const ring_vcs[] = {NULL, NULL, "1q", "dbbm", "dateline", "hopclass", "any"};
static const char *const ring_settings[] = {"switch.buffer=4 KiB",
                                            "switch.buffer=8 KiB",
                                            "switch.queues=fifo",
                                            "switch.queues=voqsw",
                                            "switch.model=ioq",
                                            "adapter.packet=512 B",
                                            "adapter.packet=1500 B",
                                            "measure.series=1 us",
                                            "switch.switching=saf",
                                            "adapter.in_order=true",
                                            "adapter.in_order=true;reorder_buffer=8 KiB",
                                            "adapter.reply=2 KiB",
                                            "adapter.reply=64 B;max_outstanding=9"};
static const char *const ring_patterns[] = {"uniform", "shift:by=2", "shift:by=5", "tornado"};

/* ---- drawing */

#define COUNT(a)       (sizeof(a) / sizeof *(a))
#define DRAW(d, texts) (texts)[roll(d, COUNT(texts))]

typedef struct random_case {
    bool ends; /* the pattern is a workload */
    unsigned number;
    char fabric[160], routing[96];
    const char *vc, *selection, *pattern;
    const char *setting[MOST_SETTINGS]; /* NULL: taken out */
    unsigned num_vcs;
    double load;
} random_case;

typedef struct dice {
    uint64_t number, draws;
} dice;

static uint32_t roll(dice *d, size_t n)
{
    return ik_random_below(7, IK_RNG_ANALYSIS, d->number, d->draws++, (uint32_t)n);
}

static const char *draw_routing(dice *d)
{
    size_t num = 0;
    while (ik_routings()[num])
        num++;
    return ik_routings()[roll(d, num)]->name;
}

/* NULL as often as one of them. */
static const char *draw_selection(dice *d)
{
    size_t num = 0;
    while (ik_selections()[num])
        num++;
    uint32_t k = roll(d, 2 * num);
    return k < num ? ik_selections()[k]->name : NULL;
}

static bool same_key(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return strncmp(a, b, length + 1) == 0;
}

/* The k-th setting; none of those before says the same. */
static void set(random_case *c, uint32_t k, const char *setting)
{
    c->setting[k] = setting;
    for (uint32_t other = 0; other < k; other++)
        if (c->setting[other] && same_key(setting, c->setting[other]))
            c->setting[other] = NULL;
}

static void draw_settings(dice *d, const char *const *from, size_t num_from, random_case *c)
{
    uint32_t num = roll(d, MOST_SETTINGS + 1);
    for (uint32_t k = 0; k < num; k++)
        set(c, k, from[roll(d, num_from)]);
}

/* Buffers of a few packets and one VC, whatever the routing needs: most such cases deadlock. */
static void make_blocking(random_case *c)
{
    c->vc = "any";
    c->num_vcs = 1;
    c->load = 1;
    set(c, MOST_SETTINGS - 2, "adapter.packet=100 B");
    set(c, MOST_SETTINGS - 1, "switch.buffer=450 B");
}

static void draw_any(dice *d, random_case *c)
{
    static const unsigned numbers[] = {0, 0, 1, 2, 3, 4, 6};
    snprintf(c->fabric, sizeof c->fabric, "%s", DRAW(d, fabrics));
    snprintf(c->routing, sizeof c->routing, "%s", draw_routing(d));
    c->vc = DRAW(d, vcs);
    c->selection = draw_selection(d);
    c->pattern = DRAW(d, patterns);
    c->load = DRAW(d, loads);
    c->num_vcs = DRAW(d, numbers);
    draw_settings(d, settings, COUNT(settings), c);
}

/* Two or three levels of odd numbers of children, parents and parallel cables. */
static void draw_tree(dice *d, char *text, size_t size)
{
    uint32_t levels = 2 + roll(d, 2), hosts = 1, m[3] = {1, 1, 1}, w[3] = {1, 1, 1},
             p[3] = {1, 1, 1};
    for (uint32_t l = 0; l < levels; l++) {
        m[l] = 1 + roll(d, 6);
        m[l] = hosts * m[l] > MOST_HOSTS ? 1 : m[l];
        hosts *= m[l];
        w[l] = l ? 1 + roll(d, 5) : 1;
        p[l] = l && roll(d, 3) == 0 ? 1 + roll(d, 3) : 1;
    }
    const char *links = DRAW(d, tree_links);
    int used = levels == 2 ? snprintf(text, size, "pgft:m=%u:%u,w=1:%u,p=1:%u%s", m[0], m[1], w[1],
                                      p[1], links)
                           : snprintf(text, size, "pgft:m=%u:%u:%u,w=1:%u:%u,p=1:%u:%u%s", m[0],
                                      m[1], m[2], w[1], w[2], p[1], p[2], links);
    if (hosts > 4 && roll(d, 6) == 0)
        snprintf(text + used, size - (size_t)used, ",hosts=%u", hosts - 1 - roll(d, hosts / 2));
    else if (roll(d, 10) == 0)
        snprintf(text + used, size - (size_t)used, ",fail=10%%,fail_seed=%u", roll(d, 8));
}

static void draw_tree_routing(dice *d, bool damaged, random_case *c)
{
    uint32_t kind = roll(d, COUNT(tree_routings)), delta = 1 + roll(d, 4);
    if (damaged || strcmp(tree_routings[kind], "adaptive_tree") != 0) {
        snprintf(c->routing, sizeof c->routing, "%s",
                 damaged ? draw_routing(d) : tree_routings[kind]);
        return;
    }
    snprintf(c->routing, sizeof c->routing, "adaptive_tree:delta=%u%s%s", delta,
             delta > 1 ? DRAW(d, filters) : "", DRAW(d, restrictions));
}

static void draw_on_tree(dice *d, random_case *c)
{
    static const unsigned numbers[] = {2, 3, 4, 4};
    draw_tree(d, c->fabric, sizeof c->fabric);
    draw_tree_routing(d, strstr(c->fabric, "fail") != NULL, c);
    c->vc = DRAW(d, tree_vcs);
    c->num_vcs = c->vc && strcmp(c->vc, "1q") != 0 ? DRAW(d, numbers) : 0;
    c->selection = roll(d, 10) ? DRAW(d, tree_selections) : draw_selection(d);
    if (strcmp(c->routing, "dmodk") == 0) /* nothing to select from */
        c->selection = NULL;
    c->pattern = DRAW(d, tree_patterns);
    c->load = DRAW(d, tree_loads);
    draw_settings(d, tree_settings, COUNT(tree_settings), c);
}

static void draw_on_direct(dice *d, random_case *c)
{
    static const unsigned numbers[] = {0, 0, 0, 4, 6};
    snprintf(c->fabric, sizeof c->fabric, "%s", DRAW(d, direct_fabrics));
    snprintf(c->routing, sizeof c->routing, "%s", DRAW(d, direct_routings));
    c->vc = DRAW(d, direct_vcs);
    c->num_vcs = DRAW(d, numbers);
    c->selection = strstr(c->routing, "valiant") || strstr(c->routing, "one")
                       ? NULL
                       : DRAW(d, direct_selections);
    c->pattern = DRAW(d, tree_patterns);
    c->load = DRAW(d, tree_loads);
    draw_settings(d, direct_settings, COUNT(direct_settings), c);
    if (roll(d, 3) == 0)
        make_blocking(c);
}

static void draw_on_ring(dice *d, random_case *c)
{
    static const char *const routings[] = {"shortest", "minimal", "minimal", "valiant"};
    static const unsigned numbers[] = {0, 1, 2, 3};
    snprintf(c->fabric, sizeof c->fabric, "%s", DRAW(d, ring_fabrics));
    snprintf(c->routing, sizeof c->routing, "%s", DRAW(d, routings));
    c->vc = DRAW(d, ring_vcs);
    c->num_vcs = DRAW(d, numbers);
    c->selection = draw_selection(d);
    c->pattern = DRAW(d, ring_patterns);
    c->load = 1;
    draw_settings(d, ring_settings, COUNT(ring_settings), c);
}

static bool is_on_tree(const random_case *c)
{
    return c->number % 8 < 4;
}

static inline random_case draw_case(unsigned number)
{
    dice d = {number, 0};
    random_case c = {.number = number};
    if (is_on_tree(&c))
        draw_on_tree(&d, &c);
    else if (number % 8 < 6)
        draw_on_direct(&d, &c);
    else if (number % 8 == 6)
        draw_on_ring(&d, &c);
    else
        draw_any(&d, &c);
    return c;
}

#endif
