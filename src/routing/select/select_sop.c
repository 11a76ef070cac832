/* SPDX-License-Identifier: Apache-2.0
 *
 * SOP, static origin priority: the up port of the source's lowest digit at every stage, else the
 * next one with room. */
#include "routing/select/tree_select.h"

static uint32_t sop_wanted_digit(const tree *t, uint32_t sw, const ik_packet *pk)
{
    (void)sw;
    return tree_digit(&t->level[1], pk->src);
}

static ik_status sop_create(ik_selection *s, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    (void)params, (void)env;
    return select_tree_create(s, sop_wanted_digit, err);
}

const ik_selection_family ik_selection_sop = {
    .name = "sop",
    .summary = "the up port given by the source's lowest digit, otherwise the next one with free "
               "space (SOP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .create = sop_create,
    .destroy = select_tree_destroy,
    .pick = select_tree_pick,
    .pick_mask = select_tree_pick_mask,
    .rule = IK_SELECT_BY_PREFERENCE,
};
