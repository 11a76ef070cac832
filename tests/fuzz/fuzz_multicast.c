/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_multicast.c: any text as multicast tables: refused with its line, or tables of which every
 * group is judged, with no more pairs missed than there are.
 */
#include <stdlib.h>

#include "ikat/ikat.h"
#include "subnet/judge/multicast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    if (!f && ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK)
        abort();
    multicast_tables t;
    multicast_walk *walk;
    multicast_group group;
    ik_error err = {0};
    if (multicast_parse(f, (const char *)data, size, "input", &t, &err) != IK_OK) {
        if (err.text[0] == '\0' || err.line == 0)
            abort();
        return 0;
    }
    if (multicast_walk_new(&t, &walk, &err) != IK_OK)
        abort();
    for (size_t first = 0, end; first < t.num; first = end) {
        for (end = first; end < t.num && t.entries[end].lid == t.entries[first].lid;)
            end++;
        multicast_judge(walk, first, end, &group);
        if (group.missing > group.pairs || (group.missing > 0) != (group.sender != IK_NONE) ||
            (group.members == 0 && (group.num_cycle || group.again != IK_NONE)))
            abort();
    }
    multicast_walk_free(walk);
    multicast_free(&t);
    return 0;
}
