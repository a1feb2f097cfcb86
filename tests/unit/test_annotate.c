// SPDX-License-Identifier: BSD-3-Clause
/* Lines, instructions and loops of samples in this very program. */
#include "tests/unit/test.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "loop_nests.h"
#include "reporter/annotate/annotate_private.h"
#include "reporter/annotate/target.h"
#include "reporter/loops/loops.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/namer.h"
#include "tests/trace/writer.h"

enum { MS = 1000000 };

static uint64_t base;
static uint64_t last_at[LOOP_NESTS_MAX_PLACES];

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

__attribute__((noinline)) static int here(int place)
{
	last_at[place] = (uint64_t)(uintptr_t)__builtin_return_address(0) - base;
	return 0;
}

/* Samples of a ms in three_deep before its calls, and in here() called from the innermost loop. */
enum { OUTSIDE, IN_I, IN_J, IN_K, CALLED_IN_K, N_PATHS };
static const uint32_t n_samples_of[N_PATHS] = { 1, 2, 3, 10, 4 };

static void put_samples(struct trace_writer *writer, uint64_t (*at)[2])
{
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_stack_node nodes[N_PATHS + 1];
	struct ep_sample samples[64] = { { .cpu_us = 0 } };
	struct ep_samples block = { 0, 1, 0, 0, samples, NULL };

	for (uint32_t i = 0; i < N_PATHS; i++) {
		nodes[i] = (struct ep_stack_node){ 0, 1, at[i][0] };
		for (uint32_t k = 0; k < n_samples_of[i]; k++)
			samples[block.n_samples++] = (struct ep_sample){ .cpu_us = 1000,
				.wall_us = 1000,
				.node_idx = i == CALLED_IN_K ? N_PATHS + 1 : i + 1 };
	}
	nodes[N_PATHS] = (struct ep_stack_node){ CALLED_IN_K + 1, 1, at[CALLED_IN_K][1] };
	trace_put_stacks(writer, &(struct ep_stacks){ 0, 1, 1, N_PATHS + 1, nodes });
	trace_put_samples(writer, &groups, &block, 0);
}

static void write_trace(const char *path, struct ep_module *module, uint64_t (*at)[2])
{
	static struct trace_writer writer;

	trace_writer_init(&writer, fopen(path, "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n");
	trace_put_modules(&writer, module, 1);
	put_samples(&writer, at);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
}

struct fixture {
	struct ep_namer namer;
	struct ep_trace *trace;
	const struct ep_report *report;
	struct ep_error err;
};

static void start(struct fixture *f)
{
	char path[] = "/tmp/evprof-annotate-XXXXXX", self[4096] = "";
	struct ep_module module = { .id = 1, .end = UINT64_MAX, .path = self };
	struct ep_load_options how = {
		.filler = &ep_filler_fixed, .name_places = ep_namer_name_places, .namer = &f->namer
	};
	static const char *const paths[] = { "trace.gz", NULL };
	struct ep_report_options options = {
		.n_bins = 4, .trace_paths = paths, .filler = &ep_filler_fixed
	};
	uint64_t at[N_PATHS][2];

	*f = (struct fixture){ 0 };
	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	module.path_size = strlen(self);
	dl_iterate_phdr(take_base, NULL);
	loop_nests_O2[0].run(3, here);
	/* in the call instruction: a sample stops at its beginning, and any of its bytes is of it */
	for (int i = 0; i < CALLED_IN_K; i++)
		at[i][0] = last_at[i] - 1;
	at[CALLED_IN_K][0] = last_at[IN_K];
	at[CALLED_IN_K][1] = (uint64_t)(uintptr_t)here - base;
	close(mkstemp(path));
	write_trace(path, &module, at);
	CHECK_INT(ep_trace_load(path, &how, &f->trace, &f->err), 0);
	unlink(path);
	f->report = ep_report_create(f->trace, ep_namer_symbols(&f->namer, f->trace), &options);
}

static void finish(struct fixture *f)
{
	ep_report_destroy(f->report);
	ep_symbols_destroy(f->namer.symbols);
	ep_trace_destroy(f->trace);
}

static int find(struct fixture *f, const char *what, struct ep_annotate_target *target)
{
	return ep_annotate_target_find(
		f->report, f->namer.symbols, f->trace, what, target, &f->err);
}

static void annotate(struct fixture *f, const char *what, struct ep_annotation *out)
{
	struct ep_annotate_target target;

	CHECK_INT(find(f, what, &target), 0);
	CHECK_INT(ep_annotation_create(f->trace, f->namer.symbols, f->report, &target, out), 0);
}

static const struct ep_annotated_line *line_at(const struct ep_annotation *a, int line)
{
	for (uint32_t i = 0; i < a->n_lines; i++)
		if (a->lines[i].line == (uint32_t)line)
			return &a->lines[i];
	printf("# there is no line %d\n", line);
	return NULL;
}

static const struct ep_annotated_instruction *instruction_at(
	const struct ep_annotation *a, uint64_t address)
{
	for (uint32_t i = 0; i < a->n_instructions; i++)
		if (address - a->instructions[i].address < a->instructions[i].n_bytes)
			return &a->instructions[i];
	printf("# there is no instruction at 0x%llx\n", (unsigned long long)address);
	return NULL;
}

/* The depth that a place of the nest has in the annotation. */
static uint32_t depth_of(const struct ep_annotation *a, uint32_t loop_idx)
{
	return loop_idx == EP_NONE ? 0 : a->loops[loop_idx].depth;
}

TEST(a_procedure_has_all_its_time_in_lines_and_in_instructions)
{
	static const uint64_t self[] = { 1, 2, 3, 10 }, total[] = { 1, 2, 3, 14 };
	uint64_t by_line = 0, by_instruction = 0;
	struct ep_annotation a;
	struct fixture f;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	annotate(&f, "three_deep", &a);
	CHECK_INT(a.code, EP_CODE_SHOWN);
	CHECK_INT(a.cost.self_ns, 16 * MS);
	CHECK_INT(a.cost.total_ns, 20 * MS);
	CHECK_CLOSE(a.cost.self_share, 16 / 20.0, 1e-12);
	CHECK_INT(a.n_loops, 3);
	for (int i = 0; i < CALLED_IN_K; i++) {
		const struct ep_annotated_instruction *row = instruction_at(&a, last_at[i] - 1);

		CHECK(row);
		if (!row)
			continue;
		CHECK_INT(row->cost.self_ns, self[i] * MS);
		CHECK_INT(row->cost.total_ns, total[i] * MS);
		CHECK_INT(row->cost.n_samples, self[i]);
		CHECK_INT(depth_of(&a, row->loop_idx), i);
		CHECK_INT(a.lines[row->line_idx].cost.self_ns, self[i] * MS);
		CHECK(strstr(row->text, "call") || strstr(row->text, "bl"));
	}
	for (uint32_t i = 0; i < a.n_lines; i++)
		by_line += a.lines[i].cost.self_ns;
	for (uint32_t i = 0; i < a.n_instructions; i++)
		by_instruction += a.instructions[i].cost.self_ns;
	CHECK_INT(by_line, 16 * MS);
	CHECK_INT(by_instruction, 16 * MS);
	CHECK_INT(a.lines[a.hottest_line].cost.self_ns, 10 * MS);
	CHECK_INT(a.instructions[a.hottest_instruction].cost.self_ns, 10 * MS);
	CHECK_CLOSE(ep_annotated_share(&a, &a.lines[a.hottest_line].cost), 10 / 16.0, 1e-12);
	ep_annotation_finish(&a);
	finish(&f);
}

/* The loop in the middle has its own samples and those of the one inside. */
TEST(a_loop_has_what_is_inside)
{
	const int *lines = loop_nests_O2[0].lines;
	struct ep_annotation a;
	struct fixture f;
	char name[64];

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	snprintf(name, sizeof(name), "loop_nests.c:%d", lines[IN_J]);
	annotate(&f, name, &a);
	CHECK(a.target.is_loop);
	CHECK_INT(a.cost.self_ns, 13 * MS);
	CHECK_INT(a.cost.total_ns, 17 * MS);
	CHECK_INT(a.n_loops, 2);
	CHECK_INT(a.loops[0].line, lines[IN_J]);
	CHECK_INT(a.loops[0].parent_idx, EP_NONE);
	CHECK_INT(a.loops[0].cost.self_ns, 3 * MS);
	CHECK_INT(a.loops[0].cost.total_ns, 17 * MS);
	CHECK_INT(a.loops[1].line, lines[IN_K]);
	CHECK_INT(a.loops[1].parent_idx, 0);
	CHECK_INT(a.loops[1].cost.self_ns, 10 * MS);
	CHECK(line_at(&a, lines[IN_K]));
	for (uint32_t i = 0; i < a.n_instructions; i++)
		CHECK(a.instructions[i].loop_idx != EP_NONE);
	ep_annotation_finish(&a);
	finish(&f);
}

TEST(what_a_name_means)
{
	const int *lines = loop_nests_O2[0].lines;
	char nest[64], whole[128];
	const struct {
		const char *what, *name;
		int rc;
		bool is_loop;
	} cases[] = {
		{ NULL, "three_deep", 0, false },
		{ "three_deep", "three_deep", 0, false },
		{ "three_d", "three_deep", 0, false },
		{ "here", "here", 0, false },
		{ nest, whole, 0, true },
		{ whole, whole, 0, true },
		{ "e", NULL, -EINVAL, false }, /* three_deep and here */
		{ "nowhere", NULL, -ENOENT, false },
		{ "loop_nests.c:1", NULL, -ENOENT, false },
	};
	struct fixture f;

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	snprintf(nest, sizeof(nest), "loop_nests.c:%d > %d > %d", lines[1], lines[2], lines[3]);
	snprintf(whole, sizeof(whole), "loop at loop_nests.c:%d in three_deep", lines[3]);
	start(&f);
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_annotate_target target = { 0 };
		int rc = find(&f, cases[i].what, &target);

		CHECK_MSG(rc == cases[i].rc, "%s: %d", cases[i].what, rc);
		if (!rc && !cases[i].rc) {
			CHECK_STR(target.name, cases[i].name);
			CHECK_INT(target.is_loop, cases[i].is_loop);
		}
		ep_annotate_target_finish(&target);
	}
	finish(&f);
}

static char *print(struct fixture *f, struct ep_annotation *a,
	int (*view)(const struct ep_annotate_page *page))
{
	static const char *const paths[] = { "trace.gz", NULL };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct ep_annotate_page page = { a, f->namer.symbols, paths, NULL, false,
		{ out, 120, false, false } };

	CHECK_INT(view(&page), 0);
	fclose(out);
	return text;
}

/* The line with most time, as the source has it, and its loops. */
TEST(texts)
{
	const int *lines = loop_nests_O2[0].lines;
	EP_AUTOFREE char *text = NULL, *json = NULL;
	struct ep_annotation a;
	struct fixture f;
	char expected[64];

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	start(&f);
	annotate(&f, "three_deep", &a);
	text = print(&f, &a, ep_annotate_print_text);
	CHECK_MSG(strstr(text, "three_deep: 16.0 ms in its code"), "%s", text);
	CHECK_MSG(strstr(text, "\n>   10.0 ms  62.5 %"), "%s", text);
	CHECK_MSG(strstr(text, "||/"), "%s", text);
	json = print(&f, &a, ep_annotate_print_json);
	snprintf(expected, sizeof(expected), "\"line\":%d,", lines[IN_K]);
	CHECK_MSG(strstr(json, expected), "%s", json);
	CHECK(strstr(json, "\"n_samples\":10,"));
	ep_annotation_finish(&a);
	finish(&f);
}

/* ---- bounds, by a stand-in for llvm-mca ---- */

static char folder[] = "/tmp/evprof-bound-XXXXXX";

static const char *path_in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* It keeps what it is asked, and says 3 cycles. */
static void install_stand_in(void)
{
	FILE *file;

	CHECK(mkdtemp(folder));
	file = fopen(path_in_folder("llvm-mca"), "w");
	fprintf(file,
		"#!/bin/sh\necho \"$*\" > %s/arguments\n{ while read -r line; do echo \"$line\"; done; } > %s/assembly\nprintf 'Iterations: 100\\nTotal Cycles: 300\\nTotal uOps: 400\\nDispatch Width: 4\\nBlock RThroughput: 1.0\\n'\n",
		folder, folder);
	fchmod(fileno(file), 0700);
	fclose(file);
	setenv("PATH", folder, true);
}

static void check_file(const char *name, const char *expected)
{
	char text[256] = "";
	FILE *file = fopen(path_in_folder(name), "r");

	CHECK(file);
	if (!file)
		return;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	CHECK_STR(text, expected);
}

static void remove_stand_in(void)
{
	unlink(path_in_folder("llvm-mca"));
	unlink(path_in_folder("arguments"));
	unlink(path_in_folder("assembly"));
	rmdir(folder);
}

/* Loop 0 has loop 1 inside, whose turns are straight; loop 2 jumps within its turns, loop 3 calls. */
TEST(straight_turns_have_a_bound)
{
	enum { N_LOOPS = 4, N_INSTRUCTIONS = 10 };
	static const struct {
		const char *text;
		uint32_t loop_idx;
	} code[N_INSTRUCTIONS] = { { "addq $1, %rax", 0 }, { "addsd (%rbx), %xmm0", 1 },
		{ "jne 0x1002", 1 }, { "jne 0x1000", 0 }, { "je 0x1006", 2 }, { "incl %ecx", 2 },
		{ "jne 0x1004", 2 }, { "callq 0x2000", 3 }, { "jne 0x1007", 3 },
		{ "retq", EP_NONE } };
	struct ep_annotated_instruction instructions[N_INSTRUCTIONS];
	struct ep_annotated_loop loops[N_LOOPS];
	struct ep_annotation a = { .instructions = instructions,
		.n_instructions = N_INSTRUCTIONS,
		.loops = loops,
		.n_loops = N_LOOPS,
		.machine = EM_X86_64,
		.cost = { .self_ns = 100, .n_samples = 100 } };

	for (uint32_t i = 0; i < N_INSTRUCTIONS; i++)
		instructions[i] = (struct ep_annotated_instruction){ .address = 0x1000 + i,
			.n_bytes = 1,
			.text = code[i].text,
			.loop_idx = code[i].loop_idx,
			.cost.self_ns = 10 };
	for (uint32_t i = 0; i < N_LOOPS; i++)
		loops[i] = (struct ep_annotated_loop){ .parent_idx = i == 1 ? 0 : EP_NONE,
			.depth = 1 + (i == 1),
			.cost.self_ns = 20 };
	install_stand_in();
	CHECK_INT(ep_annotation_find_bounds(&a, "GenuineIntel-6-55-4", NULL), 0);
	check_file("assembly", "addsd (%rbx), %xmm0\njne 0x1002\n");
	check_file("arguments",
		"-mcpu=skylake-avx512 -iterations=1000 -instruction-info=false -resource-pressure=false -march=x86-64\n");
	remove_stand_in();
	CHECK_STR(a.bound_cpu, "skylake-avx512");
	CHECK(!a.is_bound_cpu_unknown);
	for (uint32_t i = 0; i < N_LOOPS; i++)
		CHECK_INT(loops[i].n_in_turn, i == 1 ? 2 : 0);
	CHECK_CLOSE(loops[1].bound.cycles, 3, 1e-12);
	CHECK_INT(loops[1].bound.limit, EP_LIMIT_CHAIN);
}

TEST(measured_turns_beside_their_bound)
{
	static const struct {
		double cycles, error;
		bool is_mixed;
		enum ep_turn_verdict verdict;
	} cases[] = {
		{ 10000, 100, false, EP_TURN_AS_BOUND },
		{ 13000, 300, false, EP_TURN_AS_BOUND },
		{ 20000, 300, false, EP_TURN_SLOWER },
		{ 20000, 4000, false, EP_TURN_AS_BOUND },
		{ 6000, 100, false, EP_TURN_QUICKER },
		{ 20000, NAN, false, EP_TURN_UNKNOWN },
		{ 20000, 300, true, EP_TURN_UNKNOWN },
	};
	struct ep_report_event events[] = { { .name = "skx::UNHALTED_REFERENCE_CYCLES" },
		{ .name = "perf::cycles" }, { .name = "perf::instructions" } };
	struct ep_report report = { .events = events, .n_events = 3 };
	struct ep_annotation a = { .report = &report };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_report_value values[] = { ep_value_exact(7, 0),
			{ .count = ep_quantity_within(cases[i].cycles, cases[i].error),
				.is_mixed = cases[i].is_mixed },
			ep_value_exact(20000, 0) };
		struct ep_annotated_loop loop = { .cost = { .self_ns = 100, .values = values },
			.bound = { .cycles = 5 },
			.n_in_turn = 10 };

		ep_annotated_measure_turn(&a, 95, &loop);
		CHECK_INT(ep_annotated_judge_turn(&loop), cases[i].verdict);
		if (!cases[i].is_mixed)
			CHECK_CLOSE(loop.measured.value, cases[i].cycles / 2000, 1e-12);
		ep_annotated_measure_turn(&a, 80, &loop);
		CHECK_INT(ep_annotated_judge_turn(&loop), EP_TURN_UNKNOWN);
	}
}

TEST(without_llvm_mca_nothing_is_said)
{
	struct ep_annotated_loop loop = { .parent_idx = EP_NONE, .depth = 1, .cost.self_ns = 100 };
	struct ep_annotation a = { .loops = &loop,
		.n_loops = 1,
		.machine = EM_X86_64,
		.cost = { .self_ns = 100, .n_samples = 100 } };

	setenv("PATH", "/nowhere", true);
	CHECK_INT(ep_annotation_find_bounds(&a, "GenuineIntel-6-55-4", NULL), 0);
	CHECK_INT(loop.n_in_turn, 0);
	CHECK(!a.is_bound_cpu_unknown);
}
