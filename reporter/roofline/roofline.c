// SPDX-License-Identifier: BSD-3-Clause
/* Turns metrics of the flops model into points below roofs. One thread uses this file at a time. */
#include "reporter/roofline/roofline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"

/* Code is called scalar if at least this share of its operations is scalar. */
#define SCALAR_SHARE 0.9

/* A simulator counts every cache line that is read from memory, but none that is written back. Each line that was read
 * may be written back, so the bytes may be up to twice those counted. */
#define WRITTEN_BACK_FACTOR 2

void ep_roofline_finish(struct ep_roofline *roofline)
{
	for (uint32_t i = 0; i < roofline->n_points; i++)
		free(roofline->points[i].name);
	free(roofline->points);
	free(roofline->time_source);
	free(roofline->lacks);
	ep_machine_roofs_finish(&roofline->roofs);
	*roofline = (struct ep_roofline){ 0 };
}

const char *ep_roofline_bound_name(enum ep_roofline_bound bound)
{
	static const char *const names[] = { "-", "memory", "peak" };

	return names[bound];
}

const char *ep_roofline_kind_name(enum ep_roofline_kind kind)
{
	static const char *const names[] = { "run", "phase", "procedure", "loop" };

	return names[kind];
}

/* ---- numbers ---- */

/* The metrics of one scope and the model that they belong to. */
struct evaluated {
	struct ep_model *model;
	struct ep_metric_value *metrics;
};

static const struct ep_result *result_of(const struct evaluated *e, const char *name)
{
	int at = ep_model_find_metric(e->model, name);

	return at < 0 ? NULL : &e->metrics[at].result;
}

static struct ep_quantity quantity_of(const struct evaluated *e, const char *name)
{
	const struct ep_result *result = result_of(e, name);

	if (!result || result->absence || !isfinite(result->value))
		return ep_quantity_unknown(
			result && result->absence == EP_ABSENT_MIXED ? "mixed" : NULL);
	return ep_quantity_within(result->value, result->standard_error);
}

static double number_of(const struct evaluated *e, const char *name)
{
	struct ep_quantity quantity = quantity_of(e, name);

	return ep_quantity_or(&quantity, NAN);
}

static double relative_error(const struct ep_quantity *quantity)
{
	return quantity->value > 0 ? ep_quantity_error(quantity) / quantity->value : NAN;
}

/* Returns a / b; the errors of both are taken as independent of each other. */
static struct ep_quantity quotient(const struct ep_quantity *a, const struct ep_quantity *b)
{
	double value = a->value / b->value;

	if (!ep_quantity_is_known(a) || !ep_quantity_is_known(b) || !(b->value > 0))
		return ep_quantity_unknown(NULL);
	return ep_quantity_within(
		value, value > 0 ? value * ep_error_add(relative_error(a), relative_error(b)) : 0);
}

/* ---- roofs ---- */

static struct ep_quantity quantity_of_limit(const struct ep_roof_limit *limit)
{
	return limit->roof ? ep_quantity_within(limit->value, limit->error)
			   : ep_quantity_unknown(NULL);
}

/* Returns the operations per second that memory allows: bytes per second times operations per byte. */
static struct ep_quantity memory_ceiling(
	const struct ep_roof_limit *bandwidth, const struct ep_quantity *intensity)
{
	double value = bandwidth->value * intensity->value;

	if (!bandwidth->roof || !ep_quantity_is_known(intensity))
		return ep_quantity_unknown(NULL);
	return ep_quantity_within(value, value * ep_error_add(bandwidth->error / bandwidth->value,
							 relative_error(intensity)));
}

static bool is_bound_sure(const struct ep_roofline_point *point, const struct ep_quantity *memory)
{
	if (point->bound != EP_BOUND_PEAK || point->traffic != EP_TRAFFIC_MISSES)
		return true;
	if (!ep_quantity_is_known(memory))
		return isfinite(point->bytes_factor);
	return memory->value / point->bytes_factor >= point->ceiling.value;
}

void ep_roofline_place(const struct ep_machine_roofs *roofs, struct ep_roofline_point *point)
{
	struct ep_roof_limit peak = ep_roofs_peak(roofs, point->precision, false, point->n_cpus);
	struct ep_roof_limit scalar = ep_roofs_peak(roofs, point->precision, true, point->n_cpus);
	struct ep_roof_limit bandwidth = ep_roofs_bandwidth(roofs, "MEM", point->n_cpus);
	struct ep_quantity memory = memory_ceiling(&bandwidth, &point->intensity);

	point->ceiling = quantity_of_limit(&peak);
	point->bound = peak.roof ? EP_BOUND_PEAK : EP_BOUND_UNKNOWN;
	if (ep_quantity_is_known(&memory) && (!peak.roof || memory.value < peak.value)) {
		point->ceiling = memory;
		point->bound = EP_BOUND_MEMORY;
	}
	/* If no bytes were counted, the peak is still a limit, but whether memory is a lower one is not known. */
	if (point->traffic == EP_TRAFFIC_NONE)
		point->bound = EP_BOUND_UNKNOWN;
	point->is_bound_sure = is_bound_sure(point, &memory);
	if (point->scalar_share >= SCALAR_SHARE && scalar.value < point->ceiling.value)
		point->scalar_ceiling = quantity_of_limit(&scalar);
	point->reached = quotient(&point->rate, &point->ceiling);
}

/* ---- points ---- */

static struct ep_roofline_point *add_point(struct ep_roofline *roofline)
{
	if (EP_ARRAY_RESERVE(roofline->points, roofline->n_points, roofline->capacity))
		return NULL;
	roofline->points[roofline->n_points] = (struct ep_roofline_point){ 0 };
	return &roofline->points[roofline->n_points++];
}

static void set_intensity(struct ep_roofline_point *point, const struct evaluated *e)
{
	point->traffic = EP_TRAFFIC_MEMORY;
	point->intensity = quantity_of(e, "Arithmetic_Intensity");
	if (ep_quantity_is_known(&point->intensity))
		return;
	point->traffic = EP_TRAFFIC_MISSES;
	point->intensity = quantity_of(e, "FLOP_per_Demand_Miss_Byte");
	if (ep_quantity_is_known(&point->intensity))
		return;
	if (number_of(e, "DEMAND_MISS_BYTES") == 0)
		point->intensity = ep_quantity_unknown("no miss");
	else
		point->traffic = EP_TRAFFIC_NONE;
}

static void set_rate(struct ep_roofline_point *point, const struct ep_roofline_time *time)
{
	const struct ep_quantity seconds = ep_quantity_within(time->seconds, time->error_s);

	point->seconds = time->seconds;
	point->rate = ep_quantity_unknown(NULL);
	if (time->seconds > 0)
		point->rate = quotient(&point->flop, &seconds);
}

static void say_lacking(struct ep_roofline *roofline, const struct ep_result *flop)
{
	if (!roofline->lacks && flop && flop->absence && flop->subject)
		roofline->lacks = strdup(flop->subject);
}

/* Tells whether a scope has enough operations for a point: at least one in a million of the run's. A procedure that
 * computes nothing may have a few operations. The run is the first scope. */
static bool is_worth_a_point(const struct ep_roofline *roofline, double flop)
{
	double of_run = roofline->n_points ? roofline->points[0].flop.value : flop;

	return flop > 0 && flop >= 1e-6 * of_run;
}

static void fill_point(struct ep_roofline_point *point, const struct evaluated *e,
	const struct ep_roofline_time *time)
{
	double accesses = number_of(e, "L1_DCA"), flop;

	point->flop = quantity_of(e, "FLOP");
	flop = point->flop.value;
	set_intensity(point, e);
	set_rate(point, time);
	point->per_access = accesses > 0 ? flop / accesses : NAN;
	point->scalar_share = number_of(e, "SCALAR_FLOP") / flop;
	point->precision =
		number_of(e, "SP_FLOP") > flop / 2 ? EP_PRECISION_SINGLE : EP_PRECISION_DOUBLE;
}

int ep_roofline_add(struct ep_roofline *roofline, enum ep_roofline_kind kind,
	const struct ep_metric_scope *scope, struct ep_model *model, double n_cpus,
	const struct ep_roofline_time *time)
{
	const struct ep_formula_file *file = ep_model_file(model);
	EP_AUTOFREE struct ep_metric_value *metrics = calloc(file->n_metrics + 1, sizeof(*metrics));
	const struct evaluated e = { model, metrics };
	struct ep_roofline_point *point;
	int rc = metrics ? ep_metric_scope_eval(scope, model, metrics, NULL) : -ENOMEM;

	if (rc)
		return rc;
	if (!is_worth_a_point(roofline, number_of(&e, "FLOP"))) {
		say_lacking(roofline, result_of(&e, "FLOP"));
		roofline->n_without_flop++;
		return 0;
	}
	point = add_point(roofline);
	if (!point)
		return -ENOMEM;
	point->kind = kind;
	point->n_cpus = n_cpus > 1 ? n_cpus : 1;
	point->bytes_factor = roofline->is_simulated ? WRITTEN_BACK_FACTOR : INFINITY;
	fill_point(point, &e, time);
	ep_roofline_place(&roofline->roofs, point);
	point->name = strdup(scope->name);
	return point->name ? 0 : -ENOMEM;
}
