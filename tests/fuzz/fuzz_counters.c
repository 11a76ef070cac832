/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_counters.c: any text as counters of ports: refused with its line, or counters of ports that
 * exist, of which a comparison can be made.
 */
#include <stdlib.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    if (!f && ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK)
        abort();
    ik_counters c;
    ik_counter_changes said;
    ik_error err = {0};
    if (ik_counters_parse(f, (const char *)data, size, "input", &c, &err) != IK_OK) {
        if (err.text[0] == '\0' || err.line == 0)
            abort();
        return 0;
    }
    if (c.ports > f->num_ports || ik_counters_compare(&c, NULL, 0, &said, NULL) != IK_OK)
        abort();
    ik_counter_changes_free(&said);
    if (ik_counters_compare(&c, &c, 1, &said, NULL) != IK_OK || said.restarted > 0)
        abort();
    ik_counter_changes_free(&said);
    ik_counters_free(&c);
    return 0;
}
