/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the options of a command by a table with a row for each option, which points to the variable for the option's
 * value. Only the programs' commands may call these functions, since they print; the preloaded library does not. Only
 * one thread may call them, since getopt's state is global.
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
	/* The six members from flag to read tell what receives the value; those that are not used are NULL. flag
	 * alone: the option has no value. flag with text: the value is optional (--NAME[=VALUE]), and *text is NULL
	 * without a value. flag with read: the option has no value, and read gets "1". */
	bool *flag;
	const char **text; /* the argument, which points into argv */
	uint32_t *count;   /* a whole number in decimal, from least to most */
	/* a number from least to most; least and most may be infinite */
	double *number;
	/* returns 0, or a negative errno if it refuses the value */
	int (*take)(void *into, const char *value);
	/* Does the same as take. If it refuses the value, it sets err, which is printed in place of the usage. */
	int (*read)(void *into, const char *value, struct ep_error *err);
	void *into;
	double least, most;
	/* Describes the valid values in the message about a refused value: "a number of rows". If the text only lists
	 * words, as "on, off or auto" does, shells complete these words. */
	const char *expected;
};

#define EP_OPTIONS_MAX 32 /* the most options of a table */

struct ep_options {
	const char *command; /* the start of each message, such as "evreport metrics" */
	const char *usage;
	/* printed instead of the usage after an error; NULL: the usage is printed */
	const char *hint;
	void (*print_more)(FILE *out); /* prints more after the usage; may be NULL */
	const struct ep_option *rows;  /* the last row has no name */
	bool runs_program; /* options are read only before the first other argument, a program's name */
	/* nothing is printed, since another process with the same command line prints the messages */
	bool is_quiet;
	int refused; /* the exit status of wrong usage; 0 means 2 */
};

#define EP_OPTIONS_READ (-1)
/* If this is a command's only argument, the command lists its table, for setup/completion.py. */
#define EP_OPTIONS_LIST "--list-options"

/* Reads the options before, between and after the other arguments, and moves the other arguments to argv[optind] and
 * following. Returns EP_OPTIONS_READ if the command goes on. Else all messages have been printed, and the return value
 * is the command's exit status: 0 after --help, -h or --list-options, the status of wrong usage after an error. */
int ep_options_read(const struct ep_options *options, int argc, char **argv) EP_MUST_CHECK;

/* Prints message (NULL: none), and the hint or else the usage, on stderr. Returns the exit status of wrong usage. */
int ep_options_refuse(const struct ep_options *options, const char *message);

#endif
