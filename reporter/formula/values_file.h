/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the values of one scope from a text file, for evreport eval. */
#ifndef EVPROF_REPORTER_FORMULA_VALUES_FILE_H
#define EVPROF_REPORTER_FORMULA_VALUES_FILE_H

#include "common/formula/values.h"

/* Reads lines "NAME<TAB>VALUE[<TAB>SOURCE_COUNT[<TAB>STANDARD_ERROR[<TAB>COVERAGE]]]". The VALUE "-" means
 * not measured. A name that begins with '#' sets a literal, "?" the runtime parameter, and "cpuid" the CPU's
 * identifier. A heading line "name<TAB>value..." is skipped. Returns -EINVAL with the line of the error. */
int ep_values_file_read(
	const char *path, struct ep_values *out, struct ep_error *err) EP_MUST_CHECK;

#endif
