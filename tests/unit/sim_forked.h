/* SPDX-License-Identifier: Apache-2.0
 *
 * A scenario simulated by ranks that are children of this process, joined by sockets. */
#ifndef SIM_FORKED_H
#define SIM_FORKED_H

#include "base/ranks/ranks.h"
#include "sim_hash.h"
#include "sim_helper.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_RANKS = 4 };

typedef struct forked_ranks {
    ik_ranks ranks;
    int to[MAX_RANKS]; /* of this process */
    struct {
        unsigned char *data;
        size_t cap;
    } in[RANKS_KINDS][MAX_RANKS];
    unsigned dies_at; /* the exchange at which it dies; 0 = never */
    unsigned exchanges;
} forked_ranks;

static bool forked_put(int fd, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool forked_take(int fd, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t n = read(fd, at, size);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool forked_give(forked_ranks *x, unsigned q, unsigned kind, ranks_bytes out)
{
    const uint64_t head[2] = {kind, out.size};
    return forked_put(x->to[q], head, sizeof head) && forked_put(x->to[q], out.data, out.size);
}

static bool forked_get(forked_ranks *x, unsigned q, unsigned kind, ranks_bytes *in)
{
    uint64_t head[2];
    if (!forked_take(x->to[q], head, sizeof head) || head[0] != kind)
        return false;
    if (head[1] > x->in[kind][q].cap) {
        free(x->in[kind][q].data);
        x->in[kind][q].cap = head[1];
        x->in[kind][q].data = aligned_alloc(64, (head[1] + 63) / 64 * 64);
    }
    *in = (ranks_bytes){x->in[kind][q].data, head[1]};
    return !head[1] || (in->data && forked_take(x->to[q], x->in[kind][q].data, head[1]));
}

/* The lower number of a pair speaks first, and all go through their pairs in the same order: nobody
 * waits in a circle. */
static ik_status forked_exchange(ik_ranks *ranks, ranks_kind kind, const ranks_bytes *out,
                                 ranks_bytes *in, ik_error *err)
{
    forked_ranks *x = (forked_ranks *)ranks;
    if (++x->exchanges == x->dies_at)
        _exit(7);
    for (unsigned q = 0; q < ranks->num; q++) {
        if (q == ranks->rank)
            continue;
        bool first = ranks->rank < q, ok = (!first || forked_give(x, q, kind, out[q])) &&
                                           forked_get(x, q, kind, &in[q]) &&
                                           (first || forked_give(x, q, kind, out[q]));
        if (!ok)
            return ik_fail(err, IK_ERR_IO, "rank %u is gone", q);
    }
    return IK_OK;
}

typedef struct forked_end {
    ik_status status;
    uint64_t hash;
    uint64_t delivered;
    char text[300];
} forked_end;

static inline void forked_child(const ik_fabric *f, scenario c, forked_ranks *x, int parent)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    forked_end end = {0};
    if (!ranks_init(&x->ranks))
        _exit(1);
    c.ranks = &x->ranks;
    end.status = simulate_on(f, &c, &r, &err);
    if (end.status == IK_OK) {
        end.hash = hash_result(f, &r);
        end.delivered = r.packets_delivered;
        snprintf(end.text, sizeof end.text, "%.280s",
                 r.deadlock_text  ? r.deadlock_text
                 : r.missing_text ? r.missing_text
                                  : "");
    } else {
        snprintf(end.text, sizeof end.text, "%.280s", err.text);
    }
    _exit(forked_put(parent, &end, sizeof end) ? 0 : 1);
}

/* Fills ends[num]. dying: the rank that dies at its 20th exchange, IK_NONE = none. limit: NULL, or
 * the memory limit of each rank. */
static inline void forked_run(const ik_fabric *f, const scenario *c, unsigned num, unsigned dying,
                              forked_end *ends)
{
    int pair[MAX_RANKS][MAX_RANKS], up[MAX_RANKS], both[2];
    pid_t pids[MAX_RANKS];
    for (unsigned a = 0; a < num; a++)
        for (unsigned b = a + 1; b < num; b++) {
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
            pair[a][b] = both[0];
            pair[b][a] = both[1];
        }
    fflush(NULL);
    for (unsigned id = 0; id < num; id++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
        pids[id] = fork();
        assert_true(pids[id] >= 0);
        if (pids[id] == 0) {
            forked_ranks x = {.ranks = {.rank = id, .num = num, .exchange = forked_exchange},
                              .dies_at = id == dying ? 20 : 0};
            for (unsigned a = 0; a < num; a++)
                for (unsigned b = 0; b < num; b++)
                    if (a == id && a != b)
                        x.to[b] = pair[a][b];
                    else if (a != b)
                        close(pair[a][b]); /* else nobody would see that a process is gone */
            forked_child(f, *c, &x, both[1]);
        }
        close(both[1]);
        up[id] = both[0];
    }
    for (unsigned a = 0; a < num; a++)
        for (unsigned b = 0; b < num; b++)
            if (a != b)
                close(pair[a][b]);
    for (unsigned id = 0; id < num; id++) {
        int how;
        bool told = forked_take(up[id], &ends[id], sizeof ends[id]);
        assert_true(told == (id != dying));
        close(up[id]);
        assert_int_equal(waitpid(pids[id], &how, 0), pids[id]);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), id == dying ? 7 : 0);
    }
}

#endif
