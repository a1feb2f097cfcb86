// SPDX-License-Identifier: BSD-3-Clause
/*
 * flip TRACE: each byte of a trace's blocks changed in two ways, one at a time, behind a checksum that
 * is right again, goes through a fuzz target: a flip in the file itself ends at gzip's checksum
 * (tests/golden/damage.py). No case may end the program; a hang is seen by the test's time limit.
 * EVPROF_TEST_EVERY: only every Nth byte; not a multiple of 8, which would flip one bit alone.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool try_with(char *blocks, size_t size, size_t at, uint8_t changed)
{
	uint8_t before = (uint8_t)blocks[at];

	if (changed == before)
		return false;
	blocks[at] = (char)changed;
	LLVMFuzzerTestOneInput((const uint8_t *)blocks, size);
	blocks[at] = (char)before;
	return true;
}

/* One bit of each byte, and the extremes of a varint's. */
static unsigned flip_each(char *blocks, size_t size)
{
	const char *every = getenv("EVPROF_TEST_EVERY");
	size_t step = every ? strtoul(every, NULL, 10) : 1;
	unsigned n = 0;

	for (size_t at = 0; at < size; at += step ? step : 1) {
		uint8_t byte = (uint8_t)blocks[at];

		n += try_with(blocks, size, at, byte ^ (1u << at % 8));
		n += try_with(blocks, size, at, at % 2 ? 0x80 | byte : 0);
	}
	return n;
}

int main(int argc, char **argv)
{
	EP_AUTOFREE char *blocks = NULL; /* of all members: the file is inflated as it is read */
	struct ep_error err;
	size_t size;
	unsigned n;

	if (argc < 2 || ep_file_read(argv[1], &blocks, &size, &err))
		return 1;
	n = flip_each(blocks, size);
	printf("1..1\n%sok 1 - %u changes of %zu bytes\n", n ? "" : "not ", n, size);
	return !n;
}
