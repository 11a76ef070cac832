/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches of hundreds of ports: plans answer as routing and VC scheme do port by port, and do so
 * on threads with small stacks.
 */
#include "unit/made.h"

#include <pthread.h>

enum { STACK_BYTES = 96 * 1024 };

/* 2 x 2 leaf switches; 400 parallel cables lead up from each: every one is a choice. */
#define CABLES "pgft:m=2:2,w=1:2,p=1:200"

typedef struct question {
    const ik_plan *plan;
    uint32_t asked, most; /* questions answered; most choices of one */
} question;

/* What ik_plan_next() says of a packet at the first switch of src, from its parts. */
static void compare_next(question *q, uint32_t src, uint32_t dst)
{
    const ik_plan *plan = q->plan;
    const ik_fabric *f = plan->fabric;
    uint32_t in_port = f->port_peer[ik_host_port(f, src)], sw = f->port_node[in_port];
    uint32_t preferred = 0, expected = 0, *ports = calloc(plan->max_radix, sizeof *ports);
    ik_choice *choices = calloc(plan->max_radix, sizeof *choices);
    ik_packet pk, other;
    ik_plan_start_nth(plan, src, dst, 0, &pk);
    other = pk;
    uint32_t n = ik_plan_next(plan, sw, in_port, &pk, choices, &preferred);
    assert_int_equal(
        plan->routing->family->next(plan->routing, sw, in_port, &other, ports, &expected), n);
    assert_int_equal(preferred, expected);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t first = 0, last = 0;
        plan->vc->family->next(plan->vc, sw, in_port, ports[i], &other, &first, &last);
        assert_int_equal(choices[i].port, ports[i]);
        assert_int_equal(choices[i].vc_first, first);
        assert_int_equal(choices[i].vc_last, last);
    }
    q->asked++;
    q->most = n > q->most ? n : q->most;
    free(ports);
    free(choices);
}

static void *ask_all(void *ctx)
{
    question *q = ctx;
    uint32_t channels[16];
    for (uint32_t src = 0; src < q->plan->fabric->num_hosts; src++)
        for (uint32_t dst = 0; dst < q->plan->fabric->num_hosts; dst++) {
            if (src == dst)
                continue;
            compare_next(q, src, dst);
            assert_in_range(ik_plan_path(q->plan, src, dst, 0, channels, 16), 2, 4);
        }
    return NULL;
}

/* Asks on a thread whose stack a large frame would overflow. */
static void ask_on_small_stack(question *q)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attr, ask_all, q), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static void check(const char *spec, const char *routing, const char *vc, uint32_t most)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    assert_int_equal(ik_fabric_from_spec(spec, NULL, &f, &err), IK_OK);
    if (ik_plan_from_specs(f, routing, vc, NULL, 0, NULL, &plan, &err) != IK_OK)
        fail_msg("%s %s: %s", spec, routing, err.text);
    question q = {.plan = plan};
    ask_on_small_stack(&q);
    assert_int_equal(q.asked, f->num_hosts * (f->num_hosts - 1));
    assert_int_equal(q.most, most);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

static void test_choices(void **state)
{
    (void)state;
    check(CABLES, "adaptive_tree", "1q", 400);
    check(CABLES, "adaptive_tree", "any", 400);
    check(CABLES, "adaptive_tree", "hopclass", 400);
    check(CABLES, "minimal", "any", 400);
    check(CABLES, "dmodk_pgft", "1q", 1);
    check("pgft:m=2:2,w=1:1,p=1:128", "adaptive_tree", "any", 128);
}

/* Schemes that lay paths into layers ask routings that depend on the source hop by hop. */
static void test_layered_paths(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        check(CABLES, "smodk", ((const char *[]){"lash", "dfsssp", "lash_tor"})[k], 1);
        check("crossbar:n=30", "shortest", ((const char *[]){"lash", "dfsssp", "lash_tor"})[k], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_layered_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
