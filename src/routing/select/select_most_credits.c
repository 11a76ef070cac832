/* SPDX-License-Identifier: Apache-2.0
 *
 * MC, more credits: the output with room whose next queue has the most free space; ties to the
 * lowest or drawn. */
#include "routing/select/select.h"

static int64_t score(const ik_select_request *ask, uint32_t channel)
{
    return ask->view->credit_bytes(ask->view->ctx, channel, ask->vc);
}

static uint32_t pick(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                     uint32_t n, uint32_t preferred)
{
    (void)preferred;
    return select_best(s, ask, out, n, score);
}

static uint32_t pick_mask(const ik_selection *s, const ik_select_request *ask, const uint64_t *from,
                          unsigned words, uint32_t preferred)
{
    (void)preferred;
    return select_best_of(s, ask, from, words, score);
}

const ik_selection_family ik_selection_most_credits = {
    .name = "most_credits",
    .summary = "the output whose next queue has the most free space (MC)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .params = select_tie_params,
    .create = select_tie_create,
    .pick = pick,
    .pick_mask = pick_mask,
    .rule = IK_SELECT_BY_CREDIT,
};
