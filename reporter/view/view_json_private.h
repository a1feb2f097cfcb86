/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds members to JSON objects. Unknown and infinite numbers, and a text of NULL, become null. */
#ifndef EVPROF_REPORTER_VIEW_VIEW_JSON_PRIVATE_H
#define EVPROF_REPORTER_VIEW_VIEW_JSON_PRIVATE_H

#include <json.h>
#include <math.h>

#include "reporter/text/json_text.h"
#include "reporter/view/view.h"

#define EP_JSON_PART(part) (UINT64_C(1) << (part))

/* The parts are the report's keys, in the order of printing, and the details that make most rows long. */
enum ep_json_part {
	EP_JSON_RUN,
	EP_JSON_IN_SHORT,
	EP_JSON_EVENTS,
	EP_JSON_METRICS,
	EP_JSON_PROCEDURES,
	EP_JSON_LINES,
	EP_JSON_LOOPS,
	EP_JSON_MODULES,
	EP_JSON_LANGUAGES,
	EP_JSON_ACTIVITIES,
	EP_JSON_CALLS,
	EP_JSON_THREADS,
	EP_JSON_PROCESSES,
	EP_JSON_PROGRAMS,
	EP_JSON_SLOW_RANK,
	EP_JSON_WAITS,
	EP_JSON_LOCKS,
	EP_JSON_THREAD_WAITS,
	EP_JSON_REGIONS,
	EP_JSON_PHASES,
	EP_JSON_PARALLEL,
	EP_JSON_TIMELINE,
	EP_JSON_FINDINGS,
	EP_JSON_HIDDEN,
	EP_JSON_DETAILS, /* not a key: members of rows that few users need */
	EP_N_JSON_PARTS,
};

extern const char *const ep_json_part_names[EP_N_JSON_PARTS];

static inline bool ep_json_has(const struct ep_view_options *options, enum ep_json_part part)
{
	return !options->parts || options->parts & EP_JSON_PART(part);
}

static inline void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, ep_json_text(text));
}

static inline void put_count(struct json_object *object, const char *key, uint64_t count)
{
	json_object_object_add(object, key, json_object_new_uint64(count));
}

static inline void put_number(struct json_object *object, const char *key, double number)
{
	json_object_object_add(
		object, key, isfinite(number) ? json_object_new_double(number) : NULL);
}

static inline void put_quantity(
	struct json_object *object, const char *key, const struct ep_quantity *quantity)
{
	put_number(object, key, ep_quantity_or(quantity, NAN));
}

static inline void put_waits(struct json_object *object, const struct ep_report_waits *waits)
{
	json_object_object_add(object, "waiting_ns",
		waits->is_unknown ? NULL : json_object_new_uint64(waits->all_ns));
	json_object_object_add(object, "ready_ns",
		waits->has_unknown ? NULL : json_object_new_uint64(waits->ready_ns));
}

static inline void put_flag(struct json_object *object, const char *key, bool flag)
{
	json_object_object_add(object, key, json_object_new_boolean(flag));
}

static inline void put_line_number(struct json_object *object, const char *key, uint32_t line)
{
	json_object_object_add(object, key, line ? json_object_new_int64(line) : NULL);
}

static inline struct json_object *value_json(const struct ep_report_value *value)
{
	struct json_object *object = json_object_new_object();

	put_number(object, "value", ep_quantity_or(&value->count, NAN));
	put_flag(object, "estimate", value->is_estimate);
	put_number(object, "measured_share", value->measured_share);
	put_number(object, "error", ep_quantity_error(&value->count));
	put_flag(object, "mixed", value->is_mixed);
	if (value->is_mixed) {
		put_number(object, "low", value->low);
		put_number(object, "high", value->high);
	}
	if (value->has_ticks)
		put_count(object, "n_ticks", value->n_ticks);
	return object;
}

static inline struct json_object *values_json(
	const struct ep_report *report, const struct ep_report_value *values)
{
	struct json_object *object = json_object_new_object();

	for (uint32_t e = 0; e < report->n_events; e++)
		json_object_object_add(object, report->events[e].name, value_json(&values[e]));
	return object;
}

static inline struct json_object *numbers_json(const double *numbers, uint32_t n)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(array, json_object_new_double(numbers[i]));
	return array;
}

/* The following two functions return an object for one row, which the caller owns. */
/* ep_thread_json leaves out the thread's events, and how busy it was over time. */
struct json_object *ep_thread_json(const struct ep_report_thread *row);
struct json_object *ep_process_json(const struct ep_report_process *row);

/* Returns arrays with an object for each row (view_json_waits.c). */
struct json_object *ep_noted_waits_json(const struct ep_report *r);
struct json_object *ep_locks_json(const struct ep_report *r);
struct json_object *ep_thread_waits_json(const struct ep_report *r);

/* Returns arrays with an object for each row (view_json_marks.c). */
struct json_object *ep_regions_json(const struct ep_report *r);
struct json_object *ep_phases_json(const struct ep_report *r);
/* Returns the numbers of running threads, with serial parts; NULL: they are not known (view_json_marks.c). */
struct json_object *ep_parallel_json(const struct ep_report *r);

/* Returns an array with an object for each program. */
struct json_object *ep_programs_json(const struct ep_report *r);
/* Returns the slow rank; the report must have one. */
struct json_object *ep_slow_rank_json(const struct ep_report *r);

#endif
