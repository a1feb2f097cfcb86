/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's waits that are in no block yet, and the wait that it is in. */
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

/* Sums by call path, kind, lock or name, holder and region. Under the record's lock. */
struct ep_wait_rows {
	uint32_t n_rows, n_names;
	_Atomic uint64_t n_lost;           /* written without the lock as well */
	bool has_regions;                  /* the thread has been in one */
	uint64_t n_lost_appended;          /* those in an appended block: cleared with it */
	uint8_t slots[EP_WAIT_HASH_SLOTS]; /* rows' indexes plus one, 0: free */
	struct ep_wait_sum rows[EP_WAIT_MAX_ROWS];
	struct ep_wait_name names[EP_WAIT_MAX_NAMES]; /* into text */
	size_t text_bytes;
	char text[EP_WAIT_NAMES_BYTES];
	/* The thread's clocks when a wait was last noted or refused: time that it was off its CPU since then is in
	 * no row. */
	uint64_t mark_ns, mark_cpu_ns, mark_sleeps;
	struct ep_wait_choice choice;
	uint64_t passed_told;   /* the part of wait_now.passed that the choice was told of */
	uint64_t looked_cpu_ns; /* the CPU time at the last look at a call */
	/* By kind: the CPU time from which calls are paid; the calls of the rest that is on; looks without a rest; and
	 * how many calls were not looked at: written without the lock. */
	uint64_t paid_cpu_ns[EP_N_WAIT_KINDS];
	int16_t rest_calls[EP_N_WAIT_KINDS];
	uint16_t watched_looks[EP_N_WAIT_KINDS];
	_Atomic uint64_t n_unseen[EP_N_WAIT_KINDS];
	/* Its last waits, one after the other, for those that it kept waiting; an end of 0: none, a node of
	 * 0: it is not noted. The oldest may be written without the lock. n_passed: of wait_now, by then. */
	_Atomic uint32_t next_last;
	struct ep_wait_last {
		uint32_t node_idx;
		uint8_t kind;
		uint32_t n_passed;
		uint64_t object;
		uint64_t start_ns, end_ns;
	} last[EP_WAIT_N_LAST];
};

/* The call that the thread is in, and those that it passed over: all that such a call touches, side by side,
 * since a server comes to each with cold caches. The thread writes it without the lock; the thread that ends the
 * process reads it, and one that was kept waiting. */
struct ep_wait_now {
	_Atomic uint32_t kind; /* 0: none */
	int fd;
	uint32_t n_passed;
	int owner;      /* tid */
	uint64_t start; /* a stamp */
	uint64_t object;
	/* The time of all calls that were passed over, in stamps, and how far it may grow without a look. */
	uint64_t passed, passed_most;
	uint64_t last_start, last_end, last_object; /* of the last of them */
	struct ep_nonblocking_turn turn;
	/* By kind: how many calls that come back soon are looked at yet; below 0: so many are not. */
	int16_t left[EP_N_WAIT_KINDS];
	bool rests; /* some of them may be below 0 */
	_Atomic bool
		is_looking; /* the thread makes system calls of ours without the record's lock */
	struct ep_here here;
	uint64_t passed_marked; /* passed at the last look, */
	uint64_t passed_slice;  /* and at the start of the slice */
} __attribute__((aligned(64)));

/* Names the lock at an address; 0: the wait was for no lock. */
void ep_wait_sum_set_object(struct ep_wait_sum *sum, uint64_t address, uint64_t now_us);

/* Empties the rows. Lost waits stay counted until they are in a block. */
void ep_wait_rows_clear(struct ep_wait_rows *waits);

/* Forgets the nodes of the last waits, which mean other paths once the paths begin anew. */
void ep_wait_rows_forget_last(struct ep_wait_rows *waits);

/* Finds or adds a name; its number plus one, 0 where there is no room for it. */
uint32_t ep_wait_rows_name(struct ep_wait_rows *waits, const char *text, size_t size);

/* Adds n_waits, off_ns and longest_ns to those of the same call path, kind, thing, holder and region; waits
 * without room are counted as lost. */
void ep_wait_rows_add(struct ep_wait_rows *waits, const struct ep_wait_sum *sum);

static inline bool ep_wait_rows_are_full(const struct ep_wait_rows *waits)
{
	return waits->n_rows == EP_WAIT_MAX_ROWS;
}

/* Makes a sum without time, by kind, of the calls that were not looked at. They stay counted where there is no
 * room. */
void ep_wait_rows_add_unseen(struct ep_wait_rows *waits);

/* Appends a WAITS block, behind one with the sums' regions where there are any, or nothing where there is nothing
 * to say. */
void ep_wait_rows_append(struct ep_wait_rows *waits, uint32_t thread_idx, uint32_t epoch,
	struct ep_process_key key, struct ep_wire *wire);

#endif
