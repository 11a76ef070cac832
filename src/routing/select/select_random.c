/* SPDX-License-Identifier: Apache-2.0
 *
 * RP, random priority: one of the outputs with room, each as likely. */
#include "routing/select/select.h"

static uint32_t count_free(const ik_selection *s, const uint32_t *out, uint32_t n,
                           uint32_t need_bytes, int vc, const ik_view *view, bool skipping)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += select_has_room(view, out[i], vc, need_bytes) &&
                 !(skipping && select_is_skipped(s, view, out[i]));
    return count;
}

static uint32_t pick(const ik_selection *s, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                     uint32_t n, uint32_t preferred, uint32_t need_bytes, int vc,
                     const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)sw, (void)pk, (void)preferred, (void)switch_state;
    bool skipping = true;
    uint32_t count = count_free(s, out, n, need_bytes, vc, view, true);
    if (!count) {
        skipping = false;
        count = count_free(s, out, n, need_bytes, vc, view, false);
    }
    if (!count)
        return IK_NONE;
    uint32_t left = ik_random_below(draw->seed, IK_RNG_SELECT, draw->entity, draw->counter, count);
    for (uint32_t i = 0;; i++)
        if (select_has_room(view, out[i], vc, need_bytes) &&
            !(skipping && select_is_skipped(s, view, out[i])) && left-- == 0)
            return i;
}

static uint32_t pick_mask(const ik_selection *s, uint32_t sw, const ik_packet *pk,
                          const uint64_t *from, unsigned words, uint32_t preferred, int vc,
                          const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)s, (void)sw, (void)pk, (void)preferred, (void)vc, (void)view, (void)switch_state;
    uint32_t n = port_set_count(from, words);
    return port_set_nth(from,
                        ik_random_below(draw->seed, IK_RNG_SELECT, draw->entity, draw->counter, n));
}

const ik_selection_family ik_selection_random = {
    .name = "random",
    .summary = "one of the outputs with room, drawn uniformly (RP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .pick = pick,
    .pick_mask = pick_mask,
    .traits = IK_SELECT_DRAWS,
};
