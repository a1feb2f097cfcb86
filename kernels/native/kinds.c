// SPDX-License-Identifier: BSD-3-Clause
/* The formats of cat_collect's files (PAPI 7.3), and the expectations for each line. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/native/native_private.h"

static const char cache_params[] =
	"{\"tau\": 0.1, \"alpha\": 0.05, \"projection_cut\": 0.1, \"coefficient_tolerance\": 0.05, \"title\": \"Data cache, per access\"}";

static const char cache_signatures[] = "metric,L1_DM,L1_DH,L2_DH,L3_DH\n"
				       "L1 Misses.,1,0,0,0\n"
				       "L1 Hits.,0,1,0,0\n"
				       "L1 Reads.,1,1,0,0\n"
				       "L2 Hits.,0,0,1,0\n"
				       "L2 Misses.,1,0,-1,0\n"
				       "L3 Hits.,0,0,0,1\n";

static const char operation_signatures[] =
	"metric,S_ADD,S_SUB,S_MUL,S_DIV,S_SQRT,S_FMA,D_ADD,D_SUB,D_MUL,D_DIV,D_SQRT,D_FMA\n"
	"SP Ops.,1,1,1,1,1,2,0,0,0,0,0,0\n"
	"DP Ops.,0,0,0,0,0,0,1,1,1,1,1,2\n";

/* Takes a line of a branch file. Such a file has eleven lines of one number each, in the order of the basis. */
static int take_branch(struct native_state *state, const struct native_row *row,
	struct native_point *point, const char **out_fault)
{
	static const char *const names[] = { "b1", "b2", "b3", "b4", "b4a", "b4b", "b5", "b5a",
		"b5b", "b6", "b7" };

	if (row->n_fields != 1 || row->row >= EP_ARRAY_SIZE(names)) {
		*out_fault = "expected 11 lines of one number";
		return -EINVAL;
	}
	snprintf(point->name, sizeof(point->name), "%s", names[row->row]);
	point->values = row->fields;
	point->n_threads = 1;
	return 1;
}

/* Takes a line "expected count" of a vector file. The lines are for half, single and double precision without FMA, each
 * scalar and with 128, 256 and 512 bits, then for the same with FMA; each kernel has three lines. */
static int take_vec(struct native_state *state, const struct native_row *row,
	struct native_point *point, const char **out_fault)
{
	static const char *const widths[] = { "SCAL", "128", "256", "512" };
	size_t kernel = row->row / 3, is_fma = kernel / 12;

	if (row->n_fields != 2 || kernel >= 24) {
		*out_fault = "expected 72 lines of two numbers";
		return -EINVAL;
	}
	double expected = (is_fma ? 12 : 24) << (row->row % 3);
	if (row->fields[0] != expected) {
		*out_fault =
			"the expected count is not that of CAT's vector kernels (24, 48, 96 or 12, 24, 48)";
		return -EINVAL;
	}
	snprintf(point->name, sizeof(point->name), "K_%c%s_%s_%.0f", "HSD"[kernel / 4 % 3],
		is_fma ? "_FMA" : "", widths[kernel % 4], expected);
	point->values = row->fields + 1;
	point->n_threads = 1;
	return 1;
}

/* Takes a line of flops files: "N raw ratio add sub mul div sqrt fma total", below titles such as
 * "Single-Precision GEMM". */
static int take_flops(struct native_state *state, const struct native_row *row,
	struct native_point *point, const char **out_fault)
{
	const char *kernel = strchr(row->title, ' ');
	bool is_double = !strncmp(row->title, "Double", 6);

	if (row->n_fields != 10 || !kernel) {
		*out_fault =
			"expected \"N raw ratio add sub mul div sqrt fma total\" under a title";
		return -EINVAL;
	}
	/* left out: N = 0, whose total of 1 is in no column; and half precision, which has placeholders on
	 * x86 */
	if (row->fields[0] == 0 || !strncmp(row->title, "Half", 4))
		return 0;
	snprintf(point->name, sizeof(point->name), "%c_%.20s_%g", is_double ? 'D' : 'S', kernel + 1,
		row->fields[0]);
	for (size_t i = 0; i < 6; i++)
		point->expected[6 * is_double + i] = row->fields[3 + i];
	point->values = row->fields + 1;
	point->n_threads = 1;
	return 1;
}

/* Takes a title of a cache file: the sizes of the caches, or the parameters of the lines below, of which the largest
 * block size is kept. */
static void take_cache_title(struct native_state *state, const char *title)
{
	double l1, l2, l3, pages;
	int pattern, stride;

	if (sscanf(title, " L1:%lf L2:%lf L3:%lf", &l1, &l2, &l3) == 3) {
		state->level_bytes[0] = l1;
		state->level_bytes[1] = l2;
		state->level_bytes[2] = l3;
	}
	if (sscanf(title, " PTRN=%d, STRIDE=%d, PPB=%lf", &pattern, &stride, &pages) == 3)
		state->block_pages = fmax(state->block_pages, pages);
}

/* Takes a line of cache files: "bytes count count ...", one count for each thread. Only random chases (pattern 3) in
 * the largest blocks avoid the prefetchers, so other lines do not fit a basis of demand hits and misses, and are left
 * out. */
static int take_cache(struct native_state *state, const struct native_row *row,
	struct native_point *point, const char **out_fault)
{
	static const char *const levels[] = { "L1", "L2", "L3", "MM" };
	static const double expected[][4] = { { 0, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 },
		{ 1, 0, 0, 0 } };
	double pages;
	int pattern, stride;
	size_t level = 0;

	if (row->n_fields < 2 ||
		sscanf(row->title, " PTRN=%d, STRIDE=%d, PPB=%lf", &pattern, &stride, &pages) !=
			3 ||
		!state->level_bytes[0]) {
		*out_fault = "expected \"bytes count...\" under \"# L1:\" and \"# PTRN=\" lines";
		return -EINVAL;
	}
	if (pattern != 3 || pages < state->block_pages)
		return 0;
	while (level < 3 && row->fields[0] > state->level_bytes[level])
		level++;
	snprintf(point->name, sizeof(point->name), "stride%d_%s_%.0f", stride, levels[level],
		row->fields[0]);
	memcpy(point->expected, expected[level], sizeof(expected[level]));
	point->values = row->fields + 1;
	point->n_threads = row->n_fields - 1;
	return 1;
}

/* Takes a line of instruction-cache files: 24 code sizes in basic blocks, first with the blocks executed,
 * then jumped over. */
static int take_icache(struct native_state *state, const struct native_row *row,
	struct native_point *point, const char **out_fault)
{
	static const int sizes[] = { 10, 20, 30, 50, 100, 150, 200, 300, 400, 600, 800, 1200, 1600,
		2400, 3200, 5000, 10000, 15000, 20000, 25000, 35000, 40000, 50000, 60000 };
	size_t n = EP_ARRAY_SIZE(sizes);

	if (row->n_fields != 1 || row->row >= 2 * n) {
		*out_fault = "expected 48 lines of one number";
		return -EINVAL;
	}
	snprintf(point->name, sizeof(point->name), "%s_%d", row->row < n ? "TRUE" : "FALSE",
		sizes[row->row % n]);
	point->values = row->fields;
	point->n_threads = 1;
	return 1;
}

#define CACHE_KIND(kind_suffix, set_name)                                                          \
	{                                                                                          \
		.suffix = kind_suffix, .name = set_name,                                           \
		.basis_columns = "L1_DM,L1_DH,L2_DH,L3_DH", .signatures = cache_signatures,        \
		.params = cache_params, .take_title = take_cache_title, .take_row = take_cache     \
	}

const struct native_kind native_kinds[] = {
	{ .suffix = ".branch", .name = "branch", .builtin = "branch", .take_row = take_branch },
	{ .suffix = ".vec", .name = "flops", .builtin = "flops", .take_row = take_vec },
	{ .suffix = ".flops",
		.name = "operations",
		.basis_columns =
			"S_ADD,S_SUB,S_MUL,S_DIV,S_SQRT,S_FMA,D_ADD,D_SUB,D_MUL,D_DIV,D_SQRT,D_FMA",
		.signatures = operation_signatures,
		.params = "{\"title\": \"Linear algebra kernels, raw counts\"}",
		.take_row = take_flops },
	CACHE_KIND(".data.reads", "dcache-reads"),
	CACHE_KIND(".data.writes", "dcache-writes"),
	{ .suffix = ".icache", .name = "icache", .take_row = take_icache },
};
const size_t ep_native_n_kinds = EP_ARRAY_SIZE(native_kinds);
