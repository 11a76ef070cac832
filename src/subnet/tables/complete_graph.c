/* SPDX-License-Identifier: Apache-2.0
 *
 * complete_graph.c: what packets in lane 0 wait for under the rows that a routing has, and turns at
 * few switches for those that it has not.
 */
#include "ikat/vc.h"
#include "subnet/tables/complete_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows */

/* Takes away entries that no host's packet comes by. */
static void complete_graph_trim_row(completion *c)
{
    memset(c->seen, 0, c->f->num_switches);
    for (uint32_t start = 0; start < c->f->num_switches; start++)
        for (uint32_t sw = start; (c->sends[start] || sw != start) && !c->seen[sw];
             sw = c->g.head[c->next[sw]]) {
            c->seen[sw] = 1;
            if (!complete_rows_is_link_next(c->next[sw]))
                break;
        }
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
        if (!c->seen[sw] && c->next[sw] != NEXT_HERE)
            c->next[sw] = IK_NONE;
}

void complete_load_row(completion *c, uint32_t host)
{
    uint32_t switches = c->f->num_switches;
    for (uint32_t sw = 0; sw < switches; sw++)
        c->next[sw] = complete_next(c, sw, host);
    memcpy(c->own, c->next, switches * sizeof *c->own);
    if (c->trim)
        complete_graph_trim_row(c);
}

/* ---- dependencies */

static inline void complete_graph_want_dependency(completion *c, uint32_t from, uint32_t to)
{
    uint32_t i = to - c->g.base[c->g.tail[to]];
    uint64_t *word = &c->want[(size_t)from * c->dag.words + i / 64], bit = 1ULL << (i % 64);
    if (!(*word & bit)) /* mostly it is there: nothing waits for a store */
        *word |= bit;
}

/* Of the rows from this one on that are looked at together, the one behind the last. */
static uint32_t complete_graph_end_of_rows(const completion *c, uint32_t first)
{
    return c->num_targets - first < COMPLETE_ROWS ? c->num_targets : first + COMPLETE_ROWS;
}

/* Notes what packets wait for on the way of the row from one switch on, up to a switch that was
 * walked over already. */
static void complete_graph_want_path(completion *c, uint32_t sw)
{
    while (!c->seen[sw] && complete_rows_is_link_next(c->next[sw])) {
        uint32_t link = c->next[sw], head = c->g.head[link];
        c->seen[sw] = 1;
        if (complete_rows_is_link_next(c->next[head]))
            complete_graph_want_dependency(c, link, c->next[head]);
        sw = head;
    }
}

/* Notes what some whole rows depend on at one switch. */
static void complete_graph_collect_at(completion *c, uint32_t sw, uint32_t first, uint32_t end)
{
    const links *g = &c->g;
    const uint32_t *of_port = g->of_port, *head = g->head, *base = g->base,
                   *port_base = c->f->port_base, at = port_base[sw];
    const completion_target *targets = c->targets;
    const uint16_t *lft = c->lft;
    size_t hosts = c->plan->routing->fabric->num_hosts, words = c->dag.words;
    uint64_t *all = c->all;
    for (uint32_t i = first; i < end; i++) {
        uint32_t host = targets[i].host, local = lft[sw * hosts + host],
                 link = local == NO_ENTRY ? IK_NONE : of_port[at + local];
        if (link == IK_NONE)
            continue;
        uint32_t next = head[link], then = lft[next * hosts + host],
                 onward = then == NO_ENTRY ? IK_NONE : of_port[port_base[next] + then];
        if (onward == IK_NONE)
            continue;
        uint32_t k = onward - base[next];
        uint64_t *word = &all[link * words + k / 64], bit = 1ULL << (k % 64);
        if (!(*word & bit)) /* mostly it is there: nothing waits for a store */
            *word |= bit;
    }
}

/* Several rows at a time, whose entries at a switch stand beside each other. */
ik_status complete_collect_all(completion *c, ik_error *err)
{
    for (uint32_t first = 0; first < c->num_targets; first += COMPLETE_ROWS) {
        uint32_t end = complete_graph_end_of_rows(c, first);
        for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
            complete_graph_collect_at(c, sw, first, end);
        if (ik_env_cancelled(c->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

void complete_find_lacking(completion *c)
{
    c->num_lacking = 0;
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        uint64_t lacks = 0;
        for (size_t w = (size_t)c->g.base[sw] * c->dag.words;
             w < (size_t)c->g.base[sw + 1] * c->dag.words; w++)
            lacks |= c->all[w] & ~c->dag.out[w];
        if (lacks)
            c->lacking[c->num_lacking++] = sw;
    }
}

bool complete_bears_row(const completion *c, uint32_t host)
{
    for (uint32_t i = 0; i < c->num_lacking; i++) {
        uint32_t link = complete_link(c, c->lacking[i], host),
                 onward = link == IK_NONE ? IK_NONE : complete_link(c, c->g.head[link], host);
        if (onward != IK_NONE && !linkdag_has(&c->dag, link, onward))
            return false;
    }
    return true;
}

/* Does data to the host leave this switch in lane 0, as far as the plan has only one? */
static bool complete_graph_sends_to(const completion *c, uint32_t sw, uint32_t host)
{
    return c->lane == 0 && c->sends[sw] > (c->host_switch[host] == sw);
}

/* What data of lane 0 takes of a row. */
static void complete_graph_want_lane0(completion *c, uint32_t host)
{
    const ik_fabric *f = c->plan->routing->fabric;
    bool one = c->plan->vc->num_vcs == 1;
    memset(c->seen, 0, f->num_switches);
    for (uint32_t sw = 0; one && sw < f->num_switches; sw++)
        if (complete_graph_sends_to(c, sw, host))
            complete_graph_want_path(c, sw);
    for (uint32_t src = 0; !one && src < f->num_hosts; src++) {
        uint32_t sw = c->host_switch[src];
        ik_packet pk;
        if (src == host || sw == IK_NONE || c->seen[sw])
            continue;
        ik_plan_start_nth(c->plan, src, host, 0, &pk);
        if (pk.vc == c->lane)
            complete_graph_want_path(c, sw);
    }
}

/* The rows of some targets as the routing has them: [target from `first` on][switch]. */
static void complete_graph_load_rows(const completion *c, uint32_t first, uint32_t *rows)
{
    size_t switches = c->f->num_switches;
    uint32_t end = complete_graph_end_of_rows(c, first);
    for (uint32_t sw = 0; sw < switches; sw++)
        for (uint32_t i = first; i < end; i++)
            rows[(i - first) * switches + sw] = complete_next(c, sw, c->targets[i].host);
}

static ik_status complete_graph_collect_lane0(completion *c, ik_error *err)
{
    size_t row = c->f->num_switches;
    uint32_t *rows = ik_calloc(COMPLETE_ROWS * (row + 1), sizeof *rows);
    if (!rows)
        return ik_fail_memory(err, COMPLETE_ROWS * row * sizeof *rows, "rows of hosts");
    for (uint32_t i = 0; i < c->num_targets && !ik_env_cancelled(c->env); i++) {
        if (i % COMPLETE_ROWS == 0)
            complete_graph_load_rows(c, i, rows);
        memcpy(c->next, rows + i % COMPLETE_ROWS * row, row * sizeof *rows);
        complete_graph_want_lane0(c, c->targets[i].host);
    }
    free(rows);
    return ik_env_cancelled(c->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : IK_OK;
}

bool complete_add_row(completion *c, bool from_all)
{
    bool fits = true;
    memset(c->seen, 0, c->f->num_switches);
    for (uint32_t start = 0; start < c->f->num_switches; start++) {
        uint32_t sw = start;
        while ((from_all || c->sends[start]) && !c->seen[sw] &&
               complete_rows_is_link_next(c->next[sw])) {
            uint32_t link = c->next[sw], head = c->g.head[link];
            c->seen[sw] = 1;
            if (complete_rows_is_link_next(c->next[head]))
                fits &= linkdag_add(&c->dag, link, c->next[head]) != LINKDAG_CYCLE;
            sw = head;
        }
    }
    return fits;
}

/* Were the dependencies of the row's trimmed form all noted by complete_graph_want_lane0? */
static bool complete_graph_is_noted(const completion *c, uint32_t host)
{
    uint32_t own = c->host_switch[host];
    return c->lane == 0 && c->plan->vc->num_vcs == 1 &&
           (own == IK_NONE || complete_link(c, own, host) == IK_NONE);
}

/* has_noted: the graph has all dependencies that were noted. */
static ik_status complete_graph_add_rows(completion *c, bool has_noted, ik_error *err)
{
    complete_find_lacking(c);
    for (uint32_t i = 0; i < c->num_targets; i++) {
        if ((has_noted && complete_graph_is_noted(c, c->targets[i].host)) ||
            complete_bears_row(c, c->targets[i].host))
            continue;
        complete_load_row(c, c->targets[i].host);
        c->unsafe_host[c->targets[i].index] = !complete_add_row(c, true);
        if (ik_env_cancelled(c->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

ik_status complete_make_graph(completion *c, ik_error *err)
{
    size_t n = (size_t)c->g.num_links + 1,
           bytes = (size_t)c->g.num_links * c->dag.words * sizeof *c->want;
    uint32_t *in = ik_calloc(n, sizeof *in), *order = ik_calloc(n, sizeof *order);
    ik_status status = in && order ? IK_OK : ik_fail_memory(err, n * 8, "an order of links");
    if (status == IK_OK && !c->trim) {
        memcpy(c->want, c->all, bytes);
        c->trim = !linkdag_sort(&c->dag, c->want, in, order);
        if (!c->trim) {
            linkdag_start_with(&c->dag, order);
            linkdag_add_all(&c->dag, c->want);
        }
    }
    if (status == IK_OK && c->trim) {
        memset(c->want, 0, bytes);
        status = complete_graph_collect_lane0(c, err);
        if (status == IK_OK) {
            bool acyclic = linkdag_sort(&c->dag, c->want, in, order);
            linkdag_start_with(&c->dag, order);
            linkdag_add_all(&c->dag, c->want);
            status = complete_graph_add_rows(c, acyclic, err);
        }
    }
    free(in);
    free(order);
    return status;
}

/* ---- hubs */

/* Where a table's own turns do not suffice (a root of a damaged tree that has lost the link to a
 * leaf), packets must turn where none of the data does. If everything turns at few switches, these
 * turns cannot close cycles with each other: so all turns at one switch after the other are added
 * to the graph, all of them or none. */

static uint32_t complete_graph_cables(const completion *c, uint32_t sw)
{
    return c->g.base[sw + 1] - c->g.base[sw];
}

/* Adds all turns at a switch; takes them back if one closes a cycle. undo: [cables^2] */
static void complete_graph_add_hub(completion *c, uint32_t sw, uint32_t *undo)
{
    uint32_t num = 0;
    for (uint32_t a = c->g.base[sw]; a < c->g.base[sw + 1]; a++)
        for (uint32_t b = c->g.base[sw]; b < c->g.base[sw + 1]; b++) {
            uint32_t in = c->g.rev[a];
            linkdag_result result =
                c->g.head[a] == c->g.head[b] ? LINKDAG_OLD : linkdag_add(&c->dag, in, b);
            if (result == LINKDAG_NEW) {
                undo[2 * num] = in;
                undo[2 * num++ + 1] = b;
            }
            if (result != LINKDAG_CYCLE)
                continue;
            while (num-- > 0)
                linkdag_remove(&c->dag, undo[2 * num], undo[2 * num + 1]);
            linkdag_forget(&c->dag, in, b);
            return;
        }
}

ik_status complete_add_hubs(completion *c, bool hosts_first, ik_error *err)
{
    uint32_t most = c->g.max_degree;
    uint32_t *undo = ik_calloc((size_t)most * most + 1, 2 * sizeof *undo);
    if (!undo)
        return ik_fail_memory(err, (size_t)most * most * 8, "turns at a switch");
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t degree = most; degree > 1; degree--)
            for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
                if (complete_graph_cables(c, sw) == degree &&
                    (c->sends[sw] > 0) == (hosts_first == (round == 0)))
                    complete_graph_add_hub(c, sw, undo);
    free(undo);
    return IK_OK;
}
