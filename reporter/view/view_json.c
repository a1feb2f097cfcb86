// SPDX-License-Identifier: BSD-3-Clause
/* Prints the report as JSON (docs/report-json.md). An unknown value is null, never 0. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/view/json_stream.h"
#include "reporter/view/view_json_private.h"

#define SCHEMA "evprof-report-1"

/* Adds the reasons why events could not be measured, as one line of text; null if there are none. */
static void put_missing(struct json_object *run, const struct ep_report *r)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *out = r->said.n_missing ? open_memstream(&text, &size) : NULL;

	for (uint32_t i = 0; out && i < r->said.n_missing; i++)
		fprintf(out, "%s%s", i ? "; " : "", r->said.missing[i]);
	if (out)
		fclose(out);
	put_text(run, "missing", text);
}

static struct json_object *run_json(const struct ep_report *r)
{
	struct json_object *run = json_object_new_object();

	put_text(run, "trace", r->trace_path);
	put_text(run, "selection", r->selection);
	put_text(run, "command", r->command);
	put_text(run, "host", r->host);
	put_count(run, "n_hosts", r->n_hosts);
	put_text(run, "cpu", r->cpu);
	put_text(run, "kernel", r->kernel);
	put_count(run, "n_cpus", r->n_cpus);
	put_quantity(run, "load", &r->load);
	put_number(run, "started", r->started_ns ? (double)r->started_ns / 1e9 : NAN);
	put_number(run, "from_s", r->from_s);
	put_number(run, "duration_s", r->duration_s);
	put_count(run, "n_processes", r->n_processes);
	put_count(run, "n_threads", r->n_threads);
	put_count(run, "n_ranks", r->n_ranks);
	put_count(run, "n_samples", r->n_samples);
	put_count(run, "n_call_samples", r->n_call_samples);
	put_count(run, "n_event_ticks", r->n_event_ticks);
	put_count(run, "n_lost", r->n_lost);
	put_text(run, "source", r->source);
	put_text(run, "clock", r->clock);
	put_number(run, "period_ms", r->period_ms);
	put_number(run, "schedulers_share", r->schedulers_share);
	put_count(run, "cpu_ns", r->cpu_ns);
	put_count(run, "sampled_ns", r->sampled_ns);
	put_flag(run, "exact", r->is_exact);
	put_count(run, "n_not_exact", r->n_not_exact);
	put_number(run, "untold_s", r->untold_s);
	put_number(run, "outside_s", r->outside_s);
	put_count(run, "hidden_kernel_ns", r->hidden_ns);
	put_waits(run, &r->waits);
	put_quantity(run, "others_cpus", &r->others_cpus);
	put_quantity(run, "stolen_share", &r->stolen_share);
	put_count(run, "stolen_cpu_ns", r->stolen_ns);
	put_quantity(run, "limited_share", &r->limited_share);
	put_quantity(run, "limited_s", &r->limited_s);
	for (int i = 0; i < EP_N_MACHINE_TIMES; i++)
		if (ep_machine_amounts[i].name)
			put_number(run, ep_machine_amounts[i].name,
				r->amounts[i].is_known ? r->amounts[i].total : NAN);
	put_count(run, "evprof_ns", r->own_ns);
	put_missing(run, r);
	put_text(run, "estimator", r->has_estimates ? r->filler : NULL);
	return run;
}

static struct json_object *event_json(const struct ep_report_event *event, bool has_details)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", event->name);
	if (has_details || strcmp(event->unit, "count") != 0)
		put_text(object, "unit", event->unit);
	put_quantity(object, "total", &event->total.count);
	put_flag(object, "estimate", event->total.is_estimate);
	put_flag(object, "partial", event->total.is_partial);
	put_quantity(object, "error", &event->error);
	if (!has_details)
		return object;
	put_text(object, "estimator", event->estimator);
	put_quantity(object, "holdout_error", &event->holdout_error);
	put_count(object, "n_slices", event->n_slices);
	put_count(object, "n_slices_measured", event->n_slices_measured);
	return object;
}

static void put_events(struct ep_json_stream *stream, const struct ep_report *r,
	const struct ep_view_options *options)
{
	bool has_details = ep_json_has(options, EP_JSON_DETAILS);

	ep_json_stream_open_array(stream, "events");
	for (uint32_t e = 0; e < r->n_events; e++)
		ep_json_stream_add(stream, event_json(&r->events[e], has_details));
	ep_json_stream_close_array(stream);
}

static struct json_object *callers_json(const struct ep_report_row *row)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < row->n_callers; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "name", row->callers[i].name);
		put_count(object, "ns", row->callers[i].ns);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *totals_json(const struct ep_report *r, const double *totals)
{
	struct json_object *object = json_object_new_object();

	for (uint32_t e = 0; e < r->n_events; e++)
		put_number(object, r->events[e].name, totals[e]);
	return object;
}

/* Makes an object of the counts that are not exactly 0. A simulator counts many events, most of which do not occur in a
 * given place: with all counts, a page would mostly have zeros. */
static struct json_object *counted_json(
	const struct ep_report *r, const struct ep_report_value *values)
{
	struct json_object *object = json_object_new_object();

	for (uint32_t e = 0; e < r->n_events; e++)
		if (values[e].count.state != EP_QUANTITY_KNOWN || values[e].count.value != 0 ||
			values[e].count.error != 0 || values[e].is_estimate || values[e].is_mixed)
			json_object_object_add(object, r->events[e].name, value_json(&values[e]));
	return object;
}

static void put_row_events(struct json_object *object, const struct ep_report *r,
	const struct ep_report_row *row, const struct ep_view_options *options)
{
	json_object_object_add(object, "events",
		options->is_of_page ? counted_json(r, row->values) : values_json(r, row->values));
	if (row->totals && !options->is_of_page)
		json_object_object_add(object, "totals", totals_json(r, row->totals));
}

static struct json_object *row_json(const struct ep_report *r, const struct ep_report_row *row,
	const struct ep_view_options *options)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", row->name);
	put_text(object, "module", row->module);
	put_text(object, "file", row->file);
	put_line_number(object, "line", row->line);
	put_text(object, "hot_file", row->hot_file);
	put_line_number(object, "hot_line", row->hot_line);
	put_flag(object, "known", row->is_known);
	put_flag(object, "inlined", row->is_inlined);
	put_count(object, "n_samples", row->n_samples);
	put_count(object, "self_ns", row->self_ns);
	put_count(object, "total_ns", row->total_ns);
	put_number(object, "self_share", row->self_share);
	put_number(object, "total_share", row->total_share);
	put_number(object, "self_latency_share", row->self_latency_share);
	put_number(object, "total_latency_share", row->total_latency_share);
	put_number(object, "alone_share", row->alone_share);
	put_number(object, "self_share_error", row->self_error);
	put_number(object, "total_share_error", row->total_error);
	if (ep_json_has(options, EP_JSON_DETAILS))
		put_row_events(object, r, row, options);
	if (row->depth) {
		put_count(object, "depth", row->depth);
		put_text(object, "nest", row->nest);
		put_text(object, "around", row->around);
	}
	if (row->callers)
		json_object_object_add(object, "callers", callers_json(row));
	return object;
}

static struct json_object *call_json(const struct ep_report_call *call)
{
	struct json_object *object = json_object_new_object();

	put_count(object, "depth", call->depth);
	put_text(object, "name", call->name);
	put_text(object, "through", call->through);
	put_count(object, "n_through", call->n_through);
	if (call->is_loop)
		put_flag(object, "loop", true);
	put_count(object, "self_ns", call->self_ns);
	put_count(object, "total_ns", call->total_ns);
	if (call->n_calls)
		put_count(object, "n_calls", call->n_calls);
	return object;
}

static struct json_object *entries_json(const struct ep_report_activity *activity)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < activity->n_entries; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "name", activity->entries[i].name);
		put_count(object, "ns", activity->entries[i].ns);
		put_text(object, "caller", activity->entries[i].caller);
		put_count(object, "caller_ns", activity->entries[i].caller_ns);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *activities_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_activities; i++) {
		const struct ep_report_activity *activity = &r->activities[i];
		struct json_object *object = json_object_new_object();

		put_text(object, "name", ep_activity_words[activity->activity].name);
		put_text(object, "title", ep_report_activity_title(r, activity->activity));
		put_count(object, "ns", activity->ns);
		put_number(object, "share", activity->share);
		put_number(object, "share_error", activity->error);
		json_object_object_add(object, "entries", entries_json(activity));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *timeline_json(const struct ep_report *r)
{
	struct json_object *object = json_object_new_object(), *rates = json_object_new_object();

	put_number(object, "bin_s", r->bin_s);
	json_object_object_add(object, "cpus_busy", numbers_json(r->cpus_busy, r->n_bins));
	for (uint32_t e = 0; e < r->n_events; e++)
		if (r->events[e].rate)
			json_object_object_add(rates, r->events[e].name,
				numbers_json(r->events[e].rate, r->n_bins));
	json_object_object_add(object, "events_per_s", rates);
	return object;
}

static struct json_object *metrics_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_metrics; i++) {
		const struct ep_report_metric *metric = &r->metrics[i];
		struct json_object *object = json_object_new_object();

		put_text(object, "model", metric->model);
		put_text(object, "metric", metric->name);
		put_quantity(object, "value", &metric->value);
		put_number(object, "standard_error", ep_quantity_error(&metric->value));
		put_number(object, "coverage", metric->coverage);
		put_text(object, "base", metric->base);
		put_text(object, "unit", metric->unit);
		put_flag(object, "valid", !metric->is_invalid);
		put_flag(object, "contradicted", metric->is_contradicted);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *findings_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->said.n_findings; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "kind",
			r->said.findings[i].kind == EP_FINDING_WARNING ? "warning" : "note");
		put_text(object, "text", r->said.findings[i].text);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *hidden_json(const struct ep_report *r)
{
	struct json_object *object = json_object_new_object();

	put_count(object, "procedures", r->procedures.n_rows - r->procedures.n_shown);
	put_count(object, "lines", r->lines.n_rows - r->lines.n_shown);
	put_count(object, "modules", r->modules.n_rows - r->modules.n_shown);
	put_count(object, "threads", r->n_threads - r->n_threads_shown);
	put_count(object, "processes", r->n_processes - r->n_processes_shown);
	return object;
}

static void put_table(struct ep_json_stream *stream, const char *key, const struct ep_report *r,
	const struct ep_report_table *table, const struct ep_view_options *options)
{
	ep_json_stream_open_array(stream, key);
	for (uint32_t i = 0; i < table->n_shown; i++)
		ep_json_stream_add(stream, row_json(r, &table->rows[i], options));
	ep_json_stream_close_array(stream);
}

#define PUT_TABLE(table)                                                                           \
	static void put_##table(struct ep_json_stream *stream, const struct ep_report *r,          \
		const struct ep_view_options *options)                                             \
	{                                                                                          \
		put_table(stream, #table, r, &r->table, options);                                  \
	}

PUT_TABLE(procedures)
PUT_TABLE(lines)
PUT_TABLE(loops)
PUT_TABLE(modules)
PUT_TABLE(languages)

static void put_calls(struct ep_json_stream *stream, const struct ep_report *r,
	const struct ep_view_options *options)
{
	ep_json_stream_open_array(stream, "calls");
	for (uint32_t i = 0; i < r->n_calls; i++)
		ep_json_stream_add(stream, call_json(&r->calls[i]));
	ep_json_stream_close_array(stream);
}

static void put_threads(struct ep_json_stream *stream, const struct ep_report *r,
	const struct ep_view_options *options)
{
	bool has_details = ep_json_has(options, EP_JSON_DETAILS);

	ep_json_stream_open_array(stream, "threads");
	for (uint32_t i = 0; i < r->n_threads_shown; i++) {
		const struct ep_report_thread *row = &r->threads[i];
		struct json_object *thread = ep_thread_json(row);

		if (has_details)
			json_object_object_add(thread, "events", values_json(r, row->values));
		if (has_details && !options->is_of_page)
			json_object_object_add(thread, "busy", numbers_json(row->busy, r->n_bins));
		ep_json_stream_add(stream, thread);
	}
	ep_json_stream_close_array(stream);
}

static void put_processes(struct ep_json_stream *stream, const struct ep_report *r,
	const struct ep_view_options *options)
{
	ep_json_stream_open_array(stream, "processes");
	for (uint32_t i = 0; i < r->n_processes_shown; i++)
		ep_json_stream_add(stream, ep_process_json(&r->processes[i]));
	ep_json_stream_close_array(stream);
}

static struct json_object *in_short_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->said.n_in_short; i++)
		json_object_array_add(array, ep_json_text(r->said.in_short[i]));
	return array;
}

/* ---- parts ---- */

static bool has_loops(const struct ep_report *r)
{
	return r->loops.n_rows;
}

static bool has_languages(const struct ep_report *r)
{
	return r->languages.n_rows;
}

static bool has_slow_rank(const struct ep_report *r)
{
	return r->slow_rank.rank;
}

static bool has_waits(const struct ep_report *r)
{
	return r->has_noted_waits;
}

static bool has_regions(const struct ep_report *r)
{
	return r->n_regions;
}

static bool has_phases(const struct ep_report *r)
{
	return r->n_phases;
}

/* The parts by enum ep_json_part, in the order in which they are printed. */
static const struct json_part {
	bool (*is_there)(const struct ep_report *r); /* NULL: the part is always there */
	struct json_object *(*make)(const struct ep_report *r);
	/* Prints a long array row by row: the whole array as a json_object would take much more memory than the
	 * report. */
	void (*put)(struct ep_json_stream *stream, const struct ep_report *r,
		const struct ep_view_options *options);
} makers[EP_JSON_DETAILS] = {
	[EP_JSON_RUN] = { .make = run_json },
	[EP_JSON_IN_SHORT] = { .make = in_short_json },
	[EP_JSON_EVENTS] = { .put = put_events },
	[EP_JSON_METRICS] = { .make = metrics_json },
	[EP_JSON_PROCEDURES] = { .put = put_procedures },
	[EP_JSON_LINES] = { .put = put_lines },
	[EP_JSON_LOOPS] = { .is_there = has_loops, .put = put_loops },
	[EP_JSON_MODULES] = { .put = put_modules },
	[EP_JSON_LANGUAGES] = { .is_there = has_languages, .put = put_languages },
	[EP_JSON_ACTIVITIES] = { .make = activities_json },
	[EP_JSON_CALLS] = { .put = put_calls },
	[EP_JSON_THREADS] = { .put = put_threads },
	[EP_JSON_PROCESSES] = { .put = put_processes },
	[EP_JSON_PROGRAMS] = { .make = ep_programs_json },
	[EP_JSON_SLOW_RANK] = { .is_there = has_slow_rank, .make = ep_slow_rank_json },
	[EP_JSON_WAITS] = { .is_there = has_waits, .make = ep_noted_waits_json },
	[EP_JSON_LOCKS] = { .is_there = has_waits, .make = ep_locks_json },
	[EP_JSON_THREAD_WAITS] = { .is_there = has_waits, .make = ep_thread_waits_json },
	[EP_JSON_REGIONS] = { .is_there = has_regions, .make = ep_regions_json },
	[EP_JSON_PHASES] = { .is_there = has_phases, .make = ep_phases_json },
	[EP_JSON_PARALLEL] = { .make = ep_parallel_json },
	[EP_JSON_TIMELINE] = { .make = timeline_json },
	[EP_JSON_FINDINGS] = { .make = findings_json },
	[EP_JSON_HIDDEN] = { .make = hidden_json },
};

static bool is_there(const struct ep_report *r, enum ep_json_part part)
{
	return part == EP_JSON_DETAILS || !makers[part].is_there || makers[part].is_there(r);
}

static void put_part(struct ep_json_stream *stream, const struct ep_report *r,
	const struct ep_view_options *options, enum ep_json_part part)
{
	if (makers[part].put)
		makers[part].put(stream, r, options);
	else
		ep_json_stream_put(stream, ep_json_part_names[part], makers[part].make(r));
}

/* Lists the parts that the report has and this output leaves out. */
static struct json_object *left_out_json(
	const struct ep_report *r, const struct ep_view_options *options)
{
	struct json_object *array = json_object_new_array();

	for (enum ep_json_part part = 0; part < EP_N_JSON_PARTS; part++)
		if (!ep_json_has(options, part) && is_there(r, part))
			json_object_array_add(array, ep_json_text(ep_json_part_names[part]));
	return array;
}

static int print_json(FILE *out, const struct ep_report *r, const struct ep_view_options *options)
{
	struct ep_json_stream stream = { .out = out,
		.is_brief = !ep_json_has(options, EP_JSON_DETAILS) };
	struct json_object *left_out = left_out_json(r, options);

	/* With 15 digits counts up to 10^15 stay exact, and 0.1 is printed as 0.1. */
	json_c_set_serialization_double_format("%.15g", JSON_C_OPTION_GLOBAL);
	ep_json_stream_put(&stream, "schema", ep_json_text(SCHEMA));
	for (enum ep_json_part part = 0; part < EP_JSON_DETAILS; part++)
		if (ep_json_has(options, part) && is_there(r, part))
			put_part(&stream, r, options, part);
	if (json_object_array_length(left_out))
		ep_json_stream_put(&stream, "left_out", json_object_get(left_out));
	json_object_put(left_out);
	return ep_json_stream_finish(&stream);
}

const struct ep_report_view ep_report_view_json = { "json", print_json };
