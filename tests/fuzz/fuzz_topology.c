/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes specs of topologies: parameters, shorthands, hosts= and fail= of every member, within 8
 * MB.
 */
#include "ikat/topology.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[200];
    ik_env env = {.seed = 1, .memory_limit_bytes = 8 << 20};
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (size >= sizeof spec)
        return 0;
    memcpy(spec, data, size);
    spec[size] = '\0';
    spec[strcspn(spec, "\n")] = '\0';
    char *colon = strchr(spec, ':');
    if (!colon || strncmp(spec, "file", 4) == 0 || strchr(spec, '/'))
        return 0; /* no files */
    if (ik_fabric_from_spec(spec, &env, &f, &err) != IK_OK) {
        if (f || !err.text[0] || err.status == IK_ERR_INTERNAL)
            abort();
        return 0;
    }
    if (ik_fabric_check(f, &err) != IK_OK)
        abort();
    ik_fabric_free(f);
    return 0;
}
