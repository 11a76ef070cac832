/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_csv.c: flows from comma-separated values. Two or three columns are a list (source,
 * destination, weight), with or without a line of titles; more are a matrix, rows being sources.
 * (Of fewer columns one whose first line begins with an empty field is a matrix, too.) A matrix may
 * have a line of destinations above it, and then a column of sources before it; else
 * rows and columns are hosts in order. Cost O(size of the file).
 */
#include "base/array.h"
#include "traffic/flow_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_COLUMNS = 3 };

typedef struct table {
    flow_reader *r;
    char **fields; /* of the line read last */
    unsigned *columns;
    size_t num, field_room, column_room;
    uint32_t *dst; /* [num_dst] of a matrix */
    size_t num_dst;
    size_t rows;
    bool labelled; /* rows begin with their source */
} table;

bool flow_is_csv(const flow_reader *r)
{
    for (const char *at = r->at; at < r->end;) {
        const char *stop = memchr(at, '\n', (size_t)(r->end - at));
        size_t length = (size_t)((stop ? stop : r->end) - at);
        while (length && isspace((unsigned char)*at))
            at++, length--;
        const char *hash = memchr(at, '#', length);
        if (length && hash != at)
            return memchr(at, ',', hash ? (size_t)(hash - at) : length);
        at = stop ? stop + 1 : r->end;
    }
    return false;
}

/* ---- lines */

/* Without blanks and quotes around it. */
static char *flow_csv_bare(char *field)
{
    size_t n = strlen(field);
    while (n && isspace((unsigned char)field[n - 1]))
        field[--n] = '\0';
    while (isspace((unsigned char)*field))
        field++, n--;
    if (n >= 2 && *field == '"' && field[n - 1] == '"') {
        field[n - 1] = '\0';
        field++;
    }
    return field;
}

static ik_status flow_csv_split(table *b, char *line, ik_error *err)
{
    char *start = line;
    b->num = 0;
    for (char *rest; line; line = rest) {
        rest = strchr(line, ',');
        if (rest)
            *rest++ = '\0';
        if (!IK_ARRAY_ROOM(b->fields, b->field_room, b->num + 1) ||
            !IK_ARRAY_ROOM(b->columns, b->column_room, b->num + 1))
            return ik_fail_memory(err, 2 * b->num * sizeof *b->fields, "a line of a table");
        char *field = flow_csv_bare(line);
        b->columns[b->num] = (unsigned)(field - start) + 1;
        b->fields[b->num++] = field;
    }
    return IK_OK;
}

/* The next line that holds anything; *got = false at the end. */
static ik_status flow_csv_next_row(table *b, bool *got, ik_error *err)
{
    char *line;
    *got = false;
    while ((line = flow_next_line(b->r))) {
        char *hash = strchr(line, '#');
        if (hash)
            *hash = '\0';
        if (!*flow_csv_bare(line))
            continue;
        *got = true;
        return flow_csv_split(b, line, err);
    }
    return IK_OK;
}

static ik_status flow_csv_fail_row(const table *b, size_t column, ik_error *err, const char *hint,
                                   size_t expected)
{
    ik_fail_at(err, IK_ERR_INPUT, b->r->path, b->r->line, b->columns[column], "%s on the line",
               IK_COUNT(b->num, "value"));
    return ik_hint(err, IK_ERR_INPUT, hint, expected);
}

/* ---- lists */

static bool flow_csv_is_weight(const char *word)
{
    weight w;
    return weight_read(word, &w) || flow_is_zero(word);
}

static bool flow_csv_is_title(const char *word)
{
    return *word &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_ ")] == 0;
}

/* Whether the first line of a list says what the columns are. */
static bool flow_csv_has_titles(const table *b)
{
    uint32_t host;
    return !flow_is_host(b->r, b->fields[0], &host) && !flow_is_host(b->r, b->fields[1], &host) &&
           (b->num == 3 ? !flow_csv_is_weight(b->fields[2])
                        : flow_csv_is_title(b->fields[0]) && flow_csv_is_title(b->fields[1]));
}

static ik_status flow_csv_take_flow(table *b, size_t columns, ik_error *err)
{
    flow_reader *r = b->r;
    weight w = {.value = 1, .digits = 1};
    uint32_t src = 0, dst = 0;
    if (b->num != columns)
        return flow_csv_fail_row(b, b->num - 1, err, "the lines before have %zu", columns);
    ik_status status = flow_find_host(r, b->fields[0], b->columns[0], &src, err);
    if (status == IK_OK)
        status = flow_find_host(r, b->fields[1], b->columns[1], &dst, err);
    if (status == IK_OK && columns == 3)
        return flow_add_entry(r, src, dst, b->fields[2], b->columns[2], err);
    return status == IK_OK ? flow_add(r, src, dst, w, err) : status;
}

static ik_status flow_csv_read_list(table *b, ik_error *err)
{
    size_t columns = b->num;
    bool titles = flow_csv_has_titles(b), got = true;
    if (!titles && columns == b->r->t->num_hosts) {
        ik_fail_at(err, IK_ERR_INPUT, b->r->path, b->r->line, 1,
                   "%s on a fabric of as many hosts: a list of flows, or a matrix",
                   IK_COUNT(columns, "column"));
        return ik_hint(err, IK_ERR_INPUT,
                       "a list begins with the line src,dst%s; a matrix has a line of destinations "
                       "and a column of sources",
                       columns == 3 ? ",weight" : "");
    }
    ik_status status = titles ? flow_csv_next_row(b, &got, err) : IK_OK;
    while (status == IK_OK && got) {
        status = flow_csv_take_flow(b, columns, err);
        if (status == IK_OK)
            status = flow_csv_next_row(b, &got, err);
    }
    return status;
}

/* ---- matrices */

/* The first line of a matrix: destinations, or the first row, for which *is_row is set. */
static ik_status flow_csv_begin_matrix(table *b, bool *is_row, ik_error *err)
{
    const flow_reader *r = b->r;
    uint32_t host;
    *is_row = true;
    for (size_t k = 0; k < b->num; k++)
        *is_row = *is_row && flow_csv_is_weight(b->fields[k]);
    b->labelled = !*is_row && !flow_is_host(r, b->fields[0], &host);
    size_t first = b->labelled;
    b->num_dst = b->num - first;
    if (*is_row && b->num > r->t->num_hosts) {
        ik_fail_at(err, IK_ERR_INPUT, r->path, r->line, b->columns[r->t->num_hosts],
                   "%s, the fabric has %s", IK_COUNT(b->num, "column"),
                   IK_COUNT(r->t->num_hosts, "host"));
        return ik_hint(err, IK_ERR_INPUT,
                       "a column for each host in order, or a first line that names them");
    }
    b->dst = ik_calloc(b->num_dst, sizeof *b->dst);
    if (!b->dst)
        return ik_fail_memory(err, b->num_dst * sizeof *b->dst, "a matrix");
    for (size_t k = 0; k < b->num_dst; k++) {
        b->dst[k] = (uint32_t)k;
        ik_status status = *is_row ? IK_OK
                                   : flow_find_host(r, b->fields[first + k], b->columns[first + k],
                                                    &b->dst[k], err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* Source of a row, and where its entries begin. */
static ik_status flow_csv_begin_row(table *b, uint32_t *src, size_t *first, ik_error *err)
{
    *first = b->num == b->num_dst + 1 && (b->labelled || b->rows == 0);
    b->labelled = b->labelled || *first;
    if (b->num != b->num_dst + b->labelled)
        return flow_csv_fail_row(b, b->num - 1, err, "expected: %zu", b->num_dst + b->labelled);
    if (b->labelled)
        return flow_find_host(b->r, b->fields[0], b->columns[0], src, err);
    if (b->rows >= b->num_dst)
        return flow_csv_fail_row(b, 0, err, "columns, and rows before this one: %zu", b->num_dst);
    *src = b->dst[b->rows];
    return IK_OK;
}

static ik_status flow_csv_take_row(table *b, ik_error *err)
{
    uint32_t src = 0;
    size_t first = 0;
    ik_status status = flow_csv_begin_row(b, &src, &first, err);
    for (size_t k = 0; k < b->num_dst && status == IK_OK; k++)
        status =
            flow_add_entry(b->r, src, b->dst[k], b->fields[first + k], b->columns[first + k], err);
    b->rows++;
    return status;
}

static ik_status flow_csv_read_matrix(table *b, ik_error *err)
{
    bool is_row, got = true;
    ik_status status = flow_csv_begin_matrix(b, &is_row, err);
    b->r->matrix = true;
    if (status == IK_OK && !is_row)
        status = flow_csv_next_row(b, &got, err);
    while (status == IK_OK && got) {
        status = flow_csv_take_row(b, err);
        if (status == IK_OK)
            status = flow_csv_next_row(b, &got, err);
    }
    if (status != IK_OK || b->labelled || b->rows == b->num_dst)
        return status;
    return ik_fail_at(err, IK_ERR_INPUT, b->r->path, b->r->line, 0,
                      "the matrix has %s and %zu rows", IK_COUNT(b->num_dst, "column"), b->rows);
}

ik_status flow_read_csv(flow_reader *r, ik_error *err)
{
    table b = {.r = r};
    bool got;
    ik_status status = flow_csv_next_row(&b, &got, err);
    if (status == IK_OK && got)
        status = b.num <= LIST_COLUMNS && b.fields[0][0] ? flow_csv_read_list(&b, err)
                                                         : flow_csv_read_matrix(&b, err);
    free(b.fields);
    free(b.columns);
    free(b.dst);
    return status;
}
