/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast kernel and the general one give the same deliveries at the same times; hot structures keep their size. */
#include "sim/sim_fast.h"
#include "sim_helper.h"

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(event), 16);
    assert_int_equal(sizeof(packet), 64);
    assert_int_equal(sizeof(port_state), 32);
    assert_int_equal(sizeof(queue), 8);
}

enum { MOST_CHECKED = 30 }; /* us: longer runs are compared, but not checked on the way */

typedef struct variant {
    const char *fabric, *vc, *sw;
    unsigned num_vcs;
    double load;
    unsigned duration_us; /* short where packets are: there are many */
} variant;

typedef enum kernel { GENERAL, FAST, PLAIN } kernel; /* plain: nobody asks for more than totals, so not checked while it runs */

static uint64_t run_kernel(const variant *v, kernel which, uint64_t *hops)
{
    ik_env env = {.seed = 3};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    sim s;
    assert_int_equal(ik_fabric_from_spec(v->fabric, &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, "dmodk", v->vc, NULL, v->num_vcs, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, "uniform", &env, &traffic, &err), IK_OK);
    char times[80];
    snprintf(times, sizeof times, "warmup=0 ns;duration=%u us;paranoid=%s", v->duration_us,
             which != PLAIN && v->duration_us <= MOST_CHECKED ? "true" : "false");
    const scenario c = {.sw = v->sw, .measure = times, .load = v->load};
    sections at;
    assert_int_equal(open_sections(&at, &c, &err), IK_OK);
    assert_int_equal(sim_setup_kernel(&s, plan, traffic, &at.config, &env, which != GENERAL, &err), IK_OK);
    assert_int_equal(s.fast, which != GENERAL); /* otherwise this compares nothing */
    if (which == PLAIN)
        assert_true(s.fast_state->plain || s.store_forward);
    if (which == FAST)
        s.fast_state->plain = false;
    sim_run_part(&s.parts[0]);
    if (s.parts[0].status != IK_OK)
        fail_msg("%s %s: %s", v->fabric, v->sw, s.parts[0].err.text);
    uint64_t sum = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++)
        sum = sum * 31 + s.hosts[host].hash;
    *hops = s.parts[0].n.hops;
    sim_free(&s);
    close_sections(&at);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return sum;
}

static void test_same(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"karytree:k=4,n=3", "1q", "voq=true", 1, 1, 30},
        {"karytree:k=4,n=3", "1q", "voq=false", 1, 1, 30},
        {"karytree:k=4,n=3", "1q", "voq=true;iterations=1;buffer=12 KiB", 1, 0.7, 30},
        {"karytree:k=4,n=3", "dbbm", "voq=true", 3, 1, 30},
        {"karytree:k=4,n=3", "dbbm", "voq=false;buffer=24 KiB;routing_delay=7 ns", 3, 1, 30},
        {"karytree:k=4,n=3", "1q", "switching=saf;traversal_delay=11 ns", 1, 0.8, 30},
        {"rlft:ports=12,levels=2", "1q", "voq=true", 1, 0.95, 30},
        {"karytree:k=16,n=2", "1q", "voq=true;iterations=1;buffer=192 KiB", 1, 1,
         80}, /* large switches: many pairs are left over */
        {"karytree:k=16,n=2", "dbbm", "voq=true;iterations=2;buffer=192 KiB", 3, 1, 100},
        {"karytree:k=16,n=2,link_rate=20 Tb/s", "dbbm", "voq=true;iterations=1;buffer=128 KiB", 3, 1, 2}, /* the same, many keys a window */
        {"karytree:k=16,n=2,link_rate=20 Tb/s", "1q", "voq=true;iterations=1;buffer=128 KiB", 1, 1, 2},
        {"karytree:k=2,n=11", "1q", "voq=true", 1, 0.2, 31}, /* many switches: more is fetched ahead */
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "1q", "voq=true;buffer=32 KiB", 1, 0.6, 2},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "voq=true;buffer=32 KiB", 4, 0.3, 2},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "voq=true;buffer=128 KiB", 4, 0.5, 2},
        {"karytree:k=4,n=3,link_rate=20 Tb/s", "dbbm", "voq=false;buffer=128 KiB;routing_delay=9 ns", 4, 1, 2},
    };
    for (size_t n = 0; n < sizeof variants / sizeof *variants; n++) {
        uint64_t hops[3], hash[3];
        for (kernel k = GENERAL; k <= PLAIN; k++)
            hash[k] = run_kernel(&variants[n], k, &hops[k]);
        for (kernel k = FAST; k <= PLAIN; k++)
            if (hash[k] != hash[GENERAL] || hops[k] != hops[GENERAL])
                fail_msg("%s %s %s: kernel %d differs from the general one (%llu and %llu hops)", variants[n].fabric,
                         variants[n].vc, variants[n].sw, k, (unsigned long long)hops[k], (unsigned long long)hops[GENERAL]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
