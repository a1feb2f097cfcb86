// SPDX-License-Identifier: BSD-3-Clause
/* Prints the gate's verdict, as text and as JSON (docs/report-json.md). */
#include <json.h>
#include <math.h>

#include "reporter/compare/counts.h"
#include "reporter/compare/gate.h"
#include "reporter/text/json_text.h"
#include "reporter/text/layout.h"
#include "reporter/text/signs.h"

/* ---- text ---- */

#define CHANGE_COLUMNS 11
#define ERROR_COLUMNS 11
#define FINDS_COLUMNS 9
#define SHARE_COLUMNS 9
#define STATE_COLUMNS 9
#define ROWS_SHOWN 10
#define SMALL_SHARE 0.1 /* share of the CPU time; parts below it are not worth longer runs */

static const char *const verdicts[] = {
	[EP_GATE_PASSED] = "passed",
	[EP_GATE_UNDECIDED] = "undecided",
	[EP_GATE_FAILED] = "failed",
};

static void put_percent(
	const struct ep_layout *layout, const char *sign, double ratio, uint32_t columns)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%.1f %%", sign, 100 * fabs(ratio));
	ep_put_right(layout, text, columns);
}

static const char *state_of(const struct ep_gate_item *item)
{
	return item->has_failed ? "FAILED" : item->is_sure ? "within" : "";
}

/* The columns that the page is wide enough for. */
struct shown {
	bool has_finds, has_share, has_error;
	uint32_t name_columns;
};

static struct shown choose_columns(uint32_t width)
{
	struct shown shown = { width >= 48, width >= 64, width >= 78, 8 };
	uint32_t taken = CHANGE_COLUMNS + (shown.has_error ? ERROR_COLUMNS : 0) +
			 (shown.has_finds ? FINDS_COLUMNS : 0) +
			 (shown.has_share ? SHARE_COLUMNS : 0) + STATE_COLUMNS + 5;

	if (width > taken + shown.name_columns)
		shown.name_columns = width - taken;
	return shown;
}

static void put_item(
	const struct ep_layout *layout, const struct shown *shown, const struct ep_gate_item *item)
{
	char name[512] = "the whole run";

	if (item->row)
		ep_shorten_name(layout, item->row->name, shown->name_columns, name, sizeof(name));
	put_percent(layout, item->change < 0 ? ep_sign_minus(layout->utf8) : "+", item->change,
		CHANGE_COLUMNS);
	if (shown->has_error)
		put_percent(layout, ep_sign_plus_minus(layout->utf8), item->margin, ERROR_COLUMNS);
	if (shown->has_finds)
		put_percent(layout, "", item->finds, FINDS_COLUMNS);
	if (shown->has_share)
		put_percent(layout, "", item->share, SHARE_COLUMNS);
	fputs("   ", layout->out);
	ep_put_cells(layout,
		(struct ep_cell[]){
			{ state_of(item), STATE_COLUMNS }, { name, shown->name_columns } },
		2);
}

static void put_titles(const struct ep_layout *layout, const struct shown *shown)
{
	ep_put_right(layout, "change", CHANGE_COLUMNS);
	if (shown->has_error)
		ep_put_right(layout, "", ERROR_COLUMNS);
	if (shown->has_finds)
		ep_put_right(layout, "finds", FINDS_COLUMNS);
	if (shown->has_share)
		ep_put_right(layout, "of time", SHARE_COLUMNS);
	fputs("   ", layout->out);
	ep_put_cells(layout,
		(struct ep_cell[]){
			{ "", STATE_COLUMNS }, { "self time of", shown->name_columns } },
		2);
}

static void put_table(const struct ep_layout *layout, const struct ep_gate *gate)
{
	struct shown shown = choose_columns(layout->width);
	uint32_t n_hidden = 0;
	char hidden[80];

	put_titles(layout, &shown);
	for (uint32_t i = 0; i < gate->n_items; i++)
		if (i < ROWS_SHOWN || gate->items[i].has_failed)
			put_item(layout, &shown, &gate->items[i]);
		else
			n_hidden++;
	snprintf(hidden, sizeof(hidden), "%u more: --format json shows all", n_hidden);
	if (n_hidden)
		ep_put_remark(layout, hidden);
	if (shown.has_finds)
		ep_put_remark(layout,
			"finds: a change so large would have failed 9 times of 10; how fast the machine was, as the other times tell, is divided out");
}

static void put_sentence(const struct ep_layout *layout, const char *text)
{
	fputs("  - ", layout->out);
	ep_put_wrapped(layout, text, 4);
}

static void put_verdict(const struct ep_layout *layout, const struct ep_gate *gate)
{
	char text[256];

	if (gate->n_failed)
		snprintf(text, sizeof(text),
			"Surely slower by more than %g %%: %u of %u that were looked at. Where nothing is slower, one gate of %.0f fails all the same.",
			100 * gate->limit, gate->n_failed, gate->n_items, 1 / EP_GATE_FALSE_ALARMS);
	else
		snprintf(text, sizeof(text),
			"Nothing is surely slower by more than %g %%, of the run and %u of its parts.",
			100 * gate->limit, gate->n_items - 1);
	put_sentence(layout, text);
}

/* Says in which parts the gate could not have found a change of the limit, and how much longer or more runs
 * would find it. */
static void put_lack(const struct ep_layout *layout, const struct ep_gate *gate)
{
	char name[160], text[512], times[32] = "more than 100";

	if (!gate->weakest || gate->verdict == EP_GATE_FAILED ||
		(gate->verdict == EP_GATE_PASSED && gate->weakest->share < SMALL_SHARE))
		return;
	if (gate->weakest->lacking < 100)
		snprintf(times, sizeof(times), "%.2g", ceil(gate->weakest->lacking * 10) / 10);
	ep_shorten_name(layout, gate->weakest->row->name, 60, name, sizeof(name));
	snprintf(text, sizeof(text),
		"%s: a time longer by %g %% can be found in parts with %.0f %% of the CPU time. To find it in %s, which has %.0f %%, make the runs %s times as long or that many times more, or use a quieter machine.",
		gate->verdict == EP_GATE_UNDECIDED
			? "Undecided, the runs are too short or too few"
			: "The runs are too short or too few for some parts",
		100 * gate->limit, 100 * fmin(1, gate->known_share), name,
		100 * gate->weakest->share, times);
	put_sentence(layout, text);
}

void ep_gate_print_text(const struct ep_gate *gate, const struct ep_comparison *comparison,
	const struct ep_layout *layout)
{
	char title[80], explanation[160];

	snprintf(title, sizeof(title), "The gate: %s", verdicts[gate->verdict]);
	snprintf(explanation, sizeof(explanation), "runs: %u before, %u after",
		comparison->n_before, comparison->n_after);
	ep_put_heading(layout, title, explanation);
	put_verdict(layout, gate);
	put_lack(layout, gate);
	put_table(layout, gate);
}

/* ---- JSON ---- */

static const char *const kinds[] = {
	[EP_BY_PROCEDURES] = "procedure",
	[EP_BY_LINES] = "line",
	[EP_BY_MODULES] = "module",
	[EP_BY_LOOPS] = "loop",
};

static struct json_object *item_json(const struct ep_gate_item *item,
	const struct ep_comparison *comparison, const struct ep_compared_counts *counts)
{
	const struct ep_compared_row *row = item->row;
	struct json_object *object = json_object_new_object();

	json_object_object_add(
		object, "kind", json_object_new_string(row ? kinds[comparison->by] : "run"));
	json_object_object_add(object, "name", row ? ep_json_text(row->name) : NULL);
	json_object_object_add(object, "module", row ? ep_json_text(row->module_name) : NULL);
	json_object_object_add(object, "file", row ? ep_json_text(row->file) : NULL);
	json_object_object_add(
		object, "line", row && row->line ? json_object_new_int64(row->line) : NULL);
	ep_json_set_number(object, "share", item->share);
	ep_json_set_number(object, "before_s", item->before_ns / 1e9);
	ep_json_set_number(object, "after_s", item->after_ns / 1e9);
	ep_json_set_number(object, "change", item->change);
	ep_json_set_number(object, "change_error", item->error);
	json_object_object_add(object, "of_rest", json_object_new_boolean(item->is_of_rest));
	ep_json_set_number(object, "chance", item->chance);
	ep_json_set_number(object, "level", item->level);
	ep_json_set_number(object, "finds", item->finds);
	ep_json_set_number(object, "lacking", item->lacking);
	json_object_object_add(object, "slower", json_object_new_boolean(item->is_sure));
	json_object_object_add(object, "failed", json_object_new_boolean(item->has_failed));
	json_object_object_add(object, "explained_by",
		row ? ep_counts_explaining_json(counts, (uint32_t)(row - comparison->rows)) : NULL);
	return object;
}

void ep_gate_put_json(const struct ep_gate *gate, const struct ep_comparison *comparison,
	const struct ep_compared_counts *counts, struct json_object *root)
{
	struct json_object *object = json_object_new_object(), *items = json_object_new_array();

	json_object_object_add(object, "verdict", json_object_new_string(verdicts[gate->verdict]));
	ep_json_set_number(object, "limit", gate->limit);
	ep_json_set_number(object, "false_alarms", EP_GATE_FALSE_ALARMS);
	ep_json_set_number(object, "known_share", fmin(1, gate->known_share));
	for (uint32_t i = 0; i < gate->n_items; i++)
		json_object_array_add(items, item_json(&gate->items[i], comparison, counts));
	json_object_object_add(object, "items", items);
	json_object_object_add(root, "gate", object);
}
