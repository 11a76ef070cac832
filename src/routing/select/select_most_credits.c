/* SPDX-License-Identifier: Apache-2.0
 *
 * MC, more credits: the output with room whose next queue has the most free space; ties are
 * drawn, or go to the lowest. */
#include "routing/select/select.h"

static int64_t most_credits_score(const ik_select_request *ask, uint32_t channel)
{
    return ask->view->credit_bytes(ask->view->ctx, channel, ask->vc);
}

const ik_selection_family ik_selection_most_credits = {
    .name = "most_credits",
    .summary = "the output with the most free space in the next switch's input queue (MC)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .params = select_tie_params,
    .create = select_tie_create,
    .pick = ik_select_best,
    .pick_mask = ik_select_best_of,
    .score = most_credits_score,
    .rule = IK_SELECT_BY_CREDIT,
};
