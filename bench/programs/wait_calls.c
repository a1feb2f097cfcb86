// SPDX-License-Identifier: BSD-3-Clause
/*
 * What a hook of a call that may wait takes: wait_calls [ROUNDS]. Each call is made by its name, which leads to the
 * hook where libevprof-waits.so is preloaded, and by libc's own function, in turns of a thousand calls in one process.
 * Prints ns of CPU time that the call takes by libc, and ns more by its name: the median of the rounds, and an interval
 * of 95 % by order.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define N_CALLS 1000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int zero, event, epoll, file, quick[2], full[2];
static char bytes[64];

static ssize_t (*libc_read)(int, void *, size_t);
static ssize_t (*libc_pread)(int, void *, size_t, off_t);
static ssize_t (*libc_recv)(int, void *, size_t, int);
static int (*libc_poll)(struct pollfd *, nfds_t, int);
static int (*libc_epoll_wait)(int, struct epoll_event *, int, int);
static int (*libc_lock)(pthread_mutex_t *);

#define CALLS(name, by_name, by_libc)                                                              \
	static void name##_by_name(void)                                                           \
	{                                                                                          \
		by_name;                                                                           \
	}                                                                                          \
	static void name##_by_libc(void)                                                           \
	{                                                                                          \
		by_libc;                                                                           \
	}

CALLS(read_zero, (void)!read(zero, bytes, 1), (void)!libc_read(zero, bytes, 1))
CALLS(pread_file, (void)!pread(file, bytes, 64, 0), (void)!libc_pread(file, bytes, 64, 0))
CALLS(read_quick, (void)!read(quick[0], bytes, 1), (void)!libc_read(quick[0], bytes, 1))
CALLS(recv_ready, recv(full[0], bytes, 1, MSG_PEEK), libc_recv(full[0], bytes, 1, MSG_PEEK))
CALLS(poll_ready, poll(&(struct pollfd){ event, POLLIN, 0 }, 1, -1),
	libc_poll(&(struct pollfd){ event, POLLIN, 0 }, 1, -1))
CALLS(epoll_ready, epoll_wait(epoll, &(struct epoll_event){ 0 }, 1, -1),
	libc_epoll_wait(epoll, &(struct epoll_event){ 0 }, 1, -1))
CALLS(lock_free, pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex), libc_lock(&mutex);
	pthread_mutex_unlock(&mutex))

static double ns_of(void (*call)(void))
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (int i = 0; i < N_CALLS; i++)
		call();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	       N_CALLS;
}

static int by_size(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) -
	       (*(const double *)a < *(const double *)b);
}

static void measure(const char *name, void (*by_name)(void), void (*by_libc)(void), int n)
{
	double *libc = malloc((size_t)n * sizeof(double)),
	       *more = malloc((size_t)n * sizeof(double));
	int k = (int)(n / 2.0 - 0.98 * sqrt(n));

	for (int i = 0; i < n; i++) {
		double first = ns_of(i % 2 ? by_name : by_libc),
		       second = ns_of(i % 2 ? by_libc : by_name);

		libc[i] = i % 2 ? second : first;
		more[i] = i % 2 ? first - second : second - first;
	}
	qsort(libc, (size_t)n, sizeof(double), by_size);
	qsort(more, (size_t)n, sizeof(double), by_size);
	printf("%-12s %7.1f ns, %+6.1f (%+.1f to %+.1f)\n", name, libc[n / 2], more[n / 2],
		more[k < 0 ? 0 : k], more[k < 0 ? n - 1 : n - 1 - k]);
	free(libc);
	free(more);
}

static void prepare(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY);

	libc_read = (__typeof__(libc_read))dlsym(libc, "read");
	libc_pread = (__typeof__(libc_pread))dlsym(libc, "pread");
	libc_recv = (__typeof__(libc_recv))dlsym(libc, "recv");
	libc_poll = (__typeof__(libc_poll))dlsym(libc, "poll");
	libc_epoll_wait = (__typeof__(libc_epoll_wait))dlsym(libc, "epoll_wait");
	libc_lock = (__typeof__(libc_lock))dlsym(libc, "pthread_mutex_lock");
	zero = open("/dev/zero", O_RDONLY);
	file = open("/proc/self/exe", O_RDONLY);
	event = eventfd(1, 0);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &(struct epoll_event){ .events = EPOLLIN });
	if (pipe2(quick, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM, 0, full) ||
		write(full[1], "x", 1) != 1)
		exit(2);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1001;

	prepare();
	measure("read zero", read_zero_by_name, read_zero_by_libc, n);
	measure("pread file", pread_file_by_name, pread_file_by_libc, n);
	measure("read EAGAIN", read_quick_by_name, read_quick_by_libc, n);
	measure("recv ready", recv_ready_by_name, recv_ready_by_libc, n);
	measure("poll ready", poll_ready_by_name, poll_ready_by_libc, n);
	measure("epoll ready", epoll_ready_by_name, epoll_ready_by_libc, n);
	measure("mutex free", lock_free_by_name, lock_free_by_libc, n);
	return 0;
}
