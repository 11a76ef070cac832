/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_names.c: LIDs and GUIDs of a fabric's nodes for forwarding-table files.
 *
 * A generated fabric has none: LIDs are then given from 1 on, switches first, and the GUIDs that
 * exports of the fabric carry. A node of an imported fabric that lacks a LID gets the lowest unused
 * one. */
#include "routing/table/lft_file.h"

#include <stdlib.h>

uint32_t lft_port_label(const ik_fabric *f, uint32_t sw, uint32_t local)
{
    return f->port_label ? f->port_label[f->port_base[sw] + local] : local + 1;
}

static uint64_t guid_of(const ik_fabric *f, uint32_t node)
{
    if (ik_is_switch(f, node) || ik_radix(f, node) == 0)
        return ik_node_guid(f, node);
    uint32_t port = f->port_base[node];
    while (port + 1 < f->port_base[node + 1] && f->port_peer[port] == IK_NONE)
        port++;
    return ik_port_guid(f, port);
}

static ik_status give_lids(const ik_fabric *f, lft_names *names, ik_error *err)
{
    uint32_t nodes = ik_num_nodes(f), next = 1;
    bool *used = ik_calloc(LFT_MAX_LID + 1, sizeof *used);
    if (!used)
        return ik_fail_memory(err, LFT_MAX_LID + 1, "LIDs");
    for (uint32_t node = 0; node < nodes; node++) {
        names->lid[node] = f->node_lid ? f->node_lid[node] : 0;
        if (names->lid[node] <= LFT_MAX_LID)
            used[names->lid[node]] = true;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        if (names->lid[node])
            continue;
        while (next <= LFT_MAX_LID && used[next])
            next++;
        if (next > LFT_MAX_LID) {
            free(used);
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "the fabric has %u nodes, and InfiniBand has %u unicast LIDs", nodes,
                           LFT_MAX_LID);
        }
        names->lid[node] = next++;
    }
    free(used);
    return IK_OK;
}

typedef struct keyed {
    uint64_t key;
    uint32_t node;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static ik_status sort_nodes(lft_names *names, ik_error *err)
{
    keyed *list = ik_calloc(names->num_nodes, sizeof *list);
    if (!list)
        return ik_fail_memory(err, names->num_nodes * sizeof *list, "LIDs");
    for (uint32_t i = 0; i < names->num_nodes; i++)
        list[i] = (keyed){names->lid[i], i};
    qsort(list, names->num_nodes, sizeof *list, by_key);
    for (uint32_t i = 0; i < names->num_nodes; i++)
        names->by_lid[i] = list[i].node;
    for (uint32_t i = 0; i < names->num_nodes; i++)
        list[i] = (keyed){names->guid[i], i};
    qsort(list, names->num_nodes, sizeof *list, by_key);
    for (uint32_t i = 0; i < names->num_nodes; i++)
        names->by_guid[i] = list[i].node;
    free(list);
    return IK_OK;
}

ik_status lft_names_make(const ik_fabric *f, lft_names *out, ik_error *err)
{
    size_t nodes = ik_num_nodes(f);
    lft_names names = {
        .lid = ik_calloc(nodes, sizeof *names.lid),
        .by_lid = ik_calloc(nodes, sizeof *names.by_lid),
        .guid = ik_calloc(nodes, sizeof *names.guid),
        .by_guid = ik_calloc(nodes, sizeof *names.by_guid),
        .num_nodes = (uint32_t)nodes,
    };
    ik_status status = names.lid && names.by_lid && names.guid && names.by_guid
                           ? give_lids(f, &names, err)
                           : ik_fail_memory(err, nodes * 20, "LIDs and GUIDs");
    if (status == IK_OK) {
        for (uint32_t node = 0; node < nodes; node++)
            names.guid[node] = guid_of(f, node);
        status = sort_nodes(&names, err);
    }
    if (status != IK_OK) {
        lft_names_free(&names);
        return status;
    }
    *out = names;
    return IK_OK;
}

void lft_names_free(lft_names *names)
{
    free(names->lid);
    free(names->by_lid);
    free(names->guid);
    free(names->by_guid);
    *names = (lft_names){0};
}

uint32_t lft_node_of_lid(const lft_names *names, uint32_t lid)
{
    uint32_t low = 0, high = names->num_nodes;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (names->lid[names->by_lid[mid]] < lid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < names->num_nodes && names->lid[names->by_lid[low]] == lid ? names->by_lid[low]
                                                                           : IK_NONE;
}

uint32_t lft_node_of_guid(const lft_names *names, uint64_t guid)
{
    uint32_t low = 0, high = names->num_nodes;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (names->guid[names->by_guid[mid]] < guid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < names->num_nodes && names->guid[names->by_guid[low]] == guid ? names->by_guid[low]
                                                                              : IK_NONE;
}
