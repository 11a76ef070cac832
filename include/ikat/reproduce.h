/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/reproduce.h: experiments that reproduce papers. A study is an experiment file that is part
 * of the library; each of its figures is an entry, a figure or table of the paper: "000/fig2a".
 */
#ifndef IKAT_REPRODUCE_H
#define IKAT_REPRODUCE_H

#include "ikat/experiment.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ik_study {
    const char *paper; /* "000" */
    const char *name;  /* of the file, without its ending */
    size_t size;
    const char *text; /* the experiment, YAML */
} ik_study;
/* All of them, by paper and name. */
const ik_study *ik_studies(size_t *num);
/* Reads a study at a scale (NULL: as it is written). Free with ik_experiment_free. */
ik_status ik_study_read(const ik_study *study, const char *scale, ik_experiment **out,
                        ik_error *err);

/* A study whose results are there, finished or not. */
typedef struct ik_study_results {
    const ik_study *study;
    const ik_experiment_about *about;
    const char *results; /* path of the results file */
    /* names of files beside the page: the whole report, the experiment, the points as CSV; figures
     * stand in the folder of `report` as ENTRY.svg and ENTRY.csv */
    const char *report, *experiment, *points;
    /* [about->num_figures] which entries are shown; NULL = all */
    const bool *shown;
} ik_study_results;

/* A claim as it stands in results; texts belong to the caller of the function, "" = none. */
typedef struct ik_claim {
    const char *verdict; /* "holds", "differs", "cannot be told", "not asked" */
    const char *claim, *source, *figure, *paper, *found, *differs;
} ik_claim;
typedef ik_status (*ik_claim_fn)(void *ctx, const ik_claim *claim, ik_error *err);
/* Calls fn for each claim of the experiment, in its order, until it fails. */
ik_status ik_report_claims(const char *store_path, ik_claim_fn fn, void *ctx, ik_error *err);
/* The same for the claims of the figures of a study that are shown, and those of no figure. */
ik_status ik_study_claims(const ik_study_results *study, ik_claim_fn fn, void *ctx, ik_error *err);

/* One page of many studies: the verdicts of all claims, then each entry with its picture, its
 * claims and links to its data. Loads nothing but what stands beside it. */
ik_status ik_reproduction_page(const ik_study_results *studies, size_t num, FILE *out,
                               ik_error *err);
/* All claims that are shown: columns name, verdict, claim, source, paper, found, differs. */
ik_status ik_reproduction_csv(const ik_study_results *studies, size_t num, FILE *out,
                              ik_error *err);

#ifdef __cplusplus
}
#endif
#endif
