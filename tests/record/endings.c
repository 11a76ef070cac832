/* SPDX-License-Identifier: Apache-2.0
 *
 * endings.c: a program that sends round a ring until one of its ranks ends in the way that the
 * first argument says, after as many rounds as the second says.
 */
#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void end(const char *how)
{
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exit") == 0)
        _exit(7);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "mpi_abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Closes the descriptor of the recorder's file and opens another file under its number. */
static void take_descriptor(const char *other)
{
    for (int k = 3; k < 1024; k++) {
        char name[40], file[4096] = "";
        snprintf(name, sizeof name, "/proc/self/fd/%d", k);
        if (readlink(name, file, sizeof file - 1) > 0 && strstr(file, "/rank-") &&
            strstr(file, ".part"))
            dup2(open(other, O_RDWR), k);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, rounds;
    char out = 1, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && strcmp(argv[1], "limit") == 0) /* of the size of files, from here on */
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){600000, 600000});
    if (argc > 3 && strcmp(argv[1], "descriptor") == 0)
        take_descriptor(argv[3]);
    rounds = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 0; i < rounds; i++)
        MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + 1) % ranks, 0, &in, 1, MPI_CHAR,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (argc > 1 && strcmp(argv[1], "name") == 0) {
        char name[64] = "";
        FILE *file = fopen("/proc/self/comm", "r");
        printf("named %s", file && fgets(name, sizeof name, file) ? name : "nothing\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1 && argc > 1)
        end(argv[1]);
    MPI_Finalize();
    return argc > 1 && strcmp(argv[1], "status") == 0 ? 5 : 0;
}
