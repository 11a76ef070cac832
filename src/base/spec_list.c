/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_list.c: specs within a spec: "80%*uniform+20%*incast=hotspot:nodes=5;fraction=100%".
 */
#include "ikat/base.h"

#include <ctype.h>
#include <string.h>

/* A copy of text[0..length) without the blanks around it. */
static char *spec_list_copy_trimmed(ik_arena *arena, const char *text, size_t length)
{
    while (length && isspace((unsigned char)*text))
        text++, length--;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    char *copy = ik_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

/* Characters up to what follows a name. */
static size_t spec_list_name_length(const char *text)
{
    size_t n = strspn(text, " ");
    while (isalnum((unsigned char)text[n]) || (text[n] && strchr("_-.", text[n])))
        n++;
    return n + strspn(text + n, " ");
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

/* Cuts what stands before `mark` off *text if the mark is one of the next `length` characters;
 * false = out of memory. */
static bool spec_list_cut_off(const char **text, size_t length, char mark, char **out,
                              ik_arena *arena)
{
    const char *at = memchr(*text, mark, length);
    if (!at)
        return true;
    *out = spec_list_copy_trimmed(arena, *text, (size_t)(at - *text));
    *text = at + 1;
    return *out;
}

static bool spec_list_read_member(const char *text, const char *end, ik_arena *arena,
                                  ik_spec_member *m)
{
    char *share = NULL, *name = NULL;
    if (!spec_list_cut_off(&text, strcspn(text, ":+"), '*', &share, arena))
        return false;
    if (share)
        spec_list_drop_blanks(share);
    size_t length = spec_list_name_length(text);
    if (text[length] == '=' && !spec_list_cut_off(&text, length + 1, '=', &name, arena))
        return false;
    char *spec = spec_list_copy_trimmed(arena, text, (size_t)(end - text));
    for (char *c = spec; c && *c; c++)
        if (*c == ';')
            *c = ',';
    *m = (ik_spec_member){share, name, spec};
    return spec;
}

ik_status ik_spec_list_parse(const char *text, ik_arena *arena, ik_spec_member **out, size_t *num,
                             ik_error *err)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == '+';
    ik_spec_member *list = ik_arena_alloc(arena, count * sizeof *list);
    if (!list)
        return ik_fail_memory(err, count * sizeof *list, "a list of specs");
    for (size_t i = 0; i < count; i++) {
        const char *end = text + strcspn(text, "+");
        ik_spec_member m = {0};
        if (!spec_list_read_member(text, end, arena, &m))
            return ik_fail_memory(err, (size_t)(end - text), "a list of specs");
        if (!m.spec[0] || (m.share && !m.share[0]) || (m.name && !m.name[0])) {
            ik_fail(err, IK_ERR_INPUT, "'%.*s' names nothing",
                    (int)(end - text > 60 ? 60 : end - text), text);
            return ik_hint(
                err, IK_ERR_INPUT,
                "a list of specs reads like uniform+shift:by=3, with ';' for ',' inside a spec");
        }
        list[i] = m;
        text = end + 1;
    }
    *out = list;
    *num = count;
    return IK_OK;
}

static size_t spec_list_length_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static char *spec_list_append(char *at, const char *text, char mark)
{
    size_t n = text ? strlen(text) : 0;
    if (n) {
        memcpy(at, text, n);
        at[n++] = mark;
    }
    return at + n;
}

const char *ik_spec_list_print(const ik_spec_member *list, size_t num, ik_arena *arena)
{
    size_t bytes = 1;
    for (size_t i = 0; i < num; i++)
        bytes += spec_list_length_of(list[i].share) + spec_list_length_of(list[i].name) +
                 spec_list_length_of(list[i].spec);
    char *text = ik_arena_alloc(arena, bytes), *at = text;
    for (size_t i = 0; text && i < num; i++) {
        at = spec_list_append(at, list[i].share, '*');
        at = spec_list_append(at, list[i].name, '=');
        char *spec = at;
        at = spec_list_append(at, list[i].spec, '+');
        for (; spec < at; spec++)
            if (*spec == ',')
                *spec = ';';
    }
    if (text && at > text)
        at[-1] = '\0';
    return text;
}

/* ---- jobs */

static bool spec_list_read_job(const char *text, const char *end, ik_arena *arena,
                               ik_spec_member *m)
{
    char *name = NULL, *start = NULL;
    const char *equals = memchr(text, '=', (size_t)(end - text)), *colon = text;
    while (colon < end && *colon != ':')
        colon++;
    if (equals && equals < colon) {
        const char *at = memchr(text, '@', (size_t)(equals - text));
        name = spec_list_copy_trimmed(arena, text, (size_t)((at ? at : equals) - text));
        start = at ? spec_list_copy_trimmed(arena, at + 1, (size_t)(equals - at - 1)) : NULL;
        if (!name || (at && !start))
            return false;
        text = equals + 1;
    }
    char *spec = spec_list_copy_trimmed(arena, text, (size_t)(end - text));
    for (char *c = spec; c && *c; c++)
        if (*c == '|')
            *c = ',';
    *m = (ik_spec_member){start, name, spec};
    return spec;
}

static ik_status spec_list_refuse_part(const char *text, size_t length, bool schedule,
                                       ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.*s' is no %s", (int)(length > 60 ? 60 : length), text,
            schedule ? "entry of a schedule" : "job");
    return ik_hint(err, IK_ERR_INPUT,
                   schedule ? "a schedule reads like @100 us@20%%=uniform&@50%%=shift:by=3, with "
                              "'|' for ',' inside a spec"
                            : "jobs read like a=exchange:hosts=0..7&b@10 us=exchange:hosts=8..15, "
                              "with '|' for ',' inside a spec");
}

static ik_status spec_list_parse_parts(const char *text, bool schedule, ik_arena *arena,
                                       ik_spec_member **out, size_t *num, ik_error *err)
{
    const char *what = schedule ? "a schedule" : "a list of jobs";
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == '&';
    ik_spec_member *list = ik_arena_alloc(arena, count * sizeof *list);
    if (!list)
        return ik_fail_memory(err, count * sizeof *list, what);
    for (size_t i = 0; i < count; i++) {
        const char *end = text + strcspn(text, "&");
        ik_spec_member m = {0};
        if (!spec_list_read_job(text, end, arena, &m))
            return ik_fail_memory(err, (size_t)(end - text), what);
        bool named = m.name && m.name[0];
        if (!m.spec[0] || (!schedule && !named) || (m.name && !named && !m.share) ||
            (m.share && !m.share[0]))
            return spec_list_refuse_part(text, (size_t)(end - text), schedule, err);
        m.name = named ? m.name : NULL;
        list[i] = m;
        text = end + 1;
    }
    *out = list;
    *num = count;
    return IK_OK;
}

ik_status ik_spec_jobs_parse(const char *text, ik_arena *arena, ik_spec_member **out, size_t *num,
                             ik_error *err)
{
    return spec_list_parse_parts(text, false, arena, out, num, err);
}

ik_status ik_spec_schedule_parse(const char *text, ik_arena *arena, ik_spec_member **out,
                                 size_t *num, ik_error *err)
{
    return spec_list_parse_parts(text, true, arena, out, num, err);
}

const char *ik_spec_jobs_print(const ik_spec_member *list, size_t num, ik_arena *arena)
{
    size_t bytes = 1;
    for (size_t i = 0; i < num; i++)
        bytes += spec_list_length_of(list[i].share) + spec_list_length_of(list[i].name) +
                 spec_list_length_of(list[i].spec) + 1;
    char *text = ik_arena_alloc(arena, bytes), *at = text;
    for (size_t i = 0; text && i < num; i++) {
        at = spec_list_append(at, list[i].name, list[i].share ? '@' : '=');
        if (!list[i].name && list[i].share)
            *at++ = '@';
        at = spec_list_append(at, list[i].share, '=');
        char *spec = at;
        at = spec_list_append(at, list[i].spec, '&');
        for (; spec < at; spec++)
            if (*spec == ',')
                *spec = '|';
    }
    if (text && at > text)
        at[-1] = '\0';
    return text;
}
