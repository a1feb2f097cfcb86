// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences on library code that is compiled into the program, such as C++'s headers and Rust's
 * packages. Its procedures are many and small, and the reader can change the procedures that use them. */
#include "words.h"

#define MOST 0.5 /* least share of a library procedure's time for its user to be named */
#define MAX_NAMED 3
#define MIN_NAMED_SHARE 0.05

const char *ep_user_of_header(struct ep_words *b, const struct ep_report_row *row)
{
	double share = 0;
	const char *caller;

	if (!b->symbols || !ep_report_row_is_place(row) ||
		!ep_is_compiled_in(b, ep_symbols_get(b->symbols, row->symbol_idx)))
		return NULL;
	caller = ep_find_own_caller(b, row, &share);
	return caller && share >= MOST ? ep_name_say(b, caller) : NULL;
}

#define MUCH_IN_HEADERS 0.3

/* Returns the share of the time in library code that is compiled into the program. */
static double headers_share(const struct ep_words *b)
{
	const struct ep_report_table *table = &b->report->procedures;
	double share = 0;

	for (uint32_t i = 0; b->symbols && i < table->n_rows; i++)
		if (ep_report_row_is_place(&table->rows[i]) &&
			ep_is_compiled_in(b, ep_symbols_get(b->symbols, table->rows[i].symbol_idx)))
			share += table->rows[i].self_share;
	return share;
}

/* Says which of the program's own procedures use compiled-in library code. An exact run has no such sentence:
 * its call paths come from ticks, but its time comes from callgrind's counts. */
void ep_say_with_headers(struct ep_words *b)
{
	struct ep_own_procedure own[MAX_NAMED];
	const char *list = "";
	uint32_t n;

	if (b->report->is_exact || headers_share(b) < MUCH_IN_HEADERS)
		return;
	n = ep_find_own_with_headers(b, own, MAX_NAMED);
	for (uint32_t i = 0; i < n && own[i].share >= MIN_NAMED_SHARE; i++)
		list = ep_text(b, "%s%s%s %.0f %%", list, i ? ", " : "",
			ep_name_say(b, own[i].name), 100 * own[i].share);
	if (list[0])
		ep_say(b,
			ep_text(b,
				"Together with library code that is compiled into them (from headers), the program's own procedures take: %s.",
				list));
}
