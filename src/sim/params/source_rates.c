/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast hosts make messages, at one load or entry by entry of a schedule. */
#include "sim/params/parameters.h"
#include "sim/state/state.h"

/* What the ports of the source send together, of which `host` is one. */
static double source_bps(const sim *s, uint32_t host)
{
    if (!s->f->split)
        return s->host.state[host].port == IK_NONE ? 0 : (double)sim_injection_bps(s, host);
    const ik_split *split = s->f->split;
    uint32_t source = split->host_of[host];
    double sum = 0;
    for (uint32_t port = split->first[source]; port < split->first[source + 1]; port++)
        sum += s->host.state[port].port == IK_NONE ? 0 : (double)sim_injection_bps(s, port);
    return sum;
}

static double source_rates_period_of(const sim *s, uint32_t host, double bytes, double load)
{
    return 8e12 * bytes / (source_bps(s, host) * load);
}

void sim_init_injector(sim *s, uint32_t host)
{
    injector *c = &s->source.injectors[host];
    double bytes = s->source.sizes ? sim_sizes_mean_of_host(s->source.sizes, s->traffic, host, 1, 1)
                                   : (double)s->source.message_bytes;
    c->source = ik_whole_host(s->f, host);
    c->period_ps = source_rates_period_of(s, host, bytes, s->source.load);
    c->phase_ps = sim_rhythm_phase(
        &(sim_rhythm){.seed = s->seed, .source = c->source, .period_ps = c->period_ps});
}

/* ---- schedules */

/* Mean size of the messages of an entry, which is their class. */
static double source_rates_entry_bytes(const sim *s, unsigned entry)
{
    return s->source.sizes
               ? sim_sizes_mean(s->source.sizes, s->source.sizes->num_classes ? entry : 0, 1, 1)
               : (double)s->source.message_bytes;
}

static bool source_rates_rhythm_of(const void *ctx, uint32_t source, unsigned entry, double load,
                                   sim_rhythm *r, sim_gaps *gaps)
{
    const sim *s = ctx;
    const ik_split *split = s->f->split;
    uint32_t host = split ? split->first[source] : source;
    if ((split && host == split->first[source + 1]) || source_bps(s, host) == 0)
        return false;
    r->kind = s->source.entry_injection;
    r->period_ps = source_rates_period_of(s, host, source_rates_entry_bytes(s, entry), load);
    r->slot_ps = (uint64_t)(r->period_ps * load + 0.5);
    if (r->kind == INJECT_BERNOULLI)
        r->log_miss = sim_rhythm_log_miss(load);
    if (r->kind == INJECT_BURSTY) {
        const sim_bursts *b = &s->source.entry_bursts[entry];
        *gaps = sim_gaps_of(b->alpha, b->beta, b->rate);
    }
    return true;
}

static uint32_t source_rates_num_sources(const sim *s)
{
    return s->f->split ? s->f->split->whole->num_hosts : s->f->num_hosts;
}

ik_status sim_make_schedule(sim *s, ik_error *err)
{
    if (!s->traffic->schedule)
        return IK_OK;
    const sim_schedule_setup setup = {.traffic = s->traffic,
                                      .num_sources = source_rates_num_sources(s),
                                      .seed = s->seed,
                                      .end_ps = s->measure.end_ps,
                                      .load = s->source.load,
                                      .rhythm_of = source_rates_rhythm_of,
                                      .ctx = s};
    return sim_schedule_new(&setup, &s->source.schedule, err);
}

double sim_messages_per_byte(const sim *s, uint32_t host)
{
    const ik_schedule *list = s->traffic->schedule;
    double most = 0;
    if (!list)
        return s->source.load /
               (s->source.sizes ? sim_sizes_mean_of_host(s->source.sizes, s->traffic, host, 1, 1)
                                : (double)s->source.message_bytes);
    for (unsigned k = 0; k < list->num; k++) {
        double load = ik_schedule_load(&list->entries[k], s->source.load),
               here = load / source_rates_entry_bytes(s, k);
        most = here > most ? here : most;
    }
    return most;
}

ik_status sim_refuse_numbers(const sim *s, ik_error *err)
{
    double packets = 0;
    for (uint32_t host = 0; s->source.sizes && host < s->f->num_hosts; host++) {
        uint32_t port = ik_host_port(s->f, host);
        double rate = port == IK_NONE ? 0 : (double)ik_port_rate_bps(s->f, port) / 8e12,
               most = 2 * rate * (double)s->measure.end_ps * sim_messages_per_byte(s, host) *
                      (double)s->source.packets_per_message;
        packets = most > packets ? most : packets;
    }
    if (packets < (double)UINT32_MAX)
        return IK_OK;
    ik_about(
        err,
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "adapter.message_sizes: a host may make %.3g messages of up to %llu packets, more "
                "than can be numbered",
                packets / 2 / (double)s->source.packets_per_message,
                (unsigned long long)s->source.packets_per_message),
        "adapter.message_sizes");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "larger packets, a smaller largest message, or a shorter duration");
}
