/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a command: a table of rows, each with the variable for its value. It is for the programs' commands, since
 * it prints; the preloaded library does not use it. For one thread only (getopt's state is global).
 */
#ifndef EVPROF_COMMON_OPTIONS_H
#define EVPROF_COMMON_OPTIONS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ep_option {
	const char *name; /* follows "--" */
	char letter;      /* follows "-"; 0: the option has no letter */
	/* One of the six members flag to read receives the value. flag alone: the option has no value. flag with text:
	 * the value is optional (--NAME[=VALUE]; NULL without). flag with read: read gets "1". */
	bool *flag;
	const char **text; /* the argument, which points into argv */
	uint32_t *count;   /* decimal digits, from least to most */
	/* a number from least to most; both may be infinite */
	double *number;
	/* returns 0, or a negative errno where it refuses the value */
	int (*take)(void *into, const char *value);
	/* Does the same; err says why, and the usage is not printed. */
	int (*read)(void *into, const char *value, struct ep_error *err);
	void *into;
	double least, most;
	/* Describes the valid values in the message about a refused one: "a number of rows". Where it only lists
	 * words, as "on, off or auto" does, shells complete them. */
	const char *expected;
};

#define EP_OPTIONS_MAX 32 /* the most rows of a table */

struct ep_options {
	const char *command; /* the begin of messages, such as "evreport metrics" */
	const char *usage;
	/* printed after a refusal instead of the usage; may be NULL */
	const char *hint;
	void (*print_more)(FILE *out); /* prints more after the usage; may be NULL */
	const struct ep_option *rows;  /* the last row has no name */
	bool runs_program; /* arguments after the first that is no option belong to a program */
	/* nothing is printed: another process with the same command line prints it */
	bool is_quiet;
	int refused; /* the exit status of wrong usage; 0 means 2 */
};

#define EP_OPTIONS_READ (-1)
/* A command that has this as its only argument lists its table, for setup/completion.py. */
#define EP_OPTIONS_LIST "--list-options"

/* Reads the options before, between and behind the other arguments, which are then at argv[optind]. Returns
 * EP_OPTIONS_READ, or the exit status of a command that has nothing more to do: 0 after --help or -h, that of wrong
 * usage after an error. All messages are printed then. */
int ep_options_read(const struct ep_options *options, int argc, char **argv) EP_MUST_CHECK;

/* Prints message (NULL: none) and the hint or usage on stderr. Returns the exit status of wrong usage. */
int ep_options_refuse(const struct ep_options *options, const char *message);

#endif
