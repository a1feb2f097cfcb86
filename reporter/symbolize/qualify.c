// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes names from the scopes that a procedure is declared in, if it has no linkage name of a known kind. In C++ such
 * procedures are members of unnamed namespaces, and those that were only inlined. In Fortran they are procedures of
 * modules, whose names are written as in C++ (module::procedure). One thread at a time may use the names.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

/* These codes are newer than DWARF 5; they are from the DWARF committee's list of language codes. */
enum { LANG_CXX_17 = 0x2a, LANG_CXX_20 = 0x2b, LANG_FORTRAN_18 = 0x2d };

static int language_of(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
}

static bool is_fortran(int language)
{
	switch (language) {
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case LANG_FORTRAN_18:
		return true;
	default:
		return false;
	}
}

static bool has_scopes(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CXX_17:
	case LANG_CXX_20:
		return true;
	default:
		return is_fortran(language);
	}
}

/* most links of one kind that are followed, since a broken file may have a cycle */
#define MAX_LINKS 8

/* Follows the links from an inlined copy to the procedure, and from there to its declaration inside its class. */
static Dwarf_Die declaration_of(const Dwarf_Die *die)
{
	static const unsigned int links[] = { DW_AT_abstract_origin, DW_AT_specification };
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < EP_ARRAY_SIZE(links); i++)
		for (int n = 0; n < MAX_LINKS &&
				dwarf_formref_die(dwarf_attr(&at, links[i], &attribute), &next);
			n++)
			at = next;
	return at;
}

/* Returns the text that a scope adds to the name of a member; NULL: the scope adds none. */
static const char *scope_name(Dwarf_Die *scope, const char *member, char *out, size_t size)
{
	static const char lambda[] = "<lambda";
	const char *name = dwarf_diename(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		return name ? name : "(anonymous namespace)";
	case DW_TAG_subprogram:
	case DW_TAG_module:
		return name;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		break;
	default:
		return NULL;
	}
	if (!name) /* GCC's lambdas have no name */
		return !strncmp(member, "operator()", 10) ? "{lambda}" : NULL;
	if (strncmp(name, lambda, sizeof(lambda) - 1))
		return name;
	/* a name that begins with "<lambda" is put in braces, as demanglers do */
	snprintf(out, size, "{%.*s}", (int)(strlen(name) - 2), name + 1);
	return out;
}

/* Returns the name with its scopes. The name alone is returned if it has no scopes, or if the result would be too
 * long. */
static const char *add_scopes(Dwarf_Die *declared, const char *name, struct ep_strings *strings)
{
	EP_AUTOFREE Dwarf_Die *scopes = NULL;
	int n_scopes = dwarf_getscopes_die(declared, &scopes);
	char text[2048], lambda[512];
	size_t at = sizeof(text);

	if (strlen(name) >= at)
		return name;
	at -= strlen(name);
	memcpy(text + at, name, strlen(name));
	for (int i = 1; i < n_scopes; i++) {
		const char *scope = scope_name(&scopes[i], name, lambda, sizeof(lambda));
		size_t n = scope ? strlen(scope) : 0;

		if (!scope)
			continue;
		if (n + 2 > at)
			return name;
		memcpy(text + at - 2, "::", 2);
		at -= n + 2;
		memcpy(text + at, scope, n);
	}
	return at + strlen(name) == sizeof(text)
		       ? name
		       : ep_strings_add(strings, text + at, sizeof(text) - at);
}

static bool same_entry(const void *owner, uint32_t idx, const void *key)
{
	return ((const struct ep_qualified_names *)owner)->rows[idx].entry == key;
}

static int keep(
	struct ep_qualified_names *names, const void *entry, uint64_t hash, const char *name)
{
	if (EP_ARRAY_RESERVE(names->rows, names->n_rows, names->capacity) ||
		ep_index_add(&names->index, hash, names->n_rows))
		return -ENOMEM;
	names->rows[names->n_rows].entry = entry;
	names->rows[names->n_rows++].name = name;
	return 0;
}

const char *ep_qualified_name(struct ep_qualified_names *names, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	bool is_region = name && ep_parallel_region_suffix(name);
	int language = language_of(die);
	uint64_t hash;
	uint32_t idx;

	if (!name || (!is_region && !has_scopes(language)))
		return name;
	Dwarf_Die declared = declaration_of(die);

	hash = ep_hash_mix(0, (uintptr_t)declared.addr);
	idx = ep_index_find(&names->index, hash, same_entry, names, declared.addr);
	if (idx != EP_NONE)
		return names->rows[idx].name;
	name = is_region ? ep_parallel_region_name(names, &declared, name, is_fortran(language))
			 : add_scopes(&declared, name, &names->strings);
	return name && !keep(names, declared.addr, hash, name) ? name : NULL;
}

void ep_qualified_names_finish(struct ep_qualified_names *names)
{
	ep_strings_finish(&names->strings);
	ep_index_finish(&names->index);
	free(names->rows);
	*names = (struct ep_qualified_names){ 0 };
}
