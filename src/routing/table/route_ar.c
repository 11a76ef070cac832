/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of adaptive routing from a file, as switches hold them. They claim nothing: prove them.
 *
 * Every port that an entry allows is a choice: the ports of its group that have a cable, and the
 * port of the entry itself, which packets take that are not to be routed adaptively. */
#include "routing/routing.h"
#include "routing/table/lft_tables.h"

#include <stdlib.h>

static const ik_param ar_params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "file with tables of adaptive routing: ibdiagnet2.far, or any that 'lft' reads"},
    {"packets", IK_PARAM_ENUM, "all", 0, 0, "all|adaptive",
     "all: those that are routed adaptively, and those that take the entry's own port; adaptive: "
     "the former alone"},
    {0},
};

typedef struct adaptive_tables {
    file_tables file;
    bool all; /* packets=all */
} adaptive_tables;

static void ar_destroy(ik_routing *r)
{
    file_tables_free(r->impl);
}

static bool ar_has(const tables_ports *set, unsigned number)
{
    return set->bits[number / 64] >> number % 64 & 1;
}

static uint32_t ar_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                        uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const adaptive_tables *a = r->impl;
    const file_tables *p = &a->file;
    const ik_fabric *f = r->fabric;
    *preferred = 0;
    if (p->base[pk->dst] == IK_NONE)
        return 0;
    uint32_t index = p->base[pk->dst] + pk->phase % p->num[pk->dst], n = 0;
    uint8_t own = ik_lid_tables_row(&p->tables, sw)[index];
    uint16_t group = p->groups.of[(size_t)sw * p->lids.num + index];
    const tables_ports *set = group ? &p->groups.ports[p->groups.first[sw] + group - 1u] : NULL;
    for (uint32_t port = f->port_base[sw]; set && port < f->port_base[sw + 1]; port++) {
        unsigned number = ik_port_number(f, port);
        bool is_own = number == own;
        if (number > IK_PORT_NUMBER || f->port_peer[port] == IK_NONE ||
            !(ar_has(set, number) || (is_own && a->all)))
            continue;
        if (is_own)
            *preferred = n;
        out[n++] = port;
    }
    if (n > 0)
        return n;
    out[0] = own == IK_PORT_SELF || own == IK_PORT_NONE ? IK_NONE : ik_port_of_number(f, sw, own);
    return out[0] != IK_NONE;
}

static const ik_routing_family ar_several_paths = {
    .name = "ar",
    .summary = "tables of adaptive routing read from a file, several LIDs per port",
    .params = ar_params,
    .kind = IK_ROUTE_ADAPTIVE,
    .traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_EVERY_PORT,
    .destroy = ar_destroy,
    .num_starts = file_tables_num_starts,
    .start_nth = file_tables_start_nth,
    .next = ar_next,
};

static ik_status ar_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    adaptive_tables *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "forwarding tables");
    r->impl = a;
    a->all = ik_params_enum(params, "packets") == 0;
    ik_status status =
        file_tables_read(r, ik_params_text(params, "path"), true, env, &a->file, err);
    if (status == IK_OK)
        status = file_tables_number_paths(r->fabric, &a->file, err);
    if (status == IK_OK && file_tables_have_paths(&a->file)) {
        r->family = &ar_several_paths;
        r->traits = ar_several_paths.traits;
    }
    return status;
}

const ik_routing_family ik_routing_ar = {
    .name = "ar",
    .summary = "tables of adaptive routing read from a file",
    .source = "the tables of InfiniBand switches that ibdiagnet dumps (ibdiagnet2.far)",
    .details =
        "An entry has a port and a state. Static: packets take that port. Free, Bounded and HBF: "
        "they take any port of a group, by load or by a hash. A proof covers every choice at every "
        "switch. Ports of a group without a cable are no choice; where a group has none with one, "
        "the entry's port is left. Packets of service levels without adaptive routing take the "
        "entry's port everywhere: packets=all proves both kinds together.\n\nSwitches and LIDs are "
        "matched as by 'lft'. Switches with several tables (private LFTs) are refused. Service "
        "levels and virtual lanes are not in the file: without a VC scheme the tables are proved "
        "for one lane.",
    .params = ar_params,
    .kind = IK_ROUTE_ADAPTIVE,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_EVERY_PORT,
    .create = ar_create,
    .destroy = ar_destroy,
    .next = ar_next,
};
