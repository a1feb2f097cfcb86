/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slice clock: a signal to the thread after every period of its own CPU time.
 *
 * First choice is the overflow of a per-thread task-clock perf event; where perf_event_open is
 * refused, a POSIX timer on the thread's CPU clock (which ticks at the kernel's HZ, 250 a second
 * here). A monotonic timer would be finer but interrupts blocked system calls.
 * The periods vary: no program keeps step with them. The first tick comes after a random part of a
 * period: every moment of a thread's life is as likely to be met as any other, so that the ticks of
 * many threads that each live for less than a period show where those threads spend their time.
 *
 * Long periods take both. The timer is served by the scheduler's ticks, which come anyway, and so
 * costs a signal and no interrupt; but it meets a thread only where they do, and one that sleeps and
 * wakes in step with them always at the same place, or never. So it serves threads that compute, and
 * the task-clock those that sleep; while the timer serves, the task-clock goes on with a long period
 * and notices when that should end. The task-clock serves every thread's first periods, since the
 * timer would come too late for a short thread.
 *
 * A task-clock is heard in user mode only. While it serves, a timer looks for system calls, where the
 * kernel serves such a timer at the return to user mode: it finds the thread behind the system call in
 * which its time ended. What it finds elsewhere is the task-clock's.
 */
#ifndef EVPROF_PRELOAD_RECORDING_CLOCK_H
#define EVPROF_PRELOAD_RECORDING_CLOCK_H

#include "counters/events/perf_door.h"

#include <stdbool.h>
#include <stdint.h>

/* After so many ticks of one length the clock draws another length. */
#define EP_CLOCK_TICKS_OF_A_LENGTH 64

/* A shorter first slice would have the kernel interrupt a first system call all the time: ticks
 * that come in the kernel are repeated until one is heard in user mode. */
#define EP_CLOCK_LEAST_NS 20000

enum ep_clock_kind {
	EP_CLOCK_NONE,
	EP_CLOCK_TASK,      /* task-clock, user and kernel */
	EP_CLOCK_TASK_USER, /* task-clock, ticks in user mode only */
	EP_CLOCK_TIMER,     /* thread CPU time, POSIX timer */
	EP_CLOCK_MIXED, /* that one while the thread computes, EP_CLOCK_TASK_USER while it sleeps */
	EP_CLOCK_PATIENT, /* a POSIX timer that each tick sets anew, for ticks that take long */
};

struct ep_clock {
	enum ep_clock_kind kind;
	int fd;
	int timer; /* -1: there is none */
	int tid;
	uint32_t n_ticks;
	uint64_t period_ns;
	uint64_t chance;
	uint64_t calls_ns; /* of CPU time between two looks for system calls; 0: there are none */
	uint64_t opened_cpu_ns;
	uint64_t second_length_ns; /* a task-clock's, of the slices behind the first */
	bool is_slowed;
	/* a timer's */
	uint64_t first_before_ns; /* a first tick that comes later does not count; 0: any does */
	uint64_t second_ns;       /* when the next one is to come, from the start */
	/* a mixed one's */
	bool is_coarse; /* the timer serves */
	struct {
		uint64_t cpu_ns; /* 0: no tick has come yet */
		long n_sleeps;
		uint32_t n_ticks;
	} looked; /* when it was last decided which */
};

/* Lets the next tick of a task-clock come late, once: behind one that came as SIGIO, since the user's queue of
 * signals was full. To find out whose such a signal is takes longer than the shortest periods. */
void ep_clock_slow_down(struct ep_clock *clock);

/* Name for META. */
const char *ep_clock_name(enum ep_clock_kind kind);

/*
 * Finds out which kind works here; once per process. Ticks come in user mode only unless with_kernel
 * asks for all: a signal that arrives while a system call works makes some of them come back with
 * less than was asked for (reads of /dev/zero, writes to pipes), which dd, for one, shows.
 */
enum ep_clock_kind ep_clock_probe(bool with_kernel);

/* Returns the period from which on a mixed clock (scheduler.h) is better than this kind; UINT64_MAX: none is.
 * Is called once per process, too. */
uint64_t ep_clock_mixed_from_ns(enum ep_clock_kind kind);

/* CPU time between two looks for system calls, for threads whose clock is of this kind: no less
 * than the scheduler's tick. 0: this kernel's timers would cut system calls short, or the clock
 * needs none. */
uint64_t ep_clock_calls_ns(enum ep_clock_kind kind, uint64_t period_ns);

/* For the calling thread. Negative errno when there is none. calls_ns: 0, or as above. */
int ep_clock_open(
	struct ep_clock *clock, enum ep_clock_kind kind, uint64_t period_ns, uint64_t calls_ns);

/* Whether a tick of the timer is a look for system calls. Signal handlers. */
static inline bool ep_clock_looks_for_calls(const struct ep_clock *clock)
{
	return clock->calls_ns && !clock->is_coarse && clock->kind != EP_CLOCK_TIMER;
}

/* At every tick, in its thread: some ticks have another length than those before, period_ns on
 * average; and a mixed one has another serve. cpu_ns: the thread's CPU time. True where it was such
 * a tick. */
bool ep_clock_tick(struct ep_clock *clock, uint64_t cpu_ns);

/* At a tick before any that counted: whether it counts. gone_ns: CPU time since the clock was
 * opened. Signal handlers. */
bool ep_clock_first_tick(struct ep_clock *clock, uint64_t gone_ns);

/* By chance, within an eighth of the period; chance is carried from one to the next. */
uint64_t ep_clock_next_length(uint64_t period_ns, uint64_t *chance);

/* Draws the time before a thread's first tick where lengths vary. It is a part of out_length_ns, which
 * slices behind it have: a length drawn as often as a moment falls into it, so that longer ones are
 * more likely (renewal theory's length-biased one). Ticks are then as likely at every moment, from
 * the first on. */
uint64_t ep_clock_first_of_varied(uint64_t period_ns, uint64_t *chance, uint64_t *out_length_ns);

void ep_clock_close(struct ep_clock *clock);

/* After fork: the parent's clock is not ours. */
void ep_clock_forget(struct ep_clock *clock);

#endif
