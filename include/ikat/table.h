/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/table.h: counts, and tables of text, for a terminal. Columns are as wide as their widest
 * cell, with numbers to the right. Those that a terminal has no room for follow below, in further
 * parts behind the first column.
 *
 *     static const char *const headers[] = {"routing", "lanes>", NULL};
 *     ik_table *t = ik_table_new(headers);
 *     ik_table_cell(t, "%s", "dmodk");
 *     ik_table_cell(t, "%u", 1);
 *     ik_status status = ik_table_print(t, stdout, 80, false, err);
 *
 * Lack of memory is kept until the table is printed, so that a caller checks once.
 */
#ifndef IKAT_TABLE_H
#define IKAT_TABLE_H

#include "ikat/base.h"

#include <stdio.h>

IK_BEGIN_DECLS

/* 12345678 as "12,345,678", and the same with what is counted. */
char *ik_format_whole(char *buffer, size_t size, uint64_t n);
#define IK_WHOLE(n) ik_format_whole((char[32]){""}, 32, n)
char *ik_format_whole_count(char *buffer, size_t size, uint64_t count, const char *noun);
#define IK_WHOLE_COUNT(count, noun) ik_format_whole_count((char[96]){""}, 96, count, noun)

typedef struct ik_table ik_table;
/* headers: NULL-terminated; the texts, and not the list, are borrowed until the table is printed.
 * One that ends with '>' is right-aligned (the mark is removed). NULL without memory, which the
 * functions below take. */
ik_table *ik_table_new(const char *const *headers);
/* The next cell, at most 511 bytes, as ik_text_line leaves it; a row is full after the last
 * column. */
void ik_table_cell(ik_table *t, const char *format, ...) IK_PRINTF(2, 3);
/* Prints and frees the table. width: columns of the terminal, 0 = rows stay whole; colour:
 * underlines the headers. IK_ERR_MEMORY: nothing is printed. */
ik_status ik_table_print(ik_table *t, FILE *out, unsigned width, bool colour, ik_error *err);

IK_END_DECLS
#endif
