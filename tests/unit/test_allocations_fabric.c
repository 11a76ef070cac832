/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations that fail while fabrics are looked at: see allocations.h.
 */
#include "allocations.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cablings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
