// SPDX-License-Identifier: BSD-3-Clause
#include "machine_reader.h"

#include <string.h>

#include "common/os/sys.h"

void ep_machine_reader_open(struct ep_machine_reader *reader, const char *root, bool wants_traffic)
{
	struct ep_machine_times first = { 0 };

	memset(reader, 0, sizeof(*reader));
	ep_machine_events_open(reader, root, wants_traffic);
	ep_machine_files_open(reader, root);
	ep_machine_files_read(reader, ep_now_ns(CLOCK_MONOTONIC), &first);
	reader->adds_up_moved = !reader->is_read[EP_MACHINE_MOVED_BYTES] &&
				reader->is_read[EP_MACHINE_READ_BYTES] &&
				reader->is_read[EP_MACHINE_WRITTEN_BYTES];
	reader->is_read[EP_MACHINE_MOVED_BYTES] |= reader->adds_up_moved;
	if (!reader->is_read[EP_MACHINE_PACKAGE_UJ] && !reader->is_read[EP_MACHINE_MEMORY_UJ])
		reader->n_files = 0;
}

void ep_machine_reader_close(struct ep_machine_reader *reader)
{
	ep_machine_events_close(reader);
	reader->n_events = reader->n_files = 0;
	memset(reader->is_read, 0, sizeof(reader->is_read));
}

void ep_machine_reader_read(struct ep_machine_reader *reader, struct ep_machine_times *times)
{
	ep_machine_events_read(reader, times);
	ep_machine_files_read(reader, ep_now_ns(CLOCK_MONOTONIC), times);
	for (int what = EP_MACHINE_PACKAGE_UJ; what < EP_N_MACHINE_TIMES; what++)
		times->is_known[what] &= reader->is_read[what];
	if (reader->adds_up_moved)
		ep_machine_times_add_up_moved(times);
}
