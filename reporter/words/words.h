/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes sentences from facts. This header declares what the files of words/ share, and the two functions that the
 * report's run calls. */
#ifndef EVPROF_REPORTER_WORDS_WORDS_H
#define EVPROF_REPORTER_WORDS_WORDS_H

#include "reporter/facts/report.h"
#include "reporter/symbolize/symbolize.h"

/* The context of functions that make sentences. A function takes facts from the report, and adds sentences to the
 * lists of said. */
struct ep_words {
	const struct ep_trace *trace;
	struct ep_symbols *symbols; /* the source of names; NULL: there are no names */
	const struct ep_report *report;
	struct ep_report_said *said;
	bool out_of_memory;
};

/* Formats a text, which lives as long as said. Without memory it returns "" and sets out_of_memory. */
const char *ep_text(struct ep_words *words, const char *format, ...) EP_PRINTF(2, 3);

/* Returns the name as a sentence shows it: name itself where it is short enough, else a shortened copy. */
const char *ep_name_say(struct ep_words *words, const char *name);

/* How busy the machine was when the run began, by the load in the minute before. */
enum ep_busyness {
	EP_MACHINE_UNKNOWN,
	EP_MACHINE_FREE, /* at least half of its CPUs were free */
	EP_MACHINE_PARTLY_BUSY,
	EP_MACHINE_BUSY, /* at least three quarters of its CPUs had work */
};
enum ep_busyness ep_machine_busyness(const struct ep_report *report);

void ep_build_findings(struct ep_words *builder);
/* Finds the program's own procedure that calls row, a library's procedure, most. out_share is that caller's share
 * of row's time (1 is all). NULL: the call paths show no such procedure. */
const char *ep_find_own_caller(
	struct ep_words *builder, const struct ep_report_row *row, double *out_share);
/* Tells whether a procedure is library code that is compiled into the program. */
bool ep_is_compiled_in(const struct ep_words *b, const struct ep_symbol *symbol);
struct ep_own_procedure {
	const char *name;
	/* share of the report's time, with the headers that are compiled into the procedure, or with all that a
	 * script's function calls outside of the user's scripts */
	double share;
	/* the line of a script's function with most of that time, and its share of it; 0: there is none */
	uint32_t line;
	double line_share;
};
/* Finds the program's own procedures with most time, each with the time of library headers that are compiled into
 * it: at most n_most, most first. Returns their number. */
uint32_t ep_find_own_with_headers(
	struct ep_words *builder, struct ep_own_procedure *out, uint32_t n_most);
/* Does the same for the functions of the user's scripts. */
uint32_t ep_find_own_scripts(
	struct ep_words *builder, struct ep_own_procedure *out, uint32_t n_most);
/* Returns the language of a script that takes much of the time and whose procedures have no names here; NULL:
 * there is no such script. */
const char *ep_interpreted_language(const struct ep_report *report);
void ep_build_in_short(struct ep_words *builder);

/* Adds one more sentence (in_short.c). */
void ep_say(struct ep_words *b, const char *sentence);
void ep_say_cpus(struct ep_words *b);   /* defined in in_short_cpus.c */
void ep_say_waits(struct ep_words *b);  /* defined in in_short_waits.c */
void ep_say_faults(struct ep_words *b); /* defined in in_short_faults.c */
/* Says which functions of scripts have most of the time. Returns false where that is little (in_short_scripts.c). */
bool ep_say_scripts(struct ep_words *b);
/* Says which of the program's own procedures have the time of library code that is compiled into them, if
 * that is a large share (in_short_headers.c). */
void ep_say_with_headers(struct ep_words *b);
/* Returns the program's own procedure into which most of row, a library's procedure, is compiled; NULL: row
 * is not compiled into the program, or no procedure has most of its time. */
const char *ep_user_of_header(struct ep_words *b, const struct ep_report_row *row);
/* defined in in_short_parallel.c */
void ep_say_parallel(struct ep_words *b);
/* Returns a procedure's share of the CPU time; where latency is shown, its share of the time in which threads ran. */
double ep_latency_or_share(const struct ep_report *r, const struct ep_report_row *row);
/* Returns the share of the working threads' time in which they were ready to run and had no CPU, 0 to 1; NaN: not
 * known. */
double ep_lacking_share(const struct ep_report *r);
/* Returns "about " where a part of the run is shown, else "". The kernel's account of threads without a CPU
 * is read once a second and taken to grow evenly in between, so that it is not exact for a part of the run. */
const char *ep_about_lacking(const struct ep_report *r);
/* Returns words on why a rank is slow although it has no more work than the others; NULL: no reason is known
 * (slow_rank_words.c). */
const char *ep_slow_rank_words(struct ep_words *b);
/* Says what the time was spent on. The second function tells whether such a sentence has named a row's activity;
 * such a row needs no other sentence (in_short_activities.c). */
void ep_say_activities(struct ep_words *b);
bool ep_activities_tell_of(const struct ep_report *r, const struct ep_report_row *row);

#endif
