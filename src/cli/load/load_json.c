/* SPDX-License-Identifier: Apache-2.0
 *
 * load_json.c: what `ikat load --json` prints.
 */
#include "load.h"

#include <math.h>

static void load_json_put_ratio(ik_json *j, const char *key, const ik_ratio *r)
{
    if (isnan(r->value)) {
        ik_json_null(j, key);
        return;
    }
    ik_json_object(j, key);
    ik_json_real(j, "value", r->value, CLI_DIGITS);
    if (r->den) {
        ik_json_uint(j, "numerator", r->num);
        ik_json_uint(j, "denominator", r->den);
    }
    ik_json_close(j);
}

static void load_json_put_channel(ik_json *j, const char *key, const ik_fabric *f, uint32_t port)
{
    char where[256];
    if (port == IK_NONE)
        ik_json_null(j, key);
    else
        ik_json_text(j, key, ik_port_describe(f, port, where, sizeof where));
}

static void load_json_put_group(ik_json *j, const ik_load_group *g)
{
    ik_json_object(j, NULL);
    ik_load_group_json(g, j);
    ik_json_array(j, "histogram");
    for (size_t b = 0; b < g->num_bins; b++) {
        ik_json_object(j, NULL);
        ik_json_real(j, "low", g->bins[b].low, CLI_DIGITS);
        ik_json_real(j, "high", g->bins[b].high, CLI_DIGITS);
        ik_json_uint(j, "channels", g->bins[b].channels);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

static void load_json_put_groups(ik_json *j, const loads *l)
{
    ik_json_array(j, "groups");
    for (size_t i = 0; i < l->num_groups; i++)
        load_json_put_group(j, &l->groups[i]);
    ik_json_close(j);
}

/* Whole numbers as such. */
static void load_json_put_number(ik_json *j, double n)
{
    if (n == floor(n) && n < 9e15)
        ik_json_uint(j, NULL, (uint64_t)n);
    else
        ik_json_real(j, NULL, n, CLI_DIGITS);
}

/* Routes per nearest common ancestor: one array a level above the first. */
static void load_json_put_turns(ik_json *j, const loads *l)
{
    ik_json_array(j, "turns_by_level");
    for (uint32_t level = 1; level <= l->f->num_levels; level++) {
        ik_json_array(j, NULL);
        for (uint32_t sw = 0; sw < l->f->num_switches; sw++)
            if (l->f->switch_level[sw] == level)
                load_json_put_number(j, l->load.turns[sw]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void load_json_put_contention(ik_json *j, const ik_fabric *f, const ik_contention *c)
{
    ik_json_object(j, "contention");
    ik_json_uint(j, "split_flows", c->split);
    ik_json_bool(j, "divided_evenly", isnan(c->slowdown_bound.value) && !isnan(c->max_flows));
    ik_json_known(j, "c", !c->split, c->c);
    if (f->num_levels) {
        ik_json_known(j, "c_up", !c->split, c->c_up);
        ik_json_known(j, "c_down", !c->split, c->c_down);
    }
    load_json_put_ratio(j, "c_load", &c->c_load);
    if (c->split)
        ik_json_real(j, "max_flows", c->max_flows, CLI_DIGITS);
    else
        ik_json_uint(j, "max_flows", (uint64_t)c->max_flows);
    ik_json_uint(j, "endpoint_degree", c->endpoint_degree);
    load_json_put_ratio(j, "slowdown_bound", &c->slowdown_bound);
    ik_json_real(j, "fluid_time", c->fluid_time, CLI_DIGITS);
    ik_json_real(j, "fluid_slowdown", c->fluid_slowdown, CLI_DIGITS);
    ik_json_real(j, "effective_bandwidth", c->effective_bandwidth, CLI_DIGITS);
    ik_json_real(j, "effective_bandwidth_leaving", c->effective_bandwidth_leaving, CLI_DIGITS);
    ik_json_real(j, "mean_efficiency", c->mean_efficiency, CLI_DIGITS);
    ik_json_real(j, "mean_efficiency_leaving", c->mean_efficiency_leaving, CLI_DIGITS);
    load_json_put_channel(j, "worst_channel", f, c->worst_channel);
    ik_json_close(j);
}

static void put_queue_groups(ik_json *j, const char *key, const ik_load_group *groups, size_t num)
{
    ik_json_array(j, key);
    for (size_t i = 0; i < num; i++)
        load_json_put_group(j, &groups[i]);
    ik_json_close(j);
}

static void load_json_put_queues(ik_json *j, const loads *l)
{
    ik_json_object(j, "queues");
    ik_json_text(j, "vc", l->plan->vc->spec);
    ik_json_uint(j, "num_vcs", l->queues.num_vcs);
    put_queue_groups(j, "flows", l->queue_flows, l->num_queue_groups);
    put_queue_groups(j, "destinations", l->queue_destinations, l->num_queue_groups);
    ik_json_close(j);
}

/* null where it is not known. */
static void load_json_put_known(ik_json *j, const char *key, bool known, double x)
{
    if (known && x == x)
        ik_json_real(j, key, x, CLI_DIGITS);
    else
        ik_json_null(j, key);
}

static void load_json_put_phase(ik_json *j, const ik_phase *p)
{
    bool known = p->has_contention;
    ik_json_object(j, NULL);
    ik_json_optional(j, "name", p->name);
    ik_json_uint(j, "messages", p->messages);
    ik_json_uint(j, "bytes", p->bytes);
    ik_json_uint(j, "flows", p->flows);
    ik_json_uint(j, "undelivered", p->undelivered - p->unconnected);
    ik_json_uint(j, "unconnected", p->unconnected);
    ik_json_real(j, "max_load_bytes", p->max_load_bytes, CLI_DIGITS);
    ik_json_real(j, "bound_ns", p->bound_ns, CLI_DIGITS);
    ik_json_real(j, "crossbar_bound_ns", p->crossbar_bound_ns, CLI_DIGITS);
    ik_json_known(j, "c", known && !p->contention.split, p->contention.c);
    load_json_put_known(j, "fluid_ns", known, p->fluid_ns);
    load_json_put_known(j, "crossbar_ns", known, p->crossbar_ns);
    load_json_put_known(j, "slowdown", known,
                        p->crossbar_ns > 0 ? p->fluid_ns / p->crossbar_ns : 1);
    ik_json_close(j);
}

static void load_json_put_phases(ik_json *j, const ik_phases *p, bool divided_evenly)
{
    ik_json_object(j, "workload");
    ik_json_bool(j, "divided_evenly", divided_evenly);
    ik_json_uint(j, "messages", p->messages);
    ik_json_uint(j, "bytes", p->bytes);
    ik_json_real(j, "bound_ns", p->bound_ns, CLI_DIGITS);
    ik_json_real(j, "crossbar_bound_ns", p->crossbar_bound_ns, CLI_DIGITS);
    load_json_put_known(j, "fluid_ns", p->has_contention, p->fluid_ns);
    load_json_put_known(j, "crossbar_ns", p->has_contention, p->crossbar_ns);
    ik_json_real(j, "slowdown", p->slowdown, CLI_DIGITS);
    ik_json_array(j, "phases");
    for (size_t i = 0; i < p->num; i++)
        load_json_put_phase(j, &p->phases[i]);
    ik_json_close(j);
    ik_json_close(j);
}

static void load_json_put_means(ik_json *j, const ik_pattern_means *m)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"effective_bandwidth", m->effective_bandwidth},
        {"effective_bandwidth_error", m->effective_bandwidth_error},
        {"effective_bandwidth_leaving", m->effective_bandwidth_leaving},
        {"effective_bandwidth_leaving_error", m->effective_bandwidth_leaving_error},
        {"mean_efficiency", m->mean_efficiency},
        {"mean_efficiency_error", m->mean_efficiency_error},
        {"mean_efficiency_leaving", m->mean_efficiency_leaving},
        {"mean_efficiency_leaving_error", m->mean_efficiency_leaving_error},
    };
    ik_json_object(j, "patterns");
    ik_json_uint(j, "patterns", m->patterns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ik_json_real(j, rows[i].key, rows[i].value, CLI_DIGITS);
    ik_json_close(j);
}

static void put_permutations(ik_json *j, const ik_permutations *p)
{
    ik_json_object(j, "permutations");
    ik_json_bool(j, "exhaustive", p->exhaustive);
    ik_json_uint(j, "total", p->total);
    ik_json_real(j, "mean", p->mean, CLI_DIGITS);
    ik_json_object(j, "by_contention");
    for (size_t c = 0; c < p->num; c++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", c);
        if (p->count[c])
            ik_json_uint(j, key, p->count[c]);
    }
    ik_json_close(j);
    ik_json_close(j);
}

/* Of routings whose choices depend on queues. */
static void load_json_put_band(ik_json *j, const loads *l)
{
    const ik_load_band *b = &l->band;
    if (b->predicted) {
        ik_json_null(j, "saturation_band");
        return;
    }
    ik_json_object(j, "saturation_band");
    ik_json_real(j, "even", l->load.saturation, CLI_DIGITS);
    cli_json_band(j, b);
    ik_json_close(j);
}

static void load_json_put_load(ik_json *j, const loads *l)
{
    const ik_load *x = &l->load;
    ik_json_uint(j, "flows", x->flows);
    ik_json_uint(j, "undelivered", loads_undelivered(l));
    ik_json_uint(j, "unconnected", l->unconnected);
    ik_json_real(j, "max_load", x->max_load, CLI_DIGITS);
    ik_json_real(j, "mean_load", x->mean_load, CLI_DIGITS);
    ik_json_real(j, "min_load", x->min_load, CLI_DIGITS);
    ik_json_known(j, "load_denominator", x->denominator != 0, x->denominator);
    ik_json_real(j, "max_flows", x->max_crossing, CLI_DIGITS);
    ik_json_real(j, "mean_hops", x->mean_hops, CLI_DIGITS);
    ik_json_real(j, "saturation", l->band.chooses_detours ? NAN : x->saturation, CLI_DIGITS);
    load_json_put_band(j, l);
    if (l->has_bound) {
        double rate = loads_predicted(x, l->unconnected, l->r);
        ik_json_object(j, "bound");
        loads_put_bound(j, &l->bound);
        ik_json_real(j, "share_low", loads_share_low(rate, &l->bound), CLI_DIGITS);
        ik_json_real(j, "share_high", loads_share_high(rate, &l->bound), CLI_DIGITS);
        ik_json_close(j);
    }
    load_json_put_channel(j, "max_channel", l->f, x->max_channel);
    load_json_put_channel(j, "tightest_channel", l->f, x->tightest);
}

/* What an entry of a schedule says beside its pattern. */
static void load_json_put_entry(ik_json *j, const ik_schedule_entry *entry)
{
    bool last = entry->until_ps == UINT64_MAX;
    ik_json_text(j, "name", entry->name);
    load_json_put_known(j, "until_ns", !last, (double)entry->until_ps / 1000);
    ik_json_real(j, "load", entry->load, CLI_DIGITS);
}

/* A column of what is known of each channel: `values`; if that is NULL, its rate or its number. */
static void load_json_put_column(ik_json *j, const char *key, const loads *l, bool rates,
                                 const double *values)
{
    ik_direction direction;
    uint32_t level;
    ik_json_array(j, key);
    for (uint32_t p = 0; p < l->f->num_ports; p++)
        if (ik_channel_kind(l->f, p, &direction, &level)) {
            if (values)
                load_json_put_number(j, values[p]);
            else
                ik_json_uint(j, NULL, rates ? ik_port_rate_bps(l->f, p) : p);
        }
    ik_json_close(j);
}

static void load_json_put_channels(ik_json *j, const loads *l)
{
    ik_json_object(j, "channels");
    load_json_put_column(j, "channel", l, false, NULL);
    load_json_put_column(j, "rate_bps", l, true, NULL);
    load_json_put_column(j, "load", l, false, l->load.load);
    load_json_put_column(j, "flows", l, false, l->load.crossing);
    ik_json_close(j);
}

void loads_put_json(ik_json *j, const loads *l)
{
    if (l->entry)
        load_json_put_entry(j, l->entry);
    ik_json_optional(j, "topology", l->f->spec);
    ik_json_text(j, "routing", l->r->spec);
    cli_json_note(j, l->r->note);
    ik_json_text(j, "traffic", l->t->spec);
    ik_json_uint(j, "hosts", l->f->num_hosts);
    ik_json_uint(j, "switches", l->f->num_switches);
    load_json_put_load(j, l);
    load_json_put_groups(j, l);
    if (l->has_channels)
        load_json_put_channels(j, l);
    if (l->load.turns)
        load_json_put_turns(j, l);
    if (l->has_queues)
        load_json_put_queues(j, l);
    if (l->has_contention)
        load_json_put_contention(j, l->f, &l->contention);
    if (l->has_phases)
        load_json_put_phases(j, &l->phases, !l->band.predicted && !isnan(l->phases.slowdown));
    if (l->has_means)
        load_json_put_means(j, &l->means);
    if (l->has_permutations)
        put_permutations(j, &l->permutations);
}

int loads_show_json(const loads *l)
{
    ik_json j;
    cli_json_begin(&j);
    loads_put_json(&j, l);
    return cli_json_end(l->c, &j);
}
