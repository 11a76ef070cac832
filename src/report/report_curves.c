/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_curves.c: curves and measures over their samples: seeds, and the axes that section
 * `over` names.
 */
#include "report/report_csv.h"

#include <math.h>
#include <stdlib.h>

/* One result of a step: samples, mean, its interval, and how they spread. */
static ik_status report_curves_put_result(FILE *out, const report_model *m, const report_curve *c,
                                          const report_step *s, metric_id id, ik_error *err)
{
    static const double shares[] = {0, .05, .25, .5, .75, .95, 1};
    double *values = NULL;
    size_t num = 0;
    ik_status status = model_samples(m, s, id, &values, &num, err);
    if (status != IK_OK || num == 0) {
        free(values);
        return status;
    }
    const char *variant = csv_design(out, m, c->variant);
    const char *const texts[] = {c->fabric_label, c->plan_label, c->traffic, variant};
    csv_fields(out, texts, sizeof texts / sizeof *texts);
    csv_real(out, s->load > 0 ? s->load : NAN);
    fprintf(out, ",%s,%zu", metrics[id].name, num);
    csv_real(out, s->value[id].mean);
    csv_real(out, model_deviation(values, num));
    csv_real(out, s->value[id].ci95);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        csv_real(out, model_quantile(values, num, shares[i]));
    putc('\n', out);
    free(values);
    return IK_OK;
}

static ik_status report_curves_put_curve(FILE *out, const report_model *m, const report_curve *c,
                                         ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t k = 0; k < c->num_steps; k++)
        for (int id = 0; id < NUM_METRICS && status == IK_OK; id++)
            if (m->used[id])
                status = report_curves_put_result(out, m, c, &c->steps[k], (metric_id)id, err);
    return status;
}

ik_status csv_put_curves(report_model *m, FILE *out, ik_error *err)
{
    ik_status status = IK_OK;
    csv_header(out, m, "load,result,samples,mean,sd,ci95,min,p5,p25,median,p75,p95,max");
    for (size_t i = 0; i < m->num_curves && status == IK_OK; i++)
        status = report_curves_put_curve(out, m, &m->curves[i], err);
    for (size_t i = 0; i < m->num_statics && status == IK_OK; i++)
        if (!m->rows[m->statics[i].steps[0].rows[0]].simulated) /* else it is among the curves */
            status = report_curves_put_curve(out, m, &m->statics[i], err);
    return status;
}
