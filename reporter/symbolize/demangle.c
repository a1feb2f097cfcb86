// SPDX-License-Identifier: BSD-3-Clause
/* Demangling by libiberty: C++, Rust, D, Go, Ada. Its header collides with others: only here. Fortran's module
 * procedures, which it does not know, by ourselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

/* Plain C names that some demangler would "understand" are left alone. */
static bool may_be_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_D", 2);
}

/* module::procedure; name_size of the second part. */
static char *join(const char *module, int module_size, const char *name, int name_size)
{
	char *text;

	return asprintf(&text, "%.*s::%.*s", module_size, module, name_size, name) < 0 ? NULL
										       : text;
}

/* gfortran's __heat_MOD_step and __heat_MOD_step._omp_fn.0; flang's _QMheatPstep; Intel's heat_mp_step_. */
static char *demangle_fortran(const char *name)
{
	size_t size = strlen(name);
	const char *part;

	if (!strncmp(name, "__", 2) && (part = strstr(name, "_MOD_")) && part > name + 2 && part[5])
		return join(name + 2, (int)(part - name - 2), part + 5, (int)strlen(part + 5));
	if (!strncmp(name, "_QM", 3) && (part = strchr(name + 3, 'P')) && part > name + 3 &&
		part[1])
		return join(name + 3, (int)(part - name - 3), part + 1, (int)strlen(part + 1));
	part = strstr(name, "_mp_");
	if (part && part > name && part[4] && name[0] != '_' && name[size - 1] == '_')
		return join(name, (int)(part - name), part + 4,
			(int)(size - (size_t)(part + 4 - name) - 1));
	return NULL;
}

/* A parallel region's parameters are the compiler's own. */
static char *demangle_region(const char *name, const char *suffix)
{
	EP_AUTOFREE char *procedure = strndup(name, (size_t)(suffix - name));
	EP_AUTOFREE char *readable = procedure ? ep_demangle(procedure, false) : NULL;
	char *text;

	return !readable || asprintf(&text, "%s%s", readable, suffix) < 0 ? NULL : text;
}

char *ep_demangle(const char *name, bool with_parameters)
{
	int options = DMGL_AUTO | DMGL_ANSI | DMGL_RET_DROP;
	const char *suffix = ep_parallel_region_suffix(name);

	if (suffix)
		return demangle_region(name, suffix);
	if (!may_be_mangled(name))
		return demangle_fortran(name);
	return cplus_demangle(name, with_parameters ? options | DMGL_PARAMS : options);
}

/* The last parenthesis that is closed at the end, but for const and the like behind it. */
size_t ep_name_without_parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;

	if (!end || strpbrk(end, "<>:{}'"))
		return 0;
	for (const char *at = end; at > name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			return (size_t)(at - name);
	}
	return 0;
}
