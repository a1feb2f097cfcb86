/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds code of a loaded file that the program has mapped a second time at another address. V8 maps its builtins so, to
 * have them near the code that it makes at run time. Runs in signal handlers.
 */
#ifndef EVPROF_PRELOAD_UNWIND_REMAPPED_H
#define EVPROF_PRELOAD_UNWIND_REMAPPED_H

#include <stdint.h>

/* Returns where the loader has mapped the code that is at this address, which lies outside of all modules. 0: the code
 * comes from no file of a module, or is not known yet. Reads the process's mappings at the first address that is not
 * known, and then more and more rarely. */
uint64_t ep_remapped_home(uint64_t address);

#endif
