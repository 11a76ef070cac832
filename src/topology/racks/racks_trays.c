/* SPDX-License-Identifier: Apache-2.0
 *
 * racks_trays.c: the trays of a floor, and in which of them a cable lies; racks and trays by name.
 */
#include "ikat/floor_plan.h"

#include <assert.h>
#include <string.h>

/* A number from 1 without leading zeros, which begins with `letter`; *text goes behind it. 0: there
 * is none. */
static uint32_t racks_trays_read(char letter, const char **text, const char *end)
{
    const char *at = *text;
    uint32_t number = 0;
    if (at == end || *at++ != letter || at == end || *at == '0')
        return 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (number > UINT32_MAX / 10 - 1)
            return 0;
        number = 10 * number + (uint32_t)(*at - '0');
    }
    *text = at;
    return number;
}

uint32_t ik_floor_find_rack(const ik_floor_plan *plan, const char *name, size_t length)
{
    const char *end = name + length;
    const uint32_t row = racks_trays_read('r', &name, end),
                   column = row ? racks_trays_read('c', &name, end) : 0;
    if (!column || name != end)
        return IK_NONE;
    for (uint32_t r = 0; r < plan->num_racks; r++)
        if (plan->racks[r].row + 1 == row && plan->racks[r].column + 1 == column)
            return r;
    return IK_NONE;
}

char *ik_tray_name(const ik_floor_plan *plan, uint32_t tray, char *buffer, size_t size)
{
    const bool across = tray >= plan->rows;
    assert(tray < plan->rows + plan->row_racks);
    snprintf(buffer, size, "%c%u", across ? 'c' : 'r', (across ? tray - plan->rows : tray) + 1);
    return buffer;
}

uint32_t ik_floor_find_tray(const ik_floor_plan *plan, const char *name, size_t length)
{
    const char *end = name + length;
    const uint32_t row = racks_trays_read('r', &name, end),
                   column = row ? 0 : racks_trays_read('c', &name, end);
    if (name != end || (!row && !column) || row > plan->rows || column > plan->row_racks)
        return IK_NONE;
    return row ? row - 1 : plan->rows + column - 1;
}

unsigned ik_floor_cable_trays(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port,
                              uint32_t trays[2])
{
    assert(port < f->num_ports && f->port_peer[port] != IK_NONE);
    const uint32_t here = plan->node_rack[f->port_node[port]],
                   there = plan->node_rack[ik_peer_node(f, port)];
    /* racks are sorted by row and column */
    const ik_rack *first = &plan->racks[here < there ? here : there],
                  *last = &plan->racks[here < there ? there : here];
    unsigned num = 0;
    if (first->column != last->column)
        trays[num++] = first->row;
    if (first->row != last->row)
        trays[num++] = plan->rows + last->column;
    return num;
}
