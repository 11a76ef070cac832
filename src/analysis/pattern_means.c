/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern_means.c: effective bandwidth and efficiency, averaged over random patterns.
 */
#include "analysis/paths.h"
#include "ikat/analysis.h"

#include "routing/by_port.h"

#include <math.h>
#include <stdlib.h>

/* Running mean and squared deviations (Welford). */
typedef struct moments {
    double n, mean, squares;
} moments;

static void pattern_means_add(moments *m, double x)
{
    double before = x - m->mean;
    m->n += 1;
    m->mean += before / m->n;
    m->squares += before * (x - m->mean);
}

static double pattern_means_standard_error(const moments *m)
{
    return m->n > 1 ? sqrt(m->squares / (m->n - 1) / m->n) : 0;
}

typedef struct means_job {
    const ik_routing *r;
    const char *spec;
    uint64_t seed;
    path_means *means; /* [patterns] */
} means_job;

static path_means pattern_means_judge(const path_set *p, double *flows)
{
    for (size_t i = 0; p->num && i < p->base[p->num]; i++)
        flows[p->channel[i]] += paths_path_share(p, i);
    return paths_judge(p, flows);
}

static ik_status one_pattern(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    means_job *j = ctx;
    const ik_fabric *f = j->r->fabric;
    const ik_traffic *by_port = NULL;
    ik_env env = {.seed = j->seed + index};
    ik_traffic *t = NULL;
    path_set p = {0};
    uint32_t *to = ik_calloc((size_t)f->num_hosts + 1, sizeof *to);
    double *flows = ik_calloc((size_t)f->num_ports + 1, sizeof *flows);
    (void)thread;
    ik_status s = to && flows
                      ? ik_traffic_from_spec(f->split ? f->split->whole : f, j->spec, &env, &t, err)
                      : ik_fail_memory(err, (size_t)f->num_ports * sizeof *flows, "a pattern");
    if (s == IK_OK)
        s = by_port_make(t, j->r, BY_PORT_ONE, env.seed, &by_port, err);
    for (uint32_t h = 0; s == IK_OK && h < f->num_hosts; h++)
        to[h] = by_port->family->dest(by_port, h, 0);
    if (s == IK_OK)
        s = paths_of_map(j->r, to, &env, &p, err);
    if (s == IK_OK) {
        j->means[index] = pattern_means_judge(&p, flows);
        paths_free(&p);
    }
    by_port_free(by_port, t);
    ik_traffic_free(t);
    free(to);
    free(flows);
    return s;
}

ik_status ik_pattern_means_measure(const ik_routing *r, const char *traffic_spec, uint64_t patterns,
                                   const ik_env *env, ik_pattern_means *out, ik_error *err)
{
    means_job j = {.r = r, .spec = traffic_spec, .seed = env ? env->seed : 0};
    j.means = ik_calloc((size_t)patterns + 1, sizeof *j.means);
    ik_status s = j.means
                      ? ik_parallel_for(env, "patterns", (size_t)patterns, one_pattern, &j, err)
                      : ik_fail_memory(err, (size_t)patterns * sizeof *j.means, "pattern means");
    if (s == IK_OK) {
        moments b = {0}, e = {0}, bl = {0}, el = {0};
        for (uint64_t i = 0; i < patterns; i++) {
            pattern_means_add(&b, j.means[i].bandwidth);
            pattern_means_add(&bl, j.means[i].bandwidth_leaving);
            pattern_means_add(&e, j.means[i].efficiency);
            pattern_means_add(&el, j.means[i].efficiency_leaving);
        }
        *out = (ik_pattern_means){patterns,
                                  b.mean,
                                  pattern_means_standard_error(&b),
                                  bl.mean,
                                  pattern_means_standard_error(&bl),
                                  e.mean,
                                  pattern_means_standard_error(&e),
                                  el.mean,
                                  pattern_means_standard_error(&el)};
    }
    free(j.means);
    return s;
}
