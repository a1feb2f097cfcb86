/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU time that others took (the host of a virtual machine, the limit of a control group), and
 * energy and memory traffic of the machine. It is read when the tree of processes begins and when
 * it ends; the latter two once a second, too. */
#ifndef EVPROF_PRELOAD_RECORDING_MACHINE_TIMES_H
#define EVPROF_PRELOAD_RECORDING_MACHINE_TIMES_H

#include "common/trace.h"

#include <stdbool.h>

/* The first line of /proc/stat, whose numbers are ticks, ticks_per_s of them a second. False: it is
 * something else. Not added: stolen time of a kernel that never saw any. */
bool ep_machine_times_parse_stat(
	const char *text, uint64_t ticks_per_s, struct ep_machine_times *times);

/* cpu.stat of a control group of version 2 or 1. False: it has no such account. */
bool ep_machine_times_parse_group(const char *text, struct ep_machine_times *times);

/* Finds out what there is to read. In the tree's first process, and in what it becomes by exec. */
void ep_machine_times_begin(void);
/* Whether energy or traffic is read in this process. */
bool ep_machine_times_has_amounts(void);
/* In fork's child, which leaves the reading to its parent. */
void ep_machine_times_after_fork(void);

/* Appends a block with what there is. Signal handlers. */
void ep_machine_times_append(struct ep_wire *wire);
/* The same where energy or traffic is read and the last time is nearly a second ago. */
void ep_machine_times_append_due(struct ep_wire *wire);

#endif
