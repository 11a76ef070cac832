/* SPDX-License-Identifier: Apache-2.0
 *
 * How busy channels are: no channel is used for more than all of the measured time, also where the
 * time is short against a packet; a channel that is always busy is used all of it; what goes to the
 * hosts is what they take, but for the packets at the edges; whatever kernel and model counts.
 */
#include "sim_helper.h"
#include "unit/part.h"

enum { PACKET = 4096 };

static const struct {
    const char *name, *sw, *adapter, *measure;
} models[] = {
    {"iq", "", "packet=4 KiB;message=4 KiB", ""},
    {"iq, messages of several packets", "", "packet=4 KiB;message=12 KiB", ""},
    {"iq, fifos, checked", "queues=fifo", "packet=4 KiB;message=4 KiB", "paranoid=true"},
    {"iq, store-and-forward", "switching=saf", "packet=4 KiB;message=4 KiB", ""},
    {"iq, queues by destination", "queues=voqnet;buffer=1 MiB", "packet=4 KiB;message=4 KiB", ""},
    {"iq, series", "", "packet=4 KiB;message=4 KiB", "series=333 ns"},
    {"ioq", "model=ioq;speedup=2", "packet=4 KiB;message=4 KiB", ""},
    {"ideal", "model=ideal", "packet=4 KiB;message=4 KiB", ""},
    {"pipelined", "model=pipelined;flit=64 B;buffer=32 KiB", "packet=4 KiB;message=4 KiB", ""},
    {"pipelined, fast crossbar", "model=pipelined;flit=64 B;buffer=32 KiB;speedup=2",
     "packet=4 KiB;message=4 KiB", ""},
};
enum { NUM_MODELS = sizeof models / sizeof *models };

static const struct {
    const char *fabric, *routing, *traffic;
} cases[] = {
    {"crossbar:n=8,latency=50 ns", "minimal", "shift:by=1"},
    {"karytree:k=4,n=2,latency=50 ns", "dmodk", "uniform"},
    {"karytree:k=4,n=2,latency=50 ns", "dmodk", "hotspot:nodes=3,fraction=100%"},
    {"karytree:k=4,n=2,latency=50 ns,link_rate=40 Gb/s,host_rate=100 Gb/s", "updown",
     "uniform"}, /* links of two rates */
    {"mesh:dims=3:3,p=2,latency=50 ns", "dor", "tornado"},
};
enum { NUM_CASES = sizeof cases / sizeof *cases };

/* The most bytes that go over a channel: times of transmissions are rounded to picoseconds. */
static double most_bytes(const ik_fabric *f, uint32_t port, const ik_sim_result *r)
{
    double whole = (double)ik_port_rate_bps(f, port) * (double)r->window_ps / 8e12;
    return whole + whole / (double)ik_transmit_ps(64, ik_port_rate_bps(f, port)) + 1e-6;
}

static double check_channels(const ik_fabric *f, const ik_sim_result *r, const char *what)
{
    double to_hosts = 0;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer == IK_NONE)
            continue;
        if ((double)r->channel_bytes[port] > most_bytes(f, port, r))
            fail_msg("%s: channel %u carries %llu bytes, at most %.1f can go", what, port,
                     (unsigned long long)r->channel_bytes[port], most_bytes(f, port, r));
        to_hosts += ik_is_switch(f, peer) ? 0 : (double)r->channel_bytes[port];
    }
    return to_hosts;
}

static void check_hosts(const ik_fabric *f, const ik_sim_result *r, double to_hosts,
                        const char *what)
{
    double taken = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        taken += (double)r->host_bytes[host];
        if (r->host_sent_bytes[host] != r->channel_bytes[ik_host_port(f, host)])
            fail_msg("%s: host %u sent %llu bytes, its channel carried %llu", what, host,
                     (unsigned long long)r->host_sent_bytes[host],
                     (unsigned long long)r->channel_bytes[ik_host_port(f, host)]);
    }
    if (taken > to_hosts + f->num_hosts * PACKET || to_hosts > taken + f->num_hosts * PACKET)
        fail_msg("%s: %.0f bytes go to hosts, which take %.0f", what, to_hosts, taken);
}

static void run_case(const ik_fabric *f, unsigned k, unsigned m, double load, const char *times,
                     unsigned threads)
{
    char measure[128], what[256];
    snprintf(measure, sizeof measure, "%s;%s", times, models[m].measure);
    snprintf(what, sizeof what, "%s, %s, %s, load %g, %s", models[m].name, cases[k].fabric,
             cases[k].traffic, load, times);
    scenario c = {.routing = cases[k].routing,
                  .traffic = cases[k].traffic,
                  .sw = models[m].sw,
                  .adapter = models[m].adapter,
                  .measure = measure,
                  .load = load,
                  .threads = threads};
    ik_sim_result r = {0};
    ik_error err = {0};
    if (simulate_on(f, &c, &r, &err) != IK_OK)
        fail_msg("%s: %s", what, err.text);
    double to_hosts = check_channels(f, &r, what);
    check_hosts(f, &r, to_hosts, what);
    sim_result_clear(&r);
}

static void test_no_more_than_all_of_the_time(void **state)
{
    (void)state;
    static const char *const times[] = {
        "warmup=3 us;duration=777 ns", "warmup=3001 ns;duration=5 us",
        "warmup=0 ns;duration=2500 ns", "warmup=2 us;duration=100 ns"};
    static const double loads[] = {0.3, 0.9, 1};
    ik_env env = {.seed = 1};
    for (unsigned k = 0; k < NUM_CASES; k++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (ik_fabric_from_spec(cases[k].fabric, &env, &f, &err) != IK_OK)
            fail_msg("%s: %s", cases[k].fabric, err.text);
        for (unsigned m = 0; m < NUM_MODELS; m++)
            for (unsigned l = 0; l < sizeof loads / sizeof *loads; l++)
                for (unsigned t = 0; t < sizeof times / sizeof *times; t++)
                    run_case(f, k, m, loads[l], times[t], 1 + (t == 1));
        ik_fabric_free(f);
    }
}

/* A hot host's link is never idle (but for the cycles in which a pipelined router changes the
 * packet): all of the time is counted, to the byte, wherever packets begin. */
static void test_all_of_the_time(void **state)
{
    (void)state;
    for (unsigned m = 0; m < NUM_MODELS; m++)
        for (unsigned ns = 0; ns < 4; ns++) {
            char measure[128];
            snprintf(measure, sizeof measure, "warmup=%u ns;duration=%u ns;%s", 20000 + 77 * ns,
                     500 + 111 * ns, models[m].measure);
            ik_env env = {.seed = 1};
            ik_fabric *f = NULL;
            ik_error err = {0};
            assert_int_equal(ik_fabric_from_spec("crossbar:n=8,latency=50 ns", &env, &f, &err),
                             IK_OK);
            scenario c = {.routing = "minimal",
                          .traffic = "hotspot:nodes=3,fraction=100%",
                          .sw = models[m].sw,
                          .adapter = models[m].adapter,
                          .measure = measure,
                          .load = 1};
            ik_sim_result r = {0};
            if (simulate_on(f, &c, &r, &err) != IK_OK)
                fail_msg("%s: %s", models[m].name, err.text);
            uint32_t port = f->port_peer[ik_host_port(f, 3)];
            double most = most_bytes(f, port, &r), got = (double)r.channel_bytes[port];
            double least = strstr(models[m].sw, "pipelined") ? 0.95 * most : most - 4;
            if (got > most || got < least)
                fail_msg("%s, %s: %.0f of %.1f bytes", models[m].name, measure, got, most);
            sim_result_clear(&r);
            ik_fabric_free(f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_more_than_all_of_the_time),
                                       on_one_thread(test_all_of_the_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
