/* SPDX-License-Identifier: Apache-2.0
 *
 * Proof against simulation: tiny fabrics are drawn cable by cable (rings, trees, random graphs,
 * parallel cables, cables that are missing, hosts with several cables) or are damaged members of a
 * family; routing, VC scheme, selection, model and traffic are drawn as well. Buffers hold one or
 * two packets and hosts send all that they can, so that what can deadlock mostly does. Must hold:
 *
 *   - where the proof says that there is no deadlock, the simulation finds none;
 *   - the certificate of the proof holds for every pair of hosts, not for a part of them alone;
 *   - where the proof says no, a good part of the runs stands still: the test is not blind.
 *
 * IKAT_TEST_ALL tries thousands; IKAT_TEST_CASE=N tries case N alone and prints it.
 */
#include "sim_helper.h"
#include "unit/part.h"

enum {
    CASES = 400,
    ALL_CASES = 12000,
    SANITIZED_CASES = 60,
    MOST_SWITCHES = 8,
    LOG = 2048,
    PACKET = 256
};

#define COUNT(a)       (sizeof(a) / sizeof *(a))
#define DRAW(d, texts) (texts)[roll(d, COUNT(texts))]

typedef struct dice {
    uint64_t number, draws;
} dice;

static uint32_t roll(dice *d, size_t n)
{
    return ik_random_below(11, IK_RNG_ANALYSIS, d->number, d->draws++, (uint32_t)n);
}

/* ---- fabrics that no family builds */

/* Cables to be laid: numbers of switches, or of a switch and a host. */
typedef struct cables {
    uint32_t num_switches, num_hosts, num_links, num_plugs;
    uint32_t link[40][2], plug[48][2];
} cables;

static void add_link(cables *c, uint32_t a, uint32_t b)
{
    if (a == b || c->num_links == COUNT(c->link))
        return;
    c->link[c->num_links][0] = a;
    c->link[c->num_links++][1] = b;
}

/* A ring, or a tree, each with chords or without; some cables twice, some taken out again. */
static void draw_links(dice *d, cables *c)
{
    bool ring = roll(d, 3) > 0;
    c->num_switches = 3 + roll(d, MOST_SWITCHES - 2);
    for (uint32_t sw = 1; sw < c->num_switches; sw++)
        add_link(c, sw, ring ? sw - 1 : roll(d, sw));
    if (ring)
        add_link(c, c->num_switches - 1, 0);
    for (uint32_t chords = roll(d, 2) ? 0 : roll(d, c->num_switches + 1); chords > 0; chords--)
        add_link(c, roll(d, c->num_switches), roll(d, c->num_switches));
    for (uint32_t twice = roll(d, 3) ? 0 : 1 + roll(d, 2); twice > 0; twice--) {
        uint32_t k = roll(d, c->num_links);
        add_link(c, c->link[k][0], c->link[k][1]);
    }
    if (roll(d, 5) == 0) {
        uint32_t gone = roll(d, c->num_links);
        memcpy(c->link[gone], c->link[--c->num_links], sizeof c->link[gone]);
    }
}

/* Hosts with one cable, or one in two of them with two or three, to any switches. */
static void draw_plugs(dice *d, cables *c)
{
    bool several = roll(d, 3) > 0;
    c->num_hosts = c->num_switches + roll(d, c->num_switches + 1);
    for (uint32_t host = 0; host < c->num_hosts; host++) {
        uint32_t plugs = several && roll(d, 2) ? 2 + (roll(d, 4) == 0) : 1;
        for (uint32_t n = 0; n < plugs && c->num_plugs < COUNT(c->plug); n++) {
            bool in_turn = n == 0 && host < c->num_switches;
            c->plug[c->num_plugs][0] = in_turn ? host : roll(d, c->num_switches);
            c->plug[c->num_plugs++][1] = host;
        }
    }
}

/* `log`: the fabric as a list of edges, which `ikat` reads. */
static ik_fabric *build(const cables *c, char *log)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    ik_error err = {0};
    uint32_t switch_ports[MOST_SWITCHES] = {0}, host_ports[2 * MOST_SWITCHES] = {0};
    uint32_t switch_used[MOST_SWITCHES] = {0}, host_used[2 * MOST_SWITCHES] = {0};
    uint16_t cable = ik_builder_class(b, 100000000000u, 6000, NULL);
    for (uint32_t k = 0; k < 2 * c->num_links; k++)
        switch_ports[c->link[k / 2][k % 2]]++;
    for (uint32_t k = 0; k < c->num_plugs; k++)
        switch_ports[c->plug[k][0]]++, host_ports[c->plug[k][1]]++;
    for (uint32_t sw = 0; sw < c->num_switches; sw++)
        ik_builder_switches(b, 1, switch_ports[sw]);
    for (uint32_t host = 0; host < c->num_hosts; host++)
        ik_builder_hosts(b, 1, host_ports[host] ? host_ports[host] : 1);
    for (uint32_t k = 0; k < c->num_links; k++) {
        uint32_t one = c->link[k][0], other = c->link[k][1];
        ik_builder_link(b, ik_sw(one, switch_used[one]++), ik_sw(other, switch_used[other]++),
                        cable);
        log += sprintf(log, "%u %u\n", one, other);
    }
    for (uint32_t k = 0; k < c->num_plugs; k++) {
        uint32_t sw = c->plug[k][0], host = c->plug[k][1];
        ik_builder_link(b, ik_sw(sw, switch_used[sw]++), ik_hs(host, host_used[host]++), cable);
        log += sprintf(log, "%u h%u\n", sw, host);
    }
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_builder_free(b);
    return f;
}

static ik_fabric *draw_fabric(dice *d, char *log)
{
    static const char *const members[] = {"torus:dims=3:3,p=1,fail=%u%%,fail_seed=%u",
                                          "mesh:dims=3:2,p=2,fail=%u%%,fail_seed=%u",
                                          "karytree:k=3,n=2,fail=%u%%,fail_seed=%u",
                                          "pgft:m=2:3,w=1:2,p=1:2,fail=%u%%,fail_seed=%u",
                                          "xgft:m=3:3,w=2:2,fail=%u%%,fail_seed=%u",
                                          "hyperx:dims=3:2,p=2,fail=%u%%,fail_seed=%u",
                                          "dragonfly:h=1,fail=%u%%,fail_seed=%u",
                                          "ring:n=5,p=2,fail=%u%%,fail_seed=%u"};
    if (roll(d, 4) == 0) {
        sprintf(log, DRAW(d, members), roll(d, 2) ? 0 : 5 + roll(d, 15), roll(d, 100));
        return fabric_of(log);
    }
    cables c = {0};
    draw_links(d, &c);
    draw_plugs(d, &c);
    return build(&c, log);
}

/* ---- what runs on them */

typedef struct trial {
    unsigned number;
    ik_fabric *f;
    const char *model;
    unsigned packets; /* that a VC's buffer holds */
    char log[LOG], sw[200], adapter[120];
    scenario at;
} trial;

static const char *draw_routing(dice *d)
{
    static const char *const often[] = {"shortest",
                                        "shortest",
                                        "minimal",
                                        "minimal",
                                        "minimal:paths=one",
                                        "valiant",
                                        "ugal_l",
                                        "ugal_l:tie=lowest",
                                        "valiant:paths=one",
                                        "updown",
                                        "dfsssp",
                                        "nue",
                                        "frugal"};
    size_t num = 0;
    if (roll(d, 4))
        return DRAW(d, often);
    while (ik_routings()[num])
        num++;
    return ik_routings()[roll(d, num)]->name;
}

static void draw_run(dice *d, trial *t)
{
    static const char *const vcs[] = {NULL,
                                      NULL,
                                      "any",
                                      "any",
                                      "1q",
                                      "dbbm",
                                      "hopclass",
                                      "phase",
                                      "dateline",
                                      "lash",
                                      "acro",
                                      "escape:routing=updown",
                                      "escape:routing=shortest",
                                      "escape:routing=dor,vc=dateline",
                                      "lash_tor",
                                      "dfsssp",
                                      "nue",
                                      "voqnet"};
    static const unsigned numbers[] = {0, 0, 1, 1, 2, 3};
    static const char *const selections[] = {NULL, NULL, "first_free", "random", "least_queued"};
    static const char *const patterns[] = {"uniform", "uniform", "permutation", "shift:by=2",
                                           "shift:by=3"};
    static const char *const models[] = {
        "model=iq",        "model=iq;queues=fifo",      "model=iq;adaptive_choice=at_arrival",
        "model=ioq",       "model=ioq;queues=fifo",     "model=ideal",
        "model=pipelined", "model=pipelined;flit=64 B", "model=iq;switching=saf"};
    static const char *const adapters[] = {"", "", "", ";reply=256 B", ";queues=one"};
    t->at = (scenario){.routing = draw_routing(d),
                       .vc = DRAW(d, vcs),
                       .num_vcs = DRAW(d, numbers),
                       .selection = DRAW(d, selections),
                       .traffic = DRAW(d, patterns),
                       .sw = t->sw,
                       .adapter = t->adapter,
                       .measure = "warmup=0 ns;duration=40 us;watchdog=1 us;paranoid=true",
                       .load = 1,
                       .threads = 1,
                       .seed = 1 + roll(d, 100)};
    snprintf(t->adapter, sizeof t->adapter, "packet=%u B;message=1 KiB%s", PACKET,
             DRAW(d, adapters));
    t->model = DRAW(d, models);
    t->packets = 1 + roll(d, 2);
}

static void print_trial(const trial *t, const char *what)
{
    print_message("# case %u: %s\n%s\n# --routing %s --vc %s --vcs %u --selection %s, %s, seed "
                  "%u\n# switch: %s\n# adapter: %s\n",
                  t->number, what, t->log, t->at.routing, t->at.vc ? t->at.vc : "-", t->at.num_vcs,
                  t->at.selection ? t->at.selection : "-", t->at.traffic, (unsigned)t->at.seed,
                  t->sw, t->adapter);
}

/* ---- the two judges */

static struct {
    unsigned free, cyclic, stood, several, several_stood, by_model[3];
} seen;

static bool is_refusal(ik_status status)
{
    return status == IK_ERR_USAGE || status == IK_ERR_INPUT || status == IK_ERR_UNSUPPORTED;
}

static ik_flow flow_of(const trial *t)
{
    ik_error err = {0};
    sections s;
    assert_int_equal(open_sections(&s, &t->at, &err), IK_OK);
    ik_flow flow =
        ik_sim_flow_of(&s.sw) == IK_SIM_CUT_THROUGH ? IK_FLOW_CUT_THROUGH : IK_FLOW_SETTLED;
    close_sections(&s);
    return flow;
}

/* IK_UNKNOWN: the proof or its certificate is wrong, and was printed. */
static ik_verdict prove(const trial *t, const ik_plan *plan)
{
    ik_env env = {.seed = t->at.seed, .num_threads = 1};
    ik_verify_config config = {.flow = flow_of(t)};
    ik_certificate certificate = {0};
    ik_proof proof = {0};
    ik_error err = {0};
    uint64_t pairs = 0;
    ik_status status = ik_verify_certified(plan, &config, &env, &proof, &certificate, &err);
    if (status == IK_OK)
        status = ik_certificate_check(plan, &proof, &certificate, 0, &env, &pairs, &err);
    ik_verdict verdict = status == IK_OK ? proof.deadlock_free : IK_UNKNOWN;
    if (status != IK_OK)
        print_trial(t, err.text);
    else if (verdict == IK_UNKNOWN)
        print_trial(t, "no verdict");
    ik_certificate_free(&certificate);
    ik_proof_free(&proof);
    return verdict;
}

static void count(const trial *t, ik_verdict free, bool stood)
{
    bool several = ik_fabric_has_rails(t->f);
    seen.free += free == IK_YES;
    seen.cyclic += free == IK_NO;
    seen.stood += stood;
    seen.several += several && free == IK_NO;
    seen.several_stood += several && stood;
    seen.by_model[0] += stood && strstr(t->sw, "=iq");
    seen.by_model[1] += stood && strstr(t->sw, "=ioq");
    seen.by_model[2] += stood && strstr(t->sw, "=pipelined");
}

/* Whether both agree; *taken: the simulator did not refuse. */
static bool judge(const trial *t, const ik_plan *plan, const ik_traffic *traffic, bool *taken)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    ik_status status = run_plan(plan, traffic, &t->at, &r, &err);
    *taken = !is_refusal(status);
    if (!*taken)
        return true;
    bool agrees = status == IK_OK;
    if (!agrees)
        print_trial(t, err.text);
    if (agrees) {
        ik_verdict free = prove(t, plan);
        agrees = free != IK_UNKNOWN && !(free == IK_YES && r.deadlock);
        count(t, free, r.deadlock);
        if (free == IK_YES && r.deadlock)
            print_trial(t, r.deadlock_text);
    }
    sim_result_clear(&r);
    return agrees;
}

/* Buffers of one or two packets per VC; larger ones where the simulator asks for them. */
static bool try_buffers(trial *t, const ik_plan *plan, const ik_traffic *traffic, bool *taken)
{
    bool agrees = true;
    *taken = false;
    for (unsigned times = 1; times <= 16 && !*taken; times *= 4) {
        unsigned bytes = PACKET * plan->num_vcs * times;
        int used = snprintf(t->sw, sizeof t->sw, "%s;buffer=%u B", t->model, t->packets * bytes);
        if (strstr(t->model, "ioq"))
            snprintf(t->sw + used, sizeof t->sw - (size_t)used, ";output_buffer=%u B", bytes);
        agrees = judge(t, plan, traffic, taken);
    }
    return agrees;
}

static bool try_trial(unsigned number, bool print, bool *taken)
{
    dice d = {number, 0};
    trial t = {.number = number};
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    t.f = draw_fabric(&d, t.log);
    draw_run(&d, &t);
    ik_env env = {.seed = t.at.seed};
    ik_status status = ik_plan_from_specs(t.f, t.at.routing, t.at.vc, t.at.selection, t.at.num_vcs,
                                          &env, &plan, &err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(t.f, t.at.traffic, &env, &traffic, &err);
    bool agrees = status == IK_OK ? try_buffers(&t, plan, traffic, taken) : is_refusal(status);
    if (status != IK_OK && !agrees)
        print_trial(&t, err.text);
    if (print)
        print_trial(&t, *taken ? "taken" : err.text);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(t.f);
    return agrees;
}

static void proofs_and_simulations_agree(void **state)
{
    (void)state;
    const char *only = getenv("IKAT_TEST_CASE");
    unsigned wanted = only ? 1 : as_many(ALL_CASES, CASES, SANITIZED_CASES), taken = 0, wrong = 0;
    unsigned number = only ? (unsigned)atoi(only) : 0, last = only ? number : 20 * wanted;
    for (; taken < wanted && number <= last; number++) {
        bool took = false;
        wrong += !try_trial(number, only != NULL, &took);
        taken += took;
    }
    print_message("%u of %u drawn: %u free, %u cyclic, of which %u stood still (iq %u, ioq %u, "
                  "pipelined %u); with several cables %u cyclic, %u stood still\n",
                  taken, number, seen.free, seen.cyclic, seen.stood, seen.by_model[0],
                  seen.by_model[1], seen.by_model[2], seen.several, seen.several_stood);
    assert_int_equal(wrong, 0);
    if (only)
        return;
    assert_int_equal(taken, wanted);
    if (wanted < CASES) /* the proportions of few cases say nothing */
        return;
    assert_true(seen.free > wanted / 3 && seen.cyclic > wanted / 5);
    assert_true(seen.stood > seen.cyclic / 4 && seen.several_stood > seen.several / 4);
    for (unsigned model = 0; model < COUNT(seen.by_model); model++)
        assert_true(seen.by_model[model] > wanted / 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs_and_simulations_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
