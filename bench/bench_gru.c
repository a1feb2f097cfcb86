// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_gru [N_FEATURES]: a three-layer bidirectional GRU of 64 over 500 steps, batches of 1 and
 * 64, against its matrix products alone, done by the same OpenBLAS on one thread. Random weights;
 * best of ten. The ratio is what counts: below 1.5 at batch 64. PyTorch's time for the same network
 * comes from bench/bench_gru.py.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reporter/estimate/network_layers.h"

enum { LAYERS = 3, HIDDEN = 64, STEPS = 500, OUTPUTS = 3, ROUNDS = 10 };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static float *random_floats(size_t n)
{
	float *out = malloc(n * sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = ((float)rand() / (float)RAND_MAX - 0.5f) / 4;
	return out;
}

static void make_network(struct ep_network *n, size_t n_features)
{
	n->n_inputs = n_features;
	n->n_outputs = OUTPUTS;
	n->n_recurrent = LAYERS;
	n->n_directions = 2;
	n->n_dense = 1;
	for (int i = 0; i < LAYERS; i++)
		for (int k = 0; k < 2; k++) {
			size_t n_in = i ? 2 * HIDDEN : n_features;
			n->recurrent[i][k] = (struct ep_gru_direction){ n_in, HIDDEN,
				random_floats(3 * HIDDEN * n_in),
				random_floats(3 * HIDDEN * HIDDEN), random_floats(3 * HIDDEN),
				random_floats(3 * HIDDEN) };
		}
	n->dense[0] = (struct ep_dense){ 2 * HIDDEN, OUTPUTS, random_floats(OUTPUTS * 2 * HIDDEN),
		random_floats(OUTPUTS) };
}

/* The network's products and nothing else, on memory of the same sizes. */
static void products(const struct ep_network *n, int batch, const float *x, float *gates,
	const float *state, float *step)
{
	for (int i = 0; i < LAYERS; i++)
		for (int k = 0; k < 2; k++) {
			const struct ep_gru_direction *d = &n->recurrent[i][k];
			int n_in = (int)d->n_in;
			cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, STEPS * batch,
				3 * HIDDEN, n_in, 1, x, n_in, d->input_weight, n_in, 0, gates,
				3 * HIDDEN);
			for (int t = 0; t < STEPS; t++)
				if (batch == 1)
					cblas_sgemv(CblasRowMajor, CblasNoTrans, 3 * HIDDEN, HIDDEN,
						1, d->hidden_weight, HIDDEN, state, 1, 0, step, 1);
				else
					cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch,
						3 * HIDDEN, HIDDEN, 1, state, HIDDEN,
						d->hidden_weight, HIDDEN, 0, step, 3 * HIDDEN);
		}
}

static void bench(const struct ep_network *n, int batch)
{
	size_t n_rows = (size_t)STEPS * batch, widest = n->n_inputs > 128 ? n->n_inputs : 128;
	float *x = random_floats(n_rows * widest), *out = random_floats(n_rows * OUTPUTS);
	float *gates = random_floats(n_rows * 3 * HIDDEN);
	float *state = random_floats((size_t)batch * HIDDEN);
	float *step = random_floats((size_t)batch * 3 * HIDDEN);
	double whole = 1e30, alone = 1e30;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_ms(), middle;
		if (ep_architecture_gru.run(n, x, (size_t)batch, STEPS, out))
			exit(1);
		middle = now_ms();
		products(n, batch, x, gates, state, step);
		whole = middle - start < whole ? middle - start : whole;
		alone = now_ms() - middle < alone ? now_ms() - middle : alone;
	}
	printf("batch %2d: %8.2f ms, products alone %8.2f ms, ratio %.2f; %.2f us a step and "
	       "sequence\n",
		batch, whole, alone, whole / alone, 1e3 * whole / (double)n_rows);
	free(x);
	free(out);
	free(gates);
	free(state);
	free(step);
}

int main(int argc, char **argv)
{
	static struct ep_network network;

	openblas_set_num_threads(1);
	make_network(&network, argc > 1 ? strtoul(argv[1], NULL, 10) : 16);
	bench(&network, 1);
	bench(&network, 64);
	return 0;
}
