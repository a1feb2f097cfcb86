// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentence on how much of the time only one thread ran, and where. */
#include "reporter/text/short_names.h"
#include "words.h"

#define MUCH_ALONE 0.1
#define WORTH_NAMING 0.05

/* Returns the procedure that had most of the time in which one thread ran alone; NULL where no
 * procedure has much of it. */
static const struct ep_report_row *most_alone(const struct ep_report *r)
{
	const struct ep_report_row *best = NULL;

	for (uint32_t i = 0; i < r->procedures.n_rows; i++) {
		const struct ep_report_row *row = &r->procedures.rows[i];

		if (ep_report_row_is_place(row) && row->alone_share >= WORTH_NAMING &&
			(!best || row->alone_share > best->alone_share))
			best = row;
	}
	return best;
}

void ep_say_parallel(struct ep_words *b)
{
	const struct ep_report *r = b->report;
	const struct ep_report_row *row = most_alone(r);
	const char *where = "";

	if (!r->parallel.is_telling || r->parallel.alone_share < MUCH_ALONE)
		return;
	if (row)
		where = ep_text(b, ", %.0f points of that in %s", 100 * row->alone_share,
			ep_name_say(b, row->short_name));
	ep_say(b,
		ep_text(b,
			"For %.0f %% of the time in which threads ran, one ran alone%s: more CPUs do not shorten that part.",
			100 * r->parallel.alone_share, where));
}

double ep_latency_or_share(const struct ep_report *r, const struct ep_report_row *row)
{
	return r->parallel.is_telling ? row->self_latency_share : row->self_share;
}
