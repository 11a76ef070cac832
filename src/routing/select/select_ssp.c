/* SPDX-License-Identifier: Apache-2.0
 *
 * SSP, static switch priority: an up port fixed by the switch's own label, else the next one with
 * room.
 *
 * The label digit is position 2: that of the subtree on a leaf switch, that of the lowest choice
 * further up. The paper only names the function; which digit it takes is our reading. */
#include "routing/select/tree_select.h"

static uint32_t ssp_wanted_digit(const tree *t, uint32_t sw, const ik_packet *pk)
{
    (void)pk;
    const ik_xgft *x = t->xgft;
    uint32_t level = t->sw[sw].level, index = sw - x->level_base[level];
    uint32_t digit = level == 1 ? index / x->prod_w[1] : index / x->w[0];
    return x->h > 1 ? digit % (level == 1 ? x->m[1] : x->w[1]) : digit;
}

static ik_status ssp_create(ik_selection *s, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    (void)params, (void)env;
    return select_tree_create(s, ssp_wanted_digit, err);
}

const ik_selection_family ik_selection_ssp = {
    .name = "ssp",
    .summary =
        "an up port given by the switch's label, otherwise the next one with free space (SSP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .create = ssp_create,
    .destroy = select_tree_destroy,
    .pick = select_tree_pick,
    .pick_mask = select_tree_pick_mask,
    .rule = IK_SELECT_BY_PREFERENCE,
};
