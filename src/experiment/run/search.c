/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/search.c: looks for the load at which a point saturates.
 *
 * Loads are whole multiples of the precision (of the next smaller fraction 1/n), so that a load
 * that was found can be written down and run again. First the highest load is offered that channels
 * could carry for ever, all of 100 % where no bound is known. Then loads are bisected, until one
 * that is accepted (at first none at all) and one that is not are neighbours.
 *
 * Where the file leaves to a run when it ends, loads are guessed first: what is accepted of a load
 * that is past saturation, and from a load that is accepted a step, two and four up, for saturation
 * is often close to both. A probe asks only whether its load is accepted: it
 * ends when that is told, whatever is still to be known of latencies (measure/acceptance.h). A load
 * may leave as much behind as half a step to the next lower load is, and half a percent at most.
 * The load that is found is then run as the file says, for ten times what its probe measured at
 * most. Networks may accept a load for long and then collapse: a load that this run refuses is
 * none, and the search goes on a step, two, four and eight below it with probes of that length.
 *
 * Near saturation queues take long to settle, and a measured time that a file gives may end before
 * it can be told whether a load is accepted. The probe is then made again with ten times that time,
 * and with a hundred times. What a probe does depends on its load and the seed alone. A load that
 * drifts even so counts as not accepted, and the search says between which loads it could not tell.
 * Where a run is too short for a verdict, the search goes on as if the load were accepted if 95 %
 * of what is offered are.
 */
#include "experiment/run/search.h"
#include "experiment/figures/metrics.h"
#include "ikat/json.h"
#include "sim/checkpoints.h"
#include "sim/measure/stationary.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_LONGER = 10, /* times the measured time of the file, or the packet-hops of a probe */
    SEARCH_LONGEST = 100,
    SEARCH_GUESSES = 4 /* before loads are bisected */
};

/* What is known of a load. */
typedef enum search_answer {
    REFUSED = -2,
    MAY_BE_REFUSED,
    UNKNOWN,
    MAY_BE_ACCEPTED,
    ACCEPTED
} answer;

typedef struct bisection {
    const search *s;
    unsigned parts;         /* loads are 1/parts, 2/parts … */
    signed char *answers;   /* [parts + 2] of load number/parts */
    ik_sim_bound *bounds;   /* [parts] of the loads 1/parts, 2/parts, … */
    unsigned probe, probes; /* number of this one, and of all at most */
    unsigned guesses;
    unsigned last;       /* load of the last one */
    double share;        /* what was accepted of it */
    uint64_t hops;       /* of the measured time of the run that is kept */
    uint64_t most_hops;  /* of runs as the file says, since one refused what is accepted for less */
    bool deadlock;       /* ended the search */
    bool as_file;        /* the run that is kept is one that the file asks for */
    ik_sim_result *kept; /* of load kept_at/parts */
    unsigned kept_at;    /* 0 = nothing is kept */
    ik_json json;
} bisection;

/* The lowest load that is not accepted, parts + 1 = none; the highest below it that is, 0 = none.
 */
static unsigned search_high(const bisection *b)
{
    unsigned part = 1;
    while (part <= b->parts && b->answers[part] >= UNKNOWN)
        part++;
    return part;
}

static unsigned search_low(const bisection *b)
{
    unsigned part = search_high(b) - 1;
    while (part > 0 && b->answers[part] <= UNKNOWN)
        part--;
    return part;
}

static void search_tell(const bisection *b, double load)
{
    char text[120];
    snprintf(text, sizeof text, "searching saturation: load %.4g %%, probe %u of at most %u",
             100 * load, b->probe, b->probe > b->probes ? b->probe : b->probes);
    b->s->tell(b->s->ctx, text);
}

static void search_note(bisection *b, double load, const ik_sim_result *r, bool accepted)
{
    char reason[200] = "";
    if (r->steady.verdict != IK_STEADY_NONE)
        ik_steady_describe(&r->steady, reason, sizeof reason);
    ik_json_object(&b->json, NULL);
    ik_json_real(&b->json, "load", load, 9);
    ik_json_real(&b->json, "offered", r->offered, 9);
    ik_json_real(&b->json, "throughput", r->throughput, 9);
    ik_json_real(&b->json, "measured_ns", (double)r->window_ps / 1e3, 9);
    ik_json_bool(&b->json, "accepted", accepted);
    ik_json_text(&b->json, "steady", ik_steady_verdict_name(r->steady.verdict));
    ik_json_text(&b->json, "steady_reason", reason);
    ik_json_close(&b->json);
}

/* The highest load that is accepted is kept, and until one is the lowest that is not. */
static void search_keep(bisection *b, unsigned part, bool as_file, ik_sim_result *r)
{
    unsigned low = search_low(b);
    if (b->deadlock || part == low || !b->kept_at || (low == 0 && part <= b->kept_at)) {
        if (b->kept_at)
            sim_result_clear(b->kept);
        *b->kept = *r;
        b->kept_at = part;
        b->as_file = as_file;
        b->hops = (uint64_t)((double)r->packet_hops * (double)r->window_ps / (double)r->end_ps);
    } else {
        sim_result_clear(r);
    }
}

/* What is accepted of what is offered and has a way. */
static double search_share_of(const ik_sim_result *r)
{
    double without =
        r->packets_generated ? (double)r->packets_unroutable / (double)r->packets_generated : 0;
    return r->offered > 0 && without < 1 ? r->throughput / (r->offered * (1 - without)) : 1;
}

/* Whether a run of `times` the measured time of the file tells if its load is accepted. Where a
 * network that has had ten times that time accepts less than 70 %, more time would only say what it
 * accepts past saturation. */
static bool search_is_told(const ik_sim_result *r, unsigned times)
{
    if (times > 1 && search_share_of(r) < 0.7)
        return true;
    return r->deadlock || (r->steady.verdict != IK_STEADY_NONE && !isnan(metric_saturated(r)));
}

/* Whether a probe of `times` the measured time of the file may be made again with more: that time
 * is known, no series makes it memory, and no more packet-hops are expected than a run may have
 * that ends by itself. */
static bool search_may_be_longer(const bisection *b, const ik_sim_result *r, unsigned times)
{
    const ik_params *measure = b->s->config.measure_params;
    const double most_ps = 1e15, next = (double)times * SEARCH_LONGER;
    return times < SEARCH_LONGEST && measure && ik_params_has(measure, "duration") &&
           !ik_params_has(measure, "series") &&
           next * (double)(ik_params_uint(measure, "duration") +
                           ik_params_uint(measure, "warmup")) <=
               most_ps &&
           (double)r->packet_hops * SEARCH_LONGER <= (double)ik_params_uint(measure, "stop_hops");
}

/* *copy: of which values may be changed, which are to be freed. */
static ik_status search_copy(const ik_params *measure, ik_params *copy, ik_error *err)
{
    *copy = *measure;
    copy->values = ik_calloc(measure->num, sizeof *copy->values);
    if (!copy->values)
        return ik_fail_memory(err, measure->num * sizeof *copy->values, "a search");
    memcpy(copy->values, measure->values, measure->num * sizeof *copy->values);
    return IK_OK;
}

static ik_value *search_value(ik_params *measure, const char *name)
{
    size_t k = 0;
    while (k < measure->num && strcmp(measure->decl[k].name, name) != 0)
        k++;
    assert(k < measure->num); /* all are declared */
    return &measure->values[k];
}

static ik_status search_run_with(const bisection *b, unsigned part, const ik_params *measure,
                                 ik_sim_result *r, ik_error *err)
{
    ik_sim_config config = b->s->config;
    config.load = (double)part / b->parts;
    config.bound = b->bounds[part - 1];
    config.measure_params = measure;
    return sim_run_kept(b->s->plan, b->s->traffic, &config, b->s->env, b->s->checkpoints, r, err);
}

/* Whether the file leaves to a run when it ends. It gives a time where traffic is a schedule. */
static bool search_is_free(const bisection *b)
{
    return !ik_params_has(b->s->config.measure_params, "duration");
}

/* Whether probes end when they are told: not where a longer run said otherwise. */
static bool search_asks(const bisection *b)
{
    return search_is_free(b) && !b->most_hops;
}

/* Until it is told whether the load is accepted, for as long as the file lets a run be that ends by
 * itself. */
static ik_status search_ask(const bisection *b, unsigned part, ik_sim_result *r, ik_error *err)
{
    ik_params asks;
    ik_status status = search_copy(b->s->config.measure_params, &asks, err);
    if (status != IK_OK)
        return status;
    search_value(&asks, "series")->has = false;
    for (size_t k = 0; k < asks.num; k++)
        asks.values[k].given = false; /* what does not go together with what is asked */
    search_value(&asks, "stop_of")->u = STATIONARY_ACCEPTANCE;
    search_value(&asks, "stop_ci")->has = true;
    search_value(&asks, "stop_ci")->r = fmin(0.5 / part, 0.005);
    status = search_run_with(b, part, &asks, r, err);
    free(asks.values);
    return status;
}

/* With `times` the measured time of the file; most_hops: where a run ends by itself, unless the
 * file says when; 0 = as many as the file lets it have. */
static ik_status search_run_for(const bisection *b, unsigned part, unsigned times,
                                uint64_t most_hops, ik_sim_result *r, ik_error *err)
{
    ik_params longer;
    ik_status status = search_copy(b->s->config.measure_params, &longer, err);
    if (status != IK_OK)
        return status;
    search_value(&longer, "duration")->u *= times;
    search_value(&longer, "warmup")->u *= times;
    ik_value *hops = search_value(&longer, "stop_hops");
    if (most_hops && !hops->given && !search_value(&longer, "stop_ci")->given &&
        !search_value(&longer, "stop_of")->given && !search_value(&longer, "stop_at_most")->given)
        hops->u = hops->u < most_hops ? hops->u : most_hops;
    status = search_run_with(b, part, &longer, r, err);
    free(longer.values);
    return status;
}

/* As the file says, until it tells. *fills: it had the time, and accepts far less than is offered.
 */
static ik_status search_run(const bisection *b, unsigned part, uint64_t most_hops, ik_sim_result *r,
                            bool *fills, ik_error *err)
{
    unsigned times = 1;
    ik_status status = search_run_for(b, part, times, most_hops, r, err);
    while (status == IK_OK && !search_is_told(r, times) && search_may_be_longer(b, r, times)) {
        sim_result_clear(r);
        *r = (ik_sim_result){0};
        times *= SEARCH_LONGER;
        status = search_run_for(b, part, times, 0, r, err);
    }
    *fills = status == IK_OK && times > 1 && search_is_told(r, times);
    return status;
}

/* What a run says of its load. */
static answer search_answer_of(const ik_sim_result *r)
{
    double saturated = metric_saturated(r);
    if (r->deadlock || (!isnan(saturated) && saturated > 0))
        return r->deadlock || r->steady.verdict != IK_STEADY_NONE ? REFUSED : MAY_BE_REFUSED;
    if (!isnan(saturated))
        return r->steady.verdict != IK_STEADY_NONE ? ACCEPTED : MAY_BE_ACCEPTED;
    return r->steady.verdict != IK_STEADY_NO && search_share_of(r) >= 0.95 ? MAY_BE_ACCEPTED
                                                                           : MAY_BE_REFUSED;
}

/* Learns what a run says, and keeps the run or not. A load that channels cannot carry for ever is
 * refused, whatever a run says. */
static void search_learn(bisection *b, unsigned part, answer a, bool as_file, ik_sim_result *r)
{
    b->deadlock = r->deadlock;
    a = b->bounds[part - 1].exceeded ? REFUSED : a;
    b->answers[part] = (signed char)a;
    b->last = part;
    b->share = search_share_of(r);
    search_note(b, (double)part / b->parts, r, a > UNKNOWN);
    search_keep(b, part, as_file, r);
}

/* What ended because the load was told, and for another reason is not steady, is run as the file
 * says. */
static ik_status search_probe(bisection *b, unsigned part, ik_error *err)
{
    ik_sim_result r = {0};
    b->probe++;
    search_tell(b, (double)part / b->parts);
    bool asks = search_asks(b), fills = false;
    ik_status status = asks ? search_ask(b, part, &r, err) : IK_OK;
    bool unsaid = status == IK_OK && r.steady.closed && isnan(metric_saturated(&r)),
         known = unsaid && search_share_of(&r) < 0.95, doubts = unsaid && !known;
    if (status == IK_OK && (!asks || doubts)) {
        sim_result_clear(&r);
        r = (ik_sim_result){0};
        status = search_run(b, part, b->most_hops, &r, &fills, err);
    }
    known |= fills && isnan(metric_saturated(&r));
    if (status == IK_OK)
        search_learn(b, part, known ? REFUSED : search_answer_of(&r), !asks || doubts, &r);
    return status;
}

/* The load that was found, as the file says. What its probe said counts where this run is too short
 * to tell. Where it refuses the load, shorter probes of lower ones say as little. */
static ik_status search_settle(bisection *b, ik_error *err)
{
    unsigned part = search_low(b) ? search_low(b) : b->kept_at;
    ik_sim_result r = {0};
    b->probe++;
    search_tell(b, (double)part / b->parts);
    bool fills;
    uint64_t most_hops = b->most_hops ? b->most_hops : SEARCH_LONGER * b->hops;
    ik_status status = search_run(b, part, most_hops, &r, &fills, err);
    if (status != IK_OK)
        return status;
    answer before = (answer)b->answers[part], now = search_answer_of(&r);
    bool is_short = r.steady.verdict == IK_STEADY_SHORT && now == MAY_BE_ACCEPTED;
    if (before > UNKNOWN && now < UNKNOWN) {
        b->most_hops = most_hops;
        b->guesses = 0;
    }
    search_learn(b, part, is_short ? before : now, true, &r);
    return IK_OK;
}

/* What is accepted of a load that is not is a guess at what is; beyond one that is are others, and
 * below one that only a longer run refused. */
static unsigned search_next(bisection *b)
{
    unsigned low = search_low(b), high = search_high(b), guess;
    assert(high - low > 1 || low == 0);
    if (b->probe == 0) /* the highest load that may be accepted: often it is */
        return high > 1 ? high - 1 : 1;
    if (!search_is_free(b) || b->guesses == SEARCH_GUESSES)
        return low + (high - low) / 2;
    unsigned step = 1u << b->guesses++;
    if (b->answers[b->last] > UNKNOWN)
        guess = low + step / 2;
    else if (b->most_hops)
        guess = high > step ? high - step : 0;
    else
        guess = (unsigned)(b->last * b->share + 1e-6);
    guess = guess > low ? guess : low + 1;
    return guess < high ? guess : high - 1;
}

/* Of the loads that could not be told, those around them that are known may be closer: halfway to
 * the highest one known to be accepted, or to the lowest known not to be; 0 = neither. */
static unsigned search_closer(const bisection *b)
{
    unsigned sure = search_low(b), beyond = search_high(b), first, last;
    while (sure > 0 && b->answers[sure] != ACCEPTED)
        sure--;
    while (beyond <= b->parts && b->answers[beyond] != REFUSED)
        beyond++;
    for (first = sure + 1; first < beyond && b->answers[first] == UNKNOWN; first++)
        ;
    for (last = beyond - 1; last > sure && b->answers[last] == UNKNOWN; last--)
        ;
    if (first < beyond && first - sure > 1)
        return sure + (first - sure) / 2;
    return last > sure && beyond - last > 1 ? last + (beyond - last) / 2 : 0;
}

/* Until neighbours differ, the run that is kept is one that the file asks for, and what could not
 * be told is as little as may be. */
static ik_status search_bisect(bisection *b, ik_error *err)
{
    ik_status status = IK_OK;
    while (status == IK_OK && !b->deadlock) {
        unsigned low = search_low(b), high = search_high(b), closer;
        bool settled = b->as_file && (low == 0 || low == b->kept_at);
        if (!b->probe || (low < b->parts && high - low > 1))
            status = search_probe(b, search_next(b), err);
        else if (search_is_free(b) && (closer = search_closer(b)) > 0)
            status = search_probe(b, closer, err);
        else if (!settled)
            status = search_settle(b, err);
        else
            break;
    }
    return status;
}

/* Between which loads it could not be told whether loads are accepted, or what was found. */
static void search_put_found(const bisection *b, search_found *out)
{
    bool judged = b->kept->steady.verdict != IK_STEADY_NONE;
    unsigned high = search_high(b), low = search_low(b), sure = low, beyond = high;
    while (judged && sure > 0 && b->answers[sure] != ACCEPTED)
        sure--;
    while (beyond <= b->parts && b->answers[beyond] != REFUSED)
        beyond++;
    bool all = !b->deadlock && sure == b->parts, told = beyond <= sure + 1;
    out->saturation_load = b->deadlock || all ? NAN : (double)sure / b->parts;
    out->saturation_most = b->deadlock || all || told ? NAN : fmin((double)beyond / b->parts, 1);
}

static ik_status search_prepare(bisection *b, ik_error *err)
{
    const search *s = b->s;
    double *loads = ik_calloc(b->parts, sizeof *loads);
    b->bounds = ik_calloc(b->parts, sizeof *b->bounds);
    b->answers = ik_calloc((size_t)b->parts + 2, sizeof *b->answers);
    ik_status status = IK_OK;
    if (!loads || !b->bounds || !b->answers)
        status = ik_fail_memory(err, b->parts, "the loads of a search");
    for (unsigned part = 1; status == IK_OK && part <= b->parts; part++)
        loads[part - 1] = (double)part / b->parts;
    if (status == IK_OK)
        status = ik_sim_bound_measure(s->plan, s->traffic, &s->config, loads, b->parts, s->env,
                                      b->bounds, err);
    for (unsigned part = 1; status == IK_OK && part <= b->parts; part++)
        if (b->bounds[part - 1].exceeded)
            b->answers[part] = REFUSED;
    free(loads);
    return status;
}

ik_status search_saturation(const search *s, ik_sim_result *result, search_found *out,
                            ik_error *err)
{
    assert(s->precision > 0 && s->precision <= 1);
    bisection b = {.s = s, .kept = result};
    b.parts = (unsigned)ceil(1 / s->precision - 1e-6); /* 1 / 0.01 is not 100 exactly */
    b.probes = 2 + SEARCH_GUESSES + 2 * (unsigned)ceil(log2(b.parts));
    ik_json_to_text(&b.json, IK_JSON_PACKED);
    ik_json_array(&b.json, NULL);
    ik_status status = search_prepare(&b, err);
    if (status == IK_OK)
        status = search_bisect(&b, err);
    free(b.bounds);
    char *probes = NULL;
    ik_json_close(&b.json);
    ik_status written = ik_json_end_text(&b.json, &probes, NULL, status == IK_OK ? err : NULL);
    status = status == IK_OK ? written : status;
    if (status == IK_OK) {
        *out = (search_found){.load = (double)b.kept_at / b.parts, .probes = probes};
        search_put_found(&b, out);
    } else {
        if (b.kept_at)
            sim_result_clear(result);
        *result = (ik_sim_result){0};
        free(probes);
    }
    free(b.answers);
    return status;
}
