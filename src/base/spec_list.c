/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_list.c: specs within a spec: "80%*uniform+20%*incast=(hotspot:nodes=5,fraction=100%)".
 *
 * A member in parentheses is a spec as it would be written by itself. Without them another
 * character stands for the commas inside of it, which is how members without special characters are
 * printed: results of earlier versions know them by that text. */
#include "base/spec_text.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* How a parameter of some type lists its members. */
typedef struct spec_style {
    char between, comma; /* two members; stands for ',' inside of one without parentheses */
    bool numbered;       /* [NAME][@NUMBERS]=SPEC, else [SHARE*][NAME=]SPEC */
    const char *list, *member, *hint;
} spec_style;

static const spec_style *spec_style_of(ik_param_type type)
{
    static const spec_style patterns = {
        '+',
        ';',
        false,
        "a list of specs",
        "member of a list of specs",
        "a list of specs reads like uniform+(shift:by=3,self=true)"};
    static const spec_style jobs = {
        '&',   '|',
        true,  "a list of jobs",
        "job", "jobs read like a=exchange:hosts=0..7&b@10 us=(exchange:hosts=8..15,bytes=4 KiB)"};
    static const spec_style schedule = {
        '&',
        '|',
        true,
        "a schedule",
        "entry of a schedule",
        "a schedule reads like @100 us@20%=uniform&@50%=(shift:by=3,self=true)"};
    static const spec_style spec = {
        '\0', ';', false, "a spec", "spec", "a spec in a spec reads like routing=(dor:tie=random)"};
    switch (type) {
    case IK_PARAM_JOBS:
        return &jobs;
    case IK_PARAM_SCHEDULE:
        return &schedule;
    case IK_PARAM_SPEC:
        return &spec;
    default:
        assert(type == IK_PARAM_PATTERNS);
        return &patterns;
    }
}

/* A part of a text. */
typedef struct spec_part {
    const char *at;
    size_t length;
} spec_part;

static spec_part spec_list_trim(const char *text, const char *end)
{
    while (text < end && isspace((unsigned char)*text))
        text++;
    while (text < end && isspace((unsigned char)end[-1]))
        end--;
    return (spec_part){text, (size_t)(end - text)};
}

static char *spec_list_copy(const char *text, const char *end, ik_arena *arena)
{
    spec_part part = spec_list_trim(text, end);
    char *copy = ik_arena_alloc(arena, part.length + 1);
    if (copy)
        memcpy(copy, part.at, part.length);
    return copy;
}

/* A member's spec: a group, or a text with `comma` for ','. */
static char *spec_list_copy_spec(const char *text, const char *end, char comma, ik_arena *arena)
{
    spec_part part = spec_list_trim(text, end);
    if (spec_text_is_group(part.at, part.length)) {
        char *content = spec_text_of_group(part.at, part.length, arena);
        return content ? spec_list_copy(content, content + strlen(content), arena) : NULL;
    }
    char *copy = spec_list_copy(text, end, arena);
    for (spec_walk walk = {.at = copy}; copy && *walk.at;) {
        if (*walk.at == comma)
            copy[walk.at - copy] = ',';
        spec_walk_next(&walk);
    }
    return copy;
}

/* "20 %" and "20%" are one text. */
static void spec_list_drop_blanks(char *text)
{
    char *to = text;
    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            *to++ = *text;
    *to = '\0';
}

/* ---- what stands before a spec; false = out of memory. *text moves on to the spec */

/* "80%*name=" */
static bool spec_list_read_share(const char **text, const char *end, ik_arena *arena,
                                 ik_spec_member *m)
{
    const char *at = *text + strcspn(*text, "*:,+(\"");
    if (at < end && *at == '*') {
        char *share = spec_list_copy(*text, at, arena);
        if (!share)
            return false;
        spec_list_drop_blanks(share);
        m->share = share;
        *text = at + 1;
    }
    at = *text + strcspn(*text, "=:,+(\"");
    if (at >= end || *at != '=')
        return true;
    m->name = spec_list_copy(*text, at, arena);
    *text = at + 1;
    return m->name;
}

/* "name@10 us@20%=" */
static bool spec_list_read_numbers(const char **text, const char *end, ik_arena *arena,
                                   ik_spec_member *m)
{
    const char *equals = *text + strcspn(*text, "=:,&(\"");
    if (equals >= end || *equals != '=')
        return true;
    const char *at = memchr(*text, '@', (size_t)(equals - *text));
    m->name = spec_list_copy(*text, at ? at : equals, arena);
    m->share = at ? spec_list_copy(at + 1, equals, arena) : NULL;
    *text = equals + 1;
    return m->name && (!at || m->share);
}

/* ---- lists */

static ik_status spec_list_refuse(const spec_style *style, const char *text, const char *end,
                                  ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.*s' is no %s", (int)(end - text > 60 ? 60 : end - text), text,
            style->member);
    return ik_hint(err, IK_ERR_INPUT, "%s", style->hint);
}

/* Whether all is there that must be, and nothing is empty. */
static bool spec_list_is_whole(ik_param_type type, const ik_spec_member *m)
{
    bool unnamed = type == IK_PARAM_SCHEDULE && m->share; /* "@20%=uniform" */
    if (!m->spec[0] || (m->share && !m->share[0]))
        return false;
    return m->name ? m->name[0] || unnamed : type != IK_PARAM_JOBS;
}

static ik_status spec_list_read_member(ik_param_type type, const char *text, const char *end,
                                       ik_arena *arena, ik_spec_member *m, ik_error *err)
{
    const spec_style *style = spec_style_of(type);
    const char *spec = text;
    bool good =
        type == IK_PARAM_SPEC ||
        (style->numbered ? spec_list_read_numbers : spec_list_read_share)(&spec, end, arena, m);
    m->spec = good ? spec_list_copy_spec(spec, end, style->comma, arena) : NULL;
    if (!m->spec)
        return ik_fail_memory(err, (size_t)(end - text), style->list);
    if (!spec_list_is_whole(type, m))
        return spec_list_refuse(style, text, end, err);
    if (m->name && !m->name[0])
        m->name = NULL;
    return IK_OK;
}

ik_status ik_spec_members_parse(ik_param_type type, const char *text, ik_arena *arena,
                                ik_spec_member **out, size_t *num, ik_error *err)
{
    const spec_style *style = spec_style_of(type);
    const char between[] = {style->between, '\0'};
    size_t count, most = 1;
    for (const char *at = text; *at; at++)
        most += *at == style->between;
    ik_spec_member *list = ik_arena_alloc(arena, most * sizeof *list);
    if (!list)
        return ik_fail_memory(err, most * sizeof *list, style->list);
    ik_status status = spec_text_check(text, err);
    for (count = 0; status == IK_OK; count++) {
        const char *end = spec_text_find(text, between);
        status = spec_list_read_member(type, text, end, arena, &list[count], err);
        if (!*end)
            break;
        text = end + 1;
    }
    if (status != IK_OK)
        return status;
    *out = list;
    *num = count + 1;
    return IK_OK;
}

/* ---- printing */

static char *spec_list_append(char *at, const char *text)
{
    return text ? stpcpy(at, text) : at;
}

/* Whether a spec is read as it is when another character stands for its commas: what is before its
 * colon is no share and no name of a member. */
static bool spec_list_is_plain(const char *spec, const spec_style *style)
{
    const char special[] = {style->comma, '(', '"', style->between, '\0'};
    size_t name = strcspn(spec, ":=*@");
    return !strpbrk(spec, special) && (!spec[name] || spec[name] == ':');
}

static char *spec_list_append_spec(char *at, const char *spec, const spec_style *style)
{
    if (!spec_list_is_plain(spec, style)) {
        *at++ = '(';
        at = stpcpy(at, spec);
        *at++ = ')';
        return at;
    }
    for (; *spec; spec++)
        *at++ = *spec == ',' ? style->comma : *spec;
    return at;
}

static size_t spec_list_length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

const char *ik_spec_members_print(ik_param_type type, const ik_spec_member *list, size_t num,
                                  ik_arena *arena)
{
    const spec_style *style = spec_style_of(type);
    size_t bytes = 1;
    for (size_t i = 0; i < num; i++)
        bytes += spec_list_length_of(list[i].share) + spec_list_length_of(list[i].name) +
                 strlen(list[i].spec) + sizeof "&@=()";
    char *text = ik_arena_alloc(arena, bytes), *at = text;
    for (size_t i = 0; text && i < num; i++) {
        const ik_spec_member *m = &list[i];
        if (i)
            *at++ = style->between;
        if (!style->numbered && m->share) {
            at = spec_list_append(at, m->share);
            *at++ = '*';
        }
        at = spec_list_append(at, m->name);
        if (style->numbered && m->share) {
            *at++ = '@';
            at = spec_list_append(at, m->share);
        }
        if (m->name || (style->numbered && m->share))
            *at++ = '=';
        at = spec_list_append_spec(at, m->spec, style);
    }
    return text;
}
