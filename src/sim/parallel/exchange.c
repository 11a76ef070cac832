/* SPDX-License-Identifier: Apache-2.0
 *
 * Boxes of messages, their exchange between threads, and what a part has to tell at the end of a
 * run. */
#include "sim/parallel/exchange.h"
#include "sim/measure/classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- boxes */

sim_message *sim_box_add(sim_box *box)
{
    if (box->count == box->cap) {
        uint32_t cap = box->cap ? box->cap * 2 : 1;
        sim_message *messages = sim_alloc(cap, sizeof *messages);
        if (!messages)
            return NULL;
        if (box->count)
            memcpy(messages, box->messages, box->count * sizeof *messages);
        free(box->messages);
        box->messages = messages;
        box->cap = cap;
    }
    if (box->count)
        box->messages[box->count - 1].more = 1;
    sim_message *m = &box->messages[box->count++];
    memset(m, 0, offsetof(sim_message, unit));
    return m;
}

void sim_box_free(sim_box *box)
{
    free(box->messages);
    *box = (sim_box){0};
}

/* ---- a part's side */

/* With one message in each box: what ends a step must not fail. */
bool sim_mail_init(sim_mail *t, unsigned id, unsigned num_parts)
{
    *t = (sim_mail){.id = id, .num_parts = num_parts};
    for (unsigned k = 0; k < 2; k++) {
        t->out[k] = ik_calloc(num_parts, sizeof *t->out[k]);
        for (unsigned q = 0; q < num_parts; q++) {
            if (!t->out[k] || (q != id && !sim_box_add(&t->out[k][q])))
                return false;
            t->out[k][q].count = 0;
        }
    }
    t->own = ik_calloc(num_parts, sizeof *t->own);
    t->in = ik_calloc(num_parts, sizeof *t->in);
    return t->own && t->in;
}

void sim_mail_free(sim_mail *t)
{
    sim_box *boxes[] = {t->out[0], t->out[1], t->own};
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned q = 0; boxes[k] && q < t->num_parts; q++)
            sim_box_free(&boxes[k][q]);
        free(boxes[k]);
    }
    free(t->in);
}

uint64_t sim_mail_bytes(const sim_mail *t)
{
    uint64_t bytes = 0;
    for (unsigned q = 0; q < t->num_parts; q++)
        bytes +=
            ((uint64_t)t->out[0][q].cap + t->out[1][q].cap + t->own[q].cap) * sizeof(sim_message);
    return bytes;
}

/* Tells the others in every box. */
static void close_boxes(const sim_mail *t, const sim_news *own)
{
    for (unsigned q = 0; q < t->num_parts; q++) {
        sim_box *box = &t->out[t->step & 1][q];
        if (q == t->id)
            continue;
        if (!box->count)
            sim_box_add(box); /* there is room for one */
        sim_message *m = box->messages;
        m->next = own->next;
        m->bytes = own->bytes;
        m->stop = own->stop;
        m->step = t->step;
        m->events = own->most;
    }
}

/* Boxes of the next step; what they held was read by the others a step ago. */
static void open_boxes(sim_mail *t)
{
    t->step++;
    for (unsigned q = 0; q < t->num_parts; q++)
        t->out[t->step & 1][q].count = 0;
}

ik_status sim_mail_swap(sim_mail *t, sim_exchange *x, sim_news *news, ik_error *err)
{
    close_boxes(t, news);
    ik_status status = x->swap(x, t->id, t->out[t->step & 1], t->own, t->in, err);
    if (status != IK_OK) {
        news->stop = true;
        return status;
    }
    for (unsigned q = 0; q < t->num_parts; q++) {
        if (q == t->id)
            continue;
        const sim_message *m = t->in[q]->messages;
        news->next = m->next < news->next ? m->next : news->next;
        news->bytes += m->bytes;
        news->most = m->events > news->most ? m->events : news->most;
        news->stop |= m->stop != 0;
    }
    t->busiest += news->most;
    open_boxes(t);
    return IK_OK;
}

/* ---- threads: a barrier, and everybody reads the others' boxes where they are */

enum { LONGEST_LOOK = 2048 };

/* Waiting looks a while, then sleeps. A sleep costs several microseconds, so looking is worth that
 * much; but where processors are short, looking keeps the others from working. So who had to sleep
 * looks half as long the next time, who had not, longer. */
typedef struct post {
    _Alignas(64) const sim_box *boxes[2]; /* that the part swaps, by the parity of its swaps */
    unsigned swaps;
    unsigned look;
} post;
typedef struct threads_exchange {
    sim_exchange exchange;
    unsigned num_parts;
    unsigned longest; /* look; 0 where parts outnumber processors */
    post *posts;      /* [part] */
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
} threads_exchange;

SIM_INLINE void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void sleep_until(threads_exchange *x, unsigned round)
{
    pthread_mutex_lock(&x->lock);
    while (atomic_load_explicit(&x->round, memory_order_acquire) == round)
        pthread_cond_wait(&x->all_here, &x->lock);
    pthread_mutex_unlock(&x->lock);
}

static void meet(sim_exchange *exchange, unsigned id)
{
    threads_exchange *x = (threads_exchange *)exchange;
    unsigned *look = &x->posts[id].look,
             round = atomic_load_explicit(&x->round, memory_order_acquire);
    if (atomic_fetch_add_explicit(&x->arrived, 1, memory_order_acq_rel) + 1 == x->num_parts) {
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
        relax();
    }
    *look = *look > 64 ? *look / 2 : *look;
    sleep_until(x, round);
}

static ik_status swap(sim_exchange *exchange, unsigned id, const sim_box *out, sim_box *own,
                      const sim_box **in, ik_error *err)
{
    threads_exchange *x = (threads_exchange *)exchange;
    /* a part may be one swap ahead of others, never two */
    unsigned parity = x->posts[id].swaps++ & 1;
    (void)own;
    (void)err;
    x->posts[id].boxes[parity] = out;
    meet(exchange, id);
    for (unsigned q = 0; q < x->num_parts; q++)
        in[q] = &x->posts[q].boxes[parity][id];
    return IK_OK;
}

sim_exchange *sim_threads_exchange(unsigned num_parts)
{
    threads_exchange *x = sim_alloc_zeroed(1, sizeof *x);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!x)
        return NULL;
    x->exchange = (sim_exchange){.swap = swap, .meet = meet};
    x->num_parts = num_parts;
    x->longest = online > 0 && (unsigned long)online < num_parts ? 0 : LONGEST_LOOK;
    x->posts = sim_alloc_zeroed(num_parts, sizeof *x->posts);
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
    for (unsigned q = 0; q < num_parts; q++)
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

/* ---- results of a part */

typedef struct carrier {
    unsigned char *to;         /* packing */
    const unsigned char *from; /* unpacking */
    size_t bytes;
} carrier;

static void carry(carrier *c, void *data, size_t bytes)
{
    if (c->to)
        memcpy(c->to + c->bytes, data, bytes);
    if (c->from)
        memcpy(data, c->from + c->bytes, bytes);
    c->bytes += bytes;
}

static void carry_histogram(carrier *c, histo *t)
{
    carry(c, t->buckets, HISTO_BUCKETS * sizeof *t->buckets);
    carry(c, &t->count, sizeof t->count);
    carry(c, &t->sum, sizeof t->sum);
    carry(c, &t->min, sizeof t->min);
    carry(c, &t->max, sizeof t->max);
}

static void carry_classes(carrier *c, class_stats *classes)
{
    for (unsigned k = 0; classes && k < classes->num; k++) {
        class_counts *counts = &classes->of[k];
        carry(c, &counts->offered_bytes, sizeof counts->offered_bytes);
        carry(c, &counts->window_bytes, sizeof counts->window_bytes);
        carry_histogram(c, &counts->latency);
        if (classes->num_series)
            carry(c, counts->series_bytes, 3 * classes->num_series * sizeof *counts->series_bytes);
    }
}

static void carry_node(carrier *c, sim *s, uint32_t node)
{
    const ik_fabric *f = s->f;
    carry(c, s->channel_bytes + f->port_base[node],
          (f->port_base[node + 1] - f->port_base[node]) * sizeof *s->channel_bytes);
    if (ik_is_switch(f, node)) {
        for (size_t period = 0; period < s->num_series; period++)
            carry(c, &s->series_blocked[period * f->num_switches + node],
                  sizeof *s->series_blocked);
        return;
    }
    uint32_t host = ik_node_host(f, node);
    carry(c, &s->hosts[host].hash, sizeof s->hosts[host].hash);
    carry(c, &s->host_bytes[host], sizeof *s->host_bytes);
    carry(c, &s->host_sent_bytes[host], sizeof *s->host_sent_bytes);
}

static size_t carry_part(carrier c, sim *s, part *p)
{
    carry(&c, &p->n, sizeof p->n);
    carry(&c, &p->cpu_seconds, sizeof p->cpu_seconds);
    carry_histogram(&c, &p->latency);
    carry_histogram(&c, &p->network);
    if (s->num_series)
        carry(&c, p->series_bytes, 3 * s->num_series * sizeof *p->series_bytes);
    carry_classes(&c, p->classes);
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++)
        if (s->node_part[node] == p->id)
            carry_node(&c, s, node);
    return c.bytes;
}

size_t sim_results_pack(sim *s, unsigned id, unsigned char *bytes)
{
    return carry_part((carrier){.to = bytes}, s, &s->parts[id]);
}

size_t sim_results_unpack(sim *s, unsigned id, const unsigned char *bytes)
{
    return carry_part((carrier){.from = bytes}, s, &s->parts[id]);
}
