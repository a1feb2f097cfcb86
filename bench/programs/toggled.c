// SPDX-License-Identifier: BSD-3-Clause
/*
 * toggled FILE KIB PAIRS: compresses the first KIB of FILE as xz -6 does, over and over, with the perf
 * events and timers of whoever is preloaded switched off and on in turns, by chance which is first.
 * Prints how many these are, then for each pair the CPU time of both, in ns: off, on. So a profiler's
 * ticks are measured with all that they cost a program that fills its caches, the lines that they
 * displace as well, and without the differences between runs, which come from where in memory a
 * process lies and are ten times as large. The profiler's start, and its last write, are not in it.
 */
#include "clocks.h"

#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PRESET 6

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ns */
static uint64_t compress_once(
	lzma_stream *stream, const uint8_t *in, size_t size, uint8_t *out, size_t capacity)
{
	uint64_t begin_ns = cpu_ns();

	if (lzma_easy_encoder(stream, PRESET, LZMA_CHECK_CRC64) != LZMA_OK)
		exit(1);
	stream->next_in = in;
	stream->avail_in = size;
	stream->next_out = out;
	stream->avail_out = capacity;
	if (lzma_code(stream, LZMA_FINISH) != LZMA_STREAM_END)
		exit(1);
	return cpu_ns() - begin_ns;
}

int main(int argc, char **argv)
{
	size_t size = argc == 4 ? strtoul(argv[2], NULL, 10) * 1024 : 0, capacity;
	lzma_stream stream = LZMA_STREAM_INIT;
	struct clocks clocks;
	uint8_t *in = malloc(size + 1), *out;
	FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;

	if (!file || !in) {
		fprintf(stderr, "usage: toggled FILE KIB PAIRS\n");
		return 2;
	}
	size = fread(in, 1, size, file);
	capacity = lzma_stream_buffer_bound(size);
	out = malloc(capacity);
	if (!out)
		return 1;
	clocks_find(&clocks, 0, true);
	printf("%u\n", clocks.n_fds + clocks.n_timers);
	compress_once(&stream, in, size, out, capacity); /* its memory is touched by now */
	for (long i = 0, n = atol(argv[3]); i < n; i++) {
		uint64_t taken_ns[2];
		int first = rand() & 1;

		for (int k = 0; k < 2; k++) {
			clocks_switch(&clocks, first ^ k);
			taken_ns[first ^ k] = compress_once(&stream, in, size, out, capacity);
		}
		printf("%llu %llu\n", (unsigned long long)taken_ns[0],
			(unsigned long long)taken_ns[1]);
	}
	return 0;
}
