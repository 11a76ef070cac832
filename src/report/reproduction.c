/* SPDX-License-Identifier: Apache-2.0
 *
 * report/reproduction.c: one page of the studies that reproduce papers: what their claims say, and
 * the figures beside them. Plain HTML: everything else stands in files beside the page.
 */
#include "base/utf8.h"
#include "experiment/store.h"
#include "ikat/report.h"
#include "ikat/reproduce.h"
#include "report/report_csv.h"

#include <stdlib.h>
#include <string.h>

typedef struct page {
    FILE *out;
    const ik_study_results *study;
    const char *figure; /* only claims of this one; NULL = all that are shown */
    size_t num;         /* claims so far */
    size_t holds, differs, recorded, untold, not_asked;
} page;

static const char style[] =
    ":root{--ink:#1d2430;--quiet:#5b6675;--line:#d6dbe3;--page:#fff;--card:#f6f8fb;--yes:#0b6b3a;"
    "--no:#b3261e;--warn:#8a5300}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e7ebf2;--quiet:#a3adbb;--line:#39424f;"
    "--page:#12161c;--card:#1b212a;--yes:#6fd39b;--no:#ff8a80;--warn:#f0b35a}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0 auto;"
    "max-width:75rem;padding:1.5rem}"
    "h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem;border-top:1px solid "
    "var(--line);padding-top:1rem}h3{font-size:1.05rem;margin-bottom:.3rem}"
    "p{max-width:60rem}.quiet{color:var(--quiet)}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid "
    "var(--line)}th{color:var(--quiet);font-weight:600}.scroll{overflow-x:auto}"
    "td:nth-last-child(4){min-width:15rem}.holds{color:var(--yes)}.differs{color:var(--no)}.untold,"
    ".known{color:var(--warn)}"
    ".verdict{font-weight:600;white-space:nowrap}"
    "figure{margin:1rem 0;background:#fff;color:#000;border:1px solid var(--line);padding:.6rem;"
    "overflow-x:auto}figure svg{max-width:100%;height:auto}a{color:inherit}"
    "@media print{body{max-width:none;padding:0}figure{break-inside:avoid}tr{break-inside:avoid}}";

static bool is_shown(const ik_study_results *s, const char *figure)
{
    for (size_t i = 0; i < s->about->num_figures; i++)
        if (strcmp(s->about->figures[i].name, figure) == 0)
            return !s->shown || s->shown[i];
    return !s->shown; /* a claim of no figure stands with all of them */
}

typedef struct claim_filter {
    const ik_study_results *study;
    ik_claim_fn fn;
    void *ctx;
} claim_filter;

static ik_status pass_shown(void *ctx, const ik_claim *c, ik_error *err)
{
    const claim_filter *f = ctx;
    return is_shown(f->study, c->figure) ? f->fn(f->ctx, c, err) : IK_OK;
}

ik_status ik_study_claims(const ik_study_results *study, ik_claim_fn fn, void *ctx, ik_error *err)
{
    claim_filter f = {study, fn, ctx};
    return ik_report_claims(study->results, pass_shown, &f, err);
}

/* ---- claims */

static const char *class_of(const ik_claim *c)
{
    return strcmp(c->verdict, "holds") == 0     ? "holds"
           : strcmp(c->verdict, "differs") != 0 ? "untold"
           : c->differs[0]                      ? "known"
                                                : "differs";
}

static void count(page *p, const ik_claim *c)
{
    p->num++;
    p->holds += strcmp(c->verdict, "holds") == 0;
    p->untold += strcmp(c->verdict, "cannot be told") == 0;
    p->not_asked += strcmp(c->verdict, "not asked") == 0;
    if (strcmp(c->verdict, "differs") == 0) {
        p->differs++;
        p->recorded += c->differs[0] != '\0';
    }
}

static ik_status put_claim(void *ctx, const ik_claim *c, ik_error *err)
{
    page *p = ctx;
    FILE *out = p->out;
    (void)err;
    if (p->figure && strcmp(p->figure, c->figure) != 0)
        return IK_OK;
    count(p, c);
    if (!out)
        return IK_OK;
    fprintf(out, "<tr><td class=\"verdict %s\">%s</td><td>", class_of(c), c->verdict);
    if (!p->figure && c->figure[0])
        fprintf(out, "<a href=\"#%s-%s\">%s/%s</a></td><td>", p->study->study->paper, c->figure,
                p->study->study->paper, c->figure);
    else if (!p->figure)
        fprintf(out, "%s</td><td>", p->study->study->paper);
    utf8_print_markup(out, c->claim);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->source);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->paper);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->found);
    if (c->differs[0] && strcmp(c->verdict, "differs") == 0) {
        fputs("<br><span class=\"quiet\">Why: ", out);
        utf8_print_markup(out, c->differs);
        fputs("</span>", out);
    }
    fputs("</td></tr>\n", out);
    return IK_OK;
}

static void begin_claims(FILE *out, bool with_entry)
{
    fprintf(out,
            "<div class=\"scroll\"><table><tr><th>verdict</th>%s<th>claim</th><th>source</th>"
            "<th>the source says</th><th>found</th></tr>\n",
            with_entry ? "<th>figure</th>" : "");
}

/* ---- one study */

static ik_status put_figure(page *p, const ik_experiment_figure *f, ik_error *err)
{
    const ik_study_results *s = p->study;
    FILE *out = p->out;
    page mine = {.out = out, .study = s, .figure = f->name};
    fprintf(out, "<h3 id=\"%s-%s\">%s/%s: ", s->study->paper, f->name, s->study->paper, f->name);
    utf8_print_markup(out, f->title);
    fputs("</h3>\n<figure>", out);
    ik_error why;
    ik_status status = ik_report_figure(s->results, f->name, IK_FIGURE_SVG, out, 0, false, &why);
    if (status == IK_ERR_MEMORY) {
        if (err)
            *err = why;
        return status;
    }
    if (status != IK_OK) /* points are missing */
        utf8_print_markup(out, why.text);
    fprintf(out,
            "</figure>\n<p class=\"quiet\"><a href=\"%s/%s.svg\">picture</a>, <a "
            "href=\"%s/%s.csv\">its numbers</a></p>\n",
            s->study->paper, f->name, s->study->paper, f->name);
    if (f->num_claims == 0)
        return IK_OK;
    begin_claims(out, false);
    status = ik_study_claims(s, put_claim, &mine, err);
    fputs("</table></div>\n", out);
    return status;
}

static ik_status count_points(const char *path, int64_t *finished, int64_t *total, ik_error *err)
{
    store *s = NULL;
    ik_status status = store_open(path, &s, err);
    if (status == IK_OK)
        status = store_number(s, "SELECT count(*) FROM points WHERE " STORE_CURRENT, finished, err);
    if (status == IK_OK)
        status = store_number(s, "SELECT value FROM meta WHERE key = 'num_points'", total, err);
    store_close(s);
    return status;
}

static ik_status put_study(page *p, ik_error *err)
{
    const ik_study_results *s = p->study;
    const ik_experiment_about *about = s->about;
    FILE *out = p->out;
    int64_t finished = 0, total = 0;
    ik_status status = count_points(s->results, &finished, &total, err);
    if (status != IK_OK)
        return status;
    fprintf(out, "<h2>%s: ", s->study->paper);
    utf8_print_markup(out, about->title);
    fputs("</h2>\n", out);
    if (about->paper[0]) {
        fputs("<p class=\"quiet\">", out);
        utf8_print_markup(out, about->paper);
        fputs("</p>\n", out);
    }
    fputs("<p>", out);
    utf8_print_markup(out, about->description);
    fputs("</p>\n", out);
    if (about->settings[0]) {
        fputs("<p><strong>Our choices.</strong> ", out);
        utf8_print_markup(out, about->settings);
        fputs("</p>\n", out);
    }
    fprintf(out,
            "<p class=\"quiet\">%lld of %lld points%s%s. <a href=\"%s\">The whole report</a>, <a "
            "href=\"%s\">every "
            "point as CSV</a>, <a href=\"%s\">the experiment</a>.</p>\n",
            (long long)finished, (long long)total, about->scale[0] ? " at scale " : "",
            about->scale, s->report, s->points, s->experiment);
    for (size_t i = 0; i < about->num_figures && status == IK_OK; i++)
        if (!s->shown || s->shown[i])
            status = put_figure(p, &about->figures[i], err);
    return status;
}

/* ---- the page */

static ik_status put_verdicts(const ik_study_results *studies, size_t num, FILE *out, ik_error *err)
{
    page all = {0};
    ik_status status = IK_OK;
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        all.study = &studies[i];
        status = ik_study_claims(&studies[i], put_claim, &all, err);
    }
    if (status != IK_OK)
        return status;
    fprintf(out,
            "<p>%zu claims: <span class=\"holds\">%zu hold</span>, <span class=\"differs\">%zu "
            "differ</span> (of %zu it is known why), <span class=\"untold\">%zu cannot be "
            "told</span>, %zu are asked at full scale alone.</p>\n",
            all.num, all.holds, all.differs, all.recorded, all.untold, all.not_asked);
    begin_claims(out, true);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        page p = {.out = out, .study = &studies[i]};
        status = ik_study_claims(&studies[i], put_claim, &p, err);
    }
    fputs("</table></div>\n", out);
    return status;
}

ik_status ik_reproduction_page(const ik_study_results *studies, size_t num, FILE *out,
                               ik_error *err)
{
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
            "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Papers, "
            "reproduced</title><style>%s</style></head><body>\n<h1>Papers, reproduced</h1>\n<p "
            "class=\"quiet\">By ikat %s. A claim holds or differs when its 95 %% intervals say so, "
            "beyond the tolerance "
            "that it states; where they overlap, nothing can be told.</p>\n",
            style, ik_version());
    ik_status status = put_verdicts(studies, num, out, err);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        page p = {.out = out, .study = &studies[i]};
        status = put_study(&p, err);
    }
    fputs("</body></html>\n", out);
    return status == IK_OK && ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the page")
                                          : status;
}

/* ---- as CSV */

typedef struct csv_claims {
    FILE *out;
    const ik_study *study;
} csv_claims;

static ik_status put_csv_claim(void *ctx, const ik_claim *c, ik_error *err)
{
    const csv_claims *to = ctx;
    const char *const texts[] = {c->verdict, c->claim, c->source, c->paper, c->found, c->differs};
    (void)err;
    fprintf(to->out, "%s/%s,", to->study->paper, c->figure);
    csv_fields(to->out, texts, 6);
    putc('\n', to->out);
    return IK_OK;
}

ik_status ik_reproduction_csv(const ik_study_results *studies, size_t num, FILE *out, ik_error *err)
{
    ik_status status = IK_OK;
    fputs("name,verdict,claim,source,paper,found,differs\n", out);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        csv_claims to = {out, studies[i].study};
        status = ik_study_claims(&studies[i], put_csv_claim, &to, err);
    }
    return status;
}
