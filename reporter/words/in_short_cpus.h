/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares what the sentences about CPUs share. */
#ifndef EVPROF_REPORTER_WORDS_IN_SHORT_CPUS_H
#define EVPROF_REPORTER_WORDS_IN_SHORT_CPUS_H

#include "words.h"

#define LACKING 0.1  /* least share of the working threads' time without a CPU for a sentence */
#define SPINNING 0.1 /* least share of CPU time of threads that spin while they wait */

/* The following functions are in in_short_cpus.c. */
/* Tells whether the thread does a part of the work, and does not only wait. */
bool ep_works(const struct ep_report *r, const struct ep_report_thread *thread);
/* Tells whether the thread is of the busiest thread's process. A program that the same process executed before
 * counts as another process. */
bool ep_is_with_busiest(const struct ep_report *r, const struct ep_report_thread *thread);
/* Counts the threads that work at the same time, in the busiest process or in all ranks. */
uint32_t ep_count_workers(const struct ep_report *r);
/* Returns the process of the busiest thread; NULL: there is none. */
const struct ep_report_process *ep_busiest_process(const struct ep_report *r);
/* Returns "machine's" or "machines'", for sentences about CPUs. */
const char *ep_whose(const struct ep_report *r);
/* Returns the share of the threads' CPU time in which they may have waited for other threads by
 * spinning. */
double ep_waiting_share(const struct ep_report *r);

/* The following functions are in in_short_lacking.c. */
/* Tells whether the program uses OpenMP, by the libraries that are loaded: threads that sleep while they wait have
 * no samples in OpenMP's library. */
bool ep_uses_openmp(const struct ep_trace *trace);
/* Returns how many CPUs the threads would have kept busy on average if each ready thread had had one. A
 * thread whose time without a CPU is not known counts as if it had none. */
double ep_wanted_cpus(const struct ep_report *r);
/* Says how long the threads had no CPU, if that is known and at least LACKING. Returns true if the sentence
 * also tells how the CPUs were used. */
bool ep_say_lacking(struct ep_words *b);
void ep_say_stolen(struct ep_words *b);

#endif
