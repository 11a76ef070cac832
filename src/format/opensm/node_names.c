/* SPDX-License-Identifier: Apache-2.0
 *
 * Node-name maps: names by GUID, where descriptions do not tell nodes apart.
 * Source: infiniband-diags, --node-name-map.
 */
#include "base/utf8.h"
#include "fabric/fabric_private.h"
#include "format/opensm/guid_index.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 };

/* `"name"`, or everything up to a comment. */
static ik_status node_names_read_name(scan *s, slice *name, ik_error *err)
{
    bool quoted = scan_char(s, '"');
    const char *end = memchr(s->at, quoted ? '"' : '#', (size_t)(s->end - s->at));
    if (quoted && !end)
        return scan_fail(s, err, "expected the closing quote of a name");
    end = end ? end : s->end;
    *name = (slice){s->at, (size_t)(end - s->at)};
    while (!quoted && name->length &&
           (name->at[name->length - 1] == ' ' || name->at[name->length - 1] == '\t'))
        name->length--;
    if (!name->length)
        return scan_fail(s, err, "expected a name");
    s->at = end + quoted;
    return IK_OK;
}

static ik_status node_names_take(guid_file *g, guid_entry *entry, uint64_t guid, ik_error *err)
{
    ik_fabric *f = g->data;
    slice name = {0};
    char text[MOST_BYTES + 1];
    (void)guid;
    ik_status status = node_names_read_name(&g->s, &name, err);
    if (status != IK_OK || !entry)
        return status;
    size_t length = name.length < MOST_BYTES ? name.length : MOST_BYTES;
    memcpy(text, name.at, length);
    text[length] = '\0';
    utf8_clean(text, MOST_BYTES);
    g->matched.changed += strcmp(f->node_name[entry->node], text) != 0;
    char *kept = ik_arena_strdup(&f->priv->arena, text);
    if (!kept)
        return ik_fail_memory(err, length, "names of nodes");
    f->node_name[entry->node] = kept;
    return IK_OK;
}

/* A fabric without names gets those that it is printed with. */
static ik_status room_for_names(ik_fabric *f, ik_error *err)
{
    char text[64];
    if (f->node_name)
        return IK_OK;
    char **names = ik_calloc((size_t)ik_num_nodes(f) + 1, sizeof *names);
    bool all = names != NULL;
    for (uint32_t node = 0; all && node < ik_num_nodes(f); node++) {
        names[node] = ik_arena_strdup(&f->priv->arena, ik_node_name(f, node, text, sizeof text));
        all = names[node] != NULL;
    }
    if (!all) {
        free(names);
        return ik_fail_memory(err, ik_num_nodes(f) * sizeof *names, "names of nodes");
    }
    f->node_name = names;
    return IK_OK;
}

ik_status ik_node_names_apply(ik_fabric *f, const char *path, const ik_env *env,
                              ik_guids_matched *matched, ik_error *err)
{
    guid_index index = {0};
    ik_status status = guid_index_make(f, true, false, &index, err);
    if (status == IK_OK)
        status = room_for_names(f, err);
    guid_file g = {.index = &index, .data = f, .take = node_names_take};
    if (status == IK_OK)
        status = guid_file_read(&g, path, env, err);
    guid_index_free(&index);
    if (status == IK_OK && matched)
        *matched = g.matched;
    return status;
}
