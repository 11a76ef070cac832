/* SPDX-License-Identifier: Apache-2.0
 *
 * Congestion trees. In a sample every queue either waits for its output or lacks the space of a
 * buffer downstream. A full buffer passes on at the pace of what fills it, so the queue that holds
 * most of it stands for it: with one successor each, queues form a forest (and, in a deadlock or on
 * the way to one, circles), whose roots are found by following and remembering. Cost of a sample:
 * O(ports x VCs + queues), and a bounded number of packets: what needs a look at each packet
 * (head-of-line blocking, culprits and victims) is done for one of `stride` buffers, in turn, and
 * counted `stride` times. */
#include "base/array.h"
#include "sim/measure/classes.h"
#include "sim/measure/congest_state.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNSEEN = 0xFFFFFFFE, ON_PATH = 0xFFFFFFFD }; /* in waiting.root */
/* packets examined one by one in a sample, about */
enum { MOST_EXAMINED = 16384 };

/* ---- set-up */

uint64_t congest_bytes(const congest_setup *at)
{
    const ik_fabric *f = at->plan->fabric;
    if (!at->num_samples)
        return 0;
    uint64_t bytes = (uint64_t)f->port_base[f->num_switches] * at->kinds * 4 + f->num_ports * 8ull +
                     f->num_switches * 32ull;
    return bytes + f->num_hosts * 8ull + at->num_samples * (f->num_switches * 8ull + 40);
}

static bool congest_make_series(congest *c)
{
    size_t n = c->at.num_samples, cells = n * c->f->num_switches;
    ik_congestion *k = &c->k;
    k->roots = ik_calloc(n, sizeof *k->roots);
    k->buffers = ik_calloc(n, sizeof *k->buffers);
    k->hosts = ik_calloc(n, sizeof *k->hosts);
    k->cyclic = ik_calloc(n, sizeof *k->cyclic);
    k->bytes = ik_calloc(n, sizeof *k->bytes);
    k->hol_bytes = ik_calloc(n, sizeof *k->hol_bytes);
    k->fairness = ik_calloc(n, sizeof *k->fairness);
    k->switch_blocked = ik_calloc(cells ? cells : 1, sizeof *k->switch_blocked);
    k->switch_hol = ik_calloc(cells ? cells : 1, sizeof *k->switch_hol);
    for (size_t t = 0; k->fairness && t < n; t++)
        k->fairness[t] = NAN;
    return k->roots && k->buffers && k->hosts && k->cyclic && k->bytes && k->hol_bytes &&
           k->fairness && k->switch_blocked && k->switch_hol;
}

/* Buffers of a switch that a packet can stand in. */
static uint32_t congest_buffers_of(const congest *c, uint32_t sw)
{
    uint32_t n = 0;
    for (uint32_t port = c->f->port_base[sw]; port < c->f->port_base[sw + 1]; port++)
        n += c->f->port_peer[port] != IK_NONE;
    return n * c->at.vcs * (c->at.output_buffers ? 2 : 1);
}

ik_status congest_new(const congest_setup *setup, congest **out, ik_error *err)
{
    const ik_fabric *f = setup->plan->fabric;
    *out = NULL;
    if (!setup->num_samples)
        return IK_OK;
    congest *c = ik_calloc(1, sizeof *c);
    if (!c)
        return ik_fail_memory(err, sizeof *c, "samples of congestion");
    c->at = *setup;
    c->f = f;
    c->num_places = f->port_base[f->num_switches] * setup->kinds;
    size_t ports = f->num_ports ? f->num_ports : 1,
           switches = f->num_switches ? f->num_switches : 1;
    uint32_t radix = ik_max_radix(f);
    c->main_queue = ik_calloc(c->num_places ? c->num_places : 1, sizeof *c->main_queue);
    c->tree_of = ik_calloc(ports, sizeof *c->tree_of);
    c->root_of = ik_calloc(ports, sizeof *c->root_of);
    c->switch_bytes = ik_calloc(switches * 3, sizeof *c->switch_bytes);
    c->switch_blocked = ik_calloc(switches * 2, sizeof *c->switch_blocked);
    c->choices = ik_calloc(radix ? radix : 1, sizeof *c->choices);
    c->sent_before = ik_calloc(f->num_hosts ? f->num_hosts : 1, sizeof *c->sent_before);
    if (!c->main_queue || !c->tree_of || !c->root_of || !c->switch_bytes || !c->switch_blocked ||
        !c->choices || !c->sent_before || !congest_make_series(c)) {
        congest_free(c);
        return ik_fail_memory(err, congest_bytes(setup), "samples of congestion");
    }
    c->switch_seen = c->switch_bytes + switches;
    c->switch_hol = c->switch_bytes + 2 * switches;
    c->switch_room = c->switch_blocked + switches;
    memset(c->tree_of, 0xff, ports * sizeof *c->tree_of);
    memset(c->root_of, 0xff, ports * sizeof *c->root_of);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        c->room += c->switch_room[sw] = congest_buffers_of(c, sw);
    c->k.stride = 1;
    *out = c;
    return IK_OK;
}

void congest_result_free(ik_congestion *k)
{
    void *blocks[] = {k->roots,     k->buffers,  k->hosts,          k->cyclic,     k->bytes,
                      k->hol_bytes, k->fairness, k->switch_blocked, k->switch_hol, k->trees,
                      k->root_list, k->culprits, k->victims};
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        free(blocks[n]);
}

void congest_free(congest *c)
{
    if (!c)
        return;
    void *blocks[] = {c->queues,      c->path,         c->main_queue,     c->stuck_hosts, c->trees,
                      c->tree_of,     c->switch_bytes, c->switch_blocked, c->root_of,     c->roots,
                      c->flows.flows, c->choices,      c->sent_before};
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        free(blocks[n]);
    congest_result_free(&c->k);
    free(c);
}

/* Remembers an array that could not grow. */
static bool congest_has_room(congest *c, bool has)
{
    c->failed |= !has;
    return has;
}

/* ---- what the view reports */

/* Of all switches; how many packets wait says which of them are examined. */
static void congest_see_bytes(congest *c, const congest_view *view)
{
    assert(view->packet_bytes > 0);
    uint64_t packets = 0;
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        c->switch_bytes[sw] = view->bytes(view->ctx, sw);
        packets += c->switch_bytes[sw] / view->packet_bytes;
    }
    c->stride = (uint32_t)(packets / MOST_EXAMINED) + 1;
    c->turn = (uint32_t)(c->next % c->stride);
    c->k.stride = c->stride > c->k.stride ? c->stride : c->k.stride;
}

bool congest_examined(const congest *c, uint32_t buffer)
{
    return buffer % c->stride == c->turn;
}

void congest_add_queue(congest *c, const waiting *w, bool stands_for)
{
    assert(w->out < c->f->num_ports && w->sw < c->f->num_switches);
    assert(w->lacks == IK_NONE || w->lacks < c->num_places);
    assert(!stands_for || w->place < c->num_places);
    if (!congest_has_room(c, IK_ARRAY_ROOM(c->queues, c->cap_queues, c->num_queues + 1)))
        return;
    if (stands_for)
        c->main_queue[w->place] = c->num_queues;
    c->queues[c->num_queues] = *w;
    c->queues[c->num_queues++].root = UNSEEN;
}

void congest_add_hol(congest *c, uint32_t sw, uint64_t bytes, uint64_t held_bytes,
                     uint32_t held_packets)
{
    assert(sw < c->f->num_switches && held_bytes <= bytes);
    c->switch_seen[sw] += bytes;
    c->switch_hol[sw] += held_bytes;
    c->hol_packets += (uint64_t)held_packets * c->stride;
}

static void congest_see_hosts(congest *c, const congest_view *view)
{
    for (uint32_t host = 0; host < c->f->num_hosts; host++) {
        uint32_t lacks = view->host_lacks(view->ctx, host);
        if (lacks < c->num_places &&
            congest_has_room(c, IK_ARRAY_ROOM(c->stuck_hosts, c->cap_stuck, c->num_stuck + 1)))
            c->stuck_hosts[c->num_stuck++] = lacks;
    }
}

void congest_lacks_memory(congest *c)
{
    c->failed = true;
}

/* ---- from queues to roots */

static uint32_t congest_successor(const congest *c, uint32_t q)
{
    return c->queues[q].lacks == IK_NONE ? IK_NONE : c->main_queue[c->queues[q].lacks];
}

/* Follows from q to what is known, or to the end, and remembers on the way back. A queue that lacks
 * the space of a buffer in which nothing waits (credit is on its way, the last packet is leaving)
 * waits for its own channel: a root. */
static void congest_follow(congest *c, uint32_t q)
{
    uint32_t n = 0, root, depth;
    for (; q != IK_NONE && c->queues[q].root == UNSEEN; q = congest_successor(c, q)) {
        c->queues[q].root = ON_PATH;
        c->path[n++] = q;
    }
    if (q == IK_NONE) {
        waiting *last = &c->queues[c->path[--n]];
        root = last->root = last->out;
        depth = last->depth = 0;
    } else {
        root = c->queues[q].root == ON_PATH ? IK_NONE : c->queues[q].root;
        depth = c->queues[q].depth;
    }
    while (n > 0) {
        waiting *w = &c->queues[c->path[--n]];
        w->root = root;
        w->depth = ++depth;
    }
}

static tree *congest_tree_at(congest *c, uint32_t port)
{
    if (c->tree_of[port] == IK_NONE) {
        if (!congest_has_room(c, IK_ARRAY_ROOM(c->trees, c->cap_trees, c->num_trees + 1)))
            return NULL;
        c->tree_of[port] = c->num_trees;
        c->trees[c->num_trees++] = (tree){.port = port, .last_buffer = IK_NONE};
    }
    return &c->trees[c->tree_of[port]];
}

static void congest_build_tree(congest *c, const waiting *w, size_t sample)
{
    if (w->depth == 0)
        return; /* not blocked: it feeds the root */
    if (c->last_blocked != w->buffer) {
        c->last_blocked = w->buffer;
        c->switch_blocked[w->sw]++;
        c->k.buffers[sample]++;
        c->k.cyclic[sample] += w->root == IK_NONE;
    }
    tree *t = w->root == IK_NONE ? NULL : congest_tree_at(c, w->root);
    if (!t)
        return;
    t->buffers += t->last_buffer != w->buffer;
    t->last_buffer = w->buffer;
    t->depth = w->depth > t->depth ? w->depth : t->depth;
}

static void congest_plant_host(congest *c, uint32_t lacks, size_t sample)
{
    if (c->main_queue[lacks] == IK_NONE)
        return; /* credit is on its way */
    const waiting *w = &c->queues[c->main_queue[lacks]];
    tree *t = w->root == IK_NONE ? NULL : congest_tree_at(c, w->root);
    c->k.hosts[sample]++;
    if (!t)
        return;
    t->hosts++;
    t->depth = w->depth + 1 > t->depth ? w->depth + 1 : t->depth;
}

static ik_status congest_build_trees(congest *c, size_t sample, ik_error *err)
{
    if (!IK_ARRAY_ROOM(c->path, c->cap_path, c->cap_queues + 1))
        return ik_fail_memory(err, c->cap_queues * sizeof *c->path, "samples of congestion");
    for (uint32_t q = 0; q < c->num_queues; q++)
        congest_follow(c, q);
    c->last_blocked = IK_NONE;
    for (uint32_t q = 0; q < c->num_queues; q++)
        congest_build_tree(c, &c->queues[q], sample);
    for (uint32_t h = 0; h < c->num_stuck; h++)
        congest_plant_host(c, c->stuck_hosts[h], sample);
    return c->failed
               ? ik_fail_memory(err, c->cap_queues * sizeof *c->queues, "samples of congestion")
               : IK_OK;
}

/* ---- culprits and victims */

typedef struct held {
    congest *c;
    class_stats *classes;
    uint32_t root;
    uint64_t weight;
} held;

/* Whether a packet's path goes through channel `root` from here on. Adaptive routings: along what
 * they prefer. */
static bool congest_crosses(const congest *c, ik_packet pk, const ik_draw *draw, uint32_t in_port,
                            uint32_t out, unsigned vc, uint32_t root)
{
    const ik_fabric *f = c->f;
    uint32_t end = ik_peer_node(f, root), to = ik_host_node(f, pk.dst);
    if (!ik_is_switch(f, end) && (end != to || f->port_base[to + 1] - f->port_base[to] == 1))
        return end == to;
    for (unsigned hop = 0; hop < 256; hop++) {
        if (out == IK_NONE) {
            uint32_t preferred = 0, n = ik_plan_next(c->at.plan, f->port_node[in_port], in_port,
                                                     &pk, c->choices, &preferred);
            if (n == 0)
                return false;
            const ik_choice *taken = &c->choices[ik_plan_draw(c->at.plan, &pk, draw, n, preferred)];
            out = taken->port;
            vc = taken->vc_first;
        }
        if (out == root)
            return true;
        in_port = f->port_peer[out];
        if (in_port == IK_NONE || !ik_is_switch(f, f->port_node[in_port]))
            return false;
        ik_plan_advance(c->at.plan, out, vc, &pk);
        out = IK_NONE;
    }
    return false;
}

static void congest_tally_packet(void *arg, const ik_packet *rt, const ik_draw *draw,
                                 uint32_t in_port, uint32_t out, unsigned vc, unsigned class)
{
    held *h = arg;
    bool culprit = congest_crosses(h->c, *rt, draw, in_port, out, vc, h->root);
    if (h->classes)
        sim_classes_hold(h->classes, class, culprit, h->weight);
    const ik_fabric *f = h->c->at.plan->fabric; /* flows are those of hosts, not of their ports */
    uint32_t src = ik_whole_host(f, rt->src), dst = ik_whole_host(f, rt->dst);
    if (!flow_table_add(&h->c->flows, src, dst, culprit ? h->weight : 0, culprit ? 0 : h->weight))
        h->c->failed = true;
}

/* Packets in the queues of trees, those that feed the root included. */
static void congest_tally_flows(congest *c, const congest_view *view, uint64_t weight)
{
    for (uint32_t q = 0; q < c->num_queues; q++) {
        const waiting *w = &c->queues[q];
        if (w->root == IK_NONE || c->tree_of[w->root] == IK_NONE || !congest_examined(c, w->buffer))
            continue;
        held h = {c, view->classes, w->root, weight * c->stride};
        view->packets(view->ctx, w, congest_tally_packet, &h);
    }
}

/* ---- a sample's numbers */

static int congest_by_size(const void *a, const void *b)
{
    const tree *x = a, *y = b;
    uint32_t m = x->buffers + x->hosts, n = y->buffers + y->hosts;
    return m != n ? (m < n ? 1 : -1) : (x->port > y->port) - (x->port < y->port);
}

static bool congest_keep_trees(congest *c, uint32_t sample)
{
    ik_congestion *k = &c->k;
    for (uint32_t n = 0; n < c->num_trees && n < IK_CONGESTION_TREES; n++) {
        const tree *t = &c->trees[n];
        if (!congest_has_room(c, IK_ARRAY_ROOM(k->trees, c->cap_kept, k->num_trees + 1)))
            return false;
        k->trees[k->num_trees++] =
            (ik_congestion_tree){sample, t->port, t->buffers, t->hosts, t->depth};
    }
    return true;
}

static void congest_add_root(congest *c, const tree *t, uint32_t sample, uint32_t weight)
{
    uint32_t *at = &c->root_of[t->port];
    if (*at == IK_NONE) {
        if (!congest_has_room(c, IK_ARRAY_ROOM(c->roots, c->cap_roots, c->num_roots + 1)))
            return;
        *at = c->num_roots;
        c->roots[c->num_roots++] = (ik_congestion_root){.port = t->port, .first = sample};
    }
    ik_congestion_root *r = &c->roots[*at];
    r->samples += weight;
    r->last = sample + weight - 1;
    r->buffers = t->buffers > r->buffers ? t->buffers : r->buffers;
    r->hosts = t->hosts > r->hosts ? t->hosts : r->hosts;
    r->depth = t->depth > r->depth ? t->depth : r->depth;
    r->blocked += (uint64_t)weight * (t->buffers + t->hosts);
    if (t->buffers + t->hosts > c->k.largest_tree)
        c->k.largest_tree = t->buffers + t->hosts;
}

static void congest_fill_switches(congest *c, size_t sample)
{
    ik_congestion *k = &c->k;
    float *blocked = k->switch_blocked + sample * c->f->num_switches,
          *hol = k->switch_hol + sample * c->f->num_switches;
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        uint32_t room = c->switch_room[sw];
        blocked[sw] = room ? (float)c->switch_blocked[sw] / (float)room : 0;
        hol[sw] = c->switch_seen[sw]
                      ? (float)((double)c->switch_hol[sw] / (double)c->switch_seen[sw])
                      : 0;
        k->bytes[sample] += c->switch_bytes[sw];
        k->hol_bytes[sample] += c->switch_hol[sw] * c->stride;
    }
}

/* Jain's index of what the hosts injected since the last sample. */
static double congest_fairness_now(congest *c, const congest_view *view)
{
    double sum = 0, squares = 0, n = 0;
    for (uint32_t host = 0; host < c->f->num_hosts; host++) {
        if (!view->injects(view->ctx, host))
            continue;
        double x = (double)(view->sent_bytes[host] - c->sent_before[host]);
        sum += x;
        squares += x * x;
        n++;
    }
    memcpy(c->sent_before, view->sent_bytes, c->f->num_hosts * sizeof *c->sent_before);
    return squares > 0 ? sum * sum / (n * squares) : NAN;
}

static void congest_begin_sample(congest *c)
{
    for (uint32_t t = 0; t < c->num_trees; t++)
        c->tree_of[c->trees[t].port] = IK_NONE;
    c->num_queues = c->num_stuck = c->num_trees = 0;
    memset(c->main_queue, 0xff, c->num_places * sizeof *c->main_queue);
    memset(c->switch_bytes, 0, 3 * sizeof *c->switch_bytes * c->f->num_switches);
    memset(c->switch_blocked, 0, sizeof *c->switch_blocked * c->f->num_switches);
    c->hol_packets = 0;
}

/* The same state stood for several periods in which nothing happened. */
static void congest_repeat(congest *c, size_t from, size_t num)
{
    ik_congestion *k = &c->k;
    size_t n = c->f->num_switches;
    for (size_t t = from + 1; t < from + num; t++) {
        k->roots[t] = k->roots[from];
        k->buffers[t] = k->buffers[from];
        k->hosts[t] = k->hosts[from];
        k->cyclic[t] = k->cyclic[from];
        k->bytes[t] = k->bytes[from];
        k->hol_bytes[t] = k->hol_bytes[from];
        memcpy(k->switch_blocked + t * n, k->switch_blocked + from * n, n * sizeof(float));
        memcpy(k->switch_hol + t * n, k->switch_hol + from * n, n * sizeof(float));
        congest_keep_trees(c, (uint32_t)t);
    }
}

/* Sample `sample` counts `weight` times, as sample `first` and those after it. */
static void congest_sum_up(congest *c, const congest_view *view, size_t sample, size_t first,
                           size_t weight)
{
    for (uint32_t t = 0; t < c->num_trees; t++)
        congest_add_root(c, &c->trees[t], (uint32_t)first, (uint32_t)weight);
    congest_tally_flows(c, view, weight);
    c->window_samples += weight;
    c->sum_blocked += weight * c->k.buffers[sample];
    c->sum_roots += weight * c->num_trees;
    c->sum_bytes += weight * c->k.bytes[sample];
    c->sum_hol += weight * c->k.hol_bytes[sample];
    c->sum_packets += weight * c->hol_packets;
}

void congest_measure_from(congest *c, uint64_t warmup_ps)
{
    c->at.warmup_ps = warmup_ps;
}

bool congest_due(const congest *c, uint64_t time)
{
    return c->next < c->at.num_samples && (c->next + 1) * c->at.period_ps <= time;
}

ik_status congest_sample(congest *c, const congest_view *view, uint64_t time, ik_error *err)
{
    size_t sample = c->next, num = 0, early = 0; /* early: of these, before the measured window */
    while (congest_due(c, time)) {
        early += (c->next + 1) * c->at.period_ps <= c->at.warmup_ps;
        num++;
        c->next++;
    }
    assert(c->next > sample); /* one is due */
    congest_begin_sample(c);
    congest_see_bytes(c, view);
    view->queues(view->ctx, c);
    congest_see_hosts(c, view);
    ik_status status = congest_build_trees(c, sample, err);
    if (status != IK_OK)
        return status;
    c->k.roots[sample] = c->num_trees;
    congest_fill_switches(c, sample);
    if (num > early)
        congest_sum_up(c, view, sample, sample + early, num - early);
    /* Sorting moves trees away from where tree_of says: last. */
    if (c->num_trees)
        qsort(c->trees, c->num_trees, sizeof *c->trees, congest_by_size);
    congest_keep_trees(c, (uint32_t)sample);
    congest_repeat(c, sample, num);
    double fair = congest_fairness_now(c, view);
    if (sample * c->at.period_ps >= c->at.warmup_ps)
        c->k.fairness[sample] = fair;
    return c->failed
               ? ik_fail_memory(err, c->num_queues * sizeof *c->queues, "samples of congestion")
               : IK_OK;
}

/* ---- results */

static int congest_by_blocked(const void *a, const void *b)
{
    const ik_congestion_root *x = a, *y = b;
    return x->blocked != y->blocked ? (x->blocked < y->blocked ? 1 : -1)
                                    : (x->port > y->port) - (x->port < y->port);
}

ik_status congest_export(congest *c, uint64_t delivered, ik_sim_result *r, ik_error *err)
{
    if (!c)
        return IK_OK;
    ik_congestion *k = &c->k;
    double samples = c->window_samples ? (double)c->window_samples : 1;
    if (c->num_roots)
        qsort(c->roots, c->num_roots, sizeof *c->roots, congest_by_blocked);
    k->all_roots = c->num_roots;
    k->num_roots = c->num_roots < IK_CONGESTION_ROOTS ? c->num_roots : IK_CONGESTION_ROOTS;
    k->root_list = ik_calloc(k->num_roots ? k->num_roots : 1, sizeof *k->root_list);
    if (!k->root_list)
        return ik_fail_memory(err, k->num_roots * sizeof *k->root_list, "congestion roots");
    for (size_t n = 0; n < k->num_roots; n++)
        k->root_list[n] = c->roots[n];
    ik_status status = flow_table_export(&c->flows, k, err);
    if (status != IK_OK)
        return status;
    /* a workload may have ended before they were all due */
    k->num_samples = r->num_series < c->at.num_samples ? r->num_series : c->at.num_samples;
    k->period_ps = c->at.period_ps;
    k->blocked_share = c->room ? (double)c->sum_blocked / (samples * (double)c->room) : 0;
    k->hol_share = c->sum_bytes ? (double)c->sum_hol / (double)c->sum_bytes : 0;
    k->hol_time_ns =
        delivered ? (double)c->sum_packets * (double)c->at.period_ps / 1000 / (double)delivered : 0;
    k->mean_roots = (double)c->sum_roots / samples;
    r->congestion = *k;
    memset(k, 0, sizeof *k);
    return IK_OK;
}
