/* SPDX-License-Identifier: Apache-2.0
 *
 * load_band.c: between which loads a routing saturates whose choices depend on queues.
 *
 * What is divided evenly is known (ik_load). Where packets go minimally or through an intermediate
 * switch, the two pure cases are those of the routings minimal and valiant with the same
 * parameters, and what a share alpha of minimal traffic loads is a straight line between them: the
 * best alpha is the minimum of a convex function.
 *
 * That no other division carries more is shown by linear programming duality: with any prices of
 * channels, the throughput of a pattern is at most what all channels are worth over what its flows
 * pay on their cheapest allowed paths. The prices that are tried follow the loads; the least bound
 * counts.
 */
#include "analysis/load.h"
#include "analysis/offers.h"
#include "routing/by_port.h"
#include "routing/tree/tree_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRICES = 12, SEARCH_STEPS = 80 };
/* Additions that a bound may take: some seconds. */
static const double most_work = 2e9;

/* ---- the two pure cases, and the best share of each */

static ik_status load_band_measure_pure(const ik_routing *r, const char *name, const ik_traffic *t,
                                        const ik_env *env, ik_load *out, ik_error *err)
{
    static const char *const shared[] = {"hierarchy", "paths", "seed", "intermediate"};
    const ik_routing_family *family = ik_routing_find(name);
    const ik_fabric *f = r->rails ? r->fabric->split->whole : r->fabric;
    ik_arena arena = {0};
    ik_spec spec;
    ik_routing *pure = NULL;
    ik_env own = env ? *env : (ik_env){0};
    own.seed = r->seed;
    const char *text = ik_arena_printf(&arena, "%s", name);
    ik_status status = ik_spec_parse(r->spec, &arena, &spec, err);
    for (size_t i = 0; status == IK_OK && i < spec.num && text; i++) {
        bool known = false;
        for (size_t k = 0; spec.keys[i] && k < sizeof shared / sizeof *shared; k++)
            known |= strcmp(spec.keys[i], shared[k]) == 0;
        for (const ik_param *row = family->params; known && row->name; row++)
            if (strcmp(row->name, spec.keys[i]) == 0)
                text = ik_arena_printf(&arena, "%s%c%s=%s", text, strchr(text, ':') ? ',' : ':',
                                       spec.keys[i], spec.values[i]);
    }
    if (status == IK_OK)
        status = text ? ik_routing_from_spec(f, text, &own, &pure, err)
                      : ik_fail_memory(err, 1, "a routing");
    if (status == IK_OK)
        status = ik_load_measure(pure, t, env, out, err);
    ik_routing_free(pure);
    ik_arena_free(&arena);
    return status;
}

/* What a channel's load is of its own rate. */
static double load_band_relative(const ik_fabric *f, uint64_t ref_bps, const double *load,
                                 uint32_t port)
{
    return ik_peer_node(f, port) == IK_NONE
               ? 0
               : load[port] * (double)ref_bps / (double)ik_port_rate_bps(f, port);
}

/* The fullest channel if a share alpha goes minimally. */
static double load_band_fullest(const ik_fabric *f, uint64_t ref_bps, const ik_load *minimal,
                                const ik_load *valiant, double alpha)
{
    double most = 0;
    for (uint32_t p = 0; p < f->num_ports; p++)
        most = fmax(most, alpha * load_band_relative(f, ref_bps, minimal->load, p) +
                              (1 - alpha) * load_band_relative(f, ref_bps, valiant->load, p));
    return most;
}

/* The alpha of the least fullest channel, by golden sections. */
static double load_band_best_share(const ik_fabric *f, uint64_t ref_bps, const ik_load *minimal,
                                   const ik_load *valiant)
{
    const double section = (sqrt(5) - 1) / 2;
    double low = 0, high = 1;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double a = high - section * (high - low), b = low + section * (high - low);
        if (load_band_fullest(f, ref_bps, minimal, valiant, a) <
            load_band_fullest(f, ref_bps, minimal, valiant, b))
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}

static double load_band_saturation_of(double most)
{
    return most > 1 ? 1 / most : 1;
}

/* ---- prices of the channels between switches */

typedef struct pricing {
    const ik_routing *r;
    const ik_fabric *f;
    demand d;
    spread s;
    double *price[MOST_PRICES]; /* [num_ports] per unit of load; 0 on the channels of hosts */
    double worth[MOST_PRICES];  /* of all channels, full */
    double paid[MOST_PRICES];   /* by all flows */
    unsigned num;
    double *nearest;   /* [num_switches] */
    double *cheapest;  /* [switch][goal switch], where packets go through others */
    uint32_t *middles; /* [num_switches] */
    offer_list list;
} pricing;

static bool load_band_between_switches(const ik_fabric *f, uint32_t port)
{
    uint32_t to = ik_peer_node(f, port);
    return to != IK_NONE && ik_is_switch(f, to) && ik_is_switch(f, f->port_node[port]);
}

static double load_band_capacity(const pricing *k, uint32_t port)
{
    return (double)ik_port_rate_bps(k->f, port) / (double)k->d.ref_rate_bps;
}

/* Prices that grow with how full a channel is of the fullest one. load: NULL = all alike. */
static bool price_by_load(pricing *k, const double *load, double slope)
{
    double most = 0, *price = ik_calloc((size_t)k->f->num_ports + 1, sizeof *price), worth = 0;
    for (uint32_t p = 0; load && p < k->f->num_ports; p++)
        if (load_band_between_switches(k->f, p))
            most = fmax(most, load_band_relative(k->f, k->d.ref_rate_bps, load, p));
    for (uint32_t p = 0; price && p < k->f->num_ports; p++) {
        if (!load_band_between_switches(k->f, p))
            continue;
        double full = most > 0 ? load_band_relative(k->f, k->d.ref_rate_bps, load, p) / most : 1;
        double value = exp(slope * (full - 1));
        price[p] = load ? value / load_band_capacity(k, p) : 1;
        worth += price[p] * load_band_capacity(k, p);
    }
    k->price[k->num] = price;
    k->worth[k->num] = worth;
    k->num += price != NULL;
    return price;
}

/* Prices of the channels that are full at the best share, so weighed that no share is cheaper than
 * another. */
static bool load_band_price_by_share(pricing *k, const ik_load *minimal, const ik_load *valiant,
                                     double alpha)
{
    double most = load_band_fullest(k->f, k->d.ref_rate_bps, minimal, valiant, alpha),
           slope[2] = {0};
    uint64_t count[2] = {0};
    double *price = ik_calloc((size_t)k->f->num_ports + 1, sizeof *price);
    for (int pass = 0; price && pass < 2; pass++) {
        /* of what is full, the part that minimal traffic fills */
        double rising = count[0] ? slope[0] / (double)count[0] : 0,
               falling = count[1] ? slope[1] / (double)count[1] : 0;
        double part[2] = {count[1] == 0, 0};
        if (count[0] && count[1] && rising > falling)
            part[0] = -falling / (rising - falling);
        part[1] = count[1] ? 1 - part[0] : 0;
        for (uint32_t p = 0; p < k->f->num_ports; p++) {
            double x = load_band_relative(k->f, k->d.ref_rate_bps, minimal->load, p),
                   y = load_band_relative(k->f, k->d.ref_rate_bps, valiant->load, p);
            bool falls = x < y;
            if (!load_band_between_switches(k->f, p) ||
                alpha * x + (1 - alpha) * y < most * (1 - 1e-6))
                continue;
            if (pass == 0) {
                slope[falls] += x - y;
                count[falls]++;
            } else {
                price[p] = part[falls] / (double)count[falls] / load_band_capacity(k, p);
                k->worth[k->num] += part[falls] / (double)count[falls];
            }
        }
    }
    k->price[k->num] = price;
    k->num += price != NULL;
    return price;
}

/* The prices of `a` for a part of the worth, those of `b` for the rest. */
static bool load_band_price_blend(pricing *k, unsigned a, unsigned b, double part)
{
    double *price = ik_calloc((size_t)k->f->num_ports + 1, sizeof *price);
    for (uint32_t p = 0; price && p < k->f->num_ports; p++)
        price[p] = part * k->price[a][p] / k->worth[a] + (1 - part) * k->price[b][p] / k->worth[b];
    k->price[k->num] = price;
    k->worth[k->num] = 1;
    k->num += price != NULL;
    return price;
}

/* ---- what flows pay */

/* Of every switch on the way to the goal the cheapest path, backwards. */
static void load_band_find_nearest(const pricing *k, const double *price, double *nearest)
{
    const spread *s = &k->s;
    for (uint32_t i = s->num; i-- > 0;)
        nearest[s->order[i]] = INFINITY;
    for (uint32_t i = s->num_sorted; i-- > 0;) {
        uint32_t sw = s->sorted[i];
        double least = sw == s->goal ? 0 : INFINITY;
        for (uint32_t n = 0; n < s->out_num[sw]; n++) {
            uint32_t port = s->outs[s->out_first[sw] + n], to = ik_peer_node(k->f, port);
            least = fmin(least, price[port] + (ik_is_switch(k->f, to) ? nearest[to] : 0));
        }
        nearest[sw] = least;
    }
}

/* Flows that do not arrive pay nothing. */
static void load_band_pay(pricing *k, unsigned which, double amount, double least)
{
    double units = k->d.denominator ? (double)k->d.denominator : 1;
    if (least < INFINITY)
        k->paid[which] += amount / units * least;
}

/* All flows to a goal whose ways lead there directly. */
static void load_band_pay_directly(pricing *k, const offers *o, uint32_t goal)
{
    const demand *d = &k->d;
    if (o->grouped)
        spread_to_switch(&k->s, d->row_switch[goal], d->row_host[d->row_base[goal]]);
    else
        spread_to_host(&k->s, goal);
    for (uint32_t i = 0; i < k->list.num; i++) {
        uint32_t row = k->list.rows[i],
                 in_port = k->f->port_peer[walk_injection(k->f, d->row_host[d->row_base[row]])];
        spread_offer(&k->s, d->row_switch[row], in_port, 0, 1, 0);
    }
    spread_run(&k->s, NULL, true);
    for (unsigned which = 0; which < k->num; which++) {
        load_band_find_nearest(k, k->price[which], k->nearest);
        for (uint32_t i = 0; i < k->list.num; i++)
            load_band_pay(k, which, k->list.amount[k->list.rows[i]],
                          k->nearest[d->row_switch[k->list.rows[i]]]);
    }
}

/* The flows from a row to a goal's row, directly or through the cheapest of the others. */
static double load_band_cheapest_way(pricing *k, uint32_t row, uint32_t goal)
{
    const demand *d = &k->d;
    size_t switches = k->f->num_switches;
    uint32_t src = d->row_host[d->row_base[row]], dst = d->row_host[d->row_base[goal]];
    const double *from = k->cheapest + d->row_switch[row] * switches;
    uint32_t n = k->r->family->middles(k->r, src, dst, k->middles);
    double least = walk_num_starts(k->r, src, dst) > n ? from[d->row_switch[goal]] : INFINITY;
    for (uint32_t i = 0; i < n; i++)
        least = fmin(least, from[k->middles[i]] +
                                k->cheapest[k->middles[i] * switches + d->row_switch[goal]]);
    return least;
}

/* All pairs of switches with these prices. */
static void load_band_find_cheapest(pricing *k, const double *price)
{
    size_t switches = k->f->num_switches;
    for (uint32_t goal = 0; goal < switches; goal++) {
        spread_to_switch(&k->s, goal, IK_NONE);
        for (uint32_t sw = 0; sw < switches; sw++)
            spread_offer(&k->s, sw, IK_NONE, 0, 1, 0);
        spread_run(&k->s, NULL, false);
        load_band_find_nearest(k, price, k->nearest);
        for (uint32_t sw = 0; sw < switches; sw++)
            k->cheapest[sw * switches + goal] = k->nearest[sw];
    }
}

/* ---- the bound */

/* Goal by goal; through: as load_band_cheapest_way() says with price list `which`. */
static ik_status load_band_pay_all(pricing *k, const ik_env *env, bool through, unsigned which,
                                   ik_error *err)
{
    offers o;
    bool grouped = through || ((k->r->traits & IK_ROUTE_PER_SWITCH) && k->r->family->leg);
    ik_status status = offers_open(&o, &k->d, grouped, env, err);
    for (uint32_t first = 0, end; status == IK_OK && first < o.num_goals; first = end) {
        end = o.num_goals - first > o.width ? first + o.width : o.num_goals;
        status = offers_block(&o, first, end, env, err);
        for (uint32_t goal = first; goal < end && status == IK_OK; goal++) {
            offers_to(&o, goal, &k->list);
            if (!through && k->list.num)
                load_band_pay_directly(k, &o, goal);
            for (uint32_t i = 0; through && i < k->list.num; i++)
                load_band_pay(k, which, k->list.amount[k->list.rows[i]],
                              load_band_cheapest_way(k, k->list.rows[i], goal));
            if (ik_env_cancelled(env))
                status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        }
    }
    offers_close(&o);
    return status;
}

static ik_status load_band_pay_through(pricing *k, const ik_env *env, ik_error *err)
{
    size_t switches = k->f->num_switches;
    double work = (double)k->d.num_rows * (double)k->d.num_rows * (double)switches;
    ik_status status = ik_env_refuse_bytes(env, (double)(switches * switches) * sizeof(double),
                                           "distances of a bound", err);
    if (status != IK_OK)
        return status;
    k->cheapest = ik_calloc(switches * switches + 1, sizeof *k->cheapest);
    if (!k->cheapest)
        return ik_fail_memory(err, switches * switches * sizeof *k->cheapest, "a bound");
    while (k->num > 0 && work * k->num > most_work) /* none: the hosts' channels alone bound it */
        free(k->price[--k->num]);
    for (unsigned which = 0; which < k->num && status == IK_OK; which++) {
        load_band_find_cheapest(k, k->price[which]);
        status = load_band_pay_all(k, env, true, which, err);
    }
    return status;
}

/* The channels of hosts, which every division loads alike. */
static double load_band_bound_of_ends(const pricing *k, const ik_load *even)
{
    double most = 0;
    for (uint32_t p = 0; p < k->f->num_ports; p++)
        if (!load_band_between_switches(k->f, p))
            most = fmax(most, load_band_relative(k->f, k->d.ref_rate_bps, even->load, p));
    return load_band_saturation_of(most);
}

static ik_status load_band_pricing_init(pricing *k, const ik_routing *r, const ik_traffic *t,
                                        const ik_env *env, ik_error *err)
{
    *k = (pricing){.r = r, .f = r->fabric};
    ik_status status = demand_init(&k->d, t, env, err);
    if (status == IK_OK)
        status = spread_init(&k->s, r, err);
    if (status == IK_OK)
        status = offer_list_init(&k->list, &k->d, err);
    size_t switches = (size_t)r->fabric->num_switches + 1;
    k->nearest = ik_calloc(switches, sizeof *k->nearest);
    k->middles = ik_calloc(switches, sizeof *k->middles);
    if (status == IK_OK && (!k->nearest || !k->middles))
        status = ik_fail_memory(err, switches * 12, "a bound");
    return status;
}

static void load_band_pricing_free(pricing *k)
{
    for (unsigned i = 0; i < k->num; i++)
        free(k->price[i]);
    free(k->nearest);
    free(k->middles);
    free(k->cheapest);
    offer_list_free(&k->list);
    spread_free(&k->s);
    demand_free(&k->d);
}

/* Whether routes go in a way that prices can be summed along. */
static bool load_band_can_bound(const ik_routing *r, bool through)
{
    bool alike = r->traits & IK_ROUTE_PER_SWITCH;
    for (uint32_t h = 0; h < r->fabric->num_hosts && alike; h++)
        alike = ik_host_cables(r->fabric, h) == 1;
    return through ? alike && r->family->leg : alike || (r->traits & IK_ROUTE_DEST_BASED);
}

/* Is no division better than the even one, because that fills a cut? What enters or leaves a
 * subtree of a tree that packets ascend as they like passes its channels of one level; where these
 * have equal rates, the fullest of them says what all of them let through. */
static bool load_band_fills_a_cut(const pricing *k, const ik_load *even)
{
    const ik_fabric *f = k->f;
    uint32_t p = even->tightest;
    if (!load_fits_by_levels(k->r, &k->d) || tree_counts_fit(k->r) != TREE_ASCENTS_FULL ||
        p == IK_NONE || !load_band_between_switches(f, p))
        return false;
    uint32_t from = f->switch_level[f->port_node[p]], to = f->switch_level[ik_peer_node(f, p)];
    for (uint32_t q = 0; q < f->num_ports; q++)
        if (load_band_between_switches(f, q) && f->switch_level[f->port_node[q]] == from &&
            f->switch_level[ik_peer_node(f, q)] == to &&
            ik_port_rate_bps(f, q) != ik_port_rate_bps(f, p))
            return false;
    return true;
}

/* What is known to be carried. */
static double load_band_reached(const ik_load *even, const ik_load_band *band)
{
    return isnan(band->split) ? even->saturation : fmax(even->saturation, band->split);
}

static ik_status load_band_find_bound(pricing *k, const ik_load *even, const ik_load pure[2],
                                      ik_load_band *band, const ik_env *env, ik_error *err)
{
    static const double slopes[] = {64, 16, 256}, parts[] = {.03, .1, .3};
    bool through = pure[0].load, made = true;
    band->high = load_band_bound_of_ends(k, even);
    if (load_band_fills_a_cut(k, even))
        band->high = even->saturation;
    if (band->high <= load_band_reached(even, band))
        return IK_OK;
    if (through)
        made = load_band_price_by_share(k, &pure[0], &pure[1], band->split_minimal);
    made = made && price_by_load(k, NULL, 0);
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes && made; i++)
        for (unsigned p = 0; p < (through ? 2 : 1) && made; p++)
            made = price_by_load(k, through ? pure[p].load : even->load, slopes[i]);
    /* what all minimal traffic would fill, which detours go around, beside the length of detours */
    for (size_t i = 0; i < sizeof parts / sizeof *parts && made && through; i++)
        made = k->worth[1] <= 0 || load_band_price_blend(k, 2, 1, parts[i]);
    if (!made)
        return ik_fail_memory(err, k->f->num_ports * sizeof(double), "a bound");
    ik_status status =
        through ? load_band_pay_through(k, env, err) : load_band_pay_all(k, env, false, 0, err);
    for (unsigned i = 0; i < k->num; i++)
        if (k->paid[i] > 0)
            band->high = fmin(band->high, k->worth[i] / k->paid[i]);
    return status;
}

static ik_status load_band_bound(const ik_routing *r, const ik_traffic *by_port,
                                 const ik_load *even, const ik_load pure[2], ik_load_band *band,
                                 const ik_env *env, ik_error *err)
{
    pricing k;
    if (!load_band_can_bound(r, pure[0].load))
        return IK_OK;
    ik_status status = load_band_pricing_init(&k, r, by_port, env, err);
    if (status == IK_OK && pure[0].load) {
        band->split_minimal = load_band_best_share(r->fabric, k.d.ref_rate_bps, &pure[0], &pure[1]);
        band->split = load_band_saturation_of(load_band_fullest(
            r->fabric, k.d.ref_rate_bps, &pure[0], &pure[1], band->split_minimal));
    }
    if (status == IK_OK)
        status = load_band_find_bound(&k, even, pure, band, env, err);
    load_band_pricing_free(&k);
    return status;
}

bool ik_load_chooses_detours(const ik_routing *r)
{
    return r->kind == IK_ROUTE_ADAPTIVE && r->family->start && r->family->middles;
}

ik_status ik_load_band_measure(const ik_routing *r, const ik_traffic *t, const ik_load *even,
                               const ik_env *env, ik_load_band *out, ik_error *err)
{
    ik_load_band band = {.predicted = r->kind != IK_ROUTE_ADAPTIVE,
                         .minimal = NAN,
                         .valiant = NAN,
                         .split = NAN,
                         .split_minimal = NAN,
                         .low = NAN,
                         .high = NAN};
    ik_load pure[2] = {0};
    const ik_traffic *by_port = NULL;
    ik_status status = IK_OK;
    band.chooses_detours = ik_load_chooses_detours(r);
    if (band.predicted) {
        band.low = band.high = even->saturation;
        *out = band;
        return IK_OK;
    }
    if (band.chooses_detours) {
        status = load_band_measure_pure(r, "minimal", t, env, &pure[0], err);
        if (status == IK_OK)
            status = load_band_measure_pure(r, "valiant", t, env, &pure[1], err);
    }
    if (status == IK_OK && band.chooses_detours) {
        band.minimal = pure[0].saturation;
        band.valiant = pure[1].saturation;
        band.low = fmin(band.minimal, band.valiant);
    }
    if (status == IK_OK)
        status = by_port_make(t, r, BY_PORT_SHARES, env ? env->seed : 0, &by_port, err);
    if (status == IK_OK)
        status = load_band_bound(r, by_port, even, pure, &band, env, err);
    if (by_port)
        by_port_free(by_port, t);
    ik_load_free(&pure[0]);
    ik_load_free(&pure[1]);
    if (status == IK_OK)
        *out = band;
    return status;
}
