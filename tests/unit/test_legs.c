/* SPDX-License-Identifier: Apache-2.0
 *
 * test_legs.c: proofs leg by leg against proofs pair by pair, field by field, for every routing on
 * fabrics of every kind, whole and damaged; declarations that are false must not change what is
 * proved.
 */
#include "unit/part.h"
#include "unit/verify_helpers.h"

#include "vc/legs.h"

static unsigned by_legs; /* plans that were really proved so */

static ik_proof prove(const ik_plan *p, bool pairwise, unsigned threads)
{
    ik_proof proof;
    ik_error err = {0};
    ik_env env = {.num_threads = threads};
    ik_verify_config config = {.pairwise = pairwise};
    /* else trees are proved level by level, which test_levels.c compares */
    p->routing->traits &= ~(unsigned)(IK_ROUTE_ASCENDS_ALIKE | IK_ROUTE_ASCENDS_FULLY);
    if (ik_verify(p, &config, &env, &proof, &err) != IK_OK)
        fail_msg("%s on %s: %s", p->routing->spec, p->fabric->spec, err.text);
    return proof;
}

static void assert_equal_proofs(const ik_plan *p, const ik_proof *a, const ik_proof *b)
{
    if (a->dependencies != b->dependencies || a->max_hops != b->max_hops ||
        a->undelivered != b->undelivered || a->not_minimal != b->not_minimal ||
        a->num_path_lengths != b->num_path_lengths || a->vcs_used != b->vcs_used) {
        fail_msg("%s, %s on %s: %llu, %llu dependencies, %u, %u hops, %llu, %llu undelivered, "
                 "%llu, %llu not minimal, %u, %u VCs",
                 p->routing->spec, p->vc->spec, p->fabric->spec,
                 (unsigned long long)a->dependencies, (unsigned long long)b->dependencies,
                 a->max_hops, b->max_hops, (unsigned long long)a->undelivered,
                 (unsigned long long)b->undelivered, (unsigned long long)a->not_minimal,
                 (unsigned long long)b->not_minimal, a->vcs_used, b->vcs_used);
    }
    assert_same_proof(a, b);
    assert_int_equal(a->delivered, b->delivered);
    assert_int_equal(a->loop_free, b->loop_free);
    assert_int_equal(a->minimal, b->minimal);
    assert_int_equal(a->ordered, b->ordered);
    assert_true(a->mean_hops == b->mean_hops);
    assert_string_equal(a->deadlock_reason, b->deadlock_reason);
    assert_int_equal(a->lost_path_length, b->lost_path_length);
}

static void compare_destinations(const ik_plan *p)
{
    uint32_t *fast = NULL, *slow = NULL;
    ik_routing *r = p->routing;
    ik_routing_family undeclared = *r->family, *own = (ik_routing_family *)r->family;
    assert_int_equal(ik_destinations_count(p, &made_env, &fast, NULL), IK_OK);
    undeclared.legs = NULL;
    r->family = &undeclared;
    assert_int_equal(ik_destinations_count(p, &made_env, &slow, NULL), IK_OK);
    r->family = own;
    for (uint32_t port = 0; port < p->fabric->num_ports; port++) {
        if (fast[port] != slow[port]) {
            fail_msg("%s on %s: port %u has %u, %u destinations", r->spec, p->fabric->spec, port,
                     fast[port], slow[port]);
        }
    }
    free(fast);
    free(slow);
}

static void compare(const ik_fabric *f, const char *routing, const char *scheme, unsigned num_vcs)
{
    ik_plan *p = NULL;
    ik_error err = {0};
    ik_status status = ik_plan_from_specs(f, routing, scheme, NULL, num_vcs, &made_env, &p, &err);
    if (status == IK_ERR_UNSUPPORTED || status == IK_ERR_USAGE)
        return; /* the routing or the scheme does not serve this fabric */
    assert_int_equal(status, IK_OK);
    ik_proof fast, slow = prove(p, true, 2);
    if (!threads_only()) {
        fast = prove(p, false, 1);
        assert_equal_proofs(p, &slow, &fast);
        ik_proof_free(&fast);
    }
    if (legs_fit(p)) {
        fast = prove(p, false, 3);
        assert_equal_proofs(p, &slow, &fast);
        ik_proof_free(&fast);
        by_legs++;
    }
    ik_proof_free(&slow);
    if (p->routing->family->legs)
        compare_destinations(p);
    ik_plan_free(p);
}

static const struct {
    const char *vc; /* NULL: the routing's own */
    unsigned num_vcs;
} schemes[] = {{"1q", 0},  {"hopclass", 0}, {"phase", 0},   {NULL, 0},
               {"any", 0}, {"phase", 4},    {"hopclass", 8}};

static void compare_schemes(const char *fabric, const char *routing)
{
    ik_fabric *f = fabric_of(fabric);
    static unsigned drawn;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (drawn++ % as_many(1, 3, THREAD_SANITIZED ? 29 : 13) == 0) {
            /* every scheme comes up with every routing and every family, not with all of
                 * both */
            compare(f, routing, schemes[i].vc, schemes[i].num_vcs);
        }
    }
    ik_fabric_free(f);
}

/* Of each family a small fabric. */
static const char *const fabrics[] = {"karytree:k=2,n=3",
                                      "xgft:m=4:3:2,w=1:2:3",
                                      "pgft:m=4:4,w=1:2,p=1:2",
                                      "xgft:m=3:4,w=2:2",
                                      "slimfly:q=5",
                                      "mlfm:h=3",
                                      "oft:k=3",
                                      "sspt:r1=3,r2=2",
                                      "hyperx:dims=3:4",
                                      "jellyfish:N=20,d=4,p=2",
                                      "torus:dims=4:4",
                                      "mesh:dims=3:4",
                                      "hypercube:n=4",
                                      "dragonfly:h=2",
                                      "dragonflyplus:h=1",
                                      "polarfly:q=3",
                                      "fullmesh:n=6",
                                      "crossbar:n=5",
                                      "ring:n=7"};

static bool exists(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err;
    if (ik_fabric_from_spec(spec, &made_env, &f, &err) != IK_OK)
        return false;
    ik_fabric_free(f);
    return true;
}

static void every_routing_on_every_fabric(void **state)
{
    (void)state;
    bool all = all_asked();
    unsigned made = 0;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        if (!exists(fabrics[i])) {
            print_message("no fabric %s\n", fabrics[i]);
            continue;
        }
        made++;
        for (const ik_routing_family *const *r = ik_routings(); *r; r++) {
            bool matters = (*r)->legs || strcmp((*r)->name, "minimal") == 0;
            if ((matters || all) && strcmp((*r)->name, "lft") != 0 && strcmp((*r)->name, "ar") != 0)
                compare_schemes(fabrics[i], (*r)->name);
        }
    }
    assert_true(made >= sizeof fabrics / sizeof *fabrics - 2);
    assert_true(by_legs > as_many(40, 40, THREAD_SANITIZED ? 4 : 10));
}

static void every_variant_on_damaged_fabrics(void **state)
{
    (void)state;
    static const char *const routings[] = {"minimal",
                                           "valiant",
                                           "ugal_l",
                                           "valiant:paths=one",
                                           "ugal_l:intermediate=all",
                                           "valiant:intermediate=group",
                                           "ugal_l:intermediate=hosts,paths=one",
                                           "updown",
                                           "shortest",
                                           "dmodc"};
    static const char *const damaged[] = {
        "slimfly:q=5,fail=%u%%,fail_seed=%u",    "mlfm:h=3,fail=%u%%,fail_seed=%u",
        "oft:k=3,fail=%u%%,fail_seed=%u",        "dragonfly:h=2,fail=%u%%,fail_seed=%u",
        "torus:dims=4:4,fail=%u%%,fail_seed=%u", "karytree:k=3,n=3,fail=%u%%,fail_seed=%u",
        "hyperx:dims=3:3,fail=%u%%,fail_seed=%u"};
    unsigned seeds = all_asked() ? 12 : 2;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        for (unsigned seed = 1; seed <= seeds; seed++) {
            char spec[128];
            snprintf(spec, sizeof spec, damaged[i], seed * 23 % 70, seed);
            for (size_t k = 0; k < sizeof routings / sizeof *routings; k++)
                if ((i + seed + k) % as_many(1, 4, 4) == 0)
                    compare_schemes(spec, routings[k]);
        }
    }
}

/* ---- false declarations */

static const ik_legs *real;

static uint32_t real_num_headings(const ik_routing *r)
{
    return real->num_headings(r);
}

static void real_headings(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set)
{
    real->headings(r, src, dst, set);
}

/* One heading too few for one pair. */
static void lacking_headings(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set)
{
    real->headings(r, src, dst, set);
    if (src == 0 && dst == r->fabric->num_hosts - 1)
        set[0] &= set[0] - 1;
}

/* As many as there are, but not the ones. */
static void other_headings(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set)
{
    real->headings(r, src, dst, set);
    uint32_t sw = ik_host_switch(r->fabric, src);
    if (set[0] && sw < 64 && sw > 0)
        set[0] = (set[0] & (set[0] - 1)) | (uint64_t)1 << sw;
}

static void real_start(const ik_routing *r, uint32_t heading, ik_packet *pk)
{
    real->start(r, heading, pk);
}

static bool real_turns(const ik_routing *r, uint32_t heading, uint32_t sw)
{
    return real->turns(r, heading, sw);
}

static bool never_turns(const ik_routing *r, uint32_t heading, uint32_t sw)
{
    (void)r, (void)heading, (void)sw;
    return false;
}

static bool turns_late(const ik_routing *r, uint32_t heading, uint32_t sw)
{
    return heading != 3 && real->turns(r, heading, sw);
}

static void false_declarations_are_not_used(void **state)
{
    (void)state;
    static const ik_legs declared[] = {
        {real_num_headings, real_headings, real_start, real_turns},
        {real_num_headings, lacking_headings, real_start, real_turns},
        {real_num_headings, other_headings, real_start, real_turns},
        {real_num_headings, real_headings, real_start, never_turns},
        {real_num_headings, real_headings, real_start, turns_late}};
    static const char *const cases[][2] = {
        {"slimfly:q=5", "valiant"}, {"karytree:k=3,n=3", "oblivious"}, {"mlfm:h=3", "ugal_l"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i][0]);
        ik_plan *p = plan_of(f, cases[i][1], NULL, 0);
        ik_proof slow = prove(p, true, 2);
        const ik_routing_family *own = p->routing->family;
        real = own->legs;
        for (size_t k = 0; k < sizeof declared / sizeof *declared; k++) {
            ik_routing_family liar = *own;
            liar.legs = &declared[k];
            p->routing->family = &liar;
            ik_proof fast = prove(p, false, 2);
            assert_equal_proofs(p, &slow, &fast);
            ik_proof_free(&fast);
            p->routing->family = own;
        }
        ik_proof_free(&slow);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* ---- packets that are lost */

static const ik_routing_family *sound;
static unsigned lost_case;
static uint32_t lost_at;

/* As the sound one, but a switch beside the last host's has no route for some packets: those that
 * turn at that one, those that have turned and go there, or all that have turned and go on; or the
 * last host's for those that turn at switch 5. The way to where a packet turns is the same for all
 * destinations, as legs demand. */
static uint32_t lossy_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                           uint32_t *out, uint32_t *preferred)
{
    uint32_t end = ik_host_switch(r->fabric, r->fabric->num_hosts - 1),
             goal = ik_host_switch(r->fabric, pk->dst);
    bool lost[] = {pk->phase == 0 && pk->via == end, pk->phase == 1 && goal == end,
                   pk->phase == 1 && goal != sw, pk->phase == 0 && pk->via == 5};
    if (sw == (lost_case == 3 ? end : lost_at) && lost[lost_case])
        return 0;
    return sound->next(r, sw, in_port, pk, out, preferred);
}

static void lost_packets_are_noticed(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"slimfly:q=5", "valiant"},
                                           {"hyperx:dims=10:10,p=1", "valiant"},
                                           {"mlfm:h=3", "valiant"},
                                           {"slimfly:q=5", "ugal_l"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i][0]);
        ik_plan *p = plan_of(f, cases[i][1], NULL, 0);
        sound = p->routing->family;
        ik_routing_family lossy = *sound;
        lossy.next = lossy_next;
        p->routing->family = &lossy;
        uint32_t end = ik_host_switch(f, f->num_hosts - 1), port = f->port_base[end];
        while (!ik_is_switch(f, lost_at = ik_peer_node(f, port)))
            port++;
        for (lost_case = 0; lost_case < 4; lost_case++) {
            ik_proof slow = prove(p, true, 2), fast = prove(p, false, 1 + lost_case % 2);
            if (slow.delivered != IK_NO)
                fail_msg("%s, %s: case %u loses nothing", cases[i][0], cases[i][1], lost_case);
            assert_true(legs_fit(p));
            assert_equal_proofs(p, &slow, &fast);
            ik_proof_free(&slow);
            ik_proof_free(&fast);
        }
        p->routing->family = sound;
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* ---- limits */

static void memory_and_cancelling(void **state)
{
    (void)state;
    static const int raised = 1;
    ik_fabric *f = fabric_of("slimfly:q=5");
    ik_plan *p = plan_of(f, "ugal_l", "1q", 0);
    ik_error err = {0};
    ik_proof proof;
    ik_env small = {.memory_limit_bytes = 10000}, gone = {.cancel = &raised};
    assert_int_equal(ik_verify(p, NULL, &small, &proof, &err), IK_ERR_MEMORY);
    assert_non_null(strstr(err.text, "the limit is 9.77 KiB"));
    assert_int_equal(ik_verify(p, NULL, &gone, &proof, &err), IK_ERR_CANCELLED);
    ik_plan_free(p);
    ik_fabric_free(f);
}

typedef struct listener {
    unsigned reports, stop_at;
    int cancel;
} listener;

static void listen(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit)
{
    listener *l = ctx;
    assert_true(what && *what && unit && *unit);
    assert_true(done <= total && total > 0);
    if (++l->reports == l->stop_at)
        ik_cancel_raise(&l->cancel);
}

/* A proof by any method says what it counts; when it is told to stop, whatever it is doing, it
 * stops or has just come to its end.
 */
static void progress_is_reported(void **state)
{
    (void)state;
    static const char *const routings[] = {"ugal_l", "minimal", "updown"}, *const vcs[] = {
                                                                               "1q", "any", "1q"};
    ik_fabric *f = fabric_of("slimfly:q=5");
    for (size_t i = 0; i < 3; i++) {
        ik_plan *p = plan_of(f, routings[i], vcs[i], 0);
        unsigned reports = UINT32_MAX;
        for (unsigned stop_at = 0; stop_at <= reports && stop_at < 8; stop_at++) {
            listener l = {.stop_at = stop_at};
            ik_env env = {
                .num_threads = 2, .progress = listen, .progress_ctx = &l, .cancel = &l.cancel};
            ik_proof proof;
            ik_error err = {0};
            ik_status status = ik_verify(p, NULL, &env, &proof, &err);
            assert_true(status == IK_OK || (stop_at > 0 && status == IK_ERR_CANCELLED));
            reports = stop_at == 0 ? l.reports : reports;
            assert_true(reports > 0);
            if (status == IK_OK)
                ik_proof_free(&proof);
        }
        ik_plan_free(p);
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_routing_on_every_fabric),
        on_one_thread(every_variant_on_damaged_fabrics),
        on_one_thread(false_declarations_are_not_used),
        on_one_thread(lost_packets_are_noticed),
        cmocka_unit_test(memory_and_cancelling),
        cmocka_unit_test(progress_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
