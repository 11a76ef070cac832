/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/figures.c: reads figures and claims: their declared keys and values.
 */
#include "experiment/figures/figures.h"

#include "experiment/figures/declared.h"
#include "ikat/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ik_param ik_figure_params[] = {
    {"name", IK_PARAM_STRING, NULL, 0, 0, NULL,
     "name of the figure for 'ikat report --figure': letters, digits, '_' and '-'"},
    {"title", IK_PARAM_STRING, "", 0, 0, NULL, "title above the figure"},
    {"kind", IK_PARAM_ENUM, "auto", 0, 0,
     "auto|line|points|bars|box|histogram|ecdf|heatmap|time|routes|list",
     "kind of plot; auto: line if x is a number, otherwise points with intervals"},
    {"x", IK_PARAM_STRING, "", 0, 0, NULL,
     "swept value (load, fabric.k, routing) or result (throughput) on the x axis; not for "
     "histogram, ecdf, time, routes and list"},
    {"y", IK_PARAM_STRING, NULL, 0, 0, NULL,
     "result by its CSV name, or the ratio or difference of two (throughput / offered); for time, "
     "a series; for routes, the result that is printed below them; for list, a list: nca_routes "
     "(per root), permutations (their share per contention) or queue_destinations (per kind of "
     "channel)"},
    {"series", IK_PARAM_TEXTS, "", 0, 0, NULL,
     "swept values that distinguish the curves; for a heatmap, its rows"},
    {"panel", IK_PARAM_TEXTS, "", 0, 0, NULL,
     "swept value with one panel for each of its values; two swept values give rows and columns of "
     "panels"},
    {"marks", IK_PARAM_STRING, "", 0, 0, NULL,
     "swept value that is shown by the markers of the points, not by separate curves"},
    {"over", IK_PARAM_TEXTS, "", 0, 0, NULL,
     "swept values that count as samples, in addition to the seeds (fabric.seed)"},
    {"normalise_by", IK_PARAM_STRING, "", 0, 0, NULL,
     "mapping of swept values to one value each: y is divided by the y of the points with these "
     "values and the same x, series and panel (normalise_by: {design: crossbar})"},
    {"where", IK_PARAM_STRING, "", 0, 0, NULL,
     "mapping of swept values to the value, or list of values, of the points that are shown"},
    {"x_scale", IK_PARAM_ENUM, "linear", 0, 0, "linear|log", "scale of the x axis"},
    {"y_scale", IK_PARAM_ENUM, "linear", 0, 0, "linear|log", "scale of the y axis"},
    {"to", IK_PARAM_UINT, "", 0, 4294967294.0, NULL,
     "for routes: the host to which routes are drawn, over the switches at their positions",
     "kind=routes", "leave it out"},
    {"from", IK_PARAM_UINT, "", 0, 4294967294.0, NULL,
     "for routes: the host from which a route is drawn (none given: all hosts)", "kind=routes",
     "leave it out"},
    {"bins", IK_PARAM_UINT, "0", 0, 1000, NULL,
     "number of bins of a histogram; 0 = by the number and spread of the samples (Freedman and "
     "Diaconis)",
     "kind=histogram", "leave it out"},
    {"width", IK_PARAM_ENUM, "column", 0, 0, "column|page",
     "width of the figure: 86 mm (column) or 178 mm (page)"},
    {0}};

/* ---- figures */

static ik_status figures_check_name(const figure *f, const figure *others, size_t num,
                                    ik_error *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const ytree *at = figures_place(f->node, "name");
    if (!f->name[0] || strlen(f->name) > 60 || strspn(f->name, allowed) != strlen(f->name))
        return ytree_fail(at, err,
                          "a figure's name has 1 to 60 letters, digits, '_' and '-', found '%.80s'",
                          f->name);
    for (size_t i = 0; i < num; i++)
        if (strcmp(others[i].name, f->name) == 0)
            return ytree_fail(at, err, "there are two figures '%s'", f->name);
    return IK_OK;
}

static bool figures_is_distribution(figure_kind kind)
{
    return kind == FIGURE_HISTOGRAM || kind == FIGURE_ECDF;
}

/* Keys that say nothing with this kind. */
static ik_status figures_check_keys(const figure *f, ik_error *err)
{
    bool routes = f->kind == FIGURE_ROUTES, time = f->kind == FIGURE_TIME,
         list = f->kind == FIGURE_LIST;
    bool no_x = figures_is_distribution(f->kind) || time || routes || list;
    bool no_marks =
        no_x || f->kind == FIGURE_BARS || f->kind == FIGURE_BOX || f->kind == FIGURE_HEATMAP;
    const struct {
        const char *key;
        bool idle;
    } rules[] = {{"x", no_x},
                 {"marks", no_marks},
                 {"series", routes},
                 {"over", time || routes},
                 {"normalise_by", time || routes || list},
                 {"x_scale", f->log_x && (f->kind == FIGURE_BARS || f->kind == FIGURE_BOX ||
                                          f->kind == FIGURE_HEATMAP || time || routes || list)},
                 {"y_scale", f->log_y && (figures_is_distribution(f->kind) ||
                                          f->kind == FIGURE_BARS || routes)}};
    const char *kind = ik_figure_params[2].choices;
    for (unsigned k = f->kind; k > 0; k--)
        kind = strchr(kind, '|') + 1;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].idle && figures_place(f->node, rules[i].key) != f->node)
            return ytree_fail(figures_place(f->node, rules[i].key), err,
                              "figure '%s': '%s' has no effect with kind: %.*s", f->name,
                              rules[i].key, (int)strcspn(kind, "|"), kind);
    if (!no_x && f->kind != FIGURE_BOX && !f->x[0]) {
        ik_status status = ytree_fail(f->node, err, "figure '%s' has no 'x'", f->name);
        return ik_hint(err, status, "a swept value (x: load) or a result (x: throughput)");
    }
    if (routes && f->to == UINT64_MAX)
        return ytree_fail(f->node, err, "figure '%s': routes are drawn 'to' a host", f->name);
    if (routes && f->from == f->to)
        return ytree_fail(figures_place(f->node, "from"), err,
                          "figure '%s': no route goes from a host to itself", f->name);
    return f->kind == FIGURE_HEATMAP && f->series.num == 0
               ? ytree_fail(f->node, err, "figure '%s': a heatmap's rows are its 'series'", f->name)
               : IK_OK;
}

static uint64_t figures_host_or_none(const ik_value *v)
{
    return v->has ? v->u : UINT64_MAX;
}

static ik_status fill_figure(const ytree *node, const ik_params *p, ik_arena *arena, figure *out,
                             ik_error *err)
{
    figure f = {.name = declared_text(p, "name", arena),
                .title = declared_text(p, "title", arena),
                .kind = (figure_kind)declared_value(p, "kind")->u,
                .x = declared_text(p, "x", arena),
                .y = declared_text(p, "y", arena),
                .marks = declared_text(p, "marks", arena),
                .log_x = declared_value(p, "x_scale")->u == 1,
                .log_y = declared_value(p, "y_scale")->u == 1,
                .from = figures_host_or_none(declared_value(p, "from")),
                .to = figures_host_or_none(declared_value(p, "to")),
                .bins = (unsigned)declared_value(p, "bins")->u,
                .width = (unsigned)declared_value(p, "width")->u,
                .node = node};
    if (!f.name || !f.title || !f.x || !f.y || !f.marks)
        return ik_fail_memory(err, 1, "an experiment");
    ik_status status = declared_names(declared_value(p, "series"), arena, &f.series, err);
    if (status == IK_OK)
        status = declared_names(declared_value(p, "panel"), arena, &f.panel, err);
    if (status == IK_OK)
        status = declared_names(declared_value(p, "over"), arena, &f.over, err);
    if (status == IK_OK)
        status = declared_mapping(node, "where", arena, &f.where, err);
    if (status == IK_OK)
        status = declared_mapping(node, "normalise_by", arena, &f.normalise_by, err);
    *out = f;
    return status == IK_OK ? figures_check_keys(&f, err) : status;
}

ik_status figures_read(const ytree *list, ik_arena *arena, figure **out, size_t *num, ik_error *err)
{
    ik_status status = declared_list(list, "figures", err);
    figure *all = status == IK_OK ? ik_arena_alloc(arena, (list->num + 1) * sizeof *all) : NULL;
    if (status == IK_OK && !all)
        return ik_fail_memory(err, list->num * sizeof *all, "an experiment");
    for (size_t i = 0; status == IK_OK && i < list->num; i++) {
        ik_params params = {0};
        char owner[48];
        snprintf(owner, sizeof owner, "figure %zu", i + 1);
        status = declared_read(list->items[i], ik_figure_params, owner, arena, &params, err);
        if (status == IK_OK)
            status = fill_figure(list->items[i], &params, arena, &all[i], err);
        ik_params_free(&params);
        if (status == IK_OK)
            status = figures_check_name(&all[i], all, i, err);
    }
    if (status != IK_OK)
        return status;
    *out = all;
    *num = list->num;
    return IK_OK;
}

bool figures_x_is_result(const figure *f)
{
    return !strchr(f->x, '.') && metric_find(f->x, strcspn(f->x, " \t/-")) < NUM_METRICS;
}

/* ---- as JSON: every scalar is a text, so that it is read as it was written */

static void figures_put_node(ik_json *j, const char *key, const ytree *node)
{
    if (node->kind == YTREE_SCALAR) {
        ik_json_text(j, key, node->text);
        return;
    }
    if (node->kind == YTREE_LIST)
        ik_json_array(j, key);
    else
        ik_json_object(j, key);
    for (size_t i = 0; i < node->num; i++)
        figures_put_node(j, node->kind == YTREE_MAP ? node->keys[i]->text : NULL, node->items[i]);
    ik_json_close(j);
}

ik_status figures_store(const ytree *list, char **json, ik_error *err)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    if (list) {
        figures_put_node(&j, NULL, list);
    } else {
        ik_json_array(&j, NULL);
        ik_json_close(&j);
    }
    return ik_json_end_text(&j, json, NULL, err);
}
