/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern_means.c: effective bandwidth and efficiency, averaged over random patterns.
 */
#include "analysis/paths.h"
#include "ikat/analysis.h"

#include <math.h>
#include <stdlib.h>

/* Running mean and squared deviations (Welford). */
typedef struct moments {
    double n, mean, squares;
} moments;

static void add(moments *m, double x)
{
    double before = x - m->mean;
    m->n += 1;
    m->mean += before / m->n;
    m->squares += before * (x - m->mean);
}

static double standard_error(const moments *m)
{
    return m->n > 1 ? sqrt(m->squares / (m->n - 1) / m->n) : 0;
}

typedef struct means_job {
    const ik_routing *r;
    const char *spec;
    uint64_t seed;
    double *bandwidth, *efficiency; /* [patterns] */
} means_job;

static void judge(const path_set *p, uint32_t *load, double *bandwidth, double *efficiency)
{
    double counted = 0;
    *bandwidth = *efficiency = 0;
    for (size_t i = 0; i < p->base[p->num]; i++) {
        load[p->channel[i]] += path_inner(p->f, p->channel[i]);
    }
    for (uint32_t f = 0; f < p->num; f++) {
        uint32_t fullest = 0, hops = 0;
        for (size_t i = p->base[f]; i < p->base[f + 1]; i++) {
            uint32_t here = load[p->channel[i]];
            fullest = here > fullest ? here : fullest;
            hops += here > 0;
        }
        if (hops) {
            *bandwidth += 1.0 / fullest;
            *efficiency += 1.0 / hops;
            counted++;
        }
    }
    *bandwidth = counted > 0 ? *bandwidth / counted : 1;
    *efficiency = counted > 0 ? *efficiency / counted : 1;
}

static ik_status one_pattern(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    means_job *j = ctx;
    const ik_fabric *f = j->r->fabric;
    ik_env env = {.seed = j->seed + index};
    ik_traffic *t = NULL;
    path_set p = {0};
    uint32_t *to = ik_calloc((size_t)f->num_hosts + 1, sizeof *to), *load = ik_calloc((size_t)f->num_ports + 1, sizeof *load);
    (void)thread;
    ik_status s = to && load ? ik_traffic_from_spec(f, j->spec, &env, &t, err)
                             : ik_fail_memory(err, (size_t)f->num_ports * sizeof *load, "a pattern");
    for (uint32_t h = 0; s == IK_OK && h < f->num_hosts; h++) {
        to[h] = t->family->dest(t, h, 0);
    }
    if (s == IK_OK) {
        s = paths_of_map(j->r, to, &env, &p, err);
    }
    if (s == IK_OK) {
        judge(&p, load, &j->bandwidth[index], &j->efficiency[index]);
        paths_free(&p);
    }
    ik_traffic_free(t);
    free(to);
    free(load);
    return s;
}

ik_status ik_pattern_means_measure(const ik_routing *r, const char *traffic_spec, uint64_t patterns, const ik_env *env,
                                   ik_pattern_means *out, ik_error *err)
{
    means_job j = {.r = r, .spec = traffic_spec, .seed = env ? env->seed : 0};
    j.bandwidth = ik_calloc((size_t)patterns + 1, sizeof *j.bandwidth);
    j.efficiency = ik_calloc((size_t)patterns + 1, sizeof *j.efficiency);
    ik_status s = j.bandwidth && j.efficiency ? ik_parallel_for(env, "patterns", (size_t)patterns, one_pattern, &j, err)
                                              : ik_fail_memory(err, (size_t)patterns * 16, "pattern means");
    if (s == IK_OK) {
        moments b = {0}, e = {0};
        for (uint64_t i = 0; i < patterns; i++) {
            add(&b, j.bandwidth[i]);
            add(&e, j.efficiency[i]);
        }
        *out = (ik_pattern_means){patterns, b.mean, standard_error(&b), e.mean, standard_error(&e)};
    }
    free(j.bandwidth);
    free(j.efficiency);
    return s;
}
