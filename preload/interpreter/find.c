// SPDX-License-Identifier: BSD-3-Clause
#include "find.h"

#include <stdatomic.h>

#include "common/cleanup.h"
#include "common/os/large.h"
#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "debug_offsets.h"
#include "loaded_symbol.h"
#include "preload/unwind/modules.h"

#define MAX_PYTHONS 4

/* The interpreters that were found. Handlers read most memory at these addresses through the kernel, and the rest only
 * if the thread's stack has a frame in the interpreter's loop. So it is harmless to use an entry that another thread is
 * just removing. */
static EP_LARGE struct ep_python pythons[MAX_PYTHONS];
static _Atomic uint32_t n_pythons;
/* how many modules were searched; they are searched in the order of their numbers */
static _Atomic uint32_t n_looked;
static _Atomic int lock;
static EP_LARGE struct ep_peek looks; /* used only under the lock */

EP_SLICE_CODE bool ep_interpreters_are_due(void)
{
	return atomic_load_explicit(&n_looked, memory_order_relaxed) != ep_modules_count();
}

EP_SLICE_CODE bool ep_interpreters_are_there(void)
{
	return atomic_load_explicit(&n_pythons, memory_order_relaxed);
}

static void forget(void)
{
	atomic_store(&n_pythons, 0);
	atomic_store(&n_looked, 0);
}

/* If no interpreter was found, and no thread is searching, nothing is forgotten: the modules that were searched still
 * contain no interpreter. Otherwise, in a program that loads and unloads libraries all the time, each tick would search
 * all modules again. */
void ep_interpreters_forget(void)
{
	if (ep_interpreters_are_there() || atomic_load(&lock))
		forget();
}

void ep_interpreters_after_fork(void)
{
	forget();
	atomic_store(&lock, 0);
}

EP_SLICE_CODE const struct ep_python *ep_interpreter_at(uint64_t address)
{
	uint32_t n = atomic_load_explicit(&n_pythons, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		if (ep_python_is_loop(&pythons[i], address))
			return &pythons[i];
	return NULL;
}

/* Returns the minor version of CPython; 0: not known. CPython 3.11 and later has its version in Py_Version; earlier
 * versions differ by the functions that they export. */
static unsigned find_minor(struct ep_peek *peek, const struct ep_symbol_tables *tables)
{
	static const struct {
		const char *name;
		unsigned minor;
	} signs[] = {
		{ "Py_NewRef", 10 },
		{ "PyFrame_GetBack", 9 },
		{ "PyCode_NewWithPosOnlyArgs", 8 },
	};
	struct ep_loaded_symbol symbol;
	const void *version;

	if (ep_loaded_symbol_find(peek, tables, "Py_Version", &symbol)) {
		version = ep_peek_get(peek, symbol.address, 4);
		return version && ep_half_at(version, 0) >> 24 == 3
			       ? ep_half_at(version, 0) >> 16 & 0xff
			       : 0;
	}
	for (size_t i = 0; i < EP_ARRAY_SIZE(signs); i++)
		if (ep_loaded_symbol_find(peek, tables, signs[i].name, &symbol))
			return signs[i].minor;
	return 0;
}

/* Finds the layout of an interpreter. The running interpreter's description of its own layout is preferred to the
 * layout in its version's headers. */
static bool find_layout(
	struct ep_peek *peek, unsigned minor, uint64_t runtime, struct ep_python_layout *out)
{
	const struct ep_python_layout *known = ep_layout_of(minor);

	if (ep_debug_sections_of(minor)) {
		if (!ep_debug_offsets_read(peek, runtime, minor, out))
			return false;
		/* own_memory.c checks the value that it finds at this offset */
		if (known)
			out->runtime_key = known->runtime_key;
		return true;
	}
	if (known)
		*out = *known;
	return known;
}

/* Tells by the program's name whether the program is CPython itself, which runs one script. */
static bool is_own_program(void)
{
	static const char own[] = "python";
	char path[512]; /* small, since this runs on a signal handler's stack */
	long size = ep_sys_readlink("/proc/self/exe", path, sizeof(path)), start = size, n = 0;

	while (start > 0 && path[start - 1] != '/')
		start--;
	while (own[n] && start + n < size && path[start + n] == own[n])
		n++;
	return !own[n];
}

/* Tells whether an object is in memory up to its end, by the size that its symbol has. */
static bool is_there(struct ep_peek *peek, const struct ep_loaded_symbol *symbol)
{
	return symbol->size_bytes >= 8 &&
	       ep_peek_get(peek, symbol->address + symbol->size_bytes - 8, 8);
}

static bool find_python(
	struct ep_peek *peek, const struct ep_symbol_tables *tables, struct ep_python *out)
{
	struct ep_loaded_symbol runtime, loop, code;
	struct ep_python_layout layout;

	if (!ep_loaded_symbol_find(peek, tables, "_PyRuntime", &runtime) ||
		!ep_loaded_symbol_find(peek, tables, "_PyEval_EvalFrameDefault", &loop) ||
		!ep_loaded_symbol_find(peek, tables, "PyCode_Type", &code) || !loop.size_bytes)
		return false;
	if (!find_layout(peek, find_minor(peek, tables), runtime.address, &layout))
		return false;
	*out = (struct ep_python){
		.code_type = code.address,
		.runtime = runtime.address,
		.runtime_bytes = is_there(peek, &runtime) ? runtime.size_bytes : 0,
		.runs_one_script = is_own_program(),
		.loop_start = loop.address,
		.loop_end = loop.address + loop.size_bytes,
		.layout = layout,
		.thread_bytes = ep_layout_thread_bytes(&layout),
		.frame_bytes = ep_layout_frame_bytes(&layout),
		.code_bytes = ep_layout_code_bytes(&layout),
	};
	return true;
}

static bool is_known(uint64_t module_start)
{
	for (uint32_t i = 0; i < n_pythons; i++)
		if (pythons[i].module_start == module_start)
			return true;
	return false;
}

static void look_at(uint32_t number)
{
	struct ep_symbol_tables tables;
	struct ep_code_range range;
	struct ep_python python;
	uint64_t start, bias;

	if (n_pythons == MAX_PYTHONS || !ep_modules_place(number, &start, &bias) || is_known(start))
		return;
	/* The module with this number may have been unloaded in the meantime. */
	if (!ep_modules_find_code(start, &range) || range.start != start)
		return;
	ep_peek_start(&looks, (struct ep_stack_bounds){ 0, 0 });
	if (!ep_symbol_tables_find(&looks, start, bias, &tables) ||
		!find_python(&looks, &tables, &python))
		return;
	python.module_start = start;
	pythons[n_pythons] = python;
	atomic_fetch_add_explicit(&n_pythons, 1, memory_order_release);
}

bool ep_interpreters_look(void)
{
	uint32_t n = ep_modules_count(), first = n_looked, n_before = n_pythons;

	if (atomic_exchange(&lock, 1))
		/* Another thread is searching; this thread's next tick uses what it finds. */
		return false;
	for (uint32_t i = first; i < n; i++)
		look_at(i + 1);
	/* If another thread has called forget() in the meantime, n_looked is 0 and stays so, unless first was 0,
	 * too. */
	atomic_compare_exchange_strong(&n_looked, &first, n);
	atomic_store(&lock, 0);
	return n_pythons > n_before;
}
