// SPDX-License-Identifier: BSD-3-Clause
/* Computes the measured cycles of a loop's iteration, if cycles and instructions were counted, to compare
 * these cycles with the iteration's bound. */
#include <math.h>

#include "reporter/annotate/annotate_private.h"
#include "reporter/load/known_events.h"

/* The iteration's instructions must have at least this share of the loop's time. Counts are of the whole
 * loop, and its other instructions may take more or fewer cycles each. */
#define MOST_OF_LOOP 0.9

/* The relative error that is assumed for a bound. Chen and others (BHive, IISWC 2019) and Abel and Reineke (uiCA,
 * ICS 2022) measured mean errors of 9 to 36 % for llvm-mca and similar tools. */
#define ERROR_OF_BOUND 0.36

/* Returns a count of the loop itself; unknown if slices are mixed, or if the run did not count it. */
static struct ep_quantity own_count(const struct ep_annotation *annotation,
	const struct ep_annotated_loop *loop, enum ep_known_event what)
{
	const struct ep_report *report = annotation->report;
	const char *const *name = ep_known_event_names(what);

	for (; *name && loop->cost.values; name++)
		for (uint32_t e = 0; e < report->n_events; e++) {
			const struct ep_event_info event = { .name = report->events[e].name };
			const struct ep_report_value *value = &loop->cost.values[e];

			if (!ep_event_is_called(&event, *name) || !ep_event_counts_clock(&event))
				continue;
			if (value->is_mixed || !(ep_quantity_or(&value->count, 0) > 0))
				return ep_quantity_unknown(NULL);
			return value->count;
		}
	return ep_quantity_unknown(NULL);
}

static double relative_error(const struct ep_quantity *quantity)
{
	return ep_quantity_error(quantity) / quantity->value;
}

void ep_annotated_measure_turn(
	const struct ep_annotation *annotation, uint64_t turn_ns, struct ep_annotated_loop *loop)
{
	struct ep_quantity cycles = own_count(annotation, loop, EP_KNOWN_CYCLES);
	struct ep_quantity instructions = own_count(annotation, loop, EP_KNOWN_INSTRUCTIONS);
	double turn;

	loop->measured = ep_quantity_unknown(NULL);
	if (!ep_quantity_is_known(&cycles) || !ep_quantity_is_known(&instructions) ||
		(double)turn_ns < MOST_OF_LOOP * (double)loop->cost.self_ns)
		return;
	turn = loop->n_in_turn * cycles.value / instructions.value;
	loop->measured = ep_quantity_within(
		turn, turn * hypot(relative_error(&cycles), relative_error(&instructions)));
}

enum ep_turn_verdict ep_annotated_judge_turn(const struct ep_annotated_loop *loop)
{
	double bar = ep_quantity_bar(&loop->measured), turn = loop->measured.value;

	if (!ep_quantity_is_known(&loop->measured) || isnan(bar))
		return EP_TURN_UNKNOWN;
	if (turn - bar > (1 + ERROR_OF_BOUND) * loop->bound.cycles)
		return EP_TURN_SLOWER;
	return (1 + ERROR_OF_BOUND) * (turn + bar) < loop->bound.cycles ? EP_TURN_QUICKER
									: EP_TURN_AS_BOUND;
}
