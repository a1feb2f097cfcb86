/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a function on another stack: a signal's handler may have only a few hundred bytes of the
 * program's (PTHREAD_STACK_MIN, coroutines), of which the kernel's frame took most.
 */
#ifndef EVPROF_PRELOAD_SAMPLE_SWITCH_H
#define EVPROF_PRELOAD_SAMPLE_SWITCH_H

/* Calls run(argument, context) with the stack that ends at top (16-byte aligned). */
void ep_switch_stack(void (*run)(void *argument, const void *context), void *argument,
	const void *context, void *top);

#endif
