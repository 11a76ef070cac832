/* SPDX-License-Identifier: Apache-2.0
 *
 * racks_rules.c: the rules of a floor, from a file in YAML. Each key is declared once.
 */
#include "base/yaml/ytree.h"
#include "ikat/floor_plan.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_MOST_BYTES = 1 << 20, RULES_MOST_MM = 1000000 };

static const ik_param params[] = {
    {"rack_units", IK_PARAM_UINT, "42", 1, 1000, NULL, "rack units of a rack"},
    {"switch_units", IK_PARAM_UINT, "1", 1, 1000, NULL, "rack units of a switch"},
    {"host_units", IK_PARAM_UINT, "1", 1, 1000, NULL, "rack units of a host"},
    {"rows", IK_PARAM_UINT, "", 1, 1000000, NULL, "most rows of racks; if not given, as needed"},
    {"row_racks", IK_PARAM_UINT, "", 1, 1000000, NULL,
     "most racks of a row; if not given, as needed"},
    {"rack_width", IK_PARAM_LENGTH, "60 cm", 1, RULES_MOST_MM, NULL,
     "from a rack to its neighbour in the row"},
    {"row_pitch", IK_PARAM_LENGTH, "240 cm", 1, RULES_MOST_MM, NULL,
     "from a row to the next one, with the aisle"},
    {"tray", IK_PARAM_LENGTH, "50 cm", 0, RULES_MOST_MM, NULL,
     "from the top of a rack up to the tray"},
    {"slack", IK_PARAM_LENGTH, "1 m", 0, RULES_MOST_MM, NULL,
     "more of every cable, both ends together"},
    {"step", IK_PARAM_LENGTH, "50 cm", 1, RULES_MOST_MM, NULL,
     "lengths of cables are multiples of this"},
    {"copper_reach", IK_PARAM_LENGTH, "3 m", 0, RULES_MOST_MM, NULL,
     "the longest copper cable; longer ones are optical"},
    {0},
};

static ik_status racks_rules_set(const ytree *root, ik_params *p, ik_error *err)
{
    if (root->kind != YTREE_MAP)
        return ytree_fail(root, err, "the rules of a floor are a mapping, found %s",
                          ytree_kind_name(root->kind));
    ik_status status = IK_OK;
    for (size_t i = 0; status == IK_OK && i < root->num; i++) {
        const ytree *key = root->keys[i], *value = root->items[i];
        if (value->kind == YTREE_SCALAR)
            status = ik_params_set(p, "a floor", key->text, value->text, 0, 0, err);
        else
            status = ik_fail(err, IK_ERR_INPUT, "'%.60s' is a single value, found %s", key->text,
                             ytree_kind_name(value->kind));
        if (status != IK_OK)
            ik_error_at(err, key->file, key->line, key->column);
    }
    return status;
}

static ik_status racks_rules_take(const char *path, ik_params *p, ik_error *err)
{
    ik_arena arena = {0};
    char *text = NULL;
    size_t size = 0;
    ytree *root = NULL;
    ik_status status = ik_text_read(path, RULES_MOST_BYTES, &text, &size, err);
    if (status == IK_OK)
        status = ytree_parse(text, size, path, &arena, &root, err);
    if (status == IK_OK)
        status = racks_rules_set(root, p, err);
    ik_arena_free(&arena);
    free(text);
    return status;
}

ik_status ik_floor_rules_read(const char *path, ik_floor_rules *out, ik_error *err)
{
    ik_params p;
    ik_status status = ik_params_init(&p, params, NULL, err);
    if (status != IK_OK)
        return status;
    if (path)
        status = racks_rules_take(path, &p, err);
    if (status == IK_OK)
        *out = (ik_floor_rules){
            .rack_units = (uint32_t)ik_params_uint(&p, "rack_units"),
            .switch_units = (uint32_t)ik_params_uint(&p, "switch_units"),
            .host_units = (uint32_t)ik_params_uint(&p, "host_units"),
            .rows = ik_params_has(&p, "rows") ? (uint32_t)ik_params_uint(&p, "rows") : 0,
            .row_racks =
                ik_params_has(&p, "row_racks") ? (uint32_t)ik_params_uint(&p, "row_racks") : 0,
            .rack_width_mm = (uint32_t)ik_params_uint(&p, "rack_width"),
            .row_pitch_mm = (uint32_t)ik_params_uint(&p, "row_pitch"),
            .tray_mm = (uint32_t)ik_params_uint(&p, "tray"),
            .slack_mm = (uint32_t)ik_params_uint(&p, "slack"),
            .step_mm = (uint32_t)ik_params_uint(&p, "step"),
            .copper_mm = (uint32_t)ik_params_uint(&p, "copper_reach"),
        };
    ik_params_free(&p);
    return status;
}
