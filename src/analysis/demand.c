/* SPDX-License-Identifier: Apache-2.0
 *
 * demand.c: a pattern as numbers.
 *
 * Every flow is weight/scale of its source's rate. If the least common multiple D of all scales is
 * small enough that sums of D-ths stay below 2^53, amounts are kept as whole numbers of D-ths in
 * doubles: all sums are then exact, whatever their order.
 */
#include "analysis/demand.h"

#include "routing/by_port.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* lcm, or 0 if one of them is 0 or the result is beyond `limit`. */
static uint64_t demand_lcm_within(uint64_t a, uint64_t b, uint64_t limit)
{
    if (a == 0 || b == 0)
        return 0;
    a /= ik_gcd(a, b);
    return a > limit / b ? 0 : a * b;
}

/* ------------------------------------------------------------------------------------------
 * hosts */

enum { MAX_RATES = 256 }; /* fabrics have few rates; further ones are never the most common */

uint64_t demand_common_rate(const ik_fabric *f)
{
    uint64_t rates[MAX_RATES], counts[MAX_RATES] = {0};
    size_t num = 0, best = 0;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint64_t rate = by_port_rate_bps(f, h);
        size_t i = 0;
        while (i < num && rates[i] != rate)
            i++;
        if (rate == 0 || i == MAX_RATES)
            continue;
        num += i == num;
        rates[i] = rate;
        counts[i]++;
    }
    for (size_t i = 1; i < num; i++)
        if (counts[i] > counts[best] || (counts[i] == counts[best] && rates[i] > rates[best]))
            best = i;
    return num ? rates[best] : f->num_classes ? f->classes[0].rate_bps : 1;
}

/* Row by row of switches with hosts. */
static ik_status demand_place_hosts(demand *d, ik_error *err)
{
    const ik_fabric *f = d->t->fabric;
    size_t switches = (size_t)f->num_switches + 1;
    uint32_t *row = ik_calloc(switches, sizeof *row), rows = 0;
    if (!row)
        return ik_fail_memory(err, switches * sizeof *row, "rows of a traffic matrix");
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t sw = ik_host_switch(f, h);
        d->rate[h] = sw == IK_NONE ? 0 : (double)by_port_rate_bps(f, h) / (double)d->ref_rate_bps;
        d->row_of[h] = sw;
        if (sw != IK_NONE)
            row[sw]++;
    }
    /* Counting sort: row i is counted at i + 2, so that after filling row_base[i] is its start. */
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (row[sw]) {
            d->row_switch[rows] = sw;
            d->row_base[rows + 2] = row[sw];
            row[sw] = rows++;
        }
    }
    d->num_rows = rows;
    for (uint32_t i = 0; i < rows; i++)
        d->row_base[i + 2] += d->row_base[i + 1];
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        if (d->row_of[h] != IK_NONE) {
            d->row_of[h] = row[d->row_of[h]];
            d->row_host[d->row_base[d->row_of[h] + 1]++] = h;
        }
    }
    free(row);
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ the
 * common denominator */

typedef struct survey {
    const demand *d;
    uint32_t chunk;        /* hosts a chunk */
    uint64_t *flows, *lcm; /* [chunks] */
} survey;

typedef struct survey_part {
    uint64_t flows, lcm, last_scale, limit;
} survey_part;

static void demand_survey_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                               uint64_t scale)
{
    survey_part *p = ctx;
    (void)weight;
    p->flows += src != dst;
    if (scale != p->last_scale) {
        p->last_scale = scale;
        p->lcm = demand_lcm_within(p->lcm, scale, p->limit);
    }
}

static uint64_t demand_exact_limit(const demand *d)
{
    return ((uint64_t)1 << 53) / (d->t->num_hosts ? d->t->num_hosts : 1);
}

static ik_status demand_survey_chunk(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    survey *s = ctx;
    const ik_traffic *t = s->d->t;
    survey_part part = {.lcm = 1, .last_scale = 1, .limit = demand_exact_limit(s->d)};
    uint32_t first = (uint32_t)index * s->chunk,
             end = first + s->chunk < t->num_hosts ? first + s->chunk : t->num_hosts;
    (void)thread;
    (void)err;
    for (uint32_t src = first; src < end; src++)
        t->family->flows(t, src, demand_survey_flow, &part);
    s->flows[index] = part.flows;
    s->lcm[index] = part.lcm;
    return IK_OK;
}

/* What a survey would find if every host sends the same to each other one. */
static bool demand_survey_even(demand *d)
{
    const ik_traffic *t = d->t;
    if (!t->family->even || !t->family->even(t, &d->even_weight, &d->even_scale)) {
        d->even_scale = 0;
        return false;
    }
    d->flows = (uint64_t)t->num_hosts * (t->num_hosts - 1);
    d->denominator = demand_lcm_within(1, d->even_scale, demand_exact_limit(d));
    return true;
}

/* Hosts of other rates: shares of theirs are no whole parts of the reference's. */
static bool demand_rates_differ(const demand *d)
{
    for (uint32_t h = 0; h < d->t->num_hosts; h++)
        if (d->row_of[h] != IK_NONE && d->rate[h] != 1)
            return true;
    return false;
}

static ik_status demand_survey_flows(demand *d, const ik_env *env, ik_error *err)
{
    uint32_t n = d->t->num_hosts, chunk = n / 64 + 1, chunks = (n + chunk - 1) / chunk;
    survey s = {.d = d, .chunk = chunk};
    s.flows = ik_calloc((size_t)chunks + 1, sizeof *s.flows);
    s.lcm = ik_calloc((size_t)chunks + 1, sizeof *s.lcm);
    ik_status status = s.flows && s.lcm
                           ? ik_parallel_for(env, "flows", chunks, demand_survey_chunk, &s, err)
                           : ik_fail_memory(err, chunks * 2 * sizeof *s.lcm, "a survey of flows");
    d->denominator = 1;
    for (uint32_t c = 0; status == IK_OK && c < chunks; c++) {
        d->flows += s.flows[c];
        d->denominator = demand_lcm_within(d->denominator, s.lcm[c], demand_exact_limit(d));
    }
    free(s.flows);
    free(s.lcm);
    return status;
}

ik_status demand_init(demand *d, const ik_traffic *t, const ik_env *env, ik_error *err)
{
    size_t hosts = (size_t)t->num_hosts + 1, switches = (size_t)t->fabric->num_switches + 1;
    *d = (demand){.t = t, .ref_rate_bps = demand_common_rate(t->fabric)};
    d->rate = ik_calloc(hosts, sizeof *d->rate);
    d->row_of = ik_calloc(hosts, sizeof *d->row_of);
    d->row_host = ik_calloc(hosts, sizeof *d->row_host);
    d->row_switch = ik_calloc(switches, sizeof *d->row_switch);
    d->row_base = ik_calloc(switches + 1, sizeof *d->row_base);
    ik_status s = IK_OK;
    if (!d->rate || !d->row_of || !d->row_host || !d->row_switch || !d->row_base)
        s = ik_fail_memory(err, hosts * 16 + switches * 8, "a traffic matrix");
    if (s == IK_OK)
        s = demand_place_hosts(d, err);
    if (s == IK_OK && !demand_survey_even(d))
        s = demand_survey_flows(d, env, err);
    if (s == IK_OK && demand_rates_differ(d))
        d->denominator = 0;
    if (s != IK_OK)
        demand_free(d);
    return s;
}

void demand_free(demand *d)
{
    free(d->rate);
    free(d->row_of);
    free(d->row_host);
    free(d->row_switch);
    free(d->row_base);
    memset(d, 0, sizeof *d);
}

double demand_amount(const demand *d, uint32_t src, uint64_t weight, uint64_t scale)
{
    assert(scale > 0 && src < d->t->num_hosts);
    assert(!d->denominator || d->denominator % scale == 0); /* amounts stay whole */
    if (d->denominator)
        return (double)(weight * (d->denominator / scale));
    return d->rate[src] * (double)weight / (double)scale;
}
