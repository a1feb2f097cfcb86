// SPDX-License-Identifier: BSD-3-Clause
/* evreport info [TRACE...]: shows what each file has, and whether it is complete. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/load/load.h"

/* Row 0 has unknown types. */
static const char *const type_names[] = {
	"unknown",
	"META",
	"MODULES",
	"STACKS",
	"SAMPLES",
	"TOTALS",
	"END",
	"NOTE",
	"READY",
	"CHILDREN",
	"MACHINE",
	"COSTS",
	"WAITS",
	"CODE",
	"REDUCED",
	"PERF_MAP",
	"REGIONS",
	"MADE_CODE",
	"WAIT_REGIONS",
};
_Static_assert(EP_ARRAY_SIZE(type_names) == EP_N_BLOCK_TYPES, "each type of block has a name");

struct counts {
	uint64_t n_blocks[EP_N_BLOCK_TYPES], bytes[EP_N_BLOCK_TYPES];
};

static void count_block(void *context, const struct ep_block *block)
{
	struct counts *counts = context;
	int row = block->type < EP_N_BLOCK_TYPES ? block->type : 0;

	counts->n_blocks[row]++;
	counts->bytes[row] += EP_BLOCK_HEADER_BYTES + block->size_bytes;
}

static void print_blocks(const struct counts *counts)
{
	printf("\n  %-12s %10s %14s\n", "block", "number", "bytes inflated");
	for (int i = 1; i <= EP_N_BLOCK_TYPES; i++) {
		int row = i % EP_N_BLOCK_TYPES;

		if (counts->n_blocks[row])
			printf("  %-12s %10" PRIu64 " %14" PRIu64 "\n", type_names[row],
				counts->n_blocks[row], counts->bytes[row]);
	}
}

static void print_integrity(const struct ep_trace *trace)
{
	const struct ep_reader_stats *r = &trace->reader;
	const struct ep_loss *l = &trace->loss;
	const struct {
		const char *what;
		uint64_t n;
	} rows[] = {
		{ "bytes damaged", r->damaged_bytes },
		{ "damaged places", r->n_damages },
		{ "bytes of a block cut at the end", r->cut_bytes },
		{ "members with a broken inside", r->n_bad_frames },
		{ "members of another version", r->n_other_version },
		{ "blocks that made no sense", l->n_undecodable },
		{ "blocks of unknown type", l->n_unknown_types },
		{ "blocks of samples without META", l->n_without_meta },
		{ "samples without call path", l->n_without_path },
		{ "samples with impossible times", l->n_odd },
		{ "samples lost while recording", l->n_lost_slices },
		{ "samples missing by their numbers", l->n_missing_slices },
		{ "threads without a last record", l->n_unfinished_threads },
		{ "processes without an end", l->n_unfinished_processes },
	};
	bool is_whole = r->ends_well;

	printf("\n");
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		if (!rows[i].n)
			continue;
		printf("  %-34s %10" PRIu64 "\n", rows[i].what, rows[i].n);
		is_whole = false;
	}
	printf("  %s\n", is_whole       ? "whole: nothing is missing"
			 : r->ends_well ? "ends in good order"
					: "does not end in good order: no end mark");
}

/* Prints the latest version of the format among all processes, each of which writes the version of its own
 * library. */
static void print_format(const struct ep_trace *trace)
{
	uint32_t minor = 0;

	for (uint32_t i = 0; i < trace->n_processes; i++)
		if (trace->processes[i].minor_version > minor)
			minor = trace->processes[i].minor_version;
	printf("  %-34s %8d.%u  (this evreport reads all of %d.%d%s)\n", "format", EP_TRACE_VERSION,
		minor, EP_TRACE_VERSION, EP_TRACE_MINOR_VERSION,
		minor > EP_TRACE_MINOR_VERSION ? ", and leaves out what came later" : "");
}

static void print_sizes(const char *path, const struct ep_trace *trace)
{
	const struct ep_reader_stats *r = &trace->files;
	uint64_t n_slices = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		n_slices += trace->threads[i].n_got;
	const struct {
		const char *what;
		uint64_t n;
	} rows[] = {
		{ "bytes", r->file_bytes },
		{ "bytes inflated", r->inflated_bytes },
		{ "members", r->n_members },
		{ "end marks", r->n_end_marks },
		{ "processes", trace->n_processes },
		{ "threads", trace->n_threads },
		{ "slices (samples among them)", n_slices },
		{ "different call paths", trace->n_paths - 2 },
		{ "modules", trace->n_modules },
		{ "events", trace->n_events },
	};

	printf("%s\n", path);
	print_format(trace);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		printf("  %-34s %10" PRIu64 "\n", rows[i].what, rows[i].n);
	if (n_slices)
		printf("  %-34s %10.1f\n", "bytes per slice",
			(double)r->file_bytes / (double)n_slices);
}

/* Prints one trace's page; a blank line separates it from the one before. Returns the exit status. */
static int print_info(const char *path, bool is_first)
{
	struct counts counts = { 0 };
	struct ep_load_options options = {
		.filler = &ep_filler_fixed, .see_block = count_block, .context = &counts
	};
	struct ep_trace *trace = NULL;
	struct ep_error err;

	if (ep_trace_load(path, &options, &trace, &err)) {
		ep_error_print(&err, "evreport info");
		return 1;
	}
	if (!is_first)
		printf("\n");
	print_sizes(path, trace);
	print_blocks(&counts);
	print_integrity(trace);
	ep_trace_destroy(trace);
	return 0;
}

int ep_cmd_info(int argc, char **argv)
{
	static const char usage[] =
		"usage: evreport info [TRACE...]\n\n"
		"Sizes, blocks, the version of the format, and whether each trace is whole.\n";
	static const struct ep_option no_options[] = { { NULL } };
	const struct ep_options options = { "evreport info", usage, .rows = no_options };
	int status = ep_options_read(&options, argc, argv);
	const char *const *paths;

	if (status != EP_OPTIONS_READ)
		return status;
	status = 0;
	paths = optind < argc ? (const char *const *)argv + optind : ep_default_traces();
	for (size_t i = 0, n_failed = 0; paths[i]; i++) {
		int rc = print_info(paths[i], i == n_failed);

		n_failed += rc != 0;
		status |= rc;
	}
	return status;
}
