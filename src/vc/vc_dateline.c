/* SPDX-License-Identifier: Apache-2.0
 *
 * dateline: two VCs a ring. In each ring of a torus the channels between its last and its first switch are the date line; a
 * packet crosses it on VC 1 and stays there until it turns into another dimension, where it starts on VC 0 again. VC 0 never
 * crosses the line and VC 1 is only entered there, so neither closes a ring, as long as no packet goes round a whole ring. Routes
 * of several phases (Valiant) take a pair of VCs a phase. Source: W. Dally, C. Seitz, "Deadlock-Free Message Routing in
 * Multiprocessor Interconnection Networks", IEEE Trans. Computers 36(5), 1987; the name from W. Dally, B. Towles, "Principles and
 * Practices of Interconnection Networks", 2004, section 14.2.3.
 */
#include "vc/lanes.h"
#include "vc/walk.h"

#include "ikat/topology_data.h"

#include <stdio.h>
#include <stdlib.h>

/* What a switch's local port is for; all switches of a torus have the same layout. */
typedef struct port_use {
    uint8_t dim; /* NO_DIM for hosts */
    bool plus;
} port_use;

enum { NO_DIM = 255 };

typedef struct dateline {
    const ik_grid *grid;
    uint32_t num_ports;
    port_use *use; /* [num_ports] by local port */
} dateline;

static dateline *dateline_new(const ik_fabric *f, const ik_grid *grid)
{
    dateline *line = malloc(sizeof *line);
    uint32_t num_ports = ik_max_radix(f);
    port_use *use = ik_calloc((size_t)num_ports + 1, sizeof *use);
    if (!line || !use) {
        free(line);
        free(use);
        return NULL;
    }
    for (uint32_t port = 0; port < num_ports; port++) {
        use[port].dim = NO_DIM;
    }
    for (uint32_t d = 0; d < grid->num_dims; d++) {
        if (grid->dims[d] > 2) { /* two switches have one cable: no ring */
            use[grid->port_plus[d]] = (port_use){(uint8_t)d, true};
            use[grid->port_minus[d]] = (port_use){(uint8_t)d, false};
        }
    }
    *line = (dateline){.grid = grid, .num_ports = num_ports, .use = use};
    return line;
}

static ik_status create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    (void)params;
    const ik_grid *grid = ik_fabric_data(v->fabric, "torus");
    if (!grid) {
        ik_status refused = ik_fail(err, IK_ERR_UNSUPPORTED, "VC scheme 'dateline' needs a generated torus or ring, not '%s'",
                                    v->fabric->family ? v->fabric->family : "an imported fabric");
        return ik_hint(err, refused, "'hopclass' serves any fabric");
    }
    walk_reach reach = {0};
    ik_status status =
        v->routing->traits & IK_ROUTE_DEST_BASED ? IK_OK : walk_routing_reach(v->fabric, v->routing, env, &reach, err);
    if (status != IK_OK) {
        return status;
    }
    char why[64];
    snprintf(why, sizeof why, "routes of %u phase%s", reach.phase + 1, reach.phase ? "s" : "");
    status = lanes_settle(v, 2 * (reach.phase + 1), 2 * (reach.phase + 1), why, err);
    if (status == IK_OK) {
        v->impl = dateline_new(v->fabric, grid);
        status = v->impl ? IK_OK : ik_fail_memory(err, sizeof(dateline), "a VC scheme");
    }
    return status;
}

static void destroy(ik_vc *v)
{
    dateline *line = v->impl;
    free(line->use);
    free(line);
}

static void inject(const ik_vc *v, ik_packet *pk)
{
    (void)v;
    pk->vc = 0;
}

static bool crosses(const ik_grid *grid, uint32_t sw, port_use use)
{
    uint32_t x = sw / grid->stride[use.dim] % grid->dims[use.dim];
    return use.plus ? x == grid->dims[use.dim] - 1 : x == 0;
}

static void next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port, const ik_packet *pk, uint8_t *vc_first,
                 uint8_t *vc_last)
{
    const dateline *line = v->impl;
    uint32_t base = v->fabric->port_base[sw];
    port_use in = line->use[in_port - base], out = line->use[out_port - base];
    unsigned phase = pk->phase * 2u < v->num_vcs ? pk->phase : v->num_vcs / 2 - 1, vc = 0;
    if (lanes_ejects(v->fabric, out_port)) {
        *vc_first = *vc_last = 0;
        return;
    }
    if (out.dim != NO_DIM) {
        bool behind = in.dim == out.dim && pk->vc == 2 * phase + 1;
        vc = behind || crosses(line->grid, sw, out);
    }
    *vc_first = *vc_last = (uint8_t)(2 * phase + vc);
}

static const ik_param params[] = {{0}};

const ik_vc_family ik_vc_dateline = {
    .name = "dateline",
    .summary = "two VCs break the rings of a torus at a date line",
    .source = "Dally, Seitz, \"Deadlock-Free Message Routing in Multiprocessor Interconnection Networks\", IEEE Trans. Computers "
              "36(5), "
              "1987; Dally, Towles, \"Principles and Practices of Interconnection Networks\", 2004, section 14.2.3",
    .details =
        "In each ring the channels between its last and its first switch are the date line: a packet crosses them on VC 1 and "
        "stays "
        "on VC 1 as long as it moves in that dimension; everywhere else it is on VC 0. Host channels are on VC 0. Routes with "
        "phases take VCs 2*phase and 2*phase + 1. Needs a generated torus, and a routing in dimension order.",
    .params = params,
    .create = create,
    .destroy = destroy,
    .inject = inject,
    .next = next,
    .static_lane = false,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_BY_SWITCH,
};
