/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_check.c: what must hold between cycles (paranoid), and who waits for whom when nothing moves any more.
 */
#include "sim/pipe.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- conservation: credits + credits on their way + flits on their way + flits there = depth, for every channel and VC */

static void count_events(const pipe *p, uint32_t *under_way)
{
    for (uint32_t k = 0; k <= p->wheel_mask; k++) {
        const pipe_slot *at = &p->slots[k];
        for (uint32_t e = 0; e < at->num_credits; e++)
            under_way[at->credits[e].where]++;
        for (uint32_t e = 0; e < at->num_flits; e++) {
            uint32_t port = at->flits[e].where / p->vcs, vc = at->flits[e].where % p->vcs;
            under_way[p->f->port_peer[port] * p->vcs + vc]++;
        }
    }
}

ik_status pipe_check(const pipe *p, ik_error *err)
{
    size_t channels = (size_t)p->f->num_ports * p->vcs;
    uint32_t *under_way = ik_calloc(channels, sizeof *under_way);
    if (!under_way)
        return ik_fail_memory(err, channels * sizeof *under_way, "checks");
    count_events(p, under_way);
    ik_status status = IK_OK;
    for (size_t c = 0; c < channels && status == IK_OK; c++) {
        uint32_t port = (uint32_t)(c / p->vcs), peer = p->f->port_peer[port];
        if (peer == IK_NONE)
            continue;
        uint32_t there = peer < p->switch_ports ? p->in[(size_t)peer * p->vcs + c % p->vcs].count : 0;
        uint32_t sum = p->credits[c] + under_way[c] + there;
        if (sum != p->depth) {
            char name[160];
            status =
                ik_fail(err, IK_ERR_INTERNAL, "cycle %llu, %s, VC %zu: %u credits, %u under way, %u flits there, not %u in all",
                        (unsigned long long)p->now, ik_port_describe(p->f, port, name, sizeof name), c % p->vcs, p->credits[c],
                        under_way[c], there, p->depth);
        }
    }
    free(under_way);
    return status;
}

/* ---- deadlock: follow one thing that each buffer waits for until a buffer comes twice */

/* Input VC that holds an output VC of this router. */
static uint32_t holder_of(const pipe *p, uint32_t sw, uint32_t out_port, unsigned out_vc)
{
    uint32_t first = p->f->port_base[sw] * p->vcs, end = p->f->port_base[sw + 1] * p->vcs;
    for (uint32_t where = first; where < end; where++)
        if (p->in[where].state == VC_ACTIVE && p->in[where].out_port == out_port && p->in[where].out_vc == out_vc)
            return where;
    return IK_NONE;
}

/* The buffer that the packet at the front of this one waits for, IK_NONE if it can move or only waits for its own tail. */
static uint32_t waits_for(const pipe *p, uint32_t where)
{
    const pipe_vc *v = &p->in[where];
    uint32_t sw = p->f->port_node[where / p->vcs], peer = p->f->port_peer[v->out_port];
    if (v->state == VC_WAITING) {
        for (unsigned o = v->vc_first; o <= v->vc_last; o++)
            if (!p->taken[v->out_port * p->vcs + o])
                return IK_NONE;
        return holder_of(p, sw, v->out_port, v->vc_first);
    }
    if (v->state != VC_ACTIVE || peer >= p->switch_ports)
        return IK_NONE;
    if (v->count > 0)
        return p->credits[v->out_port * p->vcs + v->out_vc] == 0 ? peer * p->vcs + v->out_vc : IK_NONE;
    /* The rest of the packet is still upstream, in the buffer behind this input. */
    uint32_t in_port = where / p->vcs, before = p->f->port_peer[in_port];
    return before < p->switch_ports ? holder_of(p, p->f->port_node[before], before, where % p->vcs) : IK_NONE;
}

static void describe(const pipe *p, FILE *out, uint32_t where)
{
    char in[160], to[160];
    const pipe_vc *v = &p->in[where];
    fprintf(out, "buffer %s VC %u", ik_port_describe(p->f, where / p->vcs, in, sizeof in), where % p->vcs);
    if (v->count > 0) {
        uint32_t id = p->rings[(size_t)where * p->depth + v->head] >> 1;
        fprintf(out, ": packet of host %u for host %u", p->pool[id].rt.src, p->pool[id].rt.dst);
    }
    fprintf(out, " waits for %s\n", ik_port_describe(p->f, v->out_port, to, sizeof to));
}

static bool print_cycle(const pipe *p, uint32_t start, char **text)
{
    size_t size = 0;
    char *made = NULL;
    FILE *out = open_memstream(&made, &size);
    if (!out)
        return true; /* a deadlock without words is still one */
    uint32_t at = start;
    do {
        describe(p, out, at);
        at = waits_for(p, at);
    } while (at != start && at != IK_NONE);
    if (fclose(out) == 0)
        *text = made;
    else
        free(made);
    return true;
}

bool pipe_find_deadlock(const pipe *p, char **text)
{
    uint32_t total = p->switch_ports * p->vcs;
    uint32_t *seen = ik_calloc(total, sizeof *seen); /* number of the walk that came by, 0 = none */
    bool found = false;
    for (uint32_t start = 0; seen && start < total && !found; start++) {
        uint32_t at = start;
        while (at != IK_NONE && seen[at] == 0 && p->in[at].state != VC_IDLE) {
            seen[at] = start + 1;
            at = waits_for(p, at);
        }
        if (at != IK_NONE && seen[at] == start + 1)
            found = print_cycle(p, at, text);
    }
    free(seen);
    return found;
}
