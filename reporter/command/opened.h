/* SPDX-License-Identifier: BSD-3-Clause */
/* From a file to a finished report, for commands that compute on one. */
#ifndef EVPROF_REPORTER_COMMAND_OPENED_H
#define EVPROF_REPORTER_COMMAND_OPENED_H

#include "reporter/facts/report.h"

#include <stdio.h>

/* The files that a command reads when it is given no trace: trace.gz, or where there is none the
 * ranks' trace.0.gz, trace.1.gz, ... NULL follows the last. */
const char *const *ep_default_traces(void);

/* Takes the value of --estimator, whose variable is a const struct ep_filler_ops *: a take function
 * of common/options.h, and what is expected. */
int ep_filler_take(void *into, const char *name);
#define EP_FILLER_EXPECTED "hold, path, or one of those that 'evreport fill --help' explains"
/* The valid values of --threads, for its error. */
#define EP_THREADS_EXPECTED "a number of threads from 1 to 64"

struct ep_trace;

/* -ENODATA, with what to do: the trace's costs are of no loops. */
int ep_loops_of_trace_check(const struct ep_trace *trace, struct ep_error *err) EP_MUST_CHECK;

struct ep_opened_report {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;
};

/* options: as for ep_report_create, the traces' paths and the filler among them (NULL: what the
 * traces' length allows). sysroot: where
 * programs and libraries are, NULL: here. The trace's error, or -ENOMEM. */
int ep_opened_report_create(const struct ep_report_options *options, const char *sysroot,
	struct ep_opened_report *out, struct ep_error *err) EP_MUST_CHECK;
void ep_opened_report_finish(struct ep_opened_report *opened);

/* Puts the models' values of the whole run into a report that is being made: an add function of struct
 * ep_report_options. */
int ep_report_summarize(struct ep_report *report, const struct ep_trace *trace,
	struct ep_symbols *symbols, void *context) EP_MUST_CHECK;

/* Opens what --output names, NULL or "-": standard output. -EEXIST: it is a trace, which would be lost. */
int ep_output_open(const char *path, FILE **out_file, struct ep_error *err) EP_MUST_CHECK;
/* Closes it; standard output is flushed. -EIO: not all could be written. */
int ep_output_close(FILE *file, const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
