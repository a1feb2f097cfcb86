/* SPDX-License-Identifier: BSD-3-Clause */
/* A command of one of the programs: a file of its own (cmd_NAME.c) and a row of its program's table. */
#ifndef EVPROF_COMMON_COMMAND_H
#define EVPROF_COMMON_COMMAND_H

/* Runs with its NAME as argv[0], as main() would; returns the exit status: 0 done, 1 the input
 * could not be used, 2 wrong usage. */
typedef int (*ep_command_fn)(int argc, char **argv);

struct ep_command {
	const char *name;
	ep_command_fn run;
	const char *summary; /* one line for --help */
};

#endif
