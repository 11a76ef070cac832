/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_lft.c: any text as forwarding tables: refused with its line, or a table whose ports exist,
 * and which comes back the same after it was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const ik_fabric *f, uint16_t *lft)
{
    static const ik_routing_family family = {.name = "fuzzed", .next = ik_lft_next};
    ik_routing r = {.family = &family,
                    .fabric = f,
                    .kind = IK_ROUTE_DETERMINISTIC,
                    .traits = IK_ROUTE_DEST_BASED,
                    .lft = lft};
    uint16_t *again = NULL;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    if (ik_lft_print(&r, out, NULL) != IK_OK || fclose(out) != 0 ||
        ik_lft_parse(f, text, length, "again", &again, NULL) != IK_OK)
        abort();
    if (memcmp(lft, again, (size_t)f->num_switches * f->num_hosts * sizeof *lft) != 0)
        abort();
    free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    if (!f && ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK)
        abort();
    uint16_t *lft = NULL;
    ik_error err = {0};
    if (ik_lft_parse(f, (const char *)data, size, "input", &lft, &err) != IK_OK) {
        if (err.text[0] == '\0' || err.line == 0)
            abort();
        return 0;
    }
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t host = 0; host < f->num_hosts; host++) {
            uint16_t port = lft[(size_t)sw * f->num_hosts + host];
            if (port != 0xFFFF && port >= ik_radix(f, sw))
                abort();
        }
    check_round_trip(f, lft);
    free(lft);
    return 0;
}
