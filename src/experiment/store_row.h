/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_row.h: columns of a row of a results file, which may be anybody's: each is of
 * the type and in the range that ikat writes, or the file is damaged.
 */
#ifndef IKAT_EXPERIMENT_STORE_ROW_H
#define IKAT_EXPERIMENT_STORE_ROW_H

#include "experiment/store.h"

/* The statements that make the tables of a results file. */
extern const char store_tables[];
/* Points of the earlier format as they are read: nothing was judged, and latencies past saturation,
 * or that had not converged, were marked. A view of this connection stands before the table. */
extern const char store_earlier_view[];
/* Columns of the verdict whether a point lasts; the earlier format had one instead. */
#define STORE_VERDICTS                                                                             \
    "saturated REAL, latency_steady REAL, drift_per_ms REAL, steady_bound REAL, needs_ns REAL, "   \
    "steady TEXT NOT NULL, steady_reason TEXT NOT NULL"

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
