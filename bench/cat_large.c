// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every number comes from a hash of (seed, stream, index) by splitmix64 (Steele, Lea, Flood 2014),
 * so that any language writes the same set. E events, R repetitions, P points, D dims.
 */
#include "bench/cat_large.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

#define MAX_IDEAL 16

struct problem {
	const char *basis_text, *signatures_text;
	size_t n_ideal;
	const char *ideal_names[MAX_IDEAL];
	/* up to two expectations each: name and factor */
	const char *dims[MAX_IDEAL][2];
	double factors[MAX_IDEAL][2];
};

struct generator {
	const struct problem *problem;
	struct ep_set *set;
	uint64_t seed;
	size_t n_reps, n_points;
	double ideal[MAX_IDEAL][64]; /* (K, P) */
	double loop[64];             /* (P): the largest number of the point's row */
};

static uint64_t mix(uint64_t x)
{
	x += 0x9E3779B97F4A7C15ull;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
	return x ^ (x >> 31);
}

static uint64_t hash(uint64_t seed, uint64_t stream, uint64_t i)
{
	return mix(mix(mix(seed) ^ stream) ^ i);
}

static double uniform(uint64_t seed, uint64_t stream, uint64_t i)
{
	return (double)(hash(seed, stream, i) >> 11) * 0x1p-53;
}

#define FP(width) "FP_ARITH_INST_RETIRED:" width
#define VALU(op) "SQ_INSTS_VALU_" op

static const struct problem flops_problem = {
	.n_ideal = 8,
	.ideal_names = { FP("SCALAR_SINGLE"), FP("128B_PACKED_SINGLE"), FP("256B_PACKED_SINGLE"),
		FP("512B_PACKED_SINGLE"), FP("SCALAR_DOUBLE"), FP("128B_PACKED_DOUBLE"),
		FP("256B_PACKED_DOUBLE"), FP("512B_PACKED_DOUBLE") },
	.dims = { { "S_SCAL", "S_FMA_SCAL" }, { "S_128", "S_FMA_128" }, { "S_256", "S_FMA_256" },
		{ "S_512", "S_FMA_512" }, { "D_SCAL", "D_FMA_SCAL" }, { "D_128", "D_FMA_128" },
		{ "D_256", "D_FMA_256" }, { "D_512", "D_FMA_512" } },
	.factors = { { 1, 2 }, { 1, 2 }, { 1, 2 }, { 1, 2 }, { 1, 2 }, { 1, 2 }, { 1, 2 },
		{ 1, 2 } },
};

static const struct problem gpu_problem = {
	.n_ideal = 12,
	.ideal_names = { VALU("FMA_F16"), VALU("MUL_F16"), VALU("TRANS_F16"), VALU("ADD_F16"),
		VALU("FMA_F32"), VALU("MUL_F32"), VALU("TRANS_F32"), VALU("ADD_F32"),
		VALU("FMA_F64"), VALU("MUL_F64"), VALU("TRANS_F64"), VALU("ADD_F64") },
	.dims = { { "F_H" }, { "M_H" }, { "SQ_H" }, { "A_H", "S_H" }, { "F_S" }, { "M_S" },
		{ "SQ_S" }, { "A_S", "S_S" }, { "F_D" }, { "M_D" }, { "SQ_D" }, { "A_D", "S_D" } },
	.factors = { { 1 }, { 1 }, { 1 }, { 1, 1 }, { 1 }, { 1 }, { 1 }, { 1, 1 }, { 1 }, { 1 },
		{ 1 }, { 1, 1 } },
};

/* The bases in the order of their dims: each has three points of its own. */
static char *print_basis(const char *const *dims, size_t n_dims, const unsigned *loops)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "point");
	for (size_t d = 0; d < n_dims; d++)
		fprintf(out, ",%s", dims[d]);
	for (size_t p = 0; p < 3 * n_dims; p++) {
		unsigned loop = loops[p % 3] / (strstr(dims[p / 3], "FMA") ? 2 : 1);

		fprintf(out, "\nK_%s_%u", dims[p / 3], loop);
		for (size_t d = 0; d < n_dims; d++)
			fprintf(out, ",%u", d == p / 3 ? loop : 0);
	}
	fprintf(out, "\n");
	fclose(out);
	return text;
}

static int init_set(struct ep_set *set, bool is_gpu, struct ep_error *err)
{
	static const char *const flops_dims[] = { "S_SCAL", "S_128", "S_256", "S_512", "D_SCAL",
		"D_128", "D_256", "D_512", "S_FMA_SCAL", "S_FMA_128", "S_FMA_256", "S_FMA_512",
		"D_FMA_SCAL", "D_FMA_128", "D_FMA_256", "D_FMA_512" };
	static const char *const gpu_dims[] = { "A_H", "A_S", "A_D", "S_H", "S_S", "S_D", "M_H",
		"M_S", "M_D", "SQ_H", "SQ_S", "SQ_D", "F_H", "F_S", "F_D" };
	static const char flops_signatures[] =
		"metric,S_SCAL,S_128,S_256,S_512,D_SCAL,D_128,D_256,D_512,S_FMA_SCAL,S_FMA_128,"
		"S_FMA_256,S_FMA_512,D_FMA_SCAL,D_FMA_128,D_FMA_256,D_FMA_512\n"
		"SP Instrs.,1,1,1,1,0,0,0,0,2,2,2,2,0,0,0,0\n"
		"SP Ops.,1,4,8,16,0,0,0,0,2,8,16,32,0,0,0,0\n"
		"SP FMA Instrs.,0,0,0,0,0,0,0,0,2,2,2,2,0,0,0,0\n"
		"DP Instrs.,0,0,0,0,1,1,1,1,0,0,0,0,2,2,2,2\n"
		"DP Ops.,0,0,0,0,1,2,4,8,0,0,0,0,2,4,8,16\n"
		"DP FMA Instrs.,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,2\n";
	static const char gpu_signatures[] =
		"metric,A_H,A_S,A_D,S_H,S_S,S_D,M_H,M_S,M_D,SQ_H,SQ_S,SQ_D,F_H,F_S,F_D\n"
		"HP Add Ops.,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
		"HP Add and Sub Ops.,1,0,0,1,0,0,0,0,0,0,0,0,0,0,0\n"
		"All HP Ops.,1,0,0,1,0,0,1,0,0,1,0,0,2,0,0\n"
		"All SP Ops.,0,1,0,0,1,0,0,1,0,0,1,0,0,2,0\n"
		"All DP Ops.,0,0,1,0,0,1,0,0,1,0,0,1,0,0,2\n";
	EP_AUTOFREE char *basis = is_gpu ? print_basis(gpu_dims, 15, (unsigned[]){ 256, 512, 1024 })
					 : print_basis(flops_dims, 16, (unsigned[]){ 24, 48, 96 });
	int rc = ep_labelled_parse(&set->basis, "generated basis", basis, "point", err);

	if (!rc)
		rc = ep_labelled_parse(&set->signatures, "generated signatures",
			is_gpu ? gpu_signatures : flops_signatures, "metric", err);
	return rc;
}

static void fill_ideal(struct generator *g)
{
	const struct ep_labelled *basis = &g->set->basis;
	size_t n_dims = basis->columns.n;

	for (size_t p = 0; p < g->n_points; p++) {
		const double *row = basis->values + p * n_dims;

		for (size_t d = 0; d < n_dims; d++)
			g->loop[p] = fmax(g->loop[p], row[d]);
		for (size_t k = 0; k < g->problem->n_ideal; k++)
			for (size_t i = 0; i < 2 && g->problem->dims[k][i]; i++)
				g->ideal[k][p] += g->problem->factors[k][i] *
						  row[ep_labels_find(
							  &basis->columns, g->problem->dims[k][i])];
	}
}

/* An event that follows no expectation. */
static void fill_other(const struct generator *g, uint64_t e, double *out)
{
	double offset = uniform(g->seed, 6, e), slope = uniform(g->seed, 7, e);

	for (size_t p = 0; p < g->n_points; p++)
		out[p] = floor(20 + 400 * offset + g->loop[p] * slope * 3 +
			       0.6 * g->loop[p] * uniform(g->seed, 8, e * g->n_points + p));
}

static void fill_clean(const struct generator *g, uint64_t e, int class, double *out)
{
	static const double scales[] = { 2, 3, 4, 8, 16 };
	size_t n = g->problem->n_ideal, pick = hash(g->seed, 2, e) % n;
	double scale = scales[hash(g->seed, 3, e) % 5];
	size_t other = (pick + 1 + hash(g->seed, 4, e) % (n - 1)) % n;

	for (size_t p = 0; p < g->n_points; p++) {
		double a = g->ideal[pick][p], b = g->ideal[other][p];

		out[p] = class < 30 ? 0 : class < 34 ? a : class < 40 ? a * scale : a + scale * b;
	}
}

static void fill_event(const struct generator *g, uint64_t e, long ideal, double *rows)
{
	int class = (int)(hash(g->seed, 1, e) % 100);
	double level = pow(10, -4 + 4 * uniform(g->seed, 5, e)), clean[64];

	if (ideal >= 0)
		memcpy(clean, g->ideal[ideal], sizeof(clean));
	else if (class >= 46)
		fill_other(g, e, clean);
	else
		fill_clean(g, e, class, clean);
	for (size_t r = 0; r < g->n_reps; r++)
		for (size_t p = 0; p < g->n_points; p++) {
			double *out = &rows[r * g->n_points + p], u;

			*out = clean[p];
			if (class < 60 || ideal >= 0)
				continue;
			u = 2 * uniform(g->seed, 9, (e * g->n_reps + r) * g->n_points + p) - 1;
			*out = nearbyint(*out * (1 + level * u) * 1e6) / 1e6;
		}
}

static int fill_events(struct generator *g, size_t n_events)
{
	struct ep_events *events = &g->set->events;
	size_t n_found = 0, idx;
	int is_new;

	events->values = malloc(n_events * g->n_reps * g->n_points * sizeof(double));
	events->first_row = malloc((n_events + 1) * sizeof(*events->first_row));
	events->text = malloc(n_events * 12);
	if (!events->values || !events->first_row || !events->text)
		return -1;
	for (size_t e = 0; e < n_events; e++) {
		int class = (int)(hash(g->seed, 1, e) % 100);
		bool is_ideal = class >= 30 && class < 46 && n_found < g->problem->n_ideal;
		long ideal = is_ideal ? (long)n_found++ : -1;
		char *name = events->text + e * 12;

		snprintf(name, 12, "EV_%07u", (unsigned)(e % 10000000));
		if (ep_labels_add(&events->names,
			    ideal >= 0 ? g->problem->ideal_names[ideal] : name, &idx, &is_new))
			return -1;
		events->first_row[e] = e * g->n_reps;
		fill_event(g, e, ideal, events->values + e * g->n_reps * g->n_points);
	}
	events->first_row[n_events] = events->n_rows = n_events * g->n_reps;
	return 0;
}

int cat_large_init(struct ep_set *set, const char *basis, size_t n_events, uint64_t seed,
	size_t n_reps, struct ep_error *err)
{
	bool is_gpu = !strcmp(basis, "gpu");
	struct generator g = { is_gpu ? &gpu_problem : &flops_problem, set, seed, n_reps };
	int rc;

	*set = (struct ep_set){ .params = ep_params_default };
	rc = init_set(set, is_gpu, err);
	if (rc)
		return rc;
	set->events.n_points = g.n_points = set->basis.rows.n;
	fill_ideal(&g);
	return fill_events(&g, n_events) ? ep_fail(err, -12, "out of memory") : 0;
}

void cat_large_finish(struct ep_set *set)
{
	ep_set_finish(set);
}
