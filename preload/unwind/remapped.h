/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code of a loaded file that the program has mapped a second time, elsewhere: V8 does so with its builtins, which
 * then lie near the code that it makes. Signal handlers.
 */
#ifndef EVPROF_PRELOAD_UNWIND_REMAPPED_H
#define EVPROF_PRELOAD_UNWIND_REMAPPED_H

#include <stdint.h>

/* Where the loader has the code that is at an address which lies in no module; 0: it is no file's, or it is not known
 * yet. Looks at the process's mappings at the first such address, and then ever more rarely. */
uint64_t ep_remapped_home(uint64_t address);

#endif
