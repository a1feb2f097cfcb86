/* SPDX-License-Identifier: BSD-3-Clause */
/* Callgrind's exact costs of procedures, of their lines and of their calls, added up over all processes
 * of a trace. Strings belong to the trace.
 */
#ifndef EVPROF_REPORTER_LOAD_COSTS_H
#define EVPROF_REPORTER_LOAD_COSTS_H

#include "common/callgrind.h"
#include "common/containers/strings.h"

struct ep_counts {
	uint64_t of[EP_N_CALLGRIND_EVENTS];
};

/* Floating-point instructions by class (ep_floating_events), which evprof run told apart. */
struct ep_floating_counts {
	uint64_t of[EP_N_FLOATING_EVENTS];
};

/* As callgrind names it: "???" is not known. */
struct ep_costs_procedure {
	const char *object, *file, *name;
	uint32_t module_idx; /* of object, in the trace; EP_NONE: not known */
	struct ep_counts self;
	/* Costs with those of all that it calls, as callgrind_annotate --inclusive=yes counts. A
	 * recursive procedure's calls of itself are in it, each with all that it called in turn. */
	struct ep_counts inclusive;
	struct ep_floating_counts floating; /* self: those of calls are not known */
};

struct ep_costs_line {
	uint32_t procedure_idx;
	const char *file; /* where inlined code is from */
	uint32_t line;    /* 0: not known */
	struct ep_counts self, calls;
	struct ep_floating_counts floating; /* self */
};

/* An instruction of a procedure by itself, or (is_of_calls) all that calls made from there cost, with what
 * was called in turn. */
struct ep_costs_instruction {
	uint64_t address; /* as in its file; EP_COSTS_NO_ADDRESS: callgrind's file tells none */
	uint32_t procedure_idx;
	bool is_of_calls;
	uint8_t floating_event; /* of ep_floating_events, n_floating times; EP_N_FLOATING_EVENTS: none */
	uint64_t n_floating;
	struct ep_counts counts;
};

#define EP_COSTS_NO_ADDRESS UINT64_MAX

struct ep_costs_call {
	uint32_t caller_idx, callee_idx; /* procedures */
	uint64_t n_calls;
	struct ep_counts counts; /* with all that the callee called */
};

struct ep_costs {
	struct ep_costs_procedure *procedures;
	uint32_t n_procedures, procedure_capacity;
	struct ep_index procedure_index;
	struct ep_costs_line *lines;
	uint32_t n_lines, line_capacity;
	struct ep_index line_index;
	/* They take more memory than all else, and are kept where keeps_instructions asks for them. */
	struct ep_costs_instruction *instructions;
	uint32_t n_instructions, instruction_capacity;
	struct ep_index instruction_index;
	bool keeps_instructions;
	bool has_instructions; /* some file tells costs by instruction */
	struct ep_costs_call *calls;
	uint32_t n_calls, call_capacity;
	struct ep_index call_index;
	struct ep_counts total;                    /* of the program */
	uint32_t event_idx[EP_N_CALLGRIND_EVENTS]; /* in the trace's events */
	struct ep_floating_counts floating;        /* of the program */
	bool lacks_floating;                       /* some file tells nothing of it */
	uint32_t floating_idx
		[EP_N_FLOATING_EVENTS]; /* in the trace's events, unless it is lacking */
};

void ep_costs_finish(struct ep_costs *costs);

static inline void ep_counts_add(struct ep_counts *sum, const struct ep_counts *more)
{
	for (int i = 0; i < EP_N_CALLGRIND_EVENTS; i++)
		sum->of[i] += more->of[i];
}

static inline void ep_floating_add(
	struct ep_floating_counts *sum, const struct ep_floating_counts *more)
{
	for (int i = 0; i < EP_N_FLOATING_EVENTS; i++)
		sum->of[i] += more->of[i];
}

/* How many more of a class there may be: any of the instructions that could not be read. The
 * classes' error; 0 for the number of those instructions itself. */
static inline double ep_floating_error(const struct ep_floating_counts *counts, int event)
{
	return event == EP_FLOATING_UNREAD ? 0 : (double)counts->of[EP_FLOATING_UNREAD];
}

static inline uint64_t ep_counts_cycles(const struct ep_counts *counts)
{
	return ep_callgrind_cycles(counts->of);
}

/* ---- reading one file of callgrind's, in pieces (callgrind manual, "Callgrind Format
 * Specification") ---- */

struct ep_costs_reader;

/* Creates a reader that adds to costs; NULL: out of memory. */
struct ep_costs_reader *ep_costs_reader_create(struct ep_costs *costs, struct ep_strings *strings);
/* 0, -ENOMEM, or -EBADMSG for what is no such file. */
int ep_costs_reader_take(
	struct ep_costs_reader *reader, const char *text, size_t size) EP_MUST_CHECK;
/* The file's end: adds its total to those of all and, in out_total and out_floating, says it. */
void ep_costs_reader_finish(struct ep_costs_reader *reader, struct ep_counts *out_total,
	struct ep_floating_counts *out_floating);
void ep_costs_reader_destroy(struct ep_costs_reader *reader);

#endif
