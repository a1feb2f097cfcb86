/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPython's own account of where its fields lie, at the beginning of _PyRuntime from 3.13 on
 * (_Py_DebugOffsets in pycore_debug_offsets.h). Signal handlers.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_DEBUG_OFFSETS_H
#define EVPROF_PRELOAD_INTERPRETER_DEBUG_OFFSETS_H

#include "layout.h"
#include "peek.h"

#define EP_DEBUG_OFFSETS_WORDS 96

/* The account has sections of words; each begins with a structure's size, and its fields' offsets follow. */
struct ep_debug_sections {
	unsigned minor;
	/* index of each section's first word */
	uint16_t interpreter, thread, frame, code, object, bytes, string;
};

/* The sections of a version; NULL: not known. */
const struct ep_debug_sections *ep_debug_sections_of(unsigned minor);

/* false: there is no account that is understood; of a build without the lock (free-threaded), whose frames are
 * others, as well. */
bool ep_debug_offsets_read(
	struct ep_peek *peek, uint64_t runtime, unsigned minor, struct ep_python_layout *out);

#endif
