/* SPDX-License-Identifier: Apache-2.0
 *
 * param.c: sets of declared parameters: their names, defaults and values (param_value.c).
 */
#include "base/param_value.h"
#include "base/spec_print.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t param_count_rows(const ik_param *decl)
{
    size_t n = 0;
    while (decl && decl[n].name)
        n++;
    return n;
}

static bool param_has_default(const ik_param *p)
{
    return p->def && p->def[0];
}

static ik_status param_init_values(ik_params *params, const ik_param *decl, const ik_param *common,
                                   ik_error *err)
{
    size_t own = param_count_rows(decl), num = own + param_count_rows(common);
    ik_param *rows = ik_arena_alloc(&params->arena, (num + 1) * sizeof *rows);
    params->values = ik_arena_alloc(&params->arena, (num + 1) * sizeof *params->values);
    if (!rows || !params->values)
        return ik_fail_memory(err, (num + 1) * sizeof *rows, "parameters");
    params->decl = rows;
    params->num = num;
    for (size_t i = 0; i < num; i++) {
        rows[i] = i < own ? decl[i] : common[i - own];
        if (!param_has_default(&rows[i]))
            continue;
        ik_status status = ik_param_read(params, &rows[i], rows[i].def, &params->values[i], err);
        if (status == IK_ERR_INPUT)
            return ik_fail(err, IK_ERR_INTERNAL, "default '%s' of parameter '%s' does not parse",
                           rows[i].def, rows[i].name);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

ik_status ik_params_init(ik_params *params, const ik_param *decl, const ik_param *common,
                         ik_error *err)
{
    ik_params made = {.source = ""};
    ik_status status = param_init_values(&made, decl, common, err);
    if (status != IK_OK) {
        ik_arena_free(&made.arena);
        return status;
    }
    *params = made;
    return IK_OK;
}

static size_t param_find_row(const ik_params *params, const char *name)
{
    for (size_t i = 0; i < params->num; i++)
        if (strcmp(params->decl[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static ik_status param_refuse_name(ik_params *params, const char *owner, const char *name,
                                   ik_error *err)
{
    if (params->num == 0)
        return ik_fail(err, IK_ERR_INPUT, "%s takes no parameters, '%.60s' was given", owner, name);
    ik_fail(err, IK_ERR_INPUT, "%s has no parameter '%.60s'", owner, name);
    const char **names = ik_arena_alloc(&params->arena, (params->num + 1) * sizeof *names);
    if (!names)
        return IK_ERR_INPUT;
    for (size_t i = 0; i < params->num; i++)
        names[i] = params->decl[i].name;
    const char *nearest = ik_nearest_name(name, names);
    if (nearest)
        return ik_meant(err, IK_ERR_INPUT, nearest);
    char all[320] = "";
    size_t used = 0;
    for (size_t i = 0; i < params->num && used < sizeof all - 1; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    return ik_hint(err, IK_ERR_INPUT, "it has %s", all);
}

/* Puts the owner and the parameter in front of a message that does not name them yet. */
static void param_name_owner(ik_error *err, const char *owner, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "'%.60s'", name);
    char before[sizeof err->text];
    memcpy(before, err->text, sizeof before);
    if (strstr(before, quoted))
        snprintf(err->text, sizeof err->text, "%.80s: %.420s", owner, before);
    else
        snprintf(err->text, sizeof err->text, "%.80s, parameter %s: %.350s", owner, quoted, before);
}

ik_status ik_params_set(ik_params *params, const char *owner, const char *name, const char *text,
                        unsigned line, unsigned column, ik_error *err)
{
    size_t index = param_find_row(params, name);
    ik_value value;
    ik_status status = index == SIZE_MAX
                           ? param_refuse_name(params, owner, name, err)
                           : ik_param_read(params, &params->decl[index], text, &value, err);
    if (status != IK_OK) {
        if (index != SIZE_MAX && err && status == IK_ERR_INPUT)
            param_name_owner(err, owner, name);
        if (line)
            ik_error_at(err, params->source, line, column);
        return status;
    }
    value.given = true;
    value.source = params->source;
    value.line = line;
    value.column = column;
    params->values[index] = value;
    return IK_OK;
}

ik_status ik_params_finish(const ik_params *params, const char *owner, ik_error *err)
{
    for (size_t i = 0; i < params->num; i++)
        if (!params->decl[i].def && !params->values[i].has) {
            ik_fail(err, IK_ERR_INPUT, "%s needs parameter '%s'", owner, params->decl[i].name);
            return ik_hint(err, IK_ERR_INPUT, "%s: %s", params->decl[i].name, params->decl[i].help);
        }
    return IK_OK;
}

void ik_params_free(ik_params *params)
{
    if (!params)
        return;
    ik_arena_free(&params->arena);
    params->values = NULL;
    params->num = 0;
}

static const ik_value *param_value_of(const ik_params *params, const char *name)
{
    static const ik_value none = {.text = ""};
    size_t index = param_find_row(params, name);
    assert(index != SIZE_MAX && "parameter is not declared");
    return index == SIZE_MAX ? &none : &params->values[index];
}

bool ik_params_has(const ik_params *params, const char *name)
{
    return param_value_of(params, name)->has;
}

bool ik_params_given(const ik_params *params, const char *name)
{
    return param_value_of(params, name)->given;
}

uint64_t ik_params_uint(const ik_params *params, const char *name)
{
    return param_value_of(params, name)->u;
}

double ik_params_real(const ik_params *params, const char *name)
{
    return param_value_of(params, name)->r;
}

bool ik_params_bool(const ik_params *params, const char *name)
{
    return param_value_of(params, name)->u != 0;
}

unsigned ik_params_word(const ik_params *params, const char *name)
{
    return param_value_of(params, name)->word;
}

uint64_t ik_params_limit(const ik_params *params, const char *name, uint64_t least)
{
    const ik_value *v = param_value_of(params, name);
    if (!v->word)
        return v->u;
    double product = (double)least * v->r;
    uint64_t below = (uint64_t)product;
    return below + (product - (double)below > 1e-9); /* 1.1 * 10 is 11 */
}

unsigned ik_params_enum(const ik_params *params, const char *name)
{
    return (unsigned)param_value_of(params, name)->u;
}

const char *ik_params_text(const ik_params *params, const char *name)
{
    const ik_value *v = param_value_of(params, name);
    return v->text ? v->text : "";
}

const ik_spec_member *ik_params_members(const ik_params *params, const char *name, size_t *num)
{
    const ik_value *v = param_value_of(params, name);
    *num = v->num_members;
    return v->members;
}

const uint32_t *ik_params_list(const ik_params *params, const char *name, size_t *count)
{
    const ik_value *v = param_value_of(params, name);
    *count = v->list_count;
    return v->list;
}

static bool param_is_default(ik_params *params, size_t i)
{
    ik_value v;
    return param_has_default(&params->decl[i]) &&
           ik_param_read(params, &params->decl[i], params->decl[i].def, &v, NULL) == IK_OK &&
           strcmp(v.text, params->values[i].text) == 0;
}

const char *ik_params_print(ik_params *params, bool all)
{
    size_t bytes = 1;
    const char **texts = ik_arena_alloc(&params->arena, (params->num + 1) * sizeof *texts);
    for (size_t i = 0; texts && i < params->num; i++) {
        if (!params->values[i].has || (!all && param_is_default(params, i)))
            continue;
        texts[i] = spec_print_value(&params->values[i], &params->arena);
        if (!texts[i])
            return "";
        bytes += strlen(params->decl[i].name) + strlen(texts[i]) + 2;
    }
    char *out = texts ? ik_arena_alloc(&params->arena, bytes) : NULL, *at = out;
    for (size_t i = 0; out && i < params->num; i++) {
        if (!texts[i])
            continue;
        if (at > out)
            *at++ = ',';
        at = stpcpy(stpcpy(stpcpy(at, params->decl[i].name), "="), texts[i]);
    }
    return out ? out : "";
}
