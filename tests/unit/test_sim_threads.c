/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that a run returns, hashed, is the same with 1, 2, 3 and 7 threads: every model, queue
 * organisation, number of VCs and way to choose among outputs. */
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"

static void compare(const ik_fabric *f, scenario c)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    static unsigned number;
    uint64_t first = 0;
    if (!in_part(number++, 2))
        return;
    const unsigned begin = threads_only(); /* not with one */
    for (unsigned k = begin; k < 4 - begin; k++) {
        ik_sim_result r = {0};
        ik_error err = {0};
        c.threads = threads[k];
        if (simulate_on(f, &c, &r, &err) != IK_OK)
            fail_msg("%s, %s, %s, %u VCs: %s", c.sw, c.routing, c.selection ? c.selection : "-",
                     c.num_vcs, err.text);
        assert_true(r.packets_delivered > 0);
        uint64_t value = hash_result(f, &r);
        if (k > begin && value != first)
            fail_msg("%s, %s, %s, %s, %u VCs: %u threads give another result than one", c.sw,
                     c.routing, c.vc, c.selection ? c.selection : "-", c.num_vcs, threads[k]);
        first = value;
        sim_result_clear(&r);
    }
}

static const char *const switches[] = {
    "model=iq;voq=false",
    "model=iq;voq=true",
    "model=iq;arbiter=round_robin",
    "model=iq;arbiter=oldest_first;voq=false",
    "model=iq;arbiter=random",
    "model=iq;switching=saf;routing_delay=5 ns",
    "model=ioq;speedup=2",
    "model=ioq;voq=false;speedup=1.5",
    "queues=damq;buffer=40 kB;queue_max=24 kB",
    "model=ioq;queues=damq;output_sharing=shared;buffer=24 kB;output_buffer=20 kB",
    "queues=voqnet;buffer=320 kB",
    "model=ideal",
    "model=pipelined;flit=125 B",
};
enum { NUM_SWITCHES = sizeof switches / sizeof *switches };

static scenario base_of(unsigned sw)
{
    return (scenario){.sw = switches[sw],
                      .traffic = "uniform",
                      .load = 0.95,
                      .adapter = "packet=1 kB;injection=poisson",
                      .measure = "warmup=1 us;duration=3 us;series=500 ns"};
}

static void test_models_and_vcs(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++)
        for (unsigned vcs = 1; vcs <= 3; vcs++) {
            scenario c = base_of(sw);
            c.routing = "dmodk";
            c.num_vcs = vcs;
            c.vc = vcs == 1 ? "1q" : vcs == 2 ? "any" : "dbbm";
            compare(f, c);
        }
    ik_fabric_free(f);
}

static void test_selections(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++)
        for (const ik_selection_family *const *s = ik_selections(); *s; s++) {
            scenario c = base_of(sw);
            c.routing = "adaptive_tree";
            c.selection = (*s)->name;
            c.vc = "1q";
            c.measure = "warmup=1 us;duration=2 us;series=500 ns";
            compare(f, c);
        }
    ik_fabric_free(f);
}

/* Trees of congestion, victims and classes: two hot hosts, buffers for a few packets. */
static void test_congestion(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=3,n=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        char text[100];
        scenario c = base_of(sw);
        snprintf(text, sizeof text, "%s%s", switches[sw],
                 strstr(switches[sw], "buffer") ? "" : ";buffer=8 kB");
        c.sw = text;
        c.traffic = "hotspot:count=2,fraction=40%";
        c.measure = "warmup=1 us;duration=9 us;series=300 ns";
        for (unsigned vcs = 1; vcs <= 2; vcs++) {
            c.routing = "dmodk";
            c.vc = vcs == 1 ? "1q" : "any";
            c.num_vcs = vcs;
            compare(f, c);
            c.traffic =
                "mix:uniform+30%*incast=hotspot:nodes=4;fraction=50%;rest=silent+10%*shift:by=2";
        }
    }
    ik_fabric_free(f);
}

/* Routings that decide at the source, or draw there; multi-packet messages; a network that stops
 * dead. */
static void test_others(void **state)
{
    (void)state;
    static const char *const routings[] = {"valiant", "ugal_l", "minimal"};
    ik_fabric *f = NULL, *ring = NULL;
    assert_int_equal(ik_fabric_from_spec("fullmesh:n=6,p=2,latency=10 ns", NULL, &f, NULL), IK_OK);
    assert_int_equal(ik_fabric_from_spec("torus:dims=5,p=2,latency=10 ns", NULL, &ring, NULL),
                     IK_OK);
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        for (unsigned k = 0; k < 3; k++) {
            scenario c = base_of(sw);
            c.routing = routings[k];
            c.adapter = "packet=1 kB;message=3 kB;injection=poisson";
            compare(f, c);
            if (strstr(c.sw, "pipelined"))
                continue;
            c.adapter = k ? "packet=1 kB;message=2500 B;queues=one;injection_fraction=80 %"
                          : "packet=1 kB;message=2500 B;queues=destination;ejection_fraction=70 %";
            compare(f, c);
        }
        scenario c = base_of(sw);
        c.routing = "minimal";
        c.vc = "1q";
        c.num_vcs = 1;
        c.traffic = "shift:by=4";
        c.load = 1;
        c.measure = "warmup=0 ns;duration=30 us;watchdog=2 us";
        c.adapter = "packet=16 kB";
        compare(ring, c);
    }
    ik_fabric_free(ring);
    ik_fabric_free(f);
}

/* Links between switches that are longer than those to hosts: threads meet every so many windows
 * only. */
static void test_long_links(void **state)
{
    (void)state;
    ik_fabric *f = NULL, *ring = NULL;
    assert_int_equal(
        ik_fabric_from_spec("karytree:k=3,n=2,latency=230 ns,host_latency=10 ns", NULL, &f, NULL),
        IK_OK);
    assert_int_equal(ik_fabric_from_spec("torus:dims=5,p=2,latency=230 ns,host_latency=10 ns", NULL,
                                         &ring, NULL),
                     IK_OK);
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        scenario c = base_of(sw);
        c.routing = "dmodk";
        c.measure = "warmup=1 us;duration=6 us;series=123 ns;watchdog=500 ns";
        compare(f, c);
        c.routing = "minimal";
        c.vc = "1q";
        c.num_vcs = 1;
        c.traffic = "shift:by=4";
        c.load = 1;
        c.measure = "warmup=0 ns;duration=30 us;watchdog=777 ns;series=1 us";
        c.adapter = "packet=16 kB";
        compare(ring, c);
    }
    ik_fabric_free(ring);
    ik_fabric_free(f);
}

/* What a run says about its threads. */
static void test_sharing(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    assert_int_equal(
        ik_fabric_from_spec("karytree:k=4,n=2,latency=200 ns,host_latency=10 ns", NULL, &f, NULL),
        IK_OK);
    for (unsigned threads = 1; threads <= 2; threads++) {
        scenario c = base_of(1);
        ik_sim_result r = {0};
        c.routing = "dmodk";
        c.vc = "1q";
        c.num_vcs = 1;
        c.threads = threads;
        c.measure = "warmup=0 ns;duration=20 us;watchdog=0 ns";
        assert_int_equal(simulate_on(f, &c, &r, NULL), IK_OK);
        const ik_sim_sharing *s = &r.sharing;
        assert_int_equal(s->threads, threads);
        assert_true(s->run_seconds > 0);
        if (threads == 1) {
            assert_true(s->crossings == 0 && s->steps == 0 && s->cut_channels == 0 &&
                        s->balance == 1 && s->step_balance == 1);
        } else {
            /* half of the cables between leaves and roots, both ways */
            assert_int_equal(s->cut_channels, 16);
            assert_true(s->steps > 50 && s->steps <= 102); /* 200 ns each; 10 ns were 2,000 */
            assert_true(s->crossings > r.packets_delivered / 2 &&
                        s->crossings < 4 * r.packets_delivered);
            assert_true(s->balance >= 1 && s->balance < 1.1 && s->step_balance >= s->balance &&
                        s->step_balance < 1.5);
        }
        sim_result_clear(&r);
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_and_vcs), cmocka_unit_test(test_selections),
        cmocka_unit_test(test_others),         cmocka_unit_test(test_congestion),
        cmocka_unit_test(test_long_links),     cmocka_unit_test(test_sharing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
