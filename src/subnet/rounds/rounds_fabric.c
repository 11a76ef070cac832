/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds_fabric.c: nodes and cables that appeared or vanished between two rounds.
 * What is compared is what an administrator sees: GUIDs, else names, and printed numbers of ports.
 */
#include "subnet/rounds/rounds_impl.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 320 };

typedef struct rounds_node {
    uint64_t guid; /* 0: none */
    const char *name;
    uint32_t node;
} rounds_node;

/* One fabric beside the other. */
typedef struct rounds_side {
    const ik_fabric *f;
    rounds_node *nodes; /* [nodes] by GUID and name */
    uint32_t *other;    /* [nodes] the same node there, IK_NONE: there is none */
    ik_round_event event;
} rounds_side;

static int rounds_fabric_same(const rounds_node *a, const rounds_node *b)
{
    if (a->guid != b->guid)
        return a->guid < b->guid ? -1 : 1;
    return a->guid ? 0 : strcmp(a->name, b->name);
}

static int rounds_fabric_order(const void *x, const void *y)
{
    const rounds_node *a = x, *b = y;
    int order = rounds_fabric_same(a, b);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

static ik_status rounds_fabric_list(rounds_side *s, ik_error *err)
{
    uint32_t num = ik_num_nodes(s->f);
    s->nodes = ik_calloc((size_t)num + 1, sizeof *s->nodes);
    s->other = ik_calloc((size_t)num + 1, sizeof *s->other);
    if (!s->nodes || !s->other)
        return ik_fail_memory(err, num * sizeof *s->nodes, "nodes of a fabric");
    for (uint32_t node = 0; node < num; node++) {
        s->nodes[node] = (rounds_node){s->f->node_guid ? s->f->node_guid[node] : 0,
                                       s->f->node_name ? s->f->node_name[node] : "", node};
        s->other[node] = IK_NONE;
    }
    qsort(s->nodes, num, sizeof *s->nodes, rounds_fabric_order);
    return IK_OK;
}

static void rounds_fabric_match(rounds_side *a, rounds_side *b)
{
    uint32_t i = 0, j = 0, num_a = ik_num_nodes(a->f), num_b = ik_num_nodes(b->f);
    while (i < num_a && j < num_b) {
        int order = rounds_fabric_same(&a->nodes[i], &b->nodes[j]);
        if (order == 0) {
            a->other[a->nodes[i].node] = b->nodes[j].node;
            b->other[b->nodes[j].node] = a->nodes[i].node;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

/* The port of the same node and number; IK_NONE: there is none. */
static uint32_t rounds_fabric_port(const rounds_side *s, const ik_fabric *there, uint32_t port)
{
    return ik_port_of_number(there, s->other[s->f->port_node[port]], ik_port_number(s->f, port));
}

static ik_status rounds_fabric_add(const rounds_side *s, rounds_changes *c, const char *what,
                                   const char *text, ik_error *err)
{
    const char *kept = ik_arena_strdup(c->arena, text);
    const ik_round_change change = {
        s->event, s->event == IK_ROUND_VANISHED ? IK_WARNING : IK_NOTE, what, kept, kept, NULL};
    return kept ? rounds_changes_add(c, &change, err)
                : ik_fail_memory(err, strlen(text), "the changes of a round");
}

static bool rounds_fabric_has_cable(const rounds_side *s, const ik_fabric *there, uint32_t port)
{
    uint32_t here = rounds_fabric_port(s, there, port),
             end = rounds_fabric_port(s, there, s->f->port_peer[port]);
    return here != IK_NONE && end != IK_NONE && there->port_peer[here] == end;
}

/* What `s` has and the other fabric has not. */
static ik_status rounds_fabric_only(const rounds_side *s, const ik_fabric *there, rounds_changes *c,
                                    ik_error *err)
{
    const ik_fabric *f = s->f;
    char a[NAME], b[NAME], text[2 * NAME + 8];
    ik_status status = IK_OK;
    for (uint32_t node = 0; node < ik_num_nodes(f) && status == IK_OK; node++)
        if (s->other[node] == IK_NONE)
            status = rounds_fabric_add(s, c, ik_is_switch(f, node) ? "switch" : "host",
                                       ik_node_describe(f, node, a, sizeof a), err);
    for (uint32_t port = 0; port < f->num_ports && status == IK_OK; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE || peer < port || s->other[f->port_node[port]] == IK_NONE ||
            s->other[f->port_node[peer]] == IK_NONE || rounds_fabric_has_cable(s, there, port))
            continue;
        snprintf(text, sizeof text, "%s to %s", ik_port_describe(f, port, a, sizeof a),
                 ik_port_describe(f, peer, b, sizeof b));
        status = rounds_fabric_add(s, c, "cable", text, err);
    }
    return status;
}

ik_status rounds_fabric_compare(const ik_fabric *before, const ik_fabric *after, rounds_changes *c,
                                ik_error *err)
{
    rounds_side sides[2] = {{before, NULL, NULL, IK_ROUND_VANISHED},
                            {after, NULL, NULL, IK_ROUND_APPEARED}};
    ik_status status = rounds_fabric_list(&sides[0], err);
    if (status == IK_OK)
        status = rounds_fabric_list(&sides[1], err);
    if (status == IK_OK) {
        rounds_fabric_match(&sides[0], &sides[1]);
        status = rounds_fabric_only(&sides[0], after, c, err);
    }
    if (status == IK_OK)
        status = rounds_fabric_only(&sides[1], before, c, err);
    for (unsigned i = 0; i < 2; i++) {
        free(sides[i].nodes);
        free(sides[i].other);
    }
    return status;
}
