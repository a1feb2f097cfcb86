/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a CPU's events are called, how they are encoded and which counters can count them. Our own,
 * because libpfm4 knows only the architecture that it was built for.
 */
#ifndef EVPROF_COMMON_FORMULA_EVENT_TABLE_H
#define EVPROF_COMMON_FORMULA_EVENT_TABLE_H

#include "common/error.h"
#include "common/formula/values.h"

#include <stdint.h>

struct ep_event_row {
	char *name;
	char *code; /* "event=0xc2,umask=0x02" */
	char raw[20]; /* "r2c2": the same as perf_event_open takes it, for sources that know no name */
	char *counters; /* as in the file: "any", "0-3", "pair", "fixed:1|any", "with:slots" */
	char *open;     /* name for the counter source where it is another one; else NULL */
	char *meaning;
	uint32_t counter_mask; /* general counters that can count it */
	uint32_t n_taken;      /* general counters that it takes: 1, or 2 of a pair */
	int fixed;             /* fixed counter that counts it, or -1 */
	char *rides_with; /* shares the counter of this event, in whose group it must be; or NULL */
};

struct ep_event_table {
	char *cpu, *title;
	char *pmu;                       /* libpfm4's prefix; NULL: libpfm4 does not know the CPU */
	uint32_t n_counters;             /* general ones of one hardware thread */
	uint32_t n_counters_without_smt; /* the same where the core runs one thread */
	char *always;                    /* blank-separated events for every group */
	struct ep_event_row *rows;
	uint32_t n_rows, capacity;
};

/* -EINVAL with file and line. */
int ep_event_table_parse(const char *path, char *text, struct ep_event_table *out,
	struct ep_error *err) EP_MUST_CHECK;
int ep_event_table_read(
	const char *path, struct ep_event_table *out, struct ep_error *err) EP_MUST_CHECK;
void ep_event_table_finish(struct ep_event_table *table);

/* NULL when there is none of that name, with or without "pmu::". */
const struct ep_event_row *ep_event_table_find(
	const struct ep_event_table *table, const char *name);
/* Gives values that a trace has under their open names or codes the names that formulas use.
 * -ENOMEM. */
int ep_event_table_alias(
	const struct ep_event_table *table, struct ep_values *values) EP_MUST_CHECK;

#endif
