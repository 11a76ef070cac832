/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that are read or built once per fabric, traffic spec and seed, for the checks before
 * the first point and for every point with the three. Only traffic of families with same_anywhere
 * is shared: dependency graphs, which nobody changes and which may be large. Of the shared ones
 * without a user, the latest is kept, and others from the latest on while they have at most
 * MOST_KEPT operations in all. Cost of a look-up: the number of those that are kept. */
#include "experiment/run/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct shared {
    ik_traffic *traffic;
    const ik_fabric *fabric;
    const char *spec; /* the variant's */
    uint64_t seed;
    unsigned users;
    struct shared *next; /* older */
} shared;

struct traffics {
    pthread_mutex_t mutex;
    shared *first; /* the latest */
};

/* Operations of graphs that are kept without a user, beside the last one. */
enum { MOST_KEPT = 1 << 22 };

ik_status traffics_new(struct traffics **out, ik_error *err)
{
    struct traffics *s = *out = ik_calloc(1, sizeof *s);
    if (!s)
        return ik_fail_memory(err, sizeof *s, "an experiment");
    pthread_mutex_init(&s->mutex, NULL);
    return IK_OK;
}

static void traffics_drop(shared **place)
{
    shared *gone = *place;
    *place = gone->next;
    ik_traffic_free(gone->traffic);
    free(gone);
}

void traffics_free(struct traffics *s)
{
    if (!s)
        return;
    while (s->first)
        traffics_drop(&s->first);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

void traffics_forget(struct traffics *s, const ik_fabric *f)
{
    pthread_mutex_lock(&s->mutex);
    for (shared **place = &s->first; *place;)
        if ((*place)->fabric == f)
            traffics_drop(place);
        else
            place = &(*place)->next;
    pthread_mutex_unlock(&s->mutex);
}

/* Away with what nobody uses and is too large to be kept, but for the latest. With the mutex. */
static void traffics_shrink(struct traffics *s)
{
    uint64_t kept = 0;
    for (shared **place = &s->first; *place;) {
        const ik_workload *w = (*place)->traffic->workload;
        uint64_t ops = w->graph ? w->graph->num_ops : 0;
        bool idle = !(*place)->users;
        kept += idle ? ops : 0;
        if (idle && place != &s->first && kept > MOST_KEPT)
            traffics_drop(place);
        else
            place = &(*place)->next;
    }
}

static shared *run_traffics_find(const struct traffics *s, const ik_fabric *f, const variant *v,
                                 uint64_t seed)
{
    shared *of = s->first;
    while (of && (of->fabric != f || of->seed != seed || strcmp(of->spec, v->spec) != 0))
        of = of->next;
    return of;
}

static ik_status traffics_keep(struct traffics *s, ik_traffic *t, const ik_fabric *f,
                               const variant *v, uint64_t seed, ik_error *err)
{
    shared *of = ik_calloc(1, sizeof *of);
    if (!of)
        return ik_fail_memory(err, sizeof *of, "an experiment");
    *of = (shared){t, f, v->spec, seed, 1, NULL};
    pthread_mutex_lock(&s->mutex);
    of->next = s->first;
    s->first = of;
    traffics_shrink(s);
    pthread_mutex_unlock(&s->mutex);
    return IK_OK;
}

ik_status traffics_take(struct traffics *s, const ik_fabric *f, const variant *v, const ik_env *env,
                        ik_traffic **out, ik_error *err)
{
    ik_traffic *made = NULL;
    pthread_mutex_lock(&s->mutex);
    shared *known = run_traffics_find(s, f, v, env->seed);
    if (known)
        known->users++;
    pthread_mutex_unlock(&s->mutex);
    *out = known ? known->traffic : NULL;
    if (known)
        return IK_OK;
    ik_status status = ik_traffic_from_spec(f, v->spec, env, &made, err);
    if (status == IK_OK && made->family->same_anywhere)
        status = traffics_keep(s, made, f, v, env->seed, err);
    if (status == IK_OK)
        *out = made;
    else
        ik_traffic_free(made);
    return status;
}

void traffics_give_back(struct traffics *s, ik_traffic *t)
{
    bool known = false;
    if (!t)
        return;
    pthread_mutex_lock(&s->mutex);
    for (shared *of = s->first; of && !known; of = of->next) {
        known = of->traffic == t;
        of->users -= known;
    }
    if (known)
        traffics_shrink(s);
    pthread_mutex_unlock(&s->mutex);
    if (!known)
        ik_traffic_free(t);
}
