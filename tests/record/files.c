/* SPDX-License-Identifier: Apache-2.0
 *
 * files.c: one message from rank 0 to rank 1, then a file that all ranks write with strides and in
 * order, which makes libraries send messages of their own. usage: files FILE
 */
#include <mpi.h>
#include <stdio.h>

enum { NUM = 1000 };

int main(int argc, char **argv)
{
    int rank, own = 7, *data = (int[NUM]){0}, all[2 * NUM] = {0};
    MPI_File file;
    MPI_Datatype every_second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&own, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < NUM; i++)
        data[i] = 2 * i + rank;
    MPI_Type_vector(NUM, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, every_second, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(file, data, NUM, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at_all(file, 0, all, 2 * NUM, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    int wrong = 0;
    for (int i = 0; i < 2 * NUM; i++)
        wrong += all[i] != i;
    printf("wrong %d\n", wrong);
    MPI_Type_free(&every_second);
    MPI_Finalize();
    return 0;
}
