/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is recorded in this process image: by which source, in which groups, how often and where to.
 * process/ sets it at the start and in fork's child; all others read it.
 */
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

/* The end of out and what follows it, up to the plan's first groups, are read by every slice: they
 * lie on few cache lines. */
struct ep_recording {
	_Atomic bool is_on;
	uint32_t waits_ns; /* the shortest wait that is noted; 0: none is */
	struct ep_out out;
	/* Where libc called our handlers behind a fork, in the parent and in the child; 0: not yet. */
	_Atomic uint64_t atfork_returns[2];
	_Atomic uint32_t n_forks; /* grows before and after a fork: between, pages may be copied */
	bool ends_unseen; /* the program exits by a bare system call, as Go's runtime does */
	struct ep_process_key key;
	enum ep_clock_kind clock_kind;
	uint64_t period_ns;
	uint64_t calls_ns; /* of CPU time between two looks for system calls; 0: there are none */
	bool has_triggers; /* events end slices, too */
	_Atomic uint32_t n_threads; /* measured so far */
	_Atomic bool is_short;      /* a thread found no descriptors for its counters */
	_Atomic bool has_put_off; /* samples were lost while none was left to write the trace by */
	_Atomic bool
		has_no_ticks; /* a thread found no room for its ticks in the queue of signals */
	_Atomic bool has_late_ticks; /* a tick found no room there, and those behind it came late */
	const struct ep_source *source;
	struct ep_settings settings;
	struct ep_plan plan;
	uint64_t
		begun_cpu_ns; /* the first thread's CPU clock when our work began in this process */
};

extern struct ep_recording ep_recording;

/* Whether the hooks that note waits are in this library: in libevprof-waits.so alone. */
extern const bool ep_recording_has_wait_hooks;

/* Whether the caller is the recorded process, and not a vfork child that shares its memory. */
bool ep_recording_is_mine(void);
/* Such a child while something is recorded. It has handlers and an alternate stack of its own: nothing of
 * what it says about signals may be noted. */
bool ep_recording_is_vfork_child(void);

/* The memory is this process's from now on: at its start, and in fork's child. */
void ep_recording_own_memory(void);
/* Whether the caller has a copy of the recorded process's memory, by a fork that no hook saw (clone by number). A
 * child of vfork has none. No system call. */
bool ep_recording_is_copy(void);
/* The number of the process whose memory this is, without a system call: a child of vfork gets its parent's, whose
 * memory it shares. 0: not known. */
uint32_t ep_recording_known_pid(void);

/* Leaves scripts' functions out where a filter of system calls kills for one of ours. */
void ep_recording_keep_to_filter(void);

/* Remembers what standard error is at the start: nothing is said where it is another file later. */
void ep_recording_find_stderr(void);

/* One line on stderr, if it is still the program's stderr of the start, and not quiet. */
void ep_recording_say(const char *what, const char *detail);

/* The same when the program runs already: to a terminal only. */
void ep_recording_say_late(const char *what, const char *detail);

/* Appends a line to EVPROF_DEBUG's file, if there is one: what was decided, and why. The file is
 * open no longer than that, and must be a regular one, so that nothing waits for a reader. Not for
 * signal handlers, as it formats by libc; errno stays what it was. */
void ep_recording_debug(const char *format, ...) EP_PRINTF(1, 2);

/* Turns evprof off: every clock stops with its next tick, nothing more is written; one line on
 * stderr unless quiet. error: a negative errno, or 0. Signal handlers. */
void ep_recording_give_up(const char *what, int error);

/* CPU time between two ticks by time. The rate that was asked for is that of all ticks: where events
 * end slices, too, half of the ticks are theirs. */
static inline uint64_t ep_recording_window_ns(void)
{
	return ep_recording.has_triggers ? 2 * ep_recording.period_ns : ep_recording.period_ns;
}

/* Since the process's birth; now_ns: CLOCK_MONOTONIC. */
static inline uint64_t ep_recording_us_of(uint64_t now_ns)
{
	return (now_ns - ep_recording.key.birth_ns) / 1000;
}

static inline uint64_t ep_recording_now_us(void)
{
	return ep_recording_us_of(ep_now_ns(CLOCK_MONOTONIC));
}

#endif
