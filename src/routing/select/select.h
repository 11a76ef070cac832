/* SPDX-License-Identifier: Apache-2.0
 *
 * select.h: what the selection functions share. */
#ifndef IKAT_ROUTING_SELECT_H
#define IKAT_ROUTING_SELECT_H

#include "ikat/routing.h"
#include "routing/port_set.h"

#include <assert.h>

/* Whether there is room for the packet in the queue that it would enter: the output buffer, or
 * without one the next input buffer.
 */
static inline bool select_has_room(const ik_select_request *ask, uint32_t channel)
{
    assert(ask->need_bytes > 0);
    const ik_view *view = ask->view;
    int64_t (*room)(void *, uint32_t, int) =
        view->output_room_bytes ? view->output_room_bytes : view->credit_bytes;
    return room(view->ctx, channel, ask->vc) >= (int64_t)ask->need_bytes;
}

/* Whether the output comes after those that are not transmitting: parameter skip_busy. */
static inline bool select_is_skipped(const ik_selection *s, const ik_select_request *ask,
                                     uint32_t channel)
{
    const ik_view *view = ask->view;
    bool skips =
        s->skip_busy == IK_SKIP_AUTO ? !view->output_room_bytes : s->skip_busy == IK_SKIP_ALWAYS;
    return skips && view->busy && view->busy(view->ctx, channel);
}

/* First output with room in cyclic order from index `start`: one that is not skipped if there is
 * any, else the first with room; IK_NONE if none has room. */
uint32_t select_first_from(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                           uint32_t n, uint32_t start);

/* Parameter `tie` (lowest|random) of the functions that compare; IK_SELECT_DRAWS for random. */
extern const ik_param select_tie_params[];
ik_status select_tie_create(ik_selection *s, const ik_params *params, const ik_env *env,
                            ik_error *err);
/* pick() of functions that compare: the output with room and the highest score of the family, those
 * that are skipped last; ties as `tie` says. */
uint32_t select_best(const ik_selection *s, const ik_select_request *ask, const uint32_t *out,
                     uint32_t n, uint32_t preferred);
/* Their pick_mask(). */
uint32_t select_best_of(const ik_selection *s, const ik_select_request *ask, const uint64_t *from,
                        unsigned words, uint32_t preferred);

#endif
