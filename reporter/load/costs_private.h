/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of callgrind's files, between its text (costs.c) and its sums (costs_sums.c). */
#ifndef EVPROF_REPORTER_LOAD_COSTS_PRIVATE_H
#define EVPROF_REPORTER_LOAD_COSTS_PRIVATE_H

#include "reporter/load/costs.h"

enum names { OBJECTS, FILES, PROCEDURES, N_NAMES };

/* The costs of a procedure in one of callgrind's files. */
struct ep_costs_in_file {
	struct ep_counts self;
	struct ep_counts calls;  /* that it made, with all that these called */
	struct ep_counts called; /* calls of it, the same */
	bool is_called;
};

/* By number; NULL: not yet said. */
struct ep_costs_names {
	const char **rows;
	uint32_t n_rows, capacity;
};

struct ep_costs_reader {
	struct ep_costs *costs;
	struct ep_strings *strings;
	struct ep_costs_in_file *procedures; /* (n_procedures) by the costs' index */
	uint32_t n_procedures, procedure_capacity;
	struct ep_counts self;              /* of all procedures */
	struct ep_floating_counts floating; /* the same */
	struct ep_counts summary;           /* as the file has it */
	char *line;                         /* the beginning of one, from the piece before */
	size_t line_size, line_capacity;
	struct ep_costs_names names[N_NAMES];
	int column[EP_N_CALLGRIND_EVENTS]; /* of the file, of each event; -1: not there */
	int floating_column[EP_N_FLOATING_EVENTS];
	uint32_t n_positions;
	const char *object, *file, *called_object, *called_file; /* now */
	uint32_t procedure_idx, called_idx;
	uint64_t at[2]; /* the last position */
	uint64_t n_calls;
	bool has_events, has_floating, is_call; /* is_call: the next line of costs is a call's */
};

/* The index of the procedure with a key's names, which is added where it is new. 0 or -ENOMEM. */
int ep_costs_find_procedure(
	struct ep_costs *costs, const struct ep_costs_procedure *key, uint32_t *out) EP_MUST_CHECK;
/* Add costs of the line that was read last, of itself or of the call there. 0 or -ENOMEM. */
int ep_costs_add_self(struct ep_costs_reader *r, const struct ep_counts *counts,
	const struct ep_floating_counts *floating) EP_MUST_CHECK;
int ep_costs_add_call(struct ep_costs_reader *r, const struct ep_counts *counts) EP_MUST_CHECK;

#endif
