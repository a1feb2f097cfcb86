// SPDX-License-Identifier: BSD-3-Clause
/*
 * toggled FILE KIB ROUNDS: compresses the first KIB of FILE as xz -6 does, some 20 frames deep,
 * over and over, or for 0 KIB computes in registers for some 200 ms: with the perf events and
 * timers of whoever is preloaded switched off, with the empty handler's (empty_handler.c) on, and
 * with the others', in an order by chance. Prints how many these are, then for each round the CPU
 * time of the three, in ns. So a profiler's ticks are measured with all that they cost a program
 * that fills its caches, the lines that they displace as well, and without the differences between
 * runs, which come from where in memory a process lies and are ten times as large. The profiler's
 * start, and its last write, are not in it.
 */
#include "clocks.h"

#include <lzma.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PRESET 6
#define N_FRAMES 13 /* and those of main and of the compression */

enum { OFF, EMPTY, OTHER, N_STATES };

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct work {
	lzma_stream stream;
	const uint8_t *in;
	uint8_t *out;
	size_t size, capacity;
};

static void compress_once(struct work *work)
{
	if (lzma_easy_encoder(&work->stream, PRESET, LZMA_CHECK_CRC64) != LZMA_OK)
		exit(1);
	work->stream.next_in = work->in;
	work->stream.avail_in = work->size;
	work->stream.next_out = work->out;
	work->stream.avail_out = work->capacity;
	if (lzma_code(&work->stream, LZMA_FINISH) != LZMA_STREAM_END)
		exit(1);
}

static void compute(void)
{
	uint64_t x = 1;

	for (int i = 0; i < 160000000; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		__asm__ volatile("" : "+r"(x));
	}
}

__attribute__((noinline)) static void work_below(struct work *work, int n_frames)
{
	if (n_frames)
		work_below(work, n_frames - 1);
	else if (work->size)
		compress_once(work);
	else
		compute();
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

/* ns */
static uint64_t work_once(struct work *work)
{
	uint64_t begin_ns = cpu_ns();

	work_below(work, N_FRAMES);
	return cpu_ns() - begin_ns;
}

static void shuffle(int order[N_STATES])
{
	for (int i = N_STATES - 1; i > 0; i--) {
		int k = rand() % (i + 1), kept = order[i];

		order[i] = order[k];
		order[k] = kept;
	}
}

static void measure_round(struct work *work, struct clocks clocks[N_STATES])
{
	int order[N_STATES] = { OFF, EMPTY, OTHER };
	uint64_t taken_ns[N_STATES];

	shuffle(order);
	for (int i = 0; i < N_STATES; i++) {
		clocks_switch(&clocks[order[i]], true);
		taken_ns[order[i]] = work_once(work);
		clocks_switch(&clocks[order[i]], false);
	}
	printf("%llu %llu %llu\n", (unsigned long long)taken_ns[OFF],
		(unsigned long long)taken_ns[EMPTY], (unsigned long long)taken_ns[OTHER]);
}

int main(int argc, char **argv)
{
	struct work work = { .stream = LZMA_STREAM_INIT,
		.size = argc == 4 ? strtoul(argv[2], NULL, 10) * 1024 : 0 };
	struct clocks clocks[N_STATES] = { 0 };
	uint8_t *in = malloc(work.size + 1);
	FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;

	if (!file || !in) {
		fprintf(stderr, "usage: toggled FILE KIB ROUNDS\n");
		return 2;
	}
	work.in = in;
	work.size = fread(in, 1, work.size, file);
	work.capacity = lzma_stream_buffer_bound(work.size);
	work.out = malloc(work.capacity);
	if (!work.out)
		return 1;
	srand((unsigned)getpid());
	clocks_find(&clocks[EMPTY], SIGRTMIN + EMPTY_SIGNAL, false);
	clocks_find(&clocks[OTHER], SIGRTMIN + EMPTY_SIGNAL, true);
	printf("%u %u\n", clocks[EMPTY].n_fds + clocks[EMPTY].n_timers,
		clocks[OTHER].n_fds + clocks[OTHER].n_timers);
	work_once(&work); /* its memory is touched by now */
	clocks_switch(&clocks[EMPTY], false);
	clocks_switch(&clocks[OTHER], false);
	for (long i = 0, n = atol(argv[3]); i < n; i++)
		measure_round(&work, clocks);
	return 0;
}
