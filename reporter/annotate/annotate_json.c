// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>

#include "reporter/annotate/annotate_private.h"
#include "reporter/text/json_text.h"

static void put_index(json_object *object, const char *key, uint32_t idx)
{
	json_object_object_add(object, key, idx == EP_NONE ? NULL : json_object_new_int64(idx));
}

static void put_line(json_object *object, uint32_t line)
{
	json_object_object_add(object, "line", line ? json_object_new_int64(line) : NULL);
}

static json_object *count_json(const struct ep_report_value *value)
{
	json_object *object = json_object_new_object();

	ep_json_set_number(object, "value", ep_quantity_or(&value->count, NAN));
	ep_json_set_number(object, "error", ep_quantity_error(&value->count));
	json_object_object_add(object, "mixed", json_object_new_boolean(value->is_mixed));
	if (value->is_mixed) {
		ep_json_set_number(object, "low", value->low);
		ep_json_set_number(object, "high", value->high);
	}
	if (value->has_ticks)
		json_object_object_add(object, "n_ticks", json_object_new_uint64(value->n_ticks));
	return object;
}

/* Adds the members that lines, instructions and loops have in common. share is relative to the time of all
 * that is shown. */
static void put_cost(json_object *object, const struct ep_annotation *annotation,
	const struct ep_report_row *cost)
{
	const struct ep_report *report = annotation->report;
	json_object *events = cost->values ? json_object_new_object() : NULL;

	json_object_object_add(object, "self_ns", json_object_new_uint64(cost->self_ns));
	json_object_object_add(object, "total_ns", json_object_new_uint64(cost->total_ns));
	json_object_object_add(object, "n_samples", json_object_new_uint64(cost->n_samples));
	ep_json_set_number(object, "share", ep_annotated_share(annotation, cost));
	ep_json_set_number(object, "share_error", ep_annotated_error(annotation, cost));
	for (uint32_t e = 0; events && e < report->n_events; e++)
		json_object_object_add(
			events, report->events[e].name, count_json(&cost->values[e]));
	json_object_object_add(object, "events", events);
}

static json_object *mix_json(const struct ep_instruction_mix *mix)
{
	json_object *object = json_object_new_object();

	put_index(object, "instructions", mix->n);
	put_index(object, "scalar_floating", mix->n_scalar_floating);
	put_index(object, "vector_floating", mix->n_vector_floating);
	put_index(object, "vector_integer", mix->n_vector_integer);
	put_index(object, "fma", mix->n_fma);
	put_index(object, "divide", mix->n_divide);
	put_index(object, "gather", mix->n_gather);
	put_index(object, "calls", mix->n_calls);
	put_index(object, "vector_bits", mix->n_bits ? mix->n_bits : EP_NONE);
	return object;
}

static json_object *bound_json(
	const struct ep_annotation *annotation, const struct ep_annotated_loop *loop)
{
	static const char *const limits[] = {
		[EP_LIMIT_PORTS] = "ports",
		[EP_LIMIT_CHAIN] = "chain",
		[EP_LIMIT_FRONT_END] = "front end",
	};
	static const char *const verdicts[] = {
		[EP_TURN_UNKNOWN] = NULL,
		[EP_TURN_AS_BOUND] = "as bound",
		[EP_TURN_SLOWER] = "slower",
		[EP_TURN_QUICKER] = "quicker",
	};
	json_object *object;

	if (!loop->n_in_turn)
		return NULL;
	object = json_object_new_object();
	ep_json_set_text(object, "cpu", annotation->bound_cpu);
	put_index(object, "n_in_turn", loop->n_in_turn);
	ep_json_set_number(object, "cycles", loop->bound.cycles);
	ep_json_set_number(object, "ports_cycles", loop->bound.ports_cycles);
	ep_json_set_text(object, "limit", limits[loop->bound.limit]);
	ep_json_set_number(object, "measured_cycles", ep_quantity_or(&loop->measured, NAN));
	ep_json_set_number(object, "measured_error", ep_quantity_error(&loop->measured));
	ep_json_set_text(object, "measured_is", verdicts[ep_annotated_judge_turn(loop)]);
	return object;
}

static json_object *loop_json(const struct ep_annotate_page *page, uint32_t i)
{
	const struct ep_annotated_loop *loop = &page->annotation->loops[i];
	json_object *object = json_object_new_object();
	char head[24];

	snprintf(head, sizeof(head), "0x%" PRIx64, loop->head);
	ep_json_set_text(object, "name", loop->name);
	ep_json_set_text(object, "file", loop->file);
	put_line(object, loop->line);
	ep_json_set_text(object, "head", head);
	put_index(object, "around", loop->parent_idx);
	put_index(object, "depth", loop->depth);
	put_cost(object, page->annotation, &loop->cost);
	json_object_object_add(object, "mix", mix_json(&loop->mix));
	put_index(object, "blocked_loads", loop->n_blocked);
	json_object_object_add(object, "bound", bound_json(page->annotation, loop));
	return object;
}

static json_object *line_json(const struct ep_annotate_page *page, uint32_t i)
{
	const struct ep_annotated_line *line = &page->annotation->lines[i];
	json_object *object = json_object_new_object();

	ep_json_set_text(
		object, "procedure", ep_symbols_get(page->symbols, line->symbol_idx)->name);
	ep_json_set_text(object, "file", line->file);
	put_line(object, line->line);
	ep_json_set_text(object, "text",
		ep_sources_line(&page->annotation->sources, line->file, line->line));
	put_index(object, "loop", line->loop_idx);
	put_index(object, "n_instructions", line->n_instructions);
	put_cost(object, page->annotation, &line->cost);
	return object;
}

static json_object *instruction_json(const struct ep_annotate_page *page, uint32_t i)
{
	const struct ep_annotated_instruction *row = &page->annotation->instructions[i];
	json_object *object = json_object_new_object();
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, row->address);
	ep_json_set_text(object, "address", address);
	put_index(object, "n_bytes", row->n_bytes);
	ep_json_set_text(object, "text", row->text);
	put_index(object, "line", row->line_idx);
	put_index(object, "loop", row->loop_idx);
	put_cost(object, page->annotation, &row->cost);
	return object;
}

static json_object *array_of(const struct ep_annotate_page *page, uint32_t n,
	json_object *(*row)(const struct ep_annotate_page *page, uint32_t i))
{
	json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(array, row(page, i));
	return array;
}

static const char *const code_names[] = {
	[EP_CODE_SHOWN] = "shown",
	[EP_CODE_ABSENT] = "absent",
	[EP_CODE_UNREADABLE] = "other machine",
	[EP_CODE_TOO_MUCH] = "too much",
	[EP_CODE_NO_CAPSTONE] = "no capstone",
	[EP_CODE_BY_LINE] = "costs by line",
	[EP_CODE_SCRIPT] = "script",
	[EP_CODE_AT_RUN_TIME] = "made at run time",
};

int ep_annotate_print_json(const struct ep_annotate_page *page)
{
	const struct ep_annotation *annotation = page->annotation;
	const struct ep_symbol *symbol =
		ep_symbols_get(page->symbols, annotation->target.symbol_idx);
	json_object *root = json_object_new_object();

	ep_json_set_text(root, "trace", page->trace_paths[0]);
	ep_json_set_text(root, "selection", page->selection);
	ep_json_set_text(root, "kind", annotation->target.is_loop ? "loop" : "procedure");
	ep_json_set_text(root, "name", annotation->target.name);
	ep_json_set_text(root, "procedure", symbol->name);
	ep_json_set_text(root, "file", symbol->file);
	put_line(root, symbol->line);
	ep_json_set_text(root, "code", code_names[annotation->code]);
	ep_json_set_number(root, "self_share", annotation->cost.self_share);
	ep_json_set_number(root, "self_error", annotation->cost.self_error);
	ep_json_set_number(root, "total_share", annotation->cost.total_share);
	put_cost(root, annotation, &annotation->cost);
	json_object_object_add(
		root, "mix", annotation->n_instructions ? mix_json(&annotation->mix) : NULL);
	put_index(root, "hottest_line", annotation->hottest_line);
	put_index(root, "hottest_instruction", annotation->hottest_instruction);
	json_object_object_add(root, "loops", array_of(page, annotation->n_loops, loop_json));
	json_object_object_add(root, "lines", array_of(page, annotation->n_lines, line_json));
	json_object_object_add(
		root, "instructions", array_of(page, annotation->n_instructions, instruction_json));
	return ep_json_print(root, 0, page->layout.out);
}
