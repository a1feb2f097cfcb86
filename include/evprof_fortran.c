/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of evprof.f90 come here, because Fortran cannot ask whether a weak function exists. */
#include "evprof.h"

void evprof_fortran_begin(const char *name);
void evprof_fortran_end(const char *name);

void evprof_fortran_begin(const char *name)
{
	evprof_region_begin(name);
}

void evprof_fortran_end(const char *name)
{
	evprof_region_end(name);
}
