/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that compute, reduce and pass a token round; also started alone, without mpirun. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, n_ranks, token = 1;
	long mine = 0, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	for (long i = rank; i < 30000000; i += n_ranks)
		mine += i % 13;
	for (int repeat = 0; repeat < 200; repeat++)
		MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % n_ranks, 0,
		(rank + n_ranks - 1) % n_ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("%ld %d\n", sum, token);
	MPI_Finalize();
	return 0;
}
