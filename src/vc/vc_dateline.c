/* SPDX-License-Identifier: Apache-2.0
 *
 * dateline: two VCs a ring. In each ring of a torus the channels between its last and its first
 * switch are the date line.
 *
 * By position: a packet that still has to cross the line in this dimension is on VC 0, up to and
 * with the crossing; any other on VC 1. Neither VC closes a ring: on VC 0 nothing goes on after the
 * crossing, on VC 1 nothing crosses. This holds wherever a packet enters the ring, so it also
 * serves as an escape layer; it needs to know the goal, hence a routing by destination alone. By
 * history: a packet crosses on VC 1 and stays there until it turns into another dimension, where it
 * starts on VC 0. VC 0 never crosses and VC 1 is only entered there. Routes of several phases
 * (Valiant) take a pair of VCs a phase. By route: VC 0 through the whole ring if the route crosses
 * the line there, VC 1 if not; right as long as no route is longer than half a ring, so that
 * crossing routes leave a gap, and every packet is in the ring from its route's first hop there.
 *
 * Under uniform traffic a route uses both VCs of a channel most evenly (8x8, 4 VCs, full load: .42
 * accepted; by position .29, by history .31, for these leave half of most channels' VCs idle).
 * Hence `auto`: by route where packets go straight to their destinations on minimal paths, by
 * position in an escape layer and where paths may be longer, by history where they have phases.
 *
 * Source: W. Dally, C. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
 * Networks", IEEE Trans. Computers 36(5), 1987; the name from W. Dally, B. Towles, "Principles and
 * Practices of Interconnection Networks", 2004, section 14.2.3.
 */
#include "vc/lanes.h"
#include "vc/walk.h"

#include "ikat/topology_data.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* What a switch's local port is for; all switches of a torus have the same layout. */
typedef struct port_use {
    uint8_t dim; /* NO_DIM for hosts */
    bool plus;
} port_use;

enum { NO_DIM = 255 };

enum rule { AUTO, POSITION, HISTORY, ROUTE };

typedef struct dateline {
    const ik_grid *grid;
    uint32_t num_ports;
    port_use *use;         /* [num_ports] by local port */
    enum rule rule;        /* not AUTO */
    uint32_t *host_switch; /* [num_hosts] */
} dateline;

static dateline *dateline_new(const ik_fabric *f, const ik_grid *grid, enum rule rule)
{
    dateline *line = malloc(sizeof *line);
    uint32_t num_ports = ik_max_radix(f);
    port_use *use = ik_calloc((size_t)num_ports + 1, sizeof *use);
    uint32_t *host_switch = ik_calloc((size_t)f->num_hosts + 1, sizeof *host_switch);
    if (!line || !use || !host_switch) {
        free(line);
        free(use);
        free(host_switch);
        return NULL;
    }
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t sw = ik_host_switch(f, host);
        host_switch[host] = sw == IK_NONE ? 0 : sw; /* nothing goes to a host that is cut off */
    }
    for (uint32_t port = 0; port < num_ports; port++)
        use[port].dim = NO_DIM;
    for (uint32_t d = 0; d < grid->num_dims; d++) {
        if (grid->dims[d] > 2) { /* two switches have one cable: no ring */
            use[grid->port_plus[d]] = (port_use){(uint8_t)d, true};
            use[grid->port_minus[d]] = (port_use){(uint8_t)d, false};
        }
    }
    *line = (dateline){
        .grid = grid, .num_ports = num_ports, .use = use, .rule = rule, .host_switch = host_switch};
    return line;
}

static ik_status dateline_refuse_fabric(const ik_fabric *f, ik_error *err)
{
    ik_status status = ik_fail(err, IK_ERR_UNSUPPORTED,
                               "VC scheme 'dateline' needs a generated torus or ring, not '%s'",
                               f->family ? f->family : "an imported fabric");
    return ik_hint(err, status, "'hopclass' works on any fabric");
}

/* The rule that `auto` stands for. */
static enum rule dateline_natural_rule(const ik_vc *v, bool direct)
{
    if (!direct)
        return HISTORY;
    return v->in_escape || !(v->routing->claims & IK_CLAIM_MINIMAL) ? POSITION : ROUTE;
}

static ik_status dateline_refuse_rule(const ik_vc *v, enum rule rule, ik_error *err)
{
    ik_status status = ik_fail(err, IK_ERR_UNSUPPORTED,
                               "VC scheme 'dateline' by %s needs packets that head for their "
                               "destinations, not those of '%s'",
                               rule == POSITION ? "position" : "route",
                               v->routing->spec ? v->routing->spec : v->routing->family->name);
    return ik_hint(err, status, "rule=history works for others");
}

static ik_status dateline_create(ik_vc *v, const ik_params *params, const ik_env *env,
                                 ik_error *err)
{
    const ik_grid *grid = ik_fabric_data(v->fabric, "torus");
    if (!grid)
        return dateline_refuse_fabric(v->fabric, err);
    enum rule rule = (enum rule)ik_params_enum(params, "rule");
    walk_reach reach = {0};
    bool direct = v->routing->traits & IK_ROUTE_DEST_BASED;
    ik_status status = direct ? IK_OK : walk_routing_reach(v->fabric, v->routing, env, &reach, err);
    if (status != IK_OK)
        return status;
    direct = direct || (reach.phase == 0 && (v->routing->claims & IK_CLAIM_MINIMAL));
    if ((rule == POSITION || rule == ROUTE) && !direct)
        return dateline_refuse_rule(v, rule, err);
    char why[64];
    snprintf(why, sizeof why, "routes of %s", IK_COUNT(reach.phase + 1, "phase"));
    status = lanes_settle(v, 2 * (reach.phase + 1), 2 * (reach.phase + 1), why, err);
    if (status == IK_OK) {
        v->impl =
            dateline_new(v->fabric, grid, rule != AUTO ? rule : dateline_natural_rule(v, direct));
        status = v->impl ? IK_OK : ik_fail_memory(err, sizeof(dateline), "a VC scheme");
    }
    return status;
}

static void dateline_destroy(ik_vc *v)
{
    dateline *line = v->impl;
    free(line->use);
    free(line->host_switch);
    free(line);
}

/* Host channels cannot take part in a deadlock: spread over all VCs, alike for all hosts of a
 * switch. */
static void dateline_inject(const ik_vc *v, ik_packet *pk)
{
    const dateline *line = v->impl;
    pk->vc = (uint8_t)(line->host_switch[pk->dst] % v->num_vcs);
}

static uint32_t dateline_coordinate(const ik_grid *grid, uint32_t sw, unsigned dim)
{
    assert(dim < grid->num_dims);
    return sw / grid->stride[dim] % grid->dims[dim];
}

/* Does the hop from switch sw cross the date line? */
static bool dateline_crosses(const ik_grid *grid, uint32_t sw, port_use use)
{
    assert(use.dim != NO_DIM);
    return dateline_coordinate(grid, sw, use.dim) == (use.plus ? grid->dims[use.dim] - 1 : 0);
}

/* Does a packet that moves so from sw to `goal` have to cross it on this hop or a later one? */
static bool dateline_has_to_cross(const ik_grid *grid, uint32_t sw, uint32_t goal, port_use use)
{
    uint32_t here = dateline_coordinate(grid, sw, use.dim),
             there = dateline_coordinate(grid, goal, use.dim);
    return use.plus ? there < here : there > here;
}

/* 0 or 1: the VC of the pair. `was`: that of the channel behind. */
static unsigned dateline_lane(const dateline *line, uint32_t sw, port_use in, port_use out,
                              uint32_t dst, unsigned was)
{
    assert(was < 2 || in.dim == NO_DIM);
    bool straight_on = in.dim == out.dim;
    if (out.dim == NO_DIM)
        return 0;
    if (line->rule == HISTORY)
        return (straight_on && was == 1) || dateline_crosses(line->grid, sw, out);
    if (line->rule == ROUTE && straight_on)
        return was;
    return !dateline_has_to_cross(line->grid, sw, line->host_switch[dst], out);
}

static void dateline_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                          const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    const dateline *line = v->impl;
    uint32_t base = v->fabric->port_base[sw];
    if (lanes_ejects(v->fabric, out_port)) {
        *vc_first = 0;
        *vc_last = (uint8_t)(v->num_vcs - 1);
        return;
    }
    unsigned was = lanes_class_of(v, pk->vc);
    was = was / 2 == pk->phase ? was % 2 : 0;
    lanes_class(v,
                2u * pk->phase + dateline_lane(line, sw, line->use[in_port - base],
                                               line->use[out_port - base], pk->dst, was),
                vc_first, vc_last);
}

static const ik_param params[] = {
    {.name = "rule",
     .type = IK_PARAM_ENUM,
     .def = "auto",
     .choices = "auto|position|history|route",
     .help = "what decides the VC: whether the packet still has to cross the dateline (position), "
             "has crossed it (history), or crosses it at all (route); auto: route on minimal paths "
             "straight to the destination, position in escape layers and on other paths that "
             "depend on the destination alone, otherwise history"},
    {0},
};

const ik_vc_family ik_vc_dateline = {
    .name = "dateline",
    .summary = "two VCs break the rings of a torus at a dateline",
    .source = "Dally, Seitz, \"Deadlock-Free Message Routing in Multiprocessor Interconnection "
              "Networks\", IEEE Trans. Computers "
              "36(5), 1987; Dally, Towles, \"Principles and Practices of Interconnection "
              "Networks\", 2004, section 14.2.3",
    .details =
        "In each ring, the channels between its last and its first switch are the dateline. With "
        "rule=route, a packet uses VC 0 throughout a ring if its route crosses the dateline of "
        "this ring, otherwise VC 1: this uses the VCs most evenly and is the default for minimal "
        "paths straight to the destination. With rule=position, a packet uses VC 0 as long as it "
        "still has to cross the dateline in the dimension in which it moves, otherwise VC 1: this "
        "is also correct for an escape layer, and the default there. With rule=history, a packet "
        "crosses on VC 1, stays on VC 1 as long as it moves in that dimension, and uses VC 0 "
        "everywhere else: this is the default for routes with phases, which take VCs 2*phase and "
        "2*phase + 1. Further VCs are divided evenly; host channels may use all VCs. Needs a "
        "generated torus and a routing in dimension order.",
    .params = params,
    .create = dateline_create,
    .destroy = dateline_destroy,
    .inject = dateline_inject,
    .next = dateline_next,
    .static_lane = false,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_BY_SWITCH,
};
