// SPDX-License-Identifier: BSD-3-Clause
/*
 * Recognizes waits that have another meaning in CPython than the C library's function tells. The global lock,
 * under which only one thread at a time runs Python functions, is recognized by its variable, _PyRuntime, or
 * by its kind: condition variables are used for this lock alone (3.8 to 3.14 on Linux; other locks are
 * semaphores). The lock of a sub-interpreter may be anywhere in memory.
 */
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/runtimes.h"
#include "reporter/facts/wait_sums.h"

#define RUNTIME "_PyRuntime"

const char ep_wait_gil_name[] = "GIL";

static bool is_in_runtime(const char *lock_name)
{
	size_t size = sizeof(RUNTIME) - 1;

	return lock_name && !strncmp(lock_name, RUNTIME, size) && strchr("+", lock_name[size]);
}

/* Tells whether the interpreter called the C library's function. */
static bool is_called_by_python(const struct ep_trace *trace, uint32_t path_idx)
{
	const char *runtime;
	uint32_t module_idx;

	if (path_idx >= trace->n_paths)
		return false;
	module_idx = trace->paths[path_idx].module_idx;
	if (module_idx >= trace->n_modules)
		return false;
	runtime = ep_runtime_of_file(trace, trace->modules[module_idx].path);
	return runtime && !strcmp(runtime, EP_RUNTIME_PYTHON);
}

bool ep_wait_is_for_gil(
	const struct ep_builder *builder, const struct ep_wait_cost *wait, const char *lock_name)
{
	if (wait->kind == EP_WAIT_CONDITION)
		return is_in_runtime(lock_name) ||
		       is_called_by_python(builder->trace, wait->path_idx);
	return wait->kind == EP_WAIT_MUTEX && is_in_runtime(lock_name);
}

/* Tells whether the wait is for the end of another thread, by the functions of threading.py that wait for it,
 * in all versions. */
bool ep_wait_is_threading_join(const struct ep_wait_adding *adding, const struct ep_wait_cost *wait)
{
	static const char file[] = "threading.py:";
	static const char *const ends[] = { "join", "_wait_for_tstate_lock", "_shutdown" };

	for (uint32_t i = 0; i < adding->n && wait->kind == EP_WAIT_SEMAPHORE; i++) {
		const char *function = adding->names[i] + sizeof(file) - 1;

		if (strncmp(adding->names[i], file, sizeof(file) - 1) != 0)
			continue;
		function += strncmp(function, "Thread.", 7) ? 0 : 7;
		for (size_t end = 0; end < EP_ARRAY_SIZE(ends); end++)
			if (!strcmp(function, ends[end]))
				return true;
		return false;
	}
	return false;
}
