/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_table.c: the tables of `--csv --table` in a terminal. The CSV text is read again,
 * so that there is one source of what a table holds; here it is laid out: what all rows share is
 * said once, columns without any value are left out, and a table that is too wide is cut into
 * several, with the numbers of its rows.
 */
#include "base/text_stream.h"
#include "base/utf8.h"
#include "ikat/report.h"
#include "report/report_csv.h"
#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 48 }; /* of a column */

/* Cells of a CSV text, row by row, the header first. */
typedef struct csv_cells {
    char *text; /* they point into it */
    char **cell;
    size_t num, columns, rows; /* rows without the header */
} csv_cells;

typedef struct layout {
    const terminal_page *p;
    const csv_cells *c;
    bool *shown, *right; /* [columns] */
    int *width;
} layout;

/* ---- reading */

/* The field at text, unquoted in place; *next: behind its comma or line end, *last: it ends a
 * line. */
static char *report_table_read_field(char *text, char **next, bool *last)
{
    char *field = text, *to = text;
    bool quoted = *text == '"';
    for (text += quoted; *text; text++) {
        if (quoted && *text == '"' && *++text != '"')
            break;
        if (!quoted && (*text == ',' || *text == '\n'))
            break;
        *to++ = *text == '\n' ? ' ' : *text;
    }
    *last = *text != ',';
    *next = *text ? text + 1 : text;
    *to = '\0';
    return field;
}

static ik_status report_table_read_cells(csv_cells *c, ik_error *err)
{
    size_t fields = 1;
    for (const char *t = c->text; *t; t++)
        fields += *t == ',' || *t == '\n';
    c->cell = ik_calloc(fields, sizeof *c->cell);
    if (!c->cell)
        return ik_fail_memory(err, fields * sizeof *c->cell, "a table");
    bool last = false;
    for (char *next = c->text; *next;) {
        c->cell[c->num++] = report_table_read_field(next, &next, &last);
        if (last && c->columns == 0)
            c->columns = c->num;
    }
    c->rows = c->columns ? c->num / c->columns - 1 : 0;
    return IK_OK;
}

static const char *report_table_cell_at(const csv_cells *c, size_t row, size_t column)
{
    return c->cell[(row + 1) * c->columns + column];
}

/* ---- layout */

static bool report_table_is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0';
}

/* With six digits where it has more ("1.10" may be a name); "-" where there is none. */
static const char *report_table_shown_cell(const csv_cells *c, size_t row, size_t column,
                                           char *text, size_t size)
{
    const char *value = report_table_cell_at(c, row, column);
    bool rounded =
        strlen(value) > 7 && strpbrk(value, ".e") != NULL && report_table_is_number(value);
    if (rounded)
        snprintf(text, size, "%.6g", strtod(value, NULL));
    else
        snprintf(text, size, "%s", value[0] ? value : "-");
    utf8_clean(text, size);
    return text;
}

static int report_table_columns_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool report_table_all_equal(const csv_cells *c, size_t column)
{
    for (size_t r = 1; r < c->rows; r++)
        if (strcmp(report_table_cell_at(c, r, column), report_table_cell_at(c, 0, column)) != 0)
            return false;
    return true;
}

static void report_table_measure_column(layout *l, size_t column)
{
    char text[MOST_WIDTH * 4];
    const char *name = l->c->cell[column];
    l->width[column] = report_table_columns_of(name);
    l->right[column] = true;
    for (size_t r = 0; r < l->c->rows; r++) {
        const char *value = report_table_cell_at(l->c, r, column);
        int width =
            report_table_columns_of(report_table_shown_cell(l->c, r, column, text, sizeof text));
        l->right[column] &= !value[0] || report_table_is_number(value);
        l->width[column] = width > l->width[column] ? width : l->width[column];
    }
    l->width[column] = l->width[column] < MOST_WIDTH ? l->width[column] : MOST_WIDTH;
}

/* What all rows share, in words; those columns are not shown. */
static ik_status report_table_fold(layout *l, ik_error *err)
{
    const csv_cells *c = l->c;
    ik_text_stream said;
    char *text = NULL, cell[MOST_WIDTH * 4];
    ik_status status = ik_text_stream_open(&said, err);
    if (status != IK_OK)
        return status;
    bool any = false;
    for (size_t k = 0; k < c->columns; k++) {
        bool same = c->rows > 1 && report_table_all_equal(c, k),
             empty = !c->rows || !report_table_cell_at(c, 0, k)[0];
        l->shown[k] = !same && !(empty && report_table_all_equal(c, k));
        if (!same || empty)
            continue;
        fprintf(said.out, "%s%s %s", any ? "; " : "All rows: ", c->cell[k],
                report_table_shown_cell(c, 0, k, cell, sizeof cell));
        any = true;
    }
    status = ik_text_stream_close(&said, &text, NULL, err);
    if (status == IK_OK && any)
        terminal_wrap(l->p, text, 0, 2);
    free(text);
    return status;
}

/* ---- printing */

/* Returns the spaces that a cell behind it is to come after. */
static int report_table_put_cell(const layout *l, size_t column, const char *text)
{
    char cut[MOST_WIDTH * 4];
    if (report_table_columns_of(text) > l->width[column]) {
        size_t n = 0;
        for (int left = l->width[column] - 1; text[n] && left > 0; left--)
            n += utf8_length(text + n);
        snprintf(cut, sizeof cut, "%.*s" UTF8_ELLIPSIS, (int)n, text);
        text = cut;
    }
    int pad = l->width[column] - report_table_columns_of(text);
    fprintf(l->p->out, "%*s%s", l->right[column] ? pad : 0, "", text);
    return l->right[column] ? 2 : pad + 2;
}

/* One row (SIZE_MAX: the header) of columns from … to - 1; `number`: its number before it, as wide
 * as that. */
static void report_table_put_row(const layout *l, size_t row, size_t from, size_t to, int number)
{
    char text[MOST_WIDTH * 4];
    int pad = 0;
    if (row == SIZE_MAX && l->p->colour)
        fputs("\033[2m", l->p->out);
    if (number && row == SIZE_MAX)
        pad = 2 * (fprintf(l->p->out, "%*s", number, "#") > 0);
    else if (number)
        pad = 2 * (fprintf(l->p->out, "%*zu", number, row + 1) > 0);
    for (; from < to; from++) {
        if (!l->shown[from])
            continue;
        fprintf(l->p->out, "%*s", pad, "");
        pad = report_table_put_cell(
            l, from,
            row == SIZE_MAX ? l->c->cell[from]
                            : report_table_shown_cell(l->c, row, from, text, sizeof text));
    }
    fputs(row == SIZE_MAX && l->p->colour ? "\033[0m\n" : "\n", l->p->out);
}

/* The end of the columns from `from` on that fit beside `used` characters; at least one. */
static size_t report_table_fitting(const layout *l, size_t from, unsigned used)
{
    bool any = false;
    for (; from < l->c->columns; from++) {
        if (!l->shown[from])
            continue;
        used += (unsigned)l->width[from] + 2;
        if (any && used > l->p->width + 2)
            break;
        any = true;
    }
    return from;
}

/* Rows of a table that is cut are found again by their numbers. */
static void report_table_put_blocks(const layout *l)
{
    int number = snprintf(NULL, 0, "%zu", l->c->rows);
    if (report_table_fitting(l, 0, 0) == l->c->columns)
        number = 0;
    for (size_t from = 0, to; from < l->c->columns; from = to) {
        to = report_table_fitting(l, from, number ? (unsigned)number + 2 : 0);
        if (from > 0)
            putc('\n', l->p->out);
        report_table_put_row(l, SIZE_MAX, from, to, number);
        for (size_t r = 0; r < l->c->rows; r++)
            report_table_put_row(l, r, from, to, number);
    }
}

static ik_status report_table_put_cells(const terminal_page *p, const csv_cells *c, ik_error *err)
{
    layout l = {.p = p, .c = c};
    bool *flags = ik_calloc(2 * c->columns + 1, sizeof *flags);
    l.width = ik_calloc(c->columns + 1, sizeof *l.width);
    ik_status status =
        flags && l.width ? IK_OK : ik_fail_memory(err, c->columns * sizeof *l.width, "a table");
    if (status == IK_OK) {
        l.shown = flags;
        l.right = flags + c->columns;
        status = report_table_fold(&l, err);
    }
    for (size_t k = 0; k < c->columns && status == IK_OK; k++)
        report_table_measure_column(&l, k);
    if (status == IK_OK)
        report_table_put_blocks(&l);
    free(flags);
    free(l.width);
    return status;
}

static ik_status report_table_put_table(report_model *m, size_t table, const terminal_page *p,
                                        ik_error *err)
{
    ik_text_stream csv;
    csv_cells c = {0};
    ik_status status = ik_text_stream_open(&csv, err);
    if (status != IK_OK)
        return status;
    status = csv_put_table(m, table, csv.out, err);
    ik_status written = ik_text_stream_close(&csv, &c.text, NULL, status == IK_OK ? err : NULL);
    status = status == IK_OK ? written : status;
    if (status == IK_OK)
        status = report_table_read_cells(&c, err);
    if (status == IK_OK && c.rows == 0)
        fprintf(p->out, "The table '%s' has no rows%s.\n", ik_report_tables[table],
                m->num_rows == 0 ? ": no point is finished yet" : "");
    else if (status == IK_OK)
        status = report_table_put_cells(p, &c, err);
    free(c.cell);
    if (written == IK_OK)
        free(c.text);
    return status;
}

ik_status ik_report_table(const char *store_path, const char *table, FILE *out, unsigned width,
                          bool colour, ik_error *err)
{
    size_t which = 0;
    report_model *m = NULL;
    ik_status status = csv_find_table(table, &which, err);
    if (status == IK_OK)
        status = model_read(store_path, &m, err);
    if (status != IK_OK)
        return status;
    terminal_page p = {.m = m,
                       .out = out,
                       .width = width >= 40 ? width : 80,
                       .table_width = width,
                       .colour = colour};
    status = report_table_put_table(m, which, &p, err);
    model_free(m);
    return status == IK_OK && ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the table")
                                          : status;
}
