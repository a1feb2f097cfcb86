// SPDX-License-Identifier: BSD-3-Clause
/* Round trips of every block through the encoders; then truncation at every byte and damage. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "tests/trace/writer.h"

/* Events 0 (always), 1 and 2 (one group each). */
static uint8_t holds[] = { 1, 2, 0, 1, 0, 2 };
static const struct ep_groups groups = {
	.n_events = 3,
	.n_groups = 2,
	.period_us = 1000,
	.holds = holds,
};
static const struct ep_process_key key = { .pid = 4242, .birth_ns = 77ull << 40 };

static struct ep_module modules[] = {
	{ 1, 0x400000, 0x500000, 0, 12, "/bin/app", 8, (const uint8_t *)"\1\2\3", 3 },
	{ 2, 0x7f0000000000, 0x7fffffffffff, 0x7f0000000000, UINT64_MAX, "", 0, NULL, 0 },
};
static struct ep_stack_node nodes[] = {
	{ 0, 1, 0x1000 },
	{ 7, 2, 0x99 },
	{ 7, 1, 0x20 },
	{ 0, 0, UINT64_MAX },
	{ 10, 2, 0x98 },
	{ 11, 3, 0 },
	{ 12, 0, 1 },
};
static struct ep_stacks stacks = { 3, 1, 7, 7, nodes };
static struct ep_sample rows[] = {
	{ 5000 + 1500, 1000, 1500, 0, 7, 0, 0 },
	{ 6500 + 900, 900, 900, 7, 13, 1, EP_SAMPLE_DEEP },
	{ 7400 + 2000000, 1, 2000000, 0, 8, 1, EP_SAMPLE_NOT_RUN },
	{ 2007400 + 3, 3, 3, 0, 0, 0, EP_SAMPLE_CUT },
};
static uint64_t values[] = { 10, 1ull << 63, 0, 5, 0, 8, 0, 0, 0, UINT64_MAX, 0, 0 };
static struct ep_samples samples = { 3, 1, 4, 19, rows, values };
static struct ep_group_totals group_totals[] = { { 4, 5, 6, 2, 0 }, { 7, 8, 9, 2, 2 } };
static uint64_t counts[] = { 1, UINT64_MAX, 3, 0 };
static struct ep_totals totals = {
	3,
	4243,
	"wörker",
	7,
	true,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	2,
	group_totals,
	counts,
};
static struct ep_ready_time ready = { 3, 1ull << 40, 77 };
static struct ep_end end = { 99, EP_END_SIGNAL, 11, 1, 2, 3, "bye", 3 };

static void put_all(struct trace_writer *writer)
{
	writer->key = key;
	trace_put_meta(writer, "pid\t4242\nnote\ta\\tb\\\\n\n");
	trace_put_modules(writer, modules, 2);
	trace_put_stacks(writer, &stacks);
	trace_put_samples(writer, &groups, &samples, 5000);
	trace_put_totals(writer, &totals);
	trace_put_end(writer, &end);
	trace_put_ready(writer, &ready);
}

static void check_modules(const struct ep_block *block)
{
	struct ep_module module;
	size_t at = 0;
	int n = 0;

	while (ep_modules_next(block, &at, &module) == 1 && n < 2) {
		CHECK_INT(module.id, modules[n].id);
		CHECK_INT(module.start, modules[n].start);
		CHECK_INT(module.end, modules[n].end);
		CHECK_INT(module.bias, modules[n].bias);
		CHECK_INT(module.time_us, modules[n].time_us);
		CHECK_INT(module.path_size, modules[n].path_size);
		CHECK(!memcmp(module.path, modules[n].path, module.path_size));
		CHECK_INT(module.build_id_size, modules[n].build_id_size);
		n++;
	}
	CHECK_INT(n, 2);
}

static void check_stacks(const struct ep_block *block)
{
	struct ep_stacks got = { 0 };

	CHECK_INT(ep_stacks_decode(block, &got), 0);
	CHECK_INT(got.thread, stacks.thread);
	CHECK_INT(got.epoch, stacks.epoch);
	CHECK_INT(got.first_idx, stacks.first_idx);
	CHECK_INT(got.n_nodes, stacks.n_nodes);
	for (uint32_t i = 0; i < got.n_nodes; i++) {
		CHECK_INT(got.nodes[i].parent_idx, nodes[i].parent_idx);
		CHECK_INT(got.nodes[i].module_id, nodes[i].module_id);
		CHECK_INT(got.nodes[i].address, nodes[i].address);
	}
	free(got.nodes);
}

static void check_samples(const struct ep_block *block)
{
	struct ep_samples got = { 0 };

	CHECK_INT(ep_samples_decode(block, &groups, &got), 0);
	CHECK_INT(got.n_samples, samples.n_samples);
	CHECK_INT(got.first_slice, samples.first_slice);
	for (uint32_t i = 0; i < got.n_samples; i++) {
		CHECK_INT(got.samples[i].time_us, rows[i].time_us);
		CHECK_INT(got.samples[i].cpu_us, rows[i].cpu_us);
		CHECK_INT(got.samples[i].wall_us, rows[i].wall_us);
		CHECK_INT(got.samples[i].idle_us, rows[i].idle_us);
		CHECK_INT(got.samples[i].node_idx, rows[i].node_idx);
		CHECK_INT(got.samples[i].group, rows[i].group);
		CHECK_INT(got.samples[i].flags, rows[i].flags);
		for (uint32_t e = 0; e < 3; e++)
			CHECK_INT(got.values[3 * i + e], values[3 * i + e]);
	}
	free(got.samples);
	free(got.values);
}

static void check_totals(const struct ep_block *block)
{
	struct ep_totals got = { 0 };

	CHECK_INT(ep_totals_decode(block, &got), 0);
	CHECK_INT(got.tid, totals.tid);
	CHECK_INT(got.name_size, totals.name_size);
	CHECK_INT(got.n_lost, totals.n_lost);
	CHECK_INT(got.n_involuntary, totals.n_involuntary);
	CHECK_INT(got.n_groups, totals.n_groups);
	for (uint32_t g = 0; g < got.n_groups; g++) {
		CHECK_INT(got.groups[g].running_ns, group_totals[g].running_ns);
		CHECK_INT(got.groups[g].n_counts, 2);
		CHECK_INT(got.groups[g].first_count, group_totals[g].first_count);
	}
	CHECK(got.counts && !memcmp(got.counts, counts, sizeof(counts)));
	free(got.groups);
	free(got.counts);
}

static void check_end(const struct ep_block *block)
{
	struct ep_end got = { 0 };

	CHECK_INT(ep_end_decode(block, &got), 0);
	CHECK_INT(got.time_us, end.time_us);
	CHECK_INT(got.how, end.how);
	CHECK_INT(got.status, end.status);
	CHECK_INT(got.peak_rss_kib, end.peak_rss_kib);
	CHECK_INT(got.note_size, 3);
}

static void check_ready(const struct ep_block *block)
{
	struct ep_ready_time got = { 0 };

	CHECK_INT(ep_ready_time_decode(block, &got), 0);
	CHECK_INT(got.thread, ready.thread);
	CHECK_INT(got.ready_ns, ready.ready_ns);
	CHECK_INT(got.n_turns, ready.n_turns);
}

static void check_meta(const struct ep_block *block)
{
	struct ep_meta_line line;
	size_t at = 0;
	char text[8];

	CHECK_INT(ep_meta_next(block, &at, &line), 1);
	CHECK(line.key_size == 3 && !memcmp(line.key, "pid", 3));
	CHECK(line.value_size == 4 && !memcmp(line.value, "4242", 4));
	CHECK_INT(ep_meta_next(block, &at, &line), 1);
	CHECK_INT(line.value_size, 7);
	memcpy(text, line.value, 7);
	CHECK_INT(ep_meta_unescape(text, 7), 5);
	CHECK(!memcmp(text, "a\tb\\n", 5));
	CHECK_INT(ep_meta_next(block, &at, &line), 0);
}

static void (*const checks[])(const struct ep_block *block) = {
	[EP_BLOCK_META] = check_meta,
	[EP_BLOCK_MODULES] = check_modules,
	[EP_BLOCK_STACKS] = check_stacks,
	[EP_BLOCK_SAMPLES] = check_samples,
	[EP_BLOCK_TOTALS] = check_totals,
	[EP_BLOCK_END] = check_end,
	[EP_BLOCK_READY] = check_ready,
};

/* Packs put_all into one member; returns its size. */
static size_t pack_all(struct trace_writer *writer)
{
	trace_writer_init(writer, NULL);
	put_all(writer);
	return ep_packer_pack(
		writer->packer, writer->plain, writer->wire.size_bytes, writer->member);
}

TEST(every_block_comes_back)
{
	static struct trace_writer writer;
	static uint8_t plain[EP_MEMBER_MAX_BYTES];
	size_t size = pack_all(&writer), got = 0, at = 0;
	struct ep_inflater *inflater = ep_inflater_create();
	struct ep_block block;
	bool more;
	int n = 0;

	CHECK_INT(ep_member_size(writer.member, sizeof(writer.member), &more), size);
	CHECK_INT(ep_inflater_inflate(inflater, writer.member, size, plain, &got), 0);
	while (ep_block_next(plain, got, &at, &block) == 1) {
		CHECK_INT(block.key.pid, key.pid);
		CHECK_INT(block.key.birth_ns, key.birth_ns);
		CHECK_INT(block.type, ++n == 7 ? EP_BLOCK_READY : n);
		checks[block.type](&block);
	}
	CHECK_INT(n, 7);
	ep_inflater_destroy(inflater);
	trace_writer_finish(&writer);
}

/* Decodes by type; what succeeds is freed. */
static int decode(const struct ep_block *block)
{
	struct ep_stacks got_stacks;
	struct ep_samples got_samples;
	struct ep_totals got_totals;
	struct ep_module module;
	struct ep_meta_line line;
	struct ep_ready_time got_ready;
	struct ep_end got_end;
	size_t at = 0;
	int rc = -ENOENT;

	switch (block->type) {
	case EP_BLOCK_META:
		while ((rc = ep_meta_next(block, &at, &line)) == 1)
			;
		break;
	case EP_BLOCK_MODULES:
		while ((rc = ep_modules_next(block, &at, &module)) == 1)
			;
		break;
	case EP_BLOCK_STACKS:
		rc = ep_stacks_decode(block, &got_stacks);
		if (!rc)
			free(got_stacks.nodes);
		break;
	case EP_BLOCK_SAMPLES:
		rc = ep_samples_decode(block, &groups, &got_samples);
		if (!rc) {
			free(got_samples.samples);
			free(got_samples.values);
		}
		break;
	case EP_BLOCK_TOTALS:
		rc = ep_totals_decode(block, &got_totals);
		if (!rc) {
			free(got_totals.groups);
			free(got_totals.counts);
		}
		break;
	case EP_BLOCK_END:
		rc = ep_end_decode(block, &got_end);
		break;
	case EP_BLOCK_READY:
		rc = ep_ready_time_decode(block, &got_ready);
		break;
	}
	return rc;
}

/* A copy of exactly size bytes, so that a sanitizer sees the first byte read beyond. */
static void check_cut(const struct ep_block *block, size_t size)
{
	EP_AUTOFREE uint8_t *copy = malloc(size + 1);
	struct ep_block cut = *block;
	int rc;

	memcpy(copy + 1, block->body, size);
	cut.body = copy + 1;
	cut.size_bytes = size;
	rc = decode(&cut);
	CHECK_MSG(rc == -EBADMSG || block->type == EP_BLOCK_META, "type %d cut at %zu: %d",
		block->type, size, rc);
}

TEST(a_body_cut_at_any_byte_is_refused)
{
	static struct trace_writer writer;
	struct ep_block block;
	size_t at = 0;

	pack_all(&writer);
	while (ep_block_next(writer.plain, writer.wire.size_bytes, &at, &block) == 1)
		for (size_t size = 0; size < block.size_bytes; size++)
			check_cut(&block, size);
	trace_writer_finish(&writer);
}

TEST(random_damage_never_reads_outside)
{
	static struct trace_writer writer;
	uint32_t seed = 12345, n_refused = 0;

	pack_all(&writer);
	for (int round = 0; round < 20000; round++) {
		EP_AUTOFREE uint8_t *copy = malloc(writer.wire.size_bytes);
		struct ep_block block;
		size_t at = 0;

		memcpy(copy, writer.plain, writer.wire.size_bytes);
		for (int k = 0; k < 3; k++) {
			seed = seed * 1664525 + 1013904223;
			copy[(seed >> 8) % writer.wire.size_bytes] ^= 1 + (seed >> 24) % 255;
		}
		while (ep_block_next(copy, writer.wire.size_bytes, &at, &block) == 1)
			n_refused += decode(&block) == -EBADMSG;
	}
	CHECK_MSG(n_refused > 1000, "only %u refused", n_refused);
	trace_writer_finish(&writer);
}

/* A body of bare varints; those above INT64_MAX are as good as any. */
static int decode_varints(enum ep_block_type type, const uint64_t *varints, size_t n)
{
	static struct trace_writer writer;
	struct ep_block block;
	size_t header, at = 0;
	int rc;

	trace_writer_init(&writer, NULL);
	header = ep_block_start(&writer.wire, type, key);
	for (size_t i = 0; i < n; i++)
		ep_wire_u(&writer.wire, varints[i]);
	ep_block_finish(&writer.wire, header);
	CHECK_INT(ep_block_next(writer.plain, writer.wire.size_bytes, &at, &block), 1);
	rc = decode(&block);
	trace_writer_finish(&writer);
	return rc;
}

TEST(a_parent_is_a_node_before)
{
	static const struct {
		uint64_t first_idx, up;
		int rc;
	} cases[] = {
		{ 5, 1, 0 },
		{ 5, 5, 0 },
		{ 5, 6, -EBADMSG },
		{ 5, 0, -EBADMSG },
		{ 5, UINT32_MAX, -EBADMSG },
		{ 5, UINT64_MAX, -EBADMSG },
		{ 0, 1, -EBADMSG },
		{ UINT32_MAX, 1, -EBADMSG },
		{ 1ull << 32, 1, -EBADMSG },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		/* thread, epoch, first, one node: up, module, address */
		uint64_t varints[] = { 1, 1, cases[i].first_idx, 1, cases[i].up, 0, 0 };

		CHECK_MSG(decode_varints(EP_BLOCK_STACKS, varints, EP_ARRAY_SIZE(varints)) ==
				  cases[i].rc,
			"case %zu", i);
	}
}

/* The block has one sample in group 0, which holds events 0 and 1. */
TEST(columns_hold_neither_more_nor_less_than_the_samples)
{
	enum { FIRST_SIZE = 6, FIRST_COLUMN = 15, N = 23 };
	/* thread, epoch, samples, time, first slice, events; sizes of nine columns; six fixed
	 * columns and two of values, one byte each */
	static const uint64_t good[N] = { 1, 1, 1, 0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
		0, 0, 7, 9 };
	static const struct {
		size_t at; /* one more byte in this column, by its size */
		int rc;
	} cases[] = { { 0, -EBADMSG }, { 2, -EBADMSG }, { 5, -EBADMSG }, { 6, -EBADMSG },
		{ 7, -EBADMSG }, { 8, -EBADMSG } };
	uint64_t varints[N + 1];

	CHECK_INT(decode_varints(EP_BLOCK_SAMPLES, good, N), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		size_t column = FIRST_COLUMN + (cases[i].at < 8 ? cases[i].at : 7) + 1;

		memcpy(varints, good, column * sizeof(*good));
		varints[column] = 0;
		memcpy(varints + column + 1, good + column, (N - column) * sizeof(*good));
		varints[FIRST_SIZE + cases[i].at]++;
		CHECK_MSG(decode_varints(EP_BLOCK_SAMPLES, varints, N + 1) == cases[i].rc,
			"column %zu", cases[i].at);
	}
	/* flags beyond 32 bits take five bytes; a node below 0 is none */
	memcpy(varints, good, sizeof(good));
	varints[FIRST_SIZE + EP_COLUMN_FLAGS] = 5;
	varints[FIRST_COLUMN + EP_COLUMN_FLAGS] = 1ull << 32;
	CHECK_INT(decode_varints(EP_BLOCK_SAMPLES, varints, N), -EBADMSG);
	varints[FIRST_COLUMN + EP_COLUMN_FLAGS] = UINT32_MAX;
	varints[FIRST_SIZE + 6] = varints[FIRST_SIZE + 7] = 0; /* not run: no values */
	CHECK_INT(decode_varints(EP_BLOCK_SAMPLES, varints, N - 2), 0);
	memcpy(varints, good, sizeof(good));
	varints[FIRST_COLUMN + EP_COLUMN_STACK] = 1; /* zigzag of -1 */
	CHECK_INT(decode_varints(EP_BLOCK_SAMPLES, varints, N), -EBADMSG);
}

TEST(a_huge_number_of_samples_is_no_allocation)
{
	static struct trace_writer writer;
	struct ep_block block;
	struct ep_samples got;
	size_t header, at = 0;

	trace_writer_init(&writer, NULL);
	header = ep_block_start(&writer.wire, EP_BLOCK_SAMPLES, key);
	for (int i = 0; i < 2; i++)
		ep_wire_u(&writer.wire, 1);
	ep_wire_u(&writer.wire, UINT32_MAX);
	for (int i = 0; i < 2; i++)
		ep_wire_u(&writer.wire, 1);
	ep_wire_u(&writer.wire, 3);
	for (int i = 0; i < 9; i++)
		ep_wire_u(&writer.wire, 0);
	ep_block_finish(&writer.wire, header);
	CHECK_INT(ep_block_next(writer.plain, writer.wire.size_bytes, &at, &block), 1);
	CHECK_INT(ep_samples_decode(&block, &groups, &got), -EBADMSG);
	trace_writer_finish(&writer);
}

TEST(childrens_time_comes_back)
{
	static struct trace_writer writer;
	uint8_t longer[10] = { 1, 0 };
	struct ep_block block;
	uint64_t us = 0;
	size_t at = 0;

	trace_writer_init(&writer, NULL);
	writer.key = key;
	trace_put_children(&writer, 1234567);
	CHECK_INT(ep_block_next(writer.plain, writer.wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_CHILDREN);
	CHECK_INT(ep_children_decode(&block, &us), 0);
	CHECK_INT(us, 1234567);
	block.size_bytes--;
	CHECK_INT(ep_children_decode(&block, &us), -EBADMSG);
	block.body = longer;
	block.size_bytes = 2;
	CHECK_INT(ep_children_decode(&block, &us), -EBADMSG);
	CHECK_INT(us, 1234567);
	trace_writer_finish(&writer);
}
