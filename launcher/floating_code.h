/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds floating-point instructions in the code of programs and libraries. */
#ifndef EVPROF_LAUNCHER_FLOATING_CODE_H
#define EVPROF_LAUNCHER_FLOATING_CODE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_floating_code;

#define EP_FLOATING_NONE UINT8_MAX /* an instruction that has no class */

#if EP_HAS_CAPSTONE
/* Returns NULL if capstone is not installed or no memory is left. */
struct ep_floating_code *ep_floating_code_create(void);
void ep_floating_code_destroy(struct ep_floating_code *code);
/* Returns an index for ep_floating_code_at, also for a file that cannot be read. Error: -ENOMEM. */
int ep_floating_code_open(struct ep_floating_code *code, const char *path);
/* Returns the class of the instruction at an address of the file; EP_FLOATING_NONE: it has none; EP_FLOATING_UNREAD:
 * it cannot be read. */
uint8_t ep_floating_code_at(struct ep_floating_code *code, int object_idx, uint64_t address);
#else
static inline struct ep_floating_code *ep_floating_code_create(void)
{
	return NULL;
}
static inline void ep_floating_code_destroy(struct ep_floating_code *code)
{
}
static inline int ep_floating_code_open(struct ep_floating_code *code, const char *path)
{
	return -ENOSYS;
}
static inline uint8_t ep_floating_code_at(
	struct ep_floating_code *code, int object_idx, uint64_t address)
{
	return EP_FLOATING_NONE;
}
#endif

/* Tells whether capstone, which reads instructions, is installed. */
static inline bool ep_floating_code_is_there(void)
{
	struct ep_floating_code *code = ep_floating_code_create();
	bool is_there = code != NULL;

	ep_floating_code_destroy(code);
	return is_there;
}

#endif
