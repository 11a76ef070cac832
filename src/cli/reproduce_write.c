/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/reproduce_write.c: the files of `ikat reproduce`.
 */
#include "reproduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static ik_status make_folder(const char *path, ik_error *err)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return IK_OK;
    return ik_fail(err, IK_ERR_IO, "cannot make the folder '%.200s': %s", path, strerror(errno));
}

/* DIR/name in the buffer; false: it is too long. */
static bool below(const reproduction *r, const char *name, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s", r->folder, name);
    return length > 0 && (size_t)length < size;
}

static ik_status refuse_path(const reproduction *r, ik_error *err)
{
    return ik_fail(err, IK_ERR_USAGE, "the name of the folder '%.100s' is too long", r->folder);
}

ik_status reproduce_make_folders(const reproduction *r, ik_error *err)
{
    ik_status status = make_folder(r->folder, err);
    for (size_t i = 0; i < r->num && status == IK_OK; i++) {
        char path[4096];
        status = below(r, r->studies[i].study->paper, path, sizeof path) ? make_folder(path, err)
                                                                         : refuse_path(r, err);
    }
    return status;
}

/* What writes one of the files. */
typedef ik_status (*write_fn)(const reproduced *s, const char *name, FILE *out, ik_error *err);

static ik_status put_experiment(const reproduced *s, const char *name, FILE *out, ik_error *err)
{
    (void)name;
    (void)err;
    fwrite(s->study->text, 1, s->study->size, out);
    return IK_OK; /* a failed write is found when the file is closed */
}

static ik_status put_points(const reproduced *s, const char *name, FILE *out, ik_error *err)
{
    (void)name;
    return ik_report_csv(s->results, out, err);
}

static ik_status put_picture(const reproduced *s, const char *name, FILE *out, ik_error *err)
{
    return ik_report_figure(s->results, name, IK_FIGURE_SVG, out, 0, false, err);
}

static ik_status put_numbers(const reproduced *s, const char *name, FILE *out, ik_error *err)
{
    return ik_report_figure(s->results, name, IK_FIGURE_CSV, out, 0, false, err);
}

static ik_status write_file(const reproduction *r, const reproduced *s, const char *name,
                            const char *figure, write_fn write, ik_error *err)
{
    char path[4096];
    ik_output file;
    if (!below(r, name, path, sizeof path))
        return refuse_path(r, err);
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = write(s, figure, file.out, err);
    return ik_output_close(&file, status, err);
}

/* A figure of which points are missing has no picture yet: the page says so. */
static ik_status write_figure(const reproduction *r, const reproduced *s, const char *figure,
                              ik_error *err)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s.svg", s->study->paper, figure);
    ik_status status = write_file(r, s, name, figure, put_picture, err);
    if (status == IK_ERR_INPUT)
        return IK_OK;
    snprintf(name, sizeof name, "%s/%s.csv", s->study->paper, figure);
    return status == IK_OK ? write_file(r, s, name, figure, put_numbers, err) : status;
}

ik_status reproduce_write(const reproduction *r, const reproduced *s, ik_error *err)
{
    char path[4096];
    ik_status status = write_file(r, s, s->experiment, NULL, put_experiment, err);
    if (status == IK_OK)
        status = write_file(r, s, s->points, NULL, put_points, err);
    if (status == IK_OK)
        status = below(r, s->report, path, sizeof path) ? ik_report_html(s->results, path, err)
                                                        : refuse_path(r, err);
    for (size_t i = 0; i < s->about->num_figures && status == IK_OK; i++)
        if (s->shown[i])
            status = write_figure(r, s, s->about->figures[i].name, err);
    return status;
}

typedef ik_status (*write_all_fn)(const ik_study_results *studies, size_t num, FILE *out,
                                  ik_error *err);

static ik_status write_all(const reproduction *r, const char *name, const ik_study_results *list,
                           size_t num, write_all_fn write, ik_error *err)
{
    char path[4096];
    ik_output file;
    if (!below(r, name, path, sizeof path))
        return refuse_path(r, err);
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = write(list, num, file.out, err);
    return ik_output_close(&file, status, err);
}

ik_status reproduce_write_page(const reproduction *r, ik_error *err)
{
    size_t num = 0;
    ik_study_results *list = calloc(r->num + 1, sizeof *list);
    if (!list)
        return ik_fail(err, IK_ERR_MEMORY, "out of memory for a reproduction");
    for (size_t i = 0; i < r->num; i++)
        if (r->studies[i].ran)
            list[num++] = reproduce_results(&r->studies[i]);
    ik_status status = write_all(r, "claims.csv", list, num, ik_reproduction_csv, err);
    if (status == IK_OK)
        status = write_all(r, "index.html", list, num, ik_reproduction_page, err);
    free(list);
    return status;
}
