/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/figures_json.c: the figures in the object that the page embeds: picture and
 * numbers.
 */
#include "base/text_stream.h"
#include "report/figures.h"

#include <stdlib.h>

/* What a figure is written as in memory. */
static ik_status figures_json_put_text(ik_json *j, const char *key, figure_data *d, bool csv,
                                       ik_error *err)
{
    ik_text_stream stream;
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    status = csv ? figure_put_csv(d, stream.out, err)
                 : figure_put_picture(d, IK_FIGURE_SVG, stream.out, err);
    ik_status closed = ik_text_stream_close(&stream, &text, &size, err);
    status = closed != IK_OK ? closed : status;
    if (status == IK_OK)
        ik_json_bytes(j, key, text, size);
    free(text);
    return status;
}

/* Of a run that is not finished a figure may lack what it is about: it says so. */
static ik_status figures_json_put_figure(ik_json *j, figure_book *b, const figure *f, ik_error *err)
{
    figure_data d = {0};
    ik_error why;
    ik_json_object(j, NULL);
    ik_json_text(j, "name", f->name);
    ik_json_text(j, "title", f->title);
    ik_json_bool(j, "wide", f->width == FIGURE_PAGE);
    ik_status status = figure_data_make(b, f, &d, &why);
    if (status == IK_OK) {
        ik_json_text(j, "caption", d.caption);
        status = figures_json_put_text(j, "csv", &d, true, &why);
        if (status == IK_OK)
            status = figures_json_put_text(j, "svg", &d, false, &why);
    } else if (status == IK_ERR_INPUT) {
        ik_json_text(j, "missing", why.text);
        status = IK_OK;
    }
    ik_json_close(j);
    figure_data_free(&d);
    if (status != IK_OK && err)
        *err = why;
    return status;
}

void figures_put_json(ik_json *j, const report_model *m)
{
    figure_book *b = NULL;
    ik_json_array(j, "figures");
    ik_status status = figures_open(m, &b, NULL);
    for (size_t i = 0; status == IK_OK && i < b->num_figures; i++)
        status = figures_json_put_figure(j, b, &b->figures[i], NULL);
    if (status != IK_OK)
        ik_json_fail(j, status);
    ik_json_close(j);
}
