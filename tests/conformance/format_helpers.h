/* SPDX-License-Identifier: Apache-2.0
 *
 * Fabrics as texts in memory.
 */
#ifndef FORMAT_HELPERS_H
#define FORMAT_HELPERS_H

#include "ikat/format.h"
#include "ikat/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *at;
    size_t size;
} text;

/* The fabric in this format; at is NULL and err filled if it cannot be written. */
static inline text written(const ik_format *format, const ik_fabric *f, ik_error *err)
{
    text t = {0};
    FILE *out = open_memstream(&t.at, &t.size);
    ik_status status = out ? format->write(f, out, err) : IK_ERR_MEMORY;
    if (out)
        fclose(out);
    if (status != IK_OK) {
        free(t.at);
        t = (text){0};
    }
    return t;
}

static inline bool same_text(text a, text b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

#endif
