/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One procedure or loop, with what its source lines and its instructions cost. A sample is of the
 * instruction that it stopped at, and of that one's line; an event's count is of a line as it is in the
 * report's table of lines, and of an instruction where the event's own ticks say so, else missing. total is
 * with all that is called from there. One thread.
 */
#ifndef EVPROF_REPORTER_ANNOTATE_ANNOTATE_H
#define EVPROF_REPORTER_ANNOTATE_ANNOTATE_H

#include "reporter/annotate/bound.h"
#include "reporter/annotate/sources.h"
#include "reporter/annotate/target.h"
#include "reporter/facts/quantity.h"
#include "reporter/loops/instruction_kind.h"
#include "reporter/text/layout.h"

/* A loop inside, or the one that was asked for. */
struct ep_annotated_loop {
	const char *name;
	const char *file; /* NULL: not known */
	uint32_t line;
	uint64_t head;
	uint32_t symbol_idx; /* the procedure that the source is of */
	uint32_t parent_idx; /* of loops; EP_NONE: none that is shown is around it */
	uint32_t depth;      /* 1: none that is shown is around it */
	struct ep_report_row cost;
	struct ep_instruction_mix mix; /* of its own instructions, without those of loops inside */
	uint32_t n_blocked;            /* loads that wait for stores of the same turn */
	struct ep_loop_bound bound;    /* of a turn of n_in_turn instructions; 0: there is none */
	uint32_t n_in_turn;
	struct ep_quantity measured; /* cycles of such a turn, by the loop's own counts */
};

struct ep_annotated_line {
	uint32_t symbol_idx; /* the procedure, or one that is inlined here */
	const char *file;    /* NULL: not known */
	uint32_t line;       /* 0: not known */
	uint32_t loop_idx;   /* the innermost loop that its instructions are of; EP_NONE */
	uint32_t n_instructions;
	struct ep_report_row cost; /* values NULL: no sample is of it */
};

struct ep_annotated_instruction {
	uint32_t module_idx;
	uint64_t address; /* as in its file */
	uint32_t n_bytes;
	const char *text;
	uint32_t line_idx, loop_idx;
	bool is_first;             /* nothing that is shown lies just before it */
	bool is_blocked;           /* a load that waits for stores (loops/forwarding.h) */
	struct ep_report_row cost; /* values NULL: no sample is of it */
};

/* Why there are no instructions. */
enum ep_annotated_code {
	EP_CODE_SHOWN,
	EP_CODE_ABSENT,      /* the file is not here, or the ends of the procedure are not known */
	EP_CODE_UNREADABLE,  /* of a machine that capstone does not read here */
	EP_CODE_TOO_MUCH,    /* more than EP_LOOPS_MOST_BYTES */
	EP_CODE_NO_CAPSTONE, /* evreport was built without it */
	EP_CODE_BY_LINE,     /* callgrind's costs are of lines */
	EP_CODE_SCRIPT,      /* an interpreter carries it out */
	EP_CODE_AT_RUN_TIME, /* the program made it, and no file has it */
};

struct ep_annotation {
	const struct ep_report *report;
	struct ep_annotate_target target;
	struct ep_report_row cost; /* of all that is shown */
	struct ep_instruction_mix mix;
	uint16_t machine;          /* e_machine of the code's file */
	const char *bound_cpu;     /* as llvm-mca calls it; NULL: no bound was looked for */
	bool is_bound_cpu_unknown; /* to the llvm-mca that is installed */
	struct ep_annotated_line
		*lines; /* (n_lines) the procedure's own first, each one's by line */
	uint32_t n_lines;
	struct ep_annotated_instruction *instructions; /* (n_instructions) by module and address */
	uint32_t n_instructions;
	struct ep_annotated_loop *loops; /* (n_loops) a loop comes after the one around it */
	uint32_t n_loops;
	uint32_t hottest_line, hottest_instruction; /* EP_NONE: there is none with time */
	enum ep_annotated_code code;
	struct ep_sources sources;
	struct ep_strings texts;
};

/* target becomes the annotation's. 0 or -ENOMEM. */
int ep_annotation_create(struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_report *report, struct ep_annotate_target *target,
	struct ep_annotation *out) EP_MUST_CHECK;
void ep_annotation_finish(struct ep_annotation *annotation);

/* Looks for bounds of hot innermost loops without other jumps and calls, where llvm-mca is installed.
 * cpu: llvm-mca's name of one, NULL: that of the key cpuid. 0 or -ENOMEM. */
int ep_annotation_find_bounds(
	struct ep_annotation *annotation, const char *cpuid, const char *cpu) EP_MUST_CHECK;

/* Is no other loop in it? */
bool ep_annotated_is_innermost(const struct ep_annotation *annotation, uint32_t loop_idx);

/* The share of the time of all that is shown. */
static inline double ep_annotated_share(
	const struct ep_annotation *annotation, const struct ep_report_row *cost)
{
	return annotation->cost.self_ns ? (double)cost->self_ns / (double)annotation->cost.self_ns
					: 0;
}
/* Its standard error, of samples being a draw. */
double ep_annotated_error(const struct ep_annotation *annotation, const struct ep_report_row *cost);

/* ---- views ---- */

struct ep_annotate_page {
	struct ep_annotation *annotation; /* its sources are read as they are shown */
	const struct ep_symbols *symbols;
	const char *const *trace_paths;
	const char *const
		*events; /* names to show, NULL behind the last; NULL: those that tell most */
	bool shows_all;  /* lines and instructions without time, too */
	struct ep_layout layout;
	const char *selection; /* the part of the run that is shown; NULL: all */
};

/* 0 or -ENOMEM. */
int ep_annotate_print_text(const struct ep_annotate_page *page) EP_MUST_CHECK;
int ep_annotate_print_json(const struct ep_annotate_page *page) EP_MUST_CHECK;

#endif
