/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_topology.c: any spec of a generated fabric: refused with a text, or built so that every invariant holds and its own spec
 * builds the same graph again. Memory is limited, so absurd sizes must be refused before anything is allocated; files are not
 * opened.
 */
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ik_status build(const char *spec, ik_fabric **out)
{
    const ik_env env = {.seed = 1, .memory_limit_bytes = 1 << 20};
    ik_error err = {0};
    ik_status status = ik_fabric_from_spec(spec, &env, out, &err);
    if (status != IK_OK && err.text[0] == '\0')
        abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[256];
    if (size >= sizeof spec || memchr(data, 0, size) || memchr(data, '/', size) || memchr(data, '.', size))
        return 0;
    memcpy(spec, data, size);
    spec[size] = '\0';
    ik_fabric *first = NULL, *second = NULL;
    if (strncmp(spec, "file", 4) == 0 || build(spec, &first) != IK_OK)
        return 0;
    if (ik_fabric_check(first, NULL) != IK_OK || build(first->spec, &second) != IK_OK)
        abort();
    if (first->num_ports != second->num_ports ||
        memcmp(first->port_peer, second->port_peer, first->num_ports * sizeof *first->port_peer) != 0)
        abort();
    ik_fabric_free(first);
    ik_fabric_free(second);
    return 0;
}
