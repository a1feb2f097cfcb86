/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of loading traces, and the functions by which the caller may see each slice. */
#ifndef EVPROF_REPORTER_LOAD_LOAD_OPTIONS_H
#define EVPROF_REPORTER_LOAD_LOAD_OPTIONS_H

#include "common/error.h"
#include "common/trace.h"
#include "reporter/load/reader.h"
#include "reporter/load/sums.h"

struct ep_clock_origin;
struct ep_filler_ops;
struct ep_seen_sum;
struct ep_trace;

/* Time that was added to a path, in the order of the thread's slices: the time of a slice, or the slice's
 * part that passed in the kernel. */
struct ep_seen_time {
	uint32_t thread_idx, path_idx;
	uint64_t end_us; /* the end of the slice, since the process's birth */
	/* wall time of the slice; 0 for its part in the kernel, which is seen before the slice */
	uint64_t wall_us;
	uint64_t cpu_us;
	uint32_t region_idx; /* the region that the slice ended in; EP_NONE: none */
	const struct ep_trace *trace;
	bool is_sample; /* the time counts as a sample */
	/* (n_events) counts of the slice, their state (enum ep_value_state), and each event's index in the
	 * trace; n_events is 0 for the part in the kernel, which has no counts. Valid during the call only. */
	const double *values;
	const uint8_t *state;
	const uint32_t *event_idx;
	uint32_t n_events;
	/* (n_events) the counts of the counters themselves, where state says that the event was measured.
	 * values adds an estimate for the time in which another user had the counters. */
	const uint64_t *counted;
};

struct ep_load_options {
	const struct ep_filler_ops *filler;
	/* the user named the filler, so that a file whose counts are filled already is refused */
	bool filler_is_asked;
	void *filler_context; /* passed to the filler with its events */
	/* Tells whether a thread is wanted; NULL: all are. thread_idx follows the order of the threads' first
	 * blocks. Samples of unwanted threads are left out. */
	bool (*wants)(void *context, const struct ep_trace *trace, uint32_t thread_idx);
	/* Called for every complete block, of a known type or not, before it is decoded. May be NULL. */
	void (*see_block)(void *context, const struct ep_block *block);
	/* Called for every block that could be decoded, after its content was taken. May be NULL. */
	void (*keep_block)(void *context, const struct ep_block *block);
	/* the first argument of the functions above, and of those below that get neither namer nor seer */
	void *context;
	/* Finds numbers of the places in which a path's innermost frame is: the same number for the same
	 * place, EP_NONE for a kind of place that is not wanted. Called once for each path in which slices
	 * end. NULL: it is not determined whether counts are mixed. Returns 0 or -ENOMEM. */
	int (*name_places)(void *namer, struct ep_trace *trace, uint32_t path_idx,
		uint32_t out_places[EP_N_PLACE_KINDS]);
	/* Forgets the numbers that name_places gave. Called before the trace is read a second time. */
	void (*forget_names)(void *namer);
	void *namer;
	bool skip_samples; /* only threads, processes and totals are loaded */
	/* Gives each thread call paths of its own, and a lost path of its own, so that the sums of a path are
	 * those of one thread. */
	bool by_thread;
	/* Called for the times that are added to paths, several of one thread at once; a negative return
	 * value ends loading. Some of these times are left out of the sums at the end, because a
	 * hypervisor's host had the CPU. NULL: not called. */
	int (*see_times)(void *seer, const struct ep_seen_time *times, uint32_t n_times);
	/* Called for each slice over which a sum of waits or of a region is distributed. NULL: not called. */
	int (*see_sum)(void *seer, const struct ep_seen_sum *sum);
	/* Forgets everything that was seen. Called before the trace is read a second time. NULL: not called. */
	void (*forget_seen)(void *seer);
	void *seer;
	/* reduced files are accepted although they have no slices for see_times; otherwise they are refused */
	bool times_are_optional;
	bool process_timelines; /* makes a timeline with counts for each process */
	bool keeps_changes; /* the run's timeline gets the changes of its counts in each replica */
	bool needs_slices;  /* files that have sums in place of slices are refused */
	/* callgrind's costs are kept for each instruction, which loops need */
	bool needs_instructions;
	/* Called for each recorded file after its last block; a negative return value ends reading.
	 * Afterwards the file's processes, threads, rank costs and waits are freed; the trace's sums stay,
	 * but are not weighed (ep_trace_weigh). NULL: everything is kept. */
	int (*end_file)(void *context, struct ep_trace *trace, const struct ep_reader_stats *stats);
	/* Takes a note of a reduced file; true: the note is kept out of the trace's notes. NULL: all notes go
	 * to the trace. */
	bool (*take_note)(void *context, const char *text, size_t size);
	/* Called before each file is opened, since the file may have to be made first. Returns 0, 1 where the
	 * file is left out, or a negative errno that ends reading. NULL: all files exist. */
	int (*await_file)(void *context, struct ep_error *err);
	/* Decides about a file that cannot be read, for the reason in err: true goes on with the next file.
	 * NULL: reading stops. */
	bool (*skip_file)(void *context, const char *path, const struct ep_error *err);
	/* The clock on which times are given. NULL: the clock of the first file's first process. */
	const struct ep_clock_origin *origin;
	/* Only slices that end between these two times, on the trace's clock, are taken; to_ns 0: all
	 * slices. */
	uint64_t from_ns, to_ns;
	/* only slices that end in a region of this name are taken; NULL: all */
	const char *region;
	void (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
	/* The number of threads that read, the caller included; the other threads inflate ahead. 0: two, or
	 * one where the process may use one CPU only. The result does not depend on n_threads. */
	uint32_t n_threads;
};

#endif
