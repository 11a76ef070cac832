/* SPDX-License-Identifier: Apache-2.0
 *
 * Adaptive routing on trees: any way up, one way down, with the restrictions that keep queuing
 * schemes useful.
 *
 * Up, the allowed ports are all of them, or at a stage without adaptivity the D-mod-k port, or with
 * delta those whose number is congruent to the destination's digit. Which one a packet takes is the
 * plan's selection function's business, or, with a triggering, that of the thresholds
 * (adaptive_pick.c). Down, parallel cables may be chosen where the stage is adaptive.
 *
 * Sources: Gomez et al., IPDPS 2007 (the adaptive algorithm and its preferred port);
 * Rocher-Gonzalez et al. (stages, delta, triggering). Reading of the port filter: the printed
 * algorithm compares with the destination's number itself at every stage, which at stage 2 often
 * drops the D-mod-K port and does not give the paper's own counts; `digit` compares with the
 * stage's digit (default), `destination` is the printed rule, `port` compares with the D-mod-K
 * port.
 */
#include "routing/port_set.h"
#include "routing/routing.h"
#include "routing/tree/adaptive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const ik_routing_family triggered;

static void adaptive_tree_destroy(ik_routing *r)
{
    adaptive *a = r->impl;
    if (a)
        tree_free(a->tree);
    free(a);
}

/* "all", or levels as 1:3. */
static ik_status adaptive_tree_read_stages(const char *text, uint32_t h, uint32_t *stages,
                                           ik_error *err)
{
    uint32_t mask = 0;
    if (strcmp(text, "all") == 0) {
        *stages = UINT32_MAX;
        return IK_OK;
    }
    for (const char *p = text;; p++) {
        char *end = NULL;
        unsigned long stage = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : 0;
        if (!end || stage < 1 || stage > h || (*end && *end != ':')) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             "stages = '%s' is neither 'all' nor a list of stages", text),
                     "stages");
            return ik_hint(err, IK_ERR_USAGE, "stages of this tree: 1 to %u, as in stages=1:2", h);
        }
        mask |= (uint32_t)1 << stage;
        if (!*end)
            break;
        p = end;
    }
    *stages = mask;
    return IK_OK;
}

static ik_status adaptive_tree_read_params(ik_routing *r, adaptive *a, const ik_params *params,
                                           ik_error *err)
{
    a->delta = (uint32_t)ik_params_uint(params, "delta");
    a->filter = ik_params_enum(params, "filter");
    a->trigger = ik_params_enum(params, "triggering");
    a->low = ik_params_real(params, "low");
    a->high = ik_params_real(params, "high");
    a->by_delta = tree_reciprocal_of(a->delta);
    if (a->trigger != TRIGGER_SELECTION) {
        r->family = &triggered;
        r->traits |= IK_ROUTE_PICKS_ALIKE;
    }
    if (a->trigger == TRIGGER_TWO && a->high < a->low) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "the high threshold (%g) is below the low one (%g)",
                         a->high, a->low),
                 "high low");
        return ik_hint(
            err, IK_ERR_USAGE,
            "both are fractions of a queue's free credits; low=25%%, high=50%% are usual");
    }
    return adaptive_tree_read_stages(ik_params_text(params, "stages"), a->tree->xgft->h, &a->stages,
                                     err);
}

static ik_status adaptive_tree_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                      ik_error *err)
{
    (void)env;
    adaptive *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "a routing");
    r->impl = a;
    ik_status status = tree_new(r->fabric, r->family->name, &a->tree, err);
    if (status == IK_OK)
        status = adaptive_tree_read_params(r, a, params, err);
    if (a->delta > 1 || a->stages != UINT32_MAX)
        r->traits &= ~(unsigned)IK_ROUTE_ASCENDS_FULLY;
    return status;
}

static uint32_t adaptive_tree_down(const adaptive *a, const tree_switch *s, const tree_level *lv,
                                   uint32_t dst, uint32_t *out, uint32_t *preferred)
{
    uint32_t cable = 0;
    if (lv->num_cables > 1 && s->level > 1)
        cable = tree_digit_up(lv - 1, dst) / lv->num_parents;
    if (lv->num_cables == 1 || !(a->stages >> s->level & 1)) {
        out[0] = tree_down_here(s, lv, dst, cable);
        *preferred = 0;
        return 1;
    }
    for (uint32_t k = 0; k < lv->num_cables; k++)
        out[k] = tree_down_here(s, lv, dst, k);
    *preferred = cable;
    return lv->num_cables;
}

/* The filtered up ports in ascending order; Port0 among them where thresholds may fall back on it,
 * or if nothing else is left. */
static uint32_t adaptive_tree_filtered(const adaptive *a, const tree_level *lv, uint32_t dst,
                                       uint32_t port0, uint32_t first_up, uint32_t *out,
                                       uint32_t *preferred)
{
    assert(port0 < lv->num_up);
    bool keep_port0 = a->trigger >= TRIGGER_ONE;
    uint32_t n = 0, after = IK_NONE;
    for (uint32_t u = 0; u < lv->num_up; u++) {
        if (!adaptive_keeps(a, lv, dst, u) && !(keep_port0 && u == port0))
            continue;
        if (after == IK_NONE && u >= port0)
            after = n;
        out[n++] = first_up + u;
    }
    *preferred = after == IK_NONE ? 0 : after;
    if (n == 0)
        out[n++] = first_up + port0;
    return n;
}

static uint32_t adaptive_tree_next(const ik_routing *r, uint32_t sw, uint32_t in_port,
                                   ik_packet *pk, uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const adaptive *a = r->impl;
    const tree_switch *s = &a->tree->sw[sw];
    const tree_level *lv = &a->tree->level[s->level];
    if (tree_is_below(s, lv, pk->dst))
        return adaptive_tree_down(a, s, lv, pk->dst, out, preferred);
    uint32_t first_up = s->port_base + lv->first_up, port0 = tree_digit_up(lv, pk->dst);
    if (!(a->stages >> s->level & 1)) {
        out[0] = first_up + port0;
        *preferred = 0;
        return 1;
    }
    if (a->delta > 1)
        return adaptive_tree_filtered(a, lv, pk->dst, port0, first_up, out, preferred);
    for (uint32_t u = 0; u < lv->num_up; u++)
        out[u] = first_up + u;
    *preferred = port0;
    return lv->num_up;
}

static uint32_t adaptive_tree_down_mask(const adaptive *a, const tree_switch *s,
                                        const tree_level *lv, uint32_t dst, uint64_t *set,
                                        uint32_t *preferred)
{
    uint32_t cable = 0, n = a->stages >> s->level & 1 ? lv->num_cables : 1;
    if (lv->num_cables > 1 && s->level > 1)
        cable = tree_digit_up(lv - 1, dst) / lv->num_parents;
    *preferred = tree_down_here(s, lv, dst, cable) - s->port_base;
    if (n == 1)
        port_set_add(set, *preferred);
    for (uint32_t k = 0; n > 1 && k < n; k++)
        port_set_add(set, tree_down_here(s, lv, dst, k) - s->port_base);
    return n;
}

/* As adaptive_tree_filtered(). */
static uint32_t adaptive_tree_filtered_mask(const adaptive *a, const tree_level *lv, uint32_t dst,
                                            uint32_t port0, uint64_t *set, uint32_t *preferred)
{
    assert(port0 < lv->num_up && a->delta > 0);
    uint32_t n = 0, first = adaptive_first_kept(a, lv, dst), kept = IK_NONE;
    for (uint32_t u = first; u < lv->num_up; u += a->delta, n++) {
        port_set_add(set, lv->first_up + u);
        if (kept == IK_NONE && u >= port0)
            kept = u;
    }
    if (n == 0 || (a->trigger >= TRIGGER_ONE && !adaptive_keeps(a, lv, dst, port0))) {
        port_set_add(set, lv->first_up + port0);
        kept = port0;
        n++;
    }
    *preferred = lv->first_up + (kept == IK_NONE ? first : kept);
    return n;
}

static uint32_t adaptive_tree_next_mask(const ik_routing *r, uint32_t sw, uint32_t in_port,
                                        ik_packet *pk, uint64_t *set, uint32_t *preferred)
{
    (void)in_port;
    const adaptive *a = r->impl;
    const tree_switch *s = &a->tree->sw[sw];
    const tree_level *lv = &a->tree->level[s->level];
    if (tree_is_below(s, lv, pk->dst))
        return adaptive_tree_down_mask(a, s, lv, pk->dst, set, preferred);
    uint32_t port0 = tree_digit_up(lv, pk->dst);
    if (a->delta > 1 && (a->stages >> s->level & 1))
        return adaptive_tree_filtered_mask(a, lv, pk->dst, port0, set, preferred);
    *preferred = lv->first_up + port0;
    if (!(a->stages >> s->level & 1)) {
        port_set_add(set, *preferred);
        return 1;
    }
    port_set_add_range(set, lv->first_up, lv->num_up);
    return lv->num_up;
}

static uint64_t adaptive_tree_set_of(const ik_routing *r, uint32_t sw, uint32_t port)
{
    const adaptive *a = r->impl;
    const tree_switch *s = &a->tree->sw[sw];
    const tree_level *lv = &a->tree->level[s->level];
    bool chooses = a->stages >> s->level & 1;
    uint64_t set = 0;
    if (port < lv->first_up) /* the cables to a child */
        for (uint32_t p = port % lv->arity.by; p < lv->first_up; p += lv->arity.by)
            set |= 1ull << p;
    else if (a->delta <= lv->num_up) /* else Port0 stands in for ports that there are not */
        for (uint32_t u = (port - lv->first_up) % a->delta; u < lv->num_up; u += a->delta)
            set |= 1ull << (lv->first_up + u);
    return chooses ? set : 1ull << port;
}

static const ik_param params[] = {
    {"stages", IK_PARAM_STRING, "all", 0, 0, NULL,
     "levels of switches that choose: all, or a list such as 1:2 (leaf switches are level 1)"},
    {"delta", IK_PARAM_UINT, "1", 1, 65535, NULL,
     "only every delta-th up port is allowed for a destination"},
    {"filter", IK_PARAM_ENUM, "digit", 0, 0, "digit|destination|port",
     "what an allowed port's number is congruent to, modulo delta", "delta>1",
     "delta above 1 filters"},
    {"triggering", IK_PARAM_ENUM, "selection", 0, 0, "selection|none|th|2th",
     "what chooses: the selection function; or the most credits, always (none), below one "
     "threshold (th), or between two (2th)"},
    {"low", IK_PARAM_FRACTION, "25 %", 0, 1, NULL,
     "low triggering threshold: free credits of the D-mod-K port's queue", "triggering=th|2th",
     "triggering=th or 2th looks at it"},
    {"high", IK_PARAM_FRACTION, "50 %", 0, 1, NULL,
     "high triggering threshold, where 2th returns to D-mod-K", "triggering=2th",
     "triggering=2th looks at it"},
    {0},
};
static const char *const examples[] = {
    "karytree:k=2,n=3",     "karytree:k=4,n=2",       "xgft:m=3:4,w=1:2",
    "xgft:m=4:3:2,w=1:2:3", "pgft:m=4:4,w=1:2,p=1:2", NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

#define MEMBER                                                                                     \
    .name = "adaptive_tree",                                                                       \
    .summary = "any way up, chosen by local queue state, then the only way down",                  \
    .source = "Gomez, Gilabert, Gomez, Lopez, Duato: Deterministic versus Adaptive Routing in "    \
              "Fat-Trees, IPDPS 2007; "                                                            \
              "Rocher-Gonzalez, Escudero-Sahuquillo, Garcia, Quiles, Mora: Towards an Efficient "  \
              "Combination of Adaptive "                                                           \
              "Routing and Queuing Schemes in Fat-Tree Topologies, Journal of Parallel and "       \
              "Distributed Computing 2021",                                                        \
    .details =                                                                                     \
        "Every shortest path is allowed; the preferred one is that of dmodk. The choice can be "   \
        "restricted: 'stages' lists the levels whose switches choose (the others take the dmodk "  \
        "port); 'delta' allows only the up ports that are congruent modulo delta to the digit of " \
        "the destination (filter=digit), to its number (filter=destination, as the algorithm was " \
        "published) or to the dmodk port (filter=port). With 'triggering' the routing itself "     \
        "compares credits: 'none' always takes the port with the most credits, 'th' does so only " \
        "while the dmodk port has less than 'low' free, and '2th' does so from that moment until " \
        "the port has 'high' free again. For hosts with several ports, each message draws a "      \
        "port.\n\nNeeds a generated tree without failures.",                                       \
    .params = params, .kind = IK_ROUTE_ADAPTIVE,                                                   \
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE,                       \
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ARITHMETIC | IK_ROUTE_ASCENDS_FULLY,                  \
    .example_fabrics = examples, .refused_fabrics = refused, .create = adaptive_tree_create,       \
    .destroy = adaptive_tree_destroy, .next = adaptive_tree_next,                                  \
    .next_mask = adaptive_tree_next_mask, .set_of = adaptive_tree_set_of, .rail = tree_rail_any

const ik_routing_family ik_routing_adaptive_tree = {MEMBER};
/* The same with the thresholds' eye on credits. */
static const ik_routing_family triggered = {MEMBER, .pick = adaptive_pick,
                                            .switch_state_bytes = adaptive_state_bytes};
