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

/* Counts of floating-point instructions, one for each class of ep_floating_events. */
struct ep_floating_counts {
	uint64_t of[EP_N_FLOATING_EVENTS];
};

/* A procedure as callgrind names it; a name "???" means that it is not known. */
struct ep_costs_procedure {
	const char *object, *file, *name;
	uint32_t module_idx; /* index of the object in the trace's modules; EP_NONE: not known */
	struct ep_counts self;
	/* Costs including those of everything that the procedure calls, as callgrind_annotate --inclusive=yes
	 * counts. For a recursive procedure, each call that it makes of itself is added once more, with
	 * everything that this call called. */
	struct ep_counts inclusive;
	/* the procedure's own instructions, without those of the procedures that it calls */
	struct ep_floating_counts floating;
};

struct ep_costs_line {
	uint32_t procedure_idx;
	const char *file; /* the source file; for inlined code another than the procedure's */
	uint32_t line;    /* 0: not known */
	struct ep_counts self, calls;
	struct ep_floating_counts floating; /* the line's own, without calls */
};

/* The costs of one instruction itself, or (is_of_calls) the inclusive costs of all calls made from it. */
struct ep_costs_instruction {
	/* the address in the object file; EP_COSTS_NO_ADDRESS: callgrind's file does not tell
	 * it */
	uint64_t address;
	uint32_t procedure_idx;
	bool is_of_calls;
	/* the instruction's class in ep_floating_events, which was counted n_floating times;
	 * EP_N_FLOATING_EVENTS: none */
	uint8_t floating_event;
	uint64_t n_floating;
	struct ep_counts counts;
};

#define EP_COSTS_NO_ADDRESS UINT64_MAX

struct ep_costs_call {
	uint32_t caller_idx, callee_idx; /* indexes of procedures */
	uint64_t n_calls;
	struct ep_counts counts; /* costs including everything that the callee called */
};

struct ep_costs {
	struct ep_costs_procedure *procedures;
	uint32_t n_procedures, procedure_capacity;
	struct ep_index procedure_index;
	struct ep_costs_line *lines;
	uint32_t n_lines, line_capacity;
	struct ep_index line_index;
	/* Costs by instruction take more memory than everything else; they are kept only if
	 * keeps_instructions is set. */
	struct ep_costs_instruction *instructions;
	uint32_t n_instructions, instruction_capacity;
	struct ep_index instruction_index;
	bool keeps_instructions;
	bool has_instructions; /* some file has costs by instruction */
	struct ep_costs_call *calls;
	uint32_t n_calls, call_capacity;
	struct ep_index call_index;
	struct ep_counts total;                    /* the total of the whole program */
	uint32_t event_idx[EP_N_CALLGRIND_EVENTS]; /* indexes in the trace's events */
	/* the floating-point instructions of the whole program */
	struct ep_floating_counts floating;
	bool lacks_floating; /* some file has no floating-point columns */
	uint32_t floating_idx
		[EP_N_FLOATING_EVENTS]; /* indexes in the trace's events, unless lacks_floating */
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

/* Returns how many instructions of a class may be missing: any of the instructions that could not be read may
 * be of that class. For the number of unread instructions itself the error is 0. */
static inline double ep_floating_error(const struct ep_floating_counts *counts, int event)
{
	return event == EP_FLOATING_UNREAD ? 0 : (double)counts->of[EP_FLOATING_UNREAD];
}

static inline uint64_t ep_counts_cycles(const struct ep_counts *counts)
{
	return ep_callgrind_cycles(counts->of);
}

/* ---- reading one of callgrind's files in pieces (callgrind manual, "Callgrind Format Specification") ---- */

struct ep_costs_reader;

/* Creates a reader that adds to costs; NULL: out of memory. */
struct ep_costs_reader *ep_costs_reader_create(struct ep_costs *costs, struct ep_strings *strings);
/* Takes the next piece of the file. 0, -ENOMEM, or -EBADMSG where the text is not in callgrind's format. */
int ep_costs_reader_take(
	struct ep_costs_reader *reader, const char *text, size_t size) EP_MUST_CHECK;
/* Ends the file: adds the file's costs to those of all files, and sets *out_total and *out_floating to the
 * file's total. */
void ep_costs_reader_finish(struct ep_costs_reader *reader, struct ep_counts *out_total,
	struct ep_floating_counts *out_floating);
void ep_costs_reader_destroy(struct ep_costs_reader *reader);

#endif
