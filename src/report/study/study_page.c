/* SPDX-License-Identifier: Apache-2.0
 *
 * report/study/study_page.c: reads the results of a study once for what the page of reproductions
 * says of it: its claims, and its section with the figures.
 */
#include "report/study/study_page.h"

#include "base/text_stream.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- claims */

typedef struct collector {
    const ik_study_results *study;
    ik_study_page *page;
} collector;

static bool study_page_is_shown(const ik_study_results *s, const char *figure)
{
    for (size_t i = 0; i < s->about->num_figures; i++)
        if (strcmp(s->about->figures[i].name, figure) == 0)
            return !s->shown || s->shown[i];
    return !s->shown; /* a claim of no figure stands with all of them */
}

static ik_status study_page_keep_claim(void *ctx, const ik_claim *c, ik_error *err)
{
    const collector *to = ctx;
    ik_study_page *p = to->page;
    if (!study_page_is_shown(to->study, c->figure) || p->num_claims == to->study->about->num_claims)
        return IK_OK;
    ik_claim kept = *c;
    const char **const texts[] = {&kept.claim, &kept.source, &kept.figure,
                                  &kept.paper, &kept.found,  &kept.differs,
                                  &kept.asked, &kept.weak,   &kept.blind};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i] = ik_arena_strdup(&p->arena, *texts[i])))
            return ik_fail_memory(err, 1, "a reproduction");
    p->claims[p->num_claims++] = kept;
    return IK_OK;
}

static ik_status study_page_collect_claims(const ik_study_results *study, ik_study_page *p,
                                           ik_error *err)
{
    collector to = {study, p};
    p->claims = ik_arena_alloc(&p->arena, (study->about->num_claims + 1) * sizeof *p->claims);
    if (!p->claims)
        return ik_fail_memory(err, study->about->num_claims * sizeof *p->claims, "a reproduction");
    return ik_results_claims(study->results, study_page_keep_claim, &to, err);
}

/* ---- the section */

/* The picture in the text; false: points are missing, and it says so. */
static ik_status study_page_put_picture(const ik_study_results *s, const ik_experiment_figure *f,
                                        FILE *out, bool *drawn, ik_error *err)
{
    ik_error why;
    ik_status status = ik_results_figure(s->results, f->name, IK_FIGURE_SVG, out, 0, false, &why);
    *drawn = status == IK_OK;
    if (status == IK_ERR_INPUT) {
        uint64_t finished, total;
        ik_results_points(s->results, &finished, &total);
        fprintf(out, "No picture: %" PRIu64 " of %s finished, and ", finished,
                IK_COUNT(total, "point is|points are"));
        utf8_print_markup(out, finished ? why.text : "none can be drawn");
        return IK_OK;
    }
    if (status != IK_OK && err)
        *err = why;
    return status;
}

static ik_status study_page_put_figure(const ik_study_results *s, const ik_study_page *p,
                                       const ik_experiment_figure *f, FILE *out, ik_error *err)
{
    bool drawn = false;
    fprintf(out, "<h3 id=\"%s-%s\">%s/%s: ", p->paper, f->name, p->paper, f->name);
    utf8_print_markup(out, f->title);
    fputs("</h3>\n<figure>", out);
    ik_status status = study_page_put_picture(s, f, out, &drawn, err);
    fputs("</figure>\n", out);
    if (drawn)
        fprintf(out,
                "<p class=\"quiet\"><a href=\"%s/%s.svg\">picture</a>, <a "
                "href=\"%s/%s.csv\">its numbers</a></p>\n",
                p->paper, f->name, p->paper, f->name);
    if (status != IK_OK || f->num_claims == 0)
        return status;
    page_begin_claims(out, false);
    for (size_t i = 0; i < p->num_claims; i++)
        if (strcmp(p->claims[i].figure, f->name) == 0)
            page_put_claim(out, p->paper, &p->claims[i], false);
    page_end_claims(out);
    return IK_OK;
}

static void study_page_put_paragraph(FILE *out, const char *open, const char *text)
{
    if (!text[0])
        return;
    fputs(open, out);
    utf8_print_markup(out, text);
    fputs("</p>\n", out);
}

/* What each scale costs, and what it keeps. */
static void study_page_put_scales(const ik_experiment_about *about, FILE *out)
{
    if (!about->num_scales)
        return;
    fputs("<table><tr><th>scale</th><th>processor time</th><th>points</th><th></th></tr>\n", out);
    for (size_t i = 0; i < about->num_scales; i++) {
        const ik_experiment_scale *s = &about->scales[i];
        fputs("<tr><td>", out);
        utf8_print_markup(out, s->name);
        fprintf(out, "</td><td class=\"number\">%.3g h</td><td>", s->seconds / 3600);
        utf8_print_markup(out, s->same ? "those of scale " : "its own");
        utf8_print_markup(out, s->same ? s->like : "");
        fputs("</td><td>", out);
        utf8_print_markup(out, s->why);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

static ik_status study_page_put_section(const ik_study_results *s, const ik_study_page *p,
                                        FILE *out, ik_error *err)
{
    const ik_experiment_about *about = s->about;
    uint64_t finished, total;
    ik_results_points(s->results, &finished, &total);
    fprintf(out, "<h2>%s: ", p->paper);
    utf8_print_markup(out, about->title);
    fputs("</h2>\n", out);
    study_page_put_paragraph(out, "<p class=\"quiet\">", about->paper);
    study_page_put_paragraph(out, "<p>", about->description);
    study_page_put_paragraph(out, "<p><strong>Our choices.</strong> ", about->settings);
    study_page_put_scales(about, out);
    fprintf(out,
            "<p class=\"quiet\">%" PRIu64
            " of %s%s%s. <a href=\"%s\">The whole report</a>, <a href=\"%s\">every point as "
            "CSV</a>, <a href=\"%s\">the experiment</a>.</p>\n",
            finished, IK_COUNT(total, "point"), about->scale[0] ? " at scale " : "", about->scale,
            s->report, s->points, s->experiment);
    ik_status status = IK_OK;
    for (size_t i = 0; i < about->num_figures && status == IK_OK; i++)
        if (!s->shown || s->shown[i])
            status = study_page_put_figure(s, p, &about->figures[i], out, err);
    return status;
}

static ik_status study_page_make_section(const ik_study_results *study, ik_study_page *p,
                                         ik_error *err)
{
    ik_text_stream stream;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    status = study_page_put_section(study, p, stream.out, err);
    ik_status closed =
        ik_text_stream_close(&stream, &p->section, &p->section_bytes, status == IK_OK ? err : NULL);
    return status != IK_OK ? status : closed;
}

/* ---- all */

ik_status ik_study_page_make(const ik_study_results *study, ik_study_page **out, ik_error *err)
{
    ik_study_page *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "a reproduction");
    p->paper = study->study->paper;
    p->scale = ik_arena_strdup(&p->arena, study->about->scale);
    ik_status status = study_page_collect_claims(study, p, err);
    if (status == IK_OK && !p->scale)
        status = ik_fail_memory(err, 1, "a reproduction");
    if (status == IK_OK)
        status = study_page_make_section(study, p, err);
    if (status != IK_OK) {
        ik_study_page_free(p);
        return status;
    }
    *out = p;
    return IK_OK;
}

void ik_study_page_free(ik_study_page *p)
{
    if (!p)
        return;
    free(p->section);
    ik_arena_free(&p->arena);
    free(p);
}

ik_status ik_study_page_claims(const ik_study_page *p, ik_claim_fn fn, void *ctx, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < p->num_claims && status == IK_OK; i++)
        status = fn(ctx, &p->claims[i], err);
    return status;
}
