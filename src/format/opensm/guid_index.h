/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes and ports of a fabric by GUID.
 */
#ifndef IKAT_GUID_INDEX_H
#define IKAT_GUID_INDEX_H

#include "format/scan.h"
#include "ikat/subnet_files.h"

/* A switch, or a host, or a port of a host, under its GUID. */
typedef struct guid_entry {
    uint64_t guid;
    uint32_t node, port; /* port: IK_NONE = the node itself */
    bool named;          /* a file has named it */
} guid_entry;

typedef struct guid_index {
    guid_entry *entries; /* ascending GUIDs */
    size_t num;
} guid_index;

/* Switches, and with `hosts` hosts or with `ports` the cabled ports of hosts. Free with
 * guid_index_free. */
ik_status guid_index_make(const ik_fabric *f, bool hosts, bool ports, guid_index *out,
                          ik_error *err);
void guid_index_free(guid_index *index);
/* NULL = no such GUID. */
guid_entry *guid_index_find(const guid_index *index, uint64_t guid);

/* Reads a file line by line: comments and empty lines are skipped, and each other line begins
 * with a GUID; `take` gets what stands behind. */
typedef struct guid_file {
    scan s;
    const guid_index *index;
    ik_guids_matched matched;
    void *data;
    /* entry NULL: the fabric has no such GUID */
    ik_status (*take)(struct guid_file *g, guid_entry *entry, uint64_t guid, ik_error *err);
} guid_file;
ik_status guid_file_read(guid_file *g, const char *path, const ik_env *env, ik_error *err);

#endif
