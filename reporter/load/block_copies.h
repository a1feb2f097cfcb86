/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a recorded file that its reduction holds unchanged. Of blocks that hold running totals
 * it keeps the last. */
#ifndef EVPROF_REPORTER_LOAD_BLOCK_COPIES_H
#define EVPROF_REPORTER_LOAD_BLOCK_COPIES_H

#include "common/containers/index.h"
#include "common/error.h"
#include "common/trace.h"

struct ep_block_copy {
	struct ep_block block;
	uint64_t thread; /* the thread that wrote it; 0: a process did */
	uint8_t *body;
};

struct ep_block_copies {
	struct ep_block_copy *rows;
	uint32_t n_rows, capacity;
	struct ep_index index;
};

/* Keeps a block, unless sums stand for its type. 0 or -ENOMEM. */
int ep_block_copies_keep(
	struct ep_block_copies *copies, const struct ep_block *block) EP_MUST_CHECK;
void ep_block_copies_forget(struct ep_block_copies *copies);
void ep_block_copies_finish(struct ep_block_copies *copies);

#endif
