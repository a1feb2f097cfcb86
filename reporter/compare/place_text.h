/* SPDX-License-Identifier: BSD-3-Clause */
/* The place in a row of two programs' table, and of a series', for people. */
#ifndef EVPROF_REPORTER_COMPARE_PLACE_TEXT_H
#define EVPROF_REPORTER_COMPARE_PLACE_TEXT_H

#include "reporter/text/layout.h"

/* As in struct ep_compared_row. */
struct ep_compared_place {
	const char *name, *was, *file, *was_file;
	uint32_t line, was_line;
	bool is_gone;
};

/* "fem.c:12 solve (was old.c:10 iterate)": names are shortened to columns; the line before is told with its file. */
void ep_compare_format_place(const struct ep_layout *layout, const struct ep_compared_place *place,
	uint32_t columns, char *out, size_t size);

#endif
