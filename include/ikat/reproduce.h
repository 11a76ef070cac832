/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/reproduce.h: experiments that reproduce papers. A study is an experiment file that is part
 * of the library; each of its figures is an entry, a figure or table of the paper: "000/fig2a".
 */
#ifndef IKAT_REPRODUCE_H
#define IKAT_REPRODUCE_H

#include "ikat/experiment.h"
#include "ikat/json.h"
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

/* ---- a reproduction: studies that are run into a folder, and what is written there */

/* One study of a reproduction. Files are named FOLDER/PAPER/NAME.db and so on; at another scale
 * than that of the file as it is written NAME.full.db, of a shard NAME.2of8.db. */
typedef struct ik_reproduced {
    const ik_study *study;
    ik_experiment *e;
    const ik_experiment_about *about;
    bool *shown;         /* [about->num_figures] it was asked for */
    bool refused;        /* the caller does not run it */
    ik_study_page *page; /* what was made of its results; NULL = they are not there */
    char *results;       /* path */
    char *report, *experiment, *points; /* paths below the folder */
} ik_reproduced;

typedef struct ik_reproduction {
    const char *folder;     /* borrowed */
    const char *scale;      /* of ik_scales() */
    ik_run_part part;       /* budget_s: of all studies together */
    ik_reproduced *studies; /* [num] that something is shown of */
    size_t num;
} ik_reproduction;

/* Reads the studies that are named: "000/fig2b" (a figure or table), "000" (a paper), or
 * "000/NAME" (a study); none: all. scale: of ik_scales(), NULL: the first. IK_ERR_USAGE: there is
 * no such name or scale. Close it after a failure, too. */
ik_status ik_reproduction_open(const char *const *names, size_t num, const char *folder,
                               const char *scale, const ik_run_part *part, ik_reproduction *out,
                               ik_error *err);
void ik_reproduction_close(ik_reproduction *r);
/* What an experiment says of a scale; nothing of one that it does not declare. */
const ik_experiment_scale *ik_reproduction_scale(const ik_experiment_about *about,
                                                 const char *name);
/* The folder, and one in it per paper. IK_ERR_IO, IK_ERR_USAGE. */
ik_status ik_reproduction_make_folders(const ik_reproduction *r, ik_error *err);
/* What ik_experiment_run may do of a study when so many seconds of the budget are spent. False:
 * nothing, and there are no earlier results of which something could be shown. */
bool ik_reproduction_part(const ik_reproduction *r, const ik_reproduced *s, double spent_s,
                          ik_run_part *part);
/* Reads the results of a study, and writes what stands beside them: report, experiment, points,
 * figures. Sets s->page. */
ik_status ik_reproduction_write(const ik_reproduction *r, ik_reproduced *s, ik_error *err);
/* index.html and claims.csv, of the studies that have results. */
ik_status ik_reproduction_write_page(const ik_reproduction *r, ik_error *err);

/* What became of the claims of the studies that have results. */
typedef struct ik_reproduction_verdicts {
    ik_verdicts num, by_basis[IK_NUM_BASES];
    size_t blind, unexplained; /* claims that would also hold with other results, and those of them
                                * that are not marked as weak */
    size_t lacking;            /* studies without results */
} ik_reproduction_verdicts;
/* Counts them. fn: called with each claim, in order, and its study; NULL: not called. */
typedef ik_status (*ik_reproduced_claim_fn)(void *ctx, const ik_reproduced *s,
                                            const ik_claim *claim, ik_error *err);
ik_status ik_reproduction_judge(const ik_reproduction *r, ik_reproduced_claim_fn fn, void *ctx,
                                ik_reproduction_verdicts *out, ik_error *err);
/* Writes the members of what `ikat reproduce --json` prints, behind its version, into the object
 * that is open. */
void ik_reproduction_json(const ik_reproduction *r, const ik_reproduction_verdicts *v, ik_json *j);

IK_END_DECLS
#endif
