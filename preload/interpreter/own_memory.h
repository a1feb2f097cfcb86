/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's own memory in the interpreter, which is read in place: the call that the kernel takes is most of a tick's
 * cost, 0.9 us and 5 where the program's data have taken the caches. From 3.11 on only the thread itself allocates and
 * frees the memory with its frames, and its state names the last piece of it, until before that is freed: what is there
 * now stays there in this handler. Up to 3.10 each frame is an object of its own, which is there as long as its function
 * runs: the thread's state names the innermost, and each has a reference to its caller's. A piece, or a page with frames,
 * is looked at through the kernel before it is believed, and again now and then.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_OWN_MEMORY_H
#define EVPROF_PRELOAD_INTERPRETER_OWN_MEMORY_H

#include "python.h"

/* Sets f->is_own, and trusts what is surely there of the interpreter, the thread's state and its frames. */
void ep_python_trust_own(struct ep_python_frames *f);

/* Returns a running function's frame, in place where that is sure; NULL: it cannot be read. */
const uint8_t *ep_python_frame_at(struct ep_python_frames *f, uint64_t address);
/* Tells whether ep_python_frame_at needs no system call for a frame that is an object of its own. */
bool ep_python_is_sure_object(const struct ep_python_frames *f, uint64_t address);

#endif
