/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams a trace: members found, inflated, split into blocks, the blocks given out in the order of
 * the file. Damage is stepped over and accounted for.
 */
#ifndef EVPROF_REPORTER_LOAD_READER_H
#define EVPROF_REPORTER_LOAD_READER_H

#include "common/error.h"
#include "common/trace.h"
#include "reporter/load/ahead.h"

struct ep_reader_stats {
	uint64_t n_files;
	uint32_t owner_uid;   /* of the first */
	uint64_t file_bytes;  /* read */
	uint64_t n_members;   /* that inflated, the empty ones apart */
	uint64_t n_end_marks; /* empty members */
	uint64_t inflated_bytes;
	uint64_t n_blocks;
	uint64_t damaged_bytes; /* of the file, stepped over */
	uint64_t n_damages;     /* stretches of them */
	uint64_t first_damage_at;
	const char *first_damage_in; /* path */
	uint64_t cut_bytes;          /* the beginning of a member at the end of the file */
	uint64_t n_bad_frames;       /* members whose inside is no chain of blocks to the end */
	uint64_t n_other_version;
	uint8_t other_version;
	bool ends_well; /* the last thing is the end mark */
};

struct ep_reader_ops {
	/* One block; member_at is its member's place in the file. -errno stops the reading. */
	int (*block)(void *context, const struct ep_block *block, uint64_t member_at);
	/* From time to time; size_bytes is 0 where it is not known (a pipe). May be NULL. */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
	/* Other threads read ahead; path is its next file. NULL: nothing is read ahead. */
	struct ep_ahead *ahead;
};

/* Reads path ("-": standard input) to its end. 0 also for a damaged trace, *out_stats tells.
 * -EBADMSG when there is not one block in it: no trace, and the message says what it looks like. */
int ep_reader_run(const char *path, const struct ep_reader_ops *ops, void *context,
	struct ep_reader_stats *out_stats, struct ep_error *err) EP_MUST_CHECK;

/* The sums of several files; what is said of a place is of the first that has one. */
void ep_reader_stats_add(
	struct ep_reader_stats *sum, const struct ep_reader_stats *more, const char *path);

/* Whether a trace, or another file of BGZF members, is at path: it would be lost if something else were
 * written there. */
bool ep_reader_is_trace(const char *path);

#endif
