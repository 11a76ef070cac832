/* SPDX-License-Identifier: Apache-2.0
 *
 * Choices among sets of outputs. A routing that gives the allowed outputs as a set and a selection
 * function that picks from one are asked with masks of the switch; all others with lists
 * (state/route.c). The answers are the same.
 *
 * The head of an output's queue that waits may choose again (renew_waiting). That can change
 * something only if there is a free output that it is allowed and that its input does not ask for.
 * For each head that was examined, the set of its allowed outputs is kept, and for each input the
 * union of those of its heads, or more: most inputs are skipped after a look at that union. */
#ifndef IKAT_SIM_CHOOSE_H
#define IKAT_SIM_CHOOSE_H

#include "routing/port_set.h"
#include "sim/packet/shape.h"

#include <assert.h>

/* Those of `allowed` with room for pk in VC v, which a selection function chooses from, and where
 * it skips those that are transmitting and some are not, those alone. Returns whether there are
 * any. */
SIM_INLINE bool choose_find_candidates(partition *p, const sw_state *sw, const shape k,
                                       const packet *pk, unsigned v, const uint64_t *allowed,
                                       uint64_t *from)
{
    const sim *s = p->sim;
    uint64_t any = 0, any_idle = 0, idle[1], *at = k.words == 1 ? idle : p->idle;
    for (unsigned w = 0; w < k.words; w++) {
        from[w] = s->choice.room_kept ? allowed[w] & shape_room_of_vc(sw, k, v)[w] : 0;
        /* too little for a packet of full size may do for a smaller one */
        uint64_t ask =
            s->choice.room_kept && pk->size == s->adapter.packet_bytes ? 0 : allowed[w] & ~from[w];
        for (; ask; ask &= ask - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(ask);
            if (shape_room_of(p, k, sw->port_base + out, v, pk) >= (int32_t)pk->size)
                from[w] |= ask & -ask;
        }
        any |= from[w];
        at[w] = s->sw.out_buffers ? from[w] : from[w] & switch_state_free_outputs(sw, k.words)[w];
        for (uint64_t left = s->sw.out_buffers && s->choice.skip_busy ? at[w] : 0; left;
             left &= left - 1)
            if (state_output_of(s, sw->port_base + w * 64 + (unsigned)__builtin_ctzll(left))->link)
                at[w] &= ~(left & -left);
        any_idle |= at[w];
    }
    for (unsigned w = 0; s->choice.skip_busy && any_idle && w < k.words; w++)
        from[w] = at[w];
    return any;
}

/* The local output that the selection function takes of those allowed, IK_NONE = none yet. */
SIM_INLINE uint32_t choose_among(partition *p, uint32_t node, sw_state *sw, const shape k,
                                 const packet *pk, unsigned v, const uint64_t *allowed,
                                 uint32_t preferred)
{
    const sim *s = p->sim;
    const ik_selection *selection = s->choice.selection;
    ik_draw draw = sim_choice_draw(s, &pk->rt, pk->number);
    uint64_t one[1], *from = k.words == 1 ? one : p->candidates;
    if (!choose_find_candidates(p, sw, k, pk, v, allowed, from))
        return IK_NONE;
    p->asked_dst = pk->rt.dst;
    ik_select_request request = {.sw = node,
                                 .pk = &pk->rt,
                                 .need_bytes = pk->size,
                                 .vc = (int)v,
                                 .view = &p->view,
                                 .switch_state = sw->select_state,
                                 .draw = &draw};
    return selection->family->pick_mask(selection, &request, from, k.words, preferred);
}

/* Answer of the plan for a packet: allowed outputs, the preferred one, VCs. */
typedef struct outputs {
    uint64_t *set;
    uint32_t num, preferred;
    uint8_t vc_first, vc_last;
} outputs;

SIM_INLINE void choose_find_outputs(partition *p, uint32_t node, const shape k, uint32_t in_port,
                                    packet *pk, outputs *o)
{
    for (unsigned w = 0; w < k.words; w++)
        o->set[w] = 0;
    o->num = ik_plan_next_mask(p->sim->plan, node, in_port, &pk->rt, o->set, &o->preferred,
                               &o->vc_first, &o->vc_last);
}

SIM_INLINE void choose_set_output(packet *pk, const outputs *o, uint32_t out)
{
    assert(o->vc_first <= o->vc_last);
    pk->out = (uint16_t)out;
    pk->vc_first = o->vc_first;
    pk->vc_last = o->vc_last;
}

/* sim_route() by sets; `o` keeps what is allowed. */
SIM_INLINE void choose_route_by_mask(partition *p, uint32_t node, sw_state *sw, const shape k,
                                     uint32_t in_port, packet *pk, outputs *o)
{
    const sim *s = p->sim;
    if (pk->unrouted)
        sim_start_again(p, pk);
    choose_find_outputs(p, node, k, in_port, pk, o);
    pk->revocable = 0;
    uint32_t out = o->preferred;
    if (o->num == 0) {
        pk->out = SIM_NO_WAY;
        return;
    }
    if (o->num > 1 && !s->choice.adaptive) {
        out = port_set_nth(o->set, sim_drawn(s, &pk->rt, pk->number, o->num, 0));
    } else if (o->num > 1) {
        if (!k.voq && s->choice.rechoose) {
            pk->out = SIM_UNDECIDED;
            return;
        }
        uint32_t chosen = choose_among(p, node, sw, k, pk, o->vc_first, o->set, out);
        out = chosen == IK_NONE ? out : chosen;
        pk->revocable = s->choice.rechoose;
    }
    choose_set_output(pk, o, out);
}

/* sim_choose_output() by sets. */
SIM_INLINE uint32_t choose_by_mask(partition *p, uint32_t node, sw_state *sw, const shape k,
                                   uint32_t in_port, packet *pk)
{
    uint64_t one[1];
    outputs o = {.set = k.words == 1 ? one : p->outputs};
    choose_find_outputs(p, node, k, in_port, pk, &o);
    uint32_t out =
        o.num <= 1 ? o.preferred : choose_among(p, node, sw, k, pk, o.vc_first, o.set, o.preferred);
    if (o.num == 0 || out == IK_NONE)
        return IK_NONE;
    choose_set_output(pk, &o, out);
    return out;
}

/* ---- routings that pick, and say the same of packets that are alike (IK_ROUTE_PICKS_ALIKE) */

enum { ALIKE_NOT_KNOWN, ALIKE_ALONE = UINT8_MAX }; /* else the preferred output + 1 */

/* sim_choose_output() of a head that stays where it is. */
SIM_INLINE uint32_t choose_for_head(partition *p, uint32_t node, const sw_state *sw, unsigned in,
                                    packet *pk)
{
    uint16_t out = pk->out;
    uint8_t first = pk->vc_first, last = pk->vc_last;
    uint32_t chosen = sim_choose_output(p, node, sw->port_base + in, pk);
    pk->out = out;
    pk->vc_first = first;
    pk->vc_last = last;
    return chosen;
}

/* Which heads a new head of (in, v) is like: those that prefer the same output, if they are allowed
 * the same. */
SIM_INLINE uint8_t choose_find_alike(partition *p, uint32_t node, const sw_state *sw, const shape k,
                                     unsigned in, unsigned v, packet *pk)
{
    uint64_t set[1];
    outputs o = {.set = set};
    choose_find_outputs(p, node, k, sw->port_base + in, pk, &o);
    uint64_t *first = &shape_alike_sets_of(sw, k)[o.preferred * k.vcs + v];
    if (o.num <= 1 || (*first && *first != *set))
        return ALIKE_ALONE;
    *first = *set;
    return (uint8_t)(o.preferred + 1);
}

/* The output that the head of (in, v, out) chooses, IK_NONE = none yet. It depends on the room
 * behind outputs in its VC, so an answer is kept until that changes. */
SIM_INLINE uint32_t choose_for_alike(partition *p, uint32_t node, sw_state *sw, const shape k,
                                     unsigned in, unsigned v, unsigned out)
{
    uint8_t *like = shape_alike_head_of(sw, k, in, v, out);
    uint32_t head = shape_queue_of(sw, k, in, v, out)->head;
    assert(head != IK_NONE);
    if (*like == ALIKE_NOT_KNOWN)
        *like = choose_find_alike(p, node, sw, k, in, v, &p->pool[head]);
    if (*like == ALIKE_ALONE)
        return choose_for_head(p, node, sw, in, &p->pool[head]);
    uint64_t *answer = &shape_alike_answers_of(sw, k)[(*like - 1u) * k.vcs + v],
             now = shape_room_changes_of(sw, k)[v] + 1;
    if (*answer >> 8 != now)
        *answer = now << 8 | (choose_for_head(p, node, sw, in, &p->pool[head]) & 0xff);
    return (*answer & 0xff) == 0xff ? IK_NONE : (uint32_t)(*answer & 0xff);
}

/* What the head of (in, v, out) is allowed. */
SIM_INLINE const uint64_t *choose_head_set(partition *p, uint32_t node, sw_state *sw, const shape k,
                                           unsigned in, unsigned v, unsigned out)
{
    assert(sw->allowed && k.voq);
    uint64_t *known = &shape_known_of(sw, k, in, v)[k.words == 1 ? 0 : out >> 6],
             bit = 1ull << (out & 63);
    outputs o = {.set = shape_head_set_of(sw, k, in, v, out)};
    if (!(*known & bit)) {
        packet *pk = &p->pool[shape_queue_of(sw, k, in, v, out)->head];
        choose_find_outputs(p, node, k, sw->port_base + in, pk, &o);
        *known |= bit;
    }
    return o.set;
}

/* Whether a set has a free output that the input does not ask for. */
SIM_INLINE bool choose_has_spare_in(const sw_state *sw, const shape k, unsigned input,
                                    const uint64_t *set)
{
    const uint64_t *free_out = switch_state_free_outputs(sw, k.words),
                   *row = shape_row_of(sw, k, input);
    uint64_t any = 0;
    for (unsigned w = 0; w < k.words; w++)
        any |= set[w] & free_out[w] & ~row[w];
    return any;
}

#endif
