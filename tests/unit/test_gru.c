// SPDX-License-Identifier: BSD-3-Clause
/* GRU layers against the equations written out for one unit at a time (PyTorch's documentation). */
#include "common/cleanup.h"
#include "reporter/estimate/network_layers.h"
#include "tests/unit/test.h"

enum { F = 5, H0 = 4, H1 = 3, O = 2, MOST_T = 7, MOST_B = 66, MOST_H = 4, WIDE = 2 * MOST_H };

static float weights[4096];
static size_t n_weights;

static const float *some_weights(size_t n)
{
	const float *at = weights + n_weights;

	for (size_t i = 0; i < n; i++)
		weights[n_weights++] = (float)rand() / (float)RAND_MAX - 0.5f;
	CHECK(n_weights <= EP_ARRAY_SIZE(weights));
	return at;
}

static struct ep_gru_direction direction_of(size_t n_in, size_t n_hidden)
{
	struct ep_gru_direction d = { .n_in = n_in, .n_hidden = n_hidden };

	d.input_weight = some_weights(3 * n_hidden * n_in);
	d.hidden_weight = some_weights(3 * n_hidden * n_hidden);
	d.input_bias = some_weights(3 * n_hidden);
	d.hidden_bias = some_weights(3 * n_hidden);
	return d;
}

/* n_layers of H0, then H1 units; a dense layer behind them. */
static void make(struct ep_network *n, size_t n_layers, size_t n_directions)
{
	static const size_t units[] = { H0, H1 };
	size_t n_in = F;

	srand(7);
	n_weights = 0;
	*n = (struct ep_network){ .n_inputs = F,
		.n_outputs = O,
		.n_dense = 1,
		.n_recurrent = n_layers,
		.n_directions = n_directions };
	for (size_t i = 0; i < n_layers; i++) {
		for (size_t k = 0; k < n_directions; k++)
			n->recurrent[i][k] = direction_of(n_in, units[i]);
		n_in = units[i] * n_directions;
	}
	n->dense[0] = (struct ep_dense){ n_in, O, some_weights(O * n_in), some_weights(O) };
}

static double dot(const float *weight, const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += weight[i] * x[i];
	return sum;
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* The new state of unit i. */
static double stepped(const struct ep_gru_direction *d, const double *x, const double *h, size_t i)
{
	double in[3], hidden[3], r, z;

	for (size_t g = 0; g < 3; g++) {
		size_t row = g * d->n_hidden + i;
		in[g] = dot(d->input_weight + row * d->n_in, x, d->n_in) + d->input_bias[row];
		hidden[g] = dot(d->hidden_weight + row * d->n_hidden, h, d->n_hidden) +
			    d->hidden_bias[row];
	}
	r = sigmoid(in[0] + hidden[0]);
	z = sigmoid(in[1] + hidden[1]);
	return (1 - z) * tanh(in[2] + r * hidden[2]) + z * h[i];
}

/* x (T, n_in) -> out (T, WIDE) from column `first` */
static void walk(const struct ep_gru_direction *d, double x[][WIDE], size_t n_steps, bool backwards,
	double out[][WIDE], size_t first)
{
	double state[MOST_H] = { 0 };

	for (size_t i = 0; i < n_steps; i++) {
		size_t t = backwards ? n_steps - 1 - i : i;
		for (size_t u = 0; u < d->n_hidden; u++)
			out[t][first + u] = stepped(d, x[t], state, u);
		memcpy(state, out[t] + first, d->n_hidden * sizeof(*state));
	}
}

/* One sequence (T, F) -> (T, O) */
static void reference(const struct ep_network *n, const float *x, size_t n_steps, double *out)
{
	double at[MOST_T][WIDE] = { 0 }, next[MOST_T][WIDE] = { 0 };

	for (size_t t = 0; t < n_steps; t++)
		for (size_t f = 0; f < F; f++)
			at[t][f] = x[t * F + f];
	for (size_t i = 0; i < n->n_recurrent; i++) {
		for (size_t k = 0; k < n->n_directions; k++)
			walk(&n->recurrent[i][k], at, n_steps, k == 1, next,
				k * n->recurrent[i][0].n_hidden);
		memcpy(at, next, sizeof(at));
	}
	for (size_t t = 0; t < n_steps; t++)
		for (size_t o = 0; o < O; o++)
			out[t * O + o] = dot(n->dense[0].weight + o * n->dense[0].n_in, at[t],
						 n->dense[0].n_in) +
					 n->dense[0].bias[o];
}

/* One sequence, some, and more than go through at once. */
TEST(layers_are_the_equations)
{
	static const struct {
		size_t n_layers, n_directions, n_sequences, n_steps;
	} rows[] = { { 1, 1, 1, 1 }, { 1, 1, 1, 6 }, { 1, 2, 3, 6 }, { 2, 1, 1, 7 }, { 2, 2, 1, 7 },
		{ 2, 2, 66, 5 } };
	static float x[MOST_B * MOST_T * F], out[MOST_B * MOST_T * O];
	static struct ep_network n;

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		size_t n_steps = rows[i].n_steps;
		double worst = 0;

		make(&n, rows[i].n_layers, rows[i].n_directions);
		for (size_t k = 0; k < EP_ARRAY_SIZE(x); k++)
			x[k] = 4 * ((float)rand() / (float)RAND_MAX - 0.5f);
		CHECK_INT(ep_architecture_gru.run(&n, x, rows[i].n_sequences, n_steps, out), 0);
		for (size_t b = 0; b < rows[i].n_sequences; b++) {
			double expected[MOST_T * O];

			reference(&n, x + b * n_steps * F, n_steps, expected);
			for (size_t k = 0; k < n_steps * O; k++)
				worst = fmax(worst, fabs(out[b * n_steps * O + k] - expected[k]));
		}
		/* 32-bit floats, and sigmoids of our own */
		CHECK_MSG(worst < 1e-5, "row %zu is off by %g", i, worst);
	}
}
