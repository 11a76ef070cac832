/* SPDX-License-Identifier: Apache-2.0
 *
 * Root GUID files: the switches that OpenSM's updn and ftree take for roots.
 */
#include "format/opensm/guid_index.h"

#include <inttypes.h>
#include <stdlib.h>

static ik_status root_guids_take(guid_file *g, guid_entry *entry, uint64_t guid, ik_error *err)
{
    (void)g;
    (void)entry;
    (void)guid;
    (void)err;
    return IK_OK;
}

static ik_status root_guids_list_named(const guid_index *index, const ik_fabric *f,
                                       uint32_t **roots, uint32_t *num, ik_error *err)
{
    bool *named = ik_calloc((size_t)f->num_switches + 1, sizeof *named);
    uint32_t *list = ik_calloc(index->num + 1, sizeof *list);
    if (!named || !list) {
        free(named);
        free(list);
        return ik_fail_memory(err, index->num * 5, "roots");
    }
    for (size_t i = 0; i < index->num; i++)
        named[index->entries[i].node] |= index->entries[i].named;
    *num = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (named[sw])
            list[(*num)++] = sw;
    free(named);
    *roots = list;
    return IK_OK;
}

ik_status ik_roots_read(const ik_fabric *f, const char *path, const ik_env *env, uint32_t **roots,
                        uint32_t *num, ik_guids_matched *matched, ik_error *err)
{
    guid_index index = {0};
    ik_status status = guid_index_make(f, false, false, &index, err);
    guid_file g = {.index = &index, .take = root_guids_take};
    if (status == IK_OK)
        status = guid_file_read(&g, path, env, err);
    if (status == IK_OK && !g.matched.known)
        status = ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "it is not a switch of the fabric");
    if (status == IK_OK)
        status = root_guids_list_named(&index, f, roots, num, err);
    guid_index_free(&index);
    if (status == IK_OK && matched)
        *matched = g.matched;
    return status;
}

ik_status ik_roots_print(const ik_fabric *f, const uint32_t *roots, uint32_t num, FILE *out,
                         ik_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < num; i++)
        fprintf(out, "0x%016" PRIx64 "\n", ik_node_guid(f, roots[i]));
    return IK_OK;
}
