/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/bounds/predict.c: one number for a pattern under a routing.
 */
#include "ikat/analysis.h"

ik_status ik_load_predict(const ik_routing *r, const ik_fabric *f, const char *pattern,
                          const ik_env *env, double *saturation, ik_load_band *band,
                          void (*note)(void *ctx, const char *text), void *ctx, ik_error *err)
{
    ik_traffic *t = NULL;
    ik_load load = {0};
    *saturation = -1;
    ik_status s = ik_traffic_from_spec(f, pattern, env, &t, err);
    if (s != IK_OK)
        return s == IK_ERR_UNSUPPORTED ? IK_OK : s;
    if (note && t->note)
        note(ctx, t->note);
    s = ik_load_measure(r, t, env, &load, err);
    /* what does not arrive loads nothing; what goes minimally by queues is not predicted */
    if (s == IK_OK && load.undelivered == 0 && ik_load_chooses_detours(r))
        s = ik_load_band_measure(r, t, &load, env, band, err);
    else if (s == IK_OK && load.undelivered == 0)
        *saturation = load.saturation;
    ik_load_free(&load);
    ik_traffic_free(t);
    return s;
}
