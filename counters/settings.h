/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings: EVPROF_* variables, which libevprof.so reads, and the options of evprof run. One table is used for
 * both; a setting is a row in settings.c.
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

/* The causes that end slices: CPU time, and overflows of events. */
enum ep_ticks {
	EP_TICKS_AUTO, /* events as well, where their overflow interrupts */
	EP_TICKS_TIME,
	EP_TICKS_EVENTS, /* like auto, with a message where no event interrupts */
};

struct ep_settings {
	/* EVENT[,EVENT...][;EVENT...]: ';' separates groups. Without a ';' the events are packed into groups by trying.
	 * Empty: the source's default. */
	const char *events;
	const char *
		source; /* auto, perf, sim:TABLE[,counters=N][,cpuid=CPU], valgrind, papi, rusage */
	/* path of the trace; %p pid, %h host, %r MPI rank of the tree's root, %% a percent sign */
	const char *output;
	const char *include; /* executable names (shell patterns), comma-separated; empty: all */
	const char *exclude;
	const char *debug;  /* file for decisions and their reasons; empty: none */
	const char *models; /* names of models whose events to count, comma-separated */
	const char *unwind; /* the unwinder's name; empty: evprof's own */
	uint64_t max_bytes; /* size of the trace at which measuring stops; 0: no limit */
	/* CPU time of a slice; 0: it follows from the cost measured at the start */
	uint64_t period_ns;
	enum ep_ticks ticks;
	bool kernel;       /* ticks come in system calls, too */
	bool waits;        /* calls of libc that wait for long are noted, with their places */
	bool quiet;        /* print nothing on stderr but errors in settings */
	bool interpreters; /* functions of scripts are read from CPython's memory */
	/* a copy of the program is kept under its build-id; the launcher and evreport make the copy */
	bool keep;
};

struct ep_setting {
	const char *variable; /* the name of the variable, EVPROF_... */
	const char *option;   /* --name, an option of evprof run */
	char short_option;    /* 0: it has none */
	const char *argument; /* the argument in the help; NULL: a switch, which "1" sets */
	const char *help;
	/* Reads value into settings, which may keep the pointer. Returns 0, or -EINVAL with the message in err. */
	int (*read)(struct ep_settings *settings, const char *value, struct ep_error *err);
};

extern const struct ep_setting ep_settings_table[]; /* the last row has a NULL variable */

void ep_settings_init(struct ep_settings *out_settings);

/* Tells whether include and exclude allow that the program of this executable is measured. */
bool ep_settings_take(const struct ep_settings *settings, const char *executable);

/* Reads "500us", "2ms", "1s", "2000Hz", "1e6" (ns). Returns 0 and sets *out_ns, which is within 50 us to 1 s; else
 * -EINVAL. */
int ep_period_parse(const char *text, uint64_t *out_ns, struct ep_error *err) EP_MUST_CHECK;

#endif
