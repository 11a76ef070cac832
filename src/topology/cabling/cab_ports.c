/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences by ports: cables that are there and cables that are planned are two matchings of the
 * ports, and what one alone has forms paths and cycles in which both alternate. Along each, every
 * planned cable is made of the cable before it by moving one end; a cycle of four is two cables
 * whose ends were exchanged.
 */
#include "topology/cabling/cab_diff.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct ports {
    const ik_fabric *f, *plan;
    const uint32_t *plan_of, *fabric_of;
    uint32_t *want; /* [ports of f] the planned peer, IK_NONE */
    bool *judged;   /* [ports of f] the plan says something of this port's cable */
    bool *done;     /* [ports of f] */
    uint32_t *path; /* ports along the path or cycle */
    size_t num, cap;
    ik_cabling *out;
    ik_error *err;
} ports;

/* The fabric's port that is this one of the plan, IK_NONE: no such node or number. */
static uint32_t cab_ports_port_of_plan(const ports *s, uint32_t planned)
{
    assert(planned < s->plan->num_ports);
    uint32_t node = s->fabric_of[s->plan->port_node[planned]];
    return node == IK_NONE ? IK_NONE
                           : ik_port_of_number(s->f, node, ik_port_number(s->plan, planned));
}

static void cab_ports_find_wanted(ports *s)
{
    const ik_fabric *f = s->f, *plan = s->plan;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        s->want[port] = IK_NONE;
        s->judged[port] = s->plan_of[f->port_node[port]] != IK_NONE;
    }
    for (uint32_t planned = 0; planned < plan->num_ports; planned++) {
        uint32_t peer = plan->port_peer[planned];
        if (peer == IK_NONE || peer < planned)
            continue;
        uint32_t a = cab_ports_port_of_plan(s, planned), b = cab_ports_port_of_plan(s, peer);
        if (a != IK_NONE && b != IK_NONE) {
            s->want[a] = b;
            s->want[b] = a;
        }
    }
}

/* Is the cable at this port there but not planned? Cables to nodes that the plan does not know are
 * theirs. */
static bool cab_ports_extra_at(const ports *s, uint32_t port)
{
    uint32_t peer = s->f->port_peer[port];
    return peer != IK_NONE && s->want[port] != peer &&
           ((s->judged[port] && s->judged[peer]) || s->want[port] != IK_NONE ||
            s->want[peer] != IK_NONE);
}

static bool cab_ports_missing_at(const ports *s, uint32_t port)
{
    return s->want[port] != IK_NONE && s->f->port_peer[port] != s->want[port];
}

static bool cab_ports_append(ports *s, uint32_t port)
{
    assert(!s->done[port]); /* a port is in one path */
    if (!IK_ARRAY_ROOM(s->path, s->cap, s->num + 1))
        return false;
    s->path[s->num++] = port;
    s->done[port] = true;
    return true;
}

/* Follows the path from a port, first by a cable that is there or by a planned one. */
static bool cab_ports_follow(ports *s, uint32_t start, bool there)
{
    s->num = 0;
    uint32_t port = start;
    while (cab_ports_append(s, port)) {
        bool goes_on = there ? cab_ports_extra_at(s, port) : cab_ports_missing_at(s, port);
        uint32_t next = there ? s->f->port_peer[port] : s->want[port];
        if (!goes_on || next == start || s->done[next])
            return true;
        port = next;
        there = !there;
    }
    return false;
}

static ik_status cab_ports_add(ports *s, ik_cable_work work, uint32_t stays, uint32_t from,
                               uint32_t to, uint32_t other)
{
    return cab_change_add(s->out, (ik_cable_change){work, stays, from, to, other, false}, s->err);
}

static void cab_ports_turn_around(ports *s)
{
    for (size_t i = 0; i < s->num / 2; i++) {
        uint32_t port = s->path[i];
        s->path[i] = s->path[s->num - 1 - i];
        s->path[s->num - 1 - i] = port;
    }
}

/* `there`: the path begins with a cable that is there. Moves begin at the free end, so that
 * each finds its port free. */
static ik_status cab_ports_tell_path(ports *s, bool there)
{
    assert(s->num >= 2);
    size_t edges = s->num - 1;
    if (!there && edges % 2 == 0) {
        cab_ports_turn_around(s);
        there = true;
    }
    ik_status status = IK_OK;
    if (there && edges % 2 == 1)
        status =
            cab_ports_add(s, IK_CABLE_REMOVE, s->path[edges - 1], s->path[edges], IK_NONE, IK_NONE);
    /* pairs of a cable that is there and the planned one behind it */
    size_t first = there ? 0 : 1;
    size_t pairs = (edges - first) / 2;
    for (size_t i = pairs; i-- > 0 && status == IK_OK;) {
        const uint32_t *at = &s->path[first + 2 * i];
        status = cab_ports_add(s, IK_CABLE_MOVE, at[1], at[0], at[2], IK_NONE);
    }
    if (!there && status == IK_OK)
        status = cab_ports_add(s, IK_CABLE_ADD, s->path[0], IK_NONE, s->path[1], IK_NONE);
    return status;
}

/* path[0] - path[1] is there, path[1] - path[2] is planned, … and the last is planned with the
 * first. */
static ik_status cab_ports_tell_cycle(ports *s)
{
    ik_status status = IK_OK;
    assert(s->num % 2 == 0 && s->num >= 4);
    if (s->num == 4)
        return cab_ports_add(s, IK_CABLE_SWAP, s->path[1], s->path[0], s->path[2], s->path[3]);
    for (size_t i = 0; i < s->num && status == IK_OK; i += 2)
        status = cab_ports_add(s, IK_CABLE_MOVE, s->path[i + 1], s->path[i],
                               s->path[(i + 2) % s->num], IK_NONE);
    return status;
}

static ik_status cab_ports_tell_all(ports *s)
{
    ik_status status = IK_OK;
    for (uint32_t port = 0; port < s->f->num_ports && status == IK_OK; port++) {
        bool there = cab_ports_extra_at(s, port), planned = cab_ports_missing_at(s, port);
        if (s->done[port] || there == planned)
            continue;
        status = cab_ports_follow(s, port, there)
                     ? cab_ports_tell_path(s, there)
                     : ik_fail_memory(s->err, s->cap * 8, "moves of cables");
    }
    for (uint32_t port = 0; port < s->f->num_ports && status == IK_OK; port++) {
        if (s->done[port] || !cab_ports_extra_at(s, port))
            continue;
        status = cab_ports_follow(s, port, true)
                     ? cab_ports_tell_cycle(s)
                     : ik_fail_memory(s->err, s->cap * 8, "moves of cables");
    }
    return status;
}

static void cab_ports_count(ports *s)
{
    for (uint32_t port = 0; port < s->f->num_ports; port++) {
        s->out->wrong += cab_ports_extra_at(s, port);
        s->out->missing += cab_ports_missing_at(s, port);
    }
    s->out->wrong /= 2;
    s->out->missing /= 2;
}

ik_status cab_diff_ports(const ik_fabric *f, const ik_fabric *plan, const uint32_t *plan_of,
                         const uint32_t *fabric_of, ik_cabling *out, ik_error *err)
{
    size_t num = (size_t)f->num_ports + 1;
    ports s = {.f = f,
               .plan = plan,
               .plan_of = plan_of,
               .fabric_of = fabric_of,
               .want = ik_calloc(num, sizeof *s.want),
               .judged = ik_calloc(num, sizeof *s.judged),
               .done = ik_calloc(num, sizeof *s.done),
               .out = out,
               .err = err};
    ik_status status = s.want && s.judged && s.done
                           ? IK_OK
                           : ik_fail_memory(err, num * 6, "planned cables of ports");
    if (status == IK_OK) {
        cab_ports_find_wanted(&s);
        cab_ports_count(&s);
        status = cab_ports_tell_all(&s);
    }
    free(s.want);
    free(s.judged);
    free(s.done);
    free(s.path);
    return status;
}
