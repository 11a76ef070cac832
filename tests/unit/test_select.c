/* SPDX-License-Identifier: Apache-2.0
 *
 * Selection functions and restricted adaptivity: the published examples, and the counts of
 * destinations per port. */
#include "unit/route_helpers.h"

#include <jansson.h>

/* Free space and queues by local port of one switch, in packets of one byte. */
typedef struct local {
    uint32_t first;
    int64_t credit[64], queued[64], capacity;
} local;

static int64_t credit(void *ctx, uint32_t channel, int vc)
{
    (void)vc;
    const local *l = ctx;
    return l->credit[channel - l->first];
}

static int64_t capacity(void *ctx, uint32_t channel, int vc)
{
    (void)channel, (void)vc;
    return ((local *)ctx)->capacity;
}

static int64_t queued(void *ctx, uint32_t channel, int vc)
{
    (void)vc;
    const local *l = ctx;
    return l->queued[channel - l->first];
}

static bool not_busy(void *ctx, uint32_t channel)
{
    (void)ctx, (void)channel;
    return false;
}

static uint32_t choose(const ik_routing *r, const char *selection, uint32_t sw, uint32_t src,
                       uint32_t dst, local *l, void *scratch)
{
    ik_selection *s = NULL;
    ik_view view = {l, credit, capacity, queued, not_busy, NULL, NULL};
    ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
    uint32_t out[MAX_PORTS], preferred, base = r->fabric->port_base[sw];
    ik_draw draw = {1, 2, 3};
    l->first = base;
    assert_int_equal(ik_selection_from_spec(r->fabric, selection, NULL, &s, NULL), IK_OK);
    uint32_t n = r->family->next(r, sw, base, &pk, out, &preferred);
    ik_select_request ask = {sw, &pk, 1, 0, &view, scratch, &draw};
    uint32_t i = s->family->pick(s, &ask, out, n, preferred);
    ik_selection_free(s);
    return i == IK_NONE ? IK_NONE : out[i] - base;
}

/* 4-ary 3-tree, a switch of stage 1, destination 27 = (1,2,3) in base 4: up ports are 4 to 7. */
static void preferences(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=3");
    ik_routing *r = routing_on(f, "adaptive_tree");
    uint32_t sw = 16 + 9; /* <1,(2,1)>: hosts 32 to 47 are below */
    uint64_t scratch[2] = {0};
    local l = {.capacity = 16};
    for (int i = 0; i < 8; i++)
        l.credit[i] = 4;
    assert_int_equal(choose(r, "first_free", sw, 36, 27, &l, scratch), 4);
    assert_int_equal(choose(r, "sadp", sw, 36, 27, &l, scratch), 4 + 2);
    assert_int_equal(choose(r, "sdp", sw, 36, 27, &l, scratch), 4 + 3);
    assert_int_equal(choose(r, "saop", sw, 36, 27, &l, scratch), 4 + 1); /* 36 = (2,1,0) */
    assert_int_equal(choose(r, "sop", sw, 36, 27, &l, scratch), 4 + 0);
    assert_int_equal(choose(r, "ssp", sw, 36, 27, &l, scratch), 4 + 1); /* o_0 of <1,(2,1)> */
    l.credit[6] = 0;
    assert_int_equal(choose(r, "sadp", sw, 36, 27, &l, scratch), 4 + 3);
    l.credit[4] = l.credit[5] = 0;
    l.credit[6] = 3;
    assert_int_equal(choose(r, "first_free", sw, 36, 27, &l, scratch), 4 + 2);
    assert_int_equal(choose(r, "most_credits", sw, 36, 27, &l, scratch), 4 + 3);
    l.queued[7] = 5;
    assert_int_equal(choose(r, "least_queued", sw, 36, 27, &l, scratch), 4 + 2);
    assert_int_equal(choose(r, "cyclic", sw, 36, 27, &l, scratch), 4 + 2);
    assert_int_equal(choose(r, "cyclic", sw, 36, 27, &l, scratch), 4 + 3);
    assert_int_equal(choose(r, "cyclic", sw, 36, 27, &l, scratch), 4 + 2);
    for (int i = 4; i < 8; i++)
        l.credit[i] = 0;
    static const char *const all[] = {"first_free",   "sadp",        "saop",   "sdp",
                                      "sop",          "ssp",         "cyclic", "random",
                                      "most_credits", "least_queued"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(choose(r, all[i], sw, 36, 27, &l, scratch), IK_NONE);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void random_is_uniform_among_free(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=2");
    ik_routing *r = routing_on(f, "adaptive_tree");
    ik_selection *s = NULL;
    local l = {.first = f->port_base[0], .capacity = 16, .credit = {9, 9, 9, 9, 0, 2, 1, 7}};
    ik_view view = {&l, credit, capacity, queued, not_busy, NULL, NULL};
    ik_packet pk = {.dst = 15};
    uint32_t out[MAX_PORTS], preferred, count[4] = {0};
    assert_int_equal(ik_selection_from_spec(f, "random", NULL, &s, NULL), IK_OK);
    uint32_t n = r->family->next(r, 0, 0, &pk, out, &preferred);
    assert_int_equal(n, 4);
    for (uint64_t i = 0; i < 3000; i++) {
        ik_draw draw = {1, 0, i};
        ik_select_request ask = {0, &pk, 1, 0, &view, NULL, &draw};
        count[s->family->pick(s, &ask, out, n, preferred)]++;
    }
    assert_int_equal(count[0], 0);
    for (int i = 1; i < 4; i++)
        assert_true(count[i] > 900 && count[i] < 1100);
    ik_selection_free(s);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static uint32_t trigger(const ik_routing *r, uint32_t dst, local *l, void *flags)
{
    ik_view view = {l, credit, capacity, queued, not_busy, NULL, NULL};
    ik_packet pk = {.src = r->fabric->num_hosts - 1, .dst = dst, .via = IK_NONE};
    uint32_t sw = ik_host_switch(r->fabric, pk.src), base = r->fabric->port_base[sw],
             out[MAX_PORTS], preferred;
    l->first = base;
    uint32_t n = r->family->next(r, sw, base, &pk, out, &preferred);
    return out[r->family->pick(r, sw, &pk, out, n, preferred, &view, flags)] - base - 6;
}

/* K = 6, delta = 3, destination 4, queues of 16: the D-mod-K port is 4, the only other allowed one
 * 1. */
static void thresholds(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("rlft:ports=12,levels=3");
    ik_routing *one = routing_on(f, "adaptive_tree:delta=3,triggering=th"),
               *two = routing_on(f, "adaptive_tree:delta=3,triggering=2th"),
               *none = routing_on(f, "adaptive_tree:delta=3,triggering=none");
    uint8_t flags[6 * 32] = {0}, unused[6 * 32] = {0};
    assert_non_null(one->family->pick);
    assert_int_equal(two->family->switch_state_bytes(two, ik_host_switch(f, 431)), sizeof flags);
    local l = {.capacity = 16};
    for (int i = 0; i < 12; i++)
        l.credit[i] = 16; /* ports that the filter excludes are never taken */
    l.credit[6 + 4] = 5;
    l.credit[6 + 1] = 9;
    assert_int_equal(trigger(none, 4, &l, unused), 1);
    assert_int_equal(trigger(one, 4, &l, unused), 4);
    assert_int_equal(trigger(two, 4, &l, flags), 4);
    l.credit[6 + 4] = 3;
    assert_int_equal(trigger(one, 4, &l, unused), 1);
    assert_int_equal(trigger(two, 4, &l, flags), 1);
    l.credit[6 + 4] = 6;
    assert_int_equal(trigger(one, 4, &l, unused), 4);
    assert_int_equal(trigger(two, 4, &l, flags), 1);
    l.credit[6 + 4] = 8;
    assert_int_equal(trigger(two, 4, &l, flags), 4);
    l.credit[6 + 4] = 6;
    assert_int_equal(trigger(two, 4, &l, flags), 4); /* the flag was cleared */
    l.credit[6 + 4] = 3;
    l.credit[6 + 1] = 4; /* not above the low threshold */
    assert_int_equal(trigger(one, 4, &l, unused), 4);
    assert_int_equal(trigger(two, 4, &l, flags), 4);
    l.credit[6 + 4] = l.credit[6 + 1] = 0;
    assert_int_equal(trigger(none, 4, &l, unused), 4);
    ik_routing_free(one);
    ik_routing_free(two);
    ik_routing_free(none);
    ik_fabric_free(f);
}

/* ---- destinations per port: Table 1 of Rocher-Gonzalez et al., corrected */

/* Marks every channel that a packet for dst may take from any other host. */
static void flood(const ik_routing *r, uint32_t dst, bool *used, bool *seen, uint32_t *queue)
{
    const ik_fabric *f = r->fabric;
    uint32_t head = 0, tail = 0, out[MAX_PORTS], preferred;
    memset(used, 0, f->num_ports);
    memset(seen, 0, f->num_switches);
    for (uint32_t src = 0; src < f->num_hosts; src++) {
        uint32_t port = f->port_base[ik_host_node(f, src)], sw = ik_peer_node(f, port);
        if (src == dst)
            continue;
        used[port] = true;
        if (!seen[sw]) {
            seen[sw] = true;
            queue[tail++] = sw;
        }
    }
    while (head < tail) {
        uint32_t sw = queue[head++];
        ik_packet pk = {.dst = dst, .via = IK_NONE};
        for (uint32_t n = r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred);
             n-- > 0;) {
            uint32_t to = ik_peer_node(f, out[n]);
            used[out[n]] = true;
            if (ik_is_switch(f, to) && !seen[to]) {
                seen[to] = true;
                queue[tail++] = to;
            }
        }
    }
}

/* "S2U": stage and direction of a channel; EU: from a host. */
static void column_of(const ik_fabric *f, uint32_t port, char *name)
{
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t node = f->port_node[port], level = 1;
    if (node >= f->num_switches) {
        strcpy(name, "EU");
        return;
    }
    while (node >= x->level_base[level + 1])
        level++;
    sprintf(name, "S%u%c", level,
            ik_port_local(f, port) < x->m[level - 1] * x->p[level - 1] ? 'D' : 'U');
}

static void check_table(const ik_fabric *f, const char *spec, json_t *columns, const char *what)
{
    ik_routing *r = routing_on(f, spec);
    bool *used = ik_calloc(f->num_ports, 1), *seen = ik_calloc(f->num_switches, 1);
    uint32_t *queue = ik_calloc(f->num_switches, sizeof *queue),
             *count = ik_calloc(f->num_ports, sizeof *count);
    for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
        flood(r, dst, used, seen, queue);
        for (uint32_t port = 0; port < f->num_ports; port++)
            count[port] += used[port];
    }
    const char *column, *number;
    json_t *hist, *ports;
    json_object_foreach(columns, column, hist)
    {
        size_t listed = 0, all = 0;
        char name[16];
        for (uint32_t port = 0; port < f->num_ports; port++) {
            column_of(f, port, name);
            all += strcmp(name, column) == 0;
        }
        json_object_foreach(hist, number, ports)
        {
            size_t found = 0;
            for (uint32_t port = 0; port < f->num_ports; port++) {
                column_of(f, port, name);
                found += strcmp(name, column) == 0 && count[port] == (uint32_t)atoi(number);
            }
            if (found != (size_t)json_integer_value(ports))
                fail_msg("%s (%s on %s): %zu ports of %s carry %s destinations, expected %lld",
                         what, spec, f->spec, found, column, number,
                         (long long)json_integer_value(ports));
            listed += found;
        }
        assert_int_equal(listed, all);
    }
    free(used);
    free(seen);
    free(queue);
    free(count);
    ik_routing_free(r);
}

/* "1S,K/D|D=2|alg1+" -> the routing that it stands for. */
static void spec_of(const char *key, char *spec, size_t size)
{
    unsigned delta = 1;
    const char *d = strstr(key, "D="), *stages = key[0] == '1' ? "1" : key[0] == '2' ? "2" : "all";
    if (d)
        sscanf(d, "D=%u", &delta);
    if (strncmp(key, "dmodk", 5) == 0)
        snprintf(spec, size, "dmodk");
    else
        snprintf(spec, size, "adaptive_tree:stages=%s,delta=%u%s,triggering=%s", stages, delta,
                 delta > 1 && strstr(key, "alg1") ? ",filter=destination" : "",
                 strstr(key, "alg1+") ? "th" : "none");
}

static void destinations_per_port(void **state)
{
    (void)state;
    json_error_t error;
    json_t *root = json_load_file(TEST_DATA "/topology/t6_table1.json", 0, &error), *cases, *one;
    assert_non_null(root);
    const char *tree_name, *key;
    size_t checked = 0;
    json_object_foreach(root, tree_name, cases)
    {
        unsigned k = 0;
        char spec[128];
        if (sscanf(tree_name, "K%u_N", &k) != 1)
            continue;
        snprintf(spec, sizeof spec, "rlft:ports=%u,levels=3", 2 * k);
        ik_fabric *f = fabric_of(spec);
        json_object_foreach(cases, key, one)
        {
            spec_of(key, spec, sizeof spec);
            check_table(f, spec, json_object_get(one, "enumerated_{count:ports}"), key);
            checked++;
        }
        ik_fabric_free(f);
    }
    json_object_foreach(json_object_get(root, "delta_not_dividing_K"), key, one)
    {
        unsigned k = 0;
        char spec[128];
        assert_int_equal(sscanf(key, "K%u|", &k), 1);
        snprintf(spec, sizeof spec, "rlft:ports=%u,levels=3", 2 * k);
        ik_fabric *f = fabric_of(spec);
        spec_of(strchr(key, '|') + 1, spec, sizeof spec);
        check_table(f, spec, one, key);
        ik_fabric_free(f);
        checked++;
    }
    assert_true(checked > 30);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preferences),
        cmocka_unit_test(random_is_uniform_among_free),
        cmocka_unit_test(thresholds),
        cmocka_unit_test(destinations_per_port),
    };
    return cmocka_run_group_tests_name("selection functions", tests, NULL, NULL);
}
