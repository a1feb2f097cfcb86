/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_LAUNCHER_FLOATING_COLUMNS_H
#define EVPROF_LAUNCHER_FLOATING_COLUMNS_H

#include "common/error.h"
#include "floating_code.h"

#include <stddef.h>

/*
 * Adds columns to a file of callgrind's (--dump-instr=yes), after its own: one for each class of floating-point
 * instructions. An instruction's count is how often it was executed. Lines of calls get no counts, since their costs
 * are those of all procedures called, not those of one instruction. NULL in *out_text: the file has no addresses of
 * instructions, and stays as it is. Error: -ENOMEM.
 */
int ep_floating_columns_add(struct ep_floating_code *code, const char *text, char **out_text,
	size_t *out_size) EP_MUST_CHECK;

#endif
