// SPDX-License-Identifier: BSD-3-Clause
/*
 * waiting KIND: the main thread waits N_WAITS times in the call of that kind, each time for HOLD_US and more: a
 * second thread lets it go only when the kernel has said that it sleeps, and HOLD_US after that. Prints what
 * the waits took by the program's own clock: number and ns.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

enum { FIRST_LOOK_US = 200 };

static atomic_int n_allowed, n_begun, n_done, n_ended;

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Without a wait: a process's first ones alone are all noted. */
static void until(atomic_int *number, int least)
{
	while (atomic_load(number) < least)
		sched_yield();
}

/* ---- the main thread sleeps in the kernel ---- */

static char state_of_main(void)
{
	char path[64], text[512] = "", *name_end;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	fd = open(path, O_RDONLY);
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	name_end = strrchr(text, ')');
	return name_end ? name_end[2] : '?';
}

static void until_main_sleeps(void)
{
	for (int us = FIRST_LOOK_US; state_of_main() != 'S'; us *= 2)
		usleep((useconds_t)us);
}

/* ---- what is waited for ---- */

/* Compilers number a function's variable, as in "mutex.0"; the report has its name without the number. */
pthread_mutex_t *the_mutex(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	return &mutex;
}

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
sem_t semaphore;
static sem_t helper_may_end;
static pthread_t helper;
static bool is_signalled;
int ends[2];
static int listening, epoll, lock_fds[2];
static pid_t child;
static struct sockaddr_un address = { .sun_family = AF_UNIX };

static void lock_mutex(void)
{
	pthread_mutex_lock(the_mutex());
}
static void unlock_mutex(void)
{
	pthread_mutex_unlock(the_mutex());
}

__attribute__((noinline)) static void wait_for_mutex(void)
{
	pthread_mutex_lock(the_mutex());
	pthread_mutex_unlock(the_mutex());
}

static void lock_rwlock(void)
{
	pthread_rwlock_wrlock(&rwlock);
}
static void unlock_rwlock(void)
{
	pthread_rwlock_unlock(&rwlock);
}

__attribute__((noinline)) static void wait_for_rwlock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

__attribute__((noinline)) static void wait_for_condition(void)
{
	pthread_mutex_lock(the_mutex());
	while (!is_signalled)
		pthread_cond_wait(&condition, the_mutex());
	is_signalled = false;
	pthread_mutex_unlock(the_mutex());
}

static void signal_condition(void)
{
	pthread_mutex_lock(the_mutex());
	is_signalled = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(the_mutex());
}

__attribute__((noinline)) static void wait_for_semaphore(void)
{
	while (sem_wait(&semaphore))
		;
}
static void post_semaphore(void)
{
	sem_post(&semaphore);
}

__attribute__((noinline)) static void wait_for_barrier(void)
{
	pthread_barrier_wait(&barrier);
}
static void come_to_barrier(void)
{
	pthread_barrier_wait(&barrier);
}

static void *run_helper(void *argument)
{
	while (sem_wait(&helper_may_end))
		;
	return argument;
}

static void create_helper(void)
{
	pthread_create(&helper, NULL, run_helper, NULL);
}
static void end_helper(void)
{
	sem_post(&helper_may_end);
}
__attribute__((noinline)) static void wait_for_join(void)
{
	pthread_join(helper, NULL);
}

static void put_byte(void)
{
	(void)!write(ends[1], "x", 1);
}

__attribute__((noinline)) static void wait_for_read(void)
{
	char byte;

	(void)!read(ends[0], &byte, 1);
}

static void fill_pipe(void)
{
	static const char bytes[4096];

	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
}

static void empty_pipe(void)
{
	static char bytes[4096];

	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (read(ends[0], bytes, sizeof(bytes)) > 0)
		;
}

__attribute__((noinline)) static void wait_for_write(void)
{
	(void)!write(ends[1], "x", 1);
}

static void connect_to_it(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		perror("connect");
	close(fd);
}

__attribute__((noinline)) static void wait_for_accept(void)
{
	close(accept(listening, NULL, NULL));
}

static void take_byte(void)
{
	char byte;

	(void)!read(ends[0], &byte, 1);
}

static void put_line(void)
{
	(void)!write(ends[1], "ab\ncd\n", 6);
}

__attribute__((noinline)) static void wait_for_poll(void)
{
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };

	poll(&fd, 1, -1);
	take_byte();
}

__attribute__((noinline)) static void wait_for_select(void)
{
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(ends[0], &fds);
	select(ends[0] + 1, &fds, NULL, NULL, NULL);
	take_byte();
}

__attribute__((noinline)) static void wait_for_epoll(void)
{
	struct epoll_event event;

	epoll_wait(epoll, &event, 1, -1);
	take_byte();
}

static void fork_child(void)
{
	child = fork();
	if (child)
		return;
	take_byte();
	_exit(0);
}

__attribute__((noinline)) static void wait_for_child(void)
{
	waitpid(child, NULL, 0);
}

static void lock_file(void)
{
	flock(lock_fds[0], LOCK_EX);
}
static void unlock_file(void)
{
	flock(lock_fds[0], LOCK_UN);
}

__attribute__((noinline)) static void wait_for_file_lock(void)
{
	flock(lock_fds[1], LOCK_EX);
	flock(lock_fds[1], LOCK_UN);
}

static struct flock range(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };
}

static void lock_range(void)
{
	struct flock lock = range(F_WRLCK);

	fcntl(lock_fds[0], F_OFD_SETLK, &lock);
}

static void unlock_range(void)
{
	struct flock lock = range(F_UNLCK);

	fcntl(lock_fds[0], F_OFD_SETLK, &lock);
}

__attribute__((noinline)) static void wait_for_range(void)
{
	struct flock lock = range(F_WRLCK);

	fcntl(lock_fds[1], F_OFD_SETLKW, &lock);
	lock = range(F_UNLCK);
	fcntl(lock_fds[1], F_OFD_SETLK, &lock);
}

static void send_signal(void)
{
	kill(getpid(), SIGUSR1);
}

__attribute__((noinline)) static void wait_for_signal(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
}

static void nothing(void)
{
}

static const struct kind {
	const char *name;
	void (*prepare)(void), (*wait)(void), (*release)(void);
} kinds[] = {
	{ "mutex", lock_mutex, wait_for_mutex, unlock_mutex },
	{ "rwlock", lock_rwlock, wait_for_rwlock, unlock_rwlock },
	{ "condition", nothing, wait_for_condition, signal_condition },
	{ "semaphore", nothing, wait_for_semaphore, post_semaphore },
	{ "barrier", nothing, wait_for_barrier, come_to_barrier },
	{ "join", create_helper, wait_for_join, end_helper },
	{ "read", nothing, wait_for_read, put_byte },
	{ "write", fill_pipe, wait_for_write, empty_pipe },
	{ "accept", nothing, wait_for_accept, connect_to_it },
	{ "fread", nothing, wait_for_fread, put_byte },
	{ "getc", nothing, wait_for_getc, put_byte },
	{ "getline", nothing, wait_for_two_lines, put_line },
	{ "fgets", nothing, wait_for_two_gets, put_line },
	{ "fflush", fill_pipe, wait_for_fflush, empty_pipe },
	{ "fclose", fill_pipe, wait_for_fclose, empty_pipe },
	{ "poll", nothing, wait_for_poll, put_byte },
	{ "select", nothing, wait_for_select, put_byte },
	{ "epoll", nothing, wait_for_epoll, put_byte },
	{ "child", fork_child, wait_for_child, put_byte },
	{ "file_lock", lock_file, wait_for_file_lock, unlock_file },
	{ "range", lock_range, wait_for_range, unlock_range },
	{ "signal", nothing, wait_for_signal, send_signal },
};

static void prepare_files(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	char path[] = "/tmp/evprof-test-XXXXXX";

	(void)!pipe(ends);
	stream = fdopen(dup(ends[0]), "r");
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	lock_fds[0] = mkstemp(path);
	lock_fds[1] = open(path, O_RDWR);
	unlink(path);
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "evprof-test-%d", getpid());
	listening = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) || listen(listening, 5))
		perror("listen");
}

static void prepare_all(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	sem_init(&helper_may_end, 0, 0);
	prepare_files();
}

__attribute__((noinline)) static void hold(void)
{
	usleep(HOLD_US);
}

static void *let_go(void *argument)
{
	const struct kind *kind = argument;

	for (int i = 1; i <= N_WAITS; i++) {
		kind->prepare();
		atomic_store(&n_allowed, i);
		until(&n_begun, i);
		until_main_sleeps();
		hold();
		kind->release();
		until(&n_done, i);
	}
	atomic_store(&n_ended, 1);
	return NULL;
}

static uint64_t wait_often(const struct kind *kind)
{
	uint64_t ns = 0;

	for (int i = 1; i <= N_WAITS; i++) {
		until(&n_allowed, i);
		uint64_t start_ns = now_ns();
		atomic_store(&n_begun, i);
		kind->wait();
		ns += now_ns() - start_ns;
		atomic_store(&n_done, i);
	}
	return ns;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} others[] = {
		{ "nothing", call_freely },
		{ "crowd", crowd },
		{ "sleep", sleep_often },
		{ "after_short", sleep_after_short },
		{ "computing", compute_in_calls },
		{ "often", sleep_in_many_ways },
		{ "flags", wait_after_flags },
		{ "fork", wait_after_fork },
		{ "killed", be_killed },
	};
	const char *name = argc > 1 ? argv[1] : "";
	pthread_t other;

	prepare_all();
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return others[i].run();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		pthread_create(&other, NULL, let_go, (void *)&kinds[i]);
		printf("%d %llu\n", N_WAITS, (unsigned long long)wait_often(&kinds[i]));
		until(&n_ended, 1); /* a join would be one more wait */
		return 0;
	}
	fprintf(stderr, "usage: waiting KIND\n");
	return 2;
}
