/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/judge_table.c: a claim about a printed table: how many of its cells the results
 * agree with.
 */
#include "base/utf8.h"
#include "report/figure/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Verdicts of cells, and how many would agree with 10 % more and with 10 % less. */
typedef struct table_count {
    size_t agree, differ, untold, more, less;
    size_t moved;    /* cells that agree and are not 0 */
    char named[300]; /* the first cells that differ, with both numbers */
    const char *why; /* of the first that cannot be told */
} table_count;

/* As many whole characters of the text as there is room for, at most `most` bytes. */
static void judge_table_append(table_count *count, const char *text, size_t most)
{
    size_t used = strlen(count->named), left = sizeof count->named - 1 - used, length;
    most = most < left ? most : left;
    for (size_t at = 0; text[at]; at += length) {
        length = utf8_length(text + at);
        length = length ? length : 1;
        if (at + length > most)
            break;
        memcpy(count->named + used, text + at, length);
        used += length;
    }
    count->named[used] = '\0';
}

/* "D-mod-K, HS10-1: 5.3 % instead of 4 %". */
static void judge_table_name(const judge *j, size_t cell, double found, table_count *count)
{
    const matches *m = &j->c->of[cell];
    size_t used = strlen(count->named);
    const char *unit = j->c->y.op == '/' ? "" : metrics[j->c->y.first].unit;
    double factor = unit[0] == '%' ? 100 : 1;
    char numbers[60];
    if (used > sizeof count->named - 120) { /* the rest is in the results */
        if (strcmp(count->named + used - 3, "...") != 0)
            judge_table_append(count, "; ...", SIZE_MAX);
        return;
    }
    judge_table_append(count, used ? "; " : "", SIZE_MAX);
    for (size_t i = 0; i < m->num; i++) {
        judge_table_append(count, i ? ", " : "", SIZE_MAX);
        judge_table_append(count, m->items[i].values[0], 20);
    }
    snprintf(numbers, sizeof numbers, ": %.3g instead of %.3g%s", factor * found,
             factor * j->c->cells[cell], unit[0] ? " " : "");
    judge_table_append(count, numbers, SIZE_MAX);
    judge_table_append(count, unit, SIZE_MAX);
}

static ik_status judge_table_cell(const judge *j, size_t cell, table_count *count, ik_error *err)
{
    claim_number left = {0}, right = {j->c->cells[cell], 0, SIZE_MAX, true, NULL};
    double margin;
    ik_status status = judge_side(j, &j->v.of[cell], &left, err);
    if (status != IK_OK)
        return status;
    const char *why = judge_lacks(j, &left);
    ik_claim_verdict verdict =
        why ? IK_CLAIM_UNTOLD : judge_compare(j->c, OP_EQUAL, &left, &right, &margin);
    count->agree += verdict == IK_CLAIM_HOLDS;
    count->differ += verdict == IK_CLAIM_DIFFERS;
    count->untold += verdict == IK_CLAIM_UNTOLD;
    if (verdict == IK_CLAIM_UNTOLD && !count->why)
        count->why = why ? why : "the intervals overlap";
    if (verdict == IK_CLAIM_DIFFERS)
        judge_table_name(j, cell, left.mean, count);
    bool moves = right.mean != 0; /* of 0 a tenth is nothing: such a cell stays as it is */
    claim_number more = judge_scale(left, moves ? 1.1 : 1),
                 less = judge_scale(left, moves ? 0.9 : 1);
    count->more += !why && judge_compare(j->c, OP_EQUAL, &more, &right, &margin) == IK_CLAIM_HOLDS;
    count->less += !why && judge_compare(j->c, OP_EQUAL, &less, &right, &margin) == IK_CLAIM_HOLDS;
    count->moved += moves && verdict == IK_CLAIM_HOLDS;
    return IK_OK;
}

static ik_status judge_table_say(judge *j, const table_count *n, ik_error *err)
{
    bool told = j->r->verdict != IK_CLAIM_UNTOLD;
    char untold[60] = "";
    if (n->untold)
        snprintf(untold, sizeof untold, ", %zu cannot be told", n->untold);
    j->r->why = ik_arena_printf(&j->b->arena, "%zu of %zu cells agree%s%s%s%s%s", n->agree,
                                j->c->num_of, untold, told ? "" : " (", told ? "" : n->why,
                                told ? "" : ")", n->differ ? "; " : "");
    if (j->r->why && n->differ)
        j->r->why = ik_arena_printf(&j->b->arena, "%s%s", j->r->why, n->named);
    return j->r->why ? IK_OK : ik_fail_memory(err, 1, "a claim");
}

ik_status judge_table(judge *j, ik_error *err)
{
    const claim *c = j->c;
    table_count n = {0};
    ik_status status = IK_OK;
    for (size_t i = 0; i < c->num_of && status == IK_OK; i++)
        status = judge_table_cell(j, i, &n, err);
    if (status != IK_OK)
        return status;
    double all = (double)c->num_of, needed = c->value * all - 1e-9;
    j->r->verdict = (double)n.agree >= needed                ? IK_CLAIM_HOLDS
                    : (double)(n.agree + n.untold) >= needed ? IK_CLAIM_UNTOLD
                                                             : IK_CLAIM_DIFFERS;
    j->r->left = (claim_number){(double)n.agree / all, 0, c->num_of, true, NULL};
    j->r->right = (claim_number){c->value, 0, SIZE_MAX, true, NULL};
    if (j->r->verdict != IK_CLAIM_UNTOLD && c->value > 0)
        j->r->margin = (j->r->left.mean - c->value) / c->value;
    if (j->r->verdict == IK_CLAIM_HOLDS && n.moved && (double)n.more >= needed &&
        (double)n.less >= needed)
        j->r->blind = BLIND_TENTH;
    return judge_table_say(j, &n, err);
}
