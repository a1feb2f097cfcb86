/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace in memory. It is aggregated while it is read: processes, threads, one call tree with the cost of
 * each call path, the sums of the events, a timeline. Its size grows with the number of different call paths,
 * threads and processes, not with the number of samples. */
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
/* the largest number of running threads that is counted separately */
#define EP_MAX_PARALLEL 1024
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

/* The time of a call path or a thread. hidden_us is CPU time in the kernel, which a clock that ticks in user mode
 * only does not see. Hidden time is on call paths of its own, named [kernel]: half beneath the path of the sample
 * before, half beneath the path of the sample after, since the missing tick lies between the two samples. */
struct ep_cost {
	uint64_t n_samples;
	uint64_t cpu_us; /* for a thread: without hidden_us */
	uint64_t hidden_us;
	/* time beyond a period in slices that are too long, though no system call made them so long */
	uint64_t not_system_us;
};

struct ep_event_info {
	const char *name, *unit;
	bool always, software;
	uint64_t n_slices; /* slices of the processes that have the event */
	uint64_t n_slices_measured;
	/* name of the estimator that filled the last stretch with gaps; NULL: no stretch had
	 * gaps */
	const char *estimator;
	double variance; /* variance of the sum's estimated part; NaN: not known */
	/* another user of the PMU had the counter for a part of some slices */
	bool is_scaled;
	/* sum over stretches of hold-out error times number of slices; divide by holdout_slices for the mean */
	double holdout_error;
	uint64_t holdout_slices;
	/* how many measured counts were far above the others, in stretches with gaps */
	uint64_t n_outliers;
	struct ep_event_sum sum;      /* the sum over all threads */
	float changes[EP_N_REPLICAS]; /* change of the sum in each replica */
	bool has_changes;
};

#define EP_BUILD_ID_MAX_BYTES 32 /* build-ids have 20 bytes in practice */
#define EP_VDSO "[vdso]"         /* path of the pages that the kernel maps into every process */

struct ep_module_info {
	/* "": the module stands for addresses outside of every module, in process pid */
	const char *path;
	uint32_t pid;
	bool is_script; /* the file is a script that an interpreter runs */
	uint8_t build_id[EP_BUILD_ID_MAX_BYTES];
	uint32_t build_id_size;
	/* the module stands for hidden time in the kernel; evreport adds it, traces have no such module */
	bool is_kernel;
};

/* A call path. Children come after their parents. Two paths stand for no code: the root gets the slice that a
 * thread's end cuts short (no tick ended that slice, so that it has no sample), the lost path gets samples whose
 * call path is missing. */
#define EP_PATH_ROOT 0
#define EP_PATH_LOST 1

struct ep_path {
	uint32_t parent_idx;
	uint32_t module_idx;
	/* index of the thread that the path belongs to, plus one; 0: the path belongs to all threads */
	uint32_t thread_number;
	/* the path, or a caller in it, is in code that was replaced by other code at its address */
	bool is_replaced;
	/* index of the path named [kernel] beneath this one; EP_NONE: not created yet */
	uint32_t kernel_path_idx;
	uint64_t address;
	/* index in costs, where samples ended in the path; else EP_NONE */
	uint32_t cost_idx;
	/* index of the rank cost of this path that was changed last; no valid index where there is none */
	uint32_t last_rank_cost;
	/* Hashes of the call site and of the place (struct ep_stretch), for a slice that ends in this path
	 * and began at the same call site. */
	uint64_t site, place;
	/* numbers of the places, given by name_places; EP_NONE: not asked for yet, or not wanted */
	uint32_t places[EP_N_PLACE_KINDS];
};

struct ep_path_cost {
	/* the members from here to sums lie together, since each slice changes them */
	struct ep_cost cost;
	double squares; /* sum of the squares of the times that samples stand for, us^2 */
	struct ep_sums sums;
	struct ep_mixing mixing[EP_N_PLACE_KINDS];
	struct ep_tick_sums ticks;
	/* time of the ticks that looked for system calls and found one in this path, or a page fault
	 * (load/time_places.h) */
	uint64_t calls_us;
	uint64_t faults_us;   /* the part of calls_us in page faults */
	double calls_squares; /* sum of the squares of the times that these ticks stand for, us^2 */
	uint64_t system_us;   /* the part of all CPU time in system calls; the report sets it */
	/* CPU time, divided at each moment by the number of threads that ran then */
	double latency_us;
	double alone_us; /* CPU time while no other thread ran */
};

/* CPU time of one path in one thread of an MPI rank: time of samples, hidden time if the path is a [kernel], or
 * (is_of_calls) time of ticks that look for system calls. After load/rank_costs.c has weighed them, the times of
 * all ranks add up to the path's time. */
struct ep_rank_cost {
	uint32_t thread_idx, path_idx;
	uint64_t us : 63;
	uint64_t is_of_calls : 1;
};

/* The waits of a thread in one call path for one thing, such as a lock (WAITS in docs/trace-format.md). */
struct ep_wait_cost {
	uint32_t thread_idx, path_idx;
	uint8_t kind; /* enum ep_wait_kind, or a kind that is not known */
	uint8_t holder_kind;
	uint32_t lock_module_idx; /* EP_NONE: lock is an absolute address */
	uint64_t lock;            /* address of the lock; 0: there is none */
	const char *name;         /* name of a file or a socket; NULL: there is none */
	/* number of the holder's thread in the process, plus one; 0: not known */
	uint32_t holder;
	uint32_t holder_path_idx; /* EP_NONE: not known */
	uint64_t n_waits, off_ns, longest_ns;
	/* the part of n_waits, off_ns and longest_ns that is shown, where only a part of the run is loaded */
	struct ep_sum_share shown;
	uint32_t row_idx; /* index of the row in the report's waits; EP_NONE: it is in no row */
};

/* Returns the part of a wait that is shown: all of it unless only a part of the run is loaded. */
static inline struct ep_sum_share ep_wait_shown(
	const struct ep_part *part, const struct ep_wait_cost *wait)
{
	return part->is_set ? wait->shown
			    : (struct ep_sum_share){ (double)wait->n_waits, (double)wait->off_ns,
				      wait->longest_ns, false };
}

/* CPU time by wall time, in bins of width_us from start_us. Bins are added and widened as needed. */
struct ep_timeline {
	uint64_t start_us, width_us; /* width_us is a power of two, start_us a multiple of it */
	uint32_t n_bins, capacity;
	uint32_t n_events;
	double *cpu_us; /* (n_bins) CPU time in each bin */
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
	const char *called;               /* the name that ep_trace_process_program returns */
	uint32_t file_idx;
	/* minor version of the trace's format; 0: not known */
	uint32_t minor_version;
	enum ep_born born;
	uint64_t born_ns; /* key.birth_ns on the clock of the trace's first process */
	/* is_other_run: the process is of another run than the first process of its file */
	bool has_meta, is_other_run;
	struct ep_groups groups;
	uint32_t *event_idx; /* (groups.n_events) index in the trace's events */
	/* (n_module_ids) index in the trace's modules, by the module's id in the trace */
	uint32_t *module_idx;
	uint32_t n_module_ids, module_capacity;
	/* index of the module for absolute addresses; EP_NONE: there is none yet */
	uint32_t unknown_module_idx;
	bool is_simulated;  /* valgrind ran the process: times are the simulator's */
	uint64_t window_us; /* CPU time between two ticks by time */
	/* CPU time between two ticks that look for system calls; 0: there were none */
	uint64_t calls_us;
	bool has_random_first_tick; /* the first tick of each thread came at a random time */
	/* callgrind's costs of this process are used: its samples count only in the timeline and in threads */
	bool has_costs;
	struct ep_counts costs;             /* the sum of callgrind's costs */
	struct ep_floating_counts floating; /* the sum of callgrind's floating-point operations */
	uint32_t n_costs_files;             /* how many of callgrind's files were read completely */
	bool lacks_costs;                   /* a piece of one of callgrind's files is missing */
	/* the offset in callgrind's file at which the next piece should begin */
	uint64_t costs_at;
	bool hides_kernel; /* the clock ticks in user mode only */
	bool has_end;
	struct ep_end end; /* how the process ended, without the note */
	bool has_children_us;
	uint64_t children_us; /* CPU time of the children that the process waited for */
	uint64_t last_us;     /* the latest time seen, since birth */
	uint32_t n_threads;
	uint64_t n_undecodable; /* blocks that could not be decoded */
	uint32_t n_machine_times;
	/* the first and the last reading of the machine's counts; equal if there is one reading */
	struct ep_machine_times machine_times[2];
	struct ep_machine_times *machine_series; /* (n_machine_times) all readings */
	uint32_t machine_capacity;
	struct ep_fill_events *fill_events; /* NULL until they are needed */
	void *filler;                       /* the estimator's state for the process */
	uint32_t n_fillers;                 /* how many of its threads have a filler */
	uint64_t n_learnt;                  /* how many slices the filler has seen or filled */
	/* the timeline of this process, with counts; filled where the option process_timelines asks for it */
	struct ep_timeline timeline;
};

/* A tick by the overflow of an event. */
struct ep_event_tick {
	uint32_t slice_idx; /* index of the window's slice among those that are pending */
	uint32_t path_idx;  /* where the event happened */
	uint8_t trigger;    /* the event's index in the process */
	uint8_t rarity;     /* each occurrence caused a tick with probability 2^-rarity */
};

/* The window being read: sums of its slices that were ended by an event. They are added to the slice that a
 * tick by time ends, since that slice is of the same group and ends the window. */
struct ep_window {
	uint32_t n_slices, n_events;
	uint32_t n_not_run; /* slices in which the counters did not run */
	uint64_t cpu_us, wall_us, idle_us;
	uint32_t flags;
	uint64_t *values; /* (n_events) sums of counts */
};

/* Slices that wait until the estimator has enough of them. Where events ended slices, whole windows wait. */
struct ep_pending {
	uint32_t n_ticks, tick_capacity;
	/* (n_ticks) ticks of the pending windows and of the window being read */
	struct ep_event_tick *ticks;
	uint32_t n_slices;
	uint32_t capacity;       /* capacity of samples and values */
	uint32_t place_capacity; /* capacity of path_idx and region_idx */
	/* how many of the first slices the filler has learnt from already */
	uint32_t n_learnt;
	struct ep_sample *samples; /* (n_slices) samples of the pending slices */
	uint32_t *path_idx;        /* (n_slices) path of each slice */
	uint32_t *region_idx;      /* (n_slices) EP_NONE: the slice is in no region */
	uint64_t *values;          /* (n_slices, n_events) counts of the slices */
};

/* A thread's last slices. They are kept because the slices after them decide whether their counts are mixed. */
struct ep_recent {
	uint32_t n_slices;
	/* the first n_judged slices are judged already; they are kept to judge the slices after them */
	uint32_t n_judged;
	uint32_t n_events;
	uint32_t *path_idx; /* (n_slices) NULL: not allocated yet */
	double *counts;     /* (n_slices, n_events) counts of the slices */
};

/* CPU time of the slices that ended in a path. */
struct ep_thread_end {
	uint32_t path_idx;
	uint64_t us;
};

/* The time before a thread's first tick and after its last one (load/time_places.h). */
struct ep_thread_ends {
	bool has_tick;
	/* the slice that the first tick ended; us 0: the tick's weight does not change */
	struct ep_thread_end first;
	struct ep_thread_end before; /* time of cut slices before the first tick */
	struct ep_thread_end tail;   /* time of cut slices after the last tick */
};

struct ep_trace_thread {
	uint32_t process_idx, number;
	uint32_t tid;
	const char *name;
	bool has_totals, is_final, is_wanted;
	/* totals of the last TOTALS block; the pointers in it are NULL */
	struct ep_totals totals;
	bool has_ready;
	/* time ready without a CPU in the part of the run that is shown */
	struct ep_ready_time ready;
	/* the running total of the last READY block; 0 before the first block */
	struct ep_ready_time last_ready;
	/* us since birth; last_us: of the last READY block, written_us: of the last totals */
	uint64_t last_us, written_us;
	struct ep_cost cost;
	/* wall time of the thread's samples in the part of the run that is wanted */
	uint64_t wall_us;
	uint64_t region_wall_ns; /* wall time in all regions that are shown */
	uint64_t n_got;          /* slices of the thread that were read */
	uint64_t n_outside;      /* how many of n_got are outside of the wanted part */
	uint64_t next_slice;     /* number that the next slice should have */
	/* seed of random choices; it does not depend on which files were read before the
	 * thread's own */
	uint64_t seed;
	struct ep_sums sums;
	uint32_t last_path_idx; /* path of the sample before; EP_PATH_ROOT: there was none */
	/* The thread's own root and lost path where each thread has its own paths, else
	 * EP_PATH_ROOT and EP_PATH_LOST. */
	uint32_t root_path_idx, lost_path_idx;
	/* (n_exact) by event: the total in the TOTALS block; negative: the block has none */
	double *exact;
	uint32_t n_exact;
	struct ep_timeline timeline;
	struct ep_thread_regions regions;
	struct ep_block_sums block_sums;
	uint32_t epoch;
	uint32_t *path_idx; /* (n_nodes) the path of each node of the current tree */
	uint32_t n_nodes, node_capacity;
	uint32_t *script_idx; /* (n_script_ids) index in scripts by function number */
	uint32_t n_script_ids, script_capacity;
	uint64_t n_unread_frames; /* frames of scripts for which no block tells a name */
	struct ep_pending pending;
	void *filler; /* the estimator's state for the thread */
	struct ep_recent recent;
	struct ep_thread_ends ends;
	struct ep_window window;
	uint64_t n_event_ticks; /* slices among n_got that the clock did not end */
	/* slices among n_event_ticks that were ended by an event which is counted */
	uint64_t n_counted_ticks;
	/* slices among n_event_ticks that ended in a system call; they count as samples */
	uint64_t n_call_samples;
	uint64_t n_windows; /* windows that were added up, with a trigger or not */
	uint64_t *armed_us; /* (n_armed) by event: how long each was the trigger */
	uint32_t n_armed;
};

struct ep_loss {
	uint64_t n_lost_slices; /* missing slices that their threads counted as lost */
	/* further slices that are missing by the numbers of slices: they were in damaged blocks */
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
	uint64_t n_unticked;   /* slices ended by a flush that lack ticks (EP_SAMPLE_UNTICKED) */
	uint64_t n_cut_stacks, n_broken_stacks; /* samples: outer frames cut; unwinding failed */
	/* time in which groups were enabled but did not count */
	uint64_t idle_us;
	uint64_t n_unfinished_threads, n_unfinished_processes;
};

/* The reason why callgrind's costs are not used: they exist only for whole runs of whole processes. */
enum ep_costs_absence {
	EP_COSTS_USED, /* the costs are used, or there are none */
	EP_COSTS_NOT_OF_A_PART,
	EP_COSTS_NOT_OF_A_THREAD,
};

struct ep_note {
	const char *text;
	/* the note was written before the program began, and says what cannot be measured */
	bool is_of_start;
};

/* The clock of all times in a trace: the clock of its first process. run NULL: not known yet. */
struct ep_clock_origin {
	const char *run;
	uint64_t birth_ns, realtime_ns;
};

struct ep_trace {
	struct ep_strings strings;
	struct ep_clock_origin origin;
	struct ep_part part;
	bool has_reduced; /* a part of the trace comes from a reduced file, which has no slices */
	struct ep_trace_process *processes;
	uint32_t n_processes, process_capacity;
	/* The indexes of the first process and thread of the recorded file that is being read. */
	uint32_t first_of_file, first_thread_of_file;
	struct ep_index process_index;
	struct ep_trace_thread *threads;
	uint32_t n_threads, thread_capacity;
	struct ep_index thread_index;
	struct ep_module_info *modules;
	uint32_t n_modules, module_capacity;
	struct ep_index module_index;
	uint32_t kernel_idx; /* index of the module [kernel], if has_kernel */
	bool has_kernel;
	struct ep_scripts scripts;
	struct ep_kept_maps kept_maps;
	bool knows_codes; /* kept_maps is complete, from a first reading of the trace */
	struct ep_path *paths;
	uint32_t n_paths, path_capacity;
	struct ep_index path_index;
	uint32_t *steps; /* scratch memory of ep_path_at */
	uint32_t step_capacity;
	struct ep_path_cost *costs;
	uint32_t n_costs, cost_capacity;
	struct ep_rank_cost *rank_costs;
	uint32_t n_rank_costs, rank_cost_capacity;
	/* the rank costs come from a file of format 1.2: times from ticks that look for system calls are missing,
	 * and hidden time is on the tick's own path, not on [kernel] */
	bool has_plain_rank_costs;
	struct ep_index rank_cost_index;
	struct ep_wait_cost *waits;
	/* in some thread with regions it is not known in which region it waited */
	bool waits_lack_regions;
	uint32_t n_waits, wait_capacity;
	struct ep_index wait_index;
	uint64_t n_lost_waits;
	struct ep_region_table regions;
	struct ep_event_info *events;
	uint32_t n_events, event_capacity;
	/* Callgrind's costs of the processes with has_costs; NULL: no process has any. Where exact is set, the time
	 * of paths is in cycles as callgrind counts them, not in microseconds (ep_unit_ns). */
	struct ep_costs *exact;
	/* sums of the samples of processes with has_costs, which count for no path */
	struct ep_sums unplaced;
	enum ep_costs_absence costs_absence;
	struct ep_note *notes; /* each text occurs once */
	uint32_t n_notes, note_capacity;
	struct ep_timeline timeline; /* times are microseconds on CLOCK_MONOTONIC */
	struct ep_latency *latency;  /* NULL: no thread ran */
	double latency_us;           /* sum of the paths' latency_us: time in which threads ran */
	/* parallel_us[i]: the time in which i + 1 threads ran at once; the last element is for EP_MAX_PARALLEL
	 * threads or more (load/latency.h). */
	double parallel_us[EP_MAX_PARALLEL];
	struct ep_loss loss;
	uint64_t n_at_schedulers_ticks; /* samples that were taken at ticks of the scheduler */
	/* CPU time of threads while a hypervisor's host had the CPU; it is left out of costs */
	uint64_t stolen_us;
	/* statistics of reading; for a reduced file those of the traces that it was made from */
	struct ep_reader_stats reader;
	struct ep_reader_stats files; /* statistics of the files that evreport itself read */
};

/* Returns the birth of the trace's earliest process, in ns on the trace's clock. */
uint64_t ep_trace_birth_ns(const struct ep_trace *trace);

/* Loads one file. The caller destroys the trace. Fails as ep_reader_run does. */
int ep_trace_load(const char *path, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err) EP_MUST_CHECK;

/* Loads several files as one trace, such as those of the machines of a job; paths is NULL-terminated. Times
 * of processes of other runs are moved to the first run's clock by means of the time of day. */
int ep_traces_load(const char *const *paths, const struct ep_load_options *options,
	struct ep_trace **out_trace, struct ep_error *err) EP_MUST_CHECK;
void ep_trace_destroy(struct ep_trace *trace);

/* Tells whether all that is known of the process are blocks that could not be read. */
bool ep_trace_process_is_void(const struct ep_trace_process *process);
/* Returns the name by which the process was started, as ps shows it. If that was a symbolic link, it is the link's
 * own name, since many programs may be links to one file. NULL: not known. */
const char *ep_trace_process_program(const struct ep_trace_process *process);
/* Returns the last part of the path of the process's executable; NULL: not known. */
const char *ep_trace_process_file(const struct ep_trace_process *process);
/* Returns the last part of a module's path. Where the module is an executable that all processes started by
 * one other name, it returns that name. */
const char *ep_trace_module_name(const struct ep_trace *trace, uint32_t module_idx);
/* Returns the number in a META value; fallback where the value is absent or no number. */
uint64_t ep_trace_process_number(
	const struct ep_trace_process *process, enum ep_meta_key key, uint64_t fallback);

#endif
