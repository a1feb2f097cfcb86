// SPDX-License-Identifier: BSD-3-Clause
/*
 * The kernels are what their bases say, proved without a PMU: a child executes each one
 * instruction by instruction and every branch and floating-point instruction is counted.
 */
#include "tests/unit/test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "kernels/derive/labelled.h"
#include "kernels/micro/branch.h"
#include "kernels/micro/flops.h"
#include "kernels/micro/roofs.h"
#include "kernels/sets.h"

static struct ep_labelled read_basis(const char *name)
{
	struct ep_labelled basis = { 0 };
	struct ep_error err;

	CHECK_INT(ep_labelled_parse(&basis, name, ep_builtin_set_find(name)->basis, "point", &err),
		0);
	return basis;
}

static double expected(const struct ep_labelled *basis, const char *point, const char *dim)
{
	long row = ep_labels_find(&basis->rows, point),
	     column = ep_labels_find(&basis->columns, dim);

	CHECK_MSG(row >= 0 && column >= 0, "no %s, %s in %s", point, dim, basis->path);
	return row < 0 || column < 0 ? NAN : basis->values[(size_t)row * basis->columns.n + column];
}

#if defined(__x86_64__)

/* The instructions that were executed between two addresses. */
struct tally {
	uint64_t n_instructions, n_conditional, n_taken, n_direct;
	/* [precision H, S, D][width SCAL, 128, 256, 512][is FMA] */
	uint64_t n_float[3][4][2];
};

enum { MAP_0F = 1, MAP_0F38 = 2, MAP_5 = 5, MAP_6 = 6 };

/* Prefix "pp" (0 none, 1 66, 2 F3, 3 F2) -> precision and whether scalar, for maps 0F and 5. */
static void tally_add_or_mul(struct tally *tally, int pp, int map, int length)
{
	static const int precisions[] = { 1, 2, 1, 2 };
	int precision = map == MAP_5 ? 0 : precisions[pp];

	tally->n_float[precision][pp >= 2 ? 0 : length + 1][0]++;
}

/* vfmadd231: opcode B8 packed, B9 scalar; W chooses double; map 6 is half precision. */
static void tally_fma(struct tally *tally, int opcode, int map, int w, int length)
{
	int precision = map == MAP_6 ? 0 : w ? 2 : 1;

	tally->n_float[precision][opcode == 0xB9 ? 0 : length + 1][1]++;
}

static void tally_opcode(struct tally *tally, int map, int pp, int w, int length, int opcode)
{
	if ((map == MAP_0F || map == MAP_5) && (opcode == 0x58 || opcode == 0x59))
		tally_add_or_mul(tally, pp, map, length);
	else if ((map == MAP_0F38 || map == MAP_6) && (opcode == 0xB8 || opcode == 0xB9))
		tally_fma(tally, opcode, map, w, length);
}

/* SSE: [66|F3|F2] [REX] 0F opcode. */
static void tally_sse(struct tally *tally, const uint8_t *code)
{
	int pp = *code == 0x66 ? 1 : *code == 0xF3 ? 2 : *code == 0xF2 ? 3 : 0;

	code += pp > 0;
	code += (*code & 0xF0) == 0x40;
	if (*code == 0x0F)
		tally_opcode(tally, MAP_0F, pp, 0, 0, code[1]);
}

/* Prefix layouts: Intel SDM vol. 2, 2.3 (VEX) and 2.7 (EVEX). */
static void tally_float(struct tally *tally, const uint8_t *code)
{
	if (*code == 0xC5)
		tally_opcode(tally, MAP_0F, code[1] & 3, 0, code[1] >> 2 & 1, code[2]);
	else if (*code == 0xC4)
		tally_opcode(
			tally, code[1] & 31, code[2] & 3, code[2] >> 7, code[2] >> 2 & 1, code[3]);
	else if (*code == 0x62)
		tally_opcode(
			tally, code[1] & 7, code[2] & 3, code[2] >> 7, code[3] >> 5 & 3, code[4]);
	else
		tally_sse(tally, code);
}

/* Returns the length of the conditional or direct jump at code, or 0. */
static int jump_length(const uint8_t *code, bool *out_is_conditional)
{
	*out_is_conditional = true;
	if (*code >= 0x70 && *code <= 0x7F)
		return 2;
	if (*code == 0x0F && code[1] >= 0x80 && code[1] <= 0x8F)
		return 6;
	*out_is_conditional = false;
	return *code == 0xEB ? 2 : *code == 0xE9 ? 5 : 0;
}

static void tally_step(struct tally *tally, uintptr_t from, uintptr_t to)
{
	const uint8_t *code = (const uint8_t *)from;
	bool is_conditional;
	int length = jump_length(code, &is_conditional);

	tally->n_instructions++;
	tally_float(tally, code);
	if (length && is_conditional) {
		tally->n_conditional++;
		tally->n_taken += to != from + length;
	} else if (length) {
		tally->n_direct++;
	}
}

struct child_job {
	void (*run)(const void *data);
	const void *data;
};

static pid_t start_child(const struct child_job *job)
{
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		job->run(job->data);
		_exit(0);
	}
	return pid;
}

/* Runs the job in a child step by step; counts what lies in [first, end). */
static struct tally step_through(const struct child_job *job, const void *first, const void *end)
{
	struct tally tally = { 0 };
	uintptr_t last = 0;
	pid_t pid = start_child(job);
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	while (!ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) && waitpid(pid, &status, 0) == pid &&
		WIFSTOPPED(status)) {
		struct user_regs_struct regs;

		CHECK_INT(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
		if (last)
			tally_step(&tally, last, regs.rip);
		last = regs.rip >= (uintptr_t)first && regs.rip < (uintptr_t)end ? regs.rip : 0;
	}
	CHECK_MSG(WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with status %x",
		status);
	return tally;
}

enum { n_branch_iterations = 400 };

static void run_branch(const void *data)
{
	const struct ep_branch_kernel *kernel = data;
	uint64_t state = 88172645463325252ull;

	kernel->run(n_branch_iterations, &state);
}

/* The random branches are taken half of the time to a few standard deviations of 400 throws (0.025)
 * divided by what a metric can show: 0.08. Everything else is exact but for the last iteration's
 * loop branch. */
static void check_branch(const struct ep_branch_kernel *kernel, const struct ep_labelled *basis)
{
	struct child_job job = { run_branch, kernel };
	struct tally tally = step_through(&job, kernel->run, kernel->code_end);
	double n = n_branch_iterations, random = expected(basis, kernel->point, "M") > 0 ? 0.08 : 0;
	double cr = (double)tally.n_conditional / n, t = (double)tally.n_taken / n;
	double want_cr = expected(basis, kernel->point, "CR"),
	       want_t = expected(basis, kernel->point, "T");

	CHECK_MSG(fabs(cr - want_cr) <= random, "%s: CR is %g, expected %g", kernel->point, cr,
		want_cr);
	CHECK_MSG(fabs(t + 1 / n - want_t) <= random + 1e-9, "%s: T is %g, expected %g less 1/%g",
		kernel->point, t, want_t, n);
	CHECK_MSG((double)tally.n_direct == n * expected(basis, kernel->point, "D"),
		"%s: %g direct branches", kernel->point, (double)tally.n_direct);
}

TEST(branch_kernels_show_their_matrix_step_by_step)
{
	struct ep_labelled basis = read_basis("branch");

	CHECK_INT(basis.rows.n, EP_N_BRANCH_KERNELS);
	for (size_t i = 0; i < EP_N_BRANCH_KERNELS; i++) {
		CHECK_STR(ep_branch_kernels[i].point, basis.rows.items[i]);
		check_branch(&ep_branch_kernels[i], &basis);
	}
	ep_labelled_finish(&basis);
}

static void run_flops(const void *data)
{
	((const struct ep_flops_kernel *)data)->run();
}

static void check_tally(
	const struct ep_labelled *basis, const char *point, const struct tally *tally)
{
	static const char *const widths[] = { "SCAL", "128", "256", "512" };

	for (int p = 0; p < 3; p++)
		for (int w = 0; w < 4; w++)
			for (int f = 0; f < 2; f++) {
				char dim[32];

				snprintf(dim, sizeof(dim), "%c%s_%s", "HSD"[p], f ? "_FMA" : "",
					widths[w]);
				CHECK_MSG((double)tally->n_float[p][w][f] ==
						  expected(basis, point, dim),
					"%s: %llu instructions of %s", point,
					(unsigned long long)tally->n_float[p][w][f], dim);
			}
}

TEST(floating_point_kernels_show_their_matrix_step_by_step)
{
	struct ep_labelled basis = read_basis("flops");

	for (size_t i = 0; i < ep_n_flops_kernels; i++) {
		const struct ep_flops_kernel *kernel = &ep_flops_kernels[i];
		struct child_job job = { run_flops, kernel };

		if (!kernel->is_supported())
			continue;
		struct tally tally = step_through(&job, kernel->run, kernel->code_end);
		check_tally(&basis, kernel->point, &tally);
	}
	ep_labelled_finish(&basis);
}

enum { n_peak_rounds = 3, most_code_bytes = 1024 };

static void run_peak(const void *data)
{
	((const struct ep_peak_kernel *)data)->run(n_peak_rounds);
}

/* A scalar is one element, and a fused instruction two operations on each. */
static double n_operations(const struct tally *tally)
{
	double n = 0;

	for (int p = 1; p < 3; p++)
		for (int w = 0; w < 4; w++)
			for (int f = 0; f < 2; f++) {
				int n_elements = w ? (p == 2 ? 1 : 2) << w : 1;

				n += (double)tally->n_float[p][w][f] * n_elements * (f + 1);
			}
	return n;
}

TEST(a_round_of_a_peak_has_the_operations_that_it_says)
{
	for (size_t i = 0; i < ep_n_peak_kernels; i++) {
		const struct ep_peak_kernel *kernel = &ep_peak_kernels[i];
		struct child_job job = { run_peak, kernel };

		if (!kernel->is_supported())
			continue;
		struct tally tally = step_through(&job, kernel->run,
			(const void *)((uintptr_t)kernel->run + most_code_bytes));
		CHECK_MSG(n_operations(&tally) == n_peak_rounds * kernel->n_operations,
			"%s: %g operations", kernel->name, n_operations(&tally));
	}
}

/* Instruction lengths as far as these kernels need them: register operands only. */
static int code_length(const uint8_t *code)
{
	switch (*code) {
	case 0xC3: /* ret */
		return 1;
	case 0xC5: /* vzeroall, vzeroupper have no operand byte */
		return code[2] == 0x77 ? 3 : 4;
	case 0xC4:
		return 5;
	case 0x62:
		return 6;
	}
	int prefix = *code == 0x66 || *code == 0xF3 || *code == 0xF2;
	prefix += (code[prefix] & 0xF0) == 0x40;
	return prefix + 3;
}

/* Kernels that this CPU cannot run are straight code as well: read instead of executed. */
TEST(floating_point_kernels_show_their_matrix_as_written)
{
	struct ep_labelled basis = read_basis("flops");

	CHECK_INT(ep_n_flops_kernels, basis.rows.n);
	for (size_t i = 0; i < ep_n_flops_kernels; i++) {
		const struct ep_flops_kernel *kernel = &ep_flops_kernels[i];
		const uint8_t *code = (const uint8_t *)kernel->run;
		const uint8_t *end = (const uint8_t *)kernel->code_end;
		struct tally tally = { 0 };

		for (; code < end; code += code_length(code))
			tally_float(&tally, code);
		CHECK_MSG(code == end, "%s: lost step", kernel->point);
		check_tally(&basis, kernel->point, &tally);
	}
	ep_labelled_finish(&basis);
}

#else

TEST(kernels_name_points_of_their_bases)
{
	struct ep_labelled branch = read_basis("branch"), flops = read_basis("flops");

	for (size_t i = 0; i < EP_N_BRANCH_KERNELS; i++)
		CHECK_STR(ep_branch_kernels[i].point, branch.rows.items[i]);
	for (size_t i = 0; i < ep_n_flops_kernels; i++)
		CHECK(ep_labels_find(&flops.rows, ep_flops_kernels[i].point) >= 0);
	ep_labelled_finish(&branch);
	ep_labelled_finish(&flops);
}

#endif

enum { n_stream_doubles = 2 * EP_STREAM_STEP_BYTES / sizeof(double), n_guards = 8 };

/* Streams move whole arrays and nothing beside them: a = b + 0 * c. */
TEST(streams_touch_their_arrays_alone)
{
	static _Alignas(64) double memory[3][n_stream_doubles + n_guards];

	for (int k = 0; k < EP_N_STREAM_KERNELS; k++) {
		char *arrays[] = { (char *)memory[0], (char *)memory[1], (char *)memory[2] };
		double first = k ? 2 : 1;

		for (int a = 0; a < 3; a++)
			for (int i = 0; i < n_stream_doubles + n_guards; i++)
				memory[a][i] = a + 1;
		ep_stream_kernels[k].choose()(arrays, n_stream_doubles * sizeof(double));
		for (int i = 0; i < n_stream_doubles + n_guards; i++) {
			CHECK(memory[0][i] == (i < n_stream_doubles ? first : 1));
			CHECK(memory[1][i] == 2 && memory[2][i] == 3);
		}
	}
}
