/* SPDX-License-Identifier: Apache-2.0
 *
 * report/study/reproduction.c: one page of the studies that reproduce papers: what their claims
 * say, and the figures beside them. Plain HTML: everything else stands in files beside the page.
 */
#include "report/study/study_page.h"

#include "base/utf8.h"
#include "report/report_csv.h"

#include <math.h>
#include <string.h>

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
    "td:nth-last-child(6){min-width:15rem}.holds{color:var(--yes)}.differs{color:var(--no)}.untold,"
    ".known{color:var(--warn)}"
    ".counts{width:auto}.counts th{max-width:7rem}.counts td:nth-last-child(6){min-width:0}"
    ".number{text-align:right}"
    ".verdict{font-weight:600;white-space:nowrap}"
    "figure{margin:1rem 0;background:#fff;color:#000;border:1px solid var(--line);padding:.6rem;"
    "overflow-x:auto}figure svg{max-width:100%;height:auto}a{color:inherit}"
    "@media print{body{max-width:none;padding:0}figure{break-inside:avoid}tr{break-inside:avoid}}";

/* ---- claims */

/* The class of a verdict in the page's style. */
static const char *reproduction_style_of(const ik_claim *c)
{
    switch (c->verdict) {
    case IK_CLAIM_HOLDS:
        return "holds";
    case IK_CLAIM_DIFFERS:
        return c->differs[0] ? "known" : "differs";
    case IK_CLAIM_UNTOLD:
    case IK_CLAIM_NOT_ASKED:
        break;
    }
    return "untold";
}

void page_begin_claims(FILE *out, bool with_entry)
{
    fprintf(out,
            "<div class=\"scroll\"><table><tr><th>verdict</th>%s<th>claim</th><th>source</th>"
            "<th>in the source</th><th>asked</th><th>found</th><th>margin</th></tr>\n",
            with_entry ? "<th>figure</th>" : "");
}

void page_put_claim(FILE *out, const char *paper, const ik_claim *c, bool with_entry)
{
    fprintf(out, "<tr><td class=\"verdict %s\">%s</td><td>", reproduction_style_of(c),
            ik_claim_verdict_name(c->verdict));
    if (with_entry && c->figure[0])
        fprintf(out, "<a href=\"#%s-%s\">%s/%s</a></td><td>", paper, c->figure, paper, c->figure);
    else if (with_entry)
        fprintf(out, "%s</td><td>", paper);
    utf8_print_markup(out, c->claim);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->source);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->paper);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->asked);
    fputs("</td><td>", out);
    utf8_print_markup(out, c->found);
    bool differs = c->verdict == IK_CLAIM_DIFFERS;
    if (c->differs[0] && (differs || c->verdict == IK_CLAIM_HOLDS)) {
        fprintf(out, "<br><span class=\"quiet\">%s: ",
                differs ? "Why" : "A reason for a difference is recorded");
        utf8_print_markup(out, c->differs);
        fputs("</span>", out);
    }
    if (c->weak[0]) {
        fputs("<br><span class=\"quiet\">Weak: ", out);
        utf8_print_markup(out, c->weak);
        fputs("</span>", out);
    }
    if (c->blind[0])
        fprintf(out, "<br><span class=\"quiet\">Would also hold %s.</span>", c->blind);
    if (isnan(c->margin))
        fputs("</td><td></td></tr>\n", out);
    else
        fprintf(out, "</td><td class=\"number\">%.2g&nbsp;%%</td></tr>\n", 100 * c->margin);
}

void page_end_claims(FILE *out)
{
    fputs("</table></div>\n", out);
}

/* ---- the page */

static bool is_first_of_figure(const ik_study_page *p, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (strcmp(p->claims[i].figure, p->claims[k].figure) == 0)
            return false;
    return true;
}

static size_t reproduction_claims_of(const ik_verdicts *n)
{
    return n->hold + n->differ + n->untold + n->not_asked;
}

static void put_figure_counts(const ik_study_page *p, const char *figure, FILE *out)
{
    ik_verdicts n = {0};
    for (size_t i = 0; i < p->num_claims; i++)
        if (strcmp(p->claims[i].figure, figure) == 0)
            ik_verdicts_add(&n, p->claims[i].verdict, p->claims[i].differs);
    if (figure[0])
        fprintf(out, "<tr><td><a href=\"#%s-%s\">%s/%s</a></td>", p->paper, figure, p->paper,
                figure);
    else
        fprintf(out, "<tr><td>%s</td>", p->paper);
    const struct {
        size_t num;
        const char *style;
    } columns[] = {
        {reproduction_claims_of(&n), ""},   {n.hold, "holds"},    {n.recorded, "known"},
        {n.differ - n.recorded, "differs"}, {n.untold, "untold"}, {n.not_asked, "quiet"}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].num)
            fprintf(out, "<td class=\"number %s\">%zu</td>", columns[i].style, columns[i].num);
        else
            fputs("<td></td>", out);
    fputs("</tr>\n", out);
}

/* How many claims of each figure hold: what leads through a page of hundreds of claims. */
static void reproduction_put_counts(ik_study_page *const *pages, size_t num, FILE *out)
{
    fputs("<div class=\"scroll\"><table class=\"counts\"><tr><th>figure</th><th>claims</th>"
          "<th>hold</th><th>differ, with a recorded reason</th><th>differ</th><th>cannot be "
          "told</th>"
          "<th>only at a larger scale</th></tr>\n",
          out);
    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < pages[i]->num_claims; k++)
            if (is_first_of_figure(pages[i], k))
                put_figure_counts(pages[i], pages[i]->claims[k].figure, out);
    fputs("</table></div>\n<h2>All claims</h2>\n", out);
}

static void reproduction_put_verdicts(ik_study_page *const *pages, size_t num, FILE *out)
{
    static const char *const texts[] = {[IK_BASIS_PUBLICATION] = "claims of the papers",
                                        [IK_BASIS_TWIN] =
                                            "comparisons with another computation of ikat",
                                        [IK_BASIS_PROGRAM] = "comparisons with another program"};
    ik_verdicts all[IK_NUM_BASES] = {0};
    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < pages[i]->num_claims; k++) {
            const ik_claim *c = &pages[i]->claims[k];
            ik_verdicts_add(&all[c->basis], c->verdict, c->differs);
        }
    for (size_t i = 0; i < IK_NUM_BASES; i++) {
        const ik_verdicts *n = &all[i];
        if (reproduction_claims_of(n))
            fprintf(
                out,
                "<p>%zu %s: <span class=\"holds\">%zu hold</span>, <span class=\"differs\">%zu "
                "differ</span> (for %zu a reason is recorded), <span class=\"untold\">%zu cannot "
                "be told</span>, %zu are checked only at a larger scale.</p>\n",
                reproduction_claims_of(n), texts[i], n->hold, n->differ, n->recorded, n->untold,
                n->not_asked);
    }
    reproduction_put_counts(pages, num, out);
    page_begin_claims(out, true);
    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < pages[i]->num_claims; k++)
            page_put_claim(out, pages[i]->paper, &pages[i]->claims[k], true);
    page_end_claims(out);
}

ik_status ik_reproduction_page(ik_study_page *const *pages, size_t num, FILE *out, ik_error *err)
{
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
            "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Papers, "
            "reproduced</title><style>%s</style></head><body>\n<h1>Papers, reproduced</h1>\n<p "
            "class=\"quiet\">By ikat %s. A claim holds or differs when its 95 %% intervals say so, "
            "beyond the tolerance "
            "that it states; where they overlap, nothing can be decided.</p>\n",
            style, ik_version());
    reproduction_put_verdicts(pages, num, out);
    for (size_t i = 0; i < num; i++)
        fwrite(pages[i]->section, 1, pages[i]->section_bytes, out);
    fputs("</body></html>\n", out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the page") : IK_OK;
}

/* ---- as CSV */

ik_status ik_reproduction_csv(ik_study_page *const *pages, size_t num, FILE *out, ik_error *err)
{
    fputs("name,verdict,claim,source,paper,found,differs,asked,basis,weak,margin,blind,scale\n",
          out);
    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < pages[i]->num_claims; k++) {
            const ik_claim *c = &pages[i]->claims[k];
            const char *const texts[] = {ik_claim_verdict_name(c->verdict),
                                         c->claim,
                                         c->source,
                                         c->paper,
                                         c->found,
                                         c->differs,
                                         c->asked,
                                         ik_claim_basis_name(c->basis),
                                         c->weak};
            fprintf(out, "%s/%s,", pages[i]->paper, c->figure);
            csv_fields(out, texts, 9);
            if (isnan(c->margin))
                fputs(",,", out);
            else
                fprintf(out, ",%.4g,", c->margin);
            ik_text_csv(out, c->blind);
            fprintf(out, ",%s\n", pages[i]->scale);
        }
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the CSV text") : IK_OK;
}
