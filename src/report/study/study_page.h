/* SPDX-License-Identifier: Apache-2.0
 *
 * report/study/study_page.h: what the page of reproductions says of one study.
 */
#ifndef IKAT_REPORT_STUDY_PAGE_H
#define IKAT_REPORT_STUDY_PAGE_H

#include "ikat/reproduce.h"

struct ik_study_page {
    ik_arena arena;
    const char *paper, *scale;
    ik_claim *claims; /* [num_claims] that are shown */
    size_t num_claims;
    char *section; /* [section_bytes] HTML, from malloc */
    size_t section_bytes;
};

/* reproduction.c: a table of claims; with_entry: with a column that says of which figure. */
void page_begin_claims(FILE *out, bool with_entry);
void page_put_claim(FILE *out, const char *paper, const ik_claim *c, bool with_entry);
void page_end_claims(FILE *out);

#endif
