/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/search.c: looks for the load at which a point saturates.
 *
 * Loads are whole multiples of the precision (of the next smaller fraction 1/n), so that a load
 * that was found can be written down and run again. First the highest load is offered that channels
 * could carry for ever, all of 100 % where no bound is known. If that is past saturation, a load
 * that is accepted (at first none at all) and one that is not are bisected until they are
 * neighbours. What a probe does depends on its load and the seed alone.
 *
 * Near saturation queues take long to settle, and a measured time that a file gives may end before
 * it can be told whether a load is accepted. The probe is then made again with ten times that time,
 * and with a hundred times; a load that drifts even so counts as not accepted, and the search says
 * between which loads it could not tell. Where a run is too short for a verdict, the search goes on
 * as if the load were accepted if 95 % of what is offered are.
 */
#include "experiment/run/search.h"
#include "experiment/figures/metrics.h"
#include "ikat/json.h"
#include "sim/checkpoints.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_LONGER = 10, SEARCH_LONGEST = 100 }; /* times the measured time of the file */

typedef struct bisection {
    const search *s;
    unsigned parts, low, high; /* loads low/parts (0 = none) and high/parts are accepted and not */
    unsigned sure, beyond;  /* the highest and the lowest of which it is known; parts + 1 = none */
    ik_sim_bound *bounds;   /* [parts] of the loads 1/parts, 2/parts, … */
    unsigned probe, probes; /* number of this one, and of all at most */
    bool deadlock;
    ik_sim_result *kept; /* of load kept_at/parts */
    unsigned kept_at;    /* 0 = nothing is kept */
    ik_json json;
} bisection;

static void search_tell(const bisection *b, double load)
{
    char text[120];
    snprintf(text, sizeof text, "searching saturation: load %.4g %%, probe %u of at most %u",
             100 * load, b->probe, b->probes);
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
static void search_keep(bisection *b, unsigned part, ik_sim_result *r, bool accepted)
{
    bool lowest = b->low == 0 && (!b->kept_at || part < b->kept_at);
    if (accepted || b->deadlock || lowest) {
        if (b->kept_at)
            sim_result_clear(b->kept);
        *b->kept = *r;
        b->kept_at = part;
    } else {
        sim_result_clear(r);
    }
}

/* Whether a run of `times` the measured time of the file tells if its load is accepted. Where a
 * network that has had ten times that time accepts less than 70 %, more time would only say what it
 * accepts past saturation. */
static bool search_is_told(const ik_sim_result *r, unsigned times)
{
    if (times > 1 && r->throughput < 0.7 * r->offered)
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

/* *longer: the file's, with times the measured time; its values are to be freed. */
static ik_status search_make_longer(const ik_params *measure, unsigned times, ik_params *longer,
                                    ik_error *err)
{
    *longer = *measure;
    longer->values = ik_calloc(measure->num, sizeof *longer->values);
    if (!longer->values)
        return ik_fail_memory(err, measure->num * sizeof *longer->values, "a search");
    memcpy(longer->values, measure->values, measure->num * sizeof *longer->values);
    for (size_t k = 0; k < measure->num; k++)
        if (strcmp(measure->decl[k].name, "duration") == 0 ||
            strcmp(measure->decl[k].name, "warmup") == 0)
            longer->values[k].u *= times;
    return IK_OK;
}

static ik_status search_run_for(const bisection *b, unsigned part, unsigned times, ik_sim_result *r,
                                ik_error *err)
{
    ik_sim_config config = b->s->config;
    ik_params longer = {0};
    ik_status status = IK_OK;
    config.load = (double)part / b->parts;
    config.bound = b->bounds[part - 1];
    if (times > 1) {
        status = search_make_longer(config.measure_params, times, &longer, err);
        config.measure_params = &longer;
    }
    if (status == IK_OK)
        status =
            sim_run_kept(b->s->plan, b->s->traffic, &config, b->s->env, b->s->checkpoints, r, err);
    free(longer.values);
    return status;
}

/* Until it tells; *told: whether it did. */
static ik_status search_run(const bisection *b, unsigned part, ik_sim_result *r, bool *told,
                            ik_error *err)
{
    unsigned times = 1;
    ik_status status = search_run_for(b, part, times, r, err);
    while (status == IK_OK && !search_is_told(r, times) && search_may_be_longer(b, r, times)) {
        sim_result_clear(r);
        *r = (ik_sim_result){0};
        times *= SEARCH_LONGER;
        status = search_run_for(b, part, times, r, err);
    }
    *told = status == IK_OK && search_is_told(r, times);
    return status;
}

static ik_status search_probe(bisection *b, unsigned part, ik_error *err)
{
    double load = (double)part / b->parts;
    ik_sim_result r = {0};
    b->probe++;
    search_tell(b, load);
    bool told;
    ik_status status = search_run(b, part, &r, &told, err);
    if (status != IK_OK)
        return status;
    double saturated = metric_saturated(&r);
    bool guess = r.steady.verdict != IK_STEADY_NO && r.throughput >= 0.95 * r.offered,
         accepted = isnan(saturated) ? guess : !(saturated > 0);
    b->deadlock = r.deadlock;
    search_note(b, load, &r, accepted);
    search_keep(b, part, &r, accepted);
    *(accepted ? &b->low : &b->high) = part;
    if (!accepted && told && part < b->beyond)
        b->beyond = part;
    if (accepted && told)
        b->sure = part;
    return IK_OK;
}

/* The least load at which a channel is offered more than it carries, whatever a run would show;
 * above all of 100 % if nothing is known. */
static unsigned search_beyond_bound(const bisection *b)
{
    unsigned part = 1;
    while (part <= b->parts && !b->bounds[part - 1].exceeded)
        part++;
    return part;
}

/* The first probe is the highest load that may be accepted: often it is. */
static ik_status search_bisect(bisection *b, ik_error *err)
{
    b->high = b->beyond = search_beyond_bound(b);
    ik_status status = search_probe(b, b->high > 1 ? b->high - 1 : 1, err);
    while (status == IK_OK && !b->deadlock && b->low < b->parts && b->high - b->low > 1)
        status = search_probe(b, b->low + (b->high - b->low) / 2, err);
    return status;
}

/* Between which loads it could not be told whether loads are accepted, or what was found. */
static void search_put_found(const bisection *b, search_found *out)
{
    bool judged = b->kept->steady.verdict != IK_STEADY_NONE;
    unsigned sure = judged ? b->sure : b->low;
    bool all = !b->deadlock && sure == b->parts, told = b->beyond <= sure + 1;
    out->saturation_load = b->deadlock || all ? NAN : (double)sure / b->parts;
    out->saturation_most = b->deadlock || all || told ? NAN : fmin((double)b->beyond / b->parts, 1);
}

static ik_status search_prepare(bisection *b, ik_error *err)
{
    const search *s = b->s;
    double *loads = ik_calloc(b->parts, sizeof *loads);
    b->bounds = ik_calloc(b->parts, sizeof *b->bounds);
    ik_status status = IK_OK;
    if (!loads || !b->bounds)
        status = ik_fail_memory(err, b->parts, "the loads of a search");
    for (unsigned part = 1; status == IK_OK && part <= b->parts; part++)
        loads[part - 1] = (double)part / b->parts;
    if (status == IK_OK)
        status = ik_sim_bound_measure(s->plan, s->traffic, &s->config, loads, b->parts, s->env,
                                      b->bounds, err);
    free(loads);
    return status;
}

ik_status search_saturation(const search *s, ik_sim_result *result, search_found *out,
                            ik_error *err)
{
    assert(s->precision > 0 && s->precision <= 1);
    bisection b = {.s = s, .kept = result};
    b.parts = (unsigned)ceil(1 / s->precision - 1e-6); /* 1 / 0.01 is not 100 exactly */
    b.probes = 2 + (unsigned)ceil(log2(b.parts));
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
    if (status != IK_OK) {
        if (b.kept_at)
            sim_result_clear(result);
        *result = (ik_sim_result){0};
        free(probes);
        return status;
    }
    *out = (search_found){.load = (double)b.kept_at / b.parts, .probes = probes};
    search_put_found(&b, out);
    return IK_OK;
}
