/* SPDX-License-Identifier: Apache-2.0
 *
 * CP, cyclic priority: the output after the one that this switch took last. */
#include "routing/select/select.h"

#include <string.h>

static size_t cyclic_state_bytes(const ik_selection *s, uint32_t sw)
{
    (void)s, (void)sw;
    return sizeof(uint32_t);
}

static uint32_t cyclic_pick(const ik_selection *s, const ik_select_request *ask,
                            const uint32_t *out, uint32_t n, uint32_t preferred)
{
    (void)preferred;
    /* the first port that may come next; 0 at the start lies before every port */
    uint32_t after, start = 0;
    memcpy(&after, ask->switch_state, sizeof after);
    while (start < n && out[start] < after)
        start++;
    uint32_t i = select_first_from(s, ask, out, n, start == n ? 0 : start);
    if (i != IK_NONE) {
        after = out[i] + 1;
        memcpy(ask->switch_state, &after, sizeof after);
    }
    return i;
}

static uint32_t cyclic_pick_mask(const ik_selection *s, const ik_select_request *ask,
                                 const uint64_t *from, unsigned words, uint32_t preferred)
{
    (void)preferred;
    uint32_t after, base = s->fabric->port_base[ask->sw];
    memcpy(&after, ask->switch_state, sizeof after);
    uint32_t port = port_set_first_from(from, words, after > base ? after - base : 0);
    after = base + port + 1;
    memcpy(ask->switch_state, &after, sizeof after);
    return port;
}

const ik_selection_family ik_selection_cyclic = {
    .name = "cyclic",
    .summary = "round robin: the output after the one that this switch took last (CP)",
    .source = "Gilabert, Gomez, Lopez, Duato: On the Influence of the Selection Function on the "
              "Performance of Fat-trees, Euro-Par 2006",
    .pick = cyclic_pick,
    .pick_mask = cyclic_pick_mask,
    .traits = IK_SELECT_REMEMBERS,
    .switch_state_bytes = cyclic_state_bytes,
};
