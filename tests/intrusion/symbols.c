/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks dlsym: RTLD_NEXT depends on the library that calls dlsym, a function that is looked up in its library is the
 * one that the program is linked to, and errors are dlsym's own.
 */
#include "probe.h"

#include <dlfcn.h>
#include <threads.h>

const char *probe_chain(void);
void probe_first(void);
void probe_second(void);

static void *count(void *counter)
{
	burn_ms(5);
	++*(atomic_int *)counter;
	return NULL;
}

static void create_by(void *handle)
{
	static atomic_int n_ran;
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
			handle, "pthread_create");
	int before = n_ran;
	pthread_t thread;

	EXPECT(create == pthread_create);
	EXPECT(dlsym(handle, "thrd_create") == (void *)thrd_create);
	EXPECT_INT(create(&thread, NULL, count, &n_ran), 0);
	EXPECT_INT(pthread_join(thread, NULL), 0);
	EXPECT_INT(n_ran, before + 1);
	EXPECT(dlsym(handle, "getpid") && !dlsym(handle, "no_such_function"));
	EXPECT_MSG(strstr(dlerror(), "no_such_function"), "another error");
	EXPECT(!dlerror());
}

int main(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *own = dlopen(NULL, RTLD_NOW);

	probe_first();
	probe_second();
	printf("%s\n", probe_chain());
	EXPECT(libc && own);
	for (int i = 0; i < 20; i++) {
		create_by(libc);
		create_by(own);
		create_by(RTLD_DEFAULT);
		create_by(RTLD_NEXT);
	}
	burn_ms(30);
	return probe_end();
}
