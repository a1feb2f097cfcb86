/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of libc that the library stands in front of. Each hook calls the real one and keeps its
 * contract: what is async-signal-safe stays so, errno is the real one's, and after vfork nothing of
 * ours is touched.
 */
#ifndef EVPROF_PRELOAD_HOOKS_HOOKS_H
#define EVPROF_PRELOAD_HOOKS_HOOKS_H

#include <dlfcn.h>
#include <stdatomic.h>

#define EP_HOOK __attribute__((visibility("default")))

/* Where sanitizers are built in: their runtime calls the function before it has memory of its own. */
#define EP_EARLY __attribute__((no_sanitize("address", "undefined", "thread")))

/* Declares real_NAME, resolved on first use (dlsym takes no lock that a hook could hold). */
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

/* Does the constructor's work, if that is still to come: a library whose own constructor runs before ours
 * starts a thread (OpenBLAS does, for each CPU). */
void ep_library_begin_early(void);

/* The program has closed itself into a sandbox: a hook that was there for what was measured makes no system call. */
extern atomic_bool ep_hooks_in_sandbox;

/* Creates the key whose destructor runs last in a thread that ends. Once per process. */
void ep_hooks_thread_begin(void);
/* Sets the key in the calling thread, so that its end is seen. */
void ep_hooks_thread_mark(void *thread);

/* Registers the handlers of fork, quick_exit and exit. Once per process. */
void ep_hooks_process_begin(void);

#endif
