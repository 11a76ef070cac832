/* SPDX-License-Identifier: Apache-2.0
 *
 * A run whose partitions are ranks of MPI. Every rank sets up the whole network and works on its
 * own partition. Where all rest, they tell each other what they have counted; each takes it into
 * its copy, looks at it and decides, and all decide the same. */
#include "registry/registry.h"
#include "sim/inspect/inspect.h"
#include "sim/measure/watch.h"
#include "sim/parallel/workers.h"
#include "sim/params/parameters.h"
#include "sim/run.h"

#include <stdlib.h>
#include <time.h>

/* ---- what partitions tell each other at rest */

bool sim_meet(sim *s, ranks_bytes own, const ranks_bytes **all)
{
    ik_error err = {0};
    sim_exchange *x = s->parallel.exchange;
    partition *p = &s->parallel.partitions[s->parallel.here];
    ik_status status = x->meet(x, own, p->status != IK_OK, all, &err);
    s->outcome.failed |= status != IK_OK; /* of another one, sim_agree() says why */
    if (status == IK_ERR_MEMORY && p->status == IK_OK) {
        p->status = status;
        p->err = err;
    }
    return status == IK_OK;
}

typedef struct told_counts {
    counters n;
    uint64_t moved_ps;
    uint32_t hosts_left;
    bool after_end;
} told_counts;

bool sim_tell_counts(partition *p)
{
    sim *s = p->sim;
    const ranks_bytes *all;
    told_counts told;
    if (!s->parallel.ranks)
        return true;
    memset(&told, 0, sizeof told);
    told.n = p->n;
    told.moved_ps = p->moved_ps;
    told.hosts_left = p->hosts_left;
    told.after_end = p->after_end;
    if (!sim_meet(s, (ranks_bytes){&told, sizeof told}, &all))
        return false;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++) {
        partition *other = &s->parallel.partitions[q];
        if (q == p->id)
            continue;
        memcpy(&told, all[q].data, sizeof told);
        other->n = told.n;
        other->moved_ps = told.moved_ps;
        other->hosts_left = told.hosts_left;
        other->after_end = told.after_end;
    }
    return true;
}

/* Those from number `from` to number to - 1. */
static bool divided_tell_batches(partition *p, size_t from, size_t to)
{
    sim *s = p->sim;
    const ranks_bytes *all;
    size_t bytes = to > from ? (to - from) * sizeof(batch) : 0;
    if (!sim_meet(s, (ranks_bytes){p->batches.batches + from, bytes}, &all))
        return false;
    for (unsigned q = 0; q < s->parallel.num_partitions && bytes; q++)
        if (q != p->id)
            memcpy(s->parallel.partitions[q].batches.batches + from, all[q].data, bytes);
    return true;
}

bool sim_tell_batches(partition *p)
{
    const stationary *of = p->sim->counted.stationary;
    return !p->sim->parallel.ranks || divided_tell_batches(p, of->num, of->next);
}

bool sim_tell_results(partition *p)
{
    sim *s = p->sim;
    const ranks_bytes *all;
    if (!s->parallel.ranks)
        return true;
    size_t size = sim_results_pack(s, p->id, NULL);
    unsigned char *bytes = malloc(size);
    if (bytes)
        sim_results_pack(s, p->id, bytes);
    else if (p->status == IK_OK)
        p->status = ik_fail_memory(&p->err, size, "results");
    bool met = sim_meet(s, (ranks_bytes){bytes, bytes ? size : 0}, &all);
    for (unsigned q = 0; q < s->parallel.num_partitions && met; q++)
        if (q != p->id)
            sim_results_unpack(s, q, all[q].data);
    free(bytes);
    return met;
}

/* ---- what becomes of the run */

typedef struct told_status {
    ik_status status;
    ik_error why;
} told_status;

ik_status sim_agree(const ik_env *env, ik_status status, ik_error *err)
{
    const ranks_bytes *all;
    told_status told;
    ik_ranks *ranks = env ? env->ranks : NULL;
    if (!ranks)
        return status;
    memset(&told, 0, sizeof told);
    told.status = status;
    if (status != IK_OK && err)
        told.why = *err;
    told.why.token = 0; /* of one process */
    ik_error other = {0};
    ik_status met = ranks_meet(ranks, (ranks_bytes){&told, sizeof told}, false, &all, &other);
    if (met != IK_OK) {
        if (status == IK_OK && err)
            *err = other;
        return status == IK_OK ? met : status;
    }
    for (unsigned q = 0; q < ranks->num && status == IK_OK; q++) {
        memcpy(&told, all[q].data, sizeof told);
        if (told.status == IK_OK)
            continue;
        if (told.status == IK_ERR_CANCELLED) { /* a launcher's signal comes to them one by one */
            ranks->cancelled = true;
            return ik_fail(err, IK_ERR_CANCELLED, "the simulation was cancelled");
        }
        status = ik_fail(err, told.status, "rank %u: %s", q, told.why.text);
        registry_keep(err, &told.why);
    }
    return status;
}

static void divided_run_partition(void *p)
{
    sim_run_partition(p);
}

ik_status sim_run_partitions(sim *s, ik_error *err)
{
    if (!s->parallel.ranks) {
        ik_status ran = sim_workers_run(s->parallel.num_partitions, s->parallel.partitions,
                                        sizeof *s->parallel.partitions, divided_run_partition,
                                        &s->outcome.run_seconds, err);
        return ran == IK_OK ? sim_first_failure(s, err) : ran;
    }
    partition *p = &s->parallel.partitions[s->parallel.here];
    double begun = ik_clock_s(CLOCK_MONOTONIC);
    sim_run_partition(p);
    s->outcome.run_seconds = ik_clock_s(CLOCK_MONOTONIC) - begun;
    ik_status status = sim_agree(s->env, sim_first_failure(s, err), err);
    if (status != IK_OK)
        return status;
    if (sim_tell_results(p) &&
        (!s->measure.judged ||
         divided_tell_batches(p, s->counted.stationary->num, s->measure.window.most)))
        return IK_OK;
    status = sim_agree(s->env, sim_first_failure(s, err), err);
    return status != IK_OK ? status : ik_fail(err, IK_ERR_IO, "ranks did not tell their results");
}

/* ---- what is not done among ranks */

ik_status sim_refuse_ranks(const ik_sim_config *config, ik_error *err)
{
    const char *what = NULL, *about = NULL;
    const ik_sim_config c = sim_config_of(config);
    sim_sections sec;
    watch *w = NULL;
    ik_status status = watch_open(config->watch_params, &w, err);
    if (status == IK_OK && (status = sim_open_sections(&sec, &c, err)) != IK_OK)
        watch_free(w);
    if (status != IK_OK)
        return status;
    if (sim_is_pipelined(&c)) {
        what = "switch.model = pipelined";
        about = "switch.model";
    } else if (ik_params_bool(sec.measure, "paranoid")) {
        what = "measure.paranoid";
        about = "measure.paranoid";
    } else if (w) {
        what = "section 'watch'";
        about = "watch";
    } else if (ik_params_bool(sec.measure, "congestion") && ik_params_has(sec.measure, "series")) {
        what = "measure.congestion, with a series,";
        about = "measure.congestion";
    }
    watch_free(w);
    sim_close_sections(&sec);
    if (!what)
        return IK_OK;
    status = ik_about(
        err, ik_fail(err, IK_ERR_UNSUPPORTED, "%s needs the whole network in one process", what),
        "%s", about);
    return ik_hint(err, status, "%srun without mpirun: ikat then uses threads of this machine",
                   strstr(what, "congestion")
                       ? "add --set measure.congestion=false, and the series has no samples of "
                         "congestion; or "
                       : "");
}
