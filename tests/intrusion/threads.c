/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes thousands of short threads: joined, detached, and those of C11. Their results must be right, and afterwards
 * there must be about as many descriptors and mappings as before.
 */
#include "probe.h"

#include <dirent.h>
#include <threads.h>

enum { N_SHORT = 3000, N_AT_ONCE = 8 };

static atomic_int n_detached;

static int count_entries(const char *path)
{
	DIR *folder = opendir(path);
	int n_entries = 0;

	while (readdir(folder))
		n_entries++;
	closedir(folder);
	return n_entries;
}

static int count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	int n_lines = 0, c;

	while ((c = getc(file)) != EOF)
		n_lines += c == '\n';
	fclose(file);
	return n_lines;
}

static void *short_life(void *i)
{
	if ((intptr_t)i % 8 == 0)
		burn_us(1200);
	return (void *)((intptr_t)i * 2);
}

static void *detached_life(void *unused)
{
	burn_us(50);
	n_detached++;
	return NULL;
}

static void run_joined(void)
{
	pthread_t threads[N_AT_ONCE];
	void *result;

	for (intptr_t i = 0; i < N_SHORT; i += N_AT_ONCE) {
		for (int t = 0; t < N_AT_ONCE; t++)
			EXPECT_INT(
				pthread_create(&threads[t], NULL, short_life, (void *)(i + t)), 0);
		for (int t = 0; t < N_AT_ONCE; t++) {
			EXPECT_INT(pthread_join(threads[t], &result), 0);
			EXPECT_INT((intptr_t)result, 2 * (i + t));
		}
	}
}

/* If a disk is slow, threads that end wait for each other's writing. Each then keeps its record of the profiler, which
 * later threads reuse. To bound their number, waits while the kernel counts many threads, ending ones included. */
static void run_detached(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 500; i++) {
		EXPECT_INT(pthread_create(&thread, &attributes, detached_life, NULL), 0);
		while (n_detached < i - 4 || count_entries("/proc/self/task") > 2 * N_AT_ONCE)
			usleep(100);
	}
	for (int i = 0; i < 5000 && n_detached < 500; i++)
		usleep(1000);
	EXPECT_INT(n_detached, 500);
	pthread_attr_destroy(&attributes);
}

static int c11_life(void *i)
{
	burn_us(500);
	if ((intptr_t)i % 2)
		thrd_exit((intptr_t)i + 1);
	return (intptr_t)i;
}

static void run_c11(void)
{
	for (intptr_t i = 0; i < 200; i++) {
		thrd_t thread;
		int result = -1;

		EXPECT_INT(thrd_create(&thread, c11_life, (void *)i), thrd_success);
		EXPECT_INT(thrd_join(thread, &result), thrd_success);
		EXPECT_INT(result, i % 2 ? i + 1 : i);
	}
}

/* Threads that have ended count for a moment longer; a number that stays higher is a leak. */
static void expect_bounded(
	const char *what, int (*count)(const char *), const char *path, int n_before)
{
	int n_after = count(path);

	for (int i = 0; i < 1000 && n_after > n_before + 40; i++) {
		usleep(1000);
		n_after = count(path);
	}
	EXPECT_MSG(n_after <= n_before + 40, "%s: %d before, %d after", what, n_before, n_after);
}

int main(void)
{
	int n_fds = count_entries("/proc/self/fd"), n_maps = count_lines("/proc/self/maps");

	run_joined();
	run_detached();
	run_c11();
	expect_bounded("descriptors", count_entries, "/proc/self/fd", n_fds);
	expect_bounded("mappings", count_lines, "/proc/self/maps", n_maps);
	EXPECT_INT(open("/dev/null", O_RDONLY), 3);
	return probe_end();
}
