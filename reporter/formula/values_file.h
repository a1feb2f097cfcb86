/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of one scope in a text file, for evreport eval. */
#ifndef EVPROF_REPORTER_FORMULA_VALUES_FILE_H
#define EVPROF_REPORTER_FORMULA_VALUES_FILE_H

#include "common/formula/values.h"

/* Lines "NAME<TAB>VALUE[<TAB>SOURCE_COUNT[<TAB>STANDARD_ERROR[<TAB>COVERAGE]]]"; VALUE "-": not
 * measured; NAME "#literal", "?" and "cpuid" set those. A heading line "name<TAB>value..." is
 * skipped. -EINVAL with the line. */
int ep_values_file_read(
	const char *path, struct ep_values *out, struct ep_error *err) EP_MUST_CHECK;

#endif
