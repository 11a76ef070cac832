/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost O(cables log cables).
 */
#include "format/devices.h"

#include "fabric/builder_private.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int devices_shown(slice text)
{
    return (int)(text.length < 80 ? text.length : 80);
}

static bool devices_same(slice a, slice b)
{
    return a.length == b.length && (!a.length || memcmp(a.at, b.at, a.length) == 0);
}

/* The lower of two rates that are said. */
static uint64_t devices_lower(uint64_t a, uint64_t b)
{
    return a && (!b || a < b) ? a : b;
}

/* The node of an end, with what the file says of it. */
static ik_status devices_node(raw_graph *g, const device_end *end, unsigned line, uint32_t *index,
                              ik_error *err)
{
    *index = raw_graph_node(g, end->device, err);
    if (*index == IK_NONE)
        return IK_ERR_MEMORY;
    raw_node *node = &g->nodes[*index];
    if (end->role.length)
        node->role = end->role;
    if (!node->whose.length)
        node->whose = end->whose;
    if (!end->whose.length || devices_same(end->whose, node->whose))
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, g->file, line, 1,
               "two devices are called '%.*s', of %.*s and %.*s", devices_shown(end->device),
               end->device.at, devices_shown(node->whose), node->whose.at,
               devices_shown(end->whose), end->whose.at);
    return ik_hint(err, IK_ERR_INPUT,
                   "export the cables of one site, or rename one of the devices");
}

ik_status devices_cable(raw_graph *g, const device_end *a, const device_end *b, unsigned line,
                        ik_error *err)
{
    uint32_t from = IK_NONE, to = IK_NONE;
    ik_status status = devices_node(g, a, line, &from, err);
    if (status == IK_OK)
        status = devices_node(g, b, line, &to, err);
    raw_link *link = status == IK_OK ? raw_graph_link(g, from, to, line, err) : NULL;
    if (!link)
        return status == IK_OK ? IK_ERR_MEMORY : status;
    link->port_a = a->port;
    link->port_b = b->port;
    link->rate_bps = devices_lower(a->rate_bps, b->rate_bps);
    return IK_OK;
}

/* ---- patterns of names */

/* Marks the nodes whose names fit one of the patterns, which are joined by ':'. */
static ik_status devices_match(const raw_graph *g, const char *setting, const char *patterns,
                               bool *fits, ik_error *err)
{
    char pattern[257], name[257];
    for (size_t length; *patterns; patterns += length + (patterns[length] == ':')) {
        bool used = false;
        length = strcspn(patterns, ":");
        snprintf(pattern, sizeof pattern, "%.*s", (int)(length < 256 ? length : 256), patterns);
        for (uint32_t i = 0; i < g->keys.num; i++) {
            slice key = g->keys.names[i];
            snprintf(name, sizeof name, "%.*s", (int)(key.length < 256 ? key.length : 256), key.at);
            if (fnmatch(pattern, name, 0) != 0)
                continue;
            fits[i] = used = true;
        }
        if (used)
            continue;
        ik_about(err,
                 ik_fail_at(err, IK_ERR_USAGE, g->file, 0, 0, "%s = %s fits no device", setting,
                            pattern),
                 "%s", setting);
        return ik_hint(err, IK_ERR_USAGE, "the first device is called '%.*s'",
                       devices_shown(g->keys.names[0]), g->keys.names[0].at);
    }
    return IK_OK;
}

static ik_status devices_leave_out(raw_graph *g, const char *patterns, bool *fits, ik_error *err)
{
    size_t kept = 0;
    bool any = false;
    ik_status status = devices_match(g, "without", patterns, fits, err);
    for (uint32_t i = 0; i < g->keys.num; i++) {
        g->nodes[i].left_out = fits[i];
        any = any || !fits[i];
    }
    if (status == IK_OK && !any) {
        ik_about(err, ik_fail_at(err, IK_ERR_USAGE, g->file, 0, 0, "without leaves no device"),
                 "without");
        return ik_hint(err, IK_ERR_USAGE, "the patterns fit all devices of the file");
    }
    for (size_t i = 0; i < g->num_links; i++)
        if (!fits[g->links[i].a] && !fits[g->links[i].b])
            g->links[kept++] = g->links[i];
    g->num_links = kept;
    memset(fits, 0, g->keys.num * sizeof *fits);
    return status;
}

/* ---- ports */

typedef struct device_port {
    slice name;
    uint32_t node;
    uint16_t number;
    bool is_b;
    size_t link;
} device_port;

static int devices_compare_ports(const void *a, const void *b)
{
    const device_port *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->name.length != y->name.length) /* swp2 comes before swp10 */
        return x->name.length < y->name.length ? -1 : 1;
    int order = memcmp(x->name.at, y->name.at, x->name.length);
    if (order != 0)
        return order;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* A port that is there twice: the same cable, seen from its two ends, or a contradiction. */
static ik_status devices_merge(raw_graph *g, const device_port *first, const device_port *again,
                               bool *gone, ik_error *err)
{
    raw_link *x = &g->links[first->link], *y = &g->links[again->link];
    slice far_x = g->keys.names[first->is_b ? x->a : x->b], node = g->keys.names[first->node];
    slice far_y = g->keys.names[again->is_b ? y->a : y->b];
    slice port_x = first->is_b ? x->port_a : x->port_b,
          port_y = again->is_b ? y->port_a : y->port_b;
    if (x != y && far_x.at == far_y.at && devices_same(port_x, port_y)) {
        x->rate_bps = devices_lower(x->rate_bps, y->rate_bps);
        gone[again->link] = true;
        return IK_OK;
    }
    ik_fail_at(err, IK_ERR_INPUT, g->file, y->line, 1, "port %.*s of '%.*s' is cabled twice",
               devices_shown(first->name), first->name.at, devices_shown(node), node.at);
    return ik_hint(err, IK_ERR_INPUT,
                   "to %.*s of '%.*s' and to %.*s of '%.*s'; without=NAME leaves a device out",
                   devices_shown(port_x), port_x.at, devices_shown(far_x), far_x.at,
                   devices_shown(port_y), port_y.at, devices_shown(far_y), far_y.at);
}

/* The ports of one device, in order: [num] of which each name stands once. */
static void devices_number_ports(raw_graph *g, const device_port *ports, size_t num,
                                 const bool *gone)
{
    bool numbered = true;
    for (size_t i = 0, last = SIZE_MAX; i < num; i++) {
        if (gone[ports[i].link])
            continue;
        numbered = numbered && ports[i].number &&
                   (last == SIZE_MAX || ports[last].number < ports[i].number);
        last = i;
    }
    for (size_t i = 0, rank = 0; i < num; i++) {
        raw_link *link = &g->links[ports[i].link];
        if (gone[ports[i].link])
            continue;
        rank++;
        *(ports[i].is_b ? &link->pb : &link->pa) = (uint32_t)rank;
        if (numbered && ports[i].number != rank)
            *(ports[i].is_b ? &link->label_b : &link->label_a) = ports[i].number;
    }
}

/* The number at the end of a name; 0 if it has none, or one that a port cannot bear. */
static uint16_t devices_number(slice name)
{
    size_t digits = name.length;
    uint64_t number = 0;
    while (digits && name.at[digits - 1] >= '0' && name.at[digits - 1] <= '9')
        digits--;
    slice end = {name.at + digits, name.length - digits};
    return slice_uint(end, UINT16_MAX, &number) ? (uint16_t)number : 0;
}

static size_t devices_list_ports(const raw_graph *g, device_port *ports)
{
    size_t num = 0;
    for (size_t i = 0; i < 2 * g->num_links; i++) {
        const raw_link *link = &g->links[i / 2];
        slice name = i % 2 ? link->port_b : link->port_a;
        if (name.length)
            ports[num++] =
                (device_port){name, i % 2 ? link->b : link->a, devices_number(name), i % 2, i / 2};
    }
    qsort(ports, num, sizeof *ports, devices_compare_ports);
    return num;
}

static ik_status devices_order_ports(raw_graph *g, ik_error *err)
{
    device_port *ports = ik_calloc(2 * g->num_links + 1, sizeof *ports);
    bool *gone = ik_calloc(g->num_links + 1, sizeof *gone);
    ik_status status = IK_OK;
    size_t num = 0, kept = 0;
    if (ports && gone)
        num = devices_list_ports(g, ports);
    else
        status = ik_fail_memory(err, 2 * g->num_links * sizeof *ports, "ports of devices");
    for (size_t i = 1, first = 0; i < num && status == IK_OK; i++)
        if (ports[i].node == ports[first].node && devices_same(ports[i].name, ports[first].name))
            status = devices_merge(g, &ports[first], &ports[i], gone, err);
        else
            first = i;
    for (size_t i = 0, end; i < num && status == IK_OK; i = end) {
        for (end = i; end < num && ports[end].node == ports[i].node;)
            end++;
        devices_number_ports(g, &ports[i], end - i, gone);
    }
    for (size_t i = 0; i < g->num_links && status == IK_OK; i++)
        if (!gone[i])
            g->links[kept++] = g->links[i];
    g->num_links = status == IK_OK ? kept : g->num_links;
    free(ports);
    free(gone);
    return status;
}

/* ---- which are hosts */

typedef enum device_rule { RULE_OPTION, RULE_ROLE, RULE_NAME, RULE_CABLES, NUM_RULES } device_rule;

static bool devices_is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool devices_has_word(slice text, const char *const *words)
{
    for (size_t at = 0, end; at<text.length; at = end> at ? end : end + 1) {
        for (end = at; end < text.length && devices_is_letter(text.at[end]); end++)
            if (end > at && text.at[end] < 'a' && text.at[end - 1] >= 'a')
                break; /* a capital after a small letter begins a word */
        for (const char *const *word = words; *word; word++)
            if (strlen(*word) == end - at && strncasecmp(*word, text.at + at, end - at) == 0)
                return true;
    }
    return false;
}

/* Does a word of the text, as leaf in storage-Leaf2 and spine in spineA, say what it is? */
static bool devices_say(slice text, bool *is_host)
{
    static const char *const switches[] = {
        "switch", "sw",     "spine",  "superspine",  "leaf",         "tor",  "core", "agg",
        "border", "router", "access", "aggregation", "distribution", "exit", NULL};
    static const char *const hosts[] = {"host",  "server",  "srv",        "node",   "compute",
                                        "gpu",   "dgx",     "hgx",        "worker", "storage",
                                        "login", "station", "hypervisor", NULL};
    bool is_switch = devices_has_word(text, switches);
    *is_host = !is_switch && devices_has_word(text, hosts);
    return is_switch || *is_host;
}

typedef struct device_cables {
    uint32_t num, peer; /* the first */
    bool no_host;
} device_cables;

/* Which of the devices that nothing else tells are hosts: told[node] says which are told. */
static void devices_judge_cables(raw_graph *g, const bool *told, device_cables *of)
{
    for (size_t i = 0; i < 2 * g->num_links; i++)
        of[i % 2 ? g->links[i / 2].b : g->links[i / 2].a].num++;
    for (size_t i = 0; i < 2 * g->num_links; i++) {
        const raw_link *link = &g->links[i / 2];
        uint32_t near = i % 2 ? link->b : link->a, far = i % 2 ? link->a : link->b;
        device_cables *own = &of[near];
        own->no_host = own->no_host || own->num > 2 || of[far].num <= own->num ||
                       (told[far] && g->nodes[far].is_host) || own->peer == far + 1;
        own->peer = far + 1;
    }
    for (uint32_t i = 0; i < g->keys.num; i++)
        if (!told[i])
            g->nodes[i].is_host = of[i].num && !of[i].no_host;
}

/* fits: the devices of host_names. by [NUM_RULES]: how many devices each rule has told. */
static ik_status devices_tell_hosts(raw_graph *g, bool by_option, bool *fits,
                                    uint32_t by[NUM_RULES], ik_error *err)
{
    device_cables *of = ik_calloc((size_t)g->keys.num + 1, sizeof *of);
    if (!of)
        return ik_fail_memory(err, g->keys.num * sizeof *of, "cables of devices");
    for (uint32_t i = 0; i < g->keys.num; i++) {
        raw_node *node = &g->nodes[i];
        device_rule rule = by_option                                       ? RULE_OPTION
                           : devices_say(node->role, &node->is_host)       ? RULE_ROLE
                           : devices_say(g->keys.names[i], &node->is_host) ? RULE_NAME
                                                                           : RULE_CABLES;
        if (by_option)
            node->is_host = fits[i];
        fits[i] = rule != RULE_CABLES;
        by[rule] += !node->left_out;
    }
    for (uint32_t i = 0, roles = by[RULE_ROLE]; roles && i < g->keys.num; i++) {
        bool other = !fits[i] && g->nodes[i].role.length; /* than that of a host */
        fits[i] = fits[i] || other;
        by[RULE_CABLES] -= other;
        by[RULE_ROLE] += other;
    }
    devices_judge_cables(g, fits, of);
    free(of);
    return IK_OK;
}

/* ---- findings */

static void devices_report(const raw_graph *g, const uint32_t by[NUM_RULES], ik_builder *b)
{
    static const char *const rules[] = {"host_names", "the file", "their names", "their cables"};
    uint32_t hosts = 0, switches = 0, unrated = 0;
    char text[160] = "";
    for (uint32_t i = 0; i < g->keys.num; i++)
        *(g->nodes[i].is_host ? &hosts : &switches) += !g->nodes[i].left_out;
    for (int i = 0; i < NUM_RULES; i++)
        if (by[i])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PRIu32 " by %s",
                     *text ? ", " : "", by[i], rules[i]);
    if (hosts)
        ik_builder_finding(b, IK_NOTE, "which-hosts", NULL,
                           "%s and %s, distinguished: %s; if that is wrong, give "
                           "file:PATH,host_names=PATTERN:PATTERN",
                           IK_COUNT(hosts, "host"), IK_COUNT(switches, "switch"), text);
    else
        ik_builder_finding(b, IK_WARNING, "no-hosts", NULL,
                           "none of %s is taken for a host (%s); give "
                           "file:PATH,host_names=PATTERN:PATTERN, which says which are",
                           IK_COUNT(switches, "device"), text);
    for (size_t i = 0; i < g->num_links; i++)
        unrated += !g->links[i].rate_bps;
    if (unrated)
        ik_builder_finding(b, IK_NOTE, "assumed-rate", NULL,
                           "%s no rate; link_rate and host_rate, or their defaults, are assumed",
                           IK_COUNT(unrated, "link gives|links give"));
}

/* A graph whose nodes are not said to be anything is built as it is, all of it switches. */
static bool devices_are_listed(const raw_graph *g, const ik_builder *b, bool *has_kinds)
{
    bool listed = g->num_links > 0;
    for (uint32_t i = 0; i < g->keys.num && !*has_kinds; i++)
        *has_kinds = g->nodes[i].has_kind;
    for (size_t i = 0; i < g->num_links && listed; i++)
        listed = g->links[i].port_a.length && g->links[i].port_b.length;
    return b->host_names || b->without || (listed && !*has_kinds);
}

ik_status devices_build(raw_graph *g, ik_builder *b, bool listed, ik_error *err)
{
    bool has_kinds = false;
    uint32_t by[NUM_RULES] = {0};
    listed = devices_are_listed(g, b, &has_kinds) || listed;
    if (!listed && g->keys.num && !has_kinds)
        ik_builder_finding(b, IK_NOTE, "no-hosts", NULL,
                           "no node is said to be a host (kind=host), so all are switches; "
                           "file:PATH,host_names=PATTERN:PATTERN says which nodes are hosts");
    if (!listed || !g->keys.num)
        return raw_graph_build(g, b, err);
    bool *fits = ik_calloc((size_t)g->keys.num + 1, sizeof *fits);
    if (!fits)
        return ik_fail_memory(err, g->keys.num * sizeof *fits, "names of devices");
    b->asked_devices = true;
    ik_status status = b->without ? devices_leave_out(g, b->without, fits, err) : IK_OK;
    if (status == IK_OK)
        status = devices_order_ports(g, err);
    if (status == IK_OK && b->host_names)
        status = devices_match(g, "host_names", b->host_names, fits, err);
    if (status == IK_OK)
        status = devices_tell_hosts(g, b->host_names, fits, by, err);
    free(fits);
    if (status == IK_OK)
        devices_report(g, by, b);
    return status == IK_OK ? raw_graph_build(g, b, err) : status;
}
