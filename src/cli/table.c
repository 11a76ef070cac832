/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: tables for a terminal: columns as wide as their widest cell, numbers to the right. The
 * columns that a terminal has no room for follow below, in further parts behind the first column.
 */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cli_table {
    const char *const *headers;
    size_t columns, cells, capacity;
    char **text;
    bool failed;
};

static bool table_right_aligned(const char *header)
{
    size_t n = strlen(header);
    return n > 0 && header[n - 1] == '>';
}

/* Columns on the screen: UTF-8 continuation bytes take none. */
static int table_display_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

cli_table *cli_table_new(const char *const *headers)
{
    cli_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->headers = headers;
    while (headers[t->columns])
        t->columns++;
    return t;
}

void cli_table_cell(cli_table *t, const char *format, ...)
{
    if (!t || t->failed)
        return;
    if (t->cells == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        char **grown = realloc(t->text, capacity * sizeof *grown);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->text = grown;
        t->capacity = capacity;
    }
    char buffer[512];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    ik_text_line(buffer);
    t->text[t->cells] = strdup(buffer);
    if (t->text[t->cells])
        t->cells++;
    else
        t->failed = true;
}

static void table_print_cell(FILE *out, const char *text, int width, bool right, bool last)
{
    int pad = width - table_display_width(text);
    fprintf(out, "%*s%s%*s", right ? pad : 0, "", text, right || last ? 0 : pad, "");
}

/* The columns `first` to `end` of a row, behind column 0. */
static void table_print_row(const cli_table *t, char *const *cells, const int *width, size_t first,
                            size_t end, FILE *out)
{
    for (size_t c = 0; c < end; c = c < first ? first : c + 1) {
        table_print_cell(out, cells[c], width[c], table_right_aligned(t->headers[c]), c + 1 == end);
        fputs(c + 1 == end ? "\n" : "  ", out);
    }
}

static void table_print_headers(const cli_table *t, const int *width, size_t first, size_t end,
                                FILE *out, bool colour)
{
    for (size_t c = 0; c < end; c = c < first ? first : c + 1) {
        char header[128];
        bool right = table_right_aligned(t->headers[c]);
        snprintf(header, sizeof header, "%.*s", (int)(strlen(t->headers[c]) - right),
                 t->headers[c]);
        fputs(colour ? "\033[4m" : "", out);
        table_print_cell(out, header, width[c], right, c + 1 == end);
        fputs(colour ? "\033[0m" : "", out);
        fputs(c + 1 == end ? "\n" : "  ", out);
    }
}

/* The end of the part that begins with column `first`: as many columns as fit, at least one behind
 * column 0, which every part has. */
static size_t table_fit(const cli_table *t, const int *width, size_t first)
{
    unsigned most = cli_width(), used = (first ? (unsigned)width[0] + 2 : 0);
    size_t end = first, least = first ? first + 1 : 2;
    while (end < t->columns && (end < least || !most || used + (unsigned)width[end] <= most))
        used += (unsigned)width[end++] + 2;
    return end;
}

static void table_print_rows(const cli_table *t, const int *width, FILE *out, bool colour)
{
    for (size_t first = 0, end; first < t->columns; first = end) {
        end = table_fit(t, width, first);
        fputs(first ? "\n" : "", out);
        table_print_headers(t, width, first, end, out, colour);
        for (size_t i = 0; i + t->columns <= t->cells; i += t->columns)
            table_print_row(t, t->text + i, width, first, end, out);
    }
}

void cli_table_print(cli_table *t, FILE *out, bool colour)
{
    int *width = t ? calloc(t->columns + 1, sizeof *width) : NULL;
    if (!t || !width || t->failed) {
        cli_lack_memory();
    } else {
        for (size_t c = 0; c < t->columns; c++)
            width[c] = table_display_width(t->headers[c]) - table_right_aligned(t->headers[c]);
        for (size_t i = 0; i < t->cells; i++)
            if (table_display_width(t->text[i]) > width[i % t->columns])
                width[i % t->columns] = table_display_width(t->text[i]);
        table_print_rows(t, width, out, colour);
    }
    free(width);
    for (size_t i = 0; t && i < t->cells; i++)
        free(t->text[i]);
    if (t)
        free(t->text);
    free(t);
}
