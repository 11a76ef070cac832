/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/reference.c: the same workload on a crossbar: what slowdowns are measured by.
 * A crossbar of as many hosts, with the rate and latency of their best links, model ideal
 * without delays or the experiment's switch, the same adapter, seed and bound; processes are on
 * the same hosts of it. Points that differ in anything else share it, so it is simulated once;
 * threads that need it at the same time wait for the first. */
#include "experiment/run/run.h"
#include "ikat/topology.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    struct entry *next;
    reference of;
    const char *bound; /* at_most */
    bool done;
} entry;

struct references {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    ik_arena arena;
    entry *first;
};

ik_status references_new(struct references **out, ik_error *err)
{
    struct references *r = ik_calloc(1, sizeof *r);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "references");
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    *out = r;
    return IK_OK;
}

void references_free(struct references *r)
{
    if (!r)
        return;
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    ik_arena_free(&r->arena);
    free(r);
}

/* ---- one reference */

/* The fastest links that there are. */
#define UNLIMITED_BPS UINT64_C(1000000000000000)

static ik_status reference_crossbar_spec(const ik_fabric *f, bool unlimited, ik_arena *arena,
                                         const char **out, ik_error *err)
{
    uint64_t fastest_bps = 0, shortest_ps = UINT64_MAX;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = ik_host_port(f, host);
        if (port == IK_NONE)
            continue;
        uint64_t rate_bps = ik_port_rate_bps(f, port), latency_ps = ik_port_latency_ps(f, port);
        fastest_bps = rate_bps > fastest_bps ? rate_bps : fastest_bps;
        shortest_ps = latency_ps < shortest_ps ? latency_ps : shortest_ps;
    }
    if (!fastest_bps)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "no host has a cable: there is no reference");
    *out = ik_arena_printf(arena, "crossbar:n=%u,link_rate=%" PRIu64 " b/s,latency=%" PRIu64 " ps",
                           f->num_hosts, unlimited ? UNLIMITED_BPS : fastest_bps, shortest_ps);
    return *out ? IK_OK : ik_fail_memory(err, 100, "a reference");
}

/* The same workload on the fabric f of as many hosts: its very messages, if no fabric would have
 * others or if it was made for its own one, else made again from its spec. */
static ik_status reference_workload_on(const ik_fabric *f, const char *spec,
                                       const ik_traffic *workload, const ik_env *env,
                                       ik_traffic **made, ik_traffic *moved, ik_error *err)
{
    *moved = *workload;
    moved->fabric = f;
    if (workload->of_fabric || workload->family->same_anywhere)
        return IK_OK;
    return ik_traffic_from_spec(f, spec, env, made, err);
}

static ik_status reference_run_on(const ik_fabric *f, const char *traffic_spec,
                                  const ik_traffic *workload, const ik_sim_config *config,
                                  const ik_env *env, double *ns, ik_error *err)
{
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL, moved;
    uint64_t ps = 0;
    ik_status status = ik_plan_from_specs(f, "minimal", NULL, NULL, 0, env, &plan, err);
    if (status == IK_OK)
        status = reference_workload_on(f, traffic_spec, workload, env, &traffic, &moved, err);
    if (status == IK_OK)
        status = sim_completion(plan, traffic ? traffic : &moved, config, env, &ps, err);
    if (status == IK_OK)
        *ns = (double)ps / 1e3;
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return status;
}

static ik_status reference_simulate(const reference *of, const char *traffic,
                                    const ik_traffic *workload, const ik_sim_config *config,
                                    const ik_env *env, double *ns, ik_error *err)
{
    ik_params sw, measure;
    ik_fabric *f = NULL;
    ik_sim_config same = {of->sw[0] ? config->switch_params : &sw, config->adapter_params, &measure,
                          config->load};
    ik_env one = *env;
    one.num_threads = 1;
    ik_status status = ik_params_init(&sw, ik_switch_params, NULL, err);
    if (status != IK_OK)
        return status;
    status = ik_params_init(&measure, ik_measure_params, NULL, err);
    if (status != IK_OK) {
        ik_params_free(&sw);
        return status;
    }
    status = ik_params_set(&sw, "reference", "model", "ideal", 0, 0, err);
    if (status == IK_OK)
        status = ik_params_set(&measure, "reference", "until", "delivered", 0, 0, err);
    if (status == IK_OK)
        status = ik_params_set(&measure, "reference", "at_most",
                               ik_params_text(config->measure_params, "at_most"), 0, 0, err);
    if (status == IK_OK)
        status = ik_fabric_from_spec(of->fabric, &one, &f, err);
    if (status == IK_OK)
        status = reference_run_on(f, traffic, workload, &same, &one, ns, err);
    ik_fabric_free(f);
    ik_params_free(&sw);
    ik_params_free(&measure);
    return status;
}

/* A job alone. */
static ik_status reference_run_alone(const ik_plan *plan, const char *traffic_spec,
                                     const ik_sim_config *config, const ik_env *env, double *ns,
                                     ik_error *err)
{
    ik_params measure;
    ik_traffic *traffic = NULL;
    uint64_t ps = 0;
    ik_env one = *env;
    one.num_threads = 1;
    ik_sim_config same = {config->switch_params, config->adapter_params, &measure, config->load};
    ik_status status = ik_params_init(&measure, ik_measure_params, NULL, err);
    if (status != IK_OK)
        return status;
    status = ik_params_set(&measure, "reference", "until", "delivered", 0, 0, err);
    if (status == IK_OK)
        status = ik_params_set(&measure, "reference", "at_most",
                               ik_params_text(config->measure_params, "at_most"), 0, 0, err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(plan->fabric, traffic_spec, &one, &traffic, err);
    if (status == IK_OK)
        status = sim_completion(plan, traffic, &same, &one, &ps, err);
    if (status == IK_OK)
        *ns = (double)ps / 1e3;
    ik_traffic_free(traffic);
    ik_params_free(&measure);
    return status;
}

/* ---- all of them */

static bool reference_same_as(const entry *e, const reference *of, const char *bound)
{
    return strcmp(e->of.fabric, of->fabric) == 0 && strcmp(e->of.traffic, of->traffic) == 0 &&
           strcmp(e->of.adapter, of->adapter) == 0 && strcmp(e->of.sw, of->sw) == 0 &&
           e->of.seed == of->seed && strcmp(e->bound, bound) == 0;
}

/* The entry for it, made if there was none (*mine: then it is this thread's to simulate); NULL =
 * out of memory. Called with the mutex held. */
static entry *run_reference_find(struct references *r, const reference *of, const char *bound,
                                 bool *mine)
{
    entry *e = r->first;
    *mine = false;
    while (e && !reference_same_as(e, of, bound))
        e = e->next;
    if (e)
        return e;
    e = ik_arena_alloc(&r->arena, sizeof *e);
    if (!e)
        return NULL;
    *e = (entry){.next = r->first, .of = *of, .bound = ik_arena_strdup(&r->arena, bound)};
    e->of.traffic = ik_arena_strdup(&r->arena, of->traffic);
    e->of.adapter = ik_arena_strdup(&r->arena, of->adapter);
    e->of.sw = ik_arena_strdup(&r->arena, of->sw);
    if (!e->bound || !e->of.sw || !e->of.traffic || !e->of.adapter)
        return NULL;
    r->first = e;
    *mine = true;
    return e;
}

/* It failed: nobody is to wait for it. */
static void reference_remove_entry(struct references *r, const entry *e)
{
    entry **at = &r->first;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
}

/* plan: that of a job alone; NULL = on the crossbar of->fabric, where workload runs. spec: of its
 * traffic. Called with the mutex held. */
static ik_status reference_obtain(struct references *r, const reference *of, const ik_plan *plan,
                                  const char *spec, const ik_traffic *workload,
                                  const ik_sim_config *config, const ik_env *env,
                                  const reference **out, ik_error *err)
{
    const char *bound = ik_params_text(config->measure_params, "at_most");
    bool mine = false;
    entry *found = NULL;
    for (;;) {
        found = run_reference_find(r, of, bound, &mine);
        if (!found || mine || found->done)
            break;
        pthread_cond_wait(&r->changed, &r->mutex);
    }
    if (!found)
        return ik_fail_memory(err, sizeof *found, "a reference");
    ik_status status = IK_OK;
    if (mine) {
        pthread_mutex_unlock(&r->mutex);
        double ns = 0;
        status = plan ? reference_run_alone(plan, spec, config, env, &ns, err)
                      : reference_simulate(of, spec, workload, config, env, &ns, err);
        pthread_mutex_lock(&r->mutex);
        found->of.completion_ns = ns;
        found->done = status == IK_OK;
        if (status != IK_OK)
            reference_remove_entry(r, found);
        pthread_cond_broadcast(&r->changed);
    }
    if (status == IK_OK)
        *out = &found->of;
    return status;
}

ik_status reference_find(struct references *r, const ik_traffic *workload, const ik_experiment *e,
                         const point *p, const ik_sim_config *config, const ik_env *env,
                         const reference **out, ik_error *err)
{
    const variant *traffic = experiment_variant(e, p, SECTION_TRAFFIC);
    /* mapped by what the fabric looks like: as it is mapped there */
    const char *portable = workload->portable;
    const ik_params *how = &experiment_variant(e, p, SECTION_REFERENCE)->params;
    bool same = ik_params_enum(how, "switch") == REFERENCE_SAME,
         unlimited = ik_params_enum(how, "links") == REFERENCE_UNLIMITED;
    reference of = {.sw = same ? experiment_variant(e, p, SECTION_SWITCH)->full : "",
                    .traffic = portable ? portable : traffic->full,
                    .adapter = experiment_variant(e, p, SECTION_ADAPTER)->full,
                    .seed = env->seed};
    pthread_mutex_lock(&r->mutex);
    ik_status status =
        reference_crossbar_spec(workload->fabric, unlimited, &r->arena, &of.fabric, err);
    if (status == IK_OK && workload->of_fabric) { /* no other fabric shares it */
        of.traffic = ik_arena_printf(&r->arena, "%s of %s", traffic->full,
                                     experiment_variant(e, p, SECTION_FABRIC)->full);
        status = of.traffic ? IK_OK : ik_fail_memory(err, 100, "a reference");
    }
    if (status == IK_OK)
        status = reference_obtain(r, &of, NULL, portable ? portable : traffic->spec, workload,
                                  config, env, out, err);
    pthread_mutex_unlock(&r->mutex);
    return status;
}

ik_status reference_alone(struct references *r, const ik_plan *plan, const char *traffic,
                          const ik_experiment *e, const point *p, const ik_sim_config *config,
                          const ik_env *env, const reference **out, ik_error *err)
{
    reference of = {.sw = experiment_variant(e, p, SECTION_SWITCH)->full,
                    .traffic = traffic,
                    .adapter = experiment_variant(e, p, SECTION_ADAPTER)->full,
                    .seed = env->seed};
    pthread_mutex_lock(&r->mutex);
    of.fabric = ik_arena_printf(&r->arena, "%s with %s, vc %s, vcs %s, selection %s",
                                experiment_variant(e, p, SECTION_FABRIC)->full,
                                experiment_variant(e, p, SECTION_ROUTING)->full,
                                experiment_variant(e, p, SECTION_VC)->full,
                                experiment_variant(e, p, SECTION_VCS)->full,
                                experiment_variant(e, p, SECTION_SELECTION)->full);
    ik_status status = of.fabric
                           ? reference_obtain(r, &of, plan, traffic, NULL, config, env, out, err)
                           : ik_fail_memory(err, 100, "a reference");
    pthread_mutex_unlock(&r->mutex);
    return status;
}
