/* SPDX-License-Identifier: Apache-2.0
 *
 * bisection.c: the best balanced cut that METIS and refinement find, and a bound from below; small
 * fabrics are searched wholly.
 *
 * METIS minimises the cut of a weighted graph within a tolerance; which weights suit depends on the
 * fabric. So it runs from several seeds with hosts as weights, with hosts and switches as two
 * constraints, with all switches equal, and recursive as well as direct; every result is then
 * balanced exactly in hosts and refined (cut_refine.c), and the best is kept.
 */
#include "analysis/cut.h"
#include "base/partitioner.h"
#include "ikat/analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Fabrics of at most so many switches have few enough partitions to try them all: half a
 * million. */
#define EXACT_SWITCHES 20

enum { BY_HOSTS, BY_HOSTS_AND_SWITCHES, BY_SWITCHES, NUM_WEIGHTINGS };

/* The graph as METIS wants it. */
typedef struct metis_graph {
    idx_t n, *xadj, *adjncy, *adjwgt, *vwgt[NUM_WEIGHTINGS];
} metis_graph;

typedef struct try_result {
    uint64_t cut;
    int64_t imbalance;
    uint8_t *side;
} try_result;

typedef struct bisect_job {
    const graph *g;
    metis_graph m;
    uint64_t seed;
    try_result *tries; /* [tries] */
} bisect_job;

static void bisection_metis_free(metis_graph *m)
{
    free(m->xadj);
    free(m->adjncy);
    free(m->adjwgt);
    for (int i = 0; i < NUM_WEIGHTINGS; i++)
        free(m->vwgt[i]);
}

static ik_status bisection_metis_graph_of(const graph *g, metis_graph *m, ik_error *err)
{
    size_t n = g->n, entries = g->base[n];
    if (entries > INT32_MAX || n > INT32_MAX) {
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "the graph has too many links to be partitioned: %zu", entries / 2);
    }
    m->n = (idx_t)n;
    m->xadj = ik_calloc(n + 1, sizeof *m->xadj);
    m->adjncy = ik_calloc(entries + 1, sizeof *m->adjncy);
    m->adjwgt = ik_calloc(entries + 1, sizeof *m->adjwgt);
    m->vwgt[BY_HOSTS] = ik_calloc(n + 1, sizeof(idx_t));
    m->vwgt[BY_HOSTS_AND_SWITCHES] = ik_calloc(2 * n + 1, sizeof(idx_t));
    m->vwgt[BY_SWITCHES] = ik_calloc(n + 1, sizeof(idx_t));
    if (!m->xadj || !m->adjncy || !m->adjwgt || !m->vwgt[0] || !m->vwgt[1] || !m->vwgt[2])
        return ik_fail_memory(err, (n * 5 + entries * 2) * sizeof(idx_t), "a graph to partition");
    for (size_t v = 0; v < n; v++) {
        m->xadj[v + 1] = (idx_t)g->base[v + 1];
        m->vwgt[BY_HOSTS][v] = m->vwgt[BY_HOSTS_AND_SWITCHES][2 * v] = (idx_t)g->hosts[v];
        m->vwgt[BY_SWITCHES][v] = m->vwgt[BY_HOSTS_AND_SWITCHES][2 * v + 1] = 1;
    }
    for (size_t i = 0; i < entries; i++) {
        m->adjncy[i] = (idx_t)g->to[i];
        m->adjwgt[i] = (idx_t)g->links[i];
    }
    return IK_OK;
}

/* One METIS run; it leaves the graph unchanged, so threads share it. */
static ik_status bisection_run_metis(const bisect_job *j, int weighting, bool recursive,
                                     uint64_t seed, idx_t *part, ik_error *err)
{
    assert(weighting >= 0 && weighting < NUM_WEIGHTINGS);
    const metis_graph *m = &j->m;
    ik_partition_job job = {.recursive = recursive,
                            .num_vertices = m->n,
                            .num_weights = weighting == BY_HOSTS_AND_SWITCHES ? 2 : 1,
                            .num_parts = 2,
                            .begin = m->xadj,
                            .to = m->adjncy,
                            .vertex_weights = m->vwgt[weighting],
                            .link_weights = m->adjwgt};
    METIS_SetDefaultOptions(job.options);
    job.options[METIS_OPTION_SEED] = (idx_t)(seed & 0x7FFFFFFF);
    job.options[METIS_OPTION_NUMBERING] = 0;
    job.options[METIS_OPTION_UFACTOR] = 1;
    job.options[METIS_OPTION_NITER] = 20;
    job.options[METIS_OPTION_NCUTS] = 2;
    return ik_partition(&job, part, err);
}

static ik_status bisection_one_try(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    bisect_job *j = ctx;
    size_t n = j->g->n;
    int weighting = (int)(index % NUM_WEIGHTINGS);
    bool recursive = index / NUM_WEIGHTINGS % 2 == 0;
    uint64_t seed = ik_random_u64(j->seed, IK_RNG_ANALYSIS, 1, index);
    idx_t *part = ik_calloc(n + 1, sizeof *part);
    cut_state c = {
        .g = j->g, .side = ik_calloc(n + 1, 1), .gain = ik_calloc(n + 1, sizeof *c.gain)};
    (void)thread;
    ik_status s = part && c.side && c.gain
                      ? bisection_run_metis(j, weighting, recursive, seed, part, err)
                      : ik_fail_memory(err, n * (sizeof *part + 9), "a partition");
    for (size_t v = 0; s == IK_OK && v < n; v++)
        c.side[v] = part[v] != 0;
    if (s == IK_OK) {
        cut_recount(&c);
        s = cut_refine(&c, err);
    }
    free(part);
    free(c.gain);
    if (s == IK_OK)
        j->tries[index] = (try_result){c.cut, c.imbalance < 0 ? -c.imbalance : c.imbalance, c.side};
    else
        free(c.side);
    return s;
}

/* Better balanced first, then the smaller cut, then the earlier try. */
static size_t bisection_best_try(const bisect_job *j, size_t tries)
{
    assert(tries > 0);
    size_t best = 0;
    for (size_t i = 1; i < tries; i++) {
        const try_result *a = &j->tries[i], *b = &j->tries[best];
        if (a->imbalance < b->imbalance || (a->imbalance == b->imbalance && a->cut < b->cut))
            best = i;
    }
    return best;
}

/* Describes the partition; lower_bound is left to the caller. */
static ik_status bisection_describe(const graph *g, const uint8_t *side, ik_bisection *out,
                                    ik_error *err)
{
    ik_bisection b = {.side = ik_calloc((size_t)g->n + 1, sizeof *b.side)};
    uint64_t twice = 0;
    if (!b.side)
        return ik_fail_memory(err, g->n, "a partition");
    for (uint32_t v = 0; v < g->n; v++) {
        b.side[v] = side[v];
        *(side[v] ? &b.hosts_b : &b.hosts_a) += g->hosts[v];
        for (size_t i = g->base[v]; i < g->base[v + 1]; i++)
            twice += side[v] != side[g->to[i]] ? g->links[i] : 0;
    }
    b.cut = twice / 2;
    *out = b;
    return IK_OK;
}

static ik_status bisection_try_all(const graph *g, ik_bisection *out, ik_error *err)
{
    uint8_t *side = ik_calloc((size_t)g->n + 1, 1);
    ik_status s = side ? cut_exact(g, side, err) : ik_fail_memory(err, g->n, "a partition");
    if (s == IK_OK)
        s = bisection_describe(g, side, out, err);
    if (s == IK_OK) {
        out->lower_bound = (double)out->cut;
        out->starts = (uint32_t)1 << (g->n - 1);
    }
    free(side);
    return s;
}

/* Many starts while they are cheap. */
static unsigned bisection_default_seeds(const graph *g)
{
    size_t seeds = 400000 / (g->base[g->n] + 1);
    return seeds < 4 ? 4 : seeds > 32 ? 32 : (unsigned)seeds;
}

static ik_status bisection_try_many(const graph *g, unsigned seeds, const ik_env *env,
                                    ik_bisection *out, ik_error *err)
{
    bisect_job j = {.g = g, .seed = env ? env->seed : 0};
    size_t tries = (size_t)(seeds ? seeds : bisection_default_seeds(g)) * NUM_WEIGHTINGS * 2;
    ik_bisection b = {0};
    j.tries = ik_calloc(tries, sizeof *j.tries);
    ik_status s = j.tries ? bisection_metis_graph_of(g, &j.m, err)
                          : ik_fail_memory(err, tries * sizeof *j.tries, "partitions");
    if (s == IK_OK)
        s = ik_parallel_for(env, "bisection", tries, bisection_one_try, &j, err);
    if (s == IK_OK)
        s = bisection_describe(g, j.tries[bisection_best_try(&j, tries)].side, &b, err);
    if (s == IK_OK) {
        s = cut_spectral_bound(
            g, b.hosts_a > b.hosts_b ? b.hosts_a - b.hosts_b : b.hosts_b - b.hosts_a,
            &b.lower_bound, err);
        /* rounding */
        b.lower_bound = b.lower_bound < (double)b.cut ? b.lower_bound : (double)b.cut;
    }
    if (s == IK_OK) {
        b.starts = (uint32_t)tries;
        *out = b;
    } else {
        ik_bisection_free(&b);
    }
    for (size_t i = 0; j.tries && i < tries; i++)
        free(j.tries[i].side);
    free(j.tries);
    bisection_metis_free(&j.m);
    return s;
}

ik_status ik_bisection_measure(const ik_fabric *f, unsigned seeds, const ik_env *env,
                               ik_bisection *out, ik_error *err)
{
    graph g = {0};
    if (f->num_switches < 2) {
        return ik_fail(err, IK_ERR_UNSUPPORTED, "a fabric of %s cannot be cut in two",
                       IK_COUNT(f->num_switches, "switch"));
    }
    if (ik_fabric_has_rails(f)) { /* whole switches on a side would tear hosts apart */
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "a bisection has each host on one side with its switch, and some have cables to "
                "several");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "measure one plane: the fabric with one cable per host");
    }
    ik_status s = graph_of_switches(f, &g, err);
    if (s != IK_OK)
        return s;
    s = g.n <= EXACT_SWITCHES ? bisection_try_all(&g, out, err)
                              : bisection_try_many(&g, seeds, env, out, err);
    if (s == IK_OK) {
        double half = (double)(out->hosts_a + out->hosts_b) / 2;
        out->per_host = half > 0 ? (double)out->cut / half : 0;
        out->lower_bound_per_host = half > 0 ? out->lower_bound / half : 0;
    }
    graph_free(&g);
    return s;
}

void ik_bisection_free(ik_bisection *b)
{
    free(b->side);
    memset(b, 0, sizeof *b);
}
