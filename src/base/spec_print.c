/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spec_print.h"

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
