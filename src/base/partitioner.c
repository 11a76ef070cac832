/* SPDX-License-Identifier: Apache-2.0
 *
 * partitioner.c: calls METIS.
 *
 * In a program that is linked with metis_traps.c any number of threads call METIS at once. In other
 * programs that link libikat, METIS uses signals (see there): then one thread calls it at a time,
 * SIGTERM is blocked in threads that call it, and the handlers and the signal mask are put back
 * afterwards. What remains: METIS prints a line on standard error where it lacks memory, and a
 * SIGTERM that another thread takes during the call meets METIS' handler.
 */
#include "base/partitioner.h"

#include <pthread.h>
#include <signal.h>

static pthread_mutex_t signals_taken = PTHREAD_MUTEX_INITIALIZER;

static int call_metis(ik_partition_job *j, idx_t *part)
{
    idx_t cut = 0;
    return (j->recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &j->num_vertices, &j->num_weights, j->begin, j->to, j->vertex_weights, NULL,
        j->link_weights, &j->num_parts, NULL, NULL, j->options, &cut, part);
}

/* Its jump out of a handler leaves the signal blocked; it puts handlers back without their
 * flags. */
static int call_alone(ik_partition_job *j, idx_t *part)
{
    struct sigaction on_abort, on_term;
    sigset_t mask, term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &mask);
    pthread_mutex_lock(&signals_taken);
    sigaction(SIGABRT, NULL, &on_abort);
    sigaction(SIGTERM, NULL, &on_term);
    int status = call_metis(j, part);
    sigaction(SIGABRT, &on_abort, NULL);
    sigaction(SIGTERM, &on_term, NULL);
    pthread_mutex_unlock(&signals_taken);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return status;
}

ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err)
{
    ik_partition_job j = *job; /* METIS takes what it reads as variable */
    bool traps = ik_metis_lacked_memory != NULL;
    int status = (traps ? call_metis : call_alone)(&j, part);
    /* a call within METIS that lacks memory is reported as METIS_ERROR */
    bool lacked = traps ? ik_metis_lacked_memory() : status == METIS_ERROR;
    if (status == METIS_OK)
        return IK_OK;
    if (status == METIS_ERROR_MEMORY || lacked)
        return ik_fail_memory(err, (size_t)j.begin[j.num_vertices] * 4 * sizeof *part,
                              "partitions of a graph");
    return ik_fail(err, IK_ERR_INTERNAL, "METIS failed with status %d", status);
}
