// SPDX-License-Identifier: BSD-3-Clause
/* Kernels, tables and sources of evcal measure, without hardware counters. */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "kernels/derive/derive.h"
#include "kernels/measure/campaign.h"
#include "kernels/measure/measure.h"
#include "kernels/measure/measure_table.h"
#include "kernels/micro/chase.h"

static char folder[] = "/tmp/evprof-measure-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[4][256];
	static int next;

	if (strstr(folder, "XXXXXX"))
		CHECK(mkdtemp(folder) != NULL);
	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", folder, name);
	return path[next];
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	CHECK(out != NULL);
	fputs(text, out);
	fclose(out);
}

static char *read_text(const char *path)
{
	struct ep_error err;
	char *text = NULL;
	size_t size;

	CHECK_MSG(!ep_file_read(path, &text, &size, &err), "%s: %s", path, err.message);
	return text ? text : strdup("");
}

TEST(chases_visit_every_element_once_per_round)
{
	static const struct ep_chase_shape shapes[] = {
		{ 64 * 64, 64, 4096, true },
		{ 64 * 1000, 64, 16384, true },
		{ 128 * 500, 128, 1 << 20, true },
		{ 64 * 77, 64, 1024, false },
		{ 64, 64, 4096, true },
	};
	static char buffer[1 << 17] __attribute__((aligned(4096)));
	static unsigned char seen[1 << 11];

	for (size_t s = 0; s < EP_ARRAY_SIZE(shapes); s++) {
		size_t n = shapes[s].size_bytes / shapes[s].stride_bytes, n_ascending = 0;
		void **first = ep_chase_link(buffer, &shapes[s], 7), **at = first;

		memset(seen, 0, sizeof(seen));
		for (size_t i = 0; i < n; i++) {
			void **next = *at;

			seen[((char *)at - buffer) / shapes[s].stride_bytes]++;
			n_ascending += (char *)next - (char *)at == (long)shapes[s].stride_bytes;
			at = next;
		}
		CHECK_MSG(at == first, "shape %zu is no cycle of %zu", s, n);
		for (size_t i = 0; i < n; i++)
			CHECK_INT(seen[i], 1);
		/* one in block-many steps is ascending by chance */
		CHECK_MSG(shapes[s].is_random ? n_ascending < n / 8 + 2 : n_ascending == n - 1,
			"shape %zu: %zu of %zu steps ascend", s, n_ascending, n);
	}
}

TEST(chases_that_write_follow_the_same_links)
{
	static char buffer[64 * 256] __attribute__((aligned(4096)));
	struct ep_chase_shape shape = { sizeof(buffer), 64, sizeof(buffer), true };
	void **first = ep_chase_link(buffer, &shape, 3), **at = first;

	at = ep_chase_write(at, 256);
	CHECK(at == first);
	CHECK_INT((uintptr_t)*first & 1, 1); /* flipped */
	at = ep_chase_write(at, 256);
	CHECK_INT((uintptr_t)*first & 1, 0); /* and back */
	CHECK(ep_chase_read(first, 128) == ep_chase_write(first, 128));
}

TEST(every_kernel_opens_with_a_basis_of_full_rank_and_runs_a_point)
{
	struct ep_cal_machine machine;

	ep_cal_machine_probe(&machine);
	machine.l2 = (struct ep_cache){ 256 << 10, 1 }; /* small, or the test moves gigabytes */
	machine.l3 = (struct ep_cache){ 1 << 20, 1 };
	for (const struct ep_micro_kernel *const *kernel = ep_kernels; *kernel; kernel++) {
		struct ep_projector projector;
		struct ep_error err;
		struct ep_run run;
		int rc = ep_run_open(&run, *kernel, &machine, 1, 0, &err);

		CHECK_MSG(!rc, "%s: %s", (*kernel)->name, err.message);
		if (rc)
			continue;
		CHECK_MSG(!ep_projector_init(&projector, &run.set.basis, &err), "%s: %s", err.where,
			err.message);
		ep_projector_finish(&projector);
		size_t last = run.set.basis.rows.n - 1;
		for (size_t p = 0; p <= last; p += last) {
			if (run.kernel->prepare)
				run.kernel->prepare(&run, p, 0);
			run.kernel->work(&run, p, 0);
			CHECK(run.kernel->divisor(&run, p) >= 1);
		}
		ep_run_close(&run);
	}
}

TEST(caches_of_this_machine_are_ordered)
{
	struct ep_cal_machine machine;

	ep_cal_machine_probe(&machine);
	CHECK(machine.n_cpus >= 1);
	CHECK(machine.l1d.size_bytes >= 4096 && machine.l1d.size_bytes < machine.l2.size_bytes);
	CHECK(machine.line_bytes >= 32 && machine.line_bytes <= 256);
	CHECK(strlen(machine.date) == 10);
}

static int count_lines(const char *text, const char *start)
{
	int n = 0;

	for (const char *line = text; *line; line = strchrnul(line, '\n'), line += *line == '\n')
		n += !strncmp(line, start, strlen(start));
	return n;
}

TEST(tables_are_continued_where_they_were_cut)
{
	static const char *const names[] = { "A", "B:x" };
	struct ep_cal_machine machine;
	struct ep_measure_table rows;
	struct ep_error err;
	struct ep_run run;
	double values[2 * 2 * 11];
	char path[256];

	snprintf(path, sizeof(path), "%s", in_folder("branch"));
	for (size_t i = 0; i < EP_ARRAY_SIZE(values); i++)
		values[i] = (double)i;
	ep_cal_machine_probe(&machine);
	CHECK_INT(ep_run_open(&run, &ep_kernel_branch, &machine, 1, 0, &err), 0);
	CHECK_INT(ep_measure_table_open(&rows, path, &run, 2, &err), 0);
	CHECK_INT(rows.done.n, 0);
	CHECK_INT(ep_measure_table_append(&rows, names, 2, values, &err), 0);
	ep_measure_table_close(&rows);
	EP_AUTOFREE char *whole = read_text(in_folder("branch/events.csv"));
	size_t header = strcspn(whole, "\n") + 1, size = strlen(whole);

	for (size_t cut = header; cut <= size; cut++) {
		EP_AUTOFREE char *part = strndup(whole, cut);
		/* an event counts as done when its last line has its newline */
		const char *b = strstr(whole, "B:x,0");
		size_t n_done = (cut >= (size_t)(b - whole)) + (cut == size);

		write_text(in_folder("branch/events.csv"), part);
		CHECK_INT(ep_measure_table_open(&rows, path, &run, 2, &err), 0);
		CHECK_MSG(rows.done.n == n_done, "cut at %zu of %zu: %zu events, expected %zu", cut,
			size, rows.done.n, n_done);
		ep_measure_table_close(&rows);
		EP_AUTOFREE char *kept = read_text(in_folder("branch/events.csv"));
		CHECK_INT(count_lines(kept, ""), 1 + 2 * (int)n_done);
	}
	write_text(in_folder("branch/events.csv"), "event,rep,thread,other\n");
	CHECK_INT(ep_measure_table_open(&rows, path, &run, 2, &err), -EEXIST);
	ep_run_close(&run);
}

/* ---- through the program ---- */

static char output[65536];

static int run(const char *arguments)
{
	EP_AUTOFREE char *command = NULL;

	CHECK(asprintf(&command, "%s %s 2>&1", getenv("EVPROF_EVCAL"), arguments) > 0);
	FILE *pipe = popen(command, "r");
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	int status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct ep_set read_set(const char *name)
{
	struct ep_set_paths paths = { .folder = in_folder(name) };
	struct ep_set set = { 0 };
	struct ep_error err;

	CHECK_MSG(!ep_set_read(&set, &paths, &err), "%s: %s", err.where, err.message);
	return set;
}

static double value_of(const struct ep_set *set, const char *event, const char *point)
{
	long e = ep_labels_find(&set->events.names, event),
	     p = ep_labels_find(&set->basis.rows, point);

	CHECK_MSG(e >= 0 && p >= 0, "no %s at %s", event, point);
	if (e < 0 || p < 0)
		return NAN;
	return set->events.values[set->events.first_row[e] * set->events.n_points + (size_t)p];
}

/* The papers' curves: 2N, 2N^2, 2N^3 operations, exactly. */
static void check_blas(void)
{
	struct ep_set set = read_set("sim/blas");

	for (size_t p = 0; p < set.basis.rows.n; p++) {
		const char *point = set.basis.rows.items[p];
		char precision, operation[8];
		int n;

		CHECK_INT(sscanf(point, "%c_%7[A-Z]_%d", &precision, operation, &n), 3);
		double power = !strcmp(operation, "DOT") ? 1 : !strcmp(operation, "GEMV") ? 2 : 3;
		double flops = 2 * pow(n, power);

		CHECK_CLOSE(value_of(&set, "FP_DOUBLE", point), precision == 'D' ? flops : 0, 0);
		CHECK_CLOSE(value_of(&set, "FP_SINGLE", point), precision == 'S' ? flops : 0, 0);
	}
	ep_set_finish(&set);
}

TEST(simulated_counters_go_the_whole_way)
{
	char arguments[1024];

	write_text(in_folder("ideal.csv"), "event,CE,CR,T,D,M,S_FLOPS,D_FLOPS,MEM_LINES\n"
					   "BR_ALL,0,1,0,1,0,0,0,0\n"
					   "BR_COND,0,1,0,0,0,0,0,0\n"
					   "BR_TAKEN,0,0,1,0,0,0,0,0\n"
					   "FP_SINGLE,0,0,0,0,0,1,0,0\n"
					   "FP_DOUBLE,0,0,0,0,0,0,1,0\n");
	snprintf(arguments, sizeof(arguments), "measure -s sim:%s -r 2 -k branch,blas -o %s",
		in_folder("ideal.csv"), in_folder("sim"));
	CHECK_MSG(!run(arguments), "%s", output);
	check_blas();
	snprintf(arguments, sizeof(arguments), "derive %s", in_folder("sim"));
	CHECK_MSG(!run(arguments), "%s", output);
	CHECK_MSG(strstr(output, "small    small  BR_ALL - BR_COND\n"), "%s", output);
	CHECK_MSG(strstr(output, "small    small  BR_COND - BR_TAKEN\n"), "%s", output);
	CHECK_MSG(strstr(output, "DP Ops.        exact "), "%s", output);
	CHECK_MSG(strstr(output, "  FP_DOUBLE\n"), "%s", output);
}

/* Callgrind counts conditional branches, predicts them by a predictor of its own, and its
 * instructions are those of the assembler files. */
TEST(valgrind_confirms_conditional_and_mispredicted_branches)
{
	char arguments[512];

	snprintf(arguments, sizeof(arguments), "measure -s valgrind -r 2 -k branch -o %s",
		in_folder("valgrind"));
	CHECK_MSG(!run(arguments), "%s", output);
	CHECK_MSG(!strstr(output, "LL cache"), "%s", output);
	struct ep_set set = read_set("valgrind/branch");
	for (size_t p = 0; p < set.basis.rows.n; p++) {
		const char *point = set.basis.rows.items[p];
		const double *row = set.basis.values + p * set.basis.columns.n;

		CHECK_CLOSE(value_of(&set, "conditional-branches", point), row[1], 0);
		CHECK_CLOSE(value_of(&set, "conditional-branch-misses", point), row[4], 0);
	}
	ep_set_finish(&set);
}

/* Where perf events are forbidden the honest answer is a refusal. */
TEST(software_events_are_measured_or_the_refusal_says_why)
{
	char arguments[512];
	int rc;

	snprintf(arguments, sizeof(arguments), "measure -e 'page-faults' -r 1 -k branch -o %s",
		in_folder("software"));
	rc = run(arguments);
	if (rc) {
		CHECK_INT(rc, 1);
		CHECK_MSG(strstr(output, "nothing can be counted here: 1 events tried"), "%s",
			output);
	} else {
		EP_AUTOFREE char *text = read_text(in_folder("software/branch/events.csv"));

		CHECK_INT(count_lines(text, "page-faults,0,0,"), 1);
	}
}

/* PAPI has the kernel's software events where there is no PMU; every point opens its sets anew. */
TEST(papi_counts_what_it_has_or_says_why_not)
{
	char arguments[512];
	int rc;

	snprintf(arguments, sizeof(arguments),
		"measure -s papi -e perf::TASK-CLOCK,papi:::perf::PAGE-FAULTS -r 2 -k branch -o %s",
		in_folder("papi"));
	rc = run(arguments);
	if (rc) {
		CHECK_INT(rc, 1);
		CHECK_MSG(strstr(output, "PAPI"), "%s", output);
		SKIP("PAPI counts none of the kernel's software events here");
	}
	struct ep_set set = read_set("papi/branch");
	double ns = 0;

	for (size_t p = 0; p < set.basis.rows.n; p++) {
		ns += value_of(&set, "perf::TASK-CLOCK", set.basis.rows.items[p]);
		CHECK(value_of(&set, "perf::PAGE-FAULTS", set.basis.rows.items[p]) >= 0);
	}
	CHECK(ns > 0);
	ep_set_finish(&set);
}

TEST(wrong_usage_and_unknown_names)
{
	static const struct {
		const char *arguments;
		int rc;
		const char *message;
	} rows[] = {
		{ "measure", 2, "--output is missing\nusage: evcal measure" },
		{ "measure -o /tmp/x -r 0", 2, "--reps 0: expected a number from 1 to 1000" },
		{ "measure -o /tmp/x -b 3d", 2, "--budget 3d: expected a time" },
		{ "measure -o /tmp/x -s nonsense", 2,
			"--source nonsense: expected perf, papi, valgrind or sim:FILE" },
		{ "measure -o /tmp/x -s sim", 1, "--source sim needs a table" },
		{ "measure -o /tmp/x -s sim:/nonexistent", 1, "/nonexistent: cannot open" },
		{ "measure --list -e no_such_event_at_all", 0, "no_such_event_at_all" },
		{ "measure --list", 0, "\n  branch           eleven loops" },
		{ "measure --list", 0, "\n  dcache-patterns  the same" },
		{ "measure -o /tmp/x -e 'no_such*event'", 1, "no event is called" },
	};
	char arguments[512];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_MSG(
			run(rows[i].arguments) == rows[i].rc, "%s: %s", rows[i].arguments, output);
		CHECK_MSG(strstr(output, rows[i].message), "%s: %s", rows[i].arguments, output);
	}
	snprintf(arguments, sizeof(arguments), "measure -s sim:%s -k nothing -o %s",
		in_folder("ideal.csv"), in_folder("no"));
	CHECK_INT(run(arguments), 1);
	CHECK_MSG(strstr(output, "there is no kernel \"nothing\""), "%s", output);
	CHECK(access(in_folder("no"), F_OK));
	snprintf(arguments, sizeof(arguments), "rm -r %s", folder);
	CHECK_INT(system(arguments), 0);
}
