/* SPDX-License-Identifier: Apache-2.0
 *
 * update_order.c: may switches with old and with new tables stand beside each other?
 *
 * While tables are replaced, each switch has its old or its new one, or, since a table is sent in
 * blocks of 64 LIDs, parts of both; and packets that left by old entries are under way. If the
 * dependencies of old and new entries together (for each LID, every entry of a switch that a host's
 * packet can come to, with every entry of the next) have no cycle, no mixture can have one, and no
 * forwarding loop. Otherwise switches are updated in batches: those of the batch have old and new
 * entries together, those of earlier ones new and the others old entries alone, and that must have
 * no cycle: then neither the order within the batch nor packets in flight matter, as long as these
 * leave before the next batch begins.
 *
 * A batch takes in as many switches as it can: all that are left are tried at once, then halves.
 * Dependencies are counted by the LIDs that have them, so that a switch is changed in the time of
 * its changed entries; what they come to is judged by sorting the channels. The search is greedy:
 * it may find no batches where there are some. */
#include "routing/graph/links.h"
#include "subnet/deploy/update.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SORTS = 20000, HAS_OLD = 1, HAS_NEW = 2, EQUAL_LIDS = 64 };

typedef struct mixing {
    const ik_fabric *f;
    const ik_lids *lids;
    const ik_env *env;
    links g;
    const ik_lid_tables *old, *new;
    uint32_t *hosts; /* [num_hosts] indexes of hosts' LIDs, first those whose entries change */
    uint32_t num_hosts, num_changed;
    uint32_t *entrances; /* [num_entrances] switches with hosts */
    uint32_t num_entrances;
    uint32_t *link_of;    /* [switch][256] link of an entry, IK_NONE */
    uint64_t *reached;    /* [num_changed][words] switches that packets for the LID can come to */
    size_t words;         /* of num_switches bits */
    uint8_t *has;         /* [switch] HAS_OLD, HAS_NEW, or both */
    uint32_t *list;       /* [switch] those that have to change and have not, in this round */
    uint32_t *count;      /* [link][max_degree] LIDs with this dependency */
    uint32_t *equal;      /* the same of LIDs whose entries do not change */
    uint32_t *in, *order; /* [link] scratch of sorting */
    uint32_t *queue;      /* [switch] */
    uint32_t sorts;
} mixing;

static uint32_t update_order_next_link(const mixing *m, const ik_lid_tables *t, uint32_t sw,
                                       uint32_t lid)
{
    return m->link_of[(size_t)sw * 256 + ik_lid_tables_row(t, sw)[lid]];
}

/* The links of the entries that a switch has for a LID, each once. */
static unsigned update_order_present(const mixing *m, uint32_t sw, uint32_t lid, uint32_t link[2])
{
    unsigned num = 0;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t next = m->has[sw] & (k ? HAS_NEW : HAS_OLD)
                            ? update_order_next_link(m, k ? m->new : m->old, sw, lid)
                            : IK_NONE;
        if (next != IK_NONE && (num == 0 || link[0] != next))
            link[num++] = next;
    }
    return num;
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

/* Adds `by` to the dependencies of one LID that lead on from a link into these. */
static void update_order_count_on(mixing *m, uint32_t from, const uint32_t *to, unsigned num,
                                  uint32_t by)
{
    for (unsigned i = 0; i < num; i++)
        *update_order_counter(m, from, to[i]) += by;
}

/* Adds `by` to the dependencies of one LID that go through a switch: into it, and on from it. */
static void update_order_count_through(mixing *m, uint32_t host, uint32_t sw, uint32_t by)
{
    uint32_t lid = m->hosts[host], out[2], other[2];
    unsigned num = update_order_present(m, sw, lid, out);
    if (!num || !update_order_is_reached(m, host, sw))
        return;
    for (uint32_t l = m->g.base[sw]; l < m->g.base[sw + 1]; l++) {
        uint32_t u = m->g.head[l], in = m->g.rev[l];
        unsigned others =
            update_order_is_reached(m, host, u) ? update_order_present(m, u, lid, other) : 0;
        for (unsigned k = 0; k < others; k++)
            if (other[k] == in)
                update_order_count_on(m, in, out, num, by);
    }
    for (unsigned k = 0; k < num; k++) {
        unsigned others = update_order_present(m, m->g.head[out[k]], lid, other);
        update_order_count_on(m, out[k], other, others, by);
    }
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

/* ---- LIDs whose entries do not change: most, so they are counted once, and some together, for
 * the entries of a switch are in its row */

/* next: [num][switch] links, of the LIDs from hosts[first] on. */
static void update_order_find_links(const mixing *m, uint32_t first, uint32_t num, uint32_t *next)
{
    uint32_t switches = m->f->num_switches;
    for (uint32_t sw = 0; sw < switches; sw++) {
        const uint8_t *row = ik_lid_tables_row(m->old, sw);
        const uint32_t *link_of = m->link_of + (size_t)sw * 256;
        for (uint32_t k = 0; k < num; k++)
            next[(size_t)k * switches + sw] = link_of[row[m->hosts[first + k]]];
    }
}

/* Counts the dependencies of one LID on its ways from the switches with hosts. seen: [switch], of
 * which none is `stamp`. */
static void update_order_count_ways(mixing *m, const uint32_t *next, uint32_t *seen, uint32_t stamp)
{
    for (uint32_t e = 0; e < m->num_entrances; e++) {
        uint32_t sw = m->entrances[e], link = next[sw];
        while (link != IK_NONE && seen[sw] != stamp) {
            uint32_t head = m->g.head[link], onward = next[head];
            seen[sw] = stamp;
            if (onward != IK_NONE)
                m->equal[(size_t)link * m->g.max_degree + (onward - m->g.base[head])]++;
            sw = head;
            link = onward;
        }
    }
}

static ik_status update_order_count_equal(mixing *m, ik_error *err)
{
    size_t switches = m->f->num_switches;
    uint32_t *next = ik_calloc(switches + 1, EQUAL_LIDS * sizeof *next),
             *seen = ik_calloc(switches + 1, sizeof *seen);
    ik_status status = next && seen ? IK_OK
                                    : ik_fail_memory(err, switches * EQUAL_LIDS * sizeof *next,
                                                     "links of installed entries");
    for (uint32_t first = m->num_changed; status == IK_OK && first < m->num_hosts;
         first += EQUAL_LIDS) {
        uint32_t left = m->num_hosts - first, num = left < EQUAL_LIDS ? left : EQUAL_LIDS;
        update_order_find_links(m, first, num, next);
        for (uint32_t k = 0; k < num; k++)
            update_order_count_ways(m, next + k * switches, seen, first + k + 1);
        if (ik_env_cancelled(m->env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    free(next);
    free(seen);
    return status;
}

/* ---- batches */

/* Counts the dependencies of the entries that switches have. */
static void update_order_count_all(mixing *m)
{
    memcpy(m->count, m->equal, (size_t)m->g.num_links * m->g.max_degree * sizeof *m->count);
    for (uint32_t host = 0; host < m->num_changed; host++)
        for (uint32_t sw = 0; sw < m->f->num_switches; sw++) {
            uint32_t out[2], onward[2];
            unsigned num = update_order_is_reached(m, host, sw)
                               ? update_order_present(m, sw, m->hosts[host], out)
                               : 0;
            for (unsigned k = 0; k < num; k++) {
                unsigned ons = update_order_present(m, m->g.head[out[k]], m->hosts[host], onward);
                update_order_count_on(m, out[k], onward, ons, 1);
            }
        }
}

static void update_order_change_switch(mixing *m, uint32_t sw, uint8_t has)
{
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t host = 0; host < m->num_changed; host++)
            if (ik_lid_tables_row(m->old, sw)[m->hosts[host]] !=
                ik_lid_tables_row(m->new, sw)[m->hosts[host]])
                update_order_count_through(m, host, sw, k ? 1 : UINT32_MAX);
        if (k == 0)
            m->has[sw] = has;
    }
}

static bool update_order_changes(const mixing *m, uint32_t sw)
{
    return memcmp(ik_lid_tables_row(m->old, sw), ik_lid_tables_row(m->new, sw), m->lids->num) != 0;
}

/* Takes switches of the list into the batch: all of them, or those of either half that can be. */
static void update_order_take(mixing *m, const uint32_t *list, uint32_t num)
{
    if (num == 0 || m->sorts >= MOST_SORTS)
        return;
    for (uint32_t i = 0; i < num; i++)
        update_order_change_switch(m, list[i], HAS_OLD | HAS_NEW);
    if (update_order_is_acyclic(m))
        return;
    for (uint32_t i = 0; i < num; i++)
        update_order_change_switch(m, list[i], HAS_OLD);
    if (num == 1)
        return;
    update_order_take(m, list, num / 2);
    update_order_take(m, list + num / 2, num - num / 2);
}

/* The next batch, which is then updated; false: there is none. */
static bool update_order_next_batch(mixing *m, ik_deploy_update *u)
{
    uint32_t left = 0, first = u->num_order;
    for (uint32_t sw = 0; sw < m->f->num_switches; sw++)
        if (m->has[sw] == HAS_OLD && update_order_changes(m, sw))
            m->list[left++] = sw;
    update_order_take(m, m->list, left);
    for (uint32_t i = 0; i < left; i++) {
        if (m->has[m->list[i]] == HAS_OLD)
            continue;
        update_order_change_switch(m, m->list[i], HAS_NEW);
        u->batch[u->num_order] = u->num_batches;
        u->order[u->num_order++] = m->list[i];
    }
    u->num_batches += u->num_order > first;
    return u->num_order > first;
}

static ik_status seek_order(mixing *m, ik_deploy_update *u, ik_error *err)
{
    u->order = ik_calloc((size_t)u->switches + 1, sizeof *u->order);
    u->batch = ik_calloc((size_t)u->switches + 1, sizeof *u->batch);
    if (!u->order || !u->batch)
        return ik_fail_memory(err, u->switches * sizeof *u->order, "an order of switches");
    memset(m->has, HAS_OLD, m->f->num_switches);
    update_order_count_all(m);
    if (!update_order_is_acyclic(m)) {
        u->mixing = IK_MIXING_OLD_LOOPS;
        return IK_OK;
    }
    while (u->num_order < u->switches && update_order_next_batch(m, u))
        if (ik_env_cancelled(m->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
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

/* changes: [lids->num], false so far. */
static void update_order_find_changes(const mixing *m, bool *changes)
{
    enum { SOME = 256 };
    for (uint32_t sw = 0; sw < m->f->num_switches; sw++)
        for (uint32_t first = 0; first < m->lids->num; first += SOME) {
            const uint8_t *a = ik_lid_tables_row(m->old, sw), *b = ik_lid_tables_row(m->new, sw);
            uint32_t end = m->lids->num - first < SOME ? m->lids->num : first + SOME;
            if (memcmp(a + first, b + first, end - first) == 0)
                continue;
            for (uint32_t i = first; i < end; i++)
                changes[i] |= a[i] != b[i];
        }
}

static ik_status update_order_list_hosts(mixing *m, ik_error *err)
{
    bool *changes = ik_calloc((size_t)m->lids->num + 1, sizeof *changes);
    m->hosts = ik_calloc((size_t)m->lids->num + 1, sizeof *m->hosts);
    if (!changes || !m->hosts) {
        free(changes);
        return ik_fail_memory(err, m->lids->num * 5, "LIDs whose entries change");
    }
    update_order_find_changes(m, changes);
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < m->lids->num; i++)
            if (m->lids->of[i].port != IK_NONE && changes[i] == (k == 0))
                m->hosts[m->num_hosts++] = i;
        m->num_changed = k ? m->num_changed : m->num_hosts;
    }
    free(changes);
    return IK_OK;
}

static void update_order_list_links(mixing *m)
{
    for (size_t i = 0; i < (size_t)m->f->num_switches * 256; i++)
        m->link_of[i] = IK_NONE;
    for (uint32_t l = 0; l < m->g.num_links; l++) {
        unsigned number = ik_port_number(m->f, m->g.port[l]);
        if (number != IK_PORT_SELF && number < IK_PORT_NONE)
            m->link_of[(size_t)m->g.tail[l] * 256 + number] = l;
    }
}

static ik_status update_order_prepare(mixing *m, ik_error *err)
{
    size_t switches = (size_t)m->f->num_switches + 1, n = (size_t)m->g.num_links + 1;
    m->words = switches / 64 + 1;
    m->entrances = ik_calloc(switches, sizeof *m->entrances);
    m->link_of = ik_calloc(switches, 256 * sizeof *m->link_of);
    m->reached = ik_calloc((size_t)m->num_changed + 1, m->words * sizeof *m->reached);
    m->has = ik_calloc(switches, 1);
    m->list = ik_calloc(switches, sizeof *m->list);
    m->count = ik_calloc(n, ((size_t)m->g.max_degree + 1) * sizeof *m->count);
    m->equal = ik_calloc(n, ((size_t)m->g.max_degree + 1) * sizeof *m->equal);
    m->in = ik_calloc(n, sizeof *m->in);
    m->order = ik_calloc(n, sizeof *m->order);
    m->queue = ik_calloc(switches, sizeof *m->queue);
    if (!m->entrances || !m->link_of || !m->reached || !m->has || !m->list || !m->count ||
        !m->equal || !m->in || !m->order || !m->queue)
        return ik_fail_memory(err, n * m->g.max_degree * 8, "dependencies of two tables");
    update_order_list_entrances(m);
    update_order_list_links(m);
    return IK_OK;
}

static void update_order_release(mixing *m)
{
    links_free(&m->g);
    free(m->hosts);
    free(m->entrances);
    free(m->link_of);
    free(m->reached);
    free(m->has);
    free(m->list);
    free(m->count);
    free(m->equal);
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
        status = update_order_list_hosts(&m, err);
    if (status == IK_OK)
        status = update_order_prepare(&m, err);
    if (status == IK_OK)
        status = update_order_count_equal(&m, err);
    for (uint32_t host = 0; status == IK_OK && host < m.num_changed; host++)
        update_order_find_reached(&m, host);
    if (status == IK_OK) {
        memset(m.has, HAS_OLD | HAS_NEW, m.f->num_switches);
        update_order_count_all(&m);
        if (update_order_is_acyclic(&m))
            u->mixing = IK_MIXING_SAFE;
        else
            status = seek_order(&m, u, err);
    }
    update_order_release(&m);
    return status;
}
