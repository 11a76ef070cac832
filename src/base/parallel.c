/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel.c: a parallel loop over independent indices. Threads take chunks from a shared counter;
 * results must not depend on who takes what, and of several failures the one of the lowest index is
 * returned, so that messages do not vary either.
 */
#include "ikat/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

typedef struct loop {
    const ik_env *env;
    const char *what, *unit;
    size_t count, chunk;
    ik_parallel_fn fn;
    void *ctx;
    atomic_size_t next, done;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards the three below */
    ik_status status;
    size_t failed_index;
    ik_error error;
} loop;

typedef struct worker {
    loop *loop;
    unsigned thread;
    pthread_t handle;
} worker;

unsigned ik_env_threads(const ik_env *env)
{
    return env && env->num_threads > 1 ? env->num_threads : 1;
}

static void parallel_record_failure(loop *l, size_t index, ik_status status, const ik_error *error)
{
    pthread_mutex_lock(&l->lock);
    if (l->status == IK_OK || index < l->failed_index) {
        l->status = status;
        l->failed_index = index;
        l->error = *error;
    }
    pthread_mutex_unlock(&l->lock);
    atomic_store(&l->stop, true);
}

static void parallel_work(loop *l, unsigned thread)
{
    double reported = 0;
    while (!atomic_load(&l->stop)) {
        size_t first = atomic_fetch_add(&l->next, l->chunk);
        if (first >= l->count)
            break;
        size_t end = first + l->chunk < l->count ? first + l->chunk : l->count;
        for (size_t i = first; i < end; i++) {
            ik_error error = {0};
            ik_status status = ik_env_cancelled(l->env)
                                   ? ik_fail(&error, IK_ERR_CANCELLED, "cancelled")
                                   : l->fn(l->ctx, i, thread, &error);
            if (status != IK_OK) {
                parallel_record_failure(l, i, status, &error);
                return;
            }
        }
        size_t done = atomic_fetch_add(&l->done, end - first) + (end - first);
        if (thread == 0 && l->env && l->env->progress && l->what &&
            ik_clock_s(CLOCK_MONOTONIC) - reported > 0.05) {
            reported = ik_clock_s(CLOCK_MONOTONIC);
            l->env->progress(l->env->progress_ctx, l->what, done, l->count, l->unit);
        }
    }
}

static void *parallel_thread_main(void *arg)
{
    worker *w = arg;
    parallel_work(w->loop, w->thread);
    return NULL;
}

ik_status ik_parallel_for(const ik_env *env, const char *what, size_t count, ik_parallel_fn fn,
                          void *ctx, ik_error *err)
{
    return ik_parallel_for_units(env, what, "", count, fn, ctx, err);
}

ik_status ik_parallel_for_units(const ik_env *env, const char *what, const char *unit, size_t count,
                                ik_parallel_fn fn, void *ctx, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    if (threads > count)
        threads = count ? (unsigned)count : 1;
    loop l = {.env = env, .what = what, .unit = unit, .count = count, .fn = fn, .ctx = ctx};
    l.chunk = count / (threads * 32u) + 1;
    worker *workers = ik_calloc(threads, sizeof *workers);
    if (!workers)
        return ik_fail_memory(err, threads * sizeof *workers, "threads");
    pthread_mutex_init(&l.lock, NULL);
    unsigned started = 1;
    for (; started < threads; started++) {
        workers[started] = (worker){.loop = &l, .thread = started};
        if (pthread_create(&workers[started].handle, NULL, parallel_thread_main,
                           &workers[started]) != 0)
            break; /* fewer threads give the same result */
    }
    parallel_work(&l, 0);
    for (unsigned t = 1; t < started; t++)
        pthread_join(workers[t].handle, NULL);
    pthread_mutex_destroy(&l.lock);
    free(workers);
    if (l.status != IK_OK && err)
        *err = l.error;
    if (l.status == IK_OK && env && env->progress && what && count)
        env->progress(env->progress_ctx, what, count, count, unit);
    return l.status;
}
