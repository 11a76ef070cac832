/* SPDX-License-Identifier: Apache-2.0
 *
 * Racks and trays that fail: the same as the list of their switches and cables by hand, drawn with
 * seeds, and what is refused.
 */
#include "ikat/failures.h"
#include "topology/damage/fail_draw.h"
#include "topology/topology.h"
#include "unit/made.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const cases[] = {
    "pgft:m=4:8,w=1:4,p=1:1,hosts=30",
    "dragonfly:h=2",
    "torus:dims=5:5,p=3",
    "slimfly:q=5",
    "crossbar:n=50",           /* one switch, whose hosts stand in two racks */
    "pgft:m=4:4,w=2:4,p=1:1",  /* hosts with two cables */
    "pgft:m=20:2,w=2:2,p=1:1", /* … both of which lead to another rack */
};
enum { CASES = sizeof cases / sizeof *cases };

/* A floor with several rows, of small racks, as a file. */
static char *floor_file(void)
{
    static char path[] = "/tmp/test_fail_floor_XXXXXX";
    static const char rules[] = "rack_units: 16\nrow_racks: 3\n";
    if (path[strlen(path) - 1] == 'X') {
        int file = mkstemp(path);
        assert_true(file >= 0 && write(file, rules, strlen(rules)) == (ssize_t)strlen(rules));
        close(file);
    }
    return path;
}

static ik_floor_plan *racks_of(const ik_fabric *f)
{
    ik_floor_rules rules;
    ik_floor_plan *plan = NULL;
    assert_int_equal(ik_floor_rules_read(floor_file(), &rules, NULL), IK_OK);
    assert_int_equal(ik_floor_plan_make(f, &rules, 1, &made_env, &plan, NULL), IK_OK);
    return plan;
}

static ik_fabric *damaged(const char *spec, const char *what)
{
    char text[300];
    snprintf(text, sizeof text, "%s,%s,floor=%s", spec, what, floor_file());
    return fabric_of(text);
}

static void assert_same_graph(const ik_fabric *a, const ik_fabric *b)
{
    assert_int_equal(a->num_ports, b->num_ports);
    for (uint32_t port = 0; port < a->num_ports; port++)
        assert_int_equal(a->port_peer[port], b->port_peer[port]);
}

static bool has_finding(const ik_fabric *f, const char *code, const char *text)
{
    for (size_t i = 0; i < f->num_findings; i++)
        if (strcmp(f->findings[i].code, code) == 0 && strstr(f->findings[i].text, text))
            return true;
    return false;
}

/* What stands in a rack is taken away by hand. */
static ik_fabric *without_rack(const ik_fabric *f, const ik_floor_plan *plan, uint32_t rack)
{
    uint32_t *ports = calloc(f->num_ports + 1, sizeof *ports),
             *switches = calloc(f->num_switches + 1, sizeof *switches);
    size_t num_ports = 0, num_switches = 0;
    ik_fabric *out = NULL;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (plan->node_rack[sw] == rack)
            switches[num_switches++] = sw;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer != IK_NONE && !ik_is_switch(f, f->port_node[peer]) &&
            plan->node_rack[f->port_node[peer]] == rack)
            ports[num_ports++] = port; /* at the switch */
    }
    assert_int_equal(ik_fabric_degrade(f, ports, num_ports, switches, num_switches, &out, NULL),
                     IK_OK);
    free(ports);
    free(switches);
    return out;
}

static void racks_are_what_stands_in_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        ik_fabric *f = fabric_of(cases[i]);
        ik_floor_plan *plan = racks_of(f);
        assert_true(plan->num_racks > 1);
        for (uint32_t r = 0; r < plan->num_racks; r++) {
            char name[32], what[64];
            ik_rack_name(&plan->racks[r], name, sizeof name);
            assert_int_equal(ik_floor_find_rack(plan, name, strlen(name)), r);
            snprintf(what, sizeof what, "fail_racks=%s", name);
            ik_fabric *g = damaged(cases[i], what), *hand = without_rack(f, plan, r);
            assert_same_graph(g, hand);
            assert_true(!g->intact && has_finding(g, "failed-rack", name));
            ik_fabric_free(hand);
            ik_fabric_free(g);
        }
        ik_floor_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* Places of the ends by hand: along the row that comes first, then across the rows. */
static bool lies_in(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port, bool across,
                    uint32_t number)
{
    const ik_rack *a = &plan->racks[plan->node_rack[f->port_node[port]]],
                  *b = &plan->racks[plan->node_rack[ik_peer_node(f, port)]];
    const ik_rack *first = a->row <= b->row ? a : b, *last = first == a ? b : a;
    if (across)
        return a->row != b->row && last->column == number;
    return a->column != b->column && first->row == number;
}

static void trays_are_what_lies_in_them(void **state)
{
    unsigned across_seen = 0, along_seen = 0;
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        ik_fabric *f = fabric_of(cases[i]);
        ik_floor_plan *plan = racks_of(f);
        for (uint32_t t = 0; t < plan->rows + plan->row_racks; t++) {
            const bool across = t >= plan->rows;
            uint32_t *ports = calloc(f->num_ports + 1, sizeof *ports);
            size_t num = 0;
            char name[32], what[64];
            ik_tray_name(plan, t, name, sizeof name);
            assert_int_equal(ik_floor_find_tray(plan, name, strlen(name)), t);
            for (uint32_t port = 0; port < f->num_ports; port++)
                if (f->port_peer[port] != IK_NONE &&
                    lies_in(plan, f, port, across, across ? t - plan->rows : t))
                    ports[num++] = port; /* from both ends */
            snprintf(what, sizeof what, "fail_trays=%s", name);
            if (num) {
                ik_fabric *g = damaged(cases[i], what), *hand = NULL;
                assert_int_equal(ik_fabric_degrade(f, ports, num, NULL, 0, &hand, NULL), IK_OK);
                assert_same_graph(g, hand);
                assert_true(has_finding(g, "failed-tray", name));
                ik_fabric_free(hand);
                ik_fabric_free(g);
                across_seen += across;
                along_seen += !across;
            }
            free(ports);
        }
        ik_floor_plan_free(plan);
        ik_fabric_free(f);
    }
    assert_true(across_seen > 4 && along_seen > 4);
}

/* The racks that a fabric's findings name, as bits. */
static unsigned racks_failed(const ik_fabric *f, const ik_floor_plan *plan)
{
    unsigned set = 0;
    char text[48], name[32];
    for (uint32_t r = 0; r < plan->num_racks; r++) {
        snprintf(text, sizeof text, "rack %s has",
                 ik_rack_name(&plan->racks[r], name, sizeof name));
        set |= (unsigned)has_finding(f, "failed-rack", text) << r;
    }
    return set;
}

static unsigned draw_racks(const char *amount, unsigned seed, const ik_floor_plan *plan)
{
    char what[64];
    snprintf(what, sizeof what, "fail_racks=%s,fail_seed=%u", amount, seed);
    ik_fabric *g = damaged("dragonfly:h=2", what);
    unsigned set = racks_failed(g, plan);
    ik_fabric_free(g);
    return set;
}

/* Seeds draw different racks, the same seed the same ones, more of them with fewer among them. */
static void draws(void **state)
{
    unsigned seen = 0;
    (void)state;
    ik_fabric *f = fabric_of("dragonfly:h=2");
    ik_floor_plan *plan = racks_of(f);
    const uint32_t racks = plan->num_racks;
    assert_true(racks >= 6 && racks < 32);
    for (unsigned seed = 1; seed <= 40; seed++) {
        unsigned one = draw_racks("1", seed, plan), three = draw_racks("3", seed, plan);
        assert_int_equal(__builtin_popcount(one), 1);
        assert_int_equal(__builtin_popcount(three), 3);
        assert_int_equal(one & ~three, 0);
        assert_int_equal(draw_racks("3", seed, plan), three);
        seen |= one;
    }
    assert_int_equal(seen, (1U << racks) - 1);
    assert_int_equal(draw_racks("100%", 1, plan), (1U << racks) - 1);
    assert_int_equal(__builtin_popcount(draw_racks("50%", 1, plan)), (int)((racks + 1) / 2));
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

/* Trays have random numbers of their own, not those of racks; only trays with cables are drawn, and
 * more of them with fewer among them. */
static void draws_of_trays(void **state)
{
    enum { MOST = 64 };
    unsigned differ = 0;
    (void)state;
    ik_fabric *f = fabric_of("dragonfly:h=2");
    ik_floor_plan *plan = racks_of(f);
    assert_true(plan->rows + plan->row_racks <= MOST);
    for (unsigned seed = 1; seed <= 20; seed++) {
        uint32_t trays[MOST], as_racks[MOST], num = 0;
        for (uint32_t t = 0; t < plan->rows + plan->row_racks; t++) {
            bool used = false;
            for (uint32_t port = 0; port < f->num_ports; port++)
                used |=
                    f->port_peer[port] != IK_NONE &&
                    lies_in(plan, f, port, t >= plan->rows, t >= plan->rows ? t - plan->rows : t);
            if (used)
                trays[num++] = t;
        }
        assert_true(num > 3);
        memcpy(as_racks, trays, sizeof trays);
        fail_draw(trays, num, 3, seed, FAIL_DRAW_TRAYS);
        fail_draw(as_racks, num, 3, seed, FAIL_DRAW_RACKS);
        differ += trays[0] != as_racks[0];
        for (uint32_t chosen = 1; chosen <= 3; chosen++) {
            char what[64], name[32], text[48];
            snprintf(what, sizeof what, "fail_trays=%u,fail_seed=%u", chosen, seed);
            ik_fabric *g = damaged("dragonfly:h=2", what);
            for (uint32_t i = 0; i < num; i++) {
                ik_tray_name(plan, trays[i], name, sizeof name);
                snprintf(text, sizeof text, "tray %s have", name);
                assert_int_equal(has_finding(g, "failed-tray", text), i < chosen);
            }
            ik_fabric_free(g);
        }
    }
    assert_true(differ > 5);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

/* The whole fabric, which is intact. */
static void nothing_fails(void **state)
{
    static const char *const nothing[] = {"fail_racks=0", "fail_trays=0", "fail_racks=0%",
                                          "fail_racks=0,fail_trays=0,fail_seed=3"};
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        ik_fabric *f = fabric_of(cases[i]);
        for (size_t k = 0; k < sizeof nothing / sizeof *nothing; k++) {
            ik_fabric *g = damaged(cases[i], nothing[k]);
            assert_same_graph(f, g);
            assert_true(f->intact == g->intact && f->num_findings == g->num_findings);
            ik_fabric_free(g);
        }
        ik_fabric_free(f);
    }
}

/* All that fails is taken from the whole fabric: what is in two of them fails once. */
static void together(void **state)
{
    (void)state;
    ik_fabric *all = damaged("dragonfly:h=2", "fail=sw0:sw35.1,fail_racks=r1c1,fail_trays=r1"),
              *again = damaged("dragonfly:h=2", "fail=sw35.1:sw0,fail_racks=r1c1:r1c1,"
                                                "fail_trays=r1:r1");
    ik_fabric *racks = damaged("dragonfly:h=2", "fail_racks=r1c1"),
              *trays = damaged("dragonfly:h=2", "fail_trays=r1");
    const ik_fabric *f = all;
    assert_same_graph(all, again);
    assert_int_equal(all->num_findings, again->num_findings);
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (all->port_peer[port] != IK_NONE) {
            assert_int_equal(all->port_peer[port], racks->port_peer[port]);
            assert_int_equal(all->port_peer[port], trays->port_peer[port]);
        }
    ik_fabric_free(all);
    ik_fabric_free(again);
    ik_fabric_free(racks);
    ik_fabric_free(trays);
}

static ik_fabric *stand_on(floors *shared, const char *text, uint64_t seed)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_params params;
    const ik_shorthand *shorthand;
    const ik_env env = {.seed = seed};
    ik_fabric *f = NULL;
    assert_int_equal(ik_spec_parse(text, &arena, &spec, NULL), IK_OK);
    const ik_topology *t = ik_topology_find(spec.name, &shorthand);
    assert_int_equal(ik_params_from_spec(&params, "topology", &spec,
                                         shorthand ? shorthand->params : t->params,
                                         ik_topology_common_params, NULL),
                     IK_OK);
    assert_int_equal(topology_from_params(spec.name, &params, &env, shared, &f, NULL), IK_OK);
    ik_params_free(&params);
    ik_arena_free(&arena);
    return f;
}

/* Fabrics that differ in what has failed stand on one plan, and are what each is alone. */
static void plans_are_shared(void **state)
{
    static const struct {
        const char *spec;
        uint64_t seed;
        unsigned plans;
    } each[] = {
        {"jellyfish:N=30,d=4,p=6,fail_racks=1", 0, 1},
        {"jellyfish:N=30,d=4,p=6,fail_racks=2,fail_seed=4,fail=3%", 0, 1},
        {"jellyfish:N=30,d=4,p=6,fail_trays=50%,fail_switches=10%", 0, 1},
        {"jellyfish:N=30,d=4,p=6,fail_racks=r1c1", 0, 1},
        {"jellyfish:N=30,d=4,p=6,fail=3%", 0, 1}, /* needs none */
        {"jellyfish:N=30,d=4,p=6,fail_racks=1", 9, 2},
        {"jellyfish:N=30,d=4,p=6,seed=9,fail_racks=1", 9, 3},
        {"jellyfish:N=30,d=4,p=5,fail_racks=1", 0, 4},
        {"jellyfish:N=30,d=4,p=6,hosts=170,fail_racks=1", 0, 5},
        {"karytree:k=4,n=3,fail_racks=1", 0, 6},
        {"karytree:k=4,n=3,fail_racks=2", 0, 6},
    };
    floors shared = FLOORS_INIT;
    char text[300];
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        snprintf(text, sizeof text, "%s%s%s", each[i].spec,
                 strstr(each[i].spec, "_racks") ? ",floor=" : "",
                 strstr(each[i].spec, "_racks") ? floor_file() : "");
        ik_fabric *f = stand_on(&shared, text, each[i].seed),
                  *alone = stand_on(NULL, text, each[i].seed);
        unsigned plans = 0;
        for (const floors_item *item = shared.first; item; item = item->next) {
            plans += 1;
            assert_int_equal(item->users, 0);
        }
        /* the trays of the third stand on the default floor */
        assert_int_equal(plans, each[i].plans + (i >= 2));
        assert_same_graph(f, alone);
        assert_int_equal(f->num_findings, alone->num_findings);
        assert_string_equal(f->spec, alone->spec);
        ik_fabric_free(f);
        ik_fabric_free(alone);
    }
    floors_free(&shared);
}

static void refused(void **state)
{
    static const struct {
        const char *what, *text, *hint;
    } wrong[] = {
        {"fail_racks=r9c9", "there is no rack 'r9c9'", "r1c1, r1c2"},
        {"fail_racks=r1c1:r0c1", "there is no rack 'r0c1'", "r1c1, r1c2"},
        {"fail_racks=r1c01", "there is no rack 'r1c01'", "r1c1"},
        {"fail_racks=r1", "there is no rack 'r1'", "r1c1"},
        {"fail_racks=r1c1x", "there is no rack 'r1c1x'", "r1c1"},
        {"fail_racks=r4294967297c1", "there is no rack", "r1c1"},
        {"fail_racks=999", "more than the floor plan has", "racks: r1c1"},
        {"fail_racks=0.5", "neither a number nor a share", "5%"},
        {"fail_racks=-1", "neither a number nor a share", "5%"},
        {"fail_racks=101%", "neither a number nor a share", "5%"},
        {"fail_trays=r1c1", "there is no tray 'r1c1'", "trays: r1"},
        {"fail_trays=c99", "there is no tray 'c99'", "trays: r1"},
        {"fail_trays=9", "more than the floor plan has", "trays: r1"},
    };
    char spec[200];
    ik_error err;
    ik_fabric *f = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(spec, sizeof spec, "dragonfly:h=2,%s,floor=%s", wrong[i].what, floor_file());
        assert_int_equal(ik_fabric_from_spec(spec, &made_env, &f, &err), IK_ERR_USAGE);
        if (!strstr(err.text, wrong[i].text) || !strstr(err.hint, wrong[i].hint))
            fail_msg("%s: %s (%s)", wrong[i].what, err.text, err.hint);
    }
    /* a tray that no cable uses; seeds and floors without effect; no cable between racks */
    assert_int_equal(ik_fabric_from_spec("dragonfly:h=2,fail_trays=c1", &made_env, &f, &err),
                     IK_ERR_USAGE);
    assert_non_null(strstr(err.text, "with cables"));
    assert_int_equal(ik_fabric_from_spec("crossbar:n=4,fail_trays=1", &made_env, &f, &err),
                     IK_ERR_USAGE);
    assert_non_null(strstr(err.hint, "no cable of this fabric leaves its rack"));
    snprintf(spec, sizeof spec, "ring:n=4,floor=%s", floor_file());
    assert_int_not_equal(ik_fabric_from_spec(spec, &made_env, &f, &err), IK_OK);
    assert_int_not_equal(
        ik_fabric_from_spec("ring:n=4,fail_racks=1,floor=/none.yaml", &made_env, &f, &err), IK_OK);
    assert_null(f);
}

/* ---- losses of ik_resilience_measure */

static void losses_are_those_of_fabrics(void **state)
{
    static const struct {
        const char *text, *what;
    } wishes[] = {{"cables=10%", "fail=10%"},  {"switches=5%", "fail_switches=5%"},
                  {"racks=2", "fail_racks=2"}, {"racks=30%", "fail_racks=30%"},
                  {"trays=1", "fail_trays=1"}, {"racks=0", "fail_racks=0"}};
    enum { WISHES = sizeof wishes / sizeof *wishes, SEEDS = 3 };
    ik_loss losses[WISHES];
    ik_resilience_point points[WISHES * SEEDS];
    const ik_env env = {.seed = 1, .num_threads = 2};
    ik_fabric *f = fabric_of("dragonfly:h=2");
    ik_floor_plan *plan = racks_of(f);
    (void)state;
    for (size_t i = 0; i < WISHES; i++)
        assert_int_equal(ik_loss_read(wishes[i].text, &losses[i], NULL), IK_OK);
    const ik_resilience_config config = {losses, WISHES, SEEDS, "updown", NULL, plan};
    assert_int_equal(ik_resilience_measure(f, &config, &env, points, NULL), IK_OK);
    for (size_t i = 0; i < WISHES * SEEDS; i++) {
        const ik_resilience_point *p = &points[i];
        const size_t k = i / SEEDS;
        uint32_t lost = 0;
        char what[64];
        ik_distances d;
        snprintf(what, sizeof what, "%s,fail_seed=%u%s", wishes[k].what, (unsigned)p->seed,
                 k < 2 ? ",fail_racks=0" : "");
        ik_fabric *g = damaged("dragonfly:h=2", what);
        for (uint32_t h = 0; h < g->num_hosts; h++)
            lost += ik_host_cables(g, h) == 0;
        assert_int_equal(ik_distances_measure(g, NULL, &d, NULL), IK_OK);
        assert_int_equal(p->lost_hosts, lost);
        assert_true(p->mean_hops == d.mean_hops && p->proved);
        double left = f->num_hosts - lost, all = f->num_hosts;
        double share = (all * (all - 1) - (double)d.unconnected_pairs) / (left * (left - 1));
        assert_true(p->connected == share && share <= 1);
        assert_int_equal(lost > 0, k == 1 || k == 2 || k == 3);
        ik_distances_free(&d);
        ik_fabric_free(g);
    }
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

static void losses_as_text(void **state)
{
    static const char *const wrong[] = {
        "",           "x",          "racks",    "racks=",     "racks=0.5", "racks=-1",
        "racks=101%", "racks=r1c1", "cables=2", "switches=3", "=2%",       "doors=1"};
    static const char *const right[][2] = {
        {"2%", "2 %"},         {"0.02", "2 %"},
        {"cables=2%", "2 %"},  {"switches=2%", "2 % of switches"},
        {"racks=1", "1 rack"}, {"racks=5%", "5 % of racks"},
        {"trays=3", "3 trays"}};
    ik_loss loss;
    char text[48];
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(ik_loss_read(right[i][0], &loss, NULL), IK_OK);
        assert_string_equal(ik_loss_text(&loss, text, sizeof text), right[i][1]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_not_equal(ik_loss_read(wrong[i], &loss, NULL), IK_OK);
}

static void losses_that_are_none(void **state)
{
    static const ik_loss wrong[] = {{IK_LOSS_RACKS, true, 1},
                                    {IK_LOSS_RACKS, false, 0.1},
                                    {IK_LOSS_CABLES, true, 1},
                                    {IK_LOSS_SWITCHES, false, 2},
                                    {IK_LOSS_TRAYS, true, 1.5}};
    ik_resilience_point p;
    ik_fabric *f = fabric_of("dragonfly:h=2");
    ik_floor_plan *plan = racks_of(f);
    ik_error err;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const ik_resilience_config config = {&wrong[i], 1, 1, "updown", NULL, i < 2 ? NULL : plan};
        assert_int_equal(ik_resilience_measure(f, &config, NULL, &p, &err), IK_ERR_USAGE);
    }
    const ik_loss many = {IK_LOSS_RACKS, true, 1000};
    const ik_resilience_config config = {&many, 1, 1, "updown", NULL, plan};
    assert_int_equal(ik_resilience_measure(f, &config, NULL, &p, &err), IK_ERR_USAGE);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

/* Rails stand together: the plan of N networks is that of one whose switches are N times as high,
 * so that `fail_racks=` with such a floor says what a draw of `ikat design --rails` is. */
static void rails_are_higher_switches(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        ik_fabric *f = fabric_of(cases[i]);
        ik_floor_rules rules;
        ik_floor_plan *rails = NULL, *high = NULL;
        assert_int_equal(ik_floor_rules_read(floor_file(), &rules, NULL), IK_OK);
        assert_int_equal(ik_floor_plan_make(f, &rules, 3, &made_env, &rails, NULL), IK_OK);
        rules.switch_units *= 3;
        assert_int_equal(ik_floor_plan_make(f, &rules, 1, &made_env, &high, NULL), IK_OK);
        assert_int_equal(rails->num_racks, high->num_racks);
        for (uint32_t node = 0; node < ik_num_nodes(f); node++)
            assert_int_equal(rails->node_rack[node], high->node_rack[node]);
        ik_floor_plan_free(rails);
        ik_floor_plan_free(high);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(racks_are_what_stands_in_them),
        cmocka_unit_test(trays_are_what_lies_in_them),
        cmocka_unit_test(draws),
        cmocka_unit_test(draws_of_trays),
        cmocka_unit_test(nothing_fails),
        cmocka_unit_test(together),
        cmocka_unit_test(plans_are_shared),
        cmocka_unit_test(refused),
        cmocka_unit_test(losses_are_those_of_fabrics),
        cmocka_unit_test(losses_as_text),
        cmocka_unit_test(losses_that_are_none),
        cmocka_unit_test(rails_are_higher_switches),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(floor_file());
    return failed;
}
