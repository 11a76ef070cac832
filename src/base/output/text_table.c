/* SPDX-License-Identifier: Apache-2.0
 *
 * text_table.c: counts and tables for a terminal. All cells are kept as text until the table is
 * printed, as widths follow from them.
 */
#include "ikat/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

char *ik_format_whole(char *buffer, size_t size, uint64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
    return buffer;
}

char *ik_format_whole_count(char *buffer, size_t size, uint64_t count, const char *noun)
{
    snprintf(buffer, size, "%s%s", IK_WHOLE(count), strchr(IK_COUNT(count, noun), ' '));
    return buffer;
}

struct ik_table {
    size_t columns, cells, capacity;
    char **text;
    bool failed;
    const char *headers[]; /* [columns] */
};

static bool text_table_right_aligned(const char *header)
{
    size_t n = strlen(header);
    return n > 0 && header[n - 1] == '>';
}

/* Columns on the screen: UTF-8 continuation bytes take none. */
static int text_table_display_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

ik_table *ik_table_new(const char *const *headers)
{
    size_t columns = 0;
    while (headers[columns])
        columns++;
    ik_table *t = calloc(1, sizeof *t + columns * sizeof *headers);
    if (!t)
        return NULL;
    t->columns = columns;
    memcpy(t->headers, headers, columns * sizeof *headers);
    return t;
}

void ik_table_cell(ik_table *t, const char *format, ...)
{
    va_list args;
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

static void text_table_print_cell(FILE *out, const char *text, int width, bool right, bool last)
{
    int pad = width - text_table_display_width(text);
    fprintf(out, "%*s%s%*s", right ? pad : 0, "", text, right || last ? 0 : pad, "");
}

/* The columns `first` to `end` of a row, behind column 0. */
static void text_table_print_row(const ik_table *t, char *const *cells, const int *width,
                                 size_t first, size_t end, FILE *out)
{
    for (size_t c = 0; c < end; c = c < first ? first : c + 1) {
        text_table_print_cell(out, cells[c], width[c], text_table_right_aligned(t->headers[c]),
                              c + 1 == end);
        fputs(c + 1 == end ? "\n" : "  ", out);
    }
}

static void text_table_print_headers(const ik_table *t, const int *width, size_t first, size_t end,
                                     FILE *out, bool colour)
{
    for (size_t c = 0; c < end; c = c < first ? first : c + 1) {
        char header[128];
        bool right = text_table_right_aligned(t->headers[c]);
        snprintf(header, sizeof header, "%.*s", (int)(strlen(t->headers[c]) - right),
                 t->headers[c]);
        fputs(colour ? "\033[4m" : "", out);
        text_table_print_cell(out, header, width[c], right, c + 1 == end);
        fputs(colour ? "\033[0m" : "", out);
        fputs(c + 1 == end ? "\n" : "  ", out);
    }
}

/* The end of the part that begins with column `first`: as many columns as fit, at least one behind
 * column 0, which every part has. */
static size_t text_table_fit(const ik_table *t, const int *width, size_t first, unsigned most)
{
    unsigned used = (first ? (unsigned)width[0] + 2 : 0);
    size_t end = first, least = first ? first + 1 : 2;
    while (end < t->columns && (end < least || !most || used + (unsigned)width[end] <= most))
        used += (unsigned)width[end++] + 2;
    return end;
}

static void text_table_print_rows(const ik_table *t, const int *width, unsigned most, FILE *out,
                                  bool colour)
{
    for (size_t first = 0, end; first < t->columns; first = end) {
        end = text_table_fit(t, width, first, most);
        fputs(first ? "\n" : "", out);
        text_table_print_headers(t, width, first, end, out, colour);
        for (size_t i = 0; i + t->columns <= t->cells; i += t->columns)
            text_table_print_row(t, t->text + i, width, first, end, out);
    }
}

static void text_table_free(ik_table *t)
{
    for (size_t i = 0; t && i < t->cells; i++)
        free(t->text[i]);
    if (t)
        free(t->text);
    free(t);
}

ik_status ik_table_print(ik_table *t, FILE *out, unsigned most, bool colour, ik_error *err)
{
    int *width = t && !t->failed ? calloc(t->columns + 1, sizeof *width) : NULL;
    if (!width) {
        text_table_free(t);
        return ik_fail_memory(err, sizeof *t, "a table");
    }
    for (size_t c = 0; c < t->columns; c++)
        width[c] =
            text_table_display_width(t->headers[c]) - text_table_right_aligned(t->headers[c]);
    for (size_t i = 0; i < t->cells; i++)
        if (text_table_display_width(t->text[i]) > width[i % t->columns])
            width[i % t->columns] = text_table_display_width(t->text[i]);
    text_table_print_rows(t, width, most, out, colour);
    free(width);
    text_table_free(t);
    return IK_OK;
}
