/* SPDX-License-Identifier: Apache-2.0
 *
 * audit_engine.c: is the engine that made the tables the one that the administrator believes in?
 */
#include "subnet/audit/audit_impl.h"

#include <inttypes.h>
#include <string.h>

/* What each of OpenSM's engines leaves in its tables. */
typedef struct engine {
    const char *name;
    bool minhop;   /* its entries are those of minhop, */
    bool updn;     /* of updn with the top level as roots */
    bool up_down;  /* trees: paths never turn up again */
    bool one_way;  /* trees: one way down to each host */
    bool together; /* hosts of a switch share their entries */
} engine;
static const engine engines[] = {
    {.name = "minhop", .minhop = true},
    {.name = "updn", .updn = true, .up_down = true},
    {.name = "dnup"},
    {.name = "ftree", .up_down = true, .one_way = true},
    {.name = "dor"},
    {.name = "torus-2QoS"},
    {.name = "lash", .together = true},
    {.name = "sssp"},
    {.name = "dfsssp"},
    {.name = "nue"},
};

/* Why the tables cannot be this engine's; NULL: they can. */
static const char *audit_engine_against(const engine *e, const ik_engine_evidence *v)
{
    bool whole = v->minhop == v->entries;
    if (e->minhop)
        return whole ? NULL : "entries differ from those that minhop makes";
    if (e->updn && v->has_levels && v->updn == v->entries)
        return NULL;
    if (e->up_down && v->has_levels && !v->up_down)
        return "paths turn up again after they went down";
    if (e->one_way && v->has_levels && v->one_way < v->destinations)
        return "hosts are reached by several ways down";
    if (e->together && v->together < v->apart)
        return "hosts of one switch have different entries";
    return NULL;
}

/* A regular tree, on which engines that spread hosts evenly come to the same entries. */
static bool audit_engine_regular(const ik_engine_evidence *v)
{
    return v->has_levels && v->up_down && v->one_way == v->destinations;
}

static ik_status audit_engine_compare(audit_work *w, const engine *e)
{
    const ik_engine_evidence *v = &w->a->engine;
    bool told = v->choices || v->minimal < v->entries, whole = v->minhop == v->entries;
    const char *why = told ? audit_engine_against(e, v) : NULL;
    audit_about about = {IK_WARNING,
                         "engine-fallback",
                         IK_NONE,
                         IK_NONE,
                         v->text,
                         "Read OpenSM's log from its start; name the engine as 'NAME,no_fallback' "
                         "to have it say so."};
    bool updn = e->updn && v->has_levels && v->updn == v->entries;
    if (told && whole && !e->minhop && (why || !(audit_engine_regular(v) || updn)))
        return audit_add(w->a, &about, w->err,
                         "the tables are not %s's: they are minhop's, to which OpenSM falls back "
                         "when an engine cannot route a fabric (%s)",
                         e->name, why ? why : "every entry is what minhop makes");
    about.code = "engine-differs";
    if (why)
        return audit_add(w->a, &about, w->err, "the tables are not what %s makes: %s", e->name,
                         why);
    about.severity = IK_NOTE;
    about.code = "engine-unclear";
    about.remedy = NULL;
    if (!told || (whole && !e->minhop))
        return audit_add(w->a, &about, w->err,
                         "the tables can be %s's, but minhop makes the same here", e->name);
    return IK_OK;
}

ik_status audit_engine(audit_work *w)
{
    const char *names[sizeof engines / sizeof *engines + 1] = {NULL};
    const char *believed = w->config->engine;
    ik_status status = ik_engine_recognise(&w->tables, w->env, &w->a->engine, w->err);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        names[i] = engines[i].name;
    if (status != IK_OK || !believed)
        return status;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (strcmp(engines[i].name, believed) == 0)
            return audit_engine_compare(w, &engines[i]);
    return ik_fail_unknown(w->err, "engine of OpenSM", believed, names);
}
