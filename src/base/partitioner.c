/* SPDX-License-Identifier: Apache-2.0
 *
 * partitioner.c: calls METIS.
 *
 * In a program that is linked with metis_traps.c any number of threads call METIS at once. In other
 * programs that link libikat, METIS uses signals (see there): then one thread calls it at a time,
 * the handlers and the signal mask are put back afterwards, and a SIGTERM that came meanwhile is
 * sent again. What remains: METIS prints a line on standard error where it lacks memory, and a
 * SIGTERM may end the process without its own handler: if another thread takes it during the call,
 * or if it comes within memory allocation.
 */
#include "base/partitioner.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t signals_taken = PTHREAD_MUTEX_INITIALIZER;

static int call_metis(ik_partition_job *j, idx_t *part)
{
    idx_t cut = 0;
    return (j->recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &j->num_vertices, &j->num_weights, j->begin, j->to, j->vertex_weights, NULL,
        j->link_weights, &j->num_parts, NULL, NULL, j->options, &cut, part);
}

/* METIS jumps out of its handlers, which leaves the signal blocked: so which signals came can be
 * told afterwards. It puts handlers back without their flags. Both signals must get through: METIS
 * raises them where it lacks memory, and goes on if nothing happens. *told: a SIGTERM of others
 * ended the call. */
static int call_alone(ik_partition_job *j, idx_t *part, bool *told)
{
    struct sigaction on_abort, on_term;
    sigset_t mask, both, left;
    sigemptyset(&both);
    sigaddset(&both, SIGABRT);
    sigaddset(&both, SIGTERM);
    pthread_mutex_lock(&signals_taken);
    sigaction(SIGABRT, NULL, &on_abort);
    sigaction(SIGTERM, NULL, &on_term);
    pthread_sigmask(SIG_UNBLOCK, &both, &mask);
    int status = call_metis(j, part);
    pthread_sigmask(SIG_BLOCK, NULL, &left);
    sigaction(SIGABRT, &on_abort, NULL);
    sigaction(SIGTERM, &on_term, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_mutex_unlock(&signals_taken);
    *told = status != METIS_OK && sigismember(&left, SIGTERM) && !sigismember(&left, SIGABRT);
    return status;
}

static int call_with_signals(ik_partition_job *j, idx_t *part)
{
    bool told;
    int status = call_alone(j, part, &told);
    while (told) {
        kill(getpid(), SIGTERM);
        status = call_alone(j, part, &told);
    }
    return status;
}

ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err)
{
    ik_partition_job j = *job; /* METIS takes what it reads as variable */
    bool traps = ik_metis_lacked_memory != NULL;
    int status = (traps ? call_metis : call_with_signals)(&j, part);
    /* a call within METIS that lacks memory is reported as METIS_ERROR */
    bool lacked = traps ? ik_metis_lacked_memory() : status == METIS_ERROR;
    if (status == METIS_OK)
        return IK_OK;
    if (status == METIS_ERROR_MEMORY || lacked)
        return ik_fail_memory(err, (size_t)j.begin[j.num_vertices] * 4 * sizeof *part,
                              "partitions of a graph");
    return ik_fail(err, IK_ERR_INTERNAL, "METIS failed with status %d", status);
}
