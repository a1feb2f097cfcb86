// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a team of threads. The first thread is the leader: between two barriers it reads the times of all threads, and
 * sets the amount of work in the next repetition. Each thread first writes to its arrays, so that their pages are in
 * memory near its CPU.
 */
#include "kernels/roofs/team.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "common/cleanup.h"

enum { n_most_arrays = 3, line_bytes = 64 };

/* The duration of a repetition: short enough to fit between two switches of the scheduler, and long compared
 * with the time for starting together. */
#define REPETITION_NS 1e6

struct team;

struct member {
	struct team *team;
	pthread_t thread;
	int cpu;
	char *memory;
	char *arrays[n_most_arrays];
	size_t cursor_bytes;
	double start_ns, end_ns, cpu_ns;
};

struct team {
	const struct ep_team_work *work;
	struct member *members; /* (n_members) threads of the team */
	size_t n_members, memory_bytes;
	unsigned n_repetitions, n_done;
	uint64_t n_passes; /* passes in one repetition */
	bool is_tuned, is_cancelled;
	double least_ns_per_pass;
	pthread_mutex_t gate; /* locked until all threads are created, or one could not be */
	pthread_barrier_t barrier;
	atomic_uint_fast64_t n_ready;
	uint64_t n_turns; /* number of repetitions begun, including those for tuning */
};

static double clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns the distance of arrays. Arrays whose lines fall on the same sets of a cache would evict each other:
 * so each one begins seventeen lines further. */
static size_t array_span(const struct ep_team_work *work)
{
	return work->array_bytes + 17 * line_bytes;
}

static int map_memory(struct team *team, struct member *member)
{
	size_t span = array_span(team->work);

	if (!team->work->n_arrays)
		return 0;
	team->memory_bytes = team->work->n_arrays * span;
	member->memory = mmap(NULL, team->memory_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (member->memory == MAP_FAILED) {
		member->memory = NULL;
		return -ENOMEM;
	}
	madvise(member->memory, team->memory_bytes, MADV_HUGEPAGE);
	for (size_t i = 0; i < team->work->n_arrays; i++)
		member->arrays[i] = member->memory + i * span;
	return 0;
}

static void work_stream(struct member *member, uint64_t n_passes)
{
	const struct ep_team_work *work = member->team->work;

	for (; n_passes; n_passes--) {
		char *at[n_most_arrays];

		for (size_t i = 0; i < work->n_arrays; i++)
			at[i] = member->arrays[i] + member->cursor_bytes;
		work->stream(at, work->chunk_bytes);
		member->cursor_bytes += work->chunk_bytes;
		if (member->cursor_bytes == work->array_bytes)
			member->cursor_bytes = 0;
	}
}

/* Waits until all threads are awake. Threads leave a barrier one after the other, some after a sleep; a
 * thread without a CPU is not waited for longer than a quarter of a repetition. */
static void start_together(struct team *team)
{
	uint64_t awaited = team->n_turns * team->n_members;
	double until_ns = clock_ns(CLOCK_MONOTONIC) + REPETITION_NS / 4;

	atomic_fetch_add(&team->n_ready, 1);
	while (atomic_load(&team->n_ready) < awaited && clock_ns(CLOCK_MONOTONIC) < until_ns)
		continue;
}

static void repeat(struct member *member)
{
	const struct ep_team_work *work = member->team->work;
	uint64_t n_passes = member->team->n_passes;
	double cpu_ns;

	start_together(member->team);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	member->start_ns = clock_ns(CLOCK_MONOTONIC);
	if (work->peak)
		work->peak->run(n_passes);
	else
		work_stream(member, n_passes);
	member->end_ns = clock_ns(CLOCK_MONOTONIC);
	member->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
}

static double wall_ns(const struct team *team)
{
	double start = INFINITY, end = 0;

	for (size_t i = 0; i < team->n_members; i++) {
		start = fmin(start, team->members[i].start_ns);
		end = fmax(end, team->members[i].end_ns);
	}
	return end - start;
}

static void note_repetition(struct team *team)
{
	team->n_done++;
	team->least_ns_per_pass =
		fmin(team->least_ns_per_pass, wall_ns(team) / (double)team->n_passes);
}

/* Doubles the number of passes until a repetition is long enough. Decides by CPU time, which does not grow while the
 * thread is interrupted. */
static void tune(struct team *team)
{
	if (team->members[0].cpu_ns < REPETITION_NS / 2)
		team->n_passes *= 2;
	else
		team->is_tuned = true;
}

/* The leader's work between two repetitions. */
static void look(struct team *team)
{
	if (team->is_tuned)
		note_repetition(team);
	else
		tune(team);
	team->n_turns++;
}

static void *take_part(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;

	pthread_mutex_lock(&team->gate);
	pthread_mutex_unlock(&team->gate);
	if (team->is_cancelled)
		return NULL;
	/* This fails if the CPU is no longer available; then the kernel chooses one. */
	(void)!ep_cal_machine_pin(member->cpu);
	if (member->memory)
		memset(member->memory, 0, team->memory_bytes);
	while (team->n_done < team->n_repetitions) {
		pthread_barrier_wait(&team->barrier);
		repeat(member);
		pthread_barrier_wait(&team->barrier);
		if (member == team->members)
			look(team);
		pthread_barrier_wait(&team->barrier);
	}
	return NULL;
}

/* Creates the threads. Returns how many must be joined: all, or those before the first that could not be created. */
static size_t start_members(struct team *team, int *out_rc)
{
	size_t n_made = 0;

	*out_rc = 0;
	pthread_mutex_lock(&team->gate);
	while (!*out_rc && n_made < team->n_members) {
		struct member *member = &team->members[n_made];

		*out_rc = -pthread_create(&member->thread, NULL, take_part, member);
		n_made += !*out_rc;
	}
	team->is_cancelled = *out_rc;
	pthread_mutex_unlock(&team->gate);
	return n_made;
}

static void finish_team(struct team *team)
{
	for (size_t i = 0; team->members && i < team->n_members; i++)
		if (team->members[i].memory)
			munmap(team->members[i].memory, team->memory_bytes);
	free(team->members);
}

static int prepare_team(struct team *team, const struct ep_cal_machine *machine)
{
	int rc = 0;

	team->members = calloc(team->n_members, sizeof(*team->members));
	if (!team->members)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < team->n_members; i++) {
		team->members[i].team = team;
		team->members[i].cpu = machine->cpus[i];
		rc = map_memory(team, &team->members[i]);
	}
	return rc;
}

int ep_team_run(const struct ep_cal_machine *machine, size_t n_threads,
	const struct ep_team_work *work, unsigned n_repetitions, double *out)
{
	__attribute__((cleanup(finish_team))) struct team team = {
		.work = work,
		.n_members = n_threads,
		.n_repetitions = n_repetitions,
		.n_passes = 1,
		.least_ns_per_pass = INFINITY,
		.n_turns = 1,
		.gate = PTHREAD_MUTEX_INITIALIZER,
	};
	int rc = prepare_team(&team, machine);

	if (rc)
		return rc;
	rc = -pthread_barrier_init(&team.barrier, NULL, (unsigned)n_threads);
	if (rc)
		return rc;
	for (size_t n_made = start_members(&team, &rc); n_made; n_made--)
		pthread_join(team.members[n_made - 1].thread, NULL);
	pthread_barrier_destroy(&team.barrier);
	if (!rc)
		*out = 1e9 * work->amount * (double)n_threads / team.least_ns_per_pass;
	return rc;
}
