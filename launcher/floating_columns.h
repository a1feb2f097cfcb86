/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_LAUNCHER_FLOATING_COLUMNS_H
#define EVPROF_LAUNCHER_FLOATING_COLUMNS_H

#include "common/error.h"
#include "floating_code.h"

#include <stddef.h>

/*
 * A file of callgrind's (--dump-instr=yes) with columns for floating-point instructions by class behind its
 * own: an instruction's count is how often it was carried out. Calls have none, since no instruction
 * tells what a call's callees did. NULL in *out_text: the file has no addresses of instructions, and stays
 * as it is. -ENOMEM.
 */
int ep_floating_columns_add(struct ep_floating_code *code, const char *text, char **out_text,
	size_t *out_size) EP_MUST_CHECK;

#endif
