/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the copies of CPython among the modules that ticks have met. Runs in signal handlers. */
#ifndef EVPROF_PRELOAD_INTERPRETER_FIND_H
#define EVPROF_PRELOAD_INTERPRETER_FIND_H

#include "python.h"

/* Tells whether new modules have been numbered (modules.h) since the last call of ep_interpreters_look. A tick that
 * meets no new module costs only this comparison. */
bool ep_interpreters_are_due(void);
/* Looks at the new modules. Returns true if an interpreter is among them. */
bool ep_interpreters_look(void);
/* Forgets the interpreters after modules were unloaded; those whose modules are still loaded are found again. Any
 * thread may call this. */
void ep_interpreters_forget(void);
/* Forgets the interpreters in the child of a fork: another thread of the parent may have been in the middle of a
 * search. */
void ep_interpreters_after_fork(void);

/* Returns the interpreter whose evaluation loop contains the address, or NULL. */
const struct ep_python *ep_interpreter_at(uint64_t address);
bool ep_interpreters_are_there(void);

#endif
