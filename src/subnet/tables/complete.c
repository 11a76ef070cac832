/* SPDX-License-Identifier: Apache-2.0
 *
 * complete.c: forwarding tables that have an entry for every LID, see ik_lid_tables_complete.
 *
 * A routing's table leads from hosts to hosts. A subnet manager routes every LID from every switch:
 * performance queries go from a host to a switch and back on SL 0, and SMPs that are routed by LID
 * from any switch to any other on VL 15. So what is filled in is judged by the dependencies that
 * queries add to those of data in lane 0: replies come from every switch, requests from switches
 * that hosts hang on; between switches alone there is VL 15, which cannot deadlock.
 *
 * Three steps. All dependencies of hosts' rows are collected, and one topological order of them
 * starts the graph in linkdag.h, so that adding them costs nothing more. Where they are cyclic
 * (tables that need several lanes, or with entries that no host's packet crosses), rows keep what
 * such packets cross, and lane 0's data is put in first, then row by row. Gaps in hosts' rows are
 * filled breadth first from the switches that have an entry. A switch that hosts
 * hang on gets the row of one of them; any other a tree of shortest paths of its own, where a
 * branch is taken only if the graph bears the path of the hosts that need it.
 */
#include "subnet/tables/complete.h"
#include "ikat/vc.h"
#include "subnet/tables/complete_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows */

/* Writes c->next as the entries of a LID and of its port's other paths. `last`: the number of the
 * port from the last switch to the destination. */
static void complete_store_row(completion *c, uint32_t index, uint8_t last)
{
    uint32_t paths = ik_lids_paths(c->lids, index);
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        uint32_t next = c->next[sw];
        uint8_t out = IK_PORT_NONE;
        if (next == NEXT_HERE)
            out = last;
        else if (next != IK_NONE)
            out = c->number[c->g.port[next]];
        memset(ik_lid_tables_row(&c->t, sw) + index, out, paths);
    }
}

/* ---- filling */

/* Finds the switches from which the row at hand delivers: c->seen is 1 if they do, 0 if they have
 * no entry, else another number; c->queue: those that do, each after the next one on its way.
 * Returns how many. An entry that leads nowhere is kept. */
static uint32_t tables_complete_find_delivering(completion *c)
{
    enum { UNKNOWN, YES, ON_PATH };
    uint32_t num = 0, switches = c->f->num_switches;
    uint8_t *seen = c->seen;
    memset(seen, UNKNOWN, switches);
    for (uint32_t sw = 0; sw < switches; sw++)
        c->onward[sw] =
            complete_rows_is_link_next(c->next[sw]) ? c->g.head[c->next[sw]] : c->next[sw];
    for (uint32_t start = 0; start < switches; start++) {
        uint32_t n = 0, sw = start;
        while (seen[sw] == UNKNOWN && c->onward[sw] < NEXT_HERE) {
            seen[sw] = ON_PATH;
            c->path[n++] = sw;
            sw = c->onward[sw];
        }
        bool delivers = seen[sw] == YES || c->onward[sw] == NEXT_HERE;
        if (delivers && seen[sw] == UNKNOWN) {
            seen[sw] = YES;
            c->queue[num++] = sw;
        }
        while (delivers && n > 0) {
            sw = c->path[--n];
            seen[sw] = YES;
            c->queue[num++] = sw;
        }
    }
    return num; /* what stays ON_PATH has an entry that leads nowhere */
}

/* ---- extending a row to switches without an entry */

/* A place in the queue: a switch that the row leads on from, and one of its links. */
typedef struct frontier {
    uint32_t at, link; /* link: 0 = the first */
} frontier;

static bool complete_is_open(const completion *c, uint32_t sw)
{
    return !c->seen[sw] && c->next[sw] == IK_NONE;
}

static void complete_attach(completion *c, uint32_t sw, uint32_t link, uint32_t *num)
{
    c->next[sw] = link;
    c->seen[sw] = 1;
    c->queue[(*num)++] = sw;
}

/* Does the turn from one link to the next go down behind it, or come from below? What is left goes
 * down and up again in a tree, or stays on a level. */
static bool complete_is_usual_turn(const completion *c, uint32_t link, uint32_t onward)
{
    uint8_t here = c->level[c->g.head[link]];
    return c->level[c->g.tail[link]] < here || c->level[c->g.head[onward]] < here;
}

/* back: of the switch that packets leave by `onward`; they come by its opposite. */
static bool complete_is_easy(completion *c, uint32_t back, uint32_t onward)
{
    return !complete_rows_is_link_next(onward) || linkdag_has_from(&c->dag, back, onward) ||
           (complete_is_usual_turn(c, c->g.rev[back], onward) &&
            linkdag_add(&c->dag, c->g.rev[back], onward) != LINKDAG_CYCLE);
}

/* Which links a row is extended by: the routing's own and dependencies that the graph has already
 * or usual turns; all such links; any. */
typedef enum links_by { BY_OWN, BY_EASY, BY_ANY } links_by;

static bool complete_may_extend(completion *c, uint32_t back, uint32_t onward, links_by by)
{
    uint32_t sw = c->g.head[back];
    return complete_is_open(c, sw) && (by != BY_OWN || c->own[sw] == c->g.rev[back]) &&
           (by == BY_ANY || complete_is_easy(c, back, onward));
}

/* Extends the row from queue[from … num - 1]. Returns the switches in the queue then. */
static uint32_t complete_extend_row(completion *c, uint32_t from, uint32_t num, links_by by)
{
    for (uint32_t i = from; i < num && num < c->f->num_switches; i++) {
        uint32_t v = c->queue[i];
        if (by == BY_OWN && !c->waiting[v])
            continue;
        for (uint32_t l = c->g.base[v]; l < c->g.base[v + 1]; l++)
            if (complete_may_extend(c, l, c->next[v], by))
                complete_attach(c, c->g.head[l], c->g.rev[l], &num);
    }
    return num;
}

/* Attaches one more switch, by a dependency that is new to the graph and that it bears: one with
 * hosts, or any. Links that were refused once are not asked about again. */
static bool complete_extend_once(completion *c, frontier *f, bool hosts_alone, uint32_t *num)
{
    for (; f->at < *num; f->at++, f->link = 0) {
        uint32_t v = c->queue[f->at], degree = c->g.base[v + 1] - c->g.base[v];
        for (; f->link < degree; f->link++) {
            uint32_t l = c->g.base[v] + f->link, u = c->g.head[l];
            if (!complete_is_open(c, u) || (hosts_alone && !c->sends[u]) ||
                linkdag_add(&c->dag, c->g.rev[l], c->next[v]) == LINKDAG_CYCLE)
                continue;
            complete_attach(c, u, c->g.rev[l], num);
            return true;
        }
    }
    return false;
}

/* Is there a switch with hosts, or any, that could be reached and is not? num: in the queue. */
static bool complete_is_missing(const completion *c, uint32_t num, bool hosts_alone)
{
    for (uint32_t sw = num < c->f->num_switches ? 0 : num; sw < c->f->num_switches; sw++)
        if (complete_is_open(c, sw) && (c->sends[sw] || !hosts_alone))
            return true;
    return false;
}

/* Extends the row from the num switches in the queue as far as the graph bears: by known
 * dependencies and usual turns, and where these do not suffice by as few others as possible, since
 * each makes others impossible. for_hosts: until all switches with hosts have an entry. */
static uint32_t complete_extend_safely(completion *c, uint32_t num, bool for_hosts)
{
    frontier hosts = {0}, any = {0};
    uint32_t done = 0;
    for (;;) {
        num = complete_extend_row(c, done, num, BY_EASY);
        done = num;
        if (!complete_is_missing(c, num, for_hosts) ||
            (!complete_extend_once(c, &hosts, true, &num) &&
             !complete_extend_once(c, &any, false, &num)))
            return num;
    }
}

static void complete_count_waiting(completion *c)
{
    memset(c->waiting, 0, c->f->num_switches * sizeof *c->waiting);
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
        if (complete_is_open(c, sw) && complete_rows_is_link_next(c->own[sw]))
            c->waiting[c->g.head[c->own[sw]]]++;
}

static void complete_fill_host(completion *c, const completion_target *to)
{
    complete_load_row(c, to->host);
    if (!complete_rows_is_link_next(c->next[to->sw]))
        c->next[to->sw] = NEXT_HERE;
    /* the routing's own entries first, which change as little as its paths do */
    uint32_t num = tables_complete_find_delivering(c);
    complete_count_waiting(c);
    num = complete_extend_row(c, 0, num, BY_OWN);
    num = complete_extend_safely(c, num, false);
    if (complete_extend_row(c, 0, num, BY_ANY) > num)
        c->unsafe_host[to->index] = true;
    c->unsafe += c->unsafe_host[to->index];
    complete_store_row(c, to->index, to->last);
}

/* Stores the rows of all hosts as they are, and finds those that lack an entry: open[] of each
 * target. */
static void complete_store_own(completion *c, bool *open)
{
    size_t hosts = c->plan->routing->fabric->num_hosts;
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        const uint16_t *own = c->lft + sw * hosts;
        const uint8_t *entries = c->entry + c->f->port_base[sw];
        uint8_t *row = ik_lid_tables_row(&c->t, sw);
        for (uint32_t i = 0; i < c->num_targets; i++) {
            const completion_target *to = &c->targets[i];
            if (to->sw == IK_NONE)
                continue;
            uint16_t local = own[to->host];
            uint8_t entry = local == NO_ENTRY ? IK_PORT_NONE : entries[local];
            if (entry == IK_PORT_SELF || (entry == IK_PORT_NONE && sw == to->sw))
                entry = to->last;
            open[i] |= entry == IK_PORT_NONE;
            for (uint32_t p = 0; p < to->paths; p++)
                row[to->index + p] = entry;
        }
    }
}

/* A whole row that the graph bears stays as it is. */
static ik_status complete_fill_hosts(completion *c, ik_error *err)
{
    bool *open = ik_calloc((size_t)c->num_targets + 1, sizeof *open);
    if (!open)
        return ik_fail_memory(err, c->num_targets, "rows of hosts");
    complete_store_own(c, open);
    for (uint32_t i = 0; i < c->num_targets && !ik_env_cancelled(c->env); i++) {
        const completion_target *to = &c->targets[i];
        if (c->trim && i % COMPLETE_ROWS == 0)
            complete_find_lacking(c);
        if (to->sw != IK_NONE && (open[i] || (c->trim && !complete_bears_row(c, to->host))))
            complete_fill_host(c, to);
    }
    free(open);
    return ik_env_cancelled(c->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : IK_OK;
}

/* A tree of its own towards a switch. Returns whether the graph bears the paths of all switches
 * with hosts; those of others alone need not be borne. */
static bool complete_grow_tree(completion *c, uint32_t dst)
{
    uint32_t num = 0;
    memset(c->seen, 0, c->f->num_switches);
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
        c->next[sw] = IK_NONE;
    complete_attach(c, dst, NEXT_HERE, &num);
    num = complete_extend_safely(c, num, true);
    uint32_t all = complete_extend_row(c, 0, num, BY_ANY);
    bool fits = true;
    for (uint32_t i = num; i < all; i++)
        fits &= !c->sends[c->queue[i]];
    return fits;
}

/* The base LID of a host that hangs on a switch, of one whose row is safe if there is one; IK_NONE:
 * there is none. */
static uint32_t complete_host_lid_at(const completion *c, uint32_t sw)
{
    uint32_t found = IK_NONE;
    for (uint32_t p = c->f->port_base[sw]; p < c->f->port_base[sw + 1]; p++) {
        uint32_t peer = c->f->port_peer[p];
        uint32_t index = peer == IK_NONE || ik_is_switch(c->f, c->f->port_node[peer])
                             ? IK_NONE
                             : ik_lids_of_port(c->lids, peer);
        if (index == IK_NONE || c->host_of[peer] == IK_NONE)
            continue;
        if (!c->unsafe_host[index])
            return index;
        found = found == IK_NONE ? index : found;
    }
    return found;
}

/* The row of a host's LID, as it was stored, as one that ends at its switch. */
static void complete_load_stored_row(completion *c, uint32_t index, uint32_t dst)
{
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        uint8_t out = ik_lid_tables_row(&c->t, sw)[index];
        uint32_t port = out == IK_PORT_NONE ? IK_NONE : ik_port_of_number(c->f, sw, out);
        c->next[sw] = port == IK_NONE ? IK_NONE : c->g.of_port[port];
    }
    c->next[dst] = NEXT_HERE;
}

static void complete_fill_switch(completion *c, uint32_t index)
{
    uint32_t sw = c->lids->of[index].node, host = complete_host_lid_at(c, sw);
    bool fits;
    if (host == IK_NONE) {
        fits = complete_grow_tree(c, sw);
    } else {
        complete_load_stored_row(c, host, sw);
        fits = !c->unsafe_host[host] || complete_add_row(c, false);
        uint32_t num = tables_complete_find_delivering(c);
        fits &= complete_extend_row(c, 0, num, BY_ANY) == num;
    }
    c->unsafe += !fits;
    complete_store_row(c, index, IK_PORT_SELF);
}

static ik_status complete_fill_switches(completion *c, ik_error *err)
{
    for (uint32_t i = 0; i < c->lids->num; i++) {
        const ik_lid *lid = &c->lids->of[i];
        if (lid->path || !ik_is_switch(c->f, lid->node))
            continue;
        complete_fill_switch(c, i);
        if (ik_env_cancelled(c->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

/* ---- setting up */

static ik_status complete_number_ports(completion *c, ik_error *err)
{
    char name[256];
    for (uint32_t p = 0; p < c->f->port_base[c->f->num_switches]; p++) {
        unsigned number = ik_port_number(c->f, p);
        if (c->f->port_peer[p] != IK_NONE && (number > IK_PORT_NUMBER || number == 0))
            return ik_fail(
                err, IK_ERR_UNSUPPORTED,
                "%s has a port %u; forwarding tables of InfiniBand number ports up to %u",
                ik_node_describe(c->f, c->f->port_node[p], name, sizeof name), number,
                IK_PORT_NUMBER);
        c->number[p] = (uint8_t)number;
        c->entry[p] = c->g.of_port[p] != IK_NONE ? (uint8_t)number : IK_PORT_SELF;
        if (c->f->port_peer[p] == IK_NONE)
            c->entry[p] = IK_PORT_NONE;
    }
    return IK_OK;
}

static void complete_find_hosts(completion *c)
{
    const ik_fabric *f = c->plan->routing->fabric;
    for (uint32_t p = 0; p < c->f->num_ports; p++)
        c->host_of[p] = IK_NONE;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t port = ik_host_port(f, h), sw = ik_host_switch(f, h);
        c->host_switch[h] = sw;
        if (port != IK_NONE)
            c->host_of[port] = h;
        if (sw != IK_NONE)
            c->sends[sw]++;
    }
}

static void complete_find_targets(completion *c)
{
    for (uint32_t i = 0; i < c->lids->num; i++) {
        const ik_lid *lid = &c->lids->of[i];
        if (lid->port == IK_NONE || lid->path || c->host_of[lid->port] == IK_NONE)
            continue;
        uint32_t peer = c->f->port_peer[lid->port];
        bool at_switch = peer != IK_NONE && ik_is_switch(c->f, c->f->port_node[peer]);
        c->targets[c->num_targets++] =
            (completion_target){.index = i,
                                .paths = ik_lids_paths(c->lids, i),
                                .host = c->host_of[lid->port],
                                .sw = at_switch ? c->f->port_node[peer] : IK_NONE,
                                .last = at_switch ? c->number[peer] : IK_PORT_NONE};
    }
}

/* Endpoints inside upper switches do not make them leaf switches. */
static void complete_find_levels(completion *c)
{
    const ik_fabric *f = c->plan->routing->fabric;
    uint32_t num = 0;
    for (uint32_t h = 0; h < f->num_hosts - f->num_silent; h++) {
        uint32_t sw = c->host_switch[h];
        if (sw == IK_NONE || c->seen[sw])
            continue;
        c->seen[sw] = 1;
        c->queue[num++] = sw;
    }
    links_bfs_from(&c->g, num, c->level, c->queue); /* stops at LINKS_FAR, which is far enough */
}

static ik_status complete_prepare(completion *c, ik_error *err)
{
    size_t switches = (size_t)c->f->num_switches + 1;
    c->host_of = ik_calloc((size_t)c->f->num_ports + 1, sizeof *c->host_of);
    c->targets = ik_calloc((size_t)c->lids->num + 1, sizeof *c->targets);
    c->host_switch =
        ik_calloc((size_t)c->plan->routing->fabric->num_hosts + 1, sizeof *c->host_switch);
    c->sends = ik_calloc(switches, sizeof *c->sends);
    c->unsafe_host = ik_calloc((size_t)c->lids->num + 1, sizeof *c->unsafe_host);
    c->number = ik_calloc((size_t)c->f->port_base[c->f->num_switches] + 1, sizeof *c->number);
    c->entry = ik_calloc((size_t)c->f->port_base[c->f->num_switches] + 1, sizeof *c->entry);
    c->next = ik_calloc(switches, sizeof *c->next);
    c->own = ik_calloc(switches, sizeof *c->own);
    c->onward = ik_calloc(switches, sizeof *c->onward);
    c->waiting = ik_calloc(switches, sizeof *c->waiting);
    c->seen = ik_calloc(switches, sizeof *c->seen);
    c->level = ik_calloc(switches, sizeof *c->level);
    c->queue = ik_calloc(switches, sizeof *c->queue);
    c->path = ik_calloc(switches, sizeof *c->path);
    c->want = ik_calloc((size_t)c->g.num_links * c->dag.words + 1, sizeof *c->want);
    c->all = ik_calloc((size_t)c->g.num_links * c->dag.words + 1, sizeof *c->all);
    c->lacking = ik_calloc(switches, sizeof *c->lacking);
    if (!c->host_of || !c->targets || !c->host_switch || !c->sends || !c->unsafe_host ||
        !c->number || !c->entry || !c->next || !c->own || !c->onward || !c->waiting || !c->seen ||
        !c->level || !c->queue || !c->path || !c->want || !c->all || !c->lacking)
        return ik_fail_memory(err, switches * 20, "complete tables");
    complete_find_hosts(c);
    complete_find_levels(c);
    ik_status status = complete_number_ports(c, err);
    if (status == IK_OK)
        complete_find_targets(c);
    return status;
}

static void complete_release(completion *c)
{
    links_free(&c->g);
    linkdag_free(&c->dag);
    free(c->compiled);
    free(c->host_of);
    free(c->targets);
    free(c->host_switch);
    free(c->sends);
    free(c->unsafe_host);
    free(c->number);
    free(c->entry);
    free(c->next);
    free(c->own);
    free(c->onward);
    free(c->waiting);
    free(c->seen);
    free(c->level);
    free(c->queue);
    free(c->path);
    free(c->want);
    free(c->all);
    free(c->lacking);
}

/* How turns are found that the data does not take. */
typedef enum hub_way {
    ROWS_AS_THEY_ARE,
    ROWS_TRIMMED, /* entries that no packet of a host comes by are chosen anew, too */
    HUBS_WITH_HOSTS,
    HUBS_WITHOUT_HOSTS,
    NUM_HUB_WAYS
} hub_way;

/* The routing's own table, or one that is made from it. */
static ik_status complete_find_lft(completion *c, ik_error *err)
{
    const ik_routing *r = c->plan->routing;
    ik_status status = IK_OK;
    if (!r->lft || r->kind != IK_ROUTE_DETERMINISTIC || !(r->traits & IK_ROUTE_DEST_BASED))
        status = ik_lft_compile(r, c->env, &c->compiled, err);
    c->lft = c->compiled ? c->compiled : r->lft;
    return status;
}

/* What all ways have in common. */
static ik_status complete_begin(completion *c, ik_error *err)
{
    ik_status status = complete_find_lft(c, err);
    if (status == IK_OK)
        status = links_build(c->f, &c->g, err);
    if (status == IK_OK)
        status = linkdag_init(&c->dag, &c->g, err);
    if (status == IK_OK)
        status = complete_prepare(c, err);
    return status == IK_OK ? complete_collect_all(c, err) : status;
}

/* c->t and c->unsafe. */
static ik_status complete_attempt(completion *c, hub_way way, ik_error *err)
{
    linkdag_free(&c->dag);
    memset(c->unsafe_host, 0, c->lids->num * sizeof *c->unsafe_host);
    c->t = (ik_lid_tables){0}; /* what was there, the caller has */
    c->unsafe = 0;
    c->trim = way != ROWS_AS_THEY_ARE;
    ik_status status = linkdag_init(&c->dag, &c->g, err);
    if (status == IK_OK)
        status = ik_lid_tables_new(c->lids, c->env, &c->t, err);
    if (status == IK_OK)
        status = complete_make_graph(c, err);
    if (status == IK_OK && way >= HUBS_WITH_HOSTS)
        status = complete_add_hubs(c, way == HUBS_WITH_HOSTS, err);
    if (status == IK_OK)
        status = complete_fill_hosts(c, err);
    if (status == IK_OK)
        status = complete_fill_switches(c, err);
    if (status != IK_OK)
        ik_lid_tables_free(&c->t);
    return status;
}

/* Tables that need several lanes have destinations that no turn makes safe: they are not tried
 * again. */
ik_status complete_tables(const ik_plan *plan, unsigned lane, const ik_lids *lids,
                          const ik_env *env, ik_lid_tables *out, uint32_t *unsafe, bool *unsafe_of,
                          ik_error *err)
{
    completion c = {.plan = plan, .lane = lane, .lids = lids, .env = env, .f = lids->fabric};
    ik_lid_tables best = {0};
    uint32_t least = UINT32_MAX;
    ik_status status = complete_begin(&c, err);
    for (hub_way way = ROWS_AS_THEY_ARE; status == IK_OK && way < NUM_HUB_WAYS && least > 0;
         way++) {
        status = complete_attempt(&c, way, err);
        if (status != IK_OK)
            break;
        ik_lid_tables *worse = c.unsafe < least ? &best : &c.t;
        ik_lid_tables_free(worse);
        if (worse == &best)
            best = c.t;
        if (worse == &best && unsafe_of)
            memcpy(unsafe_of, c.unsafe_host, lids->num * sizeof *unsafe_of);
        least = c.unsafe < least ? c.unsafe : least;
        if (plan->vc->num_vcs > 1)
            break;
    }
    complete_release(&c);
    if (status != IK_OK) {
        ik_lid_tables_free(&best);
        return status;
    }
    *out = best;
    *unsafe = least;
    return IK_OK;
}

ik_status ik_lid_tables_complete(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                 ik_lid_tables *out, uint32_t *unsafe, ik_error *err)
{
    return complete_tables(plan, 0, lids, env, out, unsafe, NULL, err);
}
