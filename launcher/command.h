/* SPDX-License-Identifier: BSD-3-Clause */
/* evprof's commands: one file each (cmd_NAME.c), one row each in evprof.c's table. */
#ifndef EVPROF_LAUNCHER_COMMAND_H
#define EVPROF_LAUNCHER_COMMAND_H

/* Runs with "evprof NAME" as argv[0], as main() would; returns the exit status. */
typedef int (*ep_command_fn)(int argc, char **argv);

struct ep_command {
	const char *name;
	ep_command_fn run;
	const char *summary; /* one line for --help */
};

int ep_cmd_doctor(int argc, char **argv);
int ep_cmd_list(int argc, char **argv);
int ep_cmd_plan(int argc, char **argv);
int ep_cmd_run(int argc, char **argv);
int ep_cmd_stop(int argc, char **argv);

#endif
