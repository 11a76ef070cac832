/* SPDX-License-Identifier: Apache-2.0
 *
 * The LIDs of a subnet: which port each of them names, found by LID, by port and by GUID.
 *
 * Ports are listed switches first, then hosts, and each claims its 2^LMC LIDs in a table of all
 * unicast LIDs; a second claim is an error that names both, or is reported. Ports without a LID
 * take the lowest ones that nobody claims, in the same order.
 */
#include "ikat/lids.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FREE = 0, MAX_LMC = 7, NO_INDEX = 0xFFFF };

typedef struct lid_port {
    uint32_t lid, node, port; /* port IK_NONE: a switch's port 0 */
    unsigned lmc;
    bool made;
    bool counts; /* false: without a cable; its LID is only kept from others */
} lid_port;

typedef struct making {
    const ik_fabric *f;
    lid_port *ports;
    uint32_t num_ports;
    uint32_t *owner; /* [IK_LID_MAX + 1] 1 + index of the port that has this LID, FREE */
    ik_lids *lids;
    ik_lid_refused *refused; /* NULL: a port whose LID cannot be is an error */
    void *context;
} making;

static bool lids_leads_to_switch(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = ik_peer_node(f, port);
    return peer != IK_NONE && ik_is_switch(f, peer);
}

static void lids_add_port(making *m, uint32_t node, uint32_t port, bool counts)
{
    assert(node < ik_num_nodes(m->f) && (port == IK_NONE) == ik_is_switch(m->f, node));
    const ik_fabric *f = m->f;
    bool is_switch = port == IK_NONE;
    m->ports[m->num_ports++] = (lid_port){
        .node = node,
        .port = port,
        .counts = counts,
        .lid = !is_switch    ? ik_port_lid(f, port)
               : f->node_lid ? f->node_lid[node]
                             : 0,
        .lmc = !is_switch    ? ik_port_lmc(f, port)
               : f->node_lmc ? f->node_lmc[node]
                             : 0,
    };
}

/* A host without any cable keeps a number, so that the others' do not change when it comes back. */
static void lids_list_host(making *m, uint32_t node)
{
    const ik_fabric *f = m->f;
    bool cabled = false;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        bool counts = lids_leads_to_switch(f, port);
        if (counts || ik_port_lid(f, port))
            lids_add_port(m, node, port, counts);
        cabled |= counts;
    }
    if (!cabled && ik_radix(f, node) > 0) {
        uint32_t first = f->port_base[node];
        if (!ik_port_lid(f, first)) {
            lids_add_port(m, node, first, false);
            m->ports[m->num_ports - 1].lid = f->node_lid ? f->node_lid[node] : 0;
        }
    }
}

static const char *lids_describe(const making *m, const lid_port *p, char *text, size_t size)
{
    bool one = p->port == IK_NONE || ik_host_cables(m->f, ik_node_host(m->f, p->node)) < 2;
    return one ? ik_node_describe(m->f, p->node, text, size)
               : ik_port_describe(m->f, p->port, text, size);
}

static ik_status lids_refuse_claims(const making *m, const lid_port *a, const lid_port *b,
                                    ik_error *err)
{
    char first[256], second[256];
    lids_describe(m, a, first, sizeof first);
    lids_describe(m, b, second, sizeof second);
    if (a->lid == b->lid) {
        ik_fail(err, IK_ERR_INPUT, "%.180s and %.180s have the same LID, %u", first, second,
                a->lid);
        return ik_hint(
            err, IK_ERR_INPUT,
            "a file of two subnets, or a subnet with two subnet managers, has LIDs twice");
    }
    return ik_fail(err, IK_ERR_INPUT,
                   "LIDs %u to %u of %.160s overlap LIDs %u to %u of %.160s (LMC %u and %u)",
                   a->lid, a->lid + (1u << a->lmc) - 1, first, b->lid, b->lid + (1u << b->lmc) - 1,
                   second, a->lmc, b->lmc);
}

/* Claims the LIDs that the fabric gives a port. */
static ik_status lids_claim(making *m, uint32_t index, ik_error *err)
{
    const lid_port *p = &m->ports[index];
    assert(p->lid && p->lmc <= MAX_LMC);
    uint32_t paths = 1u << p->lmc;
    char name[256];
    if (p->lid > IK_LID_MAX || p->lid + paths - 1 > IK_LID_MAX)
        return ik_fail(err, IK_ERR_INPUT, "%s has LID %u; unicast LIDs go up to %u",
                       lids_describe(m, p, name, sizeof name), p->lid + paths - 1, IK_LID_MAX);
    if (p->lid % paths != 0) {
        ik_fail(err, IK_ERR_INPUT, "%s has base LID %u, which is not a multiple of %u (LMC %u)",
                lids_describe(m, p, name, sizeof name), p->lid, paths, p->lmc);
        return ik_hint(err, IK_ERR_INPUT, "a port has 2^LMC LIDs, the first one aligned to them");
    }
    for (uint32_t lid = p->lid; lid < p->lid + paths; lid++)
        if (m->owner[lid] != FREE)
            return lids_refuse_claims(m, &m->ports[m->owner[lid] - 1], p, err);
    for (uint32_t lid = p->lid; lid < p->lid + paths; lid++)
        m->owner[lid] = index + 1;
    return IK_OK;
}

/* As claim; where there is somebody to hear why it cannot be, the port goes without. */
static ik_status lids_claim_or_report(making *m, uint32_t index, ik_error *err)
{
    lid_port *p = &m->ports[index];
    ik_error why;
    if (!m->refused)
        return lids_claim(m, index, err);
    if (lids_claim(m, index, &why) == IK_OK)
        return IK_OK;
    p->lid = 0;
    return m->refused(m->context, p->node, p->port, &why, err);
}

static ik_status lids_assign(making *m, ik_error *err)
{
    uint32_t next = 1;
    for (uint32_t i = 0; i < m->num_ports; i++) {
        if (m->ports[i].lid)
            continue;
        while (next <= IK_LID_MAX && m->owner[next] != FREE)
            next++;
        if (next > IK_LID_MAX)
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "the fabric has %u switches and ports of hosts, and InfiniBand has %u "
                           "unicast LIDs",
                           m->num_ports, IK_LID_MAX);
        m->ports[i].lid = next;
        m->ports[i].lmc = 0;
        m->ports[i].made = true;
        m->owner[next] = i + 1;
        m->lids->assigned += m->ports[i].counts;
    }
    return IK_OK;
}

static ik_status lids_number_ports(making *m, ik_error *err)
{
    for (uint32_t i = 0; i < m->num_ports; i++) {
        bool claims = m->ports[i].lid && m->ports[i].counts;
        ik_status status = claims ? lids_claim_or_report(m, i, err) : IK_OK;
        if (status != IK_OK)
            return status;
    }
    for (uint32_t i = 0; i < m->num_ports; i++) {
        const lid_port *p = &m->ports[i];
        if (p->lid && !p->counts && p->lid <= IK_LID_MAX && m->owner[p->lid] == FREE)
            m->owner[p->lid] = i + 1;
    }
    return lids_assign(m, err);
}

/* ---- the arrays */

/* first_lmc: that of the first host's port. */
static void lids_note_lmc(ik_lids *lids, const lid_port *p, unsigned *first_lmc)
{
    lids->max_lmc = p->lmc > lids->max_lmc ? p->lmc : lids->max_lmc;
    if (p->port == IK_NONE)
        return;
    if (*first_lmc > MAX_LMC) {
        *first_lmc = p->lmc;
        lids->lmc_of = lids->num;
    } else if (p->lmc != *first_lmc && !lids->mixed_lmc) {
        lids->mixed_lmc = true;
        lids->other_lmc_of = lids->num;
    }
}

static void lids_fill(making *m)
{
    ik_lids *lids = m->lids;
    const ik_fabric *f = m->f;
    unsigned first_lmc = MAX_LMC + 1;
    lids->lmc_of = lids->other_lmc_of = IK_NONE;
    memset(lids->index_of, 0xFF, (IK_LID_MAX + 1) * sizeof *lids->index_of);
    for (uint32_t lid = 1; lid <= IK_LID_MAX; lid++) {
        const lid_port *p = m->owner[lid] == FREE ? NULL : &m->ports[m->owner[lid] - 1];
        if (!p || !p->counts)
            continue;
        bool is_switch = p->port == IK_NONE;
        assert(p->lid <= lid && lid < p->lid + (1u << p->lmc)); /* in the order of their paths */
        lids->of[lids->num] = (ik_lid){
            .lid = (uint16_t)lid,
            .path = (uint16_t)(lid - p->lid),
            .node = p->node,
            .port = p->port,
            .made = p->made,
            .guid = is_switch ? ik_node_guid(f, p->node) : ik_port_guid(f, p->port),
        };
        lids->index_of[lid] = (uint16_t)lids->num;
        if (lid == p->lid) {
            lids->of_place[is_switch ? p->node : f->num_switches + p->port - lids->first_host] =
                lids->num;
            lids->by_guid[lids->num_guids++] = lids->num;
            lids_note_lmc(lids, p, &first_lmc);
        }
        lids->num++;
    }
    if (!lids->mixed_lmc)
        lids->lmc_of = IK_NONE;
}

typedef struct keyed {
    uint64_t guid;
    uint32_t index;
} keyed;

static int lids_compare_guids(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static ik_status lids_sort_guids(ik_lids *lids, ik_error *err)
{
    assert(lids->num_guids <= lids->num);
    keyed *list = ik_calloc((size_t)lids->num_guids + 1, sizeof *list);
    if (!list)
        return ik_fail_memory(err, lids->num_guids * sizeof *list, "GUIDs");
    for (uint32_t i = 0; i < lids->num_guids; i++)
        list[i] = (keyed){lids->of[lids->by_guid[i]].guid, lids->by_guid[i]};
    qsort(list, lids->num_guids, sizeof *list, lids_compare_guids);
    for (uint32_t i = 0; i < lids->num_guids; i++)
        lids->by_guid[i] = list[i].index;
    free(list);
    return IK_OK;
}

static ik_status lids_allocate(making *m, ik_error *err)
{
    ik_lids *lids = m->lids;
    size_t num = 0, places = (size_t)m->f->num_switches + m->f->num_ports - lids->first_host;
    for (uint32_t i = 0; i < m->num_ports; i++)
        num += m->ports[i].counts ? (size_t)1 << m->ports[i].lmc : 0;
    lids->of = ik_calloc(num + 1, sizeof *lids->of);
    lids->by_guid = ik_calloc(num + 1, sizeof *lids->by_guid);
    lids->index_of = ik_calloc(IK_LID_MAX + 1, sizeof *lids->index_of);
    lids->of_place = malloc((places + 1) * sizeof *lids->of_place);
    if (!lids->of || !lids->by_guid || !lids->index_of || !lids->of_place)
        return ik_fail_memory(err, num * sizeof *lids->of + places * 4, "LIDs");
    memset(lids->of_place, 0xFF, (places + 1) * sizeof *lids->of_place);
    return IK_OK;
}

static ik_status lids_make(making *m, ik_error *err)
{
    const ik_fabric *f = m->f;
    size_t most = (size_t)f->num_switches + f->num_ports - m->lids->first_host + f->num_hosts +
                  f->num_endpoints;
    m->ports = ik_calloc(most + 1, sizeof *m->ports);
    m->owner = ik_calloc(IK_LID_MAX + 1, sizeof *m->owner);
    if (!m->ports || !m->owner)
        return ik_fail_memory(err, most * sizeof *m->ports, "LIDs");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        lids_add_port(m, sw, IK_NONE, true);
    for (uint32_t host = 0; host < f->num_hosts; host++)
        lids_list_host(m, ik_host_node(f, host));
    for (uint32_t i = 0; i < f->num_endpoints; i++)
        if (f->endpoints[i].lid) /* nobody else may be given it */
            m->ports[m->num_ports++] = (lid_port){.lid = f->endpoints[i].lid,
                                                  .node = f->port_node[f->endpoints[i].port],
                                                  .port = f->endpoints[i].port};
    ik_status status = lids_number_ports(m, err);
    if (status == IK_OK)
        status = lids_allocate(m, err);
    if (status != IK_OK)
        return status;
    lids_fill(m);
    return lids_sort_guids(m->lids, err);
}

ik_status ik_lids_make_reporting(const ik_fabric *f, ik_lid_refused *refused, void *context,
                                 ik_lids *out, ik_error *err)
{
    f = f->split ? f->split->whole : f;
    ik_lids lids = {.fabric = f, .first_host = f->port_base[f->num_switches]};
    making m = {.f = f, .lids = &lids, .refused = refused, .context = context};
    ik_status status = lids_make(&m, err);
    free(m.ports);
    free(m.owner);
    if (status == IK_OK)
        *out = lids;
    else
        ik_lids_free(&lids);
    return status;
}

ik_status ik_lids_make(const ik_fabric *f, ik_lids *out, ik_error *err)
{
    return ik_lids_make_reporting(f, NULL, NULL, out, err);
}

void ik_lids_free(ik_lids *lids)
{
    free(lids->of);
    free(lids->index_of);
    free(lids->by_guid);
    free(lids->of_place);
    *lids = (ik_lids){0};
}

/* ---- finding */

uint32_t ik_lids_find(const ik_lids *lids, uint32_t lid)
{
    assert(lid > IK_LID_MAX || lids->index_of[lid] == NO_INDEX || lids->index_of[lid] < lids->num);
    return lid > IK_LID_MAX || lids->index_of[lid] == NO_INDEX ? IK_NONE : lids->index_of[lid];
}

uint32_t ik_lids_find_guid(const ik_lids *lids, uint64_t guid)
{
    uint32_t low = 0, high = lids->num_guids;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (lids->of[lids->by_guid[mid]].guid < guid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < lids->num_guids && lids->of[lids->by_guid[low]].guid == guid ? lids->by_guid[low]
                                                                              : IK_NONE;
}

uint32_t ik_lids_of_port(const ik_lids *lids, uint32_t port)
{
    const ik_fabric *f = lids->fabric;
    assert(port < f->num_ports);
    if (port < lids->first_host)
        return IK_NONE;
    return lids->of_place[f->num_switches + port - lids->first_host];
}

uint32_t ik_lids_of_node(const ik_lids *lids, uint32_t node)
{
    assert(node < ik_num_nodes(lids->fabric));
    const ik_fabric *f = lids->fabric;
    if (ik_is_switch(f, node))
        return lids->of_place[node];
    uint32_t port = ik_host_port(f, ik_node_host(f, node));
    return port == IK_NONE ? IK_NONE : ik_lids_of_port(lids, port);
}

uint32_t ik_lids_paths(const ik_lids *lids, uint32_t first)
{
    uint32_t paths = 1;
    assert(first < lids->num && lids->of[first].path == 0);
    while (first + paths < lids->num && lids->of[first + paths].path == paths)
        paths++;
    return paths;
}
