/* SPDX-License-Identifier: Apache-2.0
 *
 * partitioner.c: calls METIS.
 *
 * In a program that is linked with metis_traps.c, and where metis_slots.c finds the calls to
 * replace, any number of threads call METIS at once, and it leaves signals alone. With another
 * METIS one thread calls it at a time, and the actions of the signals that it uses and the signal
 * mask are put back afterwards. What remains there: a SIGTERM during the call is lost and the call
 * fails as if memory were short, or ends the process if another thread takes it. Every METIS
 * prints lines on standard error where it lacks memory.
 */
#include "base/partitioner.h"

#include <pthread.h>
#include <signal.h>

static pthread_mutex_t signals_taken = PTHREAD_MUTEX_INITIALIZER;

static int partitioner_call_metis(ik_partition_job *j, idx_t *part)
{
    idx_t cut = 0;
    return (j->recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &j->num_vertices, &j->num_weights, j->begin, j->to, j->vertex_weights, NULL,
        j->link_weights, &j->num_parts, NULL, NULL, j->options, &cut, part);
}

/* Both signals must get through: METIS raises them where it lacks memory, and goes on if nothing
 * happens. It puts handlers back without their flags. */
static int partitioner_call_alone(ik_partition_job *j, idx_t *part, bool *lacked)
{
    struct sigaction on_abort, on_term;
    sigset_t mask, both;
    sigemptyset(&both);
    sigaddset(&both, SIGABRT);
    sigaddset(&both, SIGTERM);
    pthread_mutex_lock(&signals_taken);
    sigaction(SIGABRT, NULL, &on_abort);
    sigaction(SIGTERM, NULL, &on_term);
    pthread_sigmask(SIG_UNBLOCK, &both, &mask);
    int status = partitioner_call_metis(j, part);
    sigaction(SIGABRT, &on_abort, NULL);
    sigaction(SIGTERM, &on_term, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_mutex_unlock(&signals_taken);
    *lacked = status == METIS_ERROR; /* also of a call within METIS */
    return status;
}

static int partitioner_call(ik_partition_job *j, idx_t *part, bool *lacked)
{
    int status;
    if (ik_metis_lacked_memory != NULL) {
        status = partitioner_call_metis(j, part);
        *lacked = ik_metis_lacked_memory();
    } else if (ik_metis_enter()) {
        status = partitioner_call_metis(j, part);
        *lacked = ik_metis_leave();
    } else {
        status = partitioner_call_alone(j, part, lacked);
    }
    return status;
}

ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err)
{
    ik_partition_job j = *job; /* METIS takes what it reads as variable */
    bool lacked;               /* memory, as far as METIS' status does not say so */
    int status = partitioner_call(&j, part, &lacked);
    if (status == METIS_OK)
        return IK_OK;
    if (status == METIS_ERROR_MEMORY || lacked)
        return ik_fail_memory(err, (size_t)j.begin[j.num_vertices] * 4 * sizeof *part,
                              "partitions of a graph");
    return ik_fail(err, IK_ERR_INTERNAL, "METIS failed with status %d", status);
}
