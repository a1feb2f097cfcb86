// SPDX-License-Identifier: BSD-3-Clause
/* Prints the regions, phases and serial parts of a report as JSON. */
#include <math.h>

#include "reporter/view/view_json_private.h"

static struct json_object *region_json(const struct ep_report_region *row)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", row->name);
	put_count(object, "depth", row->depth);
	put_count(object, "n_entries", row->n_entries);
	put_number(object, "wall_s", row->wall_s);
	put_count(object, "self_ns", row->self_ns);
	put_count(object, "total_ns", row->total_ns);
	put_number(object, "self_share", row->self_share);
	put_number(object, "total_share", row->total_share);
	put_number(object, "self_error", row->self_error);
	put_number(object, "total_error", row->total_error);
	put_number(object, "waiting_s", row->waiting_s);
	put_number(object, "waiting_error_s", row->waiting_error_s);
	put_flag(object, "is_estimate", row->is_estimate);
	return object;
}

struct json_object *ep_regions_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_regions; i++)
		json_object_array_add(array, region_json(&r->regions[i]));
	return array;
}

static struct json_object *phase_json(const struct ep_report_phase *row, uint32_t number)
{
	struct json_object *object = json_object_new_object();
	char kind[EP_PHASE_KIND_BYTES];

	ep_phase_kind_name(row->kind, kind);
	put_count(object, "phase", number);
	put_text(object, "kind", kind);
	put_number(object, "from_s", row->from_s);
	put_number(object, "to_s", row->to_s);
	put_text(object, "procedure", row->procedure);
	put_number(object, "self_share", row->procedure ? row->share : NAN);
	return object;
}

struct json_object *ep_phases_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_phases; i++)
		json_object_array_add(array, phase_json(&r->phases[i], i + 1));
	return array;
}

static struct json_object *serial_parts_json(const struct ep_report_parallel *parallel)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < parallel->n_serial_parts; i++) {
		const struct ep_report_serial_part *part = &parallel->serial_parts[i];
		struct json_object *object = json_object_new_object();

		put_number(object, "from_s", part->from_s);
		put_number(object, "to_s", part->to_s);
		put_number(object, "alone_s", part->alone_s);
		put_number(object, "share", part->share);
		put_text(object, "calls", part->calls);
		put_number(object, "calls_share", part->calls_share);
		put_number(object, "calls_error", part->calls_error);
		json_object_array_add(array, object);
	}
	return array;
}

struct json_object *ep_parallel_json(const struct ep_report *r)
{
	const struct ep_report_parallel *parallel = &r->parallel;
	struct json_object *object;

	if (parallel->busy_s <= 0)
		return NULL;
	object = json_object_new_object();
	put_number(object, "busy_s", parallel->busy_s);
	put_number(object, "alone_share", parallel->alone_share);
	put_number(object, "mean_threads", parallel->mean);
	json_object_object_add(
		object, "times_s", numbers_json(parallel->times_s, parallel->n_most));
	json_object_object_add(object, "serial_parts", serial_parts_json(parallel));
	return object;
}
