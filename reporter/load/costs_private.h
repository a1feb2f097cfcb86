/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a reader of callgrind's files, shared by the parser (costs.c) and the sums (costs_sums.c). */
#ifndef EVPROF_REPORTER_LOAD_COSTS_PRIVATE_H
#define EVPROF_REPORTER_LOAD_COSTS_PRIVATE_H

#include "reporter/load/costs.h"

enum names { OBJECTS, FILES, PROCEDURES, N_NAMES };

/* The costs of a procedure in one of callgrind's files. */
struct ep_costs_in_file {
	struct ep_counts self;
	struct ep_counts calls;  /* inclusive costs of the calls that the procedure made */
	struct ep_counts called; /* inclusive costs of all calls of the procedure, by itself too */
	bool is_called;
};

/* Names by their number; NULL: the file has not defined the number yet. */
struct ep_costs_names {
	const char **rows;
	uint32_t n_rows, capacity;
};

struct ep_costs_reader {
	struct ep_costs *costs;
	struct ep_strings *strings;
	struct ep_costs_in_file *procedures; /* (n_procedures) by the index in costs */
	uint32_t n_procedures, procedure_capacity;
	struct ep_counts self;              /* sum of the own costs of all procedures */
	struct ep_floating_counts floating; /* floating-point instructions of all procedures */
	struct ep_counts summary;           /* the total that the file itself gives */
	/* the beginning of a line that the end of the last piece cut off */
	char *line;
	size_t line_size, line_capacity;
	struct ep_costs_names names[N_NAMES];
	/* the column of each event in the file; -1: the file does not have it */
	int column[EP_N_CALLGRIND_EVENTS];
	int floating_column[EP_N_FLOATING_EVENTS];
	uint32_t n_positions;
	/* the names that hold for the line being read */
	const char *object, *file, *called_object, *called_file;
	uint32_t procedure_idx, called_idx;
	uint64_t at[2]; /* the last position: address and line */
	uint64_t n_calls;
	bool has_events, has_floating, is_call; /* is_call: the next line of costs is a call's */
};

/* Finds the index of the procedure with the names of key; adds the procedure where it is missing. 0 or
 * -ENOMEM. */
int ep_costs_find_procedure(
	struct ep_costs *costs, const struct ep_costs_procedure *key, uint32_t *out) EP_MUST_CHECK;
/* Add costs to the line that was read last: its own costs, or those of the call there. 0 or -ENOMEM. */
int ep_costs_add_self(struct ep_costs_reader *r, const struct ep_counts *counts,
	const struct ep_floating_counts *floating) EP_MUST_CHECK;
int ep_costs_add_call(struct ep_costs_reader *r, const struct ep_counts *counts) EP_MUST_CHECK;

#endif
