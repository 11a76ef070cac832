/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_path_records.c: any text as path records: refused with its line, or service levels of every
 * pair.
 */
#include <stdlib.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    static ik_lids lids;
    if (!f && (ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK ||
               ik_lids_make(f, &lids, NULL) != IK_OK))
        abort();
    ik_service_levels s;
    ik_path_records_matched said;
    ik_error err = {0};
    if (ik_path_records_parse(&lids, (const char *)data, size, "input", &s, &said, &err) != IK_OK) {
        if (err.text[0] == '\0' || err.line == 0)
            abort();
        return 0;
    }
    unsigned max_sl = 0;
    for (uint32_t src = 0; src < lids.num; src++)
        for (uint32_t dst = 0; dst < lids.num; dst++) {
            unsigned sl = ik_sl_of(&s, src, dst);
            if (sl >= IK_NUM_SLS)
                abort();
            max_sl = sl > max_sl ? sl : max_sl;
        }
    if (said.max_sl > max_sl || said.records == 0)
        abort();
    ik_service_levels_free(&s);
    return 0;
}
