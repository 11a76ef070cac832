/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_sl2vl.c: any text as a dump of SL-to-VL maps, as an opensm.conf and as a list of failures:
 * refused with its line, or VLs from 0 to 15 everywhere, a fabric that is whole.
 */
#include <stdlib.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_maps(const ik_fabric *f, ik_sl2vl *v)
{
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++) {
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            for (uint32_t out = 0; out < ik_radix(f, sw); out++)
                for (uint32_t in = 0; in <= ik_radix(f, sw); in++)
                    if (ik_vl_of(v, sw, in == ik_radix(f, sw) ? IK_NONE : in, out, sl) >
                        IK_VL_MANAGEMENT)
                        abort();
        for (uint32_t p = f->port_base[f->num_switches]; p < f->num_ports; p++)
            if (ik_vl_of_host(v, p, sl) > IK_VL_MANAGEMENT)
                abort();
    }
    ik_sl2vl_free(v);
}

static void check_refusal(const ik_error *err)
{
    if (err->text[0] == '\0' || err->line == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    if (!f && ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK)
        abort();
    const char *text = (const char *)data;
    ik_sl2vl v = {0};
    ik_sl2vl_matched matched;
    ik_fabric *left = NULL;
    bool enabled = false;
    ik_error err = {0};
    if (ik_sl2vl_dump_parse(f, text, size, "input", &v, &matched, &err) == IK_OK)
        check_maps(f, &v);
    else
        check_refusal(&err);
    if (ik_sl2vl_conf_parse(f, text, size, "input", &v, &enabled, &err) == IK_OK)
        check_maps(f, &v);
    else
        check_refusal(&err);
    if (ik_failed_parse(f, text, size, "input", &left, NULL, &err) == IK_OK)
        ik_fabric_free(left);
    else
        check_refusal(&err);
    return 0;
}
