/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The offsets of CPython's fields that a call path needs, for one minor version; they do not change within a minor
 * version. tests/python/layout_row.c prints a version's row from that version's own headers, and a test compares the
 * rows.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_LAYOUT_H
#define EVPROF_PRELOAD_INTERPRETER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* the value in place of an offset, for a field that this version of Python does not have */
#define EP_LAYOUT_NONE UINT16_MAX

/* X(name) for each field, in the order of a row. The name says the structure and the field: thread_id is the offset of
 * a thread state's id. */
#define EP_LAYOUT_FIELDS(X)                                                                        \
	X(minor)                                                                                   \
	X(runtime_interpreters)   /* the first interpreter */                                      \
	X(runtime_current_thread) /* the state that has the lock */                                \
	X(runtime_finalizing)     /* the state that ends the interpreter */                        \
	X(runtime_key)            /* Py_tss_t: has a thread's state until the state is freed */    \
	X(interpreter_next)                                                                        \
	X(interpreter_threads) /* the interpreter's first thread state */                          \
	X(thread_previous)                                                                         \
	X(thread_next)                                                                             \
	X(thread_interpreter)                                                                      \
	X(thread_id)     /* pthread_self() of the thread */                                        \
	X(thread_frame)  /* the innermost frame */                                                 \
	X(thread_cframe) /* or a structure with the innermost frame, at cframe_frame */            \
	X(cframe_frame)                                                                            \
	X(thread_status) /* bits, one of them: the state is active */                              \
	X(thread_chunk)  /* the last piece of memory for frames: previous, size */                 \
	X(frame_previous)                                                                          \
	X(frame_code)                                                                              \
	X(frame_instruction) /* the instruction's address; the first: code_instructions */         \
	X(frame_last)        /* or the instruction's offset: bytes, in 3.10 units of 2 */          \
	X(frame_is_entry)    /* whether the frame is the outermost of a call of the loop */        \
	X(frame_function)    /* the function object; its globals come next */                      \
	X(frame_globals)                                                                           \
	X(frame_locals) /* a dict of names, in a module, class or exec; else 0 */                  \
	X(frame_owner)  /* 3 or more: no function's frame, but a call's beginning */               \
	X(code_name)                                                                               \
	X(code_file)                                                                               \
	X(code_first_line)                                                                         \
	X(code_table) /* the table from instructions to lines */                                   \
	X(code_instructions)                                                                       \
	X(string_kind_bit) /* the first of 5 bits: kind (3 bits), compact, ASCII */                \
	X(ascii_bytes)     /* bytes before the characters of an ASCII string */                    \
	X(compact_bytes)   /* bytes before the characters of other compact strings */

struct ep_python_layout {
#define X(name) uint16_t name;
	EP_LAYOUT_FIELDS(X)
#undef X
};

/* Offsets in PyBytes and PyUnicode that are the same in all versions (ob_refcnt, ob_type, size). */
enum {
	EP_OBJECT_TYPE = 8,
	EP_OBJECT_SIZE = 16,
	EP_BYTES_DATA = 32,
	EP_STRING_HASH = 24,
	EP_STRING_STATE = 32,
	EP_STRING_HEADER_BYTES = 40,
};

/* Returns the layout of a minor version; NULL: it is not known. */
const struct ep_python_layout *ep_layout_of(unsigned minor);

/* These return how many bytes, from the beginning of a structure, contain all of its fields that the layout has. */
uint32_t ep_layout_thread_bytes(const struct ep_python_layout *layout);
uint32_t ep_layout_frame_bytes(const struct ep_python_layout *layout);
uint32_t ep_layout_code_bytes(const struct ep_python_layout *layout);

#endif
