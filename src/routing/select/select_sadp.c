/* SPDX-License-Identifier: Apache-2.0
 *
 * SADP, stage and destination priority: the output that the deterministic variant would take, else
 * the next one with room.
 *
 * On trees that is the up port of the destination's digit of the stage. Printed as "static and
 * destination priority" by Gomez et al.; on other fabrics the routing's own preferred output plays
 * the part. */
#include "routing/select/select.h"

static uint32_t sadp_pick(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                          uint32_t n, uint32_t preferred)
{
    return select_first_from(s, ask, out, n, preferred);
}

static uint32_t sadp_pick_mask(const ik_selection *s, const ik_select_request *ask,
                               const uint64_t *from, unsigned words, uint32_t preferred)
{
    (void)s, (void)ask;
    return port_set_first_from(from, words, preferred);
}

const ik_selection_family ik_selection_sadp = {
    .name = "sadp",
    .summary =
        "the output of the deterministic variant, otherwise the next one with free space (SADP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006; Gomez, Gilabert, Gomez, Lopez, Duato: "
              "Deterministic versus Adaptive Routing in Fat-Trees, IPDPS 2007",
    .pick = sadp_pick,
    .pick_mask = sadp_pick_mask,
    .rule = IK_SELECT_BY_PREFERENCE,
};
