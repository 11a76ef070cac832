/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of messages, their exchange between threads, and what a partition reports at the end of a
 * run. */
#include "sim/parallel/exchange.h"
#include "sim/core/memory.h"
#include "sim/parallel/exchange.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lists */

sim_message *sim_message_list_add(sim_message_list *list)
{
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 1;
        sim_message *messages = sim_alloc(cap, sizeof *messages);
        if (!messages)
            return NULL;
        if (list->count)
            memcpy(messages, list->messages, list->count * sizeof *messages);
        free(list->messages);
        list->messages = messages;
        list->cap = cap;
    }
    if (list->count)
        list->messages[list->count - 1].more = 1;
    sim_message *m = &list->messages[list->count++];
    memset(m, 0, offsetof(sim_message, unit));
    return m;
}

void sim_message_list_free(sim_message_list *list)
{
    free(list->messages);
    *list = (sim_message_list){0};
}

/* ---- a partition's side */

/* With one message in each list: what ends a step must not fail. */
bool sim_endpoint_init(sim_endpoint *t, unsigned id, unsigned num_partitions)
{
    assert(id < num_partitions);
    *t = (sim_endpoint){.id = id, .num_partitions = num_partitions};
    for (unsigned k = 0; k < 2; k++) {
        t->out[k] = ik_calloc(num_partitions, sizeof *t->out[k]);
        for (unsigned q = 0; q < num_partitions; q++) {
            if (!t->out[k] || (q != id && !sim_message_list_add(&t->out[k][q])))
                return false;
            t->out[k][q].count = 0;
        }
    }
    t->own = ik_calloc(num_partitions, sizeof *t->own);
    t->in = ik_calloc(num_partitions, sizeof *t->in);
    return t->own && t->in;
}

uint64_t sim_endpoint_first_bytes(unsigned num_partitions)
{
    sim_endpoint t;
    return num_partitions * (3 * sizeof *t.own + sizeof *t.in) +
           2 * (num_partitions - 1ull) * sizeof(sim_message);
}

void sim_endpoint_free(sim_endpoint *t)
{
    sim_message_list *lists[] = {t->out[0], t->out[1], t->own};
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned q = 0; lists[k] && q < t->num_partitions; q++)
            sim_message_list_free(&lists[k][q]);
        free(lists[k]);
    }
    free(t->in);
}

uint64_t sim_endpoint_bytes(const sim_endpoint *t)
{
    uint64_t messages = 0;
    for (unsigned q = 0; q < t->num_partitions; q++)
        messages += (uint64_t)t->out[0][q].cap + t->out[1][q].cap + t->own[q].cap;
    return (messages - 2 * (t->num_partitions - 1ull)) * sizeof(sim_message);
}

/* Tells the others in every list. */
static void exchange_close_lists(const sim_endpoint *t, const sim_step_report *own)
{
    for (unsigned q = 0; q < t->num_partitions; q++) {
        sim_message_list *list = &t->out[t->step & 1][q];
        if (q == t->id)
            continue;
        if (!list->count)
            sim_message_list_add(list); /* there is room for one */
        sim_message *m = list->messages;
        m->next = own->next;
        m->bytes = own->bytes;
        m->stop = (uint8_t)(own->stop | own->busy << 1 | own->save << 2);
        m->step = t->step;
        m->events = own->most;
    }
}

/* Lists of the next step; what they held was read by the others a step ago. */
static void exchange_open_lists(sim_endpoint *t)
{
    t->step++;
    for (unsigned q = 0; q < t->num_partitions; q++)
        t->out[t->step & 1][q].count = 0;
}

void sim_endpoint_swap(sim_endpoint *t, sim_exchange *x, sim_step_report *report, ik_status *status,
                       ik_error *err)
{
    if (!x)
        return;
    ik_error mine = {0};
    exchange_close_lists(t, report);
    ik_status swapped = x->swap(x, t->id, t->out[t->step & 1], t->own, t->in, &mine);
    if (swapped != IK_OK) {
        report->stop = true;
        if (*status == IK_OK)
            *err = mine;
        *status = *status == IK_OK ? swapped : *status;
        return;
    }
    for (unsigned q = 0; q < t->num_partitions; q++) {
        if (q == t->id)
            continue;
        const sim_message *m = t->in[q]->messages;
        assert(t->in[q]->count > 0); /* at least the one that exchange_close_lists() adds */
        report->next = m->next < report->next ? m->next : report->next;
        report->bytes += m->bytes;
        report->most = m->events > report->most ? m->events : report->most;
        report->stop |= m->stop & 1;
        report->busy |= m->stop >> 1 & 1;
        report->save |= m->stop >> 2 & 1;
    }
    t->busiest += report->most;
    exchange_open_lists(t);
}

/* ---- threads: a barrier, and everybody reads the others' lists where they are */

enum { LONGEST_LOOK = 2048 };

/* Waiting looks a while, then sleeps. A sleep costs several microseconds, so looking is worth that
 * much; but where processors are short, looking keeps the others from working. So who had to sleep
 * looks half as long the next time, who had not, longer. */
typedef struct post {
    _Alignas(64) const
        sim_message_list *lists[2]; /* that the partition swaps, by the parity of its swaps */
    unsigned swaps;
    unsigned look;
} post;
typedef struct threads_exchange {
    sim_exchange exchange;
    unsigned num_partitions;
    unsigned longest; /* look; 0 where partitions outnumber processors */
    post *posts;      /* [partition] */
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
} threads_exchange;

SIM_INLINE void exchange_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void exchange_sleep_until(threads_exchange *x, unsigned round)
{
    pthread_mutex_lock(&x->lock);
    while (atomic_load_explicit(&x->round, memory_order_acquire) == round)
        pthread_cond_wait(&x->all_here, &x->lock);
    pthread_mutex_unlock(&x->lock);
}

static void exchange_barrier(sim_exchange *exchange, unsigned id)
{
    threads_exchange *x = (threads_exchange *)exchange;
    assert(id < x->num_partitions);
    unsigned *look = &x->posts[id].look,
             round = atomic_load_explicit(&x->round, memory_order_acquire);
    if (atomic_fetch_add_explicit(&x->arrived, 1, memory_order_acq_rel) + 1 == x->num_partitions) {
        atomic_store_explicit(&x->arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&x->lock);
        atomic_store_explicit(&x->round, round + 1, memory_order_release);
        pthread_cond_broadcast(&x->all_here);
        pthread_mutex_unlock(&x->lock);
        return;
    }
    for (unsigned tries = 0; tries < *look; tries++) {
        if (atomic_load_explicit(&x->round, memory_order_acquire) != round) {
            *look = *look < x->longest / 2 ? *look * 2 : x->longest;
            return;
        }
        exchange_relax();
    }
    *look = *look > 64 ? *look / 2 : *look;
    exchange_sleep_until(x, round);
}

static ik_status exchange_swap(sim_exchange *exchange, unsigned id, const sim_message_list *out,
                               sim_message_list *own, const sim_message_list **in, ik_error *err)
{
    threads_exchange *x = (threads_exchange *)exchange;
    /* a partition may be one swap ahead of others, never two */
    unsigned parity = x->posts[id].swaps++ & 1;
    (void)own;
    (void)err;
    x->posts[id].lists[parity] = out;
    exchange_barrier(exchange, id);
    for (unsigned q = 0; q < x->num_partitions; q++)
        in[q] = &x->posts[q].lists[parity][id];
    return IK_OK;
}

sim_exchange *sim_threads_exchange(unsigned num_partitions)
{
    assert(num_partitions > 0);
    threads_exchange *x = sim_alloc_zeroed(1, sizeof *x);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!x)
        return NULL;
    x->exchange = (sim_exchange){.swap = exchange_swap, .barrier = exchange_barrier};
    x->num_partitions = num_partitions;
    x->longest = online > 0 && (unsigned long)online < num_partitions ? 0 : LONGEST_LOOK;
    x->posts = sim_alloc_zeroed(num_partitions, sizeof *x->posts);
    if (!x->posts || pthread_mutex_init(&x->lock, NULL) != 0) {
        free(x->posts);
        free(x);
        return NULL;
    }
    if (pthread_cond_init(&x->all_here, NULL) != 0) {
        pthread_mutex_destroy(&x->lock);
        free(x->posts);
        free(x);
        return NULL;
    }
    for (unsigned q = 0; q < num_partitions; q++)
        x->posts[q].look = x->longest;
    return &x->exchange;
}

void sim_threads_exchange_free(sim_exchange *exchange)
{
    threads_exchange *x = (threads_exchange *)exchange;
    if (!x)
        return;
    pthread_cond_destroy(&x->all_here);
    pthread_mutex_destroy(&x->lock);
    free(x->posts);
    free(x);
}
