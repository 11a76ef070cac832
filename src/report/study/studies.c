/* SPDX-License-Identifier: Apache-2.0
 *
 * report/study/studies.c: the experiments that reproduce papers. Their texts are made a part of the
 * library by tools/embed_studies.py, from experiments/papers.
 */
#include "ikat/reproduce.h"

#include <stdio.h>

extern const ik_study ik_study_table[];
extern const size_t ik_num_studies;

const ik_study *ik_studies(size_t *num)
{
    *num = ik_num_studies;
    return ik_study_table;
}

ik_status ik_study_read(const ik_study *study, const char *scale, ik_experiment **out,
                        ik_error *err)
{
    char file[160], override[80];
    const char *const overrides[] = {override, NULL}; /* its other scales are not checked again */
    snprintf(file, sizeof file, "experiments/papers/%s/%s.yaml", study->paper, study->name);
    snprintf(override, sizeof override, "scale=%s", scale ? scale : "default");
    return ik_experiment_read_memory(study->text, study->size, file, overrides, out, err);
}
