/* SPDX-License-Identifier: Apache-2.0
 *
 * partitioner.c: calls METIS in a child process.
 *
 * METIS sets handlers of SIGABRT and SIGTERM of the whole process while it runs, raises these
 * signals where it lacks memory or finds an error, jumps out of whatever they interrupt, and
 * prints. In a process of its own none of this meets the program or its other threads, and any
 * number of threads may call. The child has the graph as it stood when it was forked, and writes
 * the parts into memory that it shares with its parent.
 *
 * The child takes memory from malloc() although other threads may have been inside it: the C
 * library holds its locks over fork(). The malloc() of the sanitizers does not, and a child could
 * wait for ever; so there METIS runs in the program itself, one call at a time.
 */
#include "base/partitioner.h"

#include "base/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* What the child tells. */
typedef struct partitioner_answer {
    int status; /* as METIS returns it */
    _Atomic bool complete;
    idx_t part[]; /* [vertices] */
} partitioner_answer;

static void partitioner_call_metis(const ik_partition_job *job, partitioner_answer *answer)
{
    ik_partition_job j = *job; /* METIS takes what it reads as variable */
    idx_t cut = 0;
    answer->status = (j.recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &j.num_vertices, &j.num_weights, j.begin, j.to, j.vertex_weights, NULL, j.link_weights,
        &j.num_parts, NULL, NULL, j.options, &cut, answer->part);
    answer->complete = true;
}

/* Ends the child. All signals are blocked in it but those that METIS raises. */
_Noreturn static void partitioner_run_child(const ik_partition_job *job, partitioner_answer *answer)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    setpgid(0, 0); /* a signal to the program's group is the program's: it waits for this process */
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    sigset_t raised;
    sigemptyset(&raised);
    sigaddset(&raised, SIGABRT);
    sigaddset(&raised, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &raised, NULL);
    partitioner_call_metis(job, answer);
    _exit(0);
}

/* METIS_ERROR also stands for memory: METIS says it of calls within METIS that lacked it. */
static ik_status partitioner_judge(const ik_partition_job *job, const partitioner_answer *answer,
                                   int ended, ik_error *err)
{
    bool killed = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL; /* where memory is short */
    if (answer->complete && answer->status == METIS_OK)
        return IK_OK;
    if (answer->complete ? answer->status != METIS_ERROR_INPUT : killed)
        return ik_fail_memory(err, (size_t)job->begin[job->num_vertices] * 4 * sizeof(idx_t),
                              "partitions of a graph");
    if (answer->complete)
        return ik_fail(err, IK_ERR_INTERNAL, "METIS failed with status %d", answer->status);
    return ik_fail(err, IK_ERR_INTERNAL, "METIS ended by signal %d",
                   WIFSIGNALED(ended) ? WTERMSIG(ended) : 0);
}

/* Runs METIS in a child process and waits for its end. */
static ik_status partitioner_fork(const ik_partition_job *job, partitioner_answer *answer,
                                  size_t bytes, ik_error *err)
{
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pid_t child = fork();
    if (child == 0)
        partitioner_run_child(job, answer);
    int why = errno;
    if (child > 0)
        setpgid(child, child); /* as the child does: whichever comes first */
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (child < 0 && why == ENOMEM)
        return ik_fail_memory(err, bytes, "a process that cuts a graph");
    if (child < 0)
        return ik_fail(err, IK_ERR_IO, "cannot start a process that cuts a graph: %s",
                       strerror(why));
    int ended = 0; /* stays 0 where the program ignores SIGCHLD, or has waited for the child */
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    return partitioner_judge(job, answer, ended, err);
}

ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err)
{
    static pthread_mutex_t one_call = PTHREAD_MUTEX_INITIALIZER;
    size_t parts = (size_t)job->num_vertices * sizeof *part,
           bytes = sizeof(partitioner_answer) + parts;
    partitioner_answer *answer =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED)
        return ik_fail_memory(err, bytes, "partitions of a graph");
    ik_status status;
    if (IK_SANITIZED) {
        pthread_mutex_lock(&one_call);
        partitioner_call_metis(job, answer);
        pthread_mutex_unlock(&one_call);
        status = partitioner_judge(job, answer, 0, err);
    } else {
        status = partitioner_fork(job, answer, bytes, err);
    }
    if (status == IK_OK)
        memcpy(part, answer->part, parts);
    munmap(answer, bytes);
    return status;
}
