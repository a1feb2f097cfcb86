// SPDX-License-Identifier: BSD-3-Clause
/* Outputs of the built-in networks become a cell's value, expected count and spread. */
#include "common/cleanup.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/estimate.h"
#include "reporter/estimate/estimator.h"
#include "reporter/estimate/models.h"
#include "tests/unit/test.h"

enum { T = 6, E = 3, F = EP_N_FEATURES, O = EP_N_NETWORK_OUTPUTS };

/* A clock, an event that took turns, one that nobody measured. */
static const char *const names[E] = { "CYCLES", "X", "NEVER" };
static const unsigned char always[E] = { 1, 0, 0 };

static struct made {
	struct ep_grid grid;
	struct ep_models models;
	float x[E * T * F];
	double base[E * T];
	struct ep_features features;
	struct ep_fill_task task;
} m;

static void make(void)
{
	static double values[T * E];
	static unsigned char measured[T * E];
	struct ep_series s = { T, E, names, values, measured, always, 0, -1 };

	for (size_t t = 0; t < T; t++) {
		values[t * E] = 1000;
		values[t * E + 1] = 50;
		measured[t * E] = 1;
		measured[t * E + 1] = t % 2 == 0;
	}
	CHECK_INT(ep_grid_init(&m.grid, &s), 0);
	CHECK_INT(ep_models_init(&m.models, NULL, NULL), 0);
	srand(5);
	for (size_t i = 0; i < EP_ARRAY_SIZE(m.x); i++)
		m.x[i] = 2 * ((float)rand() / (float)RAND_MAX) - 1;
	for (size_t i = 0; i < E * T; i++)
		m.base[i] = 3 + (double)i / 10;
	m.features = (struct ep_features){ T, E, m.x, m.base };
	m.task = (struct ep_fill_task){ &m.grid, &m.features, &m.models };
}

static void unmake(void)
{
	ep_grid_finish(&m.grid);
	ep_models_finish(&m.models);
}

/* x (T, F), y (T, O) of X's series, each slice by itself. */
static void ask_mlp(float *y)
{
	static float x[T * F];

	memcpy(x, m.x + T * F, sizeof(x));
	ep_network_scale(m.models.mlp, x, T);
	CHECK_INT(ep_network_run(m.models.mlp, x, T, 1, y), 0);
}

/* Computes the part that gru adds to y. Its input is the features and mlp's outputs. */
static void ask_gru(const float *y, float *more)
{
	static float x[T][F + O];

	for (size_t t = 0; t < T; t++) {
		memcpy(x[t], m.x + (T + t) * F, F * sizeof(float));
		memcpy(x[t] + F, y + t * O, O * sizeof(float));
	}
	ep_network_scale(m.models.gru, x[0], T);
	CHECK_INT(ep_network_run(m.models.gru, x[0], 1, T, more), 0);
}

/* A log may say any count up to e^43, and none below 0. */
static double count_of(double log_count)
{
	return expm1(fmin(fmax(log_count, 0), 43));
}

static void check_untouched(const struct ep_estimate *out)
{
	for (size_t i = 0; i < E * T; i++)
		if (i / T != 1 || i % 2 == 0)
			CHECK_MSG(out->value[i] == 0 && out->mean[i] == 0 && out->spread[i] == 0,
				"cell %zu was not asked for", i);
}

TEST(mlp_answers_become_counts)
{
	double cells[3][E * T] = { { 0 } };
	struct ep_estimate out = { cells[0], cells[1], cells[2] };
	float y[T * O];

	make();
	m.base[T + 1] = -50;
	m.base[T + 5] = 1000;
	ask_mlp(y);
	CHECK_INT(ep_fill_mlp(&m.task, &out), 0);
	for (size_t t = 1; t < T; t += 2) {
		size_t cell = T + t;
		const float *o = y + t * O;

		CHECK_CLOSE(out.value[cell], count_of(m.base[cell] + o[EP_OUT_VALUE]), 1e-5);
		CHECK_CLOSE(out.mean[cell], count_of(m.base[cell] + o[EP_OUT_MEAN]), 1e-5);
		CHECK_CLOSE(out.spread[cell], count_of(o[EP_OUT_WIDTH]) * 1.15 + 0.01, 1e-5);
	}
	CHECK_CLOSE(out.value[T + 1], 0, 0);
	CHECK_CLOSE(out.value[T + 5], expm1(43), 1e-9);
	check_untouched(&out);
	unmake();
}

TEST(gru_corrects_mlp_and_is_less_sure_where_it_does)
{
	double cells[3][E * T] = { { 0 } };
	struct ep_estimate out = { cells[0], cells[1], cells[2] };
	float y[T * O], more[T * O];

	make();
	ask_mlp(y);
	ask_gru(y, more);
	CHECK_INT(ep_fill_gru(&m.task, &out), 0);
	for (size_t t = 1; t < T; t += 2) {
		size_t cell = T + t;
		const float *o = y + t * O, *d = more + t * O;
		double before = count_of(m.base[cell] + o[EP_OUT_VALUE]);
		double value = count_of(m.base[cell] + o[EP_OUT_VALUE] + d[EP_OUT_VALUE]);
		double width = count_of(o[EP_OUT_WIDTH] + d[EP_OUT_WIDTH]);

		CHECK(d[EP_OUT_VALUE] != 0);
		CHECK_CLOSE(out.value[cell], value, 1e-4);
		CHECK_CLOSE(out.mean[cell],
			count_of(m.base[cell] + o[EP_OUT_MEAN] + d[EP_OUT_MEAN]), 1e-4);
		CHECK_CLOSE(out.spread[cell], width * 1.15 + fabs(value - before) + 0.01, 1e-3);
	}
	check_untouched(&out);
	unmake();
}

TEST(nothing_to_fill_is_nothing_to_ask)
{
	double cells[3][E * T] = { { 0 } };
	struct ep_estimate out = { cells[0], cells[1], cells[2] };

	make();
	m.grid.samples[1].n = 0;
	CHECK_INT(ep_fill_mlp(&m.task, &out), 0);
	CHECK_INT(ep_fill_gru(&m.task, &out), 0);
	check_untouched(&out);
	CHECK_CLOSE(out.value[T + 1], 0, 0);
	unmake();
}
