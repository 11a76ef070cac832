/* SPDX-License-Identifier: Apache-2.0
 *
 * rails.c: see rails.h. A breadth-first search from all switches of a group at once, then the
 * nearest switch of every other group.
 */
#include "analysis/rails.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct searcher {
    const ik_fabric *f;
    uint32_t *first, num;       /* groups: [num + 1] first host of each */
    uint32_t *distance, *queue; /* [num_switches] */
} searcher;

/* Switch behind the k-th connected port of a host, IK_NONE if there is none. */
static uint32_t rails_switch_at(const ik_fabric *f, uint32_t host, uint32_t k)
{
    uint32_t node = ik_host_node(f, host);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && ik_is_switch(f, peer) && k-- == 0)
            return peer;
    }
    return IK_NONE;
}

static bool rails_same_switches(const ik_fabric *f, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0;; k++) {
        uint32_t x = rails_switch_at(f, a, k), y = rails_switch_at(f, b, k);
        if (x != y || x == IK_NONE)
            return x == y;
    }
}

static void rails_search(searcher *s, uint32_t host)
{
    const ik_fabric *f = s->f;
    uint32_t head = 0, tail = 0;
    memset(s->distance, 0xFF, f->num_switches * sizeof *s->distance);
    for (uint32_t k = 0, sw; (sw = rails_switch_at(f, host, k)) != IK_NONE; k++) {
        if (s->distance[sw] == IK_NONE) {
            s->distance[sw] = 0;
            s->queue[tail++] = sw;
        }
    }
    while (head < tail) {
        uint32_t sw = s->queue[head++];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t to = ik_peer_node(f, port);
            if (to != IK_NONE && ik_is_switch(f, to) && s->distance[to] == IK_NONE) {
                s->distance[to] = s->distance[sw] + 1;
                s->queue[tail++] = to;
            }
        }
    }
}

static uint32_t analysis_rails_nearest(const searcher *s, uint32_t host)
{
    uint32_t least = IK_NONE;
    for (uint32_t k = 0, sw; (sw = rails_switch_at(s->f, host, k)) != IK_NONE; k++)
        least = s->distance[sw] < least ? s->distance[sw] : least;
    return least;
}

ik_status rails_count_pairs(const ik_fabric *f, uint64_t *histogram, size_t num, ik_error *err)
{
    searcher s = {.f = f,
                  .first = ik_calloc((size_t)f->num_hosts + 1, sizeof *s.first),
                  .distance = ik_calloc((size_t)f->num_switches + 1, sizeof *s.distance),
                  .queue = ik_calloc((size_t)f->num_switches + 1, sizeof *s.queue)};
    ik_status status = s.first && s.distance && s.queue
                           ? IK_OK
                           : ik_fail_memory(err, f->num_hosts * 4, "distances of hosts");
    for (uint32_t host = 0; status == IK_OK && host < f->num_hosts; host++) {
        if (s.num == 0 || !rails_same_switches(f, host, host - 1))
            s.first[s.num++] = host;
        s.first[s.num] = host + 1;
    }
    for (uint32_t a = 0; status == IK_OK && a < s.num; a++) {
        rails_search(&s, s.first[a]);
        for (uint32_t b = 0; b < s.num; b++) {
            uint64_t hosts_a = s.first[a + 1] - s.first[a], hosts_b = s.first[b + 1] - s.first[b];
            uint32_t distance = analysis_rails_nearest(&s, s.first[b]);
            assert(distance == IK_NONE || distance < num);
            if (distance < num)
                histogram[distance] += hosts_a * (hosts_b - (a == b));
        }
    }
    free(s.first);
    free(s.distance);
    free(s.queue);
    return status;
}
