/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters of requests and replies, resolved. Replies have a copy of the plan's VCs to
 * themselves (ik_plan.num_vcs): what is proved of the plan holds for requests and for replies, and
 * requests, which hosts always take in, never wait for replies, nor replies for requests. So there
 * is no deadlock that depends on messages. */
#include "ikat/vc.h"
#include "sim/params/parameters.h"
#include "sim/state/state.h"
#include <inttypes.h>

ik_status sim_split_vcs(sim *s, const ik_params *v, ik_error *err)
{
    if (!ik_params_has(v, "reply"))
        return IK_OK;
    s->reply.on = true;
    s->reply.vcs = s->sw.vcs;
    if (s->plan->routing->rails) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "adapter.reply: requests and replies need hosts with one cable each"),
                 "adapter.reply");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "leave reply out on this fabric");
    }
    if (2 * s->sw.vcs > SIM_MAX_VCS) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "adapter.reply: %s for requests and as many for replies; the simulator takes "
                    "at most %d",
                    IK_COUNT(s->sw.vcs, "VC"), SIM_MAX_VCS),
            "adapter.reply vcs");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "at most %d VCs for the routing", SIM_MAX_VCS / 2);
    }
    s->both = *s->plan;
    s->both.num_vcs *= 2;
    s->plan = &s->both;
    s->sw.vcs *= 2;
    return IK_OK;
}

ik_status sim_resolve_replies(sim *s, const ik_params *v, ik_error *err)
{
    reply_settings *r = &s->reply;
    if (!r->on)
        return IK_OK;
    r->bytes = ik_params_uint(v, "reply");
    r->packets = (r->bytes + s->adapter.packet_bytes - 1) / s->adapter.packet_bytes;
    r->service_ps = ik_params_uint(v, "service_time");
    r->most =
        ik_params_has(v, "max_outstanding") ? (uint32_t)ik_params_uint(v, "max_outstanding") : 0;
    if (r->most && s->traffic && s->traffic->schedule) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "adapter.max_outstanding: when requests are made depends on replies, and "
                         "a schedule "
                         "says it by time"),
                 "adapter.max_outstanding");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "leave max_outstanding out, or one pattern for all of the run");
    }
    r->queues = s->adapter.queues == ADAPTER_VC ? r->vcs : 1;
    s->adapter.num_queues = 2 * r->queues;
    s->source.uniform_size = s->source.uniform_size && r->bytes % s->adapter.packet_bytes == 0;
    if (s->adapter.active_messages == 1 && r->packets > 1)
        s->adapter.active_messages = (uint32_t)ik_params_uint(v, "active");
    if (s->source.packets_per_message >= SIM_REPLY / 4 || r->packets >= SIM_REPLY / 4) {
        char most[32];
        ik_status status = ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "adapter.reply: a message of more than %u packets cannot be answered, or be "
                    "an answer",
                    SIM_REPLY / 4),
            "adapter.reply adapter.message");
        return ik_hint(err, status,
                       "with packets of %u B at most %s; kB and KiB are thousands of bytes",
                       s->adapter.packet_bytes,
                       ik_format_quantity(most, sizeof most,
                                          (uint64_t)(SIM_REPLY / 4 - 1) * s->adapter.packet_bytes,
                                          IK_DIM_SIZE));
    }
    return IK_OK;
}

ik_status sim_check_reply_numbers(const sim *s, ik_error *err)
{
    uint64_t fastest = 0, most = SIM_REPLY / 4;
    if (s->traffic && s->traffic->workload)
        return IK_OK; /* a batch says how many: workload/finite_visits.c */
    for (uint32_t c = 0; s->reply.on && c < s->f->num_classes; c++)
        fastest = s->f->classes[c].rate_bps > fastest ? s->f->classes[c].rate_bps : fastest;
    double packets =
        (double)s->measure.end_ps * 1e-12 * (double)fastest / 8 / (double)s->adapter.packet_bytes;
    if (packets * (s->source.load > 1 ? s->source.load : 1) < (double)most)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED,
                     "adapter.reply: a host could make more than %" PRIu64
                     " packets in so long a run",
                     most),
             "adapter.reply");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "a shorter run, or larger packets");
}
