/* SPDX-License-Identifier: Apache-2.0
 *
 * tables_print.c: forwarding tables in the text that OpenSM's file routing engine loads (opensm -R
 * file -U FILE).
 *
 * One block per switch: a header with its LID and GUID, then one line per LID: LID, output port
 * and, so that the subnet manager may number hosts anew, the port GUID behind a comment sign, and
 * what it is. Of a large fabric, whose text has gigabytes, two fifths of it would be the latter: it
 * stands once then, in comments at the top.
 */
#include "base/text_stream.h"
#include "ikat/lids.h"
#include "routing/table/tables_line.h"

#include <errno.h>
#include <inttypes.h>
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

/* The lines of all LIDs, one behind the other, where a switch only puts its ports: a large fabric
 * has millions of entries, and thousands of different lines. */
typedef struct lines {
    char *text;
    size_t *start;       /* [LIDs + 1] */
    char number[256][4]; /* of ports, in three digits */
} lines;

/* "Switch portguid 0x…: 'name'", or a part of it. */
static void tables_print_identity(const ik_lids *lids, uint32_t i, bool whole, FILE *out)
{
    const ik_lid *of = &lids->of[i];
    const char *kind = of->port == IK_NONE ? "Switch " : "Channel Adapter ";
    fprintf(out, "%sportguid 0x%016" PRIx64 "%s", whole ? kind : "", of->guid, whole ? ": '" : "");
    if (whole)
        print_name(lids->fabric, of->node, out);
    fputs(whole ? "'\n" : "\n", out);
}

static ik_status tables_print_make_lines(const ik_lids *lids, bool named, lines *l, ik_error *err)
{
    ik_text_stream t;
    l->start = ik_calloc((size_t)lids->num + 1, sizeof *l->start);
    if (!l->start)
        return ik_fail_memory(err, lids->num * sizeof *l->start, "lines of tables");
    for (unsigned port = 0; port < 256; port++)
        snprintf(l->number[port], sizeof l->number[port], "%03u", port % 1000);
    ik_status status = ik_text_stream_open(&t, err);
    if (status != IK_OK)
        return status;
    for (uint32_t i = 0; i < lids->num; i++) {
        fprintf(t.out, "0x%04x 000 # ", lids->of[i].lid);
        tables_print_identity(lids, i, named, t.out);
        fflush(t.out);
        l->start[i + 1] = t.size;
    }
    return ik_text_stream_close(&t, &l->text, NULL, err);
}

static void tables_print_names(const ik_lids *lids, FILE *out)
{
    for (uint32_t i = 0; i < lids->num; i++) {
        fprintf(out, "# 0x%04x ", lids->of[i].lid);
        tables_print_identity(lids, i, true, out);
    }
}

/* The lines of the LIDs first … end - 1. */
static void tables_print_run(const lines *l, uint32_t first, uint32_t end, FILE *out)
{
    fwrite(l->text + l->start[first], 1, l->start[end] - l->start[first], out);
}

static void print_switch(const ik_lid_tables *t, const lines *l, uint32_t sw, FILE *out)
{
    const ik_lids *lids = t->lids;
    const ik_lid *self = &lids->of[ik_lids_of_node(lids, sw)];
    const uint8_t *row = ik_lid_tables_row(t, sw);
    fprintf(out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('",
            lids->of[lids->num - 1].lid, self->lid, self->guid);
    print_name(lids->fabric, sw, out);
    fputs("'):\n", out);
    uint32_t listed = 0, first = 0;
    for (uint32_t i = 0; i < lids->num; i++) {
        bool is_self = lids->of[i].port == IK_NONE && lids->of[i].node == sw;
        if (row[i] == IK_PORT_NONE && !is_self) {
            tables_print_run(l, first, i, out);
            first = i + 1;
            continue;
        }
        memcpy(l->text + l->start[i] + TABLES_PORT_AT, l->number[is_self ? IK_PORT_SELF : row[i]],
               TABLES_PORT_DIGITS);
        listed++;
    }
    tables_print_run(l, first, lids->num, out);
    fprintf(out, "# %" PRIu32 " lids listed\n", listed);
}

ik_status tables_print(const ik_lid_tables *t, bool named, FILE *out, ik_error *err)
{
    lines l = {0};
    ik_status status = tables_print_make_lines(t->lids, named, &l, err);
    if (status == IK_OK && !named)
        tables_print_names(t->lids, out);
    for (uint32_t sw = 0; status == IK_OK && sw < t->num_switches; sw++)
        print_switch(t, &l, sw, out);
    free(l.text);
    free(l.start);
    if (status == IK_OK && ferror(out))
        status = ik_fail(err, IK_ERR_IO, "cannot write forwarding tables: %s", strerror(errno));
    return status;
}

ik_status ik_lid_tables_print(const ik_lid_tables *t, FILE *out, ik_error *err)
{
    enum { MANY_LINES = 10000000 };
    return tables_print(t, (uint64_t)t->num_switches * t->lids->num < MANY_LINES, out, err);
}
