/* SPDX-License-Identifier: Apache-2.0
 *
 * Flexible interval routing: D-mod-K, or the adaptive routing, from four registers per port.
 * Nothing else is used. */
#include "routing/tree/registers.h"

static ik_status fir_create(ik_routing *r, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    (void)env;
    ik_registers *regs = NULL;
    bool adaptive = ik_params_enum(params, "mode") == 1;
    ik_status status =
        registers_fill(r->fabric, r->family->name,
                       adaptive ? REGISTERS_FIR_ADAPTIVE : REGISTERS_FIR_DMODK, &regs, err);
    r->impl = regs;
    if (!adaptive) {
        r->kind = IK_ROUTE_DETERMINISTIC;
        r->claims |= IK_CLAIM_IN_ORDER;
    }
    return status;
}

/* Registers hold no ports of hosts: the digit of D-mod-K, or any where the registers leave the way
 * up open. */
static uint32_t fir_rail(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports)
{
    (void)src;
    return r->kind == IK_ROUTE_DETERMINISTIC ? dst % ik_fabric_xgft(r->fabric)->m[0] % num_ports
                                             : IK_NONE;
}

static const ik_param params[] = {
    {"mode", IK_PARAM_ENUM, "dmodk", 0, 0, "dmodk|adaptive", "the routing that the registers hold"},
    {0},
};
static const char *const examples[] = {
    "karytree:k=2,n=3",       "karytree:k=3,n=3",       "xgft:m=4:4,w=1:2",
    "rlft:ports=12,levels=3", "pgft:m=4:4,w=1:2,p=1:2", NULL,
};
static const char *const refused[] = {"ring:n=5", "xgft:m=4:4,w=1:3", NULL};

const ik_routing_family ik_routing_fir = {
    .name = "fir",
    .summary = "D-mod-K on trees from flexible interval registers alone",
    .source = "Gomez, Lopez, Duato: A Memory-Effective Routing Strategy for Regular "
              "Interconnection Networks, IPDPS 2005; Gomez, Gilabert, Gomez, Lopez, Duato: "
              "Deterministic versus Adaptive Routing in Fat-Trees, IPDPS 2007",
    .details = "In addition to FI and LI, every port has a mask MR on the destination's address "
               "and a set RRR of ports that take precedence. Addresses pack each digit of the host "
               "into ceil(log2 m) bits, so that any arity works.\n\nNeeds a generated tree without "
               "failures where every switch has at least as many up ports as children, or a number "
               "of up ports that is a power of two.",
    .params = params,
    .kind = IK_ROUTE_ADAPTIVE,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ASCENDS_ALIKE,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = fir_create,
    .destroy = registers_destroy,
    .next = registers_next,
    .rail = fir_rail,
};
