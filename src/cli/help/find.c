/* SPDX-License-Identifier: Apache-2.0
 *
 * find.c: `ikat help WORD` for a word that names nothing: what the glossary says of it, the
 * commands, topics and members whose names or descriptions have it, and the how-to pages.
 */
#include "find.h"
#include "families.h"

#include <string.h>
#include <strings.h>

extern const char glossary_text[]; /* docs/glossary.md: terms are headings of the third level */
extern const char pages_text[]; /* each: a form feed, the name of its file, a line end, the page */

enum { MOST_TEXTS = 3, TERM_COLUMN = 4, NAME_COLUMN = 27, FIND_WORD = 64 };

typedef struct finder {
    const char *word;
    size_t length;
    bool counts;   /* and prints nothing */
    bool apart;    /* of several words each, anywhere, also in what commands and topics explain */
    ik_json *json; /* NULL: as text */
    unsigned found;
    const char *kind;  /* of what is looked at now */
    const char *shown; /* the kind whose title was printed last */
} finder;

static bool find_is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A word without the s of its plural. */
static size_t find_stem(const char *word)
{
    size_t length = strlen(word);
    return length - (length > 2 && (word[length - 1] == 's' || word[length - 1] == 'S'));
}

static bool find_has(const char *word, size_t length, const char *text, size_t size)
{
    for (size_t at = 0; at + length <= size; at++) {
        size_t end = at + length;
        if ((at > 0 && find_is_part(text[at - 1])) || strncasecmp(text + at, word, length))
            continue;
        end += end < size && (text[end] == 's' || text[end] == 'S');
        if (end == size || !find_is_part(text[end]))
            return true;
    }
    return false;
}

/* Whether a text of `size` bytes has the word as a whole, in any case, or its plural. With `apart`
 * each of the words that stand between blanks. */
static bool find_has_word(const finder *f, const char *text, size_t size)
{
    bool all = f->apart;
    if (!f->apart)
        return find_has(f->word, f->length, text, size);
    for (const char *at = f->word; *at && all; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        char word[FIND_WORD];
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        all = find_has(word, find_stem(word), text, size);
        at += length;
    }
    return all;
}

static void find_show(finder *f, const char *name, const char *summary)
{
    char term[80];
    f->found++;
    if (f->counts)
        return;
    if (f->json) {
        ik_json_object(f->json, NULL);
        ik_json_text(f->json, "kind", f->kind);
        ik_json_text(f->json, "name", name);
        ik_json_text(f->json, "text", summary);
        ik_json_close(f->json);
        return;
    }
    if (f->kind != f->shown)
        printf("%s%s\n", f->shown ? "\n" : "", f->kind);
    f->shown = f->kind;
    snprintf(term, sizeof term, "  %s", name);
    cli_print_item(term, strcmp(f->kind, "glossary") == 0 ? TERM_COLUMN : NAME_COLUMN, summary);
}

/* ---- the glossary */

typedef struct entry {
    const char *heading, *text;
    size_t heading_size, text_size;
} entry;

/* The entry at or behind *at; returns false behind the last one. */
static bool find_next_entry(const char **at, entry *e)
{
    static const char mark[] = "\n### ";
    const char *begin = strstr(*at, mark), *end;
    if (!begin)
        return false;
    e->heading = begin + sizeof mark - 1;
    e->heading_size = strcspn(e->heading, "\n");
    e->text = e->heading + e->heading_size + strspn(e->heading + e->heading_size, "\n");
    end = strstr(e->text, "\n#");
    e->text_size = end ? (size_t)(end - e->text) : strlen(e->text);
    *at = e->text;
    return true;
}

/* Text of Markdown as plain text: lines are joined, of a link its words are left, marks of
 * emphasis and code go. `to` has room for `size` and the end. */
static void find_make_plain(const char *from, size_t size, char *to)
{
    const char *begin = to;
    for (size_t i = 0; i < size; i++) {
        if (from[i] == ']' && i + 1 < size && from[i + 1] == '(')
            while (i < size && from[i] != ')')
                i++;
        else if (from[i] == '\n')
            *to++ = ' ';
        else if (!strchr("[]`*", from[i]))
            *to++ = from[i];
    }
    while (to > begin && to[-1] == ' ')
        to--;
    *to = '\0';
}

static void find_show_entry(finder *f, const entry *e)
{
    char name[128], text[2048];
    if (e->heading_size >= sizeof name || e->text_size >= sizeof text)
        return; /* a test keeps the glossary's entries shorter */
    find_make_plain(e->heading, e->heading_size, name);
    find_make_plain(e->text, e->text_size, text);
    find_show(f, name, text);
}

/* Terms that have the word in their names, or, if there is none, the first in whose explanations it
 * is. */
static void find_in_glossary(finder *f)
{
    entry e;
    f->kind = "glossary";
    for (const char *at = glossary_text; find_next_entry(&at, &e);)
        if (find_has_word(f, e.heading, e.heading_size))
            find_show_entry(f, &e);
    bool named = f->found > 0;
    for (const char *at = glossary_text;
         !named && f->found < MOST_TEXTS && find_next_entry(&at, &e);)
        if (find_has_word(f, e.text, e.text_size))
            find_show_entry(f, &e);
}

/* ---- the how-to pages */

/* The title or a heading of a page has the word. */
static bool find_in_headings(const finder *f, const char *page, size_t size)
{
    bool found = false;
    for (const char *line = page, *end = page + size; line < end && !found; line++) {
        size_t length = strcspn(line, "\n\f");
        bool heading = line == page || strncmp(line, "## ", 3) == 0;
        found = heading && find_has_word(f, line, length);
        line += length;
    }
    return found;
}

/* Pages that have the word in a heading, or, if there is none, the first in whose texts it is. */
static void find_in_pages(finder *f)
{
    unsigned before = f->found;
    f->kind = "pages of the documentation";
    for (int deep = 0; deep < 2 - f->apart && f->found == before; deep++)
        for (const char *at = pages_text; *at && f->found < before + (deep ? MOST_TEXTS : 99);) {
            char name[80], title[160];
            size_t named = strcspn(++at, "\n"), size = strcspn(at, "\f");
            const char *page = at + named + 1;
            snprintf(name, sizeof name, "%.*s", (int)named, at);
            snprintf(title, sizeof title, "%.*s", (int)strcspn(page, "\n") - 2, page + 2);
            if (deep ? find_has_word(f, page, size - named - 1)
                     : find_in_headings(f, page, size - named - 1))
                find_show(f, name, title);
            at += size;
        }
}

/* ---- what is declared */

static void find_in(finder *f, const char *name, const char *summary, const char *details)
{
    bool deep = f->apart && details && find_has_word(f, details, strlen(details));
    if (deep || find_has_word(f, name, strlen(name)) || find_has_word(f, summary, strlen(summary)))
        find_show(f, name, summary);
}

static void find_look_at_member(void *ctx, const cli_member *m)
{
    finder *f = ctx;
    bool deep = m->details && find_has_word(f, m->details, strlen(m->details));
    if (deep)
        find_show(f, m->name, m->summary);
    else
        find_in(f, m->name, m->summary, NULL);
}

static void find_everywhere(finder *f, const cli_topic *topics)
{
    find_in_glossary(f);
    f->kind = "commands";
    for (const ik_command *const *k = cli_commands(); *k; k++)
        find_in(f, (*k)->name, (*k)->summary, (*k)->details);
    f->kind = "topics";
    for (const cli_topic *t = topics; t->name; t++)
        find_in(f, t->name, t->summary, t->text);
    for (const cli_family *family = cli_families; family->name; family++) {
        f->kind = family->name;
        family->each(find_look_at_member, f);
    }
    find_in_pages(f);
}

/* What is found of the whole word, or else of the words that it has. */
static finder find_how(const char *word, const cli_topic *topics)
{
    word += strspn(word, " ");
    finder f = {.word = word, .length = find_stem(word), .counts = true};
    bool letters = false; /* marks alone would be found in every text */
    for (const char *c = word; *c; c++)
        letters |= find_is_part(*c) || (*c & 0x80);
    if (f.length >= 2 && letters)
        find_everywhere(&f, topics);
    f.apart = !f.found && letters && strchr(word, ' ');
    if (f.apart)
        find_everywhere(&f, topics);
    return f;
}

bool cli_find(const char *word, const cli_topic *topics)
{
    return find_how(word, topics).found > 0;
}

void cli_find_print(const char *word, const cli_topic *topics, ik_json *json)
{
    finder f = find_how(word, topics);
    f.counts = false;
    f.json = json;
    f.kind = NULL;
    f.found = 0;
    find_everywhere(&f, topics);
}
