/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSM's lid matrix: how many hops a switch is from the switch of each LID, by each of its ports
 * and at least. A port that leads to a neighbour counts one hop more than the neighbour's distance.
 */
#include "base/text_lines.h"
#include "format/opensm/guid_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NO_PATH = 255, NO_SWITCH = -1 };

/* Distances between all switches, [switches][switches]; NULL without memory. */
static uint8_t *lid_matrix_measure(const ik_fabric *f, ik_error *err)
{
    size_t n = f->num_switches;
    uint8_t *hops = ik_calloc(n * n + 1, 1);
    uint32_t *queue = ik_calloc(n + 1, sizeof *queue);
    if (!hops || !queue) {
        free(hops);
        free(queue);
        ik_fail_memory(err, n * n, "distances of switches");
        return NULL;
    }
    memset(hops, NO_PATH, n * n);
    for (uint32_t start = 0; start < n; start++) {
        uint8_t *row = hops + start * n;
        uint32_t head = 0, tail = 0;
        row[start] = 0;
        queue[tail++] = start;
        while (head < tail) {
            uint32_t sw = queue[head++];
            for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
                uint32_t peer = ik_peer_node(f, p);
                if (peer == IK_NONE || !ik_is_switch(f, peer) || row[peer] != NO_PATH ||
                    row[sw] >= NO_PATH - 1)
                    continue;
                row[peer] = row[sw] + 1;
                queue[tail++] = peer;
            }
        }
    }
    free(queue);
    return hops;
}

/* ---- comparing */

typedef struct matrix {
    const ik_lids *lids;
    const ik_fabric *f;
    guid_index index;
    uint8_t *hops;
    int64_t sw; /* of the current block, NO_SWITCH: unknown */
    bool begun;
    ik_lid_matrix out;
} matrix;

/* `Switch: guid 0x…` */
static ik_status lid_matrix_read_switch(matrix *m, scan *s, ik_error *err)
{
    uint64_t guid;
    scan_blanks(s);
    if (!scan_word(s, "guid"))
        return scan_fail(s, err, "expected 'guid'");
    scan_blanks(s);
    if (!scan_hex(s, &guid) || !scan_at_end(s))
        return scan_fail(s, err, "expected a GUID");
    guid_entry *entry = guid_index_find(&m->index, guid);
    if (entry && entry->named)
        return scan_fail(s, err, "switch 0x%016" PRIx64 " has a second block", guid);
    m->begun = true;
    m->sw = entry ? (int64_t)entry->node : NO_SWITCH;
    m->out.switches += entry != NULL;
    m->out.unknown_switches += entry == NULL;
    if (entry)
        entry->named = true;
    return IK_OK;
}

/* The first number is the least; the others, one for each port, are read only. */
static ik_status lid_matrix_read_hops(matrix *m, scan *s, unsigned *least, ik_error *err)
{
    uint64_t value;
    uint32_t num = 0;
    for (scan_blanks(s); s->at < s->end && *s->at != '#'; scan_blanks(s)) {
        const char *at = s->at;
        if (!scan_hex(s, &value) || value > NO_PATH) {
            s->at = at;
            return scan_fail(s, err, "expected a number of hops from 00 to ff");
        }
        if (!num++)
            *least = (unsigned)value;
    }
    if (m->sw != NO_SWITCH && num != ik_radix(m->f, (uint32_t)m->sw) + 1)
        return scan_fail(s, err, "expected %" PRIu32 " numbers of hops for a switch of %s",
                         ik_radix(m->f, (uint32_t)m->sw) + 1,
                         IK_COUNT(ik_radix(m->f, (uint32_t)m->sw), "port"));
    return IK_OK;
}

static void lid_matrix_compare(matrix *m, uint32_t lid, unsigned hops)
{
    uint32_t at = ik_lids_find(m->lids, lid);
    if (m->sw == NO_SWITCH)
        return;
    if (at == IK_NONE) {
        m->out.unknown_lids++;
        return;
    }
    uint32_t to = m->lids->of[at].node, sw = (uint32_t)m->sw;
    if (!ik_is_switch(m->f, to)) {
        m->out.hosts++;
        return;
    }
    unsigned distance = m->hops[(size_t)sw * m->f->num_switches + to];
    m->out.rows++;
    if (distance == hops)
        return;
    if (!m->out.differ++) {
        m->out.first_switch = sw;
        m->out.first_lid = lid;
        m->out.first_hops = hops;
        m->out.first_distance = distance;
    }
}

static ik_status lid_matrix_read_line(matrix *m, scan *s, ik_error *err)
{
    uint64_t lid;
    unsigned least = NO_PATH;
    if (scan_at_end(s) || *s->at == '#')
        return IK_OK;
    if (scan_word(s, "Switch:"))
        return lid_matrix_read_switch(m, s, err);
    const char *at = s->at;
    if (!scan_hex(s, &lid) || !scan_char(s, ':') || lid > IK_LID_MAX || !lid) {
        s->at = at;
        return scan_fail(s, err, "expected 'Switch:' or a LID and ':'");
    }
    if (!m->begun)
        return scan_fail(s, err, "a LID comes before any 'Switch:'");
    ik_status status = lid_matrix_read_hops(m, s, &least, err);
    if (status == IK_OK)
        lid_matrix_compare(m, (uint32_t)lid, least);
    return status;
}

static ik_status lid_matrix_read_all(matrix *m, const char *path, const ik_env *env, ik_error *err)
{
    ik_text_lines l = {0};
    bool more = true;
    ik_status status = ik_text_lines_open(&l, path, env, err);
    while (status == IK_OK) {
        status = ik_text_lines_next(&l, &more, err);
        if (status != IK_OK || !more)
            break;
        scan s = scan_line_of(&l);
        status = lid_matrix_read_line(m, &s, err);
    }
    ik_text_lines_close(&l);
    if (status == IK_OK && !m->out.switches)
        status = ik_fail_at(err, IK_ERR_INPUT, path, 0, 0, "it is not a switch of the fabric");
    return status;
}

ik_status ik_lid_matrix_compare(const ik_lids *lids, const char *path, const ik_env *env,
                                ik_lid_matrix *out, ik_error *err)
{
    matrix m = {.lids = lids, .f = lids->fabric, .sw = NO_SWITCH};
    m.out.first_switch = IK_NONE;
    ik_status status = guid_index_make(m.f, false, false, &m.index, err);
    m.hops = status == IK_OK ? lid_matrix_measure(m.f, err) : NULL;
    if (status == IK_OK)
        status = m.hops ? lid_matrix_read_all(&m, path, env, err) : IK_ERR_MEMORY;
    for (size_t i = 0; i < m.index.num; i++)
        m.out.missing_switches += !m.index.entries[i].named;
    guid_index_free(&m.index);
    free(m.hops);
    if (status == IK_OK)
        *out = m.out;
    return status;
}

/* ---- writing */

static void lid_matrix_write_row(const ik_lids *lids, const uint8_t *hops, uint32_t sw,
                                 const ik_lid *l, FILE *out)
{
    const ik_fabric *f = lids->fabric;
    size_t n = f->num_switches;
    if (hops[sw * n + l->node] == NO_PATH)
        return;
    fprintf(out, "0x%04x: %02x", l->lid, hops[sw * n + l->node]);
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        unsigned by =
            peer == IK_NONE || !ik_is_switch(f, peer) ? NO_PATH : hops[peer * n + l->node] + 1u;
        fprintf(out, " %02x", by < NO_PATH ? by : NO_PATH);
    }
    fprintf(out, " # portguid 0x%016" PRIx64 "\n", l->guid);
}

ik_status ik_lid_matrix_print(const ik_lids *lids, FILE *out, ik_error *err)
{
    const ik_fabric *f = lids->fabric;
    guid_index index = {0};
    ik_status status = guid_index_make(f, false, false, &index, err);
    uint8_t *hops = status == IK_OK ? lid_matrix_measure(f, err) : NULL;
    for (size_t i = 0; hops && i < index.num; i++) {
        fprintf(out, "Switch: guid 0x%016" PRIx64 "\n", index.entries[i].guid);
        for (uint32_t k = 0; k < lids->num; k++)
            if (lids->of[k].port == IK_NONE && lids->of[k].path == 0)
                lid_matrix_write_row(lids, hops, index.entries[i].node, &lids->of[k], out);
    }
    if (status == IK_OK && !hops)
        status = IK_ERR_MEMORY;
    free(hops);
    guid_index_free(&index);
    return status;
}
