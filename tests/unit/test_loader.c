// SPDX-License-Identifier: BSD-3-Clause
/* A look at the loader's list and a fork: neither is in the middle of the other. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/os/loader.h"

static atomic_int n_inside;

static int look_slowly(struct dl_phdr_info *info, size_t size, void *unused)
{
	n_inside++;
	usleep(20000);
	n_inside--;
	return 1;
}

static void *keep_looking(void *stop)
{
	while (!*(atomic_bool *)stop)
		ep_loader_look(look_slowly, NULL);
	return NULL;
}

static int load_something(void)
{
	alarm(10);
	return dlopen("libanl.so.1", RTLD_NOW) ? 0 : 1;
}

/* The loader's lock is free in the child, which would wait for it for ever. */
TEST(the_child_can_load_libraries)
{
	atomic_bool stop = false;
	pthread_t looker;

	CHECK_INT(pthread_create(&looker, NULL, keep_looking, &stop), 0);
	for (int i = 0; i < 5; i++) {
		int status = -1;
		pid_t child;

		while (!n_inside)
			usleep(100);
		ep_loader_before_fork();
		CHECK_INT(n_inside, 0);
		child = fork();
		if (!child) {
			ep_loader_after_fork_in_child();
			_exit(load_something());
		}
		ep_loader_after_fork_in_parent();
		CHECK_INT(waitpid(child, &status, 0), child);
		CHECK_INT(status, 0);
	}
	stop = true;
	pthread_join(looker, NULL);
}

static int note_look(struct dl_phdr_info *info, size_t size, void *out_looked)
{
	*(bool *)out_looked = true;
	return 1;
}

TEST(nobody_looks_during_a_fork)
{
	bool has_looked = false;
	uint64_t state;

	ep_loader_before_fork();
	CHECK(!ep_loader_look(note_look, &has_looked));
	CHECK(!has_looked);
	CHECK(!ep_loader_state(&state));
	ep_loader_before_fork(); /* another thread's */
	ep_loader_after_fork_in_parent();
	CHECK(!ep_loader_look(note_look, &has_looked));
	ep_loader_after_fork_in_child();
	CHECK(ep_loader_look(note_look, &has_looked));
	CHECK(has_looked);
}

static void *end_fork(void *unused)
{
	usleep(5000);
	ep_loader_after_fork_in_parent();
	return NULL;
}

TEST(a_look_waits_for_a_fork)
{
	bool has_looked = false;
	pthread_t forking;

	ep_loader_before_fork();
	CHECK_INT(pthread_create(&forking, NULL, end_fork, NULL), 0);
	CHECK(ep_loader_look(note_look, &has_looked));
	CHECK(has_looked);
	pthread_join(forking, NULL);
}

static int fork_in_look(struct dl_phdr_info *info, size_t size, void *unused)
{
	ep_loader_before_fork();
	ep_loader_after_fork_in_parent();
	return 1;
}

/* It waits, but not for ever. */
TEST(a_fork_in_the_middle_of_its_own_look)
{
	alarm(10);
	CHECK(ep_loader_look(fork_in_look, NULL));
	alarm(0);
}

static atomic_int n_signals, n_signals_inside;

static void on_signal(int sig)
{
	n_signals++;
	n_signals_inside += n_inside;
}

/* Its handler could fork there, and the child's unlocking would fail. */
TEST(no_signal_comes_in_the_middle_of_a_look)
{
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } }, off = { 0 };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 5; i++)
		CHECK(ep_loader_look(look_slowly, NULL));
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_DFL);
	CHECK(n_signals >= 5);
	CHECK_INT(n_signals_inside, 0);
}

TEST(modules_that_come_and_go)
{
	uint64_t before, loaded, state;
	void *library, *again;

	CHECK(ep_loader_state(&before));
	library = dlopen("libanl.so.1", RTLD_NOW);
	CHECK(library != NULL);
	CHECK(ep_loader_state(&loaded));
	CHECK(loaded != before);
	again = dlopen("libanl.so.1", RTLD_NOW);
	dlclose(again); /* still in use */
	CHECK(ep_loader_state(&state));
	CHECK(state == loaded);
	dlclose(library);
	CHECK(ep_loader_state(&state));
	CHECK(state != loaded && state != before);
	CHECK_INT(state % 2, 0);
}
