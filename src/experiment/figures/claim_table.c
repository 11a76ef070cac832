/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/claim_table.c: reads the printed table of a claim (metric: table).
 *
 * The first row of `cells` names axes; the others have their values and a number: the last column
 * is called `value`. With `columns`, an axis, the first row has the name of another axis and then
 * values of `columns`, as tables are printed. A cell becomes an address (`of`) and its number.
 */
#include "experiment/figures/declared.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct claim_table {
    const ytree *cells, *head;
    const char *columns; /* "" = the last column has the numbers */
    ik_arena *arena;
    claim *c;
} claim_table;

static bool claim_table_is_row(const ytree *row)
{
    if (row->kind != YTREE_LIST)
        return false;
    for (size_t i = 0; i < row->num; i++)
        if (row->items[i]->kind != YTREE_SCALAR || !row->items[i]->text[0])
            return false;
    return true;
}

static bool claim_table_is_same(const ytree *a, const ytree *b)
{
    const char *of_a = "", *of_b = "";
    return strcmp(a->text, b->text) == 0 ||
           (isdigit((unsigned char)a->text[0]) && isdigit((unsigned char)b->text[0]) &&
            axis_number(a->text, &of_a) == axis_number(b->text, &of_b));
}

/* The first `num` items of two rows: that they are one is refused. */
static ik_status claim_table_compare(const ytree *row, const ytree *before, size_t num,
                                     ik_error *err)
{
    for (size_t i = 0; i < num; i++)
        if (!claim_table_is_same(row->items[i], before->items[i]))
            return IK_OK;
    ik_status status =
        ytree_fail(row, err, "this row has the same cells as that of line %u, column %u",
                   before->line, before->column);
    return ik_hint(err, status, "each cell is printed once");
}

/* No axis, no column and no row is named twice. */
static ik_status claim_table_check_names(const claim_table *t, ik_error *err)
{
    const ytree *const *head = (const ytree *const *)t->head->items;
    size_t num = t->head->num, named = t->columns[0] ? 1 : num - 1;
    ik_status status = IK_OK;
    if (t->columns[0] && strcmp(head[0]->text, t->columns) == 0)
        status = ytree_fail(head[0], err, "'%.60s' is the axis of 'columns' and that of the rows",
                            t->columns);
    for (size_t i = 1; i < num && status == IK_OK; i++)
        for (size_t k = t->columns[0] ? 1 : 0; k < i && status == IK_OK; k++)
            if (t->columns[0] ? claim_table_is_same(head[i], head[k])
                              : strcmp(head[i]->text, head[k]->text) == 0)
                status = ytree_fail(head[i], err,
                                    "the first row of 'cells' names '%.60s' again, as in line %u, "
                                    "column %u",
                                    head[i]->text, head[k]->line, head[k]->column);
    for (size_t i = 2; i < t->cells->num && status == IK_OK; i++)
        for (size_t k = 1; k < i && status == IK_OK; k++)
            status = claim_table_compare(t->cells->items[i], t->cells->items[k], named, err);
    return status;
}

/* Rows of one length, of which the first names axes. */
static ik_status claim_table_check(const claim_table *t, ik_error *err)
{
    const ytree *cells = t->cells;
    if (cells->kind != YTREE_LIST || cells->num < 2) {
        ik_status status = ytree_fail(cells, err,
                                      "'cells' is a list of rows, the first of which "
                                      "names swept values");
        return ik_hint(err, status, "cells: [[routing, value], [dmodk, 50 %%]]");
    }
    for (size_t i = 0; i < cells->num; i++) {
        if (!claim_table_is_row(cells->items[i]))
            return ytree_fail(cells->items[i], err, "a row of 'cells' is a list of values");
        if (cells->items[i]->num < 2 || cells->items[i]->num != t->head->num)
            return ytree_fail(cells->items[i], err,
                              "a row of 'cells' has as many values as the first, %zu, and at least "
                              "two; found %zu",
                              t->head->num, cells->items[i]->num);
    }
    const ytree *last = t->head->items[t->head->num - 1];
    if (!t->columns[0] && strcmp(last->text, "value") != 0) {
        ik_status status = ytree_fail(last, err,
                                      "without 'columns' the last column of 'cells' is "
                                      "called 'value', found '%.60s'",
                                      last->text);
        return ik_hint(err, status, "columns: NAME where the first row has the values of an axis");
    }
    return claim_table_check_names(t, err);
}

static ik_status claim_table_number(const claim_table *t, const ytree *cell, double *out,
                                    ik_error *err)
{
    const char *own = t->c->y.op == '/' ? "%" : metrics[t->c->y.first].unit, *unit = "";
    *out = declared_number(cell->text, &unit);
    if (!isfinite(*out)) {
        ik_status status = ytree_fail(cell, err, "'%.40s' is not a number", cell->text);
        return ik_hint(err, status,
                       "a cell is 0.5, 50 %%, 3 us, 64 KiB, or - where nothing is "
                       "printed");
    }
    return !unit[0] || strcmp(unit, own) == 0
               ? IK_OK
               : ytree_fail(cell, err, "'%.40s': the result %s%s", cell->text,
                            own[0] ? "is in " : "has no unit", own);
}

/* The address of a cell: the axes of its row, and that of its column. */
static ik_status claim_table_address(const claim_table *t, const ytree *row, size_t column,
                                     matches *out, ik_error *err)
{
    size_t num = t->columns[0] ? 2 : row->num - 1;
    *out = (matches){.num = num, .place = row->items[column]};
    out->items = ik_arena_alloc(t->arena, num * sizeof *out->items);
    const char **values = ik_arena_alloc(t->arena, num * sizeof *values);
    if (!out->items || !values)
        return ik_fail_memory(err, num, "an experiment");
    for (size_t i = 0; i < num; i++) {
        bool of_column = t->columns[0] && i == 1;
        const ytree *value = of_column ? t->head->items[column] : row->items[i];
        values[i] = value->text;
        out->items[i] = (axis_match){.axis = of_column ? t->columns : t->head->items[i]->text,
                                     .values = &values[i],
                                     .num = 1,
                                     .place = value,
                                     .node = value};
    }
    return IK_OK;
}

static ik_status claim_table_add(claim_table *t, const ytree *row, size_t column, ik_error *err)
{
    claim *c = t->c;
    const ytree *cell = row->items[column];
    if (strcmp(cell->text, "-") == 0)
        return IK_OK;
    ik_status status = claim_table_number(t, cell, &c->cells[c->num_of], err);
    if (status == IK_OK)
        status = claim_table_address(t, row, column, &c->of[c->num_of], err);
    c->num_of += status == IK_OK;
    return status;
}

ik_status claim_table_read(const ytree *node, const char *columns, ik_arena *arena, claim *c,
                           ik_error *err)
{
    claim_table t = {.cells = ytree_get(node, "cells"), .columns = columns, .arena = arena, .c = c};
    if (!t.cells)
        return ytree_fail(node, err, "claim '%.80s': a table needs 'cells'", c->text);
    if (t.cells->kind == YTREE_LIST && t.cells->num)
        t.head = t.cells->items[0];
    ik_status status = claim_table_check(&t, err);
    if (status != IK_OK)
        return status;
    size_t room = (t.cells->num - 1) * t.head->num, first = columns[0] ? 1 : t.head->num - 1;
    c->of = ik_arena_alloc(arena, room * sizeof *c->of);
    c->cells = ik_arena_alloc(arena, room * sizeof *c->cells);
    if (!c->of || !c->cells)
        return ik_fail_memory(err, room * sizeof *c->of, "an experiment");
    c->num_of = 0;
    for (size_t i = 1; i < t.cells->num; i++)
        for (size_t k = first; k < t.head->num && status == IK_OK; k++)
            status = claim_table_add(&t, t.cells->items[i], k, err);
    return status == IK_OK && c->num_of == 0
               ? ytree_fail(t.cells, err, "claim '%.80s': no cell has a number", c->text)
               : status;
}
