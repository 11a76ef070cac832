/* SPDX-License-Identifier: Apache-2.0
 *
 * route_output.h: writing routes in the formats of `ikat route`.
 */
#ifndef IKAT_CLI_ROUTE_OUTPUT_H
#define IKAT_CLI_ROUTE_OUTPUT_H

#include "cli.h"

typedef struct route_job {
    const cli *c;
    ik_fabric *f;
    ik_plan *plan;
    unsigned num_vcs; /* asked for, 0 = the scheme's own */
} route_job;

/* spec, hosts, switches, routing, vc, vcs. */
void route_header_json(ik_json *j, const route_job *job);
void route_header_print(const route_job *job);
/* format: lft, paths, ir, fir or json; any other is refused with the nearest. */
ik_status route_write(const route_job *job, const char *format, FILE *out, ik_error *err);

/* route_path.c: the path from one host to another, by their names; the exit status. */
int route_show_path(const route_job *job, const char *from, const char *to);

#endif
