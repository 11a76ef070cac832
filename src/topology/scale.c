/* SPDX-License-Identifier: Apache-2.0
 *
 * How the families grow with the switch radix: every family that has a natural balanced instance
 * declares a series, indexed by one number; here the largest instance for a radix and the smallest
 * for a number of hosts are picked from it.
 */
#include "topology/scale.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void scale_direct(ik_scale_point *out, double switches, double degree, double p)
{
    assert(switches >= 1 && degree >= 0 && p >= 0);
    out->switches = switches;
    out->hosts = switches * p;
    out->ports = switches * (degree + p);
    out->links = out->hosts + switches * degree / 2;
    out->radix = (uint32_t)(degree + p);
}

bool ik_series_largest(const ik_series *series, uint32_t radix, ik_scale_point *out)
{
    bool found = false;
    ik_scale_point point = {0};
    for (uint32_t i = 1; i <= radix; i++) {
        if (series->point(i, &point)) {
            assert(point.radix >=
                   i); /* else a larger one could stand behind the end of the search */
            if (point.radix > radix)
                break;
            *out = point;
            found = true;
        }
    }
    return found;
}

bool ik_series_smallest(const ik_series *series, double hosts, ik_scale_point *out)
{
    ik_scale_point point = {0};
    for (uint32_t i = 1; i <= IK_SERIES_MAX; i++) {
        if (series->point(i, &point) && point.hosts >= hosts) {
            *out = point;
            return true;
        }
    }
    return false;
}

/* ---- members for a wish */

/* A switch of an XGFT stands below those alone whose digits are its own, so that switches of
 * different lowest digits w_1 are not connected (Ohring et al., On Generalized Fat Trees, IPPS
 * 1995): w_1 = rails makes so many trees over the same hosts. */
bool ik_fit_rails(const ik_fit *fit, uint32_t rails, char *spec, size_t size)
{
    static const char one[] = ",w=1:";
    const char *member = fit->point.spec,
               *at = strncmp(member, "pgft:", 5) == 0 ? strstr(member, one) : NULL;
    assert(rails >= 1 && size > 0);
    spec[0] = '\0';
    if (!at)
        return false;
    int used =
        snprintf(spec, size, "%.*s,w=%u:%s", (int)(at - member), member, rails, at + strlen(one));
    if (used > 0 && (size_t)used < size)
        return true;
    spec[0] = '\0';
    return false;
}

/* Of switches and the cables between them. */
static double scale_price(const ik_wish *wish, double switches, double cables)
{
    return switches * wish->switch_price + cables * wish->cable_price;
}

bool scale_too_dear(const scale_best *best, double switches, double cables)
{
    const ik_scale_point *p = &best->fit->point;
    if (ik_cancel_raised(best->wish->cancel))
        return true; /* ends every search, since each asks here */
    if (!best->found)
        return false;
    if (best->wish->switch_price == 0 && best->wish->cable_price == 0)
        return switches > p->switches;
    return scale_price(best->wish, switches, cables) >
           scale_price(best->wish, p->switches, p->links - p->hosts);
}

/* What is connected has at least one cable less than switches. */
bool scale_too_many(const scale_best *best, double switches)
{
    return scale_too_dear(best, switches, switches - 1);
}

/* A lower price, then fewer switches, then fewer links, then fewer host ports to spare: hosts stand
 * more evenly. */
static bool scale_cheaper(const scale_best *best, double switches, double links, double capacity)
{
    const ik_fit *than = best->fit;
    const ik_scale_point *p = &than->point;
    const double price = scale_price(best->wish, switches, links - p->hosts),
                 least = scale_price(best->wish, p->switches, p->links - p->hosts);
    if (price != least)
        return price < least;
    if (switches != p->switches)
        return switches < p->switches;
    return links != p->links ? links < p->links : capacity < than->capacity;
}

bool scale_offer(scale_best *best, double switches, double cables, double radix, double capacity,
                 const char *spec, ...)
{
    ik_scale_point *p = &best->fit->point;
    double hosts = best->wish->hosts;
    assert(capacity >= hosts && radix >= 1);
    if (radix > best->wish->radix ||
        (best->found && !scale_cheaper(best, switches, cables + hosts, capacity)))
        return false;
    *best->fit = (ik_fit){.capacity = capacity, .routing = "minimal"};
    *p = (ik_scale_point){.hosts = hosts,
                          .switches = switches,
                          .ports = hosts + 2 * cables,
                          .links = hosts + cables,
                          .radix = (uint32_t)radix};
    va_list args;
    va_start(args, spec);
    vsnprintf(p->spec, sizeof p->spec, spec, args);
    va_end(args);
    size_t used = strlen(p->spec);
    if (capacity > hosts)
        snprintf(p->spec + used, sizeof p->spec - used, ",hosts=%.0f", hosts);
    best->found = true;
    return true;
}

uint32_t scale_hosts_per(const ik_wish *wish, double switches)
{
    assert(switches >= 1);
    return (uint32_t)ceil(wish->hosts / switches);
}

/* Oversubscription is a fraction in decimals: what is whole but for rounding is whole. So are sums
 * of prices: what is less by so little is equal. */
static const double rounding = 1e-9;

uint32_t scale_most(const ik_wish *wish, uint32_t balanced)
{
    return (uint32_t)(balanced * wish->oversubscription + rounding);
}

uint32_t scale_least(const ik_wish *wish, double hosts)
{
    double least = ceil(hosts / wish->oversubscription - rounding);
    return least > 1 ? (uint32_t)least : 1;
}

/* With fewer cables per pair there are more groups: the first number that fits is the best. Of c
 * cables each, a group has at least all its hosts' traffic less c. */
bool scale_groups(const ik_wish *wish, double group_hosts, uint32_t switches, uint32_t most_h,
                  bool even, uint32_t *groups, uint32_t *h)
{
    double least = ceil(wish->hosts / group_hosts), ports = (double)switches * most_h;
    least = least > 2 ? least : 2;
    if (least - 1 > ports)
        return false;
    double all = group_hosts / wish->oversubscription;
    for (uint32_t c = scale_least(wish, group_hosts / least); c > 0 && c + ports >= all; c--) {
        double g = scale_least(wish, group_hosts / c);
        g = g > least ? g : least;
        double each = scale_least(wish, group_hosts / g);
        if (even && each > switches)
            each = ceil(each / switches) * switches;
        if (each * (g - 1) <= ports) {
            *groups = (uint32_t)g;
            *h = (uint32_t)ceil(each * (g - 1) / switches);
            return true;
        }
    }
    return false;
}

double scale_global_cables(double groups, double ports)
{
    double rest = fmod(ports, groups - 1);
    bool unconnected = fmod(rest, 2) != 0 && fmod(groups, 2) != 0;
    return groups * (ports - unconnected) / 2;
}

/* ---- ranges of hosts */

enum { TRIED = 1 << 24 }; /* radix * radix * sizes */

static bool scale_fit(const ik_series *series, const ik_wish *wish, double hosts, ik_fit *out)
{
    ik_wish w = *wish;
    w.hosts = hosts;
    w.hosts_max = 0;
    return series->fit && series->fit(&w, out);
}

/* What a member is judged by. */
static double scale_value(const ik_wish *wish, const ik_scale_point *p)
{
    bool priced = wish->switch_price > 0 || wish->cable_price > 0;
    return priced ? scale_price(wish, p->switches, p->links - p->hosts) : p->switches;
}

static bool scale_is_less(double a, double b)
{
    return a < b * (1 - rounding);
}

/* Less per host; each has been multiplied by the hosts of both. */
static bool scale_cheaper_per_host(const ik_wish *wish, const ik_scale_point *a,
                                   const ik_scale_point *b)
{
    const double each[3][2] = {
        {scale_value(wish, a) * b->hosts, scale_value(wish, b) * a->hosts},
        {a->switches * b->hosts, b->switches * a->hosts},
        {(a->links - a->hosts) * b->hosts, (b->links - b->hosts) * a->hosts},
    };
    for (size_t i = 0; i < 3; i++)
        if (scale_is_less(each[i][0], each[i][1]) || scale_is_less(each[i][1], each[i][0]))
            return each[i][0] < each[i][1];
    return false;
}

/* More hosts than `fit` has ports for cost no less than it, so that few more cannot cost less per
 * host than `best`. */
static double scale_next(const ik_wish *wish, const ik_fit *fit, const ik_fit *best)
{
    const double least = scale_value(wish, &best->point) / best->point.hosts;
    const double may =
        least > 0 ? floor(scale_value(wish, &fit->point) / least * (1 - rounding)) : 0;
    return may > fit->capacity ? may : fit->capacity + 1;
}

/* The most hosts of the range for which there is a member. */
static double scale_most_hosts(const ik_series *series, const ik_wish *wish)
{
    ik_fit fit;
    double feasible = wish->hosts, beyond = wish->hosts_max + 1;
    while (beyond - feasible > 1) {
        double hosts = feasible + floor((beyond - feasible) / 2);
        *(scale_fit(series, wish, hosts, &fit) ? &feasible : &beyond) = hosts;
    }
    return feasible;
}

/* How far apart sizes are at least that are tried: fewer of larger switches, each of which takes
 * longer. */
static double scale_apart(const ik_wish *wish, double most)
{
    const double tries = fmin(fmax(TRIED / ((double)wish->radix * wish->radix), 64), 4096);
    return floor((most - wish->hosts) / tries);
}

/* From a member for the least number on, *out. */
static void scale_fit_range(const ik_series *series, const ik_wish *wish, ik_fit *out)
{
    const double most = scale_most_hosts(series, wish), apart = scale_apart(wish, most);
    ik_fit fit = *out, filled;
    for (double hosts = wish->hosts; hosts <= most && !ik_cancel_raised(wish->cancel);) {
        /* with all hosts that it has ports for it costs least per host */
        if (!scale_fit(series, wish, hosts, &fit) ||
            !scale_fit(series, wish, fmin(fit.capacity, most), &filled))
            return;
        if (scale_cheaper_per_host(wish, &filled.point, &out->point))
            *out = filled;
        hosts = fmax(scale_next(wish, &fit, out), hosts + apart);
    }
}

bool ik_series_fit(const ik_series *series, const ik_wish *wish, ik_fit *out)
{
    assert(wish->hosts >= 1 && wish->radix <= IK_WISH_RADIX_MAX && wish->oversubscription >= 1);
    assert(wish->hosts_max == 0 || wish->hosts_max >= wish->hosts);
    if (!scale_fit(series, wish, wish->hosts, out))
        return false;
    if (wish->hosts_max > wish->hosts)
        scale_fit_range(series, wish, out);
    return true;
}

bool ik_series_nearest(const ik_series *series, const ik_wish *wish, ik_fit *most, uint32_t *radix)
{
    ik_fit fit;
    ik_wish w = *wish;
    w.switch_price = w.cable_price = w.hosts_max = 0;
    uint32_t low = wish->radix, high = low;
    do { /* in doubling steps, since large switches have many members */
        low = high;
        w.radix = high = 2 * low <= IK_WISH_RADIX_MAX ? 2 * low : IK_WISH_RADIX_MAX;
    } while (high > low && !ik_cancel_raised(wish->cancel) && !ik_series_fit(series, &w, &fit));
    if (high == low)
        high = IK_WISH_RADIX_MAX + 1;
    while (high - low > 1) {
        w.radix = low + (high - low) / 2;
        if (ik_series_fit(series, &w, &fit))
            high = w.radix;
        else
            low = w.radix;
    }
    *radix = high > IK_WISH_RADIX_MAX ? 0 : high;
    w.radix = wish->radix;
    double feasible = 0, beyond = wish->hosts;
    while (beyond - feasible > 1) {
        w.hosts = feasible + floor((beyond - feasible) / 2);
        if (ik_series_fit(series, &w, most))
            feasible = w.hosts;
        else
            beyond = w.hosts;
    }
    w.hosts = feasible;
    return feasible > 0 && ik_series_fit(series, &w, most);
}
