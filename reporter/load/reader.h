/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a trace as a stream: finds its members, inflates them, splits them into blocks, and passes the blocks
 * on in the order of the file. Damaged bytes are skipped and counted.
 */
#ifndef EVPROF_REPORTER_LOAD_READER_H
#define EVPROF_REPORTER_LOAD_READER_H

#include "common/error.h"
#include "common/trace.h"
#include "reporter/load/ahead.h"

struct ep_reader_stats {
	uint64_t n_files;
	uint32_t owner_uid;   /* owner of the first file */
	uint64_t file_bytes;  /* bytes that were read */
	uint64_t n_members;   /* members that could be inflated, without the empty ones */
	uint64_t n_end_marks; /* empty members, each of which ends a trace */
	uint64_t inflated_bytes;
	uint64_t n_blocks;
	uint64_t damaged_bytes; /* damaged bytes of the file that were skipped */
	uint64_t n_damages;     /* number of stretches of damaged bytes */
	uint64_t first_damage_at;
	const char *first_damage_in; /* path of the file with the first damage */
	uint64_t cut_bytes;          /* bytes of an incomplete member at the end of the file */
	/* members whose content is not a complete sequence of blocks */
	uint64_t n_bad_frames;
	uint64_t n_other_version;
	uint8_t other_version;
	bool ends_well; /* the file ends with the end mark */
};

struct ep_reader_ops {
	/* Takes one block; member_at is the offset of its member in the file. A negative errno stops the
	 * reading. */
	int (*block)(void *context, const struct ep_block *block, uint64_t member_at);
	/* Called from time to time; size_bytes is 0 where it is not known (a pipe). May be NULL. */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
	/* Threads that read ahead; path must be the next of their files. NULL: nothing is read ahead. */
	struct ep_ahead *ahead;
};

/* Reads path ("-": standard input) to its end. Returns 0 also for a damaged trace; *out_stats tells of the
 * damage. -EBADMSG: there is not a single block, so that the file is no trace; err says what the file looks
 * like. */
int ep_reader_run(const char *path, const struct ep_reader_ops *ops, void *context,
	struct ep_reader_stats *out_stats, struct ep_error *err) EP_MUST_CHECK;

/* Adds up the statistics of several files; path and offset of the first damage are those of the first file
 * that has one. */
void ep_reader_stats_add(
	struct ep_reader_stats *sum, const struct ep_reader_stats *more, const char *path);

/* Tells whether a trace, or another file of BGZF members, is at path: writing something else there would
 * destroy it. */
bool ep_reader_is_trace(const char *path);

#endif
