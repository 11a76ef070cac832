/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_hotspot.c: some hosts (or some of everybody's messages) send to a few hot hosts, the rest
 * is uniform.
 *
 * Two definitions are in use and differ: a fixed random set of senders sends everything to the hot
 * hosts (share=senders), or every message goes to a hot host with a given probability
 * (share=messages). A hot host never counts itself: alone it sends uniformly, among several it
 * sends to the others.
 */
#include "traffic/pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE_SENDERS, SHARE_MESSAGES };
enum { PICK_MESSAGE, PICK_FIXED };
enum { REST_UNIFORM, REST_SILENT };

static const ik_param params[] = {
    {"nodes", IK_PARAM_UINT_LIST, "", 0, 4294967294.0, NULL,
     "the hot hosts (default: `count` hosts drawn by the seed)"},
    {"count", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL,
     "number of hot hosts to draw if `nodes` is not given", "not nodes",
     "nodes says which and how many"},
    {"fraction", IK_PARAM_FRACTION, "10 %", 0, 1, NULL,
     "fraction of the senders, or of the messages, that is hot"},
    {"share", IK_PARAM_ENUM, "senders", 0, 0, "senders|messages",
     "senders: a fixed random set of hosts sends only to hot hosts; messages: every message is hot "
     "with that probability"},
    {"pick", IK_PARAM_ENUM, "message", 0, 0, "message|fixed",
     "which hot host, if there are several: drawn for each message, or fixed: the i-th hot sender "
     "keeps the (i mod count)-th",
     "nodes or count>1", "with one hot host there is nothing to pick"},
    {"rest", IK_PARAM_ENUM, "uniform", 0, 0, "uniform|silent",
     "what is not hot is sent uniformly, or not at all (an incast, most useful as a member of a "
     "mix)"},
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of the sets of hosts (default: the experiment's seed)", "share=senders or not nodes",
     "nodes are given and every message draws by the experiment's seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct hotspot {
    uint32_t num_hot;
    uint32_t *hot;     /* [num_hot] ascending */
    uint64_t num, den; /* the fraction */
    bool messages;
    bool fixed;
    bool alone;       /* what is not hot is not sent */
    uint32_t *sender; /* [num_hosts] index among the hot senders, IK_NONE = sends uniformly */
} hotspot;

static void hotspot_destroy(ik_traffic *t)
{
    hotspot *h = t->impl;
    free(h->hot);
    free(h->sender);
    free(h);
    t->impl = NULL;
}

static int hotspot_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static ik_status hotspot_take_nodes(ik_traffic *t, hotspot *h, const ik_params *p, ik_error *err)
{
    size_t count;
    const uint32_t *list = ik_params_list(p, "nodes", &count);
    if (count == 0 || count > t->num_hosts) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "traffic 'hotspot': %zu hot hosts of %u", count,
                                t->num_hosts),
                        "nodes");
    }
    h->hot = ik_calloc(count, sizeof *h->hot);
    if (!h->hot)
        return ik_fail_memory(err, count * sizeof *h->hot, "hot hosts");
    memcpy(h->hot, list, count * sizeof *list);
    qsort(h->hot, count, sizeof *h->hot, hotspot_compare_u32);
    h->num_hot = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        if (h->hot[i] >= t->num_hosts) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE, "traffic 'hotspot', nodes = %u: there are %s",
                             h->hot[i], IK_COUNT(t->num_hosts, "host")),
                     "nodes");
            return ik_hint(err, IK_ERR_USAGE, "hosts are numbered 0 to %u",
                           t->num_hosts ? t->num_hosts - 1 : 0);
        }
        if (i && h->hot[i] == h->hot[i - 1]) {
            return ik_about(
                err,
                ik_fail(err, IK_ERR_USAGE, "traffic 'hotspot': host %u is named twice", h->hot[i]),
                "nodes");
        }
    }
    return IK_OK;
}

/* `count` different hosts out of `from` (reordered), taken to its front. */
static void hotspot_draw_front(ik_rng *rng, uint32_t *from, uint32_t size, uint32_t count)
{
    assert(count <= size); /* they are different ones */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = i + ik_rng_below(rng, size - i), x = from[i];
        from[i] = from[j];
        from[j] = x;
    }
}

static ik_status hotspot_draw_nodes(ik_traffic *t, hotspot *h, const ik_params *p,
                                    uint32_t *scratch, ik_error *err)
{
    uint64_t count = ik_params_uint(p, "count");
    if (count > t->num_hosts) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "traffic 'hotspot': %llu hot hosts of %u",
                                (unsigned long long)count, t->num_hosts),
                        "count");
    }
    h->hot = ik_calloc((size_t)count, sizeof *h->hot);
    if (!h->hot)
        return ik_fail_memory(err, (size_t)count * sizeof *h->hot, "hot hosts");
    ik_rng rng = ik_rng_at(pattern_seed(t, p), IK_RNG_TRAFFIC_SETUP, 0);
    for (uint32_t i = 0; i < t->num_hosts; i++)
        scratch[i] = i;
    hotspot_draw_front(&rng, scratch, t->num_hosts, (uint32_t)count);
    memcpy(h->hot, scratch, (size_t)count * sizeof *scratch);
    qsort(h->hot, (size_t)count, sizeof *h->hot, hotspot_compare_u32);
    h->num_hot = (uint32_t)count;
    return IK_OK;
}

static bool hotspot_is_hot(const hotspot *h, uint32_t host)
{
    return bsearch(&host, h->hot, h->num_hot, sizeof *h->hot, hotspot_compare_u32) != NULL;
}

/* Draws floor(fraction * N) senders among the hosts that are not hot themselves. */
static void hotspot_draw_senders(ik_traffic *t, hotspot *h, const ik_params *p, uint32_t *scratch)
{
    uint32_t cold = 0;
    uint64_t want = (uint64_t)t->num_hosts * h->num / h->den;
    for (uint32_t i = 0; i < t->num_hosts; i++) {
        h->sender[i] = IK_NONE;
        if (!hotspot_is_hot(h, i))
            scratch[cold++] = i;
    }
    if (want > cold)
        want = cold;
    ik_rng rng = ik_rng_at(pattern_seed(t, p), IK_RNG_TRAFFIC_SETUP, 1);
    hotspot_draw_front(&rng, scratch, cold, (uint32_t)want);
    qsort(scratch, (size_t)want, sizeof *scratch, hotspot_compare_u32);
    for (uint32_t i = 0; i < want; i++)
        h->sender[scratch[i]] = i;
}

static const char *const classes[] = {"hot", "background", NULL};
static const char *const hot_class[] = {"hot", NULL};

static ik_status hotspot_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    size_t room = t->num_hosts ? t->num_hosts : 1;
    uint32_t *scratch = ik_calloc(room, sizeof *scratch);
    hotspot *h = ik_calloc(1, sizeof *h);
    t->impl = h;
    if (h)
        h->sender = ik_calloc(room, sizeof *h->sender);
    if (!scratch || !h || !h->sender) {
        free(scratch);
        return ik_fail_memory(err, room * sizeof *scratch, "traffic 'hotspot'");
    }
    pattern_rational(ik_params_real(p, "fraction"), &h->num, &h->den);
    h->messages = ik_params_enum(p, "share") == SHARE_MESSAGES;
    h->fixed = ik_params_enum(p, "pick") == PICK_FIXED;
    h->alone = ik_params_enum(p, "rest") == REST_SILENT;
    t->gaps = h->alone && h->messages;
    t->classes = h->alone ? hot_class : classes;
    ik_status s = ik_params_has(p, "nodes") ? hotspot_take_nodes(t, h, p, err)
                                            : hotspot_draw_nodes(t, h, p, scratch, err);
    if (s == IK_OK)
        hotspot_draw_senders(t, h, p, scratch);
    free(scratch);
    return s;
}

/* The hot hosts that src may name: all but itself. The i-th of them. */
static uint32_t hotspot_hot_choices(const hotspot *h, uint32_t src)
{
    return h->num_hot - hotspot_is_hot(h, src);
}

static uint32_t hotspot_hot_nth(const hotspot *h, uint32_t src, uint32_t i)
{
    assert(i < hotspot_hot_choices(h, src));
    for (uint32_t k = 0; k < h->num_hot; k++)
        if (h->hot[k] != src && i-- == 0)
            return h->hot[k];
    return IK_NONE;
}

static uint32_t hotspot_hot_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const hotspot *h = t->impl;
    if (h->fixed && h->sender[src] != IK_NONE)
        return h->hot[h->sender[src] % h->num_hot];
    uint32_t choices = hotspot_hot_choices(h, src);
    return choices ? hotspot_hot_nth(h, src,
                                     ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src,
                                                     n * PATTERN_DRAWS + 1, choices))
                   : IK_NONE;
}

/* Whether message n of src is meant for a hot host. */
static bool hotspot_hot_message(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const hotspot *h = t->impl;
    if (!h->messages)
        return h->sender[src] != IK_NONE;
    return ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS + 2,
                           (uint32_t)h->den) < h->num;
}

static uint32_t hotspot_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const hotspot *h = t->impl;
    uint32_t d = hotspot_hot_message(t, src, n) ? hotspot_hot_dest(t, src, n) : IK_NONE;
    return d != IK_NONE || h->alone ? d : pattern_other(t, src, n, 0);
}

static bool hotspot_silent(const ik_traffic *t, uint32_t src)
{
    const hotspot *h = t->impl;
    return h->alone && (h->messages ? h->num == 0 || hotspot_hot_choices(h, src) == 0
                                    : h->sender[src] == IK_NONE);
}

/* A host that is the only hot one has nobody to send hot messages to. */
static unsigned hotspot_class_of(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const hotspot *h = t->impl;
    return h->alone || (hotspot_hot_message(t, src, n) && hotspot_hot_choices(h, src)) ? 0 : 1;
}

static double hotspot_class_share(const ik_traffic *t, uint32_t src, unsigned class)
{
    assert(class < 2 && src < t->num_hosts);
    const hotspot *h = t->impl;
    double hot = h->alone                       ? 1
                 : !hotspot_hot_choices(h, src) ? 0
                 : h->messages                  ? (double)h->num / (double)h->den
                                                : h->sender[src] != IK_NONE;
    return class == 0 ? hot : 1 - hot;
}

/* share=messages: hot with probability num/den, then one of `choices`; else any of the N-1
 * others. */
static void hotspot_message_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const hotspot *h = t->impl;
    uint64_t others = t->num_hosts - 1, choices = hotspot_hot_choices(h, src);
    uint64_t num = choices ? h->num : 0, den = choices ? h->den : 1, k = choices ? choices : 1;
    for (uint32_t d = 0; d < t->num_hosts; d++) {
        uint64_t weight =
            (h->alone ? 0 : (den - num) * k) + (num && hotspot_is_hot(h, d) ? num * others : 0);
        if (d != src && weight)
            fn(ctx, src, d, weight, den * k * others);
    }
}

static void hotspot_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const hotspot *h = t->impl;
    if (t->num_hosts < 2)
        return;
    if (h->messages) {
        hotspot_message_flows(t, src, fn, ctx);
    } else if (h->sender[src] == IK_NONE && h->alone) {
        return;
    } else if (h->sender[src] == IK_NONE) {
        for (uint32_t d = 0; d < t->num_hosts; d++)
            if (d != src)
                fn(ctx, src, d, 1, t->num_hosts - 1);
    } else if (h->fixed) {
        fn(ctx, src, h->hot[h->sender[src] % h->num_hot], 1, 1);
    } else {
        for (uint32_t i = 0; i < h->num_hot; i++)
            fn(ctx, src, h->hot[i], 1, h->num_hot);
    }
}

const ik_traffic_family ik_traffic_hotspot = {
    .name = "hotspot",
    .summary =
        "some senders, or a fraction of all messages, go to a few hot hosts; the rest is uniform",
    .source = "share=senders: J. Rocher-Gonzalez, J. Escudero-Sahuquillo, P. J. Garcia, F. J. "
              "Quiles, G. Mora, Towards an Efficient Combination of Adaptive Routing and Queuing "
              "Schemes in Fat-Tree Topologies; share=messages: C. Gomez, F. Gilabert, M. E. Gomez, "
              "P. Lopez, J. Duato, Deterministic versus Adaptive Routing in Fat-Trees, IPDPS 2007",
    .details =
        "share=senders: floor(fraction * N) hosts, drawn among those that are not hot, send every "
        "message to a hot host; all other hosts send uniformly. share=messages: every message is "
        "hot with probability `fraction`. With several hot hosts, one is drawn for each message, "
        "or each hot sender keeps one (pick=fixed). Results are reported separately for the "
        "classes hot (messages to hot hosts) and background (all others). With rest=silent there "
        "is not a background: only the hot senders, or the hot messages, offer load.",
    .params = params,
    .create = hotspot_create,
    .destroy = hotspot_destroy,
    .dest = hotspot_dest,
    .silent = hotspot_silent,
    .flows = hotspot_flows,
    .class_of = hotspot_class_of,
    .class_share = hotspot_class_share,
};
