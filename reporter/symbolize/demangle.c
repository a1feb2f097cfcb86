// SPDX-License-Identifier: BSD-3-Clause
/* Demangles names of C++, Rust, D, Go and Ada by libiberty. Only this file includes libiberty's header, since it
 * collides with other headers. Names of Fortran's module procedures, which libiberty does not know, are demangled by
 * this file's own code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

/* Tells whether a name may be mangled. Names without these beginnings are not tried, since some demangler would accept
 * plain C names, too. */
static bool may_be_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_D", 2);
}

/* Returns "module::procedure", which the caller frees; NULL: there is no memory. */
static char *join(const char *module, int module_size, const char *name, int name_size)
{
	char *text;

	return asprintf(&text, "%.*s::%.*s", module_size, module, name_size, name) < 0 ? NULL
										       : text;
}

/* Demangles gfortran's __heat_MOD_step and __heat_MOD_step._omp_fn.0, flang's _QMheatPstep, and Intel's heat_mp_step_.
 * NULL: the name has none of these forms. */
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

/* Demangles the name of a parallel region. Parameters are left out, since the compiler made them. */
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

/* Returns the size of a readable C++ name without its parameters. The parenthesis that closes the parameters is the
 * last character of the name, or only "const" or the like follows it. 0: the name has no parameters. */
static size_t size_without_parameters(const char *name, size_t size)
{
	size_t end = size;
	int depth = 0;

	while (end && name[end - 1] != ')' && !strchr("<>:{}", name[end - 1]))
		end--;
	if (!end || name[end - 1] != ')')
		return 0;
	for (size_t at = end; at > 1; at--) {
		depth += name[at - 1] == ')';
		depth -= name[at - 1] == '(';
		if (!depth)
			return at - 1;
	}
	return 0;
}

static bool ends_with_operator(const char *name, size_t size)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	return size >= n && !memcmp(name + size - n, word, n) &&
	       (size == n || name[size - n - 1] == ':');
}

/* Returns where the name begins after its return type, which names of templates have. The name begins after the last
 * blank outside of brackets; a blank in the name of an operator does not count. */
static size_t skip_return_type(const char *name, size_t size)
{
	size_t start = 0;
	int depth = 0;

	for (size_t i = 0; i < size; i++) {
		depth += strchr("<({[", name[i]) != NULL;
		depth -= strchr(">)}]", name[i]) != NULL;
		if (name[i] != ' ' || depth)
			continue;
		if (ends_with_operator(name + start, i - start))
			break;
		start = i + 1;
	}
	return start;
}

/* Returns the size of the name before "'2", with which callgrind marks the levels of a recursion. */
static size_t size_without_level(const char *name)
{
	const char *level = strrchr(name, '\'');

	if (!level || !level[1] || level[1 + strspn(level + 1, "0123456789")])
		return strlen(name);
	return (size_t)(level - name);
}

char *ep_name_shorten(const char *name)
{
	size_t whole = size_without_level(name), size = size_without_parameters(name, whole);
	size_t start = skip_return_type(name, size);
	char *text;

	if (!size || asprintf(&text, "%.*s%s", (int)(size - start), name + start, name + whole) < 0)
		return NULL;
	return text;
}
