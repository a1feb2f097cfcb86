/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where CPython of one minor version keeps what a call path needs: offsets in its structures, which
 * do not change within a minor version. tests/python/layout_row.c prints a version's row from that
 * version's own headers, and a test compares.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_LAYOUT_H
#define EVPROF_PRELOAD_INTERPRETER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define EP_LAYOUT_NONE UINT16_MAX /* this version has no such field */

/* The fields, in the order of a row: X(name). */
#define EP_LAYOUT_FIELDS(X)                                                                        \
	X(minor)                                                                                   \
	X(runtime_interpreters)   /* the first of its interpreters */                              \
	X(runtime_current_thread) /* the thread state that has the lock */                         \
	X(runtime_finalizing) /* the one that ends the interpreter, and then frees all others */   \
	X(runtime_key)        /* Py_tss_t: has a thread's state, until the thread frees that */    \
	X(interpreter_next)                                                                        \
	X(interpreter_threads) /* its first thread state */                                        \
	X(thread_previous)                                                                         \
	X(thread_next)                                                                             \
	X(thread_interpreter)                                                                      \
	X(thread_id)     /* pthread_self() */                                                      \
	X(thread_frame)  /* its innermost frame */                                                 \
	X(thread_cframe) /* or what points to that, at cframe_frame */                             \
	X(cframe_frame)                                                                            \
	X(thread_status) /* bits: whether it is active */                                          \
	X(thread_chunk)  /* the last piece of memory with frames: the one before it, its size */   \
	X(frame_previous)                                                                          \
	X(frame_code)                                                                              \
	X(frame_instruction) /* address in the code, which begins at code_instructions */          \
	X(frame_last)        /* or its offset: bytes, from 3.10 on pairs of bytes */               \
	X(frame_is_entry)    /* the outermost of its call of the interpreter's loop */             \
	X(frame_function)    /* the function object and its globals */                             \
	X(frame_globals)                                                                           \
	X(frame_locals) /* its names as a dict, of modules, classes and exec's code; else 0 */     \
	X(frame_owner)  /* 3: no frame of a function, but where such a call begins */              \
	X(code_name)                                                                               \
	X(code_file)                                                                               \
	X(code_first_line)                                                                         \
	X(code_table) /* from instructions to lines */                                             \
	X(code_instructions)                                                                       \
	X(string_kind_bit) /* in the word with a string's state: kind, is compact, is ASCII */     \
	X(ascii_bytes)     /* before the characters of a string of ASCII */                        \
	X(compact_bytes)   /* before those of another */

struct ep_python_layout {
#define X(name) uint16_t name;
	EP_LAYOUT_FIELDS(X)
#undef X
};

/* The same in all versions: PyBytes and PyUnicode (ob_refcnt, ob_type, size). */
enum {
	EP_OBJECT_TYPE = 8,
	EP_OBJECT_SIZE = 16,
	EP_BYTES_DATA = 32,
	EP_STRING_HASH = 24,
	EP_STRING_STATE = 32,
	EP_STRING_HEADER_BYTES = 40,
};

/* NULL: not known. */
const struct ep_python_layout *ep_layout_of(unsigned minor);

/* Bytes at the beginning of a structure that hold all fields of it. */
uint32_t ep_layout_thread_bytes(const struct ep_python_layout *layout);
uint32_t ep_layout_frame_bytes(const struct ep_python_layout *layout);
uint32_t ep_layout_code_bytes(const struct ep_python_layout *layout);

#endif
