/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the sentences about CPUs. */
#ifndef EVPROF_REPORTER_WORDS_IN_SHORT_CPUS_H
#define EVPROF_REPORTER_WORDS_IN_SHORT_CPUS_H

#include "words.h"

#define LACKING 0.1  /* of the time of the threads that work; more is worth a sentence */
#define SPINNING 0.1 /* of the time of threads that spin while they wait for others */

/* in_short_cpus.c */
/* Tells whether the thread does a part of the work, and does not only wait. */
bool ep_works(const struct ep_report *r, const struct ep_report_thread *thread);
/* Tells whether the thread is of the busiest thread's process. A program that the same process executed before
 * counts as another process. */
bool ep_is_with_busiest(const struct ep_report *r, const struct ep_report_thread *thread);
/* Counts the threads that work at the same time: of the busiest process, or of all ranks. */
uint32_t ep_count_workers(const struct ep_report *r);
/* The process of the busiest thread; NULL where there is none. */
const struct ep_report_process *ep_busiest_process(const struct ep_report *r);
/* Returns whose CPUs a sentence speaks of, as "machine's". */
const char *ep_whose(const struct ep_report *r);
/* Returns the share of the threads' CPU time in which they may have waited for other threads by
 * spinning. */
double ep_waiting_share(const struct ep_report *r);

/* in_short_lacking.c */
/* Goes by the libraries that are loaded: threads that sleep while they wait have no samples in OpenMP's. */
bool ep_uses_openmp(const struct ep_trace *trace);
/* Returns how many CPUs the threads would have kept busy on average, had there been one for each that was ready.
 * A thread whose time without a CPU is not known counts as if it had none. */
double ep_wanted_cpus(const struct ep_report *r);
/* Says how long the threads had no CPU, where that is known and much. True: the sentence also tells how the CPUs were
 * used. */
bool ep_say_lacking(struct ep_words *b);
void ep_say_stolen(struct ep_words *b);

#endif
