/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/check.c: checks an experiment's figures and claims before its first point.
 */
#include "experiment/figures/check.h"

#include "experiment/figures/declared.h"
#include "experiment/figures/view.h"

#include <stdlib.h>

/* Keeps a section as JSON, in the arena. */
static ik_status keep_json(const ytree *list, ik_arena *arena, const char **out, ik_error *err)
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
static ik_status read_over(const ytree *root, ik_arena *arena, name_list *out, ik_error *err)
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

static ik_status check_figures(const ytree *list, ik_arena *arena, const name_list *over, axes *a,
                               ik_error *err)
{
    figure *figures = NULL;
    size_t num = 0;
    ik_status status = list ? figures_read(list, arena, &figures, &num, err) : IK_OK;
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        figure_view v;
        status = figure_resolve(a, &figures[i], over, &v, err);
    }
    return status;
}

static ik_status check_claims(const ytree *list, ik_arena *arena, const name_list *over, axes *a,
                              ik_error *err)
{
    claim *claims = NULL;
    size_t num = 0;
    ik_status status = list ? claims_read(list, arena, &claims, &num, err) : IK_OK;
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        claim_view v;
        status = claim_resolve(a, &claims[i], over, &v, err);
    }
    return status;
}

ik_status figures_check(const ytree *root, ik_arena *arena, axes_fill fill, const void *ctx,
                        figures_json *out, ik_error *err)
{
    const ytree *figures = ytree_get(root, "figures"), *expect = ytree_get(root, "expect");
    name_list over = {0};
    axes a = {0};
    ik_status status = read_over(root, arena, &over, err);
    if (status == IK_OK && (figures || expect))
        status = fill(ctx, &a, err);
    if (status == IK_OK)
        status = check_figures(figures, arena, &over, &a, err);
    if (status == IK_OK)
        status = check_claims(expect, arena, &over, &a, err);
    axes_free(&a);
    if (status == IK_OK)
        status = keep_json(figures, arena, &out->figures, err);
    return status == IK_OK ? keep_json(expect, arena, &out->expect, err) : status;
}
