// SPDX-License-Identifier: BSD-3-Clause
/* Regions of traces: how sure their shares are, and what damaged blocks do. */
#include "tests/unit/test.h"

#include <string.h>

#include "reporter/facts/builder.h"
#include "reporter/run/run.h"
#include "tests/unit/two_groups.h"

static struct ep_stack_node nodes[] = { { 0, 0, 0x1020 } };

/* A REGIONS block. */
struct block {
	uint32_t thread, first_node, n_nodes;
	const char *const *names; /* (n_nodes) */
	uint32_t n_changes;
	const struct ep_region_change *changes; /* (n_changes) the slice: since the change before */
	bool is_chain;                          /* each region is in the one before */
	bool has_sums;                          /* each region was entered once */
};

static void put_regions(const struct block *block)
{
	size_t at = ep_block_start(&writer.wire, EP_BLOCK_REGIONS, writer.key);

	ep_wire_u(&writer.wire, block->thread);
	for (int i = 0; i < 4; i++)
		ep_wire_u(&writer.wire, 0);
	ep_wire_u(&writer.wire, block->first_node);
	ep_wire_u(&writer.wire, block->n_nodes);
	for (uint32_t i = 0; i < block->n_nodes; i++) {
		ep_wire_u(&writer.wire, block->is_chain ? i : 0);
		ep_wire_string(&writer.wire, block->names[i], strlen(block->names[i]));
	}
	ep_wire_u(&writer.wire, block->has_sums ? block->n_nodes : 0);
	for (uint32_t i = 1; block->has_sums && i <= block->n_nodes; i++) {
		ep_wire_u(&writer.wire, i);
		ep_wire_u(&writer.wire, 1);
		ep_wire_u(&writer.wire, 1000);
	}
	ep_wire_u(&writer.wire, block->n_changes);
	for (uint32_t i = 0; i < block->n_changes; i++) {
		ep_wire_u(&writer.wire, block->changes[i].slice);
		ep_wire_u(&writer.wire, block->changes[i].node);
	}
	ep_block_finish(&writer.wire, at);
	CHECK(!writer.wire.overflow);
}

static void put_cut_slice(uint64_t first, uint64_t us, uint64_t time_us)
{
	struct ep_sample row = {
		.cpu_us = us, .wall_us = us, .node_idx = 1, .flags = EP_SAMPLE_CUT
	};
	uint64_t values[3] = { 10, 20, 30 };
	struct ep_samples samples = { 0, 1, 1, first, &row, values };

	trace_put_samples(&writer, &groups, &samples, time_us);
}

/* Nine of 10 ticks met the region, and the thread ended in it 5 periods later: this end tells places nothing, so
 * that their weights have not its square, and the region's have it. */
TEST(a_threads_end_leaves_a_regions_error)
{
	static const char *const names[] = { "inside", NULL }, *const paths[] = { "trace.gz",
		NULL };
	static const struct ep_region_change changes[] = { { 0, 1 }, { 9, 0 }, { 1, 1 } };
	const struct ep_report_options options = {
		.n_bins = 4, .trace_paths = paths, .filler = &ep_filler_fixed
	};
	struct ep_symbols_options where = { .sysroot = "/nonexistent" };
	double p = 14. / 15, inside = (9 + 25) * 1e6, outside = 1e6;
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;

	start_trace();
	trace_put_meta(&writer, meta);
	trace_put_meta(&writer, "first_tick\trandom\n");
	put_nodes(1, nodes, 1);
	put_regions(&(struct block){ 0, 1, 1, names, 3, changes });
	put_slices(10, 1, 0, 1000);
	put_cut_slice(10, 5000, 10000);
	trace = finish_trace();
	symbols = ep_symbols_create(trace, &where);
	report = ep_report_create(trace, symbols, &options);
	CHECK(report && report->n_regions == 1);
	if (report && report->n_regions) {
		const struct ep_report_region *row = &report->regions[0];
		double us = (double)report->sampled_ns / 1000;

		CHECK_CLOSE(row->self_share, p, 1e-12);
		CHECK_CLOSE(row->self_error,
			sqrt((1 - p) * (1 - p) * inside + p * p * outside) / us, 1e-9);
		CHECK_CLOSE(row->total_error, row->self_error, 0);
	}
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

TEST(a_change_far_away_leaves_those_of_later_blocks)
{
	static const char *const names[] = { "one", "two" };
	static const struct ep_region_change first[] = { { 0, 1 }, { 1ull << 40, 0 } },
					     later[] = { { 5, 2 } };
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, nodes, 1);
	put_regions(&(struct block){ 0, 1, 2, names, 2, first });
	put_slices(5, 1, 0, 1000);
	put_regions(&(struct block){ 0, 3, 0, NULL, 1, later });
	put_slices(3, 1, 5, 1000);
	trace = finish_trace();
	CHECK_INT(trace->regions.n_rows, 2);
	CHECK_INT(trace->regions.rows[0].cpu_us, 5000);
	CHECK_INT(trace->regions.rows[1].cpu_us, 3000);
	CHECK_INT(trace->regions.n_waiting, 0);
	ep_trace_destroy(trace);
}

enum { N_CHANGES = 30000, N_THREADS = 40 };

/* A trace of zeros packs well: few bytes would take any memory. */
TEST(changes_without_slices_take_no_memory_without_end)
{
	static const char *const names[] = { "one" };
	static struct ep_region_change changes[N_CHANGES];
	const uint32_t n_kept = (1u << 20) / N_CHANGES;
	struct ep_trace *trace;

	for (uint32_t i = 0; i < N_CHANGES; i++)
		changes[i] = (struct ep_region_change){ 1, 1 };
	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, nodes, 1);
	put_slices(5, 1, 0, 1000);
	for (uint32_t i = 0; i < N_THREADS; i++) {
		trace_flush(&writer);
		put_regions(&(struct block){ 1 + i, 1, 1, names, N_CHANGES, changes });
	}
	trace = finish_trace();
	CHECK_INT(trace->regions.n_waiting, n_kept * N_CHANGES);
	CHECK_INT(trace->loss.n_undecodable, N_THREADS - n_kept);
	ep_trace_destroy(trace);
}

enum { N_NAMES = 255 };

static void put_regions_of(uint32_t thread)
{
	static char texts[N_NAMES][16];
	const char *names[N_NAMES];

	for (uint32_t i = 0; i < N_NAMES; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%u %u", thread, i);
		names[i] = texts[i];
	}
	trace_flush(&writer);
	put_regions(&(struct block){ thread, 1, N_NAMES, names, 0, NULL, .has_sums = true });
}

/* A report has regions of 16 threads and some of the next. The last one's own are in one that it has. */
TEST(regions_without_room_are_the_one_around)
{
	static const char *const names[] = { "1 0", "new", "newer", "1 1" };
	static const struct ep_region_change changes[] = { { 0, 2 }, { 1, 3 }, { 1, 1 } };
	const uint32_t n_threads = 17, n_beyond = 17 * N_NAMES - 4096;
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, nodes, 1);
	for (uint32_t thread = 1; thread <= n_threads; thread++)
		put_regions_of(thread);
	put_regions(&(struct block){ 0, 1, 4, names, 3, changes, true, true });
	put_slices(4, 1, 0, 1000);
	trace = finish_trace();
	CHECK_INT(trace->regions.n_rows, 4096);
	CHECK_INT(trace->regions.n_beyond, n_beyond + 3);
	CHECK_STR(trace->regions.rows[0].name, "1 0");
	CHECK_INT(trace->regions.rows[0].cpu_us, 4000);
	CHECK_INT(trace->regions.rows[0].n_entries, 2);
	CHECK_INT(trace->regions.rows[1].n_entries, 1);
	ep_trace_destroy(trace);
}
