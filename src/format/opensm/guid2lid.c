/* SPDX-License-Identifier: Apache-2.0
 *
 * guid2lid, in which OpenSM remembers the LIDs of ports from one start to the next.
 */
#include "format/opensm/guid_index.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct lids_given {
    ik_fabric *f;
    unsigned *line; /* [IK_LID_MAX + 1] that gave a LID, 0 = none */
} lids_given;

/* ---- reading */

static ik_status guid2lid_read_lid(scan *s, uint64_t *lid, ik_error *err)
{
    scan_blanks(s);
    const char *at = s->at;
    if (scan_hex(s, lid) && *lid >= 1 && *lid <= IK_LID_MAX)
        return IK_OK;
    s->at = at;
    return scan_fail(s, err, "expected a LID from 0x1 to 0x%x", IK_LID_MAX);
}

/* 2^LMC LIDs, the first a multiple of their number, none given before. */
static ik_status guid2lid_check_range(guid_file *g, uint64_t first, uint64_t last, unsigned *lmc,
                                      ik_error *err)
{
    lids_given *given = g->data;
    uint64_t num = last - first + 1;
    for (*lmc = 0; *lmc < 7 && 1u << *lmc < num;)
        ++*lmc;
    if (last < first || num != 1u << *lmc || first % num)
        return scan_fail(&g->s, err,
                         "LIDs 0x%" PRIx64 " to 0x%" PRIx64
                         " are not 2^LMC beginning at a multiple of it",
                         first, last);
    for (uint64_t lid = first; lid <= last; lid++) {
        if (given->line[lid])
            return scan_fail(&g->s, err, "LID 0x%" PRIx64 " is given in line %u, too", lid,
                             given->line[lid]);
        given->line[lid] = g->s.line;
    }
    return IK_OK;
}

/* The port's own LID; the node's is that of its first cabled port. */
static void guid2lid_set_lid(ik_fabric *f, const guid_entry *e, uint32_t lid, unsigned lmc,
                             uint32_t *changed)
{
    bool first = e->port == IK_NONE || ik_host_port(f, ik_node_host(f, e->node)) == e->port;
    uint32_t old = e->port == IK_NONE ? f->node_lid[e->node] : ik_port_lid(f, e->port);
    *changed += old && old != lid;
    if (first) {
        f->node_lid[e->node] = lid;
        f->node_lmc[e->node] = (uint8_t)lmc;
    }
    /* a host that has lost a cable may have LIDs of ports, which count before the node's */
    if (e->port != IK_NONE &&
        (f->port_lid[e->port] || ik_host_cables(f, ik_node_host(f, e->node)) > 1)) {
        f->port_lid[e->port] = lid;
        f->port_lmc[e->port] = (uint8_t)lmc;
    }
}

static ik_status guid2lid_take(guid_file *g, guid_entry *entry, uint64_t guid, ik_error *err)
{
    lids_given *given = g->data;
    uint64_t first = 0, last = 0;
    unsigned lmc = 0;
    (void)guid;
    ik_status status = guid2lid_read_lid(&g->s, &first, err);
    if (status == IK_OK)
        status = guid2lid_read_lid(&g->s, &last, err);
    if (status == IK_OK)
        status = guid2lid_check_range(g, first, last, &lmc, err);
    if (status == IK_OK && entry)
        guid2lid_set_lid(given->f, entry, (uint32_t)first, lmc, &g->matched.changed);
    return status;
}

/* The arrays of LIDs, where the fabric has none. */
static ik_status guid2lid_room_for_lids(ik_fabric *f, ik_error *err)
{
    size_t nodes = (size_t)ik_num_nodes(f) + 1, ports = (size_t)f->num_ports + 1;
    if (!f->node_lid)
        f->node_lid = ik_calloc(nodes, sizeof *f->node_lid);
    if (!f->node_lmc)
        f->node_lmc = ik_calloc(nodes, sizeof *f->node_lmc);
    if (!f->port_lid)
        f->port_lid = ik_calloc(ports, sizeof *f->port_lid);
    if (!f->port_lmc)
        f->port_lmc = ik_calloc(ports, sizeof *f->port_lmc);
    return f->node_lid && f->node_lmc && f->port_lid && f->port_lmc
               ? IK_OK
               : ik_fail_memory(err, 5 * (nodes + ports), "LIDs");
}

/* ibsim and OpenSM call a port by its GUID, which a dump may not tell: then that of the node. */
ik_status ik_guid2lid_apply(ik_fabric *f, const char *path, const ik_env *env,
                            ik_guids_matched *matched, ik_error *err)
{
    guid_index index = {0};
    lids_given given = {.f = f, .line = ik_calloc(IK_LID_MAX + 1, sizeof *given.line)};
    ik_status status = given.line ? guid_index_make(f, false, true, &index, err)
                                  : ik_fail_memory(err, IK_LID_MAX * 4, "LIDs");
    if (status == IK_OK)
        status = guid2lid_room_for_lids(f, err);
    guid_file g = {.index = &index, .data = &given, .take = guid2lid_take};
    if (status == IK_OK)
        status = guid_file_read(&g, path, env, err);
    guid_index_free(&index);
    free(given.line);
    if (status == IK_OK && matched)
        *matched = g.matched;
    return status;
}

/* ---- writing */

static int guid2lid_compare_guids(const void *a, const void *b)
{
    const ik_lid *x = *(const ik_lid *const *)a, *y = *(const ik_lid *const *)b;
    return (x->guid > y->guid) - (x->guid < y->guid);
}

static unsigned guid2lid_lmc_of(const ik_lids *lids, const ik_lid *l)
{
    const ik_fabric *f = lids->fabric;
    if (l->port != IK_NONE)
        return ik_port_lmc(f, l->port);
    return f->node_lmc ? f->node_lmc[l->node] : 0;
}

ik_status ik_guid2lid_print(const ik_lids *lids, FILE *out, ik_error *err)
{
    const ik_lid **base = ik_calloc((size_t)lids->num + 1, sizeof *base);
    uint32_t num = 0;
    if (!base)
        return ik_fail_memory(err, lids->num * sizeof *base, "LIDs");
    for (uint32_t i = 0; i < lids->num; i++)
        if (lids->of[i].path == 0)
            base[num++] = &lids->of[i];
    qsort(base, num, sizeof *base, guid2lid_compare_guids);
    for (uint32_t i = 0; i < num; i++)
        fprintf(out, "0x%016" PRIx64 " 0x%04x 0x%04x\n\n", base[i]->guid, base[i]->lid,
                base[i]->lid + (1u << guid2lid_lmc_of(lids, base[i])) - 1);
    free(base);
    return IK_OK;
}

ik_status ik_names_and_lids_apply(ik_fabric *f, const char *names, const char *guid2lid,
                                  const char *fabric, const ik_env *env,
                                  ik_guids_matched matched[2], ik_error *err)
{
    matched[0] = matched[1] = (ik_guids_matched){0};
    ik_status status = names ? ik_node_names_apply(f, names, env, &matched[0], err) : IK_OK;
    if (status == IK_OK && matched[0].unknown && !matched[0].known)
        return ik_fail(err, IK_ERR_INPUT,
                       "%s: none of its %s is one of %s, the first is 0x%016" PRIx64, names,
                       IK_COUNT(matched[0].unknown, "GUID"), fabric, matched[0].first_unknown);
    if (status == IK_OK && guid2lid)
        status = ik_guid2lid_apply(f, guid2lid, env, &matched[1], err);
    return status == IK_OK && (names || guid2lid) ? ik_fabric_judge(f, err) : status;
}
