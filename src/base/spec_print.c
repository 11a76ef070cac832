/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spec_print.h"
#include "base/spec_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *spec_print(const char *name, ik_params *params)
{
    const char *values = ik_params_print(params, false);
    if (!values)
        return NULL;
    size_t size = strlen(name) + strlen(values) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", name, *values ? ":" : "", values);
    return text;
}

const char *spec_print_value(const ik_value *value, ik_arena *arena)
{
    /* what is listed was printed for this */
    return value->members ? value->text : spec_text_quoted(value->text, arena);
}
