/* SPDX-License-Identifier: BSD-3-Clause */
/* The two steps of evprof run, for commands that do more: reading its options, and starting the program. */
#ifndef EVPROF_LAUNCHER_RUN_PROGRAM_H
#define EVPROF_LAUNCHER_RUN_PROGRAM_H

#include <stdbool.h>

#include "common/error.h"
#include "counters/settings.h"

struct ep_run_options {
	struct ep_settings settings;
	char *const *argv; /* of the program, in the memory of the arguments */
	bool reduces;
	const char *sums; /* where --reduce writes; NULL: job.gz beside the traces */
};

/* Reads the options of evprof run and sets the variables that the library reads in this process.
 * EP_OPTIONS_READ, or the exit status where no program is to be started; all is said then. */
int ep_run_read_options(int argc, char **argv, struct ep_run_options *out) EP_MUST_CHECK;

/* Becomes the program, or waits for it where more is to be done behind its end. Returns the exit status, of which
 * 125 to 127 say that it was not started. */
int ep_run_start_program(const struct ep_run_options *options) EP_MUST_CHECK;

#endif
