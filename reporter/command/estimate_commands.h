/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares commands of this folder, for the table in evreport.c. */
#ifndef EVPROF_REPORTER_COMMAND_ESTIMATE_COMMANDS_H
#define EVPROF_REPORTER_COMMAND_ESTIMATE_COMMANDS_H

int ep_cmd_fill(int argc, char **argv);
int ep_cmd_accuracy(int argc, char **argv);
int ep_cmd_compare_ocoe(int argc, char **argv);
int ep_cmd_export_training(int argc, char **argv);

#endif
