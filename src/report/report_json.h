/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_json.h: the object that every face of a report is made from.
 */
#ifndef IKAT_REPORT_JSON_H
#define IKAT_REPORT_JSON_H

#include "ikat/json.h"
#include "ikat/report.h"
#include "report/model.h"

typedef struct report_json_options {
    size_t segments; /* of a critical path, at most: the latest; classes of messages */
    size_t lines;  /* workloads that have time lines and a matrix, at most; five times as many have
                   * times of ranks */
    bool drawings; /* nodes, links and the utilisation of every channel */
    const char *written;   /* when the results were written; NULL = not said */
    const char *execution; /* JSON text; NULL = not said */
} report_json_options;

void report_put_json(const report_model *m, const report_json_options *options, ik_json *j);

/* report_routes.c: a list with the routes of every plan, as the page has them. */
ik_status report_put_routes(report_model *m, ik_json *j, ik_error *err);
/* The routes of a plan as the file holds them, to be json_decref'ed; NULL: it holds none. */
ik_status report_read_routes(report_model *m, size_t plan, json_t **out, ik_error *err);

#endif
