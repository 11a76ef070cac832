/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes and ports of a fabric by GUID, and files with a GUID at the beginning of each line.
 */
#include "format/opensm/guid_index.h"

#include <inttypes.h>
#include <stdlib.h>

static int guid_index_compare(const void *a, const void *b)
{
    const guid_entry *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

ik_status guid_index_make(const ik_fabric *f, bool hosts, bool ports, guid_index *out,
                          ik_error *err)
{
    size_t most = (size_t)ik_num_nodes(f) + f->num_ports - f->port_base[f->num_switches] + 1;
    guid_index index = {.entries = ik_calloc(most, sizeof *index.entries)};
    if (!index.entries)
        return ik_fail_memory(err, most * sizeof *index.entries, "GUIDs");
    for (uint32_t node = 0; node < (hosts ? ik_num_nodes(f) : f->num_switches); node++)
        index.entries[index.num++] = (guid_entry){ik_node_guid(f, node), node, IK_NONE, false};
    for (uint32_t port = f->port_base[f->num_switches]; ports && port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE)
            index.entries[index.num++] =
                (guid_entry){ik_port_guid(f, port), f->port_node[port], port, false};
    qsort(index.entries, index.num, sizeof *index.entries, guid_index_compare);
    *out = index;
    return IK_OK;
}

void guid_index_free(guid_index *index)
{
    free(index->entries);
    *index = (guid_index){0};
}

guid_entry *guid_index_find(const guid_index *index, uint64_t guid)
{
    size_t low = 0, high = index->num;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->entries[middle].guid < guid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->num && index->entries[low].guid == guid ? &index->entries[low] : NULL;
}

static ik_status guid_index_read_line(guid_file *g, ik_error *err)
{
    scan *s = &g->s;
    uint64_t guid;
    if (scan_at_end(s) || *s->at == '#')
        return IK_OK;
    if (!scan_hex(s, &guid) ||
        (s->at < s->end && *s->at != ' ' && *s->at != '\t' && *s->at != '#' && *s->at != '"'))
        return scan_fail(s, err, "expected a GUID of at most 16 hexadecimal digits");
    guid_entry *entry = guid_index_find(g->index, guid);
    if (entry && entry->named)
        return scan_fail(s, err, "GUID 0x%016" PRIx64 " is given twice", guid);
    if (entry) {
        entry->named = true;
        g->matched.known++;
    } else if (!g->matched.unknown++) {
        g->matched.first_unknown = guid;
    }
    scan_blanks(s);
    ik_status status = g->take(g, entry, guid, err);
    if (status == IK_OK && !scan_at_end(s) && *s->at != '#')
        status = scan_fail(s, err, "expected the end of the line");
    return status;
}

ik_status guid_file_read(guid_file *g, const char *path, const ik_env *env, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    ik_status status = ik_text_read(path, env ? env->memory_limit_bytes : 0, &text, &size, err);
    const char *begin = text;
    if (status == IK_OK)
        status = ik_text_begin(&begin, &size, path, err);
    if (status == IK_OK)
        g->s = scan_text(begin, size, path);
    while (status == IK_OK && scan_line(&g->s))
        status = guid_index_read_line(g, err);
    for (size_t i = 0; i < g->index->num; i++)
        g->matched.missing += !g->index->entries[i].named;
    if (status != IK_OK)
        ik_error_at(err, path, 0, 0);
    free(text);
    return status;
}
