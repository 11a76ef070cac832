/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: the scans that selection functions end with.
 *
 * A function takes an output that has room. In a switch without output buffers it prefers one that
 * is not transmitting now, for a busy output has no place for the packet yet; where there are
 * output buffers the packet can wait there, and the published functions ask for room alone.
 * Parameter skip_busy chooses. */
#include "routing/select/select.h"

uint32_t select_first_from(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                           uint32_t n, uint32_t start)
{
    uint32_t with_room = IK_NONE;
    for (uint32_t k = 0, i = start; k < n; k++, i = i + 1 == n ? 0 : i + 1) {
        if (!ik_select_has_room(ask, out[i]))
            continue;
        if (!ik_select_is_skipped(s, ask, out[i]))
            return i;
        if (with_room == IK_NONE)
            with_room = i;
    }
    return with_room;
}

const ik_param select_tie_params[] = {
    {"tie", IK_PARAM_ENUM, "random", 0, 0, "lowest|random",
     "which one is taken among equal outputs"},
    {0},
};

ik_status select_tie_create(ik_selection *s, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    (void)env, (void)err;
    if (ik_params_enum(params, "tie") == 1)
        s->traits |= IK_SELECT_DRAWS;
    return IK_OK;
}

/* Which of several equal outputs, in the order of ports, is taken. */
static uint32_t select_tie_number(const ik_selection *s, const ik_select_request *ask,
                                  uint32_t ties)
{
    const ik_draw *draw = ask->draw;
    if (ties < 2 || !(s->traits & IK_SELECT_DRAWS))
        return 0;
    return ik_random_below(draw->seed, IK_RNG_SELECT, draw->entity, draw->counter, ties);
}

uint32_t ik_select_best(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                        uint32_t n, uint32_t preferred)
{
    (void)preferred;
    int64_t (*score)(const ik_select_request *, uint32_t) = s->family->score;
    uint32_t best = IK_NONE, ties = 0;
    bool best_skipped = true;
    int64_t best_score = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!ik_select_has_room(ask, out[i]))
            continue;
        bool skipped = ik_select_is_skipped(s, ask, out[i]);
        int64_t here = score(ask, out[i]);
        if (best == IK_NONE || (best_skipped && !skipped) ||
            (best_skipped == skipped && here > best_score)) {
            best = i;
            best_skipped = skipped;
            best_score = here;
            ties = 0;
        }
        ties += skipped == best_skipped && here == best_score;
    }
    for (uint32_t left = select_tie_number(s, ask, ties); left > 0;) {
        best++;
        left -= ik_select_has_room(ask, out[best]) && score(ask, out[best]) == best_score &&
                ik_select_is_skipped(s, ask, out[best]) == best_skipped;
    }
    return best;
}

uint32_t ik_select_best_of(const ik_selection *s, const ik_select_request *ask,
                           const uint64_t *from, unsigned words, uint32_t preferred)
{
    (void)preferred;
    int64_t (*score)(const ik_select_request *, uint32_t) = s->family->score;
    uint32_t best = IK_NONE, ties = 0, base = s->fabric->port_base[ask->sw];
    int64_t best_score = 0;
    for (unsigned w = 0; w < words; w++) {
        for (uint64_t bits = from[w]; bits; bits &= bits - 1) {
            uint32_t port = w * 64 + (uint32_t)__builtin_ctzll(bits);
            int64_t here = score(ask, base + port);
            if (best == IK_NONE || here > best_score) {
                best = port;
                best_score = here;
                ties = 0;
            }
            ties += here == best_score;
        }
    }
    for (uint32_t left = select_tie_number(s, ask, ties); left > 0;) {
        best = port_set_first_from(from, words, best + 1);
        left -= score(ask, base + best) == best_score;
    }
    return best;
}
