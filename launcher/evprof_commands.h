/* SPDX-License-Identifier: BSD-3-Clause */
/* evprof's commands: one file each (cmd_NAME.c), one row each in evprof.c's table. */
#ifndef EVPROF_LAUNCHER_EVPROF_COMMANDS_H
#define EVPROF_LAUNCHER_EVPROF_COMMANDS_H

int ep_cmd_doctor(int argc, char **argv);
int ep_cmd_list(int argc, char **argv);
int ep_cmd_plan(int argc, char **argv);
/* Not by a name: the arguments are the options of evprof run, the program and its arguments. */
int ep_cmd_profile(int argc, char **argv);
int ep_cmd_run(int argc, char **argv);
int ep_cmd_stop(int argc, char **argv);

#endif
