// SPDX-License-Identifier: BSD-3-Clause
/* Encodes and decodes MACHINE blocks. Each value follows its number, so that later versions can add values, which older
 * readers skip. The encoder runs in signal handlers, so it follows the rules of trace_encode.c. */
#include "common/trace.h"

#include <errno.h>

const struct ep_machine_amount ep_machine_amounts[EP_N_MACHINE_TIMES] = {
	[EP_MACHINE_PACKAGE_UJ] = { "package_energy", "J", 1e-6 },
	[EP_MACHINE_MEMORY_UJ] = { "memory_energy", "J", 1e-6 },
	[EP_MACHINE_READ_BYTES] = { "memory_read_bytes", "byte", 1 },
	[EP_MACHINE_WRITTEN_BYTES] = { "memory_written_bytes", "byte", 1 },
	[EP_MACHINE_MOVED_BYTES] = { "memory_bytes", "byte", 1 },
};

enum ep_machine_time ep_machine_amount_find(const char *name)
{
	for (int i = 0; i < EP_N_MACHINE_TIMES; i++)
		if (ep_machine_amounts[i].name && !strcmp(ep_machine_amounts[i].name, name))
			return (enum ep_machine_time)i;
	return 0;
}

void ep_machine_times_add_up_moved(struct ep_machine_times *times)
{
	times->is_known[EP_MACHINE_MOVED_BYTES] =
		times->is_known[EP_MACHINE_READ_BYTES] && times->is_known[EP_MACHINE_WRITTEN_BYTES];
	times->values[EP_MACHINE_MOVED_BYTES] =
		times->values[EP_MACHINE_READ_BYTES] + times->values[EP_MACHINE_WRITTEN_BYTES];
}

void ep_machine_times_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_machine_times *times)
{
	uint32_t n = 0;
	size_t at;

	for (int i = 1; i < EP_N_MACHINE_TIMES; i++)
		n += times->is_known[i];
	if (!n)
		return;
	at = ep_block_start(wire, EP_BLOCK_MACHINE, key);
	ep_wire_u(wire, times->time_us);
	ep_wire_u(wire, n);
	for (int i = 1; i < EP_N_MACHINE_TIMES; i++) {
		if (!times->is_known[i])
			continue;
		ep_wire_u(wire, (uint64_t)i);
		ep_wire_u(wire, times->values[i]);
	}
	ep_block_finish(wire, at);
}

/* Reads the number at position at. Returns the position after the number; NULL: there is no number, or at is NULL. */
static const uint8_t *take(const uint8_t *at, const struct ep_block *block, uint64_t *out_value)
{
	size_t n = at ? ep_varint_get(at, block->body + block->size_bytes, out_value) : 0;

	return n ? at + n : NULL;
}

int ep_machine_times_decode(const struct ep_block *block, struct ep_machine_times *out_times)
{
	struct ep_machine_times times = { 0 };
	uint64_t n = 0, what = 0, value = 0;
	const uint8_t *at = take(block->body, block, &times.time_us);

	for (at = take(at, block, &n); at && n; n--) {
		at = take(at, block, &what);
		at = take(at, block, &value);
		if (!at || what >= EP_N_MACHINE_TIMES)
			continue;
		times.is_known[what] = true;
		times.values[what] = value;
	}
	if (at != block->body + block->size_bytes)
		return -EBADMSG;
	if (!times.is_known[EP_MACHINE_MOVED_BYTES]) /* older traces do not have this value */
		ep_machine_times_add_up_moved(&times);
	*out_times = times;
	return 0;
}
