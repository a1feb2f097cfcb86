// SPDX-License-Identifier: BSD-3-Clause
/* Waiting that no second thread has to end, or none at all. */
#include "waiting.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_FREE_CALLS = 5000, MAX_SLEEPS = 4000, N_QUICK_READS = 100 };

/* ---- without anyone to wait for ---- */

int call_freely(void)
{
	struct pollfd fd = { .fd = ends[1], .events = POLLOUT };
	int to = open("/dev/null", O_WRONLY), from = open("/dev/zero", O_RDONLY);
	char bytes[512] = "";

	for (int i = 0; i < N_FREE_CALLS; i++) {
		pthread_mutex_lock(the_mutex());
		pthread_mutex_unlock(the_mutex());
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		sem_post(&semaphore);
		sem_wait(&semaphore);
		poll(&fd, 1, -1);
		(void)!write(to, bytes, sizeof(bytes));
		(void)!read(from, bytes, sizeof(bytes));
		waitpid(-1, NULL, WNOHANG);
	}
	return 0;
}

/* ---- so often that not each of them is noted ---- */

enum { N_SHORT = 3000, SHORT_US = 200, COMPUTE_US = 300 };

/* CPU time pays for what is noted. */
static void compute(void)
{
	struct timespec now, start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec <
		COMPUTE_US * 1000);
}

static uint64_t sleep_for(int us)
{
	uint64_t start_ns = now_ns();

	usleep(us);
	return now_ns() - start_ns;
}

__attribute__((noinline)) static uint64_t sleep_long(void)
{
	uint64_t ns = sleep_for(3 * SHORT_US);

	return ns;
}

__attribute__((noinline)) static uint64_t sleep_short(void)
{
	uint64_t ns = sleep_for(SHORT_US);

	return ns;
}

/* Prints the time of the long ones and of the short ones, each by the program's own clock. */
int sleep_in_many_ways(void)
{
	uint64_t long_ns = 0, short_ns = 0;

	for (int i = 0; i < N_SHORT; i++) {
		compute();
		short_ns += sleep_short();
		if (i % 3 == 0)
			long_ns += sleep_long();
	}
	printf("%llu %llu\n", (unsigned long long)long_ns, (unsigned long long)short_ns);
	return 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

enum { N_FIRST = 140, N_ROUNDS = 4, N_BEFORE = 20, BEFORE_US = 2000, RANDOM_BYTES = 96 << 20 };

/* Calls that compute for longer than a step (the kernel makes 0.4 GB of random bytes a second, by one block after
 * the other), each behind sleeps of which hardly any is noted. Prints for how long the thread was off its CPU
 * outside of these sleeps. */
int compute_in_calls(void)
{
	int random = open("/dev/urandom", O_RDONLY);
	char *bytes = malloc(RANDOM_BYTES);
	uint64_t start_ns, start_cpu_ns, slept_ns = 0;

	for (int i = 0; i < N_FIRST; i++)
		sleep_for(SHORT_US);
	start_ns = now_ns();
	start_cpu_ns = cpu_ns();
	for (int i = 0; i < N_ROUNDS; i++) {
		for (int k = 0; k < N_BEFORE; k++)
			slept_ns += sleep_for(BEFORE_US);
		(void)!read(random, bytes, RANDOM_BYTES);
	}
	printf("%lld\n", (long long)(now_ns() - start_ns - slept_ns - (cpu_ns() - start_cpu_ns)));
	free(bytes);
	return 0;
}

/* ---- a lock that goes from one thread to another ---- */

enum { N_TURNS = 12, N_CROWD = 3 };

__attribute__((noinline)) static void be_elsewhere(void)
{
	usleep(HOLD_US);
}

__attribute__((noinline)) static void hold_in_turn(void)
{
	pthread_mutex_lock(the_mutex());
	usleep(HOLD_US);
	pthread_mutex_unlock(the_mutex());
}

static void *take_turns(void *unused)
{
	for (int i = 0; i < N_TURNS; i++) {
		hold_in_turn();
		be_elsewhere();
	}
	return unused;
}

int crowd(void)
{
	pthread_t threads[N_CROWD];

	for (int i = 0; i < N_CROWD; i++)
		pthread_create(&threads[i], NULL, take_turns, NULL);
	for (int i = 0; i < N_CROWD; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

__attribute__((noinline)) static void wait_for_sleep(void)
{
	struct timespec time = { .tv_nsec = HOLD_US * 1000 };

	nanosleep(&time, NULL);
}

static unsigned long long sleep_each(void)
{
	uint64_t start_ns = now_ns();

	for (int i = 0; i < N_WAITS; i++)
		wait_for_sleep();
	return now_ns() - start_ns;
}

int sleep_often(void)
{
	printf("%d %llu\n", N_WAITS, sleep_each());
	return 0;
}

/* More short waits than are all noted, and long ones after them. Prints the CPU time of all of them, too. */
int sleep_after_short(void)
{
	uint64_t start_cpu_ns = cpu_ns();
	unsigned long long ns;

	for (int i = 0; i < 100; i++)
		sleep_for(SHORT_US);
	ns = sleep_each();
	printf("%d %llu %llu\n", N_WAITS, ns, (unsigned long long)(cpu_ns() - start_cpu_ns));
	return 0;
}

/* A read that waits until the socket's timeout. */
__attribute__((noinline)) static uint64_t wait_for_flags(int fd)
{
	uint64_t start_ns = now_ns();
	char byte;

	(void)!read(fd, &byte, 1);
	return now_ns() - start_ns;
}

/* Two sockets that return at once, as many reads know. */
static void open_nonblocking(int sockets[2])
{
	struct timeval timeout = { .tv_usec = HOLD_US };
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	for (int i = 0; i < N_QUICK_READS; i++)
		(void)!read(sockets[0], &byte, 1);
}

/* The next socket has the number of one that was closed by way of a stream. */
static uint64_t wait_behind_fclose(void)
{
	struct timeval timeout = { .tv_usec = HOLD_US };
	int first[2], again[2];
	uint64_t ns;

	open_nonblocking(first);
	fclose(fdopen(first[0], "r"));
	socketpair(AF_UNIX, SOCK_STREAM, 0, again);
	setsockopt(again[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	ns = wait_for_flags(again[0]);
	close(first[1]);
	close(again[0]);
	close(again[1]);
	return ns;
}

/* Reads of descriptors that were known not to block, and do now: their flags, or what their number stands for, are
 * others. */
int wait_after_flags(void)
{
	struct timeval timeout = { .tv_usec = HOLD_US };
	int first[2], again[2];
	uint64_t ns = 0;

	for (int i = 0; i < N_WAITS; i++) {
		open_nonblocking(first);
		fcntl(first[0], F_SETFL, 0);
		ns += wait_for_flags(first[0]);
		close(first[0]);
		close(first[1]);

		open_nonblocking(first);
		ioctl(first[0], FIONBIO, &(int){ 0 });
		ns += wait_for_flags(first[0]);
		close(first[0]);
		close(first[1]);

		ns += wait_behind_fclose();

		open_nonblocking(first);
		socketpair(AF_UNIX, SOCK_STREAM, 0, again);
		setsockopt(again[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
		dup2(again[0], first[0]);
		ns += wait_for_flags(first[0]);
		close(again[0]);
		close(again[1]);
		close(first[0]);
		close(first[1]);
	}
	printf("%d %llu\n", 4 * N_WAITS, (unsigned long long)ns);
	return 0;
}

int wait_after_fork(void)
{
	pid_t child = fork();

	if (child) {
		waitpid(child, NULL, 0);
		return 0;
	}
	sleep_often();
	exit(0);
}

/* Dies by SIGKILL after 2 s; prints how many waits were over for more than 1.2 s then: few enough for each
 * to be noted. */
int be_killed(void)
{
	static uint64_t end_ns[MAX_SLEEPS];
	uint64_t start_ns = now_ns();
	int n = 0, n_old = 0;

	while (n < MAX_SLEEPS && now_ns() - start_ns < 2000000000) {
		usleep(5 * HOLD_US);
		end_ns[n++] = now_ns();
	}
	while (n_old < n && end_ns[n_old] + 1200000000 < end_ns[n - 1])
		n_old++;
	printf("%d 0\n", n_old);
	fflush(stdout);
	raise(SIGKILL);
	return 1;
}
