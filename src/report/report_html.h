/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_html.h: the page of reports, with other data inside.
 */
#ifndef IKAT_REPORT_REPORT_HTML_H
#define IKAT_REPORT_REPORT_HTML_H

#include "ikat/base.h"

#include <stdio.h>

enum { REPORT_PLAIN_LIMIT = 1 << 20 }; /* bytes of JSON that stand in the page as they are */

/* Writes the elements with the page's data. */
typedef ik_status report_html_put_fn(const void *of, FILE *out, ik_error *err);
/* The page, with what put(of, out) writes where its data stands. */
ik_status report_html_put_page(FILE *out, report_html_put_fn *put, const void *of, ik_error *err);
/* An element with JSON (of ik_json, which no "</script" ends), deflated beyond limit bytes. */
ik_status report_html_put_element(FILE *out, const char *id, const char *text, size_t size,
                                  size_t limit, ik_error *err);

#endif
