/* SPDX-License-Identifier: Apache-2.0
 *
 * MFB: the output with room that has the fewest bytes waiting here; ties are drawn, or go to the
 * lowest. */
#include "routing/select/select.h"

static int64_t least_queued_score(const ik_select_request *ask, uint32_t channel)
{
    return -ask->view->queued_bytes(ask->view->ctx, channel, -1);
}

const ik_selection_family ik_selection_least_queued = {
    .name = "least_queued",
    .summary = "the output with the fewest bytes waiting in this switch",
    .source = "the usual queue-length rule of adaptive switches; an extension of the published set",
    .params = select_tie_params,
    .create = select_tie_create,
    .pick = ik_select_best,
    .pick_mask = ik_select_best_of,
    .score = least_queued_score,
    .rule = IK_SELECT_BY_QUEUE,
};
