/* SPDX-License-Identifier: Apache-2.0 */
#include "subnet/judge/judge.h"

#include <stdlib.h>
#include <string.h>

ik_status judge_find_hops(const ik_fabric *f, judge_hops *h, ik_error *err)
{
    uint32_t end = f->port_base[f->num_switches];
    *h = (judge_hops){.numbers = 1};
    for (uint32_t port = 0; port < end; port++) {
        unsigned number = ik_port_number(f, port);
        if (number <= IK_PORT_NUMBER && number >= h->numbers)
            h->numbers = number + 1;
    }
    size_t num = ((size_t)f->num_switches + 1) * h->numbers;
    h->of = ik_calloc(num, sizeof *h->of);
    if (!h->of)
        return ik_fail_memory(err, num * sizeof *h->of, "the ports of switches");
    memset(h->of, 0xFF, num * sizeof *h->of);
    for (uint32_t port = end; port-- > 0;) {
        unsigned number = ik_port_number(f, port);
        if (number == IK_PORT_SELF || number > IK_PORT_NUMBER)
            continue;
        uint32_t peer = ik_peer_node(f, port);
        bool on = peer != IK_NONE && ik_is_switch(f, peer);
        h->of[(size_t)f->port_node[port] * h->numbers + number] =
            (judge_hop){peer == IK_NONE ? IK_NONE : port, on ? peer : IK_NONE};
    }
    return IK_OK;
}

static int judge_setup_compare_sources(const void *a, const void *b)
{
    const judge_source *x = a, *y = b;
    if (x->sw != y->sw)
        return x->sw < y->sw ? -1 : 1;
    if (x->silent != y->silent)
        return x->silent ? 1 : -1;
    return x->lid < y->lid ? -1 : x->lid > y->lid;
}

static ik_status judge_setup_find_sources(judge *j, ik_error *err)
{
    const ik_lids *lids = j->lids;
    size_t num = (size_t)lids->num + 1, switches = (size_t)j->f->num_switches + 2;
    j->sources = ik_calloc(num, sizeof *j->sources);
    j->source_of = ik_calloc(num, sizeof *j->source_of);
    j->first = ik_calloc(switches, sizeof *j->first);
    j->silent = ik_calloc(switches, sizeof *j->silent);
    if (!j->sources || !j->source_of || !j->first || !j->silent)
        return ik_fail_memory(err, num * sizeof *j->sources, "the ports of hosts");
    for (uint32_t i = 0, paths; i < lids->num; i += paths) {
        uint32_t port = lids->of[i].port;
        for (paths = 1; i + paths < lids->num && lids->of[i + paths].node == lids->of[i].node &&
                        lids->of[i + paths].port == port;)
            paths++;
        if (port == IK_NONE)
            continue;
        uint32_t peer = ik_peer_node(j->f, port);
        bool at_switch = peer != IK_NONE && ik_is_switch(j->f, peer);
        j->sources[j->num_sources++] = (judge_source){i, paths, port, at_switch ? peer : IK_NONE,
                                                      ik_is_silent(j->f, j->f->port_node[port])};
    }
    qsort(j->sources, j->num_sources, sizeof *j->sources, judge_setup_compare_sources);
    for (uint32_t i = 0; i < lids->num; i++)
        j->source_of[i] = IK_NONE;
    for (uint32_t s = j->num_sources; s-- > 0;) {
        for (uint32_t p = 0; p < j->sources[s].paths; p++)
            j->source_of[j->sources[s].lid + p] = s;
        if (j->sources[s].sw == IK_NONE)
            continue;
        j->first[j->sources[s].sw + 1]++;
        j->silent[j->sources[s].sw] += j->sources[s].silent;
    }
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        j->first[sw + 1] += j->first[sw];
    return IK_OK;
}

static ik_status judge_setup_find_parts(judge *j, ik_error *err)
{
    const ik_fabric *f = j->f;
    size_t num = (size_t)f->num_switches + 1;
    uint32_t *stack = ik_calloc(num, sizeof *stack), depth = 0;
    j->part = ik_calloc(num, sizeof *j->part);
    if (!stack || !j->part) {
        free(stack);
        return ik_fail_memory(err, 8 * num, "connected parts");
    }
    for (uint32_t start = 0; start < f->num_switches; start++) {
        if (j->part[start])
            continue;
        j->part[start] = start + 1;
        for (stack[depth++] = start; depth;) {
            uint32_t sw = stack[--depth];
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
                uint32_t peer = ik_peer_node(f, port);
                if (peer == IK_NONE || !ik_is_switch(f, peer) || j->part[peer])
                    continue;
                j->part[peer] = start + 1;
                stack[depth++] = peer;
            }
        }
    }
    free(stack);
    return IK_OK;
}

/* Sorts LIDs by the switch that they hang on, and cuts them into chunks between ports. */
static ik_status judge_setup_find_chunks(judge *j, ik_error *err)
{
    const ik_lids *lids = j->lids;
    size_t num = (size_t)lids->num + 1, places = (size_t)j->f->num_switches + 2;
    uint32_t *begin = ik_calloc(places, sizeof *begin), nowhere = j->f->num_switches;
    j->by_place = ik_calloc(num, sizeof *j->by_place);
    j->chunk = ik_calloc(num, sizeof *j->chunk);
    if (!begin || !j->by_place || !j->chunk) {
        free(begin);
        return ik_fail_memory(err, 8 * num, "groups of destinations");
    }
    for (uint32_t i = 0; i < lids->num; i++) {
        uint32_t at = judge_place(j, i);
        begin[(at == IK_NONE ? nowhere : at) + 1]++;
    }
    for (uint32_t sw = 0; sw <= nowhere; sw++)
        begin[sw + 1] += begin[sw];
    for (uint32_t i = 0; i < lids->num; i++) {
        uint32_t at = judge_place(j, i);
        j->by_place[begin[at == IK_NONE ? nowhere : at]++] = i;
    }
    free(begin);
    for (uint32_t i = 1, from = 0; i <= lids->num; i++) {
        uint32_t lid = j->by_place[i], before = j->by_place[i - 1];
        if (i < lids->num && judge_place(j, lid) == judge_place(j, before) &&
            (i - from < JUDGE_GROUP || lids->of[lid].path))
            continue;
        j->longest = i - from > j->longest ? i - from : j->longest;
        j->chunk[++j->num_chunks] = from = i;
    }
    return IK_OK;
}

/* One more than the largest VL of any map but VL 15, on which packets are dropped. */
static unsigned judge_setup_count_vls(judge *j)
{
    unsigned most = 1;
    for (uint32_t map = 0; j->vls && map < j->vls->num_maps; map++)
        for (unsigned sl = 0; sl < IK_NUM_SLS; sl++) {
            unsigned vl = j->vls->map[map][sl];
            j->drops |= vl >= IK_VL_MANAGEMENT;
            if (vl < IK_VL_MANAGEMENT && vl >= most)
                most = vl + 1;
        }
    return most;
}

ik_status judge_init(judge *j, const ik_lid_tables *t, const ik_service_levels *sls,
                     const ik_sl2vl *vls, const ik_subnet_config *config, const ik_env *env,
                     ik_error *err)
{
    *j = (judge){.t = t,
                 .lids = t->lids,
                 .f = t->lids->fabric,
                 .sls = sls,
                 .vls = vls,
                 .config = config ? *config : (ik_subnet_config){0},
                 .by_port = vls && (vls->base || vls->host_map)};
    ik_status status = lane_graph_init(&j->graph, j->f, judge_setup_count_vls(j), env, err);
    if (status == IK_OK)
        status = judge_setup_find_sources(j, err);
    if (status == IK_OK)
        status = judge_setup_find_parts(j, err);
    if (status == IK_OK)
        status = judge_setup_find_chunks(j, err);
    if (status == IK_OK)
        status = judge_find_hops(j->f, &j->hops, err);
    if (status == IK_OK) {
        j->ask_words = ((size_t)j->f->num_switches + 63) / 64;
        j->unasked = ik_calloc((size_t)j->num_sources + 1, (j->ask_words + 1) * sizeof(uint64_t));
        if (!j->unasked)
            status = ik_fail_memory(err, (size_t)j->num_sources * j->ask_words * sizeof(uint64_t),
                                    "the judgement of tables");
    }
    if (status == IK_OK && j->config.management) {
        j->queries = j->graph;
        j->queries.bits = ik_calloc(lane_graph_size(&j->graph) + 1, sizeof *j->queries.bits);
        if (!j->queries.bits)
            status = ik_fail_memory(err, lane_graph_size(&j->graph) * sizeof *j->queries.bits,
                                    "dependencies of queries");
    }
    if (status != IK_OK)
        judge_free(j);
    return status;
}

void judge_free(judge *j)
{
    free(j->queries.bits);
    lane_graph_free(&j->graph);
    free(j->sources);
    free(j->source_of);
    free(j->first);
    free(j->silent);
    free(j->part);
    free(j->hops.of);
    free(j->by_place);
    free(j->chunk);
    free(j->unasked);
    *j = (judge){0};
}

/* Most LIDs that are looked at together. */
static size_t judge_setup_columns(const judge *j)
{
    return judge_is_alone(j) ? 1 : (size_t)j->longest + 1;
}

ik_status judge_group_init(const judge *j, lid_group *g, ik_error *err)
{
    size_t switches = (size_t)j->f->num_switches + 1, lids = (size_t)j->longest + 1,
           columns = judge_setup_columns(j);
    *g = (lid_group){.dst = ik_calloc(lids, sizeof *g->dst),
                     .at = ik_calloc(switches, columns * sizeof *g->at),
                     .order = ik_calloc(switches, sizeof *g->order),
                     .rank = ik_calloc(switches, sizeof *g->rank),
                     .next = ik_calloc(switches, sizeof *g->next),
                     .depth = ik_calloc(switches, sizeof *g->depth),
                     .before = ik_calloc(switches, sizeof *g->before),
                     .queue = ik_calloc(switches, sizeof *g->queue),
                     .misfits = ik_calloc(lids, sizeof *g->misfits),
                     .alone = ik_calloc(lids, sizeof *g->alone)};
    if (g->dst && g->at && g->order && g->rank && g->next && g->depth && g->before && g->queue &&
        g->misfits && g->alone)
        return IK_OK;
    judge_group_free(g);
    return ik_fail_memory(err, switches * columns * sizeof *g->at,
                          "the entries for a group of destinations");
}

void judge_group_free(lid_group *g)
{
    free(g->dst);
    free(g->at);
    free(g->order);
    free(g->rank);
    free(g->next);
    free(g->depth);
    free(g->before);
    free(g->queue);
    free(g->misfits);
    free(g->alone);
    *g = (lid_group){0};
}

static bool judge_setup_tally_init(judge_tally *t, const judge *j, size_t switches)
{
    *t = (judge_tally){.loads = ik_calloc((size_t)j->f->num_ports + 1, sizeof *t->loads),
                       .delivered = ik_calloc(switches, sizeof *t->delivered),
                       .lost_from = ik_calloc((size_t)j->num_sources + 1, sizeof *t->lost_from)};
    memset(t->first, 0xFF, sizeof t->first);
    return t->loads && t->delivered && t->lost_from;
}

ik_status judge_scratch_init(const judge *j, judge_scratch *s, ik_error *err)
{
    size_t switches = (size_t)j->f->num_switches + 1, sources = (size_t)j->num_sources + 1,
           columns = judge_setup_columns(j);
    *s = (judge_scratch){.sls = ik_calloc(sources, sizeof *s->sls),
                         .vls = ik_calloc(switches, columns * sizeof *s->vls),
                         .via_drop = ik_calloc(switches, sizeof *s->via_drop),
                         .dropped = ik_calloc(sources, sizeof *s->dropped)};
    bool tally = judge_setup_tally_init(&s->tally, j, switches),
         room = tally && s->sls && s->vls && s->via_drop && s->dropped;
    ik_status status = room ? judge_group_init(j, &s->group, err)
                            : ik_fail_memory(err, 8 * switches * columns,
                                             "what is judged of a group of destinations");
    if (status != IK_OK)
        judge_scratch_free(s);
    return status;
}

void judge_scratch_free(judge_scratch *s)
{
    judge_group_free(&s->group);
    free(s->tally.loads);
    free(s->tally.delivered);
    free(s->tally.lost_from);
    free(s->sls);
    free(s->vls);
    free(s->via_drop);
    free(s->dropped);
    *s = (judge_scratch){0};
}
