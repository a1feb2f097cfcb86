/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the loader's files share. Functions return 0 or -ENOMEM unless their comment says
 * otherwise. */
#ifndef EVPROF_REPORTER_LOAD_LOADER_H
#define EVPROF_REPORTER_LOAD_LOADER_H

#include "reporter/load/load.h"
#include "reporter/load/path_rows.h"

/* The processes whose costs from callgrind are used, found in a first reading of the trace: the samples of a
 * process count differently if it has costs, and a file has the costs after the samples. */
struct exact_keys {
	struct ep_process_key *keys;
	uint32_t n_keys, capacity;
};

/* A callgrind file that is being read. */
struct open_costs {
	uint32_t process_idx, file;
	struct ep_costs_reader *reader;
};

struct loader {
	struct ep_trace *trace;
	const struct ep_load_options *options;
	const struct exact_keys *exact; /* NULL: this is the first reading */
	struct open_costs *open_costs;
	uint32_t n_open_costs, open_costs_capacity;
	struct ep_ahead *ahead; /* threads that read ahead; NULL: there are none */
	/* the reduced file that is being read; NULL: the file is a recorded one */
	struct ep_reduced_input *reduced;
	const char *refusal;           /* the reason why a file cannot be read; NULL: it can */
	size_t n_filler_bytes;         /* bytes that the states of all fillers hold together */
	struct ep_path_rows path_rows; /* rows of the batch being added */
};

/* ---- exact.c ---- */
int ep_costs_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block);
/* Finds the processes whose costs are used; out_absence tells why existing costs are not used. */
int ep_exact_keys_find(
	const struct ep_trace *trace, struct exact_keys *out, enum ep_costs_absence *out_absence);
bool ep_exact_keys_have(const struct exact_keys *keys, struct ep_process_key key);
/* Adds the events and modules that callgrind knows, and converts the samples' time to cycles, callgrind's
 * unit. Called after all is read. */
int ep_exact_finish(struct loader *loader);
/* Adds callgrind's costs to the sums of the events. */
void ep_exact_add_sums(struct ep_trace *trace);

/* ---- process.c ---- */
int ep_trace_process_find_or_add(
	struct ep_trace *trace, struct ep_process_key key, uint32_t *out_idx);
int ep_trace_process_take_meta(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block);
void ep_trace_process_finish(struct ep_trace_process *process);
/* Returns the number of ns that is added, modulo 2^64, to a moment on other's clock to get the same moment on
 * origin's clock. The clocks of two machines started at different times; the difference is found by the time
 * of day. */
uint64_t ep_clock_shift(const struct ep_clock_origin *origin, const struct ep_clock_origin *other);
int ep_event_add(struct ep_trace *trace, const struct ep_event_info *event, uint32_t *out_idx);
int ep_note_add(struct ep_trace *trace, const char *text, size_t size, bool is_of_start);

/* ---- thread.c ---- */
int ep_trace_thread_find_or_add(
	struct loader *loader, uint32_t process_idx, uint32_t number, uint32_t *out_idx);
int ep_trace_thread_take_totals(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block);
int ep_trace_thread_take_ready(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block);
int ep_trace_thread_take_stacks(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block);
void ep_trace_thread_finish(struct ep_trace_thread *thread);

/* ---- regions.c ---- */
int ep_trace_take_regions(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block);
/* Finds the row with the region's name and parent, or adds it; EP_NONE: the table is full. 0 or -ENOMEM. */
int ep_region_find_or_add(
	struct ep_trace *trace, struct ep_region *region, uint32_t *out_idx) EP_MUST_CHECK;
/* Adds a slice to the region that it ended in. */
void ep_region_add_slice(struct ep_trace *trace, uint32_t region_idx, const struct ep_sample *s);

/* ---- wait_costs.c ---- */
int ep_trace_take_waits(struct loader *loader, uint32_t process_idx, const struct ep_block *block);
int ep_trace_take_wait_regions(
	struct loader *loader, uint32_t process_idx, const struct ep_block *block);

/* ---- reduced_take.c ---- */
int ep_reduced_take(struct loader *loader, const struct ep_block *block);
/* Ends the reduced file that was read: stats becomes the statistics of the last trace in it, plus the damage
 * in the file itself. Sets refusal and returns -EBADMSG where sums are missing. */
int ep_reduced_close(struct loader *loader, struct ep_reader_stats *stats);
void ep_reduced_input_destroy(struct ep_reduced_input *input);
/* Defined in load.c. Ends a recorded file: no slice of its threads comes after that. 0, -ENOMEM, or the
 * return value of the option end_file. */
int ep_loader_finish_file(
	struct loader *loader, const struct ep_reader_stats *stats, const char *path);

/* ---- kept_maps.c ---- */
int ep_kept_maps_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block);
int ep_kept_codes_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block);

/* ---- replaced_codes.c ---- */
/* Tells whether several pieces of code lay at the path's address, one after the other. */
bool ep_path_is_replaced(const struct ep_trace *trace, const struct ep_path *path);
/* Tells whether the code of any path was replaced: then the trace has to be read a second time, with all
 * codes known. */
bool ep_trace_has_replaced_codes(const struct ep_trace *trace);
/* Finds or adds the variant of a path whose addresses name the pieces of code that lay there time_us after
 * the process's birth. 0 or -ENOMEM. */
int ep_path_at(struct ep_trace *trace, uint32_t path_idx, uint64_t time_us,
	uint32_t *out_idx) EP_MUST_CHECK;

/* ---- scripts.c ---- */
/* Adds a script. Its texts must belong to the trace; its table is copied. */
int ep_script_add(struct ep_scripts *scripts, const struct ep_script *script,
	uint32_t *out_idx) EP_MUST_CHECK;
int ep_scripts_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block);
/* Sets module_idx and address of *out_path for a frame of a script; false: no block has described the frame's
 * function. */
bool ep_script_find(struct ep_trace *trace, const struct ep_trace_thread *thread, uint64_t address,
	struct ep_path *out_path);

/* ---- wait_costs.c ---- */
/* Adds a wait to the row with the same thread, path and thing; out_idx is that row's index. */
int ep_wait_cost_add(
	struct ep_trace *trace, const struct ep_wait_cost *wait, uint32_t *out_idx) EP_MUST_CHECK;

/* ---- tree.c ---- */
int ep_module_add(struct ep_trace *trace, const struct ep_module_info *module, uint32_t *out_idx);
int ep_module_of_script(struct ep_trace *trace, const char *path, uint32_t *out_idx);
int ep_modules_take(
	struct ep_trace *trace, struct ep_trace_process *process, const struct ep_block *block);
/* Adds CPU time to the path [kernel] beneath parent_idx, which is added where it is missing. 0 or -ENOMEM. */
int ep_kernel_cost_add(struct ep_trace *trace, uint32_t parent_idx, uint64_t us,
	uint32_t *out_path_idx) EP_MUST_CHECK;

/* Finds the first module with a path, or adds one without a build-id. */
int ep_module_at(struct ep_trace *trace, const char *path, uint32_t *out_idx);
int ep_path_add(struct ep_trace *trace, const struct ep_path *path, uint32_t *out_idx);
int ep_module_for(
	struct ep_trace *trace, struct ep_trace_process *process, uint32_t id, uint32_t *out_idx);

/* Returns the costs of a path, which are created where they are missing; NULL: out of memory. */
struct ep_path_cost *ep_path_cost_of(struct ep_trace *trace, uint32_t path_idx);

/* ---- fillers.c ---- */
/* Creates the fillers for slices of the thread: 0 or -ENOMEM. */
int ep_fillers_prepare(struct loader *loader, struct ep_trace_thread *thread) EP_MUST_CHECK;
/* Called when no more slices of the thread, or of the process, will come. A process keeps its filler's state
 * while one of its threads is not finished. If slices come after that, the estimator begins without what it
 * has learnt. */
void ep_fillers_finish_thread(struct loader *loader, struct ep_trace_thread *thread);
void ep_fillers_finish_process(struct loader *loader, struct ep_trace_process *process);
void ep_fillers_finish(struct loader *loader);

/* ---- samples.c ---- */
/* Tells whether a sample's times are damaged. */
bool ep_sample_is_odd(const struct ep_sample *sample);
int ep_samples_take(struct loader *loader, uint32_t process_idx, const struct ep_block *block);
/* A filler that has seen this many slices of a process has learnt enough: pending slices of other threads are
 * not shown to it in advance any more. */
#define EP_ENOUGH_LEARNT 65536
/* Gives pending slices to the estimator and adds them to the sums. */
int ep_samples_flush(struct loader *loader, struct ep_trace_thread *thread);
void ep_pending_finish(struct ep_pending *pending);

/* ---- machine_span.c ---- */
/* Removes from the costs of paths the excess time of slices that are far too long without a system call. All
 * that is removed is at most the time that hosts took from their virtual machines. Called after all is read. */
void ep_leave_out_stolen(struct ep_trace *trace);

/* ---- timeline.c ---- */
/* Slices of a thread; their times are relative to the birth of its process. */
struct ep_timeline_slices {
	uint64_t birth_us;
	const struct ep_sample *samples; /* (n_slices) the thread's samples */
	uint32_t n_slices;
	const double *counts;      /* (n_slices, n_events), or NULL */
	const uint32_t *event_idx; /* (n_events) the timeline's column of each event */
	uint32_t n_events;
	/* (n_slices, n_events) changes of counts, or NULL */
	const struct ep_value_change *changes;
	const bool *is_counted; /* (n_events) as in struct ep_stretch */
};
int ep_timeline_add(struct ep_timeline *timeline, uint32_t capacity, uint32_t n_events,
	const struct ep_timeline_slices *slices);
/* A bin of another timeline; its width is a power of two. If that timeline has another clock, the bin may
 * overlap two bins of the timeline that it is added to. */
struct ep_timeline_bin {
	uint64_t from_us, width_us;
	double cpu_us;
	const double *counts; /* (n_events), or NULL */
	const uint32_t *event_idx;
	uint32_t n_events;
};
/* Adds a bin to a timeline, which has columns for n_events events. */
int ep_timeline_add_bin(struct ep_timeline *timeline, uint32_t capacity, uint32_t n_events,
	const struct ep_timeline_bin *bin);
void ep_timeline_finish(struct ep_timeline *timeline);

#endif
