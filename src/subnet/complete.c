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
 * starts the graph in linkdag.h, so that adding them costs nothing more; where they are cyclic
 * (tables that need several lanes) those of lane 0's data are put in first, then row by row. Gaps
 * in hosts' rows are filled breadth first from the switches that have an entry. A switch that hosts
 * hang on gets the row of one of them; any other a tree of shortest paths of its own, where a
 * branch is taken only if the graph bears the path of the hosts that need it.
 */
#include "ikat/subnet.h"
#include "ikat/vc.h"
#include "routing/graph/linkdag.h"

#include <stdlib.h>
#include <string.h>

/* A switch's next link to the destination at hand. */
#define NEXT_HERE (IK_NONE - 1) /* the destination, or a host, hangs on this switch */
#define NO_ENTRY  0xFFFFu       /* in tables of ik_lft_compile */

typedef struct completion {
    const ik_plan *plan;
    const ik_lids *lids;
    const ik_env *env;
    const ik_fabric *f; /* of the LIDs: not split */
    links g;
    linkdag dag;
    ik_lid_tables t;
    uint16_t *lft;     /* [switch][host of the routing's fabric] */
    uint32_t *host_of; /* [num_ports] the routing's host whose cable is in this port of a host */
    bool *sends;       /* [switch] hosts hang on it */
    bool *unsafe_host; /* [lids] base LIDs of hosts whose rows close a cycle */
    uint8_t *number;   /* [ports of switches] printed number */
    uint32_t *next;    /* [switch] link, NEXT_HERE, IK_NONE */
    uint8_t *seen;     /* [switch] */
    uint32_t *queue;   /* [switch] */
    uint32_t *path, *undo; /* [switch + 1] */
    uint64_t *want;        /* [link][dag.words] dependencies, as in the graph */
    uint32_t unsafe;
} completion;

static bool is_link_next(uint32_t next)
{
    return next < NEXT_HERE;
}

/* ---- rows */

/* The routing's own row for a host. */
static void load_routing_row(completion *c, uint32_t host)
{
    const ik_fabric *f = c->f;
    size_t hosts = c->plan->routing->fabric->num_hosts;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint16_t local = c->lft[sw * hosts + host];
        uint32_t port = local == NO_ENTRY ? IK_NONE : f->port_base[sw] + local;
        if (port == IK_NONE || f->port_peer[port] == IK_NONE)
            c->next[sw] = IK_NONE;
        else
            c->next[sw] = c->g.of_port[port] == IK_NONE ? NEXT_HERE : c->g.of_port[port];
    }
}

static uint32_t paths_of(const completion *c, uint32_t index)
{
    uint32_t n = 1;
    while (index + n < c->lids->num && c->lids->of[index + n].path == n)
        n++;
    return n;
}

/* Writes c->next as the entries of a LID and of its port's other paths. `last`: the number of the
 * port from the last switch to the destination. */
static void store_row(completion *c, uint32_t index, uint8_t last)
{
    uint32_t paths = paths_of(c, index);
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

/* ---- dependencies */

static void want_dependency(completion *c, uint32_t from, uint32_t to)
{
    uint32_t i = to - c->g.base[c->g.tail[to]];
    c->want[(size_t)from * c->dag.words + i / 64] |= 1ULL << (i % 64);
}

/* Notes what packets wait for on the way of the row from one switch on, up to a switch that was
 * walked over already. */
static void want_path(completion *c, uint32_t sw)
{
    while (!c->seen[sw] && is_link_next(c->next[sw])) {
        uint32_t link = c->next[sw], head = c->g.head[link];
        c->seen[sw] = 1;
        if (is_link_next(c->next[head]))
            want_dependency(c, link, c->next[head]);
        sw = head;
    }
}

/* Whole rows: data and replies from every switch. */
static void want_row(completion *c, uint32_t host)
{
    (void)host;
    memset(c->seen, 0, c->f->num_switches);
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
        want_path(c, sw);
}

/* What data of lane 0 takes of a row. */
static void want_lane0(completion *c, uint32_t host)
{
    const ik_fabric *f = c->plan->routing->fabric;
    memset(c->seen, 0, f->num_switches);
    for (uint32_t src = 0; src < f->num_hosts; src++) {
        uint32_t sw = ik_host_switch(f, src);
        ik_packet pk;
        if (src == host || sw == IK_NONE || c->seen[sw])
            continue;
        ik_plan_start_nth(c->plan, src, host, 0, &pk);
        if (pk.vc == 0)
            want_path(c, sw);
    }
}

typedef void (*want_fn)(completion *c, uint32_t host);

static ik_status collect(completion *c, want_fn want, ik_error *err)
{
    memset(c->want, 0, (size_t)c->g.num_links * c->dag.words * sizeof *c->want);
    for (uint32_t i = 0; i < c->lids->num; i++) {
        const ik_lid *lid = &c->lids->of[i];
        if (lid->port == IK_NONE || lid->path || c->host_of[lid->port] == IK_NONE)
            continue;
        load_routing_row(c, c->host_of[lid->port]);
        want(c, c->host_of[lid->port]);
        if (ik_env_cancelled(c->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

/* Calls fn for each dependency noted: from -> to. */
typedef void (*each_fn)(completion *c, uint32_t from, uint32_t to, uint32_t *ctx);
static void each_wanted(completion *c, uint32_t from, each_fn fn, uint32_t *ctx)
{
    uint32_t first = c->g.base[c->g.head[from]];
    for (uint32_t w = 0; w < c->dag.words; w++)
        for (uint64_t bits = c->want[(size_t)from * c->dag.words + w]; bits; bits &= bits - 1)
            fn(c, from, first + w * 64 + (uint32_t)__builtin_ctzll(bits), ctx);
}

static void count_in(completion *c, uint32_t from, uint32_t to, uint32_t *in)
{
    (void)c;
    (void)from;
    in[to]++;
}

/* Links in an order that agrees with the dependencies noted: order[0 … num_links - 1]; false: they
 * are cyclic, and the rest stands in any order. in, order: [num_links]. */
static bool sort_links(completion *c, uint32_t *in, uint32_t *order)
{
    uint32_t n = c->g.num_links, num = 0;
    memset(in, 0, n * sizeof *in);
    for (uint32_t l = 0; l < n; l++)
        each_wanted(c, l, count_in, in);
    for (uint32_t l = 0; l < n; l++)
        if (in[l] == 0)
            order[num++] = l;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t from = order[i], first = c->g.base[c->g.head[from]];
        for (uint32_t w = 0; w < c->dag.words; w++)
            for (uint64_t bits = c->want[(size_t)from * c->dag.words + w]; bits; bits &= bits - 1) {
                uint32_t to = first + w * 64 + (uint32_t)__builtin_ctzll(bits);
                if (--in[to] == 0)
                    order[num++] = to;
            }
    }
    bool acyclic = num == n;
    for (uint32_t l = 0; l < n; l++)
        if (in[l])
            order[num++] = l;
    return acyclic;
}

static void add_dependency(completion *c, uint32_t from, uint32_t to, uint32_t *ctx)
{
    (void)ctx;
    linkdag_add(&c->dag, from, to); /* one that closes a cycle stays out */
}

/* Adds what was noted. */
static void add_wanted(completion *c, const uint32_t *order)
{
    linkdag_start_with(&c->dag, order);
    for (uint32_t l = 0; l < c->g.num_links; l++)
        each_wanted(c, l, add_dependency, NULL);
}

/* Adds the dependencies of the row at hand, from every switch, or from those that hosts hang on;
 * false: some close a cycle. */
static bool add_row(completion *c, bool from_all)
{
    bool fits = true;
    memset(c->seen, 0, c->f->num_switches);
    for (uint32_t start = 0; start < c->f->num_switches; start++) {
        uint32_t sw = start;
        while ((from_all || c->sends[start]) && !c->seen[sw] && is_link_next(c->next[sw])) {
            uint32_t link = c->next[sw], head = c->g.head[link];
            c->seen[sw] = 1;
            if (is_link_next(c->next[head]))
                fits &= linkdag_add(&c->dag, link, c->next[head]) != LINKDAG_CYCLE;
            sw = head;
        }
    }
    return fits;
}

static ik_status add_rows(completion *c, ik_error *err)
{
    for (uint32_t i = 0; i < c->lids->num; i++) {
        const ik_lid *lid = &c->lids->of[i];
        if (lid->port == IK_NONE || lid->path || c->host_of[lid->port] == IK_NONE)
            continue;
        load_routing_row(c, c->host_of[lid->port]);
        c->unsafe_host[i] = !add_row(c, true);
        if (ik_env_cancelled(c->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

/* The graph of all that the routing's own rows depend on in lane 0. */
static ik_status make_graph(completion *c, ik_error *err)
{
    size_t n = (size_t)c->g.num_links + 1;
    uint32_t *in = ik_calloc(n, sizeof *in), *order = ik_calloc(n, sizeof *order);
    ik_status status =
        in && order ? collect(c, want_row, err) : ik_fail_memory(err, n * 8, "an order of links");
    if (status == IK_OK && sort_links(c, in, order)) {
        add_wanted(c, order);
    } else if (status == IK_OK) {
        status = collect(c, want_lane0, err);
        if (status == IK_OK) {
            sort_links(c, in, order);
            add_wanted(c, order);
            status = add_rows(c, err);
        }
    }
    free(in);
    free(order);
    return status;
}

/* ---- filling */

/* Marks the switches from which the row delivers in `seen` and puts them into the queue; returns
 * their number. path: scratch. */
static uint32_t find_delivering(completion *c)
{
    enum { UNKNOWN, YES, ON_PATH };
    uint32_t num = 0;
    memset(c->seen, UNKNOWN, c->f->num_switches);
    for (uint32_t start = 0; start < c->f->num_switches; start++) {
        uint32_t n = 0, sw = start;
        while (c->seen[sw] == UNKNOWN && is_link_next(c->next[sw])) {
            c->seen[sw] = ON_PATH;
            c->path[n++] = sw;
            sw = c->g.head[c->next[sw]];
        }
        bool delivers = c->seen[sw] == YES || c->next[sw] == NEXT_HERE;
        if (delivers && c->seen[sw] == UNKNOWN) {
            c->seen[sw] = YES;
            c->queue[num++] = sw;
        }
        while (delivers && n > 0) {
            sw = c->path[--n];
            c->seen[sw] = YES;
            c->queue[num++] = sw;
        }
    }
    return num; /* what stays ON_PATH has an entry that leads nowhere: it is kept as it is */
}

/* Extends the row from the num switches in the queue to those without an entry. checked: only by
 * links that the graph bears. Returns the switches in the queue then. */
static uint32_t extend_row(completion *c, uint32_t num, bool checked)
{
    for (uint32_t i = 0; i < num; i++) {
        uint32_t v = c->queue[i];
        for (uint32_t l = c->g.base[v]; l < c->g.base[v + 1]; l++) {
            uint32_t u = c->g.head[l], back = c->g.rev[l];
            if (c->seen[u] || c->next[u] != IK_NONE)
                continue;
            if (checked && is_link_next(c->next[v]) &&
                linkdag_add(&c->dag, back, c->next[v]) == LINKDAG_CYCLE)
                continue;
            c->next[u] = back;
            c->seen[u] = 1;
            c->queue[num++] = u;
        }
    }
    return num;
}

static void fill_host(completion *c, uint32_t index)
{
    const ik_lid *lid = &c->lids->of[index];
    uint32_t host = c->host_of[lid->port], peer = c->f->port_peer[lid->port];
    load_routing_row(c, host);
    if (is_link_next(c->next[c->f->port_node[peer]]) == false)
        c->next[c->f->port_node[peer]] = NEXT_HERE;
    uint32_t num = extend_row(c, find_delivering(c), true);
    if (extend_row(c, num, false) > num)
        c->unsafe_host[index] = true;
    c->unsafe += c->unsafe_host[index];
    store_row(c, index, c->number[peer]);
}

/* Links from a switch to where the row ends, into c->path; their number. */
static uint32_t row_path(completion *c, uint32_t sw)
{
    uint32_t n = 0;
    for (; is_link_next(c->next[sw]); sw = c->g.head[c->next[sw]])
        c->path[n++] = c->next[sw];
    return n;
}

/* A tree of its own towards a switch: breadth first, each path of a switch with hosts all or not at
 * all. Returns whether all of them fitted. */
static bool grow_tree(completion *c, uint32_t dst)
{
    uint32_t num = 1;
    memset(c->seen, 0, c->f->num_switches);
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
        c->next[sw] = IK_NONE;
    c->next[dst] = NEXT_HERE;
    c->seen[dst] = 1;
    c->queue[0] = dst;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t v = c->queue[i];
        for (uint32_t l = c->g.base[v]; l < c->g.base[v + 1]; l++) {
            uint32_t u = c->g.head[l];
            if (c->seen[u])
                continue;
            c->next[u] = c->g.rev[l];
            if (c->sends[u] && !linkdag_add_paths(&c->dag, c->path, row_path(c, u), 0, c->undo)) {
                c->next[u] = IK_NONE;
                continue;
            }
            c->seen[u] = 1;
            c->queue[num++] = u;
        }
    }
    return extend_row(c, num, false) == num;
}

/* The base LID of a host that hangs on a switch, of one whose row is safe if there is one; IK_NONE:
 * there is none. */
static uint32_t host_lid_at(const completion *c, uint32_t sw)
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
static void load_stored_row(completion *c, uint32_t index, uint32_t dst)
{
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++) {
        uint8_t out = ik_lid_tables_row(&c->t, sw)[index];
        uint32_t port = out == IK_PORT_NONE ? IK_NONE : ik_port_of_number(c->f, sw, out);
        c->next[sw] = port == IK_NONE ? IK_NONE : c->g.of_port[port];
    }
    c->next[dst] = NEXT_HERE;
}

static void fill_switch(completion *c, uint32_t index)
{
    uint32_t sw = c->lids->of[index].node, host = host_lid_at(c, sw);
    bool fits;
    if (host == IK_NONE) {
        fits = grow_tree(c, sw);
    } else {
        load_stored_row(c, host, sw);
        fits = !c->unsafe_host[host] || add_row(c, false);
        uint32_t num = find_delivering(c);
        fits &= extend_row(c, num, false) == num;
    }
    c->unsafe += !fits;
    store_row(c, index, IK_PORT_SELF);
}

static ik_status fill(completion *c, bool switches, ik_error *err)
{
    for (uint32_t i = 0; i < c->lids->num; i++) {
        const ik_lid *lid = &c->lids->of[i];
        if (lid->path || ik_is_switch(c->f, lid->node) != switches)
            continue;
        if (switches)
            fill_switch(c, i);
        else if (c->host_of[lid->port] != IK_NONE && c->f->port_peer[lid->port] != IK_NONE &&
                 ik_is_switch(c->f, ik_peer_node(c->f, lid->port)))
            fill_host(c, i);
        if (ik_env_cancelled(c->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

/* ---- setting up */

static ik_status number_ports(completion *c, ik_error *err)
{
    char name[256];
    for (uint32_t p = 0; p < c->f->port_base[c->f->num_switches]; p++) {
        unsigned number = ik_port_number(c->f, p);
        if (c->f->port_peer[p] != IK_NONE && (number > IK_PORT_NUMBER || number == 0))
            return ik_fail(
                err, IK_ERR_UNSUPPORTED,
                "%s has a port %u; forwarding tables of InfiniBand number ports from 1 to %u",
                ik_node_describe(c->f, c->f->port_node[p], name, sizeof name), number,
                IK_PORT_NUMBER);
        c->number[p] = (uint8_t)number;
    }
    return IK_OK;
}

static void find_hosts(completion *c)
{
    const ik_fabric *f = c->plan->routing->fabric;
    for (uint32_t p = 0; p < c->f->num_ports; p++)
        c->host_of[p] = IK_NONE;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t port = ik_host_port(f, h), sw = ik_host_switch(f, h);
        if (port != IK_NONE)
            c->host_of[port] = h;
        if (sw != IK_NONE)
            c->sends[sw] = true;
    }
}

static ik_status prepare(completion *c, ik_error *err)
{
    size_t switches = (size_t)c->f->num_switches + 1;
    c->host_of = ik_calloc((size_t)c->f->num_ports + 1, sizeof *c->host_of);
    c->sends = ik_calloc(switches, sizeof *c->sends);
    c->unsafe_host = ik_calloc((size_t)c->lids->num + 1, sizeof *c->unsafe_host);
    c->number = ik_calloc((size_t)c->f->port_base[c->f->num_switches] + 1, sizeof *c->number);
    c->next = ik_calloc(switches, sizeof *c->next);
    c->seen = ik_calloc(switches, sizeof *c->seen);
    c->queue = ik_calloc(switches, sizeof *c->queue);
    c->path = ik_calloc(switches, sizeof *c->path);
    c->undo = ik_calloc(switches, sizeof *c->undo);
    c->want = ik_calloc((size_t)c->g.num_links * c->dag.words + 1, sizeof *c->want);
    if (!c->host_of || !c->sends || !c->unsafe_host || !c->number || !c->next || !c->seen ||
        !c->queue || !c->path || !c->undo || !c->want)
        return ik_fail_memory(err, switches * 20, "complete tables");
    find_hosts(c);
    return number_ports(c, err);
}

static void release(completion *c)
{
    links_free(&c->g);
    linkdag_free(&c->dag);
    free(c->lft);
    free(c->host_of);
    free(c->sends);
    free(c->unsafe_host);
    free(c->number);
    free(c->next);
    free(c->seen);
    free(c->queue);
    free(c->path);
    free(c->undo);
    free(c->want);
}

ik_status ik_lid_tables_complete(const ik_plan *plan, const ik_lids *lids, const ik_env *env,
                                 ik_lid_tables *out, uint32_t *unsafe, ik_error *err)
{
    completion c = {.plan = plan, .lids = lids, .env = env, .f = lids->fabric};
    ik_status status = ik_lft_compile(plan->routing, env, &c.lft, err);
    if (status == IK_OK)
        status = links_build(c.f, &c.g, err);
    if (status == IK_OK)
        status = linkdag_init(&c.dag, &c.g, err);
    if (status == IK_OK)
        status = prepare(&c, err);
    if (status == IK_OK)
        status = ik_lid_tables_new(lids, env, &c.t, err);
    if (status == IK_OK)
        status = make_graph(&c, err);
    if (status == IK_OK)
        status = fill(&c, false, err);
    if (status == IK_OK)
        status = fill(&c, true, err);
    if (status == IK_OK) {
        *out = c.t;
        *unsafe = c.unsafe;
    } else {
        ik_lid_tables_free(&c.t);
    }
    release(&c);
    return status;
}
