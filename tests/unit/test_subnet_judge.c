/* SPDX-License-Identifier: Apache-2.0
 *
 * test_subnet_judge.c: installed tables judged: against a recount packet by packet, against
 * ik_verify, and on tables with one defect of each kind.
 */
#include "unit/part.h"
#include "unit/subnet_model.h"

static ik_subnet_verdict judge(const ik_lid_tables *t, const ik_service_levels *sls,
                               const ik_sl2vl *vls, const ik_subnet_config *config,
                               unsigned threads)
{
    ik_subnet_verdict v;
    ik_error err = {0};
    ik_env env = {.num_threads = threads};
    if (ik_subnet_judge(t, sls, vls, config, &env, &v, &err) != IK_OK)
        fail_msg("%s", err.text);
    return v;
}

static void assert_same_verdict(const ik_subnet_verdict *a, const ik_subnet_verdict *b,
                                const ik_lid_tables *t)
{
    const ik_fabric *f = t->lids->fabric;
    assert_memory_equal(&a->pairs, &b->pairs,
                        offsetof(ik_subnet_verdict, lost_to) - offsetof(ik_subnet_verdict, pairs));
    assert_memory_equal(a->lost_to, b->lost_to, t->lids->num * sizeof *a->lost_to);
    assert_memory_equal(a->lost_from, b->lost_from, t->lids->num * sizeof *a->lost_from);
    assert_memory_equal(a->paths_over, b->paths_over, f->num_ports * sizeof *a->paths_over);
    assert_memory_equal(a->most_over, b->most_over, f->num_ports * sizeof *a->most_over);
    assert_int_equal(a->deadlock_free, b->deadlock_free);
    assert_int_equal(a->management_free, b->management_free);
    assert_int_equal(a->one_manager_free, b->one_manager_free);
    assert_int_equal(a->dependencies, b->dependencies);
    assert_int_equal(a->loop_length, b->loop_length);
    for (size_t i = 0; i < a->loop_length; i++) {
        assert_int_equal(a->loop[i].channel, b->loop[i].channel);
        assert_int_equal(a->loop[i].vl, b->loop[i].vl);
        assert_int_equal(a->loop[i].src, b->loop[i].src);
        assert_int_equal(a->loop[i].dst, b->loop[i].dst);
    }
}

/* Every step's path crosses its channel on its VL, and then the next step's. */
static void check_loop(const ik_lid_tables *t, const ik_service_levels *sls, const ik_sl2vl *vls,
                       const ik_subnet_verdict *v)
{
    ik_error err;
    for (size_t i = 0; i < v->loop_length; i++) {
        const ik_subnet_loop *a = &v->loop[i], *b = &v->loop[(i + 1) % v->loop_length];
        ik_subnet_way way;
        bool found = false;
        assert_int_equal(ik_subnet_walk(t, vls, a->src, a->dst, a->sl, &way, &err), IK_OK);
        for (size_t k = 0; k + 1 < way.num; k++)
            found |= way.hops[k].channel == a->channel && way.hops[k].vl == a->vl &&
                     way.hops[k + 1].channel == b->channel && way.hops[k + 1].vl == b->vl;
        assert_true(found);
        if (a->query)
            assert_int_equal(a->sl, 0);
        else if (!a->reply)
            assert_int_equal(a->sl, ik_sl_of(sls, a->src, a->dst));
        free(way.hops);
    }
}

/* What all that was checked came to. */
static uint64_t seen[IK_NUM_FATES], cyclic, acyclic;

static uint64_t one_free, one_cyclic;

static void check_queries(const ik_lid_tables *t, const ik_service_levels *sls, const ik_sl2vl *vls,
                          const model *m)
{
    const ik_subnet_config config = {.replies = m->config.replies, .management = true};
    ik_subnet_verdict v = judge(t, sls, vls, &config, 1), w = judge(t, sls, vls, &config, 4);
    model data = *m;
    size_t bytes = m->vertices * m->vertices * sizeof *m->waits;
    ik_verdict one = IK_YES;
    data.waits = malloc(bytes + 1);
    assert_same_verdict(&v, &w, t);
    memcpy(data.waits, m->waits, bytes);
    model_queries(&data, IK_NONE);
    size_t length = model_cycle(m), all = model_cycle(&data);
    assert_int_equal(v.loop_length, length ? length : all);
    assert_int_equal(v.management_free, all ? IK_NO : IK_YES);
    check_loop(t, sls, vls, &v);
    for (uint32_t i = 0; i < t->lids->num && one == IK_YES && !length; i++) {
        if (t->lids->of[i].port == IK_NONE || t->lids->of[i].path)
            continue;
        memcpy(data.waits, m->waits, bytes);
        model_queries(&data, i);
        one = model_cycle(&data) ? IK_NO : IK_YES;
    }
    assert_int_equal(v.one_manager_free, length ? IK_NO : one);
    ik_subnet_verdict_free(&w);
    w = judge(t, sls, vls, &(ik_subnet_config){m->config.replies, true, 0.5}, 1);
    assert_true(!all || one != IK_YES || length || w.one_manager_free == IK_UNKNOWN);
    one_free += all && one == IK_YES && !length;
    one_cyclic += one == IK_NO;
    free(data.waits);
    ik_subnet_verdict_free(&v);
    ik_subnet_verdict_free(&w);
}

/* A bound of the flows of a permutation: at least what both ends of the paths say; more where only
 * some sources of a switch cross the channel. */
static void assert_most(const model *m, uint32_t port, uint32_t most)
{
    const ik_fabric *f = m->t->lids->fabric;
    uint32_t nodes = ik_num_nodes(f), ends[2] = {0, 0}, of_switches = 0;
    const bool *row = m->crosses + (size_t)port * nodes * 2;
    for (uint32_t node = f->num_switches; node < nodes; node++) {
        uint32_t sw = ik_host_switch(f, ik_node_host(f, node));
        bool beside = false;
        for (uint32_t other = f->num_switches; other < nodes; other++)
            beside |= row[2 * (size_t)other] && ik_host_switch(f, ik_node_host(f, other)) == sw;
        ends[0] += row[2 * (size_t)node];
        ends[1] += row[2 * (size_t)node + 1];
        of_switches += beside;
    }
    if (f->port_node[port] >= f->num_switches)
        of_switches = ends[0];
    assert_true(most >= (ends[0] < ends[1] ? ends[0] : ends[1]));
    assert_int_equal(most, of_switches < ends[1] ? of_switches : ends[1]);
}

static void check_against_model(const ik_lid_tables *t, const ik_service_levels *sls,
                                const ik_sl2vl *vls, bool replies)
{
    const ik_subnet_config config = {.replies = replies};
    const ik_fabric *f = t->lids->fabric;
    ik_subnet_verdict v = judge(t, sls, vls, &config, 1), w = judge(t, sls, vls, &config, 3);
    model m = model_of(t, sls, vls, &config);
    const uint64_t fates[] = {v.delivered,  v.no_entry, v.dead_port,  v.loops,
                              v.wrong_port, v.dropped,  v.unconnected};
    uint64_t dependencies = 0;
    assert_same_verdict(&v, &w, t);
    for (int i = 0; i < IK_NUM_FATES; i++)
        assert_int_equal(fates[i], m.fates[i]);
    for (uint32_t port = 0; port < f->num_ports; port++)
        assert_int_equal(v.paths_over[port], m.loads[port]);
    for (uint32_t port = 0; port < f->num_ports; port++)
        assert_most(&m, port, v.most_over[port]);
    for (uint32_t i = 0; i < t->lids->num; i++) {
        assert_int_equal(v.lost_from[i], m.lost_from[i]);
        if (t->lids->of[i].port != IK_NONE)
            assert_int_equal(v.lost_to[i], m.lost_to[i]);
    }
    for (size_t i = 0; i < m.vertices * m.vertices; i++)
        dependencies += m.waits[i];
    assert_int_equal(v.dependencies, dependencies);
    assert_int_equal(v.vls_used, __builtin_popcount(m.used));
    assert_int_equal(v.max_hops, m.max_hops);
    assert_true(v.delivered == 0 || v.mean_hops == (double)m.hops / (double)v.delivered);
    assert_int_equal(v.loop_length, model_cycle(&m));
    assert_int_equal(v.deadlock_free, v.loop_length ? IK_NO : IK_YES);
    check_loop(t, sls, vls, &v);
    for (int i = 0; i < IK_NUM_FATES; i++)
        seen[i] += fates[i];
    cyclic += v.loop_length > 0;
    acyclic += v.loop_length == 0;
    check_queries(t, sls, vls, &m);
    model_free(&m);
    ik_subnet_verdict_free(&v);
    ik_subnet_verdict_free(&w);
}

/* ---- service levels and lanes of no sense */

static ik_service_levels random_levels(const ik_lids *lids, ik_rng *rng, unsigned sls)
{
    ik_service_levels s = {.lids = lids, .num_sources = 3, .num_dests = 4};
    s.source_of = calloc(lids->num, sizeof *s.source_of);
    s.dest_of = calloc(lids->num, sizeof *s.dest_of);
    s.sl = calloc(12, 1);
    for (uint32_t i = 0; i < lids->num; i++) {
        bool same = i && lids->of[i].path;
        s.source_of[i] = same ? s.source_of[i - 1] : ik_rng_below(rng, 3);
        s.dest_of[i] = ik_rng_below(rng, 4);
    }
    for (int i = 0; i < 12; i++)
        s.sl[i] = (uint8_t)ik_rng_below(rng, sls);
    return s;
}

static void levels_free(ik_service_levels *s)
{
    free(s->source_of);
    free(s->dest_of);
    free(s->sl);
}

static ik_sl2vl random_maps(const ik_fabric *f, ik_rng *rng, bool by_port, unsigned vls, bool drop)
{
    ik_sl2vl v = {.fabric = f, .num_maps = by_port ? 5 : 1};
    uint64_t entries = 0;
    v.map = calloc(v.num_maps, sizeof *v.map);
    for (uint32_t i = 0; i < v.num_maps; i++)
        for (int sl = 0; sl < IK_NUM_SLS; sl++)
            v.map[i][sl] = (uint8_t)(drop && ik_rng_below(rng, 9) == 0 ? IK_VL_MANAGEMENT
                                                                       : ik_rng_below(rng, vls));
    if (!by_port)
        return v;
    v.base = calloc(f->num_switches + 1, sizeof *v.base);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        v.base[sw] = entries;
        entries += (uint64_t)(ik_radix(f, sw) + 1) * (ik_radix(f, sw) + 1);
    }
    v.map_of = calloc(entries + 1, sizeof *v.map_of);
    for (uint64_t i = 0; i < entries; i++)
        v.map_of[i] = (uint16_t)ik_rng_below(rng, v.num_maps);
    v.host_map = calloc(f->num_ports, sizeof *v.host_map);
    for (uint32_t i = 0; i < f->num_ports; i++)
        v.host_map[i] = (uint16_t)ik_rng_below(rng, v.num_maps);
    return v;
}

static void maps_free(ik_sl2vl *v)
{
    free(v->map);
    free(v->base);
    free(v->map_of);
    free(v->host_map);
}

static const char *const fabrics[] = {
    "mesh:dims=3,p=2",       "torus:dims=5",           "torus:dims=3:3,p=2",
    "karytree:k=2,n=3",      "jellyfish:N=8,d=3,p=1",  "jellyfish:N=10,d=4,p=2",
    "torus:dims=4,fail=40%", "mesh:dims=4:2,fail=40%", "torus:dims=3,p=2,hosts=1"};

static void recounted_with_lanes(const ik_lid_tables *t, ik_rng *rng)
{
    const ik_fabric *f = t->lids->fabric;
    for (int kind = 0; kind < 4; kind++) {
        unsigned lanes = kind % 2 ? 4 : 2;
        ik_service_levels s = random_levels(t->lids, rng, lanes);
        ik_sl2vl v = random_maps(f, rng, kind >= 2, lanes, kind % 2);
        check_against_model(t, &s, &v, false);
        check_against_model(t, &s, &v, true);
        check_against_model(t, NULL, &v, false);
        check_against_model(t, &s, NULL, true);
        levels_free(&s);
        maps_free(&v);
    }
}

static void recounted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        if (threads_only() && i % 3) /* each does the same on its threads */
            continue;
        ik_fabric *f = fabric_of(fabrics[i]);
        for (unsigned lmc = 0; lmc < 2; lmc++) {
            ik_lids lids = made_lids(f, lmc);
            ik_lid_tables t = made_tables(&lids);
            ik_rng rng = ik_rng_at(7, IK_RNG_TEST, i);
            check_against_model(&t, NULL, NULL, false);
            recounted_with_lanes(&t, &rng);
            damage(&t, &rng, 6 + lids.num / 4);
            check_against_model(&t, NULL, NULL, false);
            recounted_with_lanes(&t, &rng);
            free(t.out);
            free(lids.of);
        }
        ik_fabric_free(f);
    }
    for (int i = 0; i < IK_NUM_FATES && !threads_only(); i++)
        assert_true(seen[i] > 20);
    assert_true(threads_only() || (cyclic > 20 && acyclic > 20 && one_free > 0 && one_cyclic > 0));
}

/* More LIDs at each switch than are judged together, with the end of a group between those of a
 * port; then with entries for single LIDs of ports that lead another way than the rest: a port is
 * one destination of a channel all the same. */
static void counts_a_port_once(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4,p=18");
    ik_lids lids = made_lids(f, 1);
    ik_lid_tables t = made_tables(&lids);
    ik_rng rng = ik_rng_at(11, IK_RNG_TEST, 0);
    uint32_t last = f->num_switches + 30; /* the 32nd, with its switch's */
    assert_int_equal(lids.of[last].port, lids.of[last + 1].port);
    assert_int_equal(ik_peer_node(f, lids.of[last + 1].port),
                     ik_peer_node(f, lids.of[last + 4].port));
    check_against_model(&t, NULL, NULL, false);
    for (uint32_t detours = 2; detours <= 32; detours *= 16) {
        damage(&t, &rng, detours);
        check_against_model(&t, NULL, NULL, false);
    }
    free(t.out);
    free(lids.of);
    ik_fabric_free(f);
}

/* ---- against ik_verify */

/* One class a host: the lane that a VC scheme gives a packet when it is injected. */
static ik_service_levels levels_of(const ik_plan *p, const ik_lids *lids)
{
    uint32_t hosts = p->fabric->num_hosts;
    ik_service_levels s = {.lids = lids, .num_sources = hosts, .num_dests = hosts};
    s.source_of = calloc(lids->num, sizeof *s.source_of);
    s.dest_of = calloc(lids->num, sizeof *s.dest_of);
    s.sl = calloc((size_t)hosts * hosts, 1);
    for (uint32_t i = 0; i < lids->num; i++)
        if (lids->of[i].port != IK_NONE)
            s.source_of[i] = s.dest_of[i] = ik_node_host(p->fabric, lids->of[i].node);
    for (uint32_t src = 0; src < hosts; src++)
        for (uint32_t dst = 0; dst < hosts; dst++) {
            ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
            if (src == dst)
                continue;
            p->vc->family->inject(p->vc, &pk);
            s.sl[(size_t)src * hosts + dst] = pk.vc;
        }
    return s;
}

static ik_sl2vl identity(const ik_fabric *f)
{
    ik_sl2vl v = {.fabric = f, .num_maps = 1, .map = calloc(1, sizeof *v.map)};
    for (int sl = 0; sl < IK_NUM_SLS; sl++)
        v.map[0][sl] = (uint8_t)sl;
    return v;
}

static void compare(const ik_plan *p, const ik_lid_tables *t, const ik_service_levels *sls,
                    bool lanes)
{
    ik_proof proof;
    ik_error err = {0};
    ik_sl2vl vls = identity(p->fabric);
    if (ik_verify(p, NULL, &made_env, &proof, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_subnet_verdict v = judge(t, lanes ? sls : NULL, lanes ? &vls : NULL, NULL, 2);
    assert_int_equal(v.pairs, proof.pairs);
    assert_int_equal(v.loops, proof.loops);
    assert_int_equal(v.pairs - v.delivered - v.unconnected, proof.undelivered);
    assert_int_equal(v.unconnected, proof.unconnected);
    assert_int_equal(v.deadlock_free, proof.deadlock_free);
    assert_int_equal(v.loop_length, proof.witness_length);
    if (!proof.undelivered) {
        assert_int_equal(v.max_hops, proof.max_hops);
        assert_true(v.mean_hops > proof.mean_hops - 1e-9 && v.mean_hops < proof.mean_hops + 1e-9);
        assert_int_equal(v.dependencies, proof.dependencies);
    }
    ik_proof_free(&proof);
    ik_subnet_verdict_free(&v);
    maps_free(&vls);
}

static void same_as_verify(void **state)
{
    static const char *const cases[][3] = {
        {"torus:dims=5", "shortest", NULL},
        {"torus:dims=5:5,p=2", "shortest", "lash"},
        {"torus:dims=5:5", "dfsssp", NULL},
        {"torus:dims=4:4:2", "shortest", "lash:pairs=both"},
        {"torus:dims=4:4", "nue", NULL},
        {"jellyfish:N=16,d=4,p=2", "updown", NULL},
        {"jellyfish:N=24,d=5,p=1", "shortest", NULL},
        {"jellyfish:N=24,d=5,p=1", "dfsssp", NULL},
        {"karytree:k=3,n=3", "dmodc", NULL},
        {"xgft:m=4:4:2,w=1:2:2,fail=20%", "dmodc", NULL},
        {"xgft:m=4:4:2,w=1:2:2,fail=40%", "updown", NULL},
        {"mesh:dims=4:4,fail=30%,fail_seed=4", "shortest", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i][0]);
        ik_plan *p = plan_of(f, cases[i][1], cases[i][2], 0);
        ik_lids lids = made_lids(f, 0);
        ik_lid_tables t = made_tables(&lids);
        ik_service_levels sls = levels_of(p, &lids);
        ik_error err;
        uint16_t *lft;
        assert_int_equal(ik_lft_compile(p->routing, NULL, &lft, &err), IK_OK);
        put_lft(&t, lft);
        compare(p, &t, &sls, p->num_vcs > 1);
        free(lft);
        levels_free(&sls);
        free(t.out);
        free(lids.of);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* Entries of the routing's own tables are overwritten. */
static void same_as_verify_on_wrong_tables(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        ik_fabric *f = fabric_of(seed % 2 ? "jellyfish:N=12,d=3,p=2" : "torus:dims=4:3,p=1");
        ik_plan *p = plan_of(f, "shortest", "1q", 1);
        ik_lids lids = made_lids(f, 0);
        ik_lid_tables t = made_tables(&lids);
        ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 1);
        for (uint32_t i = 0; i < seed; i++) {
            uint32_t sw = ik_rng_below(&rng, f->num_switches),
                     dst = ik_rng_below(&rng, f->num_hosts);
            p->routing->lft[(size_t)sw * f->num_hosts + dst] =
                ik_rng_below(&rng, 4) ? (uint16_t)ik_rng_below(&rng, ik_radix(f, sw)) : 0xFFFF;
        }
        put_lft(&t, p->routing->lft);
        compare(p, &t, NULL, false);
        free(t.out);
        free(lids.of);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* ---- one defect of each kind: three switches in a row, a host at each. Indexes of LIDs: switches
 * 0 to 2, hosts 3 to 5. */

typedef struct row {
    ik_fabric *f;
    ik_lids lids;
    ik_lid_tables t;
} row;

static row row_of_three(void)
{
    row r = {.f = fabric_of("mesh:dims=3")};
    r.lids = made_lids(r.f, 0);
    return r;
}

/* The verdict after `entry` of switch sw for LID index dst was put in. */
static ik_subnet_verdict with_entry(row *r, uint32_t sw, uint32_t dst, unsigned entry)
{
    const ik_subnet_config config = {.management = true};
    r->t = made_tables(&r->lids);
    r->t.lids = &r->lids;
    ik_lid_tables_row(&r->t, sw)[dst] = (uint8_t)entry;
    return judge(&r->t, NULL, NULL, &config, 2);
}

static unsigned number_to(const ik_fabric *f, uint32_t sw, uint32_t node)
{
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
        if (ik_peer_node(f, port) == node)
            return ik_port_number(f, port);
    return IK_PORT_NONE;
}

static void assert_lost(const ik_subnet_verdict *v, ik_fate fate, uint32_t src, uint32_t dst)
{
    assert_int_equal(v->pairs, 6);
    assert_int_equal(v->delivered, 4);
    assert_int_equal(v->first[fate].src, src);
    assert_int_equal(v->first[fate].dst, dst);
    assert_int_equal(v->first_bad_src, src);
    assert_int_equal(v->first_bad_dst, dst);
    assert_int_equal(v->lost_to[dst], 2);
}

static void one_defect_each(void **state)
{
    (void)state;
    row r = row_of_three();
    /* nothing is wrong: paths of 1, 1, 2 hops both ways */
    ik_subnet_verdict v = with_entry(&r, 0, 0, IK_PORT_SELF);
    assert_int_equal(v.delivered, 6);
    assert_int_equal(v.first_bad_src, IK_NONE);
    assert_int_equal(v.dead_entries + v.missing_entries + v.switch_undelivered, 0);
    assert_int_equal(v.deadlock_free, IK_YES);
    assert_int_equal(v.management_free, IK_YES);
    assert_int_equal(v.max_hops, 2);
    assert_true(v.mean_hops > 1.333 && v.mean_hops < 1.334);
    assert_int_equal(v.vls_used, 1);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    /* the middle switch has no entry for the last host, whom nobody but itself reaches; switches 0
     * and 1 cannot answer it */
    v = with_entry(&r, 1, 5, IK_PORT_NONE);
    assert_lost(&v, IK_FATE_NO_ENTRY, 3, 5);
    assert_int_equal(v.no_entry, 2);
    assert_int_equal(v.missing_entries, 1);
    assert_int_equal(v.switch_undelivered, 2);
    assert_int_equal(v.switches_unreached, 2);
    assert_int_equal(v.lost_from[3] + v.lost_from[4], 2);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    /* a port that the switch has not */
    v = with_entry(&r, 1, 5, 200);
    assert_lost(&v, IK_FATE_DEAD_PORT, 3, 5);
    assert_int_equal(v.dead_port, 2);
    assert_int_equal(v.dead_entries, 1);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    /* back to where it came from: a loop of two channels, which is a cycle of dependencies */
    v = with_entry(&r, 1, 5, number_to(r.f, 1, 0));
    assert_lost(&v, IK_FATE_LOOP, 3, 5);
    assert_int_equal(v.loops, 2);
    assert_int_equal(v.deadlock_free, IK_NO);
    assert_int_equal(v.loop_length, 2);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    /* to the middle switch's own host */
    v = with_entry(&r, 1, 5, number_to(r.f, 1, 4));
    assert_lost(&v, IK_FATE_WRONG_PORT, 3, 5);
    assert_int_equal(v.wrong_port, 2);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    /* the middle switch does not know its own LID: no host's query arrives */
    v = with_entry(&r, 1, 1, IK_PORT_NONE);
    assert_int_equal(v.delivered, 6);
    assert_int_equal(v.switch_undelivered, 3);
    assert_int_equal(v.switches_unreached, 1);
    assert_int_equal(v.lost_to[1], 3);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    free(r.lids.of);
    ik_fabric_free(r.f);
}

/* Packets on the SL of one pair are dropped at the middle switch. */
static void one_pair_is_dropped(void **state)
{
    (void)state;
    row r = row_of_three();
    uint8_t map[1][IK_NUM_SLS] = {{0, IK_VL_MANAGEMENT}}, sl[9] = {0};
    uint32_t class_of[6] = {0, 0, 0, 0, 1, 2};
    ik_service_levels s = {&r.lids, 3, 3, class_of, class_of, sl};
    ik_sl2vl vls = {.fabric = r.f, .map = map, .num_maps = 1};
    r.t = made_tables(&r.lids);
    sl[0 * 3 + 2] = 1;
    ik_subnet_verdict v = judge(&r.t, &s, &vls, NULL, 1);
    assert_int_equal(v.dropped, 1);
    assert_int_equal(v.delivered, 5);
    assert_int_equal(v.first[IK_FATE_DROPPED].src, 3);
    assert_int_equal(v.first[IK_FATE_DROPPED].dst, 5);
    ik_subnet_verdict_free(&v);
    /* and the replies to it */
    v = judge(&r.t, &s, &vls, &(ik_subnet_config){.replies = true}, 1);
    assert_int_equal(v.dropped, 2);
    ik_subnet_verdict_free(&v);
    free(r.t.out);
    free(r.lids.of);
    ik_fabric_free(r.f);
}

/* The second path of every port goes round a ring, the first does not: only all paths together
 * show the cycle. */
static void a_loop_of_second_paths(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=5");
    ik_lids lids = made_lids(f, 1);
    ik_lid_tables t = made_tables(&lids);
    for (uint32_t i = 0; i < lids.num; i++) {
        const ik_lid *d = &lids.of[i];
        uint32_t to = d->port == IK_NONE ? d->node : ik_peer_node(f, d->port);
        for (uint32_t sw = 0; sw < 5; sw++)
            if (sw != to)
                ik_lid_tables_row(&t, sw)[i] = (uint8_t)number_to(f, sw,
                                                                  d->path   ? (sw + 1) % 5
                                                                  : sw < to ? sw + 1
                                                                            : sw - 1);
    }
    ik_subnet_verdict v = judge(&t, NULL, NULL, &(ik_subnet_config){.management = true}, 1);
    assert_int_equal(v.pairs, 5 * 8);
    assert_int_equal(v.delivered, 5 * 8);
    assert_int_equal(v.deadlock_free, IK_NO);
    assert_int_equal(v.loop_length, 5);
    bool second = false;
    for (size_t i = 0; i < v.loop_length; i++)
        second |= lids.of[v.loop[i].dst].path == 1;
    assert_true(second);
    ik_subnet_verdict_free(&v);
    for (uint32_t i = 0; i < lids.num; i++) /* all as the first path */
        for (uint32_t sw = 0; lids.of[i].path && sw < 5; sw++)
            ik_lid_tables_row(&t, sw)[i] = ik_lid_tables_row(&t, sw)[i - 1];
    v = judge(&t, NULL, NULL, &(ik_subnet_config){.management = true}, 1);
    assert_int_equal(v.deadlock_free, IK_YES);
    assert_int_equal(v.management_free, IK_YES);
    ik_subnet_verdict_free(&v);
    free(t.out);
    free(lids.of);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recounted),
        cmocka_unit_test(counts_a_port_once),
        cmocka_unit_test(same_as_verify),
        cmocka_unit_test(same_as_verify_on_wrong_tables),
        cmocka_unit_test(one_defect_each),
        cmocka_unit_test(one_pair_is_dropped),
        cmocka_unit_test(a_loop_of_second_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
