/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace in memory, which is aggregated while it is read: processes, threads, one call tree with
 * the cost of each call path, the events' sums, a timeline. Its size grows with the number of
 * different call paths, threads and processes, not with the number of samples. */
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
#define EP_MAX_PARALLEL 1024 /* numbers of threads that are counted separately */
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

/* Time of a call path or a thread. hidden: CPU time that the clock could not see (a user-mode clock
 * while the kernel worked). It has paths of its own, [kernel]: one half is called by the path of
 * the sample before, the other by that of the sample after, since the tick that did not come lies
 * between the two. */
struct ep_cost {
	uint64_t n_samples;
	uint64_t cpu_us; /* of a thread: without hidden_us */
	uint64_t hidden_us;
	/* time that is too much in slices that no system call can have made so long */
	uint64_t not_system_us;
};

struct ep_event_info {
	const char *name, *unit;
	bool always, software;
	uint64_t n_slices; /* slices of the processes that have the event */
	uint64_t n_slices_measured;
	const char *estimator; /* of the last stretch that had gaps; NULL: no stretch had */
	double variance;       /* variance of the sum, as far as it is known */
	/* another user of the PMU had the counter during a part of some slices */
	bool is_scaled;
	double holdout_error; /* mean over holdout_slices */
	uint64_t holdout_slices;
	/* how many measured counts were far above the others, in stretches with gaps */
	uint64_t n_outliers;
	struct ep_event_sum sum;      /* over all threads */
	float changes[EP_N_REPLICAS]; /* by how much the sum changes in each replica */
	bool has_changes;
};

#define EP_BUILD_ID_MAX_BYTES 32 /* they have 20 in practice */
#define EP_VDSO "[vdso]"         /* path of the pages that the kernel maps into every process */

struct ep_module_info {
	const char *path; /* "": stands for addresses outside of every module, of process pid */
	uint32_t pid;
	bool is_script; /* an interpreter carries the file out */
	uint8_t build_id[EP_BUILD_ID_MAX_BYTES];
	uint32_t build_id_size;
	/* stands for the kernel's time that no sample saw; evreport adds it, traces do not have
	 * it */
	bool is_kernel;
};

/* A call path. Children come after their parents. Two of them are no real paths: the root, where
 * the slice that a thread's end cuts short is counted (it has no sample), and the lost path. */
#define EP_PATH_ROOT 0
#define EP_PATH_LOST 1

struct ep_path {
	uint32_t parent_idx;
	uint32_t module_idx;
	/* index of its thread, plus one; 0: the path belongs to all threads */
	uint32_t thread_number;
	/* the path, or a caller in it, is in code that was replaced by other code at its address */
	bool is_replaced;
	/* the path of [kernel] called by this one; EP_NONE: not asked for */
	uint32_t kernel_path_idx;
	uint64_t address;
	/* index in costs, for a path in which samples ended; else EP_NONE */
	uint32_t cost_idx;
	/* the rank cost that was added to last; any number where there is none */
	uint32_t last_rank_cost;
	/* As in struct ep_stretch, for a slice that ends here and began at the same site. */
	uint64_t site, place;
	/* numbers given by name_places; EP_NONE: not asked for */
	uint32_t places[EP_N_PLACE_KINDS];
};

struct ep_path_cost {
	/* the members from here to sums lie together, since each slice changes them */
	struct ep_cost cost;
	double squares; /* sum of the squares of the times that samples stand for, us^2 */
	struct ep_sums sums;
	struct ep_mixing mixing[EP_N_PLACE_KINDS];
	struct ep_tick_sums ticks;
	/* time of ticks that looked for system calls and found one here (load/time_places.h) */
	uint64_t calls_us;
	double calls_squares; /* sum of the squares of the times that these ticks stand for, us^2 */
	/* CPU time, divided at each moment by the number of threads that ran then */
	double latency_us;
	double alone_us; /* CPU time while no other thread ran */
};

/* CPU time of one path in a thread of a rank of MPI: from samples, from [kernel] on paths of its
 * own, or from ticks that look for system calls. Once all is read (load/rank_costs.c) the ranks'
 * sum is the path's time. */
struct ep_rank_cost {
	uint32_t thread_idx, path_idx;
	uint64_t us : 63;
	uint64_t is_of_calls : 1;
};

/* A thread's calls that waited in one call path for one thing (WAITS in docs/trace-format.md). */
struct ep_wait_cost {
	uint32_t thread_idx, path_idx;
	uint8_t kind; /* enum ep_wait_kind, or a kind that is not known */
	uint8_t holder_kind;
	uint32_t lock_module_idx; /* EP_NONE: the address is absolute */
	uint64_t lock;            /* address of the lock; 0: there is none */
	const char *name;         /* name of a file or a socket; NULL: there is none */
	/* number of the holder's thread in the process, plus one; 0: not known */
	uint32_t holder;
	uint32_t holder_path_idx; /* EP_NONE: not known */
	uint64_t n_waits, off_ns, longest_ns;
	/* the part of n, ns and longest_ns to show, where a part of the run is loaded */
	struct ep_sum_share shown;
	uint32_t row_idx; /* row in the report's waits; EP_NONE: in none */
};

/* Returns the part of a wait that is shown. */
static inline struct ep_sum_share ep_wait_shown(
	const struct ep_part *part, const struct ep_wait_cost *wait)
{
	return part->is_set ? wait->shown
			    : (struct ep_sum_share){ (double)wait->n_waits, (double)wait->off_ns,
				      wait->longest_ns, false };
}

/* CPU time over wall time, in bins of width_us from start_us. Bins are added and widened as
 * needed. */
struct ep_timeline {
	uint64_t start_us, width_us; /* width is a power of two, start a multiple of it */
	uint32_t n_bins, capacity;
	uint32_t n_events;
	double *cpu_us; /* (n_bins) */
	/* (n_bins, n_events), or NULL; includes estimates for slices that did not measure the
	 * event */
	double *counts;
	/* (n_bins, n_events, EP_N_REPLICAS) how replicas of the estimates change counts, or NULL */
	float *changes;
};

struct ep_trace_process {
	struct ep_process_key key;
	const char *meta[EP_N_META_KEYS]; /* NULL where absent */
	const char *command;              /* the arguments with blanks between them */
	const char *called;               /* see ep_trace_process_program */
	uint32_t file_idx;
	/* minor version of the trace's format; 0: the trace does not have it */
	uint32_t minor_version;
	enum ep_born born;
	uint64_t born_ns;            /* key.birth_ns on the clock of the trace's first process */
	bool has_meta, is_other_run; /* is_other_run: than the first process of its file */
	struct ep_groups groups;
	uint32_t *event_idx;  /* (groups.n_events) index in the trace's events */
	uint32_t *module_idx; /* by the module's id */
	uint32_t n_module_ids, module_capacity;
	uint32_t unknown_module_idx; /* for absolute addresses, or EP_NONE */
	bool is_simulated;           /* valgrind ran it: times are the simulator's */
	uint64_t window_us;          /* CPU time between two ticks by time */
	/* CPU time between two ticks that look for system calls; 0: there were none */
	uint64_t calls_us;
	bool has_random_first_tick; /* the first tick of each thread came at a random time */
	/* callgrind counted its costs: its samples count only in the timeline and in threads */
	bool has_costs;
	struct ep_counts costs;             /* the sum of callgrind's costs */
	struct ep_floating_counts floating; /* the sum of callgrind's floating-point operations */
	uint32_t n_costs_files;             /* how many of callgrind's files were read completely */
	bool lacks_costs;                   /* a piece of such a file is missing */
	/* the offset in the file at which the next piece is to begin */
	uint64_t costs_at;
	bool hides_kernel; /* the clock ticks in user mode only */
	bool has_end;
	struct ep_end end; /* how the process ended, without the note */
	bool has_children_us;
	uint64_t children_us; /* CPU time of the children that it waited for */
	uint64_t last_us;     /* the latest time seen, since birth */
	uint32_t n_threads;
	uint64_t n_undecodable; /* blocks that could not be decoded */
	uint32_t n_machine_times;
	/* the first reading and the last one; with one reading both are the same */
	struct ep_machine_times machine_times[2];
	struct ep_machine_times *machine_series; /* (n_machine_times) */
	uint32_t machine_capacity;
	struct ep_fill_events *fill_events; /* NULL until they are needed */
	void *filler;                       /* the estimator's state for the process */
	uint32_t n_fillers;                 /* how many of its threads have a filler */
	uint64_t n_learnt;                  /* how many slices the filler has seen or filled */
	/* with counts; filled where process_timelines asks for it */
	struct ep_timeline timeline;
};

/* A tick by the overflow of an event. */
struct ep_event_tick {
	uint32_t slice_idx; /* index of the window's slice among those that are pending */
	uint32_t path_idx;  /* where the event happened */
	uint8_t trigger;    /* the event's index in the process */
	uint8_t rarity;     /* each occurrence caused a tick with probability 2^-rarity */
};

/* Counts of slices that an event ended, in the window being read. They are added to the slice at
 * whose end a tick by time ends the window: it is of the same group, and its time passed there. */
struct ep_window {
	uint32_t n_slices, n_events;
	uint64_t cpu_us, wall_us, idle_us;
	uint32_t flags;
	uint64_t *values; /* (n_events) */
};

/* Slices that wait until the estimator has enough of them. Where events caused ticks, they wait in
 * whole windows. */
struct ep_pending {
	uint32_t n_ticks, tick_capacity;
	struct ep_event_tick *ticks; /* (n_ticks) in these windows and in the one being read */
	uint32_t n_slices;
	uint32_t capacity;       /* capacity of samples and values */
	uint32_t place_capacity; /* capacity of path_idx and region_idx */
	/* how many of the first slices the filler has seen already, while it filled others */
	uint32_t n_learnt;
	struct ep_sample *samples; /* (n_slices) */
	uint32_t *path_idx;        /* (n_slices) */
	uint32_t *region_idx;      /* (n_slices) EP_NONE: the slice is in no region */
	uint64_t *values;          /* (n_slices, n_events) */
};

/* A thread's last slices. The next ones tell whether their counts are mixed. */
struct ep_recent {
	uint32_t n_slices;
	/* how many of the first are judged already, and kept because others need them */
	uint32_t n_judged;
	uint32_t n_events;
	uint32_t *path_idx; /* (n_slices) NULL: not allocated yet */
	double *counts;     /* (n_slices, n_events) */
};

/* CPU time of the slices that ended in a path. */
struct ep_thread_end {
	uint32_t path_idx;
	uint64_t us;
};

/* The time before a thread's first tick and after its last one (load/time_places.h). */
struct ep_thread_ends {
	bool has_tick;
	struct ep_thread_end first;  /* us 0: its weight does not change */
	struct ep_thread_end before; /* time cut off before the first tick */
	struct ep_thread_end tail;   /* time cut off after the last tick */
};

struct ep_trace_thread {
	uint32_t process_idx, number;
	uint32_t tid;
	const char *name;
	bool has_totals, is_final, is_wanted;
	struct ep_totals totals; /* its pointers are NULL */
	bool has_ready;
	/* time ready without a CPU in the part of the run that is shown */
	struct ep_ready_time ready;
	struct ep_ready_time last_ready; /* the account at last_us; zero before the first one */
	uint64_t last_us, written_us;    /* since birth; written_us: of the last totals */
	struct ep_cost cost;
	/* wall time of its samples in the part of the run that is wanted */
	uint64_t wall_us;
	uint64_t region_wall_ns; /* wall time in all regions that are shown */
	uint64_t n_got;          /* slices that ended with a sample */
	uint64_t n_outside;      /* how many of them are outside of the part that is wanted */
	uint64_t next_slice;     /* number that the next slice should have */
	uint64_t
		/* of random choices; does not depend on which files were read before its own */
		seed;
	struct ep_sums sums;
	uint32_t last_path_idx; /* path of the sample before; EP_PATH_ROOT: there is none */
	/* The thread's own root and lost path where each thread has its own paths, else
	 * EP_PATH_ROOT and EP_PATH_LOST. */
	uint32_t root_path_idx, lost_path_idx;
	double *exact; /* (n_exact) by event: the total in TOTALS; negative where it has none */
	uint32_t n_exact;
	struct ep_timeline timeline;
	struct ep_thread_regions regions;
	struct ep_block_sums block_sums;
	uint32_t epoch;
	uint32_t *path_idx; /* (n_nodes) by the node's index in the present tree */
	uint32_t n_nodes, node_capacity;
	uint32_t *script_idx; /* (n_script_ids) by the number of a script's function */
	uint32_t n_script_ids, script_capacity;
	uint64_t n_unread_frames; /* frames of scripts that could not be named */
	struct ep_pending pending;
	void *filler; /* the estimator's state for the thread */
	struct ep_recent recent;
	struct ep_thread_ends ends;
	struct ep_window window;
	uint64_t n_event_ticks;   /* slices among n_got that did not end by the clock */
	uint64_t n_counted_ticks; /* slices among these that an event ended which is counted */
	/* slices among n_event_ticks that ended in a system call: these are samples */
	uint64_t n_call_samples;
	uint64_t n_windows; /* windows that had a trigger */
	uint64_t *armed_us; /* (n_armed) by event: how long it was armed as trigger */
	uint32_t n_armed;
};

struct ep_loss {
	uint64_t n_lost_slices; /* counted by the threads themselves */
	/* more slices that are missing by their numbers: they were in damaged blocks */
	uint64_t n_missing_slices;
	uint64_t n_undecodable; /* blocks of a known type that could not be decoded */
	uint64_t n_unknown_types;
	uint64_t n_without_meta; /* blocks of processes whose META is missing */
	uint64_t n_without_path; /* samples whose call path is missing */
	uint64_t n_odd;          /* samples whose times are impossible; they are left out */
	uint64_t n_not_run;      /* samples whose counters did not run */
	/* counts that are negative (a counter that was set back) or above 2^63; they are dropped */
	uint64_t n_bad_counts;
	uint64_t n_incomplete; /* samples whose counts are incomplete */
	uint64_t n_unticked;   /* slices of threads without a clock, which no tick ended */
	uint64_t n_cut_stacks, n_broken_stacks; /* these two count samples */
	/* time in which groups were enabled and did not count */
	uint64_t idle_us;
	uint64_t n_unfinished_threads, n_unfinished_processes;
};

/* Why callgrind's costs are not used: they exist only for whole runs of whole processes. */
enum ep_costs_absence {
	EP_COSTS_USED, /* they are used, or there are none */
	EP_COSTS_NOT_OF_A_PART,
	EP_COSTS_NOT_OF_A_THREAD,
};

struct ep_note {
	const char *text;
	bool is_of_start; /* written before the program began: it says what cannot be measured */
};

/* The clock of all times in a trace: that of its first process. run NULL: not known yet. */
struct ep_clock_origin {
	const char *run;
	uint64_t birth_ns, realtime_ns;
};

struct ep_trace {
	struct ep_strings strings;
	struct ep_clock_origin origin;
	struct ep_part part;
	bool has_reduced; /* a part of the trace comes from a file of sums, which has no slices */
	struct ep_trace_process *processes;
	uint32_t n_processes, process_capacity;
	/* The first process and thread of the recorded file that is being read. */
	uint32_t first_of_file, first_thread_of_file;
	struct ep_index process_index;
	struct ep_trace_thread *threads;
	uint32_t n_threads, thread_capacity;
	struct ep_index thread_index;
	struct ep_module_info *modules;
	uint32_t n_modules, module_capacity;
	struct ep_index module_index;
	uint32_t kernel_idx; /* the module [kernel], if has_kernel */
	bool has_kernel;
	struct ep_scripts scripts;
	struct ep_kept_maps kept_maps;
	bool knows_codes; /* kept_maps is complete, from a first reading of the trace */
	struct ep_path *paths;
	uint32_t n_paths, path_capacity;
	struct ep_index path_index;
	uint32_t *steps; /* scratch of ep_path_at */
	uint32_t step_capacity;
	struct ep_path_cost *costs;
	uint32_t n_costs, cost_capacity;
	struct ep_rank_cost *rank_costs;
	uint32_t n_rank_costs, rank_cost_capacity;
	/* from a file of format 1.2: without ticks that look for system calls, hidden time at
	 * ticks */
	bool has_plain_rank_costs;
	struct ep_index rank_cost_index;
	struct ep_wait_cost *waits;
	/* it is not known whether a thread with regions waited in those that are wanted */
	bool waits_lack_regions;
	uint32_t n_waits, wait_capacity;
	struct ep_index wait_index;
	uint64_t n_lost_waits;
	struct ep_region_table regions;
	struct ep_event_info *events;
	uint32_t n_events, event_capacity;
	/* Callgrind's costs of the processes with has_costs; NULL where no process has. With them
	 * the time of paths is in cycles as callgrind counts them, not in us (ep_unit_ns). */
	struct ep_costs *exact;
	struct ep_sums unplaced; /* of samples of processes with has_costs */
	enum ep_costs_absence costs_absence;
	struct ep_note *notes; /* each text occurs once */
	uint32_t n_notes, note_capacity;
	struct ep_timeline timeline; /* in us on CLOCK_MONOTONIC */
	struct ep_latency *latency;  /* NULL: no thread ran */
	double latency_us;           /* sum over all costs: the time in which threads ran */
	/* Time in which i + 1 threads ran at once; the last: as many or more (load/latency.h). */
	double parallel_us[EP_MAX_PARALLEL];
	struct ep_loss loss;
	uint64_t n_at_schedulers_ticks; /* samples at ticks of the scheduler */
	/* CPU time of threads while a host had the CPU; it is left out of costs */
	uint64_t stolen_us;
	struct ep_reader_stats reader; /* for a reduced file: of the traces that it was made from */
	struct ep_reader_stats files;  /* of the files that evreport read */
};

/* Returns the time at which the trace's first process began. */
uint64_t ep_trace_birth_ns(const struct ep_trace *trace);

/* Loads one file. The caller destroys the trace. Fails as ep_reader_run does. */
int ep_trace_load(const char *path, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err) EP_MUST_CHECK;

/* Loads several files as one trace, such as those of a job's machines; paths is NULL-terminated.
 * Processes of other runs than the first are put on its clock by the time of day. */
int ep_traces_load(const char *const *paths, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err) EP_MUST_CHECK;
void ep_trace_destroy(struct ep_trace *trace);

/* Tells whether only blocks that could not be read carry the process's key. */
bool ep_trace_process_is_void(const struct ep_trace_process *process);
/* Returns the name by which the process was started, as ps shows it: that of a link, not of the
 * file behind it, to which many programs may be linked. NULL: not known. */
const char *ep_trace_process_program(const struct ep_trace_process *process);
/* Returns the last part of the path of its program's file; NULL: not known. */
const char *ep_trace_process_file(const struct ep_trace_process *process);
/* Returns the last part of a module's path. Where the module is a program that all processes
 * started by another name, it returns that name. */
const char *ep_trace_module_name(const struct ep_trace *trace, uint32_t module_idx);
/* Returns the number in a META value; fallback where the value is absent or no number. */
uint64_t ep_trace_process_number(
	const struct ep_trace_process *process, enum ep_meta_key key, uint64_t fallback);

#endif
