// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/reduced_put.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/block_copies.h"
#include "reporter/load/reduced_out.h"
#include "reporter/load/reduced_ranks.h"

struct ep_reduced_writer {
	struct ep_reduced_out out;
	struct ep_block_copies copies;
	bool has_head, has_costs, out_of_memory;
	/* how many of the trace's rows are written already */
	uint32_t n_events, n_modules, n_scripts, n_paths;
	struct ep_process_key *firsts; /* the first process of each file */
	uint32_t n_firsts, first_capacity;
	struct ep_index first_index;
	struct ep_error error;
	int rc;
};

static const struct ep_process_key no_process;

/* ---- blocks that are copied unchanged ---- */

void ep_reduced_writer_keep(struct ep_reduced_writer *writer, const struct ep_block *block)
{
	writer->has_costs |= block->type == EP_BLOCK_COSTS;
	if (ep_block_copies_keep(&writer->copies, block))
		writer->out_of_memory = true;
}

static void put_copies(struct ep_reduced_writer *writer, bool of_metas)
{
	const struct ep_block_copies *copies = &writer->copies;

	for (uint32_t i = 0; i < copies->n_rows; i++)
		if ((copies->rows[i].block.type == EP_BLOCK_META) == of_metas)
			ep_reduced_out_copy(&writer->out, &copies->rows[i].block);
}

/* ---- the writer ---- */

struct ep_reduced_writer *ep_reduced_writer_create(const char *path, struct ep_error *err)
{
	struct ep_reduced_writer *writer = calloc(1, sizeof(*writer));

	if (!writer) {
		ep_fail(err, -ENOMEM, "out of memory");
		return NULL;
	}
	writer->n_paths = EP_PATH_LOST + 1;
	if (ep_reduced_out_open(&writer->out, path, err)) {
		ep_reduced_writer_destroy(writer);
		return NULL;
	}
	return writer;
}

void ep_reduced_writer_destroy(struct ep_reduced_writer *writer)
{
	if (!writer)
		return;
	ep_block_copies_finish(&writer->copies);
	free(writer->firsts);
	ep_index_finish(&writer->first_index);
	ep_reduced_out_finish(&writer->out);
	free(writer);
}

const struct ep_error *ep_reduced_writer_error(const struct ep_reduced_writer *writer)
{
	return writer->rc ? &writer->error : NULL;
}

static struct ep_field_text text_of(const char *text)
{
	return (struct ep_field_text){ text, text ? strlen(text) : 0 };
}

/* The most bytes of a record, not counting its texts. */
#define ROOM 1024

static struct ep_fields record(
	struct ep_reduced_writer *writer, enum ep_reduced_kind kind, struct ep_process_key key)
{
	return ep_reduced_out_record(&writer->out, kind, key, ROOM);
}

static void put_head(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	struct ep_fields fields = record(writer, EP_REDUCED_HEAD, no_process);
	struct ep_clock_origin origin = trace->origin;
	struct ep_field_text run = text_of(origin.run);

	ep_field_text(&fields, &run);
	ep_field_u(&fields, &origin.birth_ns);
	ep_field_u(&fields, &origin.realtime_ns);
	ep_reduced_out_flush(&writer->out, true); /* every trace begins with a stored member */
}

/* ---- rows that are new since the last file ---- */

static void put_events(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	for (; writer->n_events < trace->n_events; writer->n_events++) {
		struct ep_fields fields = record(writer, EP_REDUCED_EVENTS, no_process);
		struct ep_reduced_event event = { .id = writer->n_events,
			.info = trace->events[writer->n_events] };

		event.name = text_of(event.info.name);
		event.unit = text_of(event.info.unit);
		ep_reduced_event_fields(&fields, &event);
	}
}

static void put_modules(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	for (; writer->n_modules < trace->n_modules; writer->n_modules++) {
		struct ep_reduced_module module = { .id = writer->n_modules,
			.info = trace->modules[writer->n_modules] };
		struct ep_fields fields;

		module.path = text_of(module.info.path);
		module.build_id = (struct ep_field_text){ (const char *)module.info.build_id,
			module.info.build_id_size };
		fields = ep_reduced_out_record(
			&writer->out, EP_REDUCED_MODULES, no_process, ROOM + module.path.size);
		ep_reduced_module_fields(&fields, &module);
	}
}

static void put_scripts(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	for (; writer->n_scripts < trace->scripts.n_rows; writer->n_scripts++) {
		struct ep_reduced_script script = { .id = writer->n_scripts,
			.script = trace->scripts.rows[writer->n_scripts] };
		struct ep_fields fields;
		size_t size;

		script.name = text_of(script.script.name);
		script.file = text_of(script.script.file);
		script.table = (struct ep_field_text){ (const char *)script.script.table,
			script.script.table_size };
		size = script.name.size + script.file.size + script.table.size;
		fields = ep_reduced_out_record(
			&writer->out, EP_REDUCED_SCRIPTS, no_process, ROOM + size);
		ep_reduced_script_fields(&fields, &script);
	}
}

static void put_paths(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	for (; writer->n_paths < trace->n_paths; writer->n_paths++) {
		struct ep_fields fields = record(writer, EP_REDUCED_PATHS, no_process);
		struct ep_path path = trace->paths[writer->n_paths];

		ep_reduced_path_fields(&fields, &writer->n_paths, &path);
	}
}

/* ---- threads ---- */

static bool is_zero(const struct ep_event_sum *sum)
{
	static const struct ep_event_sum zero;

	return !memcmp(sum, &zero, sizeof(zero));
}

static void put_sums(struct ep_reduced_writer *writer, enum ep_reduced_kind kind,
	struct ep_process_key key, uint32_t owner, const struct ep_sums *sums)
{
	for (uint32_t e = 0; e < sums->n_rows; e++) {
		struct ep_reduced_sum row = { owner, e, sums->rows[e],
			.has_changes = sums->replicas != NULL };
		struct ep_fields fields;

		if (is_zero(&row.sum))
			continue;
		if (row.has_changes)
			memcpy(row.changes, sums->replicas + (size_t)e * EP_N_REPLICAS,
				sizeof(row.changes));
		fields = record(writer, kind, key);
		ep_reduced_sum_fields(&fields, &row);
	}
}

static void put_bin(struct ep_reduced_writer *writer, struct ep_process_key key,
	const struct ep_timeline *timeline, uint32_t owner, uint32_t i)
{
	const double *counts = timeline->counts + (size_t)i * timeline->n_events;
	struct ep_reduced_bin bin = { .owner = owner,
		.from_us = timeline->start_us + i * timeline->width_us,
		.width_us = timeline->width_us,
		.cpu_us = timeline->cpu_us[i] };

	do {
		uint32_t left = timeline->n_events - bin.first_event;
		struct ep_fields fields;

		bin.n_counts = left < EP_TRACE_MAX_EVENTS ? left : EP_TRACE_MAX_EVENTS;
		if (bin.n_counts)
			memcpy(bin.counts, counts + bin.first_event,
				bin.n_counts * sizeof(*counts));
		fields = ep_reduced_out_record(&writer->out, EP_REDUCED_BINS, key,
			ROOM + bin.n_counts * (sizeof(*counts) + 2));
		ep_reduced_bin_fields(&fields, &bin);
		bin.first_event += bin.n_counts;
		bin.cpu_us = 0;
	} while (bin.first_event < timeline->n_events);
}

static void put_timeline(struct ep_reduced_writer *writer, struct ep_process_key key,
	const struct ep_timeline *timeline, uint32_t owner)
{
	for (uint32_t i = 0; i < timeline->n_bins; i++)
		put_bin(writer, key, timeline, owner, i);
}

static void put_armed(struct ep_reduced_writer *writer, struct ep_process_key key,
	const struct ep_trace_thread *thread)
{
	for (uint32_t e = 0; e < thread->n_armed; e++) {
		struct ep_fields fields;
		uint32_t number = thread->number;

		if (!thread->armed_us[e])
			continue;
		fields = record(writer, EP_REDUCED_ARMED, key);
		ep_field_u32(&fields, &number);
		ep_field_u32(&fields, &e);
		ep_field_u(&fields, &thread->armed_us[e]);
	}
}

static void put_thread(struct ep_reduced_writer *writer, const struct ep_trace *trace,
	struct ep_trace_thread *thread)
{
	struct ep_process_key key = trace->processes[thread->process_idx].key;
	struct ep_fields fields = record(writer, EP_REDUCED_THREAD, key);

	ep_reduced_thread_fields(&fields, thread);
	put_armed(writer, key, thread);
	put_sums(writer, EP_REDUCED_THREAD_SUMS, key, thread->number, &thread->sums);
	put_timeline(writer, key, &thread->timeline, thread->number + 1);
}

static struct ep_process_key key_of_thread(const struct ep_trace *trace, uint32_t thread_idx)
{
	return trace->processes[trace->threads[thread_idx].process_idx].key;
}

static void put_waits(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_waits; i++) {
		struct ep_reduced_wait wait = { .cost = trace->waits[i] };
		struct ep_fields fields;

		wait.thread = trace->threads[wait.cost.thread_idx].number;
		wait.name = text_of(wait.cost.name);
		fields = ep_reduced_out_record(&writer->out, EP_REDUCED_WAITS,
			key_of_thread(trace, wait.cost.thread_idx), ROOM + wait.name.size);
		ep_reduced_wait_fields(&fields, &wait);
	}
}

/* ---- a recorded file ---- */

static bool same_first(const void *owner, uint32_t idx, const void *key)
{
	return !memcmp(&((const struct ep_reduced_writer *)owner)->firsts[idx], key,
		sizeof(struct ep_process_key));
}

/* Refuses a trace whose first process was seen in an earlier file: a trace that is given twice would count
 * twice. */
static int see_first(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	struct ep_process_key first = { 0 };
	uint64_t hash;

	if (!trace->n_processes)
		return 0;
	first.pid = trace->processes[0].key.pid;
	first.birth_ns = trace->processes[0].key.birth_ns;
	hash = ep_hash_mix(first.birth_ns, first.pid);
	if (ep_index_find(&writer->first_index, hash, same_first, writer, &first) != EP_NONE)
		return ep_fail(&writer->error, -EEXIST,
			"one trace is there twice: process %u of %s", first.pid,
			trace->processes[0].meta[EP_META_HOST]
				? trace->processes[0].meta[EP_META_HOST]
				: "a host");
	if (EP_ARRAY_RESERVE(writer->firsts, writer->n_firsts, writer->first_capacity) ||
		ep_index_add(&writer->first_index, hash, writer->n_firsts))
		return ep_fail(&writer->error, -ENOMEM, "out of memory");
	writer->firsts[writer->n_firsts++] = first;
	return 0;
}

static void put_stats(struct ep_reduced_writer *writer, const struct ep_reader_stats *stats)
{
	struct ep_reduced_file file = { .stats = *stats };
	struct ep_fields fields;

	if (stats->n_damages && stats->first_damage_in)
		file.damaged_path = text_of(stats->first_damage_in);
	fields = ep_reduced_out_record(
		&writer->out, EP_REDUCED_FILE, no_process, ROOM + file.damaged_path.size);
	ep_reduced_file_fields(&fields, &file);
}

static void put_process(struct ep_reduced_writer *writer, const struct ep_trace_process *process)
{
	struct ep_fields fields = record(writer, EP_REDUCED_PROCESS, process->key);
	uint64_t last_us = process->last_us, n_undecodable = process->n_undecodable;

	ep_field_u(&fields, &last_us);
	ep_field_u(&fields, &n_undecodable);
}

static int check(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	if (writer->out_of_memory)
		return ep_fail(&writer->error, -ENOMEM, "out of memory");
	if (writer->has_costs)
		return ep_fail(&writer->error, -ENOTSUP,
			"a program ran inside valgrind, whose costs are sums already: give evreport such traces themselves");
	return see_first(writer, trace);
}

int ep_reduced_writer_put_file(struct ep_reduced_writer *writer, struct ep_trace *trace,
	const struct ep_reader_stats *stats)
{
	writer->rc = check(writer, trace);
	if (writer->rc)
		return writer->rc;
	if (!writer->has_head)
		put_head(writer, trace);
	writer->has_head = true;
	put_stats(writer, stats);
	put_copies(writer, true);
	for (uint32_t i = 0; i < trace->n_processes; i++)
		put_process(writer, &trace->processes[i]);
	put_events(writer, trace);
	put_modules(writer, trace);
	put_scripts(writer, trace);
	put_paths(writer, trace);
	for (uint32_t i = 0; i < trace->n_threads; i++)
		put_thread(writer, trace, &trace->threads[i]);
	put_copies(writer, false);
	ep_reduced_put_ranks(&writer->out, trace);
	put_waits(writer, trace);
	ep_block_copies_forget(&writer->copies);
	if (writer->out.error)
		writer->rc = ep_fail_at(&writer->error, writer->out.error,
			(struct ep_place){ .file = writer->out.path }, "cannot write: %s",
			strerror(-writer->out.error));
	return writer->rc;
}

/* ---- the sums of all files ---- */

void ep_reduced_writer_put_note(struct ep_reduced_writer *writer, const char *text)
{
	struct ep_field_text note = text_of(text);
	struct ep_fields fields =
		ep_reduced_out_record(&writer->out, EP_REDUCED_NOTES, no_process, ROOM + note.size);

	ep_field_text(&fields, &note);
}

static void put_parted(
	struct ep_reduced_writer *writer, uint32_t path, const struct ep_tick_sums *ticks)
{
	for (uint32_t e = 0; e < ticks->n_rows; e++) {
		struct ep_reduced_tick tick = { path, e, ticks->rows[e] };
		static const double zero[EP_N_PLACE_KINDS];
		struct ep_fields fields;

		if (!memcmp(tick.sum.parted, zero, sizeof(zero)))
			continue;
		fields = record(writer, EP_REDUCED_PARTED, no_process);
		ep_reduced_parted_fields(&fields, &tick);
	}
}

static void put_sizes(
	struct ep_reduced_writer *writer, uint32_t path, const struct ep_tick_sums *ticks)
{
	for (uint32_t e = 0; e < ticks->n_rows; e++) {
		struct ep_reduced_tick tick = { path, e, ticks->rows[e] };
		struct ep_fields fields;

		if (tick.sum.sizes.of_ticks <= 0)
			continue;
		fields = record(writer, EP_REDUCED_SIZES, no_process);
		ep_reduced_sizes_fields(&fields, &tick);
	}
}

static void put_ticks(
	struct ep_reduced_writer *writer, uint32_t path, const struct ep_tick_sums *ticks)
{
	for (uint32_t e = 0; e < ticks->n_rows; e++) {
		struct ep_reduced_tick tick = { path, e, ticks->rows[e] };
		static const struct ep_tick_sum zero;
		struct ep_fields fields;

		if (!memcmp(&tick.sum, &zero, sizeof(zero)))
			continue;
		fields = record(writer, EP_REDUCED_TICKS, no_process);
		ep_reduced_tick_fields(&fields, &tick);
	}
}

/* Writes costs in the order of their indexes, which is the order in which they were added. */
static int put_costs(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	EP_AUTOFREE uint32_t *path_of = malloc((trace->n_costs + 1) * sizeof(*path_of));

	if (!path_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (trace->paths[i].cost_idx != EP_NONE)
			path_of[trace->paths[i].cost_idx] = i;
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_fields fields = record(writer, EP_REDUCED_COSTS, no_process);

		ep_reduced_cost_fields(&fields, &path_of[i], &trace->costs[i]);
	}
	for (uint32_t i = 0; i < trace->n_costs; i++)
		ep_reduced_put_faults(&writer->out, path_of[i], trace->costs[i].faults_us);
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		put_sums(writer, EP_REDUCED_SUMS, no_process, path_of[i], &trace->costs[i].sums);
		put_ticks(writer, path_of[i], &trace->costs[i].ticks);
		put_parted(writer, path_of[i], &trace->costs[i].ticks);
		put_sizes(writer, path_of[i], &trace->costs[i].ticks);
	}
	return 0;
}

static void put_event_stats(struct ep_reduced_writer *writer, const struct ep_trace *trace)
{
	for (uint32_t e = 0; e < trace->n_events; e++) {
		struct ep_reduced_event event = { .id = e, .info = trace->events[e] };
		struct ep_fields fields = record(writer, EP_REDUCED_EVENT_STATS, no_process);

		event.estimator = text_of(event.info.estimator);
		ep_reduced_stats_fields(&fields, &event);
	}
}

static void put_latency(struct ep_reduced_writer *writer, const struct ep_latency *latency)
{
	for (uint32_t i = 0; latency && i < latency->n_bins; i++) {
		struct ep_latency_bin bin = { latency->start_us + i * latency->width_us,
			latency->width_us, latency->jump[i], latency->part[i] };
		struct ep_fields fields;

		if (bin.jump == 0 && bin.part == 0)
			continue;
		fields = record(writer, EP_REDUCED_LATENCY, no_process);
		ep_reduced_latency_fields(&fields, &bin);
	}
	for (uint32_t i = 0; latency && i < latency->n_kept; i++) {
		struct ep_fields fields = record(writer, EP_REDUCED_KEPT, no_process);
		struct ep_latency_kept kept = latency->kept[i];

		ep_reduced_kept_fields(&fields, &kept);
	}
}

int ep_reduced_writer_finish(
	struct ep_reduced_writer *writer, const struct ep_trace *trace, struct ep_error *err)
{
	struct ep_trace copy = *trace;
	struct ep_fields fields;

	put_events(writer, trace);
	if (put_costs(writer, trace))
		return ep_fail(err, -ENOMEM, "out of memory");
	put_event_stats(writer, trace);
	put_timeline(writer, no_process, &trace->timeline, 0);
	put_latency(writer, trace->latency);
	ep_reduced_put_regions(&writer->out, trace);
	for (uint32_t i = 0; i < trace->n_notes; i++)
		if (!trace->notes[i].is_of_start)
			ep_reduced_writer_put_note(writer, trace->notes[i].text);
	fields = record(writer, EP_REDUCED_TAIL, no_process);
	ep_reduced_tail_fields(&fields, &copy);
	return ep_reduced_out_close(&writer->out, err);
}
