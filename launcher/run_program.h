/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the two steps of evprof run for commands that do more: reading its options, and starting the program. */
#ifndef EVPROF_LAUNCHER_RUN_PROGRAM_H
#define EVPROF_LAUNCHER_RUN_PROGRAM_H

#include <stdbool.h>

#include "common/error.h"
#include "counters/settings.h"

struct ep_run_options {
	struct ep_settings settings;
	char *const *argv; /* the program and its arguments, a part of main's argv */
	bool reduces;
	const char *sums; /* the file that --reduce writes; NULL: job.gz beside the traces */
};

/* Reads the options of evprof run, and sets the variables that the library reads in this process. Returns
 * EP_OPTIONS_READ, or the exit status if no program is to be started; all messages are printed by then. */
int ep_run_read_options(int argc, char **argv, struct ep_run_options *out) EP_MUST_CHECK;

/* Becomes the program, or waits for it if there is more to do after its end. Returns the exit status; 125 to 127 tell
 * that the program was not started. */
int ep_run_start_program(const struct ep_run_options *options) EP_MUST_CHECK;

#endif
