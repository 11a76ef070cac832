/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/claims.c: reads claims, the items of section `expect`.
 */
#include "experiment/figures/declared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const ik_param ik_claim_params[] = {
    {"claim", IK_PARAM_STRING, NULL, 0, 0, NULL,
     "the claim, as a sentence, against which the results are checked"},
    {"source", IK_PARAM_STRING, "", 0, 0, NULL,
     "where the claim was published: paper, section, figure"},
    {"figure", IK_PARAM_STRING, "", 0, 0, NULL,
     "figure of the experiment to which the claim belongs (default: the only figure)"},
    {"paper", IK_PARAM_STRING, "", 0, 0, NULL,
     "the value in the source, shown beside the measured one"},
    {"differs", IK_PARAM_STRING, "", 0, 0, NULL,
     "why the results are known to differ from the source; --strict then accepts the difference"},
    {"weak", IK_PARAM_STRING, "", 0, 0, NULL,
     "why the claim may hold although the effect that its source describes is not there"},
    {"basis", IK_PARAM_ENUM, "publication", 0, 0, "publication|twin|program",
     "what the results are compared with: what its source says, another computation of ikat, or "
     "the results of another program"},
    {"metric", IK_PARAM_STRING, NULL, 0, 0, NULL,
     "result by its CSV name (or the ratio or difference of two), or saturation, plateau, peak, "
     "argmax, crossing, order or table"},
    {"y", IK_PARAM_STRING, "throughput", 0, 0, NULL,
     "for plateau, peak, argmax, crossing, order and table: the result that is examined"},
    {"x", IK_PARAM_STRING, "load", 0, 0, NULL,
     "for plateau, peak, argmax and crossing: the swept value along the curve"},
    {"of", IK_PARAM_STRING, "", 0, 0, NULL,
     "mapping of swept values to the values that select the points of the claim; for order, a list "
     "of mappings"},
    {"against", IK_PARAM_STRING, "", 0, 0, NULL,
     "the same for the points that `of` is compared with"},
    {"at", IK_PARAM_STRING, "", 0, 0, NULL,
     "values that select the points of both sides (at: {load: 50%})"},
    {"cells", IK_PARAM_STRING, "", 0, 0, NULL,
     "for table: the printed table, a list of rows; the first names swept values, the last column "
     "is `value`"},
    {"columns", IK_PARAM_STRING, "", 0, 0, NULL,
     "for table: the swept value whose values stand in the first row of cells, behind the name of "
     "the rows' own"},
    {"over", IK_PARAM_TEXTS, "", 0, 0, NULL,
     "swept values that count as samples, in addition to the seeds (fabric.seed)"},
    {"op", IK_PARAM_STRING, "", 0, 0, NULL, "comparison: < <= = >= or >, written in quotes"},
    {"value", IK_PARAM_STRING, "", 0, 0, NULL,
     "number to compare with (0.5, 50 %, 3 us), instead of `against`, or (with ratio) for the "
     "quotient; for table the share of the cells that have to agree (default: 100 %)"},
    {"ratio", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "compare the quotient of `of` and `against` with value"},
    {"paired", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "the quotient is computed for each sample of `of` and the same sample of `against` (the same "
     "seed and values of `over`), and the interval is that of these quotients",
     "ratio=true", "only quotients are taken sample by sample"},
    {"tolerance", IK_PARAM_FRACTION, "0", 0, 10, NULL,
     "fraction of the right side up to which a difference is ignored"},
    {"within", IK_PARAM_STRING, "", 0, 0, NULL,
     "absolute difference that is ignored as well, in the unit of the result (5 % of shares: 5 "
     "points)"},
    {"transient", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "the source itself measured a transient: the claim is judged although its points are not "
     "steady, or its latencies are past saturation"},
    {"scale", IK_PARAM_ENUM, "any", 0, 0, "any"
#define SCALE_WRITTEN(name, help) /* any */
#define SCALE(name, help)         "|" #name
#include "experiment/figures/scales.def"
     ,
     "the smallest scale at which it is checked; any other than any: only in runs without --set"},
    {0}};

const char *ik_claim_basis_name(ik_claim_basis basis)
{
    static const char *const names[] = {[IK_BASIS_PUBLICATION] = "publication",
                                        [IK_BASIS_TWIN] = "twin",
                                        [IK_BASIS_PROGRAM] = "program"};
    return names[basis];
}

static const struct {
    const char *name;
    claim_measure measure;
} measures[] = {{"saturation", CLAIM_SATURATION},
                {"plateau", CLAIM_PLATEAU},
                {"peak", CLAIM_PEAK},
                {"argmax", CLAIM_ARGMAX},
                {"crossing", CLAIM_CROSSING},
                {"order", CLAIM_ORDER},
                {"table", CLAIM_TABLE}};

static ik_status claims_read_op(const ik_params *p, const ytree *node, claim *c, ik_error *err)
{
    static const char *const ops[] = {"<", "<=", "=", ">=", ">"};
    const ik_value *op = declared_value(p, "op");
    for (size_t i = 0; op->has && i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i], op->text) == 0) {
            c->op = (claim_op)i;
            return IK_OK;
        }
    if (!op->has && (c->measure == CLAIM_ORDER || c->measure == CLAIM_TABLE))
        return IK_OK;
    ik_status status = op->has ? ytree_fail(figures_place(node, "op"), err,
                                            "'%.20s' is not a comparison", op->text)
                               : ytree_fail(node, err, "claim '%.80s' has no 'op'", c->text);
    return ik_hint(err, status, "op: \"<\", \"<=\", \"=\", \">=\" or \">\"");
}

/* A result that does not exist might be meant as a property of a curve. */
static ik_status claims_hint_metric(const char *metric, ik_status status, ik_error *err)
{
    const char *names[sizeof measures / sizeof *measures + NUM_METRICS + 1] = {NULL};
    size_t num = 0;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        names[num++] = measures[i].name;
    for (size_t i = 0; i < NUM_METRICS; i++)
        names[num++] = metrics[i].name;
    return ik_hint_nearest(err, status, metric, names);
}

/* metric, y and x. */
static ik_status claims_read_metric(const ik_params *p, const ytree *node, ik_arena *arena,
                                    claim *c, ik_error *err)
{
    const char *metric = declared_value(p, "metric")->text;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].name, metric) == 0)
            c->measure = measures[i].measure;
    bool order = c->measure == CLAIM_ORDER, table = c->measure == CLAIM_TABLE;
    bool curve = c->measure != CLAIM_VALUE && !order && !table;
    const struct {
        const char *key;
        bool idle;
    } rules[] = {{"y", c->measure == CLAIM_VALUE || c->measure == CLAIM_SATURATION},
                 {"x", !curve || c->measure == CLAIM_SATURATION},
                 {"op", order || table},
                 {"of", table},
                 {"cells", !table},
                 {"columns", !table},
                 {"against", order || table},
                 {"value", order},
                 {"ratio", order || table || c->measure == CLAIM_CROSSING}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].idle && ytree_get(node, rules[i].key))
            return ytree_fail(figures_place(node, rules[i].key), err,
                              "claim '%.80s': '%s' has no effect with metric: %.60s", c->text,
                              rules[i].key, metric);
    c->x = declared_text(p, "x", arena);
    if (!c->x)
        return ik_fail_memory(err, 1, "an experiment");
    if (c->measure != CLAIM_VALUE)
        return expr_read(declared_value(p, "y")->text, figures_place(node, "y"), arena, &c->y, err);
    ik_status status = expr_read(metric, figures_place(node, "metric"), arena, &c->y, err);
    return status == IK_ERR_INPUT && !strpbrk(metric, " /-")
               ? claims_hint_metric(metric, status, err)
               : status;
}

/* The number of `value`, in the unit that results have: nanoseconds, bytes; fractions. Of a place
 * along x its unit is known only with the sweep. */
static ik_status claims_read_number(const ik_params *p, const ytree *node, claim *c, ik_error *err)
{
    const ik_value *v = declared_value(p, "value");
    const ytree *place = figures_place(node, "value");
    bool share = c->ratio || c->measure == CLAIM_TABLE || c->y.op == '/';
    const char *own = share ? "%" : metrics[c->y.first].unit;
    c->value_unit = "";
    if (!v->has) {
        c->value = c->measure == CLAIM_TABLE ? 1 : c->value;
        return IK_OK;
    }
    c->value = declared_number(v->text, &c->value_unit);
    if (!isfinite(c->value)) {
        ik_status status =
            ytree_fail(place, err, "claim '%.80s': '%.40s' is not a number", c->text, v->text);
        return ik_hint(err, status, "value: 0.5, 50 %%, 3 us, 64 KiB");
    }
    if (c->measure == CLAIM_TABLE && (c->value_unit[0] == '\0' || c->value_unit[0] == '%') &&
        !(c->value > 0 && c->value <= 1)) {
        ik_status status = ytree_fail(place, err,
                                      "claim '%.80s': 'value' of a table is the share of its cells "
                                      "that have to agree, above 0 and at most 100 %%, found "
                                      "'%.40s'",
                                      c->text, v->text);
        return ik_hint(err, status, "value: 75 %%");
    }
    bool along_x = c->measure == CLAIM_SATURATION || c->measure == CLAIM_ARGMAX ||
                   c->measure == CLAIM_CROSSING;
    if ((along_x && !c->ratio) || !c->value_unit[0] || strcmp(c->value_unit, own) == 0)
        return IK_OK;
    ik_status status = ytree_fail(place, err, "claim '%.80s': what is compared with '%.40s' %s%s",
                                  c->text, v->text, own[0] ? "is in " : "has no unit", own);
    return ik_hint(err, status, "a number without a unit is in the unit of the CSV column");
}

/* within: a number in the unit of what is compared. */
static ik_status claims_read_within(const ik_params *p, const ytree *node, claim *c, ik_error *err)
{
    const ik_value *v = declared_value(p, "within");
    const char *own = c->ratio || c->y.op == '/' ? "" : metrics[c->y.first].unit, *unit = "";
    if (!v->has)
        return IK_OK;
    c->within = axis_number(v->text, &unit);
    if (isfinite(c->within) && c->within > 0 && (!unit[0] || strcmp(unit, own) == 0))
        return IK_OK;
    ik_status status = ytree_fail(figures_place(node, "within"), err,
                                  "claim '%.80s': '%.40s' is not a difference of what is compared",
                                  c->text, v->text);
    return ik_hint(err, status, "within: a number above 0%s%s", own[0] ? ", in " : "", own);
}

/* of: a mapping, or of `order` a list of them. */
static ik_status claims_read_of(const ytree *node, ik_arena *arena, claim *c, ik_error *err)
{
    static const ytree whole = {.kind = YTREE_MAP};
    const ytree *of = ytree_get(node, "of");
    bool order = c->measure == CLAIM_ORDER;
    if (order != (of && of->kind == YTREE_LIST))
        return ytree_fail(of ? of : node, err,
                          order ? "claim '%.80s': 'of' is a list of mappings, in increasing order"
                                : "claim '%.80s': 'of' is one mapping",
                          c->text);
    c->num_of = order ? of->num : 1;
    if (order && of->num < 2)
        return ytree_fail(of, err, "claim '%.80s': an order is of two or more", c->text);
    c->of = ik_arena_alloc(arena, c->num_of * sizeof *c->of);
    if (!c->of)
        return ik_fail_memory(err, c->num_of * sizeof *c->of, "an experiment");
    ik_status status = IK_OK;
    for (size_t i = 0; i < c->num_of && status == IK_OK; i++) {
        status = declared_matches(order ? of->items[i]
                                  : of  ? of
                                        : &whole,
                                  "of", arena, &c->of[i], err);
        if (!of)
            c->of[i].place = node;
    }
    return status;
}

/* What the left side is compared with: another curve, a number, or both where it is a ratio or a
 * crossing. */
static ik_status claims_check_sides(const claim *c, ik_error *err)
{
    bool against = c->against.place != NULL;
    if (c->measure == CLAIM_ORDER || c->measure == CLAIM_TABLE)
        return IK_OK;
    if (c->measure == CLAIM_CROSSING || c->ratio)
        return against && c->has_value
                   ? IK_OK
                   : ytree_fail(c->node, err, "claim '%.80s': a %s needs 'against' and 'value'",
                                c->text, c->ratio ? "ratio" : "crossing");
    if (against && c->has_value)
        return ytree_fail(figures_place(c->node, "value"), err,
                          "claim '%.80s': 'against' and 'value' are both given; give one, or "
                          "ratio: true",
                          c->text);
    return against || c->has_value
               ? IK_OK
               : ytree_fail(c->node, err, "claim '%.80s' needs 'against' or 'value'", c->text);
}

static ik_status fill_claim(const ytree *node, const ik_params *p, ik_arena *arena, claim *out,
                            ik_error *err)
{
    claim c = {.text = declared_text(p, "claim", arena),
               .source = declared_text(p, "source", arena),
               .figure = declared_text(p, "figure", arena),
               .paper = declared_text(p, "paper", arena),
               .differs = declared_paragraph(p, "differs", arena),
               .weak = declared_paragraph(p, "weak", arena),
               .basis = (ik_claim_basis)declared_value(p, "basis")->u,
               .has_value = declared_value(p, "value")->has,
               .ratio = declared_value(p, "ratio")->u != 0,
               .paired = declared_value(p, "paired")->u != 0,
               .transient = declared_value(p, "transient")->u != 0,
               .tolerance = declared_value(p, "tolerance")->r,
               .scale = declared_value(p, "scale")->u,
               .node = node};
    if (!c.text || !c.source || !c.figure || !c.paper || !c.differs || !c.weak)
        return ik_fail_memory(err, 1, "an experiment");
    if (!c.text[strspn(c.text, " \t\n")])
        return ytree_fail(figures_place(node, "claim"), err, "'claim' is a sentence, found none");
    ik_status status = claims_read_metric(p, node, arena, &c, err);
    if (status == IK_OK)
        status = claims_read_number(p, node, &c, err);
    if (status == IK_OK)
        status = claims_read_op(p, node, &c, err);
    if (status == IK_OK)
        status = claims_read_within(p, node, &c, err);
    if (status == IK_OK)
        status = c.measure == CLAIM_TABLE
                     ? claim_table_read(node, declared_text(p, "columns", arena), arena, &c, err)
                     : claims_read_of(node, arena, &c, err);
    if (status == IK_OK)
        status = declared_names(declared_value(p, "over"), arena, &c.over, err);
    if (status == IK_OK)
        status = declared_mapping(node, "against", arena, &c.against, err);
    if (status == IK_OK)
        status = declared_mapping(node, "at", arena, &c.at, err);
    *out = c;
    return status == IK_OK ? claims_check_sides(&c, err) : status;
}

ik_status claims_read(const ytree *list, ik_arena *arena, claim **out, size_t *num, ik_error *err)
{
    ik_status status = declared_list(list, "expect", err);
    claim *all = status == IK_OK ? ik_arena_alloc(arena, (list->num + 1) * sizeof *all) : NULL;
    if (status == IK_OK && !all)
        return ik_fail_memory(err, list->num * sizeof *all, "an experiment");
    for (size_t i = 0; status == IK_OK && i < list->num; i++) {
        ik_params params = {0};
        char owner[48];
        snprintf(owner, sizeof owner, "claim %zu", i + 1);
        status = declared_read(list->items[i], ik_claim_params, owner, arena, &params, err);
        if (status == IK_OK)
            status = fill_claim(list->items[i], &params, arena, &all[i], err);
        ik_params_free(&params);
    }
    if (status != IK_OK)
        return status;
    *out = all;
    *num = list->num;
    return IK_OK;
}
