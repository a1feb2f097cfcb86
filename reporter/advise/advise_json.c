// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <json-c/json.h>

#include "reporter/advise/advise_view.h"
#include "reporter/advise/bars.h"
#include "reporter/text/json_text.h"

static json_object *lcpi_json(const char *name, const struct ep_lcpi *lcpi, double threshold)
{
	json_object *object = json_object_new_object();

	ep_json_set_text(object, "name", name);
	if (lcpi->absence) {
		json_object_object_add(object, "cycles_per_instruction", NULL);
		if (lcpi->broken)
			ep_json_set_text(object, "broken_rule", lcpi->broken->name);
		else
			ep_json_set_text(object,
				lcpi->absence == EP_ABSENT_MIXED ? "mixed" : "missing",
				lcpi->subject);
		return object;
	}
	ep_json_set_number(object, "cycles_per_instruction", lcpi->value);
	json_object_object_add(object, "standard_error",
		lcpi->error >= 0 ? json_object_new_double(lcpi->error) : NULL);
	ep_json_set_text(object, "range", ep_bar_range(lcpi->value, threshold));
	return object;
}

static json_object *remedy_json(const struct ep_remedy *remedy)
{
	json_object *object = json_object_new_object();

	ep_json_set_text(object, "id", remedy->id);
	ep_json_set_text(object, "category", remedy->category);
	ep_json_set_text(object, "remedy", remedy->text);
	ep_json_set_text(object, "when", remedy->when);
	ep_json_set_text(object, "before", remedy->before);
	ep_json_set_text(object, "after", remedy->after);
	ep_json_set_text(object, "gcc_flags", remedy->gcc_flags);
	ep_json_set_text(object, "clang_flags", remedy->clang_flags);
	return object;
}

static json_object *remedies_json(const struct ep_advise_page *page, const struct ep_assessment *a)
{
	json_object *array = json_object_new_array();
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	uint32_t n = 0;

	struct ep_advice_case of = ep_assessment_case(a, page->report);

	if (!a->is_mixed && !ep_assessment_is_fine(a, page->assessments->threshold))
		n = ep_advice_choose(page->advice, &of, page->n_remedies, remedies);
	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(array, remedy_json(remedies[i]));
	return array;
}

static json_object *loss_json(const struct ep_loss_path *path)
{
	json_object *object = json_object_new_object();

	ep_json_set_text(object, "metric", path->levels[path->n_levels - 1]->name);
	ep_json_set_text(object, "base", path->levels[0]->base);
	ep_json_set_number(object, "share", path->share);
	ep_json_set_number(object, "bar", path->bar);
	return object;
}

static json_object *procedure_json(const struct ep_advise_page *page, const struct ep_assessment *a)
{
	json_object *object = json_object_new_object(), *categories = json_object_new_array();
	double threshold = page->assessments->threshold;

	ep_json_set_text(object, "name", a->row->name);
	ep_json_set_text(object, "module", a->row->module);
	ep_json_set_text(object, "file", a->row->hot_file);
	if (a->row->hot_file)
		json_object_object_add(object, "line", json_object_new_int64(a->row->hot_line));
	ep_json_set_number(object, "self_share", a->row->self_share);
	json_object_object_add(object, "mixed", json_object_new_boolean(a->is_mixed));
	if (a->access != EP_ACCESS_UNKNOWN)
		ep_json_set_text(object, "access", ep_access_name(a->access));
	if (a->loss.n_levels)
		json_object_object_add(object, "loss", loss_json(&a->loss));
	json_object_object_add(object, "overall", lcpi_json("overall", &a->overall, threshold));
	for (int i = 0; i < EP_N_CATEGORIES; i++)
		json_object_array_add(categories, lcpi_json(ep_category_name((enum ep_category)i),
							  &a->categories[i], threshold));
	json_object_object_add(object, "categories", categories);
	json_object_object_add(object, "remedies", remedies_json(page, a));
	return object;
}

static json_object *one_json(const struct ep_advise_page *page)
{
	json_object *root = json_object_new_object();

	ep_json_set_text(root, "trace", page->report->trace_path);
	ep_json_set_text(root, "selection", page->report->selection);
	ep_json_set_text(root, "model", ep_model_file(page->assessments->models.models[0])->title);
	ep_json_set_number(root, "good_cycles_per_instruction", page->assessments->threshold);
	return root;
}

static json_object *bar_json(const char *name, const struct ep_lcpi *first, double first_threshold,
	const struct ep_lcpi *second, double second_threshold)
{
	json_object *object = json_object_new_object();
	char bar[EP_BAR_CELLS + 1];
	bool is_known = !first->absence && !second->absence;

	if (is_known)
		ep_bar_draw_two(ep_bar_cells(first->value, first_threshold),
			ep_bar_cells(second->value, second_threshold), bar);
	ep_json_set_text(object, "name", name);
	ep_json_set_text(object, "bar", is_known ? bar : NULL);
	return object;
}

static json_object *bars_json(
	const struct ep_advise_page *page, const struct ep_assessment *const of[2])
{
	json_object *array = json_object_new_array();
	double first = page->assessments->threshold, second = page->second->assessments->threshold;

	json_object_array_add(
		array, bar_json("overall", &of[0]->overall, first, &of[1]->overall, second));
	for (int c = 0; c < EP_N_CATEGORIES; c++)
		json_object_array_add(array,
			bar_json(ep_category_name((enum ep_category)c), &of[0]->categories[c],
				first, &of[1]->categories[c], second));
	return array;
}

static json_object *section_json(
	const struct ep_advise_page *page, const struct ep_assessment *const of[2])
{
	json_object *object = json_object_new_object();
	bool is_pair = of[0] && of[1] && !of[0]->is_mixed && !of[1]->is_mixed;

	ep_json_set_text(object, "name", (of[0] ? of[0] : of[1])->row->name);
	json_object_object_add(object, "first", of[0] ? procedure_json(page, of[0]) : NULL);
	json_object_object_add(
		object, "second", of[1] ? procedure_json(page->second, of[1]) : NULL);
	json_object_object_add(object, "bars", is_pair ? bars_json(page, of) : NULL);
	return object;
}

static json_object *two_json(const struct ep_advise_page *page)
{
	json_object *root = json_object_new_object(), *runs = json_object_new_array();
	json_object *sections = json_object_new_array();

	json_object_array_add(runs, one_json(page));
	json_object_array_add(runs, one_json(page->second));
	for (uint32_t i = 0; i < page->sections->n_rows; i++)
		json_object_array_add(sections, section_json(page, page->sections->rows[i].of));
	json_object_object_add(root, "runs", runs);
	json_object_object_add(root, "sections", sections);
	return root;
}

int ep_advise_print_json(const struct ep_advise_page *page, FILE *out)
{
	json_object *root = page->second ? two_json(page) : one_json(page);
	json_object *procedures = page->second ? NULL : json_object_new_array();

	for (uint32_t i = 0; procedures && i < page->assessments->n_items; i++)
		json_object_array_add(
			procedures, procedure_json(page, &page->assessments->items[i]));
	if (procedures)
		json_object_object_add(root, "procedures", procedures);
	return ep_json_print(root, JSON_C_TO_STRING_NOSLASHESCAPE, out);
}
