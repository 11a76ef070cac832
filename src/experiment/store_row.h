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
/* A format of an earlier version, which is read and not written. */
typedef struct store_earlier {
    int64_t format;
    /* columns of store_tables: of these it had `stationary REAL` alone, of those none; "" = all */
    const char *verdicts, *bands;
    /* its points as they are read: a view of this connection stands before the table. Of format 16
     * nothing was judged, and latencies past saturation, or that had not converged, were marked */
    const char *view;
    const char *lacks; /* why it is not continued */
} store_earlier;
/* NULL: it is none of them. */
const store_earlier *store_earlier_find(int64_t format);
/* Columns of the verdict whether a point lasts, and of the band in place of a saturation. */
#define STORE_VERDICTS                                                                             \
    "saturated REAL, latency_steady REAL, drift_per_ms REAL, steady_bound REAL, needs_ns REAL, "   \
    "steady TEXT NOT NULL, steady_reason TEXT NOT NULL"
#define STORE_BANDS                                                                                \
    "band_low REAL, band_minimal REAL, band_valiant REAL, band_split REAL, band_split_minimal "    \
    "REAL, band_high REAL, "

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
