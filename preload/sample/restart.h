/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells from the code before an address which system call ends there (x86-64). */
#ifndef EVPROF_PRELOAD_SAMPLE_RESTART_H
#define EVPROF_PRELOAD_SAMPLE_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * next: the address behind a syscall instruction, of which max_bytes before are readable. True when
 * the number was loaded into %eax as a constant shortly before, with nothing between but moves to
 * other registers and to memory, as libc's wrappers do it; else nothing is known.
 */
bool ep_restart_number(const uint8_t *next, size_t max_bytes, uint32_t *out_number);

#endif
