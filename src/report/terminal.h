/* SPDX-License-Identifier: Apache-2.0
 *
 * report/terminal.h: texts and tables in a terminal, and the sections of report_terminal.c that
 * stand in files of their own.
 */
#ifndef IKAT_REPORT_TERMINAL_H
#define IKAT_REPORT_TERMINAL_H

#include "report/model.h"

#include <stdio.h>

typedef struct terminal_page {
    report_model *m;
    FILE *out;
    unsigned width;
    unsigned table_width; /* of the terminal; 0: there is none, and rows of tables stay whole */
    bool colour;
} terminal_page;

void terminal_text(FILE *out, const char *text);
void terminal_heading(const terminal_page *p, const char *text);
/* Words of `text` in lines of at most p->width columns, each after the first indented by `indent`;
 * the first starts at `column`. */
void terminal_wrap(const terminal_page *p, const char *text, unsigned column, unsigned indent);

/* A table: cells as text, numbers (headers ending in '>') to the right. Columns of names (headers
 * ending in '*': specs as "xgft:m=4:4,w=1:4,latency=1 us") show what differs between rows; what all
 * rows share is said once above the table. */
enum { MAX_COLUMNS = 12, CELL = 256, SHOWN_CELL = 96 };

typedef struct grid {
    const char *headers[MAX_COLUMNS];
    size_t columns, cells, room;
    char (*text)[CELL];
    bool failed;
} grid;

/* Adds the next cell. */
void grid_cell(grid *g, const char *format, ...) IK_PRINTF(2, 3);
/* A mean over seeds with its confidence interval; "-" where it is 0. */
void grid_estimate(grid *g, estimate e, double scale, const char *unit);
/* The same of a latency of a step, with a star behind it where it grows with the length of the run:
 * *marked is set, and the table is followed by TERMINAL_PAST_SATURATION. */
void grid_latency(grid *g, const report_step *s, estimate e, bool *marked);
/* Adds a column for grid_feasible where a curve of simulations stands for infeasible points. */
bool terminal_feasible_column(const report_model *m, grid *g);
/* "4 of 6": points of the step whose plan is feasible. */
void grid_feasible(grid *g, const report_model *m, const report_step *s);
#define TERMINAL_PAST_SATURATION                                                                   \
    "* past saturation, where queues grow as long as the run lasts, or not steady: the latency "   \
    "says how long the run was."
#define TERMINAL_NOT_STEADY                                                                        \
    "* not steady, or too short to tell: a longer run may give another value."
#define TERMINAL_PEAK                                                                              \
    "peak throughput is the highest throughput at any load, of steady points alone: a run ten "    \
    "times as long would find the same."
#define TERMINAL_SATURATION                                                                        \
    "Loads are fractions of the hosts' injection rate. Saturation is the lowest load that is not " \
    "accepted in the long run; " TERMINAL_PEAK
#define TERMINAL_SEARCHED                                                                          \
    "Loads are fractions of the hosts' injection rate. Saturation is the highest load that the "   \
    "search found to be accepted in the long run; " TERMINAL_PEAK
#define TERMINAL_RANGE                                                                             \
    "Where saturation is a range (\"60 to 70 %\", \"at most 70 %\"), loads in it could not be "    \
    "told in the measured time."
/* Prints and frees the table. */
ik_status grid_put(const terminal_page *p, grid *g, ik_error *err);

/* ---- terminal_names.c */
/* Takes from the cells of a column (every `columns`-th from text on, `rows` of them) the parameters
 * that all rows share, and writes them to common ("m=4:4, latency=1 us"; "" for none). True if the
 * rows are all the same: common is then the whole name, and the column can be left out. */
bool names_fold(char (*text)[CELL], size_t rows, size_t columns, char *common, size_t size);

/* ---- report_terminal_static.c: what was measured without simulation */
ik_status terminal_statics(const terminal_page *p, ik_error *err);

/* ---- report_terminal_workload.c: what became of finite workloads */
bool terminal_is_workload(const report_curve *c);
ik_status terminal_workloads(const terminal_page *p, ik_error *err);
/* report_terminal_ranks.c: of programs of calls, in what their ranks spent the time, which run was
 * best and what the others waited for. */
ik_status terminal_ranks(const terminal_page *p, ik_error *err);
/* What is missing of the first that was not completed. */
void terminal_missing(const terminal_page *p);

#endif
