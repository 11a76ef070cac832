/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_routing.c: any spec of a routing and, after '|', of a VC scheme and a selection function, on
 * a small tree, a damaged one and a torus: refused with a text, or a plan that delivers what it
 * claims to. Files are not opened.
 */
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ik_fabric *f, const char *routing, const char *vc, const char *selection)
{
    const ik_env env = {.seed = 1, .memory_limit_bytes = 1 << 20};
    ik_error err = {0};
    ik_plan *plan = NULL;
    uint32_t channels[64];
    if (ik_plan_from_specs(f, routing, vc, selection, 0, &env, &plan, &err) != IK_OK) {
        if (err.text[0] == '\0' || plan)
            abort();
        return;
    }
    for (uint32_t src = 0; src < f->num_hosts; src++) {
        uint32_t dst = (src * 5 + 3) % f->num_hosts;
        if (src != dst && !ik_plan_path(plan, src, dst, 0, channels, 64) &&
            (plan->routing->claims & IK_CLAIM_DELIVERS) && f->intact)
            abort();
    }
    ik_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const specs[] = {"xgft:m=2:3:2,w=1:2:2", "rlft:ports=4,levels=3,fail=10%",
                                        "torus:dims=3:3"};
    static ik_fabric *fabrics[3];
    char text[192];
    if (size >= sizeof text || memchr(data, 0, size) || memchr(data, '/', size) ||
        memchr(data, '.', size))
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *vc = strchr(text, '|'), *selection = vc ? strchr(vc + 1, '|') : NULL;
    if (vc)
        *vc++ = '\0';
    if (selection)
        *selection++ = '\0';
    for (int i = 0; i < 3; i++) {
        if (!fabrics[i] && ik_fabric_from_spec(specs[i], NULL, &fabrics[i], NULL) != IK_OK)
            abort();
        check(fabrics[i], text, vc && *vc ? vc : NULL, selection && *selection ? selection : NULL);
    }
    return 0;
}
