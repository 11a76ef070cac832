/* SPDX-License-Identifier: Apache-2.0
 *
 * layers.c: see layers.h.
 */
#include "vc/layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void layer_paths_free(layer_paths *p)
{
    links_free(&p->g);
    free(p->source);
    free(p->dest);
    free(p->source_of);
    free(p->dest_of);
    free(p->next);
    *p = (layer_paths){0};
}

/* Classes of hosts: one per switch, or one per host. Returns NULL when out of memory. */
static layer_class *layers_make_classes(const links *g, bool by_switch, uint32_t *of, uint32_t *num)
{
    layer_class *classes = ik_calloc((size_t)g->num_hosts + 1, sizeof *classes);
    /* class of a switch, plus one */
    uint32_t *first = ik_calloc((size_t)g->num_switches + 1, sizeof *first);
    if (classes && first)
        for (uint32_t h = 0; h < g->num_hosts; h++) {
            uint32_t sw = g->host_sw[h];
            of[h] = IK_NONE;
            if (sw == IK_NONE)
                continue;
            if (!by_switch || first[sw] == 0) {
                classes[*num] = (layer_class){.host = h, .sw = sw};
                first[sw] = ++*num;
            }
            of[h] = first[sw] - 1;
            classes[of[h]].hosts++;
        }
    free(first);
    if (!first) {
        free(classes);
        return NULL;
    }
    return classes;
}

/* The link that the routing prefers for pk at sw, IK_NONE if it does not lead to a switch. ports:
 * room for the radix. */
static uint32_t layers_next_link(const layer_paths *p, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                 uint32_t *ports)
{
    assert(sw < p->g.num_switches && pk->dst < p->g.num_hosts);
    uint32_t preferred = 0;
    uint32_t n = p->r->family->next(p->r, sw, in_port, pk, ports, &preferred);
    return n == 0 ? IK_NONE : p->g.of_port[ports[preferred]];
}

typedef struct tree_job {
    layer_paths *p;
    uint32_t *ports; /* [threads][radix] */
    uint32_t radix;
} tree_job;

static ik_status layers_fill_tree(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    const tree_job *job = ctx;
    layer_paths *p = job->p;
    uint32_t host = p->dest[index].host, n = p->g.num_switches;
    for (uint32_t sw = 0; sw < n; sw++) {
        ik_packet pk = {.src = host, .dst = host, .via = IK_NONE};
        uint32_t in = p->r->fabric->port_base[sw];
        p->next[index * n + sw] =
            layers_next_link(p, sw, in, &pk, job->ports + (size_t)thread * job->radix);
    }
    return IK_OK;
}

static ik_status layers_fill_trees(layer_paths *p, const ik_env *env, ik_error *err)
{
    size_t cells = (size_t)p->num_dests * p->g.num_switches;
    ik_status status =
        ik_env_refuse_bytes(env, 4.0 * (double)cells, "the paths to be layered", err);
    if (status != IK_OK)
        return status;
    tree_job job = {p, NULL, ik_max_radix(p->r->fabric) + 1};
    job.ports = ik_calloc((size_t)job.radix * ik_env_threads(env), sizeof *job.ports);
    p->next = ik_calloc(cells + 1, sizeof *p->next);
    if (!job.ports || !p->next)
        status = ik_fail_memory(err, cells * sizeof *p->next, "the paths to be layered");
    else
        status = ik_parallel_for(env, "paths", p->num_dests, layers_fill_tree, &job, err);
    free(job.ports);
    return status;
}

static ik_status layers_refuse_many(const ik_vc *v, ik_error *err)
{
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "VC scheme '%s' layers one path per pair, but routing '%s' has several",
            v->family->name, v->routing->spec ? v->routing->spec : v->routing->family->name);
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "hopclass works for every path; or choose a deterministic routing");
}

ik_status layer_paths_build(const ik_vc *v, bool symmetric, const ik_env *env, layer_paths *out,
                            ik_error *err)
{
    const ik_routing *r = v->routing;
    if (r->kind != IK_ROUTE_DETERMINISTIC)
        return layers_refuse_many(v, err);
    layer_paths p = {.r = r};
    ik_status status = links_build(v->fabric, &p.g, err);
    if (status != IK_OK)
        return status;
    /* Hosts with several switches have ways of their own. */
    bool tree = r->traits & IK_ROUTE_DEST_BASED,
         by_switch = (r->traits & IK_ROUTE_PER_SWITCH) && !p.g.multi;
    p.max_length = 2 * p.g.num_switches + 2;
    p.room = p.max_length + ik_max_radix(v->fabric);
    p.source_of = ik_calloc((size_t)p.g.num_hosts + 1, sizeof *p.source_of);
    p.dest_of = ik_calloc((size_t)p.g.num_hosts + 1, sizeof *p.dest_of);
    if (p.source_of && p.dest_of) {
        p.source = layers_make_classes(&p.g, by_switch || (tree && !symmetric), p.source_of,
                                       &p.num_sources);
        p.dest = layers_make_classes(&p.g, by_switch, p.dest_of, &p.num_dests);
    }
    if (!p.source || !p.dest)
        status = ik_fail_memory(err, (size_t)p.g.num_hosts * 16, "classes of hosts");
    if (status == IK_OK && tree)
        status = layers_fill_trees(&p, env, err);
    if (status != IK_OK)
        layer_paths_free(&p);
    else
        *out = p;
    return status;
}

/* Asks the routing hop by hop: for routings whose way depends on the source. */
static uint32_t layers_walk_path(const layer_paths *p, uint32_t source, uint32_t dest,
                                 uint32_t *out)
{
    assert(source < p->num_sources && dest < p->num_dests);
    const ik_fabric *f = p->r->fabric;
    uint32_t *ports = out + p->max_length, n = 0, at = p->source[source].sw;
    ik_packet pk = {.src = p->source[source].host, .dst = p->dest[dest].host, .via = IK_NONE};
    if (pk.src == pk.dst)
        return 0;
    if (p->r->family->start_nth)
        p->r->family->start_nth(p->r, 0, &pk);
    uint32_t in = f->port_base[ik_host_node(f, pk.src)];
    while (f->port_peer[in] == IK_NONE || f->port_node[f->port_peer[in]] != at)
        in++; /* the host's port to its switch */
    in = f->port_peer[in];
    while (n < p->max_length) {
        uint32_t link = layers_next_link(p, at, in, &pk, ports);
        if (link == IK_NONE)
            return n;
        out[n++] = link;
        at = p->g.head[link];
        in = f->port_peer[p->g.port[link]];
        ik_packet_add_hops(&pk, 1);
    }
    return 0; /* a loop */
}

uint32_t layer_path(const layer_paths *p, uint32_t source, uint32_t dest, uint32_t *out)
{
    assert(source < p->num_sources && dest < p->num_dests);
    if (!p->next)
        return layers_walk_path(p, source, dest, out);
    const uint32_t *next = p->next + (size_t)dest * p->g.num_switches;
    uint32_t n = 0;
    for (uint32_t at = p->source[source].sw; next[at] != IK_NONE; at = p->g.head[out[n++]]) {
        if (n == p->max_length)
            return 0; /* a loop: the proof of the plan will say so */
        out[n] = next[at];
    }
    return n;
}

/* ------------------------------------------------------------------------------------------
 * orders */

typedef struct length_job {
    const layer_paths *p;
    uint32_t *scratch; /* [threads][room] */
    uint32_t *length;  /* [pairs] */
} length_job;

static ik_status layers_length_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    const length_job *job = ctx;
    for (uint32_t d = 0; d < job->p->num_dests; d++)
        job->length[index * job->p->num_dests + d] =
            layer_path(job->p, (uint32_t)index, d, job->scratch + (size_t)thread * job->p->room);
    return IK_OK;
}

/* Counting sort by length, lexicographic among equals. */
static ik_status layers_sort_by_length(const layer_paths *p, bool longest_first, const ik_env *env,
                                       uint32_t *pairs, size_t num, ik_error *err)
{
    size_t buckets = (size_t)p->max_length + 2;
    length_job job = {p, ik_calloc((size_t)p->room * ik_env_threads(env), sizeof(uint32_t)),
                      ik_calloc(num + 1, sizeof(uint32_t))};
    size_t *start = ik_calloc(buckets + 1, sizeof *start);
    ik_status status = IK_OK;
    if (!job.scratch || !job.length || !start)
        status = ik_fail_memory(err, num * sizeof *pairs, "path lengths");
    if (status == IK_OK)
        status = ik_parallel_for(env, "path lengths", p->num_sources, layers_length_row, &job, err);
    if (status == IK_OK) {
        for (size_t i = 0; i < num; i++) {
            if (longest_first)
                job.length[i] = p->max_length - job.length[i];
            start[job.length[i] + 1]++;
        }
        for (size_t b = 0; b < buckets; b++)
            start[b + 1] += start[b];
        for (size_t i = 0; i < num; i++)
            pairs[start[job.length[i]]++] = (uint32_t)i;
    }
    free(job.scratch);
    free(job.length);
    free(start);
    return status;
}

ik_status layer_pairs(const layer_paths *p, layer_order order, const ik_env *env, uint32_t **out,
                      ik_error *err)
{
    uint64_t num = (uint64_t)p->num_sources * p->num_dests;
    if (num >= UINT32_MAX)
        return ik_fail(err, IK_ERR_MEMORY, "%llu paths are too many to be layered",
                       (unsigned long long)num);
    ik_status status = ik_env_refuse_bytes(env, 9.0 * (double)num, "the pairs to be layered", err);
    if (status != IK_OK)
        return status;
    uint32_t *pairs = ik_calloc(num + 1, sizeof *pairs);
    if (!pairs)
        return ik_fail_memory(err, num * sizeof *pairs, "the pairs to be layered");
    uint32_t n = 0;
    if (order == LAYER_LEX)
        for (; n < num; n++)
            pairs[n] = n;
    else if (order == LAYER_DST)
        for (uint32_t d = 0; d < p->num_dests; d++)
            for (uint32_t s = 0; s < p->num_sources; s++)
                pairs[n++] = s * p->num_dests + d;
    else
        status = layers_sort_by_length(p, order == LAYER_LONG, env, pairs, num, err);
    if (status != IK_OK)
        free(pairs);
    else
        *out = pairs;
    return status;
}

/* ------------------------------------------------------------------------------------------
 * units */

void layer_units_free(layer_units *units)
{
    free(units->first);
    free(units->pairs);
    *units = (layer_units){0};
}

/* The number of an unordered pair of groups: row by row of a triangle. */
static size_t layers_unit_of(const layer_paths *p, layer_unit_kind kind, uint32_t s, uint32_t d)
{
    assert(s < p->num_sources && d < p->num_dests && kind != LAYER_UNIT_PAIR);
    size_t a = kind == LAYER_UNIT_CLASSES ? s : p->source[s].sw,
           b = kind == LAYER_UNIT_CLASSES ? d : p->dest[d].sw;
    return a < b ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b;
}

/* Counting sort of the pairs by unit; units without pairs vanish. */
static void layers_gather(const layer_paths *p, layer_unit_kind kind, size_t num_units,
                          layer_units *out)
{
    for (uint32_t s = 0; s < p->num_sources; s++)
        for (uint32_t d = 0; d < p->num_dests; d++)
            out->first[layers_unit_of(p, kind, s, d) + 1]++;
    for (size_t u = 0; u < num_units; u++) {
        out->most = out->first[u + 1] > out->most ? out->first[u + 1] : out->most;
        out->first[u + 1] += out->first[u];
    }
    for (uint32_t s = p->num_sources; s-- > 0;) /* from the back: first[] ends where it began */
        for (uint32_t d = p->num_dests; d-- > 0;)
            out->pairs[--out->first[layers_unit_of(p, kind, s, d) + 1]] = s * p->num_dests + d;
    uint32_t kept = 0, total = p->num_sources * p->num_dests;
    for (size_t u = 0; u < num_units; u++) {
        uint32_t begin = out->first[u + 1], end = u + 1 < num_units ? out->first[u + 2] : total;
        if (begin < end)
            out->first[kept++] = begin;
    }
    out->first[kept] = total;
    out->num = kept;
}

ik_status layer_units_make(const layer_paths *p, layer_unit_kind kind, const ik_env *env,
                           layer_units *out, ik_error *err)
{
    assert(kind != LAYER_UNIT_CLASSES || p->num_sources == p->num_dests); /* numbered alike */
    size_t num = (size_t)p->num_sources * p->num_dests,
           groups = kind == LAYER_UNIT_CLASSES ? p->num_dests : p->g.num_switches;
    if (num >= UINT32_MAX)
        return ik_fail(err, IK_ERR_MEMORY, "%zu paths are too many to be layered", num);
    *out = (layer_units){.num = (uint32_t)num, .most = 1};
    if (kind == LAYER_UNIT_PAIR)
        return IK_OK;
    size_t num_units = groups * (groups + 1) / 2;
    ik_status status = ik_env_refuse_bytes(env, 4.0 * (double)(num + num_units),
                                           "the pairs that share a layer", err);
    if (status != IK_OK)
        return status;
    layer_units u = {0};
    u.first = ik_calloc(num_units + 2, sizeof *u.first);
    u.pairs = ik_calloc(num + 1, sizeof *u.pairs);
    if (!u.first || !u.pairs) {
        layer_units_free(&u);
        return ik_fail_memory(err, (num + num_units) * 4, "the pairs that share a layer");
    }
    layers_gather(p, kind, num_units, &u);
    *out = u;
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ VCs */

ik_status layer_vcs_settle(ik_vc *v, unsigned num_layers, const uint64_t *load, layer_vcs *out,
                           ik_error *err)
{
    assert(num_layers > 0);
    ik_status status = lanes_settle(v, num_layers, num_layers, "the paths of this routing", err);
    if (status != IK_OK)
        return status;
    unsigned width[IK_MAX_VCS];
    uint64_t total = 0;
    for (unsigned l = 0; l < num_layers; l++) {
        width[l] = 1;
        total += load[l];
    }
    for (unsigned spare = v->num_vcs - num_layers; spare > 0; spare--) {
        unsigned heaviest = 0;
        for (unsigned l = 1; l < num_layers; l++)
            if ((double)load[l] * width[heaviest] > (double)load[heaviest] * width[l])
                heaviest = l;
        width[heaviest]++;
    }
    *out = (layer_vcs){.num_layers = num_layers};
    for (unsigned l = 0; l < num_layers; l++) {
        out->base[l + 1] = out->base[l] + width[l];
        out->share[l] = total ? (double)load[l] / (double)total : l == 0;
    }
    v->single = v->num_vcs == num_layers;
    return IK_OK;
}

double layer_vcs_share(const layer_vcs *vcs, unsigned vc)
{
    assert(vc < vcs->base[vcs->num_layers]);
    for (unsigned l = 0; l < vcs->num_layers; l++)
        if (vc < vcs->base[l + 1])
            return vcs->share[l] / (vcs->base[l + 1] - vcs->base[l]);
    return 0;
}

/* Layers to lanes: the units of a layer take its VCs in turn. */
static void layers_spread(const layer_units *units, layer_lanes *lanes)
{
    uint64_t turn[IK_MAX_VCS] = {0};
    for (uint32_t u = 0; u < units->num; u++) {
        unsigned layer = lanes->lane[layer_unit_pair(units, u, 0)],
                 width = lanes->vcs.base[layer + 1] - lanes->vcs.base[layer];
        uint8_t lane = (uint8_t)(lanes->vcs.base[layer] + turn[layer]++ % width);
        for (uint32_t i = 0; i < layer_unit_size(units, u); i++)
            lanes->lane[layer_unit_pair(units, u, i)] = lane;
    }
}

ik_status layer_lanes_make(ik_vc *v, layer_paths *p, const layer_units *units, uint8_t *layer,
                           unsigned num_layers, ik_error *err)
{
    uint64_t load[IK_MAX_VCS] = {0};
    layer_lanes *lanes = ik_calloc(1, sizeof *lanes);
    uint32_t *path = ik_calloc(p->room, sizeof *path);
    ik_status status = lanes && path ? IK_OK : ik_fail_memory(err, sizeof *lanes, "a VC scheme");
    if (status == IK_OK) {
        for (uint32_t s = 0; s < p->num_sources; s++)
            for (uint32_t d = 0; d < p->num_dests; d++)
                load[layer[(size_t)s * p->num_dests + d]] +=
                    layer_path(p, s, d, path) * layer_weight(p, s, d);
        status = layer_vcs_settle(v, num_layers, load, &lanes->vcs, err);
    }
    free(path);
    if (status != IK_OK) {
        free(lanes);
        free(layer);
        return status;
    }
    lanes->lane = layer;
    lanes->num_dests = p->num_dests;
    layers_spread(units, lanes);
    v->both_ways = units->first != NULL;
    lanes->source_of = p->source_of;
    lanes->dest_of = p->dest_of;
    p->source_of = p->dest_of = NULL;
    v->impl = lanes;
    return IK_OK;
}

void layer_lanes_destroy(ik_vc *v)
{
    layer_lanes *lanes = v->impl;
    free(lanes->source_of);
    free(lanes->dest_of);
    free(lanes->lane);
    free(lanes);
}

void layer_lanes_inject(const ik_vc *v, ik_packet *pk)
{
    const layer_lanes *lanes = v->impl;
    assert(pk->src < v->fabric->num_hosts && pk->dst < v->fabric->num_hosts);
    uint32_t s = lanes->source_of[pk->src], d = lanes->dest_of[pk->dst];
    pk->layer = s == IK_NONE || d == IK_NONE ? 0 : lanes->lane[(size_t)s * lanes->num_dests + d];
    pk->vc = pk->layer;
}

double layer_lanes_share(const ik_vc *v, unsigned vc)
{
    return layer_vcs_share(&((const layer_lanes *)v->impl)->vcs, vc);
}
