// SPDX-License-Identifier: BSD-3-Clause
/* Finds lines in the tables of CPython. Their formats are described in CPython's Objects/lnotab_notes.txt (to 3.10)
 * and Objects/locations.md (from 3.11 on). */
#include "reporter/symbolize/script_lines.h"

#define NO_LINE -128 /* in tables of 3.10: the range has no line */

/* Reads co_lnotab: pairs of a step in bytes and a step in lines. */
static int64_t line_by_lnotab(const struct ep_script *s, uint32_t offset)
{
	int64_t line = s->first_line;
	uint32_t at = 0;

	for (uint32_t i = 0; i + 1 < s->table_size; i += 2) {
		at += s->table[i];
		if (at > offset)
			break;
		line += (int8_t)s->table[i + 1];
	}
	return line;
}

/* Reads 3.10's co_linetable (PEP 626): pairs of a range's size in bytes and its step in lines. */
static int64_t line_by_ranges(const struct ep_script *s, uint32_t offset)
{
	int64_t line = s->first_line;
	uint32_t end = 0;

	for (uint32_t i = 0; i + 1 < s->table_size; i += 2) {
		int8_t step = (int8_t)s->table[i + 1];

		end += s->table[i];
		if (step != NO_LINE)
			line += step;
		if (offset < end)
			break;
	}
	return line;
}

enum location_kind { ONE_LINE_FIRST = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG_FORM = 14 };

/* Returns the number at an index of the table, which follows the first byte of an entry. Each byte has 6 bits of it,
 * the lowest ones first; bit 6 says that another byte follows. The lowest bit of the number is the sign. */
static int64_t signed_number(const struct ep_script *s, uint32_t at)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (; at < s->table_size && shift < 36; at++, shift += 6) {
		value |= (uint64_t)(s->table[at] & 63) << shift;
		if (!(s->table[at] & 64))
			break;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Reads the table from 3.11 on (PEP 657). Only the first byte of an entry has bit 7 set. */
static int64_t line_by_locations(const struct ep_script *s, uint32_t offset)
{
	int64_t line = s->first_line;
	uint32_t end = 0;

	for (uint32_t i = 0; i < s->table_size; i++) {
		unsigned kind = s->table[i] >> 3 & 15;

		if (!(s->table[i] & 0x80))
			continue;
		end += 2 * ((s->table[i] & 7u) + 1);
		if (kind >= ONE_LINE_FIRST && kind <= ONE_LINE_LAST)
			line += kind - ONE_LINE_FIRST;
		else if (kind == NO_COLUMNS || kind == LONG_FORM)
			line += signed_number(s, i + 1);
		if (offset < end)
			break;
	}
	return line;
}

uint32_t ep_script_line(const struct ep_script *script, uint32_t offset)
{
	int64_t line;

	if (script->minor >= 11)
		line = line_by_locations(script, offset);
	else if (script->minor == 10)
		line = line_by_ranges(script, offset);
	else
		line = line_by_lnotab(script, offset);
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}
