/* SPDX-License-Identifier: Apache-2.0
 *
 * file_tables.c: what routings whose tables are read from a file share. */
#include "routing/table/lft_tables.h"

#include <stdlib.h>

void file_tables_free(file_tables *p)
{
    if (!p)
        return;
    ik_lid_tables_free(&p->tables);
    tables_groups_free(&p->groups);
    ik_lids_free(&p->lids);
    free(p->base);
    free(p->num);
    ik_fabric_free(p->whole);
    free(p);
}

uint32_t file_tables_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    (void)src;
    const file_tables *p = r->impl;
    return p->num[dst];
}

void file_tables_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    (void)r;
    pk->phase = (uint8_t)n;
}

bool file_tables_have_paths(const file_tables *p)
{
    for (uint32_t i = 0; i < p->lids.num; i++)
        if (p->lids.of[i].port != IK_NONE && p->lids.of[i].path)
            return true;
    return false;
}

ik_status file_tables_number_paths(const ik_fabric *f, file_tables *p, ik_error *err)
{
    p->base = ik_calloc((size_t)f->num_hosts + 1, sizeof *p->base);
    p->num = ik_calloc((size_t)f->num_hosts + 1, sizeof *p->num);
    if (!p->base || !p->num)
        return ik_fail_memory(err, 5 * (size_t)f->num_hosts, "LIDs of hosts");
    lft_paths(f, &p->lids, p->base, p->num);
    return IK_OK;
}

ik_status file_tables_read(ik_routing *r, const char *path, bool groups, const ik_env *env,
                           file_tables *p, ik_error *err)
{
    ik_tables_matched matched;
    const ik_fabric *f = r->fabric->split ? r->fabric->split->whole : r->fabric;
    ik_status status = f->num_endpoints ? ik_fabric_with_endpoints(f, &p->whole, err) : IK_OK;
    if (status == IK_OK)
        status = ik_lids_make(p->whole ? p->whole : f, &p->lids, err);
    if (status == IK_OK)
        status = groups ? tables_read_adaptive(&p->lids, path, env, &p->tables, &p->groups,
                                               &matched, err)
                        : ik_lid_tables_read(&p->lids, path, env, &p->tables, &matched, err);
    if (status == IK_OK)
        status = ik_tables_note(&p->lids, &matched, path, &r->note, err);
    if (status == IK_OK)
        p->tables.lids = &p->lids;
    return status;
}
