/* SPDX-License-Identifier: Apache-2.0
 *
 * Interval routing: the adaptive tree routing from two registers per port. Nothing else is used. */
#include "routing/tree/registers.h"

static ik_status ir_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params, (void)env;
    ik_registers *regs = NULL;
    ik_status status = registers_fill(r->fabric, r->family->name, REGISTERS_IR, &regs, err);
    r->impl = regs;
    return status;
}

static const char *const examples[] = {
    "karytree:k=2,n=4",     "karytree:k=3,n=3",       "xgft:m=3:4,w=1:2",
    "xgft:m=4:3:2,w=1:2:3", "pgft:m=4:4,w=1:2,p=1:2", NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

const ik_routing_family ik_routing_ir = {
    .name = "ir",
    .summary = "adaptive routing on trees from interval registers alone",
    .source = "Bakker, van Leeuwen, Tan: Linear Interval Routing, Algorithms Review 1991; Gomez, "
              "Gilabert, Gomez, Lopez, Duato: Deterministic versus Adaptive Routing in Fat-Trees, "
              "IPDPS 2007",
    .details = "Every port holds a first and a last host (FI, LI). Down ports hold the interval of "
               "the hosts below them, up ports the cyclic interval of all other hosts. The allowed "
               "ports are those of adaptive_tree. Registers cannot express a preferred port, so "
               "the first allowed port counts as preferred.\n\n"
               "Needs a generated tree without failures.",
    .kind = IK_ROUTE_ADAPTIVE,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ASCENDS_FULLY,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = ir_create,
    .destroy = registers_destroy,
    .next = registers_next,
    .rail = tree_rail_any,
};
