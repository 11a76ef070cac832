/* SPDX-License-Identifier: Apache-2.0
 *
 * links.c: see links.h.
 */
#include "routing/graph/links.h"
#include "routing/port_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool links_is_link(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = ik_peer_node(f, port);
    return peer != IK_NONE && ik_is_switch(f, peer);
}

/* Insertion sort of one switch's links by (far switch, port): degrees are small. */
static void links_sort_ports(const ik_fabric *f, uint32_t *ports, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t port = ports[i], key = ik_peer_node(f, port), j = i;
        for (; j > 0 && ik_peer_node(f, ports[j - 1]) > key; j--)
            ports[j] = ports[j - 1];
        ports[j] = port;
    }
}

static ik_status links_alloc(const ik_fabric *f, links *g, ik_error *err)
{
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++)
        g->num_links += links_is_link(f, p);
    uint32_t n = g->num_links ? g->num_links : 1;
    g->base = ik_calloc((size_t)g->num_switches + 1, sizeof *g->base);
    g->head = ik_calloc(n, sizeof *g->head);
    g->tail = ik_calloc(n, sizeof *g->tail);
    g->rev = ik_calloc(n, sizeof *g->rev);
    g->port = ik_calloc(n, sizeof *g->port);
    g->of_port = ik_calloc(f->num_ports ? f->num_ports : 1, sizeof *g->of_port);
    g->host_sw = ik_calloc(f->num_hosts ? f->num_hosts : 1, sizeof *g->host_sw);
    g->host_port = ik_calloc(f->num_hosts ? f->num_hosts : 1, sizeof *g->host_port);
    if (!g->base || !g->head || !g->tail || !g->rev || !g->port || !g->of_port || !g->host_sw ||
        !g->host_port)
        return ik_fail_memory(err, (size_t)n * 16, "the graph of switches");
    return IK_OK;
}

static bool hangs_on_several(const ik_fabric *f, uint32_t host, uint32_t first)
{
    uint32_t node = ik_host_node(f, host);
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
        if (links_is_link(f, p) && ik_peer_node(f, p) != first)
            return true;
    return false;
}

/* Local port of the switch on a host's only cable; LINKS_SLOW. */
static uint16_t links_only_port(const ik_fabric *f, uint32_t host)
{
    uint32_t node = ik_host_node(f, host), peer = IK_NONE, n = 0;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
        if (f->port_peer[p] != IK_NONE) {
            peer = f->port_peer[p];
            n++;
        }
    if (n != 1 || !ik_is_switch(f, f->port_node[peer]) ||
        peer - f->port_base[f->port_node[peer]] >= LINKS_SLOW)
        return LINKS_SLOW;
    return (uint16_t)(peer - f->port_base[f->port_node[peer]]);
}

ik_status links_build(const ik_fabric *f, links *out, ik_error *err)
{
    links g = {.f = f, .num_switches = f->num_switches, .num_hosts = f->num_hosts};
    ik_status status = links_alloc(f, &g, err);
    if (status != IK_OK) {
        links_free(&g);
        return status;
    }
    for (uint32_t p = 0; p < f->num_ports; p++)
        g.of_port[p] = IK_NONE;
    uint32_t n = 0;
    for (uint32_t s = 0; s < f->num_switches; s++) {
        g.base[s] = n;
        for (uint32_t p = f->port_base[s]; p < f->port_base[s + 1]; p++)
            if (links_is_link(f, p))
                g.port[n++] = p;
        links_sort_ports(f, g.port + g.base[s], n - g.base[s]);
        if (n - g.base[s] > g.max_degree)
            g.max_degree = n - g.base[s];
        for (uint32_t l = g.base[s]; l < n; l++) {
            g.tail[l] = s;
            g.head[l] = ik_peer_node(f, g.port[l]);
            g.of_port[g.port[l]] = l;
        }
    }
    g.base[f->num_switches] = n;
    for (uint32_t l = 0; l < n; l++)
        g.rev[l] = g.of_port[f->port_peer[g.port[l]]];
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        g.host_sw[h] = ik_host_switch(f, h);
        g.host_port[h] = links_only_port(f, h);
        g.multi = g.multi || hangs_on_several(f, h, g.host_sw[h]);
    }
    *out = g;
    return IK_OK;
}

void links_free(links *g)
{
    free(g->base);
    free(g->head);
    free(g->tail);
    free(g->rev);
    free(g->port);
    free(g->of_port);
    free(g->host_sw);
    free(g->host_port);
    *g = (links){0};
}

bool links_bfs(const links *g, uint32_t from, uint8_t *dist, uint32_t *queue)
{
    queue[0] = from;
    return links_bfs_from(g, 1, dist, queue);
}

bool links_bfs_from(const links *g, uint32_t num, uint8_t *dist, uint32_t *queue)
{
    assert(num <= g->num_switches);
    memset(dist, LINKS_FAR, g->num_switches);
    uint32_t popped = 0, pushed = num;
    for (uint32_t i = 0; i < num; i++)
        dist[queue[i]] = 0;
    while (popped < pushed && pushed < g->num_switches) { /* until all are known */
        uint32_t u = queue[popped++], d = dist[u] + 1U;
        for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++) {
            assert(g->tail[l] == u);
            uint32_t v = g->head[l];
            if (dist[v] != LINKS_FAR)
                continue;
            if (d >= LINKS_FAR)
                return false;
            dist[v] = (uint8_t)d;
            queue[pushed++] = v;
        }
    }
    return true;
}

typedef struct bfs_job {
    const links *g;
    uint8_t *dist;
    uint32_t *queues; /* [threads][num_switches] */
} bfs_job;

static ik_status links_bfs_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    bfs_job *job = ctx;
    size_t n = job->g->num_switches;
    if (!links_bfs(job->g, (uint32_t)index, job->dist + index * n, job->queues + thread * n))
        return ik_fail(err, IK_ERR_UNSUPPORTED, "switch %zu is %d or more hops from another switch",
                       index, LINKS_FAR);
    return IK_OK;
}

ik_status links_distances(const links *g, const ik_env *env, uint8_t **out, ik_error *err)
{
    size_t n = g->num_switches;
    ik_status status =
        ik_env_refuse_bytes(env, (double)n * (double)n, "the distances between switches", err);
    if (status != IK_OK)
        return status;
    bfs_job job = {.g = g,
                   .dist = ik_calloc(n ? n : 1, n ? n : 1),
                   .queues = ik_calloc(n * ik_env_threads(env) + 1, sizeof(uint32_t))};
    if (!job.dist || !job.queues)
        status = ik_fail_memory(err, n * n, "the distances between switches");
    else
        status = ik_parallel_for(env, "distances", n, links_bfs_row, &job, err);
    free(job.queues);
    if (status != IK_OK)
        free(job.dist);
    else
        *out = job.dist;
    return status;
}

uint32_t links_attached(const links *g, uint32_t host, uint32_t *out)
{
    assert(host < g->num_hosts);
    const ik_fabric *f = g->f;
    uint32_t node = ik_host_node(f, host), n = 0;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
        if (!links_is_link(f, p))
            continue;
        uint32_t sw = ik_peer_node(f, p), i = 0;
        while (i < n && out[i] != sw)
            i++;
        if (i == n)
            out[n++] = sw;
    }
    return n;
}

uint32_t links_nearest_slow(const links *g, const uint8_t *dist, uint32_t sw, uint32_t host)
{
    assert(host < g->num_hosts && sw < g->num_switches && g->host_sw[host] != IK_NONE);
    const ik_fabric *f = g->f;
    uint32_t node = ik_host_node(f, host), best = g->host_sw[host];
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
        if (links_is_link(f, p) && dist[(size_t)sw * g->num_switches + ik_peer_node(f, p)] <
                                       dist[(size_t)sw * g->num_switches + best])
            best = ik_peer_node(f, p);
    return best;
}

uint32_t links_host_ports(const ik_fabric *f, uint32_t sw, uint32_t dst, uint32_t *out)
{
    assert(sw < f->num_switches && dst < f->num_hosts);
    uint32_t node = ik_host_node(f, dst), n = 0;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
        if (f->port_peer[p] != IK_NONE && f->port_node[f->port_peer[p]] == sw)
            out[n++] = f->port_peer[p];
    return n;
}

uint32_t links_host_mask(const ik_fabric *f, uint32_t sw, uint32_t dst, uint64_t *set,
                         uint32_t *first)
{
    assert(sw < f->num_switches && dst < f->num_hosts);
    uint32_t node = ik_host_node(f, dst), n = 0;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
        if (f->port_peer[p] == IK_NONE || f->port_node[f->port_peer[p]] != sw)
            continue;
        uint32_t local = f->port_peer[p] - f->port_base[sw];
        if (n++ == 0)
            *first = local;
        port_set_add(set, local);
    }
    return n;
}

typedef struct lft_job {
    ik_routing *r;
    const links *g;
    links_next_fn next;
    const void *ctx;
    uint16_t *lft;
} lft_job;

static uint16_t links_host_entry(const ik_fabric *f, uint32_t sw, uint32_t host)
{
    uint32_t node = ik_host_node(f, host);
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
        if (f->port_peer[p] != IK_NONE && f->port_node[f->port_peer[p]] == sw)
            return (uint16_t)(f->port_peer[p] - f->port_base[sw]);
    return 0xFFFF;
}

/* A host on several switches: handed over where it hangs, else routed to the first of its switches
 * that there is a way to. */
static uint16_t links_multi_entry(const lft_job *job, uint32_t sw, uint32_t host)
{
    const ik_fabric *f = job->r->fabric;
    uint16_t entry = links_host_entry(f, sw, host);
    uint32_t node = ik_host_node(f, host);
    for (uint32_t p = f->port_base[node]; entry == 0xFFFF && p < f->port_base[node + 1]; p++) {
        uint32_t link = links_is_link(f, p) ? job->next(job->ctx, sw, ik_peer_node(f, p)) : IK_NONE;
        if (link != IK_NONE) {
            assert(job->g->tail[link] ==
                   sw); /* a port of another switch would be none of the table's */
            entry = (uint16_t)(job->g->port[link] - f->port_base[sw]);
        }
    }
    return entry;
}

static ik_status links_lft_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    const lft_job *job = ctx;
    const links *g = job->g;
    const ik_fabric *f = job->r->fabric;
    uint32_t sw = (uint32_t)index, last = IK_NONE;
    uint16_t *row = job->lft + index * g->num_hosts, entry = 0xFFFF;
    for (uint32_t h = 0; h < g->num_hosts; h++) {
        uint32_t dst = g->host_sw[h];
        if (g->multi) {
            row[h] = links_multi_entry(job, sw, h);
            continue;
        }
        if (dst == sw) {
            row[h] = links_host_entry(f, sw, h);
            continue;
        }
        if (dst != last) { /* hosts of a switch are mostly consecutive */
            uint32_t link = dst == IK_NONE ? IK_NONE : job->next(job->ctx, sw, dst);
            entry = link == IK_NONE ? 0xFFFF : (uint16_t)(g->port[link] - f->port_base[sw]);
            last = dst;
        }
        row[h] = entry;
    }
    return IK_OK;
}

ik_status links_make_lft(ik_routing *r, const links *g, const ik_env *env, links_next_fn next,
                         const void *ctx, ik_error *err)
{
    assert(!r->lft && g->f == r->fabric);
    double bytes = (double)g->num_switches * g->num_hosts * sizeof(uint16_t);
    ik_status status = ik_env_refuse_bytes(env, bytes, "the forwarding tables", err);
    if (status != IK_OK)
        return status;
    lft_job job = {r, g, next, ctx,
                   ik_calloc((size_t)g->num_switches * g->num_hosts + 1, sizeof(uint16_t))};
    if (!job.lft)
        return ik_fail_memory(err, (size_t)bytes, "the forwarding tables");
    status = ik_parallel_for(env, "forwarding tables", g->num_switches, links_lft_row, &job, err);
    if (status != IK_OK)
        free(job.lft);
    else
        r->lft = job.lft;
    return status;
}
