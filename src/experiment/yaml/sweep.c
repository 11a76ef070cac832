/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/yaml/sweep.c: lists and ranges of values.
 *
 * Ranges are counted before they are written out, and are computed in integers (fractions and reals
 * in units of 1e-12), so that "10%..90% step 10%" is nine exact values.
 */
#include "experiment/yaml/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double real_unit = 1e-12;

static ik_status yaml_sweep_add(sweep *s, const char *text, const ytree *place, ik_arena *arena,
                                ik_error *err)
{
    return text ? sweep_add(s, text, place, arena, err) : ik_fail_memory(err, 1, "an experiment");
}

static bool sweep_is_real(ik_param_type type)
{
    return type == IK_PARAM_REAL || type == IK_PARAM_FRACTION;
}

static bool sweep_is_number(ik_param_type type)
{
    return type != IK_PARAM_BOOL && type != IK_PARAM_ENUM && type != IK_PARAM_STRING &&
           type != IK_PARAM_PATH && type != IK_PARAM_SPEC && type != IK_PARAM_UINT_LIST &&
           type != IK_PARAM_RANGES && type != IK_PARAM_PATTERNS && type != IK_PARAM_TEXTS &&
           type != IK_PARAM_JOBS && type != IK_PARAM_SCHEDULE;
}

bool sweep_next(const sweep_axis *axes, size_t num, size_t *choice)
{
    for (size_t a = num; a-- > 0;) {
        if (++choice[a] < axes[a].values.num)
            return true;
        choice[a] = 0;
    }
    return false;
}

ik_status sweep_add(sweep *s, const char *text, const ytree *place, ik_arena *arena, ik_error *err)
{
    if (s->num >= SWEEP_LIMIT)
        return ytree_fail(place, err, "more than %d values for one parameter", SWEEP_LIMIT);
    if (s->num == s->room) {
        size_t room = s->room ? 2 * s->room : 8;
        const char **texts = ik_arena_alloc(arena, room * sizeof *texts);
        const ytree **places = ik_arena_alloc(arena, room * sizeof *places);
        if (!texts || !places)
            return ik_fail_memory(err, 2 * room * sizeof *texts, "an experiment");
        if (s->num) {
            memcpy(texts, s->text, s->num * sizeof *texts);
            memcpy(places, s->place, s->num * sizeof *places);
        }
        s->text = texts;
        s->place = places;
        s->room = room;
    }
    s->text[s->num] = text;
    s->place[s->num++] = place;
    return IK_OK;
}

/* ---- ranges */

typedef struct range {
    uint64_t from, to, step; /* in units of real_unit for reals */
    double factor;           /* 0 = by step */
} range;

static ik_status sweep_parse_bound(const ytree *node, const ik_param *p, const char *text,
                                   uint64_t *value, ik_error *err)
{
    ik_status status;
    if (!text[strspn(text, " \t")]) {
        status = ytree_fail(node, err, "range '%.60s' lacks one of its bounds", node->text);
        return ik_hint(err, status, "write both: the first and the last value");
    }
    if (sweep_is_real(p->type)) {
        double real = 0;
        status = ik_parse_real(text, ik_param_dimension(p->type), &real, err);
        if (status == IK_OK && (real < 0 || real > 1e6))
            return ytree_fail(node, err, "'%.60s' cannot bound a range: expected 0 to 1e6", text);
        *value = (uint64_t)llround(real / real_unit);
    } else {
        status = ik_parse_quantity(text, ik_param_dimension(p->type), value, err);
    }
    if (status != IK_OK)
        ik_error_at(err, node->file, node->line, node->column);
    return status;
}

/* A step is above zero; what is not is distinguished from what is too small to be counted. */
static ik_status sweep_parse_step(const ytree *node, const ik_param *p, const char *text,
                                  uint64_t *step, ik_error *err)
{
    double real = 0;
    if (*(text + strspn(text, " \t")) == '-') {
        ik_status status =
            ytree_fail(node, err, "the step of range '%.60s' is negative", node->text);
        return ik_hint(err, status,
                       "a range goes up; values in another order are written as a list");
    }
    ik_status status = sweep_parse_bound(node, p, text, step, err);
    if (status != IK_OK || *step > 0)
        return status;
    if (sweep_is_real(p->type) &&
        ik_parse_real(text, ik_param_dimension(p->type), &real, NULL) == IK_OK && real > 0)
        return ytree_fail(node, err,
                          "the step of range '%.60s' is too small: expected at least 1e-12",
                          node->text);
    return ytree_fail(node, err, "the step of range '%.60s' is zero", node->text);
}

/* Cuts "A..B step C" into its parts, in place. */
static void sweep_cut(char *text, char **to, char **step, char **times)
{
    *to = strstr(text, "..");
    **to = '\0';
    *to += 2;
    *step = strstr(*to, "step ");
    *times = *step ? NULL : strstr(*to, "times ");
    char **last = *step ? step : times;
    if (*last) {
        (*last)[0] = '\0';
        *last += *step ? strlen("step ") : strlen("times ");
    }
}

static ik_status sweep_parse_range(const ytree *node, const ik_param *p, ik_arena *arena, range *r,
                                   ik_error *err)
{
    char *from = ik_arena_strdup(arena, node->text), *to, *step, *times;
    if (!from)
        return ik_fail_memory(err, strlen(node->text), "an experiment");
    sweep_cut(from, &to, &step, &times);
    ik_status status = sweep_parse_bound(node, p, from, &r->from, err);
    if (status == IK_OK)
        status = sweep_parse_bound(node, p, to, &r->to, err);
    if (status == IK_OK && step)
        status = sweep_parse_step(node, p, step, &r->step, err);
    if (status == IK_OK && times &&
        (status = ik_parse_real(times, IK_DIM_NONE, &r->factor, err)) != IK_OK)
        ik_error_at(err, node->file, node->line, node->column);
    if (status != IK_OK)
        return status;
    if (!step && !times && p->type == IK_PARAM_UINT)
        r->step = 1;
    if (!step && !times && p->type != IK_PARAM_UINT) {
        status = ytree_fail(node, err, "range '%.60s' of '%s' has no step", node->text, p->name);
        return ik_hint(err, status,
                       "write it like \"10%%..90%% step 10%%\" or \"512 B..8 KiB times 2\"");
    }
    if (r->to < r->from) {
        status = ytree_fail(node, err, "range '%.60s' goes down", node->text);
        return ik_hint(
            err, status,
            "write the smaller bound first; values in another order are written as a list");
    }
    if (times && (r->factor <= 1 || r->from == 0)) {
        status = ytree_fail(node, err, "range '%.60s' never ends", node->text);
        return ik_hint(err, status, "a factor is above one, and the range starts above zero");
    }
    return IK_OK;
}

static const char *sweep_print_number(const ik_param *p, bool percent, uint64_t value,
                                      ik_arena *arena)
{
    char buffer[64];
    if (percent)
        return ik_arena_printf(arena, "%.12g%%", (double)value * 100 * real_unit);
    if (sweep_is_real(p->type))
        return ik_arena_printf(arena, "%.12g", (double)value * real_unit);
    return ik_arena_strdup(
        arena, ik_format_quantity(buffer, sizeof buffer, value, ik_param_dimension(p->type)));
}

/* False if there is none within the range. A factor moves on by one at least. */
static bool sweep_next_value(const range *r, uint64_t *value)
{
    uint64_t left = r->to - *value, step = r->step;
    if (r->factor > 0) {
        double wide = nearbyint((double)*value * r->factor) - (double)*value;
        if (wide >= 0x1p64)
            return false;
        step = wide > 1 ? (uint64_t)wide : 1;
    }
    if (left < step)
        return false;
    *value += step;
    return true;
}

/* percent: the values are texts, "2%". */
static ik_status sweep_expand_range(const ytree *node, const ik_param *p, bool percent,
                                    ik_arena *arena, sweep *out, ik_error *err)
{
    range r = {0};
    ik_status status = sweep_parse_range(node, p, arena, &r, err);
    if (status != IK_OK)
        return status;
    if (r.factor == 0 && (r.to - r.from) / r.step >= SWEEP_LIMIT)
        return ytree_fail(node, err, "range '%.60s' has %.0f values; at most %d are taken",
                          node->text, (double)((r.to - r.from) / r.step) + 1, SWEEP_LIMIT);
    for (uint64_t value = r.from;;) {
        status =
            yaml_sweep_add(out, sweep_print_number(p, percent, value, arena), node, arena, err);
        if (status != IK_OK)
            return status;
        if (!sweep_next_value(&r, &value))
            return IK_OK;
    }
}

/* Is a text a range of shares, "0%..30% step 2%"? One without a step, or with a wrong end, is too:
 * it is refused as a range. */
static bool sweep_is_range_of_shares(const char *text)
{
    const char *dots = strstr(text, "..");
    char first[32];
    double share;
    if (!dots || !strchr(text, '%') || (size_t)(dots - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = '\0';
    return ik_parse_real(first, IK_DIM_FRACTION, &share, NULL) == IK_OK;
}

/* "0..3", "2..8 times 2": of whole numbers. */
static bool sweep_is_range_of_numbers(const char *text)
{
    const size_t digits = strspn(text, "0123456789"), blanks = strspn(text + digits, " ");
    return digits && strncmp(text + digits + blanks, "..", 2) == 0;
}

/* A text that may be a share or a number. */
static ik_status sweep_expand_text(const ytree *node, const ik_param *p, ik_arena *arena,
                                   sweep *out, ik_error *err)
{
    if (p->max >= 1 && sweep_is_range_of_shares(node->text)) {
        const ik_param share = {.name = p->name, .type = IK_PARAM_FRACTION, .min = 0, .max = 1};
        return sweep_expand_range(node, &share, true, arena, out, err);
    }
    if (p->max >= 2 && sweep_is_range_of_numbers(node->text)) {
        const ik_param number = {.name = p->name, .type = IK_PARAM_UINT};
        return sweep_expand_range(node, &number, false, arena, out, err);
    }
    return yaml_sweep_add(out, node->text, node, arena, err);
}

/* ---- lists */

/* [16, 16] is one value of a list parameter; [[16, 16], [8, 8]] and ["16:16", "8:8"] are
 * several. */
static bool sweep_is_one_list(const ytree *node)
{
    for (size_t i = 0; i < node->num; i++)
        if (node->items[i]->kind != YTREE_SCALAR || strchr(node->items[i]->text, ':'))
            return false;
    return true;
}

static bool sweep_is_texts(const ytree *node)
{
    for (size_t i = 0; i < node->num; i++)
        if (node->items[i]->kind != YTREE_SCALAR)
            return false;
    return true;
}

static ik_status sweep_join_list(const ytree *node, char mark, ik_arena *arena, sweep *out,
                                 ik_error *err)
{
    size_t bytes = 1, used = 0;
    for (size_t i = 0; i < node->num; i++)
        bytes += strlen(node->items[i]->text) + 1;
    char *text = ik_arena_alloc(arena, bytes);
    for (size_t i = 0; text && i < node->num; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%.*s%s", i > 0, &mark,
                                 node->items[i]->text);
    return yaml_sweep_add(out, text, node, arena, err);
}

ik_status sweep_expand(const ytree *node, const ik_param *p, ik_arena *arena, sweep *out,
                       ik_error *err)
{
    if (node->kind == YTREE_MAP)
        return ytree_fail(node, err, "'%s' takes a value, a list or a range, found a mapping",
                          p->name);
    if (node->kind == YTREE_LIST) {
        if (node->num == 0)
            return ytree_fail(node, err, "'%s' has an empty list: no value to run with", p->name);
        if ((p->type == IK_PARAM_UINT_LIST || p->type == IK_PARAM_RANGES) &&
            sweep_is_one_list(node))
            return sweep_join_list(node, ':', arena, out, err);
        if (p->type == IK_PARAM_TEXTS && sweep_is_texts(node))
            return sweep_join_list(node, ' ', arena, out, err);
        for (size_t i = 0; i < node->num; i++) {
            ik_status status = sweep_expand(node->items[i], p, arena, out, err);
            if (status != IK_OK)
                return status;
        }
        return IK_OK;
    }
    if (node->plain && (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
                        strcmp(node->text, "null") == 0)) {
        ik_status status = ytree_fail(node, err, "'%s' has no value", p->name);
        return p->help ? ik_hint(err, status, "%s: %s", p->name, p->help) : status;
    }
    if (sweep_is_number(p->type) && strstr(node->text, ".."))
        return sweep_expand_range(node, p, false, arena, out, err);
    if (p->type == IK_PARAM_STRING)
        return sweep_expand_text(node, p, arena, out, err);
    return yaml_sweep_add(out, node->text, node, arena, err);
}
