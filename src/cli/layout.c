/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c: help in lines of the terminal's width: paragraphs, lists of terms, synopses, examples.
 */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    DEFAULT_WIDTH = 100, /* into files and pipes */
    LEAST_WIDTH = 40,
    MOST_WIDTH = 100000,
    LEAST_TEXT = 28,    /* columns that a text beside its term needs */
    EXAMPLE_INDENT = 6, /* of the second line and others of an example */
    BELOW_TERM = 3      /* one below its term is indented by this part of the column beside it */
};

/* A whole number from 1 to MOST_WIDTH, else 0. */
static unsigned layout_width_of(const char *text)
{
    char *end;
    if (!text || !isdigit((unsigned char)text[0]))
        return 0;
    unsigned long width = strtoul(text, &end, 10);
    return *end || width > MOST_WIDTH ? 0 : (unsigned)width;
}

unsigned cli_width(void)
{
    struct winsize size;
    unsigned width = layout_width_of(getenv("COLUMNS"));
    if (width)
        return width;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned cli_help_width(void)
{
    unsigned width = cli_width();
    return !width ? DEFAULT_WIDTH : width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

/* ---- lists of terms */

static void layout_print_item(const char *term, size_t size, unsigned column, const char *text,
                              size_t text_size)
{
    unsigned width = cli_help_width();
    ik_wrap how = {.width = width, .column = column, .indent = column};
    printf("%.*s", (int)size, term);
    if (column + LEAST_TEXT > width)
        how.column = how.indent = column / BELOW_TERM;
    if (how.column < column || size + 2 > column)
        printf("\n%*s", (int)how.indent, "");
    else
        printf("%*s", (int)(column - size), "");
    ik_text_wrap(stdout, text, text_size, &how);
}

void cli_print_item(const char *term, unsigned column, const char *text)
{
    layout_print_item(term, strlen(term), column, text, strlen(text));
}

/* ---- paragraphs */

/* Does a line that begins at `next` go on with the sentence of the line that ends there? */
static bool layout_continues(const char *line, const char *next)
{
    const char *end = next - 1; /* of the line: its line break */
    if (*next == '\0' || *next == '\n' || *next == ' ')
        return false;
    while (end > line && strchr(")'\"`", end[-1]))
        end--;
    bool sentence = end > line && strchr(".:!?", end[-1]);
    return !sentence || (!isupper((unsigned char)*next) && !isdigit((unsigned char)*next) &&
                         !strchr("-'\"`", *next));
}

static const char *layout_end_of_line(const char *line)
{
    return line + strcspn(line, "\n");
}

/* A line that begins with blanks; it may have a second column. */
static void layout_print_literal(const char *line, size_t size)
{
    size_t indent = strspn(line, " "), term = indent;
    while (term < size && strncmp(line + term, "  ", 2) != 0)
        term++;
    size_t text = term + strspn(line + term, " ");
    if (size <= cli_help_width() || text >= size)
        printf("%.*s\n", (int)size, line);
    else
        layout_print_item(line, term, (unsigned)text, line + text, size - text);
}

void cli_print_text(const char *text)
{
    while (*text) {
        const char *line = text, *end = layout_end_of_line(text);
        bool literal = *line == ' ';
        while (!literal && *end && layout_continues(line, end + 1)) {
            line = end + 1;
            end = layout_end_of_line(line);
        }
        ik_wrap how = {.width = cli_help_width()};
        if (literal)
            layout_print_literal(text, (size_t)(end - text));
        else
            ik_text_wrap(stdout, text, (size_t)(end - text), &how);
        text = *end ? end + 1 : end;
    }
}

/* ---- synopses */

/* A word of the shell, with its quotes. */
static size_t layout_shell_word(const char *text, size_t left)
{
    size_t length = 0;
    char quote = '\0';
    for (; length < left && (quote || text[length] != ' '); length++)
        if (quote ? text[length] == quote : text[length] == '\'' || text[length] == '"')
            quote = quote ? '\0' : text[length];
    return length;
}

/* A group in brackets, or an option with its value. */
static size_t layout_synopsis_piece(const char *text, size_t left)
{
    size_t length = 0, depth = 0;
    for (; length < left && (depth || text[length] != ' '); length++)
        depth += (text[length] == '[') - (text[length] == ']');
    if (text[0] == '-' && length + 1 < left && isupper((unsigned char)text[length + 1]))
        length += 1 + layout_shell_word(text + length + 1, left - length - 1);
    return length;
}

/* The " | " outside of brackets, or the end. */
static size_t alternative_length(const char *synopsis)
{
    size_t length = 0, depth = 0;
    for (; synopsis[length]; length++) {
        if (depth == 0 && strncmp(synopsis + length, " | ", 3) == 0)
            break;
        depth += (synopsis[length] == '[') - (synopsis[length] == ']');
    }
    return length;
}

void cli_print_synopsis(const cli *c, const char *name, const char *synopsis)
{
    ik_wrap how = {.width = cli_help_width(),
                   .column = (unsigned)strlen(name) + 6, /* "ikat NAME " */
                   .indent = 8,
                   .piece = layout_synopsis_piece};
    for (;;) {
        size_t length = alternative_length(synopsis);
        printf("%sikat %s%s%s", c->colour_out ? "\033[1m" : "", name, cli_reset(c),
               length ? " " : "");
        ik_text_wrap(stdout, synopsis, length, &how);
        if (!synopsis[length])
            return;
        synopsis += length + 3;
    }
}

/* ---- examples */

/* An option stays with what stands behind it if a line has room for both. */
static size_t layout_shell_piece(const char *text, size_t left)
{
    size_t length = layout_shell_word(text, left), both = length;
    if (text[0] == '-' && length + 1 < left && text[length + 1] != '-')
        both += 1 + layout_shell_word(text + length + 1, left - length - 1);
    return EXAMPLE_INDENT + both + 2 <= cli_help_width() ? both : length; /* and " \\" */
}

void cli_print_examples(const char *const *examples)
{
    ik_wrap how = {.width = cli_help_width(),
                   .column = 2,
                   .indent = 6,
                   .more = " \\",
                   .piece = layout_shell_piece};
    if (!examples || !examples[0])
        return;
    printf("\nExamples\n");
    for (; *examples; examples++) {
        printf("  ");
        ik_text_wrap(stdout, *examples, strlen(*examples), &how);
    }
}
