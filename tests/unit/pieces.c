// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/pieces.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/unit/two_groups.h"

/* Two procedures of main's: call sites 0x1020 and 0x1040, slices in two pieces of the first. */
static struct ep_stack_node nodes[] = {
	{ 0, 0, 0x1020 },
	{ 1, 0, 0x2000 },
	{ 1, 0, 0x20f0 },
	{ 1, 0, 0x2100 },
	{ 0, 0, 0x1040 },
	{ 5, 0, 0x2000 },
};

struct ep_sample rows[MOST];
uint64_t values[MOST * E];

void make(uint32_t n_slices)
{
	for (uint32_t i = 0; i < n_slices; i++) {
		rows[i] = (struct ep_sample){
			.cpu_us = 1000, .wall_us = 1000, .node_idx = 2, .group = i % 2
		};
		for (uint32_t e = 0; e < E; e++)
			values[i * E + e] = 10 * (e + 1);
	}
}

static void put_ends(uint32_t thread)
{
	struct ep_totals totals = { .thread = thread, .name = "t", .name_size = 1, .final = true };
	struct ep_end end = { .how = EP_END_EXIT };

	trace_put_totals(&writer, &totals);
	trace_put_end(&writer, &end);
}

/* Counts the slices before piece i in its thread. */
static uint32_t slices_before(const struct piece *pieces, size_t i)
{
	uint32_t n = 0;

	for (size_t k = 0; k < i; k++)
		if (pieces[k].pid == pieces[i].pid && pieces[k].thread == pieces[i].thread)
			n += pieces[k].n_slices;
	return n;
}

static void put_piece(const struct piece *pieces, size_t i)
{
	uint32_t before = slices_before(pieces, i);
	struct ep_stacks stacks = { pieces[i].thread, 1, 1, EP_ARRAY_SIZE(nodes), nodes };
	struct ep_samples samples = { pieces[i].thread, 1, pieces[i].n_slices, before, rows,
		values };
	bool is_new = !i || pieces[i].pid != pieces[i - 1].pid;

	writer.key = (struct ep_process_key){ pieces[i].pid, 5000000000 };
	if (is_new && !before)
		trace_put_meta(&writer, meta);
	if (!before)
		trace_put_stacks(&writer, &stacks);
	trace_put_samples(&writer, &groups, &samples, 1000 * before);
	if (pieces[i].is_last)
		put_ends(pieces[i].thread);
	trace_flush(&writer);
}

int load_pieces(const struct ep_filler_ops *filler, const struct piece *pieces, size_t n_pieces,
	struct ep_trace **out_trace)
{
	struct ep_load_options options = { .filler = filler };
	char path[] = "/tmp/evprof-pieces-XXXXXX";
	int rc;

	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	for (size_t i = 0; i < n_pieces; i++)
		put_piece(pieces, i);
	trace_put_eof(&writer);
	fclose(writer.out);
	trace_writer_finish(&writer);
	rc = ep_trace_load(path, &options, out_trace, NULL);
	unlink(path);
	return rc;
}
