// SPDX-License-Identifier: BSD-3-Clause
/*
 * toggled FILE KIB PAIRS: compresses the first KIB of FILE as xz -6 does, over and over, with the perf
 * events and timers of whoever is preloaded switched off and on in turns, by chance which is first.
 * Prints how many these are, then for each pair the CPU time of both, in ns: off, on. So a profiler's
 * ticks are measured with all that they cost a program that fills its caches, the lines that they
 * displace as well, and without the differences between runs, which come from where in memory a
 * process lies and are ten times as large. The profiler's start, and its last write, are not in it.
 */
#include <dirent.h>
#include <linux/perf_event.h>
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PRESET 6
#define MAX_FDS 16
#define MAX_TIMERS 16

static int fds[MAX_FDS];
static unsigned n_fds;
static struct {
	long id;
	struct itimerspec time;
} timers[MAX_TIMERS];
static unsigned n_timers;

static void find_perf_events(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)) && n_fds < MAX_FDS) {
		char path[300], target[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "[perf_event]"))
			fds[n_fds++] = atoi(entry->d_name);
	}
	if (folder)
		closedir(folder);
}

/* The kernel counts them from 0 on. */
static void find_timers(void)
{
	for (long id = 0; id < MAX_TIMERS; id++) {
		struct itimerspec time;

		if (syscall(SYS_timer_gettime, id, &time) || !time.it_interval.tv_nsec)
			continue;
		time.it_value = time.it_interval;
		timers[n_timers].id = id;
		timers[n_timers++].time = time;
	}
}

static void toggle(int on)
{
	static const struct itimerspec never;

	for (unsigned i = 0; i < n_fds; i++)
		ioctl(fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned i = 0; i < n_timers; i++)
		syscall(SYS_timer_settime, timers[i].id, 0, on ? &timers[i].time : &never, NULL);
}

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
	find_perf_events();
	find_timers();
	printf("%u\n", n_fds + n_timers);
	compress_once(&stream, in, size, out, capacity); /* its memory is touched by now */
	for (long i = 0, n = atol(argv[3]); i < n; i++) {
		uint64_t taken_ns[2];
		int first = rand() & 1;

		for (int k = 0; k < 2; k++) {
			toggle(first ^ k);
			taken_ns[first ^ k] = compress_once(&stream, in, size, out, capacity);
		}
		printf("%llu %llu\n", (unsigned long long)taken_ns[0],
			(unsigned long long)taken_ns[1]);
	}
	return 0;
}
