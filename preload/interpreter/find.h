/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of CPython among the modules that ticks have met. Signal handlers. */
#ifndef EVPROF_PRELOAD_INTERPRETER_FIND_H
#define EVPROF_PRELOAD_INTERPRETER_FIND_H

#include "python.h"

/* Modules have been numbered that were not looked at: a program whose ticks meet none pays for one
 * comparison. */
bool ep_interpreters_are_due(void);
/* Looks at them; true: an interpreter is among them. */
bool ep_interpreters_look(void);
/* Modules were unloaded: those that are left are found anew. Any thread. */
void ep_interpreters_forget(void);
/* The same in fork's child, where another thread may have been looking. */
void ep_interpreters_after_fork(void);

/* Returns the interpreter whose loop is at the address, or NULL. */
const struct ep_python *ep_interpreter_at(uint64_t address);
bool ep_interpreters_are_there(void);

#endif
