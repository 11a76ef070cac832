/* SPDX-License-Identifier: Apache-2.0
 *
 * The builder: nodes and links in any order become the immutable fabric.
 *
 * Switches and hosts grow in two separate spaces, each a table of columns that are allocated when
 * first written; `finish` joins them (switches first) and translates the peers. Cost O(nodes +
 * ports); peak memory about twice a column.
 */
#include "base/array.h"
#include "base/utf8.h"
#include "fabric/builder_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RADIX = 65535 };
#define MAX_SPACE_PORTS UINT32_C(0x7fffffff)
/* In the peer column: the top bit tells a host's port from a switch's. */
#define HOST_BIT UINT32_C(0x80000000)
static const uint8_t column_size[NUM_COLUMNS] = {
    4, 2, 8, 2, 4, 1, sizeof(char *), 8, 4, 1, 1, sizeof(ik_xy), sizeof(ik_place)};

static bool builder_is_port_column(enum column_id id)
{
    return id <= PORT_LMC;
}

ik_builder *ik_builder_new(void)
{
    ik_builder *b = ik_calloc(1, sizeof *b);
    if (b && !(b->f = fabric_new())) {
        free(b);
        return NULL;
    }
    return b;
}

static void builder_space_free(space *s)
{
    free(s->base);
    for (int id = 0; id < NUM_COLUMNS; id++)
        free(s->column[id]);
    memset(s, 0, sizeof *s);
}

void ik_builder_free(ik_builder *b)
{
    if (!b)
        return;
    builder_space_free(&b->nodes[0]);
    builder_space_free(&b->nodes[1]);
    free(b->findings);
    ik_fabric_free(b->f);
    free(b);
}

/* ---- columns */

/* Enlarges *array from `old` to `count` entries; new ones are zero, in the peer column IK_NONE. */
static bool builder_enlarge(void **array, enum column_id id, size_t old, size_t count)
{
    assert(count > old || !*array); /* what is behind `old` is cleared: it must be inside */
    size_t size = column_size[id];
    char *larger = realloc(*array, count * size);
    if (!larger)
        return false;
    memset(larger + old * size, id == PEER ? 0xff : 0, (count - old) * size);
    *array = larger;
    return true;
}

/* The column, allocated on first use; NULL when out of memory (sticky). */
void *builder_column(ik_builder *b, space *s, enum column_id id)
{
    assert(s == &b->nodes[0] || s == &b->nodes[1]);
    size_t count = builder_is_port_column(id) ? s->port_cap : s->cap;
    if (!s->column[id] && !builder_enlarge(&s->column[id], id, 0, count))
        STICK(b, IK_ERR_MEMORY, "out of memory for %zu labels of a fabric", count);
    return s->column[id];
}

static uint32_t builder_grown(uint32_t cap, uint64_t need)
{
    assert(need <= MAX_SPACE_PORTS); /* the top bit of a peer is HOST_BIT */
    uint64_t larger = (uint64_t)cap + cap / 2;
    return (uint32_t)(larger > need && larger <= MAX_SPACE_PORTS ? larger : need);
}

static bool builder_reserve_nodes(space *s, uint64_t need)
{
    if (need <= s->cap && s->base)
        return true;
    uint32_t cap = builder_grown(s->cap, need);
    uint32_t *base = realloc(s->base, ((size_t)cap + 1) * sizeof *base);
    if (!base)
        return false;
    if (!s->base)
        base[0] = 0;
    s->base = base;
    for (int id = NAME; id < NUM_COLUMNS; id++)
        if (s->column[id] && !builder_enlarge(&s->column[id], id, s->cap, cap))
            return false;
    s->cap = cap;
    return true;
}

static bool builder_reserve_ports(space *s, uint64_t need)
{
    if (need <= s->port_cap && s->column[PEER])
        return true;
    uint32_t cap = need ? builder_grown(s->port_cap, need) : 1;
    for (int id = PEER; id <= PORT_LMC; id++)
        if ((id <= LINK_CLASS || s->column[id]) &&
            !builder_enlarge(&s->column[id], id, s->port_cap, cap))
            return false;
    s->port_cap = cap;
    return true;
}

static uint32_t builder_add_nodes(ik_builder *b, space *s, uint32_t count, uint32_t radix,
                                  const char *what)
{
    uint32_t first = s->num;
    uint64_t nodes = (uint64_t)s->num + count, ports = s->ports + (uint64_t)count * radix;
    if (b->error.status != IK_OK)
        return first;
    if (radix > MAX_RADIX || nodes > MAX_SPACE_PORTS || ports > MAX_SPACE_PORTS) {
        STICK(b, IK_ERR_UNSUPPORTED,
              "%" PRIu64 " %s with %" PRIu64
              " ports are more than a fabric can have (%u ports, radix %d)",
              nodes, what, ports, MAX_SPACE_PORTS, MAX_RADIX);
        return first;
    }
    if (!builder_reserve_nodes(s, nodes) || !builder_reserve_ports(s, ports)) {
        STICK(b, IK_ERR_MEMORY, "out of memory for %" PRIu64 " %s with %s", nodes, what,
              IK_COUNT(ports, "port"));
        return first;
    }
    for (uint32_t i = 0; i < count; i++)
        s->base[first + i + 1] = s->base[first + i] + radix;
    s->num = (uint32_t)nodes;
    s->ports = (uint32_t)ports;
    assert(s->num <= s->cap && s->ports <= s->port_cap && s->base[s->num] == s->ports);
    return first;
}

uint32_t ik_builder_switches(ik_builder *b, uint32_t count, uint32_t radix)
{
    return builder_add_nodes(b, &b->nodes[0], count, radix, "switches");
}

uint32_t ik_builder_hosts(ik_builder *b, uint32_t count, uint32_t radix)
{
    return builder_add_nodes(b, &b->nodes[1], count, radix, "hosts");
}

/* ---- links */

uint16_t ik_builder_class(ik_builder *b, uint64_t rate_bps, uint64_t latency_ps, const char *name)
{
    ik_fabric *f = b->f;
    ik_link_class wanted = {.rate_bps = rate_bps, .latency_ps = latency_ps};
    if (!rate_bps) {
        STICK(b, IK_ERR_INTERNAL, "a link of 0 bit/s, expected a rate");
        return 0;
    }
    if (name)
        snprintf(wanted.name, sizeof wanted.name, "%.*s", (int)sizeof wanted.name - 1, name);
    else
        ik_format_rate(wanted.name, sizeof wanted.name, rate_bps);
    utf8_clean(wanted.name, sizeof wanted.name - 1);
    for (uint32_t i = f->num_classes; i-- > 0;)
        if (f->classes[i].rate_bps == rate_bps && f->classes[i].latency_ps == latency_ps &&
            strcmp(f->classes[i].name, wanted.name) == 0)
            return (uint16_t)i;
    if (f->num_classes == FABRIC_MAX_CLASSES) {
        STICK(b, IK_ERR_INPUT, "more than %d different kinds of links", FABRIC_MAX_CLASSES);
        return 0;
    }
    ik_link_class *larger = realloc(f->classes, (f->num_classes + 1) * sizeof *larger);
    if (!larger) {
        STICK(b, IK_ERR_MEMORY, "out of memory for a kind of links");
        return 0;
    }
    f->classes = larger;
    f->classes[f->num_classes] = wanted;
    return (uint16_t)f->num_classes++;
}

ik_link_class ik_builder_class_of(const ik_builder *b, uint16_t link_class)
{
    return link_class < b->f->num_classes ? b->f->classes[link_class] : (ik_link_class){0};
}

void ik_builder_set_default_links(ik_builder *b, uint16_t link, uint16_t host_link)
{
    b->default_class[0] = link;
    b->default_class[1] = host_link;
    b->has_defaults = true;
}

uint16_t ik_builder_default_link(ik_builder *b, bool to_host)
{
    if (!b->has_defaults) {
        uint16_t link = ik_builder_class(b, UINT64_C(100000000000), 6000, NULL);
        ik_builder_set_default_links(b, link, link);
        assert(b->error.status != IK_OK || b->default_class[to_host] < b->f->num_classes);
    }
    return b->default_class[to_host];
}

uint16_t ik_builder_rated_link(ik_builder *b, bool to_host, uint64_t rate_bps, const char *name)
{
    uint16_t link = ik_builder_default_link(b, to_host);
    return ik_builder_class(b, rate_bps, ik_builder_class_of(b, link).latency_ps, name);
}

/* Index of the end's port in its space's port columns, IK_NONE (sticky) if there is none. */
uint32_t builder_end_port(ik_builder *b, ik_end end)
{
    space *s = &b->nodes[end.is_host];
    const char *what = end.is_host ? "host" : "switch";
    if (b->error.status != IK_OK)
        return IK_NONE;
    if (end.index >= s->num) {
        STICK(b, IK_ERR_INTERNAL, "%s %u does not exist, there are %u", what, end.index, s->num);
        return IK_NONE;
    }
    if (end.port >= s->base[end.index + 1] - s->base[end.index]) {
        STICK(b, IK_ERR_INTERNAL, "%s %u has no port %u, its radix is %u", what, end.index,
              end.port, s->base[end.index + 1] - s->base[end.index]);
        return IK_NONE;
    }
    return s->base[end.index] + end.port;
}

void ik_builder_link(ik_builder *b, ik_end a, ik_end c, uint16_t link_class)
{
    uint32_t pa = builder_end_port(b, a), pc = builder_end_port(b, c);
    if (pa == IK_NONE || pc == IK_NONE)
        return;
    uint32_t *peer_a = b->nodes[a.is_host].column[PEER], *peer_c = b->nodes[c.is_host].column[PEER];
    if (peer_a[pa] != IK_NONE || peer_c[pc] != IK_NONE || (a.is_host == c.is_host && pa == pc)) {
        ik_end bad = peer_c[pc] != IK_NONE ? c : a;
        STICK(b, IK_ERR_INTERNAL, "%s %u port %u is cabled twice", bad.is_host ? "host" : "switch",
              bad.index, bad.port + 1);
        return;
    }
    if (link_class >= b->f->num_classes) {
        STICK(b, IK_ERR_INTERNAL, "link class %u does not exist, there are %u", link_class,
              b->f->num_classes);
        return;
    }
    peer_a[pa] = pc | (c.is_host ? HOST_BIT : 0);
    peer_c[pc] = pa | (a.is_host ? HOST_BIT : 0);
    ((uint16_t *)b->nodes[a.is_host].column[LINK_CLASS])[pa] = link_class;
    ((uint16_t *)b->nodes[c.is_host].column[LINK_CLASS])[pc] = link_class;
}

/* ---- labels */

/* The column of a node label if the node exists. */
void *builder_node_column(ik_builder *b, bool is_host, uint32_t index, enum column_id id)
{
    assert(!builder_is_port_column(id)); /* it is read by the numbers of nodes */
    space *s = &b->nodes[is_host];
    if (b->error.status != IK_OK)
        return NULL;
    if (index >= s->num) {
        STICK(b, IK_ERR_INTERNAL, "%s %u does not exist, there are %u", is_host ? "host" : "switch",
              index, s->num);
        return NULL;
    }
    return builder_column(b, s, id);
}

void ik_builder_family(ik_builder *b, const char *family, const char *spec, const void *data,
                       size_t data_bytes)
{
    if (b->error.status == IK_OK)
        fabric_set_origin(b->f, family, spec, data, data_bytes, &b->error);
}

void ik_builder_finding(ik_builder *b, ik_severity severity, const char *code, ik_end *end,
                        const char *format, ...)
{
    if (b->error.status != IK_OK)
        return;
    if (!IK_ARRAY_ROOM(b->findings, b->finding_cap, b->num_findings + 1)) {
        STICK(b, IK_ERR_MEMORY, "out of memory for the findings of a fabric");
        return;
    }
    va_list args;
    va_start(args, format);
    pending_finding finding = {severity, ik_arena_strdup(&b->f->priv->arena, code),
                               fabric_vprintf(&b->f->priv->arena, format, args), end != NULL,
                               end ? *end : (ik_end){0}};
    va_end(args);
    if (!finding.code || !finding.text) {
        STICK(b, IK_ERR_MEMORY, "out of memory for the findings of a fabric");
        return;
    }
    /* it may quote a file, and will stand in a terminal */
    utf8_clean(finding.text, strlen(finding.text));
    utf8_clean(finding.code, strlen(finding.code));
    b->findings[b->num_findings++] = finding;
}

/* ---- finishing */

/* The switches' column followed by the hosts'; NULL if neither was written (*ok stays true) or
 * memory ran out. */
static void *builder_join(ik_builder *b, enum column_id id, bool *ok)
{
    space *sw = &b->nodes[0], *hs = &b->nodes[1];
    bool ports = builder_is_port_column(id);
    assert(sw->num <= sw->cap && hs->num <= hs->cap);
    size_t size = column_size[id], first = ports ? sw->ports : sw->num,
           second = ports ? hs->ports : hs->num;
    if (id >= LEVEL)
        second = 0;
    if (!sw->column[id] && !hs->column[id] && id != PEER && id != LINK_CLASS)
        return NULL;
    bool was_empty = !sw->column[id];
    char *joined = realloc(sw->column[id], (first + second + 1) * size);
    if (!joined) {
        *ok = false;
        return NULL;
    }
    sw->column[id] = NULL;
    if (was_empty)
        memset(joined, 0, first * size);
    if (hs->column[id] && second)
        memcpy(joined + first * size, hs->column[id], second * size);
    else
        memset(joined + first * size, 0, second * size);
    free(hs->column[id]);
    hs->column[id] = NULL;
    return joined;
}

static bool builder_join_bases(ik_builder *b)
{
    space *sw = &b->nodes[0], *hs = &b->nodes[1];
    ik_fabric *f = b->f;
    f->num_switches = sw->num;
    f->num_hosts = hs->num;
    f->num_ports = sw->ports + hs->ports;
    f->port_base = ik_calloc((size_t)sw->num + hs->num + 1, sizeof *f->port_base);
    f->port_node = ik_calloc((size_t)f->num_ports + 1, sizeof *f->port_node);
    if (!f->port_base || !f->port_node)
        return false;
    for (uint32_t i = 0; i < sw->num; i++)
        f->port_base[i + 1] = sw->base[i + 1];
    for (uint32_t i = 0; i < hs->num; i++)
        f->port_base[sw->num + i + 1] = sw->ports + hs->base[i + 1];
    for (uint32_t node = 0; node < sw->num + hs->num; node++)
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
            f->port_node[port] = node;
    return true;
}

static bool builder_join_columns(ik_builder *b)
{
    ik_fabric *f = b->f;
    bool ok = true;
    uint32_t switch_ports = b->nodes[0].ports;
    f->port_peer = builder_join(b, PEER, &ok);
    for (uint32_t port = 0; ok && port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && f->port_peer[port] & HOST_BIT)
            f->port_peer[port] = (f->port_peer[port] & ~HOST_BIT) + switch_ports;
    f->port_class = builder_join(b, LINK_CLASS, &ok);
    f->port_guid = builder_join(b, PORT_GUID, &ok);
    f->port_label = builder_join(b, PORT_LABEL, &ok);
    f->node_name = builder_join(b, NAME, &ok);
    f->node_guid = builder_join(b, GUID, &ok);
    f->node_lid = builder_join(b, LID, &ok);
    f->node_lmc = builder_join(b, LMC, &ok);
    f->port_lid = builder_join(b, PORT_LID, &ok);
    f->port_lmc = builder_join(b, PORT_LMC, &ok);
    f->switch_level = builder_join(b, LEVEL, &ok);
    f->switch_xy = builder_join(b, XY, &ok);
    f->switch_place = builder_join(b, PLACE, &ok);
    return ok;
}

/* Labels are present or absent as a whole: gives the rest the names and numbers that their absence
 * means. */
static bool builder_complete_labels(ik_fabric *f)
{
    for (uint32_t port = 0; f->port_label && port < f->num_ports; port++)
        if (!f->port_label[port])
            f->port_label[port] = (uint16_t)(ik_port_local(f, port) + 1);
    char **names = f->node_name;
    bool ok = true;
    f->node_name = NULL; /* so that ik_node_name composes */
    for (uint32_t node = 0; names && ok && node < ik_num_nodes(f); node++) {
        char name[32];
        if (!names[node])
            names[node] =
                ik_arena_strdup(&f->priv->arena, ik_node_name(f, node, name, sizeof name));
        ok = names[node] != NULL;
    }
    f->node_name = names;
    return ok;
}

static void builder_set_num_levels(ik_builder *b)
{
    ik_fabric *f = b->f;
    for (uint32_t sw = 0; f->switch_level && sw < f->num_switches; sw++) {
        if (!f->switch_level[sw])
            STICK(b, IK_ERR_INTERNAL, "switch %u has no level although others have", sw);
        if (f->switch_level[sw] > f->num_levels)
            f->num_levels = f->switch_level[sw];
    }
}

static ik_status builder_move_findings(ik_builder *b, ik_error *err)
{
    ik_fabric *f = b->f;
    for (size_t i = 0; i < b->num_findings; i++) {
        const pending_finding *p = &b->findings[i];
        uint32_t node = !p->has_end      ? IK_NONE
                        : p->end.is_host ? ik_host_node(f, p->end.index)
                                         : p->end.index;
        uint32_t port = IK_NONE;
        if (node != IK_NONE && (node >= ik_num_nodes(f) ||
                                (p->end.port != IK_NONE && p->end.port >= ik_radix(f, node))))
            return ik_fail(err, IK_ERR_INTERNAL,
                           "finding '%s' is about a node or port that does not exist", p->text);
        if (node != IK_NONE && p->end.port != IK_NONE)
            port = f->port_base[node] + p->end.port;
        ik_status status =
            fabric_add_finding(f, p->severity, p->code, port, node, err, "%s", p->text);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

ik_status ik_builder_status(const ik_builder *b, ik_error *err)
{
    if (b->error.status != IK_OK && err)
        *err = b->error;
    return b->error.status;
}

static int builder_compare_endpoints(const void *a, const void *b)
{
    const ik_endpoint *x = a, *y = b;
    return (x->port > y->port) - (x->port < y->port);
}

/* By port, which no cable and no other endpoint may use. */
static void builder_sort_endpoints(ik_builder *b)
{
    const ik_fabric *f = b->f;
    if (f->num_endpoints)
        qsort(f->endpoints, f->num_endpoints, sizeof *f->endpoints, builder_compare_endpoints);
    for (uint32_t i = 0; i < f->num_endpoints; i++)
        if (f->port_peer[f->endpoints[i].port] != IK_NONE ||
            (i && f->endpoints[i].port == f->endpoints[i - 1].port))
            STICK(b, IK_ERR_INTERNAL, "the port of endpoint '%s' is cabled twice",
                  f->endpoints[i].name);
}

ik_status ik_builder_finish(ik_builder *b, ik_fabric **out, ik_error *err)
{
    if (b->error.status == IK_OK && (uint64_t)b->nodes[0].ports + b->nodes[1].ports >= IK_NONE)
        STICK(b, IK_ERR_UNSUPPORTED,
              "%u switch ports and %u host ports are more than a fabric can have",
              b->nodes[0].ports, b->nodes[1].ports);
    if (b->error.status == IK_OK && !b->f->family)
        ik_builder_family(b, "custom", "", NULL, 0);
    if (b->error.status == IK_OK &&
        (!builder_join_bases(b) || !builder_join_columns(b) || !builder_complete_labels(b->f)))
        STICK(b, IK_ERR_MEMORY, "out of memory for a fabric of %s, %s and %s",
              IK_COUNT(b->f->num_switches, "switch"), IK_COUNT(b->f->num_hosts, "host"),
              IK_COUNT(b->f->num_ports, "port"));
    if (b->error.status == IK_OK) {
        fabric_prune_classes(b->f);
        builder_set_num_levels(b);
        builder_sort_endpoints(b);
    }
    if (b->error.status == IK_OK)
        builder_move_findings(b, &b->error);
    ik_fabric *next = b->error.status == IK_OK ? fabric_new() : NULL;
    if (!next)
        STICK(b, IK_ERR_MEMORY, "out of memory for a fabric");
    if (b->error.status != IK_OK)
        return ik_builder_status(b, err);
    assert(b->f->port_base[ik_num_nodes(b->f)] == b->f->num_ports);
    b->f->intact = true;
    *out = b->f;
    b->f = next;
    builder_space_free(&b->nodes[0]);
    builder_space_free(&b->nodes[1]);
    b->num_findings = 0;
    return IK_OK;
}
