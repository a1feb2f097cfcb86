/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads facts about this machine from files of /proc and /sys. */
#ifndef EVPROF_LAUNCHER_MACHINE_FACTS_H
#define EVPROF_LAUNCHER_MACHINE_FACTS_H

#include "machine.h"

/* Fills seccomp_mode, paranoid, is_privileged, has_only_perfmon, is_root_of_namespace, container, hypervisor,
 * stolen_share, has_sysfs, core_pmus and nmi_watchdog. */
void ep_machine_read_facts(struct ep_machine *machine);

#endif
