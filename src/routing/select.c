/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: the cyclic scan that most selection functions end with. */
#include "routing/select.h"

uint32_t select_first_from(const uint32_t *out, uint32_t n, uint32_t start, uint32_t need_bytes, int vc, const ik_view *view)
{
    uint32_t with_room = IK_NONE;
    for (uint32_t k = 0, i = start; k < n; k++, i = i + 1 == n ? 0 : i + 1) {
        if (!select_has_room(view, out[i], vc, need_bytes))
            continue;
        if (!select_is_busy(view, out[i]))
            return i;
        if (with_room == IK_NONE)
            with_room = i;
    }
    return with_room;
}
