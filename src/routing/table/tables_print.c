/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_print.c: forwarding tables in the text that OpenSM's file routing engine loads (opensm -R
 * file -U FILE).
 *
 * One block per switch: a header with its LID and GUID, then one line per LID: LID, output port
 * and, so that the subnet manager may number hosts anew, the port GUID behind a comment sign.
 */
#include "ikat/lids.h"

#include <errno.h>
#include <inttypes.h>
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

static void print_entry(const ik_fabric *f, const ik_lid *l, unsigned port, FILE *out)
{
    fprintf(out, "0x%04x %03u # %s portguid 0x%016" PRIx64 ": '", l->lid, port,
            l->port == IK_NONE ? "Switch" : "Channel Adapter", l->guid);
    print_name(f, l->node, out);
    fputs("'\n", out);
}

static void print_switch(const ik_lid_tables *t, uint32_t sw, FILE *out)
{
    const ik_lids *lids = t->lids;
    const ik_lid *self = &lids->of[ik_lids_of_node(lids, sw)];
    const uint8_t *row = ik_lid_tables_row(t, sw);
    fprintf(out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('",
            lids->of[lids->num - 1].lid, self->lid, self->guid);
    print_name(lids->fabric, sw, out);
    fputs("'):\n", out);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < lids->num; i++) {
        bool is_self = lids->of[i].port == IK_NONE && lids->of[i].node == sw;
        if (row[i] == IK_PORT_NONE && !is_self)
            continue;
        print_entry(lids->fabric, &lids->of[i], is_self ? IK_PORT_SELF : row[i], out);
        listed++;
    }
    fprintf(out, "# %" PRIu32 " lids listed\n", listed);
}

ik_status ik_lid_tables_print(const ik_lid_tables *t, FILE *out, ik_error *err)
{
    for (uint32_t sw = 0; sw < t->num_switches; sw++)
        print_switch(t, sw, out);
    return ferror(out)
               ? ik_fail(err, IK_ERR_IO, "cannot write forwarding tables: %s", strerror(errno))
               : IK_OK;
}
