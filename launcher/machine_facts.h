/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads facts about this machine from files of /proc and /sys. */
#ifndef EVPROF_LAUNCHER_MACHINE_FACTS_H
#define EVPROF_LAUNCHER_MACHINE_FACTS_H

#include "machine.h"

/* Fills seccomp_mode, paranoid, is_privileged, container, hypervisor, has_sysfs,
 * core_pmus, nmi_watchdog. */
void ep_machine_read_facts(struct ep_machine *machine);

#endif
