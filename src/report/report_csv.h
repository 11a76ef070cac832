/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_csv.h: fields of CSV tables, and the tables of finite workloads.
 */
#ifndef IKAT_REPORT_CSV_H
#define IKAT_REPORT_CSV_H

#include "report/model.h"

#include <stdio.h>

/* Texts as ik_text_csv() has them, with commas between them. */
void csv_fields(FILE *out, const char *const *texts, size_t num);
/* A comma and a value: text, number, true or false; nothing of any other. */
void csv_value(FILE *out, const json_t *value);
/* A comma and a number; nothing for NAN. */
void csv_real(FILE *out, double value);
/* The header of a table whose rows begin with csv_curve or csv_workload: [design], fabric,
 * routing, traffic, variant, and the columns `more` ("load,seed"). */
void csv_header(FILE *out, const report_model *m, const char *more);
/* The column design and a comma, where the experiment has designs; returns the rest of the
 * variant. */
const char *csv_design(FILE *out, const report_model *m, const char *variant);
/* The columns [design], fabric, routing, traffic, variant, load. */
void csv_curve(FILE *out, const report_model *m, size_t fabric, size_t plan, const char *traffic,
               const char *variant, double load);

/* The columns [design], fabric, routing, traffic, variant, seed: of points of a workload, which has
 * no load. */
void csv_workload(FILE *out, const report_model *m, const report_row *r);

/* When each host of each point was done. */
ik_status csv_put_hosts(report_model *m, FILE *out, ik_error *err);
/* What the completion of each point waited for. What is left out is one row, so that the rows of a
 * point sum to its completion. */
ik_status csv_put_path(report_model *m, FILE *out, ik_error *err);
/* report_watch.c: packets that were watched, a row per event. */
ik_status csv_put_watch(report_model *m, FILE *out, ik_error *err);
/* When the messages of each class of each point began and were all received. */
ik_status csv_put_message_classes(report_model *m, FILE *out, ik_error *err);
ik_status csv_put_ranks(report_model *m, FILE *out, ik_error *err);
ik_status csv_put_timeline(report_model *m, FILE *out, ik_error *err);
ik_status csv_put_matrix(report_model *m, FILE *out, ik_error *err);
/* figure/claims_put.c: the claims of the experiment, a row each. */
ik_status csv_put_claims(report_model *m, FILE *out, ik_error *err);
/* report_curves.c: every result of every step of every curve, over the samples: a row each. */
ik_status csv_put_curves(report_model *m, FILE *out, ik_error *err);
/* report_plans.c: what is known of each plan, a row each (and for each design that has it). */
ik_status csv_put_plans(report_model *m, FILE *out, ik_error *err);
/* report_jobs.c: what each job of each point took. */
ik_status csv_put_jobs(report_model *m, FILE *out, ik_error *err);

/* Any table, by its number in ik_report_tables; and the number of a name, IK_ERR_USAGE with the
 * nearest one and all of them if there is none. */
ik_status csv_put_table(report_model *m, size_t table, FILE *out, ik_error *err);
ik_status csv_find_table(const char *name, size_t *table, ik_error *err);

#endif
