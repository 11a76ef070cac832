/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_lft.c: any text as forwarding tables, in each of the forms that are read, with one LID per
 * port and with several: refused with its line, or tables whose ports exist, and which come back
 * the same after they were written; and as tables of adaptive routing, whose groups exist. Lines
 * that were there before are read as all others are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"
#include "routing/table/tables_far.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A ring of three switches with two hosts each, one of them with two cables; LIDs with LMC. */
static ik_fabric *fabric_with_paths(void)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint16_t link = ik_builder_default_link(b, true);
    ik_builder_switches(b, 3, 5);
    ik_builder_hosts(b, 3, 2);
    for (uint32_t i = 0; i < 3; i++) {
        ik_builder_link(b, ik_sw(i, 0), ik_sw((i + 1) % 3, 1), link);
        ik_builder_link(b, ik_sw(i, 2), ik_hs(i, 0), link);
        ik_builder_link(b, ik_sw((i + 1) % 3, 3), ik_hs(i, 1), link);
        ik_builder_switch_ids(b, i, 0x10 + i, 1 + i);
        ik_builder_host_ids(b, i, 0x100 * (i + 1), 8 + 8 * i);
        for (uint32_t port = 0; port < 2; port++)
            ik_builder_port_lid(b, ik_hs(i, port), 8 + 8 * i + 4 * port, i % 3);
    }
    if (ik_builder_finish(b, &f, NULL) != IK_OK)
        abort();
    ik_builder_free(b);
    return f;
}

static char *printed(const ik_lid_tables *t, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out || ik_lid_tables_print(t, out, NULL) != IK_OK || fclose(out) != 0)
        abort();
    return text;
}

static void check_round_trip(const ik_lid_tables *t)
{
    ik_lid_tables again = {0};
    size_t size, size_again;
    char *text = printed(t, &size);
    if (ik_lid_tables_parse(t->lids, text, size, "again", &again, NULL, NULL) != IK_OK)
        abort();
    char *text_again = printed(&again, &size_again);
    if (size != size_again || memcmp(text, text_again, size) != 0)
        abort();
    ik_lid_tables_free(&again);
    free(text);
    free(text_again);
}

static void check_tables(const ik_lid_tables *t, const ik_tables_matched *m)
{
    char *note = NULL;
    uint64_t taken = 0;
    for (uint32_t sw = 0; sw < t->num_switches; sw++)
        for (uint32_t i = 0; i < t->lids->num; i++) {
            uint8_t port = ik_lid_tables_row(t, sw)[i];
            taken += port != IK_PORT_NONE;
            if (port != IK_PORT_NONE && port != IK_PORT_SELF &&
                ik_port_of_number(t->lids->fabric, sw, port) == IK_NONE)
                abort();
        }
    if (taken > m->entries || m->entries != m->by_guid + m->by_lid)
        abort();
    if (ik_tables_note(t->lids, m, "input", &note, NULL) != IK_OK)
        abort();
    free(note);
}

/* The text with lines that end in \r\n where they did in \n: each is scanned. */
static void check_scanned(const ik_lids *lids, const uint8_t *data, size_t size, ik_status status,
                          const ik_lid_tables *t, const ik_tables_matched *m, const ik_error *err)
{
    ik_lid_tables again = {0};
    ik_tables_matched matched;
    ik_error why = {0};
    size_t used = 0;
    char *text = malloc(2 * size + 1);
    memset(&matched, 0, sizeof matched);
    for (size_t i = 0; text && i < size; i++) {
        if (data[i] == '\n' && i && data[i - 1] != '\r')
            text[used++] = '\r';
        text[used++] = (char)data[i];
    }
    if (!text || ik_lid_tables_parse(lids, text, used, "input", &again, &matched, &why) != status)
        abort();
    if (status == IK_OK ? memcmp(again.out, t->out, (size_t)t->num_switches * lids->num) != 0 ||
                              matched.entries != m->entries || matched.by_guid != m->by_guid ||
                              matched.extra_paths != m->extra_paths ||
                              matched.unknown_entries != m->unknown_entries
                        : why.line != err->line || why.column != err->column ||
                              strcmp(why.text, err->text) != 0)
        abort();
    ik_lid_tables_free(&again);
    free(text);
}

static void run(const ik_lids *lids, const uint8_t *data, size_t size)
{
    ik_lid_tables t = {0};
    ik_tables_matched m;
    ik_error err = {0};
    ik_status status = ik_lid_tables_parse(lids, (const char *)data, size, "input", &t, &m, &err);
    check_scanned(lids, data, size, status, &t, &m, &err);
    if (status != IK_OK) {
        if (err.text[0] == '\0' || err.line == 0 || t.out)
            abort();
        return;
    }
    check_tables(&t, &m);
    check_round_trip(&t);
    ik_lid_tables_free(&t);
}

/* Groups are of the switch whose entries name them, and have ports of that switch. */
static void check_groups(const ik_lid_tables *t, const tables_groups *g)
{
    const ik_fabric *f = t->lids->fabric;
    for (size_t i = 0; i < (size_t)t->num_switches * t->lids->num; i++) {
        uint32_t sw = (uint32_t)(i / t->lids->num);
        if (!g->of[i])
            continue;
        if (g->first[sw] + g->of[i] > g->num)
            abort();
        const tables_ports *set = &g->ports[g->first[sw] + g->of[i] - 1u];
        for (unsigned port = 1; port <= IK_PORT_NUMBER; port++)
            if (set->bits[port / 64] >> port % 64 & 1 && ik_port_of_number(f, sw, port) == IK_NONE)
                abort();
    }
}

static void run_adaptive(const ik_lids *lids, const uint8_t *data, size_t size)
{
    ik_lid_tables t = {0};
    tables_groups g = {0};
    ik_tables_matched m;
    ik_error err = {0};
    if (tables_parse_adaptive(lids, (const char *)data, size, "input", &t, &g, &m, &err) != IK_OK) {
        if (err.text[0] == '\0' || err.line == 0 || t.out || g.of)
            abort();
        return;
    }
    check_tables(&t, &m);
    check_groups(&t, &g);
    ik_lid_tables_free(&t);
    tables_groups_free(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_lids lids[2];
    static ik_fabric *f[2];
    if (!f[0]) {
        if (ik_fabric_from_spec("ring:n=4,p=2", NULL, &f[0], NULL) != IK_OK)
            abort();
        f[1] = fabric_with_paths();
        for (int i = 0; i < 2; i++)
            if (ik_lids_make(f[i], &lids[i], NULL) != IK_OK)
                abort();
    }
    run(&lids[0], data, size);
    run(&lids[1], data, size);
    run_adaptive(&lids[0], data, size);
    run_adaptive(&lids[1], data, size);
    return 0;
}
