/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_policy.c: any text as a QoS policy: refused with its line, or service levels that come back
 * the same after they were written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_host(const ik_lids *lids, uint32_t i)
{
    return lids->of[i].port != IK_NONE;
}

static void check_round_trip(const ik_lids *lids, const ik_service_levels *s)
{
    ik_service_levels again = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out || ik_qos_policy_print(s, out, NULL, NULL) != IK_OK || fclose(out) != 0 ||
        ik_qos_policy_parse(lids, text, length, "again", &again, NULL, NULL) != IK_OK)
        abort();
    for (uint32_t a = 0; a < lids->num; a++)
        for (uint32_t b = 0; b < lids->num; b++)
            if (is_host(lids, a) && is_host(lids, b) && ik_sl_of(s, a, b) != ik_sl_of(&again, a, b))
                abort();
    ik_service_levels_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    static ik_lids lids;
    if (!f && (ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK ||
               ik_lids_make(f, &lids, NULL) != IK_OK))
        abort();
    ik_service_levels s = {0};
    ik_policy_matched matched;
    ik_error err = {0};
    if (ik_qos_policy_parse(&lids, (const char *)data, size, "input", &s, &matched, &err) !=
        IK_OK) {
        if (err.text[0] == '\0' || err.line == 0)
            abort();
        return 0;
    }
    for (uint32_t a = 0; a < lids.num; a++)
        for (uint32_t b = 0; b < lids.num; b++)
            if (ik_sl_of(&s, a, b) > matched.max_sl || matched.max_sl >= IK_NUM_SLS)
                abort();
    check_round_trip(&lids, &s);
    ik_service_levels_free(&s);
    return 0;
}
