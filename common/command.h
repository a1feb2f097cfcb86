/* SPDX-License-Identifier: BSD-3-Clause */
/* A command of one of the programs. Each command has a file (cmd_NAME.c) and a row in the program's table. */
#ifndef EVPROF_COMMON_COMMAND_H
#define EVPROF_COMMON_COMMAND_H

/* Runs a command, like main(); argv[0] is the command's NAME. Returns the exit status: 0 success, 1 the input could not
 * be used, 2 wrong usage. */
typedef int (*ep_command_fn)(int argc, char **argv);

struct ep_command {
	const char *name;
	ep_command_fn run;
	const char *summary; /* the line about the command in --help */
};

#endif
