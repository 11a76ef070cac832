/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an experiment file: refused with a place, or read.
 */
#include "ikat/experiment.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ik_experiment *e = NULL;
    ik_error err = {0};
    if (size > 4096)
        return 0;
    ik_status status =
        ik_experiment_read_memory((const char *)data, size, "fuzz.yaml", NULL, &e, &err);
    if (status == IK_ERR_INTERNAL || (status != IK_OK && err.text[0] == '\0'))
        abort();
    if (status == IK_OK && ik_experiment_num_points(e) == 0)
        abort();
    if (status == IK_OK)
        ik_experiment_free(e);
    return 0;
}
