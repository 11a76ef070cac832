/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_search.c: colouring by contention itself, for flows that share sources or destinations.
 *
 * Flows in order of source and destination take the colour that adds least to the contention of
 * their two channels, those first on which the group's limit leaves room; then, as long as
 * something improves and the budget lasts, flows of the worst channels move to other colours.
 * Deterministic. */
#include "base/array.h"
#include "routing/colored/colored.h"

#include <stdlib.h>
#include <string.h>

/* Matchings that one sub-network may cost. */
enum { BUDGET = 400000 };

/* Flows of a channel of the group: [left or num_left + right][colour]. */
typedef struct channel {
    uint32_t *list;
    uint32_t n, contention;
    size_t room;
} channel;

typedef struct search {
    colored_group *g;
    colored_matcher *m;
    channel *channels;
    int64_t budget;
} search;

static channel *colored_search_up_of(const search *s, uint32_t i, uint32_t color)
{
    return &s->channels[(size_t)s->g->left[i] * s->g->num_colors + color];
}

static channel *colored_search_down_of(const search *s, uint32_t i, uint32_t color)
{
    return &s->channels[(size_t)(s->g->num_left + s->g->right[i]) * s->g->num_colors + color];
}

static uint32_t colored_search_contention(search *s, const channel *c)
{
    s->budget--;
    return colored_matching(s->m, s->g->flows, c->list, c->n);
}

static bool colored_search_reserve(channel *c)
{
    return IK_ARRAY_ROOM(c->list, c->room, c->n + 1);
}

/* Contention of a channel with one flow more; the list has room for it. */
static uint32_t colored_search_with(search *s, channel *c, uint32_t flow)
{
    c->list[c->n++] = flow;
    uint32_t result = colored_search_contention(s, c);
    c->n--;
    return result;
}

static void colored_search_take(channel *c, uint32_t flow)
{
    uint32_t i = 0;
    while (c->list[i] != flow)
        i++;
    memmove(c->list + i, c->list + i + 1, (c->n - i - 1) * sizeof *c->list);
    c->n--;
}

/* Would one flow more exceed the limit? */
static bool colored_search_is_full(const search *s, const channel *c)
{
    return s->g->limit && c->n >= s->g->limit;
}

/* The colour whose channels suffer least: by the limit, the worse of the two, their growth, the
 * flows on them, its number. */
static bool best_color(search *s, uint32_t i, uint32_t *best)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t color = 0; color < s->g->num_colors; color++) {
        channel *up = colored_search_up_of(s, i, color),
                *down = colored_search_down_of(s, i, color);
        if (!colored_search_reserve(up) || !colored_search_reserve(down))
            return false;
        uint32_t a = colored_search_with(s, up, s->g->list[i]),
                 b = colored_search_with(s, down, s->g->list[i]);
        uint64_t growth = (a - up->contention) + (b - down->contention);
        uint64_t full = colored_search_is_full(s, up) + colored_search_is_full(s, down);
        uint64_t key = full << 60 | (uint64_t)(a > b ? a : b) << 40 | growth << 36 |
                       ((uint64_t)(up->n + down->n) & 0xFFFFFFFFF);
        if (key < least) {
            least = key;
            *best = color;
        }
    }
    return true;
}

static void colored_search_place(search *s, uint32_t i, uint32_t color)
{
    channel *up = colored_search_up_of(s, i, color), *down = colored_search_down_of(s, i, color);
    up->list[up->n++] = s->g->list[i];
    down->list[down->n++] = s->g->list[i];
    up->contention = colored_search_contention(s, up);
    down->contention = colored_search_contention(s, down);
    s->g->color[i] = (uint16_t)color;
}

static void colored_search_remove_flow(search *s, uint32_t i)
{
    channel *up = colored_search_up_of(s, i, s->g->color[i]),
            *down = colored_search_down_of(s, i, s->g->color[i]);
    colored_search_take(up, s->g->list[i]);
    colored_search_take(down, s->g->list[i]);
    up->contention = colored_search_contention(s, up);
    down->contention = colored_search_contention(s, down);
}

/* Loads count where time does. */
static void colored_search_count_channel(const colored_group *g, colored_cost *cost,
                                         const channel *c, uint32_t size)
{
    if (g->objective == COLORED_TIME && c->n > cost->time)
        cost->time = c->n;
    colored_count(cost, size);
}

/* Is the channel one of those that make the group as bad as it is? */
static bool colored_search_is_worst(const search *s, const channel *c, const colored_cost *now)
{
    return c->contention == now->worst || (s->g->limit && c->n > s->g->limit);
}

static colored_cost colored_search_total(const search *s)
{
    colored_cost cost = {0};
    for (size_t c = 0; c < (size_t)(s->g->num_left + s->g->num_right) * s->g->num_colors; c++)
        colored_search_count_channel(s->g, &cost, &s->channels[c], s->channels[c].contention);
    return cost;
}

/* Tries to move each flow of a worst channel; true if the whole became better. */
static bool colored_search_improve(search *s, bool *failed)
{
    colored_cost now = colored_search_total(s);
    for (uint32_t i = 0; i < s->g->n && s->budget > 0 && (now.worst > 1 || now.time > s->g->limit);
         i++) {
        uint32_t old = s->g->color[i], color = old;
        if (!colored_search_is_worst(s, colored_search_up_of(s, i, old), &now) &&
            !colored_search_is_worst(s, colored_search_down_of(s, i, old), &now))
            continue;
        colored_search_remove_flow(s, i);
        if (!best_color(s, i, &color)) {
            *failed = true;
            return false;
        }
        colored_search_place(s, i, color);
        colored_cost then = colored_search_total(s);
        if (colored_compare(&then, &now, s->g->objective) < 0)
            return true;
        colored_search_remove_flow(s, i);
        colored_search_place(s, i, old);
    }
    return false;
}

static ik_status colored_search_init(search *s, ik_error *err)
{
    size_t channels = (size_t)(s->g->num_left + s->g->num_right) * s->g->num_colors;
    s->channels = ik_calloc(channels + 1, sizeof *s->channels);
    return s->channels
               ? IK_OK
               : ik_fail_memory(err, channels * sizeof *s->channels, "channels of a sub-network");
}

static void colored_search_free(search *s)
{
    for (size_t c = 0;
         s->channels && c < (size_t)(s->g->num_left + s->g->num_right) * s->g->num_colors; c++)
        free(s->channels[c].list);
    free(s->channels);
}

ik_status colored_search(colored_group *g, colored_matcher *m, ik_error *err)
{
    search s = {.g = g, .m = m, .budget = BUDGET};
    bool failed = false;
    ik_status status = colored_search_init(&s, err);
    for (uint32_t i = 0; i < g->n && status == IK_OK && !failed; i++) {
        uint32_t color = 0;
        failed = !best_color(&s, i, &color);
        if (!failed)
            colored_search_place(&s, i, color);
    }
    while (status == IK_OK && !failed && s.budget > 0 && colored_search_improve(&s, &failed))
        ;
    colored_search_free(&s);
    return failed ? ik_fail_memory(err, g->n * sizeof(uint32_t), "flows of a channel") : status;
}

ik_status colored_group_cost(const colored_group *g, colored_matcher *m, colored_cost *cost,
                             ik_error *err)
{
    search s = {.g = (colored_group *)g, .m = m};
    ik_status status = colored_search_init(&s, err);
    for (uint32_t i = 0; i < g->n && status == IK_OK; i++) {
        channel *up = colored_search_up_of(&s, i, g->color[i]),
                *down = colored_search_down_of(&s, i, g->color[i]);
        if (!colored_search_reserve(up) || !colored_search_reserve(down))
            status = ik_fail_memory(err, g->n * sizeof(uint32_t), "flows of a channel");
        else {
            up->list[up->n++] = g->list[i];
            down->list[down->n++] = g->list[i];
        }
    }
    colored_cost sum = {0};
    for (size_t c = 0; status == IK_OK && c < (size_t)(g->num_left + g->num_right) * g->num_colors;
         c++)
        colored_search_count_channel(g, &sum, &s.channels[c],
                                     colored_search_contention(&s, &s.channels[c]));
    colored_search_free(&s);
    if (status == IK_OK)
        *cost = sum;
    return status;
}
