// SPDX-License-Identifier: BSD-3-Clause
/* Writes the threads of a Firefox profile: their samples on the time axis, weighted with their CPU time. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/export/firefox_private.h"
#include "reporter/export/json_out.h"

/* ---- samples of a thread ---- */

/* A row of the table of samples: an entry, or the wait before it, which has no stack. */
struct time_row {
	uint64_t at_us; /* time since the trace's first process began */
	const struct ep_time_entry *entry;
	bool is_wait;
};

struct time_rows {
	struct time_row *rows;
	uint32_t n_rows, capacity;
};

static int add_row(struct time_rows *rows, struct time_row row)
{
	if (rows->n_rows && row.at_us <= rows->rows[rows->n_rows - 1].at_us)
		row.at_us = rows->rows[rows->n_rows - 1].at_us + 1;
	if (EP_ARRAY_RESERVE(rows->rows, rows->n_rows, rows->capacity))
		return -ENOMEM;
	rows->rows[rows->n_rows++] = row;
	return 0;
}

/* Tells whether a row for a wait is needed before an entry. A viewer draws a stack until the next sample, and takes a
 * sample's CPU time as the time used since the sample before. It is known that the thread waited during the slice, but
 * not when. Without a row that has no stack, the stack before would seem to last until the slice's end. */
static bool has_wait(const struct ep_firefox *f, const struct ep_time_entry *entry)
{
	double waited_us = (double)entry->wall_us - (double)entry->cpu_us;

	return waited_us > 1000 * f->export->report->period_ms * entry->n_merged;
}

static int make_rows(const struct ep_firefox *f, uint32_t thread_idx, struct time_rows *rows)
{
	const struct ep_trace *trace = f->export->trace;
	const struct ep_thread_log *log = &f->export->times->threads[thread_idx];
	uint64_t born_ns = trace->processes[trace->threads[thread_idx].process_idx].born_ns;
	uint64_t born_us = born_ns > f->birth_ns ? (born_ns - f->birth_ns) / 1000 : 0;
	uint64_t behind = 0;

	for (uint32_t i = 0; i < log->n_entries; i++) {
		const struct ep_time_entry *entry = &log->entries[i];
		uint64_t end_us = born_us + entry->end_us;
		struct time_row row = { end_us > entry->wall_us ? end_us - entry->wall_us + 1 : 0,
			entry, true };

		if ((!i || has_wait(f, entry)) && add_row(rows, row))
			return -ENOMEM;
		ep_thread_log_step(log, i, &behind);
		row = (struct time_row){ end_us > behind ? end_us - behind : 0, entry, false };
		if (add_row(rows, row))
			return -ENOMEM;
	}
	return 0;
}

static void put_stacks(struct ep_firefox *f, const struct time_rows *rows)
{
	fputs("\"stack\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		uint32_t node = f->walk.node_of_path[rows->rows[i].entry->path_idx];

		fputs(i ? "," : "", f->out);
		if (rows->rows[i].is_wait || !node)
			fputs("null", f->out);
		else
			fprintf(f->out, "%" PRIu32, node - 1);
	}
}

static void put_times(struct ep_firefox *f, const struct time_rows *rows)
{
	fputs("],\n\"time\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		fprintf(f->out, "%s%.3f", i ? "," : "", (double)rows->rows[i].at_us / 1e3);
}

/* Writes the weights in milliseconds. */
static void put_weights(struct ep_firefox *f, const struct time_rows *rows)
{
	fputs("],\n\"weight\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct ep_time_entry *entry = rows->rows[i].entry;

		fprintf(f->out, "%s%.10g", i ? "," : "",
			rows->rows[i].is_wait
				? 0
				: (double)entry->cpu_us * f->factors[entry->path_idx] / 1e3);
	}
}

static void put_cpu_deltas(struct ep_firefox *f, const struct time_rows *rows)
{
	fputs("],\n\"threadCPUDelta\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		fprintf(f->out, "%s%" PRIu64, i ? "," : "",
			rows->rows[i].is_wait ? 0 : rows->rows[i].entry->cpu_us * 1000);
}

static int put_samples(struct ep_firefox *f, uint32_t thread_idx)
{
	struct time_rows rows = { 0 };
	int rc = thread_idx < f->export->times->n_threads ? make_rows(f, thread_idx, &rows) : 0;

	fputs("\"samples\":{", f->out);
	put_stacks(f, &rows);
	put_times(f, &rows);
	put_weights(f, &rows);
	put_cpu_deltas(f, &rows);
	fprintf(f->out, "],\"weightType\":\"tracing-ms\",\"length\":%" PRIu32 "}", rows.n_rows);
	free(rows.rows);
	return rc;
}

/* ---- threads ---- */

/* Writes the identifier of a process, in quotes. A pid alone is not enough: a pid that executes another program is
 * two processes, and two machines may have the same pid. */
void ep_firefox_put_pid(struct ep_firefox *f, uint32_t process_idx)
{
	const struct ep_trace *trace = f->export->trace;
	uint32_t pid = trace->processes[process_idx].key.pid, n_before = 0;

	for (uint32_t i = 0; i < process_idx; i++)
		n_before += trace->processes[i].key.pid == pid;
	fprintf(f->out, n_before ? "\"%" PRIu32 ".%" PRIu32 "\"" : "\"%" PRIu32 "\"", pid,
		n_before);
}

static void put_process_name(struct ep_firefox *f, const struct ep_trace_process *process)
{
	const char *program = ep_trace_process_program(process);
	const char *rank = process->meta[EP_META_RANK];
	EP_AUTOFREE char *name = NULL;

	if (asprintf(&name, "%s%s%s", program ? program : "[unknown]", rank ? " rank " : "",
		    rank ? rank : "") < 0)
		name = NULL;
	ep_json_put_text(f->out, name);
}

/* Returns the track of the main thread, or, if that thread is not shown, the first track of the process. */
uint32_t ep_firefox_main_track(const struct ep_firefox *f, uint32_t process_idx)
{
	const struct ep_trace *trace = f->export->trace;
	uint32_t first = EP_NONE;

	for (uint32_t i = 0; i < f->n_tracks; i++) {
		const struct ep_trace_thread *thread = &trace->threads[f->thread_of_track[i]];

		if (thread->process_idx != process_idx)
			continue;
		if (thread->tid == trace->processes[process_idx].key.pid)
			return i;
		first = first == EP_NONE ? i : first;
	}
	return first;
}

static int put_thread(struct ep_firefox *f, uint32_t track)
{
	const struct ep_trace *trace = f->export->trace;
	const struct ep_trace_thread *thread = &trace->threads[f->thread_of_track[track]];
	const struct ep_trace_process *process = &trace->processes[thread->process_idx];
	double born_ms = ((double)process->born_ns - (double)f->birth_ns) / 1e6;

	fprintf(f->out,
		"{\"processType\":\"default\",\"processStartupTime\":%.3f,\"processShutdownTime\":%.3f,"
		"\"registerTime\":%.3f,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":",
		born_ms, born_ms + (double)process->last_us / 1e3,
		thread->has_totals ? born_ms + (double)thread->totals.start_us / 1e3 : born_ms);
	ep_json_put_text(f->out, thread->name ? thread->name : "[unknown]");
	fprintf(f->out, ",\"isMainThread\":%s,\"processName\":",
		ep_firefox_main_track(f, thread->process_idx) == track ? "true" : "false");
	put_process_name(f, process);
	fputs(",\"pid\":", f->out);
	ep_firefox_put_pid(f, thread->process_idx);
	fprintf(f->out, ",\"tid\":%" PRIu32 ",\n", thread->tid);
	if (put_samples(f, f->thread_of_track[track]))
		return -ENOMEM;
	fputs(",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}}",
		f->out);
	return 0;
}

int ep_firefox_put_threads(struct ep_firefox *f)
{
	int rc = 0;

	for (uint32_t i = 0; i < f->n_tracks && !rc; i++) {
		fputs(i ? ",\n" : "", f->out);
		rc = put_thread(f, i);
	}
	return rc;
}
