/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences from facts: what the files of words/ share, and the two functions that the run calls. */
#ifndef EVPROF_REPORTER_WORDS_WORDS_H
#define EVPROF_REPORTER_WORDS_WORDS_H

#include "reporter/facts/report.h"
#include "reporter/symbolize/symbolize.h"

/* Sentences take their facts from the report and go into its lists. */
struct ep_words {
	const struct ep_trace *trace;
	struct ep_symbols *symbols; /* names addresses; NULL: there are no names */
	const struct ep_report *report;
	struct ep_report_said *said;
	bool out_of_memory;
};

/* Formats into the texts of what is said; "" and out_of_memory where there is no room. */
const char *ep_text(struct ep_words *words, const char *format, ...) EP_PRINTF(2, 3);

/* Returns the name as a sentence shows it: name itself where it is short enough. */
const char *ep_name_say(struct ep_words *words, const char *name);

/* How busy the machine was when the run began, by the load of the minute before. */
enum ep_busyness {
	EP_MACHINE_UNKNOWN,
	EP_MACHINE_FREE, /* half of its CPUs or more were free */
	EP_MACHINE_PARTLY_BUSY,
	EP_MACHINE_BUSY, /* at least three quarters of its CPUs had work */
};
enum ep_busyness ep_machine_busyness(const struct ep_report *report);

void ep_build_findings(struct ep_words *builder);
/* Finds the program's own procedure that row, a procedure of a library, works for most, and its share of row's
 * time (1 is all); NULL where the call paths show none. */
const char *ep_find_own_caller(
	struct ep_words *builder, const struct ep_report_row *row, double *out_share);
/* Tells whether a procedure is library code that is compiled into the program. */
bool ep_is_compiled_in(const struct ep_words *b, const struct ep_symbol *symbol);
struct ep_own_procedure {
	const char *name;
	double share; /* of the report's time, with the headers that are compiled into it */
};
/* Finds the program's own procedures with most time, each with what libraries' headers that are compiled into it
 * have: at most n_most, most first. Returns their number. */
uint32_t ep_find_own_with_headers(
	struct ep_words *builder, struct ep_own_procedure *out, uint32_t n_most);
/* The language of a script that takes much of the time and whose procedures have no names here;
 * NULL: there is none. */
const char *ep_interpreted_language(const struct ep_report *report);
void ep_build_in_short(struct ep_words *builder);

/* in_short.c: one more sentence. */
void ep_say(struct ep_words *b, const char *sentence);
void ep_say_cpus(struct ep_words *b);   /* in_short_cpus.c */
void ep_say_waits(struct ep_words *b);  /* in_short_waits.c */
void ep_say_faults(struct ep_words *b); /* in_short_faults.c */
/* in_short_headers.c. Says which of the program's own procedures have the time of library code that is compiled
 * into them, where that is much. */
void ep_say_with_headers(struct ep_words *b);
/* Returns the program's own procedure into which most of row, a library's procedure, is compiled; NULL: row is no such
 * procedure, or there is none. */
const char *ep_user_of_header(struct ep_words *b, const struct ep_report_row *row);
/* in_short_parallel.c */
void ep_say_parallel(struct ep_words *b);
/* Returns a procedure's share of the CPU time, or where the two differ, of the time in which threads
 * ran. */
double ep_latency_or_share(const struct ep_report *r, const struct ep_report_row *row);
/* The share of the time of threads that worked in which they were ready to run and had no CPU, 0 to
 * 1; NaN where it is not known. */
double ep_lacking_share(const struct ep_report *r);
/* Returns "about " where a range is shown, else "": the kernel's account of threads without a CPU comes once a
 * second, and a range has its part of that, spread evenly. */
const char *ep_about_lacking(const struct ep_report *r);
/* slow_rank_words.c. Says why a rank is slow that has no more work than the others; NULL: nothing shows why. */
const char *ep_slow_rank_words(struct ep_words *b);
/* in_short_activities.c. A row whose activity has a sentence needs no other. */
void ep_say_activities(struct ep_words *b);
bool ep_activities_tell_of(const struct ep_report *r, const struct ep_report_row *row);

#endif
