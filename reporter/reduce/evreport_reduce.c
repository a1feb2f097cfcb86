// SPDX-License-Identifier: BSD-3-Clause
/* This is the program evreport-reduce, which mpirun starts: MPI ranks share the traces of a job, and the first rank
 * merges the files that they wrote. The main thread of the first rank tells each rank which part to make next. Only
 * main threads call MPI. */
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/reduce/crew.h"
#include "reporter/symbolize/symbolize.h"

static const char usage[] =
	"usage: mpirun -n N evreport-reduce [OPTIONS] TRACE|FOLDER...\n"
	"\n"
	"evreport reduce by N processes, which may run on several machines that see the same files. Each adds up\n"
	"parts of about as many bytes, into files in FILE.parts; the first then merges these. What is written\n"
	"there stays when a process dies, and a second call goes on from it.\n"
	"\n"
	"  -o, --output FILE      write there (default: " EP_REDUCED_OUTPUT ")\n"
	"  -p, --part-bytes SIZE  traces of so many bytes are a part, as in 20M (default: a 64th of all, 16 to\n"
	"                         64 MiB)\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n";

static void tell_skipped(void *context, const char *path, const char *why)
{
	fprintf(stderr, "evreport-reduce: %s: %s; it is left out\n", path, why);
}

/* Returns EP_OPTIONS_READ, or the exit status of the program. Only the first rank prints messages. */
static int parse_arguments(struct ep_reduce_job *job, int argc, char **argv, int rank)
{
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &job->output },
		{ "part-bytes", 'p', .take = ep_reduce_part_take, .into = &job->part_bytes,
			.expected = EP_REDUCE_PART_EXPECTED },
		{ "sysroot", 's', .text = &job->sysroot },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport-reduce", .usage = usage, .rows = rows, .is_quiet = rank != 0
	};
	int status = ep_options_read(&options, argc, argv);

	if (status == EP_OPTIONS_READ && optind == argc)
		return ep_options_refuse(&options, EP_REDUCE_NO_TRACES);
	return status;
}

/* ---- choice of the rank that makes a part ---- */

enum { TAG_REPORT = 1, TAG_PART, TAG_SKIPPED };

#define NO_PART UINT32_MAX
#define MOST_SKIPPED_BYTES (256u << 20) /* MPI takes the size of a message as a signed int */
#define WAIT_US 1000                    /* making a part takes about a thousand times as long */

/* A rank sends this message to ask for its next part. The message also has the result of the rank's previous part;
 * part is NO_PART if there was none. If traces of that part were skipped, a second message follows with the path and
 * the reason for each, each text followed by a NUL. */
struct report {
	uint32_t part, n_skipped_bytes;
	int rc;
	struct ep_error err;
};

/* A rank collects here the traces of its current part that it skipped. */
struct skipped {
	FILE *file; /* stream that writes text; NULL: out of memory */
	char *text;
	size_t n_bytes;
};

/* Waits for a request, sleeping between tests: MPI libraries wait in a busy loop, which would take a CPU from the
 * ranks that still work. */
static void wait_for(MPI_Request *request)
{
	int is_done = 0;

	while (!MPI_Test(request, &is_done, MPI_STATUS_IGNORE) && !is_done)
		usleep(WAIT_US);
}

static void send_bytes(const void *bytes, size_t n, int tag)
{
	MPI_Request request;

	MPI_Isend(bytes, (int)n, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
	wait_for(&request);
}

static uint32_t ask_first_rank(const struct report *report, const struct skipped *skipped)
{
	MPI_Request request;
	uint32_t part = NO_PART;

	send_bytes(report, sizeof(*report), TAG_REPORT);
	if (report->n_skipped_bytes)
		send_bytes(skipped->text, report->n_skipped_bytes, TAG_SKIPPED);
	MPI_Irecv(&part, 1, MPI_UINT32_T, 0, TAG_PART, MPI_COMM_WORLD, &request);
	wait_for(&request);
	return part;
}

static void keep_skipped(void *context, const char *path, const char *why)
{
	struct skipped *skipped = context;

	if (skipped->file)
		fprintf(skipped->file, "%s%c%s%c", path, '\0', why, '\0');
}

static void make_part(
	const struct ep_reduce_parts *parts, struct report *report, struct skipped *skipped)
{
	struct ep_reduce_skipper skipper = { keep_skipped, skipped };

	*skipped = (struct skipped){ 0 };
	skipped->file = open_memstream(&skipped->text, &skipped->n_bytes);
	report->rc = ep_reduce_parts_make(parts, report->part, &skipper, &report->err);
	if (!skipped->file || fclose(skipped->file) || skipped->n_bytes > MOST_SKIPPED_BYTES)
		skipped->n_bytes = 0;
	report->n_skipped_bytes = (uint32_t)skipped->n_bytes;
}

static void make_parts(const struct ep_reduce_parts *parts)
{
	struct report report = { .part = NO_PART };
	struct skipped skipped = { 0 };

	while ((report.part = ask_first_rank(&report, &skipped)) != NO_PART) {
		free(skipped.text);
		make_part(parts, &report, &skipped);
	}
	free(skipped.text);
}

/* The data of the first rank's second thread, which merges the parts, and makes parts while none is ready to be
 * merged. */
struct merging {
	struct ep_reduce_crew *crew;
	struct ep_error err;
	int rc;
	atomic_bool is_done;
};

static void *merge(void *context)
{
	struct merging *merging = context;

	merging->rc = ep_reduce_crew_merge(merging->crew, &merging->err);
	merging->is_done = true;
	return NULL;
}

/* Receives the message of a rank about the traces that it skipped. */
static void take_skipped(struct ep_reduce_crew *crew, const struct report *report, int rank)
{
	EP_AUTOFREE char *text = malloc(report->n_skipped_bytes);

	if (!text) {
		fputs("evreport-reduce: out of memory\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Recv(text, (int)report->n_skipped_bytes, MPI_BYTE, rank, TAG_SKIPPED, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	for (const char *path = text, *why; path < text + report->n_skipped_bytes;
		path = why + strlen(why) + 1) {
		why = path + strlen(path) + 1;
		ep_reduce_crew_skip(crew, report->part, path, why);
	}
}

/* Answers one rank that asks for a part. Returns true if the answer was that no part is left. */
static bool answer_one(struct ep_reduce_crew *crew)
{
	struct report report;
	MPI_Status status;
	uint32_t part = NO_PART;

	MPI_Recv(&report, sizeof(report), MPI_BYTE, MPI_ANY_SOURCE, TAG_REPORT, MPI_COMM_WORLD,
		&status);
	if (report.n_skipped_bytes)
		take_skipped(crew, &report, status.MPI_SOURCE);
	if (report.part != NO_PART)
		ep_reduce_crew_end(crew, report.part, report.rc, &report.err);
	if (!ep_reduce_crew_begin(crew, &part))
		part = NO_PART;
	MPI_Send(&part, 1, MPI_UINT32_T, status.MPI_SOURCE, TAG_PART, MPI_COMM_WORLD);
	return part == NO_PART;
}

static void answer(struct merging *merging, int n_ranks)
{
	int n_asking = n_ranks - 1;

	while (n_asking || !merging->is_done) {
		int has_report = 0;

		MPI_Iprobe(
			MPI_ANY_SOURCE, TAG_REPORT, MPI_COMM_WORLD, &has_report, MPI_STATUS_IGNORE);
		if (!has_report)
			usleep(WAIT_US);
		else if (answer_one(merging->crew))
			n_asking--;
	}
}

/* Starts the thread that merges, and answers the other ranks. If the thread cannot be started, no part is made, and
 * all ranks are told that none is left. */
static void merge_in_thread(struct merging *merging, int n_ranks)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, merge, merging);

	if (rc) {
		merging->rc =
			ep_fail(&merging->err, -rc, "cannot start a thread: %s", strerror(rc));
		merging->is_done = true;
		ep_reduce_crew_end(merging->crew, 0, -rc, &merging->err);
	}
	answer(merging, n_ranks);
	if (!rc)
		pthread_join(thread, NULL);
}

static int give_out_parts(const struct ep_reduce_parts *parts, int n_ranks)
{
	struct merging merging = { .crew = ep_reduce_crew_create(parts) };
	int rc;

	if (!merging.crew) {
		fputs("evreport-reduce: out of memory\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	merge_in_thread(&merging, n_ranks);
	ep_reduce_crew_destroy(merging.crew);
	rc = ep_reduce_parts_end(parts, merging.rc, &merging.err);
	if (rc)
		ep_error_print(&merging.err, "evreport-reduce");
	return rc ? 1 : 0;
}

/* Gives all ranks the first rank's division into parts and the names of parts, since nodes may see different
 * modification times of the traces. All nodes must see the same traces. */
static int agree(struct ep_reduce_parts *parts, int rank, struct ep_error *err)
{
	uint32_t sizes[2] = { parts->inputs.n, parts->n_parts };
	int is_other, is_any_other;

	MPI_Bcast(sizes, 2, MPI_UINT32_T, 0, MPI_COMM_WORLD);
	is_other = sizes[0] != parts->inputs.n || sizes[1] != parts->n_parts;
	MPI_Allreduce(&is_other, &is_any_other, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (is_any_other)
		return ep_fail(err, -ESTALE,
			"the processes do not see the same traces: their folder must be one that all machines share, and no trace in it may grow");
	MPI_Bcast(parts->firsts, (int)parts->n_parts + 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
	MPI_Bcast(parts->hashes, (int)parts->n_parts, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	return rank && ep_reduce_parts_name(parts) ? ep_fail(err, -ENOMEM, "out of memory") : 0;
}

/* Returns whether a rank failed; the answer is the same at all ranks. The failed rank with the lowest number
 * prints why. */
static bool has_any_failed(int rc, int rank, const struct ep_error *err)
{
	int failed = rc ? rank : INT_MAX, first = INT_MAX;

	MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (rc && rank == first)
		ep_error_print(err, "evreport-reduce");
	return first != INT_MAX;
}

/* Returns the exit status at the first rank; other ranks receive it from there. */
static int reduce(const struct ep_reduce_job *job, char **names, int rank, int n_ranks)
{
	struct ep_reduce_parts parts;
	struct ep_error err;
	int rc = ep_reduce_parts_init(&parts, (const char *const *)names, job, &err), status = 1;

	if (!has_any_failed(rc, rank, &err) &&
		!has_any_failed(agree(&parts, rank, &err), rank, &err)) {
		if (rank)
			make_parts(&parts);
		else
			status = give_out_parts(&parts, n_ranks);
	}
	ep_reduce_parts_finish(&parts);
	return status;
}

int main(int argc, char **argv)
{
	struct ep_reduce_job job = {
		.output = EP_REDUCED_OUTPUT, .n_threads = 1, .skipper = { tell_skipped, NULL }
	};
	MPI_Request request;
	int rank, n_ranks, status, threads;

	ep_symbols_stay_offline(); /* before MPI_Init, since that may begin threads */
	/* every MPI library in use supports this level of threads */
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	status = parse_arguments(&job, argc, argv, rank);
	if (status == EP_OPTIONS_READ)
		status = reduce(&job, argv + optind, rank, n_ranks);
	MPI_Ibcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	wait_for(&request);
	MPI_Finalize();
	return status;
}
