/* SPDX-License-Identifier: Apache-2.0
 *
 * update_order.c: may switches with old and with new tables stand beside each other?
 *
 * While tables are replaced, each switch has its old or its new one. If the dependencies of old
 * and new entries together (for each LID, every entry of a switch that a host's packet can come
 * to, with every entry of the next) have no cycle, no mixture can have one, and no forwarding
 * loop. Otherwise an order is sought switch by switch: the next one is any after whose change
 * there is no cycle. Dependencies are counted by the LIDs that have them, so that a switch is
 * changed in the time of its changed entries; its state is judged by sorting the channels. The
 * search is greedy: it may find no order where there is one. */
#include "routing/graph/links.h"
#include "subnet/deploy/update.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SORTS = 20000 };

typedef struct mixing {
    const ik_fabric *f;
    const ik_lids *lids;
    const ik_env *env;
    links g;
    const ik_lid_tables *old, *new;
    uint32_t *hosts; /* [num_hosts] indexes of hosts' LIDs */
    uint32_t num_hosts;
    uint32_t *entrances; /* [num_entrances] switches with hosts */
    uint32_t num_entrances;
    uint32_t *link_of;    /* [switch][256] link of a printed port, IK_NONE */
    uint64_t *reached;    /* [num_hosts][words] switches that packets for the LID can come to */
    size_t words;         /* of num_switches bits */
    uint8_t *updated;     /* [switch] has its new table */
    uint32_t *count;      /* [link][max_degree] LIDs with this dependency */
    uint32_t *in, *order; /* [link] scratch of sorting */
    uint32_t *queue;      /* [switch] */
    uint32_t sorts;
} mixing;

static uint32_t update_order_next_link(const mixing *m, const ik_lid_tables *t, uint32_t sw,
                                       uint32_t lid)
{
    uint8_t out = ik_lid_tables_row(t, sw)[lid];
    return out == IK_PORT_SELF || out == IK_PORT_NONE ? IK_NONE
                                                      : m->link_of[(size_t)sw * 256 + out];
}

static uint32_t update_order_present_link(const mixing *m, uint32_t sw, uint32_t lid)
{
    return update_order_next_link(m, m->updated[sw] ? m->new : m->old, sw, lid);
}

static bool update_order_is_reached(const mixing *m, uint32_t host, uint32_t sw)
{
    return m->reached[host * m->words + sw / 64] >> (sw % 64) & 1;
}

/* Switches that a packet for one LID can come to from a host, by old or new entries. */
static void update_order_find_reached(mixing *m, uint32_t host)
{
    uint64_t *reached = m->reached + host * m->words;
    uint32_t num = 0;
    for (; num < m->num_entrances; num++) {
        uint32_t sw = m->entrances[num];
        reached[sw / 64] |= 1ULL << (sw % 64);
        m->queue[num] = sw;
    }
    for (uint32_t i = 0; i < num; i++)
        for (unsigned k = 0; k < 2; k++) {
            uint32_t link =
                update_order_next_link(m, k ? m->new : m->old, m->queue[i], m->hosts[host]);
            uint32_t sw = link == IK_NONE ? IK_NONE : m->g.head[link];
            if (sw == IK_NONE || update_order_is_reached(m, host, sw))
                continue;
            reached[sw / 64] |= 1ULL << (sw % 64);
            m->queue[num++] = sw;
        }
}

static uint32_t *update_order_counter(mixing *m, uint32_t from, uint32_t to)
{
    return &m->count[(size_t)from * m->g.max_degree + (to - m->g.base[m->g.head[from]])];
}

/* Adds `by` to the dependencies of one LID that go through a switch: into it, and on from it. */
static void update_order_count_through(mixing *m, uint32_t host, uint32_t sw, uint32_t by)
{
    uint32_t lid = m->hosts[host], out = update_order_present_link(m, sw, lid);
    if (out == IK_NONE || !update_order_is_reached(m, host, sw))
        return;
    for (uint32_t l = m->g.base[sw]; l < m->g.base[sw + 1]; l++) {
        uint32_t u = m->g.head[l], in = m->g.rev[l];
        if (update_order_is_reached(m, host, u) && update_order_present_link(m, u, lid) == in)
            *update_order_counter(m, in, out) += by;
    }
    uint32_t onward = update_order_present_link(m, m->g.head[out], lid);
    if (onward != IK_NONE)
        *update_order_counter(m, out, onward) += by;
}

/* No cycle? Channels without a predecessor are taken away until none is left. */
static bool update_order_is_acyclic(mixing *m)
{
    uint32_t n = m->g.num_links, num = 0;
    m->sorts++;
    memset(m->in, 0, n * sizeof *m->in);
    for (uint32_t l = 0; l < n; l++) {
        uint32_t head = m->g.head[l], degree = m->g.base[head + 1] - m->g.base[head];
        for (uint32_t i = 0; i < degree; i++)
            m->in[m->g.base[head] + i] += m->count[(size_t)l * m->g.max_degree + i] != 0;
    }
    for (uint32_t l = 0; l < n; l++)
        if (m->in[l] == 0)
            m->order[num++] = l;
    for (uint32_t at = 0; at < num; at++) {
        uint32_t l = m->order[at], head = m->g.head[l];
        uint32_t degree = m->g.base[head + 1] - m->g.base[head];
        for (uint32_t i = 0; i < degree; i++)
            if (m->count[(size_t)l * m->g.max_degree + i] && --m->in[m->g.base[head] + i] == 0)
                m->order[num++] = m->g.base[head] + i;
    }
    return num == n;
}

/* ---- the three questions */

/* Counts the dependencies of all mixtures, or of old tables alone. */
static void update_order_count_all(mixing *m, bool both)
{
    memset(m->count, 0, (size_t)m->g.num_links * m->g.max_degree * sizeof *m->count);
    for (uint32_t host = 0; host < m->num_hosts; host++)
        for (uint32_t sw = 0; sw < m->f->num_switches; sw++) {
            if (!update_order_is_reached(m, host, sw))
                continue;
            for (unsigned k = 0; k < (both ? 4u : 1u); k++) {
                uint32_t lid = m->hosts[host],
                         out = update_order_next_link(m, k & 1 ? m->new : m->old, sw, lid);
                uint32_t onward =
                    out == IK_NONE
                        ? IK_NONE
                        : update_order_next_link(m, k & 2 ? m->new : m->old, m->g.head[out], lid);
                if (onward != IK_NONE)
                    ++*update_order_counter(m, out, onward);
            }
        }
}

static void update_order_change_switch(mixing *m, uint32_t sw, bool to_new)
{
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t host = 0; host < m->num_hosts; host++)
            if (ik_lid_tables_row(m->old, sw)[m->hosts[host]] !=
                ik_lid_tables_row(m->new, sw)[m->hosts[host]])
                update_order_count_through(m, host, sw, k ? 1 : UINT32_MAX);
        if (k == 0)
            m->updated[sw] = to_new;
    }
}

static bool update_order_changes(const mixing *m, uint32_t sw)
{
    return memcmp(ik_lid_tables_row(m->old, sw), ik_lid_tables_row(m->new, sw), m->lids->num) != 0;
}

/* The next switch after whose change there is no cycle, IK_NONE if there is none. */
static uint32_t update_order_next_switch(mixing *m)
{
    for (uint32_t sw = 0; sw < m->f->num_switches && m->sorts < MOST_SORTS; sw++) {
        if (m->updated[sw] || !update_order_changes(m, sw))
            continue;
        update_order_change_switch(m, sw, true);
        if (update_order_is_acyclic(m))
            return sw;
        update_order_change_switch(m, sw, false);
    }
    return IK_NONE;
}

static ik_status seek_order(mixing *m, ik_deploy_update *u, ik_error *err)
{
    u->order = ik_calloc((size_t)u->switches + 1, sizeof *u->order);
    if (!u->order)
        return ik_fail_memory(err, u->switches * sizeof *u->order, "an order of switches");
    update_order_count_all(m, false);
    if (!update_order_is_acyclic(m)) {
        u->mixing = IK_MIXING_OLD_LOOPS;
        return IK_OK;
    }
    while (u->num_order < u->switches) {
        uint32_t sw = update_order_next_switch(m);
        if (ik_env_cancelled(m->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        if (sw == IK_NONE)
            break;
        u->order[u->num_order++] = sw;
    }
    u->mixing = u->num_order == u->switches ? IK_MIXING_ORDER : IK_MIXING_NO_ORDER;
    return IK_OK;
}

/* ---- setting up */

static void update_order_list_entrances(mixing *m)
{
    const ik_fabric *f = m->f;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        bool has_host = false;
        for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
            uint32_t peer = ik_peer_node(f, p);
            has_host |= peer != IK_NONE && !ik_is_switch(f, peer);
        }
        if (has_host)
            m->entrances[m->num_entrances++] = sw;
    }
}

static void update_order_list_hosts(mixing *m)
{
    for (uint32_t i = 0; i < m->lids->num; i++)
        if (m->lids->of[i].port != IK_NONE)
            m->hosts[m->num_hosts++] = i;
    for (size_t i = 0; i < (size_t)m->f->num_switches * 256; i++)
        m->link_of[i] = IK_NONE;
    for (uint32_t l = 0; l < m->g.num_links; l++) {
        unsigned number = ik_port_number(m->f, m->g.port[l]);
        if (number < 256)
            m->link_of[(size_t)m->g.tail[l] * 256 + number] = l;
    }
}

static ik_status update_order_prepare(mixing *m, ik_error *err)
{
    size_t switches = (size_t)m->f->num_switches + 1, n = (size_t)m->g.num_links + 1;
    m->words = switches / 64 + 1;
    m->hosts = ik_calloc((size_t)m->lids->num + 1, sizeof *m->hosts);
    m->entrances = ik_calloc(switches, sizeof *m->entrances);
    m->link_of = ik_calloc(switches, 256 * sizeof *m->link_of);
    m->reached = ik_calloc((size_t)m->lids->num + 1, m->words * sizeof *m->reached);
    m->updated = ik_calloc(switches, 1);
    m->count = ik_calloc(n, ((size_t)m->g.max_degree + 1) * sizeof *m->count);
    m->in = ik_calloc(n, sizeof *m->in);
    m->order = ik_calloc(n, sizeof *m->order);
    m->queue = ik_calloc(switches, sizeof *m->queue);
    if (!m->hosts || !m->entrances || !m->link_of || !m->reached || !m->updated || !m->count ||
        !m->in || !m->order || !m->queue)
        return ik_fail_memory(err, n * m->g.max_degree * 4, "dependencies of two tables");
    update_order_list_entrances(m);
    update_order_list_hosts(m);
    return IK_OK;
}

static void update_order_release(mixing *m)
{
    links_free(&m->g);
    free(m->hosts);
    free(m->entrances);
    free(m->link_of);
    free(m->reached);
    free(m->updated);
    free(m->count);
    free(m->in);
    free(m->order);
    free(m->queue);
}

ik_status update_find_order(const ik_lid_tables *old, const ik_lid_tables *new, const ik_env *env,
                            ik_deploy_update *u, ik_error *err)
{
    mixing m = {.f = old->lids->fabric, .lids = old->lids, .env = env, .old = old, .new = new};
    ik_status status = links_build(m.f, &m.g, err);
    if (status == IK_OK)
        status = update_order_prepare(&m, err);
    for (uint32_t host = 0; status == IK_OK && host < m.num_hosts; host++)
        update_order_find_reached(&m, host);
    if (status == IK_OK) {
        update_order_count_all(&m, true);
        if (update_order_is_acyclic(&m))
            u->mixing = IK_MIXING_SAFE;
        else
            status = seek_order(&m, u, err);
    }
    update_order_release(&m);
    return status;
}
