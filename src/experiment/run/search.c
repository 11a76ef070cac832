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
 * A short run may seem to drift by chance. If all the same as much is accepted as is offered, it
 * does not tell that higher loads are not accepted: they are tried first, and only then the loads
 * between the highest one that is accepted and such doubtful ones.
 */
#include "experiment/run/search.h"
#include "experiment/figures/metrics.h"
#include "ikat/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bisection {
    const search *s;
    unsigned parts, low, high; /* loads low/parts and high/parts are accepted and not */
    unsigned accepted;         /* the highest load that is, beyond doubt; 0 = none */
    bool doubts;               /* doubtful loads count as accepted */
    bool *refused;             /* [parts + 1] loads that were tried and are not, or are doubtful */
    ik_sim_bound *bounds;      /* [parts] of the loads 1/parts, 2/parts, … */
    unsigned probe, probes;    /* number of this one, and of all at most */
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
    ik_json_bool(&b->json, "accepted", accepted);
    ik_json_text(&b->json, "steady", ik_steady_verdict_name(r->steady.verdict));
    ik_json_text(&b->json, "steady_reason", reason);
    ik_json_close(&b->json);
}

/* The highest load that is accepted is kept, and until one is the lowest that is not. */
static void search_keep(bisection *b, unsigned part, ik_sim_result *r, bool accepted)
{
    bool lowest = b->accepted == 0 && (!b->kept_at || part < b->kept_at);
    if (accepted || b->deadlock || lowest) {
        if (b->kept_at)
            ik_sim_result_free(b->kept);
        *b->kept = *r;
        b->kept_at = part;
    } else {
        ik_sim_result_free(r);
    }
}

/* Whether chance may have made a run that is not accepted. */
static bool search_is_doubtful(const ik_sim_result *r)
{
    return !r->deadlock && !(metric_saturated(r) > 0) && r->throughput >= 0.995 * r->offered;
}

/* A load that was tried before is not tried again. */
static ik_status search_probe(bisection *b, unsigned part, ik_error *err)
{
    if (b->refused[part]) {
        b->high = part;
        return IK_OK;
    }
    double load = (double)part / b->parts;
    ik_sim_config config = b->s->config;
    ik_sim_result r = {0};
    b->probe++;
    search_tell(b, load);
    config.load = load;
    config.bound = b->bounds[part - 1];
    ik_status status = ik_sim_run(b->s->plan, b->s->traffic, &config, b->s->env, &r, err);
    if (status != IK_OK)
        return status;
    bool accepted = !(metric_saturated(&r) > 0) && r.steady.verdict != IK_STEADY_NO;
    b->deadlock = r.deadlock;
    search_note(b, load, &r, accepted);
    bool doubtful = b->doubts && !accepted && search_is_doubtful(&r);
    search_keep(b, part, &r, accepted);
    *(accepted || doubtful ? &b->low : &b->high) = part;
    b->accepted = accepted ? part : b->accepted;
    b->refused[part] = !accepted;
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

static ik_status search_between(bisection *b, ik_error *err)
{
    ik_status status = IK_OK;
    while (status == IK_OK && !b->deadlock && b->low < b->parts && b->high - b->low > 1)
        status = search_probe(b, b->low + (b->high - b->low) / 2, err);
    return status;
}

/* The first probe is the highest load that may be accepted: often it is. */
static ik_status search_bisect(bisection *b, ik_error *err)
{
    b->high = search_beyond_bound(b);
    b->doubts = true;
    ik_status status = search_probe(b, b->high > 1 ? b->high - 1 : 1, err);
    if (status == IK_OK)
        status = search_between(b, err);
    b->doubts = false;
    b->high = b->low;
    b->low = b->accepted;
    return status == IK_OK ? search_between(b, err) : status;
}

static ik_status search_prepare(bisection *b, ik_error *err)
{
    const search *s = b->s;
    double *loads = ik_calloc(b->parts, sizeof *loads);
    b->refused = ik_calloc(b->parts + 1, sizeof *b->refused);
    b->bounds = ik_calloc(b->parts, sizeof *b->bounds);
    ik_status status = IK_OK;
    if (!loads || !b->refused || !b->bounds)
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
    b.probes = 2 + 2 * (unsigned)ceil(log2(b.parts));
    ik_json_to_text(&b.json, IK_JSON_PACKED);
    ik_json_array(&b.json, NULL);
    ik_status status = search_prepare(&b, err);
    if (status == IK_OK)
        status = search_bisect(&b, err);
    free(b.refused);
    free(b.bounds);
    char *probes = NULL;
    ik_json_close(&b.json);
    ik_status written = ik_json_end_text(&b.json, &probes, NULL, status == IK_OK ? err : NULL);
    status = status == IK_OK ? written : status;
    if (status != IK_OK) {
        if (b.kept_at)
            ik_sim_result_free(result);
        *result = (ik_sim_result){0};
        free(probes);
        return status;
    }
    *out = (search_found){
        .load = (double)b.kept_at / b.parts,
        .saturation_load = b.deadlock || b.accepted == b.parts ? NAN : (double)b.accepted / b.parts,
        .probes = probes};
    return IK_OK;
}
