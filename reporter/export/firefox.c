// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes Firefox Profiler's processed profile, version 66 (github.com/firefox-devtools/profiler, src/types/profile.ts
 * and docs-developer/CHANGELOG-formats.md; newer viewers upgrade the file on load). The profile has each thread's
 * samples on the time axis, weighted with their CPU time, and the rate of each event in each process. All of this runs
 * on one thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/firefox_private.h"
#include "reporter/export/json_out.h"
#include "reporter/export/notes.h"
#include "reporter/facts/activity.h"

#define GECKO_VERSION 36
#define PROCESSED_VERSION 66
#define MOST_COUNTER_PROCESSES 32 /* most processes with counters; more tracks are not useful */

/* ---- counters ---- */

static void put_counts(struct ep_firefox *f, const struct ep_timeline *timeline, uint32_t e)
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

static void put_counter(struct ep_firefox *f, uint32_t process_idx, uint32_t e)
{
	static const char *const colours[] = { "blue", "green", "magenta", "orange", "purple",
		"red", "teal", "yellow" };
	const struct ep_report_event *event = &f->export->report->events[e];

	fputs("{\"name\":", f->out);
	ep_json_put_text(f->out, event->name);
	fprintf(f->out, ",\"category\":\"evprof\",\"description\":\"%s\",\"pid\":",
		event->total.is_estimate ? "per ms; estimated where other events were counted"
					 : "per ms");
	ep_firefox_put_pid(f, process_idx);
	fprintf(f->out, ",\"mainThreadIndex\":%" PRIu32 ",", ep_firefox_main_track(f, process_idx));
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

static void put_counters(struct ep_firefox *f)
{
	const struct ep_trace *trace = f->export->trace;
	const char *between = "";
	uint32_t n_shown = 0;

	for (uint32_t i = 0; i < trace->n_processes; i++) {
		const struct ep_timeline *timeline = &trace->processes[i].timeline;

		if (!timeline->n_bins || !timeline->counts ||
			ep_firefox_main_track(f, i) == EP_NONE ||
			n_shown++ >= MOST_COUNTER_PROCESSES)
			continue;
		for (uint32_t e = 0; e < timeline->n_events; e++) {
			if (!ep_quantity_is_known(&f->export->report->events[e].total.count))
				continue;
			fputs(between, f->out);
			put_counter(f, i, e);
			between = ",\n";
		}
	}
}

/* ---- metadata ---- */

/* The colours are from the viewer's fixed set. Grey is not used here: it is the colour of the category "other". */
static const char *const colours_of[EP_N_ACTIVITIES] = {
	[EP_ACTIVITY_OWN] = "blue",
	[EP_ACTIVITY_MPI] = "green",
	[EP_ACTIVITY_OPENMP] = "lightblue",
	[EP_ACTIVITY_GPU] = "green",
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
	[EP_ACTIVITY_IMPORT] = "darkgrey",
	[EP_ACTIVITY_SYSTEM] = "orange",
	[EP_ACTIVITY_KERNEL] = "orange",
};

static void put_categories(struct ep_firefox *f)
{
	for (int i = 0; i < EP_N_ACTIVITIES; i++)
		fprintf(f->out,
			"{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]},\n",
			ep_activity_words[i].name, colours_of[i]);
	fputs("{\"name\":\"other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}", f->out);
}

static void put_entry(struct ep_firefox *f, const char *sentence)
{
	fputs("{\"label\":\"note\",\"format\":\"string\",\"value\":", f->out);
	ep_json_put_text(f->out, sentence);
	fputc('}', f->out);
}

static void put_note(void *context, const char *sentence)
{
	struct ep_firefox *f = context;

	fputs(",\n", f->out);
	put_entry(f, sentence);
}

static void put_notes(struct ep_firefox *f)
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

static void put_meta(struct ep_firefox *f)
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

/* Numbers each procedure and each module of the tree. */
static void number_functions(struct ep_firefox *f)
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

static int prepare(struct ep_firefox *f)
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
	ep_time_log_find_factors(f->export->times, trace, f->factors);
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (trace->threads[i].is_wanted)
			f->thread_of_track[f->n_tracks++] = i;
	return ep_cells_init(&f->cells, &source);
}

static int put_all(struct ep_firefox *f)
{
	fputs("{", f->out);
	put_meta(f);
	fputs("\"counters\":[", f->out);
	put_counters(f);
	fputs("],\n\"threads\":[", f->out);
	if (ep_firefox_put_threads(f))
		return -ENOMEM;
	fputs("],\n\"shared\":{", f->out);
	ep_firefox_put_shared(f);
	fputs("}}\n", f->out);
	return f->texts.out_of_memory || f->files.out_of_memory ? -ENOMEM : 0;
}

static int write_firefox(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct ep_firefox f = { .out = out,
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
