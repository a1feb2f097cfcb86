// SPDX-License-Identifier: BSD-3-Clause
/* Prints the comparison as JSON (docs/report-json.md). An unknown number is null, never 0. */
#include <errno.h>
#include <json.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/compare.h"
#include "reporter/compare/counts.h"
#include "reporter/compare/gate.h"
#include "reporter/text/json_text.h"

#define SCHEMA "evprof-compare-1"

static struct json_object *text_json(const char *text)
{
	return ep_json_text(text);
}

static struct json_object *run_json(const struct ep_report *r, uint32_t n_runs)
{
	struct json_object *run = json_object_new_object();

	json_object_object_add(run, "runs", json_object_new_uint64(n_runs));
	json_object_object_add(run, "trace", text_json(r->trace_path));
	json_object_object_add(run, "command", text_json(r->command));
	json_object_object_add(run, "hosts", text_json(r->hosts));
	json_object_object_add(run, "cpu", text_json(r->cpu));
	json_object_object_add(run, "started_ns", json_object_new_uint64(r->started_ns));
	ep_json_set_number(run, "duration_s", ep_shown_s(r));
	ep_json_set_number(run, "cpu_s", (double)r->cpu_ns / 1e9);
	ep_json_set_number(run, "busiest_thread_s", (double)r->busiest_ns / 1e9);
	ep_json_set_number(
		run, "waiting_s", r->waits.is_unknown ? NAN : (double)r->waits.all_ns / 1e9);
	ep_json_set_number(
		run, "ready_s", r->waits.has_unknown ? NAN : (double)r->waits.ready_ns / 1e9);
	ep_json_set_number(run, "locks_s", r->has_noted_waits ? (double)r->lock_ns / 1e9 : NAN);
	json_object_object_add(run, "samples", json_object_new_uint64(r->n_samples));
	json_object_object_add(run, "threads", json_object_new_uint64(r->n_threads));
	json_object_object_add(run, "ranks", json_object_new_uint64(r->n_ranks));
	return run;
}

static void put_change(
	struct json_object *object, double before_ns, double after_ns, double variance)
{
	ep_json_set_number(object, "before_s", before_ns / 1e9);
	ep_json_set_number(object, "after_s", after_ns / 1e9);
	ep_json_set_number(object, "change_s", (after_ns - before_ns) / 1e9);
	ep_json_set_number(object, "change_error_s", sqrt(variance) / 1e9);
}

static struct json_object *rows_json(const struct ep_compare_page *page)
{
	const struct ep_comparison *c = page->comparison;
	uint32_t n = page->top && page->top < c->n_rows ? page->top : c->n_rows;
	struct json_object *rows = json_object_new_array();

	for (uint32_t i = 0; i < n; i++) {
		const struct ep_compared_row *row = &c->rows[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "name", text_json(row->name));
		json_object_object_add(object, "was", text_json(row->was));
		json_object_object_add(object, "module", text_json(row->module_name));
		json_object_object_add(object, "file", text_json(row->file));
		json_object_object_add(
			object, "line", row->line ? json_object_new_int64(row->line) : NULL);
		json_object_object_add(object, "was_file", text_json(row->was_file));
		json_object_object_add(object, "was_line",
			row->was_line ? json_object_new_int64(row->was_line) : NULL);
		put_change(object, row->before_ns, row->after_ns, row->variance);
		json_object_object_add(
			object, "is_before", json_object_new_boolean(row->is_before));
		json_object_object_add(object, "is_after", json_object_new_boolean(row->is_after));
		ep_counts_put_json(page, i, object);
		json_object_array_add(rows, object);
	}
	return rows;
}

static struct json_object *activities_json(const struct ep_comparison *c)
{
	struct json_object *rows = json_object_new_array();

	for (uint32_t i = 0; i < EP_N_ACTIVITIES; i++) {
		const struct ep_compared_activity *a = &c->activities[i];
		struct json_object *object;

		if (a->before_ns == 0 && a->after_ns == 0)
			continue;
		object = json_object_new_object();
		json_object_object_add(
			object, "name", text_json(ep_activity_words[a->activity].name));
		put_change(object, a->before_ns, a->after_ns, a->variance);
		json_object_array_add(rows, object);
	}
	return rows;
}

static void put_event_of(
	struct json_object *object, const char *key, const struct ep_report *r, const char *name)
{
	for (uint32_t i = 0; i < r->n_events; i++)
		if (!strcmp(r->events[i].name, name))
			ep_json_set_number(
				object, key, ep_quantity_or(&r->events[i].total.count, NAN));
}

/* Lists the events that both runs have, with their totals. */
static struct json_object *events_json(const struct ep_comparison *c)
{
	struct json_object *rows = json_object_new_array();

	for (uint32_t i = 0; i < c->before->n_events; i++) {
		const char *name = c->before->events[i].name;
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "name", text_json(name));
		put_event_of(object, "before", c->before, name);
		put_event_of(object, "after", c->after, name);
		if (json_object_object_length(object) == 3)
			json_object_array_add(rows, object);
		else
			json_object_put(object);
	}
	return rows;
}

static struct json_object *texts_json(const char *const *texts, uint32_t n)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(array, text_json(texts[i]));
	return array;
}

int ep_compare_print_json(const struct ep_compare_page *page, FILE *out)
{
	const struct ep_comparison *c = page->comparison;
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "schema", text_json(SCHEMA));
	json_object_object_add(root, "selection", text_json(c->before->selection));
	json_object_object_add(root, "before", run_json(c->before, c->n_before));
	json_object_object_add(root, "after", run_json(c->after, c->n_after));
	json_object_object_add(root, "in_short", texts_json(c->in_short, c->n_in_short));
	if (page->gate)
		ep_gate_put_json(page->gate, c, page->counts, root);
	json_object_object_add(root, "rows", rows_json(page));
	json_object_object_add(root, "activities", activities_json(c));
	json_object_object_add(root, "events", events_json(c));
	json_object_object_add(root, "notes", texts_json(c->notes, c->n_notes));
	return ep_json_print(root, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE, out);
}
