// SPDX-License-Identifier: BSD-3-Clause
/* Waits of a trace: added up by thread, path and what was waited for; of a region those that are told. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/load/load.h"
#include "tests/trace/writer.h"

static char path[] = "/tmp/evprof-waits-XXXXXX";

static void put_paths(struct trace_writer *writer, uint32_t thread, uint32_t epoch)
{
	struct ep_stack_node nodes[] = { { 0, 0, 16 }, { 1, 0, 32 } };
	struct ep_stacks stacks = { thread, epoch, 1, 2, nodes };

	trace_put_stacks(writer, &stacks);
}

static struct ep_wait_sum sum_of(uint32_t node_idx, uint64_t ns)
{
	return (struct ep_wait_sum){ .node_idx = node_idx,
		.kind = EP_WAIT_MUTEX,
		.n_waits = 2,
		.off_ns = ns,
		.longest_ns = ns / 2,
		.object = 0x40c0 };
}

static void put_waits(
	struct trace_writer *writer, uint32_t thread, uint32_t epoch, struct ep_wait_sum sum)
{
	struct ep_waits waits = { .thread = thread,
		.epoch = epoch,
		.n_lost = 1,
		.n_sums = 1,
		.n_names = sum.name ? 1 : 0,
		.names = { { "/tmp/\033x", 7 } },
		.sums = &sum };

	trace_put_waits(writer, &waits);
}

/* The same path in two threads and two epochs; a node that is not there; a name, and a holder. */
static void write_trace(void)
{
	struct trace_writer writer;
	struct ep_wait_sum named = sum_of(1, 600), held = sum_of(1, 800);

	named.name = 1;
	named.kind = 99;
	held.holder = 2;
	held.holder_node = 2;
	trace_writer_init(&writer, fopen(path, "wbe"));
	writer.key = (struct ep_process_key){ 100, 5000 };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nwaits_ns\t100000\n");
	put_paths(&writer, 0, 1);
	put_waits(&writer, 0, 1, sum_of(2, 100));
	put_waits(&writer, 0, 1, sum_of(2, 300));
	put_paths(&writer, 0, 2);
	put_waits(&writer, 0, 2, sum_of(2, 200));
	put_waits(&writer, 0, 2, sum_of(77, 50));
	put_waits(&writer, 0, 2, named);
	put_waits(&writer, 0, 2, held);
	put_paths(&writer, 1, 1);
	put_waits(&writer, 1, 1, sum_of(2, 1000));
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
}

static struct ep_trace *load(const struct ep_load_options *options)
{
	struct ep_trace *trace = NULL;
	struct ep_error err;

	CHECK_INT(ep_trace_load(path, options, &trace, &err), 0);
	return trace;
}

TEST(sums)
{
	static const struct {
		uint32_t thread_idx, n_waits;
		uint64_t off_ns, longest_ns;
	} rows[] = { { 0, 6, 600, 150 }, { 0, 2, 50, 25 }, { 0, 2, 600, 300 }, { 0, 2, 800, 400 },
		{ 1, 2, 1000, 500 } };
	struct ep_trace *trace;

	close(mkstemp(path));
	write_trace();
	trace = load(&(struct ep_load_options){ .filler = &ep_filler_fixed });
	CHECK_INT(trace->n_waits, EP_ARRAY_SIZE(rows));
	CHECK_INT(trace->n_lost_waits, 7);
	CHECK_INT(trace->loss.n_unknown_types + trace->loss.n_undecodable, 0);
	for (uint32_t i = 0; i < trace->n_waits && i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_INT(trace->waits[i].thread_idx, rows[i].thread_idx);
		CHECK_INT(trace->waits[i].n_waits, rows[i].n_waits);
		CHECK_INT(trace->waits[i].off_ns, rows[i].off_ns);
		CHECK_INT(trace->waits[i].longest_ns, rows[i].longest_ns);
		CHECK_INT(trace->waits[i].lock, 0x40c0);
	}
	CHECK_INT(trace->paths[trace->waits[0].path_idx].address, 32);
	CHECK_INT(trace->waits[1].path_idx, EP_PATH_LOST);
	CHECK_STR(trace->waits[2].name, "/tmp/?x"); /* nothing that a terminal obeys */
	CHECK_INT(trace->waits[2].kind, 99);
	CHECK_INT(trace->waits[3].holder, 2);
	CHECK_INT(trace->paths[trace->waits[3].holder_path_idx].address, 32);
	CHECK_INT(trace->waits[0].holder_path_idx, EP_NONE);
	ep_trace_destroy(trace);
}

static bool wants_second(void *context, const struct ep_trace *trace, uint32_t thread_idx)
{
	return thread_idx == 1;
}

/* Node 1 is the region that is asked for, node 2 lies in it, node 3 is another. */
static void put_regions(struct trace_writer *writer, uint32_t thread)
{
	struct ep_region_node nodes[] = { { 0, "it", 2 }, { 1, "in it", 5 }, { 0, "no", 2 } };
	struct ep_regions regions = {
		.thread = thread, .first_node = 1, .n_nodes = EP_ARRAY_SIZE(nodes), .nodes = nodes
	};

	trace_put_regions(writer, &regions);
}

/* Sums of 100, 200, 400 and 800 ns in nodes 0 to 3. A thread with regions whose waits' are not told, and one that
 * has no regions. */
static void write_regions(bool tells_all)
{
	struct ep_wait_sum sums[] = { sum_of(1, 100), sum_of(1, 200), sum_of(1, 400),
		sum_of(1, 800) };
	struct ep_waits waits = { .epoch = 1, .n_sums = EP_ARRAY_SIZE(sums), .sums = sums };
	struct trace_writer writer;

	for (uint32_t i = 0; i < EP_ARRAY_SIZE(sums); i++)
		sums[i].region = i;
	trace_writer_init(&writer, fopen(path, "wbe"));
	writer.key = (struct ep_process_key){ 100, 5000 };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nwaits_ns\t100000\n");
	put_paths(&writer, 0, 1);
	put_regions(&writer, 0);
	if (tells_all)
		ep_wait_regions_encode(&writer.wire, writer.key, &waits);
	trace_put_waits(&writer, &waits);
	put_paths(&writer, 1, 1);
	put_waits(&writer, 1, 1, sum_of(2, 1600));
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
}

TEST(waits_of_a_region)
{
	const struct ep_load_options options = { .filler = &ep_filler_fixed, .region = "it" };

	for (int tells_all = 0; tells_all < 2; tells_all++) {
		struct ep_trace *trace;

		write_regions(tells_all);
		trace = load(&options);
		CHECK_INT(trace->waits_lack_regions, !tells_all);
		CHECK_INT(trace->n_waits, tells_all);
		if (trace->n_waits)
			CHECK_INT(trace->waits[0].off_ns, 600);
		ep_trace_destroy(trace);
	}
	write_trace();
}

TEST(only_what_is_wanted)
{
	struct ep_trace *trace;

	trace = load(
		&(struct ep_load_options){ .filler = &ep_filler_fixed, .wants = wants_second });
	CHECK_INT(trace->n_waits, 1);
	CHECK_INT(trace->waits[0].off_ns, 1000);
	ep_trace_destroy(trace);
	trace = load(&(struct ep_load_options){ .filler = &ep_filler_fixed, .region = "it" });
	CHECK_INT(trace->n_waits, 0);
	ep_trace_destroy(trace);
	unlink(path);
}
