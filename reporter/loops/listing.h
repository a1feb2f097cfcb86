/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the instructions of a procedure as text; on x86 in AT&T syntax, as objdump and perf write it. */
#ifndef EVPROF_REPORTER_LOOPS_LISTING_H
#define EVPROF_REPORTER_LOOPS_LISTING_H

#include "reporter/loops/loops.h"

struct ep_listed_instruction {
	uint64_t address;
	uint32_t n_bytes;
	uint32_t text_at; /* offset in texts */
	bool is_blocked; /* a load that waits for stores (forwarding.h); false: not, or not known */
};

struct ep_listing {
	struct ep_listed_instruction *rows; /* (n_rows) sorted by address, without gaps */
	uint32_t n_rows, capacity;
	char *texts;
	size_t n_text_bytes, text_capacity;
};

#if EP_HAS_CAPSTONE
/* Lists the instructions. Returns 0, -ENOTSUP for code of another machine, -E2BIG for more than
 * EP_LOOPS_MOST_BYTES, or -ENOMEM. */
int ep_listing_create(const struct ep_procedure_code *code, struct ep_listing *out) EP_MUST_CHECK;
#else
static inline EP_MUST_CHECK int ep_listing_create(
	const struct ep_procedure_code *code, struct ep_listing *out)
{
	return -ENOSYS;
}
#endif

void ep_listing_finish(struct ep_listing *listing);

static inline const char *ep_listing_text(const struct ep_listing *listing, uint32_t i)
{
	return listing->texts + listing->rows[i].text_at;
}

#endif
