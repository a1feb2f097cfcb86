/* SPDX-License-Identifier: BSD-3-Clause */
/* evcal's commands: each has a file (cmd_NAME.c) and a row in the table of evcal.c. */
#ifndef EVPROF_KERNELS_COMMAND_EVCAL_COMMANDS_H
#define EVPROF_KERNELS_COMMAND_EVCAL_COMMANDS_H

/* Each function runs a command; argv[0] is the command's name. Returns the exit status: 0 done, 1 the input
 * could not be used, 2 wrong usage. */
int ep_cmd_check(int argc, char **argv);
int ep_cmd_derive(int argc, char **argv);
int ep_cmd_measure(int argc, char **argv);
int ep_cmd_roofs(int argc, char **argv);

#endif
