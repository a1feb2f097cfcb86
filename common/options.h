/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a command: a table of rows, each with the variable that its value goes to. For the
 * programs' commands, which print: the preloaded library has none. One thread (getopt's state is
 * global).
 */
#ifndef EVPROF_COMMON_OPTIONS_H
#define EVPROF_COMMON_OPTIONS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ep_option {
	const char *name; /* behind "--" */
	char letter;      /* behind "-"; 0: none */
	/* One of the other five says what becomes of the value; with flag alone there is none, with
	 * text beside it --NAME[=VALUE] may have one (else NULL), and read is given "1". */
	bool *flag;
	const char **text;                          /* argv's memory */
	uint32_t *count;                            /* decimal digits, least to most */
	double *number;                             /* least to most, either may be infinite */
	int (*take)(void *into, const char *value); /* 0, or a negative errno: refused */
	/* The same, where err says why, and no usage does. */
	int (*read)(void *into, const char *value, struct ep_error *err);
	void *into;
	double least, most;
	const char *expected; /* said of a value that is refused: "a number of rows" */
};

#define EP_OPTIONS_MAX 32 /* rows of a table */

struct ep_options {
	const char *command; /* "evreport metrics": what messages begin with */
	const char *usage;
	const char *hint;              /* behind a refusal in place of the usage; may be NULL */
	void (*print_more)(FILE *out); /* behind the usage; may be NULL */
	const struct ep_option *rows;  /* the last has no name */
	bool runs_program; /* what follows the first other argument is a program's, and no option */
	bool is_quiet;     /* nothing is printed: another process of the same command line does */
	int refused;       /* the exit status of wrong usage; 0: 2 */
};

#define EP_OPTIONS_READ (-1)
/* The only argument with which a command lists its table, for setup/completion.py. */
#define EP_OPTIONS_LIST "--list-options"

/* Reads the options in front of, between and behind the other arguments, which are then at
 * argv[optind]. EP_OPTIONS_READ, or the exit status of a command that has nothing more to do: 0
 * after --help or -h, that of wrong usage; all is said then. */
int ep_options_read(const struct ep_options *options, int argc, char **argv) EP_MUST_CHECK;

/* Says message (may be NULL: nothing) and the hint or usage on stderr; returns the exit status of
 * wrong usage. */
int ep_options_refuse(const struct ep_options *options, const char *message);

#endif
