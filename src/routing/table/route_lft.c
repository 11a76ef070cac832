/* SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding tables from a file, as a subnet manager dumped or would load them. They claim nothing:
 * prove them.
 *
 * A port with LMC > 0 has several LIDs, and switches have an entry for each: every LID is a path.
 * A packet then starts with the number of its path, and keeps to it. */
#include "ikat/lids.h"
#include "routing/routing.h"
#include "routing/table/lft_tables.h"

#include <stdlib.h>

static const ik_param lft_params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "file with forwarding tables: a dump of OpenSM, a file that OpenSM loads, output of dump_fts "
     "or ibroute, or opensm.fdbs"},
    {0},
};

static void lft_destroy(ik_routing *r)
{
    file_tables_free(r->impl);
}

static uint32_t lft_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                         uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const file_tables *p = r->impl;
    *preferred = 0;
    if (p->base[pk->dst] == IK_NONE)
        return 0;
    uint32_t index = p->base[pk->dst] + pk->phase % p->num[pk->dst];
    out[0] = ik_port_of_number(r->fabric, sw, ik_lid_tables_row(&p->tables, sw)[index]);
    return out[0] != IK_NONE && r->fabric->port_peer[out[0]] != IK_NONE;
}

/* What the family is where ports of hosts have several LIDs. A family with num_starts is one by
 * destination for nobody, which is why there are two. */
static const ik_routing_family several_paths = {
    .name = "lft",
    .summary = "forwarding tables read from a file, several LIDs per port",
    .params = lft_params,
    .kind = IK_ROUTE_OBLIVIOUS,
    .traits = IK_ROUTE_DEST_PATHS | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .destroy = lft_destroy,
    .num_starts = file_tables_num_starts,
    .start_nth = file_tables_start_nth,
    .next = lft_next,
};

static ik_status lft_keep_paths(ik_routing *r, file_tables *p, ik_error *err)
{
    r->family = &several_paths;
    r->kind = several_paths.kind;
    r->claims = several_paths.claims;
    r->traits = several_paths.traits;
    return file_tables_number_paths(r->fabric, p, err);
}

static ik_status lft_read_file(ik_routing *r, const char *path, const ik_env *env, file_tables *p,
                               ik_error *err)
{
    ik_status status = file_tables_read(r, path, false, env, p, err);
    if (status != IK_OK)
        return status;
    return file_tables_have_paths(p) ? lft_keep_paths(r, p, err)
                                     : lft_of_tables(r->fabric, &p->tables, 0, &r->lft, err);
}

static ik_status lft_create(ik_routing *r, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    file_tables *p = ik_calloc(1, sizeof *p);
    if (!p)
        return ik_fail_memory(err, sizeof *p, "forwarding tables");
    ik_status status = lft_read_file(r, ik_params_text(params, "path"), env, p, err);
    if (status == IK_OK)
        r->impl = p;
    else
        file_tables_free(p);
    return status;
}

const ik_lid_tables *lft_file_tables(const ik_routing *r)
{
    const file_tables *p = r->impl;
    return r->family->destroy == lft_destroy ? &p->tables : NULL;
}

const ik_routing_family ik_routing_lft = {
    .name = "lft",
    .summary = "forwarding tables read from a file",
    .source = "the table format of OpenSM's file routing engine",
    .details =
        "Switches are matched by GUID. Entries are matched to ports of hosts by port GUID where a "
        "line has a GUID that the fabric knows, otherwise by LID. Entries for nodes that the "
        "fabric does not have are skipped and counted in a note, and so are hosts and switches "
        "without entries. It is an error if the file matches no switch or no host, or names a port "
        "that a switch does not have. Where ports have several LIDs (LMC > 0), each LID is a "
        "separate path, and proofs cover all of them. The file has no service levels or virtual "
        "lanes: without a VC scheme the tables are proved for one lane.\n\nSuch tables may be "
        "incomplete, have loops, or deadlock: `ikat check` shows whether they do.",
    .params = lft_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED,
    .create = lft_create,
    .destroy = lft_destroy,
    .next = ik_lft_next,
};
