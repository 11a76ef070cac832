/* SPDX-License-Identifier: Apache-2.0
 *
 * cable_list.c: the cables of a floor plan as CSV, by the rack, unit and port of the end that comes
 * first in this order. Format netbox reads the columns side_*_device, side_*_role, side_*_name and
 * link_rate.
 */
#include "ikat/floor_plan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct cable_node {
    uint32_t rack, unit, node;
} cable_node;

typedef struct cable_list {
    const ik_floor_plan *plan;
    const ik_fabric *f;
    FILE *out;
    cable_node *nodes; /* [nodes] in the order of racks */
    uint32_t *rank;    /* [nodes] where a node is in it */
} cable_list;

static int cable_list_compare(const void *a, const void *b)
{
    const cable_node *x = a, *y = b;
    if (x->rack != y->rack)
        return x->rack < y->rack ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void cable_list_end(const cable_list *l, uint32_t port)
{
    char name[300], rack[32];
    uint32_t node = l->f->port_node[port];
    fprintf(l->out, "%s,%" PRIu32 ",",
            ik_rack_name(&l->plan->racks[l->plan->node_rack[node]], rack, sizeof rack),
            l->plan->node_unit[node]);
    ik_text_csv(l->out, ik_node_name(l->f, node, name, sizeof name));
    fprintf(l->out, ",%s,%u,", ik_is_switch(l->f, node) ? "switch" : "host",
            ik_port_number(l->f, port));
}

/* In which trays it lies, as "r1 c4". */
static void cable_list_trays(const cable_list *l, uint32_t port)
{
    uint32_t trays[2];
    char name[32];
    const unsigned num = ik_floor_cable_trays(l->plan, l->f, port, trays);
    for (unsigned i = 0; i < num; i++)
        fprintf(l->out, "%s%s", i ? " " : "", ik_tray_name(l->plan, trays[i], name, sizeof name));
}

static void cable_list_row(const cable_list *l, uint32_t port, uint64_t number)
{
    static const char *const kinds[IK_NUM_CABLE_KINDS] = {"copper", "optical"};
    char rate[48];
    uint64_t mm = ik_floor_cable_mm(l->plan, l->f, port);
    fprintf(l->out, "%" PRIu64 ",", number);
    cable_list_end(l, port);
    cable_list_end(l, l->f->port_peer[port]);
    fprintf(l->out, "%.3f,m,%s,%s,", (double)mm / 1000, kinds[ik_floor_cable_kind(l->plan, mm)],
            ik_format_quantity(rate, sizeof rate, ik_port_rate_bps(l->f, port), IK_DIM_RATE));
    cable_list_trays(l, port);
    fputc('\n', l->out);
}

static void cable_list_print(const cable_list *l)
{
    uint64_t number = 0;
    fputs("cable,side_a_rack,side_a_unit,side_a_device,side_a_role,side_a_name,side_b_rack,"
          "side_b_unit,side_b_device,side_b_role,side_b_name,length,length_unit,type,link_rate,"
          "trays\n",
          l->out);
    for (uint32_t i = 0; i < ik_num_nodes(l->f); i++) {
        uint32_t node = l->nodes[i].node;
        for (uint32_t p = l->f->port_base[node]; p < l->f->port_base[node + 1]; p++) {
            uint32_t to = ik_peer_node(l->f, p);
            bool first =
                to != IK_NONE && (l->rank[to] > i || (to == node && l->f->port_peer[p] > p));
            if (first)
                cable_list_row(l, p, ++number);
        }
    }
}

/* ---- names */

static int cable_list_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ik_status cable_list_check_names(const ik_fabric *f, ik_error *err)
{
    ik_arena arena = {0};
    const uint32_t nodes = ik_num_nodes(f);
    const char **names = f->node_name ? ik_calloc((size_t)nodes + 1, sizeof *names) : NULL;
    ik_status status = IK_OK;
    if (!f->node_name)
        return IK_OK; /* numbers make names that differ */
    for (uint32_t node = 0; names && status == IK_OK && node < nodes; node++) {
        char name[300];
        names[node] = ik_arena_strdup(&arena, ik_node_name(f, node, name, sizeof name));
        if (!names[node])
            status = ik_fail_memory(err, sizeof name, "names of nodes");
    }
    if (!names)
        status = ik_fail_memory(err, nodes * sizeof *names, "names of nodes");
    if (status == IK_OK)
        qsort(names, nodes, sizeof *names, cable_list_compare_names);
    for (uint32_t i = 1; status == IK_OK && i < nodes; i++)
        if (strcmp(names[i - 1], names[i]) == 0) {
            ik_fail(err, IK_ERR_UNSUPPORTED, "two nodes are called '%s'", names[i]);
            status = ik_hint(err, IK_ERR_UNSUPPORTED,
                             "a list of cables tells devices apart by their names alone");
        }
    free(names);
    ik_arena_free(&arena);
    return status;
}

ik_status ik_floor_plan_list_cables(const ik_floor_plan *plan, const ik_fabric *f, FILE *out,
                                    ik_error *err)
{
    assert(plan && f && plan->planes == 1);
    const size_t nodes = (size_t)ik_num_nodes(f) + 1;
    cable_list l = {.plan = plan, .f = f, .out = out};
    ik_status status = cable_list_check_names(f, err);
    if (status != IK_OK)
        return status;
    l.nodes = ik_calloc(nodes, sizeof *l.nodes);
    l.rank = ik_calloc(nodes, sizeof *l.rank);
    if (!l.nodes || !l.rank)
        status = ik_fail_memory(err, nodes * sizeof *l.nodes, "a list of cables");
    for (uint32_t i = 0; status == IK_OK && i < ik_num_nodes(f); i++)
        l.nodes[i] = (cable_node){plan->node_rack[i], plan->node_unit[i], i};
    if (status == IK_OK)
        qsort(l.nodes, ik_num_nodes(f), sizeof *l.nodes, cable_list_compare);
    for (uint32_t i = 0; status == IK_OK && i < ik_num_nodes(f); i++)
        l.rank[l.nodes[i].node] = i;
    if (status == IK_OK)
        cable_list_print(&l);
    free(l.nodes);
    free(l.rank);
    return status;
}
