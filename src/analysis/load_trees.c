/* SPDX-License-Identifier: Apache-2.0
 *
 * load_trees.c: channel loads by the routes to one destination after another, each switch once (see
 * spread.h): O(switches) per destination instead of O(sources * hops). Where hosts matter to the
 * routing through their switches alone a destination is a switch, otherwise a host. Under tables
 * whose paths to the hosts of a switch are equally long, neighbouring ones of these are taken
 * together (table_ways.h).
 */
#include "analysis/load.h"
#include "analysis/offers.h"
#include "routing/table/table_ways.h"

#include <stdlib.h>
#include <string.h>

/* What is at a switch for a host; up: see spread.h. */
typedef struct tree_cell {
    double amount, count, up;
} tree_cell;

typedef struct tree_thread {
    spread s;
    offer_list l;
    table_ways ways;  /* if trees_job.by_ways */
    tree_cell *cells; /* [num_switches][hosts at once], zero between two runs */
} tree_thread;

typedef struct trees_job {
    load_job *job;
    offers o;
    tree_thread *threads;
    bool by_ways;
    links links; /* if so */
} trees_job;

/* ---- tables with equally long paths */

static void load_trees_push(tree_cell *cells, const table_ways *w, uint32_t sw, load_sums *sums)
{
    const ik_fabric *f = w->r->fabric;
    tree_cell *cell = cells + (size_t)sw * w->num_hosts;
    for (uint32_t left = w->through[sw]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t port = table_ways_port(w, sw, i), next = w->next[port];
        double up = cell[i].up;
        sums->load[port] += cell[i].amount;
        sums->crossing[port] += cell[i].count;
        if (next < f->num_switches) {
            tree_cell *to = &cells[(size_t)next * w->num_hosts + i];
            bool rises = up > 0 && f->switch_level[next] > f->switch_level[sw];
            to->amount += cell[i].amount;
            to->count += cell[i].count;
            to->up += rises ? up : 0;
            up = rises ? 0 : up;
        }
        sums->turns[sw] += up;
        cell[i] = (tree_cell){0};
    }
}

static ik_status load_trees_offer(const trees_job *t, tree_thread *th, ik_error *err)
{
    const demand *d = t->job->d;
    table_ways *w = &th->ways;
    bool levels = t->job->f->num_levels > 0;
    ik_status s = IK_OK;
    for (unsigned i = 0; i < w->num_hosts; i++) {
        offers_to(&t->o, w->first + i, &th->l);
        for (uint32_t k = 0; k < th->l.num && s == IK_OK; k++) {
            uint32_t row = th->l.rows[k], sw = d->row_switch[row];
            if (w->depth[sw] == LINKS_FAR && table_ways_measure(w) &&
                w->distance[sw] == LINKS_FAR) {
                s = load_note_lost(t->job, row, w->first + i, err);
                continue;
            }
            table_ways_enter(w, sw, (uint32_t)1 << i);
            th->cells[(size_t)sw * w->num_hosts + i] =
                (tree_cell){th->l.amount[row], th->l.count[row], levels ? th->l.count[row] : 0};
        }
    }
    return s;
}

/* *fits: whether it is done; else nothing is booked. */
static ik_status load_trees_run_ways(const trees_job *t, tree_thread *th, uint32_t first,
                                     uint32_t num, load_sums *sums, bool *fits, ik_error *err)
{
    table_ways *w = &th->ways;
    *fits = table_ways_turn(w, first, num);
    ik_status s = *fits ? load_trees_offer(t, th, err) : IK_OK;
    *fits = *fits && table_ways_follow(w);
    if (!*fits)
        memset(th->cells, 0, (size_t)t->job->f->num_switches * TABLE_WAYS * sizeof *th->cells);
    for (uint32_t at = w->num; *fits && at-- > 0;)
        load_trees_push(th->cells, w, w->order[at], sums);
    return s;
}

/* ---- one destination */

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
    tree_thread *th = &t->threads[thread];
    load_sums *sums = &t->job->parts[t->by_ways ? thread : part];
    ik_status s = IK_OK;
    while (first < end && s == IK_OK) {
        uint32_t num = t->by_ways ? table_ways_run(&t->links, first, end) : 1;
        bool fits = false;
        if (num > 1)
            s = load_trees_run_ways(t, th, first, num, sums, &fits, err);
        for (uint32_t i = 0; i < num && !fits && s == IK_OK; i++)
            s = load_trees_load_goal(t, th, first + i, sums, err);
        first += num;
    }
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

/* Sums have to be exact to be the same in any order; a thread then keeps to one part, which stays
 * in its cache. */
static ik_status load_trees_take_ways(trees_job *t, unsigned threads, const ik_env *env,
                                      ik_error *err)
{
    size_t cells = (size_t)t->job->f->num_switches * TABLE_WAYS + 1;
    t->by_ways = !t->job->by_switch && t->job->d->denominator && table_ways_fit(t->job->r) &&
                 threads <= t->job->num_parts &&
                 ik_env_refuse_bytes(env, (double)(threads * cells * sizeof(tree_cell)),
                                     "channel loads", NULL) == IK_OK;
    ik_status s = t->by_ways ? links_build(t->job->f, &t->links, err) : IK_OK;
    for (unsigned i = 0; t->by_ways && s == IK_OK && i < threads; i++) {
        s = table_ways_init(&t->threads[i].ways, t->job->r, &t->links, err);
        t->threads[i].cells = ik_calloc(cells, sizeof(tree_cell));
        if (s == IK_OK && !t->threads[i].cells)
            s = ik_fail_memory(err, cells * sizeof(tree_cell), "channel loads");
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
        s = load_trees_take_ways(&t, threads, env, err);
    if (s == IK_OK)
        s = load_blocks(&t, env, err);
    for (unsigned i = 0; t.threads && i < threads; i++) {
        spread_free(&t.threads[i].s);
        offer_list_free(&t.threads[i].l);
        table_ways_free(&t.threads[i].ways);
        free(t.threads[i].cells);
    }
    free(t.threads);
    links_free(&t.links);
    offers_close(&t.o);
    return s;
}
