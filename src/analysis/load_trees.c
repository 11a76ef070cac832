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

/* Flows at a switch for a host; up: see spread.h. */
typedef struct tree_cell {
    uint32_t count, up;
} tree_cell;

typedef struct tree_thread {
    spread s;
    offer_list l;
    table_ways ways;  /* if trees_job.by_ways */
    tree_cell *cells; /* [num_switches][hosts at once], zero between two runs */
    double *amounts;  /* the same, unless each flow has trees_job.each */
    uint64_t *flows;  /* [num_ports] that cross a channel, in all runs */
} tree_thread;

typedef struct trees_job {
    load_job *job;
    offers o;
    tree_thread *threads;
    bool by_ways;
    links links; /* if so */
    /* all hosts send each other so much, exactly; 0: not so. Then flows need only be counted */
    double each;
} trees_job;

/* ---- tables with equally long paths */

static void load_trees_push(tree_thread *th, uint32_t sw, load_sums *sums)
{
    const table_ways *w = &th->ways;
    const ik_fabric *f = w->r->fabric;
    const size_t row = (size_t)sw * w->num_hosts;
    uint32_t turns = 0;
    for (uint32_t left = w->through[sw]; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t port = table_ways_port(w, sw, i), next = w->next[port];
        size_t to = (size_t)next * w->num_hosts + i;
        tree_cell cell = th->cells[row + i];
        th->cells[row + i] = (tree_cell){0};
        th->flows[port] += cell.count;
        if (th->amounts) {
            sums->load[port] += th->amounts[row + i];
            if (next < f->num_switches)
                th->amounts[to] += th->amounts[row + i];
            th->amounts[row + i] = 0;
        }
        if (next < f->num_switches) {
            bool rises = cell.up > 0 && f->switch_level[next] > f->switch_level[sw];
            th->cells[to].count += cell.count;
            th->cells[to].up += rises ? cell.up : 0;
            cell.up = rises ? 0 : cell.up;
        }
        turns += cell.up;
    }
    sums->turns[sw] += turns;
}

/* Whether no cable leads from a switch to the goal. */
static bool load_trees_is_apart(table_ways *w, uint32_t sw)
{
    return w->depth[sw] == LINKS_FAR && table_ways_measure(w) && w->distance[sw] == LINKS_FAR;
}

/* From each row, to each host of the ways. */
static ik_status load_trees_offer_each(const trees_job *t, tree_thread *th, ik_error *err)
{
    const demand *d = t->job->d;
    table_ways *w = &th->ways;
    const bool levels = t->job->f->num_levels > 0;
    ik_status s = IK_OK;
    for (uint32_t row = 0; row < d->num_rows && s == IK_OK; row++) {
        uint32_t sw = d->row_switch[row],
                 count = d->row_base[row + 1] - d->row_base[row] - (sw == w->goal);
        bool apart = load_trees_is_apart(w, sw);
        for (uint32_t i = 0; i < w->num_hosts && apart && s == IK_OK; i++)
            s = load_note_lost(t->job, row, w->first + i, err);
        if (count == 0 || apart)
            continue;
        table_ways_enter(w, sw, 0xFFFFFFFF >> (32 - w->num_hosts));
        for (uint32_t i = 0; i < w->num_hosts; i++)
            th->cells[(size_t)sw * w->num_hosts + i] = (tree_cell){count, levels ? count : 0};
    }
    return s;
}

static ik_status load_trees_offer_listed(const trees_job *t, tree_thread *th, ik_error *err)
{
    const demand *d = t->job->d;
    table_ways *w = &th->ways;
    const bool levels = t->job->f->num_levels > 0;
    ik_status s = IK_OK;
    for (unsigned i = 0; i < w->num_hosts; i++) {
        offers_to(&t->o, w->first + i, &th->l);
        for (uint32_t k = 0; k < th->l.num && s == IK_OK; k++) {
            uint32_t row = th->l.rows[k], sw = d->row_switch[row],
                     count = (uint32_t)th->l.count[row];
            if (load_trees_is_apart(w, sw)) {
                s = load_note_lost(t->job, row, w->first + i, err);
                continue;
            }
            table_ways_enter(w, sw, (uint32_t)1 << i);
            th->cells[(size_t)sw * w->num_hosts + i] = (tree_cell){count, levels ? count : 0};
            th->amounts[(size_t)sw * w->num_hosts + i] = th->l.amount[row];
        }
    }
    return s;
}

static void load_trees_clear(const trees_job *t, tree_thread *th)
{
    size_t cells = (size_t)t->job->f->num_switches * TABLE_WAYS;
    memset(th->cells, 0, cells * sizeof *th->cells);
    if (th->amounts)
        memset(th->amounts, 0, cells * sizeof *th->amounts);
}

/* *fits: whether it is done; else nothing is booked. */
static ik_status load_trees_run_ways(const trees_job *t, tree_thread *th, uint32_t first,
                                     uint32_t num, load_sums *sums, bool *fits, ik_error *err)
{
    table_ways *w = &th->ways;
    *fits = table_ways_turn(w, first, num);
    ik_status s = !*fits        ? IK_OK
                  : t->each > 0 ? load_trees_offer_each(t, th, err)
                                : load_trees_offer_listed(t, th, err);
    *fits = *fits && table_ways_follow(w);
    if (!*fits)
        load_trees_clear(t, th);
    for (uint32_t at = w->num; *fits && at-- > 0;)
        load_trees_push(th, w->order[at], sums);
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

/* What each flow of an even pattern amounts to; 0: they differ. */
static double load_trees_each(const trees_job *t)
{
    const demand *d = t->job->d;
    if (!t->o.of_row)
        return 0;
    double each = demand_amount(d, d->row_host[0], d->even_weight, d->even_scale);
    for (uint32_t row = 0; row < d->num_rows; row++)
        if (t->o.of_row[row] != each * (d->row_base[row + 1] - d->row_base[row]))
            return 0;
    return each;
}

static ik_status load_trees_make_ways(const trees_job *t, tree_thread *th, size_t cells,
                                      ik_error *err)
{
    ik_status s = table_ways_init(&th->ways, t->job->r, &t->links, err);
    th->cells = ik_calloc(cells, sizeof *th->cells);
    th->flows = ik_calloc((size_t)t->job->f->num_ports + 1, sizeof *th->flows);
    th->amounts = t->each > 0 ? NULL : ik_calloc(cells, sizeof *th->amounts);
    if (s == IK_OK && (!th->cells || !th->flows || !(th->amounts || t->each > 0)))
        s = ik_fail_memory(err, cells * sizeof(tree_cell), "channel loads");
    return s;
}

/* Sums have to be exact to be the same in any order; a thread then keeps to one part, which stays
 * in its cache. */
static ik_status load_trees_take_ways(trees_job *t, unsigned threads, const ik_env *env,
                                      ik_error *err)
{
    size_t cells = (size_t)t->job->f->num_switches * TABLE_WAYS + 1;
    double bytes = (double)cells * (sizeof(tree_cell) + sizeof(double)) +
                   (double)t->job->f->num_ports * sizeof(uint64_t);
    t->by_ways = !t->job->by_switch && t->job->d->denominator && table_ways_fit(t->job->r) &&
                 threads <= t->job->num_parts &&
                 ik_env_refuse_bytes(env, threads * bytes, "channel loads", NULL) == IK_OK;
    t->each = load_trees_each(t);
    ik_status s = t->by_ways ? links_build(t->job->f, &t->links, err) : IK_OK;
    for (unsigned i = 0; t->by_ways && s == IK_OK && i < threads; i++)
        s = load_trees_make_ways(t, &t->threads[i], cells, err);
    return s;
}

static void load_trees_book_flows(const trees_job *t, unsigned threads)
{
    for (unsigned i = 0; t->by_ways && i < threads; i++) {
        const load_sums *sums = &t->job->parts[i];
        const uint64_t *flows = t->threads[i].flows;
        for (uint32_t port = 0; port < t->job->f->num_ports; port++) {
            sums->crossing[port] += (double)flows[port];
            sums->load[port] += t->each * (double)flows[port];
        }
    }
}

static void load_trees_free(trees_job *t, unsigned threads)
{
    for (unsigned i = 0; t->threads && i < threads; i++) {
        tree_thread *th = &t->threads[i];
        spread_free(&th->s);
        offer_list_free(&th->l);
        table_ways_free(&th->ways);
        free(th->cells);
        free(th->amounts);
        free(th->flows);
    }
    free(t->threads);
    links_free(&t->links);
    offers_close(&t->o);
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
    if (s == IK_OK)
        load_trees_book_flows(&t, threads);
    load_trees_free(&t, threads);
    return s;
}
