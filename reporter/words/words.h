/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences from facts: what the files of words/ share, and the two functions that the run calls. */
#ifndef EVPROF_REPORTER_WORDS_WORDS_H
#define EVPROF_REPORTER_WORDS_WORDS_H

#include "reporter/facts/builder.h"

/* How busy the machine was when the run began, by the load of the minute before. */
enum ep_busyness {
	EP_MACHINE_UNKNOWN,
	EP_MACHINE_FREE, /* half of its CPUs, and more */
	EP_MACHINE_PARTLY_BUSY,
	EP_MACHINE_BUSY, /* with three quarters and more */
};
enum ep_busyness ep_machine_busyness(const struct ep_report *report);

void ep_build_findings(struct ep_builder *builder);
/* The program's own procedure that row, a library's, works for most, and its share of row's time
 * (1 is all); NULL where the call paths show none. */
const char *ep_find_own_caller(
	struct ep_builder *builder, const struct ep_report_row *row, double *out_share);
/* The language of a script that takes much of the time and whose procedures have no names here;
 * NULL: there is none. */
const char *ep_interpreted_language(const struct ep_report *report);
void ep_build_in_short(struct ep_builder *builder);

/* in_short.c: one more sentence. */
void ep_say(struct ep_builder *b, const char *sentence);
void ep_say_cpus(struct ep_builder *b);  /* in_short_cpus.c */
void ep_say_waits(struct ep_builder *b); /* in_short_waits.c */
/* in_short_parallel.c */
void ep_say_parallel(struct ep_builder *b);
/* Returns a procedure's share of the CPU time, or where the two differ, of the time in which threads
 * ran. */
double ep_latency_or_share(const struct ep_report *r, const struct ep_report_row *row);
/* The share of the time of threads that worked in which they were ready to run and had no CPU, 0 to
 * 1; NaN where it is not known. */
double ep_lacking_share(const struct ep_report *r);
/* in_short_activities.c. A row that they have told more of than its name does needs no sentence. */
void ep_say_activities(struct ep_builder *b);
bool ep_activities_tell_of(const struct ep_report *r, const struct ep_report_row *row);

#endif
