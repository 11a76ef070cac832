/* SPDX-License-Identifier: Apache-2.0
 *
 * lane_curve.c: the largest load that so many lanes allow, beside what no tables can undercut.
 *
 * The routings are those that a deployment compares, and routing frugal with each number of lanes,
 * which takes the least load within them. The bound is the maximum concurrent flow on the same
 * cables, all of one rate and so slow that no host is full before one of them is: its largest load
 * is then the least one. It divides pairs over paths and has no lanes, so it is the same for every
 * number of them; tables do not divide pairs, so a load is a whole number of paths. */
#include "ikat/analysis.h"
#include "subnet/deploy/choose.h"
#include "subnet/deploy/deploy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 };
static const double epsilon = .005;  /* of the bound */
static const double equal = 1.001;   /* the sums of two tables differ in the last digits */
static const double rounding = 1e-6; /* of a path */

/* ---- the bound */

/* The ends of the flow on `f`, whose hosts have one cable each. Hosts' rate: 256 times their number
 * of cables between switches, so that a host's share of one of these is less than it carries. */
static ik_status lane_curve_flow(const ik_fabric *f, uint16_t *port_class, const ik_env *env,
                                 double *least, ik_error *err)
{
    const uint64_t slow = 1000, ratio = 256 * ((uint64_t)f->num_hosts + 1);
    ik_link_class classes[2] = {{.rate_bps = ratio * slow}, {.rate_bps = slow}};
    ik_fabric even = *f; /* borrows all but the classes */
    ik_traffic *t = NULL;
    ik_flow_bound bound;
    even.classes = classes;
    even.num_classes = 2;
    even.port_class = port_class;
    for (uint32_t port = 0; port < f->num_ports; port++)
        port_class[port] = choose_inner(f, port);
    ik_status status = ik_traffic_from_spec(&even, "uniform", env, &t, err);
    if (status == IK_OK)
        status = ik_flow_bound_measure(t, epsilon, env, &bound, err);
    ik_traffic_free(t);
    if (status == IK_OK && bound.upper < bound.hosts)
        *least = 1 / ((double)ratio * bound.upper);
    return status;
}

/* Has every host's port as many LIDs? Else those with more of them are sent more. */
static bool lane_curve_sends_evenly(const ik_fabric *f, const ik_lids *l)
{
    uint64_t lids = 0, ports = 0, last = 0; /* the last path of a port is 2^LMC - 1 */
    for (uint32_t i = 0; i < l->num; i++) {
        if (l->of[i].port == IK_NONE || ik_is_silent(f, l->of[i].node))
            continue;
        lids++;
        ports += l->of[i].path == 0;
        last = l->of[i].path > last ? l->of[i].path : last;
    }
    return lids == ports * (last + 1);
}

static ik_status lane_curve_bound(ik_deployment *d, const ik_env *env, ik_error *err)
{
    ik_fabric *split = NULL;
    double each = choose_destinations(d->fabric, &d->lids), least = 0;
    if (d->given->num_hosts < 2 || !lane_curve_sends_evenly(d->fabric, &d->lids))
        return IK_OK;
    ik_status status = ik_fabric_split(d->given, &split, err);
    if (status != IK_OK)
        return status;
    uint16_t *port_class = ik_calloc((size_t)split->num_ports + 1, sizeof *port_class);
    if (port_class)
        status = lane_curve_flow(split, port_class, env, &least, err);
    else
        status = ik_fail_memory(err, split->num_ports * sizeof *port_class, "rates of links");
    free(port_class);
    ik_fabric_free(split);
    if (least > 0)
        d->curve->least_load = ceil(least * each - rounding) / each;
    return status;
}

/* ---- the routings */

static bool lane_curve_is_better(const ik_routing_compared *a, const ik_routing_compared *b)
{
    if (a->saturation > equal * b->saturation || b->saturation > equal * a->saturation)
        return a->saturation > b->saturation;
    return b->max_load > equal * a->max_load || (a->max_load <= b->max_load && a->lanes < b->lanes);
}

static void lane_curve_find_best(ik_lane_curve *c)
{
    for (unsigned lanes = 1; lanes <= c->num_lanes; lanes++) {
        c->best[lanes] = IK_NONE;
        for (unsigned i = 0; i < c->routings.num; i++) {
            const ik_routing_compared *row = &c->routings.of[i];
            if (row->state == IK_COMPARED && row->lanes <= lanes &&
                (c->best[lanes] == IK_NONE ||
                 lane_curve_is_better(row, &c->routings.of[c->best[lanes]])))
                c->best[lanes] = i;
        }
    }
}

/* Does a routing have the least load that there can be? More lanes are then of no use. */
static bool lane_curve_is_done(const ik_lane_curve *c)
{
    for (unsigned i = 0; i < c->routings.num; i++)
        if (c->routings.of[i].state == IK_COMPARED &&
            c->routings.of[i].max_load <= equal * c->least_load)
            return true;
    return false;
}

static ik_status lane_curve_try(const choosing *c, const choose_candidate *k, ik_lane_curve *curve)
{
    ik_audit_routing r = {0};
    ik_status status = choose_consider(c, k, &curve->routings, &r);
    choose_discard(&r);
    return status;
}

/* nue with several layers is frugal:prefer=load, which is tried with every number of lanes. */
static bool lane_curve_is_frugal(const choose_candidate *k)
{
    return strncmp(k->routing, "nue:", 4) == 0;
}

ik_status lane_curve_measure(ik_deployment *d, const ik_deploy_config *config, const ik_env *env,
                             ik_error *err)
{
    static const choose_now nothing = {0};
    const ik_fabric *f = d->fabric;
    const choosing c = {f, &d->lids, config, &nothing, env, err, choose_count_leaves(f)};
    ik_lane_curve *curve = d->curve = ik_calloc(1, sizeof *curve);
    uint32_t most = 0;
    if (!curve)
        return ik_fail_memory(err, sizeof *curve, "routings to compare");
    curve->num_lanes = deploy_most_lanes(config);
    ik_status status = choose_begin(&curve->routings, err);
    if (status == IK_OK)
        status = lane_curve_bound(d, env, err);
    for (const choose_candidate *k = choose_candidates; k->routing && status == IK_OK; k++)
        if (lane_curve_is_frugal(k))
            most = k->most;
        else
            status = lane_curve_try(&c, k, curve);
    for (unsigned n = 1; n <= curve->num_lanes && status == IK_OK && !lane_curve_is_done(curve);
         n++) {
        char spec[64];
        snprintf(spec, sizeof spec, "frugal:lanes=%u,prefer=load", n);
        status = lane_curve_try(&c, &(choose_candidate){spec, NULL, most, 0}, curve);
        ik_routing_compared *row = &curve->routings.of[curve->routings.num - 1];
        row->given[0] = NULL; /* the spec ends here */
        if (!ik_routing_compared_tried(row))
            break;
    }
    lane_curve_find_best(curve);
    return status;
}

/* ---- shown */

/* Lanes that allow no more than fewer do have no row. */
void lane_curve_print(const ik_lane_curve *c, FILE *out)
{
    char name[200], untried[2000];
    uint32_t last = IK_NONE;
    if (!c)
        return;
    fprintf(out, "  %-16s lanes  largest load  saturation  routing\n", "lane curve");
    for (unsigned lanes = 1; lanes <= c->num_lanes; lanes++) {
        if (c->best[lanes] == last)
            continue;
        last = c->best[lanes];
        const ik_routing_compared *row = &c->routings.of[last];
        fprintf(out, "  %-16s %5u  %12.4g  %10.4g  %s%s\n", "", lanes, row->max_load,
                row->saturation, ik_routing_compared_name(row, name, sizeof name),
                deploy_print_queries(row));
    }
    if (last == IK_NONE)
        fprintf(out, "  %-16s nothing is proved with at most %s\n", "",
                IK_COUNT(c->num_lanes, "lane"));
    if (c->least_load > 0)
        fprintf(out, "  %-16s   any  %12.4g  at least: no tables have less, safe or not\n", "",
                c->least_load);
    if (*ik_routing_choice_untried(&c->routings, untried, sizeof untried))
        fprintf(out, "  %-16s not tried, for they take minutes or memory ran out: %s\n", "",
                untried);
}

void lane_curve_json(const ik_lane_curve *c, ik_json *j)
{
    if (!c) {
        ik_json_null(j, "lane_curve");
        return;
    }
    ik_json_object(j, "lane_curve");
    ik_json_real(j, "least_load", c->least_load, DIGITS);
    ik_json_array(j, "best");
    for (unsigned lanes = 1; lanes <= c->num_lanes; lanes++)
        if (c->best[lanes] == IK_NONE)
            ik_json_null(j, NULL);
        else
            ik_json_uint(j, NULL, c->best[lanes]);
    ik_json_close(j);
    ik_routing_choice_json(&c->routings, "compared", j);
    ik_json_close(j);
}
