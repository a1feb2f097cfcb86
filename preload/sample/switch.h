/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a function on another stack. In a signal handler only a few hundred bytes of the program's stack may be left
 * (PTHREAD_STACK_MIN, coroutines), since the kernel's frame takes most of it.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_SWITCH_H
#define EVPROF_PRELOAD_SAMPLE_SWITCH_H

/* Calls run(argument, context) with the stack that ends at top (16-byte aligned). */
void ep_switch_stack(void (*run)(void *argument, const void *context), void *argument,
	const void *context, void *top);

#endif
