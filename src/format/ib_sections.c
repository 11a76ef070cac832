/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections of an InfiniBand dump that name the same identifier: one node if they agree, else as
 * many nodes with one GUID, which do happen.
 */
#include "format/ib_dump.h"

#include <stdlib.h>

/* Nodes with one identifier that are told apart. */
enum { MOST_ALIKE = 64 };

const char *ib_shown_key(const ib_file *ib, uint32_t node, int *length)
{
    slice key = ib->keys.names[ib->nodes[node].key];
    *length = (int)(key.length < 64 ? key.length : 64);
    return key.at;
}

/* The lines of a section in the order of their ports; those of one port as they stand. */
static int ib_sections_compare_ends(const void *a, const void *b)
{
    const ib_end *x = a, *y = b;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* The first line of the sorted section for this port or a higher one. */
static size_t ib_sections_first_of_port(const ib_file *ib, const ib_node *node, uint32_t port)
{
    size_t low = node->first_end, high = node->first_end + node->num_ends;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ib->ends[middle].port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Do two sections of one identifier agree: same kind, same ports, no port cabled to two places?
 * Both are sorted. A port that one section names twice is either said alike or an error that
 * ib_lay_cables() reports: its first line counts. */
static bool ib_sections_agree(const ib_file *ib, const ib_node *a, const ib_node *b)
{
    if (a->is_host != b->is_host || a->radix != b->radix)
        return false;
    for (size_t k = b->first_end; k < b->first_end + b->num_ends; k++) {
        const ib_end *y = &ib->ends[k];
        size_t i = ib_sections_first_of_port(ib, a, y->port);
        if (i == a->first_end + a->num_ends || ib->ends[i].port != y->port)
            continue;
        if (ib->ends[i].peer != y->peer || ib->ends[i].peer_port != y->peer_port)
            return false;
    }
    return true;
}

static void ib_sections_sort_section(ib_file *ib, const ib_node *node)
{
    if (node->num_ends > 1)
        qsort(ib->ends + node->first_end, node->num_ends, sizeof *ib->ends,
              ib_sections_compare_ends);
}

/* Puts a section among those of its identifier that are nodes: into one that it repeats, or as one
 * more node behind the first. Each is compared with each, and every cable that leads to them looks
 * for its own among them: their number is bounded. */
static ik_status ib_sections_place_section(ib_file *ib, uint32_t index, ik_error *err)
{
    ib_node *node = &ib->nodes[index], *first = &ib->nodes[ib->first_of[node->key]];
    unsigned others = 0;
    ib_sections_sort_section(ib, node);
    for (uint32_t other = ib->first_of[node->key]; other != IK_NONE;
         other = ib->nodes[other].next_same, others++)
        if (ib_sections_agree(ib, &ib->nodes[other], node)) {
            node->merged = true;
            node->into = other;
            ib->repeated++;
            return IK_OK;
        }
    int length;
    const char *key = ib_shown_key(ib, index, &length);
    if (others == MOST_ALIKE)
        return ik_fail_at(err, IK_ERR_INPUT, node->file, node->line, 1,
                          "more than %d sections of \"%.*s\" contradict each other; the first is "
                          "in line %u",
                          MOST_ALIKE, length, key, first->line);
    node->next_same = first->next_same;
    first->next_same = index;
    return IK_OK;
}

/* A section that repeats another is one node with it; one that contradicts it is another node with
 * the same GUID. */
ik_status ib_merge_sections(ib_file *ib, ik_error *err)
{
    for (uint32_t node = 0; node < ib->num_nodes; node++) {
        ik_status status = IK_OK;
        if (ib->nodes[node].again)
            status = ib_sections_place_section(ib, node, err);
        else if (ib->nodes[node].followed)
            ib_sections_sort_section(ib, &ib->nodes[node]);
        if (status != IK_OK)
            return status;
    }
    for (size_t i = 0; i < ib->num_ends; i++) {
        ib_end *end = &ib->ends[i];
        if (ib->nodes[end->node].merged)
            end->node = ib->nodes[end->node].into;
        if (ib->nodes[end->peer].merged) /* an alias of the repeated section leads to it */
            end->peer = ib->nodes[end->peer].into;
    }
    return IK_OK;
}
