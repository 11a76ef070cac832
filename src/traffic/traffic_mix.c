/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_mix.c: several patterns at once. Each message is drawn to be one of them, by an address
 * of its own, so the pattern that a message follows does not depend on what else is sent. What a
 * host offers is the weighted sum of what its members say: where a member is silent, its share is
 * not sent.
 */
#include "registry/registry.h"
#include "traffic/blend.h"
#include "traffic/pattern.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct mix_member {
    uint64_t share; /* of the mix's total */
    uint32_t upto;  /* running sum of shares */
} mix_member;

typedef struct mix {
    unsigned num;
    uint32_t total;
    ik_traffic *traffic[BLEND_MAX];
    pattern_name name[BLEND_MAX];
    mix_member members[BLEND_MAX];
    blend_part parts[BLEND_MAX];
    const char *names[BLEND_MAX + 1];
} mix;

static const ik_param params[] = {
    {"members", IK_PARAM_PATTERNS, NULL, 0, 0, NULL,
     "SHARE*NAME=PATTERN joined by '+', a pattern with parameters in parentheses "
     "(80%*uniform+20%*incast=(hotspot:nodes=5,fraction=100%)); SHARE: all in % (members without "
     "one "
     "divide the rest) or all as weights (1 if left out); NAME: name of the member's class in "
     "statistics"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static void mix_destroy(ik_traffic *t)
{
    mix *m = t->impl;
    for (unsigned k = 0; k < m->num; k++)
        ik_traffic_free(m->traffic[k]);
    free(m);
    t->impl = NULL;
}

/* ------------------------------------------------------------------------------------------
 * shares */

/* a whole; by how much shares in percent may miss it */
enum { PARTS = 100000000, TOLERANCE = PARTS / 2000 };

static ik_status mix_refuse_share(unsigned k, const char *share, const char *why, ik_error *err)
{
    ik_about(err, ik_fail(err, IK_ERR_USAGE, "traffic 'mix': the share '%.60s' %s", share, why),
             "members/%u/share", k);
    return ik_hint(err, IK_ERR_USAGE,
                   "all shares in percent (80%%*uniform+20%%*shift) or all as weights up to a "
                   "million (4*uniform+shift)");
}

static ik_status mix_read_share(unsigned k, const char *text, bool percent, uint64_t *share,
                                ik_error *err)
{
    double value;
    if (ik_parse_real(text, percent ? IK_DIM_FRACTION : IK_DIM_NONE, &value, NULL) != IK_OK)
        return mix_refuse_share(k, text, "is not a number", err);
    if (!(value >= 0 && value <= (percent ? 1 : 1e6)))
        return mix_refuse_share(k, text, "is out of range", err);
    *share = (uint64_t)llround(value * PARTS);
    if (value > 0 && *share == 0)
        return mix_refuse_share(k, text, "is finer than 1e-8, and would count as none", err);
    return IK_OK;
}

/* Shares in percent leave `rest` for the members without one, in equal parts. */
static ik_status mix_share_rest(mix *m, const ik_spec_member *list, unsigned open, ik_error *err)
{
    uint64_t given = 0;
    for (unsigned k = 0; k < m->num; k++)
        given += m->members[k].share;
    if (given > PARTS + TOLERANCE || (!open && given < PARTS - TOLERANCE)) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "traffic 'mix': the shares sum to %.6g %%",
                         (double)given * 100 / PARTS),
                 "members");
        return ik_hint(err, IK_ERR_USAGE,
                       "shares in percent sum to 100 %%, a member without a share takes the rest; "
                       "weights without %% may have any sum");
    }
    for (unsigned k = 0; open && k < m->num; k++)
        m->members[k].share = list[k].share   ? m->members[k].share * open
                              : given < PARTS ? PARTS - given
                                              : 0;
    return IK_OK;
}

/* Divides by what the shares have in common and sums them up. */
static ik_status mix_sum_shares(mix *m, ik_error *err)
{
    uint64_t common = 0, total = 0;
    for (unsigned k = 0; k < m->num; k++)
        common = ik_gcd(m->members[k].share, common);
    if (common == 0)
        return ik_about(
            err, ik_fail(err, IK_ERR_USAGE, "traffic 'mix': no member has a share above zero"),
            "members");
    for (unsigned k = 0; k < m->num; k++) {
        m->members[k].share /= common;
        total += m->members[k].share;
        m->members[k].upto = (uint32_t)total;
    }
    if (total > UINT32_MAX)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "traffic 'mix': shares of so different sizes need steps finer than "
                                "2^-32 of the whole"),
                        "members");
    m->total = (uint32_t)total;
    return IK_OK;
}

static ik_status mix_take_shares(mix *m, const ik_spec_member *list, ik_error *err)
{
    unsigned percents = 0, open = 0;
    for (unsigned k = 0; k < m->num; k++) {
        percents += list[k].share && strchr(list[k].share, '%');
        open += !list[k].share;
    }
    for (unsigned k = 0; k < m->num; k++) {
        const char *text = list[k].share;
        m->members[k].share = percents ? 0 : PARTS;
        if (!text)
            continue;
        if (percents && !strchr(text, '%'))
            return mix_refuse_share(k, text, "is not a percentage, and another one is", err);
        ik_status s = mix_read_share(k, text, percents, &m->members[k].share, err);
        if (s != IK_OK)
            return s;
    }
    ik_status s = percents ? mix_share_rest(m, list, open, err) : IK_OK;
    return s == IK_OK ? mix_sum_shares(m, err) : s;
}

/* ------------------------------------------------------------------------------------------
 * making */

/* The seed of a member that has `before` others of its family before it: two random permutations
 * are two different ones, and the first is the one that stands alone. */
static uint64_t mix_member_seed(uint64_t seed, unsigned before)
{
    return before ? ik_random_u64(seed, IK_RNG_TRAFFIC_SETUP, (uint64_t)1 << 40, before) : seed;
}

static bool mix_of_family(const char *spec, const char *family)
{
    size_t length = strcspn(spec, ":");
    return strlen(family) == length && memcmp(spec, family, length) == 0;
}

static ik_status mix_make_member(ik_traffic *t, mix *m, unsigned k, const char *spec,
                                 const ik_env *env, ik_error *err)
{
    ik_env own = env ? *env : (ik_env){0};
    unsigned before = 0;
    for (unsigned i = 0; i < k; i++)
        before += mix_of_family(spec, m->traffic[i]->family->name);
    own.seed = mix_member_seed(t->seed, before);
    if (mix_of_family(spec, "mix")) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "traffic 'mix': a mix cannot be a member of another"),
                 "members/%u/pattern", k);
        return ik_hint(err, IK_ERR_USAGE, "list its members, with their shares of the whole");
    }
    if (mix_of_family(spec, "schedule")) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE, "traffic 'mix': a schedule cannot be a member of a mix"),
            "members/%u/pattern", k);
        return ik_hint(err, IK_ERR_USAGE, "entries of a schedule may be mixes");
    }
    ik_status s = ik_traffic_from_spec(t->fabric, spec, &own, &m->traffic[k], err);
    if (s == IK_OK && m->traffic[k]->workload) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "traffic 'mix', member '%s': '%.80s' ends, and a mix goes on", m->name[k],
                         spec),
                 "members/%u/pattern", k);
        return ik_hint(
            err, IK_ERR_USAGE,
            "jobs run finite workloads at the same time, also together with endless traffic");
    }
    if (s != IK_OK && err) {
        ik_error inner = *err;
        ik_fail(err, s, "traffic 'mix', member '%s': %s", m->name[k], inner.text);
        ik_about_within(err, ik_about(err, s, "%s", inner.settings), "members/%u/pattern", k);
        ik_error_at(err, inner.file, inner.line, inner.column);
        registry_keep(err, &inner);
    }
    return s;
}

static ik_status mix_make_members(ik_traffic *t, mix *m, const ik_spec_member *list,
                                  const ik_env *env, ik_error *err)
{
    ik_status s = pattern_name_members("traffic 'mix'", list, m->num, m->name, err);
    if (s == IK_OK)
        s = mix_take_shares(m, list, err);
    t->classes = m->names;
    for (unsigned k = 0; k < m->num && s == IK_OK; k++) {
        m->names[k] = m->name[k];
        s = mix_make_member(t, m, k, list[k].spec, env, err);
        m->parts[k] = (blend_part){m->traffic[k], m->members[k].share, m->total};
    }
    return s;
}

/* ------------------------------------------------------------------------------------------
 * messages */

static bool mix_is_sender(const mix *m, unsigned k, uint32_t src)
{
    assert(k < m->num);
    return m->members[k].share && !ik_traffic_is_silent(m->traffic[k], src);
}

/* Whether some host sends for some of the members and not for others. */
static bool mix_has_gaps(const ik_traffic *t, const mix *m)
{
    for (unsigned k = 0; k < m->num; k++)
        if (m->members[k].share && m->traffic[k]->gaps)
            return true;
    for (uint32_t src = 0; src < t->num_hosts; src++) {
        unsigned members = 0, senders = 0;
        for (unsigned k = 0; k < m->num; k++) {
            members += m->members[k].share > 0;
            senders += mix_is_sender(m, k, src);
        }
        if (senders && senders < members)
            return true;
    }
    return false;
}

static ik_status mix_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    size_t num;
    const ik_spec_member *list = ik_params_members(p, "members", &num);
    if (num > BLEND_MAX)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "traffic 'mix': %zu members, %d is the maximum",
                                num, BLEND_MAX),
                        "members");
    mix *m = ik_calloc(1, sizeof *m);
    if (!m)
        return ik_fail_memory(err, sizeof *m, "traffic 'mix'");
    t->impl = m;
    m->num = (unsigned)num;
    ik_status s = mix_make_members(t, m, list, env, err);
    if (s == IK_OK)
        t->gaps = mix_has_gaps(t, m);
    if (s == IK_OK)
        s = pattern_join_notes(t, m->traffic, m->num, err);
    return s;
}

/* Member that message n of src belongs to. */
static unsigned mix_class_of(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const mix *m = t->impl;
    uint64_t draw = n * PATTERN_DRAWS + PATTERN_DRAW_MEMBER;
    uint32_t x =
        m->num > 1 ? ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src, draw, m->total) : 0;
    unsigned k = 0;
    while (x >= m->members[k].upto)
        k++;
    return k;
}

static double mix_class_share(const ik_traffic *t, uint32_t src, unsigned class)
{
    const mix *m = t->impl;
    (void)src;
    return (double)m->members[class].share / m->total;
}

static uint32_t mix_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const mix *m = t->impl;
    const ik_traffic *member = m->traffic[mix_class_of(t, src, n)];
    return member->family->dest(member, src, n);
}

/* Numbers of messages are the same in all members; those with few of them hardly count. */
static uint64_t mix_round(const ik_traffic *t, uint32_t src)
{
    enum { FEW = 50 }; /* one in so many */
    const mix *m = t->impl;
    uint64_t longest = 0;
    for (unsigned k = 0; k < m->num; k++) {
        uint64_t round = mix_is_sender(m, k, src) && (double)m->members[k].share * FEW > m->total
                             ? pattern_round(m->traffic[k], src)
                             : 0;
        longest = round > longest ? round : longest;
    }
    return longest;
}

static bool mix_silent(const ik_traffic *t, uint32_t src)
{
    const mix *m = t->impl;
    for (unsigned k = 0; k < m->num; k++)
        if (mix_is_sender(m, k, src))
            return false;
    return true;
}

static void mix_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const mix *m = t->impl;
    blend_flows(m->parts, m->num, src, fn, ctx);
}

const ik_traffic_family ik_traffic_mix = {
    .name = "mix",
    .summary = "several patterns at once, each with a share of the messages and its own class in "
               "the statistics",
    .source = "ikat",
    .details =
        "Each message belongs to one of the members, drawn with the probability of the member's "
        "share, and goes where that member sends it. In an experiment, `members` may be a list of "
        "mappings with the keys `pattern`, `share` and `name`. Shares in percent sum to 100 %, and "
        "a member without a share takes the rest; shares without % are weights with any sum. If a "
        "member is silent on some hosts, these hosts do not send its share: a host offers the "
        "weighted sum of what the members offer. At a load of 50 %, for example, a member with a "
        "share of 20 % offers 10 % on the hosts from which it sends. The first member of each "
        "family draws from the same seed as that pattern would by itself; further members of the "
        "same family have different seeds.",
    .params = params,
    .create = mix_create,
    .destroy = mix_destroy,
    .dest = mix_dest,
    .round = mix_round,
    .silent = mix_silent,
    .flows = mix_flows,
    .class_of = mix_class_of,
    .class_share = mix_class_share,
};
