/* SPDX-License-Identifier: Apache-2.0
 *
 * test_subnet_check.c: the checker of verdicts on tables accepts the order of an acyclic graph, and
 * rejects it with two channels exchanged that some packets cross one after the other; of a cycle it
 * rejects what its packets do not make.
 */
#include "subnet/judge/judge.h"
#include "unit/subnet_model.h"

typedef struct judged {
    ik_fabric *f;
    ik_routing *r;
    ik_lids lids;
    ik_lid_tables t;
    judge j;
} judged;

/* What is in it points at it. */
static void judge_of(const char *fabric, const char *routing, judged *x)
{
    ik_error err;
    x->f = fabric_of(fabric);
    x->r = routing_on(x->f, routing);
    assert_int_equal(ik_lids_make(x->f, &x->lids, &err), IK_OK);
    assert_int_equal(ik_lid_tables_of(x->r, &x->lids, &made_env, &x->t, &err), IK_OK);
    assert_int_equal(judge_init(&x->j, &x->t, NULL, NULL, &(ik_subnet_config){0}, &made_env, &err),
                     IK_OK);
}

static void forget(judged *x)
{
    judge_free(&x->j);
    ik_lid_tables_free(&x->t);
    ik_lids_free(&x->lids);
    ik_routing_free(x->r);
    ik_fabric_free(x->f);
}

/* Adds the dependencies of all hosts' packets, found hop by hop; returns the vertices of one. */
static void follow_all(judged *x, uint32_t *held, uint32_t *next)
{
    const lane_graph *g = &x->j.graph;
    ik_error err;
    for (uint32_t src = 0; src < x->lids.num; src++) {
        for (uint32_t dst = 0; dst < x->lids.num; dst++) {
            ik_subnet_way way;
            if (src == dst || x->lids.of[src].port == IK_NONE || x->lids.of[dst].port == IK_NONE)
                continue;
            assert_int_equal(ik_subnet_walk(&x->t, NULL, src, dst, 0, &way, &err), IK_OK);
            for (size_t k = 1; k + 2 < way.num; k++) {
                lane_graph_add(&x->j.graph, way.hops[k].channel, 0,
                               x->f->port_node[way.hops[k + 1].channel], way.hops[k + 1].channel,
                               0);
                *held = g->channel_of[way.hops[k].channel];
                *next = g->channel_of[way.hops[k + 1].channel];
            }
            free(way.hops);
        }
    }
}

static void orders(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"karytree:k=2,n=3", "dmodk"},
                                           {"torus:dims=4:4", "updown"},
                                           {"xgft:m=3:4,w=2:2", "dmodc"},
                                           {"jellyfish:N=12,d=3", "updown"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        judged x;
        uint32_t held = 0, next = 0;
        bool acyclic;
        ik_error err;
        judge_of(cases[i][0], cases[i][1], &x);
        uint32_t *order = calloc(x.j.graph.num_channels, sizeof *order);
        follow_all(&x, &held, &next);
        assert_int_equal(lane_graph_sort(&x.j.graph, order, &acyclic, &err), IK_OK);
        assert_true(acyclic);
        assert_int_equal(judge_check_order(&x.j, order, false, &err), IK_OK);
        uint32_t kept = order[held];
        order[held] = order[next];
        order[next] = kept;
        assert_int_equal(judge_check_order(&x.j, order, false, &err), IK_ERR_INTERNAL);
        free(order);
        forget(&x);
    }
}

static void loops(void **state)
{
    (void)state;
    judged x;
    ik_subnet_verdict v;
    ik_error err;
    judge_of("ring:n=7,p=2", "shortest", &x);
    assert_int_equal(ik_subnet_judge(&x.t, NULL, NULL, NULL, &made_env, &v, &err), IK_OK);
    assert_int_equal(v.loop_length, 7);
    assert_int_equal(judge_check_loop(&x.j, v.loop, v.loop_length, &err), IK_OK);
    for (size_t i = 0; i < v.loop_length; i++) {
        ik_subnet_loop kept = v.loop[i];
        v.loop[i].channel = v.loop[(i + 2) % v.loop_length].channel;
        assert_int_equal(judge_check_loop(&x.j, v.loop, v.loop_length, &err), IK_ERR_INTERNAL);
        v.loop[i] = kept;
        v.loop[i].dst = kept.src;
        assert_int_equal(judge_check_loop(&x.j, v.loop, v.loop_length, &err), IK_ERR_INTERNAL);
        v.loop[i] = kept;
    }
    ik_subnet_verdict_free(&v);
    forget(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
        cmocka_unit_test(loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
