/* SPDX-License-Identifier: BSD-3-Clause */
/* A measurement table while it is written: FOLDER/events.csv, beside basis, signatures and params. If a run
 * was killed, the next one continues it: events with all their lines are kept, others are dropped. */
#ifndef EVPROF_KERNELS_MEASURE_MEASURE_TABLE_H
#define EVPROF_KERNELS_MEASURE_MEASURE_TABLE_H

#include "kernels/measure/kernel.h"

struct ep_measure_table {
	const struct ep_run *run;
	char *path; /* path of events.csv */
	int fd;     /* descriptor of events.csv, for appending */
	size_t n_reps, n_threads;
	char *old_text;        /* text of the earlier run, which owns the names in done */
	struct ep_labels done; /* events that are complete */
};

/* Creates the folder and its files, or continues those that exist. Returns -EEXIST if the folder holds a table with
 * another basis (another machine, or another version of the kernel). */
int ep_measure_table_open(struct ep_measure_table *rows, const char *folder,
	const struct ep_run *run, size_t n_reps, struct ep_error *err) EP_MUST_CHECK;
/* Appends the lines of one group of events in a single write: values (G, R, T, P), already divided by the kernel's
 * divisor. */
int ep_measure_table_append(struct ep_measure_table *rows, const char *const *names,
	size_t n_events, const double *values, struct ep_error *err) EP_MUST_CHECK;
void ep_measure_table_close(struct ep_measure_table *rows);

#endif
