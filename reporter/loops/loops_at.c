// SPDX-License-Identifier: BSD-3-Clause
/* Has the functions that need no capstone: for loops that were found, and for names. */
#include <stdlib.h>

#include "reporter/loops/access.h"
#include "reporter/loops/listing.h"

void ep_loops_finish(struct ep_loops *loops)
{
	free(loops->rows);
	free(loops->ranges);
	*loops = (struct ep_loops){ 0 };
}

uint32_t ep_loops_at(const struct ep_loops *loops, uint64_t address)
{
	uint32_t low = 0, high = loops->n_ranges;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (loops->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < loops->n_ranges && loops->ranges[low].start <= address
		       ? loops->ranges[low].loop_idx
		       : EP_NO_LOOP;
}

const char *ep_access_name(enum ep_access access)
{
	static const char *const names[EP_N_ACCESSES] = { [EP_ACCESS_CONTIGUOUS] = "contiguous",
		[EP_ACCESS_VARIABLE] = "variable",
		[EP_ACCESS_STRIDED] = "strided",
		[EP_ACCESS_GATHER] = "gather",
		[EP_ACCESS_LINKED] = "linked" };

	return names[access];
}

void ep_listing_finish(struct ep_listing *listing)
{
	free(listing->rows);
	free(listing->texts);
	*listing = (struct ep_listing){ 0 };
}
