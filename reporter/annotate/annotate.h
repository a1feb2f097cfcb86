/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annotates one procedure or loop: computes the costs of its source lines and of its instructions. A sample
 * counts for the instruction that it stopped at, and for the line of that instruction. A line's count of an
 * event is the one in the report's table of lines. An instruction's count of an event is known only if ticks
 * of this event itself tell it. Totals include the time of all procedures that are called from there. One
 * thread.
 */
#ifndef EVPROF_REPORTER_ANNOTATE_ANNOTATE_H
#define EVPROF_REPORTER_ANNOTATE_ANNOTATE_H

#include "reporter/annotate/bound.h"
#include "reporter/annotate/sources.h"
#include "reporter/annotate/target.h"
#include "reporter/facts/quantity.h"
#include "reporter/loops/instruction_kind.h"
#include "reporter/text/layout.h"

/* A loop inside the procedure, or the loop that is annotated. */
struct ep_annotated_loop {
	const char *name;
	const char *file; /* NULL: not known */
	uint32_t line;
	uint64_t head;
	uint32_t symbol_idx; /* the procedure whose source has the loop */
	uint32_t parent_idx; /* loop around it, index into loops; EP_NONE: none is shown */
	uint32_t depth;      /* 1: no loop that is shown is around it */
	struct ep_report_row cost;
	/* kinds of the loop's own instructions, without those of loops inside */
	struct ep_instruction_mix mix;
	uint32_t n_blocked;         /* number of loads that wait for stores of the same iteration */
	struct ep_loop_bound bound; /* least cycles of an iteration; valid if n_in_turn > 0 */
	uint32_t n_in_turn;
	struct ep_quantity measured; /* cycles of n_in_turn instructions, as counted in the loop */
};

struct ep_annotated_line {
	uint32_t symbol_idx; /* the annotated procedure, or a procedure inlined into it */
	const char *file;    /* NULL: not known */
	uint32_t line;       /* 0: not known */
	uint32_t loop_idx;   /* the innermost loop with instructions of the line; EP_NONE: none */
	uint32_t n_instructions;
	struct ep_report_row cost; /* values NULL: it has no sample */
};

struct ep_annotated_instruction {
	uint32_t module_idx;
	uint64_t address; /* address in the module's file */
	uint32_t n_bytes;
	const char *text;
	uint32_t line_idx, loop_idx;
	bool is_first;             /* no listed instruction ends where this one begins */
	bool is_blocked;           /* a load that waits for stores (loops/forwarding.h) */
	struct ep_report_row cost; /* values NULL: it has no sample */
};

/* Whether there are instructions, or why there are none. */
enum ep_annotated_code {
	EP_CODE_SHOWN,
	EP_CODE_ABSENT,      /* the file is not found, or the ends of the procedure are not known */
	EP_CODE_UNREADABLE,  /* code of a machine that this capstone does not read */
	EP_CODE_TOO_MUCH,    /* more code than EP_LOOPS_MOST_BYTES */
	EP_CODE_NO_CAPSTONE, /* evreport was built without capstone */
	EP_CODE_BY_LINE,     /* callgrind's costs are by line */
	EP_CODE_SCRIPT,      /* an interpreter executes the procedure */
	EP_CODE_AT_RUN_TIME, /* the program made the code, and no file has it */
};

struct ep_annotation {
	const struct ep_report *report;
	struct ep_annotate_target target;
	struct ep_report_row cost; /* cost of all that is shown */
	struct ep_instruction_mix mix;
	uint16_t machine;          /* e_machine of the code's file */
	const char *bound_cpu;     /* llvm-mca's name of the CPU; NULL: no bound was looked for */
	bool is_bound_cpu_unknown; /* the installed llvm-mca does not know bound_cpu */
	struct ep_annotated_line
		*lines; /* (n_lines) the annotated procedure's first; each procedure's by line */
	uint32_t n_lines;
	/* (n_instructions) sorted by module and address */
	struct ep_annotated_instruction *instructions;
	uint32_t n_instructions;
	struct ep_annotated_loop *loops; /* (n_loops) each loop comes after the one around it */
	uint32_t n_loops;
	uint32_t hottest_line, hottest_instruction; /* EP_NONE: none has time */
	enum ep_annotated_code code;
	struct ep_sources sources;
	struct ep_strings texts;
};

/* Makes an annotation, which takes over target; target becomes empty. Returns 0 or -ENOMEM. */
int ep_annotation_create(struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_report *report, struct ep_annotate_target *target,
	struct ep_annotation *out) EP_MUST_CHECK;
void ep_annotation_finish(struct ep_annotation *annotation);

/* Computes bounds of hot innermost loops whose only jump is the one to the next iteration, and that have no
 * calls, if llvm-mca is installed. cpu is llvm-mca's name of a CPU; NULL: the name that belongs to cpuid.
 * Returns 0 or -ENOMEM. */
int ep_annotation_find_bounds(
	struct ep_annotation *annotation, const char *cpuid, const char *cpu) EP_MUST_CHECK;

/* Tells whether no other loop is inside of the loop. */
bool ep_annotated_is_innermost(const struct ep_annotation *annotation, uint32_t loop_idx);

/* Returns a cost's share of the time of all that is shown. */
static inline double ep_annotated_share(
	const struct ep_annotation *annotation, const struct ep_report_row *cost)
{
	return annotation->cost.self_ns ? (double)cost->self_ns / (double)annotation->cost.self_ns
					: 0;
}
/* Returns the standard error of a cost's share, since samples are a random draw. */
double ep_annotated_error(const struct ep_annotation *annotation, const struct ep_report_row *cost);

/* ---- views ---- */

struct ep_annotate_page {
	struct ep_annotation *annotation; /* source files are read into it when they are shown */
	const struct ep_symbols *symbols;
	const char *const *trace_paths;
	/* names of events to show, NULL-terminated; NULL: choose hardware events that were counted */
	const char *const *events;
	bool shows_all; /* show lines and instructions without time, too */
	struct ep_layout layout;
	const char *selection; /* the part of the run that is shown; NULL: all */
};

/* These two return 0 or -ENOMEM. */
int ep_annotate_print_text(const struct ep_annotate_page *page) EP_MUST_CHECK;
int ep_annotate_print_json(const struct ep_annotate_page *page) EP_MUST_CHECK;

#endif
