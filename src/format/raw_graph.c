/* SPDX-License-Identifier: Apache-2.0
 *
 * From nodes and links with attributes to the builder. O(nodes log nodes + links).
 */
#include "format/raw_graph.h"

#include "base/array.h"
#include "fabric/builder_private.h"
#include "fabric/fabric_private.h"
#include "format/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t raw_graph_node(raw_graph *g, slice key, ik_error *err)
{
    bool is_new;
    uint32_t id = name_map_add(&g->keys, key, &is_new);
    if (id == IK_NONE || !IK_ARRAY_ROOM(g->nodes, g->node_cap, g->keys.cap)) {
        id = IK_NONE;
        ik_fail_memory(err, g->keys.cap * sizeof *g->nodes, "nodes of a graph");
    } else if (is_new) {
        g->nodes[id] = (raw_node){.number = RAW_NO_NUMBER};
    }
    return id;
}

raw_link *raw_graph_link(raw_graph *g, uint32_t a, uint32_t b, unsigned line, ik_error *err)
{
    if (!IK_ARRAY_ROOM(g->links, g->link_cap, g->num_links + 1)) {
        ik_fail_memory(err, 2 * g->link_cap * sizeof *g->links, "links of a graph");
        return NULL;
    }
    g->links[g->num_links] = (raw_link){.a = a, .b = b, .line = line};
    return &g->links[g->num_links++];
}

void raw_graph_set(raw_graph *g, slice attribute, slice value)
{
    g->rates_meant |=
        slice_is(raw_trimmed(attribute), RAW_RATES_MEANT) && slice_is(raw_trimmed(value), "true");
}

bool raw_rates_meant(const ik_fabric *f)
{
    return f->priv->rates_meant;
}

void raw_graph_free(raw_graph *g)
{
    name_map_free(&g->keys);
    free(g->nodes);
    free(g->links);
}

/* ---- numbering */

typedef struct ordered {
    uint64_t number;
    uint32_t node;
} ordered;

static int raw_graph_compare_ordered(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Degrees, and from them and the ports that are named, radices and first slots. */
static ik_status raw_graph_size_ports(raw_graph *g, uint64_t *total, ik_error *err)
{
    for (size_t i = 0; i < g->num_links; i++) {
        const raw_link *link = &g->links[i];
        raw_node *a = &g->nodes[link->a], *b = &g->nodes[link->b];
        a->radix++;
        b->radix++;
        a->ports = link->pa > a->ports ? link->pa : a->ports;
        b->ports = link->pb > b->ports ? link->pb : b->ports;
    }
    *total = 0;
    for (uint32_t i = 0; i < g->keys.num; i++) {
        raw_node *node = &g->nodes[i];
        node->radix = node->ports > node->radix ? node->ports : node->radix;
        node->first = (uint32_t)*total;
        *total += node->radix;
        if (node->radix > 65535)
            return ik_fail_at(err, IK_ERR_INPUT, g->file, 0, 0,
                              "node '%.*s' has %s; at most 65535 are possible",
                              (int)(g->keys.names[i].length < 80 ? g->keys.names[i].length : 80),
                              g->keys.names[i].at, IK_COUNT(node->radix, "port"));
        if (*total > 1000000 + 64 * (uint64_t)g->text_size || *total > 0x7fffffff)
            return ik_fail_at(err, IK_ERR_INPUT, g->file, 0, 0, "%s in a file of %zu bytes",
                              IK_COUNT(*total, "port"), g->text_size);
    }
    return IK_OK;
}

static ik_status raw_graph_take_port(raw_graph *g, const raw_link *link, uint32_t node,
                                     uint32_t *port, uint8_t *used, uint32_t *next, ik_error *err)
{
    const raw_node *n = &g->nodes[node];
    if (*port == 0) {
        while (used[n->first + next[node]])
            next[node]++;
        *port = next[node] + 1;
    } else if (used[n->first + *port - 1]) {
        return ik_fail_at(err, IK_ERR_INPUT, g->file, link->line, 1,
                          "port %" PRIu32 " of node '%.*s' is cabled twice", *port,
                          (int)(g->keys.names[node].length < 80 ? g->keys.names[node].length : 80),
                          g->keys.names[node].at);
    }
    used[n->first + *port - 1] = 1;
    return IK_OK;
}

/* Named ports first, then the lowest free ones in the order of the links. */
static ik_status raw_graph_choose_ports(raw_graph *g, uint8_t *used, uint32_t *next, ik_error *err)
{
    for (int named = 1; named >= 0; named--)
        for (size_t i = 0; i < g->num_links; i++) {
            raw_link *link = &g->links[i];
            ik_status status = IK_OK;
            if ((link->pa != 0) == named)
                status = raw_graph_take_port(g, link, link->a, &link->pa, used, next, err);
            if (status == IK_OK && (link->pb != 0) == named)
                status = raw_graph_take_port(g, link, link->b, &link->pb, used, next, err);
            if (status != IK_OK)
                return status;
        }
    return IK_OK;
}

static uint16_t raw_graph_class_of(const raw_graph *g, const raw_link *link, ik_builder *b)
{
    bool to_host = g->nodes[link->a].is_host || g->nodes[link->b].is_host;
    uint16_t id = ik_builder_default_link(b, to_host);
    ik_link_class usual = ik_builder_class_of(b, id);
    char name[16];
    if (!link->rate_bps && !link->has_latency && link->hops <= 1)
        return id;
    uint64_t latency =
        link->has_latency ? link->latency_ps : usual.latency_ps * (link->hops ? link->hops : 1);
    if (link->name.length == 0 || link->name.length >= sizeof name)
        return ik_builder_class(b, link->rate_bps ? link->rate_bps : usual.rate_bps, latency, NULL);
    memcpy(name, link->name.at, link->name.length);
    name[link->name.length] = '\0';
    return ik_builder_class(b, link->rate_bps ? link->rate_bps : usual.rate_bps, latency, name);
}

/* ---- into the builder */

static void raw_graph_label(const raw_graph *g, uint32_t index, ik_builder *b)
{
    const raw_node *node = &g->nodes[index];
    char composed[24];
    slice key = g->keys.names[index], name = node->name;
    snprintf(composed, sizeof composed, "%s%" PRIu32, node->is_host ? "host" : "sw", node->id);
    if (!name.length && node->number == RAW_NO_NUMBER && !slice_is(key, composed))
        name = key;
    int length = (int)(name.length < 256 ? name.length : 256);
    if (length)
        (node->is_host ? ik_builder_host_name : ik_builder_switch_name)(b, node->id, "%.*s", length,
                                                                        name.at);
    (node->is_host ? ik_builder_host_ids : ik_builder_switch_ids)(b, node->id, node->guid,
                                                                  node->lid);
    ik_builder_node_lmc(b, node->is_host ? ik_hs(node->id, 0) : ik_sw(node->id, 0), node->lmc);
    if (node->is_host)
        return;
    if (node->level)
        ik_builder_switch_level(b, node->id, node->level);
    if (node->has_xy)
        ik_builder_switch_xy(b, node->id, node->xy.x, node->xy.y);
    if (node->has_place)
        ik_builder_switch_place(b, node->id, node->place.layer, node->place.group, node->place.pos);
}

/* Levels count only if every switch has one. */
static bool raw_graph_levels_complete(const raw_graph *g)
{
    for (uint32_t i = 0; i < g->keys.num; i++)
        if (!g->nodes[i].is_host && !g->nodes[i].level)
            return false;
    return true;
}

static ik_status raw_graph_add_nodes(raw_graph *g, ik_builder *b, ik_error *err)
{
    ordered *order = ik_calloc((size_t)g->keys.num + 1, sizeof *order);
    bool numbered = true, levels = raw_graph_levels_complete(g);
    if (!order)
        return ik_fail_memory(err, g->keys.num * sizeof *order, "the order of nodes");
    for (uint32_t i = 0; i < g->keys.num; i++)
        numbered = numbered && g->nodes[i].number != RAW_NO_NUMBER;
    for (uint32_t i = 0; i < g->keys.num; i++)
        order[i] = (ordered){numbered ? g->nodes[i].number : 0, i};
    qsort(order, g->keys.num, sizeof *order, raw_graph_compare_ordered);
    for (uint32_t i = 0; i < g->keys.num; i++) {
        raw_node *node = &g->nodes[order[i].node];
        if (node->left_out)
            continue;
        node->id = node->is_host ? ik_builder_hosts(b, 1, node->radix)
                                 : ik_builder_switches(b, 1, node->radix);
        node->level = levels ? node->level : 0;
        raw_graph_label(g, order[i].node, b);
    }
    free(order);
    return IK_OK;
}

static void raw_graph_add_links(const raw_graph *g, ik_builder *b)
{
    for (size_t i = 0; i < g->num_links; i++) {
        const raw_link *link = &g->links[i];
        const raw_node *a = &g->nodes[link->a], *c = &g->nodes[link->b];
        ik_end near = a->is_host ? ik_hs(a->id, link->pa - 1) : ik_sw(a->id, link->pa - 1);
        ik_end far = c->is_host ? ik_hs(c->id, link->pb - 1) : ik_sw(c->id, link->pb - 1);
        ik_builder_link(b, near, far, raw_graph_class_of(g, link, b));
        if (link->label_a)
            ik_builder_port_ids(b, near, 0, link->label_a);
        if (link->label_b)
            ik_builder_port_ids(b, far, 0, link->label_b);
    }
}

ik_status raw_graph_build(raw_graph *g, ik_builder *b, ik_error *err)
{
    uint64_t total;
    if (g->keys.num == 0)
        return ik_fail_at(err, IK_ERR_INPUT, g->file, 1, 1, "there is no node in this file");
    ik_status status = raw_graph_size_ports(g, &total, err);
    if (status != IK_OK)
        return status;
    uint8_t *used = ik_calloc(total + 1, 1);
    uint32_t *next = ik_calloc((size_t)g->keys.num + 1, sizeof *next);
    status = used && next ? raw_graph_choose_ports(g, used, next, err)
                          : ik_fail_memory(err, total, "ports of a graph");
    free(used);
    free(next);
    if (status == IK_OK)
        status = raw_graph_add_nodes(g, b, err);
    if (status == IK_OK)
        raw_graph_add_links(g, b);
    if (status == IK_OK && g->rates_meant)
        b->f->priv->rates_meant = true;
    return status;
}
