/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaves in assembly as numeric libraries have them, x86-64: no unwind table, rbp a number like any
 * other. Each stops at an int3 in its middle.
 */
#ifndef EVPROF_TESTS_UNIT_FRAMES_ASSEMBLY_H
#define EVPROF_TESTS_UNIT_FRAMES_ASSEMBLY_H

/* Registers saved, sp far below and aligned to a page: OpenBLAS's dgemm_kernel_HASWELL. */
void frames_leaf_far(void);
/* Pushes and a small frame. */
void frames_leaf_pushes(void);

/* Call one of them, directly and through the pointer. */
int frames_call_far(void);
int frames_call_pushes(void);
int frames_call_through(void (*leaf)(void));

#endif
