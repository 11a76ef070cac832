/* SPDX-License-Identifier: Apache-2.0
 *
 * load_trees.c: channel loads by the routes to one destination after another, each switch once (see
 * spread.h): O(switches) per destination instead of O(sources * hops). Where hosts matter to the
 * routing through their switches alone a destination is a switch, otherwise a host.
 */
#include "analysis/load.h"
#include "analysis/offers.h"

#include <stdlib.h>

typedef struct tree_thread {
    spread s;
    offer_list l;
} tree_thread;

typedef struct trees_job {
    load_job *job;
    offers o;
    tree_thread *threads;
} trees_job;

static ik_status load_trees_load_goal(const trees_job *t, tree_thread *th, uint32_t goal,
                                      load_sums *sums, ik_error *err)
{
    load_job *job = t->job;
    const demand *d = job->d;
    offers_to(&t->o, goal, &th->l);
    if (th->l.num == 0)
        return IK_OK;
    if (job->by_switch)
        spread_to_switch(&th->s, d->row_switch[goal], d->row_host[d->row_base[goal]]);
    else
        spread_to_host(&th->s, goal);
    for (uint32_t i = 0; i < th->l.num; i++) {
        uint32_t row = th->l.rows[i],
                 in_port = job->f->port_peer[walk_injection(job->f, d->row_host[d->row_base[row]])];
        spread_offer(&th->s, d->row_switch[row], in_port, th->l.amount[row], th->l.count[row],
                     th->l.count[row]);
    }
    spread_run(&th->s, sums, true);
    for (uint32_t i = 0; i < th->l.num; i++) {
        if (!spread_arrives(&th->s, d->row_switch[th->l.rows[i]])) {
            ik_status s = load_note_lost(job, th->l.rows[i], goal, err);
            if (s != IK_OK)
                return s;
        }
    }
    return IK_OK;
}

static ik_status load_goals(void *ctx, size_t part, unsigned thread, uint32_t first, uint32_t end,
                            ik_error *err)
{
    trees_job *t = ctx;
    ik_status s = IK_OK;
    for (uint32_t goal = first; goal < end && s == IK_OK; goal++)
        s = load_trees_load_goal(t, &t->threads[thread], goal, &t->job->parts[part], err);
    return s;
}

static ik_status load_blocks(trees_job *t, const ik_env *env, ik_error *err)
{
    uint32_t goals = t->o.num_goals;
    ik_status s = IK_OK;
    for (uint32_t first = 0, end; s == IK_OK && first < goals; first = end) {
        end = goals - first > t->o.width ? first + t->o.width : goals;
        s = offers_block(&t->o, first, end, env, err);
        if (s == IK_OK)
            s = load_each_goal(t->job, env, first, end, goals, load_goals, t, err);
    }
    return s;
}

ik_status load_by_trees(load_job *job, const ik_env *env, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    trees_job t = {.job = job};
    if (job->d->num_rows == 0)
        return IK_OK;
    t.threads = ik_calloc(threads, sizeof *t.threads);
    ik_status s = t.threads ? offers_open(&t.o, job->d, job->by_switch, env, err)
                            : ik_fail_memory(err, threads * sizeof *t.threads, "channel loads");
    for (unsigned i = 0; s == IK_OK && i < threads; i++) {
        s = spread_init(&t.threads[i].s, job->r, err);
        if (s == IK_OK)
            s = offer_list_init(&t.threads[i].l, job->d, err);
    }
    if (s == IK_OK)
        s = load_blocks(&t, env, err);
    for (unsigned i = 0; t.threads && i < threads; i++) {
        spread_free(&t.threads[i].s);
        offer_list_free(&t.threads[i].l);
    }
    free(t.threads);
    offers_close(&t.o);
    return s;
}
