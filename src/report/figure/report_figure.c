/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/report_figure.c: one figure of a results file, in a format.
 */
#include "ikat/report.h"
#include "report/figures.h"
#include "report/results.h"

static ik_status report_figure_put_figure(const report_model *m, const char *name,
                                          ik_figure_format format, const terminal_page *page,
                                          ik_error *err)
{
    figure_book *b = NULL;
    figure_data d = {0};
    const figure *f = NULL;
    ik_status status = figures_open(m, &b, err);
    if (status == IK_OK)
        status = figures_find(b, name, &f, err);
    if (status == IK_OK)
        status = figure_data_make(b, f, &d, err);
    if (status == IK_OK)
        status = format == IK_FIGURE_CSV     ? figure_put_csv(&d, page->out, err)
                 : format == IK_FIGURE_TABLE ? figure_put_table(&d, page, err)
                                             : figure_put_picture(&d, format, page->out, err);
    figure_data_free(&d);
    return status;
}

ik_status figures_put_terminal(const terminal_page *p, ik_error *err)
{
    figure_book *b = NULL;
    ik_status status = figures_open(p->m, &b, err);
    if (status == IK_OK && b->num_figures) {
        terminal_heading(p,
                         "Figures (ikat report RESULTS --figure NAME, with -o NAME.svg a picture)");
        for (size_t i = 0; i < b->num_figures; i++) {
            fprintf(p->out, "%-14s  ", b->figures[i].name);
            terminal_text(p->out, b->figures[i].title);
            putc('\n', p->out);
        }
    }
    return status;
}

ik_status ik_results_figure(ik_results *r, const char *name, ik_figure_format format, FILE *out,
                            unsigned width, bool colour, ik_error *err)
{
    report_model *m = results_model(r);
    terminal_page page = {.m = m,
                          .out = out,
                          .width = width >= 40 ? width : 80,
                          .table_width = width,
                          .colour = colour};
    ik_status status = report_figure_put_figure(m, name, format, &page, err);
    return status == IK_OK && ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the figure")
                                          : status;
}

ik_status ik_report_figure(const char *store_path, const char *name, ik_figure_format format,
                           FILE *out, unsigned width, bool colour, ik_error *err)
{
    ik_results *r = NULL;
    ik_status status = ik_results_open(store_path, &r, err);
    if (status == IK_OK)
        status = ik_results_figure(r, name, format, out, width, colour, err);
    ik_results_close(r);
    return status;
}
