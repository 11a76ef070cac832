/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of adaptive routing from a file, as switches hold them. They claim nothing: prove them.
 *
 * There are two kinds of packets. Those that are routed adaptively may take any port of an entry's
 * group that has a cable, or the entry's own port where no other is left. The others, of service
 * levels without adaptive routing, take the entry's own port everywhere. A packet starts as one of
 * a kind and as one for a LID of its destination, and keeps to both. */
#include "routing/routing.h"
#include "routing/table/lft_tables.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AR_ALL, AR_ADAPTIVE, AR_STATIC }; /* as in ar_params */

static const ik_param ar_params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "file with tables of adaptive routing: ibdiagnet2.far, or any that 'lft' reads"},
    {"packets", IK_PARAM_ENUM, "all", 0, 0, "all|adaptive|static",
     "adaptive: packets that take any port of a group; static: those that take the entry's own "
     "port; all: both, and as many of each"},
    {0},
};

typedef struct adaptive_tables {
    file_tables file; /* first: file_tables_ functions take it for the routing's impl */
    unsigned packets; /* AR_… */
} adaptive_tables;

static void ar_destroy(ik_routing *r)
{
    file_tables_free(r->impl);
}

static unsigned ar_kinds(const adaptive_tables *a)
{
    return a->packets == AR_ALL ? 2 : 1;
}

static uint32_t ar_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    return file_tables_num_starts(r, src, dst) * ar_kinds(r->impl);
}

static bool ar_has(const tables_ports *set, unsigned number)
{
    return number <= IK_PORT_NUMBER && set->bits[number / 64] >> number % 64 & 1;
}

/* The group of a switch for a LID, where the packet may use it. */
static const tables_ports *ar_group(const adaptive_tables *a, uint32_t sw, uint32_t index,
                                    const ik_packet *pk)
{
    const tables_groups *g = &a->file.groups;
    uint16_t group = g->of[(size_t)sw * a->file.lids.num + index];
    if (!group || a->packets == AR_STATIC || (a->packets == AR_ALL && pk->phase % 2))
        return NULL;
    assert(g->first[sw] + group <= g->num);
    return &g->ports[g->first[sw] + group - 1u];
}

static uint32_t ar_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                        uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const adaptive_tables *a = r->impl;
    const file_tables *p = &a->file;
    /* a cable to an endpoint that the fabric leaves out is a cable */
    const ik_fabric *f = p->whole ? p->whole : r->fabric;
    *preferred = 0;
    if (p->base[pk->dst] == IK_NONE)
        return 0;
    uint32_t index = p->base[pk->dst] + pk->phase / ar_kinds(a) % p->num[pk->dst], n = 0;
    uint8_t own = ik_lid_tables_row(&p->tables, sw)[index];
    const tables_ports *set = ar_group(a, sw, index, pk);
    for (uint32_t port = f->port_base[sw]; set && port < f->port_base[sw + 1]; port++) {
        unsigned number = ik_port_number(f, port);
        if (f->port_peer[port] == IK_NONE || !ar_has(set, number))
            continue;
        if (r->fabric->port_peer[port] == IK_NONE)
            return 0; /* to such an endpoint: a choice that loses packets */
        if (number == own)
            *preferred = n;
        out[n++] = port;
    }
    if (n > 0)
        return n;
    out[0] = own == IK_PORT_SELF || own == IK_PORT_NONE ? IK_NONE : ik_port_of_number(f, sw, own);
    return out[0] != IK_NONE && r->fabric->port_peer[out[0]] != IK_NONE;
}

static const ik_routing_family ar_several_starts = {
    .name = "ar",
    .summary = "tables of adaptive routing read from a file, with packets of several starts",
    .params = ar_params,
    .kind = IK_ROUTE_ADAPTIVE,
    .traits =
        IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_EVERY_PORT | IK_ROUTE_DEST_PATHS,
    .destroy = ar_destroy,
    .num_starts = ar_num_starts,
    .start_nth = file_tables_start_nth,
    .next = ar_next,
};

/* The default suits proofs; who simulates mostly wants adaptive packets alone. */
static ik_status ar_note_packets(ik_routing *r, ik_error *err)
{
    static const char text[] = "packets=all: half of the packets take the entries' own ports; "
                               "packets=adaptive has those alone that are routed adaptively";
    size_t used = r->note ? strlen(r->note) : 0;
    char *note = realloc(r->note, used + sizeof text + 2);
    if (!note)
        return ik_fail_memory(err, used + sizeof text, "a note");
    snprintf(note + used, sizeof text + 2, "%s%s", used ? "; " : "", text);
    r->note = note;
    return IK_OK;
}

static ik_status ar_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    adaptive_tables *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "forwarding tables");
    r->impl = a;
    a->packets = ik_params_enum(params, "packets");
    ik_status status =
        file_tables_read(r, ik_params_text(params, "path"), true, env, &a->file, err);
    if (status == IK_OK)
        status = file_tables_number_paths(r->fabric, &a->file, err);
    assert(status != IK_OK || !a->file.whole ||
           a->file.whole->port_base[r->fabric->num_switches] ==
               r->fabric->port_base[r->fabric->num_switches]);
    if (status == IK_OK && (a->packets == AR_ALL || file_tables_have_paths(&a->file))) {
        r->family = &ar_several_starts;
        r->traits = ar_several_starts.traits;
    }
    if (status == IK_OK && a->packets == AR_ALL)
        status = ar_note_packets(r, err);
    return status;
}

const ik_routing_family ik_routing_ar = {
    .name = "ar",
    .summary = "tables of adaptive routing read from a file",
    .source = "the tables of InfiniBand switches that ibdiagnet dumps (ibdiagnet2.far)",
    .details =
        "An entry has a port and a state. Static: packets take that port. Free, Bounded and HBF: "
        "they take any port of a group that has a cable, by load or by a hash; where a group has "
        "none, the entry's port is left. Packets of service levels without adaptive routing take "
        "the entry's port everywhere. A proof covers every choice at every switch, of both kinds "
        "of packets; packets=adaptive simulates the former alone.\n\nSwitches and LIDs are "
        "matched as by 'lft'. Switches with several tables (private LFTs) are refused. Which "
        "service levels are routed adaptively and which virtual lanes they take is not read: "
        "without a VC scheme the tables are proved for one lane.",
    .params = ar_params,
    .kind = IK_ROUTE_ADAPTIVE,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_EVERY_PORT,
    .create = ar_create,
    .destroy = ar_destroy,
    .next = ar_next,
};
