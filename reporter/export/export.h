/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the file formats of other tools' viewers. The writer of a format gets the loaded trace and the finished
 * report, and writes a whole file. formats.c lists all of them.
 */
#ifndef EVPROF_REPORTER_EXPORT_EXPORT_H
#define EVPROF_REPORTER_EXPORT_EXPORT_H

#include "reporter/export/time_log.h"
#include "reporter/facts/report.h"

#include <stdio.h>

struct ep_export {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;
	const struct ep_time_log *times; /* NULL: the format needs no times */
	/* for a format with one value: name of the column to show; NULL: CPU time */
	const char *value;
};

struct ep_export_format {
	const char *name;
	bool by_thread;  /* needs ep_load_options.by_thread */
	bool has_value;  /* the file has one value for each stack; the user chooses which */
	bool has_times;  /* needs a log of times and timelines of processes */
	bool has_counts; /* needs the counts of events in the log of times, too */
	bool is_binary;
	bool is_database; /* reporter/sql writes it into a file; write is NULL */
	/* Writes the file. Returns 0 or a negative errno; failed writes show in ferror(out). */
	int (*write)(FILE *out, const struct ep_export *export, struct ep_error *err);
};

/* All formats; NULL follows the last. */
extern const struct ep_export_format *const ep_export_formats[];
/* Returns the format of that name; NULL: there is none. */
const struct ep_export_format *ep_export_format_find(const char *name);

extern const struct ep_export_format ep_export_folded, ep_export_pprof, ep_export_firefox,
	ep_export_perfetto, ep_export_speedscope, ep_export_callgrind, ep_export_sqlite;

#endif
