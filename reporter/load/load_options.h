/* SPDX-License-Identifier: BSD-3-Clause */
/* How traces are loaded, and what the caller may see of each slice. */
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

/* Time that came to a path, in the order of the thread's slices: that of a slice, or its part in the
 * kernel. */
struct ep_seen_time {
	uint32_t thread_idx, path_idx;
	uint64_t end_us;  /* of the slice, since the process's birth */
	uint64_t wall_us; /* of the slice; 0 of its part in the kernel, which comes before it */
	uint64_t cpu_us;
	uint32_t region_idx; /* that the slice ended in; EP_NONE: in none */
	const struct ep_trace *trace;
	bool is_sample; /* counts as one: it has a place by more than time before or behind it */
	/* (n_events) counts of the slice and their state, enum ep_value_state, each with the trace's
	 * index of its event; n_events 0 where they are not the slice's own. Good during the call. */
	const double *values;
	const uint8_t *state;
	const uint32_t *event_idx;
	uint32_t n_events;
	/* (n_events) what the counters themselves counted, where state says it was measured: values
	 * adds what is supposed of the time in which another user had them. */
	const uint64_t *counted;
};

struct ep_load_options {
	const struct ep_filler_ops *filler;
	/* the user named the filler: a file whose counts are filled already is refused */
	bool filler_is_asked;
	void *filler_context; /* passed to the filler with its events */
	/* Tells whether a thread is wanted; NULL: all are. thread_idx follows the order of the
	 * threads' first blocks. Samples of other threads are left out. */
	bool (*wants)(void *context, const struct ep_trace *trace, uint32_t thread_idx);
	/* Is called for every whole block, known or not, before it is decoded. May be NULL. */
	void (*see_block)(void *context, const struct ep_block *block);
	/* Is called for every block that could be decoded, after its content was taken. May be
	 * NULL. */
	void (*keep_block)(void *context, const struct ep_block *block);
	void *context; /* the first argument of the functions above, and of progress */
	/* Returns numbers for the places at which a path's innermost frame is, the same number for
	 * the same place; EP_NONE for a kind of place that is not wanted. Is called once for each
	 * path in which slices end. NULL: whether counts are mixed is not determined. Returns 0 or
	 * -ENOMEM. */
	int (*name_places)(void *namer, struct ep_trace *trace, uint32_t path_idx,
		uint32_t out_places[EP_N_PLACE_KINDS]);
	/* Forgets the names given so far: the trace is freed and is read once more. */
	void (*forget_names)(void *namer);
	void *namer;
	bool skip_samples; /* loads threads, processes and totals only */
	/* Gives each thread call paths of its own, and a path for its time without one, so that
	 * sums of paths are sums of one thread. */
	bool by_thread;
	/* Is called for each time that is added to a path; a negative return value ends loading. It
	 * includes time that is left out of the sums at the end because a host had the CPU. NULL:
	 * not called. */
	int (*see_time)(void *seer, const struct ep_seen_time *time);
	/* Is called for each slice over which a sum of waits or of a region is distributed. NULL:
	 * not called. */
	int (*see_sum)(void *seer, const struct ep_seen_sum *sum);
	/* Forgets all that was seen: the trace is freed and is read once more. NULL: does what
	 * forget_names does. */
	void (*forget_seen)(void *seer);
	void *seer;
	/* shows no times for a file without slices, which is refused otherwise */
	bool times_are_optional;
	bool process_timelines;  /* makes a timeline with counts for each process */
	bool keeps_changes;      /* the run's timeline has the changes by replicas */
	bool needs_slices;       /* refuses files that have sums in place of slices */
	bool needs_instructions; /* keeps callgrind's costs of each instruction, which loops need */
	/* Is called for each recorded file after its last block; a negative return value ends
	 * reading. Afterwards the file's processes, threads, rank costs and waits are freed, and
	 * the trace's sums stay as they are before weighing. NULL: everything is kept. */
	int (*end_file)(void *context, struct ep_trace *trace, const struct ep_reader_stats *stats);
	/* Takes a note of a reduced file; true keeps it out of the trace's notes. NULL: all become
	 * notes of the trace. */
	bool (*take_note)(void *context, const char *text, size_t size);
	/* Is called before each file is opened, since the file may have to be made first. Returns
	 * 0, 1 where the file is to be left out, or a negative errno that ends reading. NULL: all
	 * files are there. */
	int (*await_file)(void *context, struct ep_error *err);
	/* Decides about a file that cannot be read, as err says: true goes on with the next one.
	 * NULL: reading stops. */
	bool (*skip_file)(void *context, const char *path, const struct ep_error *err);
	/* Times are on the clock of this process. NULL: on the clock of the first file's
	 * process. */
	const struct ep_clock_origin *origin;
	/* Takes slices that end between the two; to_ns 0: all. */
	uint64_t from_ns, to_ns;
	const char *region; /* takes only slices that end in a region of this name; NULL: all */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
	/* The number of threads that read, the caller included; the others inflate ahead. 0: by the
	 * number of CPUs. The result does not depend on it. */
	uint32_t n_threads;
};

#endif
