// SPDX-License-Identifier: BSD-3-Clause
/* Another library at the place of one that was unloaded: its frames' rules are its own. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/hooks/unloaded.h"
#include "preload/unwind/unwind.h"

enum { MOST = 64 };

static struct ep_unwind_memory kept;
static struct ep_stack_bounds bounds;

static void find_bounds(void)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	CHECK_INT(pthread_getattr_np(pthread_self(), &attributes), 0);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	bounds = (struct ep_stack_bounds){ (uint64_t)low, (uint64_t)low + size };
}

/* From the library's frame on: sanitizers' backtrace() stands in its own. */
static void compare_stacks(void)
{
	static struct ep_stack stack;
	void *theirs[MOST];
	int n = backtrace(theirs, MOST), first = 0;
	ucontext_t uc;

	CHECK_INT(getcontext(&uc), 0);
	ep_unwind(&uc, bounds, &kept, &stack);
	CHECK(!stack.broken);
	while (first < n && theirs[first] != __builtin_return_address(0))
		first++;
	CHECK_INT((int)stack.n_frames - 1, n - first);
	for (int i = 0; i < n - first && i + 1 < (int)stack.n_frames; i++)
		CHECK_INT(stack.addresses[i + 1], (uint64_t)theirs[first + i]);
}

static void *load(const char *name)
{
	char path[4096] = "";
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 64);

	while (size > 0 && path[size - 1] != '/')
		size--;
	strcpy(path + (size > 0 ? size : 0), name);
	return dlopen(path, RTLD_NOW);
}

/* Where the procedure lies. */
static void *load_and_compare(const char *name)
{
	void *library = load(name), *place;
	void (*call_back)(void (*)(void));

	CHECK_MSG(library != NULL, "%s", dlerror());
	if (!library)
		return NULL;
	*(void **)&call_back = place = dlsym(library, "call_back");
	call_back(compare_stacks);
	CHECK_INT(dlclose(library), 0);
	ep_forget_unloaded();
	return place;
}

TEST(rules_are_those_of_the_library_that_is_there)
{
	int n_same_place = 0;

	find_bounds();
	for (int i = 0; i < 20; i++)
		n_same_place += load_and_compare("libother_frame_256.so") ==
				load_and_compare("libother_frame_2048.so");
	CHECK(n_same_place > 0);
}
