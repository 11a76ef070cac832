/* SPDX-License-Identifier: Apache-2.0
 *
 * nas_partners.h: who exchanges with whom in the NAS Parallel Benchmarks (D. Bailey et al.,
 * NAS-95-020): shared by endless patterns and workloads. */
#ifndef IK_NAS_PARTNERS_H
#define IK_NAS_PARTNERS_H

#include "ikat/traffic.h"

/* The largest L with 2^L <= n; n > 0. */
static inline unsigned nas_partners_nas_log2(uint64_t n)
{
    unsigned bits = 0;
    while (n >>= 1)
        bits++;
    return bits;
}

static inline bool nas_partners_nas_is_power(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* ---- CG: 2^L processes on 2^floor(L/2) rows and 2^ceil(L/2) columns (setup_proc_info) */

static inline unsigned nas_partners_cg_reductions(uint32_t processes)
{
    return (nas_partners_nas_log2(processes) + 1) / 2;
}

/* Partner in the transpose of a rows x columns grid, columns = rows or 2 * rows. */
static inline uint32_t nas_partners_cg_transposed(uint32_t me, uint32_t rows, uint32_t columns)
{
    if (rows == columns)
        return me % rows * rows + me / rows;
    return 2 * (me / 2 % rows * rows + me / 2 / rows) + me % 2;
}

/* Phases 1 … cg_reductions: reduction along the row; one more: the transpose, in which some are
 * their own partners. */
static inline uint32_t cg_partner(uint32_t processes, unsigned phase, uint32_t me)
{
    unsigned bits = nas_partners_nas_log2(processes);
    if (phase <= nas_partners_cg_reductions(processes))
        return me ^ (uint32_t)1 << (phase - 1);
    return nas_partners_cg_transposed(me, (uint32_t)1 << bits / 2, (uint32_t)1 << (bits + 1) / 2);
}

/* Of a traffic 'cg': its processes if no phase was given, which stands for all of them in turn
 * where the pattern is exchanged; else 0. */
uint32_t cg_all_phases(const ik_traffic *t);

/* ---- BT and SP: side * side processes, multi-partition scheme (make_set) */

/* partner[0 … 5] of process i + side * j: successor and predecessor in x, y, z. */
static inline void bt_partners(uint32_t me, uint32_t side, uint32_t partner[6])
{
    uint32_t i = me % side, j = me / side, right = (i + 1) % side, left = (i + side - 1) % side;
    uint32_t up = (j + 1) % side * side, down = (j + side - 1) % side * side;
    partner[0] = right + j * side;
    partner[1] = left + j * side;
    partner[2] = i + up;
    partner[3] = i + down;
    partner[4] = left + up;
    partner[5] = right + down;
}

#endif
