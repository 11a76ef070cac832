/* SPDX-License-Identifier: Apache-2.0
 *
 * The default: a function that works in the model at hand.
 *
 * Where a packet may wait for the link in an output buffer, first_free fills one buffer after the
 * other while other links idle: least_queued there, and in the pipelined router, where what waits
 * is the next router's. In the other models first_free skips outputs that transmit, so that none is
 * idle while a packet waits that may take it. */
#include "routing/select/select.h"

static ik_status by_model_create(ik_selection *s, const ik_params *params, const ik_env *env,
                                 ik_error *err)
{
    (void)params;
    static const char *const names[2] = {"first_free", "least_queued"};
    ik_status status = IK_OK;
    for (unsigned k = 0; k < 2 && status == IK_OK; k++) {
        status = ik_selection_from_spec(s->fabric, names[k], env, &s->in_model[k], err);
        if (status == IK_OK)
            s->in_model[k]->skip_busy = s->skip_busy;
    }
    return status;
}

/* Asked by others than the simulator. */
static const ik_selection *by_model_meant(const ik_selection *s, const ik_select_request *ask)
{
    return ik_selection_in(s, ask->view->output_room_bytes);
}

static uint32_t by_model_pick(const ik_selection *s, const ik_select_request *ask,
                              const uint32_t *out, uint32_t n, uint32_t preferred)
{
    const ik_selection *m = by_model_meant(s, ask);
    return m->family->pick(m, ask, out, n, preferred);
}

static uint32_t by_model_pick_mask(const ik_selection *s, const ik_select_request *ask,
                                   const uint64_t *from, unsigned words, uint32_t preferred)
{
    const ik_selection *m = by_model_meant(s, ask);
    return m->family->pick_mask(m, ask, from, words, preferred);
}

const ik_selection_family ik_selection_by_model = {
    .name = "by_model",
    .summary = "the default: least_queued in models ioq and pipelined, first_free in the others",
    .source = "see these two",
    .create = by_model_create,
    .pick = by_model_pick,
    .pick_mask = by_model_pick_mask,
    .traits = IK_SELECT_DRAWS,
};
