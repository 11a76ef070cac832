/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters of in-order delivery, resolved. */
#include "sim/params/parameters.h"
#include "sim/state/state.h"
#include <inttypes.h>

enum { WORD_UNLIMITED = 1 };               /* reorder_buffer */
enum { WORD_PATH = 1, WORD_IDEAL };        /* control_delay */
enum { SCOPE_HOST, SCOPE_FLOW };           /* reorder_scope */
enum { THROTTLE_BYPASS, THROTTLE_STRICT }; /* throttle */
enum { MOST_AHEAD = 65535 };

/* Whether no packet can overtake another one of its flow: all take one path (a single switch has no
 * other), in one VC of each channel, and every queue is in order. Schemes that leave the VC open on
 * the channel to a host alone (datelines) keep order as long as packets wait for it in the queue of
 * their input; at an output each VC has a queue of its own. */
static bool reorder_params_keeps_order(const sim *s)
{
    const ik_vc *vc = s->plan->vc;
    bool at_inputs = s->sw.model == MODEL_IQ;
    bool one_path = s->plan->routing->kind == IK_ROUTE_DETERMINISTIC || s->f->num_switches == 1;
    return one_path && vc->escape_vcs == 0 &&
           (s->choice.static_lane || vc->single || (at_inputs && vc->num_vcs == vc->vcs_needed));
}

static ik_status reorder_params_resolve_buffer(const sim *s, const ik_params *v,
                                               reorder_settings *r, ik_error *err)
{
    r->bytes = UINT64_MAX;
    if (ik_params_word(v, "reorder_buffer") == WORD_UNLIMITED)
        return IK_OK;
    r->bytes = ik_params_uint(v, "reorder_buffer");
    if (r->bytes > 0 && r->bytes < s->adapter.packet_bytes) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "reorder_buffer = %" PRIu64 " B cannot hold a packet of %u B", r->bytes,
                         s->adapter.packet_bytes),
                 "adapter.reorder_buffer adapter.packet");
        return ik_hint(err, IK_ERR_USAGE,
                       "at least %u B, or 0 B: one packet of a flow is on its way at a time",
                       s->adapter.packet_bytes);
    }
    uint64_t packets = r->bytes / s->adapter.packet_bytes;
    r->packets = packets > REORDER_AMOUNT ? REORDER_AMOUNT : packets ? (uint32_t)packets : 1;
    r->limit =
        packets && ik_params_enum(v, "reorder_scope") == SCOPE_HOST ? REORDER_POOL : REORDER_WINDOW;
    r->strict = ik_params_enum(v, "throttle") == THROTTLE_STRICT;
    return IK_OK;
}

bool sim_bypasses_throttled(const ik_params *v)
{
    return ik_params_bool(v, "in_order") && ik_params_word(v, "reorder_buffer") != WORD_UNLIMITED &&
           ik_params_enum(v, "throttle") == THROTTLE_BYPASS;
}

/* A queue for each destination passes throttled ones by; other queues stand still. */
static ik_status resolve_throttle(sim *s, const ik_params *v, const reorder_settings *r,
                                  ik_error *err)
{
    bool apart = s->adapter.queues == ADAPTER_DESTINATION;
    if (r->limit == REORDER_UNLIMITED || r->strict != apart) {
        return IK_OK;
    } else if (r->strict) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "throttle = strict has no meaning with queues = destination: a queue for each "
                    "destination holds no other one up"),
            "adapter.throttle adapter.queues");
        return ik_hint(err, IK_ERR_USAGE, "throttle: bypass, or queues: vc or one");
    } else if (ik_params_given(v, "queues")) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "throttle = bypass takes a queue for each destination, queues = %s has none",
                    ik_params_text(v, "queues")),
            "adapter.throttle adapter.queues");
        return ik_hint(err, IK_ERR_USAGE, "queues: destination, or throttle: strict");
    }
    s->adapter.queues = ADAPTER_DESTINATION;
    s->adapter.num_queues = 1;
    return IK_OK;
}

ik_status sim_resolve_reorder(sim *s, const ik_params *v, ik_error *err)
{
    reorder_settings r = {.in_order = ik_params_bool(v, "in_order"), .bytes = UINT64_MAX};
    if (!r.in_order)
        return IK_OK;
    ik_status status = reorder_params_resolve_buffer(s, v, &r, err);
    if (status == IK_OK)
        status = resolve_throttle(s, v, &r, err);
    if (status != IK_OK)
        return status;
    r.by_path = ik_params_word(v, "control_delay") == WORD_PATH;
    if (!ik_params_word(v, "control_delay"))
        r.control_ps = ik_params_uint(v, "control_delay");
    r.on = !reorder_params_keeps_order(s);
    if (!r.on)
        r.limit = REORDER_UNLIMITED;
    s->reorder = r;
    return IK_OK;
}

/* Half of a buffer that flows share, evenly, if that is enough for a source that asks for a place
 * in exchange for each it uses never to wait for the answer. */
static uint32_t reorder_params_own_places(const sim *s, const reorder_settings *r)
{
    uint32_t sources = s->f->num_hosts > 1 ? s->f->num_hosts - 1 : 1;
    uint32_t share = r->packets / 2 / sources;
    return r->limit == REORDER_POOL && share >= r->ahead ? share : 0;
}

ik_status sim_resolve_control(sim *s, uint64_t least, uint64_t shortest, ik_error *err)
{
    reorder_settings *r = &s->reorder;
    if (r->limit != REORDER_UNLIMITED && !r->by_path && r->control_ps && r->control_ps < least) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "control_delay = %" PRIu64
                         " ps is shorter than the smallest latency of a link, "
                         "%" PRIu64 " ps",
                         r->control_ps, least),
                 "adapter.control_delay");
        return ik_hint(err, IK_ERR_USAGE, "control_delay: ideal is the smallest latency of a link");
    }
    if (!r->control_ps)
        r->control_ps = least;
    r->ask_ps = least;
    uint64_t ahead = 1 + (2 * least + shortest - 1) / (shortest ? shortest : 1);
    r->ahead = ahead < MOST_AHEAD ? (uint32_t)ahead : MOST_AHEAD;
    r->own = reorder_params_own_places(s, r);
    if (r->strict)
        r->ahead = 1;
    return IK_OK;
}
