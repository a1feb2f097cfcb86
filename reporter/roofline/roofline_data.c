// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <json-c/json.h>
#include <math.h>

#include "reporter/roofline/roofline_view.h"
#include "reporter/roofline/roofline_words.h"
#include "reporter/text/json_text.h"

static const char *const traffic_names[] = { "none", "memory", "misses" };
static const char *const precision_names[] = { "double", "single" };

static void put_quantity(json_object *object, const char *key, const char *error_key,
	const struct ep_quantity *quantity)
{
	bool is_known = ep_quantity_is_known(quantity);

	ep_json_set_number(object, key, is_known ? quantity->value : NAN);
	ep_json_set_number(object, error_key, ep_quantity_error(quantity));
}

static json_object *point_json(
	const struct ep_roofline *roofline, const struct ep_roofline_point *point)
{
	json_object *object = json_object_new_object();
	char text[700];

	ep_json_set_text(object, "kind", ep_roofline_kind_name(point->kind));
	ep_json_set_text(object, "name", point->name);
	ep_json_set_number(object, "seconds", point->seconds);
	ep_json_set_number(object, "cpus", point->n_cpus);
	put_quantity(object, "flop", "flop_error", &point->flop);
	put_quantity(object, "flop_per_s", "flop_per_s_error", &point->rate);
	ep_json_set_text(object, "traffic", traffic_names[point->traffic]);
	put_quantity(object, "flop_per_byte", "flop_per_byte_error", &point->intensity);
	ep_json_set_number(object, "flop_per_access", point->per_access);
	ep_json_set_number(object, "scalar_share", point->scalar_share);
	ep_json_set_text(object, "precision", precision_names[point->precision]);
	ep_json_set_text(object, "bound",
		point->bound == EP_BOUND_UNKNOWN ? NULL : ep_roofline_bound_name(point->bound));
	json_object_object_add(
		object, "is_bound_sure", json_object_new_boolean(point->is_bound_sure));
	put_quantity(object, "roof_flop_per_s", "roof_flop_per_s_error", &point->ceiling);
	put_quantity(object, "scalar_roof_flop_per_s", "scalar_roof_flop_per_s_error",
		&point->scalar_ceiling);
	put_quantity(object, "reached", "reached_error", &point->reached);
	ep_roofline_say_point(roofline, point, true, text, sizeof(text)); /* JSON is UTF-8 */
	ep_json_set_text(object, "sentence", text);
	return object;
}

static json_object *roof_json(const struct ep_machine_roof *roof)
{
	json_object *object = json_object_new_object();

	ep_json_set_text(object, "name", roof->name);
	ep_json_set_text(object, "kind", roof->is_bandwidth ? "bandwidth" : "peak");
	ep_json_set_text(object, "unit", roof->is_bandwidth ? "byte/s" : "FLOP/s");
	ep_json_set_number(object, "one", roof->one > 0 ? roof->one : NAN);
	ep_json_set_number(object, "one_spread", roof->one > 0 ? roof->one_spread : NAN);
	ep_json_set_number(object, "all", roof->all > 0 ? roof->all : NAN);
	ep_json_set_number(object, "all_spread", roof->all > 0 ? roof->all_spread : NAN);
	return object;
}

static json_object *roofs_json(const struct ep_machine_roofs *roofs)
{
	json_object *object = json_object_new_object(), *array = json_object_new_array();

	ep_json_set_text(object, "file", roofs->path);
	ep_json_set_text(object, "source", roofs->source);
	ep_json_set_text(object, "date", roofs->date);
	ep_json_set_number(object, "cpus", roofs->n_cpus);
	for (uint32_t i = 0; i < roofs->n_roofs; i++)
		json_object_array_add(array, roof_json(&roofs->roofs[i]));
	json_object_object_add(object, "list", array);
	return object;
}

int ep_roofline_print_json(const struct ep_roofline *roofline, const char *trace_path, FILE *out)
{
	json_object *root = json_object_new_object(), *points = json_object_new_array();
	json_object *notes = json_object_new_array();
	char note[500];

	ep_json_set_text(root, "trace", trace_path);
	json_object_object_add(
		root, "is_simulated", json_object_new_boolean(roofline->is_simulated));
	ep_json_set_text(root, "time_trace", roofline->time_source);
	ep_json_set_number(root, "unread_share", roofline->unread_share);
	json_object_object_add(
		root, "roofs", roofline->roofs.n_roofs ? roofs_json(&roofline->roofs) : NULL);
	for (uint32_t i = 0; i < roofline->n_points; i++)
		json_object_array_add(points, point_json(roofline, &roofline->points[i]));
	json_object_object_add(root, "points", points);
	for (uint32_t i = 0; ep_roofline_say_note(roofline, i, note, sizeof(note)); i++)
		json_object_array_add(notes, ep_json_text(note));
	json_object_object_add(root, "notes", notes);
	return ep_json_print(root, 0, out);
}

/* ---- CSV ---- */

static void put_cell(FILE *out, double number)
{
	fputc(',', out);
	if (isfinite(number))
		fprintf(out, "%.6g", number);
}

static void put_pair(FILE *out, const struct ep_quantity *quantity)
{
	put_cell(out, ep_quantity_is_known(quantity) ? quantity->value : NAN);
	put_cell(out, ep_quantity_error(quantity));
}

static void put_quoted(FILE *out, const char *text)
{
	fputs(",\"", out);
	for (; *text; text++)
		fputs(*text == '"' ? "\"\"" : (char[]){ *text, '\0' }, out);
	fputc('"', out);
}

void ep_roofline_print_csv(const struct ep_roofline *roofline, FILE *out)
{
	fputs("kind,name,seconds,cpus,flop,flop_error,flop_per_s,flop_per_s_error,traffic,flop_per_byte,flop_per_byte_error,flop_per_access,scalar_share,precision,bound,is_bound_sure,roof_flop_per_s,roof_flop_per_s_error,reached,reached_error\n",
		out);
	for (uint32_t i = 0; i < roofline->n_points; i++) {
		const struct ep_roofline_point *point = &roofline->points[i];

		fputs(ep_roofline_kind_name(point->kind), out);
		put_quoted(out, point->name);
		put_cell(out, point->seconds);
		put_cell(out, point->n_cpus);
		put_pair(out, &point->flop);
		put_pair(out, &point->rate);
		fprintf(out, ",%s", traffic_names[point->traffic]);
		put_pair(out, &point->intensity);
		put_cell(out, point->per_access);
		put_cell(out, point->scalar_share);
		fprintf(out, ",%s,%s", precision_names[point->precision],
			point->bound == EP_BOUND_UNKNOWN ? ""
							 : ep_roofline_bound_name(point->bound));
		fputs(point->is_bound_sure ? ",true" : ",false", out);
		put_pair(out, &point->ceiling);
		put_pair(out, &point->reached);
		fputc('\n', out);
	}
}
