/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiled process image: settings, plan, trace; its beginning, fork and end. */
#ifndef EVPROF_PRELOAD_PROCESS_PROCESS_H
#define EVPROF_PRELOAD_PROCESS_PROCESS_H

#include "common/trace.h"

#include "common/os/sys.h"
#include "counters/plan/plan.h"
#include "counters/settings.h"
#include "counters/sources/source.h"
#include "out.h"
#include "preload/sample/clock.h"

#include <stdatomic.h>
#include <stdbool.h>

enum ep_born { EP_BORN_ROOT, EP_BORN_FORK, EP_BORN_EXEC };

/* What every slice reads lies side by side: the end of out, and what follows up to the plan's first
 * groups. */
struct ep_process {
	struct ep_out out;
	_Atomic bool is_on;
	_Atomic uint32_t n_forks; /* twice each: after one, a page is copied when it is written */
	_Atomic bool is_ending;   /* a thread is writing the last of it */
	bool is_said;             /* why nothing is measured, by the parent */
	bool ends_unseen;         /* by a system call of its own, as Go's runtime does */
	enum ep_born born;
	struct ep_process_key key;
	struct ep_process_key parent; /* after fork */
	int root_pid;
	uint64_t root_start_ticks;
	uint64_t start_ticks;
	uint64_t birth_children_us; /* CPU time of children before, in programs that became this */
	enum ep_clock_kind clock_kind;
	uint64_t period_ns;
	_Atomic uint32_t n_threads; /* so far */
	_Atomic bool is_short;      /* of descriptors: one of them has no counters */
	const struct ep_source *source;
	struct ep_settings settings;
	struct ep_plan plan;
};

extern struct ep_process ep_process;

/* The constructor's work; argv NULL: not known yet. */
void ep_process_begin(int argc, char **argv, char **envp);

/* The process image ends, or an exec is about to be tried: everything is written. Does nothing in
 * a vfork child, which shares our memory but is not us. */
void ep_process_end(enum ep_end_how how, int status, const char *note);

/* fork's child. */
void ep_process_after_fork(void);

/* Whether the caller is this process and not a vfork child. */
bool ep_process_is_me(void);

/* Turns evprof off: every clock stops with its next tick, nothing more is written; one line on
 * stderr unless quiet. error: a negative errno, or 0. Signal handlers. */
/* Measuring ends here, the program goes on: somebody stopped the run, or its trace has its size. In
 * a tick. */
void ep_process_stop(void);
void ep_process_give_up(const char *what, int error);

/* CPU time of the children that were waited for so far, with theirs (RUSAGE_CHILDREN). */
uint64_t ep_process_children_us(void);

/* One line on stderr, if it is still the program's stderr of the start, and not quiet. */
void ep_process_say(const char *what, const char *detail);

/* Since the process's birth; now_ns: CLOCK_MONOTONIC. */
static inline uint64_t ep_process_us_of(uint64_t now_ns)
{
	return (now_ns - ep_process.key.birth_ns) / 1000;
}

static inline uint64_t ep_process_now_us(void)
{
	return ep_process_us_of(ep_now_ns(CLOCK_MONOTONIC));
}

#endif
