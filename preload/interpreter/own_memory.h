/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a thread's own memory of the interpreter in place. Reading it by a system call would be most of a tick's cost:
 * 0.9 us, or 5 us after the program's data have displaced the caches' contents.
 *
 * From 3.11 on only the thread itself allocates and frees the memory with its frames. The thread's state names the last
 * piece of this memory until just before the piece is freed, so a piece that exists when this handler begins stays
 * until the handler ends. Up to 3.10 each frame is an object, which exists while its function runs: the thread's state
 * names the innermost frame, and each frame has a reference to its caller's.
 *
 * Before a piece, or a page with frames, is read in place, it is read through the kernel to learn whether it is mapped.
 * This is repeated after CHUNK_TICKS ticks.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_OWN_MEMORY_H
#define EVPROF_PRELOAD_INTERPRETER_OWN_MEMORY_H

#include "python.h"

/* Sets f->is_own. Tells f->peek which memory of the interpreter, the thread's state and its frames is surely mapped. */
void ep_python_trust_own(struct ep_python_frames *f);

/* Returns the frame at an address: the frame itself if it is safe to read it in place, else a copy; NULL: the frame
 * cannot be read. */
const uint8_t *ep_python_frame_at(struct ep_python_frames *f, uint64_t address);
/* Tells whether ep_python_frame_at needs no system call for a frame that is an object (up to 3.10). */
bool ep_python_is_sure_object(const struct ep_python_frames *f, uint64_t address);

#endif
