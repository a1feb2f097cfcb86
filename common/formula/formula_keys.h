/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the keys of a formula file's sections, in tables that serve to read, write and free the sections. */
#ifndef EVPROF_COMMON_FORMULA_FORMULA_KEYS_H
#define EVPROF_COMMON_FORMULA_FORMULA_KEYS_H

#include "common/formula/formula_file.h"

enum ep_key_type { EP_KEY_TEXT, EP_KEY_NUMBER, EP_KEY_EXPRESSION };

struct ep_formula_key {
	const char *name; /* NULL ends a table */
	enum ep_key_type type;
	/* the position of the char *, double or struct ep_ast in the section's struct */
	size_t offset;
};

struct ep_formula_section {
	const char *name;
	const struct ep_formula_key *keys;
	const char *needs; /* a required key; NULL: none is required */
	/* Returns the struct to fill; NULL: out of memory. */
	void *(*add)(struct ep_formula_file *file, const char *entry_name);
	bool (*has)(const struct ep_formula_file *file, const char *entry_name);
};

enum {
	EP_SECTION_MODEL,
	EP_SECTION_PARAMETER,
	EP_SECTION_METRIC,
	EP_SECTION_CHECK,
	EP_N_SECTIONS,
};

bool ep_formula_file_has_parameter(const struct ep_formula_file *file, const char *name);
bool ep_formula_file_has_metric(const struct ep_formula_file *file, const char *name);
bool ep_formula_file_has_check(const struct ep_formula_file *file, const char *name);

extern const struct ep_formula_section ep_formula_sections[EP_N_SECTIONS];

static inline void *ep_key_field(const struct ep_formula_key *key, const void *entry)
{
	return (char *)entry + key->offset;
}

#endif
