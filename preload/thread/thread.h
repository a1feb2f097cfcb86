/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of one profiled thread: its clock, counters, call paths and the slices that are in no block yet. Records
 * are mapped once and used again by later threads.
 *
 * Code that works on a record holds its lock. Such code runs in the thread (in the tick's handler, after a wait, at its
 * end), or in another thread that writes the record or looks for the holder of a lock. The handler only tries the lock:
 * a slice whose tick finds the lock taken goes on until the next tick.
 */
#ifndef EVPROF_PRELOAD_THREAD_THREAD_H
#define EVPROF_PRELOAD_THREAD_THREAD_H

#include "common/trace.h"

#include "counters/sources/source.h"
#include "preload/interpreter/merge.h"
#include "preload/recording/clock.h"
#include "preload/recording/hot.h"
#include "preload/recording/trigger.h"
#include "preload/recording/turns.h"
#include "preload/unwind/unwind.h"
#include "ready.h"
#include "region_rows.h"
#include "tree.h"
#include "wait_rows.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define EP_ROWS_BYTES 24576 /* a gzip member has room for twice as much, and for paths and totals */
#define EP_HANDLER_STACK_BYTES 65536
#define EP_ALTERNATE_STACK_BYTES 32768

/* Slices as rows of varints, which are turned into columns when a block is packed. */
struct ep_slice_rows {
	uint32_t n_rows;
	uint32_t size_bytes;
	uint64_t start_us;    /* start of the first slice; wall time since the process's birth */
	uint64_t first_slice; /* the number of the first slice */
	uint8_t data[EP_ROWS_BYTES];
};

enum ep_thread_state {
	EP_THREAD_FREE,
	EP_THREAD_STARTING, /* the record is taken; its thread does not run yet */
	EP_THREAD_LIVE,
};

struct ep_thread {
	struct ep_thread *next; /* the next record of the process */
	_Atomic int state;      /* a value of enum ep_thread_state */
	/* the thread is beginning or ending; evprof makes system calls then that a sandbox may forbid */
	_Atomic bool is_at_edge;
	_Atomic int lock;
	/* number of this thread in its process; numbers count up and are never reused */
	uint32_t idx;
	int tid;
	int n_destructor_rounds;
	char name[16];
	void *(*start_routine)(void *);
	int (*start_routine_c11)(void *);
	void *start_argument;
	uint64_t stack_bytes;
	struct ep_stack_bounds bounds;
	struct ep_clock clock;
	struct ep_ready ready;

	/* the group that the present slice counts */
	uint32_t group;
	struct ep_turns turns;
	uint64_t slice_idx;
	uint64_t slice_start_us;     /* wall time since the process's birth */
	uint64_t slice_start_cpu_ns; /* the thread's CPU clock, evprof's own time included */
	uint64_t slice_start_ns;     /* CLOCK_MONOTONIC when the slice started */
	uint32_t last_node_idx;
	/* all members from is_schedulers_tick to is_faults_tick but is_unticked tell what ended the slice */
	bool is_schedulers_tick;
	bool is_triggers_tick;
	bool is_handlers_end; /* the tick was held back until a handler of the program ended */
	/* the thread has no timer: the user's queue of signals was full when it began */
	bool is_unticked;
	bool is_calls_tick;  /* a tick that looks for system calls found one, or a page fault */
	bool is_faults_tick; /* where is_calls_tick: the tick found a page fault */
	/* where is_calls_tick: ticks that look for system calls that were due before this tick and did not come */
	uint32_t n_more_looks;
	struct ep_trigger trigger;
	/* CPU time at the last tick by time, or at the first slice's start */
	uint64_t window_start_cpu_ns;
	struct ep_region_mark region;
	uint8_t n_trusted; /* next slices whose CPU time CLOCK_MONOTONIC may give, without the kernel */

	/* start_us is the thread's start (wall time since the process's birth); cpu_ns to n_lost are sums since then */
	uint64_t start_us;
	uint64_t cpu_ns; /* the CPU time of all slices */
	uint64_t own_ns;
	uint64_t n_samples, n_lost;

	/* the thread's context switches at the last flush; EP_READY_UNKNOWN: another thread wrote the record */
	uint64_t n_switches;

	_Atomic uint64_t last_flush_us;
	/* time after the last write at which the rows are written again; it grows to nearly a second */
	uint64_t flush_after_us;
	/* there is something to write; other threads read this without the lock */
	atomic_bool has_news;
	bool is_final;             /* the record is written for the last time: no slices follow */
	atomic_bool forgets_paths; /* the tree of paths is emptied before the next slice */
	uint32_t n_forks;          /* how often the process had forked at the last slice's end */
	bool is_touched;           /* the pages that ticks write have been touched once */
	/* the process's forks when the pages were touched: after a fork, a write copies a page */
	uint32_t n_forks_touched;

	struct ep_group_sums sums[EP_PLAN_MAX_GROUPS];
	struct ep_counters counters;
	uint64_t counts[EP_PLAN_MAX_SLOTS]; /* cumulative counts */
	struct ep_slice_rows rows;
	struct ep_tree tree;
	struct ep_stack stack; /* room in which the handler builds a stack */
	struct ep_unwind_memory unwind_memory;
	struct ep_wait_now wait_now; /* wait_now and waits are used only if waits are noted */
	struct ep_wait_rows waits;
	struct ep_region_rows regions;
	struct ep_interpreted *interpreted; /* NULL: no tick has met an interpreter yet */
	uint64_t lost_tick_ip,
		lost_tick_ns; /* place and time of the last tick for which the stack had no room */
	uint32_t n_lost_at_once, n_lost_in_a_row;
	/* the siginfo of a tick that was held back until a handler ended */
	siginfo_t handled_info;
	ucontext_t handled; /* the context at the begin of that handler */
	uint8_t handler_stack[EP_HANDLER_STACK_BYTES] __attribute__((aligned(64)));
	uint8_t alternate_stack[EP_ALTERNATE_STACK_BYTES] __attribute__((aligned(64)));
};

/* The calling thread's record; NULL where it is not profiled. */
extern __thread struct ep_thread *ep_self __attribute__((tls_model("initial-exec")));

/* Notes in ep_hot where ep_self is. Must be called before the first wait is noted. */
static inline void ep_self_find(void)
{
#if defined(__x86_64__)
	char *base;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(base));
	ep_hot.self_at = (char *)&ep_self - base;
#endif
}

/* Returns ep_self by its offset in ep_hot, a page which the caller has read already. The compiler's usual code would
 * read the global offset table, whose page is needed for nothing else. */
static inline __attribute__((always_inline)) struct ep_thread *ep_self_by_hot(void)
{
#if defined(__x86_64__)
	struct ep_thread *self;

	__asm__ volatile("mov %%fs:(%1), %0" : "=r"(self) : "r"(ep_hot.self_at));
	return self;
#else
	return ep_self;
#endif
}

/* Returns the first of all records; the thread that ends the process visits them from there. */
struct ep_thread *ep_threads_first(void);

/* Tells whether no other thread is profiled. */
bool ep_threads_is_alone(void);

/* Takes a free record and marks it as starting. Returns NULL if there is no memory. Called in any thread, but not in
 * signal handlers. */
struct ep_thread *ep_thread_acquire(void);
void ep_thread_release(struct ep_thread *thread);

#endif
