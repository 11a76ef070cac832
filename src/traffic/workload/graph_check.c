/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_check.c: both ends of messages find each other, and nothing waits for itself.
 *
 * Messages are matched rank by rank in the order of the program among those of one source,
 * communicator and tag. At a rank with a receive from any source, or of any tag, that is left to
 * the run: only numbers are compared here. Cycles: Kahn's algorithm over the starts and the ends
 * of operations, for a receive may begin long before it is done, and others may wait for that. */
#include "traffic/workload/graph_impl.h"

#include "base/array.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The last of `num` rows that does not begin behind op: rows without operations do not count. */
static uint32_t graph_check_find_row(const uint32_t *first, uint32_t num, uint32_t op)
{
    assert(num > 0 && op < first[num]);
    uint32_t low = 0, high = num;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= op)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* [num_ranks + 1] where the operations of ranks begin. */
static const uint32_t *graph_check_row_first(const ik_graph *g)
{
    return g->rank_first ? g->rank_first : g->host_first;
}

uint32_t ik_graph_host(const ik_graph *g, uint32_t op)
{
    assert(op < g->num_ops);
    return graph_check_find_row(g->host_first, g->num_hosts, op);
}

uint32_t ik_graph_rank(const ik_graph *g, uint32_t op)
{
    assert(op < g->num_ops);
    return graph_check_find_row(graph_check_row_first(g), g->num_ranks, op);
}

/* As the program has it, whose communicators have numbers among the graph's tags. */
static void graph_check_say_tag(const ik_graph *g, uint32_t tag, char *text, size_t size)
{
    ik_graph_tag of = {0, tag};
    if (tag >= g->first_tag && tag - g->first_tag < g->num_tags)
        of = g->tags[tag - g->first_tag];
    if (tag == GRAPH_ANY)
        snprintf(text, size, ", any tag,");
    else if (of.tag == IK_NONE)
        snprintf(text, size, ", of a collective operation,");
    else
        snprintf(text, size, ", tag %u%s,", of.tag, of.comm ? " of a communicator" : "");
}

/* Peers are ranks as long as a graph is checked. */
static void graph_check_say_op(const ik_graph *g, uint32_t op, char *text, size_t size)
{
    const ik_op *o = &g->ops[op];
    uint32_t own = ik_graph_rank_number(g, ik_graph_rank(g, op));
    const char *who = g->rank_number ? "rank" : "host";
    size_t used;
    char peer[24];
    if (g->kind[op] == IK_OP_CALC) {
        snprintf(text, size, "calculation of %s %u", who, own);
        return;
    }
    if (o->peer != GRAPH_ANY)
        snprintf(peer, sizeof peer, "%s %u", who, ik_graph_rank_number(g, o->peer));
    else
        snprintf(peer, sizeof peer, "any %s", who);
    used = (size_t)snprintf(
        text, size, "%s of %llu B of %s %u %s %s", g->kind[op] == IK_OP_SEND ? "send" : "receive",
        (unsigned long long)o->amount, who, own, g->kind[op] == IK_OP_SEND ? "to" : "from", peer);
    if (used < size && g->tag)
        graph_check_say_tag(g, g->tag[op], text + used, size - used);
}

ik_status graph_fail(const ik_graph *g, const char *source, uint32_t op, ik_error *err,
                     const char *what)
{
    char text[160];
    const char *path;
    unsigned line = ik_graph_line(g, op, &path);
    graph_check_say_op(g, op, text, sizeof text);
    return line ? ik_fail_at(err, IK_ERR_INPUT, path, line, 1, "a %s %s", text, what)
                : ik_fail(err, IK_ERR_INPUT, "%s: a %s %s", source, text, what);
}

/* ---- matching */

typedef struct end_of_message {
    uint32_t src, comm, tag, op;
} end_of_message;

typedef struct sent_message {
    uint32_t op, rank; /* whose send it is */
} sent_message;

enum { MOST_LONELY = 8 };

typedef struct matcher {
    ik_graph *g;
    end_of_message *sends, *recvs; /* of one rank, in order */
    size_t num_sends, num_recvs;
    /* messages that have one end, the first ones by number */
    uint32_t lonely[MOST_LONELY];
    uint64_t num_lonely;
    bool room;        /* graph_builder.room_of_receives */
    uint32_t unequal; /* a receive of another size than its send, or IK_NONE */
} matcher;

static int graph_check_compare_keys(const end_of_message *x, const end_of_message *y)
{
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static int graph_check_by_key(const void *a, const void *b)
{
    const end_of_message *x = a, *y = b;
    int keys = graph_check_compare_keys(x, y);
    return keys ? keys : (x->op > y->op) - (x->op < y->op);
}

static void graph_check_note_lonely(matcher *m, uint32_t op)
{
    uint64_t at = m->num_lonely < MOST_LONELY ? m->num_lonely : MOST_LONELY;
    m->num_lonely++;
    while (at > 0 && m->lonely[at - 1] > op) {
        if (at < MOST_LONELY)
            m->lonely[at] = m->lonely[at - 1];
        at--;
    }
    if (at < MOST_LONELY)
        m->lonely[at] = op;
}

static void graph_check_pair_up(matcher *m, uint32_t send, uint32_t recv)
{
    assert(m->g->kind[send] == IK_OP_SEND && m->g->kind[recv] == IK_OP_RECV);
    ik_graph *g = m->g;
    if (m->room && g->ops[send].amount < g->ops[recv].amount)
        g->ops[recv].amount = g->ops[send].amount;
    if (g->ops[send].amount != g->ops[recv].amount && recv < m->unequal)
        m->unequal = recv;
    g->ops[send].match = recv;
    g->ops[recv].match = send;
    g->op_class[recv] = g->op_class[send];
}

/* The messages that a rank receives, both lists in order. */
static void graph_check_match_known(matcher *m)
{
    size_t i = 0, k = 0;
    while (i < m->num_sends || k < m->num_recvs) {
        int order = i == m->num_sends   ? 1
                    : k == m->num_recvs ? -1
                                        : graph_check_compare_keys(&m->sends[i], &m->recvs[k]);
        if (order < 0)
            graph_check_note_lonely(m, m->sends[i++].op);
        else if (order > 0)
            graph_check_note_lonely(m, m->recvs[k++].op);
        else
            graph_check_pair_up(m, m->sends[i++].op, m->recvs[k++].op);
    }
}

/* Of which there are so many in a list. */
static size_t graph_check_count_key(const end_of_message *list, size_t num, uint32_t src,
                                    uint32_t comm, uint32_t tag, size_t *first)
{
    const end_of_message key = {src, comm, tag, 0};
    size_t low = 0, high = num;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph_check_compare_keys(&list[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (high < num && graph_check_compare_keys(&list[high], &key) == 0)
        high++;
    return high - low;
}

/* Of each source and tag: no more receives that say both than sends, and no more sends than
 * receives that can take them; as many of both in all. */
static void graph_check_match_any(matcher *m)
{
    const end_of_message *s = m->sends, *r = m->recvs;
    size_t ns = m->num_sends, nr = m->num_recvs, at = 0;
    for (size_t k = 0; k < ns;) {
        uint32_t comm = s[k].comm;
        size_t num = graph_check_count_key(s, ns, s[k].src, comm, s[k].tag, &at);
        size_t takes = graph_check_count_key(r, nr, s[k].src, comm, s[k].tag, &at) +
                       graph_check_count_key(r, nr, s[k].src, comm, GRAPH_ANY, &at) +
                       graph_check_count_key(r, nr, GRAPH_ANY, comm, s[k].tag, &at) +
                       graph_check_count_key(r, nr, GRAPH_ANY, comm, GRAPH_ANY, &at);
        for (size_t i = takes; i < num; i++)
            graph_check_note_lonely(m, s[k + i].op);
        k += num;
    }
    for (size_t k = 0; k < nr;) {
        size_t num = graph_check_count_key(r, nr, r[k].src, r[k].comm, r[k].tag, &at), sent = num;
        if (r[k].src != GRAPH_ANY && r[k].tag != GRAPH_ANY)
            sent = graph_check_count_key(s, ns, r[k].src, r[k].comm, r[k].tag, &at);
        for (size_t i = sent; i < num; i++)
            graph_check_note_lonely(m, r[k + i].op);
        k += num;
    }
    if (ns != nr && m->num_lonely == 0)
        graph_check_note_lonely(m, ns > nr ? s[ns - 1].op : r[nr - 1].op);
}

static bool graph_check_is_answer(const end_of_message *e)
{
    return e->tag == GRAPH_ACK || e->tag == GRAPH_ASK;
}

/* Takes what handshakes and acknowledgements send out of the lists and matches it: both ends are
 * known at every rank. */
static void graph_check_match_acks(matcher *m)
{
    size_t i = 0, k = 0, sends = 0, recvs = 0;
    for (;; i++, k++) {
        for (; i < m->num_sends && !graph_check_is_answer(&m->sends[i]); i++)
            m->sends[sends++] = m->sends[i];
        for (; k < m->num_recvs && !graph_check_is_answer(&m->recvs[k]); k++)
            m->recvs[recvs++] = m->recvs[k];
        if (i >= m->num_sends || k >= m->num_recvs)
            break;
        graph_check_pair_up(m, m->sends[i].op, m->recvs[k].op);
    }
    m->num_sends = sends;
    m->num_recvs = recvs;
}

static end_of_message graph_check_end_of(const ik_graph *g, uint32_t peer, uint32_t op)
{
    assert(g->kind[op] != IK_OP_CALC);
    return (end_of_message){peer, g->comm ? g->comm[op] : 0, g->tag[op], op};
}

/* sent: operations that send to the rank, ascending. */
static void graph_check_match_rank(matcher *m, uint32_t rank, const sent_message *sent, size_t num)
{
    ik_graph *g = m->g;
    bool any = false;
    m->num_sends = m->num_recvs = 0;
    for (uint32_t op = graph_check_row_first(g)[rank]; op < graph_check_row_first(g)[rank + 1];
         op++) {
        if (g->kind[op] != IK_OP_RECV)
            continue;
        m->recvs[m->num_recvs++] = graph_check_end_of(g, g->ops[op].peer, op);
        any |= g->ops[op].peer == GRAPH_ANY || g->tag[op] == GRAPH_ANY;
    }
    for (size_t k = 0; k < num; k++)
        m->sends[m->num_sends++] = graph_check_end_of(g, sent[k].rank, sent[k].op);
    ik_array_sort(m->recvs, m->num_recvs, sizeof *m->recvs, graph_check_by_key);
    /* in order already where each source sends in the order of its tags */
    ik_array_sort(m->sends, m->num_sends, sizeof *m->sends, graph_check_by_key);
    graph_check_match_acks(m);
    if (any)
        graph_check_match_any(m);
    else
        graph_check_match_known(m);
}

static ik_status graph_check_refuse_lonely(const matcher *m, const char *source, ik_error *err)
{
    const ik_graph *g = m->g;
    uint32_t first = m->lonely[0];
    graph_fail(g, source, first, err,
               g->kind[first] == IK_OP_SEND ? "is never received" : "is never sent");
    if (m->num_lonely == 1 || !g->line)
        return ik_hint(err, IK_ERR_INPUT,
                       "every send has a receive with its source, its tag and its size");
    char lines[200];
    size_t used = 0;
    for (uint64_t k = 0; k < MOST_LONELY && k < m->num_lonely && used < sizeof lines; k++) {
        const char *path;
        unsigned line = ik_graph_line(g, m->lonely[k], &path);
        used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%s%s%u", k ? ", " : "",
                                 g->num_paths > 1 ? path : "", g->num_paths > 1 ? ":" : "", line);
    }
    return ik_hint(err, IK_ERR_INPUT, "%llu operations have no other end: lines %s%s",
                   (unsigned long long)m->num_lonely, lines,
                   m->num_lonely > MOST_LONELY ? ", …" : "");
}

static ik_status graph_check_refuse_size(const matcher *m, const char *source, ik_error *err)
{
    const ik_graph *g = m->g;
    const char *path;
    uint32_t send = g->ops[m->unequal].match;
    unsigned line = ik_graph_line(g, send, &path);
    graph_fail(g, source, m->unequal, err,
               m->room ? "has no room for what is sent" : "has another size than what is sent");
    if (!line)
        return ik_hint(err, IK_ERR_INPUT, "%llu B are sent",
                       (unsigned long long)g->ops[send].amount);
    return ik_hint(err, IK_ERR_INPUT, "%llu B are sent by %s, line %u",
                   (unsigned long long)g->ops[send].amount, path, line);
}

typedef struct by_destination {
    uint32_t *first; /* [num_ranks + 2] */
    sent_message *sends;
} by_destination;

static bool graph_check_sort_sends(const ik_graph *g, by_destination *d, size_t *most)
{
    d->first = ik_calloc((size_t)g->num_ranks + 2, sizeof *d->first);
    if (!d->first)
        return false;
    size_t recvs = 0;
    *most = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_SEND)
            d->first[g->ops[op].peer + 2]++;
    for (uint32_t h = 0; h < g->num_ranks; h++) {
        recvs = graph_check_row_first(g)[h + 1] - graph_check_row_first(g)[h];
        *most = recvs > *most ? recvs : *most;
        *most = d->first[h + 2] > *most ? d->first[h + 2] : *most;
        d->first[h + 2] += d->first[h + 1];
    }
    d->sends = ik_calloc((size_t)d->first[g->num_ranks + 1] + 1, sizeof *d->sends);
    for (uint32_t h = 0; d->sends && h < g->num_ranks; h++)
        for (uint32_t op = graph_check_row_first(g)[h]; op < graph_check_row_first(g)[h + 1]; op++)
            if (g->kind[op] == IK_OP_SEND)
                d->sends[d->first[g->ops[op].peer + 1]++] = (sent_message){op, h};
    return d->sends != NULL;
}

/* The tags move out of the way of the matches. */
static bool graph_check_take_tags(ik_graph *g)
{
    g->tag = ik_calloc((size_t)g->num_ops + 1, sizeof *g->tag);
    for (uint32_t op = 0; g->tag && op < g->num_ops; op++) {
        g->tag[op] = g->ops[op].match;
        g->ops[op].match = IK_NONE;
    }
    return g->tag;
}

ik_status graph_match(ik_graph *g, const char *source, bool room_of_receives, ik_error *err)
{
    by_destination d = {0};
    matcher m = {.g = g, .room = room_of_receives, .unequal = IK_NONE};
    size_t most = 0;
    bool fits = graph_check_take_tags(g) && graph_check_sort_sends(g, &d, &most);
    m.sends = fits ? malloc((most + 1) * sizeof *m.sends) : NULL;
    m.recvs = fits ? malloc((most + 1) * sizeof *m.recvs) : NULL;
    ik_status status =
        m.sends && m.recvs ? IK_OK : ik_fail_memory(err, 8 * (size_t)g->num_ops, "a workload");
    for (uint32_t rank = 0; status == IK_OK && rank < g->num_ranks; rank++)
        graph_check_match_rank(&m, rank, d.sends + d.first[rank],
                               d.first[rank + 1] - d.first[rank]);
    if (status == IK_OK && m.num_lonely)
        status = graph_check_refuse_lonely(&m, source, err);
    if (status == IK_OK && m.unequal != IK_NONE)
        status = graph_check_refuse_size(&m, source, err);
    free(m.sends);
    free(m.recvs);
    free(d.first);
    free(d.sends);
    return status;
}

/* ---- cycles */

enum { STARTED = 1, ARRIVED = 2, DONE = 4 };

typedef struct kahn {
    const ik_graph *g;
    uint32_t *left;  /* [num_ops] for how many starts and ends it waits, not for its message */
    uint32_t *ready; /* started, or done: each stands there once at a time */
    uint8_t *flags;
    size_t num;
    bool apart; /* messages are not waited for */
} kahn;

static void graph_check_one_less(kahn *k, uint32_t op)
{
    assert(k->left[op] > 0); /* each start and end is counted once */
    if (--k->left[op] == 0)
        k->ready[k->num++] = op;
}

static void graph_check_tell_after(kahn *k, uint32_t op, bool started)
{
    const ik_graph *g = k->g;
    for (uint32_t i = g->after_first[op]; i < g->after_first[op + 1]; i++)
        if (!(g->after[i] & IK_AFTER_START) != started)
            graph_check_one_less(k, g->after[i] & ~IK_AFTER_START);
}

static bool graph_check_has_known_send(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_RECV && g->ops[op].match != IK_NONE;
}

/* The answer that op, a receive with a known message, gives by its begin or, acknowledging, by its
 * end; IK_NONE = none. */
static uint32_t graph_check_answer_of(const kahn *k, uint32_t op, bool by_begin)
{
    const ik_graph *g = k->g;
    bool gives =
        g->ack && !k->apart && graph_check_has_known_send(g, op) && g->handshake == by_begin;
    return gives ? g->ack[g->ops[op].match] : IK_NONE;
}

/* Whether a send's answer is taken for given: nothing is known of its receive. */
static bool graph_check_is_given(const kahn *k, uint32_t op)
{
    const ik_graph *g = k->g;
    return g->ack && g->kind[op] == IK_OP_SEND && g->ack[op] != IK_NONE &&
           (k->apart || (g->handshake && g->ops[op].match == IK_NONE));
}

static void graph_check_end_op(kahn *k, uint32_t op)
{
    const ik_graph *g = k->g;
    uint32_t match = g->kind[op] == IK_OP_CALC ? IK_NONE : g->ops[op].match;
    k->flags[op] |= DONE;
    graph_check_tell_after(k, op, false);
    if (g->kind[op] == IK_OP_SEND && match != IK_NONE && !k->apart) {
        k->flags[match] |= ARRIVED;
        if (k->flags[match] & STARTED)
            k->ready[k->num++] = match;
    }
    uint32_t answer = graph_check_answer_of(k, op, false);
    /* who receives it is not known: nothing is said of its acknowledgement */
    if (g->ack && g->kind[op] == IK_OP_SEND && match == IK_NONE && !graph_check_is_given(k, op))
        answer = g->ack[op];
    if (answer != IK_NONE)
        graph_check_one_less(k, answer);
}

static void graph_check_take_ready(kahn *k, uint32_t op)
{
    if (k->flags[op] & STARTED) { /* a receive whose message came */
        graph_check_end_op(k, op);
        return;
    }
    k->flags[op] |= STARTED;
    graph_check_tell_after(k, op, true);
    uint32_t answer = graph_check_answer_of(k, op, true);
    if (answer != IK_NONE)
        graph_check_one_less(k, answer);
    if (k->apart || !graph_check_has_known_send(k->g, op) || (k->flags[op] & ARRIVED))
        graph_check_end_op(k, op);
}

/* Something that op, which is not done, waits for; IK_NONE = not found. */
static void graph_check_find_causes(const kahn *k, uint32_t *cause)
{
    const ik_graph *g = k->g;
    for (uint32_t op = 0; op < g->num_ops; op++) {
        if (k->flags[op] & DONE)
            continue;
        for (uint32_t i = g->after_first[op]; i < g->after_first[op + 1]; i++) {
            bool of_start = g->after[i] & IK_AFTER_START;
            if (!of_start || !(k->flags[op] & STARTED))
                cause[g->after[i] & ~IK_AFTER_START] = op;
        }
        if (g->kind[op] == IK_OP_SEND && g->ops[op].match != IK_NONE && !k->apart &&
            (k->flags[g->ops[op].match] & STARTED))
            cause[g->ops[op].match] = op;
        if (g->ack && g->kind[op] == IK_OP_SEND && g->ops[op].match == IK_NONE &&
            g->ack[op] != IK_NONE && !graph_check_is_given(k, op))
            cause[g->ack[op]] = op;
        bool started = k->flags[op] & STARTED;
        uint32_t answer = graph_check_answer_of(k, op, g->handshake);
        if (answer != IK_NONE && !(g->handshake && started))
            cause[answer] = op;
    }
}

static size_t graph_check_say_link(const ik_graph *g, uint32_t op, uint32_t before, char *text,
                                   size_t size)
{
    char of[80];
    bool message = g->kind[op] == IK_OP_RECV && g->ops[op].match == before;
    const char *path;
    unsigned line = ik_graph_line(g, before, &path);
    if (line && g->num_paths > 1)
        snprintf(of, sizeof of, "%.60s:%u", path, line);
    else if (line)
        snprintf(of, sizeof of, "line %u", line);
    else
        snprintf(of, sizeof of, "operation %u", before);
    int used = snprintf(text, size, ", %s %s", message ? "the message of" : "for", of);
    return used < 0 ? 0 : (size_t)used < size ? (size_t)used : size - 1;
}

static ik_status graph_check_say_cycle(const kahn *k, const uint32_t *cause, const char *source,
                                       ik_error *err)
{
    const ik_graph *g = k->g;
    uint32_t op = 0, num = 0;
    while (k->flags[op] & DONE)
        op++;
    for (uint32_t steps = 0; steps < g->num_ops; steps++)
        op = cause[op]; /* now it is in a cycle */
    for (uint32_t at = cause[op]; at != op; at = cause[at])
        num++;
    uint32_t first = op;
    for (uint32_t at = cause[op]; at != op; at = cause[at])
        first = at < first ? at : first;
    graph_fail(g, source, first, err, "waits for itself: a cycle of dependences");
    char chain[330];
    size_t used = 0;
    uint32_t at = first;
    for (uint32_t n = 0; n <= num && used < 270; n++, at = cause[at])
        used += graph_check_say_link(g, at, cause[at], chain + used, sizeof chain - used);
    return ik_hint(err, IK_ERR_INPUT, "it waits%s%s", chain + 1, at == first ? "" : ", …");
}

ik_status graph_refuse_cycles(const ik_graph *g, const char *source, bool apart, ik_error *err)
{
    size_t n = (size_t)g->num_ops + 1;
    uint64_t done = 0;
    kahn k = {.g = g,
              .apart = apart,
              .left = malloc(n * sizeof *k.left),
              .ready = malloc(n * sizeof *k.ready),
              .flags = ik_calloc(n, 1)};
    ik_status status = k.left && k.ready && k.flags
                           ? IK_OK
                           : ik_fail_memory(err, n * (2 * sizeof *k.left + 1), "a workload");
    for (uint32_t op = 0; status == IK_OK && op < g->num_ops; op++)
        k.left[op] = g->waits[op] - graph_check_has_known_send(g, op);
    for (uint32_t op = 0; status == IK_OK && op < g->num_ops; op++)
        if (graph_check_is_given(&k, op))
            k.left[g->ack[op]]--;
    for (uint32_t op = 0; status == IK_OK && op < g->num_ops; op++)
        if (!k.left[op])
            k.ready[k.num++] = op;
    while (status == IK_OK && k.num)
        graph_check_take_ready(&k, k.ready[--k.num]);
    for (uint32_t op = 0; status == IK_OK && op < g->num_ops; op++)
        done += (k.flags[op] & DONE) != 0;
    if (status == IK_OK && done < g->num_ops) {
        memset(k.left, 0xff, n * sizeof *k.left);
        graph_check_find_causes(&k, k.left);
        status = graph_check_say_cycle(&k, k.left, source, err);
    }
    free(k.left);
    free(k.ready);
    free(k.flags);
    return status;
}
