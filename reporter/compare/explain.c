// SPDX-License-Identifier: BSD-3-Clause
/* Finds which counts of a place explain that its time changed. An explaining count surely differs, is
 * frequent enough to have cost the time that changed, and changed by at least LEAST_WEIGHT of its value. */
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/counts.h"

#define LEAST_ASKED 0.01 /* share of the longer run's CPU time; smaller changes are not explained */
#define LEAST_WEIGHT 0.02 /* a value with a smaller weight explains nothing */
/* An event whose count changed by less than one per RAREST_NS of changed time is too rare to have cost that time.
 * The most expensive of the events that are counted by place is a page fault that the kernel answers without a
 * disk, about 1 us. */
#define RAREST_NS 2000.

bool ep_compare_asks_why(const struct ep_comparison *comparison, const struct ep_compared_row *row)
{
	double longer_ns =
		fmax((double)comparison->before->sampled_ns, (double)comparison->after->sampled_ns);

	return row->is_before && row->is_after && ep_compared_is_sure(row) &&
	       fabs(ep_compared_change(row)) >= LEAST_ASKED * longer_ns;
}

/* Returns the part of a value's change that is sure: the change minus half its 95 % interval. */
static double least_change(const struct ep_compared_value *value)
{
	double margin = ep_compare_margin(value->change_error * value->change_error);

	return fmax(fabs(ep_compared_value_change(value)) - margin, 0);
}

static double larger_of(const struct ep_compared_value *value)
{
	return fmax(fabs(value->before.value), fabs(value->after.value));
}

/* Tells whether an event counts time. Such an event explains nothing, since it is time that has to be
 * explained. */
static bool is_clock(const struct ep_compared_value *value)
{
	static const char *const names[] = { "cycles", "cpu-cycles", "ref-cycles", "bus-cycles",
		"CPU_CLK", "CPU_CYCLES", "CYCLES_NOT_IN_HALT", "PAPI_TOT_CYC", "PAPI_REF_CYC",
		"PM_CYC", "PM_RUN_CYC" };

	if (value->unit && !strcmp(value->unit, "ns"))
		return true;
	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (!strncmp(value->name, names[i], strlen(names[i])))
			return true;
	return false;
}

static double event_weight(const struct ep_compared_value *event, double change_ns)
{
	double change = ep_compared_value_change(event);

	if (is_clock(event) || change * change_ns <= 0 ||
		fabs(change) * RAREST_NS < fabs(change_ns))
		return 0;
	return least_change(event) / larger_of(event);
}

/* An upper bound of the instructions that a CPU retires in a nanosecond. If instructions were not counted, it
 * gives an upper bound of a place's number of instructions. */
#define MOST_PER_NS 50.

static const char per_1000[] = "per 1000 instructions";

/* Returns the place's number of instructions on the side where it is larger; an upper bound if instructions
 * were not counted. */
static double most_instructions(const struct ep_compared_row *row,
	const struct ep_compared_value *values, uint32_t n_values)
{
	for (uint32_t v = 0; v < n_values; v++)
		if (!values[v].model && ep_compared_value_is_known(&values[v]) &&
			(!strcmp(values[v].name, "instructions") ||
				!strncmp(values[v].name, "instructions:", 13)))
			return larger_of(&values[v]);
	return MOST_PER_NS * fmax(row->before_ns, row->after_ns);
}

/* Tells whether the events that a metric counts per 1000 instructions changed by too few to have cost the
 * changed time; RAREST_NS is the limit, as for events. */
static bool is_too_rare(const struct ep_compared_row *row, const struct ep_compared_value *values,
	uint32_t n_values, const struct ep_compared_value *metric)
{
	if (!metric->unit || strcmp(metric->unit, per_1000) != 0)
		return false;
	return fabs(ep_compared_value_change(metric)) / 1000 *
		       most_instructions(row, values, n_values) * RAREST_NS <
	       fabs(ep_compared_change(row));
}

/* Returns 1 for metrics that grow when time grows, -1 for metrics that fall, and 0 for others. */
static int direction_of(const struct ep_compared_value *metric)
{
	static const struct {
		const char *unit;
		int direction;
	} rows[] = { { "cycles/instruction", 1 }, { "instructions/cycle", -1 }, { per_1000, 1 } };

	for (size_t i = 0; metric->unit && i < EP_ARRAY_SIZE(rows); i++)
		if (!strcmp(metric->unit, rows[i].unit))
			return rows[i].direction;
	return 0;
}

static const struct ep_compared_value *find_known(
	const struct ep_compared_value *values, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (values[i].model && !strcmp(values[i].name, name) &&
			ep_compared_value_is_known(&values[i]))
			return &values[i];
	return NULL;
}

/* Returns a metric's weight. The change of a category of LCPI is divided by the cycles that an instruction
 * takes overall, that of another metric by its larger value; a share is not divided. */
static double metric_weight(const struct ep_compared_row *row,
	const struct ep_compared_value *values, uint32_t n_values,
	const struct ep_compared_value *metric)
{
	const struct ep_compared_value *overall = NULL;
	int direction = direction_of(metric);
	double whole = metric->is_share ? 1 : larger_of(metric);

	if (direction * ep_compared_change(row) * ep_compared_value_change(metric) < 0 ||
		is_too_rare(row, values, n_values, metric))
		return 0;
	if (direction > 0 && strcmp(metric->unit, per_1000) != 0)
		overall = find_known(values, n_values, "overall");
	if (overall == metric && find_known(values, n_values, "IPC"))
		return 0; /* IPC says the same */
	if (overall && larger_of(overall) > 0)
		whole = larger_of(overall);
	return whole > 0 ? least_change(metric) / whole : 0;
}

/* Adds the values with the largest weights, either metrics or events, to those that explain the change. */
static void take_heaviest(struct ep_place_counts *place, uint32_t n_values, bool are_metrics)
{
	const struct ep_compared_value *values = place->values;
	uint32_t first = place->n_explaining, most = first + EP_MOST_EXPLAINING / 2;

	for (uint32_t v = 0; v < n_values; v++) {
		uint32_t at = place->n_explaining;

		if ((values[v].model != NULL) != are_metrics || values[v].weight < LEAST_WEIGHT)
			continue;
		while (at > first && values[place->explaining[at - 1]].weight < values[v].weight)
			at--;
		if (at == most)
			continue;
		place->n_explaining += place->n_explaining < most;
		for (uint32_t i = place->n_explaining - 1; i > at; i--)
			place->explaining[i] = place->explaining[i - 1];
		place->explaining[at] = v;
	}
}

void ep_compare_weigh(
	const struct ep_compared_row *row, uint32_t n_values, struct ep_place_counts *place)
{
	double change_ns = ep_compared_change(row);

	for (uint32_t v = 0; v < n_values; v++) {
		struct ep_compared_value *value = &place->values[v];

		place->n_mixed += value->is_mixed;
		place->n_sure += value->is_sure;
		if (!value->is_sure || !place->is_asked)
			continue;
		value->weight = value->model ? metric_weight(row, place->values, n_values, value)
					     : event_weight(value, change_ns);
	}
	take_heaviest(place, n_values, true);
	take_heaviest(place, n_values, false);
}
