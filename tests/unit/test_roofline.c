// SPDX-License-Identifier: BSD-3-Clause
/* Points below roofs, for kernels whose operations and bytes are known. */
#include "tests/unit/test.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/roofline/roofline.h"
#include "reporter/roofline/roofline_words.h"

#define NEAR(a, b) (fabs((a) - (double)(b)) <= 1e-9 * (double)(b))

/* 4 GFLOP/s scalar, 32 in vectors, 16 GB/s; two CPUs have twice that, and 24 GB/s. */
static struct ep_machine_roofs machine(void)
{
	return (struct ep_machine_roofs){
		.n_cpus = 2,
		.n_roofs = 5,
		.roofs = {
			{ "DP SCALAR FMA", false, true, EP_PRECISION_DOUBLE, 4e9, 0, 8e9, 0 },
			{ "DP 256 FMA", false, false, EP_PRECISION_DOUBLE, 32e9, 3.2e9, 64e9, 0 },
			{ "SP 256 FMA", false, false, EP_PRECISION_SINGLE, 64e9, 0, 128e9, 0 },
			{ "MEM Load", true, false, EP_PRECISION_DOUBLE, 15e9, 0, 23e9, 0 },
			{ "MEM Triad", true, false, EP_PRECISION_DOUBLE, 16e9, 1.6e9, 24e9, 0 },
		},
	};
}

static struct ep_roofline_point point_of(double flop, double bytes, double seconds)
{
	static char name[] = "kernel";
	struct ep_roofline_point point = {
		.name = name,
		.n_cpus = 1,
		.traffic = EP_TRAFFIC_MEMORY,
		.flop = ep_quantity_exact(flop),
		.intensity = ep_quantity_exact(flop / bytes),
		.scalar_share = NAN,
	};

	if (seconds > 0)
		point.rate = ep_quantity_exact(flop / seconds);
	return point;
}

/* Vectors are of N elements of 8 bytes. */
TEST(kernels_of_known_work_stand_where_they_should)
{
	static const struct {
		const char *name;
		double flop, bytes, seconds;
		enum ep_roofline_bound bound;
		double ceiling, reached;
	} rows[] = {
		{ "DDOT", 2e6, 16e6, 1e-3, EP_BOUND_MEMORY, 2e9, 1 },
		{ "DAXPY", 2e6, 24e6, 3e-3, EP_BOUND_MEMORY, 16e9 / 12, 0.5 },
		/* 2 N^3 over four matrices of N^2, one of them read and written */
		{ "DGEMM", 2e9, 32e6, 0.125, EP_BOUND_PEAK, 32e9, 0.5 },
		{ "ridge", 2, 1, 1e-9, EP_BOUND_PEAK, 32e9, 2e9 / 32e9 },
	};
	const struct ep_machine_roofs roofs = machine();

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_roofline_point point =
			point_of(rows[i].flop, rows[i].bytes, rows[i].seconds);

		ep_roofline_place(&roofs, &point);
		CHECK_MSG(point.bound == rows[i].bound, "%s", rows[i].name);
		CHECK_MSG(NEAR(point.ceiling.value, rows[i].ceiling), "%s: %g", rows[i].name,
			point.ceiling.value);
		CHECK_MSG(NEAR(point.reached.value, rows[i].reached), "%s: %g", rows[i].name,
			point.reached.value);
	}
}

/* A roof's bar, two standard errors, is its spread. */
TEST(errors_of_roofs_and_counts_add_up)
{
	const struct ep_machine_roofs roofs = machine();
	struct ep_roofline_point point = point_of(2e6, 16e6, 2e-3);

	ep_roofline_place(&roofs, &point);
	CHECK(NEAR(point.ceiling.error, 2e9 * 0.05));
	CHECK(NEAR(point.reached.error, 0.5 * 0.05));
	point.intensity = ep_quantity_within(0.125, 0.0125);
	ep_roofline_place(&roofs, &point);
	CHECK(NEAR(point.ceiling.error, 2e9 * sqrt(0.05 * 0.05 + 0.1 * 0.1)));
	point.intensity = ep_quantity_within(0.125, NAN);
	ep_roofline_place(&roofs, &point);
	CHECK_INT(point.ceiling.state, EP_QUANTITY_ROUGH);
}

TEST(several_cpus_have_no_more_than_all)
{
	const struct ep_machine_roofs roofs = machine();
	struct ep_roofline_point point = point_of(2e6, 16e6, 1e-3);

	point.n_cpus = 1.25;
	ep_roofline_place(&roofs, &point);
	CHECK(NEAR(point.ceiling.value, 2.5e9));
	point.n_cpus = 2;
	ep_roofline_place(&roofs, &point);
	CHECK(NEAR(point.ceiling.value, 3e9)); /* 24 GB/s, not 32 */
}

/* Bytes that were not counted may be in the way. */
TEST(missed_lines_alone_leave_a_peak_unsure)
{
	const struct ep_machine_roofs roofs = machine();
	struct ep_roofline_point point = point_of(3, 1, 1); /* the roofs meet at 2 */

	point.bytes_factor = 2;
	ep_roofline_place(&roofs, &point);
	CHECK(point.bound == EP_BOUND_PEAK && point.is_bound_sure); /* all bytes were counted */
	point.traffic = EP_TRAFFIC_MISSES;
	ep_roofline_place(&roofs, &point);
	CHECK(point.bound == EP_BOUND_PEAK && !point.is_bound_sure);
	point.intensity = ep_quantity_exact(4.5);
	ep_roofline_place(&roofs, &point);
	CHECK(point.is_bound_sure);
	point.bytes_factor = INFINITY;
	ep_roofline_place(&roofs, &point);
	CHECK(!point.is_bound_sure);
	point.intensity = ep_quantity_exact(1);
	ep_roofline_place(&roofs, &point);
	CHECK(point.bound == EP_BOUND_MEMORY && point.is_bound_sure);
}

TEST(what_is_not_known_is_not_made_up)
{
	const struct ep_machine_roofs roofs = machine(), none = { 0 };
	struct ep_roofline_point point = point_of(2e6, 16e6, 0);

	ep_roofline_place(&roofs, &point); /* a simulation: no time */
	CHECK(NEAR(point.ceiling.value, 2e9));
	CHECK(!ep_quantity_is_known(&point.reached));
	ep_roofline_place(&none, &point);
	CHECK_INT(point.bound, EP_BOUND_UNKNOWN);
	CHECK(!ep_quantity_is_known(&point.ceiling) && !ep_quantity_is_known(&point.reached));
	point = point_of(2e6, 16e6, 1e-3);
	point.traffic = EP_TRAFFIC_NONE;
	point.intensity = ep_quantity_unknown(NULL);
	ep_roofline_place(&roofs, &point);
	CHECK_INT(point.bound, EP_BOUND_UNKNOWN);
	CHECK(NEAR(point.ceiling.value, 32e9)); /* a peak is above all */
}

TEST(precision_and_width_choose_the_peak)
{
	const struct ep_machine_roofs roofs = machine();
	struct ep_roofline_point point = point_of(2e9, 32e6, 1);
	struct ep_roofline roofline = { .roofs = roofs };
	char text[700];

	point.precision = EP_PRECISION_SINGLE;
	ep_roofline_place(&roofs, &point);
	CHECK(NEAR(point.ceiling.value, 64e9));
	point.precision = EP_PRECISION_DOUBLE;
	point.scalar_share = 1;
	ep_roofline_place(&roofs, &point);
	CHECK(NEAR(point.ceiling.value, 32e9) && NEAR(point.scalar_ceiling.value, 4e9));
	ep_roofline_say_point(&roofline, &point, true, text, sizeof(text));
	CHECK_STR(text,
		"kernel: the peak bounds it, not memory. It is 32.0 GFLOP/s in double precision; it reaches 6.2 % (±0.62 %) of that. Its operations are scalar: such code reaches at most 4.00 GFLOP/s, vectors 8.0 times that.");
}

static const char model_text[] =
	"evprof-formula 1\n[metric FLOP]\nexpr = flop\n[metric SP_FLOP]\nexpr = flop * 0\n"
	"[metric DEMAND_MISS_BYTES]\nexpr = 64 * misses\n"
	"[metric FLOP_per_Demand_Miss_Byte]\nexpr = FLOP / DEMAND_MISS_BYTES\n"
	"[metric L1_DCA]\nexpr = accesses\n";

static struct ep_model *small_model(void)
{
	struct ep_formula_file file;
	struct ep_model *model = NULL;
	struct ep_error err;

	CHECK_MSG(!ep_formula_file_parse("small", model_text, sizeof(model_text) - 1, &file, &err),
		"%s: %s", err.where, err.message);
	CHECK_INT(ep_model_create(&file, NULL, NULL, &model, &err), 0);
	return model;
}

static void set(struct ep_metric_scope *scope, const char *name, double value)
{
	CHECK_INT(ep_values_set(&scope->values, name,
			  (struct ep_measured){ .value = value,
				  .coverage = 1,
				  .source_count = 1,
				  .is_measured = true }),
		0);
}

TEST(scopes_become_points)
{
	__attribute__((cleanup(ep_roofline_finish))) struct ep_roofline roofline = { 0 };
	struct ep_metric_scope scope = { .name = (char[]){ "dot" } };
	struct ep_roofline_time time = { 0.5, 0.05 }, none = { NAN, NAN };
	struct ep_model *model = small_model();

	/* it was not counted: no point, and the reason is kept */
	CHECK_INT(ep_roofline_add(&roofline, EP_ROOFLINE_RUN, &scope, model, 1, &time), 0);
	CHECK_INT(roofline.n_points, 0);
	CHECK_STR(roofline.lacks, "flop");
	set(&scope, "flop", 2e6);
	set(&scope, "misses", 250e3);
	set(&scope, "accesses", 2e6);
	CHECK_INT(ep_roofline_add(&roofline, EP_ROOFLINE_RUN, &scope, model, 1, &time), 0);
	CHECK_INT(roofline.n_points, 1);
	CHECK(NEAR(roofline.points[0].intensity.value, 0.125));
	CHECK(NEAR(roofline.points[0].rate.value, 4e6));
	CHECK(NEAR(roofline.points[0].rate.error, 4e5));
	CHECK(NEAR(roofline.points[0].per_access, 1));
	CHECK_INT(roofline.points[0].traffic, EP_TRAFFIC_MISSES);
	/* without a miss, and without a time */
	set(&scope, "misses", 0);
	CHECK_INT(ep_roofline_add(&roofline, EP_ROOFLINE_PROCEDURE, &scope, model, 0.1, &none), 0);
	CHECK_STR(roofline.points[1].intensity.reason, "no miss");
	CHECK(!ep_quantity_is_known(&roofline.points[1].rate));
	CHECK(NEAR(roofline.points[1].n_cpus, 1));
	/* one operation in a million of the run's */
	set(&scope, "flop", 1);
	CHECK_INT(ep_roofline_add(&roofline, EP_ROOFLINE_PROCEDURE, &scope, model, 1, &none), 0);
	CHECK_INT(roofline.n_points, 2);
	ep_values_finish(&scope.values);
	ep_model_destroy(model);
}

TEST(files_of_roofs_are_read)
{
	static const char text[] =
		"evprof-formula 1\n[model]\nname = roofs\nserves = X-1-2\ndate = 2026-01-02\n"
		"[parameter CPUs]\nvalue = 2\n[parameter Peak_DP_256_FMA]\nvalue = 32e9\nerror = 1e9\n"
		"[parameter Peak_DP_256_FMA_All]\nvalue = 64e9\n[parameter Bandwidth_L1_Load]\n"
		"value = 200e9\n[parameter Peak_]\nvalue = 1\n[parameter Other]\nvalue = 3\n";
	char path[] = "/tmp/evprof-roofline-XXXXXX";
	__attribute__((cleanup(ep_machine_roofs_finish))) struct ep_machine_roofs roofs = { 0 };
	struct ep_error err;
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	CHECK_INT(ep_machine_roofs_find(path, NULL, &roofs, &err), 0);
	CHECK_INT(roofs.n_roofs, 2);
	CHECK_STR(roofs.roofs[0].name, "DP 256 FMA");
	CHECK(roofs.roofs[0].one == 32e9 && roofs.roofs[0].one_spread == 1e9);
	CHECK(roofs.roofs[0].all == 64e9 && roofs.roofs[0].all_spread == 0);
	CHECK(roofs.roofs[1].is_bandwidth && !roofs.roofs[0].is_bandwidth);
	CHECK_STR(roofs.date, "2026-01-02");
	ep_machine_roofs_finish(&roofs);
	CHECK_INT(ftruncate(fd, 17), 0);
	CHECK_INT(ep_machine_roofs_find(path, NULL, &roofs, &err), -ENODATA);
	CHECK_INT(ep_machine_roofs_find("/nonexistent", NULL, &roofs, &err), -ENOENT);
	close(fd);
	unlink(path);
}
