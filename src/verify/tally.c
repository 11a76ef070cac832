/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting what walks find out.
 */
#include "verify/tally.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void tally_init(tally *t)
{
    *t = (tally){.first_src = IK_NONE, .first_dst = IK_NONE};
}

void tally_free(tally *t)
{
    free(t->lengths);
    t->lengths = NULL;
    t->num_lengths = 0;
}

static void note_undelivered(tally *t, uint32_t src, uint32_t dst)
{
    if (src < t->first_src || (src == t->first_src && dst < t->first_dst)) {
        t->first_src = src;
        t->first_dst = dst;
    }
}

void tally_pair(tally *t, uint32_t src, uint32_t dst, uint64_t weight, uint32_t distance,
                const walk_outcome *all)
{
    assert(weight > 0 && src != dst);
    if (distance == IK_NONE) {
        t->unconnected += weight;
        return;
    }
    if (all->flaws) {
        t->undelivered += weight;
        t->loops += all->flaws & WALK_LOOP ? weight : 0;
        note_undelivered(t, src, dst);
        return;
    }
    t->not_minimal += all->longest > distance ? weight : 0;
    t->max_hops = all->longest > t->max_hops ? all->longest : t->max_hops;
}

ik_status tally_length(tally *t, uint32_t hops, uint64_t weight, ik_error *err)
{
    if (hops >= t->num_lengths) {
        size_t num = (size_t)hops + 1;
        uint64_t *lengths = realloc(t->lengths, num * sizeof *lengths);
        if (!lengths)
            return ik_fail_memory(err, num * sizeof *lengths, "the distribution of path lengths");
        memset(lengths + t->num_lengths, 0, (num - t->num_lengths) * sizeof *lengths);
        t->lengths = lengths;
        t->num_lengths = num;
    }
    t->lengths[hops] += weight;
    return IK_OK;
}

ik_status tally_merge(tally *into, const tally *from, ik_error *err)
{
    for (size_t hops = from->num_lengths; hops-- > 0;) {
        ik_status status = tally_length(into, (uint32_t)hops, from->lengths[hops], err);
        if (status != IK_OK)
            return status;
    }
    into->undelivered += from->undelivered;
    into->loops += from->loops;
    into->unconnected += from->unconnected;
    into->not_minimal += from->not_minimal;
    into->max_hops = from->max_hops > into->max_hops ? from->max_hops : into->max_hops;
    if (from->first_src != IK_NONE)
        note_undelivered(into, from->first_src, from->first_dst);
    for (size_t i = 0; i < IK_MAX_VCS / 64; i++)
        into->vcs[i] |= from->vcs[i];
    return IK_OK;
}

void tally_distances(const ik_fabric *f, uint32_t dst, uint32_t *distance, uint32_t *queue)
{
    assert(dst < f->num_hosts);
    size_t head = 0, tail = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        distance[sw] = IK_NONE;
    uint32_t node = ik_host_node(f, dst);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        uint32_t sw = ik_peer_node(f, port);
        if (sw != IK_NONE && ik_is_switch(f, sw) && distance[sw] == IK_NONE) {
            distance[sw] = 0;
            queue[tail++] = sw;
        }
    }
    while (head < tail && tail < f->num_switches) { /* until all are found */
        uint32_t sw = queue[head++];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer != IK_NONE && ik_is_switch(f, peer) && distance[peer] == IK_NONE) {
                distance[peer] = distance[sw] + 1;
                queue[tail++] = peer;
            }
        }
    }
}
