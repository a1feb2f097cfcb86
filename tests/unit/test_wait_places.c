// SPDX-License-Identifier: BSD-3-Clause
/* Waits of all threads by what a reader tells apart: kind, path, what was waited for and who held it. */
#include "tests/unit/test.h"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

enum { MAIN = 2, LEAF, OTHER };

static const char file[] = "/tmp/x";
static const char *meta_waits = "100000";

static struct ep_wait_cost wait_of(
	uint32_t thread_idx, uint8_t kind, uint32_t path_idx, uint64_t ns)
{
	return (struct ep_wait_cost){ .thread_idx = thread_idx,
		.kind = kind,
		.path_idx = path_idx,
		.lock = 64 * (thread_idx + 1),
		.holder_path_idx = EP_NONE,
		.n_waits = 2,
		.off_ns = ns,
		.longest_ns = ns / 2 };
}

/* A report of waits alone; the caller destroys what rows point into with finish. */
static void build_in(
	const char *sysroot, struct ep_trace *trace, struct ep_report *report, uint32_t top)
{
	static const struct ep_report_options no_options;
	struct ep_symbols_options options = { .sysroot = sysroot };
	struct ep_report_options report_options = no_options;
	struct ep_builder builder = {
		.trace = trace, .report = report, .options = &report_options
	};

	report_options.top = top;
	builder.symbols = ep_symbols_create(trace, &options);
	ep_build_waits(&builder);
	CHECK(!builder.out_of_memory);
	ep_symbols_destroy(builder.symbols);
}

static void build(struct ep_trace *trace, struct ep_report *report, uint32_t top)
{
	build_in("/nonexistent", trace, report, top);
}

static void check_places(const struct ep_report *r)
{
	CHECK(r->has_noted_waits);
	CHECK_INT(r->n_noted_lost, 3);
	CHECK_INT(r->noted_ns, 14000);
	CHECK_INT(r->n_noted_waits, 4);
	CHECK_INT(r->n_noted_waits_shown, 3);
	CHECK_STR(r->noted_waits[0].kind, "mutex");
	CHECK_INT(r->noted_waits[0].n_waits, 8);
	CHECK_INT(r->noted_waits[0].ns, 8850);
	CHECK_INT(r->noted_waits[0].longest_ns, 2000);
	CHECK_INT(r->noted_waits[0].n_threads, 2);
	CHECK_CLOSE(r->noted_waits[0].share, 8850.0 / 14000, 1e-12);
	CHECK(strstr(r->noted_waits[0].path, " > "));
	CHECK_INT(r->noted_waits[0].n_holders, 1);
	CHECK_STR(r->noted_waits[0].holders[0].kind, "time to pass");
	CHECK(r->noted_waits[0].holders[0].path[0]);
	CHECK_INT(r->noted_waits[0].holders[0].ns, 1850);
	CHECK_STR(r->noted_waits[1].kind, "read");
	CHECK_STR(r->noted_waits[1].what, file);
	CHECK_STR(r->noted_waits[2].path, ""); /* lost */
	CHECK_STR(r->noted_waits[3].kind, "other");
}

/* Each thread has a lock of its own. */
static void check_locks_and_threads(const struct ep_report *r)
{
	CHECK_INT(r->n_locks, 4);
	CHECK_INT(r->n_locks_shown, 3);
	CHECK_INT(r->locks[0].ns, 1000 + 4000 + 100 + 1850);
	CHECK_INT(r->locks[0].address, 64);
	CHECK_INT(r->locks[0].n_threads, 1);
	CHECK_STR(r->locks[0].path, r->noted_waits[0].path);
	CHECK_STR(r->locks[1].kind, "read");
	CHECK_INT(r->locks[2].ns, 2000);
	CHECK_INT(r->locks[2].address, 128);
	CHECK_INT(r->n_thread_waits, 5);
	CHECK_INT(r->n_waiting_threads, 2);
	for (uint32_t i = 0; i < r->n_thread_waits; i++) {
		static const uint64_t expected[][6] = { { 0, 1, 2, 5000, 2500, 7000 },
			{ 0, 0, 2, 2000, 1000, 7000 }, { 1, 0, 6, 6850, 2000, 7000 },
			{ 1, 2, 2, 100, 50, 7000 }, { 1, 3, 2, 50, 25, 7000 } };
		const struct ep_report_thread_wait *row = &r->thread_waits[i];
		const uint64_t got[6] = { row->thread_idx, row->wait_idx, row->n_waits, row->ns,
			row->longest_ns, row->thread_ns };

		CHECK_MSG(!memcmp(got, expected[i], sizeof(got)),
			"row %u: thread %u, wait %u, %llu ns", i, row->thread_idx, row->wait_idx,
			(unsigned long long)row->ns);
	}
}

TEST(alike_waits_are_one_row)
{
	struct ep_module_info modules[] = { { .path = "/no/such/program" },
		{ .path = "/no/such/library" } };
	struct ep_path paths[] = {
		{ .parent_idx = EP_NONE, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = 0, .address = 0x1000 },
		{ .parent_idx = MAIN, .module_idx = 1, .address = 0x2000 },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = 1, .address = 0x3000 },
	};
	struct ep_wait_cost waits[] = {
		wait_of(0, EP_WAIT_MUTEX, LEAF, 1000), wait_of(1, EP_WAIT_READ, LEAF, 5000),
		wait_of(1, EP_WAIT_MUTEX, LEAF, 2000), /* another lock of the same code */
		wait_of(0, EP_WAIT_MUTEX, LEAF, 4000), wait_of(0, EP_WAIT_MUTEX, EP_PATH_LOST, 100),
		wait_of(0, 99, MAIN, 50),
		wait_of(0, EP_WAIT_MUTEX, LEAF, 1850), /* held meanwhile */
	};
	struct ep_trace_process process = { .meta = { [EP_META_WAITS] = meta_waits } };
	struct ep_trace trace = { .modules = modules,
		.n_modules = 2,
		.paths = paths,
		.n_paths = EP_ARRAY_SIZE(paths),
		.waits = waits,
		.n_waits = EP_ARRAY_SIZE(waits),
		.processes = &process,
		.n_processes = 1,
		.n_lost_waits = 3 };
	struct ep_trace_thread threads[2] = { 0 };
	struct ep_report_thread rows[] = { { .thread_idx = 1 }, { .thread_idx = 0 } };
	struct ep_report report = { .threads = rows, .n_threads = 2 };

	trace.threads = threads;
	trace.n_threads = 2;

	waits[1].name = file;
	waits[6].holder_path_idx = OTHER;
	waits[6].holder_kind = EP_WAIT_SLEEP;
	build(&trace, &report, 3);
	check_places(&report);
	check_locks_and_threads(&report);
	free(report.locks);
	free(report.thread_waits);
	free(report.noted_waits);
	ep_strings_finish(&trace.strings);
}

/* A process notes fewer of its short waits; one of 3 ms may be among them, and 17 of 3 ms are not short. */
TEST(a_part_of_many_short_waits_is_an_estimate)
{
	static const struct {
		uint32_t n_waits;
		uint64_t off_us, longest_us;
		bool is_estimate;
	} cases[] = { { 16, 8000, 900, false }, { 17, 8000, 900, true }, { 18, 10000, 3000, true },
		{ 17, 51000, 3000, false }, { 17, 50000, 3000, false } };
	struct ep_trace_process process = { 0 };
	struct ep_trace_thread thread = { 0 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_wait_cost wait =
			wait_of(0, EP_WAIT_READ, EP_PATH_ROOT, cases[i].off_us * 1000);
		struct ep_path path = {
			.parent_idx = EP_NONE, .module_idx = EP_NONE, .cost_idx = EP_NONE
		};
		struct ep_trace trace = { .paths = &path,
			.n_paths = 1,
			.processes = &process,
			.n_processes = 1,
			.threads = &thread,
			.n_threads = 1,
			.waits = &wait,
			.n_waits = 1 };
		struct ep_report report = { 0 };

		wait.n_waits = cases[i].n_waits;
		wait.longest_ns = cases[i].longest_us * 1000;
		build(&trace, &report, 0);
		CHECK_INT(report.noted_waits[0].is_estimate, cases[i].is_estimate);
		free(report.locks);
		free(report.thread_waits);
		free(report.noted_waits);
		ep_strings_finish(&trace.strings);
		ep_strings_finish(&report.own_texts);
	}
}

/* The second process waited more often than all of its waits are noted for: those that are many stand for others. */
TEST(a_part_of_many_waits_is_an_estimate)
{
	struct ep_module_info modules[] = { { .path = "/no/such/program" } };
	struct ep_path paths[] = {
		{ .parent_idx = EP_NONE, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = 0, .address = 0x1000 },
	};
	struct ep_trace_process processes[2] = { 0 };
	struct ep_trace_thread threads[] = { { .process_idx = 0 }, { .process_idx = 1 } };
	struct ep_wait_cost waits[] = { wait_of(0, EP_WAIT_MUTEX, MAIN, 2000),
		wait_of(1, EP_WAIT_READ, MAIN, 4000), wait_of(1, EP_WAIT_SLEEP, MAIN, 3000) };
	struct ep_trace trace = { .modules = modules,
		.n_modules = 1,
		.paths = paths,
		.n_paths = 3,
		.processes = processes,
		.n_processes = 2,
		.threads = threads,
		.n_threads = 2,
		.waits = waits,
		.n_waits = 3 };
	struct ep_report report = { 0 };

	waits[0].n_waits = 128;
	waits[1].n_waits = 128;
	for (uint32_t i = 0; i < 3; i++)
		waits[i].off_ns *= 1000000;
	waits[0].longest_ns = waits[0].off_ns / 128;
	waits[2].n_waits = 1;
	waits[2].longest_ns = waits[2].off_ns; /* one that nothing else stands behind */
	build(&trace, &report, 0);
	CHECK_INT(report.n_noted_waits, 3);
	CHECK_INT(report.noted_waits[0].is_estimate, 1);
	CHECK_INT(report.noted_waits[1].is_estimate, 0);
	CHECK_INT(report.noted_waits[2].is_estimate, 0);
	free(report.locks);
	free(report.thread_waits);
	free(report.noted_waits);
	/* two that last 0.5 s at most cannot last 2 */
	report = (struct ep_report){ 0 };
	waits[0].n_waits = 2;
	waits[0].longest_ns = 500000000;
	build(&trace, &report, 0);
	CHECK_INT(report.noted_waits[2].ns, 2000000000);
	CHECK_INT(report.noted_waits[2].is_estimate, 1);
	free(report.locks);
	free(report.thread_waits);
	free(report.noted_waits);
	ep_strings_finish(&trace.strings);
	ep_strings_finish(&report.own_texts);
}

TEST(none_were_noted)
{
	struct ep_trace_process processes[2] = { 0 };
	struct ep_trace trace = { .processes = processes, .n_processes = 2 };
	struct ep_report report = { 0 };

	build(&trace, &report, 0);
	CHECK(!report.has_noted_waits);
	processes[1].meta[EP_META_WAITS] = meta_waits;
	build(&trace, &report, 0);
	CHECK(report.has_noted_waits);
	trace.part = (struct ep_part){ .is_set = true, .to_ns = 1 };
	build(&trace, &report, 0);
	CHECK(report.has_noted_waits);
	trace.part.region = "it";
	build(&trace, &report, 0);
	CHECK(report.has_noted_waits);
	trace.waits_lack_regions = true;
	build(&trace, &report, 0);
	CHECK(!report.has_noted_waits);
	ep_strings_finish(&trace.strings);
}

static pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int before[4];
	pthread_mutex_t lock;
} a_table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static struct ep_wait_cost wait_for(const void *lock, uint64_t base, uint32_t thread_idx)
{
	struct ep_wait_cost wait = wait_of(thread_idx, EP_WAIT_MUTEX, EP_PATH_LOST, 1000);

	wait.lock = (uintptr_t)lock - base;
	wait.lock_module_idx = base ? 0 : EP_NONE;
	return wait;
}

/* Locks in a file's data have names, those on a stack or the heap an address in their process. */
TEST(locks_are_variables)
{
	char self[4096] = "";
	pthread_mutex_t on_stack = PTHREAD_MUTEX_INITIALIZER;
	struct ep_module_info module = { .path = self };
	struct ep_path paths[] = {
		{ .parent_idx = EP_NONE, .module_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = EP_NONE, .address = 1 },
	};
	struct ep_trace_process processes[] = { { .key.pid = 7, .meta[EP_META_WAITS] = meta_waits },
		{ .key.pid = 8 } };
	struct ep_trace_thread threads[] = { { .process_idx = 0 }, { .process_idx = 1 } };
	struct ep_report_thread rows[] = { { .thread_idx = 0 }, { .thread_idx = 1 } };
	struct ep_report report = { .threads = rows, .n_threads = 2 };
	struct ep_trace trace = { .modules = &module,
		.n_modules = 1,
		.paths = paths,
		.n_paths = 2,
		.processes = processes,
		.n_processes = 2,
		.threads = threads,
		.n_threads = 2 };
	uint64_t base = 0, pids = 0;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	dl_iterate_phdr(find_base, &base);
	if (!base)
		SKIP("a program that lies where it was linked");
	struct ep_wait_cost waits[] = { wait_for(&a_lock, base, 0), wait_for(&a_lock, base, 1),
		wait_for(&a_lock, base, 1), wait_for(&a_table.lock, base, 1),
		wait_for(&on_stack, 0, 0), wait_for(&on_stack, 0, 1) };

	trace.waits = waits;
	trace.n_waits = EP_ARRAY_SIZE(waits);
	build_in(NULL, &trace, &report, 0);
	CHECK_INT(report.n_locks, 4);
	CHECK_STR(report.locks[0].name ? report.locks[0].name : "none", "a_lock");
	CHECK_INT(report.locks[0].n_threads, 2);
	CHECK_INT(report.locks[0].n_waits, 6);
	CHECK_STR(report.noted_waits[0].what ? report.noted_waits[0].what : "none", "a_lock");
	for (uint32_t i = 1; i < report.n_locks; i++) {
		const struct ep_report_lock *lock = &report.locks[i];

		if (lock->name)
			CHECK_STR(lock->name, "a_table+0x10");
		else
			pids += lock->pid;
	}
	CHECK_INT(pids, 7 + 8);
	free(report.locks);
	free(report.thread_waits);
	free(report.noted_waits);
	ep_strings_finish(&trace.strings);
}

/* The locks of Python's lock lie side by side; a library's condition variable is another thing. */
TEST(pythons_lock_is_told_from_others)
{
	struct ep_module_info modules[] = { { .path = "/no/such/python3.11" },
		{ .path = "/no/such/program" }, { .path = "/no/such/libcuda.so" } };
	struct ep_path paths[] = {
		{ .parent_idx = EP_NONE, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = EP_NONE, .cost_idx = EP_NONE },
		{ .parent_idx = EP_PATH_ROOT, .module_idx = 1, .address = 0x1000 },
		{ .parent_idx = MAIN, .module_idx = 0, .address = 0x2000 },
		{ .parent_idx = MAIN, .module_idx = 2, .address = 0x3000 },
	};
	struct ep_wait_cost waits[] = {
		wait_of(0, EP_WAIT_CONDITION, LEAF, 3000),
		wait_of(0, EP_WAIT_CONDITION, LEAF, 2000),
		wait_of(0, EP_WAIT_CONDITION, OTHER, 1000),
		wait_of(0, EP_WAIT_SEMAPHORE, LEAF, 500),
	};
	struct ep_trace_process process = { .meta = { [EP_META_WAITS] = meta_waits } };
	struct ep_trace_thread thread = { 0 };
	struct ep_trace trace = { .modules = modules,
		.n_modules = EP_ARRAY_SIZE(modules),
		.paths = paths,
		.n_paths = EP_ARRAY_SIZE(paths),
		.waits = waits,
		.n_waits = EP_ARRAY_SIZE(waits),
		.processes = &process,
		.n_processes = 1,
		.threads = &thread,
		.n_threads = 1 };
	struct ep_report_thread row = { 0 };
	struct ep_report report = { .threads = &row, .n_threads = 1 };

	waits[1].lock += 0x30;
	build(&trace, &report, 0);
	CHECK_INT(report.n_noted_waits, 3);
	CHECK_STR(report.noted_waits[0].kind, "gil");
	CHECK_STR(report.noted_waits[0].what, "GIL");
	CHECK_INT(report.noted_waits[0].ns, 5000);
	CHECK_STR(report.noted_waits[1].kind, "condition");
	CHECK_STR(report.noted_waits[2].kind, "semaphore");
	CHECK_INT(report.lock_ns, 5000);
	CHECK_INT(report.n_locks, 3);
	CHECK_STR(report.locks[0].name, "GIL");
	CHECK_INT(report.locks[0].ns, 5000);
	free(report.locks);
	free(report.thread_waits);
	free(report.noted_waits);
	ep_strings_finish(&trace.strings);
}
