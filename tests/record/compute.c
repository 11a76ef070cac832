/* SPDX-License-Identifier: Apache-2.0
 *
 * compute.c: every rank computes until its thread has had a processor for as many ms as the first
 * argument says, in as many steps as the second says, with a barrier after each.
 */
#include <mpi.h>

#include <stdlib.h>
#include <time.h>

static double thread_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int steps = atoi(argv[2]);
    double each = atof(argv[1]) / steps;
    for (int k = 0; k < steps; k++) {
        double end = thread_ms() + each;
        while (thread_ms() < end)
            ;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
