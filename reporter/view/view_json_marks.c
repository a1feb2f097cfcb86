// SPDX-License-Identifier: BSD-3-Clause
/* Regions and phases in the report for programs. */
#include <math.h>

#include "reporter/view/view_json_private.h"

static struct json_object *region_json(const struct ep_report_region *row)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", row->name);
	put_count(object, "depth", row->depth);
	put_number(object, "n_entries", row->has_sums ? (double)row->n_entries : NAN);
	put_number(object, "wall_s", row->has_sums ? row->wall_s : NAN);
	put_count(object, "self_ns", row->self_ns);
	put_count(object, "total_ns", row->total_ns);
	put_number(object, "self_share", row->self_share);
	put_number(object, "total_share", row->total_share);
	put_number(object, "self_error", row->self_error);
	put_number(object, "total_error", row->total_error);
	return object;
}

struct json_object *ep_regions_json(const struct ep_report *r)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < r->n_regions; i++)
		json_object_array_add(array, region_json(&r->regions[i]));
	return array;
}
