// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs DOT, GEMV and GEMM in single and double precision by OpenBLAS on one thread: 2N, 2N^2 and 2N^3 operations. The
 * expected memory traffic, for operands that start outside of the caches and fit into them, is that of the
 * arithmetic-intensity paper: 2 N w, (N^2 + 2 N) w and 3 N^2 w bytes read (w bytes per number), and a line of 64 bytes
 * written for each element of the result (N for GEMV, N^2 for GEMM). Before each run a buffer larger than the
 * last-level cache is read. A run makes 64 calls, or as many as --copies asks for, each on operands that were not used
 * before, since counters for the whole machine are noisy. If the operands of all calls need more than 1 MiB for each
 * call, a run makes as many calls as fit into that memory.
 */
#include <cblas.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/measure/kernel.h"

extern void openblas_set_num_threads(int n_threads);

static const int sizes[] = { 8, 16, 24, 32, 48, 64, 80, 100, 150, 200, 250, 300, 350, 400, 450,
	500 };
enum { n_operations = 3, usual_copies = 64, copy_bytes = 1 << 20, largest_call_bytes = 8 << 20 };

struct blas_state {
	char *pool; /* operands, one copy after the other */
	size_t pool_bytes;
	char *flush;
	size_t flush_bytes;
	volatile double sink;
};

static const char *const operation_names[] = { "DOT", "GEMV", "GEMM" };

struct blas_point {
	int operation, n;
	bool is_double;
};

/* Splits a point's index: points are in the order of the basis, which is by precision, operation and size. */
static struct blas_point split_point(size_t point)
{
	size_t n_sizes = EP_ARRAY_SIZE(sizes);

	return (struct blas_point){
		.operation = (int)(point / n_sizes % n_operations),
		.n = sizes[point % n_sizes],
		.is_double = point / n_sizes / n_operations,
	};
}

static int add_row(struct ep_run *run, struct blas_point p, struct ep_error *err)
{
	double n = p.n, word = p.is_double ? 8 : 4, line = (double)run->machine->line_bytes;
	double flops[] = { 2 * n, 2 * n * n, 2 * n * n * n };
	double reads[] = { 2 * n * word, (n * n + 2 * n) * word, 3 * n * n * word };
	double writes[] = { 0, n * 64, n * n * 64 };
	double expected[] = { p.is_double ? 0 : flops[p.operation],
		p.is_double ? flops[p.operation] : 0,
		(reads[p.operation] + writes[p.operation]) / line };
	char name[64];

	snprintf(name, sizeof(name), "%c_%s_%d", p.is_double ? 'D' : 'S',
		operation_names[p.operation], p.n);
	return ep_labelled_add(&run->set.basis, name, expected, err);
}

static int make_expectations(struct ep_run *run, struct ep_error *err)
{
	static const char signatures[] = "metric,S_FLOPS,D_FLOPS,MEM_LINES\n"
					 "SP Ops.,1,0,0\n"
					 "DP Ops.,0,1,0\n"
					 "Memory Lines.,0,0,1\n";
	int rc = ep_labelled_begin(
		&run->set.basis, run->kernel->name, "S_FLOPS,D_FLOPS,MEM_LINES", err);

	for (size_t p = 0; !rc && p < 2 * n_operations * EP_ARRAY_SIZE(sizes); p++)
		rc = add_row(run, split_point(p), err);
	return rc ? rc
		  : ep_run_expect(run, signatures,
			    "{\"tau\": 0.01, \"title\": \"BLAS: operations and memory lines per call\"}",
			    err);
}

static int open_blas(struct ep_run *run, struct ep_error *err)
{
	struct blas_state *state = calloc(1, sizeof(*state));

	if (!state)
		return ep_fail(err, -ENOMEM, "out of memory");
	run->state = state;
	run->n_threads = 1;
	run->n_copies = run->n_copies ? run->n_copies : usual_copies;
	state->flush_bytes = 2 * (run->machine->l3.size_bytes ? run->machine->l3.size_bytes
							      : run->machine->l2.size_bytes);
	state->flush = malloc(state->flush_bytes);
	state->pool_bytes = run->n_copies * copy_bytes;
	if (state->pool_bytes < largest_call_bytes)
		state->pool_bytes = largest_call_bytes;
	state->pool = malloc(state->pool_bytes);
	if (!state->flush || !state->pool)
		return ep_fail(err, -ENOMEM, "out of memory");
	memset(state->flush, 1, state->flush_bytes);
	memset(state->pool, 0, state->pool_bytes);
	openblas_set_num_threads(1);
	return make_expectations(run, err);
}

static void prepare_blas(struct ep_run *run, size_t point, size_t thread)
{
	struct blas_state *state = run->state;
	double sum = 0;

	for (size_t i = 0; i < state->flush_bytes; i += run->machine->line_bytes)
		sum += state->flush[i];
	state->sink = sum;
}

static void work_single(struct blas_point p, float *a, float *b, float *c, volatile double *sink)
{
	switch (p.operation) {
	case 0:
		*sink = cblas_sdot(p.n, a, 1, b, 1);
		break;
	case 1:
		cblas_sgemv(CblasRowMajor, CblasNoTrans, p.n, p.n, 1, a, p.n, b, 1, 0, c, 1);
		break;
	case 2:
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.n, p.n, p.n, 1, a, p.n, b,
			p.n, 0, c, p.n);
		break;
	}
}

static void work_double(struct blas_point p, double *a, double *b, double *c, volatile double *sink)
{
	switch (p.operation) {
	case 0:
		*sink = cblas_ddot(p.n, a, 1, b, 1);
		break;
	case 1:
		cblas_dgemv(CblasRowMajor, CblasNoTrans, p.n, p.n, 1, a, p.n, b, 1, 0, c, 1);
		break;
	case 2:
		cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.n, p.n, p.n, 1, a, p.n, b,
			p.n, 0, c, p.n);
		break;
	}
}

/* Returns the size of one operand, rounded up to whole cache lines. */
static size_t operand_bytes(struct blas_point p)
{
	size_t size = (size_t)p.n * (p.operation ? p.n : 1) * (p.is_double ? 8 : 4);

	return (size + 63) & ~(size_t)63;
}

static size_t count_copies(const struct ep_run *run, struct blas_point p)
{
	const struct blas_state *state = run->state;
	size_t n = state->pool_bytes / (3 * operand_bytes(p));

	return n < run->n_copies ? n : run->n_copies;
}

static void work_blas(struct ep_run *run, size_t point, size_t thread)
{
	struct blas_state *state = run->state;
	struct blas_point p = split_point(point);
	size_t size = operand_bytes(p), n_copies = count_copies(run, p);

	for (size_t i = 0; i < n_copies; i++) {
		char *a = state->pool + 3 * i * size, *b = a + size, *c = b + size;

		if (p.is_double)
			work_double(p, (double *)a, (double *)b, (double *)c, &state->sink);
		else
			work_single(p, (float *)a, (float *)b, (float *)c, &state->sink);
	}
}

static double blas_divisor(const struct ep_run *run, size_t point)
{
	return (double)count_copies(run, split_point(point));
}

static void close_blas(struct ep_run *run)
{
	struct blas_state *state = run->state;

	free(state->flush);
	free(state->pool);
	free(state);
}

const struct ep_micro_kernel ep_kernel_blas = {
	.name = "blas",
	.summary = "dot product, matrix times vector, matrix times matrix by OpenBLAS, cold caches",
	.open = open_blas,
	.prepare = prepare_blas,
	.work = work_blas,
	.divisor = blas_divisor,
	.close = close_blas,
	.has_basis = true,
};
