/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads CPython's own description of the offsets of its fields, which lies at the beginning of _PyRuntime from 3.13 on
 * (_Py_DebugOffsets in pycore_debug_offsets.h). Runs in signal handlers.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_DEBUG_OFFSETS_H
#define EVPROF_PRELOAD_INTERPRETER_DEBUG_OFFSETS_H

#include "layout.h"
#include "peek.h"

#define EP_DEBUG_OFFSETS_WORDS 96

/* The description has sections of words; each begins with the size of a structure, and the offsets of its fields
 * follow. */
struct ep_debug_sections {
	unsigned minor;
	/* the index of each section's first word */
	uint16_t interpreter, thread, frame, code, object, bytes, string;
};

/* Returns the sections of a version; NULL: the version is not known. */
const struct ep_debug_sections *ep_debug_sections_of(unsigned minor);

/* Reads the layout from the description. Returns false if there is no description that evprof understands, or if the
 * interpreter is built without the global lock (free-threaded), since its frames differ. */
bool ep_debug_offsets_read(
	struct ep_peek *peek, uint64_t runtime, unsigned minor, struct ep_python_layout *out);

#endif
