/* SPDX-License-Identifier: Apache-2.0
 *
 * RP, random priority: one of the outputs with room, each as likely. */
#include "routing/select/select.h"

static uint32_t random_count_free(const ik_selection *s, const ik_select_request *ask,
                                  const uint32_t *out, uint32_t n, bool skipping)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count +=
            ik_select_has_room(ask, out[i]) && !(skipping && ik_select_is_skipped(s, ask, out[i]));
    return count;
}

static uint32_t random_pick(const ik_selection *s, const ik_select_request *ask,
                            const uint32_t *out, uint32_t n, uint32_t preferred)
{
    (void)preferred;
    const ik_draw *draw = ask->draw;
    bool skipping = true;
    uint32_t count = random_count_free(s, ask, out, n, true);
    if (!count) {
        skipping = false;
        count = random_count_free(s, ask, out, n, false);
    }
    if (!count)
        return IK_NONE;
    uint32_t left = ik_random_below(draw->seed, IK_RNG_SELECT, draw->entity, draw->counter, count);
    for (uint32_t i = 0;; i++)
        if (ik_select_has_room(ask, out[i]) &&
            !(skipping && ik_select_is_skipped(s, ask, out[i])) && left-- == 0)
            return i;
}

static uint32_t random_pick_mask(const ik_selection *s, const ik_select_request *ask,
                                 const uint64_t *from, unsigned words, uint32_t preferred)
{
    (void)s, (void)preferred;
    const ik_draw *draw = ask->draw;
    uint32_t n = port_set_count(from, words);
    return port_set_nth(from,
                        ik_random_below(draw->seed, IK_RNG_SELECT, draw->entity, draw->counter, n));
}

const ik_selection_family ik_selection_random = {
    .name = "random",
    .summary = "one of the outputs with free space, drawn uniformly (RP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .pick = random_pick,
    .pick_mask = random_pick_mask,
    .traits = IK_SELECT_DRAWS,
    .rule = IK_SELECT_BY_DRAW,
};
