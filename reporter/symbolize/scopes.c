// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the unit, the procedure and the inlined procedures of an address from the entries of the debug information.
 * elfutils' own functions fail for many compilers. dwfl_module_addrdie needs .debug_aranges (until 0.191), which Clang
 * does not write. dwarf_getscopes stops at namespaces and modules, which have no addresses; Clang, gfortran and rustc
 * put their procedures into them. One thread at a time may use the units of a file.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "reporter/symbolize/symbolize_private.h"

/* deepest nesting of scopes that is followed; a broken file may have any depth */
#define MAX_DEPTH 100

static int add_ranges(struct ep_code_ranges *ranges, Dwarf_Die *die, uint64_t what)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (!start || start >= end) /* the linker left this code out */
			continue;
		if (EP_ARRAY_RESERVE(ranges->rows, ranges->n_rows, ranges->capacity))
			return -ENOMEM;
		ranges->rows[ranges->n_rows++] = (struct ep_code_of){ start, end, what };
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct ep_code_of *)a)->start,
		 y = ((const struct ep_code_of *)b)->start;

	return (x > y) - (x < y);
}

static void sort_ranges(struct ep_code_ranges *ranges)
{
	if (ranges->n_rows)
		qsort(ranges->rows, ranges->n_rows, sizeof(*ranges->rows), by_start);
}

static const struct ep_code_of *find_range(const struct ep_code_ranges *ranges, uint64_t address)
{
	uint32_t low = 0, high = ranges->n_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges->rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < ranges->rows[low - 1].end ? &ranges->rows[low - 1] : NULL;
}

/* ---- units ---- */

/* Returns the entry of a unit's contents. With -gsplit-dwarf the file has a skeleton only, and the entries are in
 * another file. */
static Dwarf_Die entries_of(Dwarf_Die unit)
{
	Dwarf_Die split;

	if (dwarf_cu_info(unit.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) || !split.addr)
		return unit;
	return split;
}

/* Reads the compilation units. If there is not enough memory, the last ones are left out, and no procedures are found
 * for addresses in them. */
static void read_units(struct ep_units *units, Dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	size_t header_bytes;
	Dwarf_Die die;

	for (; !dwarf_nextcu(dwarf, at, &next, &header_bytes, NULL, NULL, NULL); at = next) {
		if (!dwarf_offdie(dwarf, at + header_bytes, &die))
			continue;
		if (EP_ARRAY_RESERVE(units->rows, units->n_rows, units->capacity))
			break;
		units->rows[units->n_rows] =
			(struct ep_unit){ .die = die, .entries = entries_of(die) };
		if (add_ranges(&units->code, &die, units->n_rows++))
			break;
	}
	sort_ranges(&units->code);
}

struct ep_unit *ep_units_find(struct ep_units *units, Dwarf *dwarf, Dwarf_Addr address)
{
	const struct ep_code_of *code;

	if (!units->are_read)
		read_units(units, dwarf);
	units->are_read = true;
	code = find_range(&units->code, address);
	return code ? &units->rows[code->what] : NULL;
}

void ep_units_finish(struct ep_units *units)
{
	for (uint32_t i = 0; i < units->n_rows; i++)
		free(units->rows[i].procedures.rows);
	free(units->rows);
	free(units->code.rows);
	*units = (struct ep_units){ 0 };
}

/* ---- procedures ---- */

/* Tells whether entries with this tag may contain procedures that have code. */
static bool is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

/* Adds the procedures below scope until memory runs out. */
static int read_procedures(struct ep_code_ranges *procedures, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;
	int rc = 0;

	if (depth > MAX_DEPTH || dwarf_child(scope, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			rc = add_ranges(procedures, &die, dwarf_dieoffset(&die));
		if (!rc && is_scope(tag))
			rc = read_procedures(procedures, &die, depth + 1);
	} while (!rc && !dwarf_siblingof(&die, &die));
	return rc;
}

/* Moves die to the inlined procedure or lexical block directly inside it that has the address. Returns false if there
 * is none. */
static bool step_inside(Dwarf_Die *die, Dwarf_Addr address)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
			dwarf_haspc(&child, address) == 1) {
			*die = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

uint32_t ep_unit_procedures(struct ep_unit *unit, Dwarf_Addr address, Dwarf_Die out[EP_MAX_INLINED])
{
	const struct ep_code_of *code;
	uint32_t n = 0;
	Dwarf_Die die;

	if (!unit->is_read) {
		read_procedures(&unit->procedures, &unit->entries, 0);
		sort_ranges(&unit->procedures);
	}
	unit->is_read = true;
	code = find_range(&unit->procedures, address);
	if (!code || !dwarf_offdie(dwarf_cu_getdwarf(unit->entries.cu), code->what, &die))
		return 0;
	out[n++] = die;
	for (unsigned depth = 0; depth < MAX_DEPTH && step_inside(&die, address); depth++)
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && n < EP_MAX_INLINED)
			out[n++] = die;
	return n;
}
