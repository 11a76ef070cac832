/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds_state.c: the findings that one round hands on to the next, in memory and in a file.
 */
#include "base/array.h"
#include "base/json_value.h"
#include "subnet/rounds/rounds_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char WHAT[] = "state of ikat watch";
enum { STATE_VERSION = 1 };

/* Texts of a finding, by their names in the file. */
static const struct {
    const char *name;
    size_t at;
} texts[] = {{"code", offsetof(ik_round_finding, code)},
             {"place", offsetof(ik_round_finding, place)},
             {"key", offsetof(ik_round_finding, key)},
             {"text", offsetof(ik_round_finding, text)}};
enum { NUM_TEXTS = sizeof texts / sizeof *texts };
static const struct {
    const char *name;
    size_t at;
} numbers[] = {{"count", offsetof(ik_round_finding, count)},
               {"first_s", offsetof(ik_round_finding, first_s)},
               {"opened_s", offsetof(ik_round_finding, opened_s)},
               {"closed_s", offsetof(ik_round_finding, closed_s)}};
enum { NUM_NUMBERS = sizeof numbers / sizeof *numbers };

static const char **rounds_state_text(ik_round_finding *f, size_t i)
{
    return (const char **)(void *)((char *)f + texts[i].at);
}

static double *rounds_state_number(ik_round_finding *f, size_t i)
{
    return (double *)(void *)((char *)f + numbers[i].at);
}

void rounds_state_free(rounds_state *s)
{
    free(s->findings);
    ik_arena_free(&s->arena);
    *s = (rounds_state){0};
}

ik_status rounds_state_add(rounds_state *s, const ik_round_finding *f, ik_error *err)
{
    ik_round_finding copy = *f;
    bool whole = IK_ARRAY_ROOM(s->findings, s->cap, s->num + 1);
    for (size_t i = 0; i < NUM_TEXTS && whole; i++) {
        const char **text = rounds_state_text(&copy, i);
        whole = (*text = ik_arena_strdup(&s->arena, *text)) != NULL;
    }
    if (!whole)
        return ik_fail_memory(err, (s->num + 1) * sizeof copy, "the findings of a watch");
    s->findings[s->num++] = copy;
    return IK_OK;
}

int rounds_state_compare(const ik_round_finding *a, const ik_round_finding *b)
{
    int order = strcmp(a->code, b->code);
    return order ? order : strcmp(a->key, b->key);
}

static int rounds_state_order(const void *x, const void *y)
{
    const ik_round_finding *a = x, *b = y;
    int order = rounds_state_compare(a, b);
    order = order ? order : (a->closed_s > 0) - (b->closed_s > 0);
    return order ? order : strcmp(a->text, b->text);
}

void rounds_state_sort(ik_round_finding *findings, size_t num)
{
    if (num > 1)
        qsort(findings, num, sizeof *findings, rounds_state_order);
}

/* ---- the file */

static ik_status rounds_state_wrong(const char *path, size_t number, const char *what,
                                    ik_error *err)
{
    return ik_fail_at(err, IK_ERR_INPUT, path, 1, 1, "finding %zu of the state has no right \"%s\"",
                      number + 1, what);
}

static ik_status rounds_state_take(const char *path, size_t number, const json_t *json,
                                   rounds_state *out, ik_error *err)
{
    ik_round_finding f = {.times = 1};
    for (size_t i = 0; i < NUM_TEXTS; i++)
        if (!(*rounds_state_text(&f, i) = json_string_value(json_object_get(json, texts[i].name))))
            return rounds_state_wrong(path, number, texts[i].name, err);
    for (size_t i = 0; i < NUM_NUMBERS; i++) {
        const json_t *value = json_object_get(json, numbers[i].name);
        if (!json_is_number(value) || !(json_number_value(value) >= 0))
            return rounds_state_wrong(path, number, numbers[i].name, err);
        *rounds_state_number(&f, i) = json_number_value(value);
    }
    json_int_t severity = json_integer_value(json_object_get(json, "severity")),
               times = json_integer_value(json_object_get(json, "times"));
    if (severity < IK_NOTE || severity > IK_ERROR ||
        !json_is_integer(json_object_get(json, "severity")))
        return rounds_state_wrong(path, number, "severity", err);
    if (times < 1 || times > UINT32_MAX)
        return rounds_state_wrong(path, number, "times", err);
    f.severity = (ik_severity)severity;
    f.times = (uint32_t)times;
    return rounds_state_add(out, &f, err);
}

static ik_status rounds_state_parse(const char *path, const json_t *root, rounds_state *out,
                                    ik_error *err)
{
    const char *what = json_string_value(json_object_get(root, "what"));
    const json_t *findings = json_object_get(root, "findings");
    json_int_t rounds = json_integer_value(json_object_get(root, "rounds"));
    double good_s = json_number_value(json_object_get(root, "good_s"));
    if (!what || strcmp(what, WHAT) != 0 || !json_is_array(findings) || rounds < 0 ||
        json_integer_value(json_object_get(root, "format")) != STATE_VERSION || !(good_s >= 0))
        return ik_fail_at(err, IK_ERR_INPUT, path, 1, 1, "this is no %s in format %d", WHAT,
                          STATE_VERSION);
    ik_status status = IK_OK;
    for (size_t i = 0; i < json_array_size(findings) && status == IK_OK; i++)
        status = rounds_state_take(path, i, json_array_get(findings, i), out, err);
    rounds_state_sort(out->findings, out->num);
    out->rounds = (uint64_t)rounds;
    out->good_s = good_s;
    return status;
}

ik_status rounds_state_read(const char *path, rounds_state *out, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    json_error_t why;
    json_t *root = NULL;
    rounds_state s = {.rounds = 0};
    ik_status status = ik_text_read(path, 0, &text, &size, err);
    if (status != IK_OK)
        return status;
    status = json_parse(text, size, &root, &why);
    free(text);
    if (status == IK_ERR_MEMORY)
        return ik_fail_memory(err, size, "the state of a watch");
    if (status != IK_OK)
        return ik_fail_at(err, IK_ERR_INPUT, path, why.line > 0 ? (unsigned)why.line : 1, 1,
                          "no JSON: %s", why.text);
    status = rounds_state_parse(path, root, &s, err);
    json_decref(root);
    if (status == IK_OK)
        *out = s;
    else
        rounds_state_free(&s);
    return status;
}

static void rounds_state_put(ik_json *j, ik_round_finding *f)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "severity", f->severity);
    ik_json_uint(j, "times", f->times);
    for (size_t i = 0; i < NUM_NUMBERS; i++)
        ik_json_real(j, numbers[i].name, *rounds_state_number(f, i), 17);
    for (size_t i = 0; i < NUM_TEXTS; i++)
        ik_json_text(j, texts[i].name, *rounds_state_text(f, i));
    ik_json_close(j);
}

ik_status rounds_state_write(const char *path, const rounds_state *s, ik_error *err)
{
    ik_output file;
    ik_json j;
    ik_status status = ik_output_open(&file, path, err);
    if (status != IK_OK)
        return status;
    ik_json_to_file(&j, file.out, IK_JSON_ROWS);
    ik_json_object(&j, NULL);
    ik_json_text(&j, "what", WHAT);
    ik_json_uint(&j, "format", STATE_VERSION);
    ik_json_uint(&j, "rounds", s->rounds);
    ik_json_real(&j, "good_s", s->good_s, 17);
    ik_json_array(&j, "findings");
    for (size_t i = 0; i < s->num; i++)
        rounds_state_put(&j, &s->findings[i]);
    ik_json_close(&j);
    ik_json_close(&j);
    return ik_output_close(&file, ik_json_end(&j, err), err);
}
