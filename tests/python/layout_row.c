// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the row of preload/interpreter/layout.c for the version of CPython whose headers it is
 * compiled with: cc -I.../python3.N -I.../python3.N/internal layout_row.c
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>

#if PY_MINOR_VERSION == 8
#include <internal/pycore_pystate.h>
#else
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif
#if PY_MINOR_VERSION >= 11
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#endif

#define NONE SIZE_MAX
#define OF(type, field) offsetof(type, field)

static void put(const char *name, size_t value)
{
	if (value != NONE)
		printf("\t\t.%s = %zu,\n", name, value);
	else
		printf("\t\t.%s = EP_LAYOUT_NONE,\n", name);
}

static void put_states(void)
{
	put("minor", PY_MINOR_VERSION);
	put("runtime_interpreters", OF(_PyRuntimeState, interpreters.head));
#if PY_MINOR_VERSION <= 11
	put("runtime_current_thread", OF(_PyRuntimeState, gilstate.tstate_current));
#else
	put("runtime_current_thread", NONE);
#endif
#if PY_MINOR_VERSION == 8
	put("runtime_finalizing", OF(_PyRuntimeState, finalizing));
#else
	put("runtime_finalizing", OF(_PyRuntimeState, _finalizing));
#endif
#if PY_MINOR_VERSION <= 11
	put("runtime_key", OF(_PyRuntimeState, gilstate.autoTSSkey));
#else
	put("runtime_key", OF(_PyRuntimeState, autoTSSkey));
#endif
	put("interpreter_next", OF(PyInterpreterState, next));
#if PY_MINOR_VERSION >= 11
	put("interpreter_threads", OF(PyInterpreterState, threads.head));
#else
	put("interpreter_threads", OF(PyInterpreterState, tstate_head));
#endif
	put("thread_previous", OF(PyThreadState, prev));
	put("thread_next", OF(PyThreadState, next));
	put("thread_interpreter", OF(PyThreadState, interp));
	put("thread_id", OF(PyThreadState, thread_id));
}

static void put_innermost(void)
{
#if PY_MINOR_VERSION >= 13
	put("thread_frame", OF(PyThreadState, current_frame));
#elif PY_MINOR_VERSION >= 11
	put("thread_frame", NONE);
#else
	put("thread_frame", OF(PyThreadState, frame));
#endif
#if PY_MINOR_VERSION == 11 || PY_MINOR_VERSION == 12
	put("thread_cframe", OF(PyThreadState, cframe));
	put("cframe_frame", OF(_PyCFrame, current_frame));
#else
	put("thread_cframe", NONE);
	put("cframe_frame", NONE);
#endif
#if PY_MINOR_VERSION >= 12
	put("thread_status", OF(PyThreadState, _status));
#else
	put("thread_status", NONE);
#endif
#if PY_MINOR_VERSION >= 11
	put("thread_chunk", OF(PyThreadState, datastack_chunk));
#else
	put("thread_chunk", NONE);
#endif
}

#if PY_MINOR_VERSION >= 11
static void put_frames(void)
{
	put("frame_previous", OF(_PyInterpreterFrame, previous));
#if PY_MINOR_VERSION >= 13
	put("frame_code", OF(_PyInterpreterFrame, f_executable));
	put("frame_instruction", OF(_PyInterpreterFrame, instr_ptr));
#else
	put("frame_code", OF(_PyInterpreterFrame, f_code));
	put("frame_instruction", OF(_PyInterpreterFrame, prev_instr));
#endif
	put("frame_last", NONE);
#if PY_MINOR_VERSION == 11
	put("frame_is_entry", OF(_PyInterpreterFrame, is_entry));
	put("frame_function", OF(_PyInterpreterFrame, f_func));
	put("frame_globals", OF(_PyInterpreterFrame, f_globals));
	put("frame_locals", OF(_PyInterpreterFrame, f_locals));
	put("frame_owner", NONE);
#else
	put("frame_is_entry", NONE);
	put("frame_function", OF(_PyInterpreterFrame, f_funcobj));
	put("frame_globals", OF(_PyInterpreterFrame, f_globals));
	put("frame_locals", OF(_PyInterpreterFrame, f_locals));
	put("frame_owner", OF(_PyInterpreterFrame, owner));
#endif
	put("code_name", OF(PyCodeObject, co_qualname));
}
#else
static void put_frames(void)
{
	put("frame_previous", OF(PyFrameObject, f_back));
	put("frame_code", OF(PyFrameObject, f_code));
	put("frame_instruction", NONE);
	put("frame_last", OF(PyFrameObject, f_lasti));
	put("frame_is_entry", NONE);
	put("frame_function", NONE);
	put("frame_globals", OF(PyFrameObject, f_globals));
	put("frame_locals", OF(PyFrameObject, f_locals));
	put("frame_owner", NONE);
	put("code_name", OF(PyCodeObject, co_name));
}
#endif

static void put_code(void)
{
	put("code_file", OF(PyCodeObject, co_filename));
	put("code_first_line", OF(PyCodeObject, co_firstlineno));
#if PY_MINOR_VERSION >= 10
	put("code_table", OF(PyCodeObject, co_linetable));
#else
	put("code_table", OF(PyCodeObject, co_lnotab));
#endif
#if PY_MINOR_VERSION >= 11
	put("code_instructions", OF(PyCodeObject, co_code_adaptive));
#else
	put("code_instructions", NONE);
#endif
	put("string_kind_bit", PY_MINOR_VERSION >= 14 ? 16 : 2);
	put("ascii_bytes", sizeof(PyASCIIObject));
	put("compact_bytes", sizeof(PyCompactUnicodeObject));
}

int main(void)
{
	printf("\t{\n");
	put_states();
	put_innermost();
	put_frames();
	put_code();
	printf("\t},\n");
	return 0;
}
