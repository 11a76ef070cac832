/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/bounds.c: what is known of loads before they are simulated, once for all loads of
 * points that differ in nothing else: with routings that divide their flows it costs as much as a
 * short run. Threads that need it at the same time wait for the first. */
#include "experiment/run/run.h"
#include "registry/registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BOUNDS = 256 }; /* that are kept */

typedef struct bounds_entry {
    struct bounds_entry *next; /* older */
    point of;
    bool done, failed;
    ik_sim_bound at[]; /* [loads of its design] */
} bounds_entry;

struct bounds {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bounds_entry *first; /* the latest */
};

ik_status bounds_new(struct bounds **out, ik_error *err)
{
    struct bounds *b = *out = ik_calloc(1, sizeof *b);
    if (!b)
        return ik_fail_memory(err, sizeof *b, "an experiment");
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    return IK_OK;
}

/* Frees this entry and all older ones. */
static void bounds_drop(bounds_entry *entry)
{
    while (entry) {
        bounds_entry *next = entry->next;
        free(entry);
        entry = next;
    }
}

void bounds_free(struct bounds *b)
{
    if (!b)
        return;
    bounds_drop(b->first);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    free(b);
}

/* The point without its load, and without its seed if nothing is drawn with that. A pattern of a
 * plug-in may draw although it has no parameter for a seed. */
static point bounds_key(const ik_experiment *e, const point *p)
{
    point key = *p;
    bool draws = registry_newest() || plan_is_per_seed(e, p) ||
                 traffic_draws(experiment_variant(e, p, SECTION_TRAFFIC));
    key.index[SECTION_LOAD] = 0;
    if (!draws)
        key.index[SECTION_SEEDS] = 0;
    return key;
}

/* The latest entry of such points that did not fail; NULL = there is none. With the mutex. */
static bounds_entry *bounds_look_up(struct bounds *b, const point *key)
{
    for (bounds_entry *entry = b->first; entry; entry = entry->next)
        if (!entry->failed && entry->of.design == key->design &&
            memcmp(entry->of.index, key->index, sizeof key->index) == 0)
            return entry;
    return NULL;
}

/* Frees entries older than the latest MOST_BOUNDS, unless a thread still fills one of them.
 * With the mutex. */
static void bounds_shrink(struct bounds *b)
{
    bounds_entry *last = b->first;
    for (unsigned num = 1; last && num < MOST_BOUNDS; num++)
        last = last->next;
    if (!last)
        return;
    for (const bounds_entry *old = last->next; old; old = old->next)
        if (!old->done)
            return;
    bounds_drop(last->next);
    last->next = NULL;
}

/* All loads of the points of an entry. Without the mutex. */
static ik_status bounds_fill(const ik_experiment *e, const ik_plan *plan, const ik_traffic *traffic,
                             const point *p, const ik_env *env, bounds_entry *entry, ik_error *err)
{
    size_t num = experiment_list(e, p->design, SECTION_LOAD)->num;
    double *loads = ik_calloc(num, sizeof *loads);
    if (!loads)
        return ik_fail_memory(err, num * sizeof *loads, "loads");
    point at = *p;
    for (size_t k = 0; k < num; k++) {
        at.index[SECTION_LOAD] = k;
        loads[k] = point_config(e, &at).load;
    }
    ik_sim_config config = point_config(e, p);
    ik_status status =
        ik_sim_bound_measure(plan, traffic, &config, loads, num, env, entry->at, err);
    free(loads);
    return status;
}

/* A new entry, the latest, filled by this thread. With the mutex, which is free meanwhile. */
static ik_status bounds_add(struct bounds *b, const ik_experiment *e, const ik_plan *plan,
                            const ik_traffic *traffic, const point *p, const point *key,
                            const ik_env *env, bounds_entry **out, ik_error *err)
{
    size_t bytes =
        sizeof **out + experiment_list(e, p->design, SECTION_LOAD)->num * sizeof *(*out)->at;
    bounds_entry *entry = *out = ik_calloc(1, bytes);
    if (!entry)
        return ik_fail_memory(err, bytes, "bounds of loads");
    entry->of = *key;
    entry->next = b->first;
    b->first = entry;
    pthread_mutex_unlock(&b->mutex);
    ik_status status = bounds_fill(e, plan, traffic, p, env, entry, err);
    pthread_mutex_lock(&b->mutex);
    entry->done = true;
    entry->failed = status != IK_OK;
    pthread_cond_broadcast(&b->changed);
    return status;
}

ik_status bounds_find(struct bounds *b, const ik_experiment *e, const ik_plan *plan,
                      const ik_traffic *traffic, const point *p, const ik_env *env,
                      ik_sim_bound *out, ik_error *err)
{
    const point key = bounds_key(e, p);
    ik_status status = IK_OK;
    bounds_entry *entry;
    pthread_mutex_lock(&b->mutex);
    while ((entry = bounds_look_up(b, &key)) && !entry->done)
        pthread_cond_wait(&b->changed, &b->mutex);
    if (!entry)
        status = bounds_add(b, e, plan, traffic, p, &key, env, &entry, err);
    if (status == IK_OK) {
        *out = entry->at[p->index[SECTION_LOAD]];
        bounds_shrink(b);
    }
    pthread_mutex_unlock(&b->mutex);
    return status;
}
