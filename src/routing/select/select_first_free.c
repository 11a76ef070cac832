/* SPDX-License-Identifier: Apache-2.0
 *
 * First free (FF): the lowest-numbered output with room for the packet. */
#include "routing/select/select.h"

static uint32_t pick(const ik_selection *s, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                     uint32_t n, uint32_t preferred, uint32_t need_bytes, int vc,
                     const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)sw, (void)pk, (void)preferred, (void)switch_state, (void)draw;
    return select_first_from(s, out, n, 0, need_bytes, vc, view);
}

static uint32_t pick_mask(const ik_selection *s, uint32_t sw, const ik_packet *pk,
                          const uint64_t *from, unsigned words, uint32_t preferred, int vc,
                          const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)s, (void)sw, (void)pk, (void)preferred, (void)vc, (void)view, (void)switch_state;
    (void)draw;
    return port_set_first_from(from, words, 0);
}

const ik_selection_family ik_selection_first_free = {
    .name = "first_free",
    .summary = "the lowest-numbered output with room (FF)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .pick = pick,
    .pick_mask = pick_mask,
    .rule = IK_SELECT_BY_NUMBER,
};
