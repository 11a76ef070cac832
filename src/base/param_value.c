/* SPDX-License-Identifier: Apache-2.0
 *
 * param_value.c: one value of a declared parameter: parsing, range checks, messages and the
 * canonical text.
 */
#include "base/param_value.h"
#include "base/quantity.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ik_dimension ik_param_dimension(ik_param_type type)
{
    switch (type) {
    case IK_PARAM_TIME:
        return IK_DIM_TIME;
    case IK_PARAM_RATE:
        return IK_DIM_RATE;
    case IK_PARAM_SIZE:
        return IK_DIM_SIZE;
    case IK_PARAM_LENGTH:
        return IK_DIM_LENGTH;
    case IK_PARAM_FRACTION:
        return IK_DIM_FRACTION;
    default:
        return IK_DIM_NONE;
    }
}

/* ---- one value from text */

static bool param_value_in_range(const ik_param *p, double x)
{
    return (p->min == 0 && p->max == 0) || (x >= p->min && x <= p->max);
}

const char *ik_param_bound(const ik_param *p, double bound, char *buffer, size_t size)
{
    ik_dimension dim = ik_param_dimension(p->type);
    if (dim == IK_DIM_NONE || dim == IK_DIM_FRACTION)
        snprintf(buffer, size, "%.12g", bound);
    else
        ik_format_quantity(buffer, size, (uint64_t)bound, dim);
    return buffer;
}

static ik_status param_value_refuse_range(const ik_param *p, const char *text, ik_error *err)
{
    char low[48], high[48];
    ik_param_bound(p, p->min, low, sizeof low);
    ik_param_bound(p, p->max, high, sizeof high);
    ik_status status = ik_fail(err, IK_ERR_INPUT, "'%s' = %.60s is out of range: expected %s to %s",
                               p->name, text, low, high);
    if (ik_param_dimension(p->type) != IK_DIM_FRACTION)
        return status;
    return ik_hint(err, status, "1 is 100 %%: write it like 25 %% or 0.25");
}

static ik_status param_value_parse_bool(const char *text, uint64_t *value, ik_error *err)
{
    static const char *const words[] = {"false", "no", "off", "0", "true", "yes", "on", "1"};
    for (unsigned i = 0; i < 8; i++)
        if (strcmp(text, words[i]) == 0) {
            *value = i >= 4;
            return IK_OK;
        }
    return ik_fail(err, IK_ERR_INPUT, "'%.60s' is neither true nor false", text);
}

/* The index of a text among the choices; UINT_MAX = none of them. */
static unsigned param_value_choice_of(const ik_param *p, const char *text)
{
    size_t length = strlen(text);
    unsigned index = 0;
    for (const char *c = p->choices; *c; index++) {
        size_t n = strcspn(c, "|");
        if (n == length && memcmp(c, text, n) == 0)
            return index;
        c += n + (c[n] == '|');
    }
    return UINT_MAX;
}

static ik_status param_value_parse_enum(ik_params *params, const ik_param *p, const char *text,
                                        uint64_t *value, ik_error *err)
{
    unsigned index = param_value_choice_of(p, text);
    *value = index;
    if (index != UINT_MAX)
        return IK_OK;
    const char *nearest = ik_nearest_word(text, p->choices, &params->arena);
    ik_fail(err, IK_ERR_INPUT, "'%s' cannot be '%.60s'", p->name, text);
    return ik_meant(err, ik_hint(err, IK_ERR_INPUT, "one of %s", p->choices), nearest);
}

static ik_status param_value_refuse_list(const char *text, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.60s' is not a list of whole numbers", text);
    return ik_hint(err, IK_ERR_INPUT, "write it like 16:16");
}

static ik_status param_value_parse_list(ik_params *params, const ik_param *p, const char *text,
                                        ik_value *v, ik_error *err)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ':';
    uint32_t *list = ik_arena_alloc(&params->arena, count * sizeof *list);
    if (!list)
        return ik_fail_memory(err, count * sizeof *list, p->name);
    const char *c = text;
    for (size_t i = 0; i < count; i++) {
        c += strspn(c, " ");
        if (*c < '0' || *c > '9')
            return param_value_refuse_list(text, err);
        char *end;
        unsigned long long x = strtoull(c, &end, 10);
        end += strspn(end, " ");
        if (x > UINT32_MAX || (*end != ':' && *end != '\0'))
            return param_value_refuse_list(text, err);
        if (!param_value_in_range(p, (double)x))
            return param_value_refuse_range(p, text, err);
        list[i] = (uint32_t)x;
        c = end + (*end == ':');
    }
    v->list = list;
    v->list_count = count;
    return IK_OK;
}

static ik_status param_value_refuse_ranges(const char *text, ik_error *err)
{
    ik_fail(err, IK_ERR_INPUT, "'%.60s' is not a list of whole numbers and ranges", text);
    return ik_hint(err, IK_ERR_INPUT, "write it like 0..63 or 0:5:9 or 0..7:16..23");
}

/* Reads a whole number at *at, which moves behind it and the blanks around it. */
static bool param_value_read_number(const char **at, uint32_t *value)
{
    char *end;
    *at += strspn(*at, " ");
    if (**at < '0' || **at > '9')
        return false;
    unsigned long long x = strtoull(*at, &end, 10);
    *value = (uint32_t)x;
    *at = end + strspn(end, " ");
    return x <= UINT32_MAX;
}

/* Pairs of first and last; a range that goes on where the one before it ends is part of that. */
static ik_status param_value_parse_ranges(ik_params *params, const ik_param *p, const char *text,
                                          ik_value *v, ik_error *err)
{
    size_t most = 2, n = 0;
    for (const char *c = text; *c; c++)
        most += 2 * (*c == ':');
    uint32_t *list = ik_arena_alloc(&params->arena, most * sizeof *list);
    if (!list)
        return ik_fail_memory(err, most * sizeof *list, p->name);
    for (const char *c = text;; c++) {
        uint32_t first, last;
        if (!param_value_read_number(&c, &first))
            return param_value_refuse_ranges(text, err);
        last = first;
        if (strncmp(c, "..", 2) == 0) {
            c += 2;
            if (!param_value_read_number(&c, &last) || last < first)
                return param_value_refuse_ranges(text, err);
        }
        if (!param_value_in_range(p, (double)first) || !param_value_in_range(p, (double)last))
            return param_value_refuse_range(p, text, err);
        if (n && list[n - 1] < first && first - list[n - 1] == 1) {
            list[n - 1] = last;
        } else {
            list[n++] = first;
            list[n++] = last;
        }
        if (*c == '\0')
            break;
        if (*c != ':')
            return param_value_refuse_ranges(text, err);
    }
    v->list = list;
    v->list_count = n;
    return IK_OK;
}

/* "least*1.2" where "least*F" is a choice; v->word stays 0 where the text is no such product. */
static ik_status param_value_parse_multiple(const ik_param *p, const char *text, ik_value *v,
                                            ik_error *err)
{
    const char *star = strchr(text, '*');
    char choice[32];
    if (!star || star - text + 3 > (ptrdiff_t)sizeof choice)
        return IK_OK;
    snprintf(choice, sizeof choice, "%.*s*F", (int)(star - text), text);
    unsigned word = param_value_choice_of(p, choice);
    if (word == UINT_MAX)
        return IK_OK;
    if (ik_parse_real(star + 1, IK_DIM_NONE, &v->r, NULL) != IK_OK || !(v->r >= 1 && v->r <= 1e6)) {
        ik_fail(err, IK_ERR_INPUT, "'%s' = %.60s: the factor is not a number from 1 to 1e6",
                p->name, text);
        return ik_hint(err, IK_ERR_INPUT, "write it like %.*s*1.2", (int)(star - text), text);
    }
    v->word = word + 1;
    return IK_OK;
}

/* A whole number with its unit, or a word that stands beside the numbers. */
static ik_status param_value_parse_number(const ik_param *p, const char *text, ik_value *v,
                                          ik_error *err)
{
    ik_dimension dimension = ik_param_dimension(p->type);
    unsigned word = p->choices ? param_value_choice_of(p, text) : UINT_MAX;
    if (word != UINT_MAX) {
        v->word = word + 1;
        v->r = 1;
        return IK_OK;
    }
    ik_status product = p->choices ? param_value_parse_multiple(p, text, v, err) : IK_OK;
    if (product != IK_OK || v->word)
        return product;
    ik_status status = ik_parse_quantity(text, dimension, &v->u, err);
    if (status == IK_OK ? !param_value_in_range(p, (double)v->u)
                        : p->max > 0 && ik_quantity_is_huge(text, dimension))
        return param_value_refuse_range(p, text, err);
    if (status == IK_ERR_INPUT && p->choices)
        ik_hint(err, status, "a number with its unit, or one of %s", p->choices);
    return status;
}

static ik_status parse_value(ik_params *params, const ik_param *p, const char *text, ik_value *v,
                             ik_error *err)
{
    ik_status status = IK_OK;
    switch (p->type) {
    case IK_PARAM_UINT:
    case IK_PARAM_TIME:
    case IK_PARAM_RATE:
    case IK_PARAM_SIZE:
    case IK_PARAM_LENGTH:
        return param_value_parse_number(p, text, v, err);
    case IK_PARAM_REAL:
    case IK_PARAM_FRACTION:
        status = ik_parse_real(text, ik_param_dimension(p->type), &v->r, err);
        return status == IK_OK && !param_value_in_range(p, v->r)
                   ? param_value_refuse_range(p, text, err)
                   : status;
    case IK_PARAM_BOOL:
        return param_value_parse_bool(text, &v->u, err);
    case IK_PARAM_ENUM:
        return param_value_parse_enum(params, p, text, &v->u, err);
    case IK_PARAM_UINT_LIST:
        return param_value_parse_list(params, p, text, v, err);
    case IK_PARAM_RANGES:
        return param_value_parse_ranges(params, p, text, v, err);
    case IK_PARAM_PATTERNS:
    case IK_PARAM_JOBS:
    case IK_PARAM_SCHEDULE:
    case IK_PARAM_SPEC:
        return ik_spec_members_parse(p->type, text, &params->arena, &v->members, &v->num_members,
                                     err);
    case IK_PARAM_PATH:
        v->word =
            p->choices ? param_value_choice_of(p, text) + 1 : 0; /* UINT_MAX, no word, becomes 0 */
        break;
    case IK_PARAM_STRING:
    case IK_PARAM_TEXTS:
        break;
    }
    return status;
}

/* One blank between two texts. */
static const char *param_value_print_texts(ik_params *params, const char *text)
{
    char *copy = ik_arena_strdup(&params->arena, text), *to = copy;
    for (const char *c = text; copy && *c; c++) {
        bool blank = *c == ' ' || *c == ',';
        if (!blank)
            *to++ = *c;
        else if (to > copy && to[-1] != ' ')
            *to++ = ' ';
    }
    if (copy) {
        to -= to > copy && to[-1] == ' ';
        *to = '\0';
    }
    return copy;
}

static const char *param_value_print_list(ik_params *params, const ik_value *v)
{
    size_t bytes = v->list_count * 11 + 1, used = 0;
    char *out = ik_arena_alloc(&params->arena, bytes);
    for (size_t i = 0; out && i < v->list_count; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%" PRIu32, i ? ":" : "", v->list[i]);
    return out;
}

static const char *param_value_print_ranges(ik_params *params, const ik_value *v)
{
    size_t bytes = v->list_count * 13 + 1, used = 0;
    char *out = ik_arena_alloc(&params->arena, bytes);
    for (size_t i = 0; out && i + 1 < v->list_count; i += 2) {
        used += (size_t)snprintf(out + used, bytes - used, "%s%" PRIu32, i ? ":" : "", v->list[i]);
        if (v->list[i + 1] > v->list[i])
            used += (size_t)snprintf(out + used, bytes - used, "..%" PRIu32, v->list[i + 1]);
    }
    return out;
}

/* As few digits as read back as the same value. */
static const char *param_value_print_real(ik_params *params, double value)
{
    char buffer[40];
    for (int digits = 12; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return ik_arena_strdup(&params->arena, buffer);
}

/* A word, with its factor if it has one. */
static const char *param_value_print_word(ik_params *params, const ik_value *v, const char *text)
{
    const char *star = strchr(text, '*');
    if (!star || !(v->r >= 1))
        return ik_arena_strdup(&params->arena, text);
    const char *factor = param_value_print_real(params, v->r);
    return factor ? ik_arena_printf(&params->arena, "%.*s*%s", (int)(star - text), text, factor)
                  : NULL;
}

/* One text per value whatever way it was written: provenance and result keys compare equal. */
static const char *param_value_canonical_text(ik_params *params, const ik_param *p,
                                              const ik_value *v, const char *text)
{
    char buffer[64];
    if (v->word)
        return param_value_print_word(params, v, text);
    switch (p->type) {
    case IK_PARAM_UINT:
    case IK_PARAM_TIME:
    case IK_PARAM_RATE:
    case IK_PARAM_SIZE:
    case IK_PARAM_LENGTH:
        return ik_arena_strdup(&params->arena, ik_format_quantity(buffer, sizeof buffer, v->u,
                                                                  ik_param_dimension(p->type)));
    case IK_PARAM_REAL:
    case IK_PARAM_FRACTION:
        return param_value_print_real(params, v->r);
    case IK_PARAM_BOOL:
        return v->u ? "true" : "false";
    case IK_PARAM_UINT_LIST:
        return param_value_print_list(params, v);
    case IK_PARAM_RANGES:
        return param_value_print_ranges(params, v);
    case IK_PARAM_PATTERNS:
    case IK_PARAM_JOBS:
    case IK_PARAM_SCHEDULE:
    case IK_PARAM_SPEC:
        return ik_spec_members_print(p->type, v->members, v->num_members, &params->arena);
    case IK_PARAM_TEXTS:
        return param_value_print_texts(params, text);
    case IK_PARAM_ENUM:
    case IK_PARAM_STRING:
    case IK_PARAM_PATH:
        break;
    }
    return ik_arena_strdup(&params->arena, text);
}

ik_status ik_param_read(ik_params *params, const ik_param *p, const char *text, ik_value *out,
                        ik_error *err)
{
    ik_value v = {.has = true};
    ik_status status = parse_value(params, p, text, &v, err);
    if (status != IK_OK)
        return status;
    v.text = param_value_canonical_text(params, p, &v, text);
    if (!v.text)
        return ik_fail_memory(err, strlen(text), p->name);
    *out = v;
    return IK_OK;
}
