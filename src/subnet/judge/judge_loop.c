/* SPDX-License-Identifier: Apache-2.0
 *
 * Which paths make the dependencies of a cycle: for each dependency the first destination, and for
 * that the first source, whose packets cross both channels on these VLs.
 */
#include "subnet/judge/judge.h"

#include <assert.h>
#include <stdlib.h>

/* A packet that has crossed `held` on `vl` crosses `wanted` on `wanted_vl`. */
typedef struct dependency {
    uint32_t held, wanted;
    unsigned vl, wanted_vl;
} dependency;

static dependency judge_loop_dependency_of(const lane_graph *g, uint32_t from, uint32_t to)
{
    return (dependency){g->port_of[from / g->vls], g->port_of[to / g->vls], from % g->vls,
                        to % g->vls};
}

/* Do the entries for this destination lead over both channels? */
static bool judge_loop_leads_over(const judge *j, const dependency *d, uint32_t dst)
{
    uint32_t a = j->f->port_node[d->held], b = j->f->port_node[d->wanted];
    return judge_out(j, a, ik_lid_tables_row(j->t, a)[dst]) == d->held &&
           judge_out(j, b, ik_lid_tables_row(j->t, b)[dst]) == d->wanted;
}

static bool judge_loop_makes(const judge *j, const dependency *d, uint32_t src, uint32_t dst,
                             unsigned sl)
{
    judge_packet p;
    if (!judge_send(j, src, dst, sl, &p))
        return false;
    for (uint32_t hops = 0; p.sw != IK_NONE && hops < judge_most_hops(j); hops++) {
        bool held = p.channel == d->held && p.vl == d->vl;
        if (judge_step(j, &p) != IK_FATE_LOOP)
            return false;
        if (held && p.channel == d->wanted && p.vl == d->wanted_vl)
            return true;
    }
    return false;
}

/* Fills in the path if packets from this port of a host make the dependency. */
static bool judge_loop_data_makes(const judge *j, const dependency *d, const judge_source *src,
                                  uint32_t dst, ik_subnet_loop *step)
{
    unsigned sl = ik_sl_of(j->sls, src->lid, dst);
    bool reply = false, found = judge_loop_makes(j, d, src->lid, dst, sl);
    for (uint32_t p = 0; !found && j->config.replies && p < src->paths; p++) {
        sl = ik_sl_of(j->sls, dst, src->lid + p);
        reply = found = judge_loop_makes(j, d, src->lid, dst, sl);
    }
    if (found) {
        step->src = src->lid;
        step->dst = dst;
        step->sl = (uint8_t)sl;
        step->reply = reply;
    }
    return found;
}

static bool judge_loop_find_data(const judge *j, const dependency *d, ik_subnet_loop *step)
{
    for (uint32_t dst = 0; dst < j->lids->num; dst++) {
        uint32_t own = j->source_of[dst];
        if (own == IK_NONE || !judge_loop_leads_over(j, d, dst))
            continue;
        for (uint32_t i = 0; i < j->num_sources; i++)
            if (i != own && judge_loop_data_makes(j, d, &j->sources[i], dst, step))
                return true;
    }
    return false;
}

static bool judge_loop_find_query(const judge *j, const dependency *d, ik_subnet_loop *step)
{
    for (uint32_t dst = 0; dst < j->lids->num; dst++) {
        uint32_t own = j->source_of[dst];
        if (!judge_loop_leads_over(j, d, dst))
            continue;
        for (uint32_t src = 0; src < j->lids->num; src++) {
            uint32_t from = j->source_of[src];
            if ((from == IK_NONE && own == IK_NONE) || (from != IK_NONE && from == own) ||
                !judge_loop_makes(j, d, src, dst, 0))
                continue;
            step->src = src;
            step->dst = dst;
            step->query = true;
            return true;
        }
    }
    return false;
}

ik_status judge_loop(const judge *j, const uint32_t *cycle, size_t length, bool queries,
                     ik_subnet_verdict *v, ik_error *err)
{
    ik_subnet_loop *loop = ik_calloc(length, sizeof *loop);
    if (!loop)
        return ik_fail_memory(err, length * sizeof *loop, "a cycle of dependencies");
    for (size_t i = 0; i < length; i++) {
        dependency d = judge_loop_dependency_of(&j->graph, cycle[i], cycle[(i + 1) % length]);
        loop[i] = (ik_subnet_loop){
            .channel = d.held, .vl = (uint8_t)d.vl, .src = IK_NONE, .dst = IK_NONE};
        bool found = judge_loop_find_data(j, &d, &loop[i]) ||
                     (queries && judge_loop_find_query(j, &d, &loop[i]));
        assert(found);
        (void)found;
    }
    v->loop = loop;
    v->loop_length = length;
    return IK_OK;
}
