/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurement table while it grows: FOLDER/events.csv beside basis, signatures, params. A run
 * that was killed is continued: events with all their lines stay, half-written ones are dropped. */
#ifndef EVPROF_KERNELS_MEASURE_MEASURE_TABLE_H
#define EVPROF_KERNELS_MEASURE_MEASURE_TABLE_H

#include "kernels/measure/kernel.h"

struct ep_measure_table {
	const struct ep_run *run;
	char *path; /* of events.csv */
	int fd;     /* appending */
	size_t n_reps, n_threads;
	char *old_text;        /* owns the names of done */
	struct ep_labels done; /* events that are complete */
};

/* Makes the folder and its files, or goes on with what is there. -EEXIST when the folder holds the
 * table of another basis (machine, kernel version). */
int ep_measure_table_open(struct ep_measure_table *rows, const char *folder,
	const struct ep_run *run, size_t n_reps, struct ep_error *err) EP_MUST_CHECK;
/* Lines of one group of events: values (G, R, T, P), already divided. One write. */
int ep_measure_table_append(struct ep_measure_table *rows, const char *const *names,
	size_t n_events, const double *values, struct ep_error *err) EP_MUST_CHECK;
void ep_measure_table_close(struct ep_measure_table *rows);

#endif
