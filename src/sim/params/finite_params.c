/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sections of a configuration say to a finite workload, and what they cannot say. */
#include "sim/params/parameters.h"
#include "sim/state/state.h"

ik_status sim_check_until(const ik_traffic *traffic, const ik_params *measure, ik_error *err)
{
    bool until_delivered = measure && ik_params_enum(measure, "until") == 1;
    if (traffic->workload && !until_delivered) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "traffic '%.80s' ends, and is measured until it is delivered",
                         traffic->spec),
                 "measure.until");
        return ik_hint(err, IK_ERR_USAGE, "measure: {until: delivered, at_most: 10 ms}");
    }
    if (traffic->workload && !ik_params_has(measure, "at_most")) {
        ik_about(err, ik_fail(err, IK_ERR_USAGE, "measure.until = delivered needs at_most"),
                 "measure.until");
        return ik_hint(
            err, IK_ERR_USAGE,
            "a time after which what is not delivered counts as missing: at_most: 10 ms");
    }
    if (!traffic->workload && until_delivered) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "measure.until = delivered: traffic '%.80s' never ends",
                         traffic->spec),
                 "measure.until");
        return ik_hint(err, IK_ERR_USAGE,
                       "traffic 'exchange' sends the messages of a pattern once; endless traffic "
                       "has warmup and duration");
    }
    return IK_OK;
}

static ik_status finite_params_refuse_adapter(const ik_params *adapter, const ik_workload *w,
                                              ik_error *err)
{
    static const char *const idle[] = {"message",   "message_sizes", "message_histogram",
                                       "injection", "interleave",    "active"};
    for (size_t k = 0; k < adapter->num; k++) {
        const ik_value *v = &adapter->values[k];
        const char *name = adapter->decl[k].name;
        for (unsigned i = 0; i < sizeof idle / sizeof *idle; i++) {
            bool says = (i >= 4 && w->visits == 0) || (i == 3 && w->num_endless);
            if (!v->given || strcmp(name, idle[i]) != 0 || says)
                continue;
            ik_fail_at(err, IK_ERR_USAGE, v->source ? v->source : "", v->line, v->column,
                       "section 'adapter', parameter '%s': it has no effect on a finite workload",
                       name);
            return ik_hint(err, IK_ERR_USAGE,
                           i < 3    ? "its messages have the sizes that traffic says"
                           : i == 3 ? "all messages are made as soon as what they wait for is done"
                                    : "visits of traffic 'exchange' says how messages take turns");
        }
    }
    if (ik_params_has(adapter, "reply") && !w->batch) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "adapter.reply: of finite workloads only traffic 'batch' is answered"),
                 "adapter.reply");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "traffic: {family: batch, pattern: uniform, messages: 1000}; in other "
                       "workloads replies are messages of their own");
    }
    return IK_OK;
}

/* Of a batch, whose messages have a size that the adapter does not know: the same as
 * sim_check_turns() says of endless traffic. */
static ik_status finite_params_check_turns(const sim *s, const ik_params *adapter,
                                           const ik_workload *w, ik_error *err)
{
    bool fifo = ik_params_given(adapter, "interleave"), given = ik_params_given(adapter, "active");
    const char *name = fifo ? "interleave" : "active";
    uint64_t largest = w->largest;
    if (s->reply.on && ik_params_uint(adapter, "reply") > largest)
        largest = ik_params_uint(adapter, "reply");
    if ((fifo || given) && largest <= s->adapter.packet_bytes) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "adapter.%s: it has no effect, no message of '%.60s' is larger than a "
                         "packet",
                         name, s->traffic->spec),
                 "adapter.%s bytes", name);
        return ik_hint(err, IK_ERR_USAGE, "messages of one packet cannot be interleaved");
    }
    if (sim_active_of(adapter) != UINT32_MAX || s->adapter.queues == ADAPTER_DESTINATION)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "adapter.active: unlimited would keep all messages of the batch, which are "
                     "only kept with queues = destination"),
             "adapter.active");
    return ik_hint(err, IK_ERR_USAGE, "a number up to 4096, or queues: destination");
}

/* Jobs that never end send messages of one packet. */
static ik_status finite_params_check_endless(const sim *s, const ik_params *adapter, ik_error *err)
{
    if (ik_params_enum(adapter, "injection") == INJECT_BURSTY) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "adapter.injection = bursty cannot be used with background jobs"),
                 "adapter.injection");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "periodic, poisson and bernoulli do");
    }
    if (!s->plan->routing->family->of_phase)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED,
                     "routing '%.60s' takes a table for each phase, and jobs in the background "
                     "have none",
                     s->plan->routing->spec),
             "jobs");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "another routing, or jobs that end alone");
}

static void finite_params_resolve_batch(sim *s, const ik_params *adapter, const ik_workload *w)
{
    bool rings = s->source.packets_per_message > 1 && s->adapter.queues != ADAPTER_DESTINATION;
    s->adapter.active_messages = rings ? sim_active_of(adapter) : 1;
    s->workload.even_visits = w->repeat == 1;
}

/* A job's parameters are below it in the list of jobs. op: the send with which there are too many,
 * whose place in its file is said; IK_NONE = unknown. */
static ik_status finite_params_refuse_packets(const ik_workload *w, uint32_t host, uint32_t op,
                                              ik_error *err)
{
    const char *path;
    unsigned line = op == IK_NONE ? 0 : ik_graph_line(w->graph, op, &path);
    ik_fail(err, IK_ERR_UNSUPPORTED, "host %u of the workload would send more than 2^32 packets",
            host);
    if (line)
        ik_error_at(err, path, line, 0);
    if (w->num_jobs)
        ik_about(err, IK_ERR_UNSUPPORTED,
                 "traffic.jobs/%u/traffic/bytes traffic.jobs/%u/traffic/class adapter.packet",
                 w->host_job[host], w->host_job[host]);
    else
        ik_about(err, IK_ERR_UNSUPPORTED,
                 "traffic.bytes traffic.class traffic.messages traffic.path traffic.trace "
                 "traffic.repeat adapter.packet");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "packets of a host have numbers of 32 bits: fewer bytes or repetitions, or "
                   "larger packets");
}

static uint64_t finite_params_whole(uint64_t bytes, uint64_t part)
{
    return bytes / part + (bytes % part > 0);
}

/* Numbers that the packets of a host take: of a visit as many as of a whole one. */
static bool finite_params_fits_visits(const ik_workload *w, uint32_t packet_bytes)
{
    uint64_t per_round = w->alltoall->num - 1, all = finite_params_whole(w->largest, packet_bytes),
             visit = w->visits < all ? w->visits : all, most = UINT32_MAX / visit;
    return !per_round || finite_params_whole(all, visit) * per_round <= most / w->repeat;
}

ik_status sim_finite_check(const ik_workload *w, uint32_t packet_bytes, ik_error *err)
{
    const ik_graph *g = w->graph;
    if (w->batch)
        return (double)w->batch_messages * (double)w->repeat *
                           (double)finite_params_whole(w->largest, packet_bytes) <=
                       UINT32_MAX
                   ? IK_OK
                   : finite_params_refuse_packets(w, 0, IK_NONE, err);
    if (w->alltoall)
        return finite_params_fits_visits(w, packet_bytes)
                   ? IK_OK
                   : finite_params_refuse_packets(w, w->alltoall->host ? w->alltoall->host[0] : 0,
                                                  IK_NONE, err);
    for (uint32_t host = 0; host < g->num_hosts; host++) {
        uint64_t packets = 0;
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            packets += g->kind[op] == IK_OP_SEND
                           ? finite_params_whole(g->ops[op].amount, packet_bytes)
                           : 0;
            if (packets > UINT32_MAX)
                return finite_params_refuse_packets(w, host, op, err);
        }
    }
    return IK_OK;
}

static uint32_t finite_params_packet_of(const ik_workload *w, uint64_t most)
{
    return (uint32_t)(w->largest < most ? w->largest ? w->largest : 1 : most);
}

ik_status ik_sim_check_workload(const ik_params *adapter, const ik_traffic *traffic, ik_error *err)
{
    const ik_workload *w = traffic->workload;
    return w ? sim_finite_check(w, finite_params_packet_of(w, ik_params_uint(adapter, "packet")),
                                err)
             : IK_OK;
}

ik_status sim_finite_resolve(sim *s, const ik_params *adapter, ik_error *err)
{
    const ik_workload *w = s->traffic->workload;
    uint64_t largest = w->largest ? w->largest : 1;
    ik_status status = finite_params_refuse_adapter(adapter, w, err);
    if (status == IK_OK && w->batch)
        status = finite_params_check_turns(s, adapter, w, err);
    if (status == IK_OK && w->num_endless)
        status = finite_params_check_endless(s, adapter, err);
    if (status != IK_OK)
        return status;
    if (s->reply.on && ik_params_uint(adapter, "reply") > largest)
        largest = ik_params_uint(adapter, "reply");
    if (largest < s->adapter.packet_bytes && !w->num_endless)
        s->adapter.packet_bytes = (uint32_t)largest;
    status = sim_finite_check(w, s->adapter.packet_bytes, err);
    if (status != IK_OK)
        return status;
    s->source.entry_injection = s->source.injection; /* of jobs that never end */
    s->source.injection = INJECT_AT_ONCE;
    s->adapter.active_messages = 1;
    s->source.message_bytes = w->largest;
    if (w->alltoall && w->visits < w->largest / s->adapter.packet_bytes)
        s->source.message_bytes = w->visits * s->adapter.packet_bytes;
    s->source.packets_per_message =
        (s->source.message_bytes + s->adapter.packet_bytes - 1) / s->adapter.packet_bytes;
    s->source.uniform_size = w->uniform && w->largest % s->adapter.packet_bytes == 0;
    bool fifo = ik_params_enum(adapter, "interleave") == 1;
    s->adapter.turn_packets = w->visits ? w->visits : fifo ? UINT64_MAX : 1;
    if (w->visits)
        s->adapter.turn_messages = UINT32_MAX;
    s->workload.even_visits =
        w->alltoall && w->repeat == 1 && w->largest % s->source.message_bytes == 0;
    if (w->batch)
        finite_params_resolve_batch(s, adapter, w);
    return IK_OK;
}
