/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens traces and makes a finished report, for commands that compute with one. */
#ifndef EVPROF_REPORTER_COMMAND_OPENED_H
#define EVPROF_REPORTER_COMMAND_OPENED_H

#include "reporter/estimate/estimate.h"
#include "reporter/facts/report.h"

#include <stdio.h>

/* Returns the files that a command reads if no trace is named: trace.gz, or, if it does not exist, the ranks'
 * trace.0.gz, trace.1.gz, ... NULL follows the last. */
const char *const *ep_default_traces(void);

/* Takes the value of --estimator. It is a take function of common/options.h; into points to a const struct
 * ep_filler_ops *. EP_FILLER_EXPECTED lists the valid values for the error message; shells complete its words. */
int ep_filler_take(void *into, const char *name);
#define EP_FILLER_EXPECTED "auto, path, hold, " EP_ESTIMATORS_EXPECTED
/* The valid values of --threads, for the error message. */
#define EP_THREADS_EXPECTED "a number of threads from 1 to 64"

struct ep_trace;

/* Checks that the costs of a simulated run are by instruction: the costs of loops cannot be computed from other ones.
 * Returns 0, or -ENODATA with a message that says what to do. */
int ep_loops_of_trace_check(const struct ep_trace *trace, struct ep_error *err) EP_MUST_CHECK;

struct ep_opened_report {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;
};

/* Loads traces and makes their report. options are as for ep_report_create, and include the traces' paths and the
 * filler (NULL: chosen by the traces' length). sysroot is the folder of programs and libraries, or NULL for the
 * real root. Returns 0, the trace's error, or -ENOMEM. */
int ep_opened_report_create(const struct ep_report_options *options, const char *sysroot,
	struct ep_opened_report *out, struct ep_error *err) EP_MUST_CHECK;
void ep_opened_report_finish(struct ep_opened_report *opened);

/* Adds the models' values for the whole run to a report that is being made. It is an add function of struct
 * ep_report_options. */
int ep_report_summarize(struct ep_report *report, const struct ep_trace *trace,
	struct ep_symbols *symbols, void *context) EP_MUST_CHECK;

/* Opens the file that --output names; NULL or "-" is standard output. Returns -EEXIST if the file is a trace, since
 * writing would destroy the trace. */
int ep_output_open(const char *path, FILE **out_file, struct ep_error *err) EP_MUST_CHECK;
/* Closes the output; standard output is only flushed. Returns -EIO if a part of the output could not be written. */
int ep_output_close(FILE *file, const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
