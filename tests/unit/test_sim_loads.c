/* SPDX-License-Identifier: Apache-2.0
 *
 * What is simulated at a low load is what the analysis predicts: for every routing on a fabric of
 * every family that it accepts, the packets that cross each channel are as many as its load says,
 * within five standard deviations.
 *
 * Deterministic and oblivious routings are compared as they are. Adaptive ones are predicted with
 * equal shares of what they allow, which the selection `random` gives them while hardly anything
 * waits; ugal_l goes minimally then, so it is compared with `minimal`. What follows queues at a
 * higher load is no matter of shares.
 *
 * Some pairs of routing and fabric are drawn, all are taken where the environment says
 * IKAT_TEST_ALL.
 */
#include "sim_helper.h"
#include "unit/part.h"

#include <math.h>

enum { PACKETS = 300, MOST_HOSTS = 130, PACKET = 64 }; /* packets that a host sends; bytes */

typedef struct probe {
    /* predicted: the routing whose loads are expected; NULL = the same */
    const char *fabric, *routing, *predicted;
    const char *vc, *sw, *pattern;
    unsigned num_vcs;
} probe;

static unsigned compared;

static void check_channels(const probe *p, const ik_fabric *f, const ik_load *l,
                           const ik_sim_result *r, double load)
{
    /* of a host: the sum of its cables', which a load is a part of; all hosts have as many here, or
     * none */
    double rate = 0;
    for (uint32_t h = 0; h < f->num_hosts && rate == 0; h++)
        for (uint32_t port = f->port_base[ik_host_node(f, h)];
             port < f->port_base[ik_host_node(f, h) + 1]; port++)
            rate += f->port_peer[port] != IK_NONE ? (double)ik_port_rate_bps(f, port) : 0;
    double sent = load * rate * (double)r->window_ps * 1e-12 / 8 / PACKET;
    for (uint32_t c = 0; c < f->num_ports; c++) {
        double expected = l->load[c] * sent, seen = (double)r->channel_bytes[c] / PACKET;
        if (fabs(seen - expected) > (expected > 0 ? 5 * sqrt(expected) + 3 : 0))
            fail_msg("%s on %s (%s), %s, %s: channel %u (node %u to %u) carried %.0f packets, "
                     "expected are %.1f",
                     p->routing, p->fabric, p->sw ? p->sw : "-", p->vc ? p->vc : "own VCs",
                     p->pattern, c, f->port_node[c], ik_peer_node(f, c), seen, expected);
    }
    compared++;
}

/* Measures for as long as every host needs for its packets. */
static void run_probe(const probe *p, const ik_fabric *f, const ik_plan *plan, const ik_traffic *t,
                      const ik_load *l)
{
    double load = l->saturation < 0.4 ? l->saturation / 4 : 0.1;
    uint64_t packet_ps = ik_transmit_ps(PACKET, 100000000000);
    char adapter[64], measure[128];
    snprintf(adapter, sizeof adapter, "packet=%d B;injection=poisson", PACKET);
    snprintf(measure, sizeof measure, "warmup=2 us;duration=%.0f ps",
             (double)packet_ps * PACKETS / load);
    const scenario c = {
        .sw = p->sw, .adapter = adapter, .measure = measure, .load = load, .seed = 5};
    ik_sim_result r = {0};
    ik_error err = {0};
    if (run_plan(plan, t, &c, &r, &err) != IK_OK)
        fail_msg("%s on %s (%s): %s", p->routing, p->fabric, p->sw ? p->sw : "-", err.text);
    assert_false(r.deadlock);
    check_channels(p, f, l, &r, load);
    sim_result_clear(&r);
}

/* Routings that leave the choice to a selection function get one that takes all outputs alike. */
static bool make_plan(const probe *p, const ik_fabric *f, const ik_env *env, ik_plan **plan)
{
    if (ik_plan_from_specs(f, p->routing, p->vc, NULL, p->num_vcs, env, plan, NULL) != IK_OK)
        return false;
    if ((*plan)->routing->kind != IK_ROUTE_ADAPTIVE || (*plan)->routing->family->pick)
        return true;
    ik_plan_free(*plan);
    *plan = NULL;
    return ik_plan_from_specs(f, p->routing, p->vc, "random", p->num_vcs, env, plan, NULL) == IK_OK;
}

/* False where the routing does not take the fabric, or does not deliver all there. */
static bool try_probe(const probe *p)
{
    static const ik_env env = {.seed = 2};
    ik_fabric *f = fabric_of(p->fabric);
    ik_plan *plan = NULL, *other = NULL;
    ik_traffic *t = NULL;
    ik_load l = {0};
    ik_error err = {0};
    bool fits =
        f->num_hosts >= 2 && f->num_hosts <= MOST_HOSTS && make_plan(p, f, &env, &plan) &&
        (!p->predicted ||
         ik_plan_from_specs(f, p->predicted, NULL, NULL, 0, &env, &other, &err) == IK_OK) &&
        ik_traffic_from_spec(f, p->pattern, &env, &t, &err) == IK_OK &&
        ik_load_measure(other ? other->routing : plan->routing, t, &env, &l, &err) == IK_OK &&
        l.undelivered == 0;
    if (fits)
        run_probe(p, f, plan, t, &l);
    ik_load_free(&l);
    ik_traffic_free(t);
    ik_plan_free(other);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return fits;
}

static void probe_on(const probe *p)
{
    if (!try_probe(p))
        fail_msg("%s does not take %s", p->routing, p->fabric);
}

/* ---- every routing on every family */

/* Beside each family's defaults: what choices of parameters do to the choice of paths. */
static const struct {
    const char *routing, *predicted;
} more[] = {
    {"minimal:paths=one", NULL},        {"valiant:paths=one", NULL},
    {"valiant:intermediate=all", NULL}, {"ugal_l:t=100 %,first=random", "minimal"},
    {"fir:mode=adaptive", NULL},        {"adaptive_tree:stages=1", NULL},
};

/* Deterministic routings, which have nothing to choose, one time in ten. */
static bool drawn(const ik_routing_family *family, uint32_t number)
{
    bool chooses = !family || family->kind != IK_ROUTE_DETERMINISTIC;
    return all_asked() || ik_random_below(7, IK_RNG_TEST, 1, number, chooses ? 3 : 10) == 0;
}

static void probe_routing(const char *routing, const char *predicted, const char *fabric,
                          uint32_t number)
{
    static const char *const patterns[] = {"uniform", "permutation:seed=3"};
    for (unsigned k = 0; k < 2; k++)
        if (all_asked() || number % 2 == k)
            try_probe(&(probe){.fabric = fabric,
                               .routing = routing,
                               .predicted = predicted,
                               .pattern = patterns[k]});
}

static void probe_fabric(const char *fabric, uint32_t *number)
{
    for (const ik_routing_family *const *r = ik_routings(); *r; r++)
        if (strcmp((*r)->name, "ugal_l") != 0 && drawn(*r, ++*number))
            probe_routing((*r)->name, NULL, fabric, *number);
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (drawn(NULL, ++*number))
            probe_routing(more[k].routing, more[k].predicted, fabric, *number);
}

static void test_every_routing_on_every_family(void **state)
{
    (void)state;
    uint32_t number = 0;
    compared = 0;
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        for (unsigned k = 0; !(*t)->imported && k < (all_asked() ? 100u : 2u) && (*t)->examples[k];
             k++)
            probe_fabric((*t)->examples[k], &number);
    assert_true(compared > (all_asked() ? 500 : 40));
}

/* The fabrics that routings name themselves, with their parameters. */
static void test_examples_of_routings(void **state)
{
    (void)state;
    uint32_t number = 0;
    for (const ik_routing_family *const *r = ik_routings(); *r; r++)
        for (const char *const *e = (*r)->example_fabrics; e && *e; e++) {
            char fabric[256], routing[256];
            const char *space = strchr(*e, ' ');
            snprintf(fabric, sizeof fabric, "%.*s", (int)(space ? space - *e : (long)strlen(*e)),
                     *e);
            snprintf(routing, sizeof routing, "%s%s%s", (*r)->name, space ? ":" : "",
                     space ? space + 1 : "");
            if (strcmp((*r)->name, "ugal_l") != 0 && drawn(*r, ++number))
                probe_routing(routing, NULL, fabric, number);
        }
}

/* ---- every model of a switch */

static void test_every_model(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq",
                                         "model=iq;queues=fifo",
                                         "model=iq;queues=damq;damq_bounds=vc",
                                         "model=iq;queues=voqnet;buffer=1 MiB",
                                         "model=ideal",
                                         "model=ioq;queues=voqsw",
                                         "model=ioq;queues=fifo",
                                         "model=iq;adaptive_choice=at_arrival",
                                         "model=iq;queues=fifo;adaptive_choice=at_arrival",
                                         "model=pipelined;flit=32 B;buffer=4 KiB"};
    static const probe plans[] = {{.fabric = "mlfm:h=4", .routing = "valiant"},
                                  /* the fast kernel */
                                  {.fabric = "mlfm:h=4", .routing = "valiant", .vc = "1q"},
                                  {.fabric = "slimfly:q=5,p=1", .routing = "minimal"},
                                  {.fabric = "dragonfly:h=2", .routing = "valiant"},
                                  {.fabric = "karytree:k=4,n=2", .routing = "oblivious"},
                                  {.fabric = "karytree:k=3,n=3", .routing = "fir:mode=adaptive"},
                                  {.fabric = "torus:dims=4:4", .routing = "dor"}};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
            probe p = plans[k];
            bool chooses_late = strstr(models[m], "adaptive_choice"),
                 adapts = strstr(p.routing, "adaptive") || !strcmp(p.routing, "minimal");
            if ((!all_asked() && k % 2 != m % 2 && k > 0) || (chooses_late && !adapts))
                continue;
            p.sw = models[m];
            p.pattern = m % 2 ? "permutation:seed=3" : "uniform";
            probe_on(&p);
        }
}

/* Senders that look a switch ahead for an output know it before it is drawn there; paranoid: they
 * are right. */
static void test_looking_ahead(void **state)
{
    (void)state;
    probe p = {.fabric = "mlfm:h=3",
               .routing = "valiant",
               .sw = "queues=damq;damq_bounds=output",
               .pattern = "uniform"};
    probe_on(&p);
    scenario c = {.fabric = p.fabric,
                  .routing = p.routing,
                  .traffic = p.pattern,
                  .sw = p.sw,
                  .adapter = "packet=256 B",
                  .measure = "warmup=0 ns;duration=20 us;paranoid=true",
                  .load = 0.9};
    ik_sim_result r = simulate(c);
    assert_true(r.packets_delivered > 1000);
    sim_result_clear(&r);
}

/* The same packets take the same outputs on any number of threads, in every model. */
static void test_threads(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq", "model=ioq;queues=fifo",
                                         "model=pipelined;flit=64 B"};
    static const char *const schemes[] = {NULL, "1q"};
    for (size_t n = 0; n < 6; n++) {
        uint64_t checksum = 0;
        for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
            ik_sim_result r = simulate((scenario){.fabric = "mlfm:h=4",
                                                  .routing = "valiant",
                                                  .vc = schemes[n % 2],
                                                  .sw = models[n / 2],
                                                  .measure = "warmup=0 ns;duration=30 us",
                                                  .load = 0.3,
                                                  .threads = threads});
            assert_true(r.packets_delivered > 0 && !r.deadlock);
            if (threads == 1)
                checksum = r.checksum;
            assert_true(r.checksum == checksum);
            sim_result_clear(&r);
        }
    }
}

/* Several minimal paths between the switches of a column, and Valiant's routing on them: what it
 * accepts at full load is near what the analysis says (with one of these paths it was .36). */
static void test_saturation_of_valiant(void **state)
{
    (void)state;
    ik_sim_result r = simulate((scenario){.fabric = "mlfm:h=6,link_rate=100 Gb/s,latency=50 ns",
                                          .routing = "valiant",
                                          .sw = "model=ioq;speedup=2;buffer=100 KiB",
                                          .adapter = "packet=256 B",
                                          .measure = "warmup=20 us;duration=40 us",
                                          .load = 1});
    if (!(r.throughput > 0.47 && r.throughput < 0.515))
        fail_msg("accepted at full load: %.3f", r.throughput);
    sim_result_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_every_routing_on_every_family),
        on_one_thread(test_examples_of_routings),
        on_one_thread(test_every_model),
        on_one_thread(test_looking_ahead),
        cmocka_unit_test(test_threads),
        on_one_thread(test_saturation_of_valiant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
