/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace in memory, aggregated while it is read: processes, threads, one call tree with the cost
 * of each call path, the events' sums, a timeline. What it takes grows with the number of different
 * call paths, threads and processes, not with the number of samples.
 */
#ifndef EVPROF_REPORTER_LOAD_LOAD_H
#define EVPROF_REPORTER_LOAD_LOAD_H

#include "common/containers/strings.h"
#include "common/error.h"
#include "common/trace.h"
#include "reporter/load/block_sums.h"
#include "reporter/load/costs.h"
#include "reporter/load/fill.h"
#include "reporter/load/kept_maps.h"
#include "reporter/load/latency.h"
#include "reporter/load/load_options.h"
#include "reporter/load/part.h"
#include "reporter/load/reader.h"
#include "reporter/load/regions.h"
#include "reporter/load/scripts.h"
#include "reporter/load/sums.h"

#define EP_TIMELINE_BINS 256
#define EP_MAX_PARALLEL 1024 /* threads whose number is told apart */
#define EP_THREAD_BINS 64

enum ep_meta_key {
	EP_META_EVPROF,
	EP_META_FORMAT,
	EP_META_RUN,
	EP_META_PPID,
	EP_META_BORN,
	EP_META_PARENT,
	EP_META_EXE,
	EP_META_CWD,
	EP_META_HOST,
	EP_META_KERNEL,
	EP_META_ARCH,
	EP_META_CPU,
	EP_META_CPUID,
	EP_META_N_CPUS,
	EP_META_N_CPUS_ALLOWED,
	EP_META_CPUS_ALLOWED,
	EP_META_LOAD_PERCENT,
	EP_META_RANK,
	EP_META_REALTIME,
	EP_META_SOURCE,
	EP_META_CLOCK,
	EP_META_PERIOD,
	EP_META_WINDOW,
	EP_META_FIRST_TICK,
	EP_META_CALLS,
	EP_META_WAITS,
	EP_N_META_KEYS,
};

/* Time of a call path or a thread. hidden: CPU time that the clock could not see (a user-mode
 * clock while the kernel worked): paths of their own, [kernel], half beneath the sample before
 * and half beneath the one after: a tick that was not heard lies between theirs. */
struct ep_cost {
	uint64_t n_samples;
	uint64_t cpu_us; /* of a thread: without hidden_us */
	uint64_t hidden_us;
	uint64_t not_system_us; /* what is too much in slices that no system call made long */
};

struct ep_event_info {
	const char *name, *unit;
	bool always, software;
	uint64_t n_slices; /* of the processes that have the event */
	uint64_t n_slices_measured;
	const char *estimator; /* of the last stretch that had gaps; NULL: there were none */
	double variance;       /* of the sum, as far as it is known */
	bool is_scaled;        /* counted for a part of some slices: another user of the PMU */
	double holdout_error;  /* mean over holdout_slices */
	uint64_t holdout_slices;
	uint64_t n_outliers;     /* measured counts far above the others, of stretches with gaps */
	struct ep_event_sum sum; /* over all threads */
	float changes[EP_N_REPLICAS]; /* of the sum */
	bool has_changes;
};

#define EP_BUILD_ID_MAX_BYTES 32 /* 20 in practice */
#define EP_VDSO "[vdso]"         /* path of the kernel's pages in every process */

struct ep_module_info {
	const char *path; /* "": it stands for addresses outside of every module, of process pid */
	uint32_t pid;
	bool is_script; /* a file that an interpreter carries out */
	uint8_t build_id[EP_BUILD_ID_MAX_BYTES];
	uint32_t build_id_size;
	bool is_kernel; /* stands for the kernel's time that no sample saw: made here, no trace has it */
};

/* A call path. Children come after their parents. Two stand for no path: the root, where the slice
 * that a thread's end cuts short is counted (it has no sample), and the lost one. */
#define EP_PATH_ROOT 0
#define EP_PATH_LOST 1

struct ep_path {
	uint32_t parent_idx;
	uint32_t module_idx;
	uint32_t thread_number; /* index plus one of its thread; 0: of all threads */
	bool is_replaced; /* it, or a caller, meets code that other code replaced at its address */
	uint32_t kernel_path_idx; /* of [kernel] beneath it; EP_NONE: not asked for */
	uint64_t address;
	uint32_t cost_idx;       /* of a path that samples ended in, else EP_NONE */
	uint32_t last_rank_cost; /* to which was added; any number where there is none */
	/* As in struct ep_stretch, of a slice that ends here and began at the same site. */
	uint64_t site, place;
	uint32_t places[EP_N_PLACE_KINDS]; /* numbers of a namer's; EP_NONE: not asked for */
};

struct ep_path_cost {
	struct ep_cost cost; /* each slice changes what lies together from here to sums */
	double squares;      /* of what each sample in cost stands for, us^2 */
	struct ep_sums sums;
	struct ep_mixing mixing[EP_N_PLACE_KINDS];
	struct ep_tick_sums ticks;
	uint64_t calls_us;    /* of looks for system calls that met one here (load/time_places.h) */
	double calls_squares; /* of what each look stands for, us^2 */
	double latency_us;    /* CPU time, each moment of it divided by the threads that ran then */
	double alone_us;      /* CPU time while no other thread ran */
};

/* CPU time of one path in a thread of a rank of MPI: of samples, that of [kernel] on paths of its
 * own, or of looks for system calls. Once all is read (load/rank_costs.c) the ranks' sum is the
 * path's time. */
struct ep_rank_cost {
	uint32_t thread_idx, path_idx;
	uint64_t us : 63;
	uint64_t is_of_calls : 1;
};

/* Calls of a thread that waited in one call path for one thing (WAITS of docs/trace-format.md). */
struct ep_wait_cost {
	uint32_t thread_idx, path_idx;
	uint8_t kind; /* enum ep_wait_kind, or one that is not known */
	uint8_t holder_kind;
	uint32_t lock_module_idx; /* EP_NONE: the address is absolute */
	uint64_t lock;            /* its address; 0: there is none */
	const char *name;         /* a file's, a socket's; NULL: there is none */
	uint32_t holder;          /* number of its thread in the process plus one; 0: not known */
	uint32_t holder_path_idx; /* EP_NONE: not known */
	uint64_t n_waits, off_ns, longest_ns;
	struct ep_sum_share shown; /* of these, where a part of the run is loaded */
	uint32_t row_idx;          /* of the report's waits; EP_NONE: in none */
};

/* Returns the part of a wait that is shown. */
static inline struct ep_sum_share ep_wait_shown(
	const struct ep_part *part, const struct ep_wait_cost *wait)
{
	return part->is_set ? wait->shown
			    : (struct ep_sum_share){ (double)wait->n_waits, (double)wait->off_ns,
				      wait->longest_ns, false };
}

/* CPU time over wall time, in bins of width_us from start_us; both grow as needed. */
struct ep_timeline {
	uint64_t start_us, width_us; /* width is a power of two, start a multiple of it */
	uint32_t n_bins, capacity;
	uint32_t n_events;
	double *cpu_us; /* (n_bins) */
	double *counts; /* (n_bins, n_events), or NULL; estimates for unmeasured slices in it */
	/* (n_bins, n_events, EP_N_REPLICAS) how replicas of the estimates change counts, or NULL */
	float *changes;
};

struct ep_trace_process {
	struct ep_process_key key;
	const char *meta[EP_N_META_KEYS]; /* NULL where absent */
	const char *command;              /* the arguments, blanks between */
	const char *called;               /* see ep_trace_process_program */
	uint32_t file_idx;
	uint32_t minor_version; /* of the trace's format; 0 of traces that do not say it */
	enum ep_born born;
	uint64_t born_ns;            /* key.birth_ns on the clock of the trace's first process */
	bool has_meta, is_other_run; /* than the first of its file */
	struct ep_groups groups;
	uint32_t *event_idx;  /* (groups.n_events) in the trace's events */
	uint32_t *module_idx; /* by id */
	uint32_t n_module_ids, module_capacity;
	uint32_t unknown_module_idx; /* for absolute addresses, or EP_NONE */
	bool is_simulated;           /* by valgrind: times are the simulator's */
	uint64_t window_us;          /* between two ticks by time */
	uint64_t calls_us;           /* between two looks for system calls; 0: there were none */
	bool has_random_first_tick;  /* of each thread, by time */
	bool has_costs; /* callgrind's own: its samples count in the timeline and in threads alone
			 */
	struct ep_counts costs;             /* their sum */
	struct ep_floating_counts floating; /* the same */
	uint32_t n_costs_files;             /* of callgrind's, whole */
	bool lacks_costs;                   /* a piece of one is not there */
	uint64_t costs_at;                  /* where in the file the next piece is to begin */
	bool hides_kernel;                  /* the clock ticks in user mode only */
	bool has_end;
	struct ep_end end; /* without its note */
	bool has_children_us;
	uint64_t children_us; /* CPU time of what it waited for */
	uint64_t last_us;     /* latest time seen, since birth */
	uint32_t n_threads;
	uint64_t n_undecodable; /* blocks */
	uint32_t n_machine_times;
	struct ep_machine_times machine_times[2]; /* first and last, of one the same */
	struct ep_machine_times *machine_series;  /* (n_machine_times) */
	uint32_t machine_capacity;
	struct ep_fill_events *fill_events; /* NULL before they are needed */
	void *filler;                       /* the estimator's state for the process */
	uint32_t n_fillers;                 /* of its threads */
	uint64_t n_learnt;                  /* slices that it has seen or filled */
	struct ep_timeline timeline;        /* with counts, where load options ask for it */
};

/* A tick by the overflow of an event. */
struct ep_event_tick {
	uint32_t slice_idx; /* the window, among those that are pending */
	uint32_t path_idx;  /* where the event happened */
	uint8_t trigger;    /* the event's index in the process */
	uint8_t rarity;     /* each occurrence made a tick with probability 2^-rarity */
};

/* Counts of the slices of the window at hand that an event ended. They join the slice at whose end
 * a tick by time ends the window, since it is of the same group and its time passed there. */
struct ep_window {
	uint32_t n_slices, n_events;
	uint64_t cpu_us, wall_us, idle_us;
	uint32_t flags;
	uint64_t *values; /* (n_events) */
};

/* Slices that wait until the estimator has enough of them: whole windows, where events made ticks. */
struct ep_pending {
	uint32_t n_ticks, tick_capacity;
	struct ep_event_tick *ticks; /* (n_ticks) of windows here and of the one at hand */
	uint32_t n_slices;
	uint32_t capacity;       /* of samples and values */
	uint32_t place_capacity; /* of path_idx and region_idx */
	uint32_t n_learnt;       /* of the first, that the filler has seen for the sake of others */
	struct ep_sample *samples; /* (n_slices) */
	uint32_t *path_idx;        /* (n_slices) */
	uint32_t *region_idx;      /* (n_slices) EP_NONE: in none */
	uint64_t *values;          /* (n_slices, n_events) */
};

/* A thread's last slices, of which the next ones tell whether they are mixed. */
struct ep_recent {
	uint32_t n_slices;
	uint32_t n_judged; /* the first of them, kept because the others' judgement needs them */
	uint32_t n_events;
	uint32_t *path_idx; /* (n_slices) NULL: none yet */
	double *counts;     /* (n_slices, n_events) */
};

/* CPU time of slices that ended in a path. */
struct ep_thread_end {
	uint32_t path_idx;
	uint64_t us;
};

/* The time before a thread's first tick and behind its last one (load/time_places.h). */
struct ep_thread_ends {
	bool has_tick;
	struct ep_thread_end first;  /* us 0: its weight stays as it is */
	struct ep_thread_end before; /* cut off before the first tick */
	struct ep_thread_end tail;   /* cut off behind the last one */
};

struct ep_trace_thread {
	uint32_t process_idx, number;
	uint32_t tid;
	const char *name;
	bool has_totals, is_final, is_wanted;
	struct ep_totals totals; /* without pointers */
	bool has_ready;
	struct ep_ready_time ready;      /* of what is shown of the run */
	struct ep_ready_time last_ready; /* as it was at last_us; before any: none, at the start */
	uint64_t last_us, written_us;    /* since birth; the latter: of the last totals */
	struct ep_cost cost;
	uint64_t wall_us;        /* of its samples, inside of the part that is wanted */
	uint64_t region_wall_ns; /* in all of the regions that are shown */
	uint64_t n_got;          /* slices with a sample */
	uint64_t n_outside;      /* of them, outside of the part that is wanted */
	uint64_t next_slice;     /* expected number */
	uint64_t
		seed; /* of what goes by chance: the same whichever files are read before its own */
	struct ep_sums sums;
	uint32_t last_path_idx; /* of the sample before; EP_PATH_ROOT: none */
	/* The thread's own where paths are kept by thread, else EP_PATH_ROOT and EP_PATH_LOST. */
	uint32_t root_path_idx, lost_path_idx;
	double *exact; /* (n_exact) by event: what TOTALS says, negative where it does not */
	uint32_t n_exact;
	struct ep_timeline timeline;
	struct ep_thread_regions regions;
	struct ep_block_sums block_sums;
	uint32_t epoch;
	uint32_t *path_idx; /* (n_nodes) by node index in this epoch */
	uint32_t n_nodes, node_capacity;
	uint32_t *script_idx; /* (n_script_ids) by the number of a script's function */
	uint32_t n_script_ids, script_capacity;
	uint64_t n_unread_frames; /* of scripts: could not be named */
	struct ep_pending pending;
	void *filler; /* the estimator's state */
	struct ep_recent recent;
	struct ep_thread_ends ends;
	struct ep_window window;
	uint64_t n_event_ticks; /* of n_got, the slices that something else than the clock ended */
	uint64_t n_counted_ticks; /* of them, by the overflow of an event that is counted */
	uint64_t n_call_samples;  /* of them, in system calls: these are samples */
	uint64_t n_windows;       /* that had a trigger */
	uint64_t *armed_us;       /* (n_armed) by event: while it was armed as trigger */
	uint32_t n_armed;
};

struct ep_loss {
	uint64_t n_lost_slices;    /* said by the threads themselves */
	uint64_t n_missing_slices; /* further ones, by numbering: lost with damaged blocks */
	uint64_t n_undecodable;    /* blocks of a known type that made no sense */
	uint64_t n_unknown_types;
	uint64_t n_without_meta; /* blocks of processes whose META is not there */
	uint64_t n_without_path; /* samples whose call path is not there */
	uint64_t n_odd;          /* samples whose times make no sense, left out */
	uint64_t n_not_run;      /* samples whose counters did not run */
	uint64_t n_bad_counts; /* negative (a counter that was set back), or above 2^63: dropped */
	uint64_t n_incomplete; /* samples whose counts are incomplete */
	uint64_t n_unticked;   /* slices of threads that nothing ended: they have no clock */
	uint64_t n_cut_stacks, n_broken_stacks; /* samples */
	uint64_t idle_us;                       /* groups enabled, not counting */
	uint64_t n_unfinished_threads, n_unfinished_processes;
};

/* Why costs of callgrind's are not used, which are of whole runs of whole processes. */
enum ep_costs_absence {
	EP_COSTS_USED, /* or there are none */
	EP_COSTS_NOT_OF_A_PART,
	EP_COSTS_NOT_OF_A_THREAD,
};

struct ep_note {
	const char *text;
	bool is_of_start; /* said before the program began: what cannot be measured */
};

/* The clock that all moments of a trace are on: that of its first process. run NULL: not known yet. */
struct ep_clock_origin {
	const char *run;
	uint64_t birth_ns, realtime_ns;
};

struct ep_trace {
	struct ep_strings strings;
	struct ep_clock_origin origin;
	struct ep_part part;
	bool has_reduced; /* some of it comes from a file of sums, which has no slices */
	struct ep_trace_process *processes;
	uint32_t n_processes, process_capacity;
	/* Process and thread, of the recorded file that is read. */
	uint32_t first_of_file, first_thread_of_file;
	struct ep_index process_index;
	struct ep_trace_thread *threads;
	uint32_t n_threads, thread_capacity;
	struct ep_index thread_index;
	struct ep_module_info *modules;
	uint32_t n_modules, module_capacity;
	struct ep_index module_index;
	uint32_t kernel_idx; /* of the modules, where has_kernel */
	bool has_kernel;
	struct ep_scripts scripts;
	struct ep_kept_maps kept_maps;
	bool knows_codes; /* all of kept_maps, from a first reading */
	struct ep_path *paths;
	uint32_t n_paths, path_capacity;
	struct ep_index path_index;
	uint32_t *steps; /* scratch of ep_path_at */
	uint32_t step_capacity;
	struct ep_path_cost *costs;
	uint32_t n_costs, cost_capacity;
	struct ep_rank_cost *rank_costs;
	uint32_t n_rank_costs, rank_cost_capacity;
	bool has_plain_rank_costs; /* from a file of format 1.2: without looks, hidden time at ticks */
	struct ep_index rank_cost_index;
	struct ep_wait_cost *waits;
	bool waits_lack_regions; /* of a thread with regions: whether it waited in those that are wanted is not told */
	uint32_t n_waits, wait_capacity;
	struct ep_index wait_index;
	uint64_t n_lost_waits;
	struct ep_region_table regions;
	struct ep_event_info *events;
	uint32_t n_events, event_capacity;
	/* Callgrind's costs of the processes with has_costs; NULL where none has. With them the time
	 * of paths is in cycles as callgrind counts them, not in us (ep_unit_ns). */
	struct ep_costs *exact;
	struct ep_sums unplaced; /* of samples of processes that has_costs */
	enum ep_costs_absence costs_absence;
	struct ep_note *notes; /* each text once */
	uint32_t n_notes, note_capacity;
	struct ep_timeline timeline; /* us on CLOCK_MONOTONIC */
	struct ep_latency *latency;  /* NULL: no thread ran */
	double latency_us;           /* of all costs: the time in which threads ran */
	/* Time with so many threads running less one; the last: or more (load/latency.h). */
	double parallel_us[EP_MAX_PARALLEL];
	struct ep_loss loss;
	uint64_t n_at_schedulers_ticks; /* samples that the scheduler's ticks ended */
	uint64_t stolen_us; /* left out of costs: CPU time of threads while a host had the CPU */
	struct ep_reader_stats reader; /* of a reduced file: of the traces that are in it */
	struct ep_reader_stats files;  /* of what was read itself */
};

/* When its first process began. */
uint64_t ep_trace_birth_ns(const struct ep_trace *trace);

/* The caller's to destroy. Errors as in ep_reader_run. */
int ep_trace_load(const char *path, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err) EP_MUST_CHECK;

/* Several files as one trace, such as those of a job's machines: paths end with NULL. Processes of
 * other runs than the first are moved to where they were on its clock, by the time of day. */
int ep_traces_load(const char *const *paths, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err) EP_MUST_CHECK;
void ep_trace_destroy(struct ep_trace *trace);

/* Nothing but blocks that could not be read carry its key. */
bool ep_trace_process_is_void(const struct ep_trace_process *process);
/* The name that it was started by, as ps shows it: a link's, not that of the file behind it, which
 * may be many programs'. NULL: not known. */
const char *ep_trace_process_program(const struct ep_trace_process *process);
/* The last part of its file's path; NULL: not known. */
const char *ep_trace_process_file(const struct ep_trace_process *process);
/* The last part of a module's path; where it is a program's that all processes were started by another
 * name of, that name. */
const char *ep_trace_module_name(const struct ep_trace *trace, uint32_t module_idx);
/* The number in a META value; fallback where it is absent or no number. */
uint64_t ep_trace_process_number(
	const struct ep_trace_process *process, enum ep_meta_key key, uint64_t fallback);

#endif
