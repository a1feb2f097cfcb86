/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slice clock: it sends a signal to the thread after every period of the thread's own CPU time.
 *
 * The first choice is the overflow of a per-thread task-clock perf event. Where perf_event_open is refused, it is a
 * POSIX timer on the thread's CPU clock, which ticks at the kernel's HZ (for example 250 a second). A timer of
 * CLOCK_MONOTONIC would be finer but would interrupt blocked system calls.
 *
 * The periods vary, so that no program keeps in step with them. The first tick comes after a random part of a period:
 * every moment of a thread's life has the same chance to be sampled. So the ticks of many threads that each live for
 * less than a period show where those threads spend their time.
 *
 * Long periods use both clocks (EP_CLOCK_MIXED); at a time one of them serves, that is, ends the slices. The timer
 * sends its signals at the scheduler's ticks, which come anyway, so it costs a signal and no interrupt. But a thread
 * that sleeps and wakes in step with the scheduler's ticks would always get the signal at the same place, or never. So
 * the timer serves threads that compute, and the task-clock serves threads that sleep. While the timer serves, the
 * task-clock continues with a long period, and its ticks decide when it should serve again. The task-clock serves every
 * thread's first periods, since the timer would come too late for a short thread.
 *
 * The ticks of EP_CLOCK_TASK_USER come in user mode only. While the task-clock serves, a timer looks for system calls,
 * if this kernel sends the signal of such a timer at the return to user mode. The signal then finds the thread just
 * after the system call in which the timer ended. A signal that finds the thread at another place is ignored there,
 * since the task-clock samples user code.
 */
#ifndef EVPROF_PRELOAD_RECORDING_CLOCK_H
#define EVPROF_PRELOAD_RECORDING_CLOCK_H

#include "counters/events/perf_door.h"

#include <stdbool.h>
#include <stdint.h>

/* After this many ticks of one length the clock draws another length. */
#define EP_CLOCK_TICKS_OF_A_LENGTH 64

/* The shortest first slice. With a shorter one the kernel would interrupt a first system call all the time: a tick in
 * the kernel is repeated until one comes in user mode. */
#define EP_CLOCK_LEAST_NS 20000

enum ep_clock_kind {
	EP_CLOCK_NONE,
	EP_CLOCK_TASK,      /* task-clock event, ticks in user mode and in the kernel */
	EP_CLOCK_TASK_USER, /* task-clock event, ticks in user mode only */
	EP_CLOCK_TIMER,     /* POSIX timer on the thread's CPU time */
	/* the timer while the thread computes, EP_CLOCK_TASK_USER while it sleeps often */
	EP_CLOCK_MIXED,
	EP_CLOCK_PATIENT, /* a POSIX timer that each tick sets again, for ticks that take long */
};

struct ep_clock {
	enum ep_clock_kind kind;
	int fd;
	int timer; /* the timer's id; -1: there is none */
	int tid;
	uint32_t n_ticks;
	uint64_t period_ns;
	uint64_t chance;
	uint64_t calls_ns; /* CPU time between two looks for system calls; 0: there are none */
	uint64_t opened_cpu_ns;
	uint64_t second_length_ns; /* CPU time of a task-clock's slices after the first one */
	bool is_slowed;
	/* The next two members belong to a timer. */
	/* a first tick at this CPU time since the start, or later, does not count; 0: any tick counts */
	uint64_t first_before_ns;
	uint64_t second_ns; /* CPU time from the start to the second tick */
	/* The other members belong to a mixed clock. */
	bool is_coarse; /* true: the timer serves */
	struct {
		uint64_t cpu_ns; /* 0: no tick has come yet */
		long n_sleeps;
		uint32_t n_ticks;
	} looked; /* the state when it was last decided which clock serves */
};

/* Delays the next tick of a task-clock once. Called after a tick that came as SIGIO because the user's queue of signals
 * was full. To find out whether such a signal is a tick takes longer than the shortest periods. */
void ep_clock_slow_down(struct ep_clock *clock);

/* Returns the clock's name for the META block. */
const char *ep_clock_name(enum ep_clock_kind kind);

/*
 * Finds out which kind of clock works here; called once per process. Ticks come in user mode only, unless with_kernel
 * asks for all. A signal that arrives during a system call makes some calls return less than was asked for (reads of
 * /dev/zero, writes to pipes); the program may show this, as dd does.
 */
enum ep_clock_kind ep_clock_probe(bool with_kernel);

/* Returns the period in ns from which on a mixed clock (scheduler.h) is better than this kind; UINT64_MAX: it is never
 * better. Called once per process. */
uint64_t ep_clock_mixed_from_ns(enum ep_clock_kind kind);

/* Returns the CPU time between two looks for system calls, for threads whose clock is of this kind: at least the
 * scheduler's tick. 0: this kernel's timers would interrupt system calls, or the clock needs no looks. */
uint64_t ep_clock_calls_ns(enum ep_clock_kind kind, uint64_t period_ns);

/* Opens the clock of the calling thread. calls_ns: what ep_clock_calls_ns returned, or 0. Returns 0, or a negative
 * errno if there is no clock. */
int ep_clock_open(
	struct ep_clock *clock, enum ep_clock_kind kind, uint64_t period_ns, uint64_t calls_ns);

/* Tells whether a tick of the timer is a look for system calls. Runs in signal handlers. */
static inline bool ep_clock_looks_for_calls(const struct ep_clock *clock)
{
	return clock->calls_ns && !clock->is_coarse && clock->kind != EP_CLOCK_TIMER;
}

/* Called at every tick, in the clock's thread. At some ticks it sets the next length, which is period_ns on average.
 * For a mixed clock it decides at some ticks which clock serves. cpu_ns: the thread's CPU time. Returns true if it did
 * one of these. */
bool ep_clock_tick(struct ep_clock *clock, uint64_t cpu_ns);

/* Called in place of ep_clock_tick if the signal of a tick did not fit on the stack. Up to its first tick a task-clock
 * has the length of the first slice, which may be so short that such ticks come thousands of times a second: so the
 * usual length is set. */
void ep_clock_lose_tick(struct ep_clock *clock);

/* Tells whether a tick counts as a thread's first one; called until a tick has counted. gone_ns: CPU time since the
 * clock was opened. Runs in signal handlers. */
bool ep_clock_first_tick(struct ep_clock *clock, uint64_t gone_ns);

/* Draws a length within an eighth of the period. chance is the state of the draws. */
uint64_t ep_clock_next_length(uint64_t period_ns, uint64_t *chance);

/* Draws the time before a thread's first tick where lengths vary. The time is a random part of out_length_ns, which is
 * the length of the next slices. The probability of a length is proportional to the length, as if a random moment had
 * fallen into a slice (the length-biased draw of renewal theory). So ticks are equally likely at every moment of the
 * thread's life, from its beginning on. */
uint64_t ep_clock_first_of_varied(uint64_t period_ns, uint64_t *chance, uint64_t *out_length_ns);

void ep_clock_close(struct ep_clock *clock);

/* Forgets the clock in the child of a fork, since the clock belongs to the parent. */
void ep_clock_forget(struct ep_clock *clock);

#endif
