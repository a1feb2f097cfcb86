/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the module (program or shared object) of an address.
 *
 * In signal handlers the module is found by glibc's _dl_find_object (2.35), which takes no lock and knows of each
 * dlopen and dlclose. With an older libc, modules are found in a list that dl_iterate_phdr gave at the last safe moment
 * (start, creation of a thread).
 */
#ifndef EVPROF_PRELOAD_UNWIND_MODULES_H
#define EVPROF_PRELOAD_UNWIND_MODULES_H

#include "common/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_code_range {
	uint64_t start, end;
	const uint8_t *eh_frame_header; /* PT_GNU_EH_FRAME; NULL: the module has none */
	const void *link_map;
};

/* Finds the module's code around an address. Returns false where there is none. Runs in signal handlers. */
bool ep_modules_find_code(uint64_t address, struct ep_code_range *out_range);

/* Reads the loader's list of modules again if _dl_find_object is missing. Must not be called in a signal handler. */
void ep_modules_refresh(void);

/*
 * Returns the number in the trace of the module around an address; 0: the address is in no module, or the table is
 * full. A module gets its number when it is first seen. out_bias: the value to subtract from the address to get the
 * address in the module's file. Runs in signal handlers.
 */
uint32_t ep_modules_number(uint64_t address, uint64_t now_us, uint64_t *out_bias);

/* Returns how many modules have a number. Runs in signal handlers. */
uint32_t ep_modules_count(void);
/* Sets the address at which a module's file is mapped, and the module's bias. Returns false if no module has the
 * number. Runs in signal handlers. */
bool ep_modules_place(uint32_t number, uint64_t *out_start, uint64_t *out_bias);

/* Appends a MODULES block with the modules numbered since the last call that was followed by
 * ep_modules_written; returns how many modules the block has. Called under the trace's lock. */
uint32_t ep_modules_append(struct ep_wire *wire, struct ep_process_key key);
void ep_modules_written(void);

/* Forgets the numbers of all modules. Called in the child of a fork, which gives its modules numbers of its own. */
void ep_modules_reset(void);

#endif
