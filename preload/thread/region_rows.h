/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions of a thread (include/evprof.h): the regions that the thread is in, the sums of each region, and the data
 * that is in no block yet. The thread itself enters and leaves regions without the record's lock, since a signal
 * handler of the program may interrupt it, enter regions itself and leave by longjmp. Ticks, and the thread that ends
 * the process, read the rows under the lock meanwhile; at worst they miss the region that is just being left.
 */
#ifndef EVPROF_PRELOAD_THREAD_REGION_ROWS_H
#define EVPROF_PRELOAD_THREAD_REGION_ROWS_H

#include "common/trace_regions.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_REGION_NAME_BYTES 63 /* longer names are cut */
#define EP_REGION_TEXT_BYTES 8192
#define EP_REGION_SLOTS 512
#define EP_REGION_CHANGES_BYTES 2048

/* Fields that each slice reads. */
struct ep_region_mark {
	_Atomic uint32_t node; /* the innermost region that the thread is in; 0: none */
	uint32_t noted_node;   /* the node at the last slice */
	atomic_bool is_used;   /* the thread has entered or left a region */
};

struct ep_region_rows {
	/* The regions that the thread is in, outermost first. depth counts also those deeper than EP_REGION_MAX_DEPTH,
	 * which have no level. */
	_Atomic uint32_t depth;
	struct ep_region_level {
		uint64_t hash; /* the hash of the name */
		uint64_t start_ns;
		uint32_t node;    /* the region's node, or that of the region around it */
		uint8_t is_noted; /* true: the node is the region's own */
	} levels[EP_REGION_MAX_DEPTH];
	/* The number of a node is its index in nodes plus one; 0 means no node. */
	_Atomic uint32_t n_nodes;
	atomic_bool is_adding;
	struct ep_region_row {
		uint64_t hash;
		uint32_t parent;
		uint16_t name_at, name_size; /* the position of the name in text */
		_Atomic uint64_t n_entries, wall_ns;
	} nodes[EP_REGION_MAX_NODES];
	uint8_t slots[EP_REGION_SLOTS]; /* nodes by hash and parent; 0: free */
	uint32_t text_bytes;
	char text[EP_REGION_TEXT_BYTES];
	_Atomic uint64_t n_lost, n_unmatched, n_left;
	/* Slices at which the node changed: varints of the number of slices since the last change, and of the node. */
	uint32_t n_changes, changes_bytes;
	uint64_t last_slice;
	uint8_t changes[EP_REGION_CHANGES_BYTES];
	/* The number of nodes that have been written, and this number once the appended block is written. */
	uint32_t n_nodes_sent, n_nodes_appended;
	uint32_t n_open_sent;
	uint64_t n_calls_sent;
};

/* Enters a region, in the thread itself. name has at least one character. */
void ep_region_begin(struct ep_region_mark *mark, struct ep_region_rows *rows, const char *name,
	uint64_t now_ns);
/* Ends the innermost region of this name, and those inside it. */
void ep_region_end(struct ep_region_mark *mark, struct ep_region_rows *rows, const char *name,
	uint64_t now_ns);

/* Tells whether the thread has changed its region since the last slice. Called under the record's lock. */
static inline bool ep_region_has_changed(const struct ep_region_mark *mark)
{
	return atomic_load_explicit(&mark->node, memory_order_relaxed) != mark->noted_node;
}
void ep_region_rows_note(
	struct ep_region_mark *mark, struct ep_region_rows *rows, uint64_t slice_idx);
bool ep_region_rows_are_full(const struct ep_region_mark *mark, const struct ep_region_rows *rows);

/* Appends a REGIONS block, or nothing where nothing is new. The REGIONS block comes before the block of the slices. */
void ep_region_rows_append(const struct ep_region_mark *mark, struct ep_region_rows *rows,
	uint32_t thread_idx, struct ep_process_key key, struct ep_wire *wire);
/* Notes that the appended blocks are written. */
void ep_region_rows_sent(const struct ep_region_mark *mark, struct ep_region_rows *rows);

/* Empties the rows for the record's next thread. */
void ep_region_rows_clear(struct ep_region_mark *mark, struct ep_region_rows *rows);
/* Prepares the rows in the child of a fork. The child is in the same regions as the thread that forked, and counts
 * their entries and time from now on. */
void ep_region_rows_after_fork(
	struct ep_region_mark *mark, struct ep_region_rows *rows, uint64_t now_ns);

#endif
