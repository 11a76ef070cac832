/* SPDX-License-Identifier: Apache-2.0
 *
 * First free (FF): the lowest-numbered output with room for the packet. */
#include "routing/select/select.h"

static uint32_t first_free_pick(const ik_selection *s, const ik_select_request *ask,
                                const uint32_t *out, uint32_t n, uint32_t preferred)
{
    (void)preferred;
    return select_first_from(s, ask, out, n, 0);
}

static uint32_t first_free_pick_mask(const ik_selection *s, const ik_select_request *ask,
                                     const uint64_t *from, unsigned words, uint32_t preferred)
{
    (void)s, (void)ask, (void)preferred;
    return port_set_first_from(from, words, 0);
}

const ik_selection_family ik_selection_first_free = {
    .name = "first_free",
    .summary = "the lowest-numbered output with free space (FF)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .pick = first_free_pick,
    .pick_mask = first_free_pick_mask,
    .rule = IK_SELECT_BY_NUMBER,
};
