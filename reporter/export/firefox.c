// SPDX-License-Identifier: BSD-3-Clause
/*
 * Firefox Profiler's processed profile, version 66 (github.com/firefox-devtools/profiler,
 * src/types/profile.ts and docs-developer/CHANGELOG-formats.md; newer viewers upgrade it on load): each
 * thread's samples on the time axis, weighted with their CPU time, and the rate of each event of each
 * process. One thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/cells.h"
#include "reporter/export/export.h"
#include "reporter/export/json_out.h"
#include "reporter/export/notes.h"
#include "reporter/export/text_ids.h"
#include "reporter/export/time_log.h"
#include "reporter/export/tree_walk.h"
#include "reporter/facts/activity.h"

#define GECKO_VERSION 36
#define PROCESSED_VERSION 66
#define MOST_COUNTER_PROCESSES 32 /* more tracks are no longer looked at */

struct firefox {
	FILE *out;
	const struct ep_export *export;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	struct ep_text_ids texts;
	uint64_t birth_ns;
	uint32_t *func_of_symbol; /* (n_symbols) plus one; 0: none */
	uint32_t *symbols;        /* (n_funcs) */
	uint32_t n_funcs;
	uint32_t *resource_of_module; /* (n_modules) plus one */
	uint32_t *modules;            /* (n_resources) */
	uint32_t n_resources;
	struct ep_text_ids files;  /* source files; 0 is none */
	uint32_t *thread_of_track; /* (n_tracks) in the trace */
	uint32_t n_tracks;
	double *factors; /* (n_paths) from the time that was seen to that of the report */
};

/* ---- columns of a table ---- */

struct column {
	const char *name;
	void (*put)(struct firefox *f, uint32_t row);
};

/* Without the braces: other keys may follow. The last column has no name. */
static void put_table(struct firefox *f, const struct column *columns, uint32_t n_rows)
{
	for (; columns->name; columns++) {
		fprintf(f->out, "\"%s\":[", columns->name);
		for (uint32_t row = 0; row < n_rows; row++) {
			if (row)
				fputc(',', f->out);
			columns->put(f, row);
		}
		fputs("],\n", f->out);
	}
	fprintf(f->out, "\"length\":%" PRIu32, n_rows);
}

static void put_null(struct firefox *f, uint32_t row)
{
	fputs("null", f->out);
}

static void put_zero(struct firefox *f, uint32_t row)
{
	fputc('0', f->out);
}

static void put_one(struct firefox *f, uint32_t row)
{
	fputc('1', f->out);
}

static void put_none(struct firefox *f, uint32_t row)
{
	fputs("-1", f->out);
}

static void put_false(struct firefox *f, uint32_t row)
{
	fputs("false", f->out);
}

static void put_row(struct firefox *f, uint32_t row)
{
	fprintf(f->out, "%" PRIu32, row);
}

static void put_number_or_null(struct firefox *f, uint32_t number)
{
	if (number)
		put_row(f, number);
	else
		put_null(f, 0);
}

static void put_text_id(struct firefox *f, const char *text)
{
	fprintf(f->out, "%" PRIu32, ep_text_ids_add(&f->texts, text));
}

/* ---- stacks, frames, functions: frame i and stack i are node i + 1 ---- */

static void put_prefix_offset(struct firefox *f, uint32_t row)
{
	uint32_t parent = f->walk.nodes[row + 1].parent;

	put_row(f, parent ? row + 1 - parent : 0);
}

static const struct ep_symbol *symbol_of(const struct firefox *f, uint32_t row)
{
	return ep_symbols_get(f->walk.symbols, f->walk.nodes[row + 1].symbol_idx);
}

static const char *path_of(const struct firefox *f, const struct ep_symbol *symbol)
{
	return symbol->module_idx == EP_NONE ? ""
					     : f->export->trace->modules[symbol->module_idx].path;
}

/* The C library's code is of what its caller is. */
static void put_category(struct firefox *f, uint32_t row)
{
	const struct ep_symbol *symbol = symbol_of(f, row);
	const char *path = path_of(f, symbol);
	enum ep_activity activity = ep_activity_of(symbol->kind, path, symbol->short_name);

	if (activity == EP_ACTIVITY_OWN && ep_activity_is_support(symbol->kind, path))
		put_null(f, row);
	else
		put_row(f, activity);
}

static void put_func(struct firefox *f, uint32_t row)
{
	put_row(f, f->func_of_symbol[f->walk.nodes[row + 1].symbol_idx] - 1);
}

static void put_frame_line(struct firefox *f, uint32_t row)
{
	put_number_or_null(f, f->walk.nodes[row + 1].line);
}

static const struct ep_symbol *func_symbol(const struct firefox *f, uint32_t row)
{
	return ep_symbols_get(f->walk.symbols, f->symbols[row]);
}

static void put_func_name(struct firefox *f, uint32_t row)
{
	put_text_id(f, func_symbol(f, row)->name);
}

static void put_func_resource(struct firefox *f, uint32_t row)
{
	uint32_t module_idx = func_symbol(f, row)->module_idx;

	if (module_idx == EP_NONE)
		put_none(f, row);
	else
		put_row(f, f->resource_of_module[module_idx] - 1);
}

static void put_func_source(struct firefox *f, uint32_t row)
{
	const char *file = func_symbol(f, row)->file;

	if (file)
		put_row(f, ep_text_ids_add(&f->files, file) - 1);
	else
		put_null(f, row);
}

static void put_func_line(struct firefox *f, uint32_t row)
{
	put_number_or_null(f, func_symbol(f, row)->line);
}

static void put_resource_name(struct firefox *f, uint32_t row)
{
	put_text_id(f, ep_base_name(f->export->trace->modules[f->modules[row]].path));
}

static void put_source_name(struct firefox *f, uint32_t row)
{
	put_text_id(f, f->files.rows[row + 1]);
}

static const struct column stack_columns[] = {
	{ "frame", put_row },
	{ "prefixOffset", put_prefix_offset },
	{ NULL },
};

static const struct column frame_columns[] = {
	{ "address", put_none },
	{ "inlineDepth", put_zero },
	{ "category", put_category },
	{ "subcategory", put_zero },
	{ "func", put_func },
	{ "nativeSymbol", put_null },
	{ "innerWindowID", put_zero },
	{ "line", put_frame_line },
	{ "column", put_null },
	{ "originalLocation", put_null },
	{ NULL },
};

static const struct column func_columns[] = {
	{ "isJS", put_false },
	{ "relevantForJS", put_false },
	{ "name", put_func_name },
	{ "resource", put_func_resource },
	{ "source", put_func_source },
	{ "lineNumber", put_func_line },
	{ "columnNumber", put_null },
	{ "originalLocation", put_null },
	{ NULL },
};

static const struct column resource_columns[] = {
	{ "lib", put_null },
	{ "name", put_resource_name },
	{ "host", put_null },
	{ "type", put_one }, /* a library */
	{ NULL },
};

static const struct column source_columns[] = {
	{ "id", put_null },
	{ "filename", put_source_name },
	{ "startLine", put_one },
	{ "startColumn", put_one },
	{ "sourceMapURL", put_null },
	{ "content", put_null },
	{ NULL },
};

static void put_strings(struct firefox *f)
{
	ep_text_ids_add(&f->texts, "");
	for (uint32_t i = 0; i < f->texts.n_rows; i++) {
		if (i)
			fputs(",\n", f->out);
		ep_json_put_text(f->out, f->texts.rows[i]);
	}
}

/* Sources behind the functions, and strings last: the tables before make them. */
static void put_shared(struct firefox *f)
{
	static const struct {
		const char *name;
		const struct column *columns;
	} tables[] = {
		{ "stackTable", stack_columns },
		{ "frameTable", frame_columns },
		{ "funcTable", func_columns },
		{ "resourceTable", resource_columns },
		{ "sources", source_columns },
	};

	ep_text_ids_add(&f->files, "");
	for (size_t i = 0; i < EP_ARRAY_SIZE(tables); i++) {
		uint32_t n_sources = f->files.n_rows ? f->files.n_rows - 1 : 0;
		uint32_t n_rows[] = { f->walk.n_nodes - 1, f->walk.n_nodes - 1, f->n_funcs,
			f->n_resources, n_sources };

		fprintf(f->out, "\"%s\":{", tables[i].name);
		put_table(f, tables[i].columns, n_rows[i]);
		fputs("},\n", f->out);
	}
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n"
	      "\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n"
	      "\"stringArray\":[",
		f->out);
	put_strings(f);
	fputs("]", f->out);
}

/* ---- samples of a thread ---- */

/* A row of the table of samples: an entry, or the wait before it, with no stack. */
struct time_row {
	uint64_t at_us; /* since the trace's first process began */
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
	if (ep_array_reserve((void **)&rows->rows, rows->n_rows, &rows->capacity, sizeof(row)))
		return -ENOMEM;
	rows->rows[rows->n_rows++] = row;
	return 0;
}

/* What of a slice's time lies behind an entry of it: the parts in the kernel come first. */
static uint64_t behind_us(const struct ep_thread_log *log, uint32_t i)
{
	uint64_t us = 0;

	for (uint32_t j = i + 1;
		j < log->n_entries && log->entries[j].end_us == log->entries[i].end_us; j++)
		us += log->entries[j].cpu_us;
	return us;
}

/* A viewer takes CPU time for that since the sample before: the first has an empty one. Where a thread
 * waited is not known, but that it did for a part of the slice is: the stack before must
 * not seem to last until the slice's end. */
static bool has_wait(const struct firefox *f, const struct ep_time_entry *entry)
{
	double waited_us = (double)entry->wall_us - (double)entry->cpu_us;

	return waited_us > 1000 * f->export->report->period_ms * entry->n_merged;
}

static int make_rows(const struct firefox *f, uint32_t thread_idx, struct time_rows *rows)
{
	const struct ep_trace *trace = f->export->trace;
	const struct ep_thread_log *log = &f->export->times->threads[thread_idx];
	uint64_t born_ns = trace->processes[trace->threads[thread_idx].process_idx].born_ns;
	uint64_t born_us = born_ns > f->birth_ns ? (born_ns - f->birth_ns) / 1000 : 0;

	for (uint32_t i = 0; i < log->n_entries; i++) {
		const struct ep_time_entry *entry = &log->entries[i];
		uint64_t end_us = born_us + entry->end_us, behind = behind_us(log, i);
		struct time_row row = { end_us > entry->wall_us ? end_us - entry->wall_us + 1 : 0,
			entry, true };

		if ((!i || has_wait(f, entry)) && add_row(rows, row))
			return -ENOMEM;
		row = (struct time_row){ end_us > behind ? end_us - behind : 0, entry, false };
		if (add_row(rows, row))
			return -ENOMEM;
	}
	return 0;
}

static void put_stacks(struct firefox *f, const struct time_rows *rows)
{
	fputs("\"stack\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		uint32_t node = f->walk.node_of_path[rows->rows[i].entry->path_idx];

		fputs(i ? "," : "", f->out);
		if (rows->rows[i].is_wait || !node)
			put_null(f, i);
		else
			put_row(f, node - 1);
	}
}

static void put_times(struct firefox *f, const struct time_rows *rows)
{
	fputs("],\n\"time\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		fprintf(f->out, "%s%.3f", i ? "," : "", (double)rows->rows[i].at_us / 1e3);
}

/* In milliseconds. */
static void put_weights(struct firefox *f, const struct time_rows *rows)
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

static void put_cpu_deltas(struct firefox *f, const struct time_rows *rows)
{
	fputs("],\n\"threadCPUDelta\":[", f->out);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		fprintf(f->out, "%s%" PRIu64, i ? "," : "",
			rows->rows[i].is_wait ? 0 : rows->rows[i].entry->cpu_us * 1000);
}

static int put_samples(struct firefox *f, uint32_t thread_idx)
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

/* A pid that executes another program is two processes; pids of two machines may be the same. */
static void put_pid(struct firefox *f, uint32_t process_idx)
{
	const struct ep_trace *trace = f->export->trace;
	uint32_t pid = trace->processes[process_idx].key.pid, n_before = 0;

	for (uint32_t i = 0; i < process_idx; i++)
		n_before += trace->processes[i].key.pid == pid;
	fprintf(f->out, n_before ? "\"%" PRIu32 ".%" PRIu32 "\"" : "\"%" PRIu32 "\"", pid,
		n_before);
}

static void put_process_name(struct firefox *f, const struct ep_trace_process *process)
{
	const char *exe = process->meta[EP_META_EXE], *rank = process->meta[EP_META_RANK];
	EP_AUTOFREE char *name = NULL;

	if (asprintf(&name, "%s%s%s", exe ? ep_base_name(exe) : "[unknown]", rank ? " rank " : "",
		    rank ? rank : "") < 0)
		name = NULL;
	ep_json_put_text(f->out, name);
}

/* It leads the tracks of its process; where it is not shown another one does. */
static uint32_t main_track(const struct firefox *f, uint32_t process_idx)
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

static int put_thread(struct firefox *f, uint32_t track)
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
		main_track(f, thread->process_idx) == track ? "true" : "false");
	put_process_name(f, process);
	fputs(",\"pid\":", f->out);
	put_pid(f, thread->process_idx);
	fprintf(f->out, ",\"tid\":%" PRIu32 ",\n", thread->tid);
	if (put_samples(f, f->thread_of_track[track]))
		return -ENOMEM;
	fputs(",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}}",
		f->out);
	return 0;
}

static int put_threads(struct firefox *f)
{
	int rc = 0;

	for (uint32_t i = 0; i < f->n_tracks && !rc; i++) {
		fputs(i ? ",\n" : "", f->out);
		rc = put_thread(f, i);
	}
	return rc;
}

/* ---- counters ---- */

static void put_counts(struct firefox *f, const struct ep_timeline *timeline, uint32_t e)
{
	double start_ms = (double)timeline->start_us / 1e3 - (double)f->birth_ns / 1e6;
	uint32_t n = timeline->n_bins;

	fputs("\"samples\":{\"time\":[", f->out);
	for (uint32_t i = 0; i <= n; i++)
		fprintf(f->out, "%s%.3f", i ? "," : "",
			start_ms + (double)(i * timeline->width_us) / 1e3);
	fputs("],\"count\":[0", f->out);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f->out, ",%.15g", timeline->counts[(size_t)i * timeline->n_events + e]);
	fprintf(f->out, "],\"length\":%" PRIu32 "}", n + 1);
}

static void put_counter(struct firefox *f, uint32_t process_idx, uint32_t e)
{
	static const char *const colours[] = { "blue", "green", "magenta", "orange", "purple",
		"red", "teal", "yellow" };
	const struct ep_report_event *event = &f->export->report->events[e];

	fputs("{\"name\":", f->out);
	ep_json_put_text(f->out, event->name);
	fprintf(f->out, ",\"category\":\"evprof\",\"description\":\"%s\",\"pid\":",
		event->total.is_estimate ? "per ms; estimated where other events were counted"
					 : "per ms");
	put_pid(f, process_idx);
	fprintf(f->out, ",\"mainThreadIndex\":%" PRIu32 ",", main_track(f, process_idx));
	put_counts(f, &f->export->trace->processes[process_idx].timeline, e);
	fprintf(f->out,
		",\"display\":{\"graphType\":\"line-rate\",\"unit\":\"\",\"color\":\"%s\",\"markerSchemaLocation\":null,\"sortWeight\":%" PRIu32
		",\"label\":",
		colours[e % EP_ARRAY_SIZE(colours)], 50 + e);
	ep_json_put_text(f->out, event->name);
	fputs(",\"tooltipRows\":["
	      "{\"type\":\"value\",\"source\":\"rate\",\"format\":{\"unit\":\"number\"},\"label\":\"per ms\"},"
	      "{\"type\":\"value\",\"source\":\"selection-total\",\"format\":{\"unit\":\"number\"},\"label\":\"in the selection\",\"requiresPreviewSelection\":true},"
	      "{\"type\":\"value\",\"source\":\"committed-range-total\",\"format\":{\"unit\":\"number\"},\"label\":\"in the visible range\"}]}}",
		f->out);
}

static void put_counters(struct firefox *f)
{
	const struct ep_trace *trace = f->export->trace;
	const char *between = "";
	uint32_t n_shown = 0;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_timeline *timeline = &trace->processes[i].timeline;

		if (!timeline->n_bins || !timeline->counts || main_track(f, i) == EP_NONE ||
			n_shown++ >= MOST_COUNTER_PROCESSES)
			continue;
		for (uint32_t e = 0; e < timeline->n_events; e++) {
			if (f->export->report->events[e].total.is_missing)
				continue;
			fputs(between, f->out);
			put_counter(f, i, e);
			between = ",\n";
		}
	}
}

/* ---- what the profile is of ---- */

/* Its colours are a fixed set; of grey is what has no category. */
static const char *const colours_of[EP_N_ACTIVITIES] = {
	[EP_ACTIVITY_OWN] = "blue",
	[EP_ACTIVITY_MPI] = "green",
	[EP_ACTIVITY_OPENMP] = "lightblue",
	[EP_ACTIVITY_ALGEBRA] = "purple",
	[EP_ACTIVITY_FFT] = "purple",
	[EP_ACTIVITY_MATH] = "purple",
	[EP_ACTIVITY_MEMORY] = "brown",
	[EP_ACTIVITY_COPY] = "brown",
	[EP_ACTIVITY_LOCK] = "red",
	[EP_ACTIVITY_IDLE] = "lightred",
	[EP_ACTIVITY_EXCEPTIONS] = "magenta",
	[EP_ACTIVITY_FILES] = "yellow",
	[EP_ACTIVITY_LOADING] = "darkgrey",
	[EP_ACTIVITY_KERNEL] = "orange",
};

static void put_categories(struct firefox *f)
{
	for (int i = 0; i < EP_N_ACTIVITIES; i++)
		fprintf(f->out,
			"{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]},\n",
			ep_activity_words[i].name, colours_of[i]);
	fputs("{\"name\":\"other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}", f->out);
}

static void put_entry(struct firefox *f, const char *sentence)
{
	fputs("{\"label\":\"note\",\"format\":\"string\",\"value\":", f->out);
	ep_json_put_text(f->out, sentence);
	fputc('}', f->out);
}

static void put_note(void *context, const char *sentence)
{
	struct firefox *f = context;

	fputs(",\n", f->out);
	put_entry(f, sentence);
}

static void put_notes(struct firefox *f)
{
	uint32_t n_merged = f->export->times->n_per_entry;
	char text[256];

	put_entry(f,
		"Weights are CPU time; an empty sample stands where a thread waited. Tracks of events are rates, with at most 256 steps each.");
	if (n_merged > 1) {
		snprintf(text, sizeof(text),
			"There are too many samples for a viewer: up to %" PRIu32
			" of a thread that follow each other are one here, with all their time and the place of one of them, drawn by chance.",
			n_merged);
		put_note(f, text);
	}
	ep_export_notes(f->export, &f->cells, put_note, f);
}

static void put_meta(struct firefox *f)
{
	const struct ep_report *report = f->export->report;

	fprintf(f->out,
		"\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"interval\":%.6g,\"startTime\":%.3f,\"processType\":0,\"stackwalk\":1,"
		"\"debug\":false,\"platform\":\"X11\",\"symbolicated\":true,\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\"markerSchema\":[],"
		"\"importedFrom\":\"evprof " EVPROF_VERSION "\",\"logicalCPUs\":%" PRIu32
		",\"product\":",
		GECKO_VERSION, PROCESSED_VERSION, report->period_ms > 0 ? report->period_ms : 1,
		(double)report->started_ns / 1e6, report->n_cpus);
	ep_json_put_text(f->out, report->command);
	fputs(",\"CPUName\":", f->out);
	ep_json_put_text(f->out, report->cpu);
	fputs(",\"oscpu\":", f->out);
	ep_json_put_text(f->out, report->kernel);
	fputs(",\"categories\":[", f->out);
	put_categories(f);
	fputs("],\n\"extra\":[{\"label\":\"evprof\",\"entries\":[", f->out);
	put_notes(f);
	fputs("]}]},\n\"libs\":[],\n", f->out);
}

/* ---- the file ---- */

/* Gives each procedure and each module of the tree its number. */
static void number_functions(struct firefox *f)
{
	for (uint32_t i = 1; i < f->walk.n_nodes; i++) {
		uint32_t symbol_idx = f->walk.nodes[i].symbol_idx;
		uint32_t module_idx = ep_symbols_get(f->walk.symbols, symbol_idx)->module_idx;

		if (f->func_of_symbol[symbol_idx])
			continue;
		f->symbols[f->n_funcs++] = symbol_idx;
		f->func_of_symbol[symbol_idx] = f->n_funcs;
		if (module_idx == EP_NONE || f->resource_of_module[module_idx])
			continue;
		f->modules[f->n_resources++] = module_idx;
		f->resource_of_module[module_idx] = f->n_resources;
	}
}

/* What the sums leave out at last, since a host had the CPU, is in each time that was seen. Where samples
 * are merged they are a draw. */
static void find_factors(struct firefox *f)
{
	const struct ep_time_log *times = f->export->times;
	const struct ep_trace *trace = f->export->trace;

	for (uint32_t t = 0; t < times->n_threads && times->n_per_entry <= 1; t++)
		for (uint32_t i = 0; i < times->threads[t].n_entries; i++)
			f->factors[times->threads[t].entries[i].path_idx] +=
				(double)times->threads[t].entries[i].cpu_us;
	for (uint32_t i = 0; i < trace->n_paths; i++) {
		uint32_t cost_idx = trace->paths[i].cost_idx;

		f->factors[i] = f->factors[i] > 0 && cost_idx != EP_NONE
					? (double)trace->costs[cost_idx].cost.cpu_us / f->factors[i]
					: 1;
	}
}

static int prepare(struct firefox *f)
{
	const struct ep_trace *trace = f->export->trace;
	struct ep_cells_source source = { .trace = f->export->trace,
		.symbols = f->export->symbols,
		.report = f->export->report };
	uint32_t n_symbols;

	if (ep_tree_walk_init(&f->walk))
		return -ENOMEM;
	source.row_of_path = f->walk.node_of_path;
	source.n_rows = f->walk.n_nodes;
	n_symbols = ep_symbols_count(f->walk.symbols) + 1;
	f->func_of_symbol = calloc(n_symbols, sizeof(*f->func_of_symbol));
	f->symbols = calloc(n_symbols, sizeof(*f->symbols));
	f->resource_of_module = calloc(trace->n_modules + 1, sizeof(*f->resource_of_module));
	f->modules = calloc(trace->n_modules + 1, sizeof(*f->modules));
	f->thread_of_track = calloc(trace->n_threads + 1, sizeof(*f->thread_of_track));
	f->factors = calloc(trace->n_paths + 1, sizeof(*f->factors));
	if (!f->func_of_symbol || !f->symbols || !f->resource_of_module || !f->modules ||
		!f->thread_of_track || !f->factors)
		return -ENOMEM;
	number_functions(f);
	find_factors(f);
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (trace->threads[i].is_wanted)
			f->thread_of_track[f->n_tracks++] = i;
	return ep_cells_init(&f->cells, &source);
}

static int put_all(struct firefox *f)
{
	fputs("{", f->out);
	put_meta(f);
	fputs("\"counters\":[", f->out);
	put_counters(f);
	fputs("],\n\"threads\":[", f->out);
	if (put_threads(f))
		return -ENOMEM;
	fputs("],\n\"shared\":{", f->out);
	put_shared(f);
	fputs("}}\n", f->out);
	return f->texts.out_of_memory || f->files.out_of_memory ? -ENOMEM : 0;
}

static int write_firefox(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct firefox f = { .out = out,
		.export = export,
		.birth_ns = ep_trace_birth_ns(export->trace),
		.walk = { .trace = export->trace, .symbols = export->symbols, .by_line = true } };
	int rc = prepare(&f);

	if (!rc)
		rc = put_all(&f);
	free(f.func_of_symbol);
	free(f.symbols);
	free(f.resource_of_module);
	free(f.modules);
	free(f.thread_of_track);
	free(f.factors);
	ep_text_ids_finish(&f.texts);
	ep_text_ids_finish(&f.files);
	ep_cells_finish(&f.cells);
	ep_tree_walk_finish(&f.walk);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

const struct ep_export_format ep_export_firefox = {
	.name = "firefox", .by_thread = true, .has_times = true, .write = write_firefox
};
