/* SPDX-License-Identifier: Apache-2.0
 *
 * threads.c: MPI calls of several threads: one after the other (argument "turns"), or at once. Then
 * two threads of a rank first meet in a synchronous message, so that two calls overlap for certain.
 */
#include <mpi.h>

#include <pthread.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 200 };

static int rank, ranks, turns;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* Neither call is over before the other one has begun. */
static void meet(int thread)
{
    char byte = 1;
    if (thread == 0)
        MPI_Ssend(&byte, 1, MPI_CHAR, rank, THREADS, MPI_COMM_WORLD);
    else if (thread == 1)
        MPI_Recv(&byte, 1, MPI_CHAR, rank, THREADS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *talk(void *argument)
{
    int tag = *(int *)argument;
    if (!turns)
        meet(tag);
    for (int i = 0; i < ROUNDS; i++) {
        char out = 1, in;
        MPI_Request requests[2];
        if (turns)
            pthread_mutex_lock(&turn);
        MPI_Irecv(&in, 1, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_CHAR, (rank + 1) % ranks, tag, MPI_COMM_WORLD, &requests[1]);
        if (turns) {
            int done = 0;
            while (!done)
                MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
            pthread_mutex_unlock(&turn);
        } else {
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level, tags[THREADS], num = argc > 1 && strcmp(argv[1], "turns") == 0 ? 1 : THREADS;
    pthread_t threads[THREADS];
    turns = num == 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 0; k < num && level == MPI_THREAD_MULTIPLE; k++) {
        tags[k] = k;
        pthread_create(&threads[k], NULL, talk, &tags[k]);
    }
    for (int k = 0; k < num && level == MPI_THREAD_MULTIPLE; k++)
        pthread_join(threads[k], NULL);
    MPI_Finalize();
    return level == MPI_THREAD_MULTIPLE ? 0 : 3;
}
