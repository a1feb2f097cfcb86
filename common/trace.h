/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.gz, version 1.4: the blocks, and functions to write and read them. docs/trace-format.md describes the format.
 *
 * The preloaded library calls the encoders in signal handlers, so the encoders neither allocate, lock nor use stdio.
 * The decoders check all bytes of a file.
 */
#ifndef EVPROF_COMMON_TRACE_H
#define EVPROF_COMMON_TRACE_H

#include "common/error.h"
#include "common/trace_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EP_TRACE_MAGIC 0x42505645u /* "EVPB" */
#define EP_TRACE_VERSION 1         /* readers refuse traces of another version */
#define EP_TRACE_MINOR_VERSION 4   /* rises with additions (docs/formats.md) */
#define EP_BLOCK_HEADER_BYTES 24
#define EP_MEMBER_MAX_BYTES 65536 /* the most bytes of a gzip member, packed and inflated */
#define EP_TRACE_MAX_EVENTS 256   /* the most events of the event table */
#define EP_TRACE_MAX_GROUPS 64

enum ep_block_type {
	EP_BLOCK_META = 1,
	EP_BLOCK_MODULES,
	EP_BLOCK_STACKS,
	EP_BLOCK_SAMPLES,
	EP_BLOCK_TOTALS,
	EP_BLOCK_END,
	EP_BLOCK_NOTE,
	EP_BLOCK_READY,
	EP_BLOCK_CHILDREN,
	EP_BLOCK_MACHINE,
	EP_BLOCK_COSTS,
	EP_BLOCK_WAITS,
	EP_BLOCK_CODE,
	EP_BLOCK_REDUCED,
	EP_BLOCK_PERF_MAP,
	EP_BLOCK_REGIONS,
	EP_BLOCK_MADE_CODE,
	EP_BLOCK_WAIT_REGIONS,
	EP_N_BLOCK_TYPES, /* one more than the last type; type 0 is none */
};

/* The first bytes of a file tell whether it is a trace: the first member of a trace is not compressed, so the magic
 * number of its META block follows the headers of gzip (18 bytes) and of the deflate block (5 bytes). */
#define EP_TRACE_START_BYTES 27

static inline bool ep_trace_is_start(const uint8_t start[EP_TRACE_START_BYTES])
{
	return !memcmp(start, "\x1f\x8b\x08\x04", 4) && !memcmp(start + 23, "EVPB", 4);
}

enum ep_sample_flag {
	EP_SAMPLE_CUT = 1,     /* a flush of the rows ended the slice before its tick */
	EP_SAMPLE_DEEP = 2,    /* the stack was cut: its outer frames are missing */
	EP_SAMPLE_BROKEN = 4,  /* the unwinder could not reach the outermost frame */
	EP_SAMPLE_NOT_RUN = 8, /* the counters did not run: all counts are missing */
	EP_SAMPLE_INCOMPLETE = 16,
	EP_SAMPLE_AT_SCHEDULERS_TICK = 32,
	EP_SAMPLE_NOT_SYSTEM = 64,    /* far longer than a period, but not by system calls */
	EP_SAMPLE_AT_EVENT = 128,     /* the trigger's overflow ended the slice */
	EP_SAMPLE_IN_CALL = 1 << 22,  /* with AT_EVENT: a look for system calls ended the slice */
	EP_SAMPLE_UNTICKED = 1 << 23, /* ticks were lost: the queue of signals was full */
	EP_SAMPLE_IN_FAULT =
		1 << 24, /* with IN_CALL: the look found a page fault, not a system call */
};

/* Bits 8 to 15 of the flags have 1 + the index of the event that was armed as the slice's trigger; 0: no event was.
 * Bits 16 to 21 have the trigger's rarity k: each occurrence of the event ended the slice with probability 2^-k. */
#define EP_SAMPLE_TRIGGER_SHIFT 8
#define EP_SAMPLE_RARITY_SHIFT 16
#define EP_RARITY_MAX 47

static inline uint32_t ep_sample_trigger_flags(uint32_t event_idx, uint32_t rarity)
{
	return (event_idx + 1) << EP_SAMPLE_TRIGGER_SHIFT | rarity << EP_SAMPLE_RARITY_SHIFT;
}

/* Returns the index of the event that was armed as the trigger; -1: no event was. */
static inline int ep_sample_trigger(uint64_t flags)
{
	return (int)(flags >> EP_SAMPLE_TRIGGER_SHIFT & 0xff) - 1;
}

static inline uint32_t ep_sample_rarity(uint64_t flags)
{
	return flags >> EP_SAMPLE_RARITY_SHIFT & 0x3f;
}

/* A look for system calls is due each calls_ns of CPU time (META). A slice that a look ended has no trigger. Its bits
 * of the rarity have the number of further looks that were due, for which the kernel sent no signal of their own. */
#define EP_MORE_LOOKS_MAX 0x3f

static inline uint32_t ep_sample_more_looks_flags(uint32_t n_more)
{
	return (n_more < EP_MORE_LOOKS_MAX ? n_more : EP_MORE_LOOKS_MAX) << EP_SAMPLE_RARITY_SHIFT;
}

static inline uint32_t ep_sample_looks(uint64_t flags)
{
	return 1 + (flags >> EP_SAMPLE_RARITY_SHIFT & EP_MORE_LOOKS_MAX);
}

/* How a process began. The line `born` of META has the name. */
enum ep_born {
	EP_BORN_UNKNOWN,
	EP_BORN_ROOT,
	EP_BORN_FORK,
	EP_BORN_EXEC,
	EP_N_BORN,
};
/* names such as "root"; "" for EP_BORN_UNKNOWN */
extern const char *const ep_born_names[EP_N_BORN];

enum ep_end_how {
	EP_END_EXIT,
	EP_END_EXIT_NOW, /* _exit, _Exit */
	EP_END_EXEC,
	EP_END_SIGNAL,
	EP_END_QUICK_EXIT,
	EP_END_SANDBOX,
	EP_END_FAILED,
	EP_END_STOPPED,
};

/* Columns of a SAMPLES block; the columns of events follow. */
enum ep_sample_column {
	EP_COLUMN_CPU,
	EP_COLUMN_OFF,
	EP_COLUMN_STACK,
	EP_COLUMN_GROUP,
	EP_COLUMN_FLAGS,
	EP_COLUMN_IDLE,
	EP_N_FIXED_COLUMNS,
};

struct ep_process_key {
	uint32_t pid;
	uint64_t birth_ns; /* CLOCK_MONOTONIC */
};

struct ep_block {
	uint8_t type; /* enum ep_block_type, or a type that is not known */
	struct ep_process_key key;
	const uint8_t *body;
	size_t size_bytes;
};

/* ---- blocks ---- */

/* ep_block_start appends a block's header without the length, and returns the header's position for ep_block_finish.
 * ep_block_finish sets the length, or removes the whole block if a part of it did not fit. */
size_t ep_block_start(struct ep_wire *wire, enum ep_block_type type, struct ep_process_key key);
void ep_block_finish(struct ep_wire *wire, size_t header_at);

/* ---- members ---- */

extern const uint8_t ep_bgzf_eof[28];

/* A packer has one deflate state of about 0.3 MB, which is allocated here; packing allocates nothing. */
struct ep_packer *ep_packer_create(void);
void ep_packer_destroy(struct ep_packer *packer);
/* Packs size_bytes (at most EP_MEMBER_MAX_BYTES - 512) into out (EP_MEMBER_MAX_BYTES) and returns the member's size.
 * Data that cannot be compressed are stored; with a NULL packer all data are stored. Returns 0 only for more bytes. */
size_t ep_packer_pack(struct ep_packer *packer, const uint8_t *in, size_t size_bytes, uint8_t *out);

/* Returns the size of the member that begins at data, from the field BC of its gzip header. Returns 0 if data is no
 * member, or, with *out_need_more true, if the member is not complete in size_bytes. */
size_t ep_member_size(const uint8_t *data, size_t size_bytes, bool *out_need_more);

/* Inflates one member. Each thread needs an inflater of its own. Returns 0 or -EBADMSG. */
struct ep_inflater *ep_inflater_create(void);
void ep_inflater_destroy(struct ep_inflater *inflater);
int ep_inflater_inflate(struct ep_inflater *inflater, const uint8_t *member, size_t size_bytes,
	uint8_t out[EP_MEMBER_MAX_BYTES], size_t *out_size_bytes) EP_MUST_CHECK;

/* Sets *out_block to the next block of an inflated member and returns 1. *at is 0 before the first call. 0: the end;
 * -EBADMSG: a broken header; -EPROTONOSUPPORT: a block of another version, whose number is in out_block->type. */
int ep_block_next(const uint8_t *data, size_t size_bytes, size_t *at,
	struct ep_block *out_block) EP_MUST_CHECK;

/* ---- decoded bodies of blocks; texts and bytes are not copied, but point into the block ---- */

struct ep_module {
	uint32_t id;
	uint64_t start, end; /* addresses of the module's code */
	uint64_t bias;
	uint64_t time_us;
	const char *path; /* not NUL-terminated */
	size_t path_size;
	const uint8_t *build_id;
	size_t build_id_size;
};

/* Iterates over the modules of a block, from *at = 0. Returns 1, 0 at the end, or -EBADMSG. */
int ep_modules_next(
	const struct ep_block *block, size_t *at, struct ep_module *out_module) EP_MUST_CHECK;

struct ep_stack_node {
	uint32_t parent_idx;
	uint32_t module_id; /* 0: address is absolute */
	uint64_t address;
};

/* Makes the address of a frame of a script's function. Such a frame is in no module. Bit 63 marks the address; below
 * are the number of the function's code in the thread (bits 25 to 62) and the instruction's offset in the code in bytes
 * (bits 1 to 24). Bit 0 is set, so that the address minus 1, by which readers look callers up, is in the same code. */
#define EP_SCRIPT_CODE_SHIFT 25
#define EP_SCRIPT_OFFSET_MAX 0xffffff

static inline uint64_t ep_script_address(uint32_t code, int64_t offset)
{
	offset = offset < 0 ? 0 : offset > EP_SCRIPT_OFFSET_MAX ? EP_SCRIPT_OFFSET_MAX : offset;
	return 1ull << 63 | (uint64_t)code << EP_SCRIPT_CODE_SHIFT | (uint64_t)offset << 1 | 1;
}

static inline bool ep_is_script_address(uint64_t address)
{
	return address >> 63;
}

struct ep_stacks {
	uint32_t thread;
	uint32_t epoch;
	uint32_t first_idx;
	uint32_t n_nodes;
	struct ep_stack_node *nodes; /* (n_nodes), freed by the caller */
};

int ep_stacks_decode(const struct ep_block *block, struct ep_stacks *out_stacks) EP_MUST_CHECK;

struct ep_sample {
	uint64_t time_us; /* the slice's end: the time since the process's birth */
	uint64_t cpu_us;
	uint64_t wall_us;
	uint64_t idle_us;
	uint32_t node_idx;
	uint16_t group;
	uint32_t flags; /* enum ep_sample_flag, and the trigger and its rarity */
};

/* The groups of events of a process, from its META block. */
struct ep_groups {
	uint32_t n_events;
	uint32_t n_groups;
	uint64_t period_us;
	/* holds[g * n_events + e]: position of event e in group g plus one; 0: group g does not hold event e */
	uint8_t *holds;
};

struct ep_samples {
	uint32_t thread;
	uint32_t epoch;
	uint32_t n_samples;
	uint64_t first_slice;
	struct ep_sample *samples; /* (n_samples), freed by the caller */
	/* (n_samples, n_events) counts, freed by the caller. A count is valid if the sample's group holds the event and
	 * EP_SAMPLE_NOT_RUN is not set in the sample's flags; else it is 0. */
	uint64_t *values;
};

/* Returns how many samples of the block have no EP_SAMPLE_AT_EVENT: neither an event nor a look for system calls ended
 * them. Returns 0 if the block's columns are damaged. */
uint32_t ep_samples_count_of_clock(const struct ep_block *block);
int ep_samples_decode(const struct ep_block *block, const struct ep_groups *groups,
	struct ep_samples *out_samples) EP_MUST_CHECK;

struct ep_group_totals {
	uint64_t n_slices;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint32_t n_counts;
	uint32_t first_count; /* index into counts */
};

struct ep_totals {
	uint32_t thread;
	uint32_t tid;
	const char *name; /* not NUL-terminated */
	size_t name_size;
	bool final;
	uint64_t start_us, end_us;
	uint64_t cpu_ns;
	uint64_t n_samples, n_lost;
	uint64_t own_ns;
	uint64_t n_minor_faults, n_major_faults;
	uint64_t n_voluntary, n_involuntary; /* context switches */
	uint32_t n_groups;
	struct ep_group_totals *groups; /* (n_groups), freed by the caller */
	uint64_t *counts;               /* all groups' counts in order, freed by the caller */
};

int ep_totals_decode(const struct ep_block *block, struct ep_totals *out_totals) EP_MUST_CHECK;

/* A function of a script that an interpreter executes. */
struct ep_code {
	uint32_t id;    /* numbers begin at 1 in each thread */
	uint32_t minor; /* the version of CPython that made table is 3.minor */
	uint32_t first_line;
	const char *name, *file; /* not NUL-terminated */
	size_t name_size, file_size;
	/* the table from instructions to lines, in the format of CPython 3.minor */
	const uint8_t *table;
	size_t table_size;
};

struct ep_codes_head {
	uint32_t thread;
	uint64_t n_unread; /* frames of scripts without a name in the thread so far */
	uint32_t n_codes;
};

/* Checks the whole block. Sets *out_at to the position of the first code in the body. */
int ep_codes_head_decode(
	const struct ep_block *block, size_t *out_at, struct ep_codes_head *out_head) EP_MUST_CHECK;
/* Iterates over the codes of a block, from *at = *out_at. Returns 1, 0 at the end, or -EBADMSG. */
int ep_codes_next(const struct ep_block *block, size_t *at, struct ep_code *out_code) EP_MUST_CHECK;

struct ep_ready_time {
	uint32_t thread;
	uint64_t ready_ns; /* the time in which the thread was ready to run and had no CPU */
	uint64_t n_turns;  /* how often the thread got a CPU */
};

int ep_ready_time_decode(
	const struct ep_block *block, struct ep_ready_time *out_time) EP_MUST_CHECK;

/* The kind of a call that blocked. The kind says what the thread waited for. */
enum ep_wait_kind {
	EP_WAIT_MUTEX = 1,
	EP_WAIT_RWLOCK,
	EP_WAIT_CONDITION,
	EP_WAIT_SEMAPHORE,
	EP_WAIT_BARRIER,
	EP_WAIT_JOIN,
	EP_WAIT_READ,  /* read and other calls that receive */
	EP_WAIT_WRITE, /* write and other calls that send */
	EP_WAIT_ACCEPT,
	EP_WAIT_CONNECT,
	EP_WAIT_POLL, /* poll, select and epoll */
	EP_WAIT_SLEEP,
	EP_WAIT_CHILD,
	EP_WAIT_FILE_LOCK,
	EP_WAIT_SYNC,
	EP_WAIT_SIGNAL,
	EP_N_WAIT_KINDS, /* the number of kinds plus one */
};

/* A sum over calls of one kind that waited in the same call path, for the same lock, file or socket, while the
 * lock's holder was in one call path. off_ns 0: n_waits calls of the kind were not measured, since there were too many
 * of them in little CPU time; only n_waits and kind are set. */
struct ep_wait_sum {
	uint32_t node_idx;
	uint8_t kind; /* enum ep_wait_kind, or a kind that is not known */
	uint64_t n_waits;
	uint64_t off_ns, longest_ns; /* time that the thread was off its CPU */
	uint32_t object_module;      /* 0: the address is absolute */
	uint64_t object;             /* address of the lock; 0: no lock, or not known */
	/* the index of the file's or socket's name in the block plus one; 0: there is no name */
	uint32_t name;
	uint32_t holder;      /* the number of the holder's thread plus one; 0: not known */
	uint32_t holder_node; /* the holder's call path, a node of the waiting thread's tree */
	uint8_t holder_kind;  /* the kind of the holder's own wait; 0: the holder computed */
	uint32_t region;      /* the node of the innermost region, in WAIT_REGIONS; 0: no region */
};

#define EP_WAIT_MAX_NAMES 32

struct ep_wait_name {
	const char *text; /* (size) bytes in the decoded block */
	size_t size;
};

struct ep_waits {
	uint32_t thread;
	uint32_t epoch;
	uint64_t n_lost; /* waits since the last block that could not be recorded */
	uint32_t n_names, n_sums;
	struct ep_wait_name names[EP_WAIT_MAX_NAMES]; /* names of files and sockets */
	struct ep_wait_sum *sums;                     /* (n_sums), freed by the caller */
};

/* Appends a WAITS block. Runs in signal handlers. */
void ep_waits_encode(struct ep_wire *wire, struct ep_process_key key, const struct ep_waits *waits);
int ep_waits_decode(const struct ep_block *block, struct ep_waits *out_waits) EP_MUST_CHECK;

/* The region of each sum of the thread's next WAITS block: the innermost region in which the thread waited. */
struct ep_wait_regions {
	uint32_t thread;
	uint32_t n_sums;
	uint32_t *nodes; /* (n_sums) nodes of REGIONS; 0: no region; freed by the caller */
};

/* Appends a WAIT_REGIONS block. Runs in signal handlers. */
void ep_wait_regions_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_waits *waits);
int ep_wait_regions_decode(
	const struct ep_block *block, struct ep_wait_regions *out_regions) EP_MUST_CHECK;

/* Values of the whole machine that only grow. Only the difference of a value at two moments has a meaning. */
enum ep_machine_time {
	EP_MACHINE_BUSY_US = 1, /* busy time of all CPUs together, with stolen time */
	EP_MACHINE_STOLEN_US,   /* time that a virtual machine's host took */
	EP_MACHINE_N_PERIODS,   /* periods of the control group's CPU limit */
	EP_MACHINE_N_THROTTLED, /* periods in which the limit stopped the group */
	EP_MACHINE_THROTTLED_US,
	/* this and all following values are counted from when the process began to read them */
	EP_MACHINE_PACKAGE_UJ,
	EP_MACHINE_MEMORY_UJ,
	EP_MACHINE_READ_BYTES, /* read by memory controllers */
	EP_MACHINE_WRITTEN_BYTES,
	EP_MACHINE_MOVED_BYTES, /* read and written together */
	EP_N_MACHINE_TIMES,     /* the number of values plus one */
};

/* The name and unit by which formulas use a value of enum ep_machine_time. name NULL: formulas cannot use the value. */
struct ep_machine_amount {
	const char *name, *unit;
	double scale; /* the amount in unit = scale * the value in the trace */
};
extern const struct ep_machine_amount ep_machine_amounts[EP_N_MACHINE_TIMES];
/* Returns the value that formulas use by this name; 0: there is no such value. */
enum ep_machine_time ep_machine_amount_find(const char *name);

struct ep_machine_times {
	uint64_t time_us;
	bool is_known[EP_N_MACHINE_TIMES];
	uint64_t values[EP_N_MACHINE_TIMES];
};

/* Sets the bytes moved to the sum of the bytes read and the bytes written. The sum is known only if both terms are. */
void ep_machine_times_add_up_moved(struct ep_machine_times *times);

/* Appends a MACHINE block, or nothing if no value is known. */
void ep_machine_times_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_machine_times *times);
int ep_machine_times_decode(
	const struct ep_block *block, struct ep_machine_times *out_times) EP_MUST_CHECK;

struct ep_end {
	uint64_t time_us;
	enum ep_end_how how;
	uint32_t status; /* the exit status, or the signal's number */
	uint64_t user_us, system_us;
	uint64_t peak_rss_kib;
	const char *note; /* not NUL-terminated */
	size_t note_size;
};

/* A piece of one of callgrind's files; the files of a process are numbered from 0. */
struct ep_costs_piece {
	uint32_t file;
	bool is_last;
	uint64_t offset;  /* position in the file */
	const char *text; /* not NUL-terminated */
	size_t size;
};

#define EP_COSTS_PIECE_BYTES 60000 /* the most bytes of a piece, so that it fits into a member */

void ep_costs_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_costs_piece *piece);
int ep_costs_decode(const struct ep_block *block, struct ep_costs_piece *out_piece) EP_MUST_CHECK;

/* Reads the CPU time of the process's children since its program began: of those that it has waited for, and of those
 * that these children waited for. */
int ep_children_decode(const struct ep_block *block, uint64_t *out_us) EP_MUST_CHECK;

int ep_end_decode(const struct ep_block *block, struct ep_end *out_end) EP_MUST_CHECK;

/* Iterates over the lines of a META body, from *at = 0. key and value point into the body: they are not NUL-terminated,
 * and their escapes are not replaced. Returns 1, 0 at the end, or -EBADMSG for a line without a tab or a key. */
struct ep_meta_line {
	const char *key;
	size_t key_size;
	const char *value;
	size_t value_size;
};
int ep_meta_next(
	const struct ep_block *block, size_t *at, struct ep_meta_line *out_line) EP_MUST_CHECK;

/* Replaces the escapes (\\ \t \n) of one field of a META value in place. Returns the new size. */
size_t ep_meta_unescape(char *text, size_t size);

#endif
