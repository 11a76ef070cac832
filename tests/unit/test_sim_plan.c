/* SPDX-License-Identifier: Apache-2.0
 *
 * What is simulated is what was proved: packets that are watched, in every model, take only
 * channels and VCs that the plan allows at that hop of that packet. Routings that mark packets on
 * the way, then random experiments over fabrics (damaged ones, with parallel cables, with several
 * cables per host), routings and VC schemes. The plan is asked here as the proof asks it: from
 * every state in which a packet of the pair may start. */
#include "sim_draw.h"
#include "unit/part.h"

enum { MOST_STARTS = 4096, PACKETS = 6, CASES = 200, ALL_CASES = 4000, SANITIZED_CASES = 30 };

typedef struct states {
    ik_packet at[MOST_STARTS];
    uint32_t num;
} states;

/* All states in which a packet from one port of a host to one of another may start. */
static void start(const ik_plan *plan, uint32_t src, uint32_t dst, states *s)
{
    uint32_t num = ik_plan_num_starts(plan, src, dst);
    assert_true(s->num + num <= MOST_STARTS);
    for (uint32_t n = 0; n < num; n++)
        ik_plan_start_nth(plan, src, dst, n, &s->at[s->num++]);
}

/* Model pipelined: hosts take whatever VC of their link is free, unless the packet's lane is fixed
 * there. Nothing waits for those channels; the packet goes on as if it had come by the plan's VC,
 * or to a host of the same switch by the VC in which it came. */
static bool takes_any_vc(const ik_plan *plan, const scenario *c)
{
    return strstr(c->sw, "pipelined") && !plan->vc->family->static_lane;
}

/* Those states that allow the channel and VC, after it. any: whatever the VC. */
static void advance(const ik_plan *plan, uint32_t in_port, uint32_t channel, unsigned vc, bool any,
                    states *s)
{
    static ik_choice choices[256];
    uint32_t kept = 0, sw = plan->fabric->port_node[channel];
    assert_true(plan->max_radix <= 256);
    for (uint32_t k = 0; k < s->num; k++) {
        ik_packet pk = s->at[k];
        uint32_t preferred, n = ik_plan_next(plan, sw, in_port, &pk, choices, &preferred);
        bool allowed = false;
        for (uint32_t i = 0; i < n; i++)
            allowed |= choices[i].port == channel &&
                       (any || (choices[i].vc_first <= vc && vc <= choices[i].vc_last));
        ik_plan_advance(plan, channel, vc, &pk);
        if (allowed)
            s->at[kept++] = pk;
    }
    s->num = kept;
}

/* From the host's port by which it left to any port of its destination. */
static void start_any(const ik_plan *plan, uint32_t channel, uint32_t dst, unsigned vc, bool any,
                      states *s)
{
    const ik_fabric *f = plan->fabric;
    uint32_t src = f->port_node[channel] - f->num_switches, kept = 0,
             first = f->split ? f->split->first[dst] : dst,
             end = f->split ? f->split->first[dst + 1] : dst + 1;
    s->num = 0;
    for (uint32_t to = first; to < end; to++)
        if (ik_rails_used(plan->routing, src, to))
            start(plan, src, to, s);
    for (uint32_t k = 0; k < s->num; k++)
        if (any || s->at[k].vc == vc)
            s->at[kept++] = s->at[k];
    s->num = kept;
}

/* Hops of a packet, all of which the plan allows. */
static unsigned check_packet(const ik_plan *plan, const scenario *c, const ik_sim_result *r,
                             const ik_watched *p, const char *what)
{
    static states s;
    const ik_fabric *f = plan->fabric;
    uint32_t in_port = IK_NONE;
    unsigned hops = 0;
    bool any = takes_any_vc(plan, c);
    for (size_t k = 0; k < p->num_events; k++) {
        const ik_watch_event *e = &r->watch.events[p->first + k];
        if (e->stage == IK_WATCH_INJECTED) {
            start_any(plan, e->channel, p->dst, e->vc, any, &s);
        } else if (e->stage == IK_WATCH_SENT) {
            bool last = !ik_is_switch(f, ik_peer_node(f, e->channel));
            advance(plan, in_port, e->channel, e->vc, any && last && hops == 0, &s);
            hops++;
        } else {
            continue;
        }
        if (s.num == 0)
            fail_msg("%s: packet %llu of host %u for host %u takes channel %u, VC %u on hop %u, "
                     "which its plan does not allow",
                     what, (unsigned long long)p->number, p->src, p->dst, e->channel, e->vc, hops);
        in_port = f->port_peer[e->channel];
    }
    return hops;
}

static void watch_all(const ik_fabric *f, char *text, size_t size)
{
    int used = snprintf(text, size, "packets=");
    for (uint32_t host = 0; host < f->num_hosts && used < (int)size - 30; host++)
        used += snprintf(text + used, size - (size_t)used, "%u:0-%u ", host, PACKETS - 1);
}

/* Hops checked; 0 if the plan or the settings are refused. */
static unsigned check_case(const scenario *c, const char *what)
{
    static char watch[4096];
    scenario with = *c;
    ik_env env = env_of(c);
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_sim_result r = {0};
    ik_error err = {0};
    unsigned hops = 0;
    ik_status status = ik_fabric_from_spec(c->fabric, &env, &f, &err);
    if (status == IK_OK)
        status =
            ik_plan_from_specs(f, c->routing, c->vc, c->selection, c->num_vcs, &env, &plan, &err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(f, c->traffic, &env, &traffic, &err);
    if (status == IK_OK) {
        watch_all(f, watch, sizeof watch);
        with.watch = watch;
        status = run_plan(plan, traffic, &with, &r, &err);
    }
    for (size_t k = 0; status == IK_OK && k < r.watch.num_packets; k++)
        hops += check_packet(plan, c, &r, &r.watch.packets[k], what);
    if (status != IK_OK && status != IK_ERR_UNSUPPORTED && status != IK_ERR_USAGE &&
        status != IK_ERR_INPUT)
        fail_msg("%s: %s", what, err.text);
    sim_result_clear(&r);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return hops;
}

static const char *const models[] = {"model=iq", "model=ioq", "model=ideal", "model=pipelined",
                                     "model=iq;queues=fifo"};

/* next() of these writes the phase, which decides the VC. */
static void test_marked_packets(void **state)
{
    (void)state;
    static const char *const marking[][3] = {
        {"dragonfly:h=2", "minimal:paths=one", NULL},        {"dragonfly:h=1", "minimal", NULL},
        {"dragonflyplus:h=2", "minimal:paths=one", "phase"}, {"dragonfly:h=1", "valiant", NULL},
        {"mlfm:h=3", "valiant:paths=one", "phase"},          {"oft:k=3", "ugal_l", "phase"},
    };
    for (unsigned n = 0; n < COUNT(marking) * COUNT(models); n++) {
        const char *const *m = marking[n / COUNT(models)];
        scenario c = {m[0], m[1], m[2], .traffic = "uniform", .sw = models[n % COUNT(models)]};
        c.measure = "warmup=0 ns;duration=3 us;paranoid=true";
        c.load = 0.6;
        unsigned hops = in_part(n, 7) ? check_case(&c, m[1]) : 21;
        if (hops <= 20)
            fail_msg("%s on %s, %s: only %u hops", m[1], m[0], c.sw, hops);
    }
}

/* ---- random experiments */

static const char *const more_fabrics[] = {"xgft:m=4:4,w=2:2",
                                           "pgft:m=2:3,w=1:2,p=2:1",
                                           "xgft:m=3:2:2,w=2:1:2",
                                           "xgft:m=3:3,w=2:3,fail=10%,fail_seed=3",
                                           "pgft:m=4:3,w=1:2,p=1:2,fail=10%,fail_seed=1",
                                           "dragonfly:h=1,fail=10%,fail_seed=2",
                                           "mlfm:h=3,fail=10%,fail_seed=2",
                                           "dragonfly:a=3,h=1,p=2,g=4"};

static scenario draw(unsigned number, char *routing, size_t size)
{
    static const unsigned numbers[] = {0, 0, 0, 1, 2, 3, 4};
    static const char *const buffers[] = {"", "", ";buffer=16 KiB", ";buffer=48 KiB"};
    static char sw[100];
    dice d = {300000 + number, 0};
    scenario c = {.measure = "warmup=0 ns;duration=2 us;watchdog=0 ns", .traffic = "uniform"};
    c.fabric = roll(&d, 2) ? DRAW(&d, more_fabrics) : DRAW(&d, fabrics);
    snprintf(routing, size, "%s", roll(&d, 2) ? draw_routing(&d) : DRAW(&d, direct_routings));
    c.routing = routing;
    c.vc = roll(&d, 2) ? DRAW(&d, vcs) : DRAW(&d, direct_vcs);
    c.num_vcs = DRAW(&d, numbers);
    c.selection = draw_selection(&d);
    snprintf(sw, sizeof sw, "%s%s", DRAW(&d, models), DRAW(&d, buffers));
    c.sw = sw;
    c.load = DRAW(&d, tree_loads);
    return c;
}

static void test_random_experiments(void **state)
{
    (void)state;
    const char *only = getenv("IKAT_TEST_CASE");
    unsigned wanted = as_many(ALL_CASES, CASES, SANITIZED_CASES), taken = 0, hops = 0,
             number = only ? (unsigned)atoi(only) : 0, last = only ? number : 20 * wanted;
    for (; taken < wanted && number <= last; number++) {
        char routing[96], what[400];
        scenario c = draw(number, routing, sizeof routing);
        for (unsigned less = 0; less < 3; less++) { /* until it is taken */
            if (less == 1)
                c.selection = NULL;
            else if (less == 2)
                c.vc = NULL, c.num_vcs = 0;
            snprintf(what, sizeof what, "case %u: %s, %s, vc %s, vcs %u, selection %s, %s", number,
                     c.fabric, c.routing, c.vc ? c.vc : "-", c.num_vcs,
                     c.selection ? c.selection : "-", c.sw);
            unsigned here = check_case(&c, what);
            hops += here;
            taken += here > 0;
            if (here)
                break;
        }
    }
    print_message("%u hops of %u experiments, of %u drawn\n", hops, taken, number);
    assert_true(only || taken == wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_marked_packets),
                                       cmocka_unit_test(test_random_experiments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
