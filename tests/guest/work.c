// SPDX-License-Identifier: BSD-3-Clause
/*
 * Known work, profiled unmodified: loops whose instructions are known, in one thread, in several,
 * in children, before and after exec. Prints the instructions of each part: "WHO INSTRUCTIONS".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loops.h"

enum { MAX_PARTS = 64 };

/* Three procedures, so that a report has something to tell apart. */
__attribute__((noinline)) static void spin_long(unsigned long n_rounds)
{
	run_loop(n_rounds);
}

__attribute__((noinline)) static void spin_short(unsigned long n_rounds)
{
	run_loop(n_rounds);
}

__attribute__((noinline)) static void spin(unsigned long n_rounds)
{
	spin_long(n_rounds - n_rounds / 4);
	spin_short(n_rounds / 4);
}

static void say(const char *who, int i, unsigned long n_rounds)
{
	printf("%s%d %lu\n", who, i, LOOP_N_INSTRUCTIONS * n_rounds);
	fflush(stdout);
}

static void *run_thread(void *n_rounds)
{
	spin((unsigned long)n_rounds);
	return NULL;
}

static int run_main(int n_parts, unsigned long n_rounds, char **argv)
{
	for (int i = 0; i < n_parts; i++)
		spin(n_rounds);
	say("main", 0, n_parts * n_rounds);
	return 0;
}

/* Thread i runs i+1 times n_rounds. */
static int run_threads(int n_parts, unsigned long n_rounds, char **argv)
{
	pthread_t threads[MAX_PARTS];

	for (int i = 0; i < n_parts; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)((i + 1) * n_rounds));
	for (int i = 0; i < n_parts; i++) {
		pthread_join(threads[i], NULL);
		say("thread", i, (i + 1) * n_rounds);
	}
	return 0;
}

/* Child i runs i+1 times n_rounds; the parent runs n_rounds before and after. */
static int run_processes(int n_parts, unsigned long n_rounds, char **argv)
{
	pid_t children[MAX_PARTS];

	spin(n_rounds);
	for (int i = 0; i < n_parts; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			spin((i + 1) * n_rounds);
			exit(0);
		}
	}
	spin(n_rounds);
	say("main", 0, 2 * n_rounds);
	for (int i = 0; i < n_parts; i++) {
		waitpid(children[i], NULL, 0);
		say("child", i, (i + 1) * n_rounds);
	}
	return 0;
}

/* n_parts program images one after the other in one process. */
static int run_exec(int n_parts, unsigned long n_rounds, char **argv)
{
	char left[16];

	spin(n_parts * n_rounds);
	say("image", n_parts, n_parts * n_rounds);
	if (n_parts == 1)
		return 0;
	snprintf(left, sizeof(left), "%d", n_parts - 1);
	execl("/proc/self/exe", argv[0], "exec", left, argv[3], (char *)NULL);
	return 1;
}

/* Bursts with naps between: counters must not run on while the thread sleeps. */
static int run_naps(int n_parts, unsigned long n_rounds, char **argv)
{
	for (int i = 0; i < n_parts; i++) {
		spin(n_rounds);
		usleep(20000);
	}
	say("main", 0, n_parts * n_rounds);
	return 0;
}

/* First touches n_rounds pages: so many minor faults. */
static int run_faults(int n_parts, unsigned long n_rounds, char **argv)
{
	long page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(
		NULL, n_rounds * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, n_rounds * page, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < n_rounds; i++)
		((volatile char *)pages)[i * page] = 1;
	printf("faults %lu\n", n_rounds);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(int n_parts, unsigned long n_rounds, char **argv);
} ways[] = {
	{ "main", run_main },
	{ "threads", run_threads },
	{ "processes", run_processes },
	{ "exec", run_exec },
	{ "naps", run_naps },
	{ "faults", run_faults },
};

int main(int argc, char **argv)
{
	int n_parts = argc == 4 ? atoi(argv[2]) : 0;
	unsigned long n_rounds = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (n_parts > 0 && n_parts <= MAX_PARTS && n_rounds &&
			!strcmp(argv[1], ways[i].name))
			return ways[i].run(n_parts, n_rounds, argv);
	fprintf(stderr, "usage: work main|threads|processes|exec|naps|faults PARTS ROUNDS\n");
	return 2;
}
