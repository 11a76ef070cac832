/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/reproduce.h: experiments that reproduce papers. A study is an experiment file that is part
 * of the library; each of its figures is an entry, a figure or table of the paper: "000/fig2a".
 */
#ifndef IKAT_REPRODUCE_H
#define IKAT_REPRODUCE_H

#include "ikat/experiment.h"
#include "ikat/report.h"

#include <stdio.h>

IK_BEGIN_DECLS

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
    ik_results *results;
    /* names of files beside the page: the whole report, the experiment, the points as CSV; figures
     * that can be drawn stand in the folder of `report` as ENTRY.svg and ENTRY.csv */
    const char *report, *experiment, *points;
    /* [about->num_figures] which entries are shown; NULL = all */
    const bool *shown;
} ik_study_results;

/* A claim as it stands in results; texts belong to the caller of the function, "" = none. */
typedef struct ik_claim {
    ik_claim_verdict verdict;
    const char *claim, *source, *figure, *paper, *found, *differs;
    const char *asked; /* what holds or not: "more than 50 %", "70 % within 10 %" */
    const char *weak;  /* why it may hold although the effect is not there */
    /* with which other results it would also hold ("with both sides exchanged"); "" = with none
     * that were tried, or it does not hold */
    const char *blind;
    ik_claim_basis basis;
    double margin; /* by which share of the right side what was found may move before the claim no
                      longer holds; < 0: no longer differs; NAN: it cannot be said */
} ik_claim;
typedef ik_status (*ik_claim_fn)(void *ctx, const ik_claim *claim, ik_error *err);
/* Calls fn for each claim of the experiment, in its order, until it fails. */
ik_status ik_results_claims(ik_results *r, ik_claim_fn fn, void *ctx, ik_error *err);

/* What a page says of one study. It is made of the results and of what the experiment says of
 * itself, and needs them no longer then (the study itself it does). */
typedef struct ik_study_page ik_study_page;
ik_status ik_study_page_make(const ik_study_results *study, ik_study_page **out, ik_error *err);
void ik_study_page_free(ik_study_page *p);
/* The claims of the figures that are shown; where all are, those of no figure too. */
ik_status ik_study_page_claims(const ik_study_page *p, ik_claim_fn fn, void *ctx, ik_error *err);

/* One page of many studies: the verdicts of all claims, then each entry with its picture, its
 * claims and links to its data. Loads nothing but what stands beside it. */
ik_status ik_reproduction_page(ik_study_page *const *pages, size_t num, FILE *out, ik_error *err);
/* All claims that are shown: columns name, verdict, claim, source, paper, found, differs, asked,
 * basis, weak, margin, blind, scale. */
ik_status ik_reproduction_csv(ik_study_page *const *pages, size_t num, FILE *out, ik_error *err);

IK_END_DECLS
#endif
