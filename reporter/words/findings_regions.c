// SPDX-License-Identifier: BSD-3-Clause
/* Adds findings on regions whose beginnings and ends in the program do not match, or for which there was no room. */
#include "reporter/words/findings.h"
#include "reporter/words/words.h"

/* Adds a finding if it is not known which waits were in the region. One thread for which this is not known is
 * enough, since the report then shows no waits. */
static void find_waits(struct ep_words *b)
{
	if (b->trace->part.region && b->trace->waits_lack_regions)
		NOTE(b, "The evprof that recorded this run noted waits, but not in which regions they were: regions have no waits here. A new recording has them.");
}

void ep_find_regions(struct ep_words *b)
{
	const struct ep_region_table *table = &b->trace->regions;

	find_waits(b);
	if (b->trace->part.is_set)
		return;
	if (table->n_unmatched)
		NOTE(b, "%s of a region had no begin in its thread, and %s left out.",
			ep_number_of(b, table->n_unmatched, "end"),
			table->n_unmatched == 1 ? "is" : "are");
	if (table->n_left)
		NOTE(b, "%s without an end of its own until that of the region around: an exception or a longjmp left it, or an end is missing in the program.",
			ep_number_of(b, table->n_left, "begin"));
	if (table->n_open)
		NOTE(b, "%s had not ended when the thread or the program ended: the time counts up to that end.",
			ep_number_of(b, table->n_open, "region"));
	if (table->n_lost)
		WARN(b, "%s of a region could not be kept: evprof keeps %d regions of a thread (a region inside another one is kept apart), of which %d may be open at a time. Their time counts for the region around.",
			ep_number_of(b, table->n_lost, "begin"), EP_REGION_MAX_NODES,
			EP_REGION_MAX_DEPTH);
	if (table->n_beyond)
		WARN(b, "%s of a region could not be kept: the report keeps %d regions of all threads (a region inside another one is kept apart). Their time counts for the region around.",
			ep_number_of(b, table->n_beyond, "begin"), EP_MOST_REGIONS);
}
