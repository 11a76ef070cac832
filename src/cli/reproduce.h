/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/reproduce.h: the studies that `ikat reproduce` was asked for, and the files that it writes.
 */
#ifndef IKAT_CLI_REPRODUCE_H
#define IKAT_CLI_REPRODUCE_H

#include "running.h"

/* One study. Files are named DIR/PAPER/NAME.db and so on; at another scale than that of the file as
 * it is written NAME.full.db, of a shard NAME.2of8.db. */
typedef struct reproduced {
    const ik_study *study;
    ik_experiment *e;
    const ik_experiment_about *about;
    bool *shown;         /* [about->num_figures] it was asked for */
    bool refused;        /* ranks cannot run it */
    ik_study_page *page; /* what was made of its results; NULL = they are not there */
    char *results;       /* path */
    char *report, *experiment, *points; /* paths below DIR */
} reproduced;

typedef struct reproduction {
    const char *folder;
    const char *scale;   /* of ik_scales() */
    ik_run_part part;    /* budget_s: of all studies together */
    reproduced *studies; /* [num] that something is shown of */
    size_t num;
} reproduction;

/* Reads the studies that the arguments name; CLI_DONE, or an exit status with the message printed.
 * Close it after a failure, too. */
int reproduce_open(cli *c, reproduction *r);
void reproduce_close(reproduction *r);

/* What an experiment says of a scale; nothing of one that it does not declare. */
const ik_experiment_scale *reproduce_scale(const ik_experiment_about *about, const char *name);
ik_status reproduce_make_folders(const reproduction *r, ik_error *err);
/* Reads the results of a study, and writes what stands beside them: report, experiment, points,
 * figures. Sets s->page. */
ik_status reproduce_write(const reproduction *r, reproduced *s, ik_error *err);
/* DIR/index.html and DIR/claims.csv, of the studies that have results. */
ik_status reproduce_write_page(const reproduction *r, ik_error *err);

#endif
