/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth-first over the switches that packets for one destination reach, with an explicit stack. A
 * switch's longest way and its flaws are final when it is left, except that inside a loop a dead
 * end may go unnoticed; the flaw is "loop" then.
 */
#include "verify/ingraph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool ingraph_make(const ik_fabric *f, const ik_routing *routing, ingraph *g)
{
    assert(ingraph_fits(routing));
    size_t num = (size_t)f->num_switches + 1, radix = ik_max_radix(f);
    *g = (ingraph){.fabric = f, .routing = routing, .words = (radix + 63) / 64};
    g->nodes = ik_calloc(num, sizeof *g->nodes);
    g->ports = ik_calloc(num * (g->words + 1), sizeof *g->ports);
    g->stack = ik_calloc(num, sizeof *g->stack);
    g->left = ik_calloc(num, sizeof *g->left);
    g->out = ik_calloc(radix + 1, sizeof *g->out);
    return g->nodes && g->ports && g->stack && g->left && g->out;
}

void ingraph_free(ingraph *g)
{
    free(g->nodes);
    free(g->ports);
    free(g->stack);
    free(g->left);
    free(g->out);
}

void ingraph_begin(ingraph *g, uint32_t dst)
{
    assert(dst < g->fabric->num_hosts);
    g->dst = dst;
    g->epoch++;
    g->num_left = 0;
}

/* Are the ports of a switch for dst those that it is known to have? Notes the one that is preferred
 * now. */
static bool ingraph_same_ports(ingraph *g, uint32_t sw, uint32_t dst)
{
    const ik_fabric *f = g->fabric;
    const uint64_t *known = ingraph_ports(g, sw);
    ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
    uint32_t preferred = 0, num_known = 0, num_found = 0;
    uint32_t num =
        g->routing->family->next(g->routing, sw, f->port_base[sw], &pk, g->out, &preferred);
    bool same = num > 0 && g->nodes[sw].flaws == 0;
    g->nodes[sw].preferred_port = IK_NONE;
    for (uint32_t i = 0; same && i < num; i++) {
        uint32_t peer = ik_peer_node(f, g->out[i]), local = g->out[i] - f->port_base[sw];
        if (peer != IK_NONE && ik_is_switch(f, peer)) {
            same = known[local / 64] >> local % 64 & 1;
            num_found++;
            g->nodes[sw].preferred_port = i == preferred ? local : g->nodes[sw].preferred_port;
        } else {
            same = peer != IK_NONE && ik_node_host(f, peer) == dst;
        }
    }
    for (size_t word = 0; word < g->words; word++)
        num_known += (uint32_t)__builtin_popcountll(known[word]);
    return same && num_found == num_known;
}

bool ingraph_again(ingraph *g, uint32_t dst)
{
    if (g->epoch == 0 || g->num_left == 0)
        return false;
    for (uint32_t i = 0; i < g->num_left; i++)
        if (!ingraph_same_ports(g, g->left[i], dst))
            return false;
    for (uint32_t i = 0; i < g->num_left; i++) { /* a switch was left after those behind it */
        uint32_t sw = g->left[i];
        ingraph_node *n = &g->nodes[sw];
        uint32_t port =
            n->preferred_port == IK_NONE ? IK_NONE : g->fabric->port_base[sw] + n->preferred_port;
        n->preferred = port == IK_NONE ? 0 : g->nodes[ik_peer_node(g->fabric, port)].preferred + 1;
    }
    g->dst = dst;
    return true;
}

/* Asks the routing for the ports of a switch not seen yet for this destination. */
static void ingraph_open_switch(ingraph *g, uint32_t sw)
{
    assert(g->epoch > 0 && sw < g->fabric->num_switches);
    const ik_fabric *f = g->fabric;
    uint64_t *ports = g->ports + sw * g->words;
    ingraph_node *n = &g->nodes[sw];
    *n = (ingraph_node){.epoch = g->epoch, .open = true, .preferred_port = IK_NONE};
    memset(ports, 0, g->words * sizeof *ports);
    ik_packet pk = {.src = g->dst, .dst = g->dst, .via = IK_NONE};
    uint32_t preferred = 0;
    uint32_t num =
        g->routing->family->next(g->routing, sw, f->port_base[sw], &pk, g->out, &preferred);
    n->flaws = num == 0 ? WALK_DEAD_END : 0;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t peer = ik_peer_node(f, g->out[i]);
        uint32_t local = g->out[i] - f->port_base[sw];
        if (peer != IK_NONE && ik_is_switch(f, peer)) {
            ports[local / 64] |= (uint64_t)1 << local % 64;
            n->preferred_port = i == preferred ? local : n->preferred_port;
        } else if (peer == IK_NONE || ik_node_host(f, peer) != g->dst) {
            n->flaws |= WALK_DEAD_END;
        }
    }
    g->stack[g->num_stack++] = sw;
}

uint32_t ingraph_next_port(const uint64_t *ports, size_t words, uint32_t *cursor)
{
    for (size_t word = *cursor / 64; word < words; word++, *cursor = (uint32_t)word * 64) {
        uint64_t bits = ports[word] & ~(uint64_t)0 << *cursor % 64;
        if (bits) {
            uint32_t port = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            *cursor = port + 1;
            return port;
        }
    }
    return IK_NONE;
}

static void ingraph_absorb(ingraph_node *n, const ingraph_node *behind, bool preferred)
{
    n->flaws |= behind->flaws | (behind->open ? WALK_LOOP : 0);
    n->longest = behind->longest + 1 > n->longest ? behind->longest + 1 : n->longest;
    if (preferred)
        n->preferred = behind->preferred + 1;
}

void ingraph_follow(ingraph *g, uint32_t sw_in)
{
    const ik_fabric *f = g->fabric;
    if (ingraph_knows(g, sw_in))
        return;
    ingraph_open_switch(g, sw_in);
    while (g->num_stack > 0) {
        uint32_t sw = g->stack[g->num_stack - 1];
        ingraph_node *n = &g->nodes[sw];
        uint32_t before = n->cursor;
        uint32_t port = ingraph_next_port(g->ports + sw * g->words, g->words, &n->cursor);
        if (port == IK_NONE) {
            n->open = false;
            g->left[g->num_left++] = sw;
            g->num_stack--;
            continue;
        }
        uint32_t peer = ik_peer_node(f, f->port_base[sw] + port);
        if (g->nodes[peer].epoch != g->epoch) {
            n->cursor = before; /* come back to this port once the peer is done */
            ingraph_open_switch(g, peer);
            continue;
        }
        ingraph_absorb(n, &g->nodes[peer], port == n->preferred_port);
    }
}
