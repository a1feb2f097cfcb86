/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of scripts that interpreters ran. Each is stored once for all threads. */
#ifndef EVPROF_REPORTER_LOAD_SCRIPTS_H
#define EVPROF_REPORTER_LOAD_SCRIPTS_H

#include "common/containers/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_script {
	uint32_t module_idx;     /* the script's file */
	const char *name, *file; /* kept in the trace's strings */
	uint32_t minor;          /* minor version of the CPython 3 that wrote the table */
	uint32_t first_line;
	uint8_t *table; /* (table_size) CPython's table of line numbers */
	uint32_t table_size;
	uint32_t first_of_name; /* the first row with this name and file */
	bool has_namesakes; /* for the row first_of_name: functions of its name begin at several lines of its file */
};

struct ep_scripts {
	struct ep_script *rows;
	uint32_t n_rows, capacity;
	struct ep_index index, by_name;
};

/* Tells whether a function must be shown with its line, since its file has another function of the same name,
 * such as __init__ of two classes: up to CPython 3.10 a code object does not know its class. */
static inline bool ep_script_needs_line(const struct ep_scripts *scripts, uint32_t script_idx)
{
	return scripts->rows[scripts->rows[script_idx].first_of_name].has_namesakes;
}

/* Returns the address that a path has in the module of its script. A caller's address is a return address,
 * from which 1 is subtracted to find the call: bit 0 is set, so that the result is still in the same
 * instruction. */
static inline uint64_t ep_script_place(uint32_t script_idx, uint64_t address)
{
	return (uint64_t)script_idx << 25 | (address & ((1u << 25) - 1)) | 1;
}

static inline uint32_t ep_script_of_place(uint64_t place)
{
	return (uint32_t)(place >> 25);
}

/* Returns the place's offset in the function's instructions, in bytes. */
static inline uint32_t ep_script_offset_of_place(uint64_t place)
{
	return (uint32_t)(place >> 1) & 0xffffff;
}

void ep_scripts_finish(struct ep_scripts *scripts);

#endif
