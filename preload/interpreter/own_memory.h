/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's own memory in the interpreter, which is read in place: the call that the kernel takes is most of a tick's
 * cost, 0.9 us and 5 where the program's data have taken the caches. From 3.11 on only the thread itself allocates and
 * frees the memory with its frames, and its state names the last piece of it, until before that is freed: what is there
 * now stays there in this handler. A piece is looked at through the kernel before it is believed, and again now and then.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_OWN_MEMORY_H
#define EVPROF_PRELOAD_INTERPRETER_OWN_MEMORY_H

#include "python.h"

/* Sets f->is_own, and trusts what is surely there of the interpreter, the thread's state and its frames. */
void ep_python_trust_own(struct ep_python_frames *f);

#endif
