/* SPDX-License-Identifier: Apache-2.0
 *
 * Floor plans: lengths worked out by hand on small fabrics, where families stand, what holds of
 * every plan of every family, and what is refused.
 */
#include "unit/made.h"

/* The defaults, with racks of so many units. */
static ik_floor_rules rules_of(uint32_t rack_units, uint32_t host_units)
{
    ik_floor_rules rules;
    assert_int_equal(ik_floor_rules_read(NULL, &rules, NULL), IK_OK);
    rules.rack_units = rack_units;
    rules.host_units = host_units;
    return rules;
}

static ik_floor_plan *floor_of(const ik_fabric *f, const ik_floor_rules *rules, uint32_t planes)
{
    ik_floor_plan *plan = NULL;
    ik_error err = {0};
    if (ik_floor_plan_make(f, rules, planes, &made_env, &plan, &err) != IK_OK)
        fail_msg("%s: %s (%s)", f->spec, err.text, err.hint);
    return plan;
}

/* Two switches with two hosts each, in two racks of 4 U: hosts on units 1 and 2, the switch on unit
 * 4. Middles of units 1, 2 and 4 are 22, 66 and 155 mm high, the tray 177 + 500 mm. */
static void lengths_by_hand(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("fullmesh:n=2,p=2");
    ik_floor_rules rules = rules_of(4, 1);
    ik_floor_plan *plan = floor_of(f, &rules, 1);
    assert_int_equal(plan->num_racks, 2);
    assert_int_equal(plan->rows, 1);
    assert_int_equal(plan->node_unit[0], 4);
    assert_int_equal(plan->node_unit[ik_host_node(f, 1)], 2);
    assert_int_not_equal(plan->node_rack[0], plan->node_rack[1]);
    uint32_t near = f->port_base[ik_host_node(f, 0)], far = f->port_base[ik_host_node(f, 1)];
    assert_int_equal(ik_floor_route_mm(plan, f, near), 155 - 22 + 1000);
    assert_int_equal(ik_floor_route_mm(plan, f, far), 155 - 66 + 1000);
    assert_int_equal(ik_floor_cable_mm(plan, f, near), 1500);
    /* up, along the row and down: 2 * (677 - 155) + 600, and slack */
    uint32_t between = f->port_base[0] + 2;
    assert_int_equal(ik_floor_route_mm(plan, f, between), 2 * 522 + 600 + 1000);
    assert_int_equal(plan->cables[IK_CABLE_COPPER], 5);
    assert_int_equal(plan->length_mm[IK_CABLE_COPPER], 4 * 1500 + 3000);
    assert_int_equal(plan->inside_racks, 4);
    assert_int_equal(plan->found_mm, 2 * (1133 + 1089) + 2644);
    ik_floor_plan_free(plan);
    /* one rack per row, so that the cable crosses an aisle and is too long for copper */
    rules.row_racks = 1;
    plan = floor_of(f, &rules, 1);
    assert_int_equal(plan->rows, 2);
    assert_int_equal(ik_floor_route_mm(plan, f, between), 2 * 522 + 2400 + 1000);
    assert_int_equal(plan->cables[IK_CABLE_OPTICAL], 1);
    assert_int_equal(plan->longest_mm, 4500);
    ik_floor_plan_free(plan);
    /* two planes: two switches of 1 U stand where there was one, above no free unit */
    rules = rules_of(4, 1);
    plan = floor_of(f, &rules, 2);
    assert_int_equal(plan->node_unit[0], 3);
    assert_int_equal(plan->racks[0].used_units, 4);
    assert_int_equal(plan->racks[0].switches, 2);
    assert_int_equal(plan->cables[IK_CABLE_COPPER] + plan->cables[IK_CABLE_OPTICAL], 10);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

/* A switch with more hosts than a rack holds stands in the middle one of its racks. */
static void high_blocks(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("crossbar:n=11");
    ik_floor_rules rules = rules_of(4, 1);
    ik_floor_plan *plan = floor_of(f, &rules, 1);
    assert_int_equal(plan->num_racks, 3);
    uint32_t racks[3] = {0};
    for (uint32_t h = 0; h < 11; h++)
        racks[plan->node_rack[ik_host_node(f, h)]]++;
    assert_int_equal(racks[plan->node_rack[0]], 3);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

static void families_stand_as_declared(void **state)
{
    (void)state;
    /* a tree: the rack of the top level is the middle one of the row */
    ik_fabric *f = fabric_of("xgft:m=4:4,w=1:2");
    ik_floor_rules rules = rules_of(5, 1);
    rules.rows = 1;
    ik_floor_plan *plan = floor_of(f, &rules, 1);
    assert_int_equal(plan->num_racks, 5);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        assert_int_equal(plan->node_rack[sw] == 2, f->switch_level[sw] == 2);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
    /* Slim Fly: a column of each subgraph in each of q racks */
    f = fabric_of("slimfly:q=5");
    rules = rules_of(42, 1);
    plan = floor_of(f, &rules, 1);
    assert_int_equal(plan->num_racks, 5);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        assert_int_equal(plan->node_rack[sw], plan->node_rack[sw / 5 % 5 * 5]);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
    /* a grid: a rack holds four neighbours of a row or column, or a square of them */
    f = fabric_of("mesh:dims=4:4");
    rules = rules_of(8, 1);
    plan = floor_of(f, &rules, 1);
    assert_int_equal(plan->num_racks, 4);
    assert_true(plan->inside_racks >= 16 + 4 * 3);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

static void check_units(const ik_fabric *f, const ik_floor_plan *plan)
{
    const ik_floor_rules *rules = &plan->rules;
    uint32_t *owner = calloc((size_t)plan->num_racks * rules->rack_units + 1, sizeof *owner);
    uint32_t *used = calloc(plan->num_racks + 1, sizeof *used);
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        bool is_switch = ik_is_switch(f, node);
        uint32_t units = is_switch ? plan->planes * rules->switch_units : rules->host_units;
        assert_in_range(plan->node_rack[node], 0, plan->num_racks - 1);
        assert_in_range(plan->node_unit[node], 1, rules->rack_units + 1 - units);
        for (uint32_t u = 0; u < units; u++) {
            uint32_t *at =
                &owner[plan->node_rack[node] * rules->rack_units + plan->node_unit[node] - 1 + u];
            assert_int_equal(*at, 0);
            *at = node + 1;
        }
        used[plan->node_rack[node]] += units;
    }
    for (uint32_t r = 0; r < plan->num_racks; r++) {
        const ik_rack *rack = &plan->racks[r];
        assert_int_equal(rack->used_units, used[r]);
        assert_true(rack->row < plan->rows && rack->column < plan->row_racks);
        assert_true(r == 0 || rack[-1].row < rack->row ||
                    (rack[-1].row == rack->row && rack[-1].column < rack->column));
    }
    free(owner);
    free(used);
}

static void check_lengths(const ik_fabric *f, const ik_floor_plan *plan)
{
    uint64_t cables = 0, exact = 0, bought = 0;
    for (uint32_t p = 0; p < f->num_ports; p++) {
        if (f->port_peer[p] == IK_NONE)
            continue;
        uint64_t mm = ik_floor_cable_mm(plan, f, p), route = ik_floor_route_mm(plan, f, p);
        assert_int_equal(route, ik_floor_route_mm(plan, f, f->port_peer[p]));
        assert_true(mm >= route && mm < route + plan->rules.step_mm);
        assert_true(route >= plan->rules.slack_mm && mm <= plan->longest_mm);
        cables++;
        exact += route;
        bought += mm;
    }
    assert_int_equal(plan->found_mm, exact / 2);
    assert_true(plan->found_mm <= plan->first_mm);
    assert_int_equal((plan->cables[0] + plan->cables[1]), plan->planes * cables / 2);
    assert_int_equal((plan->length_mm[0] + plan->length_mm[1]), plan->planes * bought / 2);
}

/* Hosts with several cables to one switch: an exchange of switches changes the lengths of those
 * too, so that they count when it is judged. */
static void several_cables_to_a_host(void **state)
{
    (void)state;
    uint32_t next[6 + 12] = {0};
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint16_t link = ik_builder_default_link(b, false);
    ik_builder_switches(b, 6, 16);
    ik_builder_hosts(b, 12, 5);
    for (uint32_t h = 0; h < 12; h++)
        for (uint32_t k = 0; k < 1 + 2 * h % 5; k++)
            ik_builder_link(b, ik_sw(h / 2, next[h / 2]++), ik_hs(h, next[6 + h]++), link);
    for (uint32_t sw = 0; sw < 6; sw++) {
        const uint32_t to[2] = {(sw + 1) % 6, (2 * sw + 1) % 6};
        for (int k = 0; k < 2; k++)
            if (to[k] != sw)
                ik_builder_link(b, ik_sw(sw, next[sw]++), ik_sw(to[k], next[to[k]]++), link);
    }
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    ik_floor_rules rules = rules_of(7, 1);
    rules.rack_width_mm = rules.row_pitch_mm = 10;
    rules.tray_mm = rules.slack_mm = 0;
    ik_floor_plan *plan = floor_of(f, &rules, 1);
    check_units(f, plan);
    check_lengths(f, plan);
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
}

static void check_plan(const ik_fabric *f, const ik_floor_rules *rules, uint32_t planes)
{
    ik_floor_plan *plan = floor_of(f, rules, planes);
    check_units(f, plan);
    check_lengths(f, plan);
    ik_floor_plan_free(plan);
}

static void check_again(const ik_fabric *f, const ik_floor_rules *rules)
{
    ik_floor_plan *plan = floor_of(f, rules, 1), *again = floor_of(f, rules, 1);
    assert_memory_equal(plan->node_rack, again->node_rack, ik_num_nodes(f) * sizeof(uint32_t));
    assert_memory_equal(plan->node_unit, again->node_unit, ik_num_nodes(f) * sizeof(uint32_t));
    ik_floor_plan_free(plan);
    ik_floor_plan_free(again);
}

/* Of large fabrics the searches over many racks take long: those stand in high racks only. */
static void check_all(const char *spec)
{
    const ik_floor_rules wide = rules_of(42, 1), narrow = rules_of(7, 3);
    ik_fabric *f = fabric_of(spec);
    check_plan(f, &wide, 1);
    if (f->num_ports < 2000) {
        check_plan(f, &narrow, 1);
        check_plan(f, &narrow, 3);
    }
    if (f->num_ports < 1000)
        check_again(f, &narrow);
    ik_fabric_free(f);
}

static void every_family(void **state)
{
    (void)state;
    for (const ik_topology *const *t = ik_topologies(); *t; t++)
        for (const char *const *spec = (*t)->examples; !(*t)->imported && *spec; spec++)
            check_all(*spec);
    check_all("pgft:m=8:16,w=2:8,p=1:1"); /* hosts with two cables */
    check_all("dragonfly:h=2,fail=20%");
    check_all("crossbar:n=4,fail=sw0.2");
}

static void refusals(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("fullmesh:n=3,p=2");
    ik_floor_plan *plan = NULL;
    ik_error err = {0};
    ik_floor_rules rules = rules_of(4, 1);
    rules.rows = rules.row_racks = 1;
    assert_int_equal(ik_floor_plan_make(f, &rules, 1, NULL, &plan, &err), IK_ERR_INPUT);
    assert_string_equal(err.text, "the floor is too small: 1 row of 1 rack holds 1 rack, 3 are "
                                  "needed");
    rules = rules_of(4, 5);
    assert_int_equal(ik_floor_plan_make(f, &rules, 1, NULL, &plan, &err), IK_ERR_INPUT);
    assert_string_equal(err.text, "a host of 5 rack units does not fit into a rack of 4");
    rules = rules_of(4, 1);
    assert_int_equal(ik_floor_plan_make(f, &rules, 5, NULL, &plan, &err), IK_ERR_INPUT);
    assert_string_equal(err.text,
                        "the switches of all rails of 5 rack units do not fit into a rack of 4");
    assert_null(plan);
    int cancel = 1;
    const ik_env env = {.cancel = &cancel};
    assert_int_equal(ik_floor_plan_make(f, &rules, 1, &env, &plan, &err), IK_ERR_CANCELLED);
    ik_floor_plan_free(NULL);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_by_hand),
        cmocka_unit_test(high_blocks),
        cmocka_unit_test(families_stand_as_declared),
        cmocka_unit_test(several_cables_to_a_host),
        cmocka_unit_test(every_family),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
