/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the place of a row, for the tables of two programs and of a series. */
#ifndef EVPROF_REPORTER_COMPARE_PLACE_TEXT_H
#define EVPROF_REPORTER_COMPARE_PLACE_TEXT_H

#include "reporter/text/layout.h"

/* The members are as in struct ep_compared_row; is_gone: only the side before has the row. */
struct ep_compared_place {
	const char *name, *was, *file, *was_file;
	uint32_t line, was_line;
	bool is_gone;
};

/* Formats a place as "fem.c:12 solve (was old.c:10 iterate)". Names are shortened to columns; the old line is
 * shown only if the file is another one. */
void ep_compare_format_place(const struct ep_layout *layout, const struct ep_compared_place *place,
	uint32_t columns, char *out, size_t size);

#endif
