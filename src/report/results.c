/* SPDX-License-Identifier: Apache-2.0
 *
 * report/results.c: a results file that is read once, for all that is made of it.
 */
#include "report/results.h"

#include <stdlib.h>

struct ik_results {
    report_model *m;
};

ik_status ik_results_open(const char *store_path, ik_results **out, ik_error *err)
{
    ik_results *r = ik_calloc(1, sizeof *r);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "a report");
    ik_status status = model_read(store_path, &r->m, err);
    if (status != IK_OK) {
        free(r);
        return status;
    }
    *out = r;
    return IK_OK;
}

void ik_results_close(ik_results *r)
{
    if (!r)
        return;
    model_free(r->m);
    free(r);
}

report_model *results_model(ik_results *r)
{
    return r->m;
}

void ik_results_points(const ik_results *r, uint64_t *finished, uint64_t *total)
{
    *finished = r->m->num_rows;
    *total = r->m->num_points;
}

const char *ik_results_spec(const ik_results *r, ik_results_list what, size_t i)
{
    const report_model *m = r->m;
    switch (what) {
    case IK_RESULTS_FABRICS:
        return i < m->num_fabrics ? m->fabrics[i].spec : NULL;
    case IK_RESULTS_ROUTINGS:
        return i < m->num_plans ? m->plans[i].routing : NULL;
    case IK_RESULTS_TRAFFIC:
        return i < m->num_rows ? m->rows[i].traffic : NULL;
    }
    return NULL;
}
