/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a recorded file that the reduced file holds unchanged. Of blocks with running totals only the
 * last one is kept. */
#ifndef EVPROF_REPORTER_LOAD_BLOCK_COPIES_H
#define EVPROF_REPORTER_LOAD_BLOCK_COPIES_H

#include "common/containers/index.h"
#include "common/error.h"
#include "common/trace.h"

struct ep_block_copy {
	struct ep_block block;
	/* number of the thread that wrote the block; 0: it belongs to the whole process */
	uint64_t thread;
	uint8_t *body;
};

struct ep_block_copies {
	struct ep_block_copy *rows;
	uint32_t n_rows, capacity;
	struct ep_index index;
};

/* Keeps a block, unless the reduced file has sums in place of blocks of its type. 0 or -ENOMEM. */
int ep_block_copies_keep(
	struct ep_block_copies *copies, const struct ep_block *block) EP_MUST_CHECK;
void ep_block_copies_forget(struct ep_block_copies *copies);
void ep_block_copies_finish(struct ep_block_copies *copies);

#endif
