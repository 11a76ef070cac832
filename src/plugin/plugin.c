/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.c: adds the members of a plug-in to their families.
 */
#include "plugin/plugin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- names */

/* Of a topology: whether one of its shorthands has the name. */
static bool plugin_has_shorthand(registry_kind kind, const void *member, const char *name)
{
    const ik_topology *t = member;
    for (const ik_shorthand *s = kind == REGISTRY_TOPOLOGY ? t->shorthands : NULL; s && s->name;
         s++)
        if (strcmp(s->name, name) == 0)
            return true;
    return false;
}

/* The member of a list that has the name, or a shorthand of that name; NULL = none. */
static const void *plugin_find_name(registry_kind kind, const void *list, size_t num,
                                    const char *name)
{
    for (size_t k = 0; k < num; k++) {
        const void *member = plugin_member(list, k);
        if (strcmp(plugin_member_name(member), name) == 0 ||
            plugin_has_shorthand(kind, member, name))
            return member;
    }
    return NULL;
}

/* Whether a member of this plug-in may take the other's place. */
static bool plugin_may_replace(const ik_plugin *plugin, const void *other)
{
    const ik_plugin_info *of = ik_plugin_of(other);
    return plugin->replaces && of && strcmp(of->name, plugin->name) == 0;
}

static ik_status plugin_refuse_taken(registry_kind kind, const char *name, const void *other,
                                     ik_error *err)
{
    const ik_plugin_info *of = ik_plugin_of(other);
    ik_fail(err, IK_ERR_INPUT, "there is a %s '%.60s' already%s%s%s", plugin_families[kind].what,
            name, of ? ", of the plug-in '" : "", of ? of->name : "", of ? "'" : "");
    return ik_hint(err, IK_ERR_INPUT, "give it another name");
}

/* A name that another member has, among those that are there and those before it in the plug-in. */
static ik_status plugin_check_name(const ik_plugin *plugin, registry_kind kind, size_t k,
                                   const char *name, ik_error *err)
{
    const void *there = plugin_families[kind].all(), *list = plugin_families[kind].list_of(plugin);
    const void *other = plugin_find_name(kind, there, plugin_count(there), name);
    if (other && !plugin_may_replace(plugin, other))
        return plugin_refuse_taken(kind, name, other, err);
    if (plugin_find_name(kind, list, k, name))
        return ik_fail(err, IK_ERR_INPUT, "the %s '%.60s' is listed twice",
                       plugin_families[kind].what, name);
    return IK_OK;
}

static ik_status plugin_check_member(const ik_plugin *plugin, registry_kind kind, size_t k,
                                     ik_error *err)
{
    const void *member = plugin_member(plugin_families[kind].list_of(plugin), k);
    ik_status status = plugin_families[kind].check(member, err);
    if (status == IK_OK)
        status = plugin_check_name(plugin, kind, k, plugin_member_name(member), err);
    const ik_topology *t = kind == REGISTRY_TOPOLOGY ? member : NULL;
    for (const ik_shorthand *s = t ? t->shorthands : NULL; status == IK_OK && s && s->name; s++)
        status = plugin_check_name(plugin, kind, k, s->name, err);
    return status;
}

/* ---- the plug-in itself */

static ik_status plugin_check_head(const ik_plugin *plugin, const char *identity, ik_error *err)
{
    if (plugin->version != IK_PLUGIN_VERSION) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "made for version %u of ikat's plug-ins, and this ikat (%s) has version %d",
                plugin->version, ik_version(), IK_PLUGIN_VERSION);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "compile it with the headers of this ikat");
    }
    if (plugin->layout != IK_PLUGIN_LAYOUT) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "compiled with other headers than those of this ikat (%s): structures have other "
                "sizes",
                ik_version());
        return ik_hint(err, IK_ERR_UNSUPPORTED, "compile it with the headers of this ikat");
    }
    if (!plugin_is_name(plugin->name)) {
        ik_fail(err, IK_ERR_INPUT, "'%.60s' cannot be the name of a plug-in",
                plugin->name ? plugin->name : "");
        return ik_hint(err, IK_ERR_INPUT, "names have letters, digits and '_', a letter first");
    }
    if (!plugin->summary)
        return ik_fail(err, IK_ERR_INPUT, "plug-in '%.60s' has no summary", plugin->name);
    if (!identity || !identity[0]) {
        ik_fail(err, IK_ERR_INPUT, "plug-in '%.60s' has no identity", plugin->name);
        return ik_hint(err, IK_ERR_INPUT,
                       "a text that changes whenever its results may change, such as a version");
    }
    return IK_OK;
}

/* Two plug-ins of one name could not be told apart in messages. */
static ik_status plugin_check_own_name(const ik_plugin *plugin, ik_error *err)
{
    for (const registry_plugin *p = registry_newest(); p && !plugin->replaces; p = p->before) {
        const ik_plugin_info *info = p->info;
        if (strcmp(info->name, plugin->name) == 0) {
            ik_fail(err, IK_ERR_INPUT, "a plug-in '%.60s' is there already%s%s", plugin->name,
                    info->file[0] ? ", from " : "", info->file);
            return ik_hint(err, IK_ERR_INPUT, "give it another name");
        }
    }
    return IK_OK;
}

static ik_status plugin_check_all(const ik_plugin *plugin, const char *identity, size_t *num,
                                  ik_error *err)
{
    ik_status status = plugin_check_head(plugin, identity, err);
    if (status == IK_OK)
        status = plugin_check_own_name(plugin, err);
    for (int kind = 0; kind < REGISTRY_KINDS && status == IK_OK; kind++) {
        size_t members = plugin_count(plugin_families[kind].list_of(plugin));
        for (size_t k = 0; k < members && status == IK_OK; k++)
            status = plugin_check_member(plugin, kind, k, err);
        *num += members;
    }
    if (status == IK_OK && *num == 0)
        status = ik_fail(err, IK_ERR_INPUT, "plug-in '%.60s' has no members", plugin->name);
    return status;
}

/* ---- adding */

/* What a registered plug-in consists of, in one place: never freed once it is published. */
typedef struct entry {
    registry_plugin plugin;
    ik_plugin_info info;
    const void **members;
    void *tables[REGISTRY_KINDS];
    char *name, *summary, *file, *identity;
} entry;

static void plugin_entry_free(entry *e)
{
    if (!e)
        return;
    for (int kind = 0; kind < REGISTRY_KINDS; kind++)
        free(e->tables[kind]);
    free(e->members);
    free(e->name);
    free(e->summary);
    free(e->file);
    free(e->identity);
    free(e);
}

/* The family's array with the plug-in's members: in the place of those that they replace, or behind
 * all others. Copied as bytes, which keeps the pointers' own types. */
static char *plugin_make_table(const void *there, const void *list, registry_kind kind)
{
    size_t old = plugin_count(there), added = plugin_count(list), used = old;
    char *table = ik_calloc(old + added + 1, sizeof(void *));
    if (!table)
        return NULL;
    memcpy(table, there, old * sizeof(void *));
    for (size_t k = 0; k < added; k++) {
        const char *name = plugin_member_name(plugin_member(list, k));
        const void *replaced = plugin_find_name(kind, there, old, name);
        size_t at = 0;
        /* two of them may have the names of one: the member, and a shorthand of it */
        while (at < old &&
               (plugin_member(there, at) != replaced || plugin_member(table, at) != replaced))
            at++;
        memcpy(table + (at < old ? at : used++) * sizeof(void *),
               (const char *)list + k * sizeof(void *), sizeof(void *));
    }
    return table;
}

static entry *plugin_entry_new(const ik_plugin *plugin, const char *file, const char *identity,
                               size_t num)
{
    entry *e = ik_calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->name = strdup(plugin->name);
    e->summary = strdup(plugin->summary);
    e->file = strdup(file ? file : "");
    e->identity = strdup(identity);
    e->members = ik_calloc(num, sizeof *e->members);
    bool good = e->name && e->summary && e->file && e->identity && e->members;
    for (int kind = 0; kind < REGISTRY_KINDS && good; kind++) {
        const void *list = plugin_families[kind].list_of(plugin);
        size_t members = plugin_count(list);
        for (size_t k = 0; k < members; k++)
            e->members[e->plugin.num_members++] = plugin_member(list, k);
        if (members) {
            e->tables[kind] = plugin_make_table(plugin_families[kind].all(), list, kind);
            good = e->tables[kind] != NULL;
        }
        e->plugin.tables[kind] = e->tables[kind];
    }
    if (good)
        return e;
    plugin_entry_free(e);
    return NULL;
}

ik_status plugin_register(const ik_plugin *plugin, const char *file, const char *identity,
                          ik_error *err)
{
    size_t num = 0;
    ik_status status = plugin_check_all(plugin, identity, &num, err);
    if (status != IK_OK)
        return status;
    entry *e = plugin_entry_new(plugin, file, identity, num);
    if (!e)
        return ik_fail_memory(err, sizeof *e, "a plug-in");
    assert(e->plugin.num_members == num);
    e->info = (ik_plugin_info){.name = e->name,
                               .summary = e->summary,
                               .file = e->file,
                               .identity = e->identity,
                               .num_members = num};
    e->plugin.info = &e->info;
    e->plugin.identity = e->identity;
    e->plugin.members = e->members;
    registry_publish(&e->plugin);
    return IK_OK;
}

ik_status ik_register(const ik_plugin *plugin, ik_error *err)
{
    registry_lock();
    ik_status status =
        plugin
            ? plugin_register(plugin, NULL,
                              plugin->version == IK_PLUGIN_VERSION ? plugin->identity : NULL, err)
            : ik_fail(err, IK_ERR_USAGE, "a plug-in is missing");
    registry_unlock();
    return status;
}

const ik_plugin_info *ik_plugin_of(const void *member)
{
    const registry_plugin *p = registry_plugin_of(member);
    return p ? p->info : NULL;
}

const ik_plugin_info *ik_plugin_nth(size_t k)
{
    size_t num = 0;
    for (const registry_plugin *p = registry_newest(); p; p = p->before)
        num++;
    const registry_plugin *p = registry_newest();
    for (size_t i = k; p && i + 1 < num; i++)
        p = p->before;
    return k < num ? p->info : NULL;
}
