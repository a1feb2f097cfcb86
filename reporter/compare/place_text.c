// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/compare/place_text.h"

#define MOST_OF_FILE 200

/* Formats the old place as " (was old.c:10 iterate)", or " (gone)" if the side after lacks the row; "": file
 * and name are unchanged. */
static void format_was(const struct ep_layout *layout, const struct ep_compared_place *place,
	uint32_t columns, char *out, size_t size)
{
	char file[MOST_OF_FILE + 16] = "", name[1024] = "";
	uint32_t line = place->was_line ? place->was_line : place->line;

	out[0] = '\0';
	if (place->is_gone)
		snprintf(out, size, " (gone)");
	if (!place->was && !place->was_file)
		return;
	if (place->was_file)
		snprintf(file, sizeof(file), "%.*s:%u", MOST_OF_FILE, place->was_file, line);
	if (place->was)
		ep_shorten_name(layout, place->was, columns / 2, name, sizeof(name));
	snprintf(out, size, " (was %s%s%s)", file, file[0] && name[0] ? " " : "", name);
}

void ep_compare_format_place(const struct ep_layout *layout, const struct ep_compared_place *place,
	uint32_t columns, char *out, size_t size)
{
	char where[MOST_OF_FILE + 16] = "", name[1024], was[1300];
	uint32_t taken;

	if (place->file)
		snprintf(where, sizeof(where), "%.*s:%u ", MOST_OF_FILE, place->file, place->line);
	format_was(layout, place, columns, was, sizeof(was));
	taken = ep_text_width(where) + ep_text_width(was);
	ep_shorten_name(
		layout, place->name, columns > taken ? columns - taken : 1, name, sizeof(name));
	snprintf(out, size, "%s%s%s", where, name, was);
}
