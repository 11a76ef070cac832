/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/dest_walk.h"
#include "verify/tally.h"

#include <assert.h>
#include <stdlib.h>

dest_walk *dest_walks_new(const ik_plan *plan, unsigned threads)
{
    size_t switches = (size_t)plan->fabric->num_switches + 1;
    dest_walk *walks = ik_calloc(threads, sizeof *walks);
    bool complete = walks != NULL;
    for (unsigned t = 0; complete && t < threads; t++) {
        walks[t] = (dest_walk){.walk = walk_new(plan),
                               .distance = ik_calloc(switches, sizeof(uint32_t)),
                               .queue = ik_calloc(switches, sizeof(uint32_t))};
        complete = walks[t].walk && walks[t].distance && walks[t].queue;
    }
    if (complete)
        return walks;
    dest_walks_free(walks, threads);
    return NULL;
}

void dest_walks_free(dest_walk *walks, unsigned threads)
{
    for (unsigned t = 0; walks && t < threads; t++) {
        walk_free(walks[t].walk);
        free(walks[t].distance);
        free(walks[t].queue);
    }
    free(walks);
}

void dest_walk_begin(dest_walk *w, const ik_fabric *f, uint32_t dst)
{
    assert(dst < f->num_hosts);
    tally_distances(f, dst, w->distance, w->queue);
    walk_begin(w->walk, dst);
}
