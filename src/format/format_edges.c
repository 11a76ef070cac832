/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `edges`: one link a line, as graph tools keep graphs.
 *
 *     # comment
 *     0 1            two switches
 *     h3 0           host 3 on switch 0
 *     0 2 40Gb/s     at another rate than the default
 *     5              a switch without links
 *
 * Switches and hosts are numbered as written, gaps closed; ports in the order of the lines.
 */
#include "format/raw_graph.h"
#include "format/scan.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <string.h>

#define EDGES_MEANT "# " RAW_RATES_MEANT " = true"

typedef struct edge_reader {
    scan s;
    raw_graph g;
    ik_arena keys; /* of nodes that are not written in the shortest way */
    ik_error *err;
} edge_reader;

static bool edges_parse_node(slice token, bool *is_host, uint64_t *number)
{
    *is_host = token.length && token.at[0] == 'h';
    slice digits = *is_host ? (slice){token.at + 1, token.length - 1} : token;
    return slice_uint(digits, UINT32_MAX - 1, number);
}

/* One key a node: 03 is 3. */
static bool edges_shortest_key(edge_reader *r, slice *token, bool is_host, uint64_t number)
{
    if (token->length == (size_t)is_host + 1 || token->at[is_host] != '0')
        return true;
    char *key = ik_arena_printf(&r->keys, "%s%" PRIu64, is_host ? "h" : "", number);
    if (!key) {
        ik_fail_memory(r->err, 24, "names of nodes");
        return false;
    }
    *token = (slice){key, strlen(key)};
    return true;
}

static ik_status edges_read_node(edge_reader *r, uint32_t *node)
{
    bool is_host;
    uint64_t number;
    scan_blanks(&r->s);
    const char *start = r->s.at;
    slice token = scan_token(&r->s);
    if (!edges_parse_node(token, &is_host, &number)) {
        r->s.at = start;
        return scan_fail(&r->s, r->err, "expected a switch like 5 or a host like h5");
    }
    *node = edges_shortest_key(r, &token, is_host, number) ? raw_graph_node(&r->g, token, r->err)
                                                           : IK_NONE;
    if (*node == IK_NONE)
        return IK_ERR_MEMORY;
    r->g.nodes[*node].is_host = is_host;
    r->g.nodes[*node].number = number;
    return IK_OK;
}

static ik_status edges_read_rate(edge_reader *r, raw_link *link)
{
    char text[32];
    ik_error why = {0};
    const char *start = r->s.at;
    slice rest = {start, (size_t)(r->s.end - start)};
    while (rest.length && (rest.at[rest.length - 1] == ' ' || rest.at[rest.length - 1] == '\t'))
        rest.length--;
    if (rest.length >= sizeof text)
        return scan_fail(&r->s, r->err, "expected a rate like 40Gb/s");
    memcpy(text, rest.at, rest.length);
    text[rest.length] = '\0';
    if (ik_parse_quantity(text, IK_DIM_RATE, &link->rate_bps, &why) != IK_OK || !link->rate_bps ||
        link->rate_bps > RAW_MAX_RATE_BPS)
        return scan_fail(&r->s, r->err,
                         "expected a rate like 40Gb/s, at most 1000 Tb/s, or the end of the line");
    return IK_OK;
}

static ik_status edges_read_line(edge_reader *r)
{
    scan *s = &r->s;
    uint32_t a, b;
    if (scan_prefix(s, EDGES_MEANT)) {
        if (scan_at_end(s))
            raw_graph_set(&r->g, slice_of(RAW_RATES_MEANT), slice_of("true"));
        return IK_OK;
    }
    if (scan_at_end(s) || *s->at == '#' || *s->at == '%')
        return IK_OK;
    ik_status status = edges_read_node(r, &a);
    if (status != IK_OK || scan_at_end(s))
        return status;
    status = edges_read_node(r, &b);
    if (status != IK_OK)
        return status;
    raw_link *link = raw_graph_link(&r->g, a, b, s->line, r->err);
    if (!link)
        return IK_ERR_MEMORY;
    return scan_at_end(s) ? IK_OK : edges_read_rate(r, link);
}

static ik_status edges_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                                 ik_error *err)
{
    edge_reader r = {
        .s = scan_text(text, size, file), .g = {.file = file, .text_size = size}, .err = err};
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&r.s))
        status = edges_read_line(&r);
    if (status == IK_OK)
        status = raw_graph_build(&r.g, b, err);
    raw_graph_free(&r.g);
    ik_arena_free(&r.keys);
    return status;
}

/* ---- writing */

static void edges_write_node(const ik_fabric *f, uint32_t node, FILE *out)
{
    if (ik_is_switch(f, node))
        fprintf(out, "%" PRIu32, node);
    else
        fprintf(out, "h%" PRIu32, ik_node_host(f, node));
}

static void edges_write_rate(uint64_t rate_bps, FILE *out)
{
    char rate[32];
    ik_format_quantity(rate, sizeof rate, rate_bps, IK_DIM_RATE);
    fputc(' ', out);
    for (const char *c = rate; *c; c++)
        if (*c != ' ')
            fputc(*c, out);
}

/* Rates are written only if they differ, so that most graphs stay plain lists of pairs. */
static bool edges_one_rate(const ik_fabric *f)
{
    for (uint32_t i = 1; i < f->num_classes; i++)
        if (f->classes[i].rate_bps != f->classes[0].rate_bps)
            return false;
    return true;
}

static ik_status edges_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    bool plain = edges_one_rate(f);
    (void)err;
    fprintf(out, "# %s, %s (h0, h1, ...)\n", IK_COUNT(f->num_switches, "switch"),
            IK_COUNT(f->num_hosts, "host"));
    if (raw_rates_meant(f))
        fprintf(out, EDGES_MEANT "\n");
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        bool linked = false;
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
            linked = linked || f->port_peer[port] != IK_NONE;
            if (!raw_writes_link(f, port))
                continue;
            edges_write_node(f, node, out);
            fputc(' ', out);
            edges_write_node(f, ik_peer_node(f, port), out);
            if (!plain)
                edges_write_rate(ik_port_rate_bps(f, port), out);
            fputc('\n', out);
        }
        if (!linked) {
            edges_write_node(f, node, out);
            fputc('\n', out);
        }
    }
    return IK_OK;
}

static unsigned edges_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    unsigned good = 0;
    for (unsigned lines = 0; lines < 20 && scan_line(&s); lines++) {
        bool is_host;
        uint64_t number;
        if (scan_at_end(&s) || *s.at == '#' || *s.at == '%')
            continue;
        if (!edges_parse_node(scan_token(&s), &is_host, &number))
            return 0;
        good++;
    }
    return good ? 40 : 0;
}

static const char *const extensions[] = {"edges", "edgelist", "el", NULL};

const ik_format ik_format_edges = {
    .name = "edges",
    .summary =
        "a plain list of links, one per line: '0 1' joins two switches, 'h3 0' a host and a switch",
    .source = "the edge lists of igraph, NetworkX and graph collections, with hosts",
    .extensions = extensions,
    .probe = edges_probe,
    .read = edges_read_text,
    .write = edges_write_text,
};
