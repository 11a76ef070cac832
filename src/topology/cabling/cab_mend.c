/* SPDX-License-Identifier: Apache-2.0
 *
 * cab_mend.c: a switch whose cables speak for another partner than it has exchanges partners with
 * who has that one, if more cables agree then.
 */
#include "topology/cabling/cab_mend.h"

#include <assert.h>

enum { ROUNDS = 12 };

uint32_t cab_mend_agreement(const cab_mend *m, uint32_t u, uint32_t v)
{
    uint32_t sum = 0;
    for (uint32_t i = m->f->base[u]; i < m->f->base[u + 1]; i++) {
        uint32_t w = m->plan_of[m->f->to[i]];
        uint32_t there = w == IK_NONE ? 0 : cab_graph_cables(m->p, v, w);
        sum += there < m->f->cables[i] ? there : m->f->cables[i];
    }
    return sum;
}

/* The switches of the plan that most cables of u speak for, in candidate[]; none if u is one of
 * them. */
static uint32_t cab_mend_favourites(cab_mend *m, uint32_t u)
{
    uint32_t num = 0, kept = 0, most = 1;
    for (uint32_t i = m->f->base[u]; i < m->f->base[u + 1]; i++) {
        uint32_t w = m->plan_of[m->f->to[i]];
        for (uint32_t k = w == IK_NONE ? 0 : m->p->base[w]; w != IK_NONE && k < m->p->base[w + 1];
             k++) {
            uint32_t b = m->p->to[k], c = m->p->cables[k];
            m->work++;
            if (m->p->kind[b] != m->f->kind[u])
                continue;
            if (!m->tally[b])
                m->candidate[num++] = b;
            m->tally[b] += c < m->f->cables[i] ? c : m->f->cables[i];
            most = m->tally[b] > most ? m->tally[b] : most;
        }
    }
    bool content = m->plan_of[u] != IK_NONE && m->tally[m->plan_of[u]] == most;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t b = m->candidate[i];
        if (m->tally[b] == most && !content)
            m->candidate[kept++] = b;
        m->tally[b] = 0;
    }
    return kept;
}

static void cab_mend_assign(cab_mend *m, uint32_t u, uint32_t v)
{
    if (u != IK_NONE)
        m->plan_of[u] = v;
    if (v != IK_NONE)
        m->fabric_of[v] = u;
}

/* Exchanges the partners of u and of who has `wanted` if more cables agree then. */
static bool cab_mend_exchange(cab_mend *m, uint32_t u, uint32_t wanted)
{
    assert(m->plan_of[u] != wanted);
    uint32_t old = m->plan_of[u], other = m->fabric_of[wanted];
    uint64_t before = (old == IK_NONE ? 0 : cab_mend_agreement(m, u, old)) +
                      (other == IK_NONE ? 0 : cab_mend_agreement(m, other, wanted));
    cab_mend_assign(m, u, wanted);
    cab_mend_assign(m, other, old);
    if (other == IK_NONE && old != IK_NONE)
        m->fabric_of[old] = IK_NONE;
    uint64_t after = cab_mend_agreement(m, u, wanted) +
                     (other == IK_NONE || old == IK_NONE ? 0 : cab_mend_agreement(m, other, old));
    if (after > before)
        return true;
    cab_mend_assign(m, other, wanted);
    cab_mend_assign(m, u, old);
    if (other == IK_NONE)
        m->fabric_of[wanted] = IK_NONE;
    return false;
}

static bool cab_mend_one(cab_mend *m, uint32_t u)
{
    uint32_t num = cab_mend_favourites(m, u);
    for (uint32_t i = 0; i < num; i++)
        if (cab_mend_exchange(m, u, m->candidate[i]))
            return true;
    return false;
}

void cab_mend_all(cab_mend *m)
{
    bool changed = true;
    for (unsigned round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (uint32_t u = 0; u < m->f->num; u++)
            changed |= cab_mend_one(m, u);
    }
}
