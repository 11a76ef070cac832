/* SPDX-License-Identifier: Apache-2.0
 *
 * conform_select NAME: what every selection function promises, on trees and random local states: it
 * picks an output with room (of the output buffer where the switch has one), waits only if there is
 * none, and repeats itself on equal input. Without output buffers, or with skip_busy=true, it picks
 * an idle output if there is any; else it does not look whether outputs are busy. */
#include "ikat/ikat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { MAX_OUT = 64, CAPACITY = 16384, ROUNDS = 400 };

/* The local state of a switch, by channel. */
typedef struct local {
    uint32_t first;
    int64_t credit[MAX_OUT], room[MAX_OUT], queued[MAX_OUT];
    bool busy[MAX_OUT];
} local;

static int64_t credit(void *ctx, uint32_t channel, int vc)
{
    (void)vc;
    const local *l = ctx;
    return l->credit[channel - l->first];
}

static int64_t capacity(void *ctx, uint32_t channel, int vc)
{
    (void)ctx, (void)channel, (void)vc;
    return CAPACITY;
}

static int64_t queued(void *ctx, uint32_t channel, int vc)
{
    (void)vc;
    const local *l = ctx;
    return l->queued[channel - l->first];
}

static int64_t room(void *ctx, uint32_t channel, int vc)
{
    (void)vc;
    const local *l = ctx;
    return l->room[channel - l->first];
}

static bool busy(void *ctx, uint32_t channel)
{
    const local *l = ctx;
    return l->busy[channel - l->first];
}

static void draw_state(local *l, uint32_t radix, ik_rng *rng)
{
    uint32_t crowd = ik_rng_below(rng, 5);
    for (uint32_t i = 0; i < radix; i++) {
        l->credit[i] = ik_rng_below(rng, 4) < crowd ? ik_rng_below(rng, 4096)
                                                    : 4096 * (1 + ik_rng_below(rng, 4));
        l->room[i] = ik_rng_below(rng, 4) < crowd ? ik_rng_below(rng, 4096)
                                                  : 4096 * (1 + ik_rng_below(rng, 4));
        l->queued[i] = 4096 * ik_rng_below(rng, 5);
        l->busy[i] = ik_rng_below(rng, 3) == 0;
    }
}

static void check_pick(const local *l, const int64_t *space, bool skips, const uint32_t *out,
                       uint32_t n, uint32_t picked)
{
    bool any = false, idle = false;
    for (uint32_t i = 0; i < n; i++) {
        bool fits = space[out[i] - l->first] >= 4096;
        any |= fits;
        idle |= fits && !l->busy[out[i] - l->first];
    }
    CHECK((picked == IK_NONE) == !any);
    if (picked == IK_NONE)
        return;
    CHECK(picked < n);
    CHECK(space[out[picked] - l->first] >= 4096);
    CHECK(!skips || !idle || !l->busy[out[picked] - l->first]);
}

/* pick_mask() among the candidates takes the same output as pick() and leaves the same state. */
static void check_mask(const ik_selection *s, ik_select_request ask, const local *l,
                       const int64_t *space, bool skips, const uint32_t *out, uint32_t n,
                       uint32_t preferred, uint32_t picked, const uint64_t *before)
{
    uint64_t from[MAX_OUT / 64] = {0}, idle[MAX_OUT / 64] = {0}, state[16];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t local_port = out[i] - l->first;
        if (space[local_port] >= 4096)
            from[local_port / 64] |= 1ull << local_port % 64;
        if (space[local_port] >= 4096 && !l->busy[local_port])
            idle[local_port / 64] |= 1ull << local_port % 64;
    }
    if (picked == IK_NONE)
        return;
    const void *after = ask.switch_state;
    memcpy(state, before, sizeof state);
    ask.switch_state = state;
    if (s->rule == IK_SELECT_BY_PREFERENCE) /* looks at nothing else */
        ask = (ik_select_request){.sw = ask.sw, .pk = ask.pk};
    bool only_idle = skips && idle[0];
    CHECK(s->family->pick_mask(s, &ask, only_idle ? idle : from, 1, out[preferred] - l->first) ==
          out[picked] - l->first);
    CHECK(memcmp(state, after, sizeof state) == 0);
}

static bool is_better(const ik_selection *s, const local *l, uint32_t port, uint32_t than)
{
    return (s->rule == IK_SELECT_BY_CREDIT && l->credit[port] > l->credit[than]) ||
           (s->rule == IK_SELECT_BY_QUEUE && l->queued[port] < l->queued[than]);
}

/* Of the outputs that fit, and are as good as the best one, one that is drawn. */
static uint32_t drawn(const ik_selection *s, const local *l, const int64_t *space, bool skips,
                      uint32_t best, const uint32_t *out, uint32_t n, const ik_draw *draw)
{
    uint32_t from[MAX_OUT], num = 0, best_at = out[best] - l->first;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = out[i] - l->first;
        if (space[at] >= 4096 && (!skips || l->busy[at] == l->busy[best_at]) &&
            !is_better(s, l, best_at, at))
            from[num++] = i;
    }
    return from[ik_random_below(draw->seed, IK_RNG_SELECT, draw->entity, draw->counter, num)];
}

/* What the declared rule takes of what fits, outputs that are skipped last; IK_NONE: none fits. */
static uint32_t by_rule(const ik_selection *s, const local *l, const int64_t *space, bool skips,
                        const uint32_t *out, uint32_t n, const ik_draw *draw)
{
    uint32_t best = IK_NONE;
    bool best_skipped = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = out[i] - l->first;
        bool skipped = skips && l->busy[at];
        if (space[at] < 4096)
            continue;
        bool more =
            best != IK_NONE && skipped == best_skipped && is_better(s, l, at, out[best] - l->first);
        if (best == IK_NONE || (best_skipped && !skipped) || more) {
            best = i;
            best_skipped = skipped;
        }
    }
    if (best != IK_NONE && s->traits & IK_SELECT_DRAWS)
        return drawn(s, l, space, skips, best, out, n, draw);
    return best;
}

/* One question, with and without output buffers. state: of the function at this switch, advanced
 * once. */
static void check_question(const ik_selection *s, uint32_t sw, const ik_packet *pk, local *l,
                           const uint32_t *out, uint32_t n, uint32_t preferred, uint64_t round,
                           uint64_t *state)
{
    ik_draw draw = {1, sw, round};
    uint64_t before[16], again[16];
    memcpy(before, state, sizeof before);
    for (int buffered = 0; buffered < 2; buffered++) {
        ik_view view = {
            l, credit, capacity, queued, busy, buffered ? room : NULL, buffered ? capacity : NULL};
        ik_select_request ask = {sw, pk, 4096, 0, &view, state, &draw}, second = ask;
        const int64_t *space = buffered ? l->room : l->credit;
        bool skips = s->skip_busy == IK_SKIP_AUTO ? !buffered : s->skip_busy == IK_SKIP_ALWAYS;
        second.switch_state = again;
        memcpy(state, before, sizeof before);
        uint32_t picked = s->family->pick(s, &ask, out, n, preferred);
        memcpy(again, before, sizeof again);
        CHECK(picked == s->family->pick(s, &second, out, n, preferred));
        CHECK(memcmp(again, state, sizeof again) == 0);
        check_pick(l, space, skips, out, n, picked);
        if (s->family->pick_mask)
            check_mask(s, ask, l, space, skips, out, n, preferred, picked, before);
        CHECK(s->rule == IK_SELECT_BY_PICK || s->rule == IK_SELECT_BY_PREFERENCE ||
              picked == by_rule(s, l, space, skips, out, n, &draw));
        view.busy = NULL; /* a switch that does not say: every output counts as idle */
        memcpy(again, before, sizeof again);
        uint32_t unsaid = s->family->pick(s, &second, out, n, preferred);
        CHECK(skips || unsaid == picked);
        check_pick(l, space, false, out, n, unsaid);
    }
}

static void check_switch(const ik_selection *s, const ik_routing *r, uint32_t sw, ik_rng *rng)
{
    const ik_fabric *f = r->fabric;
    local l = {.first = f->port_base[sw]};
    uint64_t state[16] = {0};
    uint32_t out[MAX_OUT], preferred;
    CHECK(ik_radix(f, sw) <= MAX_OUT);
    CHECK(!s->family->switch_state_bytes || s->family->switch_state_bytes(s, sw) <= sizeof state);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        ik_packet pk = {.src = ik_rng_below(rng, f->num_hosts),
                        .dst = ik_rng_below(rng, f->num_hosts),
                        .via = IK_NONE};
        draw_state(&l, ik_radix(f, sw), rng);
        uint32_t n = r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred);
        CHECK(n > 0);
        check_question(s, sw, &pk, &l, out, n, preferred, round, state);
    }
}

static void check_on(const char *fabric, const char *routing, const char *selection, ik_rng *rng)
{
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    ik_selection *s = NULL;
    CHECK(ik_fabric_from_spec(fabric, NULL, &f, NULL) == IK_OK);
    CHECK(ik_routing_from_spec(f, routing, NULL, &r, NULL) == IK_OK);
    CHECK(ik_selection_from_spec(f, selection, NULL, &s, NULL) == IK_OK);
    for (uint32_t sw = 0; sw < f->num_switches; sw += 1 + f->num_switches / 6)
        check_switch(s, r, sw, rng);
    ik_selection_free(s);
    ik_routing_free(r);
    ik_fabric_free(f);
}

int main(int argc, char **argv)
{
    static const char *const fabrics[] = {"karytree:k=2,n=3", "karytree:k=5,n=2",
                                          "rlft:ports=8,levels=3", "pgft:m=4:4,w=1:2,p=1:2"};
    static const char *const routings[] = {"adaptive_tree", "adaptive_tree:delta=2",
                                           "adaptive_tree:stages=1", "dmodk"};
    CHECK(argc == 2);
    const ik_selection_family *family = ik_selection_find(argv[1]);
    CHECK(family && strcmp(family->name, argv[1]) == 0 && *family->summary && *family->source &&
          family->pick);
    CHECK(!(family->traits & IK_SELECT_REMEMBERS) == !family->switch_state_bytes);
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    static const char *const rules[] = {"", ":skip_busy=false", ":skip_busy=true", ":tie=lowest"};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            for (size_t n = 0; n < (family->params ? 4u : 3u); n++) {
                char spec[96];
                snprintf(spec, sizeof spec, "%s%s", argv[1], rules[n]);
                check_on(fabrics[i], routings[k], spec, &rng);
            }
    return 0;
}
