/* SPDX-License-Identifier: BSD-3-Clause */
/* evcal's commands: one file each (cmd_NAME.c), one row each in evcal.c's table. */
#ifndef EVPROF_KERNELS_COMMAND_EVCAL_COMMANDS_H
#define EVPROF_KERNELS_COMMAND_EVCAL_COMMANDS_H

/* Run with argv[0] the command's name; return the exit status: 0 done, 1 the input could not be
 * used, 2 wrong usage. */
int ep_cmd_check(int argc, char **argv);
int ep_cmd_derive(int argc, char **argv);
int ep_cmd_measure(int argc, char **argv);
int ep_cmd_roofs(int argc, char **argv);

#endif
