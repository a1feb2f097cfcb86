// SPDX-License-Identifier: BSD-3-Clause
/* evreport reduce [OPTIONS] TRACE|FOLDER...: reads traces, writes their sums. */
#include "reporter/command/cmd_reduce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/options.h"
#include "reporter/command/opened.h"
#include "reporter/command/progress.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/reduce/inputs.h"
#include "reporter/reduce/reduce.h"

static const char usage[] =
	"usage: evreport reduce [OPTIONS] TRACE|FOLDER...\n"
	"\n"
	"Adds the traces up into one small file that evreport reads like a trace: for jobs with many ranks.\n"
	"A trace is let go once it is added. Reduced files may be among the traces: they are merged. Of a\n"
	"folder all files whose name ends in .gz are taken, but for the output itself.\n"
	"\n"
	"  -o, --output FILE      write there (default: " EP_REDUCED_OUTPUT ")\n"
	"  -e, --estimator NAME   fills events not measured in a slice, as in evreport\n"
	"      --threads N        threads that read the traces (2 where there are CPUs for it)\n"
	"  -s, --sysroot DIR      find programs and libraries below DIR\n"
	"\n"
	"The file has no slices and no regions: phases, --phase, --region, --from, --to, --process, --thread,\n"
	"exports that have times or threads, SQLite and compare-ocoe need the traces themselves; the page has\n"
	"no times of threads. Nor can runs inside valgrind be reduced.\n";

struct reduce_request {
	const char *output, *sysroot;
	const struct ep_filler_ops *filler;
	uint32_t n_threads;
};

static int parse_arguments(struct reduce_request *request, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &request->output },
		{ "estimator", 'e', .take = ep_filler_take, .into = &request->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "threads", .count = &request->n_threads, .least = 1, .most = EP_THREADS_MOST,
			.expected = EP_THREADS_EXPECTED },
		{ "sysroot", 's', .text = &request->sysroot },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport reduce", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status == EP_OPTIONS_READ && optind == argc)
		return ep_options_refuse(&options, "which traces? name files, or folders of them");
	return status;
}

static void tell_skipped(const char *path, const struct ep_error *err)
{
	fprintf(stderr, "evreport reduce: %s: %s; it is left out\n", path, err->message);
}

static void show_reading(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	ep_progress_show(done_bytes, size_bytes);
}

static int reduce(const struct reduce_request *request, const struct ep_reduce_inputs *inputs,
	struct ep_error *err)
{
	const char *const *paths = (const char *const *)inputs->paths;
	const struct ep_reduce_job job = {
		.paths = paths,
		.output = request->output,
		.filler = request->filler ? request->filler : ep_filler_default(paths).filler,
		.sysroot = request->sysroot,
		.n_threads = request->n_threads,
		.progress = show_reading,
		.skip = tell_skipped,
	};
	int rc;

	ep_progress_start("reading the traces");
	rc = ep_reduce(&job, err);
	ep_progress_stop();
	return rc;
}

int ep_cmd_reduce(int argc, char **argv)
{
	struct reduce_request request = { .output = EP_REDUCED_OUTPUT };
	struct ep_reduce_inputs inputs = { 0 };
	struct ep_error err;
	int status = parse_arguments(&request, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = ep_reduce_inputs_find(
		(const char *const *)(argv + optind), request.output, &inputs, &err);
	if (!rc)
		rc = reduce(&request, &inputs, &err);
	if (rc)
		ep_error_print(&err, "evreport reduce");
	ep_reduce_inputs_finish(&inputs);
	return rc ? 1 : 0;
}
