/* SPDX-License-Identifier: Apache-2.0
 *
 * report/study/reproduction_write.c: the files of a reproduction, and what became of its claims.
 */
#include "ikat/reproduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ik_status reproduction_write_make_folder(const char *path, ik_error *err)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return IK_OK;
    return ik_fail(err, IK_ERR_IO, "cannot make the folder '%.200s': %s", path, strerror(errno));
}

/* DIR/name in the buffer; false: it is too long. */
static bool reproduction_write_below(const ik_reproduction *r, const char *name, char *path,
                                     size_t size)
{
    int length = snprintf(path, size, "%s/%s", r->folder, name);
    return length > 0 && (size_t)length < size;
}

static ik_status reproduction_write_refuse_path(const ik_reproduction *r, ik_error *err)
{
    return ik_fail(err, IK_ERR_USAGE, "the name of the folder '%.100s' is too long", r->folder);
}

ik_status ik_reproduction_make_folders(const ik_reproduction *r, ik_error *err)
{
    ik_status status = reproduction_write_make_folder(r->folder, err);
    for (size_t i = 0; i < r->num && status == IK_OK; i++) {
        char path[4096];
        status = reproduction_write_below(r, r->studies[i].study->paper, path, sizeof path)
                     ? reproduction_write_make_folder(path, err)
                     : reproduction_write_refuse_path(r, err);
    }
    return status;
}

/* A study whose results are open, and what writes one of its files. */
typedef struct opened {
    const ik_reproduced *s;
    ik_results *results;
} opened;
typedef ik_status (*write_fn)(const opened *o, const char *name, FILE *out, ik_error *err);

static ik_status reproduction_write_put_experiment(const opened *o, const char *name, FILE *out,
                                                   ik_error *err)
{
    (void)name;
    (void)err;
    fwrite(o->s->study->text, 1, o->s->study->size, out);
    return IK_OK; /* a failed write is found when the file is closed */
}

static ik_status reproduction_write_put_points(const opened *o, const char *name, FILE *out,
                                               ik_error *err)
{
    (void)name;
    return ik_results_csv(o->results, out, err);
}

static ik_status reproduction_write_put_picture(const opened *o, const char *name, FILE *out,
                                                ik_error *err)
{
    return ik_results_figure(o->results, name, IK_FIGURE_SVG, out, 0, false, err);
}

static ik_status reproduction_write_put_numbers(const opened *o, const char *name, FILE *out,
                                                ik_error *err)
{
    return ik_results_figure(o->results, name, IK_FIGURE_CSV, out, 0, false, err);
}

static ik_status reproduction_write_file(const ik_reproduction *r, const opened *o,
                                         const char *name, const char *figure, write_fn write,
                                         ik_error *err)
{
    char path[4096];
    ik_output file;
    if (!reproduction_write_below(r, name, path, sizeof path))
        return reproduction_write_refuse_path(r, err);
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = write(o, figure, file.out, err);
    return ik_output_close(&file, status, err);
}

/* A figure of which points are missing has no picture: the page says so. One that an earlier run
 * left is not of these results. */
static ik_status reproduction_write_figure(const ik_reproduction *r, const opened *o,
                                           const char *figure, ik_error *err)
{
    char picture[256], numbers[256], path[4096];
    snprintf(picture, sizeof picture, "%s/%s.svg", o->s->study->paper, figure);
    snprintf(numbers, sizeof numbers, "%s/%s.csv", o->s->study->paper, figure);
    ik_status status =
        reproduction_write_file(r, o, picture, figure, reproduction_write_put_picture, err);
    if (status == IK_OK)
        return reproduction_write_file(r, o, numbers, figure, reproduction_write_put_numbers, err);
    if (status != IK_ERR_INPUT)
        return status;
    const char *const old[] = {picture, numbers};
    for (size_t i = 0; i < 2; i++)
        if (reproduction_write_below(r, old[i], path, sizeof path))
            unlink(path);
    return IK_OK;
}

static ik_status reproduction_write_beside(const ik_reproduction *r, const opened *o, ik_error *err)
{
    const ik_reproduced *s = o->s;
    char path[4096];
    ik_status status =
        reproduction_write_file(r, o, s->experiment, NULL, reproduction_write_put_experiment, err);
    if (status == IK_OK)
        status = reproduction_write_file(r, o, s->points, NULL, reproduction_write_put_points, err);
    if (status == IK_OK)
        status = reproduction_write_below(r, s->report, path, sizeof path)
                     ? ik_results_html(o->results, path, err)
                     : reproduction_write_refuse_path(r, err);
    for (size_t i = 0; i < s->about->num_figures && status == IK_OK; i++)
        if (s->shown[i])
            status = reproduction_write_figure(r, o, s->about->figures[i].name, err);
    return status;
}

ik_status ik_reproduction_write(const ik_reproduction *r, ik_reproduced *s, ik_error *err)
{
    opened o = {.s = s};
    ik_status status = ik_results_open(s->results, &o.results, err);
    if (status != IK_OK)
        return status;
    const ik_study_results results = {s->study,      s->about,  o.results, s->report,
                                      s->experiment, s->points, s->shown};
    status = reproduction_write_beside(r, &o, err);
    if (status == IK_OK)
        status = ik_study_page_make(&results, &s->page, err);
    ik_results_close(o.results);
    return status;
}

typedef ik_status (*write_all_fn)(ik_study_page *const *pages, size_t num, FILE *out,
                                  ik_error *err);

static ik_status reproduction_write_all(const ik_reproduction *r, const char *name,
                                        ik_study_page *const *pages, size_t num, write_all_fn write,
                                        ik_error *err)
{
    char path[4096];
    ik_output file;
    if (!reproduction_write_below(r, name, path, sizeof path))
        return reproduction_write_refuse_path(r, err);
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = write(pages, num, file.out, err);
    return ik_output_close(&file, status, err);
}

ik_status ik_reproduction_write_page(const ik_reproduction *r, ik_error *err)
{
    size_t num = 0;
    ik_study_page **list = calloc(r->num + 1, sizeof *list);
    if (!list)
        return ik_fail(err, IK_ERR_MEMORY, "out of memory for a reproduction");
    for (size_t i = 0; i < r->num; i++)
        if (r->studies[i].page)
            list[num++] = r->studies[i].page;
    ik_status status = reproduction_write_all(r, "claims.csv", list, num, ik_reproduction_csv, err);
    if (status == IK_OK)
        status = reproduction_write_all(r, "index.html", list, num, ik_reproduction_page, err);
    free(list);
    return status;
}

/* ---- what became of it */

typedef struct judging {
    ik_reproduced_claim_fn fn;
    void *ctx;
    const ik_reproduced *s; /* whose claims come */
    ik_reproduction_verdicts *v;
} judging;

static ik_status reproduction_write_count(void *ctx, const ik_claim *claim, ik_error *err)
{
    judging *x = ctx;
    ik_verdicts_add(&x->v->num, claim->verdict, claim->differs);
    ik_verdicts_add(&x->v->by_basis[claim->basis], claim->verdict, claim->differs);
    x->v->blind += claim->blind[0] != '\0';
    x->v->unexplained += claim->blind[0] && !claim->weak[0];
    return x->fn ? x->fn(x->ctx, x->s, claim, err) : IK_OK;
}

ik_status ik_reproduction_judge(const ik_reproduction *r, ik_reproduced_claim_fn fn, void *ctx,
                                ik_reproduction_verdicts *out, ik_error *err)
{
    ik_status status = IK_OK;
    *out = (ik_reproduction_verdicts){0};
    for (size_t i = 0; i < r->num && status == IK_OK; i++) {
        judging x = {fn, ctx, &r->studies[i], out};
        out->lacking += !x.s->page;
        if (x.s->page)
            status = ik_study_page_claims(x.s->page, reproduction_write_count, &x, err);
    }
    return status;
}

static void reproduction_write_counts(ik_json *j, const ik_verdicts *n)
{
    ik_json_uint(j, "hold", n->hold);
    ik_json_uint(j, "differ", n->differ);
    ik_json_uint(j, "differ_as_recorded", n->recorded);
    ik_json_uint(j, "cannot_be_told", n->untold);
    ik_json_uint(j, "not_asked", n->not_asked);
}

void ik_reproduction_json(const ik_reproduction *r, const ik_reproduction_verdicts *v, ik_json *j)
{
    ik_json_text(j, "folder", r->folder);
    ik_json_text(j, "scale", r->scale);
    reproduction_write_counts(j, &v->num);
    for (ik_claim_basis b = 0; b < IK_NUM_BASES; b++) {
        ik_json_object(j, ik_claim_basis_name(b));
        reproduction_write_counts(j, &v->by_basis[b]);
        ik_json_close(j);
    }
    ik_json_uint(j, "blind", v->blind);
    ik_json_uint(j, "blind_and_not_weak", v->unexplained);
    ik_json_uint(j, "experiments_without_results", v->lacking);
}
