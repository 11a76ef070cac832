/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_watch.c: the time limit of a sweep. A thread, since a timer's signal would meet OpenSM's.
 */
#include "opensm/sm.h"

#include <signal.h>

static const uint64_t second_ps = UINT64_C(1000000000000);

/* Until this time after the beginning, or the end; true: the time is over. */
static bool sm_watch_wait(sm_watch *w, uint64_t time_ps)
{
    uint64_t nanoseconds = (uint64_t)w->began.tv_nsec + time_ps % second_ps / 1000;
    struct timespec until = {w->began.tv_sec + (time_t)(time_ps / second_ps) +
                                 (time_t)(nanoseconds / 1000000000),
                             (long)(nanoseconds % 1000000000)};
    int waited = 0;
    while (!w->ended && waited == 0)
        waited = pthread_cond_timedwait(&w->ends, &w->lock, &until);
    return !w->ended;
}

static void *sm_watch_run(void *argument)
{
    sm_watch *w = argument;
    pthread_mutex_lock(&w->lock);
    if (sm_watch_wait(w, w->time_ps / 2))
        ik_cancel_raise(&w->half);
    if (sm_watch_wait(w, w->time_ps))
        ik_cancel_raise(&w->over);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

ik_status sm_watch_begin(sm_watch *w, uint64_t time_ps, ik_error *err)
{
    pthread_condattr_t attributes;
    sigset_t all, before;
    *w = (sm_watch){.time_ps = time_ps};
    clock_gettime(CLOCK_MONOTONIC, &w->began);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->ends, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&all); /* OpenSM's signals are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = pthread_create(&w->thread, NULL, sm_watch_run, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (runs && time_ps < 1000) /* less than clocks tell: over before the thread runs */
        ik_cancel_raise(&w->over);
    if (runs)
        return IK_OK;
    pthread_cond_destroy(&w->ends);
    pthread_mutex_destroy(&w->lock);
    return ik_fail(err, IK_ERR_MEMORY, "no thread can be had that watches the time limit");
}

void sm_watch_end(sm_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_signal(&w->ends);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->ends);
    pthread_mutex_destroy(&w->lock);
}
