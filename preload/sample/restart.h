/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the number of the system call that ends at an address, from the code before the address (x86-64). */
#ifndef EVPROF_PRELOAD_SAMPLE_RESTART_H
#define EVPROF_PRELOAD_SAMPLE_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds the number of a system call. next: the address after a syscall instruction; the max_bytes before next are
 * readable. Returns true if a constant was loaded into %eax shortly before the system call, and only moves to other
 * registers and to memory follow the load, as in libc's wrappers. Returns false if the number is not known.
 */
bool ep_restart_number(const uint8_t *next, size_t max_bytes, uint32_t *out_number);

#endif
