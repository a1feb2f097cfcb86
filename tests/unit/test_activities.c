// SPDX-License-Identifier: BSD-3-Clause
/* Time in loops that only wait is told apart from the program's own, of samples in this very
 * program. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/load/load.h"
#include "reporter/run/run.h"
#include "tests/trace/writer.h"

static uint64_t base;

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

extern const char wait_here[], work_here[];
#ifdef __x86_64__
__asm__(".text\n"
	"wait_here: movl (%rdi),%eax\n testl %eax,%eax\n je wait_here\n ret\n"
	"work_here: movl (%rdi),%eax\n addl %eax,(%rsi)\n jne work_here\n ret\n");
enum { WAITING_MS = 30 };
#else /* where such loops are not known all of it is the program's own */
__asm__(".text\nwait_here:\n.long 0\nwork_here:\n.long 0\n");
enum { WAITING_MS = 0 };
#endif

extern const char behind_call[];
#if defined(__x86_64__)
#define CALL "syscall"
#elif defined(__aarch64__)
#define CALL "svc #0"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define CALL "sc"
#endif
#ifdef CALL
__asm__(".text\nbegin_call: " CALL "\nbehind_call: nop\n");
#else
__asm__(".text\nbehind_call: nop\n");
#endif

enum { N_WAITING = 30, N_WORKING = 10, N = N_WAITING + N_WORKING };

/* std::lock_rows(), which libstdc++'s headers would compile into a program. */
void lock_rows(void) __asm__("_ZSt9lock_rowsv");
__attribute__((noinline)) void lock_rows(void)
{
	__asm__ volatile("nop; nop" ::: "memory");
}

/* work_here calls std::lock_rows(), that pthread_mutex_lock of libc, where all samples are. */
static struct ep_trace *make_locking_trace(void)
{
	static struct trace_writer writer;
	char path[] = "/tmp/evprof-activities-XXXXXX", self[4096] = "";
	struct ep_groups groups = { .period_us = 1000 };
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	struct ep_sample samples[N];
	struct ep_samples block = { 0, 1, N, 0, samples, NULL };
	struct ep_trace *trace = NULL;
	struct ep_error err;
	/* libc's own: a sanitizer's stands before it */
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	const char *lock_address = library ? dlsym(library, "pthread_mutex_lock") : NULL;
	Dl_info info;

	CHECK(lock_address && dladdr(lock_address, &info));
	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	{
		EP_AUTOFREE char *libc = realpath(info.dli_fname, NULL);
		uint64_t lock = (uint64_t)(lock_address - (char *)info.dli_fbase);
		struct ep_module modules[] = {
			{ .id = 1, .end = UINT64_MAX / 2, .path = self, .path_size = strlen(self) },
			{ .id = 2,
				.start = UINT64_MAX / 2,
				.end = UINT64_MAX,
				.path = libc,
				.path_size = strlen(libc) },
		};
		struct ep_stack_node nodes[] = { { 0, 1, (uintptr_t)work_here - base + 1 },
			{ 1, 1, (uintptr_t)lock_rows - base + 1 }, { 2, 2, lock + 1 } };

		for (uint32_t i = 0; i < N; i++)
			samples[i] = (struct ep_sample){
				.cpu_us = 1000, .wall_us = 1000, .node_idx = 3
			};
		trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
		writer.key = (struct ep_process_key){ 100, 5000000000 };
		trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n");
		trace_put_modules(&writer, modules, 2);
		trace_put_stacks(&writer, &(struct ep_stacks){ 0, 1, 1, 3, nodes });
		trace_put_samples(&writer, &groups, &block, 0);
	}
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

/* N_WAITING samples are in wait_here, N_WORKING in another place. */
static struct ep_trace *make_trace_of(const char *other)
{
	static struct trace_writer writer;
	char path[] = "/tmp/evprof-activities-XXXXXX", self[4096] = "";
	struct ep_module module = { .id = 1, .end = UINT64_MAX, .path = self };
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	struct ep_stack_node nodes[2] = { { 0, 1, (uintptr_t)wait_here - base },
		{ 0, 1, (uintptr_t)other - base } };
	struct ep_sample samples[N] = { { .cpu_us = 0 } };
	struct ep_samples block = { 0, 1, N, 0, samples, NULL };
	struct ep_trace *trace = NULL;
	struct ep_error err;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	module.path_size = strlen(self);
	for (uint32_t i = 0; i < N; i++) {
		samples[i].cpu_us = samples[i].wall_us = 1000;
		samples[i].node_idx = i < N_WAITING ? 1 : 2;
	}
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n");
	trace_put_modules(&writer, &module, 1);
	trace_put_stacks(&writer, &(struct ep_stacks){ 0, 1, 1, 2, nodes });
	trace_put_samples(&writer, &groups, &block, 0);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

static struct ep_trace *make_trace(void)
{
	return make_trace_of(work_here);
}

static uint64_t ns_of(const struct ep_report *report, enum ep_activity activity)
{
	for (uint32_t i = 0; i < report->n_activities; i++)
		if (report->activities[i].activity == activity)
			return report->activities[i].ns;
	return 0;
}

TEST(waiting_in_a_loop_is_no_work)
{
	struct ep_symbols_options where = { 0 };
	struct ep_report_options options = {
		.n_bins = 4,
		.trace_paths = (const char *const[]){ "trace.gz", NULL },
		.filler = &ep_filler_fixed,
	};
	const struct ep_report *report;
	struct ep_symbols *symbols;
	struct ep_trace *trace;

	dl_iterate_phdr(take_base, NULL);
	trace = make_trace();
	symbols = ep_symbols_create(trace, &where);
	report = ep_report_create(trace, symbols, &options);
	CHECK(report);
	if (report) {
		CHECK_INT(ns_of(report, EP_ACTIVITY_IDLE), WAITING_MS * 1000000);
		CHECK_INT(ns_of(report, EP_ACTIVITY_OWN), (N - WAITING_MS) * 1000000);
	}
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

TEST(a_lock_is_for_the_program_not_for_the_library_around_it)
{
	struct ep_symbols_options where = { 0 };
	struct ep_report_options options = {
		.n_bins = 4,
		.trace_paths = (const char *const[]){ "trace.gz", NULL },
		.filler = &ep_filler_fixed,
	};
	const struct ep_report *report;
	struct ep_symbols *symbols;
	struct ep_trace *trace;

	dl_iterate_phdr(take_base, NULL);
	trace = make_locking_trace();
	symbols = ep_symbols_create(trace, &where);
	report = ep_report_create(trace, symbols, &options);
	CHECK(report && report->n_activities);
	if (report && report->n_activities) {
		const struct ep_report_activity *locks = &report->activities[0];

		CHECK_INT(locks->n_entries, 1);
		CHECK_STR(
			locks->entries[0].caller ? locks->entries[0].caller : "none", "work_here");
	}
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* So many times each place's time was the kernel's, as looks for system calls found. */
static const struct ep_report *report_with_calls(
	struct ep_trace *trace, double times, struct ep_symbols **out_symbols)
{
	static const struct ep_symbols_options where = { 0 };
	static const char *const paths[] = { "trace.gz", NULL };
	const struct ep_report_options options = {
		.n_bins = 4, .trace_paths = paths, .filler = &ep_filler_fixed
	};

	for (uint32_t i = 0; i < trace->n_costs; i++)
		trace->costs[i].calls_us = (uint64_t)(times * (double)trace->costs[i].cost.cpu_us);
	*out_symbols = ep_symbols_create(trace, &where);
	return ep_report_create(trace, *out_symbols, &options);
}

TEST(system_calls_are_no_work_of_the_library_that_makes_them)
{
	struct ep_symbols *symbols;
	const struct ep_report *report;
	struct ep_trace *trace;

	dl_iterate_phdr(take_base, NULL);
	trace = make_trace();
	report = report_with_calls(trace, 0.5, &symbols);
	CHECK(report && report->procedures.n_rows == 2);
	if (report && report->procedures.n_rows == 2) {
		const struct ep_report_row *row = &report->procedures.rows[0];

		CHECK_INT(ns_of(report, EP_ACTIVITY_SYSTEM), N * 500000);
		CHECK_INT(ns_of(report, EP_ACTIVITY_IDLE), WAITING_MS * 500000);
		CHECK_INT(ns_of(report, EP_ACTIVITY_OWN), (N - WAITING_MS) * 500000);
		CHECK_INT(row->system_ns, row->self_ns / 2);
	}
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* The clock's tick in a call, which no look found, comes at the address where the call returns. */
TEST(ticks_behind_system_calls)
{
	struct ep_symbols *symbols;
	const struct ep_report *report;
	struct ep_trace *trace;

	dl_iterate_phdr(take_base, NULL);
	trace = make_trace_of(behind_call);
	report = report_with_calls(trace, 0, &symbols);
	CHECK(report);
#ifdef CALL
	CHECK_INT(ns_of(report, EP_ACTIVITY_SYSTEM), N_WORKING * 1000000);
	CHECK_INT(ns_of(report, EP_ACTIVITY_OWN), (N_WAITING - WAITING_MS) * 1000000);
#else
	CHECK_INT(ns_of(report, EP_ACTIVITY_SYSTEM), 0);
#endif
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* In a damaged trace they may be more than all. */
TEST(more_system_calls_than_time)
{
	struct ep_symbols *symbols;
	const struct ep_report *report;
	struct ep_trace *trace;

	dl_iterate_phdr(take_base, NULL);
	trace = make_trace();
	report = report_with_calls(trace, 3, &symbols);
	CHECK(report);
	if (report) {
		CHECK_INT(ns_of(report, EP_ACTIVITY_SYSTEM), N * 1000000);
		CHECK_INT(ns_of(report, EP_ACTIVITY_IDLE), 0);
		CHECK_INT(ns_of(report, EP_ACTIVITY_OWN), 0);
	}
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* A lock's system calls are the lock's. */
TEST(system_calls_for_another_purpose)
{
	struct ep_symbols *symbols;
	const struct ep_report *report;
	struct ep_trace *trace;

	dl_iterate_phdr(take_base, NULL);
	trace = make_locking_trace();
	report = report_with_calls(trace, 0.5, &symbols);
	CHECK(report);
	if (report) {
		CHECK_INT(ns_of(report, EP_ACTIVITY_SYSTEM), 0);
		CHECK_INT(ns_of(report, EP_ACTIVITY_LOCK), N * 1000000);
	}
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}
