/* SPDX-License-Identifier: Apache-2.0
 *
 * load_legs.c: channel loads of routings whose packets go through a middle switch (Valiant, UGAL).
 *
 * Legs to one switch are alike whatever the pair of hosts. So what each switch sends through each
 * middle one is summed over the destinations and goes through the routes to that middle switch at
 * once; likewise what comes from the middle switches, and directly, to each destination's switch.
 * Cost: O(rows * rows * middles) additions and O((rows + middles) * switches) steps instead of rows
 * * rows * middles walks.
 */
#include "analysis/load.h"
#include "analysis/offers.h"

#include <stdlib.h>
#include <string.h>

typedef struct leg_thread {
    spread s;
    offer_list l;
    uint32_t *middles;                  /* [num_switches] */
    double *amount, *count, *up, *rise; /* [num_switches] */
    uint8_t *is_middle;                 /* [num_switches] */
    /* [rows] of the flows to one goal: some, or all, pass no middle switch */
    bool *direct, *only_direct;
} leg_thread;

typedef struct legs_job {
    load_job *job;
    offers o;
    leg_thread *threads;
    double *amount, *count;         /* [goal row][source row] */
    double *via_amount, *via_count; /* [source row][switch] what goes to that middle switch */
    /* [source row][switch] trees: part of it that goes up all the way; NULL otherwise */
    double *via_rise;
    bool *unfit; /* [threads] a leg does not arrive */
} legs_job;

static uint32_t load_legs_host_of(const demand *d, uint32_t row)
{
    return d->row_host[d->row_base[row]];
}

static uint32_t load_legs_starts_of(const legs_job *j, uint32_t from, uint32_t to)
{
    const ik_routing *r = j->job->r;
    return walk_num_starts(r, load_legs_host_of(j->job->d, from), load_legs_host_of(j->job->d, to));
}

static uint32_t load_legs_middles_of(const legs_job *j, uint32_t from, uint32_t to, uint32_t *out)
{
    const ik_routing *r = j->job->r;
    return r->family->middles(r, load_legs_host_of(j->job->d, from),
                              load_legs_host_of(j->job->d, to), out);
}

/* ------------------------------------------------------------------------------------------
 * sums */

static ik_status load_legs_keep_goals(void *ctx, size_t part, unsigned thread, uint32_t first,
                                      uint32_t end, ik_error *err)
{
    legs_job *j = ctx;
    offer_list *l = &j->threads[thread].l;
    size_t rows = j->job->d->num_rows;
    (void)part;
    (void)err;
    for (uint32_t goal = first; goal < end; goal++) {
        offers_to(&j->o, goal, l);
        for (uint32_t i = 0; i < l->num; i++) {
            j->amount[goal * rows + l->rows[i]] = l->amount[l->rows[i]];
            j->count[goal * rows + l->rows[i]] = l->count[l->rows[i]];
        }
    }
    return IK_OK;
}

/* What every row sends through every middle switch. */
static ik_status load_legs_sum_middles(void *ctx, size_t row, unsigned thread, ik_error *err)
{
    legs_job *j = ctx;
    size_t rows = j->job->d->num_rows, switches = j->job->f->num_switches;
    double *amount = j->via_amount + row * switches, *count = j->via_count + row * switches;
    uint32_t *middles = j->threads[thread].middles;
    (void)err;
    for (uint32_t to = 0; to < rows; to++) {
        size_t cell = to * rows + row;
        if (j->count[cell] == 0)
            continue;
        uint32_t n = load_legs_middles_of(j, (uint32_t)row, to, middles),
                 starts = load_legs_starts_of(j, (uint32_t)row, to);
        double a = j->amount[cell] / starts, c = j->count[cell] / starts;
        for (uint32_t i = 0; i < n; i++) {
            amount[middles[i]] += a;
            count[middles[i]] += c;
        }
    }
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ first
 * legs */

static void load_legs_first_leg(legs_job *j, leg_thread *th, unsigned thread, uint32_t middle,
                                load_sums *sums)
{
    const demand *d = j->job->d;
    size_t switches = j->job->f->num_switches;
    spread_to_switch(&th->s, middle, IK_NONE);
    for (uint32_t row = 0; row < d->num_rows; row++) {
        double count = j->via_count[row * switches + middle];
        if (count > 0) {
            spread_offer(&th->s, d->row_switch[row], IK_NONE,
                         j->via_amount[row * switches + middle], count, count);
        }
    }
    spread_run(&th->s, sums, false);
    if (j->via_rise)
        spread_rise(&th->s, th->rise);
    for (uint32_t row = 0; row < d->num_rows; row++) {
        size_t cell = row * switches + middle;
        if (j->via_count[cell] > 0) {
            j->unfit[thread] |= !spread_arrives(&th->s, d->row_switch[row]);
            if (j->via_rise)
                j->via_rise[cell] = th->rise[d->row_switch[row]];
        }
    }
}

static ik_status first_legs(void *ctx, size_t part, unsigned thread, uint32_t first, uint32_t end,
                            ik_error *err)
{
    legs_job *j = ctx;
    (void)err;
    for (uint32_t middle = first; middle < end; middle++)
        load_legs_first_leg(j, &j->threads[thread], thread, middle, &j->job->parts[part]);
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ last
 * legs */

static void load_legs_gather(legs_job *j, leg_thread *th, uint32_t from, uint32_t goal)
{
    const demand *d = j->job->d;
    size_t switches = j->job->f->num_switches, cell = (size_t)goal * d->num_rows + from;
    uint32_t n = load_legs_middles_of(j, from, goal, th->middles),
             starts = load_legs_starts_of(j, from, goal), own = d->row_switch[from];
    double a = j->amount[cell] / starts, c = j->count[cell] / starts;
    const double *rise = j->via_rise ? j->via_rise + from * switches : NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t middle = th->middles[i];
        th->amount[middle] += a;
        th->count[middle] += c;
        th->up[middle] += rise ? c * rise[middle] : 0;
        th->is_middle[middle] = 1;
    }
    th->amount[own] += a * (starts - n);
    th->count[own] += c * (starts - n);
    th->up[own] += c * (starts - n);
    th->direct[from] = n < starts;
    th->only_direct[from] = n == 0;
}

/* What does not arrive: pairs that go directly are noted; anything else has been split already and
 * cannot be taken back. */
static ik_status load_legs_note_lost(legs_job *j, const leg_thread *th, unsigned thread,
                                     uint32_t goal, ik_error *err)
{
    const demand *d = j->job->d;
    ik_status s = IK_OK;
    for (uint32_t sw = 0; sw < j->job->f->num_switches; sw++)
        j->unfit[thread] = j->unfit[thread] || (th->is_middle[sw] && !spread_arrives(&th->s, sw));
    for (uint32_t from = 0; from < d->num_rows && s == IK_OK; from++) {
        if (j->count[(size_t)goal * d->num_rows + from] > 0 && th->direct[from] &&
            !spread_arrives(&th->s, d->row_switch[from])) {
            j->unfit[thread] = j->unfit[thread] || !th->only_direct[from];
            s = load_note_lost(j->job, from, goal, err);
        }
    }
    return s;
}

static ik_status load_legs_last_leg(legs_job *j, leg_thread *th, unsigned thread, uint32_t goal,
                                    load_sums *sums, ik_error *err)
{
    const demand *d = j->job->d;
    size_t switches = j->job->f->num_switches;
    memset(th->amount, 0, switches * sizeof *th->amount);
    memset(th->count, 0, switches * sizeof *th->count);
    memset(th->up, 0, switches * sizeof *th->up);
    memset(th->is_middle, 0, switches);
    spread_to_switch(&th->s, d->row_switch[goal], load_legs_host_of(d, goal));
    for (uint32_t from = 0; from < d->num_rows; from++)
        if (j->count[(size_t)goal * d->num_rows + from] > 0)
            load_legs_gather(j, th, from, goal);
    for (uint32_t sw = 0; sw < switches; sw++)
        if (th->count[sw] > 0)
            spread_offer(&th->s, sw, IK_NONE, th->amount[sw], th->count[sw], th->up[sw]);
    spread_run(&th->s, sums, true);
    return load_legs_note_lost(j, th, thread, goal, err);
}

/* Goals are numbered behind the middle switches, so that progress counts both. */
static ik_status load_legs_last_legs(void *ctx, size_t part, unsigned thread, uint32_t first,
                                     uint32_t end, ik_error *err)
{
    legs_job *j = ctx;
    uint32_t switches = j->job->f->num_switches;
    ik_status s = IK_OK;
    for (uint32_t goal = first - switches; goal < end - switches && s == IK_OK; goal++)
        s = load_legs_last_leg(j, &j->threads[thread], thread, goal, &j->job->parts[part], err);
    return s;
}

/* ------------------------------------------------------------------------------------------ all
 * together */

static void load_legs_threads_free(leg_thread *threads, unsigned num)
{
    for (unsigned i = 0; threads && i < num; i++) {
        leg_thread *th = &threads[i];
        spread_free(&th->s);
        offer_list_free(&th->l);
        void *all[] = {th->middles, th->amount,    th->count,  th->up,
                       th->rise,    th->is_middle, th->direct, th->only_direct};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            free(all[k]);
    }
    free(threads);
}

static ik_status load_legs_thread_init(leg_thread *th, const load_job *job, ik_error *err)
{
    size_t n = (size_t)job->f->num_switches + 1;
    ik_status s = spread_init(&th->s, job->r, err);
    if (s == IK_OK)
        s = offer_list_init(&th->l, job->d, err);
    if (s != IK_OK)
        return s;
    th->middles = ik_calloc(n, sizeof *th->middles);
    th->amount = ik_calloc(n, sizeof *th->amount);
    th->count = ik_calloc(n, sizeof *th->count);
    th->up = ik_calloc(n, sizeof *th->up);
    th->rise = ik_calloc(n, sizeof *th->rise);
    th->is_middle = ik_calloc(n, 1);
    th->direct = ik_calloc((size_t)job->d->num_rows + 1, sizeof *th->direct);
    th->only_direct = ik_calloc((size_t)job->d->num_rows + 1, sizeof *th->only_direct);
    bool ok = th->middles && th->amount && th->count && th->up && th->rise && th->is_middle &&
              th->direct && th->only_direct;
    return ok ? IK_OK : ik_fail_memory(err, n * 37, "the legs of a routing");
}

static ik_status load_legs_matrices_init(legs_job *j, const ik_env *env, ik_error *err)
{
    size_t rows = j->job->d->num_rows, pairs = rows * rows + 1,
           legs = rows * j->job->f->num_switches + 1;
    bool tree = j->job->f->num_levels > 0;
    double bytes = ((double)pairs * 2 + (double)legs * (tree ? 3 : 2)) * sizeof(double);
    ik_status s = ik_env_refuse_bytes(env, bytes, "loads by middle switches", err);
    if (s != IK_OK)
        return s;
    j->amount = ik_calloc(pairs, sizeof *j->amount);
    j->count = ik_calloc(pairs, sizeof *j->count);
    j->via_amount = ik_calloc(legs, sizeof *j->via_amount);
    j->via_count = ik_calloc(legs, sizeof *j->via_count);
    j->via_rise = tree ? ik_calloc(legs, sizeof *j->via_rise) : NULL;
    bool ok = j->amount && j->count && j->via_amount && j->via_count && (j->via_rise || !tree);
    return ok ? IK_OK : ik_fail_memory(err, (size_t)bytes, "loads by middle switches");
}

static ik_status load_legs_keep_offers(legs_job *j, const ik_env *env, ik_error *err)
{
    uint32_t rows = j->job->d->num_rows;
    ik_status s = offers_open(&j->o, j->job->d, true, env, err);
    for (uint32_t first = 0, end; s == IK_OK && first < rows; first = end) {
        end = rows - first > j->o.width ? first + j->o.width : rows;
        s = offers_block(&j->o, first, end, env, err);
        if (s == IK_OK)
            s = load_each_goal(j->job, NULL, first, end, rows, load_legs_keep_goals, j, err);
    }
    offers_close(&j->o);
    return s;
}

static ik_status load_legs_run_legs(legs_job *j, const ik_env *env, ik_error *err)
{
    const load_job *job = j->job;
    uint32_t rows = job->d->num_rows, switches = job->f->num_switches, total = switches + rows;
    ik_status s = load_legs_keep_offers(j, env, err);
    if (s == IK_OK)
        s = ik_parallel_for(env, "middle switches", rows, load_legs_sum_middles, j, err);
    if (s == IK_OK)
        s = load_each_goal(job, env, 0, switches, total, first_legs, j, err);
    if (s == IK_OK)
        s = load_each_goal(job, env, switches, total, total, load_legs_last_legs, j, err);
    return s;
}

ik_status load_by_legs(load_job *job, const ik_env *env, bool *fits, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    legs_job j = {.job = job,
                  .threads = ik_calloc(threads, sizeof *j.threads),
                  .unfit = ik_calloc(threads, sizeof *j.unfit)};
    ik_status s = j.threads && j.unfit ? load_legs_matrices_init(&j, env, err)
                                       : ik_fail_memory(err, threads * sizeof *j.threads, "legs");
    for (unsigned i = 0; s == IK_OK && i < threads; i++)
        s = load_legs_thread_init(&j.threads[i], job, err);
    if (s == IK_OK)
        s = load_legs_run_legs(&j, env, err);
    if (s == IK_OK) {
        *fits = true;
        for (unsigned i = 0; i < threads; i++)
            *fits = *fits && !j.unfit[i];
    }
    load_legs_threads_free(j.threads, threads);
    void *all[] = {j.unfit, j.amount, j.count, j.via_amount, j.via_count, j.via_rise};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return s;
}
