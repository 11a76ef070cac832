/* SPDX-License-Identifier: Apache-2.0
 *
 * What the section adapter says of bursty sources, resolved for a load, and of the turns that
 * messages take. A bursty source is on for alpha / (alpha + beta) of the time, so load = rate *
 * alpha / (alpha + beta). */
#include "sim/params/parameters.h"
#include "sim/state/state.h"

#include <math.h>
#include <string.h>

#define PERCENT(x) ((x)*100)

static ik_status source_params_refuse_open(ik_error *err)
{
    ik_about(
        err,
        ik_fail(err, IK_ERR_USAGE,
                "adapter.injection = bursty needs two of burst_alpha, burst_beta and burst_rate"),
        "adapter.injection");
    return ik_hint(err, IK_ERR_USAGE,
                   "bursts of 10 messages at full rate: burst_beta: 10%%, burst_rate: 100%%; the "
                   "load then says the pauses");
}

/* The third of those that are not given (NAN). */
static void source_params_complete(sim_bursts *b, double load)
{
    if (isnan(b->rate))
        b->rate = load * (b->alpha + b->beta) / b->alpha;
    else if (isnan(b->beta))
        b->beta = b->alpha * (b->rate - load) / load;
    else if (isnan(b->alpha))
        b->alpha = b->beta == 0 ? 1 : b->beta * load / (b->rate - load);
}

static ik_status source_params_refuse_numbers(const sim_bursts *b, double load, ik_error *err)
{
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "burst_alpha = %.6g, burst_beta = %.6g and burst_rate = %.6g %% make a load "
                     "of %.6g %%, "
                     "not %.6g %%",
                     b->alpha, b->beta, PERCENT(b->rate),
                     PERCENT(b->rate * b->alpha / (b->alpha + b->beta)), PERCENT(load)),
             "adapter.burst_alpha adapter.burst_beta adapter.burst_rate load");
    return ik_hint(
        err, IK_ERR_USAGE,
        "burst_rate x burst_alpha / (burst_alpha + burst_beta) is the load; leave one of "
        "the three out");
}

static ik_status source_params_refuse_rate(const sim_bursts *b, double load, bool derived,
                                           ik_error *err)
{
    if (!derived)
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "burst_rate = %.6g %% cannot make a load of %.6g %%: sources are off at times",
                    PERCENT(b->rate), PERCENT(load)),
            "adapter.burst_rate load");
    else
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "burst_alpha = %.6g and burst_beta = %.6g: sources are on for %.6g %% of the time, "
                "and a load of %.6g %% would be %.6g %% of their rate while they are",
                b->alpha, b->beta, PERCENT(b->alpha / (b->alpha + b->beta)), PERCENT(load),
                PERCENT(b->rate)),
            "adapter.burst_alpha adapter.burst_beta load");
    return ik_hint(err, IK_ERR_USAGE,
                   "load = burst_rate x burst_alpha / (burst_alpha + burst_beta), burst_rate is at "
                   "most 100 %%");
}

/* given: which of alpha, beta and rate the experiment says. */
static ik_status source_params_refuse_sum(const sim_bursts *b, double load, const bool given[3],
                                          ik_error *err)
{
    if (given[0] && given[1])
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "burst_alpha = %.6g and burst_beta = %.6g: their sum is above 1, and sources would "
                "not stay on or off but take turns",
                b->alpha, b->beta),
            "adapter.burst_alpha adapter.burst_beta");
    else
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "%s = %.6g and burst_rate = %.6g %% at a load of %.6g %% go with %s = %.6g: their "
                "sum is above 1, and sources would not stay on or off but take turns",
                given[0] ? "burst_alpha" : "burst_beta", given[0] ? b->alpha : b->beta,
                PERCENT(b->rate), PERCENT(load), given[0] ? "burst_beta" : "burst_alpha",
                given[0] ? b->beta : b->alpha),
            "adapter.burst_alpha adapter.burst_beta adapter.burst_rate load");
    return ik_hint(err, IK_ERR_USAGE, "burst_alpha + burst_beta is at most 1 (which is bernoulli)");
}

static ik_status refuse_always_on(const sim_bursts *b, double load, ik_error *err)
{
    ik_about(
        err,
        ik_fail(err, IK_ERR_USAGE,
                "burst_beta = 0: sources never go off, so burst_rate = %.6g %% is their load, not "
                "%.6g %%",
                PERCENT(b->rate), PERCENT(load)),
        "adapter.burst_beta adapter.burst_rate load");
    return ik_hint(err, IK_ERR_USAGE, "burst_beta above 0, or injection: bernoulli");
}

ik_status sim_resolve_bursts(const ik_params *v, double load, sim_bursts *out, ik_error *err)
{
    static const char *const names[] = {"burst_alpha", "burst_beta", "burst_rate"};
    double values[3];
    bool given[3];
    for (unsigned k = 0; k < 3; k++) {
        given[k] = ik_params_has(v, names[k]);
        values[k] = given[k] ? ik_params_real(v, names[k]) : NAN;
    }
    sim_bursts b = {values[0], values[1], values[2]};
    if (given[0] + given[1] + given[2] < 2)
        return source_params_refuse_open(err);
    bool derived = !given[2];
    if (!derived && (b.rate < load || (b.rate == load && isnan(b.alpha) && b.beta > 0)))
        return source_params_refuse_rate(&b, load, false, err);
    source_params_complete(&b, load);
    if (b.beta == 0 && fabs(b.rate - load) > 1e-9 * load)
        return refuse_always_on(&b, load, err);
    if (fabs(b.rate * b.alpha / (b.alpha + b.beta) - load) > 1e-9 * load)
        return source_params_refuse_numbers(&b, load, err);
    if (b.rate > 1 + 1e-9)
        return source_params_refuse_rate(&b, load, derived, err);
    if (b.alpha + b.beta > 1 + 1e-9)
        return source_params_refuse_sum(&b, load, given, err);
    b.rate = fmin(1, b.rate);
    *out = b;
    return IK_OK;
}

ik_status sim_resolve_entry_bursts(const ik_params *adapter, const ik_schedule *list, double load,
                                   sim_bursts *out, ik_error *err)
{
    ik_status status = IK_OK;
    for (unsigned k = 0; k < list->num && status == IK_OK; k++)
        status =
            sim_resolve_bursts(adapter, ik_schedule_load(&list->entries[k], load), &out[k], err);
    return status;
}

ik_status ik_sim_check_sources(const ik_params *adapter, double load, ik_error *err)
{
    sim_bursts b;
    return ik_params_enum(adapter, "injection") == INJECT_BURSTY
               ? sim_resolve_bursts(adapter, load, &b, err)
               : IK_OK;
}

/* ---- how messages take turns */

/* One of the adapter's parameters that is given and has no effect. */
static ik_status source_params_refuse_turns(const ik_value *v, const char *name, const char *why,
                                            const char *hint, ik_error *err)
{
    ik_fail_at(err, IK_ERR_INPUT, v->source ? v->source : "", v->line, v->column,
               "section 'adapter', parameter '%s': %s", name, why);
    return ik_hint(err, IK_ERR_INPUT, "%s", hint);
}

static const ik_value *source_params_value_of(const ik_params *v, const char *name)
{
    size_t k = 0;
    while (strcmp(v->decl[k].name, name) != 0)
        k++;
    return &v->values[k];
}

uint32_t sim_active_of(const ik_params *v)
{
    return ik_params_word(v, "active") ? UINT32_MAX : (uint32_t)ik_params_uint(v, "active");
}

ik_status ik_sim_check_turns(const ik_params *v, ik_error *err)
{
    const char *name = source_params_value_of(v, "interleave")->given ? "interleave" : "active";
    uint64_t most = ik_params_uint(v, "packet");
    bool sizes = ik_params_has(v, "message_sizes") || ik_params_has(v, "message_histogram"),
         large = (ik_params_has(v, "message") && ik_params_uint(v, "message") > most) ||
                 (ik_params_has(v, "reply") && ik_params_uint(v, "reply") > most);
    if (!sizes && !large && source_params_value_of(v, name)->given)
        return source_params_refuse_turns(
            source_params_value_of(v, name), name,
            "it has no effect: no message is larger than a packet",
            "messages of one packet cannot be interleaved: message says their size", err);
    if (sim_active_of(v) != UINT32_MAX || ik_params_enum(v, "queues") == ADAPTER_DESTINATION)
        return IK_OK;
    return source_params_refuse_turns(
        source_params_value_of(v, "active"), "active",
        "unlimited would keep all messages that wait, which endless traffic only "
        "does with queues = destination",
        "a number up to 4096, or queues: destination", err);
}

ik_status sim_check_turns(const sim *s, const ik_params *v, ik_error *err)
{
    const char *name = source_params_value_of(v, "interleave")->given ? "interleave" : "active";
    ik_status status = ik_sim_check_turns(v, err);
    if (status != IK_OK || !s->source.sizes || s->source.packets_per_message > 1 ||
        !source_params_value_of(v, name)->given)
        return status;
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "'%s': it has no effect, no message is larger than packet = %u B", name,
                     s->adapter.packet_bytes),
             "adapter.%s adapter.packet", name);
    return ik_hint(err, IK_ERR_USAGE, "messages of one packet cannot be interleaved");
}

/* ---- the order of a source */

/* Whether all packets of a host start on one VC, and so wait in one queue. */
typedef struct first_vcs {
    const ik_plan *plan;
    bool known, alike; /* vc is that of a packet; there is no other */
    uint8_t vc;
} first_vcs;

static void compare_first_vcs(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
{
    first_vcs *host = ctx;
    uint32_t from, to, rails = ik_rails_count(host->plan->routing, src, dst);
    (void)scale;
    for (uint32_t k = 0; weight > 0 && src != dst && k < rails && host->alike; k++) {
        ik_rails_nth(host->plan->routing, src, dst, k, &from, &to);
        uint32_t starts = ik_plan_num_starts(host->plan, from, to);
        for (uint32_t n = 0; n < starts && host->alike; n++) {
            ik_packet pk;
            ik_plan_start_nth(host->plan, from, to, n, &pk);
            host->alike = !host->known || pk.vc == host->vc;
            host->known = true;
            host->vc = pk.vc;
        }
    }
}

static bool starts_on_one_vc(const ik_plan *plan, const ik_traffic *t)
{
    first_vcs host = {.plan = plan, .alike = true};
    for (uint32_t src = 0; src < t->num_hosts && host.alike; src++) {
        host.known = false;
        t->family->flows(t, src, compare_first_vcs, &host);
    }
    return host.alike;
}

static bool source_params_has_priorities(const ik_params *sw)
{
    return ik_params_enum(sw, "arbiter") == ARB_CLASS && ik_params_has(sw, "class_priority");
}

bool sim_offers_by_weight(const ik_params *adapter)
{
    return !ik_params_has(adapter, "message_sizes") ||
           !strchr(ik_params_text(adapter, "message_sizes"), '=');
}

static bool source_params_send_in_order(const ik_plan *plan, const ik_traffic *traffic,
                                        const ik_params *sw, const ik_params *adapter)
{
    bool pipelined = ik_params_enum(sw, "model") == MODEL_PIPELINED;
    int queues = ik_params_enum(adapter, "queues");
    if (!traffic->family->flows || ik_params_has(adapter, "reply") ||
        !sim_offers_by_weight(adapter))
        return false;
    if (pipelined) /* a host has one packet at a time */
        return true;
    return queues != ADAPTER_DESTINATION && !sim_bypasses_throttled(adapter) &&
           !source_params_has_priorities(sw) &&
           (queues == ADAPTER_ONE || plan->num_vcs == 1 || starts_on_one_vc(plan, traffic));
}

bool ik_sim_sends_in_order(const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config)
{
    const ik_sim_config c = sim_config_of(config);
    sim_sections sec;
    if (sim_open_sections(&sec, &c, NULL) != IK_OK)
        return false;
    bool in_order = source_params_send_in_order(plan, traffic, sec.sw, sec.adapter);
    sim_close_sections(&sec);
    return in_order;
}
