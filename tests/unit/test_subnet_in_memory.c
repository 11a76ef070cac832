/* SPDX-License-Identifier: Apache-2.0
 *
 * Routings for a subnet manager in memory: what is made, kept and refused when the fabric changes.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "ikat/ikat.h"
#include "unit/part.h"

static ik_fabric *fabric_of(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

static bool between_switches(const ik_fabric *f, uint32_t port)
{
    return f->port_peer[port] != IK_NONE && ik_is_switch(f, ik_peer_node(f, port));
}

/* Without the n-th cable between switches. */
static ik_fabric *without_cable(const ik_fabric *f, unsigned n)
{
    ik_fabric *cut = NULL;
    uint32_t port = 0;
    while (!between_switches(f, port) || n-- > 0)
        port++;
    assert_int_equal(ik_fabric_degrade(f, &port, 1, NULL, 0, &cut, NULL), IK_OK);
    return cut;
}

/* The verdict is that of the judge on the tables that are there. */
static void check_proved(const ik_deployment *d)
{
    const ik_subnet_config config = {.replies = true, .management = true};
    ik_subnet_verdict v = {0};
    assert_true(d->proved);
    assert_ptr_equal(d->tables.lids, &d->lids);
    assert_ptr_equal(d->levels.lids, &d->lids);
    assert_int_equal(ik_subnet_judge(&d->tables, d->lanes > 1 ? &d->levels : NULL,
                                     d->lanes > 1 ? &d->vls : NULL, &config, NULL, &v, NULL),
                     IK_OK);
    assert_int_equal(v.deadlock_free, IK_YES);
    assert_int_equal(v.delivered + v.unconnected, v.pairs);
    assert_int_equal(v.missing_entries, 0);
    assert_int_equal(v.switch_undelivered, 0);
    ik_subnet_verdict_free(&v);
}

/* Entries by switch and LID that are not the same. */
static uint64_t count_differences(const ik_deployment *a, const ik_deployment *b)
{
    uint64_t differ = 0;
    assert_int_equal(a->lids.num, b->lids.num);
    for (size_t i = 0; i < (size_t)a->tables.num_switches * a->lids.num; i++)
        differ += a->tables.out[i] != b->tables.out[i];
    return differ;
}

static void test_reroutes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"rlft:ports=8,levels=2", "dmodc"},  {"rlft:ports=6,levels=3", "dmodc"},
        {"torus:dims=4:4", "updown"},        {"jellyfish:N=16,d=4,p=2", "nue"},
        {"torus:dims=5:5", "dfsssp"},        {"dragonfly:h=2", "lash"},
        {"hyperx:dims=3:3:3,p=1", "frugal"}, {"torus:dims=5:5,p=170", "dfsssp"}};
    size_t num = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < (all_asked() ? num : num - 1); i++) { /* the last has 4,250 hosts */
        ik_fabric *f = fabric_of(cases[i][0]), *cut = without_cable(f, 3);
        const ik_deploy_config config = {.routing = cases[i][1]};
        ik_deployment first = {0}, then = {0}, kept = {0};
        assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &first, NULL), IK_OK);
        check_proved(&first);
        assert_null(first.update.from);
        assert_int_equal(ik_deploy_in_memory(cut, &config, &first, NULL, &then, NULL), IK_OK);
        check_proved(&then);
        assert_int_equal(then.update.changed, count_differences(&first, &then));
        assert_true(then.update.changed > 0);
        assert_true(then.update.kept > 4 * then.update.changed);
        uint64_t pairs = 0;
        for (uint32_t a = 0; first.lanes > 1 && a < f->num_hosts; a++)
            for (uint32_t b = 0; b < f->num_hosts; b++)
                pairs += ik_host_switch(f, a) != ik_host_switch(f, b);
        assert_int_equal(then.update.levels_kept + then.update.levels_changed, pairs);
        assert_true(then.update.levels_kept >= 9 * then.update.levels_changed);
        /* with the cable back, what was made without it is proved; without it, the first tables
         * lead into it */
        assert_int_equal(ik_deploy_keep(f, &then, NULL, &kept, NULL), IK_OK);
        check_proved(&kept);
        assert_int_equal(count_differences(&then, &kept), 0);
        assert_int_equal(kept.lanes, then.lanes);
        ik_deployment_free(&kept);
        ik_error err;
        assert_int_equal(ik_deploy_keep(cut, &first, NULL, &kept, &err), IK_ERR_FAILED);
        assert_non_null(strstr(err.text, "not delivered"));
        ik_deployment_free(&first);
        ik_deployment_free(&then);
        ik_fabric_free(cut);
        ik_fabric_free(f);
    }
}

/* Frugal's own tables of this cluster differ in more than half of their entries after a cut cable:
 * what is installed is known to be the same routing's nevertheless, and most of it stays. */
static void test_reroute_of_unlike_tables(void **state)
{
    (void)state;
    const ik_deploy_config config = {.routing = "frugal"};
    ik_fabric *f = fabric_of("file:path=" TEST_DATA "/fabrics/clusters/endpoints.net.gz"),
              *cut = without_cable(f, 100);
    ik_deployment first = {0}, plain = {0}, then = {0};
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &first, NULL), IK_OK);
    assert_int_equal(ik_deploy_in_memory(cut, &config, NULL, NULL, &plain, NULL), IK_OK);
    assert_int_equal(ik_deploy_in_memory(cut, &config, &first, NULL, &then, NULL), IK_OK);
    check_proved(&then);
    assert_true(2 * count_differences(&first, &plain) > first.entries);
    assert_true(100 * then.update.changed < first.entries);
    ik_deployment_free(&first);
    ik_deployment_free(&plain);
    ik_deployment_free(&then);
    ik_fabric_free(cut);
    ik_fabric_free(f);
}

/* The switch that an entry leads to; IK_NONE: none; *here: the LID's port, or the switch itself. */
static uint32_t leads_to(const ik_lid_tables *t, uint32_t sw, uint32_t i, bool *here)
{
    const ik_fabric *f = t->lids->fabric;
    const ik_lid *lid = &t->lids->of[i];
    uint8_t out = ik_lid_tables_row(t, sw)[i];
    uint32_t port = out == IK_PORT_NONE || out == IK_PORT_SELF ? IK_NONE
                                                               : ik_port_of_number(f, sw, out),
             peer = port == IK_NONE ? IK_NONE : f->port_peer[port];
    *here = out == IK_PORT_SELF ? lid->node == sw : peer != IK_NONE && peer == lid->port;
    return peer == IK_NONE || !ik_is_switch(f, f->port_node[peer]) ? IK_NONE : f->port_node[peer];
}

static bool model_delivers(const ik_lid_tables *t, uint32_t sw, uint32_t i)
{
    bool here = false;
    for (uint32_t hops = 0; sw != IK_NONE && !here && hops <= t->num_switches; hops++)
        sw = leads_to(t, sw, i, &here);
    return here;
}

/* On the ways of hosts' packets, b has the entries of a. */
static void check_ways_of_hosts(const ik_lid_tables *a, const ik_lid_tables *b)
{
    const ik_fabric *f = a->lids->fabric;
    for (uint32_t i = 0; i < a->lids->num; i++)
        for (uint32_t h = 0; a->lids->of[i].port != IK_NONE && h < f->num_hosts; h++) {
            bool here = false;
            for (uint32_t sw = ik_host_switch(f, h); !here; sw = leads_to(a, sw, i, &here)) {
                assert_true(sw != IK_NONE);
                assert_int_equal(ik_lid_tables_row(a, sw)[i], ik_lid_tables_row(b, sw)[i]);
            }
        }
}

static void check_counts(const ik_deployment *then, const ik_lid_tables *old)
{
    ik_deploy_update u = {0};
    for (uint32_t sw = 0; sw < old->num_switches; sw++) {
        uint64_t changes = u.changed + u.added + u.removed;
        for (uint32_t i = 0; i < then->lids.num; i++) {
            uint8_t a = ik_lid_tables_row(old, sw)[i], b = ik_lid_tables_row(&then->tables, sw)[i];
            u.kept += a == b && a != IK_PORT_NONE;
            u.changed += a != b && a != IK_PORT_NONE && b != IK_PORT_NONE;
            u.added += a != b && a == IK_PORT_NONE;
            u.removed += a != b && b == IK_PORT_NONE;
        }
        u.switches += u.changed + u.added + u.removed > changes;
    }
    assert_int_equal(u.kept, then->update.kept);
    assert_int_equal(u.changed, then->update.changed);
    assert_int_equal(u.added, then->update.added);
    assert_int_equal(u.removed, then->update.removed);
    assert_int_equal(u.switches, then->update.switches);
}

/* Do entries lead by a port that no old entry of its switch leads to? */
static bool model_comes_back(const ik_lid_tables *t, const ik_lid_tables *old, uint32_t sw,
                             uint32_t i)
{
    bool here = false;
    for (uint32_t hops = 0; sw != IK_NONE && !here && hops <= t->num_switches; hops++) {
        uint8_t out = ik_lid_tables_row(t, sw)[i];
        if (out != IK_PORT_SELF && out != IK_PORT_NONE &&
            !memchr(ik_lid_tables_row(old, sw), out, t->lids->num))
            return true;
        sw = leads_to(t, sw, i, &here);
    }
    return false;
}

/* Complete tables have the routing's entries, and tables made from old ones those of the old that
 * lead to the LID on the fabric as it is now, unless complete tables lead by a port that no old
 * entry uses, beside entries of complete tables: everywhere, or, where these were completed anew,
 * on the ways of hosts. Returns whether everywhere. */
static bool check_entries(const ik_deployment *then, const ik_lid_tables *old)
{
    const ik_lid_tables was = {
        .lids = &then->lids, .num_switches = old->num_switches, .out = old->out};
    ik_lid_tables own = {0}, made = {0}, complete = {0};
    uint32_t unsafe = 0;
    size_t entries = (size_t)was.num_switches * then->lids.num;
    assert_true(then->update.repaired);
    assert_true(then->max_fill > 0 && then->max_fill <= 2 * then->own_max_fill);
    assert_int_equal(ik_lid_tables_of(then->plan->routing, &then->lids, NULL, &own, NULL), IK_OK);
    assert_int_equal(ik_lid_tables_complete(then->plan, &then->lids, NULL, &made, &unsafe, NULL),
                     IK_OK);
    check_ways_of_hosts(&own, &made);
    assert_int_equal(
        ik_lid_tables_complete(then->plan, &then->lids, NULL, &complete, &unsafe, NULL), IK_OK);
    for (uint32_t sw = 0; sw < was.num_switches; sw++)
        for (uint32_t i = 0; i < then->lids.num; i++)
            if (model_delivers(&was, sw, i) && !model_comes_back(&complete, &was, sw, i))
                ik_lid_tables_row(&made, sw)[i] = ik_lid_tables_row(&was, sw)[i];
    check_ways_of_hosts(&then->tables, &made);
    bool everywhere = memcmp(made.out, then->tables.out, entries) == 0;
    check_counts(then, &was);
    ik_lid_tables_free(&complete);
    ik_lid_tables_free(&made);
    ik_lid_tables_free(&own);
    return everywhere;
}

/* What stays and what changes, entry by entry: after each of some cuts, with the cable back, and
 * from installed tables that have lost some entries. Trees of more LIDs than are looked at
 * together, where some rows have no safe turn in the tables as the routing has them. */
static void test_entries(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"rlft:ports=6,levels=3", "dmodc"},
                                           {"rlft:ports=8,levels=3", "dmodc"},
                                           {"xgft:m=4:3:3,w=1:2:3", "updown"},
                                           {"pgft:m=4:4,w=1:2,p=1:2", "dmodc"}};
    unsigned everywhere = 0, all = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned n = 0; n < 24; n += 5) {
            if (threads_only() && n % 2 == 0) /* which are made on one thread */
                continue;
            ik_fabric *f = fabric_of(cases[i][0]), *cut = without_cable(f, n);
            const ik_deploy_config config = {.routing = cases[i][1]};
            const ik_env env = {.num_threads = 1 + n % 2};
            ik_deployment first = {0}, then = {0}, back = {0};
            assert_int_equal(ik_deploy_in_memory(f, &config, NULL, &env, &first, NULL), IK_OK);
            assert_int_equal(ik_deploy_in_memory(cut, &config, &first, &env, &then, NULL), IK_OK);
            everywhere += check_entries(&then, &first.tables);
            assert_int_equal(ik_deploy_in_memory(f, &config, &then, &env, &back, NULL), IK_OK);
            everywhere += check_entries(&back, &then.tables);
            assert_int_equal(back.max_paths, first.max_paths);
            ik_deployment_free(&then);
            size_t entries = (size_t)first.tables.num_switches * first.lids.num;
            for (size_t k = n; k < entries; k += entries / 7)
                first.tables.out[k] = IK_PORT_NONE;
            assert_int_equal(ik_deploy_in_memory(cut, &config, &first, &env, &then, NULL), IK_OK);
            everywhere += check_entries(&then, &first.tables);
            all += 3;
            ik_deployment_free(&then);
            ik_deployment_free(&back);
            ik_deployment_free(&first);
            ik_fabric_free(cut);
            ik_fabric_free(f);
        }
    assert_in_range(everywhere, all / 2, all - 1);
}

/* A dump of one switch with two hosts, the second of which may not be there yet. */
static ik_fabric *two_hosts(bool both, unsigned first, unsigned second)
{
    char text[1024];
    ik_fabric *f = NULL;
    ik_error err;
    snprintf(text, sizeof text,
             "Switch 3 \"S-10\" # \"s\" base port 0 lid 1 lmc 0\n"
             "[1] \"H-100\"[1](101) # \"h\" lid %u 4xEDR\n%s"
             "Ca 1 \"H-100\" # \"h\"\n[1](101) \"S-10\"[1] # lid %u lmc 1 \"s\" lid 1 4xEDR\n",
             first, both ? "[2] \"H-200\"[1](201) # \"i\" lid 5 4xEDR\n" : "", first);
    if (both) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length,
                 "Ca 1 \"H-200\" # \"i\"\n[1](201) \"S-10\"[2] # lid %u lmc 0 \"s\" lid 1 4xEDR\n",
                 second);
    }
    if (ik_fabric_read_memory(text, strlen(text), "dump", ik_format_find("ibnetdiscover"), NULL, &f,
                              &err) != IK_OK)
        fail_msg("%s", err.text);
    return f;
}

/* A host that boots later, and LIDs that are others then: entries are found by GUIDs, paths of LMC
 * one by one. */
static void test_new_host(void **state)
{
    (void)state;
    ik_fabric *one = two_hosts(false, 8, 0), *two = two_hosts(true, 10, 5);
    const ik_deploy_config config = {.routing = "updown"};
    ik_deployment first = {0}, then = {0}, kept = {0};
    assert_int_equal(ik_deploy_in_memory(one, &config, NULL, NULL, &first, NULL), IK_OK);
    assert_int_equal(first.lids.num, 3);
    assert_int_equal(ik_deploy_in_memory(two, &config, &first, NULL, &then, NULL), IK_OK);
    check_proved(&then);
    assert_int_equal(then.update.kept, 3);
    assert_int_equal(then.update.added, 1);
    assert_int_equal(then.update.changed + then.update.removed, 0);
    ik_error err;
    assert_int_equal(ik_deploy_keep(two, &first, NULL, &kept, &err), IK_ERR_FAILED);
    ik_deployment_free(&first);
    ik_deployment_free(&then);
    ik_fabric_free(one);
    ik_fabric_free(two);
}

/* Nobody has said a routing, and the comparison is to end: as soon as one is proved, it does, and
 * the best so far is taken. */
typedef struct counting {
    unsigned left; /* computations until the flag is raised */
    int enough;
} counting;

static void count_down(void *context, const char *what, uint64_t done, uint64_t total,
                       const char *unit)
{
    counting *c = context;
    (void)what, (void)unit;
    if (done == total && c->left > 0 && --c->left == 0)
        ik_cancel_raise(&c->enough);
}

static void test_best_so_far(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4");
    unsigned best = 0, whole = 0;
    for (unsigned n = 1; whole == 0; n++) {
        counting c = {.left = n};
        const ik_deploy_config config = {.enough = &c.enough};
        const ik_env env = {.progress = count_down, .progress_ctx = &c};
        ik_deployment d = {0};
        assert_int_equal(ik_deploy_in_memory(f, &config, NULL, &env, &d, NULL), IK_OK);
        check_proved(&d);
        unsigned compared = ik_routing_choice_compared(&d.choice);
        assert_true(compared > 0);
        whole = c.left > 0 ? compared : 0;
        best += whole == 0;
        ik_deployment_free(&d);
    }
    assert_true(best > 0 && whole > 1);
    ik_fabric_free(f);
}

static void test_enough(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4");
    int enough = 1, cancel = 1;
    const ik_deploy_config config = {.enough = &enough};
    const ik_env env = {.cancel = &cancel};
    ik_deployment d = {0};
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, &env, &d, NULL), IK_ERR_CANCELLED);
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
    assert_int_equal(ik_routing_choice_compared(&d.choice), 1); /* the first that is proved */
    ik_deployment_free(&d);
    enough = 0;
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
    check_proved(&d);
    assert_true(d.choice.num > 1);
    ik_deployment_free(&d);
    const ik_deploy_config loops = {.routing = "shortest", .vc = "1q"};
    ik_error err;
    assert_int_equal(ik_deploy_in_memory(f, &loops, NULL, NULL, &d, &err), IK_ERR_FAILED);
    assert_non_null(strstr(err.text, "credit loop"));
    ik_fabric_free(f);
}

/* A comparison that was stopped goes on, and what is better replaces what is
 * installed; a routing for which time does not suffice is noted, and not tried again. */
static void test_resumed(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4,p=2");
    int raised = 1;
    const ik_deploy_config config = {0}, enough = {.enough = &raised};
    const ik_env over = {.cancel = &raised};
    ik_deployment whole = {0}, first = {0}, then = {0};
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &whole, NULL), IK_OK);
    assert_false(whole.choice.stopped);
    for (unsigned turn = 0; turn < 2; turn++) {
        bool better = true;
        assert_int_equal(ik_deploy_in_memory(f, &enough, NULL, NULL, &first, NULL), IK_OK);
        assert_true(first.choice.stopped);
        assert_true(first.max_fill > whole.max_fill);
        unsigned known = first.choice.num;
        if (turn == 1) { /* one that takes too long */
            assert_int_equal(ik_deploy_resume(f, &config, &first, &over, &then, &better, NULL),
                             IK_OK);
            assert_false(better);
            assert_true(first.choice.stopped);
            assert_int_equal(first.choice.num, known + 1);
            assert_int_equal(first.choice.of[known].state, IK_COMPARED_TOO_LARGE);
        }
        assert_int_equal(ik_deploy_resume(f, &config, &first, NULL, &then, &better, NULL), IK_OK);
        assert_true(better);
        check_proved(&then);
        assert_false(then.choice.stopped);
        assert_int_equal(first.choice.num, 0);
        assert_true(then.choice.num == whole.choice.num);
        assert_true(then.max_fill < first.max_fill);
        if (turn == 0) {
            assert_string_equal(then.plan->routing->spec, whole.plan->routing->spec);
            assert_true(then.max_fill <= whole.max_fill);
        }
        assert_int_equal(ik_deploy_resume(f, &config, &then, NULL, &first, &better, NULL), IK_OK);
        assert_false(better); /* nothing is left */
        ik_deployment_free(&first);
        ik_deployment_free(&then);
    }
    ik_deployment_free(&whole);
    ik_fabric_free(f);
}

/* Where time suffices for comparing and not for making, the routing is given up, and what is
 * installed stays. */
static void test_resumed_too_late(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4,p=2");
    int raised = 1, never = 0;
    const ik_deploy_config enough = {.enough = &raised}, config = {.enough = &never};
    const ik_env over = {.cancel = &raised};
    ik_deployment first = {0}, then = {0};
    bool better = true;
    assert_int_equal(ik_deploy_in_memory(f, &enough, NULL, NULL, &first, NULL), IK_OK);
    uint32_t chosen = first.choice.chosen, given_up = 0;
    unsigned known = first.choice.num;
    assert_int_equal(ik_deploy_resume(f, &config, &first, &over, &then, &better, NULL), IK_OK);
    assert_false(better);
    assert_int_equal(first.choice.chosen, chosen);
    assert_false(first.choice.stopped);
    for (unsigned i = known; i < first.choice.num; i++)
        given_up += strstr(first.choice.of[i].why, "time limit") != NULL;
    assert_true(first.choice.num > known + 1);
    assert_int_equal(given_up, 1);
    ik_deployment_free(&first);
    ik_fabric_free(f);
}

/* A limit in processor time, so that other programs do not count. */
typedef struct time_limit {
    int half, over, end;
    double seconds;
} time_limit;

static void *run_time_limit(void *argument)
{
    time_limit *t = argument;
    const struct timespec nap = {.tv_nsec = 200000};
    double begin = ik_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    while (!ik_cancel_raised(&t->end) && !t->over) {
        double took = ik_clock_s(CLOCK_PROCESS_CPUTIME_ID) - begin;
        if (took > t->seconds / 2)
            ik_cancel_raise(&t->half);
        if (took > t->seconds)
            ik_cancel_raise(&t->over);
        nanosleep(&nap, NULL);
    }
    return NULL;
}

/* With a limit: installed, and that on a fabric without one of its cables. */
static ik_status reroute_in_time(const ik_fabric *cut, const ik_deployment *installed,
                                 double seconds, ik_deployment *out)
{
    time_limit limit = {.seconds = seconds};
    const ik_deploy_config config = {.routing = "dfsssp", .enough = &limit.half};
    const ik_env env = {.cancel = &limit.over};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_time_limit, &limit), 0);
    ik_status status = ik_deploy_in_memory(cut, &config, installed, &env, out, NULL);
    ik_cancel_raise(&limit.end);
    pthread_join(thread, NULL);
    return status;
}

/* Time that runs out while entries are kept on several lanes: the routing's own tables are proved
 * by then. */
static void test_kept_in_time(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=5:5,p=40"), *cut = without_cable(f, 3);
    const ik_deploy_config config = {.routing = "dfsssp"};
    ik_deployment first = {0}, then = {0};
    double begin = ik_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    unsigned own = 0;
    bool kept = false;
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &first, NULL), IK_OK);
    double seconds = (ik_clock_s(CLOCK_PROCESS_CPUTIME_ID) - begin) / 2;
    for (; !kept; seconds *= 1.2) {
        ik_status status = reroute_in_time(cut, &first, seconds, &then);
        if (status == IK_ERR_CANCELLED)
            continue;
        assert_int_equal(status, IK_OK);
        check_proved(&then);
        kept = then.update.repaired;
        own += !kept;
        ik_deployment_free(&then);
    }
    assert_true(own > 0);
    ik_deployment_free(&first);
    ik_fabric_free(cut);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_reroutes),     cmocka_unit_test(test_reroute_of_unlike_tables),
        cmocka_unit_test(test_entries),   on_one_thread(test_new_host),
        on_one_thread(test_best_so_far),  on_one_thread(test_enough),
        on_one_thread(test_resumed),      on_one_thread(test_resumed_too_late),
        on_one_thread(test_kept_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
