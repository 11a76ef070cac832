/* SPDX-License-Identifier: Apache-2.0
 *
 * compute.c: every rank computes until its thread has had a processor for as many ms as the first
 * argument says, in as many steps as the second says, with a barrier after each. With a third
 * argument each step is a thread of its own, after the one before has ended.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static double thread_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *step(void *ms)
{
    double end = thread_ms() + *(double *)ms;
    while (thread_ms() < end)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    int steps = atoi(argv[2]);
    double each = atof(argv[1]) / steps;
    for (int k = 0; k < steps; k++) {
        pthread_t thread;
        if (argc <= 3)
            step(&each);
        else if (pthread_create(&thread, NULL, step, &each) == 0)
            pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
