/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads tables of a CPU's events: their names, their codes, and the counters that can count them. evprof has tables of
 * its own, because a libpfm4 knows only the architecture for which it was built.
 */
#ifndef EVPROF_COMMON_FORMULA_EVENT_TABLE_H
#define EVPROF_COMMON_FORMULA_EVENT_TABLE_H

#include "common/error.h"
#include "common/formula/values.h"

#include <stdint.h>

struct ep_event_row {
	char *name;
	char *code; /* the event's fields, such as "event=0xc2,umask=0x02" */
	/* the code for perf_event_open, such as "r2c2", for sources that do not know the name */
	char raw[20];
	char *counters; /* text of the file: "any", "0-3", "pair", "fixed:1|any", "with:slots" */
	char *open;     /* the name for the counter source, if not the same; else NULL */
	char *meaning;
	uint32_t counter_mask; /* bits of the general counters that can count the event */
	uint32_t n_taken;      /* how many general counters it takes: 1, or 2 for a pair */
	int fixed;             /* the fixed counter that counts it; -1: none */
	/* the event whose counter it shares, and in whose group it must be; NULL: none */
	char *rides_with;
};

struct ep_event_table {
	char *cpu, *title;
	char *pmu;                       /* libpfm4's prefix; NULL: libpfm4 does not know the CPU */
	uint32_t n_counters;             /* general counters of a hardware thread */
	uint32_t n_counters_without_smt; /* the number if the core runs only one thread */
	char *always;                    /* events for every group, separated by blanks */
	struct ep_event_row *rows;
	uint32_t n_rows, capacity;
};

/* Reads a table from text. Returns -EINVAL with file and line. */
int ep_event_table_parse(const char *path, char *text, struct ep_event_table *out,
	struct ep_error *err) EP_MUST_CHECK;
int ep_event_table_read(
	const char *path, struct ep_event_table *out, struct ep_error *err) EP_MUST_CHECK;
void ep_event_table_finish(struct ep_event_table *table);

/* Finds a row by its name, with or without "pmu::". NULL: there is none. */
const struct ep_event_row *ep_event_table_find(
	const struct ep_event_table *table, const char *name);
/* Finds the values that a trace has under an event's open name or code, and adds them under the name that formulas use.
 * Returns 0 or -ENOMEM. */
int ep_event_table_alias(
	const struct ep_event_table *table, struct ep_values *values) EP_MUST_CHECK;

#endif
