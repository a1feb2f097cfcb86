// SPDX-License-Identifier: BSD-3-Clause
/* Prints the counts of places on both sides, as text and as JSON (docs/report-json.md). */
#include <json.h>
#include <math.h>
#include <string.h>

#include "reporter/compare/counts.h"
#include "reporter/text/json_text.h"
#include "reporter/text/layout.h"
#include "reporter/text/signs.h"

/* ---- text ---- */

#define NUMBER_COLUMNS 11
#define BAR_COLUMNS 10
#define PERCENT_COLUMNS 10
#define MOST_PLACES 5
#define EXACTLY_SHOWN 100000 /* from this value on, counts are shown with three digits */

struct counts_table {
	const struct ep_layout *layout;
	const struct ep_compare_page *page;
	bool has_sides, has_bar, has_percent; /* the page is wide enough for these columns */
};

void ep_compared_number_format(char *out, const struct ep_compared_value *value, double number)
{
	if (value->is_share)
		snprintf(out, EP_NUMBER_BYTES, "%.1f %%", 100 * number);
	else if (value->model && fabs(number) < 1000)
		snprintf(out, EP_NUMBER_BYTES, number == 0 ? "0" : "%#.3g", number);
	else if (number < EXACTLY_SHOWN)
		ep_format_count(out, (uint64_t)fmax(round(number), 0));
	else
		ep_format_rate(out, number);
}

void ep_compared_value_describe(const struct ep_compared_value *value, char *out, size_t size)
{
	if (value->is_share && value->base)
		snprintf(out, size, "%s, of %s", value->name, value->base);
	else if (value->unit)
		snprintf(out, size, "%s, %s", value->name, value->unit);
	else
		snprintf(out, size, "%s", value->name);
}

static void put_side(const struct counts_table *t, const struct ep_compared_value *value,
	const struct ep_quantity *side)
{
	char text[EP_NUMBER_BYTES] = "-";

	if (value->is_mixed)
		snprintf(text, sizeof(text), "mixed");
	else if (ep_quantity_is_known(side))
		ep_compared_number_format(text, value, side->value);
	ep_put_right(t->layout, text, NUMBER_COLUMNS);
}

static void put_signed(
	const struct counts_table *t, const char *number, double change, uint32_t columns)
{
	char text[EP_NUMBER_BYTES + 8];
	const char *minus = ep_sign_minus(t->layout->utf8);

	snprintf(text, sizeof(text), "%s%s", change < 0 ? minus : change > 0 ? "+" : "", number);
	ep_put_right(t->layout, text, columns);
}

static void put_change(const struct counts_table *t, const struct ep_compared_value *value)
{
	double change = ep_compared_value_change(value);
	char number[EP_NUMBER_BYTES];

	if (!ep_compared_value_is_known(value)) {
		fprintf(t->layout->out, "%*s", NUMBER_COLUMNS, "");
		return;
	}
	ep_compared_number_format(number, value, fabs(change));
	put_signed(t, number, change, NUMBER_COLUMNS);
}

static void put_bar(const struct counts_table *t, const struct ep_compared_value *value)
{
	double margin = ep_compare_margin(value->change_error * value->change_error);
	char number[EP_NUMBER_BYTES] = "?", text[EP_NUMBER_BYTES + 8];

	if (!isnan(margin))
		ep_compared_number_format(number, value, margin);
	snprintf(text, sizeof(text), "%s%s", ep_sign_plus_minus(t->layout->utf8), number);
	ep_put_right(t->layout,
		ep_compared_value_is_known(value) && value->change_error != 0 ? text : "",
		BAR_COLUMNS);
}

/* Puts the relative change. A share gets none: its change is shown in percentage points, and a second
 * percentage would confuse. */
static void put_percent(const struct counts_table *t, const struct ep_compared_value *value)
{
	double ratio = value->before.value > 0 ? value->after.value / value->before.value : NAN;
	char number[EP_NUMBER_BYTES] = "";

	if (ep_compared_value_is_known(value) && !value->is_share && isfinite(ratio)) {
		if (ratio < 10)
			snprintf(number, sizeof(number), "%.1f %%", 100 * fabs(ratio - 1));
		else
			ep_compare_format_times(number, sizeof(number), ratio);
	}
	fputc(' ', t->layout->out); /* keeps a number wider than its column apart */
	put_signed(t, number, *number && ratio < 10 ? ratio - 1 : 0, PERCENT_COLUMNS - 1);
}

static void put_value(const struct counts_table *t, const struct ep_compared_value *value)
{
	uint32_t taken = (t->has_sides ? 3u : 1u) * NUMBER_COLUMNS +
			 (t->has_bar ? BAR_COLUMNS : 0) + (t->has_percent ? PERCENT_COLUMNS : 0) +
			 5;
	bool may_be_chance = ep_compared_value_is_known(value) && !value->is_sure &&
			     ep_compared_value_change(value) != 0;
	char what[512], name[600];

	if (t->has_sides) {
		put_side(t, value, &value->before);
		put_side(t, value, &value->after);
	}
	put_change(t, value);
	if (t->has_bar)
		put_bar(t, value);
	if (t->has_percent)
		put_percent(t, value);
	ep_compared_value_describe(value, what, sizeof(what));
	snprintf(name, sizeof(name), "%s%s", what, may_be_chance ? " (may be chance)" : "");
	fputs("     ", t->layout->out);
	ep_put_cells(t->layout,
		(struct ep_cell[]){
			{ name, t->layout->width > taken + 8 ? t->layout->width - taken : 8 } },
		1);
}

static void put_title(const struct counts_table *t, const struct ep_compared_row *row)
{
	char name[512], text[1024], change[EP_NUMBER_BYTES], place[256] = "";

	ep_shorten_name(t->layout, row->name, 60, name, sizeof(name));
	ep_format_seconds(change, fabs(ep_compared_change(row)) / 1e9);
	if (row->file)
		snprintf(place, sizeof(place), "%.200s:%u ", row->file, row->line);
	if (ep_compared_change(row) == 0)
		snprintf(text, sizeof(text), "%s%s, the same time", place, name);
	else
		snprintf(text, sizeof(text), "%s%s, %s %s", place, name, change,
			ep_compared_change(row) > 0 ? "more" : "less");
	fputs("  ", t->layout->out);
	ep_put_wrapped(t->layout, text, 4);
}

/* Tells whether a value gets a line: it is mixed, or it is known and not 0 on both sides. */
static bool is_told(const struct ep_compared_value *value)
{
	return value->is_mixed || (ep_compared_value_is_known(value) &&
					  (value->before.value != 0 || value->after.value != 0));
}

static bool is_all_mixed(const struct ep_place_counts *place, uint32_t n_values)
{
	for (uint32_t v = 0; v < n_values; v++)
		if (is_told(&place->values[v]) && !place->values[v].is_mixed)
			return false;
	return true;
}

static void put_mixed(const struct counts_table *t)
{
	fputs("    ", t->layout->out);
	ep_put_wrapped(t->layout,
		"all its counts are mixed with those of procedures that ran in the same slices, so nothing can be concluded from them",
		4);
}

static void put_place(const struct counts_table *t, uint32_t row_idx)
{
	const struct ep_compared_counts *counts = t->page->counts;
	const struct ep_place_counts *place = &counts->places[row_idx];

	put_title(t, &t->page->comparison->rows[row_idx]);
	if (!t->page->all_counts)
		for (uint32_t i = 0; i < place->n_explaining; i++)
			put_value(t, &place->values[place->explaining[i]]);
	else if (is_all_mixed(place, counts->n_values))
		put_mixed(t);
	else
		for (uint32_t v = 0; v < counts->n_values; v++)
			if (is_told(&place->values[v]))
				put_value(t, &place->values[v]);
}

/* Reasons why no count explains the change of a place. */
enum unexplained {
	UNEXPLAINED_NOT, /* a count explains the change, or the command did not ask for a reason */
	UNEXPLAINED_MIXED,
	UNEXPLAINED_UNMEASURED,
	UNEXPLAINED_ROUGH,
	UNEXPLAINED_ALIKE,
	UNEXPLAINED_OTHER,
	N_UNEXPLAINED,
};

static const char *const unexplained_words[N_UNEXPLAINED] = {
	[UNEXPLAINED_MIXED] =
		"Their counts are mixed with those of procedures that ran in the same slices, so nothing can be concluded from them:",
	[UNEXPLAINED_UNMEASURED] = "No event was measured in both runs in",
	[UNEXPLAINED_ROUGH] =
		"The errors of the counts are not known, so no difference is certain in",
	[UNEXPLAINED_ALIKE] = "Nothing that was counted surely differs in",
	[UNEXPLAINED_OTHER] = "Certain differences do not explain the time (--all shows them) in",
};

/* Tells why no value surely differs: no count may be known, or none may have a known error. */
static enum unexplained unsure_of(const struct ep_place_counts *place, uint32_t n_values)
{
	enum unexplained why = UNEXPLAINED_UNMEASURED;

	for (uint32_t v = 0; v < n_values; v++) {
		if (!ep_compared_value_is_known(&place->values[v]))
			continue;
		if (!isnan(place->values[v].change_error))
			return UNEXPLAINED_ALIKE;
		why = UNEXPLAINED_ROUGH;
	}
	return why;
}

static enum unexplained unexplained_of(const struct ep_compared_counts *counts, uint32_t row_idx)
{
	const struct ep_place_counts *place = &counts->places[row_idx];

	if (!place->values || !place->is_asked || place->n_explaining)
		return UNEXPLAINED_NOT;
	return place->n_mixed  ? UNEXPLAINED_MIXED
	       : place->n_sure ? UNEXPLAINED_OTHER
			       : unsure_of(place, counts->n_values);
}

/* Prints a remark with the first few places whose change is unexplained for the reason why. */
static void put_unexplained(const struct counts_table *t, enum unexplained why)
{
	const struct ep_compared_counts *counts = t->page->counts;
	char text[1024], name[200];
	uint32_t n = 0;

	snprintf(text, sizeof(text), "%s", unexplained_words[why]);
	for (uint32_t i = 0; i < counts->n_rows; i++) {
		if (unexplained_of(counts, i) != why || n++ >= MOST_PLACES)
			continue;
		ep_shorten_name(
			t->layout, t->page->comparison->rows[i].name, 60, name, sizeof(name));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s",
			n > 1 ? "," : "", name);
	}
	if (n > MOST_PLACES)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " and %u more",
			n - MOST_PLACES);
	if (n)
		ep_put_remark(t->layout, text);
}

static void put_titles(const struct counts_table *t)
{
	if (t->has_sides)
		fprintf(t->layout->out, "%*s%*s", NUMBER_COLUMNS, "before", NUMBER_COLUMNS,
			"after");
	fprintf(t->layout->out, "%*s\n", NUMBER_COLUMNS, "change");
}

static bool is_place_shown(const struct ep_compare_page *page, uint32_t row_idx)
{
	const struct ep_place_counts *place = &page->counts->places[row_idx];

	if (!place->values || !page->all_counts)
		return place->values && place->n_explaining;
	for (uint32_t v = 0; v < page->counts->n_values; v++)
		if (is_told(&place->values[v]))
			return true;
	return false;
}

static void put_heading(const struct counts_table *t)
{
	ep_put_heading(t->layout, t->page->all_counts ? "What was counted" : "What explains it",
		t->page->all_counts
			? "in each of these places itself"
			: "counts of these places themselves whose difference is certain");
}

static uint32_t put_places(const struct counts_table *t)
{
	const struct ep_compare_page *page = t->page;
	uint32_t most = page->top && !page->all_counts ? MOST_PLACES : UINT32_MAX, n = 0;
	char text[96];

	for (uint32_t i = 0; i < page->counts->n_rows; i++) {
		if (!is_place_shown(page, i) || n++ >= most)
			continue;
		if (n == 1) {
			put_heading(t);
			put_titles(t);
		}
		put_place(t, i);
	}
	if (n > most) {
		snprintf(text, sizeof(text), "%u more places: --top 0 shows all", n - most);
		ep_put_remark(t->layout, text);
	}
	return n;
}

void ep_counts_print_text(const struct ep_compare_page *page, const struct ep_layout *layout)
{
	const struct counts_table t = { layout, page, layout->width >= 60, layout->width >= 86,
		layout->width >= 72 };
	uint32_t n_asked = 0;

	if (!page->counts)
		return;
	for (uint32_t i = 0; i < page->counts->n_rows; i++)
		n_asked += unexplained_of(page->counts, i) != UNEXPLAINED_NOT;
	if (!put_places(&t)) {
		if (!n_asked || !page->counts->has_hardware)
			return;
		put_heading(&t);
	}
	for (int why = UNEXPLAINED_NOT + 1; why < N_UNEXPLAINED; why++)
		if (page->counts->has_hardware)
			put_unexplained(&t, (enum unexplained)why);
}

/* ---- JSON ---- */

static struct json_object *value_json(const struct ep_compared_value *value)
{
	struct json_object *object = json_object_new_object();
	bool is_known = ep_compared_value_is_known(value);

	json_object_object_add(object, "name", ep_json_text(value->name));
	json_object_object_add(object, "model", ep_json_text(value->model));
	json_object_object_add(object, "base", ep_json_text(value->base));
	json_object_object_add(object, "unit", ep_json_text(value->unit));
	ep_json_set_number(object, "before", ep_quantity_or(&value->before, NAN));
	ep_json_set_number(object, "before_error", ep_quantity_error(&value->before));
	ep_json_set_number(object, "after", ep_quantity_or(&value->after, NAN));
	ep_json_set_number(object, "after_error", ep_quantity_error(&value->after));
	ep_json_set_number(object, "change", is_known ? ep_compared_value_change(value) : NAN);
	ep_json_set_number(object, "change_error", value->change_error);
	json_object_object_add(object, "mixed", json_object_new_boolean(value->is_mixed));
	json_object_object_add(object, "differs",
		is_known && !isnan(value->change_error) ? json_object_new_boolean(value->is_sure)
							: NULL);
	return object;
}

struct json_object *ep_counts_explaining_json(
	const struct ep_compared_counts *counts, uint32_t row_idx)
{
	const struct ep_place_counts *place = counts ? &counts->places[row_idx] : NULL;
	struct json_object *array;

	if (!place || !place->values)
		return NULL;
	array = json_object_new_array();
	for (uint32_t i = 0; i < place->n_explaining; i++)
		json_object_array_add(array, value_json(&place->values[place->explaining[i]]));
	return array;
}

void ep_counts_put_json(
	const struct ep_compare_page *page, uint32_t row_idx, struct json_object *object)
{
	const struct ep_compared_counts *counts = page->counts;
	struct json_object *events, *metrics;

	json_object_object_add(object, "explained_by", ep_counts_explaining_json(counts, row_idx));
	if (!page->all_counts || !counts || !counts->places[row_idx].values)
		return;
	events = json_object_new_array();
	metrics = json_object_new_array();
	for (uint32_t v = 0; v < counts->n_values; v++)
		json_object_array_add(v < counts->n_events ? events : metrics,
			value_json(&counts->places[row_idx].values[v]));
	json_object_object_add(object, "events", events);
	json_object_object_add(object, "metrics", metrics);
}
