/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/nas.c: see nas.h.
 *
 * Communication of the MPI versions of NPB 3 (D. Bailey et al., NAS-95-020; the Fortran sources say
 * the sizes): who sends to whom in which order, without calculations. Divisions round up where a
 * grid does not divide evenly, and a cell of SP at the grid's border sends as much as the others;
 * 8 bytes a number, 16 a complex one. */
#include "traffic/workload/nas.h"

#include "traffic/nas_partners.h"

#include <assert.h>
#include <stdio.h>

enum { S, W, A, B, C, D, NUM_CLASSES };

static const uint64_t cg_order[NUM_CLASSES] = {1400, 7000, 14000, 75000, 150000, 1500000};
/* points along an edge */
static const uint64_t bt_edge[NUM_CLASSES] = {12, 24, 64, 102, 162, 408};
static const uint64_t sp_edge[NUM_CLASSES] = {12, 36, 64, 102, 162, 408};
static const uint64_t lu_edge[NUM_CLASSES] = {12, 33, 64, 102, 162, 408};
static const uint64_t mg_edge[NUM_CLASSES] = {32, 128, 256, 256, 512, 1024};
/* points in all: 64^3, 128 * 128 * 32, … */
static const uint64_t ft_points[NUM_CLASSES] = {1u << 18, 1u << 19, 1u << 23,
                                                1u << 25, 1u << 27, UINT64_C(1) << 31};

static uint64_t nas_ceil_div(uint64_t a, uint64_t b)
{
    assert(b > 0);
    return (a + b - 1) / b;
}

static uint64_t nas_size_or(const nas *n, uint64_t of_class)
{
    return n->bytes ? n->bytes : of_class ? of_class : 1;
}

static void nas_numbered(steps *s, const char *name, unsigned number)
{
    char text[64];
    snprintf(text, sizeof text, "%s %u", name, number);
    steps_phase(s, text);
}

/* ---- processes */

static uint32_t nas_root_of(uint32_t n)
{
    uint32_t side = 0;
    while ((uint64_t)(side + 1) * (side + 1) <= n)
        side++;
    return side;
}

static bool nas_is_square(nas_benchmark benchmark)
{
    return benchmark == NAS_BT || benchmark == NAS_SP;
}

uint32_t nas_most(nas_benchmark benchmark, uint32_t hosts)
{
    if (nas_is_square(benchmark))
        return hosts < 4 ? 0 : nas_root_of(hosts) * nas_root_of(hosts);
    return hosts < 2 ? 0 : (uint32_t)1 << nas_partners_nas_log2(hosts);
}

bool nas_fits(nas_benchmark benchmark, uint32_t processes)
{
    return processes > 0 && nas_most(benchmark, processes) == processes;
}

uint32_t nas_planes(unsigned size)
{
    return (uint32_t)lu_edge[size] - 2;
}

/* ---- CG: sums along the rows, the transpose, and two dot products */

static void nas_cg_exchange(const nas *n, steps *s, unsigned phase, uint64_t bytes)
{
    for (uint32_t me = 0; me < n->processes; me++)
        steps_send(s, me, cg_partner(n->processes, phase, me), bytes);
    steps_next(s);
}

static void nas_cg_scalars(const nas *n, steps *s, const char *name)
{
    unsigned reductions = nas_partners_cg_reductions(n->processes);
    steps_phase(s, name);
    for (unsigned phase = reductions; phase > 0; phase--)
        nas_cg_exchange(n, s, phase, 8);
}

static void nas_run_cg(const nas *n, steps *s)
{
    unsigned bits = nas_partners_nas_log2(n->processes),
             reductions = nas_partners_cg_reductions(n->processes);
    uint64_t numbers = nas_ceil_div(cg_order[n->size], (uint64_t)1 << bits / 2);
    if (bits % 2)
        numbers = nas_ceil_div(numbers, 2);
    for (unsigned phase = 1; phase <= reductions + 1; phase++) {
        if (phase <= reductions)
            nas_numbered(s, "reduction", phase);
        else
            steps_phase(s, "transpose");
        nas_cg_exchange(n, s, phase, nas_size_or(n, 8 * numbers));
    }
    if (n->scalars) {
        nas_cg_scalars(n, s, "dot product 1");
        nas_cg_scalars(n, s, "dot product 2");
    }
}

/* ---- BT and SP: faces, then a sweep there and back in each direction */

/* Numbers that a cell hands on in a sweep: BT sends the whole of an array that has room for one
 * layer more than a cell of the usual size. partner: number of bt_partners. */
static void nas_bt_sweep(const nas *n, steps *s, unsigned partner, uint64_t bytes)
{
    uint32_t side = nas_root_of(n->processes), to[6];
    for (uint32_t stage = 1; stage < side; stage++) {
        for (uint32_t me = 0; me < n->processes; me++) {
            bt_partners(me, side, to);
            steps_send(s, me, to[partner], bytes);
        }
        steps_next(s);
    }
}

static void nas_run_bt(const nas *n, steps *s)
{
    static const char *const names[] = {"x sweep", "y sweep", "z sweep"};
    bool bt = n->benchmark == NAS_BT;
    uint32_t side = nas_root_of(n->processes), to[6];
    uint64_t points = (bt ? bt_edge : sp_edge)[n->size], edge = nas_ceil_div(points, side),
             face = edge * edge, room = points / side + 1, swept = bt ? room * room : face;
    steps_phase(s, "faces");
    for (uint32_t me = 0; me < n->processes; me++) {
        bt_partners(me, side, to);
        for (unsigned k = 0; k < 6; k++) /* two layers of five numbers, of all cells but one */
            steps_send(s, me, to[k], nas_size_or(n, (side - 1) * face * 10 * 8));
    }
    steps_next(s);
    for (unsigned d = 0; d < 3; d++) {
        steps_phase(s, names[d]);
        nas_bt_sweep(n, s, 2 * d, nas_size_or(n, swept * (bt ? 30 : 22) * 8));
        nas_bt_sweep(n, s, 2 * d + 1, nas_size_or(n, swept * (bt ? 5 : 10) * 8));
    }
}

/* ---- LU: a wavefront through the processes per plane, and one back */

typedef struct lu_grid {
    uint32_t rows, columns;     /* process row + rows * column */
    uint64_t to_row, to_column; /* bytes to the next one of a column, of a row */
} lu_grid;

static void nas_lu_step(steps *s, const lu_grid *g, uint32_t row, uint32_t column, int by)
{
    uint32_t me = row + g->rows * column;
    if (by > 0 ? row + 1 < g->rows : row > 0)
        steps_send(s, me, by > 0 ? me + 1 : me - 1, g->to_row);
    if (by > 0 ? column + 1 < g->columns : column > 0)
        steps_send(s, me, by > 0 ? me + g->rows : me - g->rows, g->to_column);
}

/* A plane: the processes of a diagonal have received all before those of the next one send. */
static void nas_lu_plane(steps *s, const lu_grid *g, int by)
{
    uint32_t last = g->rows + g->columns - 2;
    for (uint32_t k = 0; k < last; k++) {
        uint32_t diagonal = by > 0 ? k : last - k;
        for (uint32_t row = 0; row < g->rows && row <= diagonal; row++)
            if (diagonal - row < g->columns)
                nas_lu_step(s, g, row, diagonal - row, by);
        steps_next(s);
    }
}

static void nas_run_lu(const nas *n, steps *s)
{
    unsigned bits = nas_partners_nas_log2(n->processes);
    lu_grid g = {.rows = (uint32_t)1 << (bits + 1) / 2, .columns = (uint32_t)1 << bits / 2};
    g.to_row = nas_size_or(n, 5 * 8 * nas_ceil_div(lu_edge[n->size], g.columns));
    g.to_column = nas_size_or(n, 5 * 8 * nas_ceil_div(lu_edge[n->size], g.rows));
    steps_phase(s, "lower sweep");
    for (uint32_t k = 0; k < n->planes; k++)
        nas_lu_plane(s, &g, 1);
    steps_phase(s, "upper sweep");
    for (uint32_t k = 0; k < n->planes; k++)
        nas_lu_plane(s, &g, -1);
}

/* ---- FT: transposes */

/* All-to-all among `num` processes from `first` on, `apart` from one to the next. */
static void nas_ft_group(steps *s, uint32_t first, uint32_t apart, uint32_t num, uint64_t bytes)
{
    assert(num > 0 && apart > 0);
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t k = 1; k < num; k++)
            steps_send(s, first + i * apart, first + (i + k) % num * apart, bytes);
}

static void nas_run_ft(const nas *n, steps *s)
{
    uint32_t columns = n->columns, rows = n->processes / columns;
    uint64_t points = nas_ceil_div(ft_points[n->size], n->processes);
    steps_phase(s, columns > 1 ? "columns" : "transpose");
    for (uint32_t c = 0; c < columns; c++)
        nas_ft_group(s, c, columns, rows, nas_size_or(n, 16 * nas_ceil_div(points, rows)));
    steps_next(s);
    if (columns == 1)
        return;
    steps_phase(s, "rows");
    for (uint32_t r = 0; r < rows; r++)
        nas_ft_group(s, r * columns, 1, columns,
                     nas_size_or(n, 16 * nas_ceil_div(points, columns)));
    steps_next(s);
}

/* ---- MG: faces at every level, down and up a V-cycle */

/* The faces of one direction at a grid of `edge` points along an edge, with the layers that have
 * come from the directions before. Where there are fewer points than processes, every stride-th
 * process has one. */
static void nas_mg_faces(const nas *n, steps *s, const uint32_t dims[3], unsigned direction,
                         uint64_t edge)
{
    assert(direction < 3);
    uint64_t bytes = 8;
    uint32_t stride[3], apart = 1;
    for (unsigned d = 0; d < 3; d++) {
        stride[d] = edge < dims[d] ? (uint32_t)(dims[d] / edge) : 1;
        bytes *= d == direction ? 1 : nas_ceil_div(edge, dims[d]) + (d < direction ? 2 : 0);
        apart *= d < direction ? dims[d] : 1;
    }
    for (uint32_t me = 0; me < n->processes; me++) {
        const uint32_t at[3] = {me % dims[0], me / dims[0] % dims[1], me / dims[0] / dims[1]};
        if (at[0] % stride[0] || at[1] % stride[1] || at[2] % stride[2])
            continue;
        uint32_t x = at[direction], size = dims[direction], by = stride[direction];
        steps_send(s, me, me - x * apart + (x + by) % size * apart, nas_size_or(n, bytes));
        steps_send(s, me, me - x * apart + (x + size - by) % size * apart, nas_size_or(n, bytes));
    }
    steps_next(s);
}

static void nas_run_mg(const nas *n, steps *s)
{
    unsigned bits = nas_partners_nas_log2(n->processes),
             levels = nas_partners_nas_log2(mg_edge[n->size]), x = bits / 3, y = (bits - x) / 2;
    const uint32_t dims[3] = {(uint32_t)1 << x, (uint32_t)1 << y, (uint32_t)1 << (bits - x - y)};
    for (unsigned k = 0; k < 2 * levels - 1; k++) {
        unsigned level = k < levels ? levels - k : k - levels + 2;
        nas_numbered(s, "level", level);
        for (unsigned direction = 0; direction < 3; direction++)
            nas_mg_faces(n, s, dims, direction, (uint64_t)1 << level);
    }
}

void nas_run(const nas *n, steps *s)
{
    static void (*const run[])(const nas *, steps *) = {
        [NAS_CG] = nas_run_cg, [NAS_BT] = nas_run_bt, [NAS_SP] = nas_run_bt,
        [NAS_LU] = nas_run_lu, [NAS_FT] = nas_run_ft, [NAS_MG] = nas_run_mg,
    };
    assert(nas_fits(n->benchmark, n->processes));
    run[n->benchmark](n, s);
}
