/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's waits that are in no block yet, and its open wait. */
#ifndef EVPROF_PRELOAD_THREAD_WAIT_ROWS_H
#define EVPROF_PRELOAD_THREAD_WAIT_ROWS_H

#include "common/trace.h"

#include "nonblocking.h"
#include "preload/unwind/here.h"
#include "wait_choice.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_WAIT_MAX_ROWS 120
#define EP_WAIT_HASH_SLOTS 256
#define EP_WAIT_NAMES_BYTES 2048
#define EP_WAIT_N_LAST 16

/* Sums of waits by call path, kind, lock or name, holder and region. Used under the record's lock. */
struct ep_wait_rows {
	uint32_t n_rows, n_names;
	/* the number of waits that could not be noted; also changed without the lock */
	_Atomic uint64_t n_lost;
	bool has_regions; /* the thread has been in a region */
	/* the lost waits in the appended block; subtracted when it is written */
	uint64_t n_lost_appended;
	uint8_t slots[EP_WAIT_HASH_SLOTS]; /* indexes of rows plus one; 0: the slot is free */
	struct ep_wait_sum rows[EP_WAIT_MAX_ROWS];
	struct ep_wait_name names[EP_WAIT_MAX_NAMES]; /* the bytes of these names are in text */
	size_t text_bytes;
	char text[EP_WAIT_NAMES_BYTES];
	/* CLOCK_MONOTONIC, the thread's CPU time and its number of sleeps when a call was last looked at: the time that
	 * the thread was off its CPU since then is in no row. */
	uint64_t mark_ns, mark_cpu_ns, mark_sleeps;
	struct ep_wait_choice choice;
	uint64_t passed_told;   /* the part of wait_now.passed that was reported to the choice */
	uint64_t looked_cpu_ns; /* the CPU time at the last look at a call */
	/* For each kind (wait_rests.c): the CPU time when the cost of looks was last compared with it; the calls of the
	 * present rest; how many more periods of calls have no rest; and the number of calls in rests that ended, which
	 * were not looked at. n_unseen is changed without the lock. */
	uint64_t paid_cpu_ns[EP_N_WAIT_KINDS];
	int16_t rest_calls[EP_N_WAIT_KINDS];
	uint16_t watched_looks[EP_N_WAIT_KINDS];
	_Atomic uint64_t n_unseen[EP_N_WAIT_KINDS];
	/* The last waits in their order, for threads that waited for this thread meanwhile. next_last: the number of
	 * waits so far. end_ns 0: the entry is empty; node_idx 0: the wait is not noted. The oldest entry may be
	 * overwritten without the lock. n_passed: the value of wait_now.n_passed when the entry was written. */
	_Atomic uint32_t next_last;
	struct ep_wait_last {
		uint32_t node_idx;
		uint8_t kind;
		uint32_t n_passed;
		uint64_t object;
		uint64_t start_ns, end_ns;
	} last[EP_WAIT_N_LAST];
};

/* The open wait, and the calls that were passed over (long calls that were not noted). All fields that a call uses
 * which is passed over are side by side, since a server makes each call with cold caches. The thread writes the fields
 * without the lock. The thread that ends the process, and a thread that waited for this thread, read them. */
struct ep_wait_now {
	_Atomic uint32_t kind; /* 0: no wait is open */
	int fd;
	uint32_t n_passed;
	int owner;      /* the tid of the lock's holder */
	uint64_t start; /* the beginning of the wait, as a stamp */
	uint64_t object;
	/* The time of all calls that were passed over, in stamps, and the value up to which it may grow without
	 * a look. */
	uint64_t passed, passed_most;
	uint64_t last_start, last_end, last_object; /* the last call that was passed over */
	struct ep_nonblocking_turn turn;
	/* For each kind: how many more calls that return soon are looked at; below 0: how many calls are not
	 * (a rest). */
	int16_t left[EP_N_WAIT_KINDS];
	bool rests; /* some values of left may be below 0 */
	_Atomic bool
		is_looking; /* the thread makes system calls of evprof without the record's lock */
	struct ep_here here;
	uint64_t passed_marked; /* the value of passed at the last look */
	uint64_t passed_slice;  /* the value of passed at the start of the slice */
} __attribute__((aligned(64)));

/* Sets the lock of a sum. address 0: the wait was for no lock. */
void ep_wait_sum_set_object(struct ep_wait_sum *sum, uint64_t address, uint64_t now_us);

/* Empties the rows. Lost waits stay counted until they are in a block. */
void ep_wait_rows_clear(struct ep_wait_rows *waits);

/* Forgets the last waits. Called when the tree was emptied, since the numbers of their nodes mean other paths then. */
void ep_wait_rows_forget_last(struct ep_wait_rows *waits);

/* Finds or adds a name. Returns its index plus one; 0: the name is empty, or there is no room for it. */
uint32_t ep_wait_rows_name(struct ep_wait_rows *waits, const char *text, size_t size);

/* Adds n_waits, off_ns and longest_ns to the row of the same call path, kind, lock or name, holder and region. If there
 * is no room for a new row, the waits are counted as lost. */
void ep_wait_rows_add(struct ep_wait_rows *waits, const struct ep_wait_sum *sum);

static inline bool ep_wait_rows_are_full(const struct ep_wait_rows *waits)
{
	return waits->n_rows == EP_WAIT_MAX_ROWS;
}

/* Adds a row without time for each kind with calls that were not looked at. Where there is no room for a row, the calls
 * stay counted in n_unseen. */
void ep_wait_rows_add_unseen(struct ep_wait_rows *waits);

/* Appends a WAITS block, or nothing where there is nothing to write. If the thread has been in a region, a block with
 * the regions of the sums is appended before the WAITS block. */
void ep_wait_rows_append(struct ep_wait_rows *waits, uint32_t thread_idx, uint32_t epoch,
	struct ep_process_key key, struct ep_wire *wire);

#endif
