/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forked children load libraries, while other threads of the parent create threads and close libraries that are still
 * in use. A thread that looks at the loader's list holds the loader's lock; a child that is forked meanwhile finds the
 * lock taken for ever. Here the lock is held for long, since the program has its own, slow dl_iterate_phdr.
 */
#include "probe.h"

#include <dlfcn.h>
#include <link.h>

enum { N_FORKS = 40 };

typedef int look_fn(struct dl_phdr_info *info, size_t size, void *argument);

struct slow_look {
	look_fn *look;
	void *argument;
};

static int look_slowly(struct dl_phdr_info *info, size_t size, void *argument)
{
	const struct slow_look *slow = argument;
	struct timespec delay = { .tv_nsec = 1000000 };

	nanosleep(&delay, NULL);
	return slow->look(info, size, slow->argument);
}

__attribute__((visibility("default"))) int dl_iterate_phdr(look_fn *look, void *argument)
{
	struct slow_look slow = { look, argument };
	int (*real)(look_fn *, void *);

	*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(look_slowly, &slow);
}

static atomic_int stop;

static void *nothing(void *unused)
{
	return NULL;
}

static void *create(void *unused)
{
	pthread_t thread;

	while (!stop) {
		EXPECT_INT(pthread_create(&thread, NULL, nothing, NULL), 0);
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void *close_used(void *unused)
{
	while (!stop) {
		void *library = dlopen("libc.so.6", RTLD_NOW);

		EXPECT(library != NULL);
		EXPECT_INT(dlclose(library), 0);
	}
	return NULL;
}

static void be_child(void)
{
	void *library;

	alarm(10); /* ends a child that waits for ever */
	library = dlopen("libanl.so.1", RTLD_NOW);
	_exit(library && !dlclose(library) ? 0 : 1);
}

int main(void)
{
	pthread_t creator, closer;

	pthread_create(&creator, NULL, create, NULL);
	pthread_create(&closer, NULL, close_used, NULL);
	for (int i = 0, status = 0; i < N_FORKS && !status; i++) {
		pid_t child = fork();

		if (!child)
			be_child();
		EXPECT_INT(waitpid(child, &status, 0), child);
		EXPECT_INT(status, 0);
	}
	stop = 1;
	pthread_join(creator, NULL);
	pthread_join(closer, NULL);
	return probe_end();
}
