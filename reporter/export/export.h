/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formats of other tools' viewers. Each gets the loaded trace and the finished report, and writes a
 * whole file; a row in formats.c each.
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
	const struct ep_time_log *times; /* NULL: the format has none */
	const char *value; /* of a format that has one: a column's name; NULL: CPU time */
};

struct ep_export_format {
	const char *name;
	bool by_thread;  /* wants ep_load_options.by_thread */
	bool has_value;  /* shows one value, that can be chosen */
	bool has_times;  /* needs a log of times and timelines of processes */
	bool has_counts; /* and of counts, in that log */
	bool is_binary;
	bool is_database; /* of a file of its own, which reporter/sql writes: write is NULL */
	/* 0 or a negative errno; what could not be written shows in ferror(out). */
	int (*write)(FILE *out, const struct ep_export *export, struct ep_error *err);
};

/* The last is NULL. */
extern const struct ep_export_format *const ep_export_formats[];
/* NULL: there is none of that name. */
const struct ep_export_format *ep_export_format_find(const char *name);

extern const struct ep_export_format ep_export_folded, ep_export_pprof, ep_export_firefox,
	ep_export_perfetto, ep_export_speedscope, ep_export_callgrind, ep_export_sqlite;

#endif
