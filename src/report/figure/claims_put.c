/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/claims_put.c: verdicts in a terminal, as CSV and as JSON.
 */
#include "base/utf8.h"
#include "ikat/report.h"
#include "ikat/reproduce.h"
#include "report/figures.h"
#include "report/report_csv.h"
#include "report/results.h"

#include <math.h>
#include <string.h>

static const char *const ops[] = {"<", "<=", "=", ">=", ">"};

static const char *claims_put_op(const claim *c)
{
    return c->measure == CLAIM_ORDER ? "order" : c->measure == CLAIM_TABLE ? "table" : ops[c->op];
}

/* Fractions are shown in percent. */
static const char *claims_put_unit_of(const claim *c)
{
    if (c->ratio)
        return "";
    if (c->measure == CLAIM_TABLE)
        return "%";
    bool along_x = c->measure == CLAIM_SATURATION || c->measure == CLAIM_ARGMAX ||
                   c->measure == CLAIM_CROSSING;
    if (along_x)
        return strcmp(c->x, "load") == 0 ? "%" : "";
    return c->y.op == '/' ? "" : metrics[c->y.first].unit;
}

static void claims_put_number_text(const claim_number *n, const char *unit, char *out, size_t size)
{
    double factor = unit[0] == '%' ? 100 : 1;
    const char *gap = unit[0] ? " " : "";
    if (isinf(n->mean))
        snprintf(out, size, "beyond the highest load");
    else if (isnan(n->mean))
        snprintf(out, size, "no value");
    else if (n->ci95 > 0) {
        char text[64];
        estimate e = {factor * n->mean, factor * n->ci95};
        snprintf(out, size, "%s%s%s", model_estimate_text(e, text, sizeof text), gap, unit);
    } else
        snprintf(out, size, "%.4g%s%s", n->mean * factor, gap, unit);
}

/* "41.2 ± 0.8 % against 51 ± 1 %; the intervals overlap". */
static void claims_put_found_text(const claim_result *r, char *out, size_t size)
{
    char left[80] = "", right[80] = "";
    bool two = r->c->measure == CLAIM_ORDER ||
               (r->c->against.place && !r->c->ratio && r->c->measure != CLAIM_CROSSING);
    if (r->left.num || r->right.num) {
        claims_put_number_text(&r->left, claims_put_unit_of(r->c), left, sizeof left);
        claims_put_number_text(&r->right, claims_put_unit_of(r->c), right, sizeof right);
    }
    snprintf(out, size, "%s%s%s%s%s", left,
             !left[0] || !two               ? ""
             : r->c->measure == CLAIM_ORDER ? " to "
                                            : " against ",
             two ? right : "", left[0] && r->why[0] ? "; " : "", r->why);
    if (r->pair) {
        size_t used = strlen(out);
        snprintf(out + used, size - used,
                 r->verdict == IK_CLAIM_DIFFERS ? "; number %zu is not below number %zu"
                                                : " (numbers %zu and %zu)",
                 r->pair, r->pair + 1);
    }
}

/* "3 %", "5 points", "3 % or 2 ns"; "" = none. */
static void claims_put_tolerance(const claim *c, char *out, size_t size)
{
    const char *unit = c->ratio || c->y.op == '/' ? "" : metrics[c->y.first].unit;
    bool points = unit[0] == '%';
    size_t used = 0;
    out[0] = '\0';
    if (c->tolerance > 0)
        used = (size_t)snprintf(out, size, "%.4g %%", 100 * c->tolerance);
    if (c->within > 0 && used < size)
        snprintf(out + used, size - used, "%s%.4g%s%s", used ? " or " : "",
                 points ? 100 * c->within : c->within, unit[0] ? " " : "",
                 points ? "points" : unit);
}

/* "more than 50 %", "at most 5 % above the other side", "a quotient of 1.2 within 3 %". */
static void claims_put_asked_text(const claim *c, char *out, size_t size)
{
    static const char *const words[] = {"less than ", "at most ", "", "at least ", "more than "};
    const claim_number number = {.mean = c->value};
    char value[80] = "the other side", tolerance[40] = "";
    bool equal = c->op == OP_EQUAL, quotient = c->ratio;
    if (c->has_value || c->measure == CLAIM_TABLE)
        claims_put_number_text(&number, claims_put_unit_of(c), value, sizeof value);
    claims_put_tolerance(c, tolerance, sizeof tolerance);
    if (c->measure == CLAIM_TABLE)
        snprintf(out, size, "%s%s of %s%s%s", c->value < 1 ? "at least " : "",
                 c->value < 1 ? value : "each", IK_COUNT(c->num_of, "cell"),
                 tolerance[0] ? " within " : "", tolerance);
    else if (c->measure == CLAIM_ORDER)
        snprintf(out, size, "each less than the next%s%s", c->tolerance > 0 ? " or up to " : "",
                 c->tolerance > 0 ? tolerance : "");
    else if (equal)
        snprintf(out, size, "%s%s%s%s",
                 quotient       ? "a quotient of "
                 : c->has_value ? ""
                 : tolerance[0] ? "as "
                                : "the same as ",
                 value, tolerance[0] ? " within " : "", tolerance);
    else if (tolerance[0])
        snprintf(out, size, "%sat most %s %s %s", quotient ? "a quotient " : "", tolerance,
                 c->op < OP_EQUAL ? "above" : "below", value);
    else
        snprintf(out, size, "%s%s%s", quotient ? "a quotient of " : "", words[c->op], value);
    size_t used = strlen(out);
    size_t num;
    const ik_scale *scales = ik_scales(&num);
    snprintf(out + used, used < size ? size - used : 0, "%s%s%s%s",
             c->transient ? ", of a transient as its source measured it" : "",
             c->scale ? ", at " : "", c->scale ? scales[c->scale].name : "",
             c->scale ? " scale" : "");
}

static void claims_put_found_whole(const claim_result *r, char *out, size_t size)
{
    claims_put_found_text(r, out, size);
    utf8_clean(out, size);
}

typedef ik_status (*put_results)(figure_book *b, const claim_result *list, void *ctx,
                                 ik_error *err);

static ik_status claims_put_with_results(const report_model *m, put_results put, void *ctx,
                                         ik_error *err)
{
    figure_book *b = NULL;
    const claim_result *list = NULL;
    ik_status status = figures_open(m, &b, err);
    if (status != IK_OK || !b->num_claims)
        return status;
    status = claims_judge(b, &list, err);
    return status == IK_OK ? put(b, list, ctx, err) : status;
}

/* A claim that names no figure belongs to the only one. */
static const char *claims_put_figure_of(const figure_book *b, const claim *c)
{
    return c->figure[0] || b->num_figures != 1 ? c->figure : b->figures[0].name;
}

/* ---- a terminal */

static void claims_put_note(const terminal_page *p, const char *what, const char *text)
{
    if (!text[0])
        return;
    fprintf(p->out, "%-16s%s", "", what);
    terminal_wrap(p, text, 16 + (unsigned)strlen(what), 16);
}

static ik_status claims_put_lines(figure_book *b, const claim_result *list, void *ctx,
                                  ik_error *err)
{
    static const char *const colours[] = {"\033[32m", "\033[1;31m", "\033[33m", ""};
    const terminal_page *p = ctx;
    (void)err;
    terminal_heading(p, "Claims");
    for (size_t i = 0; i < b->num_claims; i++) {
        const claim_result *r = &list[i];
        char text[700], found[400], asked[300], margin[40] = "";
        fprintf(p->out, "%s%-14s%s  ", p->colour ? colours[r->verdict] : "",
                ik_claim_verdict_name(r->verdict), p->colour ? "\033[0m" : "");
        snprintf(text, sizeof text, "%.400s%s%.200s%s", r->c->text, r->c->source[0] ? " (" : "",
                 r->c->source, r->c->source[0] ? ")" : "");
        terminal_wrap(p, text, 16, 16);
        claims_put_found_whole(r, found, sizeof found);
        fprintf(p->out, "%-16s", "");
        terminal_wrap(p, found, 16, 16);
        claims_put_asked_text(r->c, asked, sizeof asked);
        if (!isnan(r->margin))
            snprintf(margin, sizeof margin,
                     r->margin < 0.1 ? " (margin %.2g %%)" : " (margin %.0f %%)", 100 * r->margin);
        snprintf(text, sizeof text, "%s%s", asked, margin);
        claims_put_note(p, "asked: ", text);
        claims_put_note(p, "in the source: ", r->c->paper);
        claims_put_note(p, "compared with ",
                        r->c->basis == IK_BASIS_TWIN      ? "another computation of ikat"
                        : r->c->basis == IK_BASIS_PROGRAM ? "the results of another program"
                                                          : "");
        claims_put_note(p, "weak: ", r->c->weak);
        claims_put_note(p, "would also hold ", claim_blind_text(r->blind));
        claims_put_note(p, "", r->c->transient ? "a transient, as its source measured it" : "");
        if (r->verdict == IK_CLAIM_DIFFERS)
            claims_put_note(p, "known to differ: ", r->c->differs);
        else if (r->verdict == IK_CLAIM_HOLDS)
            claims_put_note(p, "a reason for a difference is recorded: ", r->c->differs);
    }
    return IK_OK;
}

ik_status claims_put_terminal(const terminal_page *p, ik_error *err)
{
    return claims_put_with_results(p->m, claims_put_lines, (void *)p, err);
}

/* ---- CSV */

static void claims_put_number(FILE *out, const claim_number *n)
{
    fputc(',', out);
    if (isfinite(n->mean))
        fprintf(out, "%.9g", n->mean);
    else if (isinf(n->mean))
        fputs("inf", out);
    fputc(',', out);
    if (isfinite(n->mean) && isfinite(n->ci95))
        fprintf(out, "%.9g", n->ci95);
    fputc(',', out);
    if (n->num != SIZE_MAX && !(n->num == 0 && isnan(n->mean)))
        fprintf(out, "%zu", n->num);
}

static ik_status claims_put_rows(figure_book *b, const claim_result *list, void *ctx, ik_error *err)
{
    FILE *out = ctx;
    (void)err;
    for (size_t i = 0; i < b->num_claims; i++) {
        const claim_result *r = &list[i];
        const char *const texts[] = {ik_claim_verdict_name(r->verdict), r->c->text,  r->c->source,
                                     claims_put_figure_of(b, r->c),     r->c->paper, r->c->differs};
        csv_fields(out, texts, 6);
        claims_put_number(out, &r->left);
        fprintf(out, ",%s", claims_put_op(r->c));
        claims_put_number(out, &r->right);
        fputc(',', out);
        ik_text_csv(out, r->why);
        fputs(r->c->transient ? ",true," : ",false,", out);
        char asked[300];
        claims_put_asked_text(r->c, asked, sizeof asked);
        const char *const more[] = {ik_claim_basis_name(r->c->basis), r->c->weak, asked};
        csv_fields(out, more, 3);
        if (isfinite(r->margin))
            fprintf(out, ",%.4g,", r->margin);
        else
            fputs(",,", out);
        ik_text_csv(out, claim_blind_text(r->blind));
        fputc('\n', out);
    }
    return IK_OK;
}

ik_status csv_put_claims(report_model *m, FILE *out, ik_error *err)
{
    fputs("verdict,claim,source,figure,paper,differs,left,left_ci95,left_samples,op,right,right_"
          "ci95,right_samples,"
          "why,transient,basis,weak,asked,margin,blind\n",
          out);
    return claims_put_with_results(m, claims_put_rows, out, err);
}

/* ---- JSON */

static ik_status claims_put_objects(figure_book *b, const claim_result *list, void *ctx,
                                    ik_error *err)
{
    ik_json *j = ctx;
    (void)err;
    for (size_t i = 0; i < b->num_claims; i++) {
        const claim_result *r = &list[i];
        char found[400], asked[300];
        claims_put_found_whole(r, found, sizeof found);
        claims_put_asked_text(r->c, asked, sizeof asked);
        ik_json_object(j, NULL);
        ik_json_text(j, "claim", r->c->text);
        ik_json_text(j, "source", r->c->source);
        ik_json_text(j, "figure", claims_put_figure_of(b, r->c));
        ik_json_text(j, "paper", r->c->paper);
        ik_json_text(j, "differs", r->c->differs);
        ik_json_text(j, "verdict", ik_claim_verdict_name(r->verdict));
        ik_json_text(j, "found", found);
        ik_json_text(j, "asked", asked);
        ik_json_real(j, "margin", r->margin, 4);
        ik_json_text(j, "basis", ik_claim_basis_name(r->c->basis));
        ik_json_text(j, "weak", r->c->weak);
        ik_json_text(j, "blind", claim_blind_text(r->blind));
        ik_json_real(j, "left", r->left.mean, 9);
        ik_json_real(j, "left_ci95", r->left.ci95, 9);
        ik_json_text(j, "op", claims_put_op(r->c));
        ik_json_real(j, "right", r->right.mean, 9);
        ik_json_real(j, "right_ci95", r->right.ci95, 9);
        ik_json_bool(j, "transient", r->c->transient);
        ik_json_close(j);
    }
    return IK_OK;
}

void claims_put_json(ik_json *j, const report_model *m)
{
    ik_json_array(j, "claims");
    ik_status status = claims_put_with_results(m, claims_put_objects, j, NULL);
    if (status != IK_OK)
        ik_json_fail(j, status);
    ik_json_close(j);
}

/* ---- how many */

const char *ik_claim_verdict_name(ik_claim_verdict verdict)
{
    static const char *const names[] = {[IK_CLAIM_HOLDS] = "holds",
                                        [IK_CLAIM_DIFFERS] = "differs",
                                        [IK_CLAIM_UNTOLD] = "cannot be told",
                                        [IK_CLAIM_NOT_ASKED] = "not asked"};
    return names[verdict];
}

void ik_verdicts_add(ik_verdicts *v, ik_claim_verdict verdict, const char *differs)
{
    size_t *const numbers[] = {[IK_CLAIM_HOLDS] = &v->hold,
                               [IK_CLAIM_DIFFERS] = &v->differ,
                               [IK_CLAIM_UNTOLD] = &v->untold,
                               [IK_CLAIM_NOT_ASKED] = &v->not_asked};
    ++*numbers[verdict];
    v->recorded += verdict == IK_CLAIM_DIFFERS && differs[0];
}

static ik_status claims_put_count_verdicts(figure_book *b, const claim_result *list, void *ctx,
                                           ik_error *err)
{
    ik_verdicts *v = ctx;
    (void)err;
    for (size_t i = 0; i < b->num_claims; i++)
        ik_verdicts_add(v, list[i].verdict, list[i].c->differs);
    return IK_OK;
}

/* Without any, the results need not be read. */
static ik_status has_claims(const char *store_path, bool *any, ik_error *err)
{
    ik_arena arena = {0};
    store *s = NULL;
    const char *text = "";
    ik_status status = store_open(store_path, &s, err);
    if (status == IK_OK)
        status = store_get_meta(s, "expect", &arena, &text, err);
    *any = text[0] && strcmp(text, "[]") != 0;
    ik_arena_free(&arena);
    store_close(s);
    return status;
}

ik_status ik_report_verdicts(const char *store_path, ik_verdicts *out, ik_error *err)
{
    report_model *m = NULL;
    ik_verdicts v = {0};
    bool any = false;
    ik_status status = has_claims(store_path, &any, err);
    if (status == IK_OK && any)
        status = model_read(store_path, &m, err);
    if (status != IK_OK || !any) {
        *out = status == IK_OK ? v : *out;
        return status;
    }
    status = claims_put_with_results(m, claims_put_count_verdicts, &v, err);
    model_free(m);
    if (status == IK_OK)
        *out = v;
    return status;
}

/* ---- one by one */

typedef struct claim_reader {
    ik_claim_fn fn;
    void *ctx;
} claim_reader;

static ik_status read_claims(figure_book *b, const claim_result *list, void *ctx, ik_error *err)
{
    const claim_reader *to = ctx;
    ik_status status = IK_OK;
    for (size_t i = 0; i < b->num_claims && status == IK_OK; i++) {
        const claim *c = list[i].c;
        char found[400], asked[300];
        claims_put_found_whole(&list[i], found, sizeof found);
        claims_put_asked_text(c, asked, sizeof asked);
        const ik_claim one = {.verdict = list[i].verdict,
                              .claim = c->text,
                              .source = c->source,
                              .figure = claims_put_figure_of(b, c),
                              .paper = c->paper,
                              .found = found,
                              .differs = c->differs,
                              .asked = asked,
                              .basis = c->basis,
                              .weak = c->weak,
                              .blind = claim_blind_text(list[i].blind),
                              .margin = list[i].margin};
        status = to->fn(to->ctx, &one, err);
    }
    return status;
}

ik_status ik_results_claims(ik_results *r, ik_claim_fn fn, void *ctx, ik_error *err)
{
    claim_reader to = {fn, ctx};
    return claims_put_with_results(results_model(r), read_claims, &to, err);
}
