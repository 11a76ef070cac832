/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables in a text of ibdiagnet (ibdiagnet2.db_csv): a line START_NAME, one with the names of the
 * columns, a line per row, END_NAME. Fields are separated by commas; blanks around one, and double
 * quotes, are not part of it.
 */
#ifndef IKAT_CSV_TABLE_H
#define IKAT_CSV_TABLE_H

#include "format/scan.h"

enum { CSV_MOST_WANTED = 64, CSV_MOST_COLUMNS = 1024 };

/* The wanted columns of a table. */
typedef struct csv_columns {
    unsigned num, line;               /* wanted; of the names */
    uint32_t count;                   /* of all columns */
    uint8_t wanted[CSV_MOST_COLUMNS]; /* 1 + which wanted one it is, 0 = none */
} csv_columns;

/* Is this line START_NAME? Then *name is NAME. */
bool csv_begins(const scan *s, slice *name);
/* Is it END_NAME? */
bool csv_ends(const scan *s, slice name);
/* Reads the line of names; capitals do not matter. IK_ERR_INPUT: one of the first `required` wanted
 * columns is missing. */
ik_status csv_read_columns(scan *s, const char *const *wanted, unsigned num, unsigned required,
                           csv_columns *c, ik_error *err);
/* Reads a row: the fields of the wanted columns, empty ones where the table lacks them. */
ik_status csv_read_row(scan *s, const csv_columns *c, slice *field, ik_error *err);
/* A decimal number or one with 0x, up to max; N/A and nothing are 0. */
ik_status csv_number(const scan *s, slice field, const char *what, uint64_t max, uint64_t *value,
                     ik_error *err);

#endif
