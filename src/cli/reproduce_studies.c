/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/reproduce_studies.c: which studies, and which of their figures, were asked for.
 */
#include "reproduce.h"

#include <stdlib.h>
#include <string.h>

/* "DIR/000/fig2b.full.2of8" and an ending; below DIR without `folder`. Free it. */
static char *reproduce_studies_name_of(const reproduction *r, const reproduced *s, bool folder,
                                       const char *ending)
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
static bool reproduce_studies_names(const char *asked, const reproduced *s, const char *figure)
{
    size_t paper = strlen(s->study->paper);
    if (strncmp(asked, s->study->paper, paper) != 0)
        return false;
    return asked[paper] == '\0' ||
           (asked[paper] == '/' && (strcmp(asked + paper + 1, figure) == 0 ||
                                    strcmp(asked + paper + 1, s->study->name) == 0));
}

const ik_experiment_scale *reproduce_scale(const ik_experiment_about *about, const char *name)
{
    for (size_t i = 0; i < about->num_scales; i++)
        if (strcmp(about->scales[i].name, name) == 0)
            return &about->scales[i];
    static const ik_experiment_scale none = {.name = "", .like = "", .why = ""};
    return &none;
}

/* Marks what an argument asks for; false: nothing. */
static bool reproduce_studies_mark(reproduction *r, const char *asked)
{
    bool any = false;
    for (size_t i = 0; i < r->num; i++)
        for (size_t k = 0; k < r->studies[i].about->num_figures; k++)
            if (reproduce_studies_names(asked, &r->studies[i],
                                        r->studies[i].about->figures[k].name))
                r->studies[i].shown[k] = any = true;
    return any;
}

static int reproduce_studies_refuse_name(const cli *c, const reproduction *r, const char *asked)
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
    int status =
        nearest ? cli_usage(c, "there is no reproduction '%s'; did you mean '%s'?", asked, nearest)
                : cli_usage(c, "there is no reproduction '%s': see 'ikat reproduce --list'", asked);
    free(list);
    free(text);
    return status;
}

static void reproduce_studies_close_study(reproduced *s)
{
    ik_study_page_free(s->page);
    ik_experiment_free(s->e);
    free(s->shown);
    free(s->results);
    free(s->report);
    free(s->experiment);
    free(s->points);
}

void reproduce_close(reproduction *r)
{
    for (size_t i = 0; i < r->num; i++)
        reproduce_studies_close_study(&r->studies[i]);
    free(r->studies);
}

static ik_status reproduce_studies_open_study(const reproduction *r, const ik_study *study,
                                              reproduced *s, ik_error *err)
{
    *s = (reproduced){.study = study};
    ik_status status = ik_study_read(study, r->scale, &s->e, err);
    if (status != IK_OK)
        return status;
    s->about = ik_experiment_get_about(s->e);
    s->shown = calloc(s->about->num_figures + 1, sizeof *s->shown);
    s->results = reproduce_studies_name_of(r, s, true, ".db");
    s->report = reproduce_studies_name_of(r, s, false, ".html");
    s->experiment = reproduce_studies_name_of(r, s, false, ".yaml");
    s->points = reproduce_studies_name_of(r, s, false, ".points.csv");
    return s->shown && s->results && s->report && s->experiment && s->points
               ? IK_OK
               : ik_fail(err, IK_ERR_MEMORY, "out of memory for a reproduction");
}

static ik_status reproduce_studies_open_all(reproduction *r, ik_error *err)
{
    size_t num;
    const ik_study *all = ik_studies(&num);
    r->studies = calloc(num + 1, sizeof *r->studies);
    ik_status status =
        r->studies ? IK_OK : ik_fail(err, IK_ERR_MEMORY, "out of memory for a reproduction");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = reproduce_studies_open_study(r, &all[i], &r->studies[r->num++], err);
    return status;
}

/* Away with studies of which nothing is shown. */
static void reproduce_studies_keep_shown(reproduction *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->num; i++) {
        bool any = false;
        for (size_t k = 0; k < r->studies[i].about->num_figures; k++)
            any |= r->studies[i].shown[k];
        if (any)
            r->studies[kept++] = r->studies[i];
        else
            reproduce_studies_close_study(&r->studies[i]);
    }
    r->num = kept;
}

int reproduce_open(cli *c, reproduction *r)
{
    ik_error err;
    if (reproduce_studies_open_all(r, &err) != IK_OK)
        return cli_error(c, &err);
    for (size_t i = 0; c->num_args == 0 && i < r->num; i++)
        memset(r->studies[i].shown, true, r->studies[i].about->num_figures);
    for (int i = 0; i < c->num_args; i++)
        if (!reproduce_studies_mark(r, c->args[i]))
            return reproduce_studies_refuse_name(c, r, c->args[i]);
    reproduce_studies_keep_shown(r);
    return CLI_DONE;
}
