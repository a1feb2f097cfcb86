// SPDX-License-Identifier: BSD-3-Clause
/* libFuzzer target for the jitdumps that programs write, as the preloaded library reads them. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/process/jit_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ep_jit_reader reader;
static struct ep_jit_record record;

static void read_lines(uint64_t file_bytes)
{
	struct ep_made_line line;
	uint64_t n = 0;

	while (ep_jit_reader_line(&reader, &record, &line))
		if (++n > file_bytes || line.file_size >= EP_JIT_NAME_BYTES)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	bool is_good;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	is_good = ep_jit_reader_start(&reader, fd, size);
	while (is_good && ep_jit_reader_next(&reader, &record)) {
		if (record.name_size > EP_JIT_NAME_BYTES)
			abort();
		read_lines(size);
	}
	close(fd);
	return 0;
}
