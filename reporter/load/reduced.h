/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of reduced files, which hold a trace's sums in place of its slices (REDUCED in
 * docs/trace-format.md): evreport reduce writes them and every command reads them. Each record has one
 * function that both writes and reads it, so that the two cannot differ.
 */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_H
#define EVPROF_REPORTER_LOAD_REDUCED_H

#include "common/trace_cursor.h"
#include "reporter/load/latency_private.h"
#include "reporter/load/load.h"

/* The kind of a block, which is the block's first number. */
enum ep_reduced_kind {
	EP_REDUCED_HEAD,
	EP_REDUCED_FILE,
	EP_REDUCED_PROCESS,
	EP_REDUCED_EVENTS,
	EP_REDUCED_MODULES,
	EP_REDUCED_SCRIPTS,
	EP_REDUCED_PATHS,
	EP_REDUCED_THREAD,
	EP_REDUCED_ARMED,
	EP_REDUCED_THREAD_SUMS,
	EP_REDUCED_RANK_COSTS,
	EP_REDUCED_WAITS,
	EP_REDUCED_COSTS,
	EP_REDUCED_SUMS,
	EP_REDUCED_TICKS,
	EP_REDUCED_EVENT_STATS,
	EP_REDUCED_BINS,
	EP_REDUCED_LATENCY,
	EP_REDUCED_KEPT,
	EP_REDUCED_NOTES,
	EP_REDUCED_TAIL,
	EP_REDUCED_RANK_COLUMNS,
	EP_REDUCED_PARTED,
	EP_REDUCED_SIZES,
	EP_REDUCED_REGIONS,
	EP_REDUCED_REGION_STATS,
	EP_REDUCED_FAULTS,
	EP_N_REDUCED_KINDS,
};

extern const char *const ep_reduced_names[EP_N_REDUCED_KINDS];

/* A sequence of fields: written to out, or, where out is NULL, read from in. */
struct ep_fields {
	struct ep_wire *out;
	struct ep_cursor in;
};

void ep_field_u(struct ep_fields *fields, uint64_t *value);
void ep_field_u32(struct ep_fields *fields, uint32_t *value);
/* A text. After reading, text points into the block. NULL is written, too, and is read back as NULL. */
struct ep_field_text {
	const char *text;
	size_t size;
};
void ep_field_text(struct ep_fields *fields, struct ep_field_text *text);

/* A bin of a timeline. Ids in all records are numbers that are valid in this file only; paths 0 and 1 are
 * always EP_PATH_ROOT and EP_PATH_LOST. */
struct ep_reduced_bin {
	uint32_t owner; /* 0: the run's timeline; else the thread's number plus one */
	uint32_t first_event, n_counts;
	uint64_t from_us, width_us;
	double cpu_us;
	/* (n_counts) counts of the events from first_event on */
	double counts[EP_TRACE_MAX_EVENTS];
};

/* The sums of one event for an owner, which is a path's id or a thread's number. */
struct ep_reduced_sum {
	uint32_t owner, event;
	struct ep_event_sum sum;
	float changes[EP_N_REPLICAS];
	bool has_changes;
};

struct ep_reduced_tick {
	uint32_t path, event;
	struct ep_tick_sum sum;
};

struct ep_reduced_wait {
	uint32_t thread;
	struct ep_wait_cost cost;
	struct ep_field_text name;
};

struct ep_reduced_region {
	uint32_t id;
	struct ep_field_text name;
	struct ep_region region; /* parent_idx: the id of the region around it */
};

struct ep_reduced_event {
	uint32_t id;
	struct ep_field_text name, unit, estimator;
	struct ep_event_info info;
};

struct ep_reduced_module {
	uint32_t id;
	struct ep_field_text path, build_id;
	struct ep_module_info info;
};

struct ep_reduced_script {
	uint32_t id;
	struct ep_field_text name, file, table;
	struct ep_script script;
};

struct ep_reduced_file {
	struct ep_reader_stats stats;
	struct ep_field_text damaged_path;
};

void ep_reduced_file_fields(struct ep_fields *fields, struct ep_reduced_file *file);
void ep_reduced_event_fields(struct ep_fields *fields, struct ep_reduced_event *event);
void ep_reduced_stats_fields(struct ep_fields *fields, struct ep_reduced_event *event);
void ep_reduced_module_fields(struct ep_fields *fields, struct ep_reduced_module *module);
void ep_reduced_script_fields(struct ep_fields *fields, struct ep_reduced_script *script);
void ep_reduced_path_fields(struct ep_fields *fields, uint32_t *id, struct ep_path *path);
void ep_reduced_thread_fields(struct ep_fields *fields, struct ep_trace_thread *thread);
void ep_reduced_cost_fields(struct ep_fields *fields, uint32_t *path, struct ep_path_cost *cost);
void ep_reduced_faults_fields(struct ep_fields *fields, uint32_t *path, uint64_t *faults_us);
void ep_reduced_sum_fields(struct ep_fields *fields, struct ep_reduced_sum *sum);
void ep_reduced_tick_fields(struct ep_fields *fields, struct ep_reduced_tick *tick);
void ep_reduced_parted_fields(struct ep_fields *fields, struct ep_reduced_tick *tick);
void ep_reduced_sizes_fields(struct ep_fields *fields, struct ep_reduced_tick *tick);
void ep_reduced_wait_fields(struct ep_fields *fields, struct ep_reduced_wait *wait);
void ep_reduced_bin_fields(struct ep_fields *fields, struct ep_reduced_bin *bin);
void ep_reduced_latency_fields(struct ep_fields *fields, struct ep_latency_bin *bin);
void ep_reduced_kept_fields(struct ep_fields *fields, struct ep_latency_kept *kept);
void ep_reduced_region_fields(struct ep_fields *fields, struct ep_reduced_region *region);
/* Writes or reads the table's members except its rows. */
void ep_reduced_region_stats_fields(struct ep_fields *fields, struct ep_region_table *table);
void ep_reduced_tail_fields(struct ep_fields *fields, struct ep_trace *trace);

#endif
