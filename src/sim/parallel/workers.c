/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads for the partitions of a run. */
#include "sim/parallel/workers.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct worker_group {
    void (*run)(void *partition);
    pthread_mutex_t gate; /* held until all threads exist */
    bool abandoned;
} worker_group;
typedef struct worker {
    worker_group *worker_group;
    void *partition;
    pthread_t thread;
} worker;

static void *workers_work(void *arg)
{
    worker *h = arg;
    pthread_mutex_lock(&h->worker_group->gate);
    bool abandoned = h->worker_group->abandoned;
    pthread_mutex_unlock(&h->worker_group->gate);
    if (!abandoned)
        h->worker_group->run(h->partition);
    return NULL;
}

double sim_thread_seconds(void)
{
    return ik_clock_s(CLOCK_THREAD_CPUTIME_ID);
}

ik_status sim_workers_run(unsigned num, void *partitions, size_t size, void (*run)(void *partition),
                          double *seconds, ik_error *err)
{
    double begin = ik_clock_s(CLOCK_MONOTONIC);
    worker_group c = {.run = run, .abandoned = false};
    unsigned started = 1;
    worker *workers = ik_calloc(num, sizeof *workers);
    if (!workers)
        return ik_fail_memory(err, num * sizeof *workers, "threads");
    if (pthread_mutex_init(&c.gate, NULL) != 0) {
        free(workers);
        return ik_fail(err, IK_ERR_MEMORY, "cannot make a lock");
    }
    pthread_mutex_lock(&c.gate);
    for (; started < num; started++) {
        workers[started] =
            (worker){.worker_group = &c, .partition = (char *)partitions + started * size};
        if (pthread_create(&workers[started].thread, NULL, workers_work, &workers[started]) != 0)
            break;
    }
    c.abandoned = started < num;
    pthread_mutex_unlock(&c.gate);
    if (!c.abandoned)
        run(partitions);
    for (unsigned k = 1; k < started; k++)
        pthread_join(workers[k].thread, NULL);
    pthread_mutex_destroy(&c.gate);
    free(workers);
    *seconds = ik_clock_s(CLOCK_MONOTONIC) - begin;
    return c.abandoned ? ik_fail(err, IK_ERR_MEMORY, "only %u of %s could be started", started,
                                 IK_COUNT(num, "thread"))
                       : IK_OK;
}
