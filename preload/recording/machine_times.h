/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the CPU time that others took (the host of a virtual machine, the limit of a control group), and the machine's
 * energy and memory traffic. All these are read when the tree of processes begins and when it ends. Energy and traffic
 * are also read about once a second. */
#ifndef EVPROF_PRELOAD_RECORDING_MACHINE_TIMES_H
#define EVPROF_PRELOAD_RECORDING_MACHINE_TIMES_H

#include "common/trace.h"

#include <stdbool.h>

/* Parses the first line of /proc/stat, whose numbers are ticks; a second has ticks_per_s of them. Stolen time (which
 * the host took) is left out if it is 0. Returns false if the text has another form. */
bool ep_machine_times_parse_stat(
	const char *text, uint64_t ticks_per_s, struct ep_machine_times *times);

/* Parses the cpu.stat of a control group of version 2 or 1. Returns false if the text has no counts of throttling. */
bool ep_machine_times_parse_group(const char *text, struct ep_machine_times *times);

/* Finds out which files and counters can be read. Called in the tree's first process, and in the programs that it
 * becomes by exec. */
void ep_machine_times_begin(void);
/* Tells whether energy or traffic is read in this process. */
bool ep_machine_times_has_amounts(void);
/* Stops reading energy and traffic in the child of a fork, since its parent reads them. */
void ep_machine_times_after_fork(void);

/* Appends a block with all that can be read. Runs in signal handlers. */
void ep_machine_times_append(struct ep_wire *wire);
/* Appends a block where energy or traffic is read and the last block was written nearly a second ago. */
void ep_machine_times_append_due(struct ep_wire *wire);

#endif
