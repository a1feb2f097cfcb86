// SPDX-License-Identifier: BSD-3-Clause
/* Demangling by libiberty: C++, Rust, D, Go, Ada. Its header collides with others: only here. */
#include <string.h>

#include <libiberty/demangle.h>

#include "reporter/symbolize/internal.h"

/* Plain C names that some demangler would "understand" are left alone. */
static bool may_be_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_D", 2);
}

char *ep_demangle(const char *name, bool with_parameters)
{
	int options = DMGL_AUTO | DMGL_ANSI | DMGL_RET_DROP;

	if (!may_be_mangled(name))
		return NULL;
	return cplus_demangle(name, with_parameters ? options | DMGL_PARAMS : options);
}
