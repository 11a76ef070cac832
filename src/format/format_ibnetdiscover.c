/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ibnetdiscover`: what `ibnetdiscover` of infiniband-diags prints, and the netlists of ibsim, which share its syntax.
 *
 * Every node has a section of port lines, so every cable is told twice; the reader uses that. A cable told by one end only
 * is laid and reported, ends that contradict each other are left unconnected and reported, a node that is only mentioned is
 * made from the mentions and reported. Lines that make no sense are errors with their place.
 *
 * A link's rate is its data rate: lanes x signalling rate x coding (8b/10b up to QDR, 64b/66b from FDR10 on). 4xFDR is
 * 54545454545 bit/s, rounded down to a whole number. Links without width and speed get the default rate. Latencies are not in
 * the file: the default latency.
 */
#include "format/ib_rate.h"
#include "format/scan.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PORTS = 254, NAMED = 20 };

typedef struct ib_node {
    bool is_host, defined;
    uint32_t radix; /* of a mentioned node: largest port mentioned */
    uint32_t first; /* first slot; as soon as all sections are read */
    uint32_t id;    /* switch or host id */
    slice name;
    uint64_t guid;
    uint32_t lid;
    unsigned line;
} ib_node;

/* One end of a cable as its section tells it. */
typedef struct ib_end {
    uint32_t node, port; /* this end */
    uint32_t peer, peer_port;
    uint64_t guid, peer_guid; /* of the ports, 0 = not said */
    slice rate;               /* "4xEDR", empty = not said */
    unsigned line;
    bool laid;
} ib_end;

typedef struct ib_file {
    scan s;
    name_map keys; /* "S-0002c90200000008" to node */
    ib_node *nodes;
    size_t node_cap;
    ib_end *ends;
    size_t num_ends, end_cap;
    uint32_t *slot; /* [all ports] index of the end told there, IK_NONE = none */
    uint32_t num_slots;
    uint32_t current; /* node of the section */
    uint64_t pending_guid;
    uint32_t repeated, one_sided, unrated;
    ik_builder *b;
} ib_file;

/* ---- lines */

static ik_status node_of(ib_file *ib, slice key, uint32_t *node, ik_error *err)
{
    bool is_new;
    uint32_t id = name_map_add(&ib->keys, key, &is_new);
    if (id != IK_NONE && ib->keys.cap > ib->node_cap) {
        ib_node *larger = realloc(ib->nodes, ib->keys.cap * sizeof *larger);
        if (!larger)
            return ik_fail_memory(err, ib->keys.cap * sizeof *larger, "nodes of a dump");
        ib->nodes = larger;
        ib->node_cap = ib->keys.cap;
    }
    if (id == IK_NONE)
        return ik_fail_memory(err, key.length, "names of nodes");
    if (is_new)
        ib->nodes[id] = (ib_node){.is_host = key.length == 0 || key.at[0] != 'S', .line = ib->s.line};
    *node = id;
    return IK_OK;
}

static ik_status quoted(scan *s, const char *what, slice *text, ik_error *err)
{
    scan_blanks(s);
    if (!scan_char(s, '"'))
        return scan_fail(s, err, "expected %s in quotes", what);
    const char *close = memchr(s->at, '"', (size_t)(s->end - s->at));
    if (!close) {
        s->at = s->end;
        return scan_fail(s, err, "expected the closing quote of %s", what);
    }
    if (close == s->at)
        return scan_fail(s, err, "expected %s in quotes, not an empty one", what);
    *text = (slice){s->at, (size_t)(close - s->at)};
    s->at = close + 1;
    return IK_OK;
}

/* "[5]", perhaps with "[ext 3]" behind it. */
static ik_status bracketed_port(scan *s, uint32_t *port, ik_error *err)
{
    uint64_t number, external;
    scan_blanks(s);
    if (!scan_char(s, '['))
        return scan_fail(s, err, "expected a port in brackets, like [5]");
    const char *digits = s->at;
    if (!scan_uint(s, MAX_PORTS, &number) || number == 0) {
        s->at = digits;
        return scan_fail(s, err, "expected a port number from 1 to %d", MAX_PORTS);
    }
    if (!scan_char(s, ']'))
        return scan_fail(s, err, "expected ']' after the port number");
    const char *back = s->at;
    if (!(scan_char(s, '[') && scan_word(s, "ext") && (scan_blanks(s), true) && scan_uint(s, 65535, &external) &&
          scan_char(s, ']')))
        s->at = back;
    *port = (uint32_t)number;
    return IK_OK;
}

/* "(2c90300000072)" if it is there. */
static ik_status port_guid(scan *s, uint64_t *guid, ik_error *err)
{
    if (!scan_char(s, '('))
        return IK_OK;
    if (!scan_hex(s, guid))
        return scan_fail(s, err, "expected a GUID of at most 16 hexadecimal digits");
    return scan_char(s, ')') ? IK_OK : scan_fail(s, err, "expected ')' after the GUID");
}

/* What the comment behind a node or port says: a name in quotes, LIDs before and behind it, width and speed. */
typedef struct remark {
    slice name, rate;
    uint32_t lid_before, lid_behind;
} remark;

static void read_remark(scan *s, remark *r)
{
    *r = (remark){0};
    scan_blanks(s);
    if (!scan_char(s, '#'))
        return;
    for (scan_blanks(s); s->at < s->end; scan_blanks(s)) {
        const char *quote = s->end;
        uint64_t lid;
        if (*s->at == '"' && !r->name.at) {
            while (quote > s->at + 1 && quote[-1] != '"')
                quote--;
            if (quote == s->at + 1)
                return; /* never closed */
            r->name = (slice){s->at + 1, (size_t)(quote - s->at) - 2};
            s->at = quote;
        } else if (scan_word(s, "lid")) {
            scan_blanks(s);
            if (scan_uint(s, 65535, &lid))
                *(r->name.at ? &r->lid_behind : &r->lid_before) = (uint32_t)lid;
        } else {
            slice token = scan_token(s);
            if (ib_rate_of(token))
                r->rate = token;
        }
    }
}

static void keep_name(ib_node *node, slice name, uint32_t lid)
{
    if (!node->name.length)
        node->name = name;
    if (!node->lid)
        node->lid = lid;
}

/* "H-0200c9b000400108" carries the GUID. */
static uint64_t guid_in_key(slice key)
{
    scan s = {.at = key.at, .end = key.at + key.length};
    uint64_t guid;
    if (key.length < 3 || key.at[1] != '-')
        return 0;
    s.at += 2;
    return scan_hex(&s, &guid) && s.at == s.end ? guid : 0;
}

/* `Switch 36 "S-..."  # "name" base port 0 lid 48 lmc 0` */
static ik_status read_node(ib_file *ib, bool is_host, ik_error *err)
{
    scan *s = &ib->s;
    uint64_t radix;
    slice key;
    remark r;
    scan_blanks(s);
    if (!scan_uint(s, MAX_PORTS, &radix))
        return scan_fail(s, err, "expected a number of ports up to %d", MAX_PORTS);
    ik_status status = quoted(s, "the node's identifier", &key, err);
    if (status == IK_OK)
        status = node_of(ib, key, &ib->current, err);
    if (status != IK_OK)
        return status;
    ib_node *node = &ib->nodes[ib->current];
    if (node->defined && (node->radix != radix || node->is_host != is_host))
        return scan_fail(s, err, "\"%.*s\" is a %s with %" PRIu32 " ports in line %u and a %s with %" PRIu64 " here",
                         (int)(key.length < 64 ? key.length : 64), key.at, node->is_host ? "Ca" : "Switch", node->radix,
                         node->line, is_host ? "Ca" : "Switch", radix);
    read_remark(s, &r);
    keep_name(node, r.name, r.lid_behind ? r.lid_behind : r.lid_before);
    ib->repeated += node->defined;
    node->line = node->defined ? node->line : s->line;
    node->defined = true;
    node->is_host = is_host;
    node->radix = (uint32_t)radix;
    node->guid = ib->pending_guid ? ib->pending_guid : guid_in_key(key);
    ib->pending_guid = 0;
    return IK_OK;
}

static ik_status keep_end(ib_file *ib, const ib_end *end, ik_error *err)
{
    if (ib->num_ends == ib->end_cap) {
        size_t cap = ib->end_cap ? 2 * ib->end_cap : 256;
        ib_end *larger = realloc(ib->ends, cap * sizeof *larger);
        if (!larger)
            return ik_fail_memory(err, cap * sizeof *larger, "cables of a dump");
        ib->ends = larger;
        ib->end_cap = cap;
    }
    ib->ends[ib->num_ends++] = *end;
    return IK_OK;
}

/* `[13](guid) "S-..."[19](guid)  # lid 88 lmc 0 "name" lid 21 4xEDR` */
static ik_status read_port(ib_file *ib, ik_error *err)
{
    scan *s = &ib->s;
    ib_end end = {.node = ib->current, .line = s->line};
    slice key;
    remark r;
    if (ib->current == IK_NONE)
        return scan_fail(s, err, "a port stands before any Switch or Ca; expected one of these");
    ik_status status = bracketed_port(s, &end.port, err);
    if (status == IK_OK && end.port > ib->nodes[ib->current].radix)
        return scan_fail(s, err, "port %" PRIu32 " of a node with %" PRIu32 " ports (line %u)", end.port,
                         ib->nodes[ib->current].radix, ib->nodes[ib->current].line);
    if (status == IK_OK)
        status = port_guid(s, &end.guid, err);
    if (status == IK_OK)
        status = quoted(s, "the identifier of the other end", &key, err);
    if (status == IK_OK)
        status = node_of(ib, key, &end.peer, err);
    if (status == IK_OK)
        status = bracketed_port(s, &end.peer_port, err);
    if (status == IK_OK)
        status = port_guid(s, &end.peer_guid, err);
    if (status != IK_OK)
        return status;
    read_remark(s, &r);
    end.rate = r.rate;
    keep_name(&ib->nodes[end.peer], r.name, r.lid_behind);
    keep_name(&ib->nodes[end.node], (slice){0}, r.lid_before);
    if (!ib->nodes[end.peer].defined && end.peer_port > ib->nodes[end.peer].radix)
        ib->nodes[end.peer].radix = end.peer_port;
    return keep_end(ib, &end, err);
}

/* `switchguid=0x2c90200000008(2c90200000008)`; other assignments tell nothing that is kept. */
static ik_status read_assignment(ib_file *ib, const char *equals, ik_error *err)
{
    scan *s = &ib->s;
    slice name = {s->at, (size_t)(equals - s->at)};
    uint64_t value;
    s->at = equals + 1;
    if (!scan_hex(s, &value))
        return scan_fail(s, err, "expected a hexadecimal number of at most 16 digits");
    if (name.length >= 4 && memcmp(name.at + name.length - 4, "guid", 4) == 0 && name.at[0] != 's')
        ib->pending_guid = value;
    if (name.length == 10 && memcmp(name.at, "switchguid", 10) == 0)
        ib->pending_guid = value;
    ib->current = IK_NONE;
    return IK_OK;
}

/* Headings that ibnetdiscover --grouping writes between the sections. */
static bool is_heading(scan *s)
{
    static const char *const words[] = {"Chassis", "Non-Chassis", "Spine", "Line", "Leaf", "Slot", "Internal", NULL};
    for (size_t i = 0; words[i]; i++)
        if (scan_word(s, words[i]))
            return true;
    return false;
}

static ik_status read_line(ib_file *ib, ik_error *err)
{
    static const struct {
        const char *word;
        bool is_host;
    } kinds[] = {{"Switch", false}, {"Ca", true}, {"Hca", true}, {"Rt", true}};
    scan *s = &ib->s;
    if (scan_at_end(s) || *s->at == '#')
        return IK_OK;
    if (*s->at == '[')
        return read_port(ib, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (scan_word(s, kinds[i].word))
            return read_node(ib, kinds[i].is_host, err);
    const char *equals = memchr(s->at, '=', (size_t)(s->end - s->at));
    if (equals && *s->at >= 'a' && *s->at <= 'z')
        return read_assignment(ib, equals, err);
    if (is_heading(s))
        return IK_OK;
    return scan_fail(s, err, "expected Switch, Ca, a port like [5], or an assignment like switchguid=0x1");
}

/* ---- from ends to cables */

static const char *shown_key(const ib_file *ib, uint32_t node, int *length)
{
    slice key = ib->keys.names[node];
    *length = (int)(key.length < 64 ? key.length : 64);
    return key.at;
}

static ik_status fill_slots(ib_file *ib, ik_error *err)
{
    for (uint32_t node = 0; node < ib->keys.num; node++) {
        ib->nodes[node].first = ib->num_slots;
        ib->num_slots += ib->nodes[node].radix;
    }
    ib->slot = malloc(((size_t)ib->num_slots + 1) * sizeof *ib->slot);
    if (!ib->slot)
        return ik_fail_memory(err, ib->num_slots * sizeof *ib->slot, "ports of a dump");
    memset(ib->slot, 0xff, ((size_t)ib->num_slots + 1) * sizeof *ib->slot);
    for (size_t i = 0; i < ib->num_ends; i++) {
        const ib_end *end = &ib->ends[i];
        int length;
        const char *key = shown_key(ib, end->peer, &length);
        if (end->peer_port > ib->nodes[end->peer].radix)
            return ik_fail_at(err, IK_ERR_INPUT, ib->s.file, end->line, 1,
                              "a cable to port %" PRIu32 " of \"%.*s\", which has %" PRIu32 " ports (line %u)", end->peer_port,
                              length, key, ib->nodes[end->peer].radix, ib->nodes[end->peer].line);
        uint32_t *slot = &ib->slot[ib->nodes[end->node].first + end->port - 1];
        const ib_end *other = *slot == IK_NONE ? NULL : &ib->ends[*slot];
        if (other && (other->peer != end->peer || other->peer_port != end->peer_port))
            return ik_fail_at(err, IK_ERR_INPUT, ib->s.file, end->line, 1,
                              "port %" PRIu32 " is cabled to \"%.*s\" port %" PRIu32 ", but elsewhere in line %u", end->port,
                              length, key, end->peer_port, other->line);
        *slot = (uint32_t)i;
    }
    return IK_OK;
}

/* Nodes in the order of their sections, then those that are only mentioned. */
static uint32_t *by_line_order(const ib_file *ib)
{
    uint32_t *order = ik_calloc((size_t)ib->keys.num + 1, sizeof *order);
    if (!order)
        return NULL;
    /* Mentions may come before sections: sort the defined ones by line, by counting lines. */
    uint32_t *at_line = ik_calloc((size_t)ib->s.line + 2, sizeof *at_line);
    if (!at_line) {
        free(order);
        return NULL;
    }
    memset(at_line, 0xff, ((size_t)ib->s.line + 2) * sizeof *at_line);
    uint32_t num = 0;
    for (uint32_t i = 0; i < ib->keys.num; i++)
        if (ib->nodes[i].defined)
            at_line[ib->nodes[i].line] = i;
    for (unsigned line = 0; line <= ib->s.line; line++)
        if (at_line[line] != IK_NONE)
            order[num++] = at_line[line];
    for (uint32_t i = 0; i < ib->keys.num; i++)
        if (!ib->nodes[i].defined)
            order[num++] = i;
    free(at_line);
    return order;
}

static ik_end end_of(const ib_file *ib, uint32_t node, uint32_t port)
{
    const ib_node *n = &ib->nodes[node];
    return n->is_host ? ik_hs(n->id, port - 1) : ik_sw(n->id, port - 1);
}

static void label_node(ib_file *ib, uint32_t index)
{
    const ib_node *node = &ib->nodes[index];
    slice key = ib->keys.names[index], name = node->name.length ? node->name : key;
    uint64_t guid = node->guid ? node->guid : guid_in_key(key);
    int length = (int)(name.length < 256 ? name.length : 256);
    if (node->is_host) {
        ik_builder_host_name(ib->b, node->id, "%.*s", length, name.at);
        ik_builder_host_ids(ib->b, node->id, guid, node->lid);
    } else {
        ik_builder_switch_name(ib->b, node->id, "%.*s", length, name.at);
        ik_builder_switch_ids(ib->b, node->id, guid, node->lid);
    }
}

static ik_status add_nodes(ib_file *ib, ik_error *err)
{
    uint32_t *order = by_line_order(ib);
    uint32_t missing = 0;
    if (!order)
        return ik_fail_memory(err, ib->keys.num * sizeof *order, "the order of nodes");
    for (uint32_t i = 0; i < ib->keys.num; i++) {
        ib_node *node = &ib->nodes[order[i]];
        node->id = node->is_host ? ik_builder_hosts(ib->b, 1, node->radix) : ik_builder_switches(ib->b, 1, node->radix);
        label_node(ib, order[i]);
        if (node->defined || missing++ >= NAMED)
            continue;
        int length;
        const char *key = shown_key(ib, order[i], &length);
        ik_end end = end_of(ib, order[i], 1);
        ik_builder_finding(ib->b, node->is_host ? IK_WARNING : IK_ERROR, "missing-section", &end,
                           "\"%.*s\" (%.*s) is mentioned in line %u but has no section of its own: the dump is incomplete",
                           length, key, (int)(node->name.length < 100 ? node->name.length : 100),
                           node->name.at ? node->name.at : "", node->line);
    }
    if (missing > NAMED)
        ik_builder_finding(ib->b, IK_WARNING, "missing-section", NULL,
                           "%" PRIu32 " nodes in all are mentioned but have no section of their own", missing);
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
        ik_end end = end_of(ib, a->node, a->port);
        ik_builder_finding(ib->b, IK_WARNING, "asymmetric-rate", &end,
                           "the two ends of a cable disagree on its rate: %.*s in line %u, %.*s in line %u; the lower is used",
                           (int)a->rate.length, a->rate.at, a->line, (int)b->rate.length, b->rate.at, b->line);
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

static void lay(ib_file *ib, ib_end *a, ib_end *b)
{
    ik_end near = end_of(ib, a->node, a->port), far = end_of(ib, a->peer, a->peer_port);
    uint64_t near_guid = a->guid ? a->guid : b ? b->peer_guid : 0, far_guid = a->peer_guid ? a->peer_guid : b ? b->guid : 0;
    ik_builder_link(ib->b, near, far, cable_class(ib, a, b));
    ik_builder_port_ids(ib->b, near, near_guid, 0);
    ik_builder_port_ids(ib->b, far, far_guid, 0);
    a->laid = true;
    if (b)
        b->laid = true;
}

static void tell_bad_cable(ib_file *ib, const ib_end *end, ik_severity severity, const char *what)
{
    int la, lb;
    const char *a = shown_key(ib, end->node, &la), *b = shown_key(ib, end->peer, &lb);
    const ib_node *na = &ib->nodes[end->node], *nb = &ib->nodes[end->peer];
    ik_end near = end_of(ib, end->node, end->port);
    if (ib->one_sided++ >= NAMED)
        return;
    ik_builder_finding(ib->b, severity, "asymmetric-cable", &near,
                       "line %u: the cable from %.*s (%.*s) port %" PRIu32 " to %.*s (%.*s) port %" PRIu32 " %s", end->line,
                       (int)(na->name.length < 64 ? na->name.length : 64), na->name.at ? na->name.at : "", la, a, end->port,
                       (int)(nb->name.length < 64 ? nb->name.length : 64), nb->name.at ? nb->name.at : "", lb, b, end->peer_port,
                       what);
}

/* The end that the other side of a cable tells, NULL if none. */
static ib_end *other_end(const ib_file *ib, const ib_end *end)
{
    uint32_t slot = ib->nodes[end->peer].first + end->peer_port - 1;
    return ib->slot[slot] == IK_NONE ? NULL : &ib->ends[ib->slot[slot]];
}

static void lay_mutual(ib_file *ib)
{
    for (uint32_t slot = 0; slot < ib->num_slots; slot++) {
        ib_end *end = ib->slot[slot] == IK_NONE ? NULL : &ib->ends[ib->slot[slot]];
        ib_end *other = end ? other_end(ib, end) : NULL;
        if (other && other != end && !end->laid && other->peer == end->node && other->peer_port == end->port)
            lay(ib, end, other);
    }
}

/* Cables that one end alone tells: laid if the other end is free, in the order of the ports. */
static void lay_one_sided(ib_file *ib)
{
    for (uint32_t slot = 0; slot < ib->num_slots; slot++) {
        ib_end *end = ib->slot[slot] == IK_NONE ? NULL : &ib->ends[ib->slot[slot]];
        if (!end || end->laid)
            continue;
        ib_end *other = other_end(ib, end);
        uint32_t far = ib->nodes[end->peer].first + end->peer_port - 1;
        if (far == slot) {
            tell_bad_cable(ib, end, IK_ERROR, "leads to itself and is left out");
        } else if (other) {
            tell_bad_cable(ib, end, IK_ERROR, "is contradicted by its other end, which names another port; it is left out");
        } else {
            if (ib->nodes[end->peer].defined)
                tell_bad_cable(ib, end, IK_WARNING, "is told by this end only; it is taken as told");
            lay(ib, end, NULL);
            ib->slot[far] = ib->slot[slot];
        }
    }
}

static void tell_counts(ib_file *ib)
{
    if (ib->one_sided > NAMED)
        ik_builder_finding(ib->b, IK_WARNING, "asymmetric-cable", NULL,
                           "%" PRIu32 " cables in all are told by one end only or told differently by their ends", ib->one_sided);
    if (ib->repeated)
        ik_builder_finding(ib->b, IK_WARNING, "repeated-section", NULL,
                           "%" PRIu32 " nodes have more than one section; the sections do not contradict each other",
                           ib->repeated);
    if (ib->unrated)
        ik_builder_finding(ib->b, IK_NOTE, "assumed-rate", NULL,
                           "%" PRIu32 " links give no known width and speed; the default rate is assumed", ib->unrated);
    if (ib->s.cut)
        ik_builder_finding(ib->b, IK_WARNING, "truncated", NULL, "the file's last line %u has no end: the dump may be cut off",
                           ib->s.line);
}

static ik_status read_all(ib_file *ib, ik_error *err)
{
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&ib->s))
        status = read_line(ib, err);
    if (status == IK_OK && ib->keys.num == 0)
        status = ik_fail_at(err, IK_ERR_INPUT, ib->s.file, ib->s.line, 1, "there is no Switch and no Ca in this file");
    if (status == IK_OK)
        status = fill_slots(ib, err);
    if (status == IK_OK)
        status = add_nodes(ib, err);
    if (status != IK_OK)
        return status;
    lay_mutual(ib);
    lay_one_sided(ib);
    tell_counts(ib);
    return IK_OK;
}

static ik_status read_text(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err)
{
    ib_file ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b};
    ik_status status = read_all(&ib, err);
    name_map_free(&ib.keys);
    free(ib.nodes);
    free(ib.ends);
    free(ib.slot);
    return status;
}

static unsigned probe(const char *text, size_t size)
{
    static const char *const starts[] = {"# Topology file", "vendid=", "switchguid=", "caguid=", "Switch", "Hca", "Ca"};
    scan s = scan_text(text, size, "");
    for (unsigned lines = 0; lines < 50 && scan_line(&s); lines++)
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            size_t length = strlen(starts[i]);
            if ((size_t)(s.end - s.at) > length && memcmp(s.at, starts[i], length) == 0)
                return i < 4 ? 95 : 60;
        }
    return 0;
}

static const char *const extensions[] = {"ibnetdiscover", "ibnet", "topo", "net", NULL};

const ik_format ik_format_ibnetdiscover = {
    .name = "ibnetdiscover",
    .summary = "dump of a running InfiniBand fabric, or netlist of the simulator ibsim",
    .source = "infiniband-diags, ibnetdiscover(8); ibsim(1)",
    .extensions = extensions,
    .probe = probe,
    .read = read_text,
    .write = ib_write,
};
