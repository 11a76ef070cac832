/* SPDX-License-Identifier: Apache-2.0
 *
 * Building and reading the extended channel dependency graph (Dally, Seitz, "Deadlock-Free Message
 * Routing in Multiprocessor Interconnection Networks", IEEE Trans. Computers 36(5), 1987).
 */
#include "verify/cdg.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static ik_status cdg_number_channels(cdg *g, ik_error *err)
{
    const ik_fabric *f = g->fabric;
    g->channel_of_port = ik_calloc((size_t)f->num_ports + 1, sizeof *g->channel_of_port);
    g->port_of_channel = ik_calloc((size_t)f->num_ports + 1, sizeof *g->port_of_channel);
    if (!g->channel_of_port || !g->port_of_channel)
        return ik_fail_memory(err, (size_t)f->num_ports * 8, "the channels of a dependency graph");
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        bool joins_switches =
            ik_is_switch(f, f->port_node[port]) && peer != IK_NONE && ik_is_switch(f, peer);
        g->channel_of_port[port] = joins_switches ? g->num_channels : IK_NONE;
        if (joins_switches)
            g->port_of_channel[g->num_channels++] = port;
    }
    return IK_OK;
}

ik_status cdg_make(const ik_fabric *f, unsigned num_vcs, bool lanes, const ik_env *env, cdg *out,
                   ik_error *err)
{
    assert(num_vcs > 0);
    cdg g = {.fabric = f,
             .env = env,
             .num_vcs = num_vcs,
             .lanes = lanes,
             .words = ((size_t)ik_max_radix(f) + 63) / 64};
    ik_status status = cdg_number_channels(&g, err);
    size_t num_rows = cdg_num_vertices(&g) * (lanes ? 1 : num_vcs);
    double bytes = (double)num_rows * (double)g.words * 8;
    if (status == IK_OK)
        status = ik_env_refuse_bytes(env, bytes, "the dependency graph of channels", err);
    if (status == IK_OK) {
        g.rows = ik_calloc(num_rows + 1, g.words * sizeof *g.rows);
        g.used = ik_calloc(cdg_num_vertices(&g) / 64 + 1, sizeof *g.used);
        if (!g.rows || !g.used)
            status = ik_fail_memory(err, (size_t)bytes, "a dependency graph");
    }
    if (status != IK_OK) {
        cdg_free(&g);
        return status;
    }
    *out = g;
    return IK_OK;
}

void cdg_free(cdg *g)
{
    free(g->channel_of_port);
    free(g->port_of_channel);
    free(g->rows);
    free(g->used);
    *g = (cdg){0};
}

void cdg_clear(cdg *g)
{
    size_t num = cdg_num_vertices(g);
    memset(g->rows, 0, num * (g->lanes ? 1 : g->num_vcs) * g->words * sizeof *g->rows);
    memset(g->used, 0, (num / 64 + 1) * sizeof *g->used);
}

void cdg_add(cdg *g, uint32_t in_port, unsigned vc_in, uint32_t out_port, unsigned vc_first,
             unsigned vc_last)
{
    assert(vc_in < g->num_vcs && vc_first <= vc_last && vc_last < g->num_vcs);
    assert(in_port < g->fabric->num_ports && out_port < g->fabric->num_ports);
    assert(g->fabric->port_node[in_port] == g->fabric->port_node[out_port]); /* one switch */
    uint32_t out = g->channel_of_port[out_port];
    if (out == IK_NONE)
        return;
    for (unsigned vc = vc_first; vc <= vc_last; vc++)
        cdg_use(g, cdg_vertex(g, out, vc));
    uint32_t sender = g->fabric->port_peer[in_port];
    uint32_t in = sender == IK_NONE ? IK_NONE : g->channel_of_port[sender];
    if (in == IK_NONE)
        return;
    uint32_t bit = ik_port_local(g->fabric, out_port);
    for (unsigned vc = vc_first; vc <= vc_last; vc++)
        cdg_or(cdg_row(g, cdg_vertex(g, in, vc_in), vc) + bit / 64, (uint64_t)1 << bit % 64);
}

/* Cursor = number of the row's VC times its bits, plus the bit. One VC is the usual case of the
 * largest graphs: no divisions there. */
bool cdg_next(const cdg *g, size_t vertex, size_t *cursor, size_t *successor)
{
    assert(vertex < cdg_num_vertices(g));
    bool one_vc = g->num_vcs == 1, one_row = one_vc || g->lanes;
    const uint64_t *rows = cdg_row(g, vertex, 0);
    size_t num_words = (one_row ? 1 : g->num_vcs) * g->words;
    size_t word = *cursor / 64;
    uint64_t bits = word < num_words ? rows[word] & ~(uint64_t)0 << *cursor % 64 : 0;
    while (bits == 0) {
        if (++word >= num_words)
            return false;
        bits = rows[word];
    }
    size_t bit = (size_t)__builtin_ctzll(bits), local = one_row ? word : word % g->words;
    *cursor = word * 64 + bit + 1;
    uint32_t port = g->port_of_channel[one_vc ? vertex : vertex / g->num_vcs];
    uint32_t first_port = g->fabric->port_base[ik_peer_node(g->fabric, port)];
    unsigned vc = one_vc    ? 0
                  : one_row ? (unsigned)(vertex % g->num_vcs)
                            : (unsigned)(word / g->words);
    *successor = cdg_vertex(g, g->channel_of_port[first_port + local * 64 + bit], vc);
    return true;
}

static uint64_t cdg_count_bits(const uint64_t *words, size_t num)
{
    uint64_t count = 0;
    for (size_t i = 0; i < num; i++)
        count += (uint64_t)__builtin_popcountll(words[i]);
    return count;
}

void cdg_count(const cdg *g, uint64_t *vertices, uint64_t *edges)
{
    size_t num = cdg_num_vertices(g);
    *vertices = cdg_count_bits(g->used, num / 64 + 1);
    *edges = cdg_count_bits(g->rows, num * (g->lanes ? 1 : g->num_vcs) * g->words);
}
