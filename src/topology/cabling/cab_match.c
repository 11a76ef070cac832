/* SPDX-License-Identifier: Apache-2.0
 *
 * Matching the switches of a fabric and a plan that are nearly isomorphic.
 *
 * A pair (u, v) scores the cables from u to matched switches w that v has to the partners of w. The
 * pair with the highest score is matched next, so that single wrong cables lose against the many
 * right ones (L. Yartseva, M. Grossglauser: On the performance of percolation graph matching, COSN
 * 2013). Where several v score equally for one u, the numbers of neighbours in common with matched
 * switches two hops away decide, which in a torus tell straight on from around the corner, and the
 * hops to all matched switches, which tell the subtrees of a tree apart. What is left is mostly
 * symmetric, and any choice serves. Early mistakes are mended by exchanging partners while more
 * cables agree. Where a difference is left that may be none, cab_exact.c decides.
 */
#include "topology/cabling/cab_match.h"

#include "base/array.h"
#include "topology/cabling/cab_exact.h"
#include "topology/cabling/cab_landmarks.h"
#include "topology/cabling/cab_mend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SCORE = 255, WITNESSES = 32, ROUNDS = 12, FAR_WITNESSES = 256 };
/* Landmarks that are begun with; cables that are in other places when two are swapped. */
enum { STARTS = 32, FEW_STARTS = 8, SWAPPED = 2 };
/* Steps that finding the hops between all switches of a graph takes at most. */
static const double MOST_HOPS = 2e8;
/* Pairs of switches of graphs that are looked at from landmarks at all: memory. */
static const double MOST_SEEN = 4e6;

typedef struct pair {
    uint32_t u, v;
} pair;

typedef struct bucket {
    pair *pairs;
    size_t first, num, cap;
} bucket;

typedef struct matcher {
    const cab_graph *f, *p;
    uint32_t *plan_of, *fabric_of;
    uint8_t *score; /* [f->num][p->num] saturated */
    bucket buckets[MOST_SCORE + 1];
    unsigned highest;
    uint32_t *tally; /* [p->num] scratch, 0 between uses */
    uint32_t *mark;  /* [max(f->num, p->num)] scratch */
    uint32_t stamp;
    uint32_t *candidate;      /* [p->num] scratch */
    uint8_t *hops_f, *hops_p; /* [num][num] of each, NULL: too many */
    uint32_t *matched;        /* [f->num] in the order of matching */
    uint32_t num_matched;
    cab_mend mend;
    double looks; /* comparisons from landmarks that are left */
    uint64_t work;
    ik_rng rng;
    ik_error *err;
} matcher;

/* ---- the queue of pairs by score */

static uint8_t *cab_match_score_of(matcher *m, uint32_t u, uint32_t v)
{
    assert(u < m->f->num && v < m->p->num);
    return &m->score[(size_t)u * m->p->num + v];
}

static bool cab_match_push(matcher *m, uint32_t u, uint32_t v, unsigned score)
{
    assert(score > 0 && score <= MOST_SCORE); /* what nobody speaks for is a beginning */
    bucket *b = &m->buckets[score];
    if (!IK_ARRAY_ROOM(b->pairs, b->cap, b->num + 1))
        return false;
    b->pairs[b->num++] = (pair){u, v};
    m->highest = score > m->highest ? score : m->highest;
    return true;
}

/* The next pair of the highest score that still has it and is unmatched. */
static bool cab_match_pop(matcher *m, pair *out)
{
    for (;; m->highest--) {
        bucket *b = &m->buckets[m->highest];
        while (b->first < b->num) {
            *out = b->pairs[b->first++];
            if (m->plan_of[out->u] == IK_NONE && m->fabric_of[out->v] == IK_NONE &&
                *cab_match_score_of(m, out->u, out->v) == m->highest)
                return true;
        }
        b->first = b->num = 0;
        if (!m->highest)
            return false;
    }
}

/* Matches a pair and raises the scores of its neighbours. */
static bool cab_match_match(matcher *m, uint32_t u, uint32_t v)
{
    assert(m->plan_of[u] == IK_NONE && m->fabric_of[v] == IK_NONE);
    assert(m->f->kind[u] == m->p->kind[v]);
    m->plan_of[u] = v;
    m->fabric_of[v] = u;
    m->matched[m->num_matched++] = u;
    for (uint32_t i = m->f->base[u]; i < m->f->base[u + 1]; i++) {
        uint32_t a = m->f->to[i];
        if (m->plan_of[a] != IK_NONE)
            continue;
        m->work += m->p->base[v + 1] - m->p->base[v];
        for (uint32_t k = m->p->base[v]; k < m->p->base[v + 1]; k++) {
            uint32_t b = m->p->to[k];
            if (m->fabric_of[b] != IK_NONE || m->f->kind[a] != m->p->kind[b])
                continue;
            uint8_t *score = cab_match_score_of(m, a, b);
            uint32_t more = m->f->cables[i] < m->p->cables[k] ? m->f->cables[i] : m->p->cables[k];
            *score = (uint8_t)(*score + more < MOST_SCORE ? *score + more : MOST_SCORE);
            if (!cab_match_push(m, a, b, *score))
                return false;
        }
    }
    return true;
}

/* ---- equal scores */

/* Switches of the plan that score as high for u as v does. */
static uint32_t cab_match_rivals(matcher *m, uint32_t u, uint32_t v)
{
    unsigned score = *cab_match_score_of(m, u, v);
    uint32_t num = 0;
    m->stamp++;
    for (uint32_t i = m->f->base[u]; i < m->f->base[u + 1]; i++) {
        uint32_t w = m->plan_of[m->f->to[i]];
        for (uint32_t k = w == IK_NONE ? 0 : m->p->base[w]; w != IK_NONE && k < m->p->base[w + 1];
             k++) {
            uint32_t b = m->p->to[k];
            if (m->fabric_of[b] != IK_NONE || m->mark[b] == m->stamp ||
                m->f->kind[u] != m->p->kind[b] || *cab_match_score_of(m, u, b) != score)
                continue;
            m->mark[b] = m->stamp;
            assert(num < m->p->num);
            m->candidate[num++] = b;
        }
    }
    return num;
}

/* Matched switches within two hops of u. */
static uint32_t cab_match_find_witnesses(const matcher *m, uint32_t u, uint32_t witness[WITNESSES])
{
    uint32_t num = 0;
    const cab_graph *f = m->f;
    for (uint32_t i = f->base[u]; i < f->base[u + 1]; i++)
        for (uint32_t k = f->base[f->to[i]]; k < f->base[f->to[i] + 1] && num < WITNESSES; k++)
            if (f->to[k] != u && m->plan_of[f->to[k]] != IK_NONE)
                witness[num++] = f->to[k];
    return num;
}

static void cab_match_mark_neighbours(matcher *m, const cab_graph *g, uint32_t node)
{
    m->work += g->base[node + 1] - g->base[node];
    m->stamp++;
    for (uint32_t i = g->base[node]; i < g->base[node + 1]; i++)
        m->mark[g->to[i]] = m->stamp;
}

static uint32_t marked_neighbours(matcher *m, const cab_graph *g, uint32_t node)
{
    m->work += g->base[node + 1] - g->base[node];
    uint32_t num = 0;
    for (uint32_t i = g->base[node]; i < g->base[node + 1]; i++)
        num += m->mark[g->to[i]] == m->stamp;
    return num;
}

/* By how many hops u and v differ in how far they are from matched switches. */
static uint32_t cab_match_far(matcher *m, uint32_t u, uint32_t v)
{
    uint32_t differ = 0, step = m->num_matched / FAR_WITNESSES + 1;
    if (!m->hops_f)
        return 0;
    const uint8_t *from_u = m->hops_f + (size_t)u * m->f->num;
    const uint8_t *from_v = m->hops_p + (size_t)v * m->p->num;
    m->work += m->num_matched / step;
    for (uint32_t i = 0; i < m->num_matched; i += step) {
        uint32_t w = m->matched[i];
        int apart = from_u[w] - from_v[m->plan_of[w]];
        differ += (uint32_t)(apart < 0 ? -apart : apart);
    }
    return differ;
}

/* Of the candidates, the one whose numbers of common neighbours, and hops to others, are most like
 * u's. */
static uint32_t cab_match_choose(matcher *m, uint32_t u, uint32_t num)
{
    assert(num > 0 && num <= m->p->num);
    uint32_t witness[WITNESSES], common[WITNESSES], best = m->candidate[0], least = UINT32_MAX;
    uint32_t witnesses = cab_match_find_witnesses(m, u, witness),
             offset = ik_rng_below(&m->rng, num);
    cab_match_mark_neighbours(m, m->f, u);
    for (uint32_t i = 0; i < witnesses; i++)
        common[i] = marked_neighbours(m, m->f, witness[i]);
    for (uint32_t c = 0; c < num && least > 0; c++) {
        uint32_t v = m->candidate[(c + offset) % num], differ = 0;
        cab_match_mark_neighbours(m, m->p, v);
        for (uint32_t i = 0; i < witnesses && differ < least; i++) {
            uint32_t there = marked_neighbours(m, m->p, m->plan_of[witness[i]]);
            differ += there > common[i] ? there - common[i] : common[i] - there;
        }
        uint32_t uneven = m->p->degree[v] != m->f->degree[u];
        differ = 2 * differ + uneven;
        differ += differ < least ? cab_match_far(m, u, v) : 0;
        if (differ < least) {
            least = differ;
            best = v;
        }
    }
    return best;
}

/* ---- beginnings */

/* An unmatched switch of one kind and degree on both sides, the degree with fewest switches of the
 * plan; IK_NONE: none is left. */
static bool cab_match_find_beginning(matcher *m, pair *out)
{
    assert(m->f->num > 0 && m->p->num > 0);
    const cab_graph *f = m->f, *p = m->p;
    uint32_t best = UINT32_MAX;
    uint32_t *count = ik_calloc((size_t)(f->max_degree + 1) * 256, sizeof *count);
    if (!count)
        return false;
    for (uint32_t v = 0; v < p->num; v++)
        if (m->fabric_of[v] == IK_NONE && p->degree[v] <= f->max_degree)
            count[p->degree[v] * 256 + p->kind[v]]++;
    *out = (pair){IK_NONE, IK_NONE};
    for (uint32_t i = 0, offset = ik_rng_below(&m->rng, f->num); i < f->num; i++) {
        uint32_t u = (i + offset) % f->num, there = count[f->degree[u] * 256 + f->kind[u]];
        if (m->plan_of[u] == IK_NONE && there && there < best) {
            best = there;
            out->u = u;
        }
    }
    for (uint32_t i = 0, offset = ik_rng_below(&m->rng, p->num); out->u != IK_NONE && i < p->num;
         i++) {
        uint32_t v = (i + offset) % p->num;
        if (m->fabric_of[v] == IK_NONE && p->degree[v] == f->degree[out->u] &&
            p->kind[v] == f->kind[out->u]) {
            out->v = v;
            break;
        }
    }
    free(count);
    return true;
}

static bool cab_match_grow(matcher *m)
{
    pair next;
    for (;;) {
        while (cab_match_pop(m, &next)) {
            uint32_t num = cab_match_rivals(m, next.u, next.v);
            if (!cab_match_match(m, next.u, num > 1 ? cab_match_choose(m, next.u, num) : next.v))
                return false;
        }
        if (!cab_match_find_beginning(m, &next))
            return false;
        if (next.u == IK_NONE)
            return true;
        if (!cab_match_match(m, next.u, next.v))
            return false;
    }
}

/* What is left over on both sides, kind by kind: switches without the planned number of cables. A
 * switch without ports can have no planned cable and stays alone. */
static void match_rest(matcher *m)
{
    uint32_t v = 0;
    for (uint32_t u = 0; u < m->f->num; u++) {
        if (m->plan_of[u] != IK_NONE || !m->f->ports[u])
            continue;
        for (v = 0; v < m->p->num; v++)
            if (m->fabric_of[v] == IK_NONE && m->p->kind[v] == m->f->kind[u])
                break;
        if (v == m->p->num)
            continue;
        m->plan_of[u] = v;
        m->fabric_of[v] = u;
    }
}

/* ---- one try */

static void cab_match_reset(matcher *m)
{
    memset(m->plan_of, 0xff, m->f->num * sizeof *m->plan_of);
    memset(m->fabric_of, 0xff, m->p->num * sizeof *m->fabric_of);
    memset(m->score, 0, (size_t)m->f->num * m->p->num);
    m->num_matched = 0;
    for (unsigned s = 0; s <= MOST_SCORE; s++)
        m->buckets[s].first = m->buckets[s].num = 0;
    m->highest = 0;
}

static void cab_match_count_agreement(const matcher *m, cab_match *out)
{
    out->agree = out->laid = out->planned = 0;
    for (uint32_t u = 0; u < m->f->num; u++) {
        if (m->plan_of[u] == IK_NONE)
            continue;
        out->agree += cab_mend_agreement(&m->mend, u, m->plan_of[u]);
        for (uint32_t i = m->f->base[u]; i < m->f->base[u + 1]; i++)
            out->laid += m->plan_of[m->f->to[i]] == IK_NONE ? 0 : m->f->cables[i];
        uint32_t v = m->plan_of[u];
        for (uint32_t i = m->p->base[v]; i < m->p->base[v + 1]; i++)
            out->planned += m->fabric_of[m->p->to[i]] == IK_NONE ? 0 : m->p->cables[i];
    }
    out->agree /= 2;
    out->laid /= 2;
    out->planned /= 2;
    assert(out->agree <= out->laid && out->agree <= out->planned);
}

static bool cab_match_try_once(matcher *m, const uint32_t *known, bool mend)
{
    cab_match_reset(m);
    for (uint32_t u = 0; known && u < m->f->num; u++)
        if (known[u] != IK_NONE && m->fabric_of[known[u]] == IK_NONE &&
            !cab_match_match(m, u, known[u]))
            return false;
    if (!cab_match_grow(m))
        return false;
    match_rest(m);
    if (mend)
        cab_mend_all(&m->mend);
    return true;
}

static bool cab_match_perfect(const cab_match *m)
{
    return m->agree == m->laid && m->agree == m->planned;
}

/* Keeps what was matched last if more cables agree. How many do then. */
static uint64_t cab_match_keep_better(matcher *m, cab_match *out)
{
    cab_match now;
    cab_match_count_agreement(m, &now);
    if (out->tried && now.agree <= out->agree)
        return now.agree;
    out->tried = true;
    out->agree = now.agree;
    out->laid = now.laid;
    out->planned = now.planned;
    memcpy(out->plan_of, m->plan_of, m->f->num * sizeof *m->plan_of);
    memcpy(out->fabric_of, m->fabric_of, m->p->num * sizeof *m->fabric_of);
    return now.agree;
}

static ik_status cab_match_run(matcher *m, const uint32_t *known, unsigned tries, cab_match *out)
{
    for (unsigned i = 0; i < tries; i++) {
        if (i > 4 && 10 * out->agree < 6 * out->planned)
            break; /* the plan is not like the fabric at all */
        m->rng = ik_rng_at(1, IK_RNG_ANALYSIS, i);
        if (!cab_match_try_once(m, known, !known))
            return ik_fail_memory(m->err, m->f->num * sizeof(pair), "matching switches");
        cab_match_keep_better(m, out);
        if (cab_match_perfect(out) || known)
            break;
    }
    return IK_OK;
}

bool cab_match_is_near(const cab_graph *f, const cab_match *m)
{
    return m->agree + SWAPPED >= f->links;
}

/* Is nothing more to be found? A plan with more switches, of which some are down, must fit. */
static bool cab_match_is_found(const cab_graph *f, const cab_graph *p, const cab_match *m)
{
    return p->num > f->num ? m->agree == f->links : cab_match_is_near(f, m);
}

/* A try with these partners, and what they say of the others then. */
static ik_status cab_match_try_known(matcher *m, const cab_landmarks *l, uint32_t *known,
                                     cab_match *out)
{
    uint64_t before, agree = 0;
    unsigned round = 0;
    do {
        before = agree;
        if (!cab_match_try_once(m, known, true))
            return ik_fail_memory(m->err, m->f->num * sizeof(pair), "matching switches");
        agree = cab_match_keep_better(m, out);
        m->looks -= cab_landmarks_vote_looks(l);
        ik_status status = cab_landmarks_vote(l, m->plan_of, known, m->err);
        if (status != IK_OK)
            return status;
    } while (round++ < ROUNDS && agree > before && m->looks > 0 &&
             !cab_match_is_found(m->f, m->p, out));
    return IK_OK;
}

/* Where cables are left that should be somewhere else: the same from landmarks. */
static ik_status cab_match_run_from_landmarks(matcher *m, unsigned depth, cab_match *out)
{
    const cab_graph *f = m->f, *p = m->p;
    cab_landmarks l;
    bool alike = p->kind[0] != 0; /* switches of one level of a tree */
    if (m->looks <= 0 || (double)f->num * p->num > MOST_SEEN || alike ||
        2 * out->agree < f->links || cab_match_is_found(f, p, out))
        return IK_OK;
    ik_status status = cab_landmarks_make(f, p, depth, &l, m->err);
    if (status != IK_OK)
        return status;
    uint32_t *known = ik_calloc((size_t)f->num + 1, sizeof *known);
    if (!known)
        status = ik_fail_memory(m->err, f->num * sizeof *known, "matching switches");
    for (unsigned i = 0;
         i < STARTS && m->looks > 0 && status == IK_OK && !cab_match_is_found(f, p, out); i++) {
        if (i >= FEW_STARTS && (depth < 3 || 10 * out->agree < 9 * f->links))
            break; /* it is another plan's */
        m->looks -= cab_landmarks_choose_looks(&l);
        status = cab_landmarks_choose(&l, i, known, m->err);
        if (status == IK_OK)
            status = cab_match_try_known(m, &l, known, out);
    }
    free(known);
    cab_landmarks_free(&l);
    return status;
}

static void cab_match_matcher_free(matcher *m)
{
    free(m->plan_of);
    free(m->fabric_of);
    free(m->score);
    free(m->tally);
    free(m->mark);
    free(m->candidate);
    free(m->matched);
    free(m->hops_f);
    free(m->hops_p);
    for (unsigned s = 0; s <= MOST_SCORE; s++)
        free(m->buckets[s].pairs);
}

/* Pairs of neighbours that one try looks at, at most: the queue may come to hold them all. */
static uint64_t cab_match_steps_of(const cab_graph *f, const cab_graph *p)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < p->num; v++) {
        uint32_t neighbours = p->base[v + 1] - p->base[v];
        most = neighbours > most ? neighbours : most;
    }
    return (uint64_t)f->base[f->num] * most;
}

static ik_status cab_match_check_size(const cab_graph *f, const cab_graph *p, uint64_t steps,
                                      ik_error *err)
{
    if ((uint64_t)f->num * p->num <= CAB_MOST_PAIRS && steps <= CAB_MOST_STEPS)
        return IK_OK;
    return ik_fail(err, IK_ERR_UNSUPPORTED,
                   "%u switches and a plan of %u are too many to be compared by structure%s",
                   f->num, p->num,
                   steps > CAB_MOST_STEPS ? ", with as many neighbours as they have" : "");
}

/* Of both or of neither. */
static bool cab_match_find_hops(matcher *m)
{
    size_t num_f = m->f->num, num_p = m->p->num;
    if ((double)num_f * (double)m->f->base[num_f] + (double)num_p * (double)m->p->base[num_p] >
        MOST_HOPS)
        return true;
    m->hops_f = ik_calloc(num_f * num_f + 1, 1);
    m->hops_p = ik_calloc(num_p * num_p + 1, 1);
    if (!m->hops_f || !m->hops_p)
        return false;
    cab_graph_distances(m->f, m->hops_f, m->mark);
    cab_graph_distances(m->p, m->hops_p, m->mark);
    memset(m->mark, 0, (num_f > num_p ? num_f : num_p) * sizeof *m->mark);
    return true;
}

ik_status cab_match_make(const cab_graph *f, const cab_graph *p, const uint32_t *known,
                         unsigned tries, double looks, cab_match *out, ik_error *err)
{
    size_t num_f = (size_t)f->num + 1, num_p = (size_t)p->num + 1;
    uint64_t steps = cab_match_steps_of(f, p);
    ik_status status = cab_match_check_size(f, p, steps, err);
    if (status != IK_OK)
        return status;
    if (tries * steps > CAB_MOST_ALL_STEPS)
        tries = (unsigned)(CAB_MOST_ALL_STEPS / steps);
    matcher m = {.f = f, .p = p, .looks = looks, .err = err};
    cab_match found = {.plan_of = ik_calloc(num_f, sizeof *found.plan_of),
                       .fabric_of = ik_calloc(num_p, sizeof *found.fabric_of)};
    m.plan_of = ik_calloc(num_f, sizeof *m.plan_of);
    m.fabric_of = ik_calloc(num_p, sizeof *m.fabric_of);
    m.score = ik_calloc(num_f * num_p, 1);
    m.tally = ik_calloc(num_p, sizeof *m.tally);
    m.mark = ik_calloc(num_f > num_p ? num_f : num_p, sizeof *m.mark);
    m.candidate = ik_calloc(num_p, sizeof *m.candidate);
    m.matched = ik_calloc(num_f, sizeof *m.matched);
    bool all = found.plan_of && found.fabric_of && m.plan_of && m.fabric_of && m.score && m.tally &&
               m.mark && m.candidate && m.matched && cab_match_find_hops(&m);
    if (!all)
        status = ik_fail_memory(err, num_f * num_p + 16 * (num_f + num_p), "matching");
    m.mend = (cab_mend){f, p, m.plan_of, m.fabric_of, m.tally, m.candidate, 0};
    if (status == IK_OK) { /* of a graph without switches nothing is matched */
        memset(found.plan_of, 0xff, num_f * sizeof *found.plan_of);
        memset(found.fabric_of, 0xff, num_p * sizeof *found.fabric_of);
    }
    if (status == IK_OK && f->num && p->num)
        status = cab_match_run(&m, known, tries, &found);
    if (status == IK_OK && !known && !(cab_match_perfect(&found) && found.laid == f->links))
        status = cab_exact(f, p, &found, err);
    bool differ = !known && f->num && p->num;
    for (unsigned depth = 3; depth > 1 && differ && status == IK_OK; depth--)
        status = cab_match_run_from_landmarks(&m, depth, &found);
    found.work += m.work + m.mend.work + (uint64_t)(looks - m.looks);
    cab_match_matcher_free(&m);
    if (status != IK_OK)
        cab_match_free(&found);
    else
        *out = found;
    return status;
}

void cab_match_free(cab_match *m)
{
    free(m->plan_of);
    free(m->fabric_of);
    *m = (cab_match){0};
}
