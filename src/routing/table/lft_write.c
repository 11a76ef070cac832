/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_write.c: forwarding tables in the text that OpenSM's file routing engine loads (opensm -R
 * file -U FILE).
 *
 * One block a switch: a header with its LID and GUID, then one line a destination: LID, output port
 * and, so that the subnet manager may number hosts anew, the port GUID behind a comment sign.
 * Destinations are the hosts and the switch itself. */
#include "routing/routing.h"
#include "routing/table/lft_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name on one line and without the quotes that surround it there. */
static void print_name(const ik_fabric *f, uint32_t node, FILE *out)
{
    char buffer[256];
    const char *name = f->node_name && f->node_name[node]
                           ? f->node_name[node]
                           : ik_node_describe(f, node, buffer, sizeof buffer);
    /* whole characters */
    for (size_t i = 0; name[i] && (i < 128 || ((unsigned char)name[i] & 0xC0) == 0x80); i++)
        fputc((unsigned char)name[i] < ' ' || name[i] == '\'' ? '_' : name[i], out);
}

static void print_entry(const ik_fabric *f, const lft_names *names, uint32_t node, uint32_t port,
                        FILE *out)
{
    fprintf(out, "0x%04" PRIx32 " %03" PRIu32 " # %s portguid 0x%016" PRIx64 ": '",
            names->lid[node], port, ik_is_switch(f, node) ? "Switch" : "Channel Adapter",
            names->guid[node]);
    print_name(f, node, out);
    fputs("'\n", out);
}

static void print_switch(const ik_fabric *f, const lft_names *names, uint32_t sw,
                         const uint16_t *row, FILE *out)
{
    fprintf(out, "Unicast lids [0-%" PRIu32 "] of switch Lid %" PRIu32 " guid 0x%016" PRIx64 " ('",
            names->lid[names->by_lid[names->num_nodes - 1]], names->lid[sw], names->guid[sw]);
    print_name(f, sw, out);
    fputs("'):\n", out);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < names->num_nodes; i++) {
        uint32_t node = names->by_lid[i];
        if (node == sw)
            print_entry(f, names, node, 0, out);
        else if (!ik_is_switch(f, node) && row[ik_node_host(f, node)] != LFT_NONE)
            print_entry(f, names, node, lft_port_label(f, sw, row[ik_node_host(f, node)]), out);
        else
            continue;
        listed++;
    }
    fprintf(out, "# %" PRIu32 " lids listed\n", listed);
}

/* Refuses what no subnet manager could load: ports beyond 254 (255 says "no route"), LIDs that are
 * no unicast ones or not unique.
 */
static ik_status check_numbers(const ik_fabric *f, const lft_names *names, ik_error *err)
{
    char first[256], second[256];
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t sw = f->port_node[port], label = lft_port_label(f, sw, port - f->port_base[sw]);
        if (f->port_peer[port] != IK_NONE && label > LFT_MAX_PORT)
            return ik_fail(
                err, IK_ERR_UNSUPPORTED,
                "%s has a port %u; forwarding tables of InfiniBand number ports up to %u",
                ik_node_describe(f, sw, first, sizeof first), label, LFT_MAX_PORT);
    }
    for (uint32_t i = 0; i < names->num_nodes; i++) {
        uint32_t node = names->by_lid[i],
                 next = i + 1 < names->num_nodes ? names->by_lid[i + 1] : IK_NONE;
        if (names->lid[node] > LFT_MAX_LID)
            return ik_fail(err, IK_ERR_INPUT, "%s has LID %u; unicast LIDs go up to %u",
                           ik_node_describe(f, node, first, sizeof first), names->lid[node],
                           LFT_MAX_LID);
        if (next != IK_NONE && names->lid[next] == names->lid[node])
            return ik_fail(err, IK_ERR_INPUT, "%.200s and %.200s have the same LID, %u",
                           ik_node_describe(f, node, first, sizeof first),
                           ik_node_describe(f, next, second, sizeof second), names->lid[node]);
    }
    return IK_OK;
}

ik_status ik_lft_print(const ik_routing *r, FILE *out, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    uint16_t *lft = NULL;
    lft_names names = {0};
    ik_status status = ik_lft_compile(r, NULL, &lft, err);
    if (status == IK_OK)
        status = lft_names_make(f, &names, err);
    if (status == IK_OK)
        status = check_numbers(f, &names, err);
    if (status == IK_OK) {
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            print_switch(f, &names, sw, lft + (size_t)sw * f->num_hosts, out);
        if (ferror(out))
            status = ik_fail(err, IK_ERR_IO, "cannot write forwarding tables: %s", strerror(errno));
    }
    lft_names_free(&names);
    free(lft);
    return status;
}

ik_status ik_lft_write(const ik_routing *r, const char *path, ik_error *err)
{
    ik_output file;
    ik_status status = ik_output_open(&file, path, err);
    if (status == IK_OK)
        status = ik_lft_print(r, file.out, err);
    return ik_output_close(&file, status, err);
}
