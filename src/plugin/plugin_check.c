/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin_check.c: what the descriptors of a plug-in must have. The rest of the library calls the
 * functions that a family requires without looking whether they are there.
 */
#include "plugin/plugin.h"

#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>

bool plugin_is_name(const char *name)
{
    if (!name || !isalpha((unsigned char)name[0]) || strlen(name) > 60)
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

/* One thing that a descriptor needs: whether it is there. */
typedef struct requirement {
    const char *name; /* "create"; NULL = the end */
    bool there;
} requirement;

static ik_status check_needed(const char *kind, const char *name, const requirement *needed,
                              ik_error *err)
{
    for (; needed->name; needed++)
        if (!needed->there) {
            ik_fail(err, IK_ERR_INPUT, "%s '%.60s' is incomplete: '%s' is missing", kind, name,
                    needed->name);
            return ik_hint(err, IK_ERR_INPUT,
                           "the header ikat/plugin.h and those that it names say what a descriptor "
                           "of this family consists of");
        }
    return IK_OK;
}

/* Rows that a table of parameters cannot have, and defaults that are no values. */
static ik_status check_params(const char *kind, const char *name, const ik_param *params,
                              ik_error *err)
{
    ik_params made = {0};
    ik_error why;
    for (const ik_param *p = params; p && p->name; p++) {
        bool good = plugin_is_name(p->name) && p->help && (unsigned)p->type <= IK_PARAM_LENGTH &&
                    (p->type != IK_PARAM_ENUM || p->choices);
        if (!good)
            return ik_fail(err, IK_ERR_INPUT,
                           "%s '%.60s': the parameter '%.60s' needs a name of letters, digits and "
                           "'_', a known type, a help text, and choices if it is one of several "
                           "words",
                           kind, name, p->name);
        for (const ik_param *other = params; other < p; other++)
            if (strcmp(other->name, p->name) == 0)
                return ik_fail(err, IK_ERR_INPUT, "%s '%.60s' has the parameter '%.60s' twice",
                               kind, name, p->name);
    }
    ik_status status = ik_params_init(&made, params, NULL, &why);
    if (status != IK_OK)
        return ik_fail(err, status == IK_ERR_MEMORY ? status : IK_ERR_INPUT,
                       "%s '%.60s': a default of its parameters is no value: %s", kind, name,
                       why.text);
    ik_params_free(&made);
    return IK_OK;
}

/* What all descriptors have. Names that mean something else to an experiment are refused. */
static ik_status check_common(const char *kind, const char *name, const char *summary,
                              const ik_param *params, ik_error *err)
{
    if (!plugin_is_name(name) || strcmp(name, "auto") == 0) {
        ik_fail(err, IK_ERR_INPUT, "'%.60s' cannot be the name of a %s", name ? name : "", kind);
        return ik_hint(err, IK_ERR_INPUT, "names have letters, digits and '_', a letter first");
    }
    const requirement needed[] = {{"summary", summary != NULL}, {0}};
    ik_status status = check_needed(kind, name, needed, err);
    return status == IK_OK ? check_params(kind, name, params, err) : status;
}

static ik_status check_topology(const void *member, ik_error *err)
{
    const ik_topology *t = member;
    ik_status status = check_common("topology", t->name, t->summary, t->params, err);
    const requirement needed[] = {{"params", t->params != NULL}, {"build", t->build != NULL}, {0}};
    if (status == IK_OK)
        status = check_needed("topology", t->name, needed, err);
    for (const ik_shorthand *s = t->shorthands; status == IK_OK && s && s->name; s++) {
        const requirement of_shorthand[] = {
            {"params", s->params != NULL}, {"expand", s->expand != NULL}, {0}};
        status = check_common("shorthand", s->name, s->summary, s->params, err);
        if (status == IK_OK)
            status = check_needed("shorthand", s->name, of_shorthand, err);
    }
    for (const ik_series *s = t->series; status == IK_OK && s && s->name; s++) {
        const requirement of_series[] = {{"point", s->point != NULL}, {0}};
        status = check_needed("series", s->name, of_series, err);
    }
    return status;
}

static ik_status check_legs(const ik_routing_family *f, ik_error *err)
{
    const ik_legs *l = f->legs;
    const unsigned traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH;
    if (!l)
        return IK_OK;
    const requirement needed[] = {{"legs.num_headings", l->num_headings != NULL},
                                  {"legs.headings", l->headings != NULL},
                                  {"legs.start", l->start != NULL},
                                  {"legs.turns", l->turns != NULL},
                                  {"traits that legs need", (f->traits & traits) == traits},
                                  {0}};
    return check_needed("routing", f->name, needed, err);
}

static ik_status check_routing(const void *member, ik_error *err)
{
    const ik_routing_family *f = member;
    ik_status status = check_common("routing", f->name, f->summary, f->params, err);
    const requirement needed[] = {
        {"create", f->create != NULL},
        {"next", f->next != NULL},
        {"kind", (unsigned)f->kind <= IK_ROUTE_ADAPTIVE},
        {"start_nth, of several starts,", !f->num_starts || f->start_nth},
        {"num_starts, without which start_nth has no effect,", !f->start_nth || f->num_starts},
        {"entry_nth, of a number of entries,", !f->num_entries || f->entry_nth},
        {"leg, without which middles has no effect,", !f->middles || f->leg},
        {0}};
    if (status == IK_OK)
        status = check_needed("routing", f->name, needed, err);
    return status == IK_OK ? check_legs(f, err) : status;
}

static ik_status check_selection(const void *member, ik_error *err)
{
    const ik_selection_family *f = member;
    ik_status status = check_common("selection function", f->name, f->summary, f->params, err);
    const requirement needed[] = {
        {"pick", f->pick != NULL},
        {"pick_mask, which BY_PREFERENCE asks,",
         f->rule != IK_SELECT_BY_PREFERENCE || f->pick_mask},
        {"score, which ik_select_best asks,",
         (f->pick != ik_select_best && f->pick_mask != ik_select_best_of) || f->score},
        {"rule", f->rule <= IK_SELECT_BY_PREFERENCE},
        {0}};
    return status == IK_OK ? check_needed("selection function", f->name, needed, err) : status;
}

static ik_status check_vc(const void *member, ik_error *err)
{
    const ik_vc_family *f = member;
    ik_status status = check_common("VC scheme", f->name, f->summary, f->params, err);
    const requirement needed[] = {{"create", f->create != NULL},
                                  {"inject", f->inject != NULL},
                                  {"next", f->next != NULL},
                                  {0}};
    return status == IK_OK ? check_needed("VC scheme", f->name, needed, err) : status;
}

static ik_status check_traffic(const void *member, ik_error *err)
{
    const ik_traffic_family *f = member;
    ik_status status = check_common("traffic pattern", f->name, f->summary, f->params, err);
    const requirement needed[] = {{"dest", f->dest != NULL},
                                  {"flows", f->flows != NULL},
                                  {"create, which makes the workload,", !f->ends || f->create},
                                  {"class_share, with class_of,", !f->class_of || f->class_share},
                                  {0}};
    return status == IK_OK ? check_needed("traffic pattern", f->name, needed, err) : status;
}

static ik_status check_format(const void *member, ik_error *err)
{
    const ik_format *f = member;
    ik_status status = check_common("format", f->name, f->summary, NULL, err);
    const requirement needed[] = {{"extensions", f->extensions != NULL},
                                  {"read or write", f->read || f->write},
                                  {"probe, with read,", !f->read || f->probe},
                                  {0}};
    return status == IK_OK ? check_needed("format", f->name, needed, err) : status;
}

/* ---- the families, by the kinds of the registry */

/* Two functions of a family: all of its members, and those of a plug-in. */
#define PLUGIN_FAMILY(name, all, list)                                                             \
    static const void *name##_all(void)                                                            \
    {                                                                                              \
        return all();                                                                              \
    }                                                                                              \
    static const void *name##_of(const ik_plugin *plugin)                                          \
    {                                                                                              \
        return plugin->list;                                                                       \
    }
PLUGIN_FAMILY(plugin_topologies, ik_topologies, topologies)
PLUGIN_FAMILY(plugin_routings, ik_routings, routings)
PLUGIN_FAMILY(plugin_selections, ik_selections, selections)
PLUGIN_FAMILY(plugin_vcs, ik_vcs, vcs)
PLUGIN_FAMILY(plugin_traffics, ik_traffics, traffics)
PLUGIN_FAMILY(plugin_formats, ik_formats, formats)

const plugin_family plugin_families[REGISTRY_KINDS] = {
    [REGISTRY_TOPOLOGY] = {"topology", plugin_topologies_all, plugin_topologies_of, check_topology},
    [REGISTRY_ROUTING] = {"routing", plugin_routings_all, plugin_routings_of, check_routing},
    [REGISTRY_SELECTION] = {"selection function", plugin_selections_all, plugin_selections_of,
                            check_selection},
    [REGISTRY_VC] = {"VC scheme", plugin_vcs_all, plugin_vcs_of, check_vc},
    [REGISTRY_TRAFFIC] = {"traffic pattern", plugin_traffics_all, plugin_traffics_of,
                          check_traffic},
    [REGISTRY_FORMAT] = {"format", plugin_formats_all, plugin_formats_of, check_format},
};

/* ---- lists whose type is not known */

_Static_assert(offsetof(ik_topology, name) == 0 && offsetof(ik_routing_family, name) == 0 &&
                   offsetof(ik_selection_family, name) == 0 && offsetof(ik_vc_family, name) == 0 &&
                   offsetof(ik_traffic_family, name) == 0 && offsetof(ik_format, name) == 0,
               "plugin_member_name() reads the first member");

const void *plugin_member(const void *list, size_t k)
{
    assert(list);
    const void *member;
    memcpy(&member, (const char *)list + k * sizeof member, sizeof member);
    return member;
}

const char *plugin_member_name(const void *member)
{
    const char *name;
    memcpy(&name, member, sizeof name);
    return name;
}

size_t plugin_count(const void *list)
{
    size_t num = 0;
    while (list && plugin_member(list, num))
        num++;
    return num;
}
