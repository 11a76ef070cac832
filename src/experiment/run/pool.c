/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/pool.c: runs points in parallel. Worker threads take the next point and simulate
 * it; the caller's thread writes each result as it comes and reports it to the observer, so that
 * SQLite and the observer see one thread only.
 */
#include "base/ranks/ranks.h"
#include "experiment/figures/metrics.h"
#include "experiment/run/checkpoints.h"
#include "experiment/run/run.h"
#include "experiment/run/search.h"
#include "experiment/run/share.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct outcome {
    struct outcome *next;
    uint64_t number;
    ik_sim_result result;
    double load;    /* that was simulated, 0 = it has none */
    double seconds; /* of processors that it took */
    /* as search_found's; NAN without a search */
    double saturation_load, saturation_most;
    char hint[HINT_CHARS];      /* what to try, "" = nothing */
    char *probes;               /* of a search, NULL = none */
    const reference *reference; /* NULL = none: nothing was completed */
    char *jobs;                 /* what its jobs took, NULL = it has none; each of them alone */
    const reference **alone;
    size_t num_jobs;
    point_checkpoints checkpoints;
} outcome;

typedef struct pool {
    runner *r;
    const ik_fabric *fabric;
    const plan_slot *slots;
    size_t num_slots, slot;
    uint64_t next;    /* first point that nobody has examined, in slots[slot] */
    uint64_t quota;   /* points that may still be taken now */
    unsigned threads; /* that one point may have */
    unsigned side;    /* points in parallel */
    unsigned working; /* workers that have not ended */
    int stop;         /* a cancel flag */
    char stage[120];  /* what a search does, "" = nothing new */
    double longest;   /* seconds that a point took at most */
    outcome *head, **tail;
    ik_status status; /* first failure */
    uint64_t failed_at;
    ik_error error;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} pool;

/* ---- one point */

/* A point with little to do takes fewer threads than there are for it. */
static unsigned pool_threads_for(const pool *w, const ik_plan *plan, const ik_sim_config *config)
{
    ik_sim_estimate estimate;
    if (w->threads == 1)
        return 1;
    ik_sim_estimate_run(plan, config, &estimate);
    return estimate.useful_threads < w->threads ? estimate.useful_threads : w->threads;
}

/* Observers see the caller's thread alone. */
static void pool_post_stage(void *ctx, const char *text)
{
    pool *w = ctx;
    pthread_mutex_lock(&w->mutex);
    snprintf(w->stage, sizeof w->stage, "%s", text);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

/* One run, or those of a search for its load. */
static ik_status pool_simulate_loads(pool *w, const plan_slot *slot, const point *p,
                                     const ik_traffic *traffic, const ik_sim_config *config,
                                     const ik_env *env, outcome *o, ik_error *err)
{
    const ik_value *precision = load_search(experiment_variant(w->r->e, p, SECTION_LOAD));
    ik_sim_config judged = *config;
    ik_status status = checkpoints_of_point(w->r, p, precision, &o->checkpoints, err);
    if (status != IK_OK)
        return status;
    sim_checkpoints *kept = o->checkpoints.path ? &o->checkpoints.at : NULL;
    o->load = experiment_load(w->r->e, p);
    o->saturation_load = o->saturation_most = NAN;
    search s = {.plan = slot->plan,
                .traffic = traffic,
                .config = *config,
                .env = env,
                .checkpoints = kept,
                .precision = precision ? precision->r : 0,
                .tell = pool_post_stage,
                .ctx = w};
    search_found found;
    status = precision ? search_saturation(&s, &o->result, &found, err)
                       : bounds_find(w->r->bounds, w->r->e, slot->plan, traffic, p, env,
                                     &judged.bound, err);
    if (status == IK_OK && !precision)
        status = sim_run_kept(slot->plan, traffic, &judged, env, kept, &o->result, err);
    if (status != IK_OK || !precision)
        return status;
    o->load = found.load;
    o->saturation_load = found.saturation_load;
    o->saturation_most = found.saturation_most;
    o->probes = found.probes;
    return IK_OK;
}

static ik_status pool_simulate(pool *w, const plan_slot *slot, uint64_t number, outcome *o,
                               ik_error *err)
{
    const ik_experiment *e = w->r->e;
    point p = experiment_point(e, number);
    ik_sim_config config = point_config(e, &p);
    ik_env env = {.seed = experiment_seed(e, &p),
                  .num_threads = pool_threads_for(w, slot->plan, &config),
                  .cancel = &w->stop,
                  .memory_limit_bytes = w->r->env->memory_limit_bytes,
                  .ranks = w->r->env->ranks};
    const variant *pattern = experiment_variant(e, &p, SECTION_TRAFFIC);
    ik_traffic *traffic = NULL;
    ik_status status = traffics_take(w->r->traffics, w->fabric, pattern, &env, &traffic, err);
    if (status != IK_OK) {
        place_in_variant(pattern, SECTION_TRAFFIC, err);
        return status;
    }
    status = pool_simulate_loads(w, slot, &p, traffic, &config, &env, o, err);
    point_place(e, &p, status, err);
    if (status == IK_OK)
        hint_find(w->r, &p, w->fabric, slot->plan, traffic, &o->result, &env, o->hint);
    if (status == IK_OK && o->result.completed)
        status =
            reference_find(w->r->references, traffic, e, &p, &config, &env, &o->reference, err);
    if (status == IK_OK)
        status = jobs_measure(w->r, slot, traffic, &p, &config, &env, &o->result, &o->jobs,
                              &o->alone, &o->num_jobs, err);
    traffics_give_back(w->r->traffics, traffic);
    return status;
}

static void pool_free_outcome(outcome *o)
{
    if (!o)
        return;
    sim_result_clear(&o->result);
    free(o->probes);
    free(o->jobs);
    free(o->alone);
    checkpoints_free_point(&o->checkpoints);
    free(o);
}

/* The next unfinished point; NULL when there is none. Called with the mutex held. */
static const plan_slot *pool_take(pool *w, uint64_t *number)
{
    for (; w->slot < w->num_slots;
         w->slot++, w->next = w->slot < w->num_slots ? w->slots[w->slot].first : 0) {
        const plan_slot *slot = &w->slots[w->slot];
        while (slot->plan && w->quota && w->next < slot->first + slot->num) {
            *number = w->next++;
            if (!run_is_to_do(w->r, *number))
                continue;
            if (budget_is_spent(w->r, w->longest)) {
                w->r->spent = true;
                w->quota = 0;
                return NULL;
            }
            w->quota--;
            return slot;
        }
        if (!w->quota)
            return NULL;
    }
    return NULL;
}

static void pool_fail(pool *w, uint64_t number, ik_status status, const ik_error *error)
{
    if (w->status == IK_OK || number < w->failed_at) {
        w->status = status;
        w->failed_at = number;
        w->error = *error;
    }
    ik_cancel_raise(&w->stop);
}

static void *pool_worker(void *ctx)
{
    pool *w = ctx;
    uint64_t number;
    pthread_mutex_lock(&w->mutex);
    for (const plan_slot *slot; !ik_cancel_raised(&w->stop) && (slot = pool_take(w, &number));) {
        pthread_mutex_unlock(&w->mutex);
        ik_error error = {0};
        double begun = ik_clock_s(CLOCK_MONOTONIC);
        cost_meter meter;
        cost_begin(&meter, w->threads, w->side);
        outcome *o = ik_calloc(1, sizeof *o);
        ik_status status = o ? pool_simulate(w, slot, number, o, &error)
                             : ik_fail_memory(&error, sizeof *o, "a result");
        double seconds = ik_clock_s(CLOCK_MONOTONIC) - begun;
        pthread_mutex_lock(&w->mutex);
        w->longest = seconds > w->longest ? seconds : w->longest;
        if (status == IK_OK) {
            o->number = number;
            o->seconds = cost_end(&meter);
            *w->tail = o;
            w->tail = &o->next;
        } else {
            w->r->with_checkpoint +=
                o && (o->checkpoints.at.written > 0 || o->checkpoints.at.continued);
            pool_free_outcome(o);
            if (status != IK_ERR_CANCELLED)
                pool_fail(w, number, status, &error);
            else /* here, or on another rank */
                ik_cancel_raise(&w->stop);
        }
        pthread_cond_signal(&w->changed);
    }
    w->working--;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* ---- the caller's thread */

static const plan_slot *pool_slot_of(const pool *w, uint64_t number)
{
    size_t low = 0, high = w->num_slots;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (w->slots[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return &w->slots[low];
}

/* Packets that were to be watched and do not exist. */
static void pool_note_unsent(const runner *r, const ik_watch_result *watch)
{
    size_t num = 0;
    const ik_watched *first = NULL;
    for (size_t k = 0; k < watch->num_packets; k++)
        if (!watch->packets[k].sent) {
            first = first ? first : &watch->packets[k];
            num++;
        }
    if (num == 1)
        tell_note(r, IK_WARNING, "watch: packet %u:%" PRIu64 " was not sent in this run",
                  first->src, first->number);
    else if (num)
        tell_note(r, IK_WARNING,
                  "watch: packet %u:%" PRIu64 " and %zu others were not sent in this run",
                  first->src, first->number, num - 1);
}

/* Counts points that are not steady, and keeps what is to be said of the first of the sweep. A
 * deadlock is told by itself. */
static void pool_note_unsteady(runner *r, const point *p, const outcome *o)
{
    const ik_sim_steady *k = &o->result.steady;
    char load[40] = "", capped[80] = "", reason[200];
    r->with_verdict += k->verdict != IK_STEADY_NONE;
    if (metric_counts(k->verdict) || o->result.deadlock)
        return;
    if (r->unsteady++ > 0 && o->number > r->first_number)
        return;
    r->first_number = o->number;
    ik_steady_describe(k, reason, sizeof reason);
    if (o->load > 0)
        snprintf(load, sizeof load, " at load %.3g", o->load);
    if (k->capped)
        snprintf(capped, sizeof capped, "; it was the longest run, of %" PRIu64 " packet-hops",
                 o->result.packet_hops);
    snprintf(r->first_unsteady, sizeof r->first_unsteady,
             "%.100s with %.100s%s, seed %" PRIu64 ", %s after %.6g us: %s%s",
             experiment_variant(r->e, p, SECTION_ROUTING)->label,
             experiment_variant(r->e, p, SECTION_TRAFFIC)->label, load, experiment_seed(r->e, p),
             k->verdict == IK_STEADY_NO ? "not steady" : "too short to tell",
             (double)o->result.end_ps / 1e6, reason, capped);
}

void pool_tell_unsteady(const runner *r)
{
    if (r->unsteady == 1 && r->with_verdict == 1)
        tell_note(r, IK_WARNING, "%s", r->first_unsteady);
    else if (r->unsteady)
        tell_note(r, IK_WARNING, "%" PRIu64 " of %s %s not steady%s %s", r->unsteady,
                  IK_COUNT(r->with_verdict, "point"), r->unsteady == 1 ? "is" : "are",
                  r->unsteady == 1 ? ":" : "; the first:", r->first_unsteady);
}

/* Whether it stood still although its plan is proved free of deadlock; *text: what is kept of that,
 * to be freed with free(), NULL without memory. */
static bool contradicts_proof(const pool *w, const outcome *o, const point *p, char **text)
{
    static const char why[] = "contradicts its proof: the plan is proved free of deadlock, and "
                              "packets stood still. One of the two is wrong: a fault of ikat "
                              "itself, please report it with the experiment.\n";
    const char *cycle = o->result.deadlock_text ? o->result.deadlock_text : "";
    plan_flow flow = flow_of_switch(experiment_variant(w->r->e, p, SECTION_SWITCH));
    if (!o->result.deadlock || !plan_is_proved_free(pool_slot_of(w, o->number), flow))
        return false;
    size_t size = sizeof why + strlen(cycle);
    *text = malloc(size);
    if (*text)
        snprintf(*text, size, "%s%s", why, cycle);
    return true;
}

static void pool_tell_deadlock(runner *r, const point *p, const outcome *o, bool contradicts)
{
    char load[40] = "";
    if (o->load > 0)
        snprintf(load, sizeof load, " at load %.3g", o->load);
    tell_note(r, IK_ERROR, "%s with %s%s: deadlock at %.3f us%s",
              experiment_variant(r->e, p, SECTION_ROUTING)->label,
              experiment_variant(r->e, p, SECTION_TRAFFIC)->label, load,
              (double)o->result.end_ps / 1e6,
              contradicts ? ", although this plan is proved free of deadlock: proof and simulation "
                            "contradict each other, which is a fault of ikat itself; please report "
                            "it with the experiment"
                          : "");
    r->failed = true;
}

/* The point and what it took. */
static ik_status pool_store(const runner *r, const store_point *row, double seconds, ik_error *err)
{
    ik_status status = store_begin(r->store, err);
    if (status != IK_OK)
        return status;
    status = store_add_point(r->store, row, err);
    if (status == IK_OK)
        status = cost_keep(r, (uint64_t)row->id, seconds, err);
    if (status == IK_OK)
        return store_commit(r->store, err);
    store_rollback(r->store);
    return status;
}

static ik_status pool_keep(pool *w, int64_t fabric, const outcome *o, ik_error *err)
{
    runner *r = w->r;
    point p = experiment_point(r->e, o->number);
    char *params = NULL, *label = NULL, *contradiction = NULL;
    bool contradicts = contradicts_proof(w, o, &p, &contradiction);
    ik_status status = point_params(r, &p, &params, err);
    if (status == IK_OK)
        status = point_variant(r->e, &p, &label, err);
    if (status == IK_OK) {
        store_point row = {
            .id = (int64_t)o->number,
            .fabric = fabric,
            .plan = plan_id(pool_slot_of(w, o->number),
                            flow_of_switch(experiment_variant(r->e, &p, SECTION_SWITCH))),
            .params = params,
            .traffic = experiment_variant(r->e, &p, SECTION_TRAFFIC)->label,
            .variant = label,
            .load = o->load,
            .saturation_load = o->saturation_load,
            .saturation_most = o->saturation_most,
            .probes = o->probes,
            .hint = o->hint,
            .seed = experiment_seed(r->e, &p),
            .result = &o->result,
            .deadlock = contradiction,
            .reference = o->reference,
            .num_ports = w->fabric->num_ports,
            .num_hosts = w->fabric->num_hosts,
            .num_switches = w->fabric->num_switches,
            .jobs = o->jobs,
            .alone = o->alone,
            .num_jobs = o->num_jobs};
        hint_use_links(w->fabric, &o->result, &row.link_use_mean, &row.link_use_max);
        status = pool_store(r, &row, o->seconds, err);
    }
    if (status == IK_OK)
        status = checkpoints_forget(r, &o->checkpoints, err);
    if (status == IK_OK) {
        pool_note_unsent(r, &o->result.watch);
        pool_note_unsteady(r, &p, o);
        hint_note(r, &p, o->number, o->hint);
    }
    if (status == IK_OK && o->result.deadlock) {
        pool_tell_deadlock(r, &p, o, contradicts);
    } else if (status == IK_OK && o->result.finite && !o->result.completed) {
        const char *why = o->result.missing_text ? o->result.missing_text : "";
        size_t line = strcspn(why, "\n");
        const char *count = why + line + (why[line] != '\0');
        tell_note(r, IK_ERROR, "%s with %s: not completed after %.3f us: %.*s; %.*s",
                  experiment_variant(r->e, &p, SECTION_ROUTING)->label,
                  experiment_variant(r->e, &p, SECTION_TRAFFIC)->label,
                  (double)o->result.end_ps / 1e6, (int)line, why, (int)strcspn(count, "\n"), count);
        r->failed = true;
    }
    r->done += status == IK_OK;
    free(contradiction);
    free(label);
    free(params);
    return status;
}

/* Waits for something to do, at most 50 ms: the caller's cancel flag has no signal of its own.
 * Called with the mutex held. */
static void pool_wait_a_little(pool *w)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 50 * 1000 * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&w->changed, &w->mutex, &until);
}

/* Called with the mutex held. */
static void pool_pass_stage(pool *w)
{
    char text[sizeof w->stage];
    if (!w->stage[0])
        return;
    memcpy(text, w->stage, sizeof text);
    w->stage[0] = '\0';
    pthread_mutex_unlock(&w->mutex);
    tell_stage(w->r, "%s", text);
    pthread_mutex_lock(&w->mutex);
}

static void pool_collect(pool *w, int64_t fabric)
{
    pthread_mutex_lock(&w->mutex);
    while (w->working > 0 || w->head) {
        pool_pass_stage(w);
        outcome *o = w->head;
        if (!o) {
            pool_wait_a_little(w);
            if (ranks_are_cancelled(w->r->env))
                ik_cancel_raise(&w->stop);
            continue;
        }
        w->head = o->next;
        if (!w->head)
            w->tail = &w->head;
        bool unwritable = w->status == IK_ERR_IO; /* the disk is full: nothing more is written */
        pthread_mutex_unlock(&w->mutex);
        ik_error error = {0};
        ik_status status = unwritable ? IK_ERR_IO : pool_keep(w, fabric, o, &error);
        if (status == IK_OK)
            tell_point(w->r, false);
        pthread_mutex_lock(&w->mutex);
        if (status != IK_OK && w->status == IK_OK)
            pool_fail(w, o->number, status, &error);
        pool_free_outcome(o);
    }
    pthread_mutex_unlock(&w->mutex);
}

/* ---- how many in parallel */

static uint64_t count_unfinished(const pool *w)
{
    uint64_t count = 0;
    for (size_t s = 0; s < w->num_slots; s++)
        for (uint64_t i = 0; w->slots[s].plan && i < w->slots[s].num; i++)
            count += run_is_to_do(w->r, w->slots[s].first + i);
    return count;
}

enum { MOST_ESTIMATES = 256 };

/* The most of each that a point needs; of a large sweep, that a sample of its points does. */
static ik_sim_estimate estimate_largest(const pool *w, uint64_t points)
{
    const ik_experiment *e = w->r->e;
    ik_sim_estimate largest = {.useful_threads = 1};
    uint64_t stride = points / MOST_ESTIMATES + 1, count = 0, bytes = 0;
    for (size_t s = 0; s < w->num_slots; s++) {
        for (uint64_t i = 0; w->slots[s].plan && i < w->slots[s].num; i++) {
            if (!run_is_to_do(w->r, w->slots[s].first + i) || (count++ % stride && count != points))
                continue;
            point p = experiment_point(e, w->slots[s].first + i);
            ik_sim_config config = point_config(e, &p);
            ik_sim_estimate one;
            ik_sim_estimate_run(w->slots[s].plan, &config, &one);
            bytes = one.bytes > bytes ? one.bytes : bytes;
            if (one.useful_threads > largest.useful_threads ||
                (one.useful_threads == largest.useful_threads &&
                 one.hops_per_window > largest.hops_per_window))
                largest = one;
        }
    }
    largest.bytes = bytes;
    return largest;
}

static void start_and_collect(pool *w, unsigned side, int64_t fabric)
{
    pthread_t *threads = ik_calloc(side, sizeof *threads);
    unsigned started = 0;
    pthread_mutex_lock(&w->mutex);
    for (; threads && started < side; started++) {
        w->working++;
        if (pthread_create(&threads[started], NULL, pool_worker, w) != 0) {
            w->working--;
            break;
        }
    }
    if (started == 0) {
        ik_error error;
        pool_fail(w, 0, ik_fail_memory(&error, side * sizeof *threads, "worker threads"), &error);
    }
    pthread_mutex_unlock(&w->mutex);
    pool_collect(w, fabric);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static uint64_t pool_count_fabrics(const ik_experiment *e)
{
    uint64_t num = 0;
    for (size_t first = 0; first < e->num_plans; first += plans_on_fabric(e, first))
        num++;
    return num;
}

ik_status pool_run(runner *r, const ik_fabric *f, int64_t fabric, const plan_slot *slots,
                   size_t num_slots, ik_error *err)
{
    pool w = {.r = r,
              .fabric = f,
              .slots = slots,
              .num_slots = num_slots,
              .next = num_slots ? slots[0].first : 0};
    uint64_t points = count_unfinished(&w);
    if (points == 0)
        return IK_OK;
    w.tail = &w.head;
    share_wish wish = {points, r->env->memory_limit_bytes, r->num_jobs,
                       estimate_largest(&w, points)};
    ik_run_share share;
    if (r->env->ranks)
        share_choose_ranks(&wish, ik_ranks_count(r->env->ranks), &share);
    else
        share_choose(&wish, &share);
    share.fabrics = pool_count_fabrics(r->e);
    if (r->observer && r->observer->share)
        r->observer->share(r->observer->ctx, &share);
    pthread_mutex_init(&w.mutex, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC); /* the day's time may be set back */
    pthread_cond_init(&w.changed, &clock);
    pthread_condattr_destroy(&clock);
    w.quota = points - share.last;
    w.threads = share.threads;
    w.side = share.side;
    start_and_collect(&w, share.side, fabric);
    w.quota = share.last;
    w.threads = share.last_threads;
    w.side = share.last;
    if (share.last && !r->spent && !ik_cancel_raised(&w.stop))
        start_and_collect(&w, share.last, fabric);
    pthread_cond_destroy(&w.changed);
    pthread_mutex_destroy(&w.mutex);
    if (w.status != IK_OK) {
        if (err)
            *err = w.error;
        return w.status;
    }
    return ranks_are_cancelled(r->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : IK_OK;
}
