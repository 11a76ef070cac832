/* SPDX-License-Identifier: Apache-2.0
 *
 * MC, more credits: the output with room whose next queue has the most free space; ties to the
 * lowest or drawn. */
#include "routing/select/select.h"

static int64_t score(const ik_view *view, uint32_t channel, int vc)
{
    return view->credit_bytes(view->ctx, channel, vc);
}

static uint32_t pick(const ik_selection *s, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                     uint32_t n, uint32_t preferred, uint32_t need_bytes, int vc,
                     const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)sw, (void)pk, (void)preferred, (void)switch_state;
    return select_best(s, out, n, need_bytes, vc, view, score, s->impl ? draw : NULL);
}

static uint32_t pick_mask(const ik_selection *s, uint32_t sw, const ik_packet *pk,
                          const uint64_t *from, unsigned words, uint32_t preferred, int vc,
                          const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)pk, (void)preferred, (void)switch_state;
    return select_best_of(s, sw, from, words, vc, view, score, s->impl ? draw : NULL);
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
