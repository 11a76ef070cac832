/* SPDX-License-Identifier: Apache-2.0 */
#include "subnet/judge/judge.h"

#include <stdlib.h>
#include <string.h>

uint32_t *judge_ports(const ik_fabric *f)
{
    uint32_t *of = ik_calloc((size_t)f->num_switches + 1, 256 * sizeof *of);
    for (uint32_t sw = 0; of && sw < f->num_switches; sw++) {
        uint32_t *row = of + (size_t)sw * 256;
        memset(row, 0xFF, 256 * sizeof *row);
        for (uint32_t port = f->port_base[sw + 1]; port-- > f->port_base[sw];) {
            unsigned number = ik_port_number(f, port);
            if (number != IK_PORT_SELF && number <= IK_PORT_NUMBER)
                row[number] = port;
        }
    }
    return of;
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
    if (status == IK_OK) {
        j->port_of = judge_ports(j->f);
        j->ask_words = ((size_t)j->f->num_switches + 63) / 64;
        j->unasked = ik_calloc((size_t)j->num_sources + 1, (j->ask_words + 1) * sizeof(uint64_t));
        j->from = ik_calloc((size_t)j->f->num_ports + 1, (j->ask_words + 1) * sizeof(uint64_t));
        if (!j->port_of || !j->unasked || !j->from)
            status = ik_fail_memory(err, (size_t)j->num_sources * j->ask_words * sizeof(uint64_t),
                                    "the judgement of tables");
    }
    if (status != IK_OK)
        judge_free(j);
    return status;
}

void judge_free(judge *j)
{
    lane_graph_free(&j->graph);
    free(j->sources);
    free(j->source_of);
    free(j->first);
    free(j->silent);
    free(j->part);
    free(j->port_of);
    free(j->unasked);
    free(j->from);
    *j = (judge){0};
}

static bool judge_setup_tree_init(lid_tree *t, size_t switches)
{
    *t = (lid_tree){.out = ik_calloc(switches, sizeof *t->out),
                    .next = ik_calloc(switches, sizeof *t->next),
                    .fate = ik_calloc(switches, sizeof *t->fate),
                    .depth = ik_calloc(switches, sizeof *t->depth),
                    .order = ik_calloc(switches, sizeof *t->order),
                    .before = ik_calloc(switches, sizeof *t->before)};
    return t->out && t->next && t->fate && t->depth && t->order && t->before;
}

static bool judge_setup_tally_init(judge_tally *t, const judge *j, size_t switches)
{
    *t = (judge_tally){.paths_over = ik_calloc((size_t)j->f->num_ports + 1, sizeof *t->paths_over),
                       .delivered = ik_calloc(switches, sizeof *t->delivered),
                       .lost_from = ik_calloc((size_t)j->num_sources + 1, sizeof *t->lost_from),
                       .dests = ik_calloc((size_t)j->f->num_ports + 1, sizeof *t->dests)};
    memset(t->first, 0xFF, sizeof t->first);
    return t->paths_over && t->delivered && t->lost_from && t->dests;
}

ik_status judge_scratch_init(const judge *j, judge_scratch *s, ik_error *err)
{
    size_t switches = (size_t)j->f->num_switches + 1, sources = (size_t)j->num_sources + 1;
    *s = (judge_scratch){.count = ik_calloc(switches, sizeof *s->count),
                         .sls = ik_calloc(sources, sizeof *s->sls),
                         .sls_at = ik_calloc(switches, sizeof *s->sls_at),
                         .vls = ik_calloc(switches, sizeof *s->vls),
                         .via_drop = ik_calloc(switches, sizeof *s->via_drop),
                         .dropped = ik_calloc(sources, sizeof *s->dropped)};
    s->dest_seen = ik_calloc((size_t)j->f->num_ports + 1, sizeof *s->dest_seen);
    bool tree = judge_setup_tree_init(&s->tree, switches),
         tally = judge_setup_tally_init(&s->tally, j, switches);
    if (tree && tally && s->count && s->sls && s->sls_at && s->vls && s->via_drop && s->dropped &&
        s->dest_seen)
        return IK_OK;
    judge_scratch_free(s);
    return ik_fail_memory(err, 40 * switches + 8 * (size_t)j->f->num_ports,
                          "the entries for one destination");
}

void judge_scratch_free(judge_scratch *s)
{
    lid_tree *t = &s->tree;
    free(t->out);
    free(t->next);
    free(t->fate);
    free(t->depth);
    free(t->order);
    free(t->before);
    free(s->tally.paths_over);
    free(s->tally.delivered);
    free(s->tally.lost_from);
    free(s->tally.dests);
    free(s->dest_seen);
    free(s->count);
    free(s->sls);
    free(s->sls_at);
    free(s->vls);
    free(s->via_drop);
    free(s->dropped);
    *s = (judge_scratch){0};
}
