/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes what is recorded in this process image: by which source, in which groups, how often,
 * and to which file. process/ sets it at the start and in the child of a fork; all other code reads
 * it. */
#ifndef EVPROF_PRELOAD_RECORDING_RECORDING_H
#define EVPROF_PRELOAD_RECORDING_RECORDING_H

#include "common/os/sys.h"
#include "common/trace.h"

#include "clock.h"
#include "counters/plan/plan.h"
#include "counters/settings.h"
#include "counters/sources/source.h"
#include "hot.h"
#include "out.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Every slice reads the end of out and the members after out, up to the plan's first groups. So these
 * lie on few cache lines. All members that a fork or an exit changes lie there, too, since the child
 * of a fork copies each page to which it writes. */
struct ep_recording {
	struct ep_out out;
	_Atomic bool is_on;
	uint32_t waits_ns; /* the shortest wait that is noted; 0: no wait is noted */
	/* The addresses from which libc called evprof's handlers after a fork, in the parent and in
	 * the child; 0: not known yet. */
	_Atomic uint64_t atfork_returns[2];
	/* counted up before and after a fork: between these two moments, pages may be copied */
	_Atomic uint32_t n_forks;
	bool ends_unseen; /* the program exits by a system call without libc, as Go's runtime does */
	struct ep_process_key key;
	/* the first thread's CPU time when evprof's work began in this process */
	uint64_t begun_cpu_ns;
	enum ep_clock_kind clock_kind;
	uint64_t period_ns;
	/* CPU time between two ticks that look for system calls; 0: there are none */
	uint64_t calls_ns;
	bool has_triggers;          /* overflows of events end slices as well */
	_Atomic uint32_t n_threads; /* how many threads were measured so far */
	_Atomic bool is_short;      /* a thread found no descriptors for its counters */
	/* samples were lost because no descriptor was left for writing the trace */
	_Atomic bool has_put_off;
	_Atomic bool has_no_ticks; /* a thread has no timer, since the queue of signals was full */
	/* a tick did not fit into the queue of signals, and later ones came late */
	_Atomic bool has_late_ticks;
	const struct ep_source *source;
	struct ep_settings settings;
	struct ep_plan plan;
};

extern struct ep_recording ep_recording;

/* true in libevprof-waits.so alone, the library with the hooks that note waits */
extern const bool ep_recording_has_wait_hooks;

/* Tells whether the caller is the recorded process, and not a vfork child that shares its
 * memory. */
bool ep_recording_is_mine(void);
/* Tells whether the caller is a vfork child while something is recorded. The child has its own signal handlers and its
 * own alternate stack, so its calls that set them must not be noted for its parent. */
bool ep_recording_is_vfork_child(void);

/* Notes that the memory belongs to this process from now on: at its start, and in the child of a
 * fork. */
void ep_recording_own_memory(void);
/* Tells whether the caller has a copy of the recorded process's memory, by a fork that no hook saw
 * (a clone by system call). A child of vfork has no copy. Makes no system call. */
bool ep_recording_is_copy(void);
/* Returns the pid of the process to which this memory belongs, without a system call; 0: not known. A child of vfork
 * gets the pid of its parent, whose memory it shares. */
uint32_t ep_recording_known_pid(void);

/* Stops recording functions of scripts where a filter of system calls would kill the process for
 * the call that reads them. */
void ep_recording_keep_to_filter(void);

/* Remembers which file standard error is at the start: nothing is printed if it is another file later. */
void ep_recording_find_stderr(void);

/* Prints one line on standard error, unless evprof is to be quiet or standard error is another file
 * than at the start. */
void ep_recording_say(const char *what, const char *detail);

/* Prints a line as ep_recording_say does, but only if standard error is a terminal. Used after the program
 * has begun. */
void ep_recording_say_late(const char *what, const char *detail);

/* Appends a line to EVPROF_DEBUG's file, if there is one: a decision and its reason. The file is open only during the
 * call, and must be a regular one, so that no write waits for a reader. Signal handlers must not call this function,
 * since it formats by libc. errno keeps its value. */
void ep_recording_debug(const char *format, ...) EP_PRINTF(1, 2);

/* Ends measuring after a failure: every clock stops with its next tick, and nothing more is written. Prints one line on
 * standard error unless quiet. error: a negative errno, or 0. Runs in signal handlers. */
void ep_recording_give_up(const char *what, int error);

/* Returns the CPU time between two ticks by time. The user sets the rate of all ticks: where events end slices, too,
 * half of all ticks come from events, so that ticks by time come half as often. */
static inline uint64_t ep_recording_window_ns(void)
{
	return ep_recording.has_triggers ? 2 * ep_recording.period_ns : ep_recording.period_ns;
}

/* Returns the time since the process's birth in us; now_ns: CLOCK_MONOTONIC. */
static inline uint64_t ep_recording_us_of(uint64_t now_ns)
{
	return (now_ns - ep_recording.key.birth_ns) / 1000;
}

static inline uint64_t ep_recording_now_us(void)
{
	return ep_recording_us_of(ep_now_ns(CLOCK_MONOTONIC));
}

#endif
