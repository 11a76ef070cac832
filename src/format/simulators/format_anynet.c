/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `anynet`: the network files of the simulator BookSim 2.
 *
 *     router 0 node 0 node 1 router 1 router 2 5
 *
 * A line says what its first router (or node) is joined to; a number behind a neighbour is the
 * channel's latency in cycles, here in units of the default latency. A link may be listed on either
 * side or on both; a neighbour repeated on a line is a parallel link. Written are all links from
 * their lower end, with latencies only if they differ, as multiples of their greatest common
 * divisor. Rates are not in the file.
 */
#include "base/array.h"
#include "format/raw_graph.h"
#include "format/scan.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* `to` on a line of `from`. */
typedef struct mention {
    uint32_t low, high; /* the two nodes */
    bool from_high;     /* on whose line */
    uint32_t nth;       /* among equal mentions */
    uint64_t hops;
    unsigned line;
    size_t order;
} mention;

typedef struct any_reader {
    scan s;
    raw_graph g;
    ik_arena keys;
    mention *mentions;
    size_t num, cap;
    ik_error *err;
} any_reader;

static ik_status anynet_read_end(any_reader *r, uint32_t *node)
{
    scan *s = &r->s;
    bool is_host = false;
    uint64_t number;
    scan_blanks(s);
    if (!scan_word(s, "router") && !(is_host = scan_word(s, "node")))
        return scan_fail(s, r->err, "expected 'router' or 'node'");
    scan_blanks(s);
    const char *digits = s->at;
    if (!slice_uint(scan_token(s), UINT32_MAX - 1, &number)) {
        s->at = digits;
        return scan_fail(s, r->err, "expected the number of a %s", is_host ? "node" : "router");
    }
    char *key = ik_arena_printf(&r->keys, "%c%" PRIu64, is_host ? 'n' : 'r', number);
    if (!key)
        return ik_fail_memory(r->err, 24, "names of nodes");
    *node = raw_graph_node(&r->g, (slice){key, strlen(key)}, r->err);
    if (*node == IK_NONE)
        return IK_ERR_MEMORY;
    r->g.nodes[*node].is_host = is_host;
    r->g.nodes[*node].number = number;
    return IK_OK;
}

static ik_status anynet_keep(any_reader *r, uint32_t from, uint32_t to, uint64_t hops)
{
    if (!IK_ARRAY_ROOM(r->mentions, r->cap, r->num + 1))
        return ik_fail_memory(r->err, 2 * r->cap * sizeof *r->mentions, "links of a graph");
    bool swap = from > to;
    r->mentions[r->num] =
        (mention){swap ? to : from, swap ? from : to, swap, 0, hops, r->s.line, r->num};
    r->num++;
    return IK_OK;
}

static ik_status anynet_read_line(any_reader *r)
{
    scan *s = &r->s;
    uint32_t from, to;
    if (scan_at_end(s) || *s->at == '#')
        return IK_OK;
    ik_status status = anynet_read_end(r, &from);
    while (status == IK_OK && !scan_at_end(s)) {
        uint64_t hops = 0;
        status = anynet_read_end(r, &to);
        scan_blanks(s);
        if (status == IK_OK && s->at < s->end && *s->at >= '0' && *s->at <= '9') {
            const char *start = s->at;
            if (!slice_uint(scan_token(s), 1000000, &hops) || hops == 0) {
                s->at = start;
                return scan_fail(s, r->err, "expected a latency from 1 to 1000000 cycles");
            }
        }
        if (status == IK_OK && from == to)
            return scan_fail(s, r->err, "expected another neighbour; a router is joined to itself");
        if (status == IK_OK)
            status = anynet_keep(r, from, to, hops);
    }
    return status;
}

/* Equal pairs together, in the order of the text on each side. */
static int anynet_compare_pairs(const void *a, const void *b)
{
    const mention *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->from_high != y->from_high)
        return x->from_high ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The nth mention from the one side and the nth from the other are the same link: keeps whichever
 * stands first. */
static int anynet_compare_nth(const void *a, const void *b)
{
    const mention *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->nth != y->nth)
        return x->nth < y->nth ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int anynet_compare_order(const void *a, const void *b)
{
    const mention *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void anynet_merge_sides(any_reader *r)
{
    size_t kept = 0;
    qsort(r->mentions, r->num, sizeof *r->mentions, anynet_compare_pairs);
    for (size_t i = 1; i < r->num; i++) {
        mention *m = &r->mentions[i], *before = m - 1;
        if (m->low == before->low && m->high == before->high && m->from_high == before->from_high)
            m->nth = before->nth + 1;
    }
    qsort(r->mentions, r->num, sizeof *r->mentions, anynet_compare_nth);
    for (size_t i = 0; i < r->num; i++) {
        mention *m = &r->mentions[i], *last = kept ? &r->mentions[kept - 1] : NULL;
        if (last && last->low == m->low && last->high == m->high && last->nth == m->nth)
            last->hops = last->hops ? last->hops : m->hops;
        else
            r->mentions[kept++] = *m;
    }
    r->num = kept;
    qsort(r->mentions, r->num, sizeof *r->mentions, anynet_compare_order);
}

static ik_status anynet_make_links(any_reader *r)
{
    for (size_t i = 0; i < r->num; i++) {
        const mention *m = &r->mentions[i];
        raw_link *link = raw_graph_link(&r->g, m->from_high ? m->high : m->low,
                                        m->from_high ? m->low : m->high, m->line, r->err);
        if (!link)
            return IK_ERR_MEMORY;
        link->hops = m->hops;
    }
    return IK_OK;
}

static ik_status anynet_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                                  ik_error *err)
{
    any_reader r = {
        .s = scan_text(text, size, file), .g = {.file = file, .text_size = size}, .err = err};
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&r.s))
        status = anynet_read_line(&r);
    if (status == IK_OK) {
        if (r.num)
            anynet_merge_sides(&r);
        status = anynet_make_links(&r);
    }
    if (status == IK_OK)
        status = raw_graph_build(&r.g, b, err);
    raw_graph_free(&r.g);
    ik_arena_free(&r.keys);
    free(r.mentions);
    return status;
}

/* ---- writing */

/* Picoseconds that one cycle in the file stands for, 0 if all latencies are equal and none is
 * written. */
static ik_status anynet_cycle_ps(const ik_fabric *f, uint64_t *cycle, ik_error *err)
{
    uint64_t common = 0, longest = 0;
    bool equal = true;
    for (uint32_t i = 0; i < f->num_classes; i++) {
        uint64_t latency = f->classes[i].latency_ps;
        equal = equal && latency == f->classes[0].latency_ps;
        common = ik_gcd(common, latency);
        longest = latency > longest ? latency : longest;
        if (latency == 0 && !equal)
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "some links have no latency and others %" PRIu64
                           " ps; anynet has whole cycles",
                           longest);
    }
    if (!equal && (f->classes[0].latency_ps == 0 || longest / common > 1000000))
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "latencies up to %" PRIu64 " ps with a common divisor of %" PRIu64
                       " ps do not give reasonable numbers of cycles",
                       longest, common);
    *cycle = equal ? 0 : common;
    return IK_OK;
}

static const char *anynet_kind(const ik_fabric *f, uint32_t node)
{
    return ik_is_switch(f, node) ? "router" : "node";
}

static uint32_t anynet_number(const ik_fabric *f, uint32_t node)
{
    return ik_is_switch(f, node) ? node : ik_node_host(f, node);
}

static ik_status anynet_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    uint64_t cycle = 0;
    ik_status status = anynet_cycle_ps(f, &cycle, err);
    if (status != IK_OK)
        return status;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        bool linked = false, written = false;
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
            linked = linked || f->port_peer[port] != IK_NONE;
            if (!raw_writes_link(f, port))
                continue;
            uint32_t far = ik_peer_node(f, port);
            if (far == node)
                return ik_fail(err, IK_ERR_UNSUPPORTED,
                               "%s %" PRIu32 " is cabled to itself; anynet has no such links",
                               anynet_kind(f, node), anynet_number(f, node));
            if (!written)
                fprintf(out, "%s %" PRIu32, anynet_kind(f, node), anynet_number(f, node));
            written = true;
            fprintf(out, " %s %" PRIu32, anynet_kind(f, far), anynet_number(f, far));
            if (cycle)
                fprintf(out, " %" PRIu64, ik_port_latency_ps(f, port) / cycle);
        }
        if (written || !linked || ik_is_switch(f, node))
            fprintf(out, written ? "\n" : "%s %" PRIu32 "\n", anynet_kind(f, node),
                    anynet_number(f, node));
    }
    return IK_OK;
}

static unsigned anynet_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    for (unsigned lines = 0; lines < 20 && scan_line(&s); lines++) {
        if (scan_at_end(&s) || *s.at == '#')
            continue;
        return scan_word(&s, "router") || scan_word(&s, "node") ? 90 : 0;
    }
    return 0;
}

static const char *const extensions[] = {"anynet", "net", NULL};

const ik_format ik_format_anynet = {
    .name = "anynet",
    .summary = "a network file of the simulator BookSim 2",
    .source = "N. Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, "
              "ISPASS 2013",
    .extensions = extensions,
    .probe = anynet_probe,
    .read = anynet_read_text,
    .write = anynet_write_text,
};
