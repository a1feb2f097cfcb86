/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the number of the system call that ends at an address, from the code before the address (x86-64). */
#ifndef EVPROF_PRELOAD_SAMPLE_RESTART_H
#define EVPROF_PRELOAD_SAMPLE_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds the number of a system call. next: the address behind a syscall instruction, before which max_bytes are
 * readable. Returns true where the number was loaded into %eax as a constant shortly before, followed only by moves to
 * other registers and to memory, as in libc's wrappers. Otherwise the number is not known.
 */
bool ep_restart_number(const uint8_t *next, size_t max_bytes, uint32_t *out_number);

#endif
