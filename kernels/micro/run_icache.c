// SPDX-License-Identifier: BSD-3-Clause
/*
 * Instruction cache: runs code that is generated at run time, a chain of blocks that are executed (TRUE) or jumped over
 * (FALSE). The code has three sizes inside each cache and three beyond. Each size is also run with the caches flushed
 * before. Counts are per line of code that is fetched.
 *
 * A block is a conditional branch over its body and the body of no-operations, together four lines. If a
 * block is jumped over, only its first line is fetched.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "kernels/measure/kernel.h"

enum { block_lines = 4, per_level = 3, max_levels = 4, n_passes = 20 };

struct icache_point {
	bool is_executed, is_flushed;
	size_t n_blocks;
	int level; /* 0: the code fits the first-level instruction cache */
};

struct icache_state {
	struct icache_point points[2 * 2 * max_levels * per_level];
	size_t n_points, n_levels;
	char *code;
	size_t code_bytes, block_bytes;
	size_t last_ret; /* index of the block in whose place the return is */
	char *flush;
	size_t flush_bytes;
	volatile uint64_t sink;
};

typedef void (*icache_fn)(uint64_t is_executed);

#if defined(__x86_64__)

/* Writes a block: test %edi,%edi; jz rel32, which depends on the argument; then nops of eight bytes (Intel
 * SDM, NOP). */
static void write_block(char *block, size_t size)
{
	static const char nop8[] = "\x0f\x1f\x84\x00\x00\x00\x00\x00";
	int32_t distance = (int32_t)size - 8;

	memcpy(block, "\x85\xff\x0f\x84", 4);
	memcpy(block + 4, &distance, 4);
	for (size_t i = 8; i < size; i += 8)
		memcpy(block + i, nop8, 8);
}

static void write_return(char *block)
{
	*block = '\xc3';
}

#elif defined(__aarch64__)

/* Writes a block: cbz x0, +size (imm19 in units of four bytes); then nops. */
static void write_block(char *block, size_t size)
{
	uint32_t branch = 0xb4000000u | (uint32_t)(size / 4) << 5, nop = 0xd503201fu;

	memcpy(block, &branch, 4);
	for (size_t i = 4; i < size; i += 4)
		memcpy(block + i, &nop, 4);
}

static void write_return(char *block)
{
	uint32_t ret = 0xd65f03c0u;

	memcpy(block, &ret, 4);
}

#else

static void write_block(char *block, size_t size)
{
}

static void write_return(char *block)
{
}

#endif

/* Removes the code from all caches, the instruction cache included. On CPUs without an instruction for that,
 * a buffer larger than the last-level cache is read instead. */
static void flush_code(const char *code, size_t size, size_t line)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < size; i += line)
		__builtin_ia32_clflush(code + i);
	__builtin_ia32_mfence();
#endif
}

static bool can_make_code(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

/* Makes the code n_blocks blocks long by moving the return to the place after the last block. */
static void end_code(struct icache_state *state, size_t n_blocks)
{
	char *old = state->code + state->last_ret * state->block_bytes;
	char *end = state->code + n_blocks * state->block_bytes;

	if (state->last_ret == n_blocks)
		return;
	mprotect(state->code, state->code_bytes, PROT_READ | PROT_WRITE);
	write_block(old, state->block_bytes);
	write_return(end);
	mprotect(state->code, state->code_bytes, PROT_READ | PROT_EXEC);
	__builtin___clear_cache(state->code, state->code + state->code_bytes);
	state->last_ret = n_blocks;
}

/* Returns how many lines are fetched for each block. */
static size_t lines_per_block(const struct icache_point *p)
{
	return p->is_executed ? block_lines : 1;
}

static void add_points(struct icache_state *state, const struct ep_cal_machine *m,
	const double *edges, bool is_executed, bool is_flushed)
{
	for (size_t level = 0; level < state->n_levels; level++)
		for (int k = 0; k < per_level; k++) {
			struct icache_point *p = &state->points[state->n_points++];
			double exponent = (k + 1) / (double)(per_level + 1);
			double size = edges[level] * pow(edges[level + 1] / edges[level], exponent);

			*p = (struct icache_point){ is_executed, is_flushed, 0, (int)level };
			p->n_blocks = (size_t)size / m->line_bytes / lines_per_block(p);
			if (p->n_blocks > state->code_bytes / state->block_bytes)
				state->code_bytes = (p->n_blocks + 1) * state->block_bytes;
		}
}

/* Makes the points of all levels: L1I, L2 and beyond. The last-level cache would need too much code. */
static void make_points(struct icache_state *state, const struct ep_cal_machine *m)
{
	double edges[] = { (double)m->l1i.size_bytes / 8, (double)m->l1i.size_bytes,
		(double)m->l2.size_bytes, 4 * (double)m->l2.size_bytes };

	state->n_levels = 3;
	for (int flushed = 0; flushed < 2; flushed++) {
		add_points(state, m, edges, true, flushed);
		add_points(state, m, edges, false, flushed);
	}
}

static int make_basis(
	const struct icache_state *state, struct ep_labelled *basis, struct ep_error *err)
{
	static const char *const level_names[] = { "L1", "L2", "BEYOND" };
	int rc = ep_labelled_begin(basis, "icache", "L1I_M,L1I_H,L2I_H", err);

	for (size_t i = 0; !rc && i < state->n_points; i++) {
		const struct icache_point *p = &state->points[i];
		int level = p->is_flushed ? 2 : p->level;
		double expected[] = { level > 0, level == 0, level == 1 };
		char name[64];

		snprintf(name, sizeof(name), "%s%s_%s_%zu", p->is_executed ? "TRUE" : "FALSE",
			p->is_flushed ? "_FLUSH" : "", level_names[p->level], i % per_level);
		rc = ep_labelled_add(basis, name, expected, err);
	}
	return rc;
}

static int make_expectations(struct ep_run *run, struct ep_error *err)
{
	int rc = make_basis(run->state, &run->set.basis, err);

	return rc ? rc
		  : ep_run_expect(run,
			    "metric,L1I_M,L1I_H,L2I_H\n"
			    "L1I Misses.,1,0,0\nL1I Hits.,0,1,0\nL1I Fetches.,1,1,0\nL2I Hits.,0,0,1\n"
			    "L2I Misses.,1,0,-1\n",
			    "{\"tau\": 0.1, \"alpha\": 0.05, \"projection_cut\": 0.1, \"coefficient_tolerance\": 0.05, \"title\": \"Instruction cache, per line fetched\"}",
			    err);
}

static int make_code(struct icache_state *state, struct ep_error *err)
{
	state->code = mmap(NULL, state->code_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (state->code == MAP_FAILED) {
		state->code = NULL;
		return ep_fail(err, -ENOMEM, "no memory for %zu bytes of code", state->code_bytes);
	}
	state->last_ret = state->code_bytes / state->block_bytes - 1;
	for (size_t b = 0; b <= state->last_ret; b++)
		write_block(state->code + b * state->block_bytes, state->block_bytes);
	write_return(state->code + state->last_ret * state->block_bytes);
	if (mprotect(state->code, state->code_bytes, PROT_READ | PROT_EXEC))
		return ep_fail(err, -ENOTSUP, "this system does not let a program make code");
	return 0;
}

static int open_icache(struct ep_run *run, struct ep_error *err)
{
	const struct ep_cal_machine *m = run->machine;
	struct icache_state *state = calloc(1, sizeof(*state));

	if (!state)
		return ep_fail(err, -ENOMEM, "out of memory");
	run->state = state;
	run->n_threads = 1;
	if (!can_make_code())
		return ep_fail(err, -ENOTSUP, "no code generator for this instruction set");
	state->block_bytes = block_lines * m->line_bytes;
	make_points(state, m);
	state->flush_bytes = 2 * (m->l3.size_bytes ? m->l3.size_bytes : m->l2.size_bytes);
	state->flush = malloc(state->flush_bytes);
	if (!state->flush)
		return ep_fail(err, -ENOMEM, "out of memory");
	memset(state->flush, 1, state->flush_bytes);
	int rc = make_code(state, err);
	return rc ? rc : make_expectations(run, err);
}

static void call_code(const struct icache_state *state, const struct icache_point *p)
{
	icache_fn code;

	memcpy(&code, &state->code, sizeof(code)); /* ISO C has no cast from data to code */
	code(p->is_executed);
}

static void prepare_icache(struct ep_run *run, size_t point, size_t thread)
{
	struct icache_state *state = run->state;
	const struct icache_point *p = &state->points[point];
	uint64_t sum = 0;

	end_code(state, p->n_blocks);
	call_code(state, p);
	if (!p->is_flushed)
		return;
	for (size_t i = 0; i < state->flush_bytes; i += run->machine->line_bytes)
		sum += (unsigned char)state->flush[i];
	state->sink = sum;
	flush_code(state->code, p->n_blocks * state->block_bytes, run->machine->line_bytes);
}

/* Returns the number of passes in a run: after a flush, only the first pass finds empty caches. */
static size_t count_passes(const struct icache_point *p)
{
	return p->is_flushed ? 1 : n_passes;
}

static void work_icache(struct ep_run *run, size_t point, size_t thread)
{
	const struct icache_state *state = run->state;
	const struct icache_point *p = &state->points[point];

	for (size_t i = 0; i < count_passes(p); i++)
		call_code(state, p);
}

static double icache_divisor(const struct ep_run *run, size_t point)
{
	const struct icache_state *state = run->state;
	const struct icache_point *p = &state->points[point];

	return (double)(count_passes(p) * p->n_blocks * lines_per_block(p));
}

static void close_icache(struct ep_run *run)
{
	struct icache_state *state = run->state;

	if (state->code)
		munmap(state->code, state->code_bytes);
	free(state->flush);
	free(state);
}

const struct ep_micro_kernel ep_kernel_icache = {
	.name = "icache",
	.summary =
		"blocks of code, executed or jumped over, inside each cache and beyond, also flushed",
	.open = open_icache,
	.prepare = prepare_icache,
	.work = work_icache,
	.divisor = icache_divisor,
	.close = close_icache,
	.has_basis = true,
};
