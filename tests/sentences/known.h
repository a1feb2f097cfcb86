/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that keeps its own account of what it does, by the kernel's clocks: for tests that hold sentences of a
 * report against it. */
#ifndef EVPROF_TESTS_SENTENCES_KNOWN_H
#define EVPROF_TESTS_SENTENCES_KNOWN_H

#include <stdint.h>

enum { US = 1000, MS = 1000 * US };

/* Procedures that have CPU time. */
enum place { BURN_A, BURN_B, BURN_C, COPY, ALLOCATE, CALL_KERNEL, TOUCH_MEMORY, N_PLACES };

enum wait_kind {
	ON_MUTEX,
	ON_CONDITION,
	ON_BARRIER,
	ON_JOIN,
	ON_READ,
	ON_SLEEP,
	ON_CHILD,
	N_WAIT_KINDS
};

/* known.c */
uint64_t now_ns(void);
/* Calls the place's procedure until the thread has used so much CPU time there. */
void spend(enum place place, uint64_t ns);
/* Adds what passed since then to the thread's waits. */
void waited(enum wait_kind kind, uint64_t since_ns);
void sleep_some(uint64_t ns);
/* A child begins an account of its own, and writes it at its end, which is this function. */
int fork_known(void);
void end_known(int status) __attribute__((noreturn));
void wait_for_children(int n);
/* Runs as many threads, which write their accounts, and waits for them. */
void run_threads(int n, void (*body)(int idx));

/* known_kinds.c: what the program can do, each by its name; returns the exit status. */
struct known_kind {
	const char *name;
	int (*run)(void);
};
extern const struct known_kind known_kinds[];
extern const char *known_path; /* of this program */
extern const char
	*known_other; /* another program, which the library cannot be in; NULL: none was named */

#endif
