/* SPDX-License-Identifier: Apache-2.0
 *
 * From the sections of an InfiniBand dump to nodes and cables. Every cable is listed twice, once by
 * each end: mutual tales first, then the rest is laid or left out and reported. Two sections of one
 * identifier are one node if they agree, else two nodes with one GUID, which do happen.
 */
#include "format/ib_dump.h"
#include "format/ib_rate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases of one kind named one by one; more are counted. */
enum { NAMED = 20 };
/* Switch and host ports of a fabric each fit into 31 bits. */
enum { IB_MAX_SLOTS = 0x7fffffff };

uint64_t ib_guid_in_key(slice key)
{
    scan s = {.at = key.at, .end = key.at + key.length};
    uint64_t guid;
    if (key.length < 3 || key.at[1] != '-')
        return 0;
    s.at += 2;
    return scan_hex(&s, &guid) && s.at == s.end ? guid : 0;
}

ik_status ib_node_of_guid(ib_file *ib, bool is_switch, uint64_t guid, uint32_t *node, ik_error *err)
{
    char *key = ik_arena_printf(&ib->arena, "%c-%016" PRIx64, is_switch ? 'S' : 'H', guid);
    if (!key)
        return ik_fail_memory(err, 20, "names of nodes");
    return ib_node_of(ib, (slice){key, strlen(key)}, node, err);
}

ik_status ib_rate_text(ib_file *ib, slice width, const char *speed, slice *rate, ik_error *err)
{
    *rate = (slice){0};
    if (!speed || !width.length || width.length > 3)
        return IK_OK;
    char *text = ik_arena_printf(&ib->arena, "%.*s%s", (int)width.length, width.at, speed);
    if (!text)
        return ik_fail_memory(err, 16, "rates of links");
    *rate = (slice){text, strlen(text)};
    rate->length = ib_rate_of(*rate) ? rate->length : 0;
    return IK_OK;
}

/* Switches that compute in the network show a channel adapter inside; it is no host, and its port
 * is no host port. It becomes an endpoint, for its LID is routed as any other. */
static void leave_out_aggregation(ib_file *ib)
{
    static const char mark[] = "Aggregation Node";
    size_t length = sizeof mark - 1;
    for (uint32_t i = 0; i < ib->num_nodes; i++) {
        ib_node *node = &ib->nodes[i];
        slice name = node->name.length ? node->name : ib->keys.names[node->key];
        for (size_t at = 0;
             node->is_host && !node->merged && !node->left_out && at + length <= name.length; at++)
            node->left_out = memcmp(name.at + at, mark, length) == 0;
        ib->left_out += node->left_out;
    }
}

/* The slot of a port that the file names. The reader checks the port of the section's own node
 * against its ports, ib_cables_find_peers() that of the peer; everything behind it relies on
 * that. */
static uint32_t ib_cables_slot_of(const ib_file *ib, uint32_t node, uint32_t port)
{
    assert(node < ib->num_nodes && !ib->nodes[node].merged && !ib->nodes[node].left_out);
    assert(port >= 1 && port <= ib->nodes[node].radix);
    return ib->nodes[node].first + port - 1;
}

/* The end that is listed for a slot, NULL if none. */
static ib_end *ib_cables_end_at(const ib_file *ib, uint32_t slot)
{
    assert(slot < ib->num_slots && (ib->slot[slot] == IK_NONE || ib->slot[slot] < ib->num_ends));
    return ib->slot[slot] == IK_NONE ? NULL : &ib->ends[ib->slot[slot]];
}

static bool ib_cables_is_left_out(const ib_file *ib, const ib_end *end)
{
    return ib->nodes[end->node].left_out || ib->nodes[end->peer].left_out;
}

/* Numbers the ports of all nodes. A line of a few bytes may claim 254 ports: what no fabric holds
 * is refused before it is allocated. */
static ik_status ib_cables_number_slots(ib_file *ib, ik_error *err)
{
    uint64_t total = 0;
    for (uint32_t node = 0; node < ib->num_nodes; node++) {
        ib->nodes[node].first = (uint32_t)total;
        total += ib->nodes[node].merged || ib->nodes[node].left_out ? 0 : ib->nodes[node].radix;
        if (total > IB_MAX_SLOTS)
            return ik_fail_at(err, IK_ERR_INPUT, ib->nodes[node].file, ib->nodes[node].line, 1,
                              "more than %d ports up to here; this is not a fabric", IB_MAX_SLOTS);
    }
    ib->num_slots = (uint32_t)total;
    return IK_OK;
}

static ik_status ib_cables_fill_slots(ib_file *ib, ik_error *err)
{
    ik_status status = ib_cables_number_slots(ib, err);
    if (status != IK_OK)
        return status;
    ib->slot = malloc(((size_t)ib->num_slots + 1) * sizeof *ib->slot);
    if (!ib->slot)
        return ik_fail_memory(err, ib->num_slots * sizeof *ib->slot, "ports of a dump");
    memset(ib->slot, 0xff, ((size_t)ib->num_slots + 1) * sizeof *ib->slot);
    for (size_t i = 0; i < ib->num_ends; i++) {
        const ib_end *end = &ib->ends[i];
        if (ib_cables_is_left_out(ib, end))
            continue;
        uint32_t slot = ib_cables_slot_of(ib, end->node, end->port);
        const ib_end *other = ib_cables_end_at(ib, slot);
        int length;
        const char *key = ib_shown_key(ib, end->peer, &length);
        if (other && (other->peer != end->peer || other->peer_port != end->peer_port))
            return ik_fail_at(err, IK_ERR_INPUT, end->file, end->line, 1,
                              "port %" PRIu32 " is cabled to \"%.*s\" port %" PRIu32
                              ", but elsewhere in line %u",
                              end->port, length, key, end->peer_port, other->line);
        ib->slot[slot] = (uint32_t)i;
    }
    return IK_OK;
}

void ib_tell_inactive(ib_file *ib, uint32_t index, uint32_t port, bool down)
{
    const ib_node *node = &ib->nodes[index];
    if (ib->inactive++ >= NAMED)
        return;
    ik_builder_finding(
        ib->b, IK_WARNING, down ? "port-down" : "inactive-port", NULL,
        "line %u: port %" PRIu32 " of %.*s (0x%016" PRIx64 ") has a cable, but is %s", ib->s.line,
        port, (int)(node->name.length < 64 ? node->name.length : 64),
        node->name.at ? node->name.at : "", node->guid, down ? "down" : "not active");
}

/* Does this node tell a cable that leads back to the end? */
static bool ib_cables_leads_back(const ib_file *ib, uint32_t index, const ib_end *end)
{
    const ib_node *node = &ib->nodes[index];
    const ib_end *other = end->peer_port > node->radix || node->merged || node->left_out
                              ? NULL
                              : ib_cables_end_at(ib, ib_cables_slot_of(ib, index, end->peer_port));
    return other && ib->nodes[other->peer].key == ib->nodes[end->node].key &&
           other->peer_port == end->port;
}

/* Of several nodes with one identifier, the one meant is that which lists the same cable. Here and
 * nowhere else a port of the other end is checked against the ports of its node. */
static ik_status ib_cables_find_peers(ib_file *ib, ik_error *err)
{
    for (size_t i = 0; i < ib->num_ends; i++) {
        ib_end *end = &ib->ends[i];
        if (ib_cables_is_left_out(ib, end))
            continue;
        for (uint32_t node = end->peer; node != IK_NONE; node = ib->nodes[node].next_same)
            if (ib_cables_leads_back(ib, node, end)) {
                end->peer = node;
                break;
            }
        int length;
        const char *key = ib_shown_key(ib, end->peer, &length);
        if (end->peer_port > ib->nodes[end->peer].radix)
            return ik_fail_at(err, IK_ERR_INPUT, end->file, end->line, 1,
                              "a cable to port %" PRIu32 " of \"%.*s\", which has %s (line %u)",
                              end->peer_port, length, key,
                              IK_COUNT(ib->nodes[end->peer].radix, "port"),
                              ib->nodes[end->peer].line);
    }
    return IK_OK;
}

/* Nodes in the order of their sections, then those that are only mentioned. */
static uint32_t *ib_cables_by_line_order(const ib_file *ib, uint32_t *count)
{
    uint32_t *order = ik_calloc((size_t)ib->num_nodes + 1, sizeof *order);
    if (!order)
        return NULL;
    /* Mentions may come before sections: sort the defined ones by section. */
    uint32_t *at_section = ik_calloc((size_t)ib->sections + 2, sizeof *at_section);
    if (!at_section) {
        free(order);
        return NULL;
    }
    memset(at_section, 0xff, ((size_t)ib->sections + 2) * sizeof *at_section);
    uint32_t num = 0;
    for (uint32_t i = 0; i < ib->num_nodes; i++)
        if (ib->nodes[i].defined && !ib->nodes[i].merged && !ib->nodes[i].left_out)
            at_section[ib->nodes[i].at] = i;
    for (uint32_t at = 0; at <= ib->sections; at++)
        if (at_section[at] != IK_NONE)
            order[num++] = at_section[at];
    for (uint32_t i = 0; i < ib->num_nodes; i++)
        if (!ib->nodes[i].defined && !ib->nodes[i].left_out)
            order[num++] = i;
    free(at_section);
    *count = num;
    return order;
}

static ik_end ib_cables_end_of(const ib_file *ib, uint32_t node, uint32_t port)
{
    const ib_node *n = &ib->nodes[node];
    return n->is_host ? ik_hs(n->id, port - 1) : ik_sw(n->id, port - 1);
}

static void ib_cables_label_node(ib_file *ib, uint32_t index)
{
    const ib_node *node = &ib->nodes[index];
    slice key = ib->keys.names[node->key], name = node->name.length ? node->name : key;
    uint64_t guid = node->guid ? node->guid : ib_guid_in_key(key);
    int length = (int)(name.length < 256 ? name.length : 256);
    if (node->is_host) {
        ik_builder_host_name(ib->b, node->id, "%.*s", length, name.at);
        ik_builder_host_ids(ib->b, node->id, guid, node->lid);
    } else {
        ik_builder_switch_name(ib->b, node->id, "%.*s", length, name.at);
        ik_builder_switch_ids(ib->b, node->id, guid, node->lid);
        ik_builder_node_lmc(ib->b, ik_sw(node->id, 0), node->lmc);
    }
}

static ik_status ib_cables_add_nodes(ib_file *ib, ik_error *err)
{
    uint32_t num = 0, missing[2] = {0}; /* switches, hosts */
    uint32_t *order = ib_cables_by_line_order(ib, &num);
    if (!order)
        return ik_fail_memory(err, ib->num_nodes * sizeof *order, "the order of nodes");
    if (!num) {
        free(order);
        return ik_fail_at(err, IK_ERR_INPUT, ib->s.file, ib->s.line, 1,
                          "there is no switch and no host in this file");
    }
    for (uint32_t i = 0; i < num; i++) {
        ib_node *node = &ib->nodes[order[i]];
        node->id = node->is_host ? ik_builder_hosts(ib->b, 1, node->radix)
                                 : ik_builder_switches(ib->b, 1, node->radix);
        ib_cables_label_node(ib, order[i]);
        if (node->defined || missing[node->is_host]++ >= NAMED)
            continue;
        int length;
        const char *key = ib_shown_key(ib, order[i], &length);
        ik_end end = ib_cables_end_of(ib, order[i], 1);
        ik_builder_finding(ib->b, node->is_host ? IK_WARNING : IK_ERROR, "missing-section", &end,
                           "\"%.*s\" (%.*s) is mentioned in line %u but has no section: "
                           "the dump is incomplete",
                           length, key, (int)(node->name.length < 100 ? node->name.length : 100),
                           node->name.at ? node->name.at : "", node->line);
    }
    if (missing[0] > NAMED || missing[1] > NAMED)
        ik_builder_finding(ib->b, IK_WARNING, "missing-section", NULL,
                           "%" PRIu32 " nodes in all are mentioned but have no section",
                           missing[0] + missing[1]);
    free(order);
    return IK_OK;
}

/* The class of a cable from what its two ends say of its rate; the slower counts. */
static uint16_t cable_class(ib_file *ib, const ib_end *a, const ib_end *b)
{
    uint64_t ra = ib_rate_of(a->rate), rb = b ? ib_rate_of(b->rate) : 0;
    bool to_host = ib->nodes[a->node].is_host || ib->nodes[a->peer].is_host;
    const ib_end *slower = ra && (!rb || ra <= rb) ? a : b;
    if (ra && rb && ra != rb) {
        ik_end end = ib_cables_end_of(ib, a->node, a->port);
        ik_builder_finding(ib->b, IK_WARNING, "asymmetric-rate", &end,
                           "the two ends of a cable disagree on its rate: %.*s in line %u, %.*s in "
                           "line %u; the lower is used",
                           (int)a->rate.length, a->rate.at, a->line, (int)b->rate.length,
                           b->rate.at, b->line);
    }
    if (!ra && !rb) {
        ib->unrated++;
        return ik_builder_default_link(ib->b, to_host);
    }
    char name[16];
    memcpy(name, slower->rate.at, slower->rate.length);
    name[slower->rate.length] = '\0';
    return ik_builder_rated_link(ib->b, to_host, ib_rate_of(slower->rate), name);
}

static void ib_cables_lay(ib_file *ib, ib_end *a, ib_end *b)
{
    ik_end near = ib_cables_end_of(ib, a->node, a->port),
           far = ib_cables_end_of(ib, a->peer, a->peer_port);
    uint64_t near_guid = a->guid ? a->guid
                         : b     ? b->peer_guid
                                 : 0,
             far_guid = a->peer_guid ? a->peer_guid
                        : b          ? b->guid
                                     : 0;
    ik_builder_link(ib->b, near, far, cable_class(ib, a, b));
    ik_builder_port_ids(ib->b, near, near_guid, 0);
    ik_builder_port_ids(ib->b, far, far_guid, 0);
    ib->nodes[a->node].cables++;
    ib->nodes[a->peer].cables++;
    a->laid = true;
    if (b)
        b->laid = true;
}

static void report_bad_cable(ib_file *ib, const ib_end *end, ik_severity severity, const char *what)
{
    int la, lb;
    const char *a = ib_shown_key(ib, end->node, &la), *b = ib_shown_key(ib, end->peer, &lb);
    const ib_node *na = &ib->nodes[end->node], *nb = &ib->nodes[end->peer];
    ik_end near = ib_cables_end_of(ib, end->node, end->port);
    if (ib->one_sided++ >= NAMED)
        return;
    ik_builder_finding(ib->b, severity, "asymmetric-cable", &near,
                       "line %u: the cable from %.*s (%.*s) port %" PRIu32
                       " to %.*s (%.*s) port %" PRIu32 " %s",
                       end->line, (int)(na->name.length < 64 ? na->name.length : 64),
                       na->name.at ? na->name.at : "", la, a, end->port,
                       (int)(nb->name.length < 64 ? nb->name.length : 64),
                       nb->name.at ? nb->name.at : "", lb, b, end->peer_port, what);
}

/* The end that the other side of a cable lists, NULL if none. */
static ib_end *ib_cables_other_end(const ib_file *ib, const ib_end *end)
{
    return ib_cables_end_at(ib, ib_cables_slot_of(ib, end->peer, end->peer_port));
}

static void ib_cables_lay_mutual(ib_file *ib)
{
    for (uint32_t slot = 0; slot < ib->num_slots; slot++) {
        ib_end *end = ib_cables_end_at(ib, slot);
        ib_end *other = end ? ib_cables_other_end(ib, end) : NULL;
        if (other && other != end && !end->laid && other->peer == end->node &&
            other->peer_port == end->port)
            ib_cables_lay(ib, end, other);
    }
}

/* Cables that one end alone lists: laid if the other end is free, in the order of the ports. */
static void ib_cables_lay_one_sided(ib_file *ib)
{
    for (uint32_t slot = 0; slot < ib->num_slots; slot++) {
        ib_end *end = ib_cables_end_at(ib, slot);
        if (!end || end->laid)
            continue;
        ib_end *other = ib_cables_other_end(ib, end);
        uint32_t far = ib_cables_slot_of(ib, end->peer, end->peer_port);
        if (far == slot) {
            report_bad_cable(ib, end, IK_ERROR, "leads to itself and is left out");
        } else if (other) {
            report_bad_cable(
                ib, end, IK_ERROR,
                "is contradicted by its other end, which names another port; it is left out");
        } else {
            if (ib->nodes[end->peer].defined && !end->alias)
                report_bad_cable(ib, end, IK_WARNING, "is reported by this end only; it is kept");
            ib_cables_lay(ib, end, NULL);
            ib->slot[far] = ib->slot[slot];
        }
    }
}

/* The LID of a host's port as this end or the other one lists it. */
static uint32_t ib_cables_lid_of_slot(const ib_file *ib, uint32_t slot, const ib_node *node,
                                      unsigned *lmc)
{
    const ib_end *end = ib_cables_end_at(ib, slot), *other;
    uint32_t self = (uint32_t)(node - ib->nodes);
    *lmc = 0;
    if (end->node != self) /* the other side alone lists the cable */
        return end->peer_lid;
    other = ib_cables_other_end(ib, end);
    *lmc = end->lmc;
    return end->lid ? end->lid : other && other->peer == self ? other->peer_lid : 0;
}

/* One cable: its port's LID is the host's; several: each port has its own, the first one's is the
 * host's too. */
static void ib_cables_label_lids(ib_file *ib, const ib_node *node)
{
    uint32_t first = 0;
    for (uint32_t port = 0; port < node->radix; port++) {
        unsigned lmc;
        const ib_end *end = ib_cables_end_at(ib, node->first + port);
        if (!end || !end->laid)
            continue;
        uint32_t lid = ib_cables_lid_of_slot(ib, node->first + port, node, &lmc);
        if (node->cables > 1)
            ik_builder_port_lid(ib->b, ik_hs(node->id, port), lid, lmc);
        if (!first++ && lid) {
            ik_builder_host_ids(ib->b, node->id, 0, lid);
            ik_builder_node_lmc(ib->b, ik_hs(node->id, port), lmc);
        }
    }
}

static void ib_cables_label_host_lids(ib_file *ib)
{
    for (uint32_t n = 0; n < ib->num_nodes; n++)
        if (ib->nodes[n].is_host && !ib->nodes[n].merged && !ib->nodes[n].left_out)
            ib_cables_label_lids(ib, &ib->nodes[n]);
}

/* A node as a whole: it may have no port. */
static ik_end ib_cables_whole_node(const ib_file *ib, uint32_t node)
{
    ik_end end = ib_cables_end_of(ib, node, 1);
    end.port = IK_NONE;
    return end;
}

/* A node without a LID takes part in nothing: the dump was made before a subnet manager gave it
 * one. */
static void report_zero_lids(ib_file *ib)
{
    uint32_t switches = 0, hosts = 0, first = IK_NONE;
    for (uint32_t n = 0; ib->tells_lids && n < ib->num_nodes; n++) {
        const ib_node *node = &ib->nodes[n];
        if (node->lid || !node->defined || node->merged || node->left_out)
            continue;
        first = first == IK_NONE ? n : first;
        switches += !node->is_host;
        hosts += node->is_host;
    }
    if (first == IK_NONE)
        return;
    int length;
    const char *key = ib_shown_key(ib, first, &length);
    ik_end end = ib_cables_whole_node(ib, first);
    ik_builder_finding(
        ib->b, IK_NOTE, "lid-zero", &end,
        "%s and %s have LID 0 or 65535: no subnet manager had given them one; ikat numbers "
        "them where forwarding tables need LIDs; the first is \"%.*s\" in line %u",
        IK_COUNT(switches, "switch"), IK_COUNT(hosts, "host"), length, key, ib->nodes[first].line);
}

/* Sections of one identifier that contradict each other are two nodes: which, and where. */
static void ib_cables_report_clashes(ib_file *ib)
{
    uint32_t clashes = 0;
    for (uint32_t n = 0; n < ib->num_nodes; n++) {
        const ib_node *node = &ib->nodes[n];
        uint32_t first = ib->first_of[node->key];
        int length;
        if (!node->defined || node->merged || node->left_out || first == n || clashes++ >= NAMED)
            continue;
        const char *key = ib_shown_key(ib, n, &length);
        ik_end end = ib_cables_whole_node(ib, n);
        ik_builder_finding(ib->b, IK_WARNING, "contradicting-section", &end,
                           "\"%.*s\" has a section in line %u and another one in line %u that "
                           "contradicts it: they are treated as two nodes with the same GUID",
                           length, key, ib->nodes[first].line, node->line);
    }
}

static void ib_cables_report_counts(ib_file *ib)
{
    report_zero_lids(ib);
    ib_cables_report_clashes(ib);
    if (ib->second_dump)
        ik_builder_finding(ib->b, IK_WARNING, "second-dump", NULL,
                           "another dump begins in line %u: both are treated as one fabric",
                           ib->second_dump);
    if (ib->one_sided > NAMED)
        ik_builder_finding(
            ib->b, IK_WARNING, "asymmetric-cable", NULL,
            "%" PRIu32
            " cables in all are listed at one end only, or differently at their two ends",
            ib->one_sided);
    if (ib->repeated)
        ik_builder_finding(
            ib->b, IK_WARNING, "repeated-section", NULL,
            "%" PRIu32
            " nodes have more than one section; the sections do not contradict each other",
            ib->repeated);
    if (ib->unrated)
        ik_builder_finding(ib->b, IK_NOTE, "assumed-rate", NULL,
                           "%s no known width and speed; the default rate is assumed",
                           IK_COUNT(ib->unrated, "link gives|links give"));
    if (ib->left_out)
        ik_builder_finding(
            ib->b, IK_NOTE, "aggregation-node", NULL,
            "%s: no traffic with %s is assumed; tables have entries for %s",
            IK_COUNT(ib->left_out, "aggregation node inside a switch is no host|"
                                   "aggregation nodes inside switches are not hosts"),
            ib->left_out == 1 ? "it" : "them", ib->left_out == 1 ? "its LID" : "their LIDs");
    if (ib->inactive > NAMED)
        ik_builder_finding(ib->b, IK_WARNING, "inactive-port", NULL,
                           "%" PRIu32 " ports in all are down or not active", ib->inactive);
    if (ib->unread)
        ik_builder_finding(ib->b, IK_NOTE, "unread-lines", NULL,
                           "%s outside of the dump %s not read; the first is line %u",
                           IK_COUNT(ib->unread, "line"), ib->unread == 1 ? "is" : "are",
                           ib->first_unread);
    if (ib->commands)
        ik_builder_finding(ib->b, IK_NOTE, "commands", NULL,
                           "%s to the simulator ('do') %s not executed",
                           IK_COUNT(ib->commands, "command"), ib->commands == 1 ? "is" : "are");
    if (ib->s.cut || ib->cut)
        ik_builder_finding(ib->b, IK_WARNING, "truncated", NULL,
                           "the file's last line %u has no end: the dump may be cut off",
                           ib->s.line);
}

/* One end of a cable between a switch and an endpoint: `own` if the endpoint's section has it. */
static void ib_cables_add_endpoint(ib_file *ib, size_t index, bool own)
{
    const ib_end *end = &ib->ends[index];
    uint32_t unit = own ? end->node : end->peer, sw = own ? end->peer : end->node;
    uint32_t port = own ? end->peer_port : end->port;
    const ib_node *node = &ib->nodes[unit], *at = &ib->nodes[sw];
    slice key = ib->keys.names[node->key], name = node->name.length ? node->name : key;
    char text[257], rate[16] = "";
    if (!node->left_out || at->left_out || at->merged || at->is_host || port > at->radix ||
        ib->slot[at->first + port - 1] != IK_NONE)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(name.length < 256 ? name.length : 256), name.at);
    uint16_t link = ik_builder_default_link(ib->b, true);
    if (ib_rate_of(end->rate)) {
        memcpy(rate, end->rate.at, end->rate.length);
        rate[end->rate.length] = '\0';
        link = ik_builder_rated_link(ib->b, true, ib_rate_of(end->rate), rate);
    }
    const ik_endpoint endpoint = {.name = text,
                                  .node_guid = node->guid ? node->guid : ib_guid_in_key(key),
                                  .port_guid = own ? end->guid : end->peer_guid,
                                  .lid = own ? end->lid : end->peer_lid,
                                  .lmc = own ? end->lmc : 0,
                                  .link = ik_builder_class_of(ib->b, link)};
    ik_builder_endpoint(ib->b, ik_sw(at->id, port - 1), &endpoint);
    ib->slot[at->first + port - 1] = (uint32_t)index;
}

/* What an endpoint's own section says comes first: it has the LMC. */
static void ib_cables_add_endpoints(ib_file *ib)
{
    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; i < ib->num_ends && ib->left_out; i++)
            ib_cables_add_endpoint(ib, i, own);
}

ik_status ib_lay_cables(ib_file *ib, ik_error *err)
{
    ik_status status = ib_merge_sections(ib, err);
    if (status == IK_OK) {
        leave_out_aggregation(ib);
        status = ib_cables_fill_slots(ib, err);
    }
    if (status == IK_OK)
        status = ib_cables_find_peers(ib, err);
    if (status == IK_OK)
        status = ib_cables_add_nodes(ib, err);
    if (status != IK_OK)
        return status;
    ib_cables_lay_mutual(ib);
    ib_cables_lay_one_sided(ib);
    ib_cables_label_host_lids(ib);
    ib_cables_add_endpoints(ib);
    ib_cables_report_counts(ib);
    return IK_OK;
}
