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
	bool filler_is_asked; /* the user named it: a file whose counts are filled already is refused */
	void *filler_context; /* is handed to the filler with its events */
	/* Is this thread (in the order of their first blocks) wanted? NULL: all are. Samples of
	 * others are left out. */
	bool (*wants)(void *context, const struct ep_trace *trace, uint32_t thread_idx);
	/* Every whole block, known or not, before anything is made of it. May be NULL. */
	void (*see_block)(void *context, const struct ep_block *block);
	/* Every block that made sense, behind what was made of it. May be NULL. */
	void (*keep_block)(void *context, const struct ep_block *block);
	void *context; /* the first argument of these, and of progress */
	/* Numbers for the places that a path's innermost frame is, the same for the same place:
	 * asked for once for each path that slices end in; EP_NONE of a kind that is not wanted.
	 * NULL: what is mixed is not looked for. 0 or -ENOMEM. */
	int (*name_places)(void *namer, struct ep_trace *trace, uint32_t path_idx,
		uint32_t out_places[EP_N_PLACE_KINDS]);
	/* The trace that was named so far is let go, and is read once more. */
	void (*forget_names)(void *namer);
	void *namer;
	bool skip_samples; /* threads, processes and totals only */
	/* Each thread has call paths of its own, its time without one among them: sums of paths are
	 * those of a thread then. */
	bool by_thread;
	/* Each time that a path gets; 0, or a negative errno with which loading ends. What is left
	 * out of the sums at last, because a host had the CPU, is in it. NULL: nothing is to be
	 * seen. */
	int (*see_time)(void *seer, const struct ep_seen_time *time);
	/* Each time on which a sum of waits or of a region is laid; of the same seer. NULL: nothing
	 * is to be seen. */
	int (*see_sum)(void *seer, const struct ep_seen_sum *sum);
	/* Nothing of what was seen counts: the trace is let go, and is read once more. NULL: as
	 * forget_names does. */
	void (*forget_seen)(void *seer);
	void *seer;
	bool times_are_optional; /* a file without slices shows none, in place of being refused */
	bool process_timelines;  /* a timeline with counts of each process */
	bool keeps_changes;      /* the run's timeline has changes by replica */
	bool needs_slices;       /* sums in their place do not do */
	bool needs_instructions; /* of callgrind's costs, each one's: for loops */
	/* Is called for each recorded file, behind its last block: reading stops where it returns a
	 * negative errno. Its processes, threads, rank costs and waits are let go then, and the
	 * trace's sums remain as they are before all is weighed. NULL: all remain. */
	int (*end_file)(void *context, struct ep_trace *trace, const struct ep_reader_stats *stats);
	/* A note of a reduced file: true keeps it from the trace's notes. NULL: all become the trace's. */
	bool (*take_note)(void *context, const char *text, size_t size);
	/* Is called before each file is opened, which may have to be made first: 0, 1 where it is
	 * to be left out, or a negative errno with which reading ends. NULL: all are there. */
	int (*await_file)(void *context, struct ep_error *err);
	/* A file cannot be read, as the error says: true goes on with the next. NULL: reading stops. */
	bool (*skip_file)(void *context, const char *path, const struct ep_error *err);
	/* Moments are on the clock of this process. NULL: on that of the first file's. */
	const struct ep_clock_origin *origin;
	/* Slices that end in it are taken; to_ns 0: all. */
	uint64_t from_ns, to_ns;
	const char *region; /* and of them those that end in a region of this name; NULL: all */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
	/* The number of threads that read, the caller's included: the others inflate ahead. 0: as
	 * the CPUs allow. They change no digit. */
	uint32_t n_threads;
};

#endif
