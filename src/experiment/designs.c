/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/designs.c: section designs: whole designs swept as one axis. A design gives sections
 * of its own, and what any of them gives, the experiment does not.
 */
#include "experiment/experiment_impl.h"
#include "experiment/members.h"

#include <string.h>

static const section_id givable[] = {SECTION_FABRIC,  SECTION_ROUTING,   SECTION_VC,
                                     SECTION_VCS,     SECTION_SELECTION, SECTION_SWITCH,
                                     SECTION_ADAPTER, SECTION_TRAFFIC};
enum { NUM_GIVABLE = sizeof givable / sizeof *givable };

bool designs_give(const ik_experiment *e, section_id id)
{
    return e->num_designs && e->designs[0].own[id].num > 0;
}

/* ---- keys */

static ik_status designs_check_keys(const ytree *node, ik_error *err)
{
    const char *known[NUM_GIVABLE + 2] = {"name"};
    for (size_t i = 0; i < NUM_GIVABLE; i++)
        known[i + 1] = schema_section(givable[i])->name;
    if (node->kind != YTREE_MAP) {
        ik_status status =
            ytree_fail(node, err, "a design is a mapping, found %s", ytree_kind_name(node->kind));
        return ik_hint(err, status, "{name: tree, fabric: karytree:k=4;n=3, routing: dmodk}");
    }
    return members_check_keys(node, "key of a design", known, err);
}

static ik_status designs_read_name(ik_experiment *e, size_t number, ik_error *err)
{
    sweep_design *d = &e->designs[number];
    const ytree *name = ytree_get(d->place, "name");
    if (!name || name->kind != YTREE_SCALAR || !name->text[0]) {
        ik_status status = name && name->kind != YTREE_SCALAR
                               ? ytree_fail(name, err, "'name' of a design is a text, found %s",
                                            ytree_kind_name(name->kind))
                               : ytree_fail(name ? name : d->place, err, "a design has no 'name'");
        return ik_hint(err, status, "tables and figures call it by its name: name: fat tree");
    }
    if (strpbrk(name->text, ";,:=\n"))
        return ytree_fail(name, err, "'name' of a design is text without ; , : and =");
    for (size_t i = 0; i < number; i++)
        if (strcmp(e->designs[i].name, name->text) == 0)
            return ytree_fail(name, err, "two designs have the name '%.60s'", name->text);
    d->name = name->text;
    return IK_OK;
}

/* What a design gives is not given by the experiment as well. */
static ik_status refuse_top_level(const ytree *root, const char *section, const ytree *given,
                                  ik_error *err)
{
    for (size_t i = 0; i < root->num; i++) {
        const ytree *key = root->keys[i];
        if (strcmp(key->text, section) != 0)
            continue;
        ik_status status = ytree_fail(
            key, err,
            "'%s' is given together with 'designs', of which one (line %u) has its own '%s'",
            section, given->line, section);
        return ik_hint(err, status, "give it in every design, or in none");
    }
    return IK_OK;
}

/* A section of all designs, if any gives it. */
static ik_status designs_read_section(ik_experiment *e, const ytree *root, section_id id,
                                      ik_error *err)
{
    const char *name = schema_section(id)->name;
    const ytree *given = NULL;
    for (size_t i = 0; i < e->num_designs && !given; i++)
        given = ytree_get(e->designs[i].place, name);
    if (!given)
        return IK_OK;
    ik_status status = refuse_top_level(root, name, given, err);
    for (size_t i = 0; i < e->num_designs && status == IK_OK; i++) {
        sweep_design *d = &e->designs[i];
        status = section_read(e, id, &d->own[id], ytree_get(d->place, name), d->place, err);
    }
    return status;
}

/* ---- all */

static ik_status designs_read_list(ik_experiment *e, const ytree *root, const ytree *node,
                                   ik_error *err)
{
    ik_status status = IK_OK;
    e->num_designs = node->num;
    for (size_t i = 0; i < node->num && status == IK_OK; i++) {
        e->designs[i].place = node->items[i];
        status = designs_check_keys(node->items[i], err);
        if (status == IK_OK)
            status = designs_read_name(e, i, err);
    }
    for (size_t i = 0; i < NUM_GIVABLE && status == IK_OK; i++)
        status = designs_read_section(e, root, givable[i], err);
    return status;
}

ik_status designs_read(ik_experiment *e, const ytree *root, const ytree *node, ik_error *err)
{
    size_t num = node ? node->num : 1;
    if (node && (node->kind != YTREE_LIST || num == 0)) {
        ik_status status = ytree_fail(node, err, "'designs' is a list of mappings");
        return ik_hint(err, status, "each has a name, and for example a fabric and a routing");
    }
    e->designs = ik_arena_alloc(&e->arena, num * sizeof *e->designs);
    if (!e->designs)
        return ik_fail_memory(err, num * sizeof *e->designs, "an experiment");
    memset(e->designs, 0, num * sizeof *e->designs);
    if (node)
        return designs_read_list(e, root, node, err);
    e->designs[0].name = "";
    e->num_designs = 1;
    return IK_OK;
}
