/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_model.h: random programs, and a plain reference for them: a global list of events, searched
 * from end to end for the next one, on a crossbar with output queues. Messages are one packet each.
 */
#ifndef GOAL_MODEL_H
#define GOAL_MODEL_H

#include "unit/made.h"

enum { MOST_OPS = 80, MOST_RANKS = 6, MOST_EVENTS = 4000, ANY = -1 };
enum { CALC, SEND, RECV };
enum { AT_ARRIVAL, AT_SEND, AT_RECV, AT_CALC, AT_SWITCH };
/* Messages of a send: itself, or with a handshake the request, the clear to send, the data. */
enum { WHOLE, REQUEST, CLEAR, DATA };

typedef struct model_op {
    int rank, kind, peer, tag, cpu;
    uint64_t amount; /* ps or bytes */
    int before[3], num_before;
    bool on_start[3];
    bool sync; /* a send with a handshake, however small */
    int comm;
    /* ---- state */
    int left, mate;
    bool turn[4]; /* the gap before this message of it is over */
    bool begun, handed, here, done;
    uint64_t ready, here_at;
    unsigned here_order, begun_order;
} model_op;

typedef struct model_event {
    uint64_t t;
    int what, op, message;
} model_event;

typedef struct model {
    int ranks, num;
    model_op op[MOST_OPS];
    uint64_t overhead, eager; /* ps; bytes, UINT64_MAX = a send is done when it has left */
    uint64_t latency, ps_per_byte;
    bool handshake;
    uint64_t gap;                              /* between messages of a host */
    uint64_t local_latency, local_ps_per_byte; /* between ranks of a host */
    int host_of[MOST_RANKS];
    /* ---- state */
    model_event event[MOST_EVENTS];
    int events;
    uint64_t cpu[MOST_RANKS][4], link[MOST_RANKS], out[MOST_RANKS], finish[MOST_RANKS],
        gap_free[MOST_RANKS];
    unsigned order;
} model;

static inline void model_post_of(model *m, uint64_t t, int what, int op, int message)
{
    assert_true(m->events < MOST_EVENTS);
    m->event[m->events++] = (model_event){t, what, op, message};
}

static inline void model_post(model *m, uint64_t t, int what, int op)
{
    model_post_of(m, t, what, op, WHOLE);
}

/* Of events of one time and kind: at the switch by the host that sent it, which is its input;
 * elsewhere by rank, then as the rank's program has them, then what clears to send, in the order of
 * all programs. What arrives at a rank is in the order of its senders: host, rank, program. */
static inline int model_key(const model *m, const model_event *e)
{
    const model_op *o = &m->op[e->op];
    bool control = e->message == CLEAR || (e->message == REQUEST && e->what == AT_ARRIVAL);
    bool at_peer = (e->message == CLEAR) != (e->what == AT_ARRIVAL);
    int rank = at_peer ? o->peer : o->rank, place = e->op;
    if (e->what == AT_SWITCH)
        return m->host_of[rank];
    if (control)
        place = 50000 + o->rank * 5000 + e->op * 4 + e->message;
    else if (e->what == AT_ARRIVAL)
        place += (m->host_of[o->rank] * MOST_RANKS + o->rank) * MOST_OPS;
    return rank * 100000 + place;
}

static inline bool model_earlier(const model *m, const model_event *a, const model_event *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    return a->what != b->what ? a->what < b->what : model_key(m, a) < model_key(m, b);
}

static inline bool model_asks(const model *m, int op)
{
    return m->handshake && (m->op[op].sync || m->op[op].amount > m->eager);
}

static inline void model_less(model *m, int op, uint64_t t)
{
    static const int what[] = {[CALC] = AT_CALC, [SEND] = AT_SEND, [RECV] = AT_RECV};
    model_op *o = &m->op[op];
    o->ready = t > o->ready ? t : o->ready;
    if (--o->left == 0)
        model_post(m, o->ready, what[o->kind], op);
}

static inline void model_tell(model *m, int op, bool start, uint64_t t)
{
    for (int k = 0; k < m->num; k++)
        for (int i = 0; i < m->op[k].num_before; i++)
            if (m->op[k].before[i] == op && m->op[k].on_start[i] == start)
                model_less(m, k, t);
}

static inline void model_end(model *m, int op, uint64_t t)
{
    model_op *o = &m->op[op];
    o->done = true;
    m->finish[o->rank] = t > m->finish[o->rank] ? t : m->finish[o->rank];
    model_tell(m, op, false, t);
}

static inline uint64_t model_cpu(model *m, model_op *o, uint64_t now, uint64_t time)
{
    uint64_t *cpu = &m->cpu[o->rank][o->cpu], begin = *cpu > now ? *cpu : now;
    *cpu = begin + time;
    return begin;
}

static inline bool model_has_any(const model *m, int rank)
{
    for (int k = 0; k < m->num; k++)
        if (m->op[k].rank == rank && m->op[k].kind == RECV &&
            (m->op[k].peer == ANY || m->op[k].tag == ANY))
            return true;
    return false;
}

static inline bool model_fits(const model *m, int recv, int send)
{
    const model_op *r = &m->op[recv], *s = &m->op[send];
    return r->kind == RECV && s->kind == SEND && s->peer == r->rank && r->comm == s->comm &&
           (r->peer == ANY || r->peer == s->rank) && (r->tag == ANY || r->tag == s->tag);
}

/* May recv take send, which is there? Not before one that stands before it and fits as well;
 * and where no receive says "any", the k-th takes the k-th. */
static inline bool model_may(const model *m, int recv, int send)
{
    if (!model_fits(m, recv, send) || m->op[recv].mate >= 0 || m->op[send].mate >= 0)
        return false;
    if (!model_has_any(m, m->op[recv].rank)) {
        int nth = 0;
        for (int k = 0; k < m->num; k++) {
            nth += k < recv && m->op[k].kind == RECV && m->op[k].rank == m->op[recv].rank &&
                   m->op[k].peer == m->op[recv].peer && m->op[k].tag == m->op[recv].tag &&
                   m->op[k].comm == m->op[recv].comm;
            nth -= k < send && model_fits(m, recv, k) && m->op[k].rank == m->op[send].rank;
        }
        return nth == 0;
    }
    for (int k = 0; k < send; k++)
        if (m->op[k].rank == m->op[send].rank && model_fits(m, recv, k) && m->op[k].mate < 0)
            return false;
    return true;
}

static inline void model_recv_end(model *m, int recv, uint64_t now)
{
    model_op *o = &m->op[recv];
    uint64_t begin = m->overhead ? model_cpu(m, o, now, m->overhead) : now;
    model_end(m, recv, begin + m->overhead);
}

/* All of its message is there. */
static inline void model_come(model *m, int recv, uint64_t now)
{
    m->op[recv].here = true;
    if (m->overhead)
        model_post(m, now, AT_RECV, recv);
    else
        model_recv_end(m, recv, now);
}

/* The pair that matches now, if any: first receives by their begin, then messages by arrival, and
 * the new one is one of the two. */
static inline void model_match(model *m, int rank, uint64_t now)
{
    int best_r = -1, best_s = -1;
    do {
        best_r = best_s = -1;
        for (int s = 0; s < m->num; s++)
            for (int r = 0; r < m->num && m->op[s].here; r++) {
                if (m->op[r].rank != rank || !m->op[r].begun || !model_may(m, r, s))
                    continue;
                bool better = best_s < 0 || m->op[s].here_order < m->op[best_s].here_order ||
                              (s == best_s && m->op[r].begun_order < m->op[best_r].begun_order);
                if (better) {
                    best_s = s;
                    best_r = r;
                }
            }
        if (best_s < 0)
            return;
        m->op[best_r].mate = best_s;
        m->op[best_s].mate = best_r;
        if (model_asks(m, best_s))
            model_post_of(m, now, AT_SEND, best_s, CLEAR);
        else
            model_come(m, best_r, now);
    } while (true);
}

/* A message of a send goes out. */
static inline void model_hand_over(model *m, int op, int message, uint64_t now)
{
    model_op *o = &m->op[op];
    int from = message == CLEAR ? o->peer : o->rank, to = message == CLEAR ? o->rank : o->peer,
        host = m->host_of[from];
    uint64_t bytes = message == REQUEST || message == CLEAR ? 1 : o->amount, left;
    bool done = message == WHOLE || message == DATA,
         early = m->handshake ? bytes <= m->eager : m->eager != UINT64_MAX;
    if (host == m->host_of[to]) {
        left = now + bytes * m->local_ps_per_byte;
        model_post_of(m, left + m->local_latency, AT_ARRIVAL, op, message);
    } else {
        if (m->gap && !o->turn[message]) {
            uint64_t enters = m->gap_free[host] > now ? m->gap_free[host] : now;
            m->gap_free[host] = enters + m->gap;
            o->turn[message] = true;
            if (enters > now) {
                model_post_of(m, enters, AT_SEND, op, message);
                return;
            }
        }
        uint64_t *link = &m->link[host], start = *link > now ? *link : now;
        left = *link = start + bytes * m->ps_per_byte;
        model_post_of(m, start + m->latency, AT_SWITCH, op, message);
    }
    if (early)
        left = now;
    if (done)
        model_end(m, op, left);
    m->finish[from] = left > m->finish[from] ? left : m->finish[from];
}

static inline void model_send(model *m, int op, int message, uint64_t now)
{
    model_op *o = &m->op[op];
    if (message == WHOLE && model_asks(m, op))
        message = REQUEST;
    if (!o->begun) {
        o->begun = true;
        uint64_t begin = m->overhead ? model_cpu(m, o, now, m->overhead) : now;
        model_tell(m, op, true, begin);
        if (m->overhead) {
            model_post_of(m, begin + m->overhead, AT_SEND, op, message);
            return;
        }
    }
    model_hand_over(m, op, message, now);
}

static inline void model_arrive(model *m, int op, int message, uint64_t now)
{
    model_op *o = &m->op[op];
    int to = message == CLEAR ? o->rank : o->peer;
    if (message == REQUEST || message == CLEAR)
        m->finish[to] = now > m->finish[to] ? now : m->finish[to];
    if (message == CLEAR) {
        model_post_of(m, now, AT_SEND, op, DATA);
    } else if (message == DATA) {
        model_come(m, o->mate, now);
    } else {
        o->here = true;
        o->here_order = ++m->order;
        model_match(m, o->peer, now);
    }
}

static inline void model_take(model *m, model_event e)
{
    model_op *o = &m->op[e.op];
    uint64_t begin;
    int host;
    switch (e.what) {
    case AT_SWITCH:
        host = m->host_of[e.message == CLEAR ? o->rank : o->peer];
        begin = m->out[host] > e.t ? m->out[host] : e.t;
        m->out[host] =
            begin + (e.message == REQUEST || e.message == CLEAR ? 1 : o->amount) * m->ps_per_byte;
        model_post_of(m, m->out[host] + m->latency, AT_ARRIVAL, e.op, e.message);
        return;
    case AT_ARRIVAL:
        model_arrive(m, e.op, e.message, e.t);
        return;
    case AT_SEND:
        model_send(m, e.op, e.message, e.t);
        return;
    case AT_RECV:
        if (o->begun) {
            model_recv_end(m, e.op, e.t);
            return;
        }
        o->begun = true;
        o->begun_order = ++m->order;
        model_tell(m, e.op, true, e.t);
        model_match(m, o->rank, e.t);
        return;
    default:
        begin = model_cpu(m, o, e.t, o->amount);
        model_tell(m, e.op, true, begin);
        model_end(m, e.op, begin + o->amount);
    }
}

/* Runs it; whether all is done. Times of the last ends in m->finish. */
static inline bool model_run(model *m)
{
    for (int k = 0; k < m->num; k++) {
        m->op[k].left = m->op[k].num_before;
        m->op[k].mate = -1;
        if (!m->op[k].left) {
            m->op[k].left = 1;
            model_less(m, k, 0);
        }
    }
    while (m->events) {
        int next = 0;
        for (int k = 1; k < m->events; k++)
            if (model_earlier(m, &m->event[k], &m->event[next]))
                next = k;
        model_event e = m->event[next];
        m->event[next] = m->event[--m->events];
        model_take(m, e);
    }
    bool all = true;
    for (int k = 0; k < m->num; k++)
        all &= m->op[k].done;
    return all;
}

/* ---- random programs; made in an order in which they can run */

static inline uint32_t model_roll(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

static inline int model_add(model *m, int rank, int kind, uint64_t amount, int peer, int tag)
{
    m->op[m->num] = (model_op){
        .rank = rank, .kind = kind, .peer = peer, .tag = tag, .amount = amount, .mate = -1};
    return m->num++;
}

/* It waits for the first calculation of its rank, and for some of the others. */
static inline void model_waits(model *m, uint64_t *dice, int op, const int *first)
{
    model_op *o = &m->op[op];
    o->before[o->num_before++] = first[o->rank];
    for (int k = op - 1; k > first[o->rank] && o->num_before < 3; k--)
        if (m->op[k].rank == o->rank && model_roll(dice, 3) == 0) {
            o->on_start[o->num_before] = model_roll(dice, 3) == 0;
            o->before[o->num_before++] = k;
        }
}

/* wild: of 8 receives so many take a message from any source, or of any tag */
static inline void model_draw(model *m, uint64_t seed, uint32_t wild)
{
    uint64_t dice = seed * 77 + 5;
    int first[MOST_RANKS];
    m->ranks = 2 + (int)model_roll(&dice, MOST_RANKS - 1);
    m->num = 0;
    for (int r = 0; r < m->ranks; r++)
        m->host_of[r] = r;
    for (int r = 0; r < m->ranks; r++)
        first[r] = model_add(m, r, CALC, 1000ull * (1 + model_roll(&dice, 100000)), 0, 0);
    int wanted = 10 + (int)model_roll(&dice, MOST_OPS - 20);
    while (m->num < wanted) {
        int r = (int)model_roll(&dice, (uint32_t)m->ranks), op;
        if (model_roll(&dice, 3) == 0) {
            op = model_add(m, r, CALC, 1000ull * model_roll(&dice, 3000), 0, 0);
            m->op[op].cpu = (int)model_roll(&dice, 3);
            model_waits(m, &dice, op, first);
            continue;
        }
        int d = (int)model_roll(&dice, (uint32_t)m->ranks), tag = (int)model_roll(&dice, 3);
        uint64_t bytes = 1 + model_roll(&dice, 256);
        op = model_add(m, r, SEND, bytes, d, tag);
        m->op[op].cpu = (int)model_roll(&dice, 3);
        model_waits(m, &dice, op, first);
        op = model_add(m, d, RECV, bytes, r, tag);
        if (model_roll(&dice, 8) < wild)
            m->op[op].peer = ANY;
        if (model_roll(&dice, 8) < wild)
            m->op[op].tag = ANY;
        m->op[op].cpu = (int)model_roll(&dice, 3);
        model_waits(m, &dice, op, first);
    }
}

static inline void model_write(const model *m, FILE *to)
{
    fprintf(to, "num_ranks %d\n", m->ranks);
    for (int r = 0; r < m->ranks; r++) {
        fprintf(to, "rank %d {\n", r);
        for (int k = 0; k < m->num; k++) {
            const model_op *o = &m->op[k];
            if (o->rank != r)
                continue;
            fprintf(to, "l%d: ", k);
            if (o->kind == CALC)
                fprintf(to, "calc %llu", (unsigned long long)o->amount / 1000);
            else
                fprintf(to, "%s %llub %s %d tag %d", o->kind == SEND ? "send" : "recv",
                        (unsigned long long)o->amount, o->kind == SEND ? "to" : "from", o->peer,
                        o->tag);
            fprintf(to, " cpu %d\n", o->cpu);
            for (int i = 0; i < o->num_before; i++)
                fprintf(to, "l%d %s l%d\n", k, o->on_start[i] ? "irequires" : "requires",
                        o->before[i]);
        }
        fprintf(to, "}\n");
    }
}

#endif
