/* SPDX-License-Identifier: BSD-3-Clause */
/* evprof's commands: each has one file (cmd_NAME.c) and one row in evprof.c's table. */
#ifndef EVPROF_LAUNCHER_EVPROF_COMMANDS_H
#define EVPROF_LAUNCHER_EVPROF_COMMANDS_H

int ep_cmd_doctor(int argc, char **argv);
int ep_cmd_list(int argc, char **argv);
int ep_cmd_plan(int argc, char **argv);
/* This command has no name: its arguments are the options of evprof run, the program and its arguments. */
int ep_cmd_profile(int argc, char **argv);
int ep_cmd_run(int argc, char **argv);
int ep_cmd_stop(int argc, char **argv);

#endif
