/* SPDX-License-Identifier: Apache-2.0
 *
 * MFB: the output with room that has the fewest bytes waiting here; ties to the lowest or drawn. */
#include "routing/select/select.h"

static int64_t score(const ik_select_request *ask, uint32_t channel)
{
    return -ask->view->queued_bytes(ask->view->ctx, channel, -1);
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

const ik_selection_family ik_selection_least_queued = {
    .name = "least_queued",
    .summary = "the output with the fewest bytes waiting here",
    .source = "the usual queue-length rule of adaptive switches; an extension of the published set",
    .params = select_tie_params,
    .create = select_tie_create,
    .pick = pick,
    .pick_mask = pick_mask,
};
