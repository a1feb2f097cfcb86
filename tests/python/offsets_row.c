// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the row of preload/interpreter/debug_offsets.c for the version of CPython (3.13 and later) whose
 * headers it is compiled with: cc -I.../python3.N -I.../python3.N/internal offsets_row.c
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <internal/pycore_runtime.h>
#include <stddef.h>
#include <stdio.h>

#define WORD(section) (offsetof(_Py_DebugOffsets, section) / 8)

int main(void)
{
	printf("\t{ %d, %zu, %zu, %zu, %zu, %zu, %zu, %zu },\n", PY_MINOR_VERSION,
		WORD(interpreter_state), WORD(thread_state), WORD(interpreter_frame),
		WORD(code_object), WORD(pyobject), WORD(bytes_object), WORD(unicode_object));
	return 0;
}
