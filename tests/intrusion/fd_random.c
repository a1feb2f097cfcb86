/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that have worked for a while open and close files at random, one thread at a time. Each new file must have
 * the lowest free number. A profiler's descriptor may have that number for a moment, a few times for each thread, but
 * the number must soon be free again.
 */
#include "probe.h"

#include <sys/eventfd.h>

enum { N_THREADS = 4, N_STEPS = 12000, MOST_OPEN = 60, FIRST = 3 };
enum { MOST_TAKEN = 12 * N_THREADS, MOST_TRIES = 2000 };

static pthread_barrier_t all_have_worked;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool is_open[MOST_OPEN];
static int n_wrong, first_wrong, first_expected, n_taken;

static int lowest_free(void)
{
	int fd = FIRST;

	while (is_open[fd])
		fd++;
	return fd;
}

static int make_one(unsigned how)
{
	switch (how % 4) {
	case 0:
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	case 1:
		return dup(1);
	case 2:
		return fcntl(1, F_DUPFD_CLOEXEC, 0);
	default:
		return eventfd(0, EFD_CLOEXEC);
	}
}

/* Opens a file again and again until it has the expected number. Returns a file with another number if the expected one
 * stays taken for seconds. */
static int make_with_number(unsigned how, int expected)
{
	int fd = make_one(how);

	n_taken += fd != expected;
	for (int i = 0; i < MOST_TRIES && fd != expected; i++) {
		EXPECT_INT(close(fd), 0);
		usleep(1000);
		fd = make_one(how);
	}
	return fd;
}

/* Opens or closes one file. The caller holds the lock turn. */
static void step(unsigned random)
{
	int fd = FIRST + random % (MOST_OPEN - FIRST - 1), expected;

	if (is_open[fd]) {
		EXPECT_INT(close(fd), 0);
		is_open[fd] = false;
		return;
	}
	expected = lowest_free();
	fd = make_with_number(random >> 8, expected);
	if (fd != expected && !n_wrong++) {
		first_wrong = fd;
		first_expected = expected;
	}
	if (fd >= FIRST && fd < MOST_OPEN)
		is_open[fd] = true;
}

static void *open_and_close(void *seed)
{
	unsigned random = (unsigned)(uintptr_t)seed;

	burn_ms(30);
	pthread_barrier_wait(&all_have_worked);
	for (int i = 0; i < N_STEPS; i++) {
		random = random * 1103515245 + 12345;
		pthread_mutex_lock(&turn);
		step(random >> 8);
		pthread_mutex_unlock(&turn);
		burn_rounds(random >> 20);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int fd = FIRST; fd < MOST_OPEN; fd++)
		is_open[fd] = fcntl(fd, F_GETFD) >= 0;

	pthread_barrier_init(&all_have_worked, NULL, N_THREADS);
	for (uintptr_t i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, open_and_close, (void *)(i + 1));
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_MSG(!n_wrong, "%d times another number than the lowest, first %d for %d", n_wrong,
		first_wrong, first_expected);
	EXPECT_MSG(n_taken <= MOST_TAKEN, "the lowest number was taken %d times", n_taken);
	return probe_end();
}
