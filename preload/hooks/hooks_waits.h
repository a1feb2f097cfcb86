/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks of functions that may block, for libevprof-waits.so alone. Each hook calls the real function once and with the
 * same arguments. Its frame has nothing to clean up, since a cancellation or a longjmp may leave it. A call that
 * returns soon costs two time stamps.
 */
#ifndef EVPROF_PRELOAD_HOOKS_HOOKS_WAITS_H
#define EVPROF_PRELOAD_HOOKS_HOOKS_WAITS_H

#include "preload/hooks/hooks.h"
#include "preload/sample/waits.h"

/* Returns the real function of this name. version: the newest symbol version, for a function whose versions behave
 * differently (pthread_cond_wait, for which dlsym before glibc 2.36 returns the oldest). NULL: all versions behave
 * alike. */
void *ep_hooks_wait_find(const char *name, const char *version);

/* Declares real_NAME, a pointer to the real function, which each call uses without a check. At first the pointer leads
 * to first_NAME. A constructor sets the pointer before main, if it finds the function. Otherwise the first call does so
 * through first_NAME, since the library that has the function may be loaded late. */
#define EP_WAIT_POINTER(name, version)                                                             \
	static __typeof__(name) first_##name;                                                      \
	EP_HOT static __typeof__(&name) real_##name = first_##name;                                \
	__attribute__((constructor(101), cold, noinline)) static void resolve_##name(void)         \
	{                                                                                          \
		void *found = ep_hooks_wait_find(#name, version);                                  \
                                                                                                   \
		if (found)                                                                         \
			real_##name = (__typeof__(&name))found;                                    \
	}

#define EP_WAIT_REAL(type, name, version, parameters, arguments)                                   \
	EP_WAIT_POINTER(name, version)                                                             \
	static __attribute__((cold, noinline)) type first_##name parameters                        \
	{                                                                                          \
		resolve_##name();                                                                  \
		return real_##name arguments;                                                      \
	}

/* Calls NAME with time stamps before and after it. thread: the calling thread's record, not NULL. */
#define EP_WAIT_CALL(name, arguments, ...)                                                         \
	__extension__({                                                                            \
		const struct ep_wait noted = { __VA_ARGS__ };                                      \
		const struct ep_wait_begun begun = ep_waits_begin(thread, noted);                  \
		__typeof__(name arguments) result = real_##name arguments;                         \
                                                                                                   \
		ep_waits_end(thread, noted, begun);                                                \
		result;                                                                            \
	})

/* Gives the kind of a wait, which is the first field of struct ep_wait. */
#define EP_WAIT_KIND(...) EP_WAIT_FIRST(__VA_ARGS__)
#define EP_WAIT_FIRST(kind, ...) kind

/* Defines the hook of a function. The macro's arguments are the function's return type, name, parameters and arguments,
 * then the fields of struct ep_wait. */
#define EP_WAIT_HOOK(type, name, parameters, arguments, ...)                                       \
	EP_WAIT_HOOK_OF(type, name, NULL, parameters, arguments, __VA_ARGS__)

#define EP_WAIT_HOOK_OF(type, name, version, parameters, arguments, ...)                           \
	EP_WAIT_REAL(type, name, version, parameters, arguments)                                   \
	EP_HOOK type name parameters                                                               \
	{                                                                                          \
		struct ep_thread *thread = ep_waits_thread(EP_WAIT_KIND(__VA_ARGS__, 0));          \
                                                                                                   \
		return thread ? EP_WAIT_CALL(name, arguments, __VA_ARGS__)                         \
			      : real_##name arguments;                                             \
	}

/* Defines the hook of a function whose arguments can tell (is_quick) that a call cannot block: such a call costs only a
 * jump. Other calls are noted in a separate function, so that the hook is short. */
#define EP_WAIT_HOOK_UNLESS(is_quick, type, name, parameters, arguments, ...)                      \
	EP_WAIT_REAL(type, name, NULL, parameters, arguments)                                      \
	static __attribute__((noinline)) type noted_##name parameters                              \
	{                                                                                          \
		struct ep_thread *thread = ep_waits_thread(EP_WAIT_KIND(__VA_ARGS__, 0));          \
                                                                                                   \
		return thread ? EP_WAIT_CALL(name, arguments, __VA_ARGS__)                         \
			      : real_##name arguments;                                             \
	}                                                                                          \
	__attribute__((hot)) EP_HOOK type name parameters                                          \
	{                                                                                          \
		return (is_quick) ? real_##name arguments : noted_##name arguments;                \
	}

#endif
