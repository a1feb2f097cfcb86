// SPDX-License-Identifier: BSD-3-Clause
/* Kinds of work by name. Work is given in CPU time, so that it is the same on a busy machine. */
#include "known.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- one thread that computes ---- */

static int compute(void)
{
	for (int i = 0; i < 60; i++) {
		spend(BURN_A, 3 * MS);
		spend(BURN_B, 1500 * US);
		spend(BURN_C, 500 * US);
	}
	return 0;
}

static int copy(void)
{
	spend(COPY, 250 * MS);
	return 0;
}

static int allocate(void)
{
	spend(ALLOCATE, 250 * MS);
	return 0;
}

static int calls(void)
{
	for (int i = 0; i < 20; i++) {
		spend(CALL_KERNEL, 10 * MS);
		spend(BURN_A, 3 * MS);
	}
	return 0;
}

static int faults(void)
{
	spend(TOUCH_MEMORY, 300 * MS);
	return 0;
}

static int brief(void)
{
	spend(BURN_A, 2 * MS);
	return 0;
}

static int fail(void)
{
	spend(BURN_A, 100 * MS);
	return 3;
}

/* ---- threads that compute ---- */

static void burn(int idx)
{
	(void)idx;
	spend(BURN_A, 120 * MS);
}

static int pair(void)
{
	run_threads(2, burn);
	return 0;
}

static int crowd(void)
{
	run_threads(8, burn);
	return 0;
}

static void burn_unevenly(int idx)
{
	if (idx)
		spend(BURN_B, 10 * MS);
	else
		spend(BURN_A, 300 * MS);
}

static int uneven(void)
{
	run_threads(4, burn_unevenly);
	return 0;
}

static int alone_first(void)
{
	spend(BURN_C, 150 * MS);
	run_threads(2, burn);
	return 0;
}

static void burn_briefly(int idx)
{
	(void)idx;
	spend(BURN_A, 2 * MS);
	spend(BURN_B, 1 * MS);
}

static int short_threads(void)
{
	for (int i = 0; i < 60; i++)
		run_threads(1, burn_briefly);
	return 0;
}

static void burn_on_one(int idx)
{
	cpu_set_t allowed, one;

	(void)idx;
	CPU_ZERO(&one);
	if (!sched_getaffinity(0, sizeof(allowed), &allowed))
		for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
			if (CPU_ISSET(cpu, &allowed))
				CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	spend(BURN_A, 150 * MS);
}

/* Threads that bind themselves, of a process that is not bound. */
static int self_bound(void)
{
	run_threads(2, burn_on_one);
	return 0;
}

static void yield(int idx)
{
	(void)idx;
	for (int i = 0; i < 50; i++) {
		spend(BURN_A, 3 * MS);
		sched_yield();
	}
}

static int yields(void)
{
	run_threads(3, yield);
	return 0;
}

/* ---- sleep and bursts ---- */

static void doze(int idx)
{
	(void)idx;
	for (int i = 0; i < 20; i++) {
		spend(BURN_A, 1 * MS);
		sleep_some(15 * MS);
	}
}

static int sleeper(void)
{
	doze(0);
	return 0;
}

static int sleepers(void)
{
	run_threads(4, doze);
	return 0;
}

static pthread_barrier_t barrier;

static void meet(void)
{
	uint64_t since_ns = now_ns();

	pthread_barrier_wait(&barrier);
	waited(ON_BARRIER, since_ns);
}

static void burst(int idx)
{
	(void)idx;
	for (int i = 0; i < 5; i++) {
		meet();
		spend(BURN_A, 12 * MS);
		sleep_some(60 * MS);
	}
}

static int bursts(void)
{
	pthread_barrier_init(&barrier, NULL, 4);
	run_threads(4, burst);
	return 0;
}

/* ---- locks ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline, noipa)) static void lock_mutex(void)
{
	uint64_t since_ns = now_ns();

	pthread_mutex_lock(&mutex);
	waited(ON_MUTEX, since_ns);
}

static void hold_and_burn(int idx)
{
	(void)idx;
	for (int i = 0; i < 25; i++) {
		lock_mutex();
		spend(BURN_A, 3 * MS);
		pthread_mutex_unlock(&mutex);
		spend(BURN_B, 1 * MS);
	}
}

static int convoy(void)
{
	run_threads(4, hold_and_burn);
	return 0;
}

static void hold_and_sleep(int idx)
{
	(void)idx;
	for (int i = 0; i < 12; i++) {
		lock_mutex();
		sleep_some(8 * MS);
		pthread_mutex_unlock(&mutex);
		spend(BURN_A, 2 * MS);
	}
}

static int slow_convoy(void)
{
	run_threads(3, hold_and_sleep);
	return 0;
}

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

/* Two threads of which one has work at a time. */
static void take_turns(int idx)
{
	for (int i = 0; i < 40; i++) {
		uint64_t since_ns;

		pthread_mutex_lock(&mutex);
		since_ns = now_ns();
		while (turn != idx)
			pthread_cond_wait(&changed, &mutex);
		waited(ON_CONDITION, since_ns);
		pthread_mutex_unlock(&mutex);
		spend(BURN_A, 4 * MS);
		pthread_mutex_lock(&mutex);
		turn = !idx;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
	}
}

static int turns(void)
{
	run_threads(2, take_turns);
	return 0;
}

/* ---- processes ---- */

__attribute__((noinline, noipa)) static ssize_t read_some(int fd, void *bytes, size_t size)
{
	uint64_t since_ns = now_ns();
	ssize_t n = read(fd, bytes, size);

	waited(ON_READ, since_ns);
	return n;
}

enum { N_STAGES = 3, N_PIECES = 20, PIECE = 1024 };

/* Each stage but the first waits for the one before; the middle one has most work. */
static void be_stage(int stage, int input, int output)
{
	char bytes[PIECE] = "";

	for (int i = 0; i < N_PIECES; i++) {
		for (size_t n = 0; stage && n < sizeof(bytes);) {
			ssize_t got = read_some(input, bytes + n, sizeof(bytes) - n);

			if (got <= 0)
				abort();
			n += (size_t)got;
		}
		spend(stage == 1 ? BURN_B : BURN_A, (stage == 1 ? 9 : 2) * MS);
		if (stage + 1 < N_STAGES && write(output, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
	}
	end_known(0);
}

static int pipeline(void)
{
	int ends[2] = { -1, -1 }, input = -1;

	for (int stage = 0; stage < N_STAGES; stage++) {
		if (pipe(ends))
			abort();
		if (!fork_known())
			be_stage(stage, input, ends[1]);
		close(input);
		close(ends[1]);
		input = ends[0];
	}
	wait_for_children(N_STAGES);
	return 0;
}

static int fork_storm(void)
{
	for (int i = 0; i < 60; i++) {
		if (!fork_known()) {
			spend(BURN_A, 2 * MS);
			spend(BURN_B, 1 * MS);
			end_known(0);
		}
		if (i % 4 == 3)
			wait_for_children(4);
	}
	return 0;
}

/* A program that many processes execute, and each for a moment. */
static int exec_storm(void)
{
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();

		if (!pid) {
			execlp("true", "true", NULL);
			_exit(127);
		}
		wait_for_children(1);
	}
	return 0;
}

/* A server that waits for requests, and a client that takes its time. */
static int server(void)
{
	int sockets[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		abort();
	if (!fork_known()) {
		close(sockets[0]);
		for (int i = 0; i < 25; i++) {
			sleep_some(10 * MS);
			if (write(sockets[1], &byte, 1) != 1 ||
				read_some(sockets[1], &byte, 1) != 1)
				abort();
		}
		close(sockets[1]);
		end_known(0);
	}
	close(sockets[1]);
	while (read_some(sockets[0], &byte, 1) == 1) {
		spend(BURN_A, 2 * MS);
		if (write(sockets[0], &byte, 1) != 1)
			abort();
	}
	wait_for_children(1);
	return 0;
}

/* The data come as slowly as from a slow disk. */
static int slow_file(void)
{
	int ends[2];
	char bytes[PIECE] = "";

	if (pipe(ends))
		abort();
	if (!fork_known()) {
		close(ends[0]);
		for (int i = 0; i < 30; i++) {
			sleep_some(10 * MS);
			if (write(ends[1], bytes, sizeof(bytes)) != sizeof(bytes))
				abort();
		}
		close(ends[1]);
		end_known(0);
	}
	close(ends[1]);
	while (read_some(ends[0], bytes, sizeof(bytes)) > 0)
		spend(BURN_A, 1 * MS);
	wait_for_children(1);
	return 0;
}

static int killed(void)
{
	static const int signals[] = { SIGTERM, SIGSEGV, SIGTERM };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!fork_known()) {
			spend(BURN_A, 50 * MS);
			raise(signals[i]);
		}
	wait_for_children(3);
	return 0;
}

static int killed_hard(void)
{
	if (!fork_known()) {
		spend(BURN_A, 50 * MS);
		raise(SIGKILL);
	}
	wait_for_children(1);
	spend(BURN_B, 100 * MS);
	return 0;
}

/* The other program's time is in no table. */
static int outside(void)
{
	pid_t pid = known_other ? fork() : -1;

	if (!pid) {
		execl(known_other, known_other, NULL);
		_exit(127);
	}
	wait_for_children(pid > 0);
	spend(BURN_A, 120 * MS);
	return pid < 0;
}

/* Becomes the other program. */
static int becomes(void)
{
	if (!fork_known()) {
		spend(BURN_A, 60 * MS);
		execl(known_other, known_other, NULL);
		_exit(127);
	}
	wait_for_children(1);
	return 0;
}

const struct known_kind known_kinds[] = {
	{ "compute", compute },
	{ "copy", copy },
	{ "allocate", allocate },
	{ "calls", calls },
	{ "faults", faults },
	{ "brief", brief },
	{ "fail", fail },
	{ "pair", pair },
	{ "crowd", crowd },
	{ "uneven", uneven },
	{ "alone_first", alone_first },
	{ "short_threads", short_threads },
	{ "self_bound", self_bound },
	{ "yields", yields },
	{ "sleeper", sleeper },
	{ "sleepers", sleepers },
	{ "bursts", bursts },
	{ "convoy", convoy },
	{ "slow_convoy", slow_convoy },
	{ "turns", turns },
	{ "pipeline", pipeline },
	{ "fork_storm", fork_storm },
	{ "exec_storm", exec_storm },
	{ "server", server },
	{ "slow_file", slow_file },
	{ "killed", killed },
	{ "killed_hard", killed_hard },
	{ "outside", outside },
	{ "becomes", becomes },
	{ 0 },
};
