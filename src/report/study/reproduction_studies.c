/* SPDX-License-Identifier: Apache-2.0
 *
 * report/study/reproduction_studies.c: which studies, and which of their figures, were asked for.
 */
#include "ikat/reproduce.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "DIR/000/fig2b.full.2of8" and an ending; below DIR without `folder`. Free it. */
static char *reproduction_studies_name_of(const ik_reproduction *r, const ik_reproduced *s,
                                          bool folder, const char *ending)
{
    char shard[40] = "", *out = NULL;
    bool written = strcmp(s->about->scale, ik_scales(NULL)->name) == 0;
    if (r->part.num_shards > 1)
        snprintf(shard, sizeof shard, ".%uof%u", r->part.shard, r->part.num_shards);
    size_t size = strlen(r->folder) + strlen(s->study->paper) + strlen(s->study->name) +
                  strlen(s->about->scale) + 64;
    if ((out = malloc(size)))
        snprintf(out, size, "%s%s%s/%s%s%s%s%s", folder ? r->folder : "", folder ? "/" : "",
                 s->study->paper, s->study->name, written ? "" : ".",
                 written ? "" : s->about->scale, shard, ending);
    return out;
}

/* Does this argument ask for the figure? "000", "000/fig2b", or the study's own name. */
static bool reproduction_studies_names(const char *asked, const ik_reproduced *s,
                                       const char *figure)
{
    size_t paper = strlen(s->study->paper);
    if (strncmp(asked, s->study->paper, paper) != 0)
        return false;
    return asked[paper] == '\0' ||
           (asked[paper] == '/' && (strcmp(asked + paper + 1, figure) == 0 ||
                                    strcmp(asked + paper + 1, s->study->name) == 0));
}

const ik_experiment_scale *ik_reproduction_scale(const ik_experiment_about *about, const char *name)
{
    for (size_t i = 0; i < about->num_scales; i++)
        if (strcmp(about->scales[i].name, name) == 0)
            return &about->scales[i];
    static const ik_experiment_scale none = {.name = "", .like = "", .why = ""};
    return &none;
}

/* Marks what an argument asks for; false: nothing. */
static bool reproduction_studies_mark(ik_reproduction *r, const char *asked)
{
    bool any = false;
    for (size_t i = 0; i < r->num; i++)
        for (size_t k = 0; k < r->studies[i].about->num_figures; k++)
            if (reproduction_studies_names(asked, &r->studies[i],
                                           r->studies[i].about->figures[k].name))
                r->studies[i].shown[k] = any = true;
    return any;
}

static ik_status reproduction_studies_refuse_name(const ik_reproduction *r, const char *asked,
                                                  ik_error *err)
{
    size_t num = 0, used = 0;
    for (size_t i = 0; i < r->num; i++)
        num += r->studies[i].about->num_figures;
    char(*text)[128] = calloc(num + 1, sizeof *text);
    const char **list = calloc(num + 1, sizeof *list);
    for (size_t i = 0; text && list && i < r->num; i++)
        for (size_t k = 0; k < r->studies[i].about->num_figures; k++) {
            snprintf(text[used], sizeof text[used], "%s/%s", r->studies[i].study->paper,
                     r->studies[i].about->figures[k].name);
            list[used] = text[used];
            used++;
        }
    const char *nearest = text && list ? ik_nearest_name(asked, list) : NULL;
    ik_status status =
        nearest ? ik_fail(err, IK_ERR_USAGE,
                          "there is no reproduction '%.200s'; did you mean '%s'?", asked, nearest)
                : ik_fail(err, IK_ERR_USAGE,
                          "there is no reproduction '%.200s': see 'ikat reproduce "
                          "--list'",
                          asked);
    free(list);
    free(text);
    return status;
}

static void reproduction_studies_close_study(ik_reproduced *s)
{
    ik_study_page_free(s->page);
    ik_experiment_free(s->e);
    free(s->shown);
    free(s->results);
    free(s->report);
    free(s->experiment);
    free(s->points);
}

void ik_reproduction_close(ik_reproduction *r)
{
    for (size_t i = 0; i < r->num; i++)
        reproduction_studies_close_study(&r->studies[i]);
    free(r->studies);
}

static ik_status reproduction_studies_open_study(const ik_reproduction *r, const ik_study *study,
                                                 ik_reproduced *s, ik_error *err)
{
    *s = (ik_reproduced){.study = study};
    ik_status status = ik_study_read(study, r->scale, &s->e, err);
    if (status != IK_OK)
        return status;
    s->about = ik_experiment_get_about(s->e);
    s->shown = calloc(s->about->num_figures + 1, sizeof *s->shown);
    s->results = reproduction_studies_name_of(r, s, true, ".db");
    s->report = reproduction_studies_name_of(r, s, false, ".html");
    s->experiment = reproduction_studies_name_of(r, s, false, ".yaml");
    s->points = reproduction_studies_name_of(r, s, false, ".points.csv");
    return s->shown && s->results && s->report && s->experiment && s->points
               ? IK_OK
               : ik_fail(err, IK_ERR_MEMORY, "out of memory for a reproduction");
}

static ik_status reproduction_studies_open_all(ik_reproduction *r, ik_error *err)
{
    size_t num;
    const ik_study *all = ik_studies(&num);
    r->studies = calloc(num + 1, sizeof *r->studies);
    ik_status status =
        r->studies ? IK_OK : ik_fail(err, IK_ERR_MEMORY, "out of memory for a reproduction");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = reproduction_studies_open_study(r, &all[i], &r->studies[r->num++], err);
    return status;
}

/* Away with studies of which nothing is shown. */
static void reproduction_studies_keep_shown(ik_reproduction *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->num; i++) {
        bool any = false;
        for (size_t k = 0; k < r->studies[i].about->num_figures; k++)
            any |= r->studies[i].shown[k];
        if (any)
            r->studies[kept++] = r->studies[i];
        else
            reproduction_studies_close_study(&r->studies[i]);
    }
    r->num = kept;
}

static ik_status reproduction_studies_read_scale(const char *asked, const char **out, ik_error *err)
{
    enum { MOST_SCALES = 16 };
    size_t num;
    const ik_scale *scales = ik_scales(&num);
    const char *names[MOST_SCALES + 1] = {NULL};
    *out = scales[0].name;
    if (!asked)
        return IK_OK;
    for (size_t i = 0; i < num && i < MOST_SCALES; i++) {
        names[i] = *out = scales[i].name;
        if (strcmp(asked, names[i]) == 0)
            return IK_OK;
    }
    return ik_fail_unknown(err, "scale", asked, names);
}

ik_status ik_reproduction_open(const char *const *names, size_t num, const char *folder,
                               const char *scale, const ik_run_part *part, ik_reproduction *out,
                               ik_error *err)
{
    *out = (ik_reproduction){.folder = folder};
    if (part)
        out->part = *part;
    ik_status status = reproduction_studies_read_scale(scale, &out->scale, err);
    if (status == IK_OK)
        status = reproduction_studies_open_all(out, err);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; num == 0 && i < out->num; i++)
        memset(out->studies[i].shown, true, out->studies[i].about->num_figures);
    for (size_t i = 0; i < num; i++)
        if (!reproduction_studies_mark(out, names[i]))
            return reproduction_studies_refuse_name(out, names[i], err);
    reproduction_studies_keep_shown(out);
    return IK_OK;
}

bool ik_reproduction_part(const ik_reproduction *r, const ik_reproduced *s, double spent_s,
                          ik_run_part *part)
{
    *part = r->part;
    if (r->part.budget_s <= 0 || (part->budget_s -= spent_s) > 0)
        return true;
    part->budget_s = 1e-9; /* no point is run, and what was run earlier is shown */
    return access(s->results, F_OK) == 0;
}
