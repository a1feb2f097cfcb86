// SPDX-License-Identifier: BSD-3-Clause
/* Borders go where the samples say, to half a slice; where these say nothing they stay. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/phases/borders.h"

enum { N_SAMPLES = 400, N_WINDOWS = 80, A = 0, B = 1, BOTH = 2, N_COLUMNS = 3 };

/* Samples of a ms each; windows of 5 ms. */
struct run {
	struct ep_border_sample rows[N_SAMPLES];
	double edges_us[N_WINDOWS + 1];
	struct ep_stretch_of_windows stretches[3];
	struct ep_segmentation in;
};

/* column_of(i) is where sample i ended; the border is taken to be at window. */
static void make(struct run *run, uint32_t (*column_of)(uint32_t i), uint32_t window)
{
	*run = (struct run){ .stretches = { { 0, window, 0 }, { window, N_WINDOWS, 1 } } };
	for (uint32_t i = 0; i < N_SAMPLES; i++)
		run->rows[i] =
			(struct ep_border_sample){ 1000.0 * i, 1000.0 * (i + 1), column_of(i) };
	for (uint32_t i = 0; i <= N_WINDOWS; i++)
		run->edges_us[i] = 5000.0 * i;
	run->in = (struct ep_segmentation){ run->stretches, 2, 2 };
}

static void refine(struct run *run)
{
	const struct ep_border_samples samples = { run->rows, N_SAMPLES, N_COLUMNS };

	CHECK_INT(ep_borders_refine(&samples, run->edges_us, &run->in), 0);
	CHECK_INT(run->stretches[0].to, run->stretches[1].from);
	for (uint32_t i = 0; i < N_WINDOWS; i++)
		CHECK(run->edges_us[i] <= run->edges_us[i + 1]);
}

static double border_ms(const struct run *run)
{
	return run->edges_us[run->stretches[0].to] / 1000;
}

/* The slice of sample 203 ends in B, those before in A. */
static uint32_t clean(uint32_t i)
{
	return i < 203 ? A : B;
}

static uint32_t with_others(uint32_t i)
{
	return i % 7 == 3 ? BOTH : clean(i);
}

/* One of 9 samples is elsewhere: A has some of B and B some of A, near the border, too. */
static uint32_t with_strays(uint32_t i)
{
	return i % 9 == 0 ? A + B - clean(i) : clean(i);
}

static uint32_t alike(uint32_t i)
{
	return i % 2 ? A : B;
}

TEST(between_the_samples_that_differ)
{
	uint32_t (*const columns[])(uint32_t) = { clean, with_others, with_strays };

	for (size_t i = 0; i < EP_ARRAY_SIZE(columns); i++)
		for (uint32_t window = 38; window <= 43; window++) { /* 190 to 215 ms */
			struct run run;

			make(&run, columns[i], window);
			refine(&run);
			CHECK_MSG(border_ms(&run) == 203.5, "columns %zu, window %u: %g", i, window,
				border_ms(&run));
		}
}

TEST(where_nothing_tells_it_stays)
{
	struct run run;

	make(&run, alike, 40);
	refine(&run);
	CHECK_INT(run.stretches[0].to, 40);
	CHECK_CLOSE(border_ms(&run), 200, 1e-9);
}

/* It is for windows to say that there is a border, and about where. */
TEST(out_of_reach_it_stays)
{
	struct run run;

	make(&run, clean, 60);
	refine(&run);
	CHECK_INT(run.stretches[0].to, 60);
	CHECK_CLOSE(border_ms(&run), 300, 1e-9);
}

/* A sample of a slice that took 4 ms: the border is in it, most likely in its middle. */
TEST(of_a_long_slice_its_middle)
{
	struct run run;

	make(&run, clean, 40);
	for (uint32_t i = 199; i < 203; i++)
		run.rows[i].end_us = run.rows[i].from_us = 199000; /* of no length, before it */
	run.rows[203].from_us = 200000;
	refine(&run);
	CHECK_CLOSE(border_ms(&run), 202, 1e-9);
}

TEST(without_samples)
{
	struct run run;
	const struct ep_border_samples none = { NULL, 0, N_COLUMNS };

	make(&run, clean, 40);
	CHECK_INT(ep_borders_refine(&none, run.edges_us, &run.in), 0);
	CHECK_CLOSE(border_ms(&run), 200, 1e-9);
}
