/* SPDX-License-Identifier: Apache-2.0
 *
 * SAOP, stage and origin priority: the up port of the source's digit of the stage, else the next
 * one with room. */
#include "routing/select/tree_select.h"

static uint32_t saop_wanted_digit(const tree *t, uint32_t sw, const ik_packet *pk)
{
    return tree_digit(&t->level[t->sw[sw].level], pk->src);
}

static ik_status saop_create(ik_selection *s, const ik_params *params, const ik_env *env,
                             ik_error *err)
{
    (void)params, (void)env;
    return select_tree_create(s, saop_wanted_digit, err);
}

const ik_selection_family ik_selection_saop = {
    .name = "saop",
    .summary = "the up port given by the source's digit at this stage, otherwise the next one with "
               "free space (SAOP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .create = saop_create,
    .destroy = select_tree_destroy,
    .pick = select_tree_pick,
    .pick_mask = select_tree_pick_mask,
    .rule = IK_SELECT_BY_PREFERENCE,
};
