/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/scales.c: the names of the scales of papers, and their order.
 */
#include "experiment/figures/scales.h"

#include "ikat/experiment.h"

#include <string.h>

static const ik_scale scales[] = {
#define SCALE_WRITTEN(name, help) {#name, help},
#define SCALE(name, help)         {#name, help},
#include "experiment/figures/scales.def"
};
enum { NUM_SCALES = sizeof scales / sizeof *scales };

const ik_scale *ik_scales(size_t *num)
{
    if (num)
        *num = NUM_SCALES;
    return scales;
}

bool scale_is_written(const char *name)
{
    return strcmp(name, SCALE_DEFAULT) == 0 || strcmp(name, scales[0].name) == 0;
}

const char *scale_title(const char *name)
{
    return name[0] && scale_is_written(name) ? scales[0].name : name;
}

size_t scale_rank(const char *name)
{
    for (size_t i = 0; i < NUM_SCALES; i++)
        if (strcmp(scales[i].name, name) == 0)
            return i;
    return name[0] ? 0 : NUM_SCALES;
}
