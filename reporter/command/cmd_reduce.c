// SPDX-License-Identifier: BSD-3-Clause
/* evreport reduce [OPTIONS] TRACE|FOLDER...: reads traces and writes their sums. */
#include "reporter/command/cmd_reduce.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/options.h"
#include "reporter/command/opened.h"
#include "reporter/command/progress.h"
#include "reporter/reduce/crew.h"

static const char usage[] =
	"usage: evreport reduce [OPTIONS] TRACE|FOLDER...\n"
	"\n"
	"Adds the traces up into one small file that evreport reads like a trace: for jobs with many ranks.\n"
	"A trace is let go once it is added. Reduced files may be among the traces: they are merged. Of a\n"
	"folder all files whose name ends in .gz are taken, but for the output itself. Threads add up parts of\n"
	"about as many bytes, into files in FILE.parts, which are merged. What is written there stays when this is\n"
	"stopped, and a second call goes on from it. The number of threads changes no byte of FILE.\n"
	"\n"
	"  -o, --output FILE      write there (default: " EP_REDUCED_OUTPUT ")\n"
	"  -e, --estimator NAME   fills events not measured in a slice, as in evreport\n"
	"      --threads N        threads, of 100 MB each (default: one for each CPU, 8 at most)\n"
	"  -p, --part-bytes SIZE  traces of so many bytes are a part, as in 20M (default: a 64th of all, 16 to\n"
	"                         64 MiB)\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n"
	"\n"
	"The file has sums and no slices: phases, --phase, --region, --from, --to, --process, --thread,\n"
	"exports that have times or threads, SQLite and compare-ocoe need the traces themselves; the page has\n"
	"no times of threads. Nor can runs inside valgrind be reduced.\n";

struct reduce_request {
	const char *output, *sysroot;
	const struct ep_filler_ops *filler;
	uint32_t n_threads, part_bytes;
};

static int parse_arguments(struct reduce_request *request, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &request->output },
		{ "estimator", 'e', .take = ep_filler_take, .into = &request->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "threads", .count = &request->n_threads, .least = 1, .most = EP_THREADS_MOST,
			.expected = EP_THREADS_EXPECTED },
		{ "part-bytes", 'p', .take = ep_reduce_part_take, .into = &request->part_bytes,
			.expected = EP_REDUCE_PART_EXPECTED },
		{ "sysroot", 's', .text = &request->sysroot },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport reduce", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status == EP_OPTIONS_READ && optind == argc)
		return ep_options_refuse(&options, EP_REDUCE_NO_TRACES);
	return status;
}

static void tell_skipped(void *context, const char *path, const char *why)
{
	fprintf(stderr, "evreport reduce: %s: %s; it is left out\n", path, why);
}

struct part_reading {
	pthread_mutex_t lock; /* protects the state of progress.h */
	_Atomic uint64_t done_bytes;
	uint64_t size_bytes; /* bytes of all traces; 0: not known */
};

static void show_reading(void *context, uint64_t more_bytes)
{
	struct part_reading *reading = context;
	uint64_t done_bytes = reading->done_bytes += more_bytes;

	if (pthread_mutex_trylock(&reading->lock))
		return;
	ep_progress_show(done_bytes, reading->size_bytes);
	pthread_mutex_unlock(&reading->lock);
}

static uint64_t size_of(const struct ep_reduce_inputs *inputs)
{
	uint64_t size_bytes = 0;

	for (uint32_t i = 0; i < inputs->n && !inputs->has_pipe; i++)
		size_bytes += inputs->sizes_bytes[i];
	return size_bytes;
}

static int reduce(
	const struct reduce_request *request, const char *const *names, struct ep_error *err)
{
	struct part_reading reading = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };
	const struct ep_reduce_job job = {
		.output = request->output,
		.filler = request->filler,
		.part_bytes = request->part_bytes,
		.sysroot = request->sysroot,
		.n_threads = request->n_threads,
		.progress = show_reading,
		.context = &reading,
		.skipper = { tell_skipped, NULL },
	};
	struct ep_reduce_parts parts;
	int rc = ep_reduce_parts_init(&parts, names, &job, err);

	reading.size_bytes = size_of(&parts.inputs);
	ep_progress_start("reading the traces");
	if (!rc)
		rc = ep_reduce_parts_run(&parts, request->n_threads, err);
	ep_progress_stop();
	ep_reduce_parts_finish(&parts);
	return rc;
}

int ep_cmd_reduce(int argc, char **argv)
{
	struct reduce_request request = { .output = EP_REDUCED_OUTPUT };
	struct ep_error err;
	int status = parse_arguments(&request, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = reduce(&request, (const char *const *)(argv + optind), &err);
	if (rc)
		ep_error_print(&err, "evreport reduce");
	return rc ? 1 : 0;
}
