/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations that fail while fabrics are looked at: see allocations.h.
 */
#include "allocations.h"
#include "subnet/deploy/relieve.h"

static const ik_fabric *the_fabric, *the_plan;

/* ---- cabling: against the recognised family, a plan without names, and one with GUIDs */

static ik_status job_cabling(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_cabling c;
    ik_status status = ik_cabling_audit(the_fabric, spec[0] ? the_plan : NULL, NULL, &c, err);
    ik_fabric *mended = NULL;
    if (status != IK_OK)
        return status;
    take(answer, c.summary, strlen(c.summary));
    take(answer, &c.num_findings, sizeof c.num_findings);
    status = ik_cabling_apply(the_fabric, c.changes, c.num_changes, &mended, err);
    if (status == IK_OK)
        take(answer, mended->port_peer, mended->num_ports * sizeof *mended->port_peer);
    ik_fabric_free(mended);
    ik_cabling_free(&c);
    return status;
}

static void cablings(void **state)
{
    static const char *const specs[][2] = {
        {"rlft:ports=4,levels=2", "rlft:ports=4,levels=2,fail=20%"},
        {"torus:dims=3:3", "torus:dims=3:3,fail=10%"},
        {SOURCE_DIR "/tests/data/opensm/ft2_8p.ibnetdiscover",
         SOURCE_DIR "/tests/data/opensm/ft2_8p.ibnetdiscover"}};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *plan = NULL, *f = NULL;
        assert_int_equal(ik_fabric_from_spec(specs[i][0], NULL, &plan, NULL), IK_OK);
        assert_int_equal(ik_fabric_from_spec(specs[i][1], NULL, &f, NULL), IK_OK);
        the_fabric = f;
        the_plan = plan;
        if (i < 2)
            fail_each(job_cabling, "", false);
        fail_each(job_cabling, "plan", false);
        ik_fabric_free(plan);
        ik_fabric_free(f);
    }
}

/* Tables of a file with two LIDs for each host: read as a routing, with a note, and written. */
static ik_status job_lid_tables(const char *path, uint64_t *answer, ik_error *err)
{
    static const char dump[] =
        "Switch 3 \"S-0000000000000010\" # \"s\" base port 0 lid 1 lmc 0\n"
        "[1] \"H-0000000000000100\"[1](101) # \"h\" lid 8 4xEDR\n"
        "[2] \"H-0000000000000200\"[1](201) # \"i\" lid 10 4xEDR\n"
        "Ca 1 \"H-0000000000000100\" # \"h\"\n"
        "[1](101) \"S-0000000000000010\"[1] # lid 8 lmc 1 \"s\" lid 1 4xEDR\n"
        "Ca 1 \"H-0000000000000200\" # \"i\"\n"
        "[1](201) \"S-0000000000000010\"[2] # lid 10 lmc 1 \"s\" lid 1 4xEDR\n";
    char spec[200];
    static char text[1 << 16];
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    snprintf(spec, sizeof spec, "lft:path=%s", path);
    ik_status status = ik_fabric_read_memory(dump, strlen(dump), "dump", NULL, NULL, &f, err);
    if (status == IK_OK)
        status = ik_routing_from_spec(f, spec, NULL, &r, err);
    FILE *out = status == IK_OK ? __real_fmemopen(text, sizeof text, "w") : NULL;
    if (out) {
        status = ik_lft_print(r, out, err);
        fclose(out);
        take(answer, text, status == IK_OK ? strlen(text) : 0);
        take(answer, r->note, strlen(r->note));
    }
    ik_routing_free(r);
    ik_fabric_free(f);
    return status;
}

static void lid_tables(void **state)
{
    (void)state;
    char path[] = "/tmp/ikat-lid-tables-XXXXXX";
    FILE *file = __real_fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "Unicast lids [0-11] of switch Lid 1 guid 0x10 ('s'):\n0x0008 1\n0x0009 1\n"
                  "0x000a 2 # portguid 0x201\n0x000b 2\n0x000c 2\n");
    fclose(file);
    fail_each(job_lid_tables, path, false);
    remove(path);
}

/* ---- files beside a fabric */

static ik_status job_files(const char *which, uint64_t *answer, ik_error *err)
{
    char spec[512];
    ik_fabric *f = NULL;
    snprintf(spec, sizeof spec, "file:path=%s/tests/data/opensm/ft2_8p.ibnetdiscover%s", SOURCE_DIR,
             which);
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status != IK_OK)
        return status;
    ik_lids lids = {0};
    ik_lid_matrix m = {0};
    uint32_t *roots = NULL, num = 0;
    status = ik_roots_read(f, SOURCE_DIR "/tests/data/opensm/ft2_8p.roots", NULL, &roots, &num,
                           NULL, err);
    if (status == IK_OK)
        status = ik_lids_make(f, &lids, err);
    if (status == IK_OK)
        status = ik_lid_matrix_compare(
            &lids, SOURCE_DIR "/tests/data/opensm/ft2_8p.opensm-lid-matrix.dump", NULL, &m, err);
    take(answer, f->node_lid, ik_num_nodes(f) * sizeof *f->node_lid);
    take(answer, &m.rows, sizeof m.rows);
    take(answer, &num, sizeof num);
    free(roots);
    ik_lids_free(&lids);
    ik_fabric_free(f);
    return status;
}

static void files(void **state)
{
    (void)state;
    fail_each(job_files, ",guid2lid=" SOURCE_DIR "/tests/data/opensm/ft2_8p.guid2lid", false);
    fail_each(job_files, ",names=" SOURCE_DIR "/tests/data/opensm/ft2_8p.names", false);
}

/* ---- a subnet manager's tables: made, made again from these on another fabric, and kept there */

static ik_status job_in_memory(const char *routing, uint64_t *answer, ik_error *err)
{
    const ik_deploy_config config = {.routing = routing};
    ik_deployment d = {0}, then = {0}, kept = {0};
    ik_status status = ik_deploy_in_memory(the_fabric, &config, NULL, NULL, &d, err);
    if (status == IK_OK)
        status = ik_deploy_in_memory(the_plan, &config, &d, NULL, &then, err);
    if (status == IK_OK)
        status = ik_deploy_keep(the_fabric, &then, NULL, &kept, err);
    bool done = false; /* a tenth less on the fullest channel, where that can be had */
    if (status == IK_OK)
        status = relieve_tables(&kept.tables, 0.9 * kept.max_fill, true, NULL, &done, err);
    if (status == IK_OK) {
        size_t cells = (size_t)kept.tables.num_switches * kept.lids.num;
        take(answer, kept.tables.out, cells);
        take(answer, &then.update.kept, sizeof then.update.kept);
    }
    ik_deployment_free(&d);
    ik_deployment_free(&then);
    ik_deployment_free(&kept);
    return status;
}

/* A comparison that goes on: a routing without memory is passed over, and what there is is proved.
 */
static ik_status job_resume(const char *spec, uint64_t *answer, ik_error *err)
{
    int raised = 1;
    const ik_deploy_config first = {.enough = &raised}, all = {0};
    ik_fabric *f = NULL;
    ik_deployment d = {0}, then = {0};
    bool better = false;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status == IK_OK)
        status = ik_deploy_in_memory(f, &first, NULL, NULL, &d, err);
    if (status == IK_OK)
        status = ik_deploy_resume(f, &all, &d, NULL, &then, &better, err);
    bool proved = better ? then.proved : d.proved;
    if (status == IK_OK)
        take(answer, &proved, sizeof proved);
    ik_deployment_free(&d);
    ik_deployment_free(&then);
    ik_fabric_free(f);
    return status;
}

static void in_memory(void **state)
{
    static const char *const specs[][3] = {
        {"rlft:ports=4,levels=2", "rlft:ports=4,levels=2,fail=10%", "dmodc"},
        {"ring:n=5", "ring:n=5", "dfsssp"},
        {"torus:dims=3:3", "torus:dims=3:3,fail=6%", "dfsssp"},
        {"jellyfish:N=16,d=4,p=2", "jellyfish:N=16,d=4,p=2,fail=3%", "nue"}};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = NULL, *cut = NULL;
        assert_int_equal(ik_fabric_from_spec(specs[i][0], NULL, &f, NULL), IK_OK);
        assert_int_equal(ik_fabric_from_spec(specs[i][1], NULL, &cut, NULL), IK_OK);
        the_fabric = f;
        the_plan = cut;
        fail_each(job_in_memory, specs[i][2], false);
        ik_fabric_free(f);
        ik_fabric_free(cut);
    }
    fail_each(job_resume, "torus:dims=3:3,p=2", false);
}

/* ---- lists of cables */

static ik_status job_cable_list(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status != IK_OK)
        return status;
    take(answer, f->port_peer, f->num_ports * sizeof *f->port_peer);
    take(answer, &f->num_hosts, sizeof f->num_hosts);
    for (uint32_t node = 0; f->node_name && node < ik_num_nodes(f); node++)
        take(answer, f->node_name[node], strlen(f->node_name[node]));
    ik_fabric_free(f);
    return status;
}

static void cable_lists(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "file:" SOURCE_DIR "/tests/fuzz/corpus/cables/netbox_table",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/cables/netbox_cables",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/cables/netbox_interfaces",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/cables/ndt",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/cables/ibdm",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/dot/plan",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/booksim/flatfly",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/booksim/anynet",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/booksim/cmesh",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/codes/slimfly",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/codes/dally",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/codes/express.yaml",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/merlin/dragonfly.py",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/merlin/platform.py",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/sst/small.json",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/opareport/snapshot.xml",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/opareport/linkinfo.txt",
        "file:" SOURCE_DIR "/tests/fuzz/corpus/infragraph/composed.json",
        "file:path=" SOURCE_DIR "/tests/fuzz/corpus/cables/lldp_json,host_names=c*,without=b2*"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        fail_each(job_cable_list, specs[i], false);
}

/* ---- the best of all routings, with passes that keep paths */

/* A floor plan, and the list of its cables. */
static ik_status job_floor(const char *spec, uint64_t *answer, ik_error *err)
{
    ik_floor_rules rules;
    ik_floor_plan *plan = NULL;
    ik_fabric *f = NULL;
    ik_status status = ik_fabric_from_spec(spec, NULL, &f, err);
    if (status == IK_OK)
        status = ik_floor_rules_read(NULL, &rules, err);
    if (status == IK_OK)
        status = ik_floor_plan_make(f, &rules, 1, NULL, &plan, err);
    char text[16384];
    FILE *out = status == IK_OK ? __real_fmemopen(text, sizeof text, "w") : NULL;
    if (status == IK_OK)
        status = ik_floor_plan_list_cables(plan, f, out, err);
    if (out)
        fclose(out);
    if (status == IK_OK) {
        take(answer, plan->node_unit, ik_num_nodes(f) * sizeof *plan->node_unit);
        take(answer, &plan->found_mm, sizeof plan->found_mm);
    }
    ik_floor_plan_free(plan);
    ik_fabric_free(f);
    return status;
}

static void floor_plans(void **state)
{
    (void)state;
    fail_each(job_floor, "karytree:k=2,n=3", false);
    fail_each(job_floor, "torus:dims=4:4", false);
    /* parts of a plan that fail */
    fail_each(job_cable_list, "torus:dims=3:3,p=20,fail_racks=1,fail_trays=50%", false);
    fail_each(job_cable_list, "torus:dims=3:3,p=20,fail=sw0,fail_racks=r1c1:r1c2", false);
}

static ik_status job_flow_bound(const char *pattern, uint64_t *answer, ik_error *err)
{
    ik_traffic *t = NULL;
    ik_flow_bound bound;
    ik_status status = ik_traffic_from_spec(the_fabric, pattern, NULL, &t, err);
    if (status == IK_OK)
        status = ik_flow_bound_measure(t, .01, NULL, &bound, err);
    if (status == IK_OK) {
        const double ends[] = {bound.lower, bound.upper};
        assert_true(bound.passes > 1);
        take(answer, ends, sizeof ends);
    }
    ik_traffic_free(t);
    return status;
}

static void flow_bounds(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("jellyfish:N=8,d=3,p=4", NULL, &f, NULL), IK_OK);
    the_fabric = f;
    fail_each(job_flow_bound, "uniform", false);
    fail_each(job_flow_bound, "permutation", true);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cable_lists), cmocka_unit_test(lid_tables), cmocka_unit_test(cablings),
        cmocka_unit_test(files),       cmocka_unit_test(in_memory),  cmocka_unit_test(floor_plans),
        cmocka_unit_test(flow_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
