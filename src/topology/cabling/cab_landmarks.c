/* SPDX-License-Identifier: Apache-2.0
 *
 * cab_landmarks.c: where to begin when a fabric differs from a plan by some cables, and few pairs
 * of switches are the right ones to begin with, as in a dragonfly whose groups are not all alike.
 *
 * From one switch the others look alike or not by how many walks of one, two and three cables lead
 * there. A wrong cable changes that for few pairs. A switch of the fabric is the first landmark,
 * and each of the plan may be its partner: the one from which as many switches as possible look as
 * they do from the landmark. Of those that then look alike, one is the next landmark, and so on,
 * until most of them are told apart. Several choices are followed at once (beam search), since the
 * best one at first may be wrong. What single switches of both look alike from all landmarks are
 * partners; cab_match.c grows the matching from these. A matching that is mostly right mends
 * itself: all switches that have partners are landmarks then.
 */
#include "topology/cabling/cab_landmarks.h"

#include "topology/cabling/cab_exact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Choices that are followed at once, and landmarks. */
enum { BEAM = 24, LANDMARKS = 10 };
/* Switches with partners that vote. */
enum { VOTERS = 256 };

typedef struct view {
    const cab_graph *g;
    const uint32_t *walks; /* of cab_landmarks */
    uint64_t *looks;       /* [num] from the landmarks so far; of the plan [BEAM][num] */
    uint64_t *next;        /* [BEAM][num] */
    uint64_t *sorted;      /* [num] */
} view;

typedef struct choice {
    uint32_t parent, v; /* whose looks it extends, the partner of the new landmark */
    uint32_t alike;     /* switches that look alike then */
} choice;

typedef struct marks {
    view f, p;
    choice kept[BEAM];
    uint32_t num; /* choices that are followed */
    ik_rng rng;
} marks;

/* ---- walks */

/* ways[to] cables are walked from one switch; goes on by one. */
static void cab_landmarks_step(const cab_graph *g, const uint32_t *ways, uint32_t *further)
{
    memset(further, 0, g->num * sizeof *further);
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; ways[sw] && i < g->base[sw + 1]; i++)
            further[g->to[i]] += ways[sw] * g->cables[i];
}

static ik_status cab_landmarks_walk(const cab_graph *g, unsigned depth, uint32_t **walks,
                                    ik_error *err)
{
    size_t num = g->num;
    uint32_t *ways = ik_calloc(2 * num + 1, sizeof *ways), *further = ways ? ways + num : NULL;
    *walks = ik_calloc(num * num + 1, sizeof **walks);
    if (!ways || !*walks) {
        free(ways);
        return ik_fail_memory(err, 4 * num * num, "walks between switches");
    }
    for (uint32_t from = 0; from < num; from++) {
        uint32_t *row = *walks + from * num;
        memset(ways, 0, num * sizeof *ways);
        ways[from] = 1;
        row[from] = 1;
        for (unsigned step = 0; step < depth; step++) {
            cab_landmarks_step(g, ways, further);
            for (uint32_t to = 0; to < num; to++)
                row[to] = (uint32_t)cab_exact_mix((uint64_t)row[to] << 32 | further[to]);
            memcpy(ways, further, num * sizeof *ways);
        }
    }
    free(ways);
    return IK_OK;
}

void cab_landmarks_free(cab_landmarks *l)
{
    free(l->walks_f);
    free(l->walks_p);
    *l = (cab_landmarks){0};
}

ik_status cab_landmarks_make(const cab_graph *f, const cab_graph *p, unsigned depth,
                             cab_landmarks *out, ik_error *err)
{
    assert(depth >= 1);
    cab_landmarks l = {.f = f, .p = p};
    ik_status status = cab_landmarks_walk(f, depth, &l.walks_f, err);
    if (status == IK_OK)
        status = cab_landmarks_walk(p, depth, &l.walks_p, err);
    if (status != IK_OK)
        cab_landmarks_free(&l);
    else
        *out = l;
    return status;
}

/* ---- looks */

static void cab_landmarks_look(const view *v, uint32_t landmark, const uint64_t *before,
                               uint64_t *after)
{
    const uint32_t *row = v->walks + (size_t)landmark * v->g->num;
    for (uint32_t sw = 0; sw < v->g->num; sw++)
        after[sw] = cab_exact_mix(before[sw] ^ ((uint64_t)row[sw] << 20));
}

static void cab_landmarks_sort(view *v, const uint64_t *looks)
{
    memcpy(v->sorted, looks, v->g->num * sizeof *looks);
    qsort(v->sorted, v->g->num, sizeof *looks, cab_exact_compare);
}

/* Switches of both that look alike, by what was sorted last. */
static uint32_t cab_landmarks_alike(const marks *m)
{
    uint32_t num = 0;
    for (uint32_t i = 0, k = 0; i < m->f.g->num && k < m->p.g->num;) {
        uint64_t x = m->f.sorted[i], y = m->p.sorted[k];
        num += x == y;
        i += x <= y;
        k += y <= x;
    }
    return num;
}

/* How many of the sorted looks are this one. */
static uint32_t cab_landmarks_count(const view *v, uint64_t look)
{
    uint32_t low = 0, high = v->g->num;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->sorted[middle] < look)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < v->g->num && v->sorted[high] == look;)
        high++;
    return high - low;
}

/* ---- choices */

static void cab_landmarks_keep(marks *m, choice c)
{
    uint32_t at = m->num < BEAM ? m->num++ : BEAM;
    if (at == BEAM && m->kept[BEAM - 1].alike >= c.alike)
        return;
    at = at == BEAM ? BEAM - 1 : at;
    for (; at > 0 && m->kept[at - 1].alike < c.alike; at--)
        m->kept[at] = m->kept[at - 1];
    m->kept[at] = c;
}

/* The next landmark: one of the fewest that look alike, and of which the best choice for the plan
 * has as many. IK_NONE: all are told apart. */
static uint32_t cab_landmarks_next(marks *m)
{
    uint32_t best = IK_NONE, fewest = UINT32_MAX, num = m->f.g->num;
    cab_landmarks_sort(&m->f, m->f.looks);
    cab_landmarks_sort(&m->p, m->p.looks);
    for (uint32_t i = 0, offset = ik_rng_below(&m->rng, num); i < num; i++) {
        uint32_t u = (i + offset) % num, here = cab_landmarks_count(&m->f, m->f.looks[u]);
        if (here < 2 || here >= fewest || cab_landmarks_count(&m->p, m->f.looks[u]) != here)
            continue;
        fewest = here;
        best = u;
    }
    return best;
}

/* Partners of a landmark: those that look like it in one of the choices that are followed. */
static void cab_landmarks_add(marks *m, uint32_t u)
{
    uint32_t num_p = m->p.g->num, followed = m->num;
    uint64_t look = m->f.looks[u];
    cab_landmarks_look(&m->f, u, m->f.looks, m->f.next);
    cab_landmarks_sort(&m->f, m->f.next);
    m->num = 0;
    for (uint32_t parent = 0; parent < followed; parent++) {
        const uint64_t *looks = m->p.looks + (size_t)parent * num_p;
        for (uint32_t v = 0; v < num_p; v++) {
            if (looks[v] != look)
                continue;
            cab_landmarks_look(&m->p, v, looks, m->p.next);
            cab_landmarks_sort(&m->p, m->p.next);
            cab_landmarks_keep(m, (choice){parent, v, cab_landmarks_alike(m)});
        }
    }
    for (uint32_t i = 0; i < m->num; i++)
        cab_landmarks_look(&m->p, m->kept[i].v, m->p.looks + (size_t)m->kept[i].parent * num_p,
                           m->p.next + (size_t)i * num_p);
    memcpy(m->p.looks, m->p.next, (size_t)m->num * num_p * sizeof *m->p.looks);
    memcpy(m->f.looks, m->f.next, m->f.g->num * sizeof *m->f.looks);
}

/* ---- all of it */

/* What the best choice says. */
static void cab_landmarks_tell(marks *m, uint32_t *known)
{
    cab_landmarks_sort(&m->f, m->f.looks);
    cab_landmarks_sort(&m->p, m->p.looks);
    for (uint32_t u = 0; u < m->f.g->num; u++) {
        known[u] = IK_NONE;
        uint64_t look = m->f.looks[u];
        if (cab_landmarks_count(&m->f, look) != 1 || cab_landmarks_count(&m->p, look) != 1)
            continue;
        for (uint32_t v = 0; v < m->p.g->num; v++)
            if (m->p.looks[v] == look)
                known[u] = v;
    }
}

static ik_status cab_landmarks_room(view *v, size_t choices, ik_error *err)
{
    size_t num = v->g->num;
    v->looks = ik_calloc(choices * num + 1, sizeof *v->looks);
    v->next = ik_calloc(choices * num + 1, sizeof *v->next);
    v->sorted = ik_calloc(num + 1, sizeof *v->sorted);
    if (!v->looks || !v->next || !v->sorted)
        return ik_fail_memory(err, 16 * num * choices, "looks of switches");
    for (uint32_t sw = 0; sw < num; sw++) /* only switches of one kind are partners */
        v->looks[sw] = v->g->kind[sw];
    return IK_OK;
}

static void cab_landmarks_free_view(view *v)
{
    free(v->looks);
    free(v->next);
    free(v->sorted);
}

ik_status cab_landmarks_choose(const cab_landmarks *l, unsigned start, uint32_t *known,
                               ik_error *err)
{
    assert(l->f->num && l->p->num);
    marks m = {.f = {.g = l->f, .walks = l->walks_f},
               .p = {.g = l->p, .walks = l->walks_p},
               .num = 1,
               .rng = ik_rng_at(3, IK_RNG_ANALYSIS, start)};
    ik_status status = cab_landmarks_room(&m.f, 1, err);
    if (status == IK_OK)
        status = cab_landmarks_room(&m.p, BEAM, err);
    if (status == IK_OK) {
        uint32_t u = ik_rng_below(&m.rng, l->f->num);
        for (unsigned i = 0; i < LANDMARKS && u != IK_NONE && m.num; i++) {
            cab_landmarks_add(&m, u);
            u = m.num ? cab_landmarks_next(&m) : IK_NONE;
        }
        memset(known, 0xff, l->f->num * sizeof *known);
        if (m.num)
            cab_landmarks_tell(&m, known);
    }
    cab_landmarks_free_view(&m.f);
    cab_landmarks_free_view(&m.p);
    return status;
}

double cab_landmarks_choose_looks(const cab_landmarks *l)
{
    return (double)BEAM * LANDMARKS * l->p->num * l->f->num; /* each sorts what it sees */
}

/* ---- votes */

double cab_landmarks_vote_looks(const cab_landmarks *l)
{
    double voters = l->f->num < VOTERS ? l->f->num : VOTERS;
    return voters * l->f->num * l->p->num;
}

/* Voters are compared a block at a time, for which the compiler has instructions. */
enum { VOTES_BLOCK = 32 };

typedef struct ballot {
    uint32_t room;       /* voters of one switch, whole blocks */
    uint32_t *seen_f;    /* [room] what the voters see of a switch of the fabric */
    uint32_t *seen_p;    /* [switches of the plan][room] what their partners see of each */
    uint32_t *most, *by; /* [switches of the plan] most votes, whose */
} ballot;

static void cab_landmarks_free_ballot(ballot *b)
{
    free(b->seen_f);
    free(b->seen_p);
    free(b->most);
}

/* What each switch of the plan looks like from the partners of the voters: every step-th switch
 * with a partner. Behind the last voter stands what no vote is for. */
static ik_status cab_landmarks_open_ballot(const cab_landmarks *l, const uint32_t *plan_of,
                                           uint32_t step, ballot *b, ik_error *err)
{
    uint32_t num_f = l->f->num, num_p = l->p->num, voters = 0;
    for (uint32_t w = 0; w < num_f; w += step)
        voters += plan_of[w] != IK_NONE;
    b->room = (voters + VOTES_BLOCK - 1) / VOTES_BLOCK * VOTES_BLOCK;
    b->seen_f = ik_calloc((size_t)b->room + 1, sizeof *b->seen_f);
    b->seen_p = ik_calloc((size_t)num_p * b->room + 1, sizeof *b->seen_p);
    b->most = ik_calloc(2 * (size_t)num_p + 1, sizeof *b->most);
    if (!b->seen_f || !b->seen_p || !b->most)
        return ik_fail_memory(err, 4 * (size_t)num_p * (b->room + 2), "votes of switches");
    b->by = b->most + num_p;
    for (uint32_t v = 0; v < num_p; v++) {
        const uint32_t *from_v = l->walks_p + (size_t)v * num_p;
        uint32_t *seen = b->seen_p + (size_t)v * b->room, num = 0;
        for (uint32_t w = 0; w < num_f; w += step)
            if (plan_of[w] != IK_NONE)
                seen[num++] = from_v[plan_of[w]];
        while (num < b->room)
            seen[num++] = 1;
    }
    return IK_OK;
}

/* What the voters see of u; behind the last one 0, which differs from the plan's. */
static void cab_landmarks_see(const cab_landmarks *l, const uint32_t *plan_of, uint32_t step,
                              uint32_t u, ballot *b)
{
    const uint32_t *from_u = l->walks_f + (size_t)u * l->f->num;
    for (uint32_t w = 0, num = 0; w < l->f->num; w += step)
        if (plan_of[w] != IK_NONE)
            b->seen_f[num++] = from_u[w];
}

/* How many of the voters see u, seen last, and v alike. */
static uint32_t cab_landmarks_votes(const ballot *b, uint32_t v)
{
    const uint32_t *p = b->seen_p + (size_t)v * b->room;
    uint32_t votes = 0;
    for (uint32_t at = 0; at < b->room; at += VOTES_BLOCK) {
        uint32_t alike = 0;
        for (uint32_t i = 0; i < VOTES_BLOCK; i++)
            alike += b->seen_f[at + i] == p[at + i];
        votes += alike;
    }
    return votes;
}

ik_status cab_landmarks_vote(const cab_landmarks *l, const uint32_t *plan_of, uint32_t *known,
                             ik_error *err)
{
    uint32_t num_f = l->f->num, num_p = l->p->num, step = num_f / VOTERS + 1;
    ballot b = {0};
    ik_status status = cab_landmarks_open_ballot(l, plan_of, step, &b, err);
    for (uint32_t u = 0; status == IK_OK && u < num_f; u++) {
        uint32_t best = 0;
        known[u] = IK_NONE;
        cab_landmarks_see(l, plan_of, step, u, &b);
        for (uint32_t v = 0; v < num_p; v++) {
            if (l->f->kind[u] != l->p->kind[v])
                continue;
            uint32_t votes = cab_landmarks_votes(&b, v);
            if (votes > best) {
                best = votes;
                known[u] = v;
            }
            if (votes > b.most[v]) {
                b.most[v] = votes;
                b.by[v] = u;
            }
        }
    }
    for (uint32_t u = 0; status == IK_OK && u < num_f; u++) /* only the best of each other */
        if (known[u] != IK_NONE && b.by[known[u]] != u)
            known[u] = IK_NONE;
    cab_landmarks_free_ballot(&b);
    return status;
}
