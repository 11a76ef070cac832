/* SPDX-License-Identifier: Apache-2.0
 *
 * param_needs.c: parameters that have an effect only beside certain values of others: what a row's
 * `needs` says, and the refusal of what was given without it.
 *
 * needs = WAY { " or " WAY }, WAY = CLAUSE { " and " CLAUSE }, CLAUSE = [ "not " ] NAME [ OP VALUE
 * { "|" VALUE } ], OP one of = > <. A NAME alone asks whether it has a value; a NAME with a dot,
 * SECTION.NAME, is a parameter of another section; the VALUE of > and < is a number, or the name of
 * another parameter.
 */
#include "ikat/base.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct clause {
    bool negated;
    char op;             /* '=', '>', '<', 0 = has a value */
    const char *section; /* NULL = the own */
    char name[48], value[96];
} clause;

typedef struct question {
    const ik_params *own, *other;
    const char *other_name;
} question;

/* ---- reading */

/* Length of text up to `word`, or all of it; *rest = what follows the word, NULL at the end. */
static size_t param_needs_cut(const char *text, size_t length, const char *word, const char **rest)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (memcmp(text + i, word, n) == 0) {
            *rest = text + i + n;
            return i;
        }
    *rest = NULL;
    return length;
}

static void param_needs_copy(char *to, size_t room, const char *from, size_t length)
{
    assert(length < room);
    length = length < room ? length : room - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static clause param_needs_read_clause(const char *text, size_t length, char *section, size_t room)
{
    clause c = {.negated = length > 4 && memcmp(text, "not ", 4) == 0};
    text += c.negated ? 4 : 0;
    length -= c.negated ? 4 : 0;
    const char *dot =
        memchr(text, '.', strcspn(text, "=<>") < length ? strcspn(text, "=<>") : length);
    if (dot) {
        param_needs_copy(section, room, text, (size_t)(dot - text));
        c.section = section;
        length -= (size_t)(dot + 1 - text);
        text = dot + 1;
    }
    size_t name = 0;
    while (name < length && !strchr("=<>", text[name]))
        name++;
    param_needs_copy(c.name, sizeof c.name, text, name);
    if (name < length) {
        c.op = text[name];
        param_needs_copy(c.value, sizeof c.value, text + name + 1, length - name - 1);
    }
    return c;
}

/* ---- judging */

static const ik_value *param_needs_find(const ik_params *params, const char *name,
                                        const ik_param **row)
{
    for (size_t i = 0; params && i < params->num; i++)
        if (strcmp(params->decl[i].name, name) == 0) {
            *row = &params->decl[i];
            return &params->values[i];
        }
    return NULL;
}

static double param_needs_number_of(const ik_param *row, const ik_value *v)
{
    return row->type == IK_PARAM_REAL || row->type == IK_PARAM_FRACTION ? v->r : (double)v->u;
}

static bool param_needs_is_one_of(const char *text, const char *list)
{
    size_t n = strlen(text);
    for (const char *c = list; *c; c += strcspn(c, "|"), c += *c == '|')
        if (strcspn(c, "|") == n && memcmp(c, text, n) == 0)
            return true;
    return false;
}

static bool param_needs_compare(const clause *c, const ik_params *params, double mine)
{
    const ik_param *row = NULL;
    const ik_value *v = param_needs_find(params, c->value, &row);
    assert(v || (c->value[0] >= '0' && c->value[0] <= '9'));
    if (v && !v->has)
        return false;
    double bound = v ? param_needs_number_of(row, v) : strtod(c->value, NULL);
    return c->op == '>' ? mine > bound : mine < bound;
}

/* Clauses about a section that is not there hold: who has it asks again. */
static bool param_needs_holds(const clause *c, const question *q)
{
    const ik_params *params = !c->section                                               ? q->own
                              : q->other_name && strcmp(q->other_name, c->section) == 0 ? q->other
                                                                                        : NULL;
    if (!params)
        return true;
    const ik_param *row = NULL;
    const ik_value *v = param_needs_find(params, c->name, &row);
    assert(v && "needs names a parameter that is not declared");
    bool yes = v && v->has;
    if (yes && c->op == '=')
        yes = param_needs_is_one_of(v->text, c->value);
    else if (yes && c->op)
        yes = param_needs_compare(c, params, param_needs_number_of(row, v));
    return yes != c->negated;
}

/* Whether every clause of a way holds; if not, *failed is the first that does not. */
static bool param_needs_way_holds(const char *way, size_t length, const question *q, clause *failed,
                                  char *section, size_t room)
{
    for (const char *rest = way, *end = way + length; rest;) {
        const char *at = rest;
        size_t n = param_needs_cut(at, (size_t)(end - at), " and ", &rest);
        clause c = param_needs_read_clause(at, n, section, room);
        if (!param_needs_holds(&c, q)) {
            *failed = c;
            return false;
        }
    }
    return true;
}

/* ---- refusing */

/* "with model = pipelined", "without series". */
static void param_needs_say_why(const clause *c, const question *q, char *out, size_t room)
{
    const ik_params *params = c->section ? q->other : q->own;
    const ik_param *row = NULL;
    const ik_value *v = param_needs_find(params, c->name, &row);
    if (!v || !v->has)
        snprintf(out, room, "without %s", c->name);
    else
        snprintf(out, room, "with %s = %s", c->name, v->text);
}

/* A path that is nearly one of the words that may stand instead of it; NULL: there is none. */
static const char *param_needs_meant_word(const ik_params *params, const char *name,
                                          ik_arena *arena)
{
    const ik_param *row = NULL;
    const ik_value *v = param_needs_find(params, name, &row);
    if (!v || !v->has || row->type != IK_PARAM_PATH || !row->choices)
        return NULL;
    const char *word = ik_nearest_word(v->text, row->choices, arena);
    return word && strcmp(word, v->text) != 0 ? word : NULL;
}

static ik_status param_needs_refuse(const ik_params *params, size_t i, const char *owner,
                                    const clause *failed, const question *q, ik_error *err)
{
    const ik_param *row = &params->decl[i];
    char why[160];
    param_needs_say_why(failed, q, why, sizeof why);
    ik_status status = ik_fail(err, IK_ERR_INPUT, "%.80s, parameter '%s': it has no effect %s",
                               owner, row->name, why);
    ik_arena arena = {0};
    const char *meant =
        param_needs_meant_word(failed->section ? q->other : q->own, failed->name, &arena);
    if (meant)
        ik_hint(err, status, "did you mean %s = '%s'? it has an effect only if %s", failed->name,
                meant, row->needs);
    else if (row->instead)
        ik_hint(err, status, "it has an effect only if %s; %s", row->needs, row->instead);
    else
        ik_hint(err, status, "it has an effect only if %s; leave it out", row->needs);
    ik_arena_free(&arena);
    if (params->values[i].line)
        ik_error_at(err, params->values[i].source, params->values[i].line,
                    params->values[i].column);
    return status;
}

static bool param_needs_row_holds(const ik_param *row, const question *q, clause *failed,
                                  char *section, size_t room)
{
    clause last = {0};
    bool first = true;
    for (const char *rest = row->needs; rest;) {
        const char *at = rest;
        size_t n = param_needs_cut(at, strlen(at), " or ", &rest);
        if (param_needs_way_holds(at, n, q, &last, section, room))
            return true;
        if (first)
            *failed = last;
        first = false;
    }
    return false;
}

bool ik_params_counts(const ik_params *params, size_t i)
{
    question q = {params, NULL, NULL};
    char section[48];
    clause failed;
    assert(i < params->num);
    return !params->decl[i].needs ||
           param_needs_row_holds(&params->decl[i], &q, &failed, section, sizeof section);
}

ik_status ik_params_check_needs(const ik_params *params, const char *owner, const char *other_name,
                                const ik_params *other, ik_error *err)
{
    question q = {params, other, other_name};
    char section[48];
    for (size_t i = 0; i < params->num; i++) {
        clause failed;
        if (!params->values[i].given || !params->decl[i].needs)
            continue;
        if (!param_needs_row_holds(&params->decl[i], &q, &failed, section, sizeof section))
            return param_needs_refuse(params, i, owner, &failed, &q, err);
    }
    return IK_OK;
}
