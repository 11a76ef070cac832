/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_traffic.c: any text as a traffic spec, and as a file of flows: refused or made, never a
 * crash; what is made sends within the fabric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ikat/topology.h"
#include "ikat/traffic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    const ik_fabric *f = ctx;
    if (src >= f->num_hosts || dst >= f->num_hosts || weight == 0 || weight > scale)
        abort();
}

static void try_spec(const ik_fabric *f, const char *spec)
{
    ik_traffic *t = NULL;
    ik_error err;
    ik_env env = {.seed = 3};
    if (ik_traffic_from_spec(f, spec, &env, &t, &err) != IK_OK)
        return;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t dst = t->family->dest(t, h, h);
        if (dst != IK_NONE && dst >= f->num_hosts)
            abort();
        t->family->flows(t, h, check_flow, (void *)f);
    }
    ik_traffic_free(t);
}

static void try_file(const ik_fabric *f, const uint8_t *data, size_t size)
{
    char path[] = "/tmp/fuzz_traffic_XXXXXX", spec[64];
    int fd = mkstemp(path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out) {
        fwrite(data, 1, size, out);
        fclose(out);
        snprintf(spec, sizeof spec, "file:path=%s", path);
        try_spec(f, spec);
        unlink(path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f; /* made once: the fuzzer's process is all that uses it */
    ik_error err;
    if (!f && ik_fabric_from_spec("karytree:k=2,n=4", NULL, &f, &err) != IK_OK)
        abort();
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (!strstr(text, "file")) /* no reading of arbitrary paths */
        try_spec(f, text);
    free(text);
    try_file(f, data, size);
    return 0;
}
