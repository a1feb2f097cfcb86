/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of known work share. Each program does work that can be counted, and writes what it did, as JSON,
 * into the file that COUNTS_TRUTH names.
 */
#ifndef EVPROF_TESTS_COUNTS_WORK_H
#define EVPROF_TESTS_COUNTS_WORK_H

#include <dirent.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static inline int64_t work_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline FILE *work_open_truth(void)
{
	const char *path = getenv("COUNTS_TRUTH");
	FILE *truth = path ? fopen(path, "w") : stdout;

	if (!truth) {
		perror(path);
		exit(99);
	}
	return truth;
}

/* The resources that the process holds. A number that grows with every thread or child is a leak. */
struct holdings {
	long n_descriptors, resident_kib;
};

static inline struct holdings work_holdings(void)
{
	struct holdings held = { -3,
		-1 }; /* ".", ".." and the folder's own descriptor are not counted */
	FILE *status = fopen("/proc/self/statm", "r");
	DIR *folder;
	long n_pages;

	if (status && fscanf(status, "%*d %ld", &n_pages) == 1)
		held.resident_kib = n_pages * (sysconf(_SC_PAGESIZE) / 1024);
	if (status)
		fclose(status);
	folder = opendir("/proc/self/fd");
	while (folder && readdir(folder))
		held.n_descriptors++;
	if (folder)
		closedir(folder);
	return held;
}

static inline void work_write_holdings(
	FILE *truth, const struct holdings *early, const struct holdings *late)
{
	fprintf(truth, "\"descriptors\": [%ld, %ld], \"resident_kib\": [%ld, %ld]",
		early->n_descriptors, late->n_descriptors, early->resident_kib, late->resident_kib);
}

/* The work of one thread: number is the thread's, from 0, and amount is how much it does, (number + 1) times a step. */
struct worker {
	pthread_t id;
	int number;
	int tid;
	long amount;
	long own_count; /* the kernel's count of this work, by getrusage(RUSAGE_THREAD) */
};

static inline void work_run_threads(
	struct worker *workers, int n_workers, void *(*work)(void *), long step)
{
	for (int i = 0; i < n_workers; i++) {
		workers[i].number = i;
		workers[i].amount = (i + 1) * step;
		pthread_create(&workers[i].id, NULL, work, &workers[i]);
	}
	for (int i = 0; i < n_workers; i++)
		pthread_join(workers[i].id, NULL);
}

static inline void work_write_threads(const char *what, const struct worker *workers, int n_workers)
{
	FILE *truth = work_open_truth();

	fprintf(truth, "{\"pid\": %d, \"threads\": [", getpid());
	for (int i = 0; i < n_workers; i++)
		fprintf(truth, "%s{\"tid\": %d, \"%s\": %ld, \"rusage\": %ld}", i ? ", " : "",
			workers[i].tid, what, workers[i].amount, workers[i].own_count);
	fprintf(truth, "]}\n");
	fclose(truth);
}

#endif
