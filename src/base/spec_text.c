/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_text.c: texts in quotes and specs in parentheses. */
#include "base/spec_text.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* Behind these begins a value, or a member of a list. */
static const char spec_text_marks[] = "=:,;+*&|@(";

static bool spec_text_is_key_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t spec_text_key(const char *text)
{
    size_t n = 0;
    while (spec_text_is_key_char(text[n]))
        n++;
    return n > 0 && text[n] == '=' ? n : 0;
}

/* Behind the quote that closes the text which begins at `text`; NULL: none does. */
static const char *spec_text_behind_quotes(const char *text)
{
    for (const char *at = text + 1; *at; at++)
        if (*at == '"')
            return at + 1;
        else if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
    return NULL;
}

/* One character, or a text in quotes. */
static void spec_walk_step(spec_walk *walk)
{
    const char *behind =
        *walk->at == '"' && !walk->within ? spec_text_behind_quotes(walk->at) : NULL;
    if (behind) {
        walk->within = true;
        walk->at = behind;
    } else {
        if (!isspace((unsigned char)*walk->at))
            walk->within = !strchr(spec_text_marks, *walk->at);
        walk->at++;
    }
}

void spec_walk_next(spec_walk *walk)
{
    assert(*walk->at);
    unsigned depth = 0;
    do {
        depth += *walk->at == '(';
        depth -= *walk->at == ')' && depth > 0;
        spec_walk_step(walk);
    } while (depth && *walk->at);
}

const char *spec_text_find(const char *text, const char *stops)
{
    spec_walk walk = {.at = text};
    while (*walk.at && !strchr(stops, *walk.at))
        spec_walk_next(&walk);
    return walk.at;
}

size_t spec_text_item(const char *text)
{
    spec_walk walk = {.at = text};
    while (*walk.at && !(*walk.at == ',' && spec_text_key(walk.at + 1)))
        spec_walk_next(&walk);
    return (size_t)(walk.at - text);
}

bool spec_text_is_group(const char *text, size_t length)
{
    spec_walk walk = {.at = text};
    if (length < 2 || (*text != '"' && *text != '('))
        return false;
    spec_walk_next(&walk);
    return walk.at == text + length && text[length - 1] == (*text == '(' ? ')' : '"');
}

char *spec_text_of_group(const char *text, size_t length, ik_arena *arena)
{
    assert(spec_text_is_group(text, length));
    char *copy = ik_arena_alloc(arena, length), *to = copy;
    for (const char *at = text + 1; copy && at < text + length - 1; at++) {
        if (*text == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        *to++ = *at;
    }
    return copy;
}

/* ---- checks */

enum { MAX_NESTED = 32 };

/* How deep a place is: parentheses around it, and names with a colon before it in each. */
typedef struct spec_depth {
    unsigned parentheses, names;
    unsigned names_of[MAX_NESTED + 1]; /* those of each parenthesis */
} spec_depth;

static ik_status spec_text_refuse(const char *text, const char *why, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.60s' %s", text, why);
    return ik_hint(err, IK_ERR_INPUT,
                   "a text with such characters stands in quotes, and in these \\\" is a quote: "
                   "file:path=\"a (1.csv\"");
}

static ik_status spec_text_refuse_depth(const char *text, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.60s…' has specs inside specs, more than %d levels", text,
            MAX_NESTED);
    return ik_hint(err, IK_ERR_INPUT,
                   "a spec inside a spec reads like subset:pattern=(shift:by=1)");
}

/* Members of a list, between '+' or '&', are not inside each other. */
static void spec_depth_leave_names(spec_depth *depth)
{
    depth->names -= depth->names_of[depth->parentheses];
    depth->names_of[depth->parentheses] = 0;
}

/* False: too deep. */
static bool spec_depth_note(spec_depth *depth, const char *at, bool begins)
{
    size_t name = 0;
    while (begins && spec_text_is_key_char(at[name]))
        name++;
    if (name && at[name] == ':' && isalpha((unsigned char)*at)) {
        depth->names_of[depth->parentheses]++;
        depth->names++;
    } else if (*at == '(') {
        depth->parentheses++;
        if (depth->parentheses <= MAX_NESTED)
            depth->names_of[depth->parentheses] = 0;
    } else if (*at == ')' || *at == '+' || *at == '&') {
        spec_depth_leave_names(depth);
        depth->parentheses -= *at == ')';
    }
    return depth->names <= MAX_NESTED && depth->parentheses <= MAX_NESTED;
}

ik_status spec_text_check(const char *text, ik_error *err)
{
    spec_depth depth = {0};
    bool in_word = false;
    for (spec_walk walk = {.at = text}; *walk.at;) {
        if (*walk.at == '"' && !walk.within && !spec_text_behind_quotes(walk.at))
            return spec_text_refuse(walk.at, "begins with a quote that has no other end", err);
        if (*walk.at == ')' && !depth.parentheses)
            return spec_text_refuse(text, "has a ')' without its '('", err);
        if (!spec_depth_note(&depth, walk.at, !in_word))
            return spec_text_refuse_depth(text, err);
        in_word = spec_text_is_key_char(*walk.at);
        spec_walk_step(&walk);
    }
    return depth.parentheses ? spec_text_refuse(text, "has a '(' without its ')'", err) : IK_OK;
}

/* ---- printing */

/* Whether a value is read as it is, wherever it stands. */
static bool spec_text_is_plain(const char *text)
{
    size_t length = strlen(text);
    unsigned depth = 0;
    if (length && (isspace((unsigned char)*text) || isspace((unsigned char)text[length - 1])))
        return false;
    for (const char *at = text; *at; at++) {
        if (*at == '"' || (*at == ',' && spec_text_key(at + 1)) || (*at == ')' && !depth))
            return false;
        depth += *at == '(';
        depth -= *at == ')';
    }
    return depth == 0;
}

const char *spec_text_quoted(const char *text, ik_arena *arena)
{
    if (spec_text_is_plain(text))
        return text;
    char *copy = ik_arena_alloc(arena, 2 * strlen(text) + 3), *to = copy;
    if (!copy)
        return NULL;
    *to++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *to++ = '\\';
        *to++ = *text;
    }
    *to = '"';
    return copy;
}
