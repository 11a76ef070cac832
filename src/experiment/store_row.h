/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_row.h: columns of a row of a results file, which may be anybody's: each is of
 * the type and in the range that ikat writes, or the file is damaged.
 */
#ifndef IKAT_EXPERIMENT_STORE_ROW_H
#define IKAT_EXPERIMENT_STORE_ROW_H

#include "experiment/store.h"

/* The tables of a results file; store_tables.c. */
typedef struct store_column {
    const char *name, *type; /* "INTEGER", "REAL", "TEXT", "BLOB" */
    const char *rule;        /* "NOT NULL", "PRIMARY KEY" …; "" = may be NULL */
    const char *empty;       /* in SQL: what a file without the column has; NULL: it is refused */
} store_column;
typedef struct store_table {
    const char *name;
    const store_column *columns;
    size_t num;
    const char *rules, *options; /* of CREATE TABLE */
    bool optional;               /* a file without it has none of its rows */
} store_table;
enum { STORE_TABLES = 6 };
extern const store_table store_tables[STORE_TABLES];
ik_status store_tables_create(const store *s, ik_error *err);
/* Whether the file has these tables. One that is read gets the columns that it lacks, empty, and
 * what its format meant by others; one that is written must have all. Columns and tables beside
 * them are left alone; what is more than a table of values is damage. */
ik_status store_tables_check(const store *s, int64_t format, ik_error *err);
/* "INSERT INTO points(id, …) VALUES(:id, …)" with every column, for store_prepare_made(). */
char *store_tables_insert_point(void);

/* Keeps the first error: what is wrong is said once, at the end. Values are 0 or "" from there
 * on. */
typedef struct store_row {
    const store *s;
    sqlite3_stmt *statement;
    ik_arena *arena;  /* of the texts */
    const char *what; /* "point": in messages */
    int64_t id;
    ik_status status;
    ik_error *err;
} store_row;

/* "'results.db' is damaged: 'load' of point 3 is no number". column < 0: the row itself. */
void row_damaged(store_row *r, int column, const char *is);
/* Without a zero byte in it; bytes that are no UTF-8 are possible, as in names of files. */
const char *row_text(store_row *r, int column);
int64_t row_int(store_row *r, int column, int64_t min, int64_t max);
/* Finite and not negative. */
double row_real(store_row *r, int column);
/* NAN where the column is NULL. */
double row_real_if_any(store_row *r, int column);
/* The same of a number that may be below 0. */
double row_signed_if_any(store_row *r, int column);
/* Inflated, NUL-terminated, in the arena. */
const char *row_packed_text(store_row *r, int column);
/* Inflated words; free with free(). NULL when the row is damaged. */
uint64_t *row_words(store_row *r, int column, size_t *num);

#endif
