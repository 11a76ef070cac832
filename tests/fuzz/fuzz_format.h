/* SPDX-License-Identifier: Apache-2.0
 *
 * One fuzz target a format: whatever is read holds together, is written, and from then on stays the
 * same bytes.
 */
#ifndef FUZZ_FORMAT_H
#define FUZZ_FORMAT_H

#include "ikat/format.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The fabric read from the text; NULL if it is refused, which needs a reason. */
static ik_fabric *fuzz_read(const ik_format *format, const char *text, size_t size)
{
    ik_fabric *f = NULL;
    ik_error err = {0};
    ik_status status = ik_fabric_read_memory(text, size, "fuzz", format, NULL, &f, &err);
    if (status != IK_OK) {
        if (f || !err.text[0] || status == IK_ERR_INTERNAL)
            abort();
        return NULL;
    }
    if (ik_fabric_check(f, &err) != IK_OK)
        abort();
    return f;
}

/* The text of the fabric, to be freed; NULL if the format cannot hold it. */
static char *fuzz_write(const ik_format *format, const ik_fabric *f, size_t *size)
{
    char *text = NULL;
    ik_error err = {0};
    FILE *out = open_memstream(&text, size);
    ik_status status = format->write(f, out, &err);
    fclose(out);
    if (status == IK_OK)
        return text;
    if (status != IK_ERR_UNSUPPORTED || !err.text[0])
        abort();
    free(text);
    return NULL;
}

static int fuzz_format(const char *name, const uint8_t *data, size_t size)
{
    const ik_format *format = ik_format_find(name);
    size_t first_size = 0, second_size = 0;
    char *copy = malloc(size + 1);
    memcpy(copy, data, size);
    copy[size] = '\0';
    ik_fabric *f = fuzz_read(format, copy, size);
    char *first = f && format->write ? fuzz_write(format, f, &first_size) : NULL;
    if (first) {
        ik_fabric *back = fuzz_read(format, first, first_size);
        char *second = back ? fuzz_write(format, back, &second_size) : NULL;
        if (!second || first_size != second_size || memcmp(first, second, first_size) != 0)
            abort();
        free(second);
        ik_fabric_free(back);
    }
    free(first);
    free(copy);
    ik_fabric_free(f);
    return 0;
}

#endif
