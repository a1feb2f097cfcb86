// SPDX-License-Identifier: BSD-3-Clause
/* This file reads traces: each type of block has a function that takes its content. One thread runs it. */
#include "reporter/load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "reporter/load/loader.h"
#include "reporter/load/mixing.h"
#include "reporter/load/time_places.h"

static int take_meta(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	return ep_trace_process_take_meta(
		loader->trace, &loader->trace->processes[process_idx], block);
}

static int take_modules(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	return ep_modules_take(loader->trace, &loader->trace->processes[process_idx], block);
}

static int take_end(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace_process *process = &loader->trace->processes[process_idx];
	struct ep_end end;

	if (ep_end_decode(block, &end))
		return -EBADMSG;
	if (end.note_size && ep_note_add(loader->trace, end.note, end.note_size, false))
		return -ENOMEM;
	end.note = NULL;
	process->end = end;
	process->has_end = true;
	if (end.how != EP_END_EXEC) /* the process goes on after an exec that failed */
		ep_fillers_finish_process(loader, process);
	if (end.time_us > process->last_us)
		process->last_us = end.time_us;
	return 0;
}

static int take_children(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace_process *process = &loader->trace->processes[process_idx];
	int rc = ep_children_decode(block, &process->children_us);

	process->has_children_us |= !rc;
	return rc;
}

static int take_machine_times(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	struct ep_trace_process *process = &loader->trace->processes[process_idx];
	struct ep_machine_times times;
	int rc = ep_machine_times_decode(block, &times);

	if (rc)
		return rc;
	if (!process->n_machine_times)
		process->machine_times[0] = times;
	process->machine_times[1] = times;
	if (EP_ARRAY_RESERVE(
		    process->machine_series, process->n_machine_times, process->machine_capacity))
		return -ENOMEM;
	process->machine_series[process->n_machine_times++] = times;
	return 0;
}

static int take_note(struct loader *loader, uint32_t process_idx, const struct ep_block *block)
{
	uint64_t size = 0;
	size_t n = ep_varint_get(block->body, block->body + block->size_bytes, &size);

	if (!n || size != block->size_bytes - n)
		return -EBADMSG;
	return ep_note_add(loader->trace, (const char *)block->body + n, size, false);
}

static const struct {
	int (*take)(struct loader *loader, uint32_t process_idx, const struct ep_block *block);
	bool needs_meta;
} takers[] = {
	[EP_BLOCK_META] = { take_meta, false },
	[EP_BLOCK_MODULES] = { take_modules, false },
	[EP_BLOCK_STACKS] = { ep_trace_thread_take_stacks, false },
	[EP_BLOCK_SAMPLES] = { ep_samples_take, true },
	[EP_BLOCK_TOTALS] = { ep_trace_thread_take_totals, false },
	[EP_BLOCK_END] = { take_end, false },
	[EP_BLOCK_NOTE] = { take_note, false },
	[EP_BLOCK_READY] = { ep_trace_thread_take_ready, false },
	[EP_BLOCK_CHILDREN] = { take_children, false },
	[EP_BLOCK_MACHINE] = { take_machine_times, false },
	[EP_BLOCK_COSTS] = { ep_costs_take, true },
	[EP_BLOCK_WAITS] = { ep_trace_take_waits, false },
	[EP_BLOCK_CODE] = { ep_scripts_take, false },
	[EP_BLOCK_PERF_MAP] = { ep_kept_maps_take, false },
	[EP_BLOCK_REGIONS] = { ep_trace_take_regions, false },
	[EP_BLOCK_MADE_CODE] = { ep_kept_codes_take, false },
	[EP_BLOCK_WAIT_REGIONS] = { ep_trace_take_wait_regions, false },
};

static int take_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	struct loader *loader = context;
	struct ep_loss *loss = &loader->trace->loss;
	uint32_t idx;
	int rc;

	if (loader->options->see_block)
		loader->options->see_block(loader->options->context, block);
	if (block->type == EP_BLOCK_REDUCED) {
		rc = ep_reduced_take(loader, block);
		loss->n_undecodable += rc == -EBADMSG;
		return rc == -EBADMSG ? 0 : rc;
	}
	if (block->type >= EP_ARRAY_SIZE(takers) || !takers[block->type].take) {
		loss->n_unknown_types++;
		return 0;
	}
	if (ep_trace_process_find_or_add(loader->trace, block->key, &idx))
		return -ENOMEM;
	loader->trace->processes[idx].has_costs =
		loader->exact && ep_exact_keys_have(loader->exact, block->key);
	if (takers[block->type].needs_meta && !loader->trace->processes[idx].has_meta) {
		loss->n_without_meta++;
		return 0;
	}
	rc = takers[block->type].take(loader, idx, block);
	if (!rc && loader->options->keep_block)
		loader->options->keep_block(loader->options->context, block);
	if (rc != -EBADMSG)
		return rc;
	loader->trace->processes[idx].n_undecodable++;
	loss->n_undecodable++;
	return 0;
}

static void report_progress(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
	struct loader *loader = context;

	if (loader->options->progress)
		loader->options->progress(loader->options->context, done_bytes, size_bytes);
}

/* Tells whether a thread's last record is missing. A record before an exec is not marked as the last one,
 * since the exec may fail. */
static bool has_no_end(const struct ep_trace *trace, const struct ep_trace_thread *thread)
{
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];

	return !thread->is_final && !(process->has_end && process->end.how == EP_END_EXEC);
}

/* Counts missing slices: the numbers of slices and the last totals tell how many slices there were. */
static void count_losses(struct ep_trace *trace)
{
	struct ep_loss *loss = &trace->loss;

	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const struct ep_trace_thread *t = &trace->threads[i];
		uint64_t n_made = t->totals.n_samples + t->totals.n_lost, n_missing;

		if (!t->is_wanted)
			continue;
		if (n_made < t->next_slice)
			n_made = t->next_slice;
		n_missing = n_made > t->n_got ? n_made - t->n_got : 0;
		loss->n_lost_slices += t->totals.n_lost < n_missing ? t->totals.n_lost : n_missing;
		loss->n_missing_slices +=
			n_missing > t->totals.n_lost ? n_missing - t->totals.n_lost : 0;
		loss->n_unfinished_threads += has_no_end(trace, t);
	}
	for (uint32_t i = 0; i < trace->n_processes; i++)
		loss->n_unfinished_processes += !ep_trace_process_is_void(&trace->processes[i]) &&
						!trace->processes[i].has_end;
}

static void add_sums(struct ep_trace *trace, const struct ep_sums *sums)
{
	for (uint32_t e = 0; e < sums->n_rows; e++) {
		struct ep_event_info *event = &trace->events[e];

		ep_event_sum_add(&event->sum, &sums->rows[e]);
		event->has_changes |= sums->replicas != NULL;
		for (int j = 0; sums->replicas && j < EP_N_REPLICAS; j++)
			event->changes[j] += sums->replicas[e * EP_N_REPLICAS + j];
	}
}

static void sum_events(struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (!trace->processes[trace->threads[i].process_idx].has_costs)
			add_sums(trace, &trace->threads[i].sums);
	if (trace->exact)
		ep_exact_add_sums(trace);
}

static int add_special_paths(struct ep_trace *trace)
{
	struct ep_path root = { .parent_idx = EP_NONE, .module_idx = EP_NONE };
	struct ep_path lost = { .parent_idx = EP_PATH_ROOT, .module_idx = EP_NONE, .address = 1 };
	uint32_t idx;
	int rc = ep_path_add(trace, &root, &idx);

	return rc ? rc : ep_path_add(trace, &lost, &idx);
}

static int flush_threads(struct loader *loader)
{
	int rc = 0;

	for (uint32_t i = loader->trace->first_thread_of_file; i < loader->trace->n_threads && !rc;
		i++) {
		struct ep_trace_thread *thread = &loader->trace->threads[i];

		rc = ep_block_sums_lay(loader, thread, 0);
		if (!rc)
			rc = ep_samples_flush(loader, thread);
		if (!rc)
			rc = ep_mixing_finish_thread(loader, thread);
	}
	return rc;
}

/* Frees what belongs to one recorded file, before the next one is read. */
static void forget_file(struct loader *loader)
{
	struct ep_trace *trace = loader->trace;

	ep_fillers_finish(loader);
	for (uint32_t i = 0; i < trace->n_threads; i++)
		ep_trace_thread_finish(&trace->threads[i]);
	for (uint32_t i = 0; i < trace->n_processes; i++)
		ep_trace_process_finish(&trace->processes[i]);
	ep_index_finish(&trace->process_index);
	ep_index_finish(&trace->thread_index);
	ep_index_finish(&trace->rank_cost_index);
	ep_index_finish(&trace->wait_index);
	ep_kept_maps_finish(&trace->kept_maps);
	trace->n_processes = trace->n_threads = trace->n_rank_costs = trace->n_waits = 0;
	trace->has_plain_rank_costs = false;
	trace->regions.n_waiting = 0;
}

int ep_loader_finish_file(
	struct loader *loader, const struct ep_reader_stats *stats, const char *path)
{
	const struct ep_load_options *options = loader->options;
	struct ep_trace *trace = loader->trace;
	struct ep_reader_stats of_file = *stats;
	int rc = flush_threads(loader);

	if (!of_file.first_damage_in)
		of_file.first_damage_in = path;
	ep_reader_stats_add(&trace->reader, &of_file, of_file.first_damage_in);
	if (!rc && options->end_file) {
		rc = options->end_file(options->context, trace, &of_file);
		forget_file(loader);
	}
	trace->first_of_file = trace->n_processes;
	trace->first_thread_of_file = trace->n_threads;
	return rc;
}

/* Remembers that a file failed after a part of it was added. The sums of call paths cannot be taken back, and
 * so the file cannot be left out silently. */
static void see_failure(struct loader *loader)
{
	bool has_taken =
		loader->reduced || loader->trace->n_processes > loader->trace->first_of_file;

	if (has_taken && loader->options->skip_file && !loader->refusal)
		loader->refusal =
			"cannot be read to its end, and a part of it is already in the sums: leave the file out, or copy its readable part";
}

static int read_file(struct loader *loader, const char *path, struct ep_error *err)
{
	const struct ep_reader_ops ops = { take_block, report_progress, loader->ahead };
	const struct ep_place place = { .file = path };
	struct ep_trace *trace = loader->trace;
	struct ep_reader_stats stats = { 0 }, of_file;
	int rc = ep_reader_run(path, &ops, loader, &stats, err);

	if (rc && rc != -ENOMEM)
		see_failure(loader);
	of_file = stats;
	if (!rc)
		rc = ep_reduced_close(loader, &stats);
	if (rc && loader->refusal)
		return ep_fail_at(err, rc, place, "%s", loader->refusal);
	if (rc)
		return rc;
	if (trace->n_processes == trace->first_of_file)
		return ep_fail_at(err, -EBADMSG, place,
			trace->n_processes
				? "contains only what the files before it contain"
				: "contains nothing that this evreport knows: a newer evprof wrote it");
	ep_reader_stats_add(&trace->files, &of_file, path);
	rc = ep_loader_finish_file(loader, &stats, path);
	return rc == -ENOMEM ? ep_fail(err, rc, "out of memory") : rc;
}

/* Tells whether a file is left out. A file that is no trace, or cannot be opened, has changed nothing, so
 * that the caller may choose to leave it out. */
static bool is_skipped(
	const struct loader *loader, const char *path, int rc, const struct ep_error *err)
{
	const struct ep_load_options *options = loader->options;
	bool is_of_file = rc == -EBADMSG || rc == -ENOENT || rc == -EACCES || rc == -EISDIR ||
			  rc == -EPROTONOSUPPORT || rc == -EIO;

	return is_of_file && !loader->refusal && options->skip_file &&
	       options->skip_file(options->context, path, err);
}

static int read_files(struct loader *loader, const char *const *paths, struct ep_error *err)
{
	const struct ep_load_options *options = loader->options;

	for (; *paths; paths++) {
		int rc = options->await_file ? options->await_file(options->context, err) : 0;

		if (rc < 0)
			return rc;
		if (rc > 0)
			continue;
		rc = read_file(loader, *paths, err);
		if (rc && !is_skipped(loader, *paths, rc, err))
			return rc;
	}
	return 0;
}

int ep_trace_load(const char *path, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err)
{
	return ep_traces_load((const char *const[]){ path, NULL }, options, out_trace, err);
}

static void finish_loader(struct loader *loader)
{
	ep_fillers_finish(loader);
	ep_path_rows_finish(&loader->path_rows);
	ep_reduced_input_destroy(loader->reduced);
	for (uint32_t i = 0; i < loader->n_open_costs; i++)
		ep_costs_reader_destroy(loader->open_costs[i].reader);
	free(loader->open_costs);
}

/* Reads the files with the help of other threads, which end with the last file. */
static int read_ahead(struct loader *loader, const char *const *paths, struct ep_error *err)
{
	int rc = ep_ahead_create(paths, loader->options->n_threads, &loader->ahead);

	rc = rc ? ep_fail(err, rc, "out of memory") : read_files(loader, paths, err);
	ep_ahead_destroy(loader->ahead);
	loader->ahead = NULL;
	return rc;
}

static int set_origin(struct ep_trace *trace, const struct ep_clock_origin *origin)
{
	trace->origin = *origin;
	trace->origin.run =
		origin->run ? ep_strings_add(&trace->strings, origin->run, strlen(origin->run))
			    : NULL;
	return origin->run && !trace->origin.run ? -ENOMEM : 0;
}

/* Facts that a file has only after the samples, so that a first reading has to find them. */
struct known {
	struct exact_keys exact;
	struct ep_kept_maps kept_maps; /* its names are stored in strings */
	struct ep_strings strings;
};

static void give_codes(struct known *known, struct ep_trace *trace)
{
	trace->kept_maps = known->kept_maps;
	trace->strings = known->strings;
	trace->knows_codes = true;
	known->kept_maps = (struct ep_kept_maps){ 0 };
	known->strings = (struct ep_strings){ 0 };
}

static void take_codes(struct known *known, struct ep_trace *trace)
{
	known->kept_maps = trace->kept_maps;
	known->strings = trace->strings;
	trace->kept_maps = (struct ep_kept_maps){ 0 };
	trace->strings = (struct ep_strings){ 0 };
}

static void finish_known(struct known *known)
{
	free(known->exact.keys);
	ep_kept_maps_finish(&known->kept_maps);
	ep_strings_finish(&known->strings);
}

/* Reads all files once; known: the facts that a first reading found, NULL in the first reading. */
static int load(const char *const *paths, const struct ep_load_options *options,
	struct known *known, struct ep_trace **out_trace, struct ep_error *err)
{
	struct ep_trace *trace = calloc(1, sizeof(*trace));
	struct loader loader = {
		.trace = trace, .options = options, .exact = known ? &known->exact : NULL
	};
	int rc;

	if (trace && known)
		give_codes(known, trace);
	if (trace && (options->to_ns || options->region))
		trace->part = (struct ep_part){ true, options->from_ns,
			options->to_ns ? options->to_ns : UINT64_MAX, options->region };
	if (!trace || add_special_paths(trace)) {
		ep_trace_destroy(trace);
		return ep_fail(err, -ENOMEM, "out of memory");
	}
	if (options->origin && set_origin(trace, options->origin)) {
		ep_trace_destroy(trace);
		return ep_fail(err, -ENOMEM, "out of memory");
	}
	rc = read_ahead(&loader, paths, err);
	if (!rc && ep_exact_finish(&loader))
		rc = ep_fail(err, -ENOMEM, "out of memory");
	finish_loader(&loader);
	if (rc) {
		ep_trace_destroy(trace);
		return rc;
	}
	if (options->end_file) {
		*out_trace = trace;
		return 0;
	}
	if (ep_trace_weigh(trace)) {
		ep_trace_destroy(trace);
		return ep_fail(err, -ENOMEM, "out of memory");
	}
	sum_events(trace);
	count_losses(trace);
	*out_trace = trace;
	return 0;
}

static bool are_files(const char *const *paths)
{
	struct stat st;

	while (*paths && !stat(*paths, &st) && S_ISREG(st.st_mode))
		paths++;
	return !*paths;
}

static bool has_more_to_tell(const struct ep_trace *trace, const struct known *known,
	const char *const *paths, const struct ep_load_options *options)
{
	if (options->see_block || options->end_file || options->skip_samples)
		return false;
	return known->exact.n_keys || (are_files(paths) && ep_trace_has_replaced_codes(trace));
}

/* Reads traces. A trace is read a second time if it has callgrind's costs, or codes that replaced others at the
 * same address: a file has costs and codes after the samples. */
int ep_traces_load(const char *const *paths, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err)
{
	struct known known = { 0 };
	enum ep_costs_absence absence;
	struct ep_trace *trace;
	int rc = load(paths, options, NULL, &trace, err);

	if (rc)
		return rc;
	rc = ep_exact_keys_find(trace, &known.exact, &absence);
	if (rc || has_more_to_tell(trace, &known, paths, options)) {
		if (options->forget_names)
			options->forget_names(options->namer);
		if (options->forget_seen)
			options->forget_seen(options->seer);
		take_codes(&known, trace);
		ep_trace_destroy(trace);
		trace = NULL;
		rc = rc ? ep_fail(err, rc, "out of memory")
			: load(paths, options, &known, &trace, err);
	}
	finish_known(&known);
	if (rc)
		return rc;
	trace->costs_absence = absence;
	*out_trace = trace;
	return 0;
}
