/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/share.c: the choice between points in parallel and threads within a point, and its
 * reason in words.
 */
#include "experiment/run/share.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned share_least(uint64_t a, uint64_t b)
{
    return (unsigned)(a < b ? a : b);
}

static unsigned share_threads_of(const share_wish *w, unsigned side)
{
    unsigned threads = w->jobs / side;
    return threads > w->run.useful_threads ? w->run.useful_threads : threads;
}

/* Why a point has the threads that it has, where processors are left for more. */
static void share_explain_threads(const share_wish *w, unsigned side, unsigned threads, char *text,
                                  size_t size)
{
    const char *unit = w->run.flits ? "flit" : "packet";
    if (threads > 1)
        snprintf(text, size, "about %.0f %s-hops between two barriers are enough for %s",
                 w->run.hops_per_window, unit, IK_COUNT(threads, "thread"));
    else if (w->jobs / side < 2)
        snprintf(text, size, "there are %s", IK_COUNT(w->jobs, "job"));
    else
        snprintf(text, size,
                 "about %.0f %s-hops between two barriers of threads are too few to share",
                 w->run.hops_per_window, unit);
}

static void share_explain(const share_wish *w, ik_run_share *s, bool short_of_memory)
{
    char threads[120];
    size_t size = sizeof s->why;
    share_explain_threads(w, s->side, s->threads, threads, sizeof threads);
    if (short_of_memory)
        snprintf(s->why, size, "a point may need %.1f MB and %.1f MB are allowed; %s",
                 (double)w->run.bytes / 1e6, (double)w->limit_bytes / 1e6, threads);
    else if (w->jobs == 1)
        snprintf(s->why, size, "there is one job");
    else if (s->last)
        snprintf(s->why, size,
                 "running points in parallel is fastest, and the rest is large enough for threads");
    else if (w->points >= w->jobs)
        snprintf(s->why, size, "running points in parallel is fastest");
    else
        snprintf(s->why, size, "fewer points than jobs; %s", threads);
}

void share_choose(const share_wish *w, ik_run_share *s)
{
    uint64_t fit = w->limit_bytes && w->run.bytes ? w->limit_bytes / w->run.bytes : w->jobs;
    unsigned side = share_least(w->jobs, w->points);
    bool short_of_memory = fit < side;
    if (short_of_memory)
        side = fit ? (unsigned)fit : 1;
    *s = (ik_run_share){.points = w->points, .side = side, .point_bytes = w->run.bytes};
    s->threads = share_threads_of(w, side);
    unsigned rest = (unsigned)(w->points % side);
    if (rest && share_threads_of(w, rest) > s->threads) {
        s->last = rest;
        s->last_threads = share_threads_of(w, rest);
    }
    share_explain(w, s, short_of_memory);
}

void share_choose_ranks(const share_wish *w, unsigned num_ranks, ik_run_share *s)
{
    *s = (ik_run_share){.points = w->points,
                        .side = 1,
                        .threads = 1,
                        .ranks = num_ranks,
                        .point_bytes = w->run.bytes};
    if (w->run.useful_threads < num_ranks)
        snprintf(s->why, sizeof s->why,
                 "they were started together, but a point has work for %s, of about 64 packet-hops "
                 "between two exchanges: the same command without mpirun is likely to be faster",
                 IK_COUNT(w->run.useful_threads, "rank"));
    else
        snprintf(s->why, sizeof s->why, "they were started together");
}

char *ik_run_share_text(const ik_run_share *s, char *buffer, size_t size)
{
    char fabrics[60] = "";
    bool several = s->fabrics > 1;
    const char *unit = s->ranks ? "rank" : "thread";
    unsigned each = s->ranks ? s->ranks : s->threads;
    if (several)
        snprintf(fabrics, sizeof fabrics, "%" PRIu64 " fabrics one after the other, ", s->fabrics);
    int n = snprintf(buffer, size, "%s%" PRIu64 " point%s%s: %u %s on %u %s%s%s", fabrics,
                     s->points, s->points == 1 ? "" : "s", several ? " of this one" : "", s->side,
                     s->side > 1 ? "in parallel" : "at a time", each, unit, each > 1 ? "s" : "",
                     s->side > 1 ? " each" : "");
    if (s->last && n > 0 && (size_t)n < size)
        snprintf(buffer + n, size - (size_t)n, ", the last %u on %s%s", s->last,
                 IK_COUNT(s->last_threads, "thread"), s->last > 1 ? " each" : "");
    return buffer;
}
