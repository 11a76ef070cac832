/* SPDX-License-Identifier: Apache-2.0 */
#include "subnet/judge/judge.h"

#include <string.h>

/* Where the entry of one switch leads. */
static void judge_tree_read_entry(const judge *j, uint32_t sw, const ik_lid *dst, lid_tree *tree)
{
    unsigned number = ik_lid_tables_row(j->t, sw)[tree->dst];
    tree->out[sw] = tree->next[sw] = IK_NONE;
    tree->depth[sw] = 0;
    if (number == IK_PORT_SELF) {
        tree->fate[sw] = dst->node == sw ? IK_FATE_DELIVERED : IK_FATE_WRONG_PORT;
        return;
    }
    if (number == IK_PORT_NONE) {
        tree->fate[sw] = IK_FATE_NO_ENTRY;
        return;
    }
    uint32_t port = judge_out(j, sw, number);
    if (port == IK_NONE) {
        tree->fate[sw] = IK_FATE_DEAD_PORT;
        return;
    }
    uint32_t peer = j->f->port_peer[port], node = j->f->port_node[peer];
    tree->out[sw] = port;
    if (ik_is_switch(j->f, node)) {
        tree->next[sw] = node;
        tree->before[node]++;
        tree->fate[sw] = IK_FATE_LOOP; /* unless it is sorted */
    } else {
        tree->fate[sw] = peer == dst->port ? IK_FATE_DELIVERED : IK_FATE_WRONG_PORT;
    }
}

static void judge_tree_sort_switches(const judge *j, lid_tree *tree)
{
    uint32_t end = 0, num = j->f->num_switches;
    for (uint32_t sw = 0; sw < num; sw++)
        if (!tree->before[sw])
            tree->order[end++] = sw;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t next = tree->next[tree->order[i]];
        if (next != IK_NONE && --tree->before[next] == 0)
            tree->order[end++] = next;
    }
    tree->num_sorted = end;
    for (uint32_t sw = 0; sw < num && end < num; sw++)
        if (tree->before[sw])
            tree->order[end++] = sw;
}

void judge_tree(const judge *j, uint32_t dst, lid_tree *tree)
{
    memset(tree->before, 0, j->f->num_switches * sizeof *tree->before);
    tree->dst = dst;
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        judge_tree_read_entry(j, sw, &j->lids->of[dst], tree);
    judge_tree_sort_switches(j, tree);
    for (uint32_t i = tree->num_sorted; i-- > 0;) {
        uint32_t sw = tree->order[i], next = tree->next[sw];
        if (next == IK_NONE)
            continue;
        tree->fate[sw] = tree->fate[next];
        tree->depth[sw] = tree->depth[next] + 1;
    }
}
