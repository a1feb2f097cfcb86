/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings: EVPROF_* variables read by libevprof.so, the same as evprof run's options.
 * One table serves both; a setting is a row in settings.c.
 */
#ifndef EVPROF_COUNTERS_SETTINGS_H
#define EVPROF_COUNTERS_SETTINGS_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EP_SETTING_MAX_BYTES 4096
#define EP_PERIOD_MIN_NS 50000
#define EP_PERIOD_MAX_NS 1000000000

/* The causes that end slices. */
enum ep_ticks {
	EP_TICKS_AUTO, /* events too, where their overflow interrupts */
	EP_TICKS_TIME,
	EP_TICKS_EVENTS, /* as auto, and it is said where there are none */
};

struct ep_settings {
	/* EVENT[,EVENT...][;EVENT...]: ';' separates groups; without one the events are packed
	 * into groups by trying. Empty: the source's default. */
	const char *events;
	const char *
		source; /* auto, perf, sim:TABLE[,counters=N][,cpuid=CPU], valgrind, papi, rusage */
	const char
		*output; /* path; %p pid, %h host, %r MPI rank of the tree's root, %% a percent */
	const char *include; /* executable names (shell patterns), comma-separated; empty: all */
	const char *exclude;
	const char *debug;  /* file for what was decided and why; empty: none */
	const char *models; /* names of models whose events to count, comma-separated */
	const char *unwind; /* the unwinder's name; empty: evprof's own */
	uint64_t max_bytes; /* of the trace, at which measuring stops; 0: no limit */
	uint64_t period_ns; /* CPU time of a slice; 0: follows from the cost measured at start */
	enum ep_ticks ticks;
	bool kernel;       /* tick in the kernel too */
	bool waits;        /* note what blocks, and where */
	bool quiet;        /* print nothing on stderr but errors in settings */
	bool interpreters; /* scripts' functions are read from CPython's memory */
	bool keep; /* a copy of the program by build-id; the launcher and evreport make it */
};

struct ep_setting {
	const char *variable; /* EVPROF_... */
	const char *option;   /* --name of evprof run */
	char short_option;    /* or 0 */
	const char *argument; /* for the help; NULL: a switch, set by "1" */
	const char *help;
	/* Reads value into settings; the pointer may be kept. 0 or -EINVAL with the message. */
	int (*read)(struct ep_settings *settings, const char *value, struct ep_error *err);
};

extern const struct ep_setting ep_settings_table[]; /* ends with a NULL variable */

void ep_settings_init(struct ep_settings *out_settings);

/* Whether include and exclude let the program of this executable be measured. */
bool ep_settings_take(const struct ep_settings *settings, const char *executable);

/* "500us", "2ms", "1s", "2000Hz", "1e6" (ns): 0 and *out_ns within 50 us to 1 s, or -EINVAL. */
int ep_period_parse(const char *text, uint64_t *out_ns, struct ep_error *err) EP_MUST_CHECK;

#endif
