/* SPDX-License-Identifier: Apache-2.0
 *
 * SOP, static origin priority: the up port of the source's lowest digit at every stage, else the
 * next one with room. */
#include "routing/select/tree_select.h"

static uint32_t wanted_digit(const tree *t, uint32_t sw, const ik_packet *pk)
{
    (void)sw;
    return tree_digit(&t->level[1], pk->src);
}

static uint32_t pick(const ik_selection *s, uint32_t sw, const ik_packet *pk, const uint32_t *out,
                     uint32_t n, uint32_t preferred, uint32_t need_bytes, int vc,
                     const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)switch_state, (void)draw;
    return select_tree_from(s, sw, wanted_digit(s->impl, sw, pk), out, n, preferred, need_bytes, vc,
                            view);
}

static uint32_t pick_mask(const ik_selection *s, uint32_t sw, const ik_packet *pk,
                          const uint64_t *from, unsigned words, uint32_t preferred, int vc,
                          const ik_view *view, void *switch_state, const ik_draw *draw)
{
    (void)vc, (void)view, (void)switch_state, (void)draw;
    return select_tree_among(s, sw, wanted_digit(s->impl, sw, pk), from, words, preferred);
}

const ik_selection_family ik_selection_sop = {
    .name = "sop",
    .summary = "the up port of the source's lowest digit, else the next with room (SOP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .create = select_tree_create,
    .destroy = select_tree_destroy,
    .pick = pick,
    .pick_mask = pick_mask,
};
