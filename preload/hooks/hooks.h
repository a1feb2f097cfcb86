/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks of libc's functions. Each hook calls the real function and keeps its contract: an async-signal-safe function
 * stays so, errno is the one that the real function set, and a child of vfork changes none of evprof's memory.
 */
#ifndef EVPROF_PRELOAD_HOOKS_HOOKS_H
#define EVPROF_PRELOAD_HOOKS_HOOKS_H

#include <dlfcn.h>
#include <stdatomic.h>

#define EP_HOOK __attribute__((visibility("default")))

/* Marks functions that the runtime of a sanitizer calls before it has set up its own memory. */
#define EP_EARLY __attribute__((no_sanitize("address", "undefined", "thread")))

/* Declares find_NAME, which returns the real function. The function is looked up in a constructor, or earlier if
 * find_NAME is called before (dlsym takes no lock that a hook could hold). */
#define EP_REAL(name)                                                                              \
	static __typeof__(&name) real_##name;                                                      \
	static EP_EARLY __typeof__(&name) find_##name(void)                                        \
	{                                                                                          \
		if (!real_##name)                                                                  \
			real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                  \
		return real_##name;                                                                \
	}                                                                                          \
	__attribute__((constructor(101))) static void resolve_##name(void)                         \
	{                                                                                          \
		find_##name();                                                                     \
	}

/* Does the constructor's work if the constructor has not run yet. A library whose constructor runs before evprof's may
 * start a thread (OpenBLAS starts one for each CPU). */
void ep_library_begin_early(void);

/* true: the program has entered a sandbox. Hooks that serve only the measurement make no system call then. */
extern atomic_bool ep_hooks_in_sandbox;

/* Creates the thread-specific key whose destructor runs last in a thread that ends. Called once per process. */
void ep_hooks_thread_begin(void);
/* Sets the key in the calling thread, so that evprof notices the thread's end. */
void ep_hooks_thread_mark(void *thread);

/* Registers the handlers of fork, quick_exit and exit. Called once per process. */
void ep_hooks_process_begin(void);

#endif
