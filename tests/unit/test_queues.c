/* SPDX-License-Identifier: Apache-2.0
 *
 * test_queues.c: what queues (VCs of channels) carry, and for how many destinations, under every
 * routing with every VC scheme on every kind of fabric, against packets followed one by one.
 */
#include "ikat/analysis.h"
#include "ikat/vc.h"
#include "ikat/verify.h"
#include "unit/made.h"
#include "unit/part.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------
 * packets one by one */

enum { LONGEST = 24, MOST_STEPS = 200000 };

typedef struct slow {
    const ik_plan *plan;
    double *load, *crossing;
    bool *reached; /* [queues][hosts] */
    uint32_t num_hosts, goal;
    uint64_t flows;
    double delivered, pairs; /* flows between ports that make one between hosts */
    size_t path[LONGEST];
    uint32_t steps; /* of all ways; too many of them are not compared */
} slow;

static void book(slow *s, uint32_t length, double amount, double part)
{
    for (uint32_t i = 0; i < length; i++) {
        s->load[s->path[i]] += amount;
        s->crossing[s->path[i]] += part;
        s->reached[s->path[i] * s->num_hosts + s->goal] = true;
    }
    s->delivered += part;
}

/* From the queue at the end of the path: every port, and every VC of it, each an even part. */
static void follow(slow *s, ik_packet pk, uint32_t length, double amount, double part)
{
    const ik_fabric *f = s->plan->fabric;
    unsigned vcs = s->plan->num_vcs;
    uint32_t in = f->port_peer[s->path[length - 1] / vcs],
             node = in == IK_NONE ? IK_NONE : f->port_node[in], preferred = 0;
    if (node == IK_NONE || !ik_is_switch(f, node)) {
        if (node == ik_host_node(f, pk.dst))
            book(s, length, amount, part);
        return;
    }
    if (length == LONGEST || s->steps++ > MOST_STEPS) {
        s->steps = MOST_STEPS + 1;
        return;
    }
    ik_choice out[64];
    uint32_t n = ik_plan_next(s->plan, node, in, &pk, out, &preferred);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lanes = out[i].vc_last - out[i].vc_first + 1u;
        for (unsigned vc = out[i].vc_first; vc <= out[i].vc_last; vc++) {
            ik_packet then = pk;
            ik_plan_advance(s->plan, out[i].port, vc, &then);
            s->path[length] = (size_t)out[i].port * vcs + vc;
            follow(s, then, length + 1, amount / n / lanes, part / n / lanes);
        }
    }
}

static void follow_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    slow *s = ctx;
    if (src == dst)
        return;
    uint32_t rails = ik_rails_count(s->plan->routing, src, dst), from, to;
    s->goal = dst;
    s->flows++;
    for (uint32_t k = 0; k < rails; k++) {
        ik_rails_nth(s->plan->routing, src, dst, k, &from, &to);
        const ik_fabric *f = s->plan->fabric;
        if (ik_host_port(f, from) == IK_NONE || ik_host_port(f, to) == IK_NONE)
            continue;
        uint32_t starts = ik_plan_num_starts(s->plan, from, to);
        for (uint32_t n = 0; n < starts; n++) {
            ik_packet pk;
            ik_plan_start_nth(s->plan, from, to, n, &pk);
            s->path[0] = (size_t)ik_host_port(f, from) * s->plan->num_vcs + pk.vc;
            follow(s, pk, 1, (double)weight / (double)scale / rails / starts, 1.0 / rails / starts);
        }
    }
}

/* ------------------------------------------------------------------------------------------
 * comparing */

static void differs(const slow *s, const ik_traffic *t, const char *what, size_t queue,
                    double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
        fail_msg("%s, %s, %s, traffic %s: %s of queue %zu is %.12g, one by one %.12g",
                 s->plan->fabric->spec, s->plan->routing->spec, s->plan->vc->spec, t->spec, what,
                 queue, value, expected);
}

static void compare_queues(const slow *s, const ik_traffic *t, const ik_queues *q)
{
    for (size_t k = 0; k < (size_t)q->num_ports * q->num_vcs; k++) {
        uint32_t reached = 0;
        for (uint32_t host = 0; host < s->num_hosts; host++)
            reached += s->reached[k * s->num_hosts + host];
        differs(s, t, "load", k, q->load[k], s->load[k]);
        differs(s, t, "flows", k, q->crossing[k], s->crossing[k]);
        differs(s, t, "destinations", k, q->destinations[k], reached);
    }
}

/* One channel's VCs together carry what loads count; who they can be for is what proofs count. */
static void compare_channels(const slow *s, const ik_traffic *t, const ik_queues *q)
{
    ik_load l;
    uint32_t *destinations = NULL;
    const ik_fabric *f = s->plan->fabric;
    assert_int_equal(ik_load_measure(s->plan->routing, t, &made_env, &l, NULL), IK_OK);
    for (uint32_t p = 0; p < f->num_ports; p++) {
        double load = 0, flows = 0;
        for (unsigned vc = 0; vc < q->num_vcs; vc++) {
            load += q->load[(size_t)p * q->num_vcs + vc];
            flows += q->crossing[(size_t)p * q->num_vcs + vc];
        }
        differs(s, t, "a channel's load", p, load, l.load[p]);
        differs(s, t, "a channel's flows", p, flows, l.crossing[p]);
    }
    assert_int_equal(q->undelivered, l.undelivered);
    ik_load_free(&l);
    if (q->num_vcs == 1 && !f->split && strcmp(t->spec, "uniform") == 0) {
        assert_int_equal(ik_destinations_count(s->plan, &made_env, &destinations, NULL), IK_OK);
        for (uint32_t p = 0; p < f->num_ports; p++)
            differs(s, t, "a channel's destinations", p, q->destinations[p], destinations[p]);
        free(destinations);
    }
}

static bool as_many_pairs(const ik_routing *r, uint32_t num_hosts)
{
    for (uint32_t src = 0; src < num_hosts; src++)
        for (uint32_t dst = 0; dst < num_hosts; dst++)
            if (src != dst && ik_rails_count(r, src, dst) != ik_rails_count(r, 0, 1))
                return false;
    return true;
}

static unsigned compare(const ik_plan *plan, const ik_traffic *t)
{
    size_t queues = (size_t)plan->fabric->num_ports * plan->num_vcs + 1;
    slow s = {.plan = plan, .num_hosts = t->num_hosts};
    if (!as_many_pairs(plan->routing, t->num_hosts))
        return 0; /* what a flow is then is another question (test_loads) */
    s.load = calloc(queues, sizeof *s.load);
    s.crossing = calloc(queues, sizeof *s.crossing);
    s.reached = calloc(queues * t->num_hosts + 1, sizeof *s.reached);
    for (uint32_t src = 0; src < t->num_hosts; src++)
        t->family->flows(t, src, follow_flow, &s);
    for (unsigned threads = threads_only() ? 3 : 1; threads <= 3 && s.steps <= MOST_STEPS;
         threads += 2) {
        ik_env env = {.num_threads = threads};
        ik_queues q;
        assert_int_equal(ik_queues_measure(plan, t, &env, &q, NULL), IK_OK);
        assert_int_equal(q.flows, s.flows);
        assert_int_equal(q.undelivered, s.flows - (uint64_t)llround(s.delivered));
        compare_queues(&s, t, &q);
        compare_channels(&s, t, &q);
        ik_queues_free(&q);
    }
    free(s.load);
    free(s.crossing);
    free(s.reached);
    return s.steps <= MOST_STEPS;
}

static const char *const patterns[] = {"uniform", "shift:by=3",
                                       "hotspot:fraction=30%,share=messages", NULL};

/* Returns how many patterns were compared: none if the scheme does not go with the routing or the
 * fabric. */
static unsigned compare_patterns(const ik_fabric *f, const char *routing, const char *vc,
                                 unsigned num_vcs)
{
    ik_env env = {.seed = 5};
    ik_plan *plan = NULL;
    static unsigned number;
    unsigned compared = 0;
    if (number++ % as_many(1, 3, 37) != 0) /* prime to the numbers of schemes and routings */
        return 0;
    if (ik_plan_from_specs(f, routing, vc, NULL, num_vcs, &env, &plan, NULL) != IK_OK)
        return 0;
    for (const char *const *p = patterns; *p; p++) {
        ik_traffic *t = NULL;
        if (ik_traffic_from_spec(f, *p, &env, &t, NULL) == IK_OK)
            compared += compare(plan, t);
        ik_traffic_free(t);
    }
    ik_plan_free(plan);
    return compared;
}

static void all_schemes(const ik_fabric *f, const char *routing, unsigned *compared)
{
    for (const ik_vc_family *const *vc = ik_vcs(); *vc; vc++) {
        *compared += compare_patterns(f, routing, (*vc)->name, 0);
        *compared += compare_patterns(f, routing, (*vc)->name, 5);
    }
    *compared += compare_patterns(f, routing, "escape:routing=dor", 3);
    *compared += compare_patterns(f, routing, "any:first=1,last=2", 3);
}

/* Fabrics of all kinds; hosts without a cable, uneven numbers of hosts, parallel cables, two ports
 * of a host, and damage among them. */
static const char *const fabrics[] = {
    "karytree:k=2,n=3",
    "xgft:m=3:2:2,w=1:2:3",
    "pgft:m=3:3,w=1:2,p=1:2",
    "xgft:m=2:3,w=2:2",
    "slimfly:q=3",
    "mlfm:h=2",
    "torus:dims=3:3,hosts=7",
    "mesh:dims=3:2",
    "hyperx:dims=3:2",
    "dragonfly:p=1,a=4,h=1",
    "dragonflyplus:h=2,g=3,p=1",
    "fullmesh:n=4,hosts=7",
    "jellyfish:N=12,d=3,fail=30%",
    "karytree:k=2,n=3,fail=20%",
    NULL,
};

static void test_all_schemes(void **state)
{
    static const char *const variants[] = {"minimal:paths=one", "valiant:paths=one",
                                           "colored:traffic=shift:by=3", NULL};
    unsigned compared = 0;
    (void)state;
    for (const char *const *spec = fabrics; *spec; spec++) {
        ik_fabric *f = fabric_of(*spec);
        for (const ik_routing_family *const *r = ik_routings(); *r; r++)
            all_schemes(f, (*r)->name, &compared);
        for (const char *const *r = variants; *r; r++)
            all_schemes(f, *r, &compared);
        ik_fabric_free(f);
    }
    print_message("%u patterns, plans and fabrics compared\n", compared);
    assert_true(compared > as_many(2000, 2000, 150));
}

/* ------------------------------------------------------------------------------------------
 * closed forms */

/* A leaf switch with one way up: its queue holds the 12 hosts of the other three, all together, by
 * number, or one switch each. */
static void test_queues_of_a_tree(void **state)
{
    static const struct {
        const char *vc;
        unsigned vcs;
        uint32_t most;
    } rows[] = {{"1q", 1, 12}, {"dbbm", 4, 3}, {"dbbm", 3, 5}, {"vftree", 4, 4}, {"flow2sl", 2, 8}};
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:1");
    ik_traffic *t = traffic_of(f, "uniform");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_plan *plan = plan_of(f, "dmodk", rows[i].vc, rows[i].vcs);
        ik_queues q;
        uint32_t most = 0;
        assert_int_equal(ik_queues_measure(plan, t, &made_env, &q, NULL), IK_OK);
        for (uint32_t p = 0; p < f->num_ports; p++) {
            uint32_t to = ik_peer_node(f, p), from = f->port_node[p];
            bool up = ik_is_switch(f, from) && ik_is_switch(f, to) &&
                      f->switch_level[to] > f->switch_level[from];
            for (unsigned vc = 0; vc < q.num_vcs && up; vc++) {
                uint32_t n = q.destinations[(size_t)p * q.num_vcs + vc];
                most = n > most ? n : most;
            }
        }
        assert_int_equal(most, rows[i].most);
        ik_queues_free(&q);
        ik_plan_free(plan);
    }
    ik_traffic_free(t);
    ik_fabric_free(f);
}

static void test_too_little_memory(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=2");
    ik_plan *plan = plan_of(f, "dmodk", "dbbm", 4);
    ik_traffic *t = traffic_of(f, "uniform");
    ik_env env = {.memory_limit_bytes = 1000};
    ik_error err = {0};
    ik_queues q;
    assert_int_equal(ik_queues_measure(plan, t, &env, &q, &err), IK_ERR_MEMORY);
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_schemes),
        cmocka_unit_test(test_queues_of_a_tree),
        cmocka_unit_test(test_too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
