/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of one profiled thread: its clock, counters, call paths and the slices that are in no
 * block yet. Records are mapped once and used again by later threads.
 *
 * Code that works on a record holds its lock: the thread's own signal handler (which only tries: a
 * slice that ends while the lock is taken goes on until the next tick), the thread when it ends, or
 * the thread that ends the process.
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

#define EP_ROWS_BYTES 24576 /* twice so much, the paths and the totals must fit into a member */
#define EP_HANDLER_STACK_BYTES 65536
#define EP_ALTERNATE_STACK_BYTES 32768

/* Slices as rows of varints, to be turned into columns when they are packed. */
struct ep_slice_rows {
	uint32_t n_rows;
	uint32_t size_bytes;
	uint64_t start_us;    /* end of the slice before the first */
	uint64_t first_slice; /* its number */
	uint8_t data[EP_ROWS_BYTES];
};

enum ep_thread_state {
	EP_THREAD_FREE,
	EP_THREAD_STARTING, /* taken, not yet running */
	EP_THREAD_LIVE,
};

struct ep_thread {
	struct ep_thread *next;  /* all records of the process */
	_Atomic int state;       /* enum ep_thread_state */
	_Atomic bool is_at_edge; /* it begins or ends, by system calls that a sandbox may forbid */
	_Atomic int lock;
	uint32_t idx; /* number of this thread in its process: counts up, and is never used again */
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

	/* the slice that is on */
	uint32_t group;
	struct ep_turns turns;
	uint64_t slice_idx;
	uint64_t slice_start_us;     /* wall clock, since the process's birth */
	uint64_t slice_start_cpu_ns; /* the thread's CPU clock, our own time included */
	uint64_t slice_start_ns;     /* the monotonic clock when the slice started */
	uint32_t last_node_idx;
	bool is_schedulers_tick; /* tells what ended the slice, as the next four do */
	bool is_triggers_tick;
	bool is_handlers_end; /* the tick had waited until a handler of the program ended */
	bool is_unticked; /* it has no clock: the user's queue of signals was full when it began */
	bool is_calls_tick;    /* a tick that looked for system calls found one */
	uint32_t n_more_looks; /* such looks that were due before it and did not come */
	struct ep_trigger trigger;
	uint64_t window_start_cpu_ns; /* the last tick by time, or the first slice's start */
	struct ep_region_mark region;
	uint8_t n_trusted; /* slices whose CPU time the monotonic clock may still tell */

	/* cumulative */
	uint64_t start_us;
	uint64_t cpu_ns; /* of the slices */
	uint64_t own_ns;
	uint64_t n_samples, n_lost;

	uint64_t n_switches; /* at the last flush; EP_READY_UNKNOWN: it was another thread's */

	_Atomic uint64_t last_flush_us;
	uint64_t flush_after_us;   /* age at which the rows are written; grows to a second */
	atomic_bool has_news;      /* to be written; other threads read it without the lock */
	bool is_final;             /* the thread has ended */
	atomic_bool forgets_paths; /* the paths begin anew at the next slice */
	uint32_t n_forks;          /* the process's forks at the last slice's end */
	bool is_touched;           /* the pages that ticks write have been touched once */
	uint32_t n_forks_touched;  /* the process's forks then: a fork makes pages copies */

	struct ep_group_sums sums[EP_PLAN_MAX_GROUPS];
	struct ep_counters counters;
	uint64_t counts[EP_PLAN_MAX_SLOTS]; /* cumulative */
	struct ep_slice_rows rows;
	struct ep_tree tree;
	struct ep_stack stack; /* the handler's scratch */
	struct ep_unwind_memory unwind_memory;
	struct ep_wait_now wait_now; /* used, as the next one, where waits are noted */
	struct ep_wait_rows waits;
	struct ep_region_rows regions;
	struct ep_interpreted *interpreted; /* NULL: no tick has met an interpreter */
	uint64_t lost_tick_ip,
		lost_tick_ns; /* where and when the last tick without room was dropped */
	uint32_t n_lost_at_once, n_lost_in_a_row;
	siginfo_t handled_info; /* of a tick that waited for a handler's end, */
	ucontext_t handled;     /* and where that handler begins */
	uint8_t handler_stack[EP_HANDLER_STACK_BYTES] __attribute__((aligned(64)));
	uint8_t alternate_stack[EP_ALTERNATE_STACK_BYTES] __attribute__((aligned(64)));
};

/* The calling thread's record, NULL when it is not profiled. */
extern __thread struct ep_thread *ep_self __attribute__((tls_model("initial-exec")));

/* Notes in ep_hot where ep_self is. It comes before waits are noted. */
static inline void ep_self_find(void)
{
#if defined(__x86_64__)
	char *base;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(base));
	ep_hot.self_at = (char *)&ep_self - base;
#endif
}

/* Returns ep_self by way of ep_hot, which its caller has read already: the global offset table is on another page. */
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

/* Returns the first of all records, for the thread that ends the process. */
struct ep_thread *ep_threads_first(void);

/* Tells whether no other thread is measured. */
bool ep_threads_is_alone(void);

/* Takes a free record and marks it as starting; NULL without memory. Any thread, not in handlers. */
struct ep_thread *ep_thread_acquire(void);
void ep_thread_release(struct ep_thread *thread);

#endif
