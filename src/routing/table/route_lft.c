/* SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding tables from a file, as a subnet manager dumped or would load them. They claim nothing:
 * prove them. */
#include "routing/routing.h"
#include "routing/table/lft_file.h"

static ik_status create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)env;
    return lft_read_noted(r->fabric, ik_params_text(params, "path"), &r->lft, &r->note, err);
}

static const ik_param params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "file with 'Unicast lids' blocks, as OpenSM and dump_fts write them"},
    {0},
};

const ik_routing_family ik_routing_lft = {
    .name = "lft",
    .summary = "forwarding tables read from a file",
    .source = "the table format of OpenSM's file routing engine",
    .details = "Entries are matched to hosts by port GUID where a line has one, else by LID; "
               "switches by GUID. Switches and LIDs that the fabric does not have are passed over; "
               "a port that a switch does not have is an error. The file has no service levels and "
               "virtual lanes: without a VC scheme the tables are proved for one lane.\n\nNothing "
               "is claimed about such tables: they may be incomplete, loop, or deadlock.",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED,
    .create = create,
    .next = ik_lft_next,
};
