/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `graphml`: graphs as XML. Read are undirected graphs of any tool: nodes, edges and their
 * data; attributes that ikat does not know are ignored, a node without kind is a switch. Nested
 * graphs, hyperedges and directed edges are refused.
 */
#include "base/utf8.h"
#include "format/raw_graph.h"
#include "format/xml.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct graphml_reader {
    xml_reader x;
    raw_graph g;
    name_map keys;    /* id of a <key> to its index */
    slice *attribute; /* [keys.cap] attr.name */
    uint32_t attribute_cap;
    uint32_t node;  /* of the element that <data> belongs to, IK_NONE = none */
    bool in_link;   /* the last link */
    slice data_key; /* of the open <data>, empty = none */
    unsigned graphs;
    ik_error *err;
} graphml_reader;

static ik_status graphml_need(graphml_reader *r, const char *attribute, slice *value)
{
    if (xml_attribute(&r->x, attribute, value))
        return IK_OK;
    return xml_fail(&r->x, r->err, "<%.*s> has no %s",
                    (int)(r->x.name.length < 40 ? r->x.name.length : 40), r->x.name.at, attribute);
}

static ik_status graphml_open_key(graphml_reader *r)
{
    slice id, name;
    bool is_new;
    ik_status status = graphml_need(r, "id", &id);
    if (status != IK_OK)
        return status;
    if (!xml_attribute(&r->x, "attr.name", &name))
        name = id;
    uint32_t index = name_map_add(&r->keys, id, &is_new);
    if (index != IK_NONE && r->keys.cap > r->attribute_cap) {
        slice *larger = ik_calloc(r->keys.cap, sizeof *larger);
        if (!larger)
            return ik_fail_memory(r->err, r->keys.cap * sizeof *larger, "attributes of a graph");
        if (r->attribute)
            memcpy(larger, r->attribute, r->attribute_cap * sizeof *larger);
        free(r->attribute);
        r->attribute = larger;
        r->attribute_cap = r->keys.cap;
    }
    if (index == IK_NONE)
        return ik_fail_memory(r->err, id.length, "attributes of a graph");
    r->attribute[index] = name;
    return IK_OK;
}

static ik_status open_graph(graphml_reader *r)
{
    slice direction;
    if (r->graphs++)
        return xml_fail(&r->x, r->err, "a second or nested <graph>; a fabric is one graph");
    if (xml_attribute(&r->x, "edgedefault", &direction) && slice_is(direction, "directed"))
        return xml_fail(&r->x, r->err,
                        "edgedefault=\"directed\"; only undirected graphs are fabrics");
    return IK_OK;
}

static ik_status graphml_open_node(graphml_reader *r)
{
    slice id;
    ik_status status = graphml_need(r, "id", &id);
    if (status != IK_OK)
        return status;
    r->node = raw_graph_node(&r->g, id, r->err);
    return r->node == IK_NONE ? IK_ERR_MEMORY : IK_OK;
}

static ik_status graphml_open_edge(graphml_reader *r)
{
    slice source, target, directed;
    ik_status status = graphml_need(r, "source", &source);
    if (status == IK_OK)
        status = graphml_need(r, "target", &target);
    if (status != IK_OK)
        return status;
    if (xml_attribute(&r->x, "directed", &directed) && slice_is(directed, "true"))
        return xml_fail(&r->x, r->err, "a directed edge; only undirected graphs are fabrics");
    uint32_t a = raw_graph_node(&r->g, source, r->err),
             b = a == IK_NONE ? a : raw_graph_node(&r->g, target, r->err);
    if (b == IK_NONE || !raw_graph_link(&r->g, a, b, r->x.line, r->err))
        return IK_ERR_MEMORY;
    r->in_link = true;
    return IK_OK;
}

static ik_status graphml_open_element(void *ctx)
{
    graphml_reader *r = ctx;
    if (slice_is(r->x.name, "key"))
        return graphml_open_key(r);
    if (slice_is(r->x.name, "graph"))
        return open_graph(r);
    if (slice_is(r->x.name, "node"))
        return graphml_open_node(r);
    if (slice_is(r->x.name, "edge"))
        return graphml_open_edge(r);
    if (slice_is(r->x.name, "data")) {
        r->x.keep_blanks = true;
        return graphml_need(r, "key", &r->data_key);
    }
    if (slice_is(r->x.name, "hyperedge"))
        return xml_fail(&r->x, r->err, "a hyperedge; a link has two ends");
    return IK_OK;
}

static ik_status graphml_close_element(void *ctx)
{
    graphml_reader *r = ctx;
    if (slice_is(r->x.name, "node"))
        r->node = IK_NONE;
    else if (slice_is(r->x.name, "edge"))
        r->in_link = false;
    else if (slice_is(r->x.name, "data")) {
        r->x.keep_blanks = false;
        r->data_key = (slice){0};
    }
    return IK_OK;
}

static ik_status graphml_read_data(void *ctx)
{
    graphml_reader *r = ctx;
    ik_status status = IK_OK;
    uint32_t key = r->data_key.at ? name_map_find(&r->keys, r->data_key) : IK_NONE;
    if (key == IK_NONE)
        return IK_OK;
    if (r->in_link)
        status =
            raw_link_set(&r->g.links[r->g.num_links - 1], r->attribute[key], r->x.text, r->err);
    else if (r->node != IK_NONE)
        status = raw_node_set(&r->g.nodes[r->node], r->attribute[key], r->x.text, r->err);
    else
        raw_graph_set(&r->g, r->attribute[key], r->x.text);
    if (status != IK_OK)
        ik_error_at(r->err, r->g.file, r->x.line, r->x.column);
    return status;
}

static const xml_handlers graphml_handlers = {graphml_open_element, graphml_read_data,
                                              graphml_close_element};

static ik_status graphml_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                                   ik_error *err)
{
    graphml_reader r = {.x = xml_start(text, size, file),
                        .g = {.file = file, .text_size = size},
                        .node = IK_NONE,
                        .err = err};
    ik_status status = xml_each(&r.x, &graphml_handlers, &r, err);
    if (status == IK_OK && !r.graphs)
        status = ik_fail_at(err, IK_ERR_INPUT, file, 1, 1, "there is no <graph> in this file");
    if (status == IK_OK)
        status = raw_graph_build(&r.g, b, err);
    raw_graph_free(&r.g);
    name_map_free(&r.keys);
    free(r.attribute);
    xml_end(&r.x);
    return status;
}

/* ---- writing */

static void graphml_write_escaped(const char *text, FILE *out)
{
    while (*text) {
        size_t length = utf8_length(text);
        if (length == 0)
            fputs(UTF8_REPLACEMENT, out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
}

static void graphml_write_pairs(const raw_pair *pairs, size_t num, FILE *out)
{
    for (size_t i = 0; i < num; i++) {
        fprintf(out, "<data key=\"%s\">", pairs[i].attribute);
        graphml_write_escaped(pairs[i].value, out);
        fputs("</data>", out);
    }
}

static ik_status graphml_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    raw_pair pairs[RAW_MAX_PAIRS];
    (void)err;
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
                 "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (const raw_attribute *a = raw_attributes; a->name; a++)
        fprintf(out, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", a->name,
                a->of_link ? "edge" : "node", a->name, a->is_text ? "string" : "long");
    if (raw_rates_meant(f))
        fprintf(out, "  <key id=\"%s\" for=\"graph\" attr.name=\"%s\" attr.type=\"boolean\"/>\n",
                RAW_RATES_MEANT, RAW_RATES_MEANT);
    fprintf(out, "  <graph id=\"fabric\" edgedefault=\"undirected\">\n");
    if (raw_rates_meant(f))
        fprintf(out, "    <data key=\"%s\">true</data>\n", RAW_RATES_MEANT);
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        fprintf(out, "    <node id=\"");
        raw_write_id(f, node, out);
        fprintf(out, "\">");
        graphml_write_pairs(pairs, raw_node_pairs(f, node, pairs), out);
        fprintf(out, "</node>\n");
    }
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (!raw_writes_link(f, port))
            continue;
        fprintf(out, "    <edge source=\"");
        raw_write_id(f, f->port_node[port], out);
        fprintf(out, "\" target=\"");
        raw_write_id(f, ik_peer_node(f, port), out);
        fprintf(out, "\">");
        graphml_write_pairs(pairs, raw_link_pairs(f, port, pairs), out);
        fprintf(out, "</edge>\n");
    }
    fprintf(out, "  </graph>\n</graphml>\n");
    return IK_OK;
}

static unsigned graphml_probe(const char *text, size_t size)
{
    for (size_t i = 0; i + 8 < size && i < 4096; i++)
        if (memcmp(text + i, "<graphml", 8) == 0)
            return 95;
    return 0;
}

static const char *const extensions[] = {"graphml", NULL};

const ik_format ik_format_graphml = {
    .name = "graphml",
    .summary = "a graph in XML, for igraph, NetworkX, Gephi and others",
    .source = "U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt, M. S. Marshall: GraphML progress "
              "report, GD 2001",
    .extensions = extensions,
    .probe = graphml_probe,
    .read = graphml_read_text,
    .write = graphml_write_text,
};
