/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict whether what a run measured lasts, from means over sixteenths of the measured time.
 * A mean drifts if the line of least squares rises or falls by more than 4 standard errors and,
 * over the window, by more than a tolerance: a flat window of much noise says nothing, and a slope
 * of nothing is none. In this order:
 *
 * - no: the run is deadlocked;
 * - yes: no host sends;
 * - too short: few packets, or no packet in a part of the window; few bursts or large messages, or
 *   some of the destinations alone, where these have their turns;
 * - no: more is accepted than channels can carry for ever; throughput drifts; packets spend more
 *   and more time in the network, or less is accepted than offered and none waits in its source:
 *   the network still fills;
 * - too short: a window of few latencies, or one that began before replies came, or a wide
 *   interval of throughput; the trend counts where less is accepted than channels could carry,
 *   unless the run ended by itself, which it does only where it saw none;
 * - yes, saturated: a channel is offered more than it carries; or latency since generation grows
 *   although throughput stays, and less is accepted than offered: packets wait in their sources,
 *   the longer the later they are made. In a closed loop sources wait, and latency may last: they
 *   make fewer requests than the load asks for;
 * - no: latency rises all the same: packets may wait in their sources without end;
 * - yes; if latency falls, it does not last; if its interval is wide, it cannot be told; so it is
 *   at exactly the adapters' rate, where the wait in sources that draw their times grows for ever.
 *
 * The slope of latency says by how much sources outrun the network: with sources that are first in,
 * first out, and accept the share a of what is offered, it is 1 - a. */
#include "sim/measure/steady.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { MEANS = 16 };
static const struct {
    double errors;     /* of the slope, that a drift exceeds */
    double trend;      /* and that a trend of throughput exceeds, which widens its interval */
    double collapse;   /* the same where less is accepted than channels could carry */
    double throughput; /* change over the window / mean, that is none */
    double latency; /* and of latency; half width of latency / mean, with which it cannot be told */
    double beyond;  /* share of the bound, by which throughput exceeds it */
    double outrun;  /* slope of latency that is none, ns per ns */
    double missing; /* share of the offered load that may be under way while latency grows */
    double lost;    /* and that shows by itself that packets wait in their sources */
    double unsure;  /* half widths of throughput, that the share under way exceeds with packets that
                       wait in their sources */
    double waiting; /* share of the time in the network that packets wait in their sources */
    double wide;    /* half width of throughput / mean, with which nothing can be told */
    double packets; /* least, of the window */
    double chance;  /* roots of time, in times of a message, for which a busy cable may be idle */
    double ahead;   /* windows, by which the middle of a run ten times as long lies later */
} least = {4, 2, 1, 0.02, 0.2, 0.01, 0.002, 0.005, 0.02, 3, 0.01, 0.05, 160, 3, 5};

typedef struct judged {
    const stationary *s;
    const ik_fabric *f;
    const ik_sim_result *r;
    ik_sim_steady *steady;
    size_t width;     /* batches of a mean */
    double window_ps; /* of all means */
    double packets, bytes;
    double half;  /* relative half width of throughput's interval, by its batches alone */
    double trend; /* what a trend of throughput adds to it */
    stationary_line throughput, latency, network;
} judged;

/* Relative change over the window. */
static double steady_change_of(const stationary_line *line)
{
    return line->mean > 0 ? line->slope * MEANS / line->mean : 0;
}

static bool steady_drifts_by(const stationary_line *line, double tolerance)
{
    return fabs(line->slope) > least.errors * line->error &&
           fabs(steady_change_of(line)) > tolerance;
}

/* false: a sixteenth of the window has no packet. */
static bool steady_fit_lines(judged *j)
{
    const stationary *s = j->s;
    const struct {
        stationary_series series;
        stationary_line *line;
    } lines[] = {{SERIES_THROUGHPUT, &j->throughput},
                 {SERIES_LATENCY, &j->latency},
                 {SERIES_NETWORK, &j->network}};
    double means[MEANS];
    size_t measured = s->num > s->first ? s->num - s->first : 0;
    j->width = measured / MEANS;
    if (j->width == 0)
        return false;
    size_t from = s->num - j->width * MEANS;
    j->window_ps = (double)(j->width * MEANS * s->setup.period_ps);
    for (size_t k = from; k < s->num; k++) {
        j->packets += (double)s->batches[k].packets;
        j->bytes += (double)s->batches[k].bytes;
    }
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        if (!stationary_means(s, lines[k].series, from, j->width, MEANS, means))
            return false;
        *lines[k].line = stationary_fit(means, MEANS);
    }
    return true;
}

/* Times that the window is shorter than one with all of the traffic: of large messages and bursts
 * several, of destinations that have their turns a round. At most 1: it has that. */
static double steady_part_of(const judged *j)
{
    return j->s->setup.least_bytes / fmax(j->bytes, 1);
}

static void steady_conclude(judged *j, ik_steady_verdict verdict, ik_steady_reason reason,
                            double need_ps)
{
    j->steady->verdict = verdict;
    j->steady->reason = reason;
    j->steady->latency_lasts = reason == IK_STEADY_HOLDS || reason == IK_STEADY_SILENT;
    j->steady->need_ps = need_ps < 1e18 ? (uint64_t)need_ps : 0;
}

/* Nothing is sent, or nothing of it has a way; where the traffic draws destinations, so far. */
static bool steady_has_nothing(const judged *j)
{
    const ik_sim_result *r = j->r;
    return r->hosts_silent == j->f->num_hosts ||
           (r->packets_generated && r->packets_unroutable == r->packets_generated);
}

static double steady_relative(const stationary_interval *i)
{
    return i->mean > 0 ? i->half_width / i->mean : NAN;
}

/* What a packet that meets no other one spends in the network, on average, at most: that of the
 * fastest one, as many times as the mean path is longer than from a host to another one of the same
 * switch, as if that were the fastest one's. */
static double steady_alone_ps(const judged *j)
{
    double switches = (double)j->r->packet_hops / (double)j->r->packets_delivered;
    return (double)j->r->network_latency.min * fmax((1 + switches) / 2, 1);
}

/* For how long the waiting times in the network remember: the mean over channels of the relaxation
 * times of their queues, service time / (1 - utilisation)^2 (the limit of heavy traffic: W. Whitt,
 * Planning queueing simulations, Management Science 35(11), 1989), weighted by the variance of the
 * waiting that they cause. Where full buffers or packets at the head of a queue hold others back,
 * these wait longer than utilisations say, in the network and in the end in their sources; by the
 * same limit a queue in which they wait for w remembers for 4 w^2 / service time, and the longer
 * time counts. A window shorter than that sees a part of one rise or fall of a queue, and its means
 * look as if they hardly varied. Utilisations are not known better than the window is long, so that
 * no time beyond half of it is taken from them, nor one beyond twice from waits. */
static double steady_memory_ps(const judged *j)
{
    double window_ps = (double)j->r->window_ps, sum = 0, weights = 0, services = 0, explained = 0;
    if (!(j->packets > 0 && window_ps > 0) || !j->r->channel_bytes)
        return 0;
    double together = fmax(j->bytes / j->packets, j->s->setup.grain_bytes);
    for (uint32_t port = 0; port < j->f->num_ports; port++) {
        if (j->r->channel_bytes[port] == 0)
            continue;
        double byte_ps = 8e12 / (double)ik_port_rate_bps(j->f, port),
               service_ps = together * byte_ps,
               used = (double)j->r->channel_bytes[port] * byte_ps / window_ps,
               idle = fmax(1 - used, sqrt(2 * service_ps / window_ps)),
               waiting = used * used / idle; /* of all packets: their number times their wait */
        sum += waiting * waiting * service_ps / (idle * idle);
        services += waiting * waiting * service_ps;
        weights += waiting * waiting;
        if (ik_is_switch(j->f, j->f->port_node[port])) /* others wait in their sources */
            explained += waiting * j->window_ps * together / j->bytes / 2; /* of each packet */
    }
    if (!(weights > 0))
        return 0;
    double wait_ps = fmax(j->latency.mean - j->network.mean, 0) +
                     fmax(j->network.mean - steady_alone_ps(j) - explained, 0),
           diffusion_ps = 4 * wait_ps * wait_ps / (services / weights);
    return fmax(fmin(sum / weights, window_ps / 2), fmin(diffusion_ps, 2 * window_ps));
}

/* Batches of one window say nothing of a slow approach to another value (at a load that is exactly
 * what a channel carries, it takes for ever). A trend that is none of chance adds its change over
 * the window; of latency that rises, and may do so for ever, the change up to the middle of a run
 * ten times as long. Latencies of one window hang together, and exceed a few errors by chance. */
static double steady_trend_of(const stationary_line *line, double errors)
{
    return fabs(line->slope) > errors * line->error ? fabs(steady_change_of(line)) : 0;
}

/* What a host may have accepted beyond what the window shows, relative to the throughput. At a load
 * that is exactly what its own cable or adapter carries, packets of a random source wait the longer
 * the longer it runs, and what is accepted comes up to what is offered with the root of time: a
 * cable that was idle for less than a few of those roots may have been idle by chance alone. */
static double steady_rise_of(const judged *j)
{
    double window_ps = (double)j->r->window_ps, idle_bps = 0, all_bps = 0;
    double missing = 1 - j->r->throughput / j->r->offered;
    if (!(missing > 0 && j->packets > 0 && window_ps > 0) || !j->r->channel_bytes)
        return 0;
    double together = fmax(j->bytes / j->packets, j->s->setup.grain_bytes);
    for (uint32_t port = 0; port < j->f->num_ports; port++) {
        if (j->f->port_peer[port] == IK_NONE || ik_is_switch(j->f, j->f->port_node[port]))
            continue;
        double bps = fmin((double)ik_port_rate_bps(j->f, port) * j->s->setup.injection_fraction,
                          j->s->setup.injection_bps),
               byte_ps = 8e12 / bps,
               idle = 1 - (double)j->r->channel_bytes[port] * byte_ps / window_ps,
               by_chance = least.chance * sqrt(2 * together * byte_ps / window_ps);
        all_bps += bps;
        idle_bps += idle > 0 && idle < by_chance ? idle * bps : 0;
    }
    double rise = all_bps > 0 ? idle_bps / all_bps / j->r->throughput : 0;
    return fmin(rise, missing / (1 - missing));
}

/* What mean latency has beyond what the window shows, relative to it: at that load the mean wait in
 * sources grows with the root of time, so that a run ten times as long shows three times as much.
 */
static double steady_growth_of(const judged *j)
{
    double wait_ps = fmax(j->latency.mean - j->network.mean, 0);
    return j->s->setup.full && wait_ps > 0 ? (sqrt(10) - 1) * wait_ps / j->latency.mean : 0;
}

/* Less is accepted than offered, and so the latency of some hosts' packets grows; that of all may
 * hide it where starved flows deliver few packets: there it is beyond the interval of throughput,
 * and packets wait in their sources for longer than in the network. What has no way is not accepted
 * either. */
static bool steady_is_saturated(const judged *j)
{
    double missing = 1 - j->r->throughput / j->r->offered;
    if (j->r->packets_unroutable == 0 &&
        (missing > least.lost || (missing > least.missing && missing > least.unsure * j->half &&
                                  j->latency.mean > 2 * j->network.mean)))
        return true;
    return j->latency.slope > least.errors * j->latency.error &&
           j->steady->latency_slope > least.outrun &&
           j->r->throughput < (1 - least.missing) * j->r->offered;
}

/* In a closed loop: hosts make fewer requests than the load asks for, since replies do not come in
 * time. */
static bool steady_is_held_back(const judged *j)
{
    return j->s->unmade > least.lost + j->s->unmade_by_chance && j->r->packets_unroutable == 0;
}

/* Whether that is so cannot be told: what lacks is much of what was asked for in a short run. */
static bool steady_may_be_held_back(const judged *j)
{
    return j->s->unmade > least.lost && !steady_is_held_back(j) && j->r->packets_unroutable == 0;
}

/* Less is accepted than offered although no channel is offered more than it carries (a VC may be),
 * as far as that is known: packets hold each other back, more and more of them while further
 * sources fall behind. That takes long, and its slope is small beside its noise. */
static bool steady_may_collapse(const judged *j)
{
    const ik_sim_bound *bound = &j->steady->bound;
    bool channels_full = bound->exceeded && bound->throughput < (1 - 1e-6) * j->r->load;
    return bound->throughput > 0 && !channels_full && j->throughput.slope < 0 &&
           steady_is_saturated(j);
}

/* Half width of what is accepted. Past saturation that hangs on queues that remember for longer
 * than a twentieth of the window: the widest of the intervals of 20, 10 and 5 means. */
static double steady_full_half_of(const judged *j)
{
    stationary_interval widest = stationary_honest_interval_of(j->s, SERIES_THROUGHPUT, 0);
    return steady_is_saturated(j) ? steady_relative(&widest) : j->half;
}

static void steady_describe_lines(judged *j)
{
    double mean_ps = (double)j->width * (double)j->s->setup.period_ps;
    stationary_interval throughput = stationary_interval_of(j->s, SERIES_THROUGHPUT),
                        latency = stationary_honest_interval_of(j->s, SERIES_LATENCY,
                                                                steady_memory_ps(j));
    j->half = steady_relative(&throughput);
    j->steady->latency_slope = j->latency.slope / mean_ps;
    j->trend =
        steady_trend_of(&j->throughput, steady_may_collapse(j) ? least.collapse : least.trend);
    j->steady->throughput_half = steady_full_half_of(j) + fmax(j->trend, steady_rise_of(j));
    j->steady->latency_half =
        steady_relative(&latency) +
        (j->latency.slope > 0 ? least.ahead : 1) * steady_trend_of(&j->latency, least.errors) +
        steady_growth_of(j);
    j->steady->drift = steady_change_of(&j->throughput) / MEANS / mean_ps * 1e9;
}

/* Less is accepted than offered, but packets do not wait in their sources: what is missing is in
 * the network, which takes it up until it is full. */
static bool steady_is_taken_up(const judged *j)
{
    return steady_is_saturated(j) && j->latency.mean < (1 + least.waiting) * j->network.mean;
}

/* More is offered than channels can carry for ever, and more is accepted: by more than what chance
 * does to the little that a short run of irregular sources generates. */
static bool steady_is_beyond_bound(const judged *j)
{
    double bound = j->steady->bound.throughput;
    return bound > 0 && bound < (1 - least.lost) * j->r->offered &&
           j->r->throughput * (1 - j->half) > (1 + least.beyond) * bound;
}

/* The window began before the first reply: what replies add to the traffic is still to come. Where
 * replies come from its begin on, the first of them took no longer than the run had lasted by then.
 */
static bool steady_awaits_replies(const judged *j)
{
    const ik_histogram *trip = &j->r->replies.round_trip;
    double begun_ps = (double)j->s->start_ps + least.throughput * (double)j->r->window_ps;
    return j->r->replies.on && (trip->count == 0 || (double)trip->min > begun_ps);
}

/* Whether throughput stays, and may: false = the verdict is there. */
static bool judge_throughput(judged *j)
{
    const double longer = 10 * j->window_ps;
    double half = j->half, few = least.packets / fmax(j->packets, 1), part = steady_part_of(j),
           short_ps = STATIONARY_LATENCIES * j->network.mean;
    if (few > 1)
        steady_conclude(j, IK_STEADY_SHORT, IK_STEADY_FEW, fmax(few, part) * j->window_ps);
    else if (part > 1)
        steady_conclude(j, IK_STEADY_SHORT, IK_STEADY_PART, part * j->window_ps);
    else if (steady_is_beyond_bound(j))
        steady_conclude(j, IK_STEADY_NO, IK_STEADY_BOUND,
                        0); /* nobody knows for how long it stays so */
    else if (steady_drifts_by(&j->throughput, least.throughput))
        steady_conclude(j, IK_STEADY_NO,
                        j->throughput.slope < 0 ? IK_STEADY_FALLS : IK_STEADY_RISES, longer);
    else if (steady_is_taken_up(j) || stationary_fills(&j->network, MEANS, j->window_ps / MEANS))
        steady_conclude(j, IK_STEADY_NO, IK_STEADY_FILLS, longer);
    else if (j->window_ps < short_ps)
        steady_conclude(j, IK_STEADY_SHORT, IK_STEADY_FEW, short_ps);
    else if (steady_awaits_replies(j) || steady_may_be_held_back(j))
        steady_conclude(j, IK_STEADY_SHORT, IK_STEADY_UNMADE, longer);
    else if (!(half + (steady_may_collapse(j) && !j->s->closed ? j->trend : 0) <= least.wide))
        steady_conclude(
            j, IK_STEADY_SHORT, IK_STEADY_WIDE,
            isnan(half) ? longer : j->window_ps * pow(j->steady->throughput_half / least.wide, 2));
    else
        return true;
    return false;
}

/* Whether a channel between switches, or to a host, was never idle for as long as a message takes,
 * and latency varies: its queue did not empty, and it cannot be said that it does not grow. Where
 * nothing varies, packets follow each other without a gap, as flows of all of a cable's rate do. */
static bool steady_is_never_idle(const judged *j)
{
    double window_ps = (double)j->r->window_ps;
    if (!(j->steady->latency_half > 1e-4 && j->packets > 0) || !j->r->channel_bytes)
        return false;
    double together = fmax(j->bytes / j->packets, j->s->setup.grain_bytes);
    for (uint32_t port = 0; port < j->f->num_ports; port++) {
        double byte_ps = 8e12 / (double)ik_port_rate_bps(j->f, port);
        if (ik_is_switch(j->f, j->f->port_node[port]) &&
            ((double)j->r->channel_bytes[port] + together) * byte_ps >= window_ps)
            return true;
    }
    return false;
}

static void steady_judge_lines(judged *j)
{
    steady_describe_lines(j);
    bool lasts = judge_throughput(j),
         saturated = j->steady->bound.exceeded || steady_is_saturated(j) || steady_is_held_back(j),
         drifts = steady_drifts_by(&j->latency, least.latency);
    if (j->s->told == ACCEPTANCE_REFUSED && j->r->throughput < j->r->offered)
        saturated = true;
    if (!lasts) {
        j->steady->latency_lasts = j->steady->verdict == IK_STEADY_SHORT &&
                                   steady_part_of(j) <= 1 && !saturated && !drifts &&
                                   !steady_awaits_replies(j);
        return;
    }
    if (saturated) {
        steady_conclude(j, IK_STEADY_YES, IK_STEADY_SATURATED, 0);
        j->steady->latency_lasts =
            j->s->setup.waits && !drifts && j->steady->latency_half <= least.latency;
    } else if (drifts && !(j->s->told == ACCEPTANCE_ACCEPTED && j->latency.slope > 0))
        steady_conclude(j, j->latency.slope > 0 ? IK_STEADY_NO : IK_STEADY_YES, IK_STEADY_LATENCY,
                        10 * j->window_ps);
    else if (drifts || !(j->steady->latency_half <= least.latency))
        steady_conclude(j, IK_STEADY_YES, IK_STEADY_LATENCY_WIDE,
                        steady_growth_of(j) > 0 /* no time is enough */
                            ? 0
                            : j->window_ps * pow(j->steady->latency_half / least.latency, 2));
    else if (steady_is_never_idle(j))
        steady_conclude(j, IK_STEADY_YES, IK_STEADY_NEVER_IDLE, 10 * j->window_ps);
    else
        steady_conclude(j, IK_STEADY_YES, IK_STEADY_HOLDS, 0);
}

/* Parts of the window have no packet. */
static void steady_judge_few(judged *j)
{
    double part = j->bytes > 0 ? steady_part_of(j) : 0;
    steady_conclude(j, IK_STEADY_SHORT, IK_STEADY_FEW,
                    fmax(10 * (double)j->r->window_ps, part * j->window_ps));
    j->steady->latency_lasts = part <= 1 && j->r->throughput >= (1 - least.wide) * j->r->offered;
}

void steady_judge(stationary *s, const batch_cursor *first, size_t stride, unsigned num,
                  ik_sim_bound bound, const ik_fabric *f, ik_sim_result *r)
{
    if (!s)
        return;
    stationary_end(s, r->end_ps);
    stationary_add_all(s, first, stride, num);
    s->num = s->next;
    judged j = {.s = s, .f = f, .r = r, .steady = &r->steady};
    assert(s->over);
    r->steady = (ik_sim_steady){.detects = s->setup.auto_warmup,
                                .stops = s->setup.auto_end,
                                .warm = s->warm,
                                .closed = s->closed,
                                .capped = s->capped,
                                .warmup_ps = s->start_ps,
                                .batch_ps = s->setup.period_ps,
                                .mean = s->of.mean,
                                .half_width = s->of.half_width,
                                .bound = bound,
                                .throughput_half = NAN,
                                .latency_half = NAN};
    if (r->deadlock)
        steady_conclude(&j, IK_STEADY_NO, IK_STEADY_DEADLOCK, 0);
    else if (steady_has_nothing(&j))
        steady_conclude(&j, IK_STEADY_YES, IK_STEADY_SILENT, 0);
    else if (steady_fit_lines(&j))
        steady_judge_lines(&j);
    else
        steady_judge_few(&j);
}

/* ---- in words */

const char *ik_steady_verdict_name(ik_steady_verdict verdict)
{
    static const char *const names[] = {"", "yes", "no", "too short to tell"};
    assert((size_t)verdict < sizeof names / sizeof *names);
    return names[verdict];
}

const char *ik_steady_reason_name(ik_steady_reason reason)
{
    static const char *const names[] = {[IK_STEADY_NOT_JUDGED] = "",
                                        [IK_STEADY_HOLDS] = "holds",
                                        [IK_STEADY_SATURATED] = "saturated",
                                        [IK_STEADY_FALLS] = "falls",
                                        [IK_STEADY_RISES] = "rises",
                                        [IK_STEADY_FILLS] = "fills",
                                        [IK_STEADY_LATENCY] = "latency",
                                        [IK_STEADY_BOUND] = "bound",
                                        [IK_STEADY_DEADLOCK] = "deadlock",
                                        [IK_STEADY_FEW] = "few packets",
                                        [IK_STEADY_WIDE] = "wide interval",
                                        [IK_STEADY_LATENCY_WIDE] = "wide latency",
                                        [IK_STEADY_PART] = "part",
                                        [IK_STEADY_UNMADE] = "unmade requests",
                                        [IK_STEADY_NEVER_IDLE] = "never idle",
                                        [IK_STEADY_SILENT] = "silent"};
    assert((size_t)reason < sizeof names / sizeof *names);
    return names[reason];
}

void ik_steady_describe(const ik_sim_steady *steady, char *text, size_t size)
{
    static const char *const plain[] = {
        [IK_STEADY_NOT_JUDGED] = "",
        [IK_STEADY_HOLDS] = "throughput and latency stay where they are",
        [IK_STEADY_FILLS] = "packets spend more and more time in the network, which still fills",
        [IK_STEADY_DEADLOCK] = "the network is deadlocked",
        [IK_STEADY_FEW] = "the measured time is too short: few packets, or few latencies",
        [IK_STEADY_PART] = "the measured time is too short: it has part of the traffic alone, few "
                           "large messages, bursts or destinations",
        [IK_STEADY_UNMADE] = "the measured time is too short: replies have yet to come, or hosts "
                             "that wait for them may make less than the load asks for",
        [IK_STEADY_NEVER_IDLE] =
            "throughput stays, a channel was never idle: latency may still grow",
        [IK_STEADY_SILENT] = "no host sends to another one that it reaches: there is nothing "
                             "to measure"};
    const ik_sim_steady *k = steady;
    switch (k->reason) {
    case IK_STEADY_SATURATED:
        if (k->latency_lasts)
            snprintf(text, size,
                     "saturated: throughput and latency stay, sources wait for replies");
        else if (k->latency_slope > 0)
            snprintf(text, size, "saturated: throughput stays, latency grows by %.3g ns per us",
                     1000 * k->latency_slope);
        else
            snprintf(text, size,
                     "saturated: throughput stays, some channels are offered more than they carry");
        break;
    case IK_STEADY_FALLS:
    case IK_STEADY_RISES:
        snprintf(text, size, "throughput %s by %.3g %% per ms",
                 k->reason == IK_STEADY_FALLS ? "falls" : "rises", 100 * fabs(k->drift));
        break;
    case IK_STEADY_LATENCY:
        snprintf(text, size, "throughput stays, mean latency %s by %.3g ns per us",
                 k->latency_slope > 0 ? "rises" : "falls", 1000 * fabs(k->latency_slope));
        break;
    case IK_STEADY_BOUND:
        snprintf(text, size, "channels can carry %.3g %% for ever, and more is accepted",
                 100 * k->bound.throughput);
        break;
    case IK_STEADY_LATENCY_WIDE:
        snprintf(text, size, "throughput stays, the 95 %% interval of mean latency is ± %.3g %%",
                 100 * k->latency_half);
        break;
    case IK_STEADY_WIDE:
        if (isnan(k->throughput_half))
            snprintf(text, size, "the measured time is too short for an interval of throughput");
        else
            snprintf(text, size, "the 95 %% interval of throughput is ± %.3g %%",
                     100 * k->throughput_half);
        break;
    default:
        snprintf(text, size, "%s", plain[k->reason]);
        break;
    }
}
