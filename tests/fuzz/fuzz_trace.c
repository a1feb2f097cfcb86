// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target: the bytes after the first are blocks as a member inflates to (the checksum
 * would keep the fuzzer out); every body goes through its decoder, SAMPLES with the groups that the
 * first byte chooses. They are tried as a gzip member too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "common/trace_regions.h"

static uint8_t holds[] = { 1, 2, 0, 1, 0, 2 };
static const struct ep_groups choices[] = {
	{ .n_events = 3, .n_groups = 2, .period_us = 1000, .holds = holds },
	{ .n_events = 0, .n_groups = 0, .period_us = 1000, .holds = holds },
	{ .n_events = 2, .n_groups = 1, .period_us = 0, .holds = holds },
	{ .n_events = 1, .n_groups = 6, .period_us = UINT64_MAX, .holds = holds },
};

static void try_meta(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_meta_line line;
	size_t at = 0;

	while (ep_meta_next(block, &at, &line) == 1) {
		char *copy = malloc(line.value_size + 1);

		for (size_t i = 0; i < line.value_size; i++)
			copy[i] = line.value[i];
		ep_meta_unescape(copy, line.value_size);
		free(copy);
	}
}

static void try_modules(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_module module;
	size_t at = 0;

	while (ep_modules_next(block, &at, &module) == 1)
		;
}

static void try_stacks(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_stacks stacks;

	if (!ep_stacks_decode(block, &stacks))
		free(stacks.nodes);
}

static void try_samples(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_samples samples;

	if (ep_samples_decode(block, groups, &samples))
		return;
	free(samples.samples);
	free(samples.values);
}

static void try_totals(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_totals totals;

	if (ep_totals_decode(block, &totals))
		return;
	free(totals.groups);
	free(totals.counts);
}

static void try_end(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_end end;

	if (ep_end_decode(block, &end))
		return;
}

static void try_ready(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_ready_time time;

	if (ep_ready_time_decode(block, &time))
		return;
}

static void try_children(const struct ep_block *block, const struct ep_groups *groups)
{
	uint64_t us;

	if (ep_children_decode(block, &us))
		return;
}

static void try_machine(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_machine_times times;

	if (ep_machine_times_decode(block, &times))
		return;
}

static void try_waits(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_waits waits;

	if (ep_waits_decode(block, &waits))
		return;
	free(waits.sums);
}

static void try_wait_regions(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_wait_regions regions;

	if (!ep_wait_regions_decode(block, &regions))
		free(regions.nodes);
}

static void try_regions(const struct ep_block *block, const struct ep_groups *groups)
{
	struct ep_regions regions;

	if (!ep_regions_decode(block, &regions))
		ep_regions_finish(&regions);
}

static void (*const tries[])(const struct ep_block *block, const struct ep_groups *groups) = {
	[EP_BLOCK_META] = try_meta,
	[EP_BLOCK_MODULES] = try_modules,
	[EP_BLOCK_STACKS] = try_stacks,
	[EP_BLOCK_SAMPLES] = try_samples,
	[EP_BLOCK_TOTALS] = try_totals,
	[EP_BLOCK_END] = try_end,
	[EP_BLOCK_READY] = try_ready,
	[EP_BLOCK_CHILDREN] = try_children,
	[EP_BLOCK_MACHINE] = try_machine,
	[EP_BLOCK_WAITS] = try_waits,
	[EP_BLOCK_REGIONS] = try_regions,
	[EP_BLOCK_WAIT_REGIONS] = try_wait_regions,
};

static void try_member(const uint8_t *data, size_t size)
{
	static uint8_t out[EP_MEMBER_MAX_BYTES];
	struct ep_inflater *inflater = ep_inflater_create();
	size_t n_member, n_out;
	bool more;

	n_member = ep_member_size(data, size, &more);
	if (n_member && ep_inflater_inflate(inflater, data, n_member, out, &n_out))
		n_out = 0;
	ep_inflater_destroy(inflater);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ep_block block;
	size_t at = 0;

	if (!size)
		return 0;
	try_member(data + 1, size - 1);
	while (ep_block_next(data + 1, size - 1, &at, &block) == 1)
		if (block.type < EP_ARRAY_SIZE(tries) && tries[block.type])
			tries[block.type](&block, &choices[data[0] % 4]);
	return 0;
}
