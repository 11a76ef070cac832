/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_row.c: typed columns of a results file.
 */
#include "experiment/store_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ik_status store_row_lacks_memory(sqlite3_stmt *statement, ik_error *err)
{
    if (sqlite3_errcode(sqlite3_db_handle(statement)) != SQLITE_NOMEM)
        return IK_OK;
    return ik_fail_memory(err, 0, "the result store");
}

ik_status store_text(sqlite3_stmt *statement, int column, const char **text, ik_error *err)
{
    const char *found = (const char *)sqlite3_column_text(statement, column);
    ik_status status = found ? IK_OK : store_row_lacks_memory(statement, err);
    if (status == IK_OK)
        *text = found ? found : "";
    return status;
}

ik_status store_blob(sqlite3_stmt *statement, int column, const void **blob, size_t *size,
                     ik_error *err)
{
    const void *found = sqlite3_column_blob(statement, column);
    ik_status status = found ? IK_OK : store_row_lacks_memory(statement, err);
    if (status == IK_OK) {
        *blob = found;
        *size = (size_t)sqlite3_column_bytes(statement, column);
    }
    return status;
}

/* No quantity of a simulation comes near; sums of squares of such values are still numbers. */
static const double most_real = 1e30;

void row_damaged(store_row *r, int column, const char *is)
{
    char of[80];
    if (r->status != IK_OK)
        return;
    snprintf(of, sizeof of, r->id >= 0 ? "%s %" PRId64 : "%s", r->what, r->id);
    const char *name = column >= 0 ? sqlite3_column_name(r->statement, column) : NULL;
    r->status = name ? ik_fail(r->err, IK_ERR_INPUT, "'%.200s' is damaged: '%s' of %s %s",
                               store_path(r->s), name, of, is)
                     : ik_fail(r->err, IK_ERR_INPUT, "'%.200s' is damaged: %s %s", store_path(r->s),
                               of, is);
}

static void store_row_out_of_memory(store_row *r, size_t bytes)
{
    if (r->status == IK_OK)
        r->status = ik_fail_memory(r->err, bytes, "a row of the results file");
}

const char *row_text(store_row *r, int column)
{
    if (r->status != IK_OK)
        return "";
    if (sqlite3_column_type(r->statement, column) != SQLITE_TEXT) {
        row_damaged(r, column, "is not text");
        return "";
    }
    const char *text = "";
    r->status = store_text(r->statement, column, &text, r->err);
    if (r->status != IK_OK)
        return "";
    size_t size = (size_t)sqlite3_column_bytes(r->statement, column);
    const char *copy = ik_arena_strdup(r->arena, text);
    if (!copy) {
        store_row_out_of_memory(r, size);
        return "";
    }
    if (strlen(copy) != size) {
        row_damaged(r, column, "has a zero byte");
        return "";
    }
    return copy;
}

int64_t row_int(store_row *r, int column, int64_t min, int64_t max)
{
    if (r->status != IK_OK)
        return min;
    int64_t value = sqlite3_column_int64(r->statement, column);
    if (sqlite3_column_type(r->statement, column) != SQLITE_INTEGER)
        row_damaged(r, column, "is not a whole number");
    else if (value < min || value > max)
        row_damaged(r, column, "is out of range");
    return r->status == IK_OK ? value : min;
}

double row_real(store_row *r, int column)
{
    if (r->status != IK_OK)
        return 0;
    int type = sqlite3_column_type(r->statement, column);
    double value = sqlite3_column_double(r->statement, column);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
        row_damaged(r, column, "is not a number");
    else if (!(value >= 0 && value <= most_real))
        row_damaged(r, column, "is out of range");
    return r->status == IK_OK ? value : 0;
}

double row_real_if_any(store_row *r, int column)
{
    bool any = sqlite3_column_type(r->statement, column) != SQLITE_NULL;
    return any ? row_real(r, column) : NAN;
}

double row_signed_if_any(store_row *r, int column)
{
    int type = sqlite3_column_type(r->statement, column);
    double value = sqlite3_column_double(r->statement, column);
    if (r->status == IK_OK && type == SQLITE_FLOAT && value < 0 && value >= -most_real)
        return value;
    return row_real_if_any(r, column);
}

/* What `inflate` makes of the column; NULL when the row is damaged. */
static const void *store_row_blob_of(store_row *r, int column, size_t *size)
{
    if (r->status != IK_OK)
        return NULL;
    if (sqlite3_column_type(r->statement, column) != SQLITE_BLOB) {
        row_damaged(r, column, "is not an array");
        return NULL;
    }
    const void *blob = NULL;
    r->status = store_blob(r->statement, column, &blob, size, r->err);
    if (r->status == IK_OK && !blob)
        row_damaged(r, column, "is empty");
    return blob;
}

/* The error of unpacking, with its place. */
static void store_row_unpacked(store_row *r, int column, ik_status status, const ik_error *why)
{
    if (status == IK_ERR_INPUT)
        row_damaged(r, column, "is not a packed array");
    else if (status != IK_OK && r->status == IK_OK) {
        r->status = status;
        if (r->err)
            *r->err = *why;
    }
}

const char *row_packed_text(store_row *r, int column)
{
    size_t size = 0, bytes = 0;
    const void *blob = store_row_blob_of(r, column, &size);
    char *text = NULL;
    ik_error why;
    if (!blob)
        return "";
    store_row_unpacked(r, column, store_inflate(blob, size, &text, &bytes, &why), &why);
    if (r->status != IK_OK)
        return "";
    const char *copy = ik_arena_strdup(r->arena, text);
    free(text);
    if (!copy)
        store_row_out_of_memory(r, bytes);
    else if (strlen(copy) != bytes)
        row_damaged(r, column, "has a zero byte");
    return r->status == IK_OK ? copy : "";
}

uint64_t *row_words(store_row *r, int column, size_t *num)
{
    size_t size = 0;
    const void *blob = store_row_blob_of(r, column, &size);
    uint64_t *words = NULL;
    ik_error why;
    *num = 0;
    if (blob)
        store_row_unpacked(r, column, store_unpack(blob, size, &words, num, &why), &why);
    return words;
}
