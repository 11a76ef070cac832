/* SPDX-License-Identifier: Apache-2.0
 *
 * report/terminal.c: texts and tables in a terminal. Columns are as wide as needed; those that the
 * terminal has no room for follow below, in further parts behind the first column. */
#include "report/terminal.h"

#include "base/array.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What a file brings holds no control characters in a terminal. */
void terminal_text(FILE *out, const char *text)
{
    utf8_print(out, text, strlen(text), false);
}

void terminal_heading(const terminal_page *p, const char *text)
{
    fprintf(p->out, "\n%s", p->colour ? "\033[1m" : "");
    terminal_text(p->out, text);
    fprintf(p->out, "%s\n", p->colour ? "\033[0m" : "");
}

void terminal_wrap(const terminal_page *p, const char *text, unsigned column, unsigned indent)
{
    ik_wrap how = {.width = p->width, .column = column, .indent = indent};
    ik_text_wrap(p->out, text, strlen(text), &how);
}

/* ---- tables: cells as text, columns as wide as needed, numbers (headers ending in '>') to the
 * right */

void grid_cell(grid *g, const char *format, ...)
{
    if (!IK_ARRAY_ROOM(g->text, g->room, g->cells + 1)) {
        g->failed = true;
        return;
    }
    char *text = g->text[g->cells++];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, CELL, format, args);
    va_end(args);
    utf8_clean(text, CELL);
    if (length >= CELL) { /* cut between characters, and seen to be cut */
        utf8_clean(text, CELL - sizeof UTF8_ELLIPSIS);
        strcat(text, UTF8_ELLIPSIS);
    }
}

static int terminal_columns_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void terminal_put_cell(FILE *out, const char *text, int width, bool right, bool last)
{
    int pad = width - terminal_columns_of(text);
    fprintf(out, "%*s%s%*s%s", right ? pad : 0, "", text, right || last ? 0 : pad, "",
            last ? "\n" : "  ");
}

/* What all rows share is said once; a column of equal names is left out. */
static void terminal_fold_names(const terminal_page *p, grid *g)
{
    size_t rows = g->cells / g->columns;
    for (size_t c = g->columns; rows > 1 && c-- > 0;) {
        char common[CELL];
        const char *header = g->headers[c];
        size_t n = strlen(header);
        if (n == 0 || header[n - 1] != '*')
            continue;
        bool same = names_fold(g->text + c, rows, g->columns, common, sizeof common);
        if (common[0]) {
            fprintf(p->out, same ? "%.*s: " : "every %.*s: ", (int)n - 1, header);
            terminal_wrap(p, common, (unsigned)n + 7, 4);
        }
        if (!same)
            continue;
        size_t kept = 0;
        for (size_t i = 0; i < g->cells; i++)
            if (i % g->columns != c && kept++ != i)
                memcpy(g->text[kept - 1], g->text[i], CELL);
        memmove(g->headers + c, g->headers + c + 1, (--g->columns - c) * sizeof *g->headers);
        g->cells = kept;
    }
}

/* Cut between characters, and seen to be cut. */
static void terminal_cut_cell(char *text)
{
    if (strlen(text) < SHOWN_CELL)
        return;
    utf8_clean(text, SHOWN_CELL - sizeof UTF8_ELLIPSIS);
    strcat(text, UTF8_ELLIPSIS);
}

/* Widths of the columns, headers without their marks. */
static void terminal_measure_columns(grid *g, int *width, bool *right, char (*header)[CELL])
{
    for (size_t c = 0; c < g->columns; c++) {
        size_t n = strlen(g->headers[c]);
        right[c] = n && g->headers[c][n - 1] == '>';
        bool mark = right[c] || (n && g->headers[c][n - 1] == '*');
        snprintf(header[c], CELL, "%.*s", (int)(n - mark), g->headers[c]);
        width[c] = terminal_columns_of(header[c]);
    }
    for (size_t i = 0; i < g->cells; i++) {
        terminal_cut_cell(g->text[i]);
        if (terminal_columns_of(g->text[i]) > width[i % g->columns])
            width[i % g->columns] = terminal_columns_of(g->text[i]);
    }
}

bool terminal_feasible_column(const report_model *m, grid *g)
{
    bool any = false;
    for (size_t i = 0; i < m->num_curves; i++)
        any |= m->curves[i].steps[0].num_infeasible > 0;
    if (any)
        g->headers[g->columns++] = "feasible>";
    return any;
}

void grid_feasible(grid *g, const report_model *m, const report_step *s)
{
    size_t all, feasible = model_count_feasible(m, s, &all);
    grid_cell(g, "%zu of %zu", feasible, all);
}

/* The end of the part that begins with column `first`: as many columns as fit, at least one behind
 * column 0, which every part has. */
static size_t terminal_fit(const terminal_page *p, const grid *g, const int *width, size_t first)
{
    unsigned used = first ? (unsigned)width[0] + 2 : 0;
    size_t end = first, least = first ? first + 1 : 2;
    while (end < g->columns &&
           (end < least || !p->table_width || used + (unsigned)width[end] <= p->table_width))
        used += (unsigned)width[end++] + 2;
    return end;
}

ik_status grid_put(const terminal_page *p, grid *g, ik_error *err)
{
    if (g->failed) {
        free(g->text);
        return ik_fail_memory(err, 2 * g->room * sizeof *g->text, "a table");
    }
    int width[MAX_COLUMNS];
    bool right[MAX_COLUMNS];
    char header[MAX_COLUMNS][CELL];
    terminal_fold_names(p, g);
    terminal_measure_columns(g, width, right, header);
    for (size_t first = 0, end; first < g->columns; first = end) {
        end = terminal_fit(p, g, width, first);
        fputs(first ? "\n" : "", p->out);
        fputs(p->colour ? "\033[2m" : "", p->out);
        for (size_t c = 0; c < end; c = c < first ? first : c + 1)
            terminal_put_cell(p->out, header[c], width[c], right[c], c + 1 == end);
        fputs(p->colour ? "\033[0m" : "", p->out);
        for (size_t i = 0; i + g->columns <= g->cells; i += g->columns)
            for (size_t c = 0; c < end; c = c < first ? first : c + 1)
                terminal_put_cell(p->out, g->text[i + c], width[c], right[c], c + 1 == end);
    }
    free(g->text);
    return IK_OK;
}

void grid_latency(grid *g, const report_step *s, estimate e, bool *marked)
{
    bool past = !model_lasts(s, METRIC_LATENCY_MEAN) && e.mean > 0;
    grid_estimate(g, e, 1e-3, past ? " us*" : " us");
    *marked |= past;
}

void grid_estimate(grid *g, estimate e, double scale, const char *unit)
{
    if (isnan(e.mean) || e.mean == 0)
        grid_cell(g, "-"); /* nothing was delivered */
    else if (isnan(e.ci95))
        grid_cell(g, "%.1f%s", e.mean * scale, unit);
    else
        grid_cell(g, "%.1f ± %.1f%s", e.mean * scale, e.ci95 * scale, unit);
}
