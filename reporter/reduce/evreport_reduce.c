// SPDX-License-Identifier: BSD-3-Clause
/* mpirun evreport-reduce: ranks of MPI share a job's traces, and the first merges what they wrote. Its main thread
 * gives out the parts, and is the only one that calls MPI. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/reduce/parts.h"

static const char usage[] =
	"usage: mpirun -n N evreport-reduce [-o FILE] [-p BYTES] [-s DIR] TRACE|FOLDER...\n"
	"\n"
	"evreport reduce by N processes, which may run on several machines that see the same files. Each adds up\n"
	"parts of about as many bytes, into files in FILE.parts; the first then merges these. What is written\n"
	"there stays when a process dies, and a second call goes on from it.\n"
	"\n"
	"  -o FILE    write there (default: " EP_REDUCED_OUTPUT ")\n"
	"  -p BYTES   traces of so many bytes are a part (default: a 64th of all, from 16 to 64 MiB)\n"
	"  -s DIR     find programs and libraries below DIR\n";

static void tell_skipped(const char *path, const struct ep_error *err)
{
	fprintf(stderr, "evreport-reduce: %s: %s; it is left out\n", path, err->message);
}

static bool take_bytes(const char *text, uint32_t *out)
{
	char *end;
	unsigned long long bytes;

	errno = 0;
	bytes = strtoull(text, &end, 10);
	*out = (uint32_t)bytes;
	return isdigit((unsigned char)*text) && !*end && !errno && bytes && bytes <= UINT32_MAX;
}

/* Once for all ranks; text NULL: getopt has said what is wrong. */
static int refuse(int rank, const char *text)
{
	if (rank)
		return 2;
	if (text)
		fprintf(stderr,
			"evreport-reduce: -p %s: expected a number of bytes, from 1 to %" PRIu32
			"\n",
			text, UINT32_MAX);
	fputs(usage, stderr);
	return 2;
}

static int parse_arguments(struct ep_reduce_job *job, int argc, char **argv, int rank)
{
	int option;

	opterr = rank == 0;
	while ((option = getopt(argc, argv, "o:p:s:h")) != -1) {
		if (option == 'o') {
			job->output = optarg;
		} else if (option == 'p') {
			if (!take_bytes(optarg, &job->part_bytes))
				return refuse(rank, optarg);
		} else if (option == 's') {
			job->sysroot = optarg;
		} else if (option == 'h') {
			if (!rank)
				fputs(usage, stdout);
			return 0;
		} else {
			return refuse(rank, NULL);
		}
	}
	return optind < argc ? -1 : refuse(rank, NULL);
}

/* Returns how many parts failed. */
static int make_parts(const struct ep_reduce_parts *parts, int rank, int n_ranks)
{
	int n_failed = 0;

	for (uint32_t i = (uint32_t)rank; i < parts->n_parts; i += (uint32_t)n_ranks) {
		struct ep_error err;
		int rc = ep_reduce_parts_make(parts, i, &err);

		if (!rc || rc == -ENODATA)
			continue;
		ep_error_print(&err, "evreport-reduce");
		n_failed++;
	}
	return n_failed;
}

/* Returns the exit status at the first rank. */
static int reduce(const struct ep_reduce_job *job, char **names, int rank, int n_ranks)
{
	struct ep_reduce_parts parts;
	struct ep_error err;
	int rc = ep_reduce_parts_init(&parts, (const char *const *)names, job, &err);
	int n_failed = rc != 0, n_failed_of_all = 0;

	if (rc && !rank)
		ep_error_print(&err, "evreport-reduce");
	if (!rc)
		n_failed = make_parts(&parts, rank, n_ranks);
	MPI_Allreduce(&n_failed, &n_failed_of_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!n_failed_of_all && !rank) {
		rc = ep_reduce_parts_merge(&parts, &err);
		if (rc)
			ep_error_print(&err, "evreport-reduce");
		n_failed_of_all = rc != 0;
	}
	ep_reduce_parts_finish(&parts);
	return n_failed_of_all ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct ep_reduce_job job = {
		.output = EP_REDUCED_OUTPUT, .n_threads = 1, .skip = tell_skipped
	};
	int rank, n_ranks, status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	status = parse_arguments(&job, argc, argv, rank);
	if (status < 0)
		status = reduce(&job, argv + optind, rank, n_ranks);
	MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return status;
}
