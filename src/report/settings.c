/* SPDX-License-Identifier: Apache-2.0
 *
 * report/settings.c: what a point of a results file was run with, as an experiment would say it.
 */
#include "base/spec_print.h"
#include "experiment/schema.h"
#include "ikat/report.h"
#include "report/model.h"

#include <stdlib.h>
#include <string.h>

const char *const ik_setting_names[] = {"fabric", "routing", "vc",      "vcs",    "selection",
                                        "switch", "adapter", "measure", "traffic"};

typedef struct settings {
    ik_settings shown; /* first: it is what programs see */
    ik_arena arena;
} settings;

void ik_settings_free(ik_settings *s)
{
    settings *own = (settings *)s;
    if (!own)
        return;
    ik_arena_free(&own->arena);
    free(own);
}

/* The declared parameters of a section, or of the member of its family that a spec names. */
static bool settings_rows(section_id id, const ik_spec *spec, schema_member *out)
{
    if (schema_section(id)->kind == IK_SECTION_FAMILY)
        return schema_find(id, spec->name, out);
    *out = (schema_member){.params = schema_section(id)->params};
    return true;
}

/* `full` has every default; *out has none. A name alone stays as it is. */
static ik_status settings_shorten(settings *s, section_id id, const char *full, const char **out,
                                  ik_error *err)
{
    bool family = schema_section(id)->kind == IK_SECTION_FAMILY;
    const char *text = family ? full : ik_arena_printf(&s->arena, "%s:%s", "x", full);
    ik_params params;
    ik_spec spec;
    schema_member rows;
    ik_status status =
        text ? ik_spec_parse(text, &s->arena, &spec, err) : ik_fail_memory(err, 1, "settings");
    if (status != IK_OK || !settings_rows(id, &spec, &rows)) {
        *out = full;
        return status;
    }
    status = ik_params_init(&params, rows.params, rows.common, err);
    if (status != IK_OK)
        return status;
    status = ik_spec_apply(&spec, &params, "the results file", err);
    char *printed = status == IK_OK ? spec_print(spec.name, &params) : NULL;
    if (printed)
        *out = ik_arena_strdup(&s->arena, family                 ? printed
                                          : strchr(printed, ':') ? strchr(printed, ':') + 1
                                                                 : "");
    if (status == IK_OK && (!printed || !*out))
        status = ik_fail_memory(err, 1, "settings");
    free(printed);
    ik_params_free(&params);
    return status;
}

/* The sections that are not columns of their own. */
static ik_status settings_take(settings *s, const json_t *params, ik_error *err)
{
    static const section_id ids[IK_NUM_SETTINGS] = {[IK_SETTING_VC] = SECTION_VC,
                                                    [IK_SETTING_VCS] = SECTION_VCS,
                                                    [IK_SETTING_SELECTION] = SECTION_SELECTION,
                                                    [IK_SETTING_SWITCH] = SECTION_SWITCH,
                                                    [IK_SETTING_ADAPTER] = SECTION_ADAPTER,
                                                    [IK_SETTING_MEASURE] = SECTION_MEASURE};
    ik_status status = IK_OK;
    for (size_t i = 0; i < IK_NUM_SETTINGS && status == IK_OK; i++) {
        const char **value = &s->shown.value[i], *def = schema_section(ids[i])->def,
                   *text = json_string_value(json_object_get(params, ik_setting_names[i]));
        if (*value || !text)
            continue;
        if (schema_section(ids[i])->kind == IK_SECTION_VALUE)
            *value = ik_arena_strdup(&s->arena, text);
        else
            status = settings_shorten(s, ids[i], text, value, err);
        if (status == IK_OK && !*value)
            status = ik_fail_memory(err, 1, "settings");
        if (status == IK_OK && (!**value || (def && strcmp(*value, def) == 0)))
            *value = NULL;
    }
    return status;
}

static ik_status settings_read_row(settings *s, sqlite3_stmt *row, ik_error *err)
{
    static const ik_setting columns[] = {IK_SETTING_FABRIC, IK_SETTING_ROUTING, IK_SETTING_TRAFFIC};
    const char *text = NULL;
    json_t *params = NULL;
    ik_status status = IK_OK;
    for (int i = 0; i < 3 && status == IK_OK; i++) {
        status = store_text(row, i, &text, err);
        if (status == IK_OK && !(s->shown.value[columns[i]] = ik_arena_strdup(&s->arena, text)))
            status = ik_fail_memory(err, 1, "settings");
    }
    if (status == IK_OK)
        status = store_text(row, 3, &text, err);
    if (status == IK_OK)
        status = model_stored(text, &params, err);
    if (status == IK_OK)
        status = settings_take(s, params, err);
    json_decref(params);
    return status;
}

static ik_status settings_read(settings *s, const store *from, uint64_t id, ik_error *err)
{
    char number[24];
    sqlite3_stmt *row = NULL;
    bool found = false;
    snprintf(number, sizeof number, "%llu", (unsigned long long)id);
    ik_status status = store_prepare(
        from,
        "SELECT f.spec, l.routing, p.traffic, p.params FROM points AS p JOIN fabrics AS f ON f.id "
        "= p.fabric JOIN plans AS l ON l.id = p.plan WHERE p.id = CAST(?1 AS INTEGER)",
        (const char *[]){number, NULL}, &row, err);
    if (status == IK_OK)
        status = store_step(from, row, &found, err);
    if (status == IK_OK && !found)
        status = ik_fail(err, IK_ERR_INPUT, "'%.200s' has no point %s", store_path(from), number);
    if (status == IK_OK)
        status = settings_read_row(s, row, err);
    sqlite3_finalize(row);
    return status;
}

ik_status ik_report_settings(const char *store_path, uint64_t id, ik_settings **out, ik_error *err)
{
    store *from = NULL;
    settings *s = ik_calloc(1, sizeof *s);
    if (!s)
        return ik_fail_memory(err, sizeof *s, "settings");
    ik_status status = store_open(store_path, &from, err);
    if (status == IK_OK)
        status = settings_read(s, from, id, err);
    store_close(from);
    if (status == IK_OK)
        *out = &s->shown;
    else
        ik_settings_free(&s->shown);
    return status;
}
