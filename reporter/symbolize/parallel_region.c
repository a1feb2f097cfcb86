// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names the procedures that compilers make of OpenMP's parallel regions. GCC appends a suffix to the linkage name of
 * the enclosing procedure, as in sum._omp_fn.0, and so does LLVM from version 17 on, as in sum.omp_outlined. Earlier
 * versions of LLVM name a region by a number alone, as in .omp_outlined..4. For such a region, the enclosing procedure
 * is taken to be the last one that begins before the region in the same source file.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

static const char gcc_mark[] = "._omp_fn.";
static const char llvm_mark[] = ".omp_outlined";

const char *ep_parallel_region_suffix(const char *name)
{
	const char *gcc = strstr(name, gcc_mark);

	return gcc ? gcc : strstr(name, llvm_mark);
}

/* The line in which a procedure is declared, and its file's number in the table of the unit. */
struct position {
	Dwarf_Word file, line;
};

static bool find_position(Dwarf_Die *die, struct position *out)
{
	Dwarf_Attribute attribute;

	return !dwarf_formudata(
		       dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &out->file) &&
	       !dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &out->line);
}

/* The region whose enclosing procedure is looked for, and the best candidate so far. */
struct enclosing {
	struct position region;
	Dwarf_Word line;
	Dwarf_Die die;
	/* is_ambiguous: several procedures begin in that line, as instances of a template do */
	bool is_found, is_ambiguous;
};

static void consider(struct enclosing *enclosing, Dwarf_Die *procedure)
{
	const char *name = dwarf_diename(procedure);
	struct position at;

	/* an implicit destructor is left out, since it has the line of its class */
	if (!name || ep_parallel_region_suffix(name) ||
		dwarf_hasattr_integrate(procedure, DW_AT_artificial) ||
		!find_position(procedure, &at) || at.file != enclosing->region.file ||
		at.line > enclosing->region.line ||
		(enclosing->is_found && at.line < enclosing->line))
		return;
	enclosing->is_ambiguous = enclosing->is_found && at.line == enclosing->line &&
				  strcmp(name, dwarf_diename(&enclosing->die));
	enclosing->line = at.line;
	enclosing->die = *procedure;
	enclosing->is_found = true;
}

#define MOST_SCOPES 64 /* deepest nesting that is followed, since a broken file may have a cycle */

static void look_through(struct enclosing *enclosing, Dwarf_Die *scope, unsigned n_left)
{
	Dwarf_Die child;

	if (!n_left || dwarf_child(scope, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			consider(enclosing, &child);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			look_through(enclosing, &child, n_left - 1);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

/* Returns "lab::Grid::sum.omp_outlined.2" for the region ".omp_outlined._debug__.2" in lab::Grid::sum. */
static const char *name_by_line(
	struct ep_qualified_names *names, Dwarf_Die *region, const char *name)
{
	struct enclosing enclosing = { 0 };
	const char *number = strrchr(name, '.'), *outer;
	Dwarf_Die unit;
	char text[2048];
	int size;

	if (!find_position(region, &enclosing.region) || !dwarf_diecu(region, &unit, NULL, NULL))
		return name;
	look_through(&enclosing, &unit, MOST_SCOPES);
	outer = enclosing.is_found ? ep_qualified_name(names, &enclosing.die) : NULL;
	if (!outer)
		return name;
	if (number && strspn(number + 1, "0123456789") != strlen(number + 1))
		number = NULL;
	size = snprintf(text, sizeof(text), "%.*s%s%s",
		(int)(enclosing.is_ambiguous ? strcspn(outer, "<") : strlen(outer)), outer,
		llvm_mark, number && number[1] ? number : "");
	return size < (int)sizeof(text) ? ep_strings_add(&names->strings, text, (size_t)size)
					: name;
}

/* Returns "work._omp_fn.0" for the region "work_._omp_fn.0" of a Fortran procedure. */
static const char *name_of_fortran(
	struct ep_qualified_names *names, const char *name, const char *suffix)
{
	size_t size = (size_t)(suffix - name);
	char text[2048];
	int length;

	if (size < 2 || suffix[-1] != '_' || suffix[-2] == '_' || !strncmp(name, "__", 2))
		return name;
	length = snprintf(text, sizeof(text), "%.*s%s", (int)size - 1, name, suffix);
	return length < (int)sizeof(text) ? ep_strings_add(&names->strings, text, (size_t)length)
					  : name;
}

const char *ep_parallel_region_name(
	struct ep_qualified_names *names, Dwarf_Die *region, const char *name, bool is_fortran)
{
	const char *suffix = ep_parallel_region_suffix(name);

	if (suffix == name)
		return name_by_line(names, region, name);
	return is_fortran ? name_of_fortran(names, name, suffix) : name;
}
