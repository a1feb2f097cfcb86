// SPDX-License-Identifier: BSD-3-Clause
/* Phases of samples in two procedures of this very program. */
#include "tests/unit/test.h"

#include <link.h>
#include <unistd.h>

#include "reporter/export/time_log.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/phases/phases.h"
#include "reporter/symbolize/namer.h"
#include "tests/trace/writer.h"

static uint64_t base;

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

__attribute__((noinline)) static void work(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static void other(void)
{
	__asm__ volatile("" ::: "memory");
}

enum { N_BEFORE = 300, N_LONG = 12, N_MOST = 2 * N_BEFORE + N_LONG };

/* Stops the thread for so long before a sample, and every so many samples; 0: once. */
static uint32_t stall_at, stall_ms, stall_every;

static bool stalls_before(uint32_t i)
{
	return i == stall_at || (stall_every && i && i % stall_every == 0);
}

/* Samples of a ms in work() before and behind n of ms each in other(). */
static void put_samples(struct trace_writer *writer, uint32_t n, uint64_t ms)
{
	static struct ep_sample samples[N_MOST];
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_samples block = { 0, 1, 0, 0, samples, NULL };
	struct ep_stack_node nodes[] = { { 0, 1, (uint64_t)(uintptr_t)work - base },
		{ 0, 1, (uint64_t)(uintptr_t)other - base } };

	for (uint32_t i = 0; i < 2 * N_BEFORE + n; i++) {
		bool is_other = i >= N_BEFORE && i < N_BEFORE + n;
		uint64_t us = is_other ? 1000 * ms : 1000;

		samples[block.n_samples++] = (struct ep_sample){ .cpu_us = us,
			.wall_us = us + (stalls_before(i) ? 1000 * stall_ms : 0),
			.node_idx = is_other ? 2 : 1 };
	}
	trace_put_stacks(writer, &(struct ep_stacks){ 0, 1, 1, 2, nodes });
	trace_put_samples(writer, &groups, &block, 0);
}

static void write_trace(const char *path, uint32_t n, uint64_t ms)
{
	static struct trace_writer writer;
	char self[4096] = "";
	struct ep_module module = { .id = 1, .end = UINT64_MAX, .path = self };

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	module.path_size = strlen(self);
	trace_writer_init(&writer, fopen(path, "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(
		&writer, "host\tn\nperiod_ns\t1000000\nwindow_ns\t1000000\nclock\ttask-clock\n");
	trace_put_modules(&writer, &module, 1);
	put_samples(&writer, n, ms);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
}

static void find(uint32_t n, uint64_t ms, struct ep_phases *out)
{
	char path[] = "/tmp/evprof-phases-XXXXXX";
	struct ep_count_log counts = { .most = 100000 };
	struct ep_time_log times = { .most = 100000, .counts = &counts };
	struct ep_load_options options = {
		.filler = &ep_filler_fixed, .see_times = ep_time_log_see, .seer = &times
	};
	struct ep_namer namer = { 0 };
	struct ep_trace *trace = NULL;
	struct ep_error err;

	dl_iterate_phdr(take_base, NULL);
	close(mkstemp(path));
	write_trace(path, n, ms);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	CHECK_INT(ep_phases_find(trace, ep_namer_symbols(&namer, trace), &times, out), 0);
	unlink(path);
	ep_time_log_finish(&times);
	ep_symbols_destroy(namer.symbols);
	ep_trace_destroy(trace);
}

TEST(as_many_samples_are_a_phase)
{
	struct ep_phases phases;

	find(N_LONG, 1, &phases);
	CHECK_INT(phases.segmentation.n_kinds, 2);
	CHECK_INT(phases.segmentation.n_stretches, 3);
	CHECK_CLOSE(ep_phase_from_s(&phases, 1), 0.3, 0.002);
	CHECK_CLOSE(ep_phase_to_s(&phases, 1), 0.312, 0.002);
	ep_phases_finish(&phases);
}

/* A tick that came late, or a host that had the CPU. */
TEST(one_long_sample_is_no_phase)
{
	struct ep_phases phases;

	find(1, N_LONG, &phases);
	CHECK_INT(phases.segmentation.n_kinds, 1);
	CHECK_CLOSE(phases.kinds[0].cpu_s, 0.612, 0.002);
	ep_phases_finish(&phases);
}

static uint32_t count_kinds(uint32_t at, uint32_t ms)
{
	struct ep_phases phases;
	uint32_t n;

	stall_at = at;
	stall_ms = ms;
	find(0, 1, &phases);
	stall_ms = 0;
	n = phases.segmentation.n_kinds;
	CHECK_CLOSE(phases.duration_s, 0.6 + ms / 1e3, 0.002);
	ep_phases_finish(&phases);
	return n;
}

/* The kernel makes the first event of an idle machine wait, and hosts take a CPU for some ms. */
TEST(a_short_stall_is_no_phase)
{
	CHECK_INT(count_kinds(0, 17), 1);
	CHECK_INT(count_kinds(N_BEFORE, 17), 1);
	CHECK_INT(count_kinds(N_BEFORE, 100), 2); /* the program waited */
	CHECK_INT(count_kinds(0, 100), 2);
}

/* Waiting that comes again and again is the program's own, as short as it may be. */
TEST(turns_of_short_waiting_are_phases)
{
	struct ep_phases phases;

	stall_every = 50;
	stall_at = 50;
	stall_ms = 15;
	find(0, 1, &phases);
	stall_every = stall_ms = 0;
	CHECK_INT(phases.segmentation.n_kinds, 2);
	CHECK_INT(phases.segmentation.n_stretches, 23);
	ep_phases_finish(&phases);
}
