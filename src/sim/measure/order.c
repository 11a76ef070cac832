/* SPDX-License-Identifier: Apache-2.0
 *
 * Order of flows, for the paranoid checks: each host keeps the latest stamp seen from each source
 * in a hash table. */
#include "sim/measure/order.h"
#include <stdlib.h>

typedef struct order_entry {
    uint32_t src;
    uint64_t stamp; /* + 1; 0 = free */
} order_entry;

static order_entry *order_find_entry(order_entry *entries, uint32_t cap, uint32_t src)
{
    uint32_t at = (src * 2654435761u) & (cap - 1);
    while (entries[at].stamp && entries[at].src != src)
        at = (at + 1) & (cap - 1);
    return &entries[at];
}

static bool order_grow(order_table *t)
{
    uint32_t cap = t->cap ? t->cap * 2 : 16;
    order_entry *entries = ik_calloc(cap, sizeof *entries);
    if (!entries)
        return false;
    for (uint32_t k = 0; k < t->cap; k++)
        if (t->entries[k].stamp)
            *order_find_entry(entries, cap, t->entries[k].src) = t->entries[k];
    free(t->entries);
    t->entries = entries;
    t->cap = cap;
    return true;
}

order_verdict sim_order_note(order_table *t, uint32_t src, uint64_t stamp)
{
    if (t->used * 2 >= t->cap && !order_grow(t))
        return ORDER_NO_MEMORY;
    order_entry *e = order_find_entry(t->entries, t->cap, src);
    if (!e->stamp)
        t->used++;
    e->src = src;
    if (stamp + 1 < e->stamp)
        return ORDER_BROKEN;
    e->stamp = stamp + 1;
    return ORDER_KEPT;
}

void sim_order_carry(order_table *tables, uint32_t num_hosts, sim_carrier *c)
{
    for (uint32_t host = 0; host < num_hosts; host++) {
        SIM_CARRY(c, tables[host].cap);
        SIM_CARRY(c, tables[host].used);
        SIM_CARRY_GROWN(c, tables[host].entries, tables[host].cap, tables[host].cap);
    }
}

void sim_order_free(order_table *tables, uint32_t num_hosts)
{
    for (uint32_t host = 0; tables && host < num_hosts; host++)
        free(tables[host].entries);
    free(tables);
}
