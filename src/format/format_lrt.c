/* SPDX-License-Identifier: Apache-2.0
 *
 * format_lrt.c: edge lists of layout-conscious random topologies. First line `N d r`, then one line
 * `a b` an edge, a < b: N = n*n switches on an n x n floor, switch i at (i mod n, i div n), all of
 * degree d, no edge longer than r (Manhattan). Hosts are not listed: reading gives every switch
 * one, as the generator `lrt` does by default, and the same port order (host first, then neighbours
 * ascending).
 */
#include "format/scan.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct lrt_file {
    uint32_t n, side, d, r;
    uint32_t *nbr; /* [n][d] */
    uint32_t *deg; /* [n] */
} lrt_file;

static uint32_t lrt_square_root(uint64_t n)
{
    uint32_t side = 0;
    while ((uint64_t)(side + 1) * (side + 1) <= n)
        side++;
    return side;
}

static bool lrt_number(scan *s, uint64_t max, uint64_t *value)
{
    scan_blanks(s);
    return scan_uint(s, max, value);
}

static bool lrt_three_numbers(scan *s, uint64_t value[3])
{
    return scan_line(s) && lrt_number(s, 1u << 26, &value[0]) && lrt_number(s, 65535, &value[1]) &&
           lrt_number(s, 1u << 26, &value[2]) && scan_at_end(s);
}

static unsigned lrt_probe(const char *text, size_t size)
{
    uint64_t value[3], a = 0, b = 0;
    scan s = scan_text(text, size, "");
    if (!lrt_three_numbers(&s, value) || !scan_line(&s) || !lrt_number(&s, value[0], &a) ||
        !lrt_number(&s, value[0], &b) || !scan_at_end(&s))
        return 0;
    uint64_t side = lrt_square_root(value[0]);
    return side * side == value[0] && a < value[0] && b < value[0] ? 80 : 20;
}

static ik_status lrt_read_head(scan *s, size_t size, lrt_file *l, ik_error *err)
{
    uint64_t value[3] = {0};
    if (!lrt_three_numbers(s, value))
        return scan_fail(s, err, "expected 'N d r': switches, degree, longest edge");
    *l = (lrt_file){.n = (uint32_t)value[0],
                    .side = lrt_square_root(value[0]),
                    .d = (uint32_t)value[1],
                    .r = (uint32_t)value[2]};
    if (l->n < 2 || (uint64_t)l->side * l->side != l->n) {
        return ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                          "N = %" PRIu32 " is not the square of 2 or more", l->n);
    }
    if ((uint64_t)l->n * l->d / 2 * 4 > size + 4 || l->d == 0) {
        return ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                          "%" PRIu32 " switches of degree %" PRIu32
                          " need more edges than the file can hold",
                          l->n, l->d);
    }
    l->nbr = ik_calloc((size_t)l->n * l->d, sizeof *l->nbr);
    l->deg = ik_calloc(l->n, sizeof *l->deg);
    return l->nbr && l->deg
               ? IK_OK
               : ik_fail_memory(err, (size_t)l->n * (l->d + 1) * sizeof *l->nbr, "an edge list");
}

static uint32_t lrt_length(const lrt_file *l, uint32_t a, uint32_t b)
{
    int64_t dx = (int64_t)(a % l->side) - b % l->side, dy = (int64_t)(a / l->side) - b / l->side;
    return (uint32_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
}

static ik_status lrt_add_edge(const scan *s, lrt_file *l, uint32_t a, uint32_t b, ik_error *err)
{
    if (a == b || lrt_length(l, a, b) > l->r) {
        return ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                          "edge %" PRIu32 " %" PRIu32 " has length %" PRIu32 ", not 1 to %" PRIu32,
                          a, b, lrt_length(l, a, b), l->r);
    }
    for (uint32_t t = 0; t < l->deg[a]; t++) {
        if (l->nbr[(size_t)a * l->d + t] == b) {
            return ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                              "edge %" PRIu32 " %" PRIu32 " is given twice", a, b);
        }
    }
    if (l->deg[a] == l->d || l->deg[b] == l->d) {
        return ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                          "switch %" PRIu32 " has more than %" PRIu32 " edges",
                          l->deg[a] == l->d ? a : b, l->d);
    }
    l->nbr[(size_t)a * l->d + l->deg[a]++] = b;
    l->nbr[(size_t)b * l->d + l->deg[b]++] = a;
    return IK_OK;
}

static ik_status lrt_read_edges(scan *s, lrt_file *l, ik_error *err)
{
    while (scan_line(s)) {
        uint64_t a = 0, b = 0;
        if (scan_at_end(s))
            continue;
        if (!lrt_number(s, l->n - 1, &a) || !lrt_number(s, l->n - 1, &b) || !scan_at_end(s))
            return scan_fail(s, err, "expected an edge: two switches from 0 to %" PRIu32, l->n - 1);
        ik_status status = lrt_add_edge(s, l, (uint32_t)a, (uint32_t)b, err);
        if (status != IK_OK)
            return status;
    }
    for (uint32_t a = 0; a < l->n; a++) {
        if (l->deg[a] != l->d) {
            return ik_fail_at(err, IK_ERR_INPUT, s->file, s->line, 1,
                              "switch %" PRIu32 " has %" PRIu32 " edges, not %" PRIu32, a,
                              l->deg[a], l->d);
        }
    }
    return IK_OK;
}

static int lrt_ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void format_lrt_build(const lrt_file *l, ik_builder *b)
{
    uint16_t class = ik_builder_default_link(b, false),
             host_class = ik_builder_default_link(b, true);
    ik_builder_switches(b, l->n, 1 + l->d);
    ik_builder_hosts(b, l->n, 1);
    for (uint32_t a = 0; a < l->n; a++) {
        qsort(l->nbr + (size_t)a * l->d, l->d, sizeof *l->nbr, lrt_ascending);
        ik_builder_link(b, ik_hs(a, 0), ik_sw(a, 0), host_class);
        ik_builder_switch_xy(b, a, (int32_t)(a % l->side), (int32_t)(a / l->side));
        ik_builder_switch_place(b, a, a / l->side, a / l->side, a % l->side);
    }
    for (uint32_t a = 0; a < l->n; a++) {
        for (uint32_t t = 0; t < l->d; t++) {
            uint32_t peer = l->nbr[(size_t)a * l->d + t], back = 0;
            while (l->nbr[(size_t)peer * l->d + back] != a)
                back++;
            if (a < peer)
                ik_builder_link(b, ik_sw(a, 1 + t), ik_sw(peer, 1 + back), class);
        }
    }
}

static ik_status lrt_read_text(const char *text, size_t size, const char *file, ik_builder *b,
                               ik_error *err)
{
    lrt_file l = {0};
    scan s = scan_text(text, size, file);
    ik_status status = lrt_read_head(&s, size, &l, err);
    if (status == IK_OK)
        status = lrt_read_edges(&s, &l, err);
    if (status == IK_OK)
        format_lrt_build(&l, b);
    free(l.nbr);
    free(l.deg);
    return status;
}

/* ---- writing */

static ik_status lrt_check_floor(const ik_fabric *f, uint32_t side, ik_error *err)
{
    if ((uint64_t)side * side != f->num_switches || !f->switch_xy) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "%" PRIu32 " switches %s: no n x n floor to write",
                f->num_switches, f->switch_xy ? "are not a square" : "without positions");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "format 'edges' writes any fabric");
    }
    for (uint32_t a = 0; a < f->num_switches; a++) {
        if (f->switch_xy[a].x != (int32_t)(a % side) || f->switch_xy[a].y != (int32_t)(a / side)) {
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "switch %" PRIu32 " is not at column %" PRIu32 ", row %" PRIu32, a,
                           a % side, a / side);
        }
    }
    return IK_OK;
}

/* Neighbours of switch a, ascending; returns how many. */
static uint32_t lrt_neighbours(const ik_fabric *f, uint32_t a, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t port = f->port_base[a]; port < f->port_base[a + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && ik_is_switch(f, peer))
            out[count++] = peer;
    }
    qsort(out, count, sizeof *out, lrt_ascending);
    return count;
}

static ik_status lrt_check_regular(const ik_fabric *f, lrt_file *l, ik_error *err)
{
    for (uint32_t a = 0; a < f->num_switches; a++) {
        uint32_t count = lrt_neighbours(f, a, l->nbr);
        l->d = a == 0 ? count : l->d;
        if (count != l->d || count == 0) {
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "switch %" PRIu32 " has %" PRIu32 " links and switch 0 has %" PRIu32
                           ": not regular",
                           a, count, l->d);
        }
        for (uint32_t t = 0; t < count; t++) {
            if (l->nbr[t] == a || (t > 0 && l->nbr[t] == l->nbr[t - 1])) {
                return ik_fail(err, IK_ERR_UNSUPPORTED,
                               "switches %" PRIu32 " and %" PRIu32 " are joined more than once", a,
                               l->nbr[t]);
            }
            uint32_t far = lrt_length(l, a, l->nbr[t]);
            l->r = far > l->r ? far : l->r;
        }
    }
    return IK_OK;
}

static ik_status lrt_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    lrt_file l = {.n = f->num_switches, .side = lrt_square_root(f->num_switches)};
    ik_status status = lrt_check_floor(f, l.side, err);
    if (status != IK_OK)
        return status;
    l.nbr = ik_calloc((size_t)ik_max_radix(f) + 1, sizeof *l.nbr);
    if (!l.nbr)
        return ik_fail_memory(err, ik_max_radix(f) * sizeof *l.nbr, "the neighbours of a switch");
    status = lrt_check_regular(f, &l, err);
    if (status == IK_OK) {
        fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", l.n, l.d, l.r);
        for (uint32_t a = 0; a < l.n; a++) {
            lrt_neighbours(f, a, l.nbr);
            for (uint32_t t = 0; t < l.d; t++)
                if (a < l.nbr[t])
                    fprintf(out, "%" PRIu32 " %" PRIu32 "\n", a, l.nbr[t]);
        }
    }
    free(l.nbr);
    return status;
}

static const char *const extensions[] = {"lrt", NULL};

const ik_format ik_format_lrt = {
    .name = "lrt",
    .summary = "edge list of a layout-conscious random topology: 'N d r', then one edge per line, "
               "without hosts",
    .source = "R. Kawano et al., LOREN: a scalable routing method for layout-conscious random "
              "topologies, CANDAR 2016, section II-B (notation)",
    .extensions = extensions,
    .probe = lrt_probe,
    .read = lrt_read_text,
    .write = lrt_write_text,
};
