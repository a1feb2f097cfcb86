// SPDX-License-Identifier: BSD-3-Clause
/* Loops that were found, with or without capstone here. */
#include <stdlib.h>

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

void ep_listing_finish(struct ep_listing *listing)
{
	free(listing->rows);
	free(listing->texts);
	*listing = (struct ep_listing){ 0 };
}
