/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads for the parts of a run. */
#include "sim/parallel/workers.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct crew {
    void (*run)(void *part);
    pthread_mutex_t gate; /* held until all threads exist */
    bool abandoned;
} crew;
typedef struct hand {
    crew *crew;
    void *part;
    pthread_t thread;
} hand;

static void *work(void *arg)
{
    hand *h = arg;
    pthread_mutex_lock(&h->crew->gate);
    bool abandoned = h->crew->abandoned;
    pthread_mutex_unlock(&h->crew->gate);
    if (!abandoned)
        h->crew->run(h->part);
    return NULL;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

double sim_thread_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

ik_status sim_crew_run(unsigned num, void *parts, size_t size, void (*run)(void *part),
                       double *seconds, ik_error *err)
{
    double begin = seconds_of(CLOCK_MONOTONIC);
    crew c = {.run = run, .abandoned = false};
    unsigned started = 1;
    hand *hands = ik_calloc(num, sizeof *hands);
    if (!hands)
        return ik_fail_memory(err, num * sizeof *hands, "threads");
    if (pthread_mutex_init(&c.gate, NULL) != 0) {
        free(hands);
        return ik_fail(err, IK_ERR_MEMORY, "cannot make a lock");
    }
    pthread_mutex_lock(&c.gate);
    for (; started < num; started++) {
        hands[started] = (hand){.crew = &c, .part = (char *)parts + started * size};
        if (pthread_create(&hands[started].thread, NULL, work, &hands[started]) != 0)
            break;
    }
    c.abandoned = started < num;
    pthread_mutex_unlock(&c.gate);
    if (!c.abandoned)
        run(parts);
    for (unsigned k = 1; k < started; k++)
        pthread_join(hands[k].thread, NULL);
    pthread_mutex_destroy(&c.gate);
    free(hands);
    *seconds = seconds_of(CLOCK_MONOTONIC) - begin;
    return c.abandoned
               ? ik_fail(err, IK_ERR_MEMORY, "only %u of %u threads could be started", started, num)
               : IK_OK;
}
