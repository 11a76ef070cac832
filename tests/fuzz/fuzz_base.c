/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_base.c: any text as quantity, real, spec and parameter value: refused or read, never a
 * crash; what is read prints and reads back the same.
 */
#include <stdlib.h>
#include <string.h>

#include "ikat/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ik_param rows[] = {
    {"count", IK_PARAM_UINT, "1", 0, 1000, NULL, "a count"},
    {"list", IK_PARAM_UINT_LIST, "1", 0, 0, NULL, "a list"},
    {"time", IK_PARAM_TIME, "1 ns", 0, 0, NULL, "a time"},
    {"share", IK_PARAM_FRACTION, "0.5", 0, 1, NULL, "a share"},
    {"kind", IK_PARAM_ENUM, "a", 0, 0, "a|bc|def", "a kind"},
    {"flag", IK_PARAM_BOOL, "no", 0, 0, NULL, "a flag"},
    {"ranges", IK_PARAM_RANGES, "0..3", 0, 100, NULL, "ranges"},
    {"path", IK_PARAM_PATH, "a", 0, 0, "a|bc", "a word or a file"},
    {"text", IK_PARAM_STRING, "", 0, 0, NULL, "a text"},
    {"patterns", IK_PARAM_PATTERNS, "", 0, 0, NULL, "patterns"},
    {"jobs", IK_PARAM_JOBS, "", 0, 0, NULL, "jobs"},
    {"entries", IK_PARAM_SCHEDULE, "", 0, 0, NULL, "a schedule"},
    {"spec", IK_PARAM_SPEC, "", 0, 0, NULL, "a spec"},
    {0},
};

static void try_quantity(const char *text, ik_dimension dim)
{
    uint64_t value, again;
    ik_error err;
    if (ik_parse_quantity(text, dim, &value, &err) != IK_OK)
        return;
    char printed[64];
    ik_format_quantity(printed, sizeof printed, value, dim);
    if (ik_parse_quantity(printed, dim, &again, &err) != IK_OK || again != value)
        abort();
}

/* What was read is printed as a spec with the same values. A spec as deep as is allowed, without
 * parentheses, may be too deep with them. */
static void print_and_read(ik_params *params, ik_arena *arena)
{
    ik_spec spec;
    ik_params again;
    ik_error err;
    const char *printed = ik_arena_printf(arena, "thing:%s", ik_params_print(params, true));
    ik_status status = ik_spec_parse(printed, arena, &spec, &err);
    if (status == IK_OK)
        status = ik_params_from_spec(&again, "thing", &spec, rows, NULL, &err);
    if (status != IK_OK && !strstr(err.text, "more than 32 levels"))
        abort();
    for (size_t i = 0; status == IK_OK && i < params->num; i++)
        if (params->values[i].has && strcmp(params->values[i].text, again.values[i].text) != 0)
            abort();
    if (status == IK_OK)
        ik_params_free(&again);
}

static void try_spec(const char *text)
{
    ik_arena arena = {0};
    ik_spec spec;
    ik_error err;
    ik_params params;
    if (ik_spec_parse(text, &arena, &spec, &err) == IK_OK &&
        ik_params_from_spec(&params, "thing", &spec, rows, NULL, &err) == IK_OK) {
        print_and_read(&params, &arena);
        ik_params_free(&params);
    }
    ik_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (int dim = IK_DIM_NONE; dim <= IK_DIM_LENGTH; dim++)
        if (dim != IK_DIM_FRACTION)
            try_quantity(text, (ik_dimension)dim);
    double real;
    ik_parse_real(text, IK_DIM_FRACTION, &real, NULL);
    try_spec(text);
    free(text);
    return 0;
}
