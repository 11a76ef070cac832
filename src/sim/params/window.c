/* SPDX-License-Identifier: Apache-2.0
 *
 * When a run is measured. A run that finds its warm-up or its end counts batches from its start,
 * looks at them at fixed numbers of them (measure/stationary.h), and decides ahead: the measured
 * time begins, or ends, some batches after the look, so that what is sent before the look is over
 * by then and counts like in a run with these times in its section `measure`. Both give the same
 * results. What happens does not depend on what is measured.
 *
 * A batch has the length of a few packets of the slowest adapter and of the longest link, and of
 * some packets of all hosts at the load (fewer where the packet-hops or the time of a run are
 * limited), rounded up to 1, 2 or 5 times a power of ten: short
 * against the memory of the queues, which the look at them finds out about, and long enough that
 * there are no more of them than are needed. A window that is given has 80. */
#include "sim/params/window.h"
#include "sim/params/parameters.h"

#include <math.h>
#include <string.h>

enum {
    MOST_BATCHES = 1 << 14,
    LEAST_BATCHES = 128,  /* where the period is not as short as it can be */
    MOST_PERIODS = 10000, /* of a series, where the file does not say when the run ends */
    PACKETS_OF_HOST = 4,  /* in a batch at full load */
    /* And at the load, since full buffers hold others back after a time that no latency shows; but
     * not more of all hosts together than the next number, nor fewer than the one after it. */
    PACKETS_AT_LOAD = 16,
    MOST_OF_ALL = 4000,
    LEAST_OF_ALL = 32,
    MOST_OF_REPLIES = 10000, /* of a host, in a batch: requests and replies are numbered */
    HOPS_OF_PACKET = 4       /* where they are estimated */
};

/* ---- what is refused */

static ik_status window_refuse_of(const ik_params *measure, const char *why, ik_error *err)
{
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, "measure.stop: no %s without %s",
                     ik_params_text(measure, "stop_of"), why),
             "measure.stop_of measure.stop_ci");
    return ik_hint(err, IK_ERR_USAGE, "of: latency_mean_ns");
}

/* Results that there are only with a setting of the adapter. */
static ik_status window_check_of(const ik_params *measure, const ik_params *adapter, ik_error *err)
{
    stationary_of of = (stationary_of)ik_params_enum(measure, "stop_of");
    if (of == STATIONARY_ARRIVAL && !ik_params_bool(adapter, "in_order"))
        return window_refuse_of(measure, "adapter.in_order", err);
    if (of >= STATIONARY_ROUND_TRIP && of <= STATIONARY_REPLY && !ik_params_has(adapter, "reply"))
        return window_refuse_of(measure, "adapter.reply", err);
    return IK_OK;
}

static bool window_finds_window(const ik_params *measure)
{
    return ik_params_word(measure, "warmup") || !ik_params_has(measure, "duration");
}

bool sim_window_judged(const ik_traffic *traffic, const ik_params *measure)
{
    return ik_params_enum(measure, "until") == 0 &&
           !(traffic && (traffic->schedule || traffic->workload));
}

ik_status sim_check_window(const ik_traffic *traffic, const ik_params *measure, ik_error *err)
{
    if (!traffic->schedule)
        return IK_OK;
    if (measure && !window_finds_window(measure))
        return IK_OK;
    bool stops = measure && ik_params_has(measure, "stop_ci");
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "measure.%s: traffic of a schedule has no steady state to wait for",
                     stops ? "stop" : "warmup = auto"),
             stops ? "measure.stop_ci" : "measure.warmup");
    return ik_hint(err, IK_ERR_USAGE, "measure: {warmup: 0 ns, duration: …}");
}

static ik_status window_refuse_length(const char *what, const char *about, ik_error *err)
{
    return ik_about(err, ik_fail(err, IK_ERR_USAGE, "measure.%s leaves no time to measure", what),
                    "%s", about);
}

/* ---- batches */

typedef struct slowest {
    uint64_t adapter_ps; /* time that the slowest adapter needs for a packet */
    uint64_t link_ps;    /* and the slowest link */
    uint64_t latency_ps; /* longest of a link */
} slowest;

static slowest window_slowest_of(const ik_fabric *f, const ik_params *adapter)
{
    slowest found = {0};
    uint64_t bytes = ik_params_uint(adapter, "packet");
    const ik_adapter_rates rates = ik_sim_adapter_rates(adapter);
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        uint64_t of_link = ik_port_latency_ps(f, port);
        uint64_t takes = ik_transmit_ps(bytes, ik_port_rate_bps(f, port));
        found.latency_ps = of_link > found.latency_ps ? of_link : found.latency_ps;
        found.link_ps = takes > found.link_ps ? takes : found.link_ps;
        if (ik_is_switch(f, f->port_node[port]))
            continue;
        double rate =
            fmin((double)ik_port_rate_bps(f, port) * rates.injection_fraction, rates.injection_bps);
        takes = (uint64_t)fmin(ceil((double)bytes * 8e12 / rate), 1e15);
        found.adapter_ps = takes > found.adapter_ps ? takes : found.adapter_ps;
    }
    return found;
}

/* 1, 2, 5, 10, 20 … */
static uint64_t window_round_up(uint64_t ps)
{
    uint64_t power = 1;
    while (power * 10 < ps)
        power *= 10;
    return ps <= power       ? power
           : ps <= 2 * power ? 2 * power
           : ps <= 5 * power ? 5 * power
                             : 10 * power;
}

/* What is sent at a time is over so much later, in the buffers of outputs and on links, too. */
static uint64_t window_settled_ps(const sim_window_request *q, const slowest *slow)
{
    uint64_t packets = 2, delays = 0;
    if (q->sw && ik_params_enum(q->sw, "model") == MODEL_IOQ)
        packets += ik_params_uint(q->sw, "output_buffer") / ik_params_uint(q->adapter, "packet");
    if (q->sw)
        delays = ik_params_uint(q->sw, "routing_delay") + ik_params_uint(q->sw, "traversal_delay");
    return packets * slow->link_ps + 2 * slow->latency_ps + slow->adapter_ps + delays;
}

static uint64_t window_in_units(uint64_t ps, uint64_t unit_ps)
{
    return ps < unit_ps ? unit_ps : ps / unit_ps * unit_ps;
}

/* longest_ps: of the run, 0 = not limited; batches of few packets are better than few batches. */
static uint64_t window_batch_ps(const sim_window_request *q, const slowest *slow, double longest_ps)
{
    double hosts = q->f->num_hosts, packets = fmin(PACKETS_AT_LOAD * hosts, MOST_OF_ALL);
    if (!ik_params_has(q->measure, "duration"))
        packets = fmin(packets, (double)ik_params_uint(q->measure, "stop_hops") /
                                    (4 * LEAST_BATCHES * HOPS_OF_PACKET));
    double one = (double)(PACKETS_OF_HOST * (slow->adapter_ps + slow->latency_ps)),
           all = fmax(packets, LEAST_OF_ALL) * (double)slow->adapter_ps / (hosts * q->load + 1e-9);
    if (longest_ps > 0)
        all = fmin(all, longest_ps / (4 * LEAST_BATCHES));
    return window_in_units(window_round_up((uint64_t)fmin(fmax(one, all), 1e15)), q->unit_ps);
}

/* What the longest run may take, as far as it is known before the length of a batch; 0 = any time.
 * Periods of a series and replies are numbered. */
static double window_limit_ps(const sim_window_request *q, const slowest *slow)
{
    double limit = INFINITY;
    if (ik_params_has(q->measure, "stop_at_most"))
        limit = (double)ik_params_uint(q->measure, "stop_at_most");
    else if (ik_params_has(q->measure, "series"))
        limit = MOST_PERIODS * (double)ik_params_uint(q->measure, "series");
    if (ik_params_has(q->adapter, "reply"))
        limit = fmin(limit, 4.0 * LEAST_BATCHES * MOST_OF_REPLIES * (double)slow->adapter_ps);
    return isinf(limit) ? 0 : limit;
}

/* A window that is known from the start. */
static ik_status window_set_fixed(uint64_t warmup_ps, uint64_t end_ps, uint64_t unit_ps,
                                  stationary_setup *out, ik_error *err)
{
    uint64_t from = warmup_ps / unit_ps * unit_ps, to = end_ps / unit_ps * unit_ps;
    if (to <= from)
        return window_refuse_length("duration", "measure.duration measure.warmup", err);
    out->origin_ps = from;
    out->length_ps = to - from;
    out->period_ps = window_in_units((to - from) / STATIONARY_FINE, unit_ps);
    out->most = (size_t)((to - from) / out->period_ps);
    out->detects = false;
    out->latest = 0;
    return IK_OK;
}

/* The longest run where the file does not say it: by the number of batches, and of periods of a
 * series. */
static uint64_t window_longest_ps(const sim_window_request *q, uint64_t period)
{
    uint64_t most = MOST_BATCHES * period;
    if (!ik_params_has(q->measure, "series"))
        return most;
    uint64_t series = MOST_PERIODS * ik_params_uint(q->measure, "series"),
             least = 2 * LEAST_BATCHES * period;
    series = series > least ? series : least;
    return series < most ? series : most;
}

/* Ends by itself. */
static ik_status window_set_stopping(const sim_window_request *q, const slowest *slow,
                                     stationary_setup *out, ik_error *err)
{
    uint64_t warmup = out->detects ? 0 : ik_params_uint(q->measure, "warmup"),
             given = ik_params_has(q->measure, "stop_at_most")
                         ? ik_params_uint(q->measure, "stop_at_most")
                         : 0,
             period = window_batch_ps(q, slow, window_limit_ps(q, slow)),
             end = given ? given : window_longest_ps(q, period) + warmup;
    if (end <= warmup)
        return window_refuse_length("stop.at_most", "measure.stop_at_most measure.warmup", err);
    while ((end - warmup) / period > MOST_BATCHES)
        period = window_in_units(window_round_up(period + 1), q->unit_ps);
    size_t most = (size_t)((end - warmup) / period),
           margin = 1 + (size_t)(window_settled_ps(q, slow) / period),
           least = STATIONARY_FINE + 2 * margin + (out->detects ? STATIONARY_LEAST : 0);
    if (most < least)
        return window_set_fixed(out->detects ? end / 2 : warmup, end, q->unit_ps, out, err);
    out->origin_ps = warmup / q->unit_ps * q->unit_ps;
    out->period_ps = period;
    out->most = most;
    out->margin = margin;
    out->latest = out->detects ? (most - margin) / 2 : 0;
    return IK_OK;
}

/* Finds its warm-up, of at most the time that is measured then. */
static ik_status window_set_detecting(const sim_window_request *q, const slowest *slow,
                                      stationary_setup *out, ik_error *err)
{
    uint64_t length = ik_params_uint(q->measure, "duration") / q->unit_ps * q->unit_ps,
             period = window_batch_ps(q, slow, (double)length);
    while (length / period > MOST_BATCHES / 2)
        period = window_in_units(window_round_up(period + 1), q->unit_ps);
    size_t margin = 1 + (size_t)(window_settled_ps(q, slow) / period);
    if (length / period < STATIONARY_LEAST + margin)
        return window_set_fixed(length, 2 * length, q->unit_ps, out, err);
    out->period_ps = period;
    out->length_ps = length;
    out->margin = margin;
    out->latest = (size_t)(length / period) - margin;
    out->most = out->latest + margin + (size_t)(length / period);
    return IK_OK;
}

static void window_add_share(void *sum, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    (void)src;
    (void)dst;
    *(double *)sum += (double)weight / (double)scale;
}

/* So many messages of all sources show where each of them sends; 0 = any few. A source with gaps
 * sends fewer in the same time. */
static double window_round_of(const ik_traffic *t)
{
    uint64_t longest = 0;
    double sources = 0;
    for (uint32_t src = 0; t && t->family->round && src < t->num_hosts; src++) {
        uint64_t round = t->family->round(t, src);
        longest = round > longest ? round : longest;
    }
    for (uint32_t src = 0; longest > 1 && src < t->num_hosts; src++) {
        double share = !ik_traffic_is_silent(t, src);
        if (t->gaps) {
            share = 0;
            t->family->flows(t, src, window_add_share, &share);
        }
        sources += fmin(share, 1);
    }
    return (double)longest * sources;
}

/* What a source makes at a time: a message, of bursty sources a burst of them, in the mean. Where
 * few messages have much of the bytes, a window must have several of these, and where hosts send to
 * one destination after the other, messages to all of them. */
static void window_set_grain(const sim_window_request *q, stationary_setup *out)
{
    sim_bursts bursts;
    const char *size = ik_params_has(q->adapter, "message") ? "message" : "packet";
    double mean = (double)ik_params_uint(q->adapter, size), each = out->grain_bytes = mean;
    if (q->sizes)
        sim_sizes_spread(q->sizes, q->traffic, &mean, &out->grain_bytes, &each);
    if (ik_params_enum(q->adapter, "injection") == INJECT_BURSTY &&
        sim_resolve_bursts(q->adapter, q->load, &bursts, NULL) == IK_OK && bursts.beta > 0)
        out->grain_bytes /= bursts.beta;
    if (ik_params_has(q->adapter, "reply"))
        mean += (double)ik_params_uint(q->adapter, "reply");
    out->least_bytes =
        fmax(STATIONARY_GRAINS * fmax(each, out->grain_bytes), mean * window_round_of(q->traffic));
}

ik_status sim_window_resolve(const sim_window_request *q, stationary_setup *out, ik_error *err)
{
    const slowest slow = window_slowest_of(q->f, q->adapter);
    const ik_adapter_rates rates = ik_sim_adapter_rates(q->adapter);
    bool lasts = ik_params_has(q->measure, "duration"),
         waits = ik_params_has(q->adapter, "max_outstanding");
    *out = (stationary_setup){.detects = ik_params_word(q->measure, "warmup") != 0,
                              .auto_warmup = ik_params_word(q->measure, "warmup") != 0,
                              .auto_end = !lasts,
                              .injection_fraction = rates.injection_fraction,
                              .injection_bps = rates.injection_bps,
                              .waits = waits,
                              .full = q->load >= 1 && !waits &&
                                      ik_params_enum(q->adapter, "injection") != INJECT_PERIODIC,
                              .of = (stationary_of)ik_params_enum(q->measure, "stop_of"),
                              .ci = sim_interval_asked(q->measure),
                              .most_hops = lasts ? 0 : ik_params_uint(q->measure, "stop_hops")};
    window_set_grain(q, out);
    ik_status status = window_check_of(q->measure, q->adapter, err);
    if (status != IK_OK)
        return status;
    if (!lasts)
        return window_set_stopping(q, &slow, out, err);
    if (out->detects)
        return window_set_detecting(q, &slow, out, err);
    uint64_t warmup = ik_params_uint(q->measure, "warmup");
    return window_set_fixed(warmup, warmup + ik_params_uint(q->measure, "duration"), q->unit_ps,
                            out, err);
}

ik_status ik_sim_check_window(const ik_fabric *f, const ik_params *adapter,
                              const ik_params *measure, ik_error *err)
{
    stationary_setup setup;
    const sim_window_request request = {f, NULL, adapter, measure, IK_SIM_LOAD, 1};
    return sim_window_judged(NULL, measure) ? sim_window_resolve(&request, &setup, err) : IK_OK;
}
