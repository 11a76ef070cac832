/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/check.c: checks an experiment's figures and claims before its first point.
 */
#include "experiment/figures/check.h"

#include "experiment/figures/declared.h"
#include "experiment/figures/view.h"

#include <stdlib.h>
#include <string.h>

/* Keeps a section as JSON, in the arena. */
static ik_status check_keep_json(const ytree *list, ik_arena *arena, const char **out,
                                 ik_error *err)
{
    char *json = NULL;
    ik_status status = figures_store(list, &json, err);
    const char *kept = status == IK_OK ? ik_arena_strdup(arena, json) : NULL;
    free(json);
    if (status == IK_OK && !kept)
        return ik_fail_memory(err, 1, "an experiment");
    *out = kept;
    return status;
}

/* Section `over` of the experiment: what it aggregates over in all figures and claims. */
static ik_status check_read_over(const ytree *root, ik_arena *arena, name_list *out, ik_error *err)
{
    const ytree *over = ytree_get(root, "over");
    if (!over)
        return IK_OK;
    if (over->kind == YTREE_SCALAR)
        return declared_names(&(ik_value){.has = true, .text = over->text}, arena, out, err);
    out->items = ik_arena_alloc(arena, (over->num + 1) * sizeof *out->items);
    if (!out->items)
        return ik_fail_memory(err, over->num * sizeof *out->items, "an experiment");
    for (size_t i = 0; i < over->num; i++)
        if (over->items[i]->kind == YTREE_SCALAR)
            out->items[out->num++] = over->items[i]->text;
    return IK_OK;
}

static ik_status check_figures_here(const figures_declared *d, const name_list *over, axes *a,
                                    ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < d->num_figures && status == IK_OK; i++) {
        figure_view v;
        status = figure_resolve(a, &d->figures[i], over, &v, err);
    }
    return status;
}

/* The figure that a claim names; of a claim that names none, the only one. */
static ik_status check_find_figure(const figures_declared *d, claim *c, ik_arena *arena,
                                   ik_error *err)
{
    const char **names = ik_arena_alloc(arena, (d->num_figures + 1) * sizeof *names);
    if (!names)
        return ik_fail_memory(err, d->num_figures * sizeof *names, "an experiment");
    for (size_t i = 0; i < d->num_figures; i++) {
        names[i] = d->figures[i].name;
        if (strcmp(names[i], c->figure) == 0)
            return IK_OK;
    }
    names[d->num_figures] = NULL;
    if (!c->figure[0]) {
        c->figure = d->num_figures == 1 ? names[0] : "";
        return IK_OK;
    }
    const ytree *place = figures_place(c->node, "figure");
    ik_status status = d->num_figures ? ik_fail_unknown(err, "figure", c->figure, names)
                                      : ik_fail(err, IK_ERR_INPUT,
                                                "the experiment has no figure '%.60s'", c->figure);
    ik_error_at(err, place->file, place->line, place->column);
    return status;
}

static ik_status check_claims(const figures_declared *d, const name_list *over, axes *a,
                              size_t rank, ik_arena *arena, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < d->num_claims && status == IK_OK; i++) {
        claim_view v;
        status = check_find_figure(d, &d->claims[i], arena, err);
        if (status == IK_OK && d->claims[i].scale <= rank)
            status = claim_resolve(a, &d->claims[i], over, &v, err);
    }
    return status;
}

ik_status figures_check(const ytree *root, ik_arena *arena, size_t rank, axes_fill fill,
                        const void *ctx, figures_declared *out, ik_error *err)
{
    const ytree *figures = ytree_get(root, "figures"), *expect = ytree_get(root, "expect");
    figures_declared d = {0};
    name_list over = {0};
    axes a = {0};
    ik_status status = check_read_over(root, arena, &over, err);
    if (status == IK_OK && figures)
        status = figures_read(figures, arena, &d.figures, &d.num_figures, err);
    if (status == IK_OK && expect)
        status = claims_read(expect, arena, &d.claims, &d.num_claims, err);
    if (status == IK_OK && (figures || expect))
        status = fill(ctx, &a, err);
    if (status == IK_OK)
        status = check_figures_here(&d, &over, &a, err);
    if (status == IK_OK)
        status = check_claims(&d, &over, &a, rank, arena, err);
    axes_free(&a);
    if (status == IK_OK)
        status = check_keep_json(figures, arena, &d.figures_json, err);
    if (status == IK_OK)
        status = check_keep_json(expect, arena, &d.expect_json, err);
    *out = d;
    return status;
}

/* ---- results that are named */

/* Who is to know of a result, and the node that names it. */
typedef struct listener {
    result_seen seen;
    void *ctx;
    ik_arena *arena;
} listener;

static ik_status check_tell_result(const listener *to, metric_id id, const ytree *place,
                                   ik_error *err)
{
    return to->seen(to->ctx, id, metrics[id].name, place, err);
}

static ik_status check_tell_expr(const listener *to, const result_expr *e, const ytree *place,
                                 ik_error *err)
{
    ik_status status = check_tell_result(to, e->first, place, err);
    return status == IK_OK && e->op ? check_tell_result(to, e->second, place, err) : status;
}

/* A series over time is of a simulation, as is the throughput, whatever it is called. */
static ik_status check_tell_figure(const listener *to, const figure *f, ik_error *err)
{
    const ytree *x = figures_place(f->node, "x"), *y = figures_place(f->node, "y");
    result_expr e;
    if (f->kind == FIGURE_TIME)
        return to->seen(to->ctx, METRIC_THROUGHPUT, f->y, y, err);
    if (f->kind == FIGURE_LIST) {
        const list_row *list = list_find(f->y);
        return list ? to->seen(to->ctx, list->with, f->y, y, err) : IK_OK; /* refused later */
    }
    ik_status status = expr_read(f->y, y, to->arena, &e, err);
    if (status == IK_OK)
        status = check_tell_expr(to, &e, y, err);
    if (status != IK_OK || !figures_x_is_result(f))
        return status;
    status = expr_read(f->x, x, to->arena, &e, err);
    return status == IK_OK ? check_tell_expr(to, &e, x, err) : status;
}

static ik_status check_tell_claim(const listener *to, const claim *c, ik_error *err)
{
    bool y = c->measure != CLAIM_VALUE && ytree_get(c->node, "y");
    const ytree *place = figures_place(c->node, y ? "y" : "metric");
    return c->measure == CLAIM_SATURATION
               ? to->seen(to->ctx, METRIC_THROUGHPUT, "saturation", place, err)
               : check_tell_expr(to, &c->y, place, err);
}

ik_status figures_results(const ytree *root, ik_arena *arena, result_seen seen, void *ctx,
                          ik_error *err)
{
    const ytree *drawn = ytree_get(root, "figures"), *expect = ytree_get(root, "expect");
    const listener to = {seen, ctx, arena};
    figure *figures = NULL;
    claim *claims = NULL;
    size_t num_figures = 0, num_claims = 0;
    ik_status status = drawn ? figures_read(drawn, arena, &figures, &num_figures, err) : IK_OK;
    if (status == IK_OK && expect)
        status = claims_read(expect, arena, &claims, &num_claims, err);
    for (size_t i = 0; i < num_figures && status == IK_OK; i++)
        status = check_tell_figure(&to, &figures[i], err);
    for (size_t i = 0; i < num_claims && status == IK_OK; i++)
        status = check_tell_claim(&to, &claims[i], err);
    return status;
}
