/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a function on another stack: of the program's stack a signal handler may have only a few hundred bytes
 * (PTHREAD_STACK_MIN, coroutines), after the kernel's frame took most.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_SWITCH_H
#define EVPROF_PRELOAD_SAMPLE_SWITCH_H

/* Calls run(argument, context) with the stack that ends at top (16-byte aligned). */
void ep_switch_stack(void (*run)(void *argument, const void *context), void *argument,
	const void *context, void *top);

#endif
