/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of CPython among the modules that ticks have met. Runs in signal handlers. */
#ifndef EVPROF_PRELOAD_INTERPRETER_FIND_H
#define EVPROF_PRELOAD_INTERPRETER_FIND_H

#include "python.h"

/* Tells whether modules have got a number since the last look. A program whose ticks meet no new module pays for one
 * comparison. */
bool ep_interpreters_are_due(void);
/* Looks at the new modules. Returns true where an interpreter is among them. */
bool ep_interpreters_look(void);
/* Forgets the interpreters after modules were unloaded; those that are left are found again. Any thread may call this. */
void ep_interpreters_forget(void);
/* Forgets the interpreters in the child of a fork, where another thread may have been looking for them. */
void ep_interpreters_after_fork(void);

/* Returns the interpreter whose evaluation loop contains the address, or NULL. */
const struct ep_python *ep_interpreter_at(uint64_t address);
bool ep_interpreters_are_there(void);

#endif
